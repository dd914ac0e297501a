// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conformance of every operation on bool and signed integers: support/conformance.hpp.
#include "support/conformance.hpp"

namespace {

using namespace test;
using cases = decltype(element_cases(lf::list<bool, lf::int8, lf::int16, lf::int32, lf::int64>{}, spaces{}));
INSTANTIATE_TYPED_TEST_SUITE_P(numpy, conformance, cases, element_case_name);

}  // namespace
