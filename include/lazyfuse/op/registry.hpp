// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of all operations: what tables, tests and documents are generated from.
#pragma once

#include <lazyfuse/op/arithmetic.hpp>
#include <lazyfuse/op/comparison.hpp>
#include <lazyfuse/op/exponential.hpp>
#include <lazyfuse/op/monoid.hpp>

namespace lazyfuse::op {

using all_elementwise = concat_t<concat_t<arithmetic_operations, exponential_operations>, comparison_operations>;
using all_monoids = list<sum, prod, max, min, all, any>;

}  // namespace lazyfuse::op
