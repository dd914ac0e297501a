// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conformance of every operation on 16-bit reals: support/conformance.hpp.
#include "support/conformance.hpp"

namespace {

using namespace test;
using cases = decltype(element_cases(lf::list<lf::half, lf::bfloat16>{}, spaces{}));
INSTANTIATE_TYPED_TEST_SUITE_P(numpy, conformance, cases, element_case_name);

}  // namespace
