// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// for_each_zip(xs, ys, f): a function of elements over many arrays of unlike shapes, by one kernel (dpp::packed).
#pragma once

#include <lazyfuse/batch/batch.hpp>
#include <lazyfuse/batch/groups.hpp>
#include <lazyfuse/batch/into.hpp>
#include <lazyfuse/evaluate/packed.hpp>
#include <lazyfuse/expr/fuse.hpp>
#include <lazyfuse/observe/recording.hpp>

#include <tuple>

namespace lazyfuse {

namespace zip_detail {

using batch_detail::facts_of, batch_detail::contiguous, batch_detail::element_of;

template <class C>
concept arrays = contiguous<C> && batch_detail::in_memory<element_of<C>>;
/// A number for each array.
template <class C>
concept numbers = contiguous<C> && arithmetic_element<element_of<C>>;
template <class C>
struct facts_of_argument : facts_of<tree_t<element_of<C>>> {};
template <numbers C>
struct facts_of_argument<C> {
  using element = element_of<C>;
};
template <class C>
using facts = facts_of_argument<C>;
/// Of arrays that are not const.
template <class C>
inline constexpr bool can_be_written =
    batch_detail::is_array<std::remove_reference_t<decltype(std::declval<C&>().data()[0])>>;

template <class C>
argument argument_of(const C& c) {
  using X = element_of<C>;
  const auto count = static_cast<index_t>(c.size());
  if constexpr (numbers<C>)
    return {{c.data(), count, -1, sizeof(X), batch_detail::member_at<X>}, sizeof(X), batch_detail::members_from<X>};
  else
    return {{c.data(), count, facts<C>::rank, sizeof(typename facts<C>::element), batch_detail::member_at<X>},
            sizeof(X),
            batch_detail::members_from<X>};
}
/// Stands for all arrays of argument I, one after the other, or for numbers of their elements.
template <int I, class C, class Space>
auto placeholder(index_t elements) {
  using T = typename facts<C>::element;
  using leaf = tree::leaf<stored<T, Space>, 1>;
  return lazy<leaf>{{}, leaf({stand_in(I), reinterpret_cast<const T*>(stand_in(I))}, {elements}, {{1}}), {}};
}

/// What a function returns, as a tuple.
template <class R>
struct returned {
  using type = std::tuple<R>;
  static constexpr bool fits = expression<R> || scalar<R>;
};
template <class... R>
struct returned<std::tuple<R...>> {
  using type = std::tuple<R...>;
  static constexpr bool fits = sizeof...(R) > 0 && ((expression<R> || scalar<R>)&&...);
};

template <class... C>
using space_of = typename facts<type_at<0, C...>>::space;
template <class F, int... I, class... C>
auto call(const F& f, index_sequence<I...> all, index_t elements, const C&...) {
  return fuse_detail::call(f, all, placeholder<I, C, space_of<C...>>(elements)...);
}

template <class F, int... I, class... C>
constexpr bool can_be_called(index_sequence<I...>, list<C...>) {
  return requires(const F& f) {
    {f(number_detail::numbered_argument<I>(placeholder<I, C, space_of<C...>>(index_t{}))...)};
  };
}

/// Whether an argument is of numbers, or of arrays like those of the first one.
template <class First, class C>
constexpr bool in_space_of() {
  if constexpr (numbers<C>) return true;
  else return __is_same(typename facts<C>::space, typename facts<First>::space);
}
template <class First, class C>
constexpr bool has_rank_of() {
  if constexpr (numbers<C>) return true;
  else return facts<C>::rank == facts<First>::rank;
}

/// Sentences about the arguments, and about the function.
template <class First, class... C>
consteval bool check_arguments() {
  constexpr bool of_arrays = arrays<First> && ((arrays<C> || numbers<C>)&&...);
  static_assert(of_arrays,
                "lazyfuse: for_each_zip takes arrays of one type, or views of them, in a std::vector or std::span for "
                "each argument of the function, or after the first a number for each array, and the function last");
  if constexpr (of_arrays) {
    constexpr bool few = sizeof...(C) < most_arguments;
    static_assert(few, "lazyfuse: for_each_zip takes at most 16 arguments beside the function");
    constexpr bool one_space = (in_space_of<First, C>() && ...);
    static_assert(one_space, "lazyfuse: all arrays of for_each_zip live in one space");
    constexpr bool one_rank = (has_rank_of<First, C>() && ...);
    static_assert(one_rank, "lazyfuse: arrays that for_each_zip takes together have one shape, and so one rank");
    return few && one_space && one_rank;
  } else return false;
}
template <class F, class... C>
consteval bool check_function() {
  constexpr auto all = make_index_sequence<sizeof...(C)>{};
  constexpr bool callable = can_be_called<F>(all, list<C...>{});
  static_assert(
      callable,
      "lazyfuse: the function of for_each_zip takes an expression for each of the other arguments, as [](auto "
      "p, auto g) { return p - 0.1f * g; }, and returns one, or a std::tuple of several");
  if constexpr (callable) {
    using result = decltype(call(std::declval<const F&>(), all, index_t{}, std::declval<const C&>()...));
    constexpr bool fits = returned<result>::fits;
    static_assert(fits, "lazyfuse: the function of for_each_zip returns an expression, or a std::tuple of several");
    return fits;
  } else return false;
}
template <class T, class Space, class E>
consteval bool check_result() {
  if constexpr (scalar<E> || is_literal<E>) return true;
  else if constexpr (assign_detail::check<T, 1, Space, E>()) {
    constexpr bool fits = run_detail::may_be_packed<tree_t<E>>;
    static_assert(fits,
                  "lazyfuse: the function of for_each_zip computes each element from the elements at its place, from "
                  "reductions of all elements of the array, and from numbers: it cannot scan, roll or take its "
                  "arguments");
    return fits;
  } else return false;
}

template <class T, class E>
auto tree_of(const E& e, const shape<1>& s) {
  if constexpr (is_literal<E>) return tree_of<T>(E::value, s);
  else if constexpr (scalar<E>) return tree::constant_leaf(assign_detail::from_scalar<T>(e), s);
  else {
    if (!(e.shape() == s))
      throw_value("for_each_zip: the function takes a view of an argument, and can only read it as it is");
    return assign_detail::converted<T>(e.tree);
  }
}

/// The device of all arrays; -1 where there is only one.
template <class Space>
int device_of(const groups& all) {
  if (!memory_detail::several_devices(Space{})) return -1;
  return all.common_device(
      [](const allocation* owner, const void* data) { return memory_detail::device_of(Space{}, owner, data); });
}

/// The arrays of an argument that is written: those that are not written in place get new memory.
template <class X>
struct target {
  X* arrays;
  std::vector<X> fresh = {};

  void prepare(groups& all, int argument) {
    if (all.moved(argument) == 0) return;
    fresh.reserve(static_cast<std::size_t>(all.moved(argument)));
    for (index_t g = 0; g < all.count(); ++g) {
      if (all.in_place(argument, g)) continue;
      X& y = fresh.emplace_back(arrays[all.number(g)].shape(), caller{});
      all.write(argument, g, y.unshared(), y.owner());
    }
  }
  void finish(const groups& all, int argument) noexcept {
    auto next = fresh.begin();
    for (index_t g = 0; g < all.count() && next != fresh.end(); ++g)
      if (!all.in_place(argument, g)) arrays[all.number(g)] = static_cast<X&&>(*next++);
  }
};
template <class C>
using target_of = target<bare_t<decltype(std::declval<C&>().data()[0])>>;

/// Of the pattern packed, whose results have their places in its table.
template <class... T>
auto nowhere() {
  return ir::target_pack<1, T...>{{{ir::target<T, 1>{nullptr, {{1}}}}...}};
}

template <class Maker, class... C, int... K, int... J, class F>
void run(index_sequence<K...> every, index_sequence<J...>, const F& f, C&... c) {
  using Space = typename facts<type_at<0, C...>>::space;
  using Kernels = kernel_space<Space, Maker>;
  record_detail::refuse_computing("for_each_zip");
  const argument arguments[] = {argument_of(c)...};
  groups all(arguments, sizeof...(C), sizeof...(J),
             [](const allocation* of) { return batch_detail::captured(Space{}, of); });
  if (all.count() == 0) return;
  const shape<1> s{all.elements()};
  using made_type = typename returned<decltype(call(f, every, s[0], c...))>::type;
  const made_type made{call(f, every, s[0], c...)};
  const auto trees = std::tuple(tree_of<typename facts<type_at<J, C...>>::element>(std::get<J>(made), s)...);

  const memory_detail::device_scope<Space> scope(device_of<Space>(all));
  const auto given = std::tie(c...);
  std::tuple<target_of<type_at<J, C...>>...> to{target_of<type_at<J, C...>>{std::get<J>(given).data()}...};
  const auto arrays_of = [&](planning::operand_info* operands, int count) {
    all.read(operands, count, batch_detail::stream_of_thread(Space{}));
    (std::get<J>(to).prepare(all, J), ...);
    if constexpr (space_traits<Space>::on_device && (numbers<C> || ...))
      all.copy_numbers([](const void* from, std::size_t bytes) {
        return batch_detail::copy_of(cuda{}, from, bytes, "for_each_zip");
      });
    if constexpr (space_traits<Space>::on_device)
      all.for_each(backend<Kernels>::before, memory_detail::several_devices(Space{}));
    return &all.pack(space_traits<Space>::on_device);
  };
  const auto places = nowhere<typename facts<type_at<J, C...>>::element...>();
  if constexpr (run_detail::are_rows<bare_t<decltype(std::get<J>(trees))>...>) {
    // What is computed of the number of elements would be that of all arrays together.
    const shape<1> s2{2 * s[0]};
    const made_type longer{call(f, every, s2[0], c...)};
    if (const char* const problem = run_detail::packed_rows<Kernels>(
            execution{}, s, places, arrays_of, s2,
            std::tuple(tree_of<typename facts<type_at<J, C...>>::element>(std::get<J>(longer), s2)...),
            std::get<J>(trees)...))
      throw_value(problem);
  } else run_detail::packed<Kernels>(execution{}, s, places, arrays_of, std::get<J>(trees)...);
  (std::get<J>(to).finish(all, J), ...);
  all.keep();
}

template <class Maker, class... C, int... J, class F>
void check_and_run(index_sequence<J...> results, const F& f, C&... c) {
  constexpr bool as_many = sizeof...(J) <= sizeof...(C);
  static_assert(as_many,
                "lazyfuse: what the function of for_each_zip returns is written to its first arguments, and it "
                "returns more");
  if constexpr (as_many) {
    constexpr bool written = (can_be_written<type_at<J, C...>> && ...);
    static_assert(
        written,
        "lazyfuse: what the function of for_each_zip returns is written to its first arguments, and these are "
        "arrays that are not const");
    constexpr auto every = make_index_sequence<sizeof...(C)>{};
    using made = typename returned<decltype(call(f, every, index_t{}, c...))>::type;
    if constexpr (written)
      if constexpr ((check_result<typename facts<type_at<J, C...>>::element, typename facts<type_at<0, C...>>::space,
                                  std::tuple_element_t<J, made>>() &&
                     ...))
        run<Maker>(every, results, f, c...);
  }
}

template <class Maker, int... K, class All, class F>
void with_function(index_sequence<K...> every, const All& all, const F& f) {
  if constexpr (check_arguments<std::remove_reference_t<std::tuple_element_t<K, All>>...>()) {
    if constexpr (check_function<F, std::remove_reference_t<std::tuple_element_t<K, All>>...>()) {
      using made = typename returned<decltype(call(f, every, index_t{}, std::get<K>(all)...))>::type;
      check_and_run<Maker>(make_index_sequence<int(std::tuple_size_v<made>)>{}, f, std::get<K>(all)...);
    }
  }
}

}  // namespace zip_detail

/// for_each_zip(xs, ys, f): a function over many arrays by one kernel, whatever their shapes: for each i, xs[i] =
/// f(xs[i], ys[i], ...). The arguments are arrays, or views of them, of one type in a std::vector or std::span each, up
/// to 16; those of one i have one shape. Behind the first one there may be numbers as well, one for each array, as a
/// rate or how many elements it has. f comes last, takes an expression for each argument, of rank 1 whatever the
/// arrays are, and returns one, which is written to the first argument, or a std::tuple of several, which are written
/// to as many first arguments. It is called for all arrays at once, and computes each element from the elements at the
/// same place and from reductions of all elements of the array, as softmax does. Numbers that
/// it has beside its arguments, and arrays of one element, are the same for all arrays, so they cannot depend on how
/// many elements these have, as in mean.
///
/// All values are those before. An array is written in place unless somebody else shares its memory; then it gets new
/// memory. If it throws, nothing has changed. Blocks of the kernel are shared out by elements, but for reductions, of
/// which each array has one; 16 bytes are read at a time where the arrays of one i are all aligned so. Throws
/// shape_error unless there are as many arrays of each argument, of equal shapes, whose elements follow each other
/// (materialize(x) of a view with gaps has such); index_error if an array is written twice, or f reads a view of an
/// argument, another array, or a number that depends on lengths; device_error; memory_error.
template <class... A, class Maker = maker>
void for_each_zip(A&&... a) {
  constexpr int count = int(sizeof...(A)) - 1;
  static_assert(count >= 1,
                "lazyfuse: for_each_zip takes arrays of one type, or views of them, in a std::vector or std::span for "
                "each argument of the function, or after the first a number for each array, and the function last");
  if constexpr (count >= 1)
    zip_detail::with_function<Maker>(make_index_sequence<count>{}, std::tie(a...), std::get<count>(std::tie(a...)));
}

}  // namespace lazyfuse
