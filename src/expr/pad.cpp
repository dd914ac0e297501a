// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where what is repeated or padded comes from.
#include <lazyfuse/expr/pad.hpp>

#include <string>

namespace lazyfuse::pad_detail {

namespace {

void check_times(index_t extent, index_t times, const char* operation) {
  if (times < 0)
    throw_value((std::string(operation) + ": elements cannot be there a negative number of times").c_str());
  index_t all = 0;
  if (__builtin_mul_overflow(extent, times, &all))
    throw_shape(operation, &extent, 1, "has more elements so often than can be counted");
}

}  // namespace

ir::folded repeated(index_t extent, index_t times, const char* operation) {
  check_times(extent, times, operation);
  return {ir::folding::quotient, roll_detail::divisor_of(times), extent, 0};
}
ir::folded tiled(index_t extent, index_t times, const char* operation) {
  check_times(extent, times, operation);
  return {ir::folding::remainder, roll_detail::divisor_of(extent), extent, 0};
}

void check_widths(index_t extent, index_t before, index_t after) {
  if (before < 0 || after < 0) throw_value("pad: a width is negative");
  index_t all = 0;
  if (__builtin_add_overflow(extent, before, &all) || __builtin_add_overflow(all, after, &all))
    throw_shape("pad", &extent, 1, "has more elements around it than can be counted");
}
ir::folded padded(padding mode, index_t extent, index_t before, index_t after) {
  check_widths(extent, before, after);
  if (extent == 0 && (before > 0 || after > 0))
    throw_shape("pad", &extent, 1, "has no elements that could stand around it");
  using enum ir::folding;
  const index_t period = mode == padding::wrap      ? extent
                         : mode == padding::reflect ? (extent > 1 ? 2 * (extent - 1) : 1)
                                                    : 2 * extent;
  const index_t ahead = mode == padding::edge || period == 0 ? -before : (period - before % period) % period;
  return {mode == padding::edge      ? nearest
          : mode == padding::wrap    ? remainder
          : mode == padding::reflect ? mirrored
                                     : mirrored_twice,
          roll_detail::divisor_of(period), extent, ahead};
}

}  // namespace lazyfuse::pad_detail
