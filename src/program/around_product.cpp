// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products with a scale, what is added to them, and an activation.
#include "program/around_product.hpp"

#include <cstddef>

namespace lazyfuse::ir {

namespace {

constexpr struct {
  step what;
  std::string_view word, operation;
} all_steps[] = {{step::add, "+/2 ", "op::add"},
                 {step::subtract, "-/2 ", "op::subtract"},
                 {step::multiply, "*/2 ", "op::multiply"},
                 {step::negative, "-/1 ", "op::negative"},
                 {step::maximum, "maximum/2 ", "op::maximum"},
                 {step::relu, "relu/1 ", "op::relu"},
                 {step::gelu_tanh, "gelu_tanh/1 ", "op::gelu_tanh"}};

/// Takes an expression apart that is linear in the sum and in what is added.
class terms {
 public:
  terms(const std::vector<plain_step>& steps, around_product& to) : steps_(steps), to_(to) {}
  bool take(int at, multiplied_by by) {
    const plain_step& s = steps_[static_cast<std::size_t>(at)];
    switch (s.what) {
      case step::sum:
        if (met_) return false;
        met_ = true;
        to_.scale = by;
        return true;
      case step::rounded:
        to_.rounded = true;
        return what(s.arguments[0]) == step::sum && take(s.arguments[0], by);
      case step::memory:
        to_.added.push_back({at, by});
        return to_.added.size() <= 2;
      case step::negative:
        return take(s.arguments[0], {by.constant, !by.negative});
      case step::add:
      case step::subtract:
        return by.constant < 0 && take(s.arguments[0], by) &&
               take(s.arguments[1], {-1, by.negative != (s.what == step::subtract)});
      case step::multiply:
        for (int i = 0; i < 2; ++i)
          if (by.constant < 0 && what(s.arguments[i]) == step::constant)
            return take(s.arguments[1 - i], {s.arguments[i], by.negative});
        return false;
      default:
        return false;
    }
  }
  bool has_sum() const { return met_; }

 private:
  const std::vector<plain_step>& steps_;
  around_product& to_;
  bool met_ = false;
  step what(int at) const { return steps_[static_cast<std::size_t>(at)].what; }
};

}  // namespace

step step_of_word(std::string_view word) {
  for (const auto& s : all_steps)
    if (s.word == word) return s.what;
  return step::other;
}
step step_of_operation(std::string_view type) {
  for (const auto& s : all_steps)
    if (s.operation == type) return s.what;
  return type == "op::cast<half>" || type == "op::cast<bfloat16>" ? step::rounded : step::other;
}

const char* word_of_activation(step s) {
  return s == step::relu ? "relu/1 " : s == step::gelu_tanh ? "gelu_tanh/1 " : nullptr;
}

std::optional<around_product> around_product_of(const std::vector<plain_step>& steps, int root) {
  around_product p;
  const auto at = [&](int i) -> const plain_step& { return steps[static_cast<std::size_t>(i)]; };
  const plain_step& last = at(root);
  if (last.what == step::relu || last.what == step::gelu_tanh) {
    p.activation = last.what;
    root = last.arguments[0];
  } else if (last.what == step::maximum) {
    const int i = at(last.arguments[0]).what == step::constant ? 0 : 1;
    if (at(last.arguments[i]).what != step::constant) return {};
    p.activation = step::relu;
    p.zero = last.arguments[i];
    root = last.arguments[1 - i];
  }
  terms all(steps, p);
  if (!all.take(root, {}) || !all.has_sum()) return {};
  return p;
}

}  // namespace lazyfuse::ir
