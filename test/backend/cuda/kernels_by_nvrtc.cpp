// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every header of kernels compiles when a program runs, where there are no headers of the host, and none of the
// toolkit.
#include <nvrtc.h>

#include <gtest/gtest.h>

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
std::string complaints_about(const std::string& source) {
  nvrtcProgram program;
  if (nvrtcCreateProgram(&program, source.c_str(), "kernel.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS)
    return "there is no program";
  std::vector<std::string> options{"--std=c++20", "--gpu-architecture=sm_90", "-DLAZYFUSE_CUDA=1",
                                   "--device-as-default-execution-space", "--include-path=" + headers};
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

TEST(kernels_by_nvrtc, notice_a_header_of_the_host) { EXPECT_NE(complaints_about("#include <vector>\n"), ""); }

}  // namespace
