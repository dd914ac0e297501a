// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assignments of every kind, for tests of what they allocate and of what happens when they cannot.
#pragma once

#include "arrays.hpp"

#include <tuple>
#include <vector>

namespace test {

using lf::all, lf::axis, lf::keepdims, lf::range;

template <class Space>
using matrix = lf::array<float, 2, Space>;

/// What users write, as statements on a destination z and operands x and y of 4 x 5, with what z is then.
template <class Space>
struct statement {
  const char* text;
  void (*run)(matrix<Space>& z, const matrix<Space>& x, const matrix<Space>& y);
};
template <class Space>
const statement<Space> statements[] = {
    {"z = x + y", [](auto& z, auto& x, auto& y) { z = x + y; }},
    {"z = x * 2, z shared",
     [](auto& z, auto& x, auto&) {
       const auto sharer = z;
       z = x * 2;
     }},
    {"z = transpose(z) of another shape", [](auto& z, auto&, auto&) { z = lf::transpose(z); }},
    {"z += x", [](auto& z, auto& x, auto&) { z += x; }},
    {"z(0) = y(1), z shared",
     [](auto& z, auto&, auto& y) {
       const auto sharer = z;
       z(0) = y(1);
     }},
    {"z(...) = z(...) at other places",
     [](auto& z, auto&, auto&) { z(all, range(1, lf::end)) = z(all, range(0, -1)) + 1; }},
    {"z = x - mean(x)", [](auto& z, auto& x, auto&) { z = x - lf::mean(x, axis<1>, keepdims); }},
    {"z = softmax(x)", [](auto& z, auto& x, auto&) { z = lf::softmax(x, axis<1>); }},
    {"z = x / sum / sum along unlike axes",
     [](auto& z, auto& x, auto&) { z = x / lf::sum(x, axis<0>) / lf::sum(x, axis<1>, keepdims); }},
    {"z = x * barrier(y + 1)", [](auto& z, auto& x, auto& y) { z = x * lf::barrier(y + 1); }},
    {"z = std::get<0>(materialize(x + y, sum(x), max(y)))",
     [](auto& z, auto& x, auto& y) { z = std::get<0>(lf::materialize(x + y, lf::sum(x), lf::max(y))); }},
    {"assign(tie(z, w), w + x, z - y)",
     [](auto& z, auto& x, auto& y) {
       lf::array v = y + 0;
       lf::assign(lf::tie(z, v), v + x, z - y);
     }},
    {"assign(tie(s, z), sum(z), z / sum(z)), of two kernels",
     [](auto& z, auto& x, auto&) {
       lf::array s = lf::sum(x, axis<0>);
       lf::assign(lf::tie(s, z), lf::sum(z, axis<0>), z / lf::sum(z, axis<1>, keepdims));
     }},
    {"assign(tie(z(0), z(1)), z(1), sum(z)), z shared",
     [](auto& z, auto&, auto&) {
       const auto sharer = z;
       lf::assign(lf::tie(z(0), z(1)), z(1), lf::sum(z, axis<0>));
     }},
    {"z = {{1, 2}, {3, 4}}",
     [](auto& z, auto&, auto&) {
       z = matrix<Space>{{1, 2}, {3, 4}};
     }},
    {"z = from(a range)",
     [](auto& z, auto&, auto&) {
       z = lf::from<Space>(std::vector<std::vector<float>>{{1, 2}, {3, 4}});
     }},
    {"z.data()",
     [](auto& z, auto&, auto&) {
       const auto sharer = z;
       lf::into(lf::borrow<Space>(z.data(), {4, 5})) = 0;
     }},
    {"prepare(z, x + y)(), z shared",
     [](auto& z, auto& x, auto& y) {
       auto step = lf::prepare(z, x + y);
       const auto sharer = z;
       step();
     }},
    {"prepare(z, z with parts in memory)(z, of others)",
     [](auto& z, auto& x, auto& y) {
       auto step = lf::prepare(z, z / lf::sum(z, axis<0>) * lf::barrier(y + 1));
       step(z, x / lf::sum(x, axis<0>) * lf::barrier(y + 1));
     }},
    {"z = x / x.sum().item()", [](auto& z, auto& x, auto&) { z = x / lf::sum(x).item(); }},
    {"z = array_equal(x, y)", [](auto& z, auto& x, auto& y) { z = x + float(lf::array_equal(x, y)); }},
};

template <class Space>
matrix<Space> operand(float first) {
  return test::array_of<Space, 2>(test::counting<float>({4, 5}, first));
}

}  // namespace test
