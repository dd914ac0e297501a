// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of all operations: what tables, tests and documents are generated from.
#pragma once

#include <lazyfuse/op/arithmetic.hpp>
#include <lazyfuse/op/bitwise.hpp>
#include <lazyfuse/op/comparison.hpp>
#include <lazyfuse/op/complex.hpp>
#include <lazyfuse/op/components.hpp>
#include <lazyfuse/op/exponential.hpp>
#include <lazyfuse/op/hyperbolic.hpp>
#include <lazyfuse/op/monoid.hpp>
#include <lazyfuse/op/reduction.hpp>
#include <lazyfuse/op/rewritten.hpp>
#include <lazyfuse/op/rounding.hpp>
#include <lazyfuse/op/selection.hpp>
#include <lazyfuse/op/sorting.hpp>
#include <lazyfuse/op/special.hpp>
#include <lazyfuse/op/take.hpp>
#include <lazyfuse/op/trigonometric.hpp>

namespace lazyfuse::op {

using all_elementwise = concat_t<concat_t<concat_t<arithmetic_operations, bitwise_operations>,
                                          concat_t<comparison_operations, selection_operations>>,
                                 concat_t<concat_t<rounding_operations, exponential_operations>,
                                          concat_t<concat_t<trigonometric_operations, hyperbolic_operations>,
                                                   concat_t<special_operations, complex_operations>>>>;
using all_monoids = list<sum, prod, max, min, all, any>;
/// What programs are rewritten to, and what functions are made of that users call.
using inner_operations =
    list<cube, fourth_power, inverse, inverse_square, sincos, sine_of, cosine_of, divide_by, sample, standardized,
         variance_of, finite_or_zero, rough_exp, rel_entr, sample_of_number, variance_of_counted, place, index_of,
         vec_of, take, sort_key, from_sort_key, search_before, search_after, is_among>;
using all_stages = concat_t<all_monoids, list<moments, nanmax, nanmin, moments_of_numbers, picked, argmax, argmin>>;

}  // namespace lazyfuse::op
