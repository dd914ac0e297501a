// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that compute nothing: concat, stack, repeat, tile and pad of what is in memory. A result is cut into boxes,
// in each of which one operand lies as steps say, and these are copied. Loops over elements would find out of each one
// where it comes from.
#pragma once

#include <lazyfuse/backend/host/tuning.hpp>
#include <lazyfuse/core/algorithm.hpp>
#include <lazyfuse/program/choices.hpp>
#include <lazyfuse/program/folded.hpp>
#include <lazyfuse/program/schedule.hpp>
#include <lazyfuse/program/table.hpp>

#include <cstddef>

namespace lazyfuse::host_detail {

using namespace ir;

/// Of indices that come again and again after fewer, pieces are so small that loops are no slower.
inline constexpr index_t least_piece = 32;

/// Elements to copy, so many bytes each: those of a result, and where the first of them comes from.
struct box {
  static constexpr int most_axes = 2 * max_rank;  ///< a folded one is two
  int rank, bytes;
  const std::byte* from;
  std::byte* to;
  index_t extents[most_axes], from_steps[most_axes], to_steps[most_axes];

  /// Without the elements before `first` along an axis, and with `n` of the others.
  box part(int axis, index_t first, index_t n) const {
    box b = *this;
    b.from += first * from_steps[axis] * bytes;
    b.to += first * to_steps[axis] * bytes;
    b.extents[axis] = n;
    return b;
  }
  /// An axis as blocks of n: its steps are those within one, and blocks are so many elements of the source apart.
  void in_blocks(int axis, index_t n, index_t apart) {
    extents[rank] = n;
    from_steps[rank] = from_steps[axis];
    to_steps[rank] = to_steps[axis];
    ++rank;
    extents[axis] /= n;
    from_steps[axis] = apart;
    to_steps[axis] *= n;
  }
};
void copy(const box& b);
/// The axis along which an operand of positions counts by one, and along no other; -1 if there is none.
int counted_axis(const index_t* steps, int rank);
/// An axis of a table, and how its indices follow each other along an axis of the box.
struct table_index {
  index_t extent, step;
  int axis;
  index_t first;  ///< a position, of which an index is made
  bool is_folded;
  folded how;
};
/// Copies what a table has at so many indices, and zeros for what it has not.
void copy_from_table(const box& b, const table_index* indices, int count);
/// Calls part(context, b) for parts of a box by all threads.
void for_parts_of(const box& whole, void (*part)(const void*, const box&, const index_t*), const void* context);

/// Whether operand I is a memory of T, or whatever it is asked to be.
template <class Source, class T>
inline constexpr bool is_memory_of = false;
template <class T>
inline constexpr bool is_memory_of<memory<T>, T> = true;
template <class T>
inline constexpr bool is_memory_of<constant<T>, T> = true;
template <class Source>
inline constexpr bool has_zeros = false;
template <class T, int K>
inline constexpr bool has_zeros<constant<table<memory<T>, K, beyond::zero>>> = true;
template <class Source, class T>
inline constexpr bool is_table_of = false;
template <class T, int K, beyond B>
inline constexpr bool is_table_of<constant<table<memory<T>, K, B>>, T> = true;
template <class Source>
inline constexpr bool is_offset = false;
template <>
inline constexpr bool is_offset<position> = true;
template <>
inline constexpr bool is_offset<constant<int64>> = true;
template <class Source>
inline constexpr bool is_place = false;
template <>
inline constexpr bool is_place<position> = true;
template <>
inline constexpr bool is_place<folded> = true;

/// What is copied of a program.
template <class P, class Sources, class T>
struct copied {
  static constexpr bool copies = false;
};
template <int I, class... S, class T>
struct copied<arg<I>, list<S...>, T> {
  using source = type_at<I, S...>;
  static constexpr bool copies = is_memory_of<source, T>;
  template <class Operands>
  static bool fits(const Operands&, const index_t*, int) {
    return true;
  }
  template <class Operands>
  static void run(const Operands& operands, box b, const index_t* at) {
    const auto& o = get<I>(operands);
    const T* from;
    if constexpr (source::is_memory) from = address(o.source.data);
    else from = &o.source.value;
    for (int k = 0; k < b.rank; ++k) {
      b.from_steps[k] = 0;
      if constexpr (source::is_memory) {
        b.from_steps[k] = o.steps[k];
        from += at[k] * o.steps[k];
      }
    }
    b.from = reinterpret_cast<const std::byte*>(from);
    copy(b);
  }
};
/// X where the position is before operand J, else Y.
template <int I, int J, class X, class Y, class Sources, class T>
struct copied_by_position;
template <int I, int J, class X, class Y, class... S, class T>
struct copied_by_position<I, J, X, Y, list<S...>, T> {
  using x = copied<X, list<S...>, T>;
  using y = copied<Y, list<S...>, T>;
  static constexpr bool copies =
      __is_same(type_at<I, S...>, position) && __is_same(type_at<J, S...>, constant<int64>) && x::copies && y::copies;
  template <class Operands>
  static bool fits(const Operands& operands, const index_t* extents, int rank) {
    return counted_axis(get<I>(operands).steps.step, rank) >= 0 && x::fits(operands, extents, rank) &&
           y::fits(operands, extents, rank);
  }
  template <class Operands>
  static void run(const Operands& operands, const box& b, const index_t* at) {
    const auto& p = get<I>(operands);
    const int axis = counted_axis(p.steps.step, b.rank);
    const index_t left = get<J>(operands).source.value - p.source.at(0) - at[axis], n = b.extents[axis];
    const index_t cut = left < 0 ? 0 : left < n ? left : n;
    if (cut > 0) x::run(operands, b.part(axis, 0, cut), at);
    if (cut == n) return;
    index_t behind[max_rank];
    for (int k = 0; k < b.rank; ++k) behind[k] = at[k] + (k == axis ? cut : 0);
    y::run(operands, b.part(axis, cut, n - cut), behind);
  }
};
template <choice Where, comparison Op, int I, int J, class X, class Y, class... S, class T>
struct copied<apply<Where, apply<Op, arg<I>, arg<J>>, X, Y>, list<S...>, T>
    : copied_by_position<I, J, X, Y, list<S...>, T> {};
/// The same where it is not before that.
template <choice Where, opposite_comparison Op, int I, int J, class X, class Y, class... S, class T>
struct copied<apply<Where, apply<Op, arg<I>, arg<J>>, X, Y>, list<S...>, T>
    : copied_by_position<I, J, Y, X, list<S...>, T> {};
/// Where two conditions hold.
template <choice Where, conjunction And, class P, class Q, class X, class Y, class Sources, class T>
struct copied<apply<Where, apply<And, P, Q>, X, Y>, Sources, T>
    : copied<apply<Where, P, apply<Where, Q, X, Y>, Y>, Sources, T> {};

/// A gather whose indices are positions, or made of them.
template <table_read Take, int I, int F, int... X, class... S, class T>
struct copied<apply<Take, arg<I>, arg<F>, arg<X>...>, list<S...>, T> {
  static constexpr bool copies =
      is_table_of<type_at<I, S...>, T> && is_offset<type_at<F, S...>> && (is_place<type_at<X, S...>> && ...);

  template <class Operands>
  static bool fits(const Operands& operands, const index_t* extents, int rank) {
    const auto& table = get<I>(operands).source.value;
    int k = 0;
    bool met[max_rank] = {};
    const auto one = [&]<class Source>(const Source& source, const index_t* steps) {
      const index_t extent = table.axes.extents[k++];
      const int axis = counted_axis(steps, rank);
      if (axis < 0 || met[axis]) return false;
      met[axis] = true;
      if constexpr (__is_same(Source, folded))
        return source.how == folding::quotient || source.by.value >= least_piece || source.how == folding::nearest;
      else return has_zeros<type_at<I, S...>> || (source.at(0) >= 0 && source.at(0) + extents[axis] <= extent);
    };
    return (one(get<X>(operands).source, get<X>(operands).steps.step) && ...);
  }
  template <class Operands>
  static void run(const Operands& operands, box b, const index_t* at) {
    const auto& from = get<I>(operands).source.value;
    const auto& first = get<F>(operands);
    index_t offset = first.source.at(0);
    for (int k = 0; k < b.rank; ++k) {
      b.from_steps[k] = 0;
      if constexpr (__is_same(type_at<F, S...>, position)) {
        b.from_steps[k] = first.steps[k];
        offset += at[k] * first.steps[k];
      }
    }
    b.from = reinterpret_cast<const std::byte*>(address(from.source.data)) + offset * b.bytes;
    int k = 0;
    const auto one = [&]<class Source>(const Source& source, const index_t* steps) {
      const int axis = counted_axis(steps, b.rank);
      table_index i{from.axes.extents[k], from.axes.steps[k], axis, source.origin + at[axis], false, {}};
      if constexpr (__is_same(Source, folded)) {
        i.first += source.ahead;
        i.is_folded = true;
        i.how = source;
      }
      ++k;
      return i;
    };
    const table_index indices[] = {one(get<X>(operands).source, get<X>(operands).steps.step)...};
    copy_from_table(b, indices, int(sizeof...(X)));
  }
};

/// Whether a schedule is such a program.
template <class Schedule, class Sources, class... T>
inline constexpr bool copies_boxes = false;
template <class Op, class... P, class Sources, class T>
inline constexpr bool copies_boxes<schedule<list<apply<Op, P...>>>, Sources, T> =
    copied<apply<Op, P...>, Sources, T>::copies;

/// Returns false, and has done nothing, where positions are no such, or pieces so small that loops are no slower; and
/// in checked builds, whose loops look at each.
template <class Schedule, class Sources>
struct copy_boxes;
template <class P, class Sources>
struct copy_boxes<schedule<list<P>>, Sources> {
  template <class Operands, int R, class T>
  static bool run(const shape<R>& extents, const Operands& operands, const target<T, R>& to) {
    using parts = copied<P, Sources, T>;
    if (checked_build || !parts::fits(operands, extents.extent, R)) return false;
    box whole{R, int(sizeof(T)), nullptr, reinterpret_cast<std::byte*>(address(to.data)), {}, {}, {}};
    for (int k = 0; k < R; ++k) {
      whole.extents[k] = extents[k];
      whole.to_steps[k] = to.steps[k];
    }
    for_parts_of(
        whole,
        [](const void* all, const box& b, const index_t* at) { parts::run(*static_cast<const Operands*>(all), b, at); },
        &operands);
    return true;
  }
};

}  // namespace lazyfuse::host_detail
