// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small parser of type names: apply<op::add, arg<0>, arg<1> > becomes (x0 + x1).
#include "program_text.hpp"

#include <cctype>
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
    while (at_ < text_.size() && std::string_view("<>,]; ").find(text_[at_]) == std::string_view::npos)
      t.name += text_[at_++];
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
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

std::string_view infix(std::string_view name) {
  constexpr std::string_view symbols[][2] = {
      {"add", " + "},  {"subtract", " - "},   {"multiply", " * "}, {"divide", " / "},      {"equal", " == "},
      {"less", " < "}, {"not_equal", " != "}, {"greater", " > "},  {"less_equal", " <= "}, {"greater_equal", " >= "}};
  for (const auto& s : symbols)
    if (s[0] == name) return s[1];
  return {};
}

std::string text(const type_name& t);

std::string arguments(const std::vector<type_name>& a, std::size_t from) {
  std::string s;
  for (std::size_t i = from; i < a.size(); ++i) s += (i > from ? ", " : "") + text(a[i]);
  return s;
}

std::string text(const type_name& t) {
  if (t.name == "arg" && t.arguments.size() == 1) return "x" + t.arguments[0].name;
  if (t.name == "literal" && t.arguments.size() == 2) return t.arguments[1].name;
  if (t.name == "reduction" && t.arguments.size() == 2) return t.arguments[0].name + "(" + text(t.arguments[1]) + ")";
  if (t.name == "apply" && !t.arguments.empty()) {
    const type_name& op = t.arguments[0];
    if (const auto symbol = infix(op.name); !symbol.empty() && t.arguments.size() == 3)
      return "(" + text(t.arguments[1]) + std::string(symbol) + text(t.arguments[2]) + ")";
    if (op.name == "negative") return "-" + text(t.arguments[1]);
    if (op.name == "cast" && op.arguments.size() == 1)
      return op.arguments[0].name + "(" + arguments(t.arguments, 1) + ")";
    return op.name + "(" + arguments(t.arguments, 1) + ")";
  }
  return t.name;
}

}  // namespace

std::string program_text(const char* spelling) {
  const std::string_view all(spelling);
  const auto start = all.find("Programs = ");
  if (start == std::string_view::npos) return spelling;
  return arguments(reader(all.substr(start + 11)).read().arguments, 0);
}

}  // namespace lazyfuse
