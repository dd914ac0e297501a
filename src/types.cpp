// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's names of element types.
#include <lazyfuse/core/types.hpp>

namespace lazyfuse {

std::string name_of(dtype type) {
  static constexpr const char* names[] = {"bool",    "int8",      "int16",      "int32",   "int64",    "uint8",
                                          "uint16",  "uint32",    "uint64",     "float16", "bfloat16", "float32",
                                          "float64", "complex64", "complex128", "struct"};
  const std::string name = names[static_cast<int>(types_detail::component_of(type))];
  const int components = types_detail::components_of(type);
  return components > 0 ? "vec<" + name + ", " + std::to_string(components) + ">" : name;
}

}  // namespace lazyfuse
