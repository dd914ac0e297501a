// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The half of two_compilers.cu that the C++ compiler compiles.
#include <lazyfuse/cuda.hpp>

#include "backend/cuda/two_compilers.hpp"

namespace test {

std::vector<std::function<void()>> by_the_cpp_compiler(const vector& x, const vector& y) { return evaluations(x, y); }
vector one_more_by_the_cpp_compiler(const vector& x) { return x + 1; }

}  // namespace test
