// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data-parallel patterns: what a kernel does with programs, whatever they compute. A pattern is a tag with its
// program; backends specialise kernel<Pattern, Space> (backend/backend.hpp) for those that they run.
#pragma once

namespace lazyfuse::dpp {

struct transforms;
struct reductions;
struct row_stages;
struct scans;
struct selections;

/// The constants by which a space lays out a pattern, whatever its program is. Backends specialise it for the plurals.
template <class Pattern, class Space>
struct tuning;

/// Evaluates the roots of a schedule at every position of the extents s and stores each at its target.
template <class Schedule>
struct transform {};

/// Evaluates the roots of a schedule at every position of each of many arrays (plan/pack.hpp), which the plan has as
/// `arrays`: s is one axis, of the elements of all, and the operands and targets point to no memory of their own.
template <class Schedule>
struct packed {};

/// Evaluates the stages of a staged program over each of these arrays, as a row, and stores results for each element.
template <class Staged>
struct packed_rows {};

/// Combines the prologues of a reduction_set over the axes [K, R) of the extents s, and stores what the epilogue makes
/// of the results at every position of the first K. The plan says along_kept: memory is contiguous along axis K - 1.
template <class Set, class Epilogue, int K>
struct reduce {};

/// Evaluates the stages of a staged program over rows, and stores results for each element, or (rows.one_result of the
/// plan) for each row. The axes are [Outer kept ones | those of the row | the inner one], which is of the row, or
/// (Columns) a kept one. The plan's rows.where has its again_bytes, and path() fills the rest.
template <class Staged, int Outer, bool Columns>
struct rows {};

/// Combines the prologues of a scan_set along one axis of the extents s, each value with those before it, and stores
/// what the epilogue makes of the results at every position. The axes are [kept ones | the scanned one], or (Beside)
/// [kept ones | the scanned one | the inner kept one, along which memory is contiguous].
template <class Set, class Epilogue, bool Beside>
struct scan {};

/// Evaluates two roots, of which the first is a mask, at every position of the extents s, and stores the values of the
/// second where that is true one after the other, in the order of the positions, in the second target, which has row-
/// major steps; and how many there are in the first.
template <class Schedule>
struct select {};

/// Evaluates the roots of a graph that is put together while the program runs (plan/graph.hpp), at every position of
/// the extents, and stores each at its target.
struct graph {};

}  // namespace lazyfuse::dpp
