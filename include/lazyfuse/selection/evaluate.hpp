// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections become arrays. On the host the mask is evaluated block by block, kept and counted, before the values are:
// once, for beside the values its numbers may be rounded otherwise. On the GPU one kernel computes and moves them.
#pragma once

#include <lazyfuse/evaluate/print.hpp>
#include <lazyfuse/evaluate/select.hpp>
#include <lazyfuse/expr/take.hpp>
#include <lazyfuse/selection/blocks.hpp>
#include <lazyfuse/selection/reduce.hpp>

#include <cstring>
#include <utility>
#include <vector>

namespace lazyfuse {

namespace selection_detail {

/// A mask in memory, one element after the other, with how many are true in each block.
struct counted_mask {
  array<bool, 1, host> own;  ///< empty where somebody else has it
  const bool* keep;
  std::vector<index_t> places;  ///< of the first element that each block selects
  index_t count = 0;
};
/// The mask's own memory, if it lies there so; else null.
template <class E>
const bool* lying(const E&) {
  return nullptr;
}
template <int R>
const bool* lying(const tree::leaf<stored<bool, host>, R>& e) {
  return e.steps == row_major(e.extents) ? e.source.data + e.offset : nullptr;
}
template <class T, class Tree>
counted_mask count_blocks(const Tree& mask) {
  counted_mask m;
  m.keep = lying(mask);
  if (m.keep != nullptr) {
    const block_walk<Tree::rank> walk(mask.shape(), block_elements<T>);
    m.places.resize(static_cast<std::size_t>(walk.count));
    for_tasks(walk.count, 0.2 * static_cast<double>(mask.shape().size()), [&](index_t block) {
      m.places[static_cast<std::size_t>(block)] = count_true(m.keep + walk.first(block), walk.size(block));
    });
  } else {
    m.own = array<bool, 1, host>(shape<1>{mask.shape().size()}, caller{});
    bool* const keep = m.own.unshared();
    m.keep = keep;
    evaluate_blocks<T>([&](index_t blocks) { m.places.resize(static_cast<std::size_t>(blocks)); },
                       [&](index_t, index_t block, index_t first, index_t n, const bool* values) {
                         std::memcpy(keep + first, values, static_cast<std::size_t>(n));
                         m.places[static_cast<std::size_t>(block)] = count_true(values, n);
                       },
                       0, mask);
  }
  for (index_t& place : m.places) place = std::exchange(m.count, m.count + place);
  return m;
}
/// Whether values are where they stand themselves, in row-major order.
template <class E>
bool are_places(const E&) {
  return false;
}
template <int R>
bool are_places(const tree::leaf<ir::position, R>& e) {
  return e.steps == row_major(e.extents) && e.source.at(e.offset) == 0;
}

template <class T, class Mask, class Values, class = maker>
array<T, 1, host> computed(host, const Mask& mask, const Values& values) {
  const counted_mask m = count_blocks<T>(tree::unnamed(mask.tree));
  array<T, 1, host> result(shape<1>{m.count}, caller{});
  if (m.count == 0) return result;
  T* const to = result.unshared();
  const auto place = [&](index_t block) { return m.places[static_cast<std::size_t>(block)]; };
  if constexpr (__is_same(T, int64))
    if (are_places(tree::unnamed(values.tree))) {
      const block_walk<Mask::rank> walk(mask.shape(), block_elements<T>);
      for_tasks(walk.count, 2.0 * static_cast<double>(mask.shape().size()), [&](index_t block) {
        const index_t first = walk.first(block), end = block + 1 < walk.count ? place(block + 1) : m.count;
        put_places(m.keep, first, first + walk.size(block), to + place(block), end - place(block));
      });
      return result;
    }
  evaluate_blocks<T>([](index_t) {},
                     [&](index_t, index_t block, index_t first, index_t n, T* v) {
                       keep_selected(m.keep + first, v, sizeof(T), n, to + place(block));
                     },
                     0, values.tree);
  return result;
}
/// Values of more bytes are taken by their places.
inline constexpr std::size_t most_selected_bytes = 16;
/// The result keeps the room of all elements where it is at least this part of them.
inline constexpr index_t least_part = 8;

template <class T, class Mask, class Values, class Maker = maker>
array<T, 1, cuda> computed(cuda, const Mask& mask, const Values& values) {
  if constexpr (sizeof(T) > most_selected_bytes) {
    const array<int64, 1, cuda> places =
        computed<int64>(cuda{}, mask, reductions_detail::places(mask.shape(), axes<>{}));
    return array<T, 1, cuda>(take(values, places));
  } else {
    using Space = kernel_space<cuda, Maker>;
    constexpr int R = Mask::rank;
    constexpr bool here = runnable_here<Space>;
    static_assert(
        here,
        "lazyfuse: this selection runs on the GPU; compile this file with nvcc and include <lazyfuse/cuda.cuh>, or "
        "link lazyfuse::cuda and include <lazyfuse/cuda.hpp>");
    const memory_detail::device_scope<cuda> scope(planning::device_for<cuda>(nullptr, nullptr, mask.tree, values.tree));
    const shape<R> s = mask.shape();
    if (s.size() == 0) return array<T, 1, cuda>();
    array<T, 1, cuda> room(shape<1>{s.size()}, caller{});
    const array<int64, 1, cuda> found(shape<1>{1}, caller{});
    const ir::target_pack<R, int64, T> to{{{{found.unshared(), {}}}, {{room.unshared(), row_major(s)}}}};
    allocation* const owners[] = {found.owner(), room.owner()};
    if constexpr (here) run_detail::select<Space, R, T>(execution{}, s, to, owners, mask.tree, values.tree);
    const index_t count = count_selected(cuda{}, found.data());
    if (count >= s.size() / least_part) {
      room.tree.extents[0] = count;
      return room;
    }
    array<T, 1, cuda> result(shape<1>{count}, caller{});
    if (count > 0)
      memory_detail::copy(cuda{}, result.owner(), result.unshared(), cuda{}, room.owner(), room.data(),
                          static_cast<std::size_t>(count) * sizeof(T));
    return result;
  }
}
}  // namespace selection_detail

template <class Mask, class Values>
template <class>
selection<Mask, Values>::operator array_type() const {
  return selection_detail::computed<value_type>(typename space::type{}, mask_, values_);
}

template <class Mask, class Values>
array(const selection<Mask, Values>&)
    -> array<typename Values::value_type, 1, typename selection<Mask, Values>::space::type>;

/// The elements of a selection, as an array. On the GPU it waits, to see how many there are. Throws memory_error.
template <class Mask, class Values, class = maker>
auto materialize(const selection<Mask, Values>& s, caller where = caller::here()) {
  const asked_at at(where);
  return typename selection<Mask, Values>::array_type(s);
}
/// The elements of a selection in another space.
template <memory_space To, class Mask, class Values, class = maker>
auto to(const selection<Mask, Values>& s, caller where = caller::here()) {
  return to<To>(materialize(s, where), where);
}
/// Evaluates a selection and prints its elements.
template <class Mask, class Values, class = maker>
std::ostream& operator<<(std::ostream& out, const selection<Mask, Values>& s) {
  return out << materialize(s);
}

}  // namespace lazyfuse
