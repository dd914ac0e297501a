// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checked builds: a kernel that goes beyond its operands does it no harm, and says where.
#include "support/arrays.hpp"

namespace {

static_assert(lf::ir::checked_build);

/// What kernels are given: an operand, a target, and how many elements they believe there are.
struct parameters {
  lf::ir::memory<float> operands;
  lf::ir::target<float, 1> targets;
  int count;
};
template <int Width>
__global__ void copy(const __grid_constant__ parameters p) {
  lf::cuda_detail::fetched<lf::ir::memory<float>, Width, 1> values;
  lf::cuda_detail::result<Width, 1, float, float> out;
  for (int i = static_cast<int>(threadIdx.x) * Width; i < p.count; i += static_cast<int>(blockDim.x) * Width) {
    values.rows(p.operands.data + i, 0);
    for (int k = 0; k < Width; ++k) out.value[0].put(k, values.value[0][k]);
    out.rows(p.targets.data + i, 0);
  }
}

class bounds_in_kernels : public test::on<lf::cuda> {
 protected:
  using vector = lf::array<float, 1, lf::cuda>;

  /// Copies `count` elements between two arrays of 100 of which the kernel is told; returns what is thrown.
  template <int Width>
  static std::string copy_elements(vector& to, const vector& from, int count) {
    lf::index_t step = 1;
    lf::planning::operand_info info[] = {{to.data(), &step, to.owner(), 4, 1},
                                         {from.data(), &step, from.owner(), 4, 1}};
    const lf::index_t extent = 100;
    lf::run_detail::element_range ranges[2];
    lf::ir::overrun* const reports = lf::run_detail::check_ranges("copy", info, 1, 2, &extent, 1, true, ranges);
    parameters p{{from.data()}, {to.unshared(), {}}, count};
    lf::run_detail::limit(p.targets.data, ranges[0], reports);
    lf::run_detail::limit(p.operands.data, ranges[1], reports + 1);
    lf::cuda_detail::launch(copy<Width>, 1, 0, p);
    lf::synchronize();
    try {
      lf::run_detail::check_overruns("copy", 1);
    } catch (const lf::index_error& e) {
      return e.what();
    }
    return {};
  }
};

TEST_F(bounds_in_kernels, are_kept_and_named) {
  const vector room(lf::shape{400});
  vector to = lf::zeros<float>({104});
  const vector from = lf::ones<float>({100});
  EXPECT_EQ(copy_elements<1>(to, from, 100), "");
  EXPECT_EQ(lf::sum(to).item(), 100.0f);
  EXPECT_EQ(copy_elements<1>(to, from, 101), "copy: the kernel reaches element 100 of the result, which has 100");
  EXPECT_EQ(copy_elements<4>(to, from, 104), "copy: the kernel reaches element 100 of the result, which has 100");
  EXPECT_EQ(lf::sum(to).item(), 100.0f);  // nothing was written there, and all works on
}

}  // namespace
