// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What evaluation asks of contexts and sinks, patterns of plans, plans of kernels, and launches of parameters: what the
// library has answers to it, and what is misspelt or left out does not.
#include "support/arrays.hpp"

namespace contracts {  // nvcc warns of members that nobody calls in a namespace without a name

namespace ir = lf::ir;
namespace dpp = lf::dpp;

struct operands_alone {
  template <int I>
  LAZYFUSE_HD float operand() const {
    return 3;
  }
};
struct with_a_value : operands_alone {
  static constexpr bool precomputes = true;
  template <class P>
    requires(lf::standard::is_same_v<P, ir::arg<7>>)
  float precomputed() const { return 7; }
};
struct with_a_value_of_another_name : operands_alone {
  static constexpr bool precomputes = true;
  template <class P>
  float known() const {
    return 7;
  }
};
struct without_operands {
  template <class P>
  float stage_value() const {
    return 1;
  }
};
static_assert(ir::context<operands_alone>);
static_assert(ir::context<with_a_value>);
static_assert(!ir::context<with_a_value_of_another_name>);
static_assert(!ir::context<without_operands>);

struct notes {
  static constexpr bool stores = false;
  float value = 0;
  template <int I>
  LAZYFUSE_HD void put(float v) {
    value = v;
  }
};
struct notes_and_does_not_say_where {
  template <int I>
  void put(float) {}
};
struct takes_by_another_name {
  static constexpr bool stores = false;
  template <int I>
  void take(float) {}
};
static_assert(ir::sink<notes>);
static_assert(!ir::sink<notes_and_does_not_say_where>);
static_assert(!ir::sink<takes_by_another_name>);

using programs = lf::list<ir::apply<lf::op::negative, ir::arg<0>>>;
using sources = lf::list<ir::memory<float>>;

TEST(contracts, are_all_that_evaluation_needs) {
  notes to;
  ir::evaluate<ir::schedule<programs>>(operands_alone{}, to);
  EXPECT_EQ(to.value, -3);
}

/// Notes what it was given.
struct rounds_itself {
  static constexpr bool stores = false;
  template <int I>
  static constexpr bool rounds_on_store = true;
  bool unrounded = false;
  template <int I, class V>
  LAZYFUSE_HD void put(const V&) {
    unrounded = std::is_same_v<V, float>;
  }
};
TEST(contracts, let_a_sink_round_what_it_stores) {
  rounds_itself to;
  ir::evaluate<ir::schedule<lf::list<ir::apply<lf::op::cast<lf::half>, ir::arg<0>>>>>(operands_alone{}, to);
  EXPECT_TRUE(to.unrounded);
}

// ---- what the library has ----------------------------------------------------------------------------
using lowered = lf::planning::lowering<0, lf::tree_t<decltype(-std::declval<const lf::array<float, 2>&>())>>;
template <class Space>
using transform_plan = lf::run_detail::transform_plan<Space, lowered, 2, ir::target_pack<2, float>>;
template <class Space>
using reduce_plan = lf::run_detail::reduce_plan<
    Space,
    lf::planning::lowering<
        0, lf::tree_t<decltype(lf::sum(std::declval<const lf::array<float, 2, Space>&>(), lf::axis<1>))>>,
    2, ir::target_pack<1, float>>;
template <class Space>
constexpr bool has_kernels = dpp::runs_plan<typename transform_plan<Space>::runner, transform_plan<Space>>&&
    dpp::runs_plan<typename reduce_plan<Space>::runner, reduce_plan<Space>>;
static_assert(has_kernels<lf::host>);
static_assert(dpp::plan_of<reduce_plan<lf::host>, dpp::reduce<void, void, 1>>);
static_assert(!dpp::plan_of<transform_plan<lf::host>, dpp::reduce<void, void, 1>>, "it has no along_kept");
static_assert(!dpp::plan_of<operands_alone, dpp::transform<void>>);

/// A kernel that cannot be launched.
struct path_alone {
  struct geometry {};
  template <class Plan>
  static const char* path(const Plan&) {
    return "nowhere";
  }
};
static_assert(!dpp::runs_plan<path_alone, transform_plan<lf::host>>);

#if defined(__CUDACC__)
static_assert(has_kernels<lf::cuda>);

using halved = lf::list<ir::apply<lf::op::cast<lf::half>, ir::arg<0>>>;
static_assert(lf::cuda_detail::register_sink<
              lf::cuda_detail::results<halved, sources, 4, 1, lf::half>>::template rounds_on_store<0>);

using operands = ir::operand_pack<1, ir::memory<float>>;
using targets = ir::target_pack<1, float>;
static_assert(lf::cuda_detail::kernel_parameters<lf::cuda_detail::flat_parameters<operands, targets>>);
static_assert(lf::cuda_detail::kernel_parameters<lf::cuda_detail::scan_parameters<operands, targets, 0>>);
static_assert(lf::cuda_detail::kernel_parameters<lf::cuda_detail::row_parameters<operands, targets, 0, 1>>);
struct numbers_first {
  int size;
  operands operands;
  targets targets;
};
static_assert(ir::checked_build || !lf::cuda_detail::kernel_parameters<numbers_first>);
struct owner : lf::cuda_detail::bound_to<operands, targets> {
  ~owner() {}
};
static_assert(!lf::cuda_detail::kernel_parameters<owner>);
#endif

}  // namespace contracts
