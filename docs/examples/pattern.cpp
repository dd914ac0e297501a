// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a pattern is inside: scan, from the type of an expression to that of its program.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <concepts>

namespace lf = lazyfuse;
namespace planning = lazyfuse::planning;

namespace {

using lf::list, lf::ir::arg, lf::ir::scanned, lf::ir::stage;
using lf::tree::by_scan, lf::tree::deferred, lf::tree::leaf;

// [kind]
using x_leaf = leaf<lf::stored<float, lf::host>, 2>;
using kind = by_scan<lf::op::sum, 1, false, false, false>;  // monoid, axis; exclusive, backwards, viewed: not
using tree = leaf<deferred<kind, x_leaf>, 2>;
// [kind]
// [program]
using program = stage<scanned<lf::op::sum, false>, arg<0>>;
// [program]

static_assert(
    std::same_as<tree, lf::tree_t<decltype(lf::cumsum(std::declval<const lf::array<float, 2>&>(), lf::axis<1>))>>);
static_assert(std::same_as<planning::lowering<0, tree>::programs, list<program>>);

}  // namespace

int main() {
  const lf::array<double, 1> v{1, 1, 2, 2, 2, 3};
  // [runs]
  const auto i = lf::arange<lf::int64>(v.size());
  const auto begins = lf::logical_or(i == 0, v != lf::roll(v, 1));
  const lf::array lengths = i - lf::cummax(lf::where(begins, i, 0)) + 1;
  // [runs]
  expect(lf::array_equal(lengths, lf::array<lf::int64, 1>{1, 2, 1, 2, 3, 1}));
}
