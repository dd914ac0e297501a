// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that rewrites of programs read or write (program/rewrite.hpp), by name: whoever has programs of them
// includes their headers, and op/rewritten.hpp, which has those that only rewrites write.
#pragma once

namespace lazyfuse::op {

struct pow;
struct sin;
struct cos;
struct square;
struct cube;
struct fourth_power;
struct inverse;
struct inverse_square;
struct sqrt;
struct sincos;
struct sine_of;
struct cosine_of;

}  // namespace lazyfuse::op
