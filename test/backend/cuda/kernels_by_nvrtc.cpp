// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every header of kernels compiles when a program runs, where there are no headers of the host, and none of the
// toolkit.
#include <nvrtc.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const std::string headers = LAZYFUSE_INCLUDE_DIR, kernels = "lazyfuse/backend/cuda/kernels";

std::vector<std::string> names_of_kernels() {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(headers + "/" + kernels)) names.push_back(file.path().filename());
  return names;
}

/// What the compiler says of a source; nothing if it has no objection.
std::string complaints_about(const std::string& source, int architecture = 90) {
  nvrtcProgram program;
  if (nvrtcCreateProgram(&program, source.c_str(), "kernel.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS)
    return "there is no program";
  std::vector<std::string> options{"--std=c++20", "--gpu-architecture=sm_" + std::to_string(architecture),
                                   "-DLAZYFUSE_CUDA=1", "--device-as-default-execution-space",
                                   "--include-path=" + headers};
  std::vector<const char*> texts;
  for (const std::string& option : options) texts.push_back(option.c_str());
  const nvrtcResult result = nvrtcCompileProgram(program, static_cast<int>(texts.size()), texts.data());
  std::size_t size = 0;
  nvrtcGetProgramLogSize(program, &size);
  std::string log(size, ' ');
  nvrtcGetProgramLog(program, log.data());
  nvrtcDestroyProgram(&program);
  return result == NVRTC_SUCCESS ? "" : nvrtcGetErrorString(result) + ("\n" + log);
}

class kernels_by_nvrtc : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(headers, kernels_by_nvrtc, testing::ValuesIn(names_of_kernels()), [](const auto& name) {
  std::string id = name.param;
  for (char& c : id)
    if (c == '.') c = '_';
  return id;
});

TEST_P(kernels_by_nvrtc, reach_nothing_of_the_host) {
  EXPECT_EQ(complaints_about("#include <" + kernels + "/" + GetParam() + ">\n"), "");
}

// Sources include the headers of their own operations, and no others.
class operations_by_nvrtc : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(headers, operations_by_nvrtc,
                         testing::Values("arithmetic", "bitwise", "comparison", "selection", "rounding", "exponential",
                                         "trigonometric", "hyperbolic", "special", "complex"),
                         [](const auto& name) { return name.param; });

TEST_P(operations_by_nvrtc, need_no_header_but_their_own) {
  EXPECT_EQ(complaints_about("#include <" + kernels + "/flat.cuh>\n#include <lazyfuse/op/" + GetParam() + R"(.hpp>
template <class T>
__device__ void put(char* to, const T& value) {
  *reinterpret_cast<T*>(to) = value;
}
template <class Op, class T>
__device__ void call(char* to, const T* x) {
  if constexpr (!Op::rule::template accepts<T>) return;
  else if constexpr (requires { Op{}(x[0]); }) put(to, Op{}(x[0]));
  else if constexpr (requires { Op{}(x[0], x[1]); }) put(to, Op{}(x[0], x[1]));
  else if constexpr (requires { Op{}(x[0], x[1], x[2]); }) put(to, Op{}(x[0], x[1], x[2]));
}
template <class T, class... Op>
__device__ void call_all(lazyfuse::list<Op...>, char* to, const T* x) {
  (call<Op>(to, x), ...);
}
__global__ void kernel(char* to, const float* f, const int* i, const bool* b, const lazyfuse::complex<float>* c) {
  const lazyfuse::op::)" + GetParam() +
                             "_operations all{};\n  call_all(all, to, f);\n  call_all(all, to, i);\n"
                             "  call_all(all, to, b);\n  call_all(all, to, c);\n}\n"),
            "");
}

TEST(kernels_by_nvrtc, notice_a_header_of_the_host) { EXPECT_NE(complaints_about("#include <vector>\n"), ""); }

/// Softmax of rows, or columns, that teams of blocks share: they exchange results in other ways on older devices.
const std::string teams = R"(
#include <lazyfuse/backend/cuda/kernels/row_team.cuh>
#include <lazyfuse/op/reduction.hpp>
#include <lazyfuse/op/registry.hpp>
namespace lazyfuse::made {
using namespace ir;
using apart = apply<op::exp, apply<op::subtract, arg<0>, reduction<op::max, arg<0>>>>;
using program = schedule<list<apply<op::multiply, apart, apply<op::reciprocal, reduction<op::sum, apart>>>>>;
using sources = list<memory<float>>;
using types = list<float>;
using rows = staged<typename program::simplified, sources>;
template <bool Columns>
using shares = cuda_detail::team_shares<rows, sources, types, Columns>;
using parameters = cuda_detail::row_parameters<operand_pack<2, memory<float>>, target_pack<2, float>, 1 - columns, 2>;
}
template __global__ void lazyfuse::cuda_detail::rows_by_teams<
    lazyfuse::made::rows, lazyfuse::made::sources, lazyfuse::made::types, true, columns, 1 - columns, 2,
    lazyfuse::made::shares<columns>::width, lazyfuse::made::shares<columns>::depth,
    lazyfuse::made::shares<columns>::held_steps, lazyfuse::made::parameters>(const __grid_constant__ lazyfuse::made::parameters);
)";
TEST(kernels_by_nvrtc, of_teams_compile_for_every_device) {
  int count = 0;
  ASSERT_EQ(nvrtcGetNumSupportedArchs(&count), NVRTC_SUCCESS);
  std::vector<int> known(static_cast<std::size_t>(count));
  ASSERT_EQ(nvrtcGetSupportedArchs(known.data()), NVRTC_SUCCESS);
  for (const int architecture : {80, 90, 100})
    for (const char* const columns : {"false", "true"})
      if (std::find(known.begin(), known.end(), architecture) != known.end()) {
        EXPECT_EQ(complaints_about("constexpr bool columns = " + std::string(columns) + ";\n" + teams, architecture),
                  "")
            << architecture << ", columns: " << columns;
      }
}

}  // namespace
