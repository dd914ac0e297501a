// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// packed on the host: arrays are cut into pieces, and tasks have pieces of about as many elements.
#pragma once

#include <lazyfuse/backend/host/transform.hpp>
#include <lazyfuse/plan/pack.hpp>

namespace lazyfuse::host_detail {

/// Elements of one group of arrays that a thread takes.
struct array_piece {
  index_t group, first, count;
};
/// Pieces of at most so many elements, those of task t from begins[t] on.
struct pieces_of_arrays {
  std::vector<array_piece> pieces;
  std::vector<index_t> begins;
  pieces_of_arrays(const planning::pack& arrays, index_t most);
};

template <class Schedule, class Sources, class Operands, class... T>
struct packed_run;
template <class Schedule, class... Src, class Operands, class... T>
struct packed_run<Schedule, list<Src...>, Operands, T...> {
  const planning::pack& arrays;
  const Operands& operands;
  const target_pack<1, T...>& targets;

  template <int I, class Operand>
  void move(Operand& o, const array_piece& piece) const {
    using source = bare_t<decltype(o.source)>;
    if constexpr (source::is_memory)
      o.source.data =
          static_cast<const typename source::value_type*>(arrays.at(piece.group, ir::memory_before<I, Src...>)) +
          (o.steps[0] == 0 ? 0 : piece.first);
  }
  template <int... I, int... J>
  void run(const array_piece& piece, index_sequence<I...>, index_sequence<J...>) const {
    Operands from = operands;
    target_pack<1, T...> to = targets;
    (move<I>(get<I>(from), piece), ...);
    ((get<J>(to).data =
          static_cast<T*>(const_cast<void*>(arrays.at(piece.group, ir::memory_before<sizeof...(Src), Src...> + J))) +
          piece.first),
     ...);
    transform<Schedule, list<Src...>>(shape<1>{piece.count}, from, to);
  }
  void run(index_t elements) const {
    const pieces_of_arrays all(arrays, block_elements);
    const auto tasks = static_cast<index_t>(all.begins.size()) - 1;
    for_tasks(tasks, double(elements) * (Schedule::cost + 1), [&](index_t task) {
      for (index_t i = all.begins[std::size_t(task)]; i < all.begins[std::size_t(task) + 1]; ++i)
        run(all.pieces[std::size_t(i)], make_index_sequence<sizeof...(Src)>{}, make_index_sequence<sizeof...(T)>{});
    });
  }
};

/// Evaluates the schedule at every position of every array.
template <class Schedule, class Sources, class Operands, class... T>
void packed(const planning::pack& arrays, index_t elements, const Operands& operands,
            const target_pack<1, T...>& targets) {
  packed_run<Schedule, Sources, Operands, T...>{arrays, operands, targets}.run(elements);
}

}  // namespace lazyfuse::host_detail
