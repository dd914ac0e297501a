// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// repeat<N>(f, e) and iterate(n, f, e): a function of expressions applied again and again, element by element. Few
// operations are written out; many are a loop in registers (program/iterated.hpp), so that neither what is compiled nor
// what a kernel is given grows with their number.
#pragma once

#include <lazyfuse/expr/pad.hpp>
#include <lazyfuse/program/code.hpp>
#include <lazyfuse/program/iterated.hpp>

namespace lazyfuse {

namespace repeat_detail {
/// "repeat<x0,x1,*/2>": the code of the program, in one word.
template <class Program>
inline constexpr auto word_text = [] {
  constexpr auto& inner = ir::code_of<list<Program>>;
  auto c = characters_detail::joined<characters_detail::length("repeat<", inner.text)>("repeat<", inner.text);
  for (char& letter : c.text)
    if (letter == ' ') letter = ',';
  c.text[sizeof c.text - 2] = '>';
  return c;
}();
constexpr bool is_foreign(const char* code) {
  for (; *code != '\0'; ++code)
    if (*code == '\'') return true;
  return false;
}
}  // namespace repeat_detail
template <class Program, int N>
inline constexpr ir::code_detail::word ir::code_detail::word_of<ir::iterated<Program>, N> = {
    repeat_detail::word_text<Program>.text, suffix::arguments, N,
    repeat_detail::is_foreign(repeat_detail::word_text<Program>.text)};

namespace tree {
/// In the place of the value so far while a function is looked at: no expression that is evaluated has one.
template <class T>
struct running {
  using value_type = T;
  static constexpr bool is_memory = false;
  friend bool operator==(const running&, const running&) { return true; }
};
}  // namespace tree

namespace repeat_detail {

/// Operations that are written out.
inline constexpr int most_written = 32;

template <class Source>
inline constexpr bool is_running = false;
template <class T>
inline constexpr bool is_running<tree::running<T>> = true;
/// Whether a source reads the value so far by a map, or as a table.
template <class Source>
inline constexpr bool is_moved = false;
template <class Source, class Map, int R>
inline constexpr bool is_moved<ir::remapped<Source, Map, R>> = is_running<Source> || is_moved<Source>;
template <class Source, int K, ir::beyond B>
inline constexpr bool is_moved<tree::table_of<Source, K, B>> = is_running<Source> || is_moved<Source>;

struct reading : tree::any_leaf {
  template <class Source, int R>
  static constexpr bool leaf = is_running<Source> || is_moved<Source>;
  template <class Kind, class A, int R>
  static constexpr bool deferred = tree::fold<reading, A>;
};
/// Whether the value so far is read otherwise than element by element.
struct moving : tree::any_leaf {
  template <class Source, int R>
  static constexpr bool leaf = is_moved<Source>;
  template <class Kind, class A, int R>
  static constexpr bool deferred = tree::fold<reading, A>;
};
struct counting_operations : tree::sums<int> {
  template <class Source, int R>
  static constexpr int leaf = 0;
  template <class Kind, class A, int R>
  static constexpr int deferred = 0;
  template <class Op, class... V>
  static constexpr int map(V... values) {
    return (1 + ... + values);
  }
};

/// What is an operand of the loop: how many below a node, and which is number K; the program of the node, whose first
/// operand has number First.
template <class E>
struct node;
template <class Source, int R>
struct node<tree::leaf<Source, R>> {
  static constexpr int operands = is_running<Source> ? 0 : 1;
  template <int First>
  using program = ir::arg<is_running<Source> ? 0 : First>;
  template <int>
  static const auto& operand(const tree::leaf<Source, R>& e) {
    return e;
  }
  /// Whether the value so far, of a shape, is read where it stands.
  template <int Rank>
  static bool stays(const tree::leaf<Source, R>& e, const shape<Rank>& s) {
    if constexpr (!is_running<Source>) return true;
    else if constexpr (R < Rank) return false;
    else {
      const auto steps = row_major(s);
      for (int k = 1; k <= Rank; ++k)
        if (e.extents[R - k] != s[Rank - k] || (e.steps[R - k] != steps[Rank - k] && s[Rank - k] != 1)) return false;
      return e.offset == 0;
    }
  }
};
template <class T, auto V>
struct node<tree::literal_leaf<T, V>> {
  static constexpr int operands = 0;
  template <int>
  using program = ir::literal<T, V>;
  template <int Rank>
  static bool stays(const tree::literal_leaf<T, V>&, const shape<Rank>&) {
    return true;
  }
};
template <class E>
struct node<tree::named<E>> : node<E> {};
template <class Op, int... I, class... A>
struct node<tree::map_expr<Op, index_sequence<I...>, A...>> {
  using self = tree::map_expr<Op, index_sequence<I...>, A...>;
  static constexpr int operands = (0 + ... + node<A>::operands);
  static constexpr int before(int argument) {
    const int counts[] = {node<A>::operands...};
    int n = 0;
    for (int k = 0; k < argument; ++k) n += counts[k];
    return n;
  }
  template <int First>
  struct built {
    using type = ir::apply<Op, typename node<A>::template program<First + before(I)>...>;
  };
  template <int First>
  using program = typename built<First>::type;
  template <int K>
  static const auto& operand(const self& e) {
    constexpr int argument = [] {
      int a = 0;
      while (before(a + 1) <= K) ++a;
      return a;
    }();
    return node<type_at<argument, A...>>::template operand<K - before(argument)>(e.template argument<argument>());
  }
  template <int Rank>
  static bool stays(const self& e, const shape<Rank>& s) {
    return (node<A>::stays(e.template argument<I>(), s) && ...);
  }
};

template <class T, int R>
auto placeholder(const shape<R>& s) {
  return over(tree::leaf<tree::running<T>, R>({}, s, row_major(s)));
}

/// The node of the loop.
template <class Step, int... I, class X, class F>
auto loop(index_sequence<I...>, int64 times, X&& x, const F& once) {
  using operation = ir::iterated<typename Step::template program<1>>;
  using start = bare_t<decltype(map_detail::operand_as<value_t<X>, X>::of(x, "repeat"))>;
  using Node = tree::map_expr<operation, index_sequence<0, 1, 2 + I...>, tree::leaf<ir::constant<int64>, 0>, start,
                              bare_t<decltype(Step::template operand<I>(once.tree))>...>;
  const shape<Node::rank> s = broadcast_shapes(x.shape(), once.shape(), "repeat");
  const Node n{{{tree::constant_leaf(times, shape<0>{})},
                {map_detail::operand_as<value_t<X>, X>::of(x, "repeat")},
                {Step::template operand<I>(once.tree)}...},
               s};
  return over(n, static_cast<X&&>(x), once);
}

/// f, N times.
template <int N, class F, class X>
auto written_out(const F& f, X&& x) {
  if constexpr (N == 0) return bare_t<X>(static_cast<X&&>(x));
  else if constexpr (N == 1) return f(x);
  else {
    const auto next = f(x);
    return written_out<N - 1>(f, next);
  }
}

/// f of a placeholder, or a sentence.
template <class F, class X>
auto looked_at(const F& f, const X& x) {
  return f(placeholder<value_t<X>>(x.shape()));
}
template <class F, class X>
consteval bool check() {
  constexpr bool callable = requires(const F& f) { {f(placeholder<value_t<X>>(shape<rank_of<X>>{}))}; };
  static_assert(callable, "lazyfuse: what is repeated is a function of an expression, as [](auto x) { return x * 2; }");
  if constexpr (callable) {
    using once = bare_t<decltype(looked_at(std::declval<const F&>(), std::declval<const X&>()))>;
    constexpr bool returns = expression<once>;
    static_assert(returns,
                  "lazyfuse: what is repeated is a function of an expression, as [](auto x) { return x * 2; }");
    if constexpr (returns) {
      constexpr bool keeps_type = __is_same(value_t<once>, value_t<X>);
      static_assert(keeps_type, "lazyfuse: what is repeated returns elements of the type that it is given; cast<T>(e)");
      constexpr bool alone = !tree::fold<moving, tree_t<once>>;
      static_assert(alone,
                    "lazyfuse: what is repeated computes each element from that element alone, and from other arrays: "
                    "it cannot reduce, scan or roll its argument");
      return keeps_type && alone;
    } else return false;
  } else return false;
}
/// Throws index_error unless the value so far is read where it stands.
void check_stays(bool stays);

}  // namespace repeat_detail

/// iterate(n, f, e): f(f(...f(e))), n times, element by element. f takes an expression and returns one of the same
/// element type, which may contain numbers and arrays, as [&](auto x) { return x * w + 1; }; what it computes of its
/// argument it computes of the element at the same place. n is a value: one kernel is there for all n, and the loop
/// runs in its registers. Throws index_error if f takes a view of its argument.
template <class F, class X>
  requires expression<X>
auto iterate(int64 n, const F& f, X&& x) {
  if constexpr (repeat_detail::check<F, bare_t<X>>()) {
    const auto once = repeat_detail::looked_at(f, x);
    using step = repeat_detail::node<tree_t<decltype(once)>>;
    repeat_detail::check_stays(step::stays(once.tree, x.shape()));
    return repeat_detail::loop<step>(make_index_sequence<step::operands>{}, n, static_cast<X&&>(x), once);
  } else return bare_t<X>(static_cast<X&&>(x));
}

/// repeat<N>(f, e): f(f(...f(e))), N times, as iterate(N, f, e) and with the same bits as the expression written out.
/// It is written out for the compiler where that is at most 32 operations, and else the loop of iterate, so that N may
/// be any number.
template <int N, class F, class X>
  requires expression<X>
auto repeat(const F& f, X&& x) {
  static_assert(N >= 0, "lazyfuse: a function is repeated 0 or more times");
  if constexpr (N >= 0 && repeat_detail::check<F, bare_t<X>>()) {
    using once = decltype(repeat_detail::looked_at(f, x));
    constexpr int operations = tree::fold<repeat_detail::counting_operations, tree_t<once>>;
    if constexpr (N == 0 || N <= repeat_detail::most_written / (operations > 0 ? operations : 1))
      return repeat_detail::written_out<N>(f, static_cast<X&&>(x));
    else return iterate(N, f, static_cast<X&&>(x));
  } else return bare_t<X>(static_cast<X&&>(x));
}

}  // namespace lazyfuse
