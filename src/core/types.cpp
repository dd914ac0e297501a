// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's names of element types.
#include <lazyfuse/core/types.hpp>

#include <map>
#include <mutex>
#include <string>

namespace lazyfuse {

const char* name_of(dtype type) {
  static constexpr const char* names[] = {"bool",    "int8",      "int16",      "int32",   "int64",    "uint8",
                                          "uint16",  "uint32",    "uint64",     "float16", "bfloat16", "float32",
                                          "float64", "complex64", "complex128", "struct"};
  const char* const name = names[static_cast<int>(types_detail::component_of(type))];
  const int components = types_detail::components_of(type);
  if (components == 0) return name;
  static std::mutex mutex;
  static std::map<dtype, std::string> of_vectors;  // made when they are first asked for
  const std::lock_guard lock(mutex);
  std::string& made = of_vectors[type];
  if (made.empty()) made = std::string("vec<") + name + ", " + std::to_string(components) + ">";
  return made.c_str();
}

}  // namespace lazyfuse
