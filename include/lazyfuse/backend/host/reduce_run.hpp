// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all walks of a reduction know: where operands are, and what becomes of the values at a kept position.
#pragma once

#include <lazyfuse/backend/host/operand_walk.hpp>
#include <lazyfuse/backend/host/reduced_values.hpp>
#include <lazyfuse/backend/host/tuning.hpp>

namespace lazyfuse::host_detail {

/// The axes are [kept: K | reduced: R - K].
template <class Set, class Epilogue, class Sources, class Operands, int K, int R, class... T>
struct reduce_run {
  using set = Set;
  using sources = Sources;
  using walk_type = row_walk<Operands, Sources, R>;
  using position = typename walk_type::position;
  using accumulators = typename Set::accumulators;
  static constexpr int kept_axes = K, axes = R, last = K > 0 ? K - 1 : 0;
  static constexpr int chunk = walk_type::chunk;
  static constexpr bool plain_results = (is_plain<T> && ...);
  using set_seq = make_index_sequence<Set::size>;
  using target_seq = make_index_sequence<sizeof...(T)>;
  using seq = typename walk_type::seq;
  using tuned = dpp::tuning<dpp::reductions, host>;

  const index_t* extents;
  const Operands& operands;
  const target_pack<K, T...>& targets;
  typename walk_type::table_type table = walk_type::table_of(operands, extents);
  row_layout lies = walk_along(R - 1).layout();  ///< along the last axis
  /// Whether memory is asked for early: an operand is more than the caches keep, and what comes next is where rows end.
  bool fetches = size(0, R) > tuned::cached_bytes / 16 && goes_on() &&
                 largest_operand(table.all, table.count, extents, R) > tuned::cached_bytes;

  walk_type walk_along(int inner, int across = -1) const { return {operands, table, inner, across}; }
  position position_in(int from, int to, index_t linear = 0) const {
    position o{&table, extents, from, to};
    if (linear > 0) o.seek(linear);
    return o;
  }

  /// Whether rows follow each other in memory, or are so long that their ends do not matter.
  bool goes_on() const {
    if constexpr (K + 1 < R) {
      const index_t width = extents[R - 1];
      if (width >= 4 * tuned::prefetch_distance) return true;
      for (int i = 0; i < table.count; ++i)
        if (const index_t* const steps = table.all[i].steps; steps[R - 2] != width * steps[R - 1]) return false;
    }
    return true;
  }
  /// Whether values of rows of such a length are made before they are combined, where they may be.
  static bool makes_rows_of(index_t length) {
    return length <= tuned::longest_made_row && (K + 1 < R || length >= tuned::least_made_row);
  }
  index_t size(int from, int to) const {
    index_t n = 1;
    for (int k = from; k < to; ++k) n *= extents[k];
    return n;
  }
  /// Of so many elements.
  static double cost(index_t elements) { return double(elements) * (Set::prologue::cost + walk_type::cost + 1); }
  void add_offsets(index_t* to, const index_t* a, const index_t* b) const {
    for (int k = 0; k < table.count; ++k) to[k] = a[k] + b[k];
  }
  void finish(const position& o, const accumulators& values, index_t column, int axis) const {
    reduced_sink<K, T...> sink{targets, o.at, column};
    evaluate<Epilogue>(epilogue_context<Set, Operands, position>{operands, o, values, column, axis}, sink);
  }

  /// Whether places come in their order along the reduced axes.
  template <int... I>
  bool ordered(index_sequence<I...>) const {
    const auto one = [&](const auto& operand) {
      index_t before = 0;
      bool rises = true;
      for (int k = R - 1; k >= K; --k) {
        rises = rises && (extents[k] == 1 || operand.steps[k] > before);
        before += (extents[k] - 1) * operand.steps[k];
      }
      return rises;
    };
    const auto known = [&]<class Source>(const operand<Source, R>& operand) {
      if constexpr (__is_same(Source, ir::position)) return one(operand);
      else return true;
    };
    return Set::has_ordered && (known(get<I>(operands)) && ...);
  }
};

}  // namespace lazyfuse::host_detail
