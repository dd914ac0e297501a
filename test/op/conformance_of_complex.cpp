// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conformance of every operation on complex numbers: support/conformance.hpp.
#include "support/conformance.hpp"

namespace {

using namespace test;
using cases = decltype(element_cases(test::complex_types{}, spaces{}));
INSTANTIATE_TYPED_TEST_SUITE_P(numpy, conformance, cases, element_case_name);

}  // namespace
