// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of explain.
#include "program/text.hpp"

#include <lazyfuse/evaluate/explain.hpp>

#include <cstdio>
#include <string_view>
#include <vector>

namespace lazyfuse::explain_detail {

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

std::string shape_text(const index_t* extents, int rank) {
  std::string s = "[";
  for (int k = 0; k < rank; ++k) s += (k > 0 ? "," : "") + std::to_string(extents[k]);
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

/// What each pass computes, the results of earlier ones called r0, r1, ...
std::string passes_text(const char* program) {
  std::string text;
  int pass = 0;
  for (const std::string& one : pass_texts(program)) text += "   pass " + std::to_string(++pass) + ": " + one + "\n";
  return text;
}

std::string homes_text(const row_report& r) {
  static constexpr const char* names[] = {"thread", "warp", "block", "cluster", "grid", "cache", "memory"};
  const row_homes& h = r.homes;
  std::string text = "   results in: " + std::string(names[static_cast<int>(h.results)]);
  if (h.again_bytes > 0) text += "; row in: " + std::string(names[static_cast<int>(h.row)]);
  if (h.kept_bytes < h.again_bytes) text += "; read again: " + bytes_text(h.again_bytes - h.kept_bytes);
  if (h.rounds > 0) text += "; barriers: " + std::to_string(h.rounds * (r.passes - 1));
  return text + "\n";
}

}  // namespace

void append(plan_text& plan, const kernel_plan& p) {
  std::string& text = plan.kernels;
  const kernel_type& type = *p.type;
  const index_t read = p.read(), distinct = p.distinct();
  plan.costs = plan.costs + p.costs();
  plan.repeated += read - distinct;
  plan.rows = p.rows.passes > 0;
  text += "#" + std::to_string(plan.costs.launches) + " " + type.pattern + "  " + program_text(type.program) + "\n";
  text += "   " +
          (plan.rows ? std::to_string(p.rows.rows) + " rows of " + std::to_string(p.rows.length)
                     : std::to_string(p.elements()) + " positions") +
          ", path " + p.path + (type.shared ? ", common sub-expressions computed once" : "") + "; " +
          reads_text(read, distinct) + ", writes " + bytes_text(p.written()) +
          (p.because ? std::string(" to a temporary, ") + p.because : "") + "\n";
  if (plan.rows) text += passes_text(type.program) + homes_text(p.rows);
  std::string_view structs = type.structs;
  for (int i = 0; i < type.operands; ++i) {
    const operand_info& o = p.info[type.targets + i];
    text += "   x" + std::to_string(i) + ": ";
    if (type.types[i].element == dtype::other) {
      const auto space = structs.find(' ');
      text += structs.substr(0, space);
      structs.remove_prefix(space + 1);
    } else text += name_of(type.types[i].element);
    if (type.types[i].constant) text += " constant";
    else if (o.mapped_size != 0) text += " through a map";
    else if (o.element_size == 0) text += " computed";
    else {
      // after merging: the axes that remain, innermost last
      std::string steps;
      bool contiguous = true;
      index_t dense = 1;
      for (int k = type.rank - 1; k >= 0; --k) {
        if (p.extents[k] == 1) continue;
        contiguous = contiguous && o.steps[k] == dense;
        dense *= p.extents[k];
        steps = std::to_string(o.steps[k]) + (steps.empty() ? "" : ",") + steps;
      }
      text += contiguous ? " contiguous" : " steps (" + steps + ")";
      if (run_detail::is_planned(o.data)) text += ", temporary";
    }
    text += "\n";
  }
}

void take(void* plan, kernel_plan& p) {
  p.type->decide(p);
  if (p.path) append(*static_cast<plan_text*>(plan), p);
}

void refuse(void* to, const char* what, const char* reason) {
  std::string& text = static_cast<plan_text*>(to)->refusals;
  const std::string line = std::string("   ") + what + ": " + reason + "\n";
  if (text.find(line) == std::string::npos) text += line;
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

std::string measured_text(const plan_text& plan, double us, double predicted) {
  return plan.kernels + "   measured: " + times_text(us, predicted) + "\n";
}
std::string total_text(const plan_text& plan, double us, double predicted) {
  return kernels_text(plan.costs.launches) + ": " +
         reads_text(plan.costs.bytes_read + plan.repeated, plan.costs.bytes_read) + ", writes " +
         bytes_text(plan.costs.bytes_written) + "; measured: " + times_text(us, predicted) + "\n";
}

std::string finish(const plan_text& taken, const plan_text* other, const machine& m, const char* space, dtype type,
                   const index_t* extents, int rank) {
  const auto prediction = [&](const work& w) {
    return m.points > 0 && w.launches > 0 ? ", predicted " + time_text(predicted_us(w, m)) : std::string();
  };
  std::string text = std::string("result ") + name_of(type) + shape_text(extents, rank) + " on " + space + ": " +
                     kernels_text(taken.costs.launches) + prediction(taken.costs) + "\n" + taken.kernels;
  if (!other && taken.refusals.empty()) return text;
  text += "not taken\n";
  if (other) {
    const index_t read = other->costs.bytes_read + other->costs.bytes_cached;
    text += std::string("   ") + (other->rows ? "rows" : "cut") + ": " + kernels_text(other->costs.launches) + "; " +
            reads_text(read + other->repeated, read) + ", writes " + bytes_text(other->costs.bytes_written) +
            prediction(other->costs) + "\n";
  }
  return text + taken.refusals;
}

}  // namespace lazyfuse::explain_detail
