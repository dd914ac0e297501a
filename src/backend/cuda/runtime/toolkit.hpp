// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Libraries of the CUDA Toolkit that are loaded by name when they are first needed, so that programs run where they are
// not installed.
#pragma once

#include <string>

namespace lazyfuse::cuda_detail {

class toolkit_library {
 public:
  /// name: "nvrtc", say, of this toolkit's major version, or of its own; by the loader's own search, or where the
  /// toolkit is.
  explicit toolkit_library(const std::string& name, int major_version = 0);
  explicit operator bool() const { return handle_ != nullptr; }
  /// Takes a function out of it; without one of them it counts as not found.
  template <class F>
  void find(F& f, const char* symbol) {
    f = handle_ ? reinterpret_cast<F>(address_of(symbol)) : nullptr;
    if (!f) handle_ = nullptr;
  }

 private:
  void* handle_ = nullptr;
  void* address_of(const char* symbol) const;
};

}  // namespace lazyfuse::cuda_detail
