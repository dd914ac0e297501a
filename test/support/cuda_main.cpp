// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// main of every CUDA test. Without a device only what runs in the host space is tested, and the program ends with 77,
// which CTest shows as "Skipped".
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int devices = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&devices); status != cudaSuccess || devices == 0) {
    std::printf("no CUDA device (%s): running the tests of the host space only\n", cudaGetErrorString(status));
    testing::GTEST_FLAG(filter) = "*/host.*:widest_vectors.*";
    const int failed = RUN_ALL_TESTS();
    return failed ? failed : 77;
  }
  return RUN_ALL_TESTS();
}
