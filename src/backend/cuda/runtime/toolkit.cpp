// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the libraries of the CUDA Toolkit are looked for.
#include "backend/cuda/runtime/toolkit.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdlib>

namespace lazyfuse::cuda_detail {

toolkit_library::toolkit_library(const std::string& name, int major_version) {
  const std::string file =
      "lib" + name + ".so." + std::to_string(major_version > 0 ? major_version : CUDART_VERSION / 1000);
  const char* const home = std::getenv("CUDA_HOME");
  for (const std::string& folder :
       {std::string(), home ? home + std::string("/lib64/") : "", std::string("/usr/local/cuda/lib64/")})
    if (!handle_) handle_ = dlopen((folder + file).c_str(), RTLD_NOW | RTLD_LOCAL);
}

void* toolkit_library::address_of(const char* symbol) const { return dlsym(handle_, symbol); }

}  // namespace lazyfuse::cuda_detail
