// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions on the host, evaluated block by block into buffers that stay in the cache of a thread, for what needs to
// see values in order and none of them in memory.
#pragma once

#include <lazyfuse/evaluate/materialize.hpp>
#include <lazyfuse/selection/libraries.hpp>

namespace lazyfuse::selection_detail {

/// How a shape is cut: so many indices of one axis are a block, those of the axes before it one by one, of the axes
/// behind it all. Blocks follow each other in row-major order.
template <int R>
struct block_walk {
  shape<R> extents;
  int axis = R - 1;
  index_t inner = 1, along = 1, pieces = 1, count = 0;

  block_walk(const shape<R>& s, index_t most) : extents(s) {
    if (s.size() == 0) return;
    while (axis > 0 && inner * s[axis] * s[axis - 1] <= most) inner *= s[axis--];
    if (axis > 0 && inner * s[axis] <= most) inner *= s[axis--];
    along = most / inner > 0 ? most / inner : 1;
    pieces = (s[axis] + along - 1) / along;
    count = pieces;
    for (int k = 0; k < axis; ++k) count *= s[k];
  }
  /// The elements of block b, as a view.
  index_map<R, R> view(index_t b) const {
    index_map<R, R> m;
    for (int k = 0; k < R; ++k) {
      m.source[k] = k;
      m.factor[k] = 1;
      m.extents[k] = k < axis ? 1 : extents[k];
    }
    const index_t from = b % pieces * along, left = extents[axis] - from;
    m.start[axis] = from;
    m.extents[axis] = left < along ? left : along;
    b /= pieces;
    for (int k = axis - 1; k >= 0; --k) {
      m.start[k] = b % extents[k];
      b /= extents[k];
    }
    return m;
  }
  /// How many elements it has.
  index_t size(index_t b) const {
    const index_t left = extents[axis] - b % pieces * along;
    return (left < along ? left : along) * inner;
  }
  /// The place of its first element.
  index_t first(index_t b) const { return (b / pieces * extents[axis] + b % pieces * along) * inner; }
};

/// task(number) for so many tasks, by all threads where the cost is worth it.
template <class Task>
void for_tasks(index_t tasks, double cost, const Task& task) {
  for_blocks(
      host{}, tasks, cost, [](void* c, index_t number) { (*static_cast<const Task*>(c))(number); },
      const_cast<Task*>(&task));
}

/// What cannot be evaluated in parts without computing something once for each.
template <class E>
inline constexpr bool is_whole = tree::has_barrier<E> || has_scan<E> || tree::fold<graph_detail::holding_graphs, E>;

/// Elements of a buffer of one thread, and their bytes.
inline constexpr index_t most_in_block = 4096, most_bytes = 65536;

/// The elements of a block, where T is the largest type of them.
template <class T>
inline constexpr index_t block_elements = [] {
  constexpr index_t bytes = static_cast<index_t>(sizeof(T));
  return bytes * most_in_block <= most_bytes ? most_in_block : bytes < most_bytes ? most_bytes / bytes : 1;
}();

/// N elements, on the stack of a thread.
template <class T, index_t N>
class thread_buffer {
 public:
  thread_buffer() {}  // uninitialised
  T* data() { return reinterpret_cast<T*>(bytes_); }

 private:
  alignas(64) unsigned char bytes_[static_cast<std::size_t>(N) * sizeof(T)];
};

/// body(part, block, first, n, values...) for blocks of trees of one shape; first counts their elements in row-major
/// order. So many parts, each of blocks that follow each other, are done in parallel; 0: each block is one.
/// begin(blocks) is called before. Expressions of one shape are cut into the same blocks for the same `Largest`, an
/// element type.
template <class Largest, class Begin, class Body, int R, class... E>
void in_blocks(const Begin& begin, const Body& body, index_t parts, const shape<R>& s, const E&... e) {
  constexpr index_t most = block_elements<Largest>;
  const block_walk<R> walk(s, most);
  begin(walk.count);
  const auto block = [&](index_t part, index_t b) {
    const index_map<R, R> m = walk.view(b);
    const auto in_buffers = [&]<class... T>(T*... buffer) {
      allocation* const owners[] = {(static_cast<void>(buffer), nullptr)...};
      const strides<R> steps = row_major(m.extents);
      const ir::target_pack<R, T...> to{{{{buffer, steps}}...}};
      run<kernel_space<host>, R, T...>(execution{}, m.extents, to, owners, view_detail::remap(e, m)...);
      body(part, b, walk.first(b), m.extents.size(), buffer...);
    };
    in_buffers(thread_buffer<value_t<E>, most>().data()...);
  };
  if (parts <= 0 || parts > walk.count) parts = walk.count;
  for_tasks(parts, 8.0 * static_cast<double>(s.size()), [&](index_t part) {
    const index_t end = walk.count * (part + 1) / parts;
    for (index_t b = walk.count * part / parts; b < end; ++b) block(part, b);
  });
}

/// The same of any expressions: what is reduced in them is computed first.
template <class Largest, class Begin, class Body, class First, class... More>
void evaluate_blocks(const Begin& begin, const Body& body, index_t parts, const First& first, const More&... more) {
  if constexpr (is_whole<First> || (is_whole<More> || ...)) {
    const auto in_memory = [](const auto& e) {
      return assign_detail::fresh<value_t<decltype(e)>, host, rank_of<decltype(e)>>(e);
    };
    const auto whole = [&](const auto&... values) {
      in_blocks<Largest>(begin, body, parts, first.shape(), values.tree...);
    };
    whole(in_memory(first), in_memory(more)...);
  } else {
    run_detail::temporaries t;
    in_blocks<Largest>(begin, body, parts, first.shape(),
                       run_detail::settled<kernel_space<host>, true>(execution{}, t, first),
                       run_detail::settled<kernel_space<host>, true>(execution{}, t, more)...);
  }
}

}  // namespace lazyfuse::selection_detail
