// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels are compiled once for each architecture, and stay loaded.
#include "backend/cuda/jit/table.hpp"

#include "backend/cuda/jit/compiler.hpp"

#include <lazyfuse/backend/cuda/launch/made.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace lazyfuse::cuda_detail {

namespace {

int architecture() {
  int device = 0, major = 0, minor = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "cudaDeviceGetAttribute");
  return major * 10 + minor;
}

/// The numbers in the name of numbers<4, 1, ...>, which compilers write as Li4ELi1E.
void read_numbers(const std::string& name, std::array<int, 4>& to) {
  std::size_t at = name.find("numbers");
  for (int& number : to) {
    at = name.find("Li", at);
    if (at == std::string::npos) return;
    at += 2;
    number = std::atoi(name.c_str() + at);
  }
}

std::atomic<long> compilations{0};

void make(made_kernel& to, const kernel_source& source) {
  ++compilations;
  std::string numbers = "&lazyfuse::cuda_detail::numbers<";
  for (const std::string& n : source.numbers) numbers += (&n == &source.numbers[0] ? "" : ", ") + ("int(" + n + ")");
  const compiled made = compile(source.text, {source.kernel, numbers + ">"}, architecture());
  if (made.binary.empty()) {
    // What cannot be made runs as it was compiled: slower, and with the same values.
    if (std::getenv("LAZYFUSE_JIT_ERRORS"))
      std::fprintf(stderr, "lazyfuse: a kernel could not be compiled: %s\n%s\n", made.message.c_str(),
                   source.text.c_str());
    return;
  }
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  check(cudaLibraryLoadData(&library, made.binary.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        "cudaLibraryLoadData");
  check(cudaLibraryGetKernel(&kernel, library, made.names[0].c_str()), "cudaLibraryGetKernel");
  read_numbers(made.names[1], to.numbers);
  to.kernel = reinterpret_cast<const void*>(kernel);
}

struct entry {
  std::once_flag once;
  made_kernel made;
};

}  // namespace

made_kernel& made_for(const std::string& key, const std::function<kernel_source()>& source) {
  static std::shared_mutex mutex;
  static auto& table = *new std::unordered_map<std::string, std::unique_ptr<entry>>;  // outlives what still launches
  entry* found = nullptr;
  {
    const std::shared_lock lock(mutex);
    if (const auto at = table.find(key); at != table.end()) found = at->second.get();
  }
  if (!found) {
    const std::lock_guard lock(mutex);
    std::unique_ptr<entry>& at = table[key];
    if (!at) at = std::make_unique<entry>();
    found = at.get();
  }
  std::call_once(found->once, [&] { make(found->made, source()); });
  return found->made;
}

}  // namespace lazyfuse::cuda_detail

long lazyfuse::kernels_compiled() { return lazyfuse::cuda_detail::compilations.load(); }
