// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// packed and packed_rows on the host: arrays are cut into pieces, and tasks have pieces of about as many elements.
#pragma once

#include <lazyfuse/backend/host/rows.hpp>
#include <lazyfuse/backend/host/transform.hpp>
#include <lazyfuse/plan/pack.hpp>

namespace lazyfuse::host_detail {

/// Elements of one group of arrays that a thread takes.
struct array_piece {
  index_t group, first, count;
};
/// Calls use(context, piece) for all pieces, of at most so many elements, by tasks of about block_elements (compiled).
/// Uncut: arrays of more are left out.
void for_pieces(const planning::pack& arrays, index_t most, bool cut, double cost,
                void (*use)(void* context, const array_piece& piece), void* context);
/// From so many elements on all threads share a row.
inline constexpr index_t shared_row = 16 * block_elements;

/// The operands and targets of one kernel after the other.
template <class Sources, class Operands, class... T>
struct packed_run;
template <class... Src, class Operands, class... T>
struct packed_run<list<Src...>, Operands, T...> {
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
  /// Calls use(extents, operands, targets) of a piece.
  template <class Use, int... I, int... J>
  void at(const array_piece& piece, const Use& use, index_sequence<I...>, index_sequence<J...>) const {
    Operands from = operands;
    target_pack<1, T...> to = targets;
    (move<I>(get<I>(from), piece), ...);
    ((get<J>(to).data =
          static_cast<T*>(const_cast<void*>(arrays.at(piece.group, ir::memory_before<sizeof...(Src), Src...> + J))) +
          piece.first),
     ...);
    use(shape<1>{piece.count}, from, to);
  }
  template <class Use>
  void at(const array_piece& piece, const Use& use) const {
    at(piece, use, make_index_sequence<sizeof...(Src)>{}, make_index_sequence<sizeof...(T)>{});
  }
  template <class Use>
  void each(index_t most, bool cut, double cost, const Use& use) const {
    const auto one = [&](const array_piece& piece) { at(piece, use); };
    for_pieces(
        arrays, most, cut, cost,
        [](void* context, const array_piece& piece) { (*static_cast<decltype(one)*>(context))(piece); },
        const_cast<void*>(static_cast<const void*>(&one)));
  }
};

/// Evaluates the schedule at every position of every array.
template <class Schedule, class Sources, class Operands, class... T>
void packed(const planning::pack& arrays, index_t elements, const Operands& operands,
            const target_pack<1, T...>& targets) {
  const packed_run<Sources, Operands, T...> run{arrays, operands, targets};
  run.each(block_elements, true, double(elements) * (Schedule::cost + 1),
           [](const shape<1>& s, const Operands& from, const target_pack<1, T...>& to) {
             transform<Schedule, Sources>(s, from, to);
           });
}
/// Evaluates the stages over every array.
template <class Staged, class Sources, class Operands, class... T>
void packed_rows(const planning::pack& arrays, index_t elements, const Operands& operands,
                 const target_pack<1, T...>& targets) {
  const packed_run<Sources, Operands, T...> run{arrays, operands, targets};
  const auto row = [](const shape<1>& s, const Operands& from, const target_pack<1, T...>& to) {
    rows<Staged, Sources, 0, false>(s, from, to, false);
  };
  for (index_t g = 0; g < arrays.groups; ++g)
    if (arrays.sizes[g] > shared_row) run.at({g, 0, arrays.sizes[g]}, row);
  run.each(shared_row, false, double(elements) * (Staged::cost + 1), row);
}

}  // namespace lazyfuse::host_detail
