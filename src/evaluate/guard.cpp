// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checked builds: whether operands lie within their memory, and what kernels found.
#include "core/text.hpp"
#include "observe/watch.hpp"
#include "program/text.hpp"

#include <lazyfuse/error.hpp>
#include <lazyfuse/evaluate/guard.hpp>

#include <string>

namespace lazyfuse::run_detail {

namespace {

/// The overruns of the kernel that this thread has launched last.
constinit thread_local overrun* reports = nullptr;
constinit thread_local int report_count = 0;

std::string list_of(const index_t* numbers, int count) {
  std::string s = "(";
  for (int k = 0; k < count; ++k) s += (k > 0 ? ", " : "") + std::to_string(numbers[k]);
  return s + (count == 1 ? ",)" : ")");
}

}  // namespace

overrun* check_ranges(const char* program, const operand_info* info, int targets, int count, const index_t* extents,
                      int rank, bool on_device, element_range* ranges) {
  report_count = 0;
  const trace_detail::device_watch* const device =
      on_device ? trace_detail::device.load(std::memory_order_acquire) : nullptr;
  for (int i = 0; i < count; ++i) {
    const operand_info& o = info[i];
    ranges[i] = {nullptr, nullptr};
    const int size = o.element_size + o.mapped_size;
    if (!o.data || !o.steps || size == 0) continue;
    index_t low = 0, high = 0;  // of the elements, counted from the first
    if (o.mapped_size != 0) high = o.reach - 1;
    else
      for (int k = 0; k < rank; ++k) (o.steps[k] < 0 ? low : high) += o.steps[k] * (extents[k] - 1);
    const char* const first = static_cast<const char*>(o.data);
    ranges[i] = {first + low * size, first + (high + 1) * size};

    const char* memory = o.owner ? static_cast<const char*>(o.owner->data) : nullptr;
    std::size_t bytes = o.owner ? o.owner->bytes : 0;
    if (!memory && device && !device->find(o.data, &memory, &bytes)) continue;
    if (!memory || bytes == 0) continue;
    const index_t begin = (first - memory) / size;
    const auto elements = static_cast<index_t>(bytes) / size;
    if (ranges[i].begin >= memory && ranges[i].end <= memory + bytes) continue;
    throw index_error(program_text(program) + ": " + name_of_operand(i, targets) + ", of shape " +
                      list_of(extents, rank) + " and steps " + list_of(o.steps, rank) + ", has elements " +
                      std::to_string(begin + low) + " to " + std::to_string(begin + high) + " of memory with " +
                      std::to_string(elements) + place_asked());
  }
  if (!device) return nullptr;
  reports = device->reports(count);
  report_count = reports ? count : 0;
  return reports;
}

void check_overruns(const char* program, int targets) {
  for (int i = 0; i < report_count; ++i)
    if (const overrun& o = reports[i]; o.found != 0) {
      const std::string text = program_text(program) + ": the kernel reaches element " + std::to_string(o.element) +
                               " of " + name_of_operand(i, targets) + ", which has " + std::to_string(o.count) +
                               place_asked();
      report_count = 0;
      throw index_error(text);
    }
}

void throw_not_made() {
  throw error("lazyfuse: a kernel that is compiled at run time cannot be compiled now; LAZYFUSE_JIT_LOG=1 says why");
}

}  // namespace lazyfuse::run_detail
