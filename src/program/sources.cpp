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

struct sources {
  std::mutex mutex;
  std::map<std::string, std::string, std::less<>> definitions;
};
sources& all_sources() {
  static auto* const all = new sources;  // outlives whatever still launches
  return *all;
}

}  // namespace

std::string name_of_source(const std::string& expression, int count, const std::string& parameters,
                           const std::string& result) {
  std::string types;
  for (int i = 0; i < count; ++i) types += (i > 0 ? ", class X" : "class X") + std::to_string(i);
  // The compiler counts lines from where the user's text begins.
  const std::string body =
      " : exact_operation {\n  using rule = rules::unchanged;\n  static constexpr int cost = 8;\n  "
      "template <" +
      types + ">\n  LAZYFUSE_HD constexpr auto operator()(" + parameters + ") const {\n    return static_cast<" +
      result + ">(\n#line 1 \"source\"\n" + expression + "\n    );\n  }\n};\n";
  sources& all = all_sources();
  const std::lock_guard lock(all.mutex);
  for (std::uint64_t h = hash_of(body, 0);; ++h) {  // another text of the same sum goes by the next name
    char name[32];
    std::snprintf(name, sizeof name, "source_%016llx", static_cast<unsigned long long>(h));
    const std::string whole = std::string("struct ") + name + body;
    if (all.definitions.try_emplace(name, whole).first->second == whole) return name;
  }
}

std::string definition_of_source(std::string_view name) {
  sources& all = all_sources();
  const std::lock_guard lock(all.mutex);
  const auto at = all.definitions.find(name);
  return at == all.definitions.end() ? std::string() : at->second;
}

}  // namespace lazyfuse::ir
