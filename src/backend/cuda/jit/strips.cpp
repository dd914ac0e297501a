// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions and reductions of rows and columns that stay in registers, element by element: where rows of memory begin
// anywhere, are short, or are reduced.
#include "backend/cuda/jit/strips.hpp"

#include <lazyfuse/backend/cuda/launch/launch.cuh>

#include "backend/cuda/jit/bundle.hpp"
#include "backend/cuda/jit/source.hpp"
#include "backend/cuda/jit/tuning.hpp"
#include "backend/cuda/launch/memory.hpp"

#include <algorithm>

namespace lazyfuse::cuda_detail {

namespace {

constexpr index_t most_blocks = 2147483647;

/// Of the operands that differ along the axes of a strip: bytes of an element of all, as far as registers hold them,
/// and of those that stages read (none are named: all); and of the largest of these. Nothing if some operand is neither
/// memory nor a constant.
struct strip_bytes {
  int all = 0, in_stages = 0, largest = 0;
};
std::optional<strip_bytes> bytes_of_element(const exact_plan& p, const std::vector<bool>& in_stages, int first,
                                            int last) {
  strip_bytes bytes;
  for (int i = 0; i < p.count; ++i) {
    const operand_info& o = p.operand(i);
    if (p.type_of(i).kind == ir::source_kind::other) return {};
    bool differs = false;
    for (int k = first; o.steps && k < last; ++k) differs = differs || o.steps[k] != 0;
    if (o.element_size == 0 || !differs) continue;
    const int registers = std::max(o.element_size, 4);
    bytes.all += registers;
    if (in_stages.empty() || in_stages[static_cast<std::size_t>(i)]) {
      bytes.in_stages += registers;
      bytes.largest = std::max(bytes.largest, o.element_size);
    }
  }
  if (bytes.all == 0) return {};
  return bytes;
}

/// Whether it is a reduction, whose results have the kept axes alone; as a function of columns they have all.
bool reduces(const exact_plan& p) { return std::string_view(p.type().pattern) == "reduce" && !p.columns; }
bool scans(const exact_plan& p) { return std::string_view(p.type().pattern) == "scan"; }

/// How operands and targets lie along the axes of a strip; before that, what offsets of one of so many strips fit.
std::string steps_of(const exact_plan& p, int first, int last, index_t strips) {
  const bool small = strips < (index_t{1} << 31) &&
                     fits_31_bits(p.extents, reduces(p) ? p.kept : p.rank, p.info, p.targets, 0) &&
                     fits_31_bits(p.extents, p.rank, p.info + p.targets, p.count, 0);
  std::string all = small ? ", int" : ", index_t";
  const auto add = [&](const operand_info& o) {
    bool same = o.steps;
    for (int k = first; k < last && same; ++k) same = o.steps[k] == 0;
    all += same ? ", same" : last - first == 1 && o.steps && o.steps[first] == 1 ? ", next" : ", any";
  };
  for (int i = 0; i < p.count; ++i) add(p.operand(i));
  const bool one_result = std::string_view(p.type().pattern) == "reduce" || p.plan.rows.one_result;
  for (int i = 0; i < p.targets; ++i)
    if (one_result) all += ", same";
    else add(p.info[i]);
  return all;
}

/// What so many elements of a thread are worth: less where most instructions are for where they are, and where
/// registers for much leave few threads.
double worth_of_share(int held, int bytes) {
  constexpr double of_few[] = {0, 0.5, 0.7, 0.88, 0.95, 0.95};
  const int words = held * bytes / 4;
  return (held < 6 ? of_few[held] : 1) * (words <= 20 ? 1 : words <= 64 ? bytes > 4 && words > 32 ? 0.9 : 0.97 : 0.93);
}
/// What so many threads of a row are worth: less where few read neighbours, and where many wait for each other.
double worth_of_threads(int threads, bool has_one_result) {
  return threads == 32    ? 1
         : threads == 16  ? 0.97
         : threads == 8   ? 0.95
         : threads == 4   ? 0.9
         : threads == 1   ? has_one_result ? 0.8 : 0.75
         : threads < 4    ? 0.75
         : threads <= 256 ? 0.97
         : threads <= 512 ? 0.92
                          : 0.85;
}
/// A block that a processor has alone reads, computes and writes one after the other: softmax of 50257 by 512 threads
/// takes 986 us, by a cluster of two blocks of 256 899.
constexpr double worth_of_one_block = 0.8;
/// What a cluster is worth: more with more of a row in registers, and with more blocks on a processor. By so many words
/// of a thread: softmax of 30001 as 30 by four blocks takes 144 us, as 59 by two 153, of 50257 as 50 246, as 99 232.
double worth_of_cluster(int blocks, int words, int registers) {
  const int residents = registers_of_processor / (registers * strip_tuning::threads_of_cluster);
  const double on_chip =
      static_cast<double>(residents * words * strip_tuning::threads_of_cluster) / registers_of_processor;
  return (0.5 + 0.3 * on_chip + 0.04 * residents) * (blocks > 4 ? 0.95 : 1);
}
/// The next number of threads that may share a row.
int more_than(int threads) {
  return threads + (threads < 32 ? threads : threads < 256 ? 32 : threads < 512 ? 64 : 128);
}

}  // namespace

bool writes_in_pieces(index_t lines, index_t beside, int element_size) {
  constexpr int sector = 32;
  return beside * element_size < sector && lines > 4 + beside;
}

bool has_small_elements(const exact_plan& p) {
  for (int i = 0; i < p.count; ++i)
    if (p.type_of(i).kind == ir::source_kind::memory && p.operand(i).element_size < 4) return true;
  return false;
}

std::optional<column_layout> column_layout_of(const exact_plan& p, bool in_vectors, bool of_any_height) {
  if (!p.columns || (in_vectors && !p.type().only_made)) return {};
  index_t height = 1, columns = p.extents[p.rank - 1];
  for (int k = 0; k < p.kept; ++k) columns *= p.extents[k];
  for (int k = p.kept; k < p.rank - 1; ++k) height *= p.extents[k];
  const auto of_element = bytes_of_element(p, {}, p.kept, p.rank - 1);
  // Higher ones are compiled with a program as teams of blocks, whose bits those that are made repeat.
  if (!of_element || (height > strip_tuning::most_height_compiled && !p.type().only_made)) return {};
  const int bytes = of_element->all;
  const bool small = height * columns < strip_tuning::least_elements || of_any_height;
  if (in_vectors && (small || columns < strip_tuning::least_columns || has_small_elements(p))) return {};
  column_layout best{.held = 0,
                     .lines = 0,
                     .groups = 0,
                     .beside = 0,
                     .exact = !small,
                     .height = static_cast<int>(height),
                     .columns = columns};
  const double cost = p.type().cost(p.plan);
  double most = 0;
  const auto consider = [&](int beside, int lines, int groups, double worth) {
    // Small arrays of many heights share a few kernels.
    const index_t least = ceil_div(height, lines);
    const index_t held = small ? std::max(power_above(least, strip_tuning::most_words), 4) : least;
    if (held < least || held * bytes / 4 > strip_tuning::most_words_of_columns ||
        static_cast<double>(held) * cost > strip_tuning::most_cost ||
        ceil_div(columns, index_t{beside} * groups) > most_blocks)
      return;
    const double used = static_cast<double>(height) / static_cast<double>(lines * held);
    const double w = worth * used * worth_of_share(static_cast<int>(held), bytes) *
                     (held * bytes / 4 > strip_tuning::many_words_of_columns ? 0.8 : 1) *
                     (beside < 32 && held < strip_tuning::enough_of_few ? 0.15 * static_cast<double>(held + 1) : 1);
    if (w <= most) return;
    most = w;
    best.held = static_cast<int>(held);
    best.beside = beside;
    best.lines = lines;
    best.groups = groups;
  };
  const int beside = static_cast<int>(std::min<index_t>(p.extents[p.rank - 1], 32));
  for (const auto [lines, groups] : strip_tuning::columns)
    consider(32, lines, groups,
             (lines == 1   ? 0.98
              : lines == 2 ? 0.94
                           : 0.97) *
                 (groups == 1   ? 0.9
                  : groups == 4 ? 0.99
                                : 1) *
                 (beside < 32 ? strip_tuning::worth_of_parts : 1));
  // Few columns beside each other: a group has all of them, unless they are so low that 32 have little more.
  const bool has_one_result = std::string_view(p.type().pattern) == "reduce" || p.plan.rows.one_result;
  const int least_height =
      has_one_result ? ceil_div(strip_tuning::least_of_few, beside) : strip_tuning::least_height_of_few;
  const index_t least_blocks = index_t{2} * device().processors;
  if (beside < 32 && height >= least_height && !small && p.type().only_made) {
    const int most_lines = static_cast<int>(std::min<index_t>(strip_tuning::most_threads_of_few / beside, height));
    const auto more = [&](int lines) {  // the last is one of them
      return lines < most_lines ? std::min(lines + std::max(lines / 4, 1), most_lines) : most_lines + 1;
    };
    for (int lines = ceil_div(strip_tuning::least_threads_of_few, beside); lines <= most_lines; lines = more(lines)) {
      const int group = lines * beside, groups = std::max(strip_tuning::block_of_few / group, 1), all = group * groups;
      if (columns / beside < groups * least_blocks) continue;
      const double used = static_cast<double>(all) / static_cast<double>(ceil_div(all, 32) * 32);
      consider(beside, lines, groups,
               used * (group <= 256 ? 1 : 0.95) * (ceil_div(height, lines) <= strip_tuning::some_of_few ? 1 : 0.9));
    }
  }
  if (best.held == 0) return {};
  return best;
}

std::optional<column_layout> scan_column_layout_of(const exact_plan& p) {
  if (!p.type().only_made || packs_at_the_end()) return {};
  const index_t height = p.extents[p.rank - 2];
  index_t columns = p.extents[p.rank - 1];
  for (int k = 0; k < p.kept; ++k) columns *= p.extents[k];
  const auto of_element = bytes_of_element(p, {}, p.kept, p.rank - 1);
  if (!of_element || height * of_element->all / 4 > strip_tuning::most_words_of_scans ||
      height * columns < strip_tuning::least_elements || columns < strip_tuning::least_columns ||
      static_cast<double>(height) * p.type().cost(p.plan) > strip_tuning::most_cost)
    return {};
  return column_layout{.held = static_cast<int>(height),
                       .lines = 1,
                       .groups = block_threads / 32,
                       .beside = 32,
                       .exact = true,
                       .height = static_cast<int>(height),
                       .columns = columns};
}

made_kernel* column_kernel(const exact_plan& p, exact_program& program, const column_layout& g) {
  if (scans(p)) {
    const strip_facts facts{std::to_string(g.held), steps_of(p, p.kept, p.rank - 1, g.columns)};
    return variant_of(program, p, "scans of columns in strips", facts.share + facts.steps,
                      [&] { return scan_strips_source(p, *program.graph, true, facts); });
  }
  const strip_facts facts{std::to_string(g.held) + ", " + std::to_string(g.beside) + ", " + std::to_string(g.lines) +
                              ", " + std::to_string(g.groups) + (g.exact ? ", true" : ", false"),
                          steps_of(p, p.kept, p.rank - 1, g.columns)};
  return variant_of(program, p, "columns in registers", facts.share + facts.steps,
                    [&] { return columns_source(p, *program.graph, facts); });
}

bool start_columns(const exact_plan& p, const made_kernel& made, const column_layout& g) {
  parameters to;
  put_bound(to, p, 0, p.rank, p.rank);
  with_rank<0, max_rank - 2>(p.kept, [&]<int K>() {
    with_rank<K + 2, max_rank>(p.rank, [&]<int R>() {
      index_t kept[K + 1];
      std::copy_n(p.extents, K, kept);
      kept[K] = p.extents[R - 1];
      to.put(column_numbers<K, R>{.kept = walk_of<K + 1>(kept),
                                  .down = walk_of<R - 1 - K>(p.extents + K),
                                  .columns = g.columns,
                                  .height = g.height});
    });
  });
  if (!to.fits()) return false;
  const int threads = g.beside * g.lines * g.groups;
  start(made, static_cast<unsigned>(ceil_div(g.columns, g.beside * g.groups)), 0, to, static_cast<unsigned>(threads));
  return true;
}

std::optional<row_strip_layout> row_strip_layout_of(const exact_plan& p, const std::vector<bool>& in_stages,
                                                    bool in_vectors) {
  // Kernels that are compiled with a program have other paths, whose bits those that are made repeat.
  if (!p.type().only_made || p.columns || in_vectors || packs_at_the_end()) return {};
  index_t rows = 1, length = 1;
  for (int k = 0; k < p.rank; ++k) (k < p.kept ? rows : length) *= p.extents[k];
  const auto of_element = bytes_of_element(p, in_stages, p.kept, p.rank);
  if (!of_element || length < 2 || rows * length < strip_tuning::least_elements) return {};
  if (rows * std::min<index_t>(length, 32) < strip_tuning::least_threads) return {};
  const double cost = p.type().cost(p.plan);
  const bool has_one_result = reduces(p) || p.plan.rows.one_result;
  // Reductions need not keep their rows, so that they have other kernels for those that are longer; so have scans.
  const bool is_function = !reduces(p) && !scans(p);
  const int bytes = of_element->all, largest = is_function ? of_element->largest : 4;
  const int most_words = scans(p)      ? strip_tuning::most_words_of_scans
                         : largest > 4 ? strip_tuning::most_words_of_large
                                       : strip_tuning::most_words;
  const int most_cluster = is_function ? std::min(device().most_cluster, strip_tuning::most_cluster) : 1;
  row_strip_layout best{};
  double most = 0;
  const auto consider = [&](int threads, int blocks) {
    const index_t all = index_t{threads} * blocks, each = ceil_div(length, all);
    if (each * bytes / 4 > most_words || static_cast<double>(each) * cost > strip_tuning::most_cost ||
        blocks * rows > most_blocks)
      return;
    const int held = static_cast<int>(each), words = held * bytes / 4, registers = registers_of_strip(words, largest);
    if ((blocks > 1 ? 2 : 1) * registers * threads > registers_of_processor) return;
    const double used = static_cast<double>(length) / static_cast<double>(all * held);
    const bool in_pieces = !has_one_result && writes_in_pieces(held, all, p.info[0].element_size);
    // What only results read takes no registers while stages run.
    const bool alone = is_function && 2 * threads * registers_of_strip(held * of_element->in_stages / 4, largest) >
                                          registers_of_processor;
    const double w = used * (in_pieces ? 0.4 : 1) *
                     (blocks > 1 ? worth_of_cluster(blocks, words, registers)
                                 : worth_of_share(held, bytes) * worth_of_threads(threads, has_one_result) *
                                       (alone ? worth_of_one_block : 1));
    if (w <= most) return;
    most = w;
    best = {.held = held, .threads = threads, .length = static_cast<int>(length), .rows = rows, .blocks = blocks};
  };
  for (int threads = 1; threads <= (scans(p) ? 32 : strip_tuning::most_threads); threads = more_than(threads))
    consider(threads, 1);
  for (int blocks = 2; blocks <= most_cluster; blocks *= 2) consider(strip_tuning::threads_of_cluster, blocks);
  if (most == 0) return {};
  return best;
}

made_kernel* row_strip_kernel(const exact_plan& p, exact_program& program, const row_strip_layout& g) {
  strip_facts facts{std::to_string(g.held) + ", " + std::to_string(g.threads), steps_of(p, p.kept, p.rank, g.rows)};
  if (scans(p))
    return variant_of(program, p, "scans in strips", facts.share + facts.steps,
                      [&] { return scan_strips_source(p, *program.graph, false, facts); });
  facts.share += ", " + std::to_string(g.blocks);
  return variant_of(program, p, "rows in strips", facts.share + facts.steps,
                    [&] { return row_strips_source(p, *program.graph, facts); });
}

bool start_row_strips(const exact_plan& p, const made_kernel& made, const row_strip_layout& g) {
  parameters to;
  put_bound(to, p, 0, p.rank, reduces(p) ? p.kept : p.rank);
  with_rank<0, max_rank - 1>(p.kept, [&]<int K>() {
    with_rank<K + 1, max_rank>(p.rank, [&]<int R>() {
      to.put(row_strip_numbers<K, R>{
          .kept = walk_of<K>(p.extents), .along = walk_of<R - K>(p.extents + K), .rows = g.rows, .length = g.length});
    });
  });
  if (!to.fits()) return false;
  const int block = g.threads > 32 ? g.threads : block_of_short_rows;
  const index_t blocks = ceil_div(g.rows, index_t{block / g.threads});
  if (g.blocks == 1) start(made, static_cast<unsigned>(blocks), 0, to, static_cast<unsigned>(block));
  else
    launch_team(made.kernel, static_cast<unsigned>(g.blocks * blocks), static_cast<unsigned>(block), 0,
                static_cast<unsigned>(g.blocks), false, to.data());
  return true;
}

}  // namespace lazyfuse::cuda_detail
