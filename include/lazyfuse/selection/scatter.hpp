// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements written where masks and indices say: x(mask) = e, x(i) = e, put, add_at.
#pragma once

#include <lazyfuse/array/empty.hpp>
#include <lazyfuse/selection/indices.hpp>

#include <tuple>
#include <utility>

namespace lazyfuse {

namespace selection_detail {

/// Numbers of rows of an array of shape s, for indices along its axes from A on, and whether they are beyond those.
template <int A, int R, class First, class... More>
auto row_numbers(const shape<R>& s, const First& i, const More&... more) {
  int64 step = 1;
  for (int k = 1; k <= int(sizeof...(More)); ++k) step *= s[A + k];
  const int64 n = s[A];
  const auto k = cast<int64>(i);
  const auto number = where(k < 0, k + n, k) * step;
  const auto beyond = [&] {
    if constexpr (__is_same(value_t<First>, uint64)) return i >= static_cast<uint64>(n);
    else return (k < -n) | (k >= n);
  }();
  if constexpr (sizeof...(More) == 0) return std::make_pair(number, beyond);
  else {
    const auto rest = row_numbers<A + 1>(s, more...);
    return std::make_pair(number + rest.first, beyond | rest.second);
  }
}
/// Throws index_error for the index of element `which` that is beyond its axis.
template <int A, int R, int Q, class First, class... More>
void throw_beyond(const char* operation, const shape<R>& s, const shape<Q>& all, index_t which, const First& i,
                  const More&... more) {
  const auto values = to<host>(broadcast_to(cast<int64>(i), all));
  const index_t k = values.data()[which];
  if (k < -s[A] || k >= s[A]) throw_index(operation, k, A, s.extent, R);
  if constexpr (sizeof...(More) > 0) throw_beyond<A + 1>(operation, s, all, which, more...);
}

/// Elements in memory, one after the other.
template <class T, class Array>
struct dense {
  Array own;  ///< empty where they have been there before
  const T* data;
};
/// Those of e, computed, unless it is somebody else's memory that has them as they are.
template <class T, class Space, class E, class = maker>
auto in_memory(const E& e, const allocation*) {
  const auto own = assign_detail::fresh<T, Space, E::rank>(e);
  return dense<T, bare_t<decltype(own)>>{own, own.data()};
}
template <class T, class Space, int R, class = maker>
auto in_memory(const tree::leaf<stored<T, Space>, R>& e, const allocation* not_of) {
  using values = array<T, R, Space>;
  const strides<R> steps = row_major(e.extents);
  bool there = e.source.owner && e.source.owner != not_of;
  for (int k = 0; k < R; ++k) there = there && (steps[k] == e.steps[k] || e.extents[k] == 1);
  if (there && before_reading(Space{}, e.source.owner)) return dense<T, values>{{}, e.source.data + e.offset};
  const values own = assign_detail::fresh<T, Space, R>(e);
  return dense<T, values>{own, own.data()};
}

/// An array to be written at some of its elements, as rows: by whoever has `ours` of the handles to it.
template <class T, int R, class Space>
rows rows_of(array<T, R, Space>& x, index_t count, long ours) {
  const index_t n = x.size();
  T* const data = n == 0 ? nullptr : owners(x.memory) > 1 + ours ? x.data() : x.unshared();
  before_writing(Space{}, x.owner());
  return {data, count, count > 0 ? n / count : 0, dtype_of<T>, sizeof(T)};
}

/// x(i...) = e, or adds e there.
template <bool Add, class T, int R, class Space, class E, class... I, class = maker>
void write_at(const char* operation, array<T, R, Space>& x, E&& e, const I&... i) {
  constexpr int axes = sizeof...(I);
  const auto s = map_detail::join_shapes(operation, i.shape()...);
  constexpr int Q = rank_of_shape(bare_t<decltype(s)>{});
  constexpr bool fits = axes <= R;
  static_assert(fits, "lazyfuse: more indices than the array has axes");
  constexpr bool numbers = !Add || (arithmetic_type<T> && !boolean<T>);
  static_assert(numbers, "lazyfuse: add_at adds numbers");
  constexpr bool whole = (integer<value_t<I>> && ...);
  static_assert(whole, "lazyfuse: elements are written at indices, which are integers, or by a mask, which is of bool");
  if constexpr (fits && numbers && whole) {
    shape<Q + R - axes> all;
    shape<R - axes> rest;
    index_t count = 1;
    for (int k = 0; k < Q; ++k) all[k] = s[k];
    for (int k = 0; k < axes; ++k) count *= x.shape()[k];
    for (int k = axes; k < R; ++k) all[Q + k - axes] = rest[k - axes] = x.shape()[k];
    const auto& value = assign_detail::lifted<T>(e);
    using V = bare_t<decltype(value)>;
    if constexpr (assign_detail::check_slice<T, Q + R - axes, Space, V>()) {
      const memory_detail::device_scope<Space> scope(array_detail::device_of(x));
      const auto [number, beyond] = row_numbers<0>(x.shape(), i...);
      const array<int64, Q, Space> places(broadcast_to(where(beyond, int64{-1}, number), s));
      // What lacks the axes of the indices is one row for all.
      const auto write = [&](const auto& shaped, index_t how_many) {
        if (places.size() == 0) return;
        if (x.size() == 0 && count > 0) {  // rows of nothing have their indices
          if constexpr (!space_traits<Space>::on_device)
            for (index_t k = 0; k < places.size(); ++k)
              if (places.data()[k] < 0) throw_beyond<0>(operation, x.shape(), s, k, i...);
          return;
        }
        const auto values = in_memory<T, Space>(shaped, x.owner());
        const rows to = rows_of(x, count, assign_detail::handles_in(static_cast<E&&>(e), x.owner())),
                   from{const_cast<T*>(values.data), how_many, to.length, to.type, to.element_size};
        const destinations at{places.data(), places.size()};
        const index_t wrong = Add ? scatter_sum(Space{}, to, at, from) : scatter(Space{}, to, at, from);
        if (wrong >= 0) throw_beyond<0>(operation, x.shape(), s, wrong, i...);
      };
      if constexpr (rank_of<V> <= R - axes) write(view_detail::broadcast_tree(value, rest, operation), 1);
      else write(view_detail::broadcast_tree(value, all, operation), s.size());
    }
  }
}

/// put: values in their order, again from the first one when there are no more.
template <class T, int R, class Space, class I, class V, class = maker>
void put_in_order(const char* operation, array<T, R, Space>& x, const I& indices, const V& values) {
  constexpr bool whole = integer<value_t<I>>;
  static_assert(whole, "lazyfuse: put writes elements at their indices, which are integers");
  const auto& value = assign_detail::lifted<T>(values);
  using E = bare_t<decltype(value)>;
  if constexpr (whole && assign_detail::check<T, E::rank, Space, E>()) {
    const memory_detail::device_scope<Space> scope(array_detail::device_of(x));
    const shape<1> all{x.size()};
    const auto [number, beyond] = row_numbers<0>(all, indices);
    const array<int64, rank_of<I>, Space> places(lazyfuse::where(beyond, int64{-1}, number));
    const array<T, E::rank, Space> from = assign_detail::fresh<T, Space, E::rank>(value);
    if (places.size() == 0) return;
    if (from.size() == 0) throw_value("put: there are no values");
    const rows to = rows_of(x, x.size(), 0);
    const index_t wrong = scatter(Space{}, to, {places.data(), places.size()},
                                  {const_cast<T*>(from.data()), from.size(), 1, dtype_of<T>, sizeof(T)});
    if (wrong >= 0) throw_beyond<0>(operation, all, indices.shape(), wrong, indices);
  }
}

/// x(mask) of an array with a name: read as any selection, and written.
template <class Mask, class Values, class Array>
class selected_place : public selection<Mask, Values> {
  using base = selection<Mask, Values>;

 public:
  selected_place(base&& s, Array& x) : base(static_cast<base&&>(s)), array_(&x) {}
  selected_place(const selected_place&) = default;

  /// x(mask) = e: of a number or a selection by the same mask x = where(mask, e, x), one kernel; of a sequence its
  /// elements one after the other, as put(x, flatnonzero(mask), e), which has to have so many or one.
  template <class E>
    requires(expression<E> || scalar<E> || filtered<E>)
  void operator=(E&& e) && {
    if constexpr (filtered<E>) {
      if constexpr (stands_beside<Mask, E>()) {
        check_mask("assignment", this->mask(), e);
        if constexpr (__is_same(E, bare_t<E>)) (void)static_cast<E&&>(e).take_mask();
        write(inside(static_cast<E&&>(e)));
      }
    } else if constexpr (is_literal<bare_t<E>>) write(bare_t<E>::value);
    else if constexpr (scalar<E>) write(static_cast<E&&>(e));
    else if constexpr (rank_of<E> == 0) write(static_cast<E&&>(e));
    else write_in_order(e);
  }
  void operator=(const selected_place& e) && { static_cast<selected_place&&>(*this) = static_cast<const base&>(e); }
  template <class E>
  void operator+=(E&& e) && {
    static_cast<selected_place&&>(*this) = base(*this) + static_cast<E&&>(e);
  }
  template <class E>
  void operator-=(E&& e) && {
    static_cast<selected_place&&>(*this) = base(*this) - static_cast<E&&>(e);
  }
  template <class E>
  void operator*=(E&& e) && {
    static_cast<selected_place&&>(*this) = base(*this) * static_cast<E&&>(e);
  }
  template <class E>
  void operator/=(E&& e) && {
    static_cast<selected_place&&>(*this) = base(*this) / static_cast<E&&>(e);
  }

 private:
  template <class V>
  void write(V&& value) {
    auto mask = static_cast<base&&>(*this).take_mask();
    (void)static_cast<base&&>(*this).take_values();  // the view itself must not count as somebody who shares the array
    *array_ = where(static_cast<Mask&&>(mask), static_cast<V&&>(value), *array_);
  }
  template <class E>
  void write_in_order(const E& e) {
    constexpr bool sequence = rank_of<E> == 1;
    static_assert(sequence,
                  "lazyfuse: what is assigned to x(mask) is a number, a selection by the mask, or a sequence of as "
                  "many elements");
    if constexpr (sequence) {
      using Space = typename Array::space;
      const array<int64, 1, Space> places = to<Space>(flatnonzero(this->mask()));
      const auto mask = static_cast<base&&>(*this).take_mask();
      (void)static_cast<base&&>(*this).take_values();
      if (e.shape()[0] != places.size() && e.shape()[0] != 1)
        throw_shapes("assignment", e.shape().extent, 1, places.shape().extent, 1,
                     "do not fit: the second is that of the selected elements");
      put_in_order("assignment", *array_, places, e);
    }
  }
  Array* array_;
};

/// x(i) of an array with a name: read as any gather, and written.
template <class Tree, class Array, class... I>
class gathered_place : public lazy<Tree> {
  using base = lazy<Tree>;

 public:
  gathered_place(base&& e, Array& x, const I&... i) : base(static_cast<base&&>(e)), array_(&x), indices_{i...} {}
  gathered_place(const gathered_place&) = default;

  /// x(i) = e, broadcast: one after the other in row-major order of the indices, so of equal ones the last one wins.
  /// Throws index_error on the host, and then has written nothing; the GPU skips indices beyond the axis. Elements that
  /// are added up are add_at's.
  template <class E, class = maker>
    requires(expression<E> || scalar<E>)
  void operator=(E&& e) && {
    this->memory = {};  // the view itself must not count as somebody who shares the array
    if constexpr (is_literal<bare_t<E>>) static_cast<gathered_place&&>(*this) = bare_t<E>::value;
    else
      std::apply([&](const I&... i) { write_at<false>("assignment", *array_, static_cast<E&&>(e), i...); }, indices_);
  }
  void operator=(const gathered_place& e) && { static_cast<gathered_place&&>(*this) = static_cast<const base&>(e); }
  template <class E>
  void operator+=(E&& e) && {
    static_cast<gathered_place&&>(*this) = base(*this) + static_cast<E&&>(e);
  }
  template <class E>
  void operator-=(E&& e) && {
    static_cast<gathered_place&&>(*this) = base(*this) - static_cast<E&&>(e);
  }
  template <class E>
  void operator*=(E&& e) && {
    static_cast<gathered_place&&>(*this) = base(*this) * static_cast<E&&>(e);
  }
  template <class E>
  void operator/=(E&& e) && {
    static_cast<gathered_place&&>(*this) = base(*this) / static_cast<E&&>(e);
  }

 private:
  Array* array_;
  std::tuple<I...> indices_;
};
}  // namespace selection_detail

/// x(mask) and x(i) of an array, to be written.
template <class X, class... I>
  requires(expression<I> || ...)
auto written_view(X& x, I... i) {
  using namespace selection_detail;
  auto v = view(x, i...);
  if constexpr (filtered<decltype(v)>)
    return selected_place<typename decltype(v)::mask_type, typename decltype(v)::values_type, X>(
        static_cast<decltype(v)&&>(v), x);
  else if constexpr ((boolean<value_t<I>> && ...)) {
    const array<int64, 1, result_space<X>> where = to<result_space<X>>(flatnonzero(i)...);
    return written_view(x, where);
  } else return gathered_place<tree_t<decltype(v)>, X, plain_t<I>...>(static_cast<decltype(v)&&>(v), x, plain(i)...);
}

/// put(x, indices, values): elements of the array x, counted in row-major order, become the values, which are a number
/// or repeat until all indices have one. Of equal indices the last one wins; negative ones count from the end. Throws
/// index_error on the host, and then has written nothing; the GPU skips indices that are beyond. \numpy{put}
template <class T, int R, class Space, class I, class V, class = maker>
  requires(expression<I> && (expression<V> || scalar<V>))
void put(array<T, R, Space>& x, const I& indices, const V& values, caller where = caller::here()) {
  const asked_at at(where);
  if constexpr (is_literal<V>) selection_detail::put_in_order("put", x, indices, V::value);
  else selection_detail::put_in_order("put", x, indices, values);
}

/// add_at(x, indices, values): x(indices) += values, where each of equal indices counts: along the first axis of the
/// array x, values broadcast to the shape of what is indexed. In row-major order of the indices, of which the GPU adds
/// more than 255 to one place by a tree: the same bits on every run and for any number of threads. Indices as of put.
/// \numpy{add.at}
template <class T, int R, class Space, class I, class V, class = maker>
  requires(expression<I> && (expression<V> || scalar<V>))
void add_at(array<T, R, Space>& x, const I& indices, V&& values, caller where = caller::here()) {
  const asked_at at(where);
  if constexpr (is_literal<bare_t<V>>) selection_detail::write_at<true>("add_at", x, bare_t<V>::value, indices);
  else selection_detail::write_at<true>("add_at", x, static_cast<V&&>(values), indices);
}

}  // namespace lazyfuse
