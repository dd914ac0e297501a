// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are text.
#include "core/text.hpp"
#include "program/sources.hpp"
#include "program/spelling.hpp"

#include <lazyfuse/error.hpp>
#include <lazyfuse/evaluate/source.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace lazyfuse {

source source::with(std::string text) const {
  source s = *this;
  s.definitions = std::move(text);
  return s;
}

namespace source_detail {

namespace {

std::string spelled(const planning::graph_source_type& t) {
  std::string name = ir::spelling_of(t.type.element);
  if (name.empty())
    throw error("map: the function is text, which has no name for elements of a type of your own" + place_asked());
  return name;
}

}  // namespace

const planning::graph_operation& operation_of(const source& f, const planning::graph_source_type* const* arguments,
                                              int count, const planning::graph_source_type& result,
                                              source_check check) {
  if (f.names.size() != static_cast<std::size_t>(count))
    throw_value(
        ("map: the source names " + std::to_string(f.names.size()) + " operands, and is given " + std::to_string(count))
            .c_str());
  std::string parameters, types, values;
  for (int i = 0; i < count; ++i) {
    const std::string& name = f.names[static_cast<std::size_t>(i)];
    parameters += (i > 0 ? ", const X" : "const X") + std::to_string(i) + "& " + name;
    const std::string type = spelled(*arguments[i]);
    types += (i > 0 ? ", " : "") + type;
    values += (i > 0 ? ", " : "") + ("standard::declval<const " + type + "&>()");
  }
  const std::string name = ir::name_of_source(f.expression, count, parameters, spelled(result), f.definitions);
  struct made {
    std::string word;
    planning::graph_operation operation;
  };
  static std::mutex mutex;
  static auto& all = *new std::map<std::string, std::unique_ptr<made>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<made>& found = all[name + "(" + types + ")"];
  if (found) return found->operation;
  const std::string message = check(f.definitions, ir::operation_of_source(name) + "using checked = decltype(compute<" +
                                                       name + ">(" + values + "));\n");
  if (!message.empty()) throw error("map: the source does not compile:\n" + message + place_asked());
  auto one = std::make_unique<made>();
  one->word = name + "/" + std::to_string(count) + " ";
  one->operation = {one->word.c_str(), count, 8, result.bytes, &result, nullptr};
  found = std::move(one);
  return found->operation;
}

}  // namespace source_detail

}  // namespace lazyfuse
