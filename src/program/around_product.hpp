// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is computed of a sum of products that a library of matrix products computes with it, before it is stored:
// activation(scale * sum + share * array + bias).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace lazyfuse::ir {

/// The steps of programs that such libraries know. rounded: to 16 bits.
enum class step : char {
  other,
  memory,
  constant,
  sum,
  rounded,
  add,
  subtract,
  multiply,
  negative,
  maximum,
  relu,
  gelu_tanh
};
/// Of the word of a code, "+/2 ", or of an operation's type, "op::add".
step step_of_word(std::string_view word);
step step_of_operation(std::string_view type);
/// relu or gelu_tanh as a code has it; null of others.
const char* word_of_activation(step s);

/// A step, and the steps before it that it reads.
struct plain_step {
  step what = step::other;
  int arguments[2] = {-1, -1};
};

/// A constant step that something is multiplied by, and the sign; -1: only that.
struct multiplied_by {
  int constant = -1;
  bool negative = false;
};
struct around_product {
  multiplied_by scale;
  struct array {
    int step;
    multiplied_by share;
  };
  std::vector<array> added;       ///< at most two steps in memory
  step activation = step::other;  ///< relu, gelu_tanh, or none
  int zero = -1;                  ///< a constant that has to be 0, of maximum(x, 0); -1: none
  bool rounded = false;           ///< the sum was to be rounded before; now it is once, at the end
  bool any() const { return scale.constant >= 0 || scale.negative || !added.empty() || activation != step::other; }
};
/// None where it is something else. Nothing is computed in another order than that of additions: factors of sums and
/// several factors are something else, too.
std::optional<around_product> around_product_of(const std::vector<plain_step>& steps, int root);

}  // namespace lazyfuse::ir
