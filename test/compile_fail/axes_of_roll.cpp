// expected-error: lazyfuse: roll takes its axis as axis<...>, roll\(x, 1, axis<0>\) for roll\(x, 1, 0\)
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

#include <array>

namespace lf = lazyfuse;
using matrix = lf::array<float, 2>;

#ifdef LAZYFUSE_EXPECT_ERROR
auto axis_as_a_number(const matrix& x) { return lf::roll(x, 1, 0); }
// expected-error: lazyfuse: roll takes one shift for each axis, roll\(x, {1, 2}, axis<0, 1>\), or one for all
auto too_many_shifts(const matrix& x) { return lf::roll(x, {1, 2}, lf::axis<0>); }
auto too_few_shifts(const matrix& x) { return lf::roll(x, std::array{1}, lf::axis<0, 1>); }
auto no_axis(const matrix& x) { return lf::roll(x, 1, lf::axis<>); }
// expected-error: lazyfuse: axis out of range for the rank of this expression
auto axis_that_is_not_there(const matrix& x) { return lf::roll(x, 1, lf::axis<-3>); }
#else
auto axis_as_a_number(const matrix& x) { return lf::roll(x, 1, lf::axis<0>); }
auto too_many_shifts(const matrix& x) { return lf::roll(x, {1, 2}, lf::axis<0, 1>); }
auto too_few_shifts(const matrix& x) { return lf::roll(x, std::array{1, 2}, lf::axis<0, 1>); }
auto no_axis(const matrix& x) { return lf::roll(x, 1, lf::axis<0, 1>); }
auto axis_that_is_not_there(const matrix& x) { return lf::roll(x, 1, lf::axis<-2>); }
#endif
