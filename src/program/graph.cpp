// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes of programs become graphs, and graphs the text of program types.
#include "program/graph.hpp"

#include "program/sources.hpp"
#include "program/spelling.hpp"

#include <lazyfuse/core/types.hpp>  // before core/math.hpp, whose tests for NaN clang-tidy 14 reports otherwise
#include <lazyfuse/op/registry.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <concepts>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace lazyfuse::ir {

namespace {

/// Operations that are written as symbols, by symbol and number of arguments.
using symbol_table = std::map<std::pair<std::string_view, int>, std::string_view>;
template <class Op>
void enter(symbol_table& table) {
  constexpr bool is_unary = std::invocable<Op, float> || std::invocable<Op, int> || std::invocable<Op, bool>;
  if (Op::symbol[0] != '\0') table[{Op::symbol, is_unary ? 1 : 2}] = Op::name;
}
template <class... Op>
symbol_table symbols_of(list<Op...>) {
  symbol_table table;
  (enter<Op>(table), ...);
  return table;
}
template <class... Named>
bool is_among(std::string_view name, list<Named...>) {
  return ((name == Named::name) || ...);
}

/// Operations of a program that is shorter as a function than as a type, at least.
constexpr int least_steps = 3;

/// Whether a rewrite (program/rewrite.hpp) may make something else of the operation, beside others or not.
bool may_be_rewritten(std::string_view operation) {
  return operation == "op::pow" || operation == "op::sin" || operation == "op::cos";
}

bool is_name(std::string_view word) {
  return std::ranges::all_of(word, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}
int whole_number(std::string_view digits) {
  int number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc{} && end == digits.data() + digits.size() ? number : -1;
}

/// The kind of a scan, "scanned<op::sum, false>" of "cumsum"; empty if it is none.
std::string scan_of(std::string_view name) {
  if (!name.starts_with("cum")) return "";
  name.remove_prefix(3);
  constexpr std::string_view how = ",exclusive";
  const bool exclusive = name.ends_with(how);
  if (exclusive) name.remove_suffix(how.size());
  if (!is_among(name, op::all_stages{})) return "";
  return "scanned<op::" + std::string(name) + (exclusive ? ", true>" : ", false>");
}

/// The program of a loop, "x0,x1,*/2,", as a type; empty if it is none.
std::string type_of_loop(std::string_view name);

/// A literal as C++ writes it; empty if it is none. Whole numbers have the first type that holds them, as rewrites
/// expect: int, long long, unsigned long long.
std::string value_of(std::string_view word) {
  if (word == "true" || word == "false") return std::string(word);
  const bool is_float = word.starts_with("~f"), is_double = word.starts_with("~d"), negative = word.starts_with('-');
  const std::string digits(word.substr(is_float || is_double ? 2 : negative ? 1 : 0));
  unsigned long long number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size()) return "";
  if (is_float) return "__builtin_bit_cast(float, " + digits + "u)";
  if (is_double) return "__builtin_bit_cast(double, " + digits + "ull)";
  constexpr auto most_int = static_cast<unsigned long long>(std::numeric_limits<int>::max()),
                 most_long = static_cast<unsigned long long>(std::numeric_limits<long long>::max());
  if (number <= most_int) return (negative ? "-" : "") + digits;
  if (number <= most_long) return (negative ? "-" : "") + digits + "ll";
  return negative ? "-" + std::to_string(most_long) + "ll - 1" : digits + "ull";
}

/// The graph while it is made: a node that is there already is found.
struct graph_maker {
  program_graph graph;
  std::map<std::pair<std::string, std::vector<int>>, int> known;
  std::vector<int> stack;

  bool add(std::string type, std::size_t arguments, bool is_stage) {
    if (arguments == 0 || arguments > stack.size()) return false;
    const auto first = stack.end() - static_cast<std::ptrdiff_t>(arguments);
    std::vector<int> taken(first, stack.end());
    stack.erase(first, stack.end());
    ++graph.words;
    enter(std::move(type), std::move(taken), is_stage);
    return true;
  }
  void enter(std::string type, std::vector<int> arguments, bool is_stage) {
    const auto [at, is_new] =
        known.try_emplace({type + (is_stage ? "|" : ""), arguments}, static_cast<int>(graph.nodes.size()));
    if (is_new) graph.nodes.push_back({std::move(type), std::move(arguments), is_stage});
    stack.push_back(at->second);
  }
};

}  // namespace

namespace {

std::string type_of(const program_graph& graph, int i) {
  const program_node& n = graph.nodes[static_cast<std::size_t>(i)];
  if (n.type.empty()) return "arg<" + std::to_string(n.arguments[0]) + ">";
  if (n.arguments.empty()) return n.type;
  std::string text = "apply<" + n.type;
  for (const int a : n.arguments) text += ", " + type_of(graph, a);
  return text + ">";
}
std::string type_of_loop(std::string_view name) {
  name.remove_prefix(name.find('<') + 1);
  if (!name.ends_with('>')) return "";
  name.remove_suffix(1);
  std::string code(name);
  std::ranges::replace(code, ',', ' ');
  std::vector<short> operands(code.size());  // more than there are
  std::iota(operands.begin(), operands.end(), short{0});
  const auto graph = program_graph::of(code, operands.data());
  if (!graph || graph->roots.size() != 1) return "";
  return "iterated<" + type_of(*graph, graph->roots[0]) + ">";
}

}  // namespace

std::optional<program_graph> program_graph::of(std::string_view code, const short* operand) {
  static const symbol_table symbols = symbols_of(op::all_elementwise{});
  graph_maker made;
  std::vector<int> stages;  // r0, r1, ...
  std::vector<int> named;   // v0, v1, ...
  while (!code.empty()) {
    const std::string_view word = code.substr(0, code.find(' '));
    code.remove_prefix(std::min(word.size() + 1, code.size()));
    const auto slash = word.rfind('/');
    if (slash != std::string_view::npos) {
      const std::string_view name = word.substr(0, slash);
      const int count = whole_number(word.substr(slash + 1));
      if (count <= 0) return {};
      if (const std::string scan = scan_of(name); !scan.empty()) {
        if (!made.add(scan, static_cast<std::size_t>(count), true)) return {};
        continue;
      }
      if (name.starts_with("repeat<")) {
        const std::string loop = type_of_loop(name);
        if (loop.empty() || !made.add(loop, static_cast<std::size_t>(count), false)) return {};
        continue;
      }
      const auto symbol = symbols.find({name, count});
      const bool is_stage = symbol == symbols.end() && count == 1 && is_among(name, op::all_stages{});
      const std::string_view type = symbol == symbols.end() ? name : symbol->second;
      const bool part = type.starts_with("component<") && type.ends_with('>');
      const std::string space = operation_of_source(type).empty() ? "op::" : "";
      if (!(part || is_name(type)) || !made.add(space + std::string(type), static_cast<std::size_t>(count), is_stage))
        return {};
    } else if (word.starts_with('@')) {
      const std::string type = spelling_of(static_cast<dtype>(whole_number(word.substr(1))));
      if (type.empty() || !made.add("op::cast<" + type + ">", 1, false)) return {};
    } else if (const auto sharp = word.find('#'); sharp != std::string_view::npos) {
      const std::string type = spelling_of(static_cast<dtype>(whole_number(word.substr(sharp + 1)))),
                        value = value_of(word.substr(0, sharp));
      if (type.empty() || value.empty()) return {};
      made.enter("literal<" + type + ", " + value + ">", {}, false);
    } else if (word.starts_with('=')) {
      if (made.stack.empty() || whole_number(word.substr(1)) != static_cast<int>(named.size())) return {};
      named.push_back(made.stack.back());
    } else if (word.starts_with('v')) {
      const int number = whole_number(word.substr(1));
      if (number < 0 || number >= static_cast<int>(named.size())) return {};
      made.stack.push_back(named[static_cast<std::size_t>(number)]);
    } else if (word == "(") {
    } else if (word == ")") {
      if (made.stack.empty()) return {};
      program_node& n = made.graph.nodes[static_cast<std::size_t>(made.stack.back())];
      n.is_function = !n.type.empty() && !n.arguments.empty();
    } else if (word == "|") {
      stages.insert(stages.end(), made.stack.begin(), made.stack.end());
      made.stack.clear();
    } else if (word.starts_with('r')) {
      const int number = whole_number(word.substr(1));
      if (number < 0 || number >= static_cast<int>(stages.size())) return {};
      made.stack.push_back(stages[static_cast<std::size_t>(number)]);
    } else if (word.starts_with('x')) {
      const int number = whole_number(word.substr(1));
      if (number < 0) return {};
      made.enter("", {operand[number]}, false);
    } else return {};
  }
  if (made.stack.empty()) return {};
  made.graph.roots = std::move(made.stack);
  return std::move(made.graph);
}

int program_graph::operations() const {
  return static_cast<int>(
      std::ranges::count_if(nodes, [](const program_node& n) { return !n.type.empty() && !n.arguments.empty(); }));
}

std::optional<program_graph::factors> program_graph::sum_of_products(const std::vector<step>& operands) const {
  if (roots.size() != 1) return {};
  const auto at = [this](int i) -> const program_node& { return nodes[static_cast<std::size_t>(i)]; };
  const program_node* sum = nullptr;
  std::vector<plain_step> steps(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const program_node& n = nodes[i];
    if (n.is_stage) {
      if (sum || n.type != "op::sum") return {};
      sum = &n;
      steps[i].what = step::sum;
    } else if (n.type.empty()) steps[i].what = operands[static_cast<std::size_t>(n.arguments[0])];
    else if (n.arguments.size() <= 2) {
      steps[i].what = step_of_operation(n.type);
      std::copy(n.arguments.begin(), n.arguments.end(), steps[i].arguments);
    }
  }
  if (!sum) return {};
  const std::optional<around_product> around = around_product_of(steps, roots[0]);
  const program_node& product = at(sum->arguments[0]);
  if (!around || product.type != "op::multiply") return {};
  const auto is_widened = [&](int a) { return at(a).type == "op::cast<float>"; };
  factors f{-1, -1, is_widened(product.arguments[0]), *around};
  const auto operand_of = [&](int a) {
    const program_node& n = f.widened && is_widened(a) ? at(at(a).arguments[0]) : at(a);
    return n.type.empty() && is_widened(a) == f.widened ? n.arguments[0] : -1;
  };
  f.x = operand_of(product.arguments[0]);
  f.y = operand_of(product.arguments[1]);
  if (f.x < 0 || f.y < 0 || f.x == f.y) return {};
  const auto take_operand = [&](int& i) {
    if (i >= 0) i = at(i).arguments[0];
  };
  take_operand(f.around.scale.constant);
  take_operand(f.around.zero);
  for (around_product::array& a : f.around.added) {
    take_operand(a.step);
    take_operand(a.share.constant);
  }
  return f;
}

std::vector<bool> program_graph::read_stages() const {
  std::vector<bool> reads(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (!nodes[i].type.empty())
      reads[i] = std::ranges::any_of(nodes[i].arguments, [&](int a) {
        return nodes[static_cast<std::size_t>(a)].is_stage || reads[static_cast<std::size_t>(a)];
      });
  return reads;
}

bool program_graph::has_stages() const {
  const std::vector<bool> reads = read_stages();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].is_stage && reads[i]) return true;
  return false;
}

std::vector<bool> program_graph::read_in_stages(int operands) const {
  std::vector<bool> below(nodes.size()), read(static_cast<std::size_t>(operands));
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const program_node& n = nodes[i];
    if (!below[i] && !n.is_stage) continue;
    if (n.type.empty()) read[static_cast<std::size_t>(n.arguments[0])] = true;
    else
      for (const int a : n.arguments) below[static_cast<std::size_t>(a)] = true;
  }
  return read;
}

bool program_graph::reduces_in_one_pass(const std::vector<bool>& is_real) const {
  const auto at = [this](int i) -> const program_node& { return nodes[static_cast<std::size_t>(i)]; };
  const std::vector<bool> reads = read_stages();
  // Of other numbers than float and double the maximum comes first.
  std::vector<bool> real(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const program_node& n = nodes[i];
    if (n.type.empty()) real[i] = is_real[static_cast<std::size_t>(n.arguments[0])];
    else if (n.type.starts_with("literal<"))
      real[i] = n.type.starts_with("literal<float") || n.type.starts_with("literal<double");
    else
      real[i] = (!n.type.starts_with("op::cast<") || n.type == "op::cast<float>" || n.type == "op::cast<double>") &&
                std::ranges::all_of(n.arguments, [&](int a) { return real[static_cast<std::size_t>(a)]; });
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].is_stage || !reads[i]) continue;
    const program_node& power = at(nodes[i].arguments[0]);
    if (nodes[i].type != "op::sum" || (power.type != "op::exp" && power.type != "op::rough_exp")) return false;
    const program_node& exponent = at(power.arguments[0]);
    if (exponent.type != "op::subtract") return false;
    const int x = exponent.arguments[0];
    const program_node* shift = &at(exponent.arguments[1]);
    if (shift->type == "op::finite_or_zero") shift = &at(shift->arguments[0]);
    if (!shift->is_stage || shift->type != "op::max" || shift->arguments[0] != x || at(x).is_stage ||
        reads[static_cast<std::size_t>(x)] || !real[static_cast<std::size_t>(x)])
      return false;
  }
  return true;
}

bool adds(std::string_view word) { return word == "sum/1 "; }
bool multiplies(std::string_view word) { return word == "*/2 "; }
bool changes_type(std::string_view word) { return word.starts_with('@'); }

std::string program_graph::definitions() const {
  std::set<std::string> all;
  for (const program_node& n : nodes) all.insert(definitions_of_source(n.type));
  std::string text;
  for (const std::string& definition : all) text += definition;
  return text;
}

std::string program_graph::aliases() const {
  std::vector<bool> wanted(nodes.size());
  for (const int root : roots) wanted[static_cast<std::size_t>(root)] = true;
  for (std::size_t i = nodes.size(); i-- > 0;)
    if (const program_node& n = nodes[i]; wanted[i] && !n.type.empty()) {
      if (n.is_function)
        for (const int stage : stages_read_by(static_cast<int>(i))) wanted[static_cast<std::size_t>(stage)] = true;
      else
        for (const int a : n.arguments) wanted[static_cast<std::size_t>(a)] = true;
    }
  std::string text;
  std::set<std::string> written;  // operations of sources
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const program_node& n = nodes[i];
    if (const std::string source = operation_of_source(n.type); written.insert(source).second) text += source;
    if (!wanted[i]) continue;
    if (n.is_function) {
      text += function(static_cast<int>(i));
      continue;
    }
    text += "using p" + std::to_string(i) + " = ";
    if (n.type.empty()) text += "arg<" + std::to_string(n.arguments[0]) + ">;\n";
    else if (n.arguments.empty()) text += n.type + ";\n";
    else {
      text += (!n.is_stage ? "apply<" : n.type.starts_with("op::") ? "reduction<" : "stage<") + n.type;
      for (const int a : n.arguments) text += ", p" + std::to_string(a);
      text += ">;\n";
    }
  }
  return text;
}

std::vector<std::string> program_graph::named_operations() const {
  std::vector<std::string> names;
  for (const program_node& n : nodes)
    for (auto at = n.type.find("op::"); at != std::string::npos; at = n.type.find("op::", at + 1)) {
      names.push_back(n.type.substr(at, n.type.find_first_of("<>, ", at) - at));
      if (may_be_rewritten(names.back())) names.emplace_back("op::sincos");
    }
  return names;
}

void program_graph::write_in_steps() {
  const auto at = [&](int i) -> program_node& { return nodes[static_cast<std::size_t>(i)]; };
  std::vector<bool> plain(nodes.size());  // made of operands and operations that no rewrite reads
  std::vector<int> programs;
  int stages = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const program_node& n = nodes[i];
    plain[i] = !n.is_stage && !may_be_rewritten(n.type) && std::ranges::all_of(n.arguments, [&](int a) {
      return n.type.empty() || plain[static_cast<std::size_t>(a)];
    });
    if (!n.is_stage) continue;
    ++stages;
    programs.insert(programs.end(), n.arguments.begin(), n.arguments.end());
  }
  if (stages == 0) programs = roots;
  if (programs.size() != 1) return;
  int root = programs[0];
  if (at(root).type.starts_with("op::cast<")) root = at(root).arguments[0];  // kernels round two results at once
  const auto calls =
      std::ranges::count_if(nodes, [](const program_node& n) { return !n.arguments.empty() && !n.type.empty(); });
  if (plain[static_cast<std::size_t>(root)] && calls >= least_steps && !at(root).arguments.empty() &&
      !at(root).type.empty())
    at(root).is_function = true;
}

std::vector<bool> program_graph::used_by(int root) const {
  std::vector<bool> used(nodes.size());
  used[static_cast<std::size_t>(root)] = true;
  for (int i = root; i >= 0; --i)
    if (const program_node& n = nodes[static_cast<std::size_t>(i)];
        used[static_cast<std::size_t>(i)] && !n.type.empty() && !n.is_stage)
      for (const int a : n.arguments) used[static_cast<std::size_t>(a)] = true;
  return used;
}
std::vector<int> program_graph::stages_read_by(int root) const {
  const std::vector<bool> used = used_by(root);
  std::vector<int> stages;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i] && nodes[i].is_stage) stages.push_back(static_cast<int>(i));
  return stages;
}

std::string program_graph::function(int root) const {
  const std::vector<bool> used = used_by(root);
  std::string steps, steps_of_context, costs = "0", branches = "false", types, parameters, operands;
  for (int i = 0; i <= root; ++i) {
    const program_node& n = nodes[static_cast<std::size_t>(i)];
    if (!used[static_cast<std::size_t>(i)]) continue;
    const std::string value = "v" + std::to_string(i);
    if (n.type.empty() || n.is_stage) {  // each operand is one node
      const std::string comma = types.empty() ? "" : ", ", type = "X" + std::to_string(i);
      types += comma + "class " + type;
      parameters.append(comma).append("const ").append(type).append("& ").append(value);
      operands += n.is_stage ? ", p" + std::to_string(i) : ", arg<" + std::to_string(n.arguments[0]) + ">";
      continue;
    }
    const std::string begin = "    const auto " + value + " = ";
    if (n.arguments.empty()) {
      const std::string literal = begin + "evaluator<" + n.type + ">::at(0);\n";
      steps += literal;
      steps_of_context += literal;
      continue;
    }
    costs += " + " + n.type + "::cost";
    branches += " || ir::has_branches<" + n.type + ">";
    std::string arguments;
    for (const int a : n.arguments) arguments += (arguments.empty() ? "v" : ", v") + std::to_string(a);
    steps += begin + "lazyfuse::compute<" + n.type + ">(" + arguments + ");\n";
    steps_of_context += begin + "c.template compute<" + n.type + ">(" + arguments + ");\n";
  }
  const std::string name = std::to_string(root);
  return "struct steps" + name + " : exact_operation {\n  static constexpr int cost = " + costs +
         ";\n  static constexpr bool branches = " + branches + ";\n  template <" + types +
         ">\n  LAZYFUSE_HD constexpr auto operator()(" + parameters + ") const {\n" + steps + "    return v" + name +
         ";\n  }\n  template <class C, " + types + ">\n  LAZYFUSE_HD static auto steps(const C& c, " + parameters +
         ") {\n" + steps_of_context + "    return v" + name + ";\n  }\n};\nusing p" + name + " = apply<steps" + name +
         operands + ">;\n";
}

}  // namespace lazyfuse::ir
