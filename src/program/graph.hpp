// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs of a kernel as a graph: equal operations of equal arguments are one node, whatever types they had.
#pragma once

#include "program/around_product.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lazyfuse::ir {

struct program_node {
  std::string type;  ///< of lazyfuse: "op::add", "op::sum" or "scanned<op::sum, false>" of a stage, a literal; empty
                     ///< for an operand
  std::vector<int> arguments;  ///< nodes before this one, none of a literal; of an operand, its number
  bool is_stage = false;
  bool is_function = false;  ///< the code has it in parentheses
};

struct program_graph {
  std::vector<program_node> nodes;  ///< arguments first
  std::vector<int> roots;
  int words = 0;  ///< operations that the code names, those that are met again included

  /// Reads the code of some programs (program/code.hpp), whose operand i is operand[i] here; nothing if a part of it
  /// has no words: callables, or what is abbreviated.
  static std::optional<program_graph> of(std::string_view code, const short* operand);

  /// Operations that are computed.
  int operations() const;
  /// The program of each node that the roots are made of as an alias, p0, p1, ... A function is one operation of what
  /// it reads, computed step by step: the type of a program repeats each part as often as it is read, and compilers
  /// walk all of it.
  std::string aliases() const;
  /// Makes a function of what is computed of operands alone, where there is one such program and no rewrite
  /// (program/rewrite.hpp) knows a part of it: the type of a long program takes compilers longer than its code.
  void write_in_steps();
  /// The operations that it names, "op::add" say, and one of those that rewrites may make of them.
  std::vector<std::string> named_operations() const;
  /// The operands whose products are added up, 16-bit reals in float, and what its one root makes of the sum, whose
  /// steps are numbers of operands, too. Of each operand: what it is.
  struct factors {
    int x, y;
    bool widened;
    around_product around;
  };
  /// Whether a reduction reads another.
  bool has_stages() const;
  /// Of each of so many operands: whether a reduction is of what it is read for.
  std::vector<bool> read_in_stages(int operands) const;
  /// Whether one pass makes all its reductions: none reads another, but sums of exp(x - max(x)) (program/one_pass.hpp).
  /// is_real: of each operand, whether it is float or double.
  bool reduces_in_one_pass(const std::vector<bool>& is_real) const;
  std::optional<factors> sum_of_products(const std::vector<step>& operands) const;
  /// What the sources among its operations are written in, for the place before all namespaces.
  std::string definitions() const;

 private:
  std::string function(int root) const;
  std::vector<bool> used_by(int root) const;  ///< down to operands and stages
  std::vector<int> stages_read_by(int root) const;
  std::vector<bool> read_stages() const;  ///< each node: whether it reads one
};

/// Words of codes: of a sum, of a product of two, and of the change to another type.
bool adds(std::string_view word);
bool multiplies(std::string_view word);
bool changes_type(std::string_view word);

}  // namespace lazyfuse::ir
