// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of element types and sources.
#include "program/spelling.hpp"

namespace lazyfuse::ir {

std::string spelling_of(dtype type) {
  static constexpr const char* names[] = {"bool",   "int8",           "int16",           "int32", "int64",    "uint8",
                                          "uint16", "uint32",         "uint64",          "half",  "bfloat16", "float",
                                          "double", "complex<float>", "complex<double>", ""};
  const auto component = static_cast<unsigned>(types_detail::component_of(type));
  std::string name = component < std::size(names) ? names[component] : "";
  const int components = types_detail::components_of(type);
  if (components == 0 || name.empty()) return name;
  return "vec<" + name + ", " + std::to_string(components) + ">";
}

std::string spelling_of(source_kind kind, dtype element) {
  static constexpr const char* names[] = {"memory", "constant", "counter", "ramp"};
  const std::string type = spelling_of(element);
  if (kind == source_kind::other || type.empty()) return "";
  return std::string(names[static_cast<int>(kind)]) + "<" + type + ">";
}

}  // namespace lazyfuse::ir
