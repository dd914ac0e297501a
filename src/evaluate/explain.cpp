// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans as values, and their text.
#include "program/text.hpp"

#include <lazyfuse/evaluate/explain.hpp>

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <string_view>
#include <utility>

namespace lazyfuse::explain_detail {

using planning::kernel_plan, planning::kernel_type, planning::machine, planning::operand_info, ir::pass_texts,
    planning::predicted_us, ir::program_text, planning::row_report, planning::row_residence, planning::work;

namespace {

std::string bytes_text(index_t n) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double v = static_cast<double>(n);
  int u = 0;
  while (v >= 1024 && u < 4) v /= 1024, ++u;
  char buffer[40];
  std::snprintf(buffer, sizeof buffer,
                u == 0 || v == static_cast<double>(static_cast<index_t>(v)) ? "%.0f %s" : "%.1f %s", v, units[u]);
  return buffer;
}

std::string shape_text(const std::vector<index_t>& extents) {
  std::string s = "[";
  for (const index_t n : extents) s += (s.size() > 1 ? "," : "") + std::to_string(n);
  return s + "]";
}

std::string time_text(double us) {
  char buffer[40];
  const bool milli = us >= 1000;
  const double v = milli ? us / 1000 : us;
  std::snprintf(buffer, sizeof buffer, v < 10 ? "%.1f %s" : "%.0f %s", v, milli ? "ms" : "us");
  return buffer;
}

/// "12 KiB (8 KiB distinct)"
std::string reads_text(index_t read, index_t distinct) {
  return "reads " + bytes_text(read) + (distinct < read ? " (" + bytes_text(distinct) + " distinct)" : std::string());
}

std::string kernels_text(int count) { return std::to_string(count) + (count == 1 ? " kernel" : " kernels"); }

std::string residence_text(const row_report& r) {
  static constexpr const char* names[] = {"thread", "warp", "block", "cluster", "grid", "cache", "memory"};
  const row_residence& h = r.where;
  std::string text = "   results in: " + std::string(names[static_cast<int>(h.results)]);
  if (h.again_bytes > 0) text += "; row in: " + std::string(names[static_cast<int>(h.row)]);
  if (h.cached_bytes < h.again_bytes) text += "; read again: " + bytes_text(h.again_bytes - h.cached_bytes);
  if (h.grid_barriers > 0) text += "; barriers: " + std::to_string(h.grid_barriers * (r.passes - 1));
  return text + "\n";
}

}  // namespace

planned_kernel described(const kernel_plan& p) {
  const kernel_type& type = *p.type;
  planned_kernel k{.pattern = type.pattern,
                   .path = p.path ? p.path : "",
                   .program = program_text(type.program),
                   .passes = {},
                   .extents = {},
                   .operands = {},
                   .read = p.read(),
                   .distinct = p.distinct(),
                   .written = p.written(),
                   .costs = p.costs(),
                   .because = p.because ? p.because : "",
                   .shared = type.shared,
                   .made = p.type->would_be_made && p.type->would_be_made(p),
                   .joined = p.joined,
                   .rows = p.rows};
  if (p.rows.passes > 0) k.passes = pass_texts(type.program);
  for (int axis = 0; axis < type.rank; ++axis)
    if (p.extents[axis] != 1) k.extents.push_back(p.extents[axis]);
  std::string_view structs = type.structs;
  for (int i = 0; i < type.operands; ++i) {
    const operand_info& o = p.info[type.targets + i];
    planned_operand& to = k.operands.emplace_back();
    if (type.types[i].element == dtype::other) {
      const auto space = structs.find(' ');
      to.type = structs.substr(0, space);
      structs.remove_prefix(space + 1);
    } else to.type = name_of(type.types[i].element);
    to.constant = type.types[i].constant();
    to.through_map = !to.constant && o.mapped_size != 0;
    to.arrays = o.arrays;
    to.computed = !to.constant && !to.through_map && o.element_size == 0;
    if (to.constant || to.through_map || to.computed) continue;
    for (int axis = 0; axis < type.rank; ++axis)
      if (p.extents[axis] != 1) to.steps.push_back(o.steps[axis]);
  }
  return k;
}

namespace {
std::string operand_text(const planned_operand& o, const std::vector<index_t>& extents) {
  if (o.constant) return " constant";
  if (o.arrays > 0) return " of " + std::to_string(o.arrays) + (o.arrays == 1 ? " array" : " arrays");
  if (o.through_map) return " through a map";
  if (o.computed) return " computed";
  std::string steps;
  bool contiguous = true;
  index_t dense = 1;
  for (std::size_t k = extents.size(); k-- > 0;) {
    contiguous = contiguous && o.steps[k] == dense;
    dense *= extents[k];
    steps = std::to_string(o.steps[k]) + (steps.empty() ? "" : ",") + steps;
  }
  return (contiguous ? " contiguous" : " steps (" + steps + ")") + (o.temporary ? ", temporary" : "");
}
}  // namespace

std::string kernel_text(const planned_kernel& k, int number) {
  index_t positions = 1;
  for (const index_t n : k.extents) positions *= n;
  const bool rows = k.rows.passes > 0;
  std::string text = "#" + std::to_string(number) + " " + k.pattern + "  " + k.program + "\n   " +
                     (rows ? std::to_string(k.rows.rows) + " rows of " + std::to_string(k.rows.length)
                           : std::to_string(positions) + " positions") +
                     ", path " + k.path + (k.joined ? ", in the launch of the one before" : "") +
                     (k.shared ? ", common sub-expressions computed once" : "") +
                     (k.path.starts_with("library") ? ", a library of matrix products"
                      : k.made                      ? ", compiled at run time: what is equal is read and computed once"
                                                    : "") +
                     "; " + reads_text(k.read, k.distinct) + ", writes " + bytes_text(k.written) +
                     (k.because.empty() ? "" : " to a temporary, " + k.because) + "\n";
  int number_of_pass = 0;
  for (const std::string& pass : k.passes) text += "   pass " + std::to_string(++number_of_pass) + ": " + pass + "\n";
  if (rows) text += residence_text(k.rows);
  int number_of_operand = 0;
  for (const planned_operand& o : k.operands)
    text += "   x" + std::to_string(number_of_operand++) + ": " + o.type + operand_text(o, k.extents) + "\n";
  return text;
}

evaluation_plan described(const plan_list& plans, const char* space, const machine& m,
                          std::vector<planned_result> results) {
  evaluation_plan to{.space = space, .results = std::move(results), .kernels = {}, .refused = {}};
  for (int i = 0; i < plans.size(); ++i) {
    const kernel_plan& p = plans[i];
    planned_kernel& k = to.kernels.emplace_back(described(p));
    for (std::size_t n = 0; n < k.operands.size(); ++n)
      k.operands[n].temporary = plans.is_between(p.info[p.type->targets + static_cast<int>(n)]);
  }
  for (const refusal& r : plans.refused())
    if (std::none_of(to.refused.begin(), to.refused.end(),
                     [&](const refused_plan& known) { return known.name == r.plan && known.reason == r.reason; }))
      to.refused.push_back({.name = r.plan, .reason = r.reason});
  if (m.points > 0 && !to.kernels.empty()) to.predicted_us = predicted_us(to.costs(), m);
  return to;
}

namespace {
bool is_rows(const evaluation_plan& p) { return !p.kernels.empty() && p.kernels.back().rows.passes > 0; }
/// Bytes that its kernels ask for beyond what is distinct.
index_t repeated(const evaluation_plan& p) {
  index_t bytes = 0;
  for (const planned_kernel& k : p.kernels) bytes += k.read - k.distinct;
  return bytes;
}
}  // namespace

void compare(evaluation_plan& taken, const evaluation_plan& other) {
  if (is_rows(taken) == is_rows(other)) return;
  const work w = other.costs();
  const index_t distinct = w.bytes_read + w.bytes_cached;
  taken.refused.insert(taken.refused.begin(), {.name = is_rows(other) ? "rows" : "cut",
                                               .reason = "",
                                               .kernels = w.launches,
                                               .read = distinct + repeated(other),
                                               .distinct = distinct,
                                               .written = w.bytes_written,
                                               .predicted_us = other.predicted_us});
}

namespace {
/// "3.1 us, 1.07 of the predicted 2.9 us"
std::string times_text(double us, double predicted) {
  if (us < 0) return "not measured, predicted " + time_text(predicted);
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, ", %.2f of the predicted ", us / predicted);
  return time_text(us) + buffer + time_text(predicted);
}
}  // namespace

std::string measured_text(double us, double predicted) { return "   measured: " + times_text(us, predicted) + "\n"; }
std::string total_text(const evaluation_plan& p, double us, double predicted) {
  const work w = p.costs();
  return kernels_text(w.launches) + ": " + reads_text(w.bytes_read + repeated(p), w.bytes_read) + ", writes " +
         bytes_text(w.bytes_written) + "; measured: " + times_text(us, predicted) + "\n";
}

}  // namespace lazyfuse::explain_detail

namespace lazyfuse {

planning::work evaluation_plan::costs() const {
  planning::work all;
  for (const planned_kernel& k : kernels) all = all + k.costs;
  return all;
}

std::string explain(const evaluation_plan& p) {
  using namespace explain_detail;
  const auto prediction = [](double us) { return us >= 0 ? ", predicted " + time_text(us) : std::string(); };
  std::string text = p.results.size() == 1 ? "result" : "results";
  for (const planned_result& r : p.results) text += std::string(" ") + name_of(r.type) + shape_text(r.shape);
  text += " on " + p.space + ": " + kernels_text(p.costs().launches) + prediction(p.predicted_us) + "\n";
  int number = 0;
  for (const planned_kernel& k : p.kernels) text += kernel_text(k, number += k.costs.launches);
  if (!p.refused.empty()) text += "not taken\n";
  for (const refused_plan& r : p.refused)
    text += "   " + r.name + ": " +
            (r.reason.empty() ? kernels_text(r.kernels) + "; " + reads_text(r.read, r.distinct) + ", writes " +
                                    bytes_text(r.written) + prediction(r.predicted_us)
                              : r.reason) +
            "\n";
  return text;
}

std::ostream& operator<<(std::ostream& out, const evaluation_plan& p) { return out << explain(p); }

}  // namespace lazyfuse
