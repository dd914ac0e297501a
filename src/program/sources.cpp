// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All texts of a process, by name.
#include "program/sources.hpp"

#include "core/hash.hpp"

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>

namespace lazyfuse::ir {

namespace {

struct source_texts {
  std::string operation, definitions;
  bool operator==(const source_texts&) const = default;
};
struct sources {
  std::mutex mutex;
  std::map<std::string, source_texts, std::less<>> by_name;

  source_texts of(std::string_view name) {
    const std::lock_guard lock(mutex);
    const auto at = by_name.find(name);
    return at == by_name.end() ? source_texts{} : at->second;
  }
};
sources& all_sources() {
  static auto* const all = new sources;  // outlives whatever still launches
  return *all;
}

}  // namespace

std::string name_of_source(const std::string& expression, int count, const std::string& parameters,
                           const std::string& result, const std::string& definitions) {
  std::string types;
  for (int i = 0; i < count; ++i) types += (i > 0 ? ", class X" : "class X") + std::to_string(i);
  // The compiler counts lines from where the user's text begins.
  const std::string body =
      " : exact_operation {\n  static constexpr int cost = 8;\n  "
      "template <" +
      types + ">\n  LAZYFUSE_HD constexpr auto operator()(" + parameters + ") const {\n    return static_cast<" +
      result + ">(\n#line 1 \"source\"\n" + expression + "\n    );\n  }\n};\n";
  sources& all = all_sources();
  const std::lock_guard lock(all.mutex);
  for (std::uint64_t h = hash_of(body, hash_of(definitions, 0));;
       ++h) {  // another text of the same sum goes by the next name
    char name[32];
    std::snprintf(name, sizeof name, "source_%016llx", static_cast<unsigned long long>(h));
    const source_texts whole{std::string("struct ") + name + body,
                             definitions.empty() ? "" : "#line 1 \"definitions\"\n" + definitions + "\n"};
    if (all.by_name.try_emplace(name, whole).first->second == whole) return name;
  }
}

std::string operation_of_source(std::string_view name) { return all_sources().of(name).operation; }
std::string definitions_of_source(std::string_view name) { return all_sources().of(name).definitions; }

}  // namespace lazyfuse::ir
