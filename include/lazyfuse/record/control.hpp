// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// while_loop, cond, iterate_until: what runs again, or not at all, as an array of one bool says by then. Named as in
// JAX, TensorFlow and PyTorch, whose while_loop and cond are functions, too, and are traced once.
#pragma once

#include <lazyfuse/evaluate/tie.hpp>
#include <lazyfuse/observe/recording.hpp>
#include <lazyfuse/record/record.hpp>

#include <tuple>
#include <type_traits>

namespace lazyfuse {

namespace record_detail {

/// A loop or branch while its bodies are recorded. Forgotten unless it ends.
class control {
 public:
  /// Of a loop: as long as the condition is `wanted`; of a branch: if it is.
  control(node_kind kind, const elements& condition, bool wanted);
  ~control();
  control(const control&) = delete;
  control& operator=(const control&) = delete;
  void begin_body();
  void end_body();
  void end();

 private:
  node node_;
  std::size_t depth_, nodes_before_;
  bool ended_ = false;
};

template <class F>
consteval bool check_body() {
  constexpr bool callable = std::is_invocable_v<const F&> && !expression<F>;
  static_assert(
      callable,
      "lazyfuse: the body of a while_loop or cond is a function without parameters, as in [&] { x = x / 2; }");
  return callable;
}
/// Whether E is an expression of one bool, or a sentence.
template <class E>
consteval bool check_condition() {
  constexpr bool is_expression = expression<E>;
  static_assert(is_expression,
                "lazyfuse: a condition is an expression of one bool, as in error > 1e-6f; item() of it "
                "would be asked when the graph is recorded");
  if constexpr (is_expression) {
    constexpr bool one_bool = __is_same(value_t<E>, bool) && rank_of<E> == 0;
    static_assert(one_bool, "lazyfuse: a condition is one bool, without axes; any(...) or all(...) of several");
    return one_bool;
  } else return false;
}

/// As a part of the graph that is recorded, or as a graph that is launched once.
template <class Space, class F>
void recorded(const F& f, caller where) {
  if (records()) f();
  else record<Space>(f, where).launch(where);
}

template <class Space, class F>
void loop(array<bool, 0, Space>& condition, bool wanted, const F& body) {
  control c(node_kind::loop, {condition.owner(), std::as_const(condition).data()}, wanted);
  c.begin_body();
  body();
  c.end_body();
  c.end();
}

template <class C>
inline constexpr bool is_flag = false;
template <class Space>
inline constexpr bool is_flag<array<bool, 0, Space>> = true;

}  // namespace record_detail

/// while_loop(condition, body): calls the body as long as the condition holds, on the GPU without asking the host.
/// condition: a function that returns an expression of one bool, which is computed before each turn, or an array<bool,
/// 0> that the body assigns to. Within record(f) it is a node of the graph; else it is recorded and launched once. body
/// is called once, to be recorded: what it assigns to keeps its memory, and its shape; where an expression reads an
/// array at other places than it writes it, the values are copied. Throws graph_error where the body gives an array
/// another shape or another one's memory, asks for elements, or leaves the condition as it is, and what record throws.
template <class C, class F, class = maker>
void while_loop(C&& condition, const F& body, caller where = caller::here()) {
  constexpr bool flag = record_detail::is_flag<bare_t<C>> && std::is_lvalue_reference_v<C> &&
                        !std::is_const_v<std::remove_reference_t<C>>;
  constexpr bool condition_is_function = std::is_invocable_v<const bare_t<C>&> && !expression<bare_t<C>>;
  static_assert(flag || condition_is_function,
                "lazyfuse: the condition of a while_loop is a function, as in [&] { return error > 1e-6f; }, since it "
                "is computed again before each turn, or an array<bool, 0> that the body assigns to");
  if constexpr (record_detail::check_body<F>()) {
    if constexpr (flag)
      record_detail::recorded<typename bare_t<C>::space>([&] { record_detail::loop(condition, true, body); }, where);
    else if constexpr (condition_is_function) {
      using E = bare_t<decltype(condition())>;
      if constexpr (record_detail::check_condition<E>()) {
        using Space = result_space<E>;
        record_detail::recorded<Space>(
            [&] {
              array<bool, 0, Space> holds;
              holds() = condition();
              record_detail::loop(holds, true, [&] {
                body();
                holds() = condition();
              });
            },
            where);
      }
    }
  }
}

namespace record_detail {

/// otherwise: nothing, or one function.
template <class C, class F, class... G>
void branch(caller where, C&& condition, const F& then, const G&... otherwise) {
  if constexpr (check_condition<bare_t<C>>() && check_body<F>() && (check_body<G>() && ...)) {
    using Space = result_space<bare_t<C>>;
    recorded<Space>(
        [&] {
          array<bool, 0, Space> holds;
          {  // a temporary's handles end here: the branches may write what it reads
            const bare_t<C> evaluated(static_cast<C&&>(condition));
            holds() = evaluated;
          }
          control c(node_kind::branch, {holds.owner(), std::as_const(holds).data()}, true);
          const auto body = [&](const auto& f) {
            c.begin_body();
            f();
            c.end_body();
          };
          body(then);
          (body(otherwise), ...);
          c.end();
        },
        where);
  }
}

}  // namespace record_detail

/// cond(condition, then), cond(condition, then, otherwise): calls the one function or the other, on the GPU without
/// asking the host. condition: an expression of one bool. All as for while_loop: both are called, to be recorded.
template <class C, class F, class = maker>
  requires expression<bare_t<C>>
void cond(C&& condition, const F& then, caller where = caller::here()) {
  record_detail::branch(where, static_cast<C&&>(condition), then);
}
template <class C, class F, class G, class = maker>
  requires expression<bare_t<C>>
void cond(C&& condition, const F& then, const G& otherwise, caller where = caller::here()) {
  record_detail::branch(where, static_cast<C&&>(condition), then, otherwise);
}

namespace record_detail {

template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;

/// Whether what a step returns is of the states' types and ranks.
template <class Result, class... State>
consteval bool check_step() {
  if constexpr (is_tuple<Result>) {
    constexpr bool one_each = std::tuple_size_v<Result> == sizeof...(State);
    static_assert(one_each, "lazyfuse: what is iterated returns as many expressions as it is given arrays");
    if constexpr (one_each)
      return []<class... E>(std::type_identity<std::tuple<E...>>) {
        constexpr bool same = ((rank_of<E> == rank_of<State> && __is_same(value_t<E>, value_t<State>)) && ...);
        static_assert(same,
                      "lazyfuse: what is iterated returns elements of the types, and of the ranks, that it is "
                      "given; cast<T>(e)");
        return same;
      }(std::type_identity<Result>{});
    else return false;
  } else return check_step<std::tuple<Result>, State...>();
}

template <class Space, int... I, class State, class C, class F>
void iterate_recorded(index_sequence<I...>, State& state, const C& condition, const F& f) {
  const auto& s = std::as_const(state);
  array<bool, 0, Space> done;
  done() = condition(std::get<I>(s)...);
  loop(done, false, [&] {
    auto next = f(std::get<I>(s)...);
    // An array would be moved there, with its memory.
    if constexpr (is_tuple<decltype(next)>) assign(tie(std::get<I>(state)...), std::get<I>(std::move(next))...);
    else if constexpr (requires { decltype(next)::is_array; }) assign(tie(std::get<I>(state)...), std::move(next));
    else std::get<0>(state) = std::move(next);
    done() = condition(std::get<I>(s)...);
  });
}

}  // namespace record_detail

/// iterate_until(condition, f, x...): x = f(x) until condition(x) holds; of several, f returns a std::tuple of
/// expressions, one for each. They are arrays, computed by the time: what is returned is the array, or a tuple of
/// them, in whose memory all of it happens. condition returns an expression of one bool. Within record(f) it is a
/// part of the graph; else it is recorded and launched once. Throws what while_loop does.
template <class C, class F, class... X, class = maker>
  requires(sizeof...(X) > 0 && (expression<X> && ...))
auto iterate_until(const C& condition, const F& f, const X&... x) {
  using joined = map_detail::joined<expression_space_t<X>...>;
  static_assert(!joined::mixed, "lazyfuse: what is iterated together must live in one space");
  using Space = typename array_detail::space_of_result<typename joined::type>::type;
  using State = std::tuple<array<value_t<X>, rank_of<X>, Space>...>;
  constexpr bool callable = std::is_invocable_v<const F&, const array<value_t<X>, rank_of<X>, Space>&...> &&
                            std::is_invocable_v<const C&, const array<value_t<X>, rank_of<X>, Space>&...>;
  static_assert(callable,
                "lazyfuse: what is iterated, and its condition, are functions of as many arrays as are given, as in "
                "[](const auto& x) { return x / 2; }");
  State state;
  if constexpr (callable) {
    using Result = bare_t<decltype(f(std::declval<const array<value_t<X>, rank_of<X>, Space>&>()...))>;
    using Done = bare_t<decltype(condition(std::declval<const array<value_t<X>, rank_of<X>, Space>&>()...))>;
    if constexpr (record_detail::check_step<Result, X...>() && record_detail::check_condition<Done>())
      record_detail::recorded<Space>(
          [&] {
            state = State(assign_detail::fresh<value_t<X>, Space, rank_of<X>>(x.tree)...);
            record_detail::iterate_recorded<Space>(make_index_sequence<sizeof...(X)>{}, state, condition, f);
          },
          caller::here());
  }
  if constexpr (sizeof...(X) == 1) return std::get<0>(std::move(state));
  else return state;
}

}  // namespace lazyfuse
