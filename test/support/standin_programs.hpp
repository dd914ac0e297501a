// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of kernels made at run time share that look at their launches by the stand-in.
#pragma once

#include "support/standin_cudart.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace test {

/// Each test makes its kernels itself, and counts launches from zero.
class by_standin : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("LAZYFUSE_CACHE", "off", 1);
    standin::reset();
  }
};

/// The names of the kernels that were launched since it was last asked.
inline std::string launched_now() {
  std::string names;
  for (const std::string& name : standin::launches()) names += (names.empty() ? "" : " ") + name;
  standin::reset();
  return names;
}

}  // namespace test
