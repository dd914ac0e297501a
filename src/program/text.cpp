// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes of programs read word by word: each word takes its arguments from those before it.
#include "program/text.hpp"

#include <lazyfuse/core/types.hpp>  // before core/math.hpp, whose tests for NaN clang-tidy 14 reports otherwise
#include <lazyfuse/op/rewritten.hpp>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace lazyfuse::ir {

namespace {

/// Who needs parentheses around an operator: all, or whose operators bind less than those outside.
enum class style { full, needed };

/// A program and how much its outermost operator binds.
struct written {
  std::string text;
  int strength;
};
constexpr int whole = 4;  ///< of what needs no parentheses

/// How much an operator binds, of those that people combine without parentheses.
int strength_of(std::string_view symbol) {
  if (symbol == "*" || symbol == "/") return 3;
  if (symbol == "+" || symbol == "-") return 2;
  return 1;
}

std::string within(const written& program, int strength) {
  return program.strength >= strength ? program.text : "(" + program.text + ")";
}

std::string list_of(const std::vector<written>& programs) {
  std::string text;
  for (const written& p : programs) text += (text.empty() ? "" : ", ") + p.text;
  return text;
}

unsigned long long number_in(std::string_view digits) {
  unsigned long long number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

/// The shortest decimal number that is nearest to no other.
template <class T>
std::string shortest(T value) {
  char digits[40];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

written operation(std::string_view name, const std::vector<written>& arguments, style as) {
  if (name[0] == '\'') name.remove_prefix(1);
  const bool is_operator = std::isalpha(static_cast<unsigned char>(name[0])) == 0 && name[0] != '_';
  if (is_operator && arguments.size() == 1) return {std::string(name) + within(arguments[0], whole), whole};
  if (is_operator && arguments.size() == 2) {
    const int strength = strength_of(name);
    const std::string text =
        within(arguments[0], strength) + " " + std::string(name) + " " + within(arguments[1], strength + 1);
    return as == style::full ? written{"(" + text + ")", whole} : written{text, strength};
  }
  if (name.starts_with("repeat<")) name = "repeat";  // without its program
  constexpr std::string_view pair = op::sincos::name;
  if (as == style::needed && (name == op::sine_of::name || name == op::cosine_of::name) &&
      arguments[0].text.starts_with(pair))
    return {(name == op::sine_of::name ? "sin" : "cos") + arguments[0].text.substr(pair.size()), whole};
  const auto comma = name.find(',');  // how a scan goes
  const std::string how = comma == std::string_view::npos ? "" : ", " + std::string(name.substr(comma + 1));
  return {std::string(name.substr(0, comma)) + "(" + list_of(arguments) + how + ")", whole};
}

/// Which stages are written as r0, r1, ...: none, as what they compute instead, or all.
enum class stages { computed, named };

/// The programs of each pass; the results are the last. definitions: of values that have names, "v0 = x0 + 1".
std::vector<std::vector<written>> passes_of(std::string_view code, style as, stages shown,
                                            std::vector<std::string>* definitions = nullptr) {
  std::vector<std::vector<written>> passes(1);
  std::vector<written> known;
  while (!code.empty()) {
    const std::string_view whole_word = code.substr(0, code.find(' '));
    code.remove_prefix(std::min(whole_word.size() + 1, code.size()));
    const bool is_operation = whole_word.find('/') != std::string_view::npos;
    // The type of a literal follows its value.
    const std::string_view word = is_operation ? whole_word : whole_word.substr(0, whole_word.find('#'));
    std::vector<written>& programs = passes.back();
    const auto take = [&](std::size_t count) {
      const auto first = programs.end() - static_cast<std::ptrdiff_t>(std::min(count, programs.size()));
      std::vector<written> arguments(first, programs.end());
      programs.erase(first, programs.end());
      return arguments;
    };
    const auto slash = word.rfind('/');
    if (word == "(" || word == ")") continue;
    if (word.starts_with('=') && !is_operation) {
      const std::string name = "v" + std::string(word.substr(1));
      if (definitions && !programs.empty()) definitions->push_back(name + " = " + programs.back().text);
      if (!programs.empty()) programs.back() = {name, whole};
    } else if (word == "|") {
      for (const written& p : programs)
        known.push_back(shown == stages::named ? written{"r" + std::to_string(known.size()), whole} : p);
      passes.emplace_back();
    } else if (slash != std::string_view::npos)
      programs.push_back(operation(word.substr(0, slash), take(number_in(word.substr(slash + 1))), as));
    else if (word.starts_with('@'))
      programs.push_back(operation(name_of(static_cast<dtype>(number_in(word.substr(1)))), take(1), as));
    else if (word.starts_with("~f"))
      programs.push_back(
          {shortest(std::bit_cast<float>(static_cast<std::uint32_t>(number_in(word.substr(2))))), whole});
    else if (word.starts_with("~d"))
      programs.push_back(
          {shortest(std::bit_cast<double>(static_cast<std::uint64_t>(number_in(word.substr(2))))), whole});
    else if (word.starts_with('r') && number_in(word.substr(1)) < known.size())
      programs.push_back(known[number_in(word.substr(1))]);
    else programs.push_back({std::string(word), whole});  // x0, 2, true
  }
  return passes;
}

}  // namespace

std::string program_text(const char* code) {
  std::vector<std::string> definitions;
  const std::string results = list_of(passes_of(code, style::full, stages::computed, &definitions).back());
  std::string text;
  for (const std::string& d : definitions) text += d + "; ";
  return text + results;
}

std::string short_program_text(const char* code) {
  constexpr std::size_t most = 100;
  std::string text = list_of(passes_of(code, style::needed, stages::computed).back());
  if (text.size() > most) text.replace(most - 3, std::string::npos, "...");
  return text;
}

std::vector<std::string> pass_texts(const char* code) {
  std::vector<std::vector<written>> passes = passes_of(code, style::full, stages::named);
  std::vector<std::string> texts;
  int known = 0;
  for (std::vector<written>& programs : passes) {
    if (texts.size() + 1 < passes.size())
      for (written& p : programs) p.text = "r" + std::to_string(known++) + " = " + p.text;
    texts.push_back(list_of(programs));
  }
  return texts;
}

std::string name_of_operand(int i, int targets) {
  return i < targets ? targets == 1 ? "the result" : "result " + std::to_string(i) : "x" + std::to_string(i - targets);
}

}  // namespace lazyfuse::ir
