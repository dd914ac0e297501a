// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of explain.
#include "program_text.hpp"

#include <lazyfuse/evaluate/explain.hpp>

#include <cstdio>

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

}  // namespace

void append(void* to, const plan_record& r, const operand_info* info, const dtype* types) {
  static constexpr const char* names[] = {"bool", "int32", "int64", "float32", "float64", "struct"};
  std::string& text = *static_cast<std::string*>(to);
  const auto number = [&] {
    int n = 1;
    for (const char c : text) n += c == '#';
    return n;
  }();
  text += "#" + std::to_string(number) + " " + r.pattern + "  " + program_text(r.program) + "\n";
  text += "   " + std::to_string(r.elements) + " positions, path " + r.path +
          (r.shared ? ", common sub-expressions computed once" : "") + "; reads " + bytes_text(r.read) + ", writes " +
          bytes_text(r.written) + "\n";
  for (int i = 0; i < r.operands; ++i) {
    const operand_info& o = info[r.targets + i];
    text += "   x" + std::to_string(i) + ": " + names[static_cast<int>(types[i])];
    if (!o.steps) text += " constant";
    else if (o.element_size == 0) text += " ramp";
    else {
      // after merging: the axes that remain, innermost last
      std::string steps;
      bool contiguous = true;
      index_t dense = 1;
      for (int k = r.rank - 1; k >= 0; --k) {
        if (r.extents[k] == 1) continue;
        contiguous = contiguous && o.steps[k] == dense;
        dense *= r.extents[k];
        steps = std::to_string(o.steps[k]) + (steps.empty() ? "" : ",") + steps;
      }
      text += contiguous ? " contiguous" : " steps (" + steps + ")";
    }
    text += "\n";
  }
}

std::string finish(const std::string& kernels, const char* space, const char* type, const index_t* extents, int rank) {
  int count = 0;
  for (const char c : kernels) count += c == '#';
  return "result " + std::string(type) + shape_text(extents, rank) + " on " + space + ": " + std::to_string(count) +
         (count == 1 ? " kernel" : " kernels") + "\n" + kernels;
}

}  // namespace lazyfuse::explain_detail
