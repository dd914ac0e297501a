// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../stencil_workloads.hpp"
#include "measure.cuh"

namespace bench {
namespace {
using S = lf::cuda;
const bool registered = rows<points_7<S>, points_27<S>, points_27_of_6_planes<S>, points_27_float64<S>,
                             gradient_norm<S>, wave_step<S>, gaussian_25<S>, blurred_pictures<S>, blurred_strip<S>>();
}  // namespace
}  // namespace bench
