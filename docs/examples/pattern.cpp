// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pattern of one's own, from the tag to the call: how many runs of equal values each row of an expression has. And
// what a pattern that is part of expressions is inside: scan.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <concepts>

namespace lf = lazyfuse;
namespace ir = lazyfuse::ir;
namespace planning = lazyfuse::planning;

namespace {

// [tag]
/// Counts the runs of equal values, of type T, that the root of a schedule has along the last axis of the extents s,
/// and stores how many there are at every position of the others.
template <class Schedule, class T>
struct run_counts {};
// [tag]

// [context]
template <int K, int R>
lf::index_t offset_of(const lf::strides<R>& steps, const lf::index_t* at) {
  lf::index_t offset = 0;
  for (int k = 0; k < K; ++k) offset += steps[k] * at[k];
  return offset;
}
/// The operands at one position.
template <class Operands, int R>
struct position {
  const Operands& operands;
  const lf::shape<R>& at;
  template <int I>
  auto operand() const {
    const auto& o = lf::get<I>(operands);
    if constexpr (requires { o.steps; }) return o.source.at(offset_of<R>(o.steps, at.extent));
    else return o.source.at(0);  // a constant
  }
};
/// The value of the program there.
template <class T>
struct result {
  static constexpr bool stores = false;  // in memory that operands are read from
  T value;
  template <int I>
  void put(const T& v) {
    value = v;
  }
};
// [context]

}  // namespace

// [kernel]
template <class Schedule, class T>
struct lf::kernel<run_counts<Schedule, T>, lf::host> {
  struct geometry {};  // what path() would find out
  template <class Plan>
  static const char* path(const Plan&) {
    static_assert(lf::dpp::plan_of<Plan, run_counts<Schedule, T>>);
    return "rows";
  }
  template <class Plan>
  static void launch(Plan& p) {
    constexpr int R = Plan::rank;
    result<T> here{}, before{};
    lf::shape<R> at{};
    const lf::index_t length = p.s[R - 1];
    for (lf::index_t rows = length > 0 ? p.s.size() / length : 0; rows > 0; --rows) {
      lf::int64 count = 0;
      for (at[R - 1] = 0; at[R - 1] < length; ++at[R - 1]) {
        ir::evaluate<Schedule>(position<decltype(p.bound.operands), R>{p.bound.operands, at}, here);
        count += at[R - 1] == 0 || here.value != before.value;
        before = here;
      }
      auto& to = lf::get<0>(p.to);
      to.data[offset_of<R - 1>(to.steps, at.extent)] = count;
      for (int k = R - 2; k >= 0 && ++at[k] == p.s[k]; --k) at[k] = 0;
    }
  }
};
// [kernel]

namespace {

// [plan]
template <class Lowering, class T, int R>
struct runs_plan
    : lf::run_detail::bound_plan<runs_plan<Lowering, T, R>, lf::host, Lowering, R, ir::target_pack<R - 1, lf::int64>> {
  static constexpr const char* name = "runs";
  using program = ir::schedule<typename Lowering::programs>;
  static constexpr const char* code = ir::code_of<typename program::roots>.text;
  using runner = lf::kernel<run_counts<program, T>, lf::host>;
  using runs_plan::bound_plan::bound_plan;
  typename runner::geometry geometry;
  lf::strides<R> target_steps[1];

  const char* decide() { return runner::path(*this); }
  void launch() { runner::launch(*this); }
  double cost() const { return program::cost + 1; }  // operations at each position
};
// [plan]

// [function]
/// How many runs of equal values each row of x has.
template <class X>
  requires(lf::expression<X>&& lf::rank_of<X> > 0 && !planning::has_reduction<lf::tree_t<X>>)
auto count_runs(const X& x) {
  constexpr int R = lf::rank_of<X>;
  using tree = lf::tree_t<X>;
  lf::shape<R - 1> rows;
  for (int k = 0; k < R - 1; ++k) rows[k] = x.shape()[k];
  lf::array<lf::int64, R - 1> counts = lf::zeros<lf::int64>(rows);

  runs_plan<planning::lowering<0, tree>, lf::value_t<X>, R> p(x.shape(), {{{{counts.data(), lf::row_major(rows)}}}});
  static_assert(lf::dpp::runs_plan<typename decltype(p)::runner, decltype(p)>);
  const planning::axis_map axes = planning::axis_map::identity(R);
  p.bound.bind(planning::lower_detail::leaves<tree>(x.tree).record, x.shape(), &axes);
  lf::allocation* owner = counts.owner();
  lf::run_detail::describe_reduced<R, R - 1>(p.info, p.to, p.target_steps, &owner, p.target_numbers);
  p.keep_extents(R - 1);  // without arrange(): the axes stay as they are
  lf::launch(p);
  return counts;
}
// [function]

using lf::list, lf::ir::arg, lf::ir::scanned, lf::ir::stage;
using lf::tree::by_scan, lf::tree::deferred, lf::tree::leaf;

// [kind]
using x_leaf = leaf<lf::stored<float, lf::host>, 2>;
using kind = by_scan<lf::op::sum, 1, false, false, false>;  // monoid, axis; exclusive, backwards, viewed: not
using cumsum_tree = leaf<deferred<kind, x_leaf>, 2>;
using cumsum_program = stage<scanned<lf::op::sum, false>, arg<0>>;
// [kind]

static_assert(std::same_as<cumsum_tree,
                           lf::tree_t<decltype(lf::cumsum(std::declval<const lf::array<float, 2>&>(), lf::axis<1>))>>);
static_assert(std::same_as<planning::lowering<0, cumsum_tree>::programs, list<cumsum_program>>);

}  // namespace

int main() {
  // [call]
  const lf::array<double, 2> x{{1, 1, 2, 2}, {3, 4, 3, -3}};
  const lf::array<double, 2> y = x * 2;
  const lf::kernel_trace trace;
  const lf::array counts = count_runs(lf::abs(y) + 1);  // fused, like any other pattern
  expect(trace.launches() == 2 && lf::array_equal(counts, lf::array<lf::int64, 1>{2, 3}));  // zeros, and this
  // [call]

  const lf::array<double, 1> v{1, 1, 2, 2, 2, 3};
  // [scan]
  const auto i = lf::arange<lf::int64>(v.size());
  const auto begins = lf::logical_or(i == 0, v != lf::roll(v, 1));
  const lf::array lengths = i - lf::cummax(lf::where(begins, i, 0)) + 1;
  // [scan]
  expect(lf::array_equal(lengths, lf::array<lf::int64, 1>{1, 2, 1, 2, 3, 1}));
  expect(count_runs(v).item() == 3 && count_runs(lf::transpose(y)).shape() == lf::shape{4});
}
