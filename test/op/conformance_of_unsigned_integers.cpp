// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conformance of every operation on unsigned integers: support/conformance.hpp.
#include "support/conformance.hpp"

namespace {

using namespace test;
using cases = decltype(element_cases(lf::list<lf::uint8, lf::uint16, lf::uint32, lf::uint64>{}, spaces{}));
INSTANTIATE_TYPED_TEST_SUITE_P(numpy, conformance, cases, element_case_name);

}  // namespace
