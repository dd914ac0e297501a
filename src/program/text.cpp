// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small parser of type names: apply<op::add, arg<0>, arg<1> > becomes (x0 + x1).
#include "program/text.hpp"

#include <lazyfuse/core/types.hpp>  // before core/math.hpp, whose tests for NaN clang-tidy 14 reports otherwise
#include <lazyfuse/op/registry.hpp>
#include <lazyfuse/op/rewritten.hpp>

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace lazyfuse {

namespace {

struct type_name {
  std::string name;
  std::vector<type_name> arguments;
};

/// Reads name<argument, ...>; qualifiers are dropped.
class reader {
 public:
  explicit reader(std::string_view text) : text_(text) {}

  type_name read() {
    type_name t;
    skip_spaces();
    while (at_ < text_.size() && !ends_name()) t.name += text_[at_++];
    if (const auto colon = t.name.rfind("::"); colon != std::string::npos) t.name.erase(0, colon + 2);
    if (at_ < text_.size() && text_[at_] == '<') {
      do {
        ++at_;
        skip_spaces();
        if (at_ < text_.size() && text_[at_] == '>') break;
        t.arguments.push_back(read());
        skip_spaces();
      } while (at_ < text_.size() && text_[at_] == ',');
      if (at_ < text_.size()) ++at_;
    }
    return t;
  }

 private:
  /// Whether no more of a name follows. Spaces may be within one: "long int".
  bool ends_name() const {
    const auto next = text_.find_first_not_of(' ', at_);
    return next == std::string_view::npos || std::string_view("<>,];").find(text_[next]) != std::string_view::npos;
  }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

/// The symbol of the operation of that name; empty if it is written as a function.
template <class... Op>
std::string symbol_of(const std::string& name, list<Op...>) {
  const char* symbol = "";
  ((symbol = name == Op::name ? Op::symbol : symbol), ...);
  return symbol;
}

/// A number as short as it can be; compilers write 2U, 5.0e-1f, or all digits of the binary fraction nearest to 0.1.
std::string number(const std::string& spelling) {
  std::string digits = spelling.substr(0, spelling.find_last_not_of("fFlLuU") + 1);
  char* end = nullptr;
  const double value = std::strtod(digits.c_str(), &end);
  if (*end != '\0') return spelling;
  if (digits.find_first_of(".e") == std::string::npos) return digits;
  char shortest[40];
  char* const last = shortest + sizeof shortest;
  const bool single = spelling.back() == 'f';
  return {
      shortest,
      (single ? std::to_chars(shortest, last, static_cast<float>(value)) : std::to_chars(shortest, last, value)).ptr};
}

/// An element type's name in explain; compilers call int64 "long int" or "long".
std::string element_name(const std::string& spelling) {
  const auto has = [&](const char* word) { return spelling.find(word) != std::string::npos; };
  if (spelling == "half") return "float16";
  if (spelling == "float") return "float32";
  if (spelling == "double") return "float64";
  const char* bits = has("char") ? "8" : has("short") ? "16" : has("long") ? "64" : has("int") ? "32" : nullptr;
  return bits == nullptr || has("complex") ? spelling : std::string(has("unsigned") ? "uint" : "int") + bits;
}

/// Who needs parentheses around an operator: all, or whose operators bind less than those outside.
enum class style { full, needed };

/// How much an operator binds, of those that people combine without parentheses.
int strength_of(const std::string& symbol) {
  if (symbol == "*" || symbol == "/") return 3;
  if (symbol == "+" || symbol == "-") return 2;
  return 1;
}

/// outer: the least strength that does without parentheses; 0 where there is nothing outside.
std::string text(const type_name& t, style s, int outer = 0);

std::string arguments(const std::vector<type_name>& a, std::size_t from, style as) {
  std::string s;
  for (std::size_t i = from; i < a.size(); ++i) s += (i > from ? ", " : "") + text(a[i], as);
  return s;
}

/// combined<Monoid> or scanned<Monoid, Exclusive> of an argument.
std::string stage_text(const type_name& kind, const std::string& argument) {
  const std::string monoid = kind.arguments[0].name == "folded" ? "reduce" : kind.arguments[0].name;
  if (kind.name != "scanned") return monoid + "(" + argument + ")";
  return (monoid == "reduce" ? "scan" : "cum" + monoid) + "(" + argument +
         (kind.arguments[1].name == "true" || kind.arguments[1].name == "1" ? ", exclusive)" : ")");
}

std::string text(const type_name& t, style as, int outer) {
  if (t.name == "arg" && t.arguments.size() == 1) return "x" + t.arguments[0].name;
  if (t.name == "literal" && t.arguments.size() == 2) return number(t.arguments[1].name);
  if (t.name == "stage" && t.arguments.size() == 2 && !t.arguments[0].arguments.empty())  // combined<Monoid>
    return stage_text(t.arguments[0], text(t.arguments[1], as));
  if (t.name == "apply" && !t.arguments.empty()) {
    const type_name& operation = t.arguments[0];
    if (operation.name == op::divisor::name) return arguments(t.arguments, 1, as);
    const bool common = operation.name == op::divide_by::name;
    const std::string symbol = common ? op::divide_by::symbol : symbol_of(operation.name, op::all_elementwise{});
    if (!symbol.empty() && t.arguments.size() == 3) {
      const int strength = strength_of(symbol);
      const std::string plain =
          text(t.arguments[1], as, strength) + " " + symbol + " " + text(t.arguments[2], as, strength + 1);
      return as == style::needed && strength >= outer ? plain : "(" + plain + ")";
    }
    if (!symbol.empty() && t.arguments.size() == 2) return symbol + text(t.arguments[1], as, 4);
    if (as == style::needed && (operation.name == "sine_of" || operation.name == "cosine_of"))  // of sincos(x)
      return (operation.name == "sine_of" ? "sin(" : "cos(") + arguments(t.arguments[1].arguments, 1, as) + ")";
    const bool cast = operation.name == "cast" && operation.arguments.size() == 1;
    std::string name = cast ? element_name(operation.arguments[0].name) : operation.name;
    if (name == "complex" && cast)
      name = operation.arguments[0].arguments[0].name == "float" ? "complex64" : "complex128";
    return name + "(" + arguments(t.arguments, 1, as) + ")";
  }
  return t.name;
}

std::string programs_text(const char* spelling, style as) {
  const std::string_view all(spelling);
  const auto start = all.find("Programs = ");
  if (start == std::string_view::npos) return spelling;
  return arguments(reader(all.substr(start + 11)).read().arguments, 0, as);
}

}  // namespace

std::string program_text(const char* spelling) { return programs_text(spelling, style::full); }

std::string short_program_text(const char* spelling) {
  constexpr std::size_t most = 100;
  std::string text = programs_text(spelling, style::needed);
  if (text.size() > most) text.replace(most - 3, std::string::npos, "...");
  return text;
}

std::string name_of_operand(int i, int targets) {
  return i < targets ? targets == 1 ? "the result" : "result " + std::to_string(i) : "x" + std::to_string(i - targets);
}

}  // namespace lazyfuse
