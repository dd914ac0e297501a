// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels are compiled once for each architecture, and stay loaded.
#include "backend/cuda/jit/table.hpp"

#include "backend/cuda/jit/bundle.hpp"
#include "backend/cuda/jit/compiler.hpp"
#include "backend/cuda/jit/disk_cache.hpp"
#include "disk/folder.hpp"

#include <lazyfuse/backend/cuda/launch/made.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace lazyfuse::cuda_detail {

namespace {

int architecture() {
  int device = 0, major = 0, minor = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "cudaDeviceGetAttribute");
  return major * 10 + minor;
}

/// The numbers in the name of choices<4, 1, ...>, which compilers write as Li4ELi1E: choices, and then reads.
void read_choices(const std::string& name, made_kernel& to) {
  std::size_t at = name.find("choices"), n = 0;
  to.reads.clear();
  while ((at = name.find("Li", at)) != std::string::npos) {
    at += 2;
    const int number = std::atoi(name.c_str() + at);
    if (n < to.choices.size()) to.choices[n++] = number;
    else to.reads.push_back(number);
  }
}

std::atomic<long> compilations{0};

/// From the disk, or compiled and put there.
compiled stored_or_compiled(const kernel_source& source, const std::vector<std::string>& names, int target,
                            const std::string& key) {
  const std::string folder = disk_detail::cache_folder(), with_compiler = compiler_version() + "\n" + key;
  static const bool log = std::getenv("LAZYFUSE_JIT_LOG") != nullptr;
  compiled found = load_kernel(folder, with_compiler);
  if (!found.binary.empty()) {
    if (log) std::fprintf(stderr, "lazyfuse: %s found in %s\n", source.kernel.c_str(), folder.c_str());
    return found;
  }
  const auto begin = std::chrono::steady_clock::now();
  found = compile(source.text, names, target);
  if (log) {
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    std::fprintf(stderr, "lazyfuse: %s in %.0f ms\n%s\n%s%s\n", source.kernel.c_str(), ms, source.text.c_str(),
                 found.message.c_str(), found.binary.empty() ? "it could not be compiled" : "");
  }
  if (found.binary.empty()) return found;
  ++compilations;
  store_kernel(folder, with_compiler, found);
  return found;
}

/// Loads what was compiled. False if the device or its driver does not take it.
bool load(made_kernel& to, const compiled& made) {
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  cudaFuncAttributes attributes{};
  if (cudaLibraryLoadData(&library, made.binary.data(), nullptr, nullptr, 0, nullptr, nullptr, 0) != cudaSuccess ||
      cudaLibraryGetKernel(&kernel, library, made.names[0].c_str()) != cudaSuccess ||
      cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)) != cudaSuccess) {  // loads it now
    (void)cudaGetLastError();  // nobody asked for it
    return false;
  }
  read_choices(made.names[1], to);
  to.kernel = reinterpret_cast<const void*>(kernel);
  return true;
}

/// From a bundle, the disk, or the compiler. Where none has it, what was compiled with the program runs: slower, with
/// the same values.
void make(made_kernel& to, const kernel_source& source) {
  std::string choices = "&lazyfuse::cuda_detail::choices<";
  for (const std::string& n : source.choices) choices += (&n == &source.choices[0] ? "" : ", ") + ("int(" + n + ")");
  for (const std::string& n : source.reads) choices += ", int(" + n + ")";
  const std::vector<std::string> names{source.kernel, choices + ">"};
  const int target = architecture();
  const std::string key = compiled_with(target) + "\n" + names[0] + "\n" + names[1] + "\n" + source.text;
  const compiled known = known_kernel(key);
  if (!known.binary.empty() && load(to, known)) return;
  const compiled made = stored_or_compiled(source, names, target, key);
  if (made.binary.empty()) return;
  remember_kernel(key, made);
  load(to, made);
}

struct entry {
  std::mutex mutex;
  int bundles = -1;  ///< that were loaded when it was tried; none before
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
  const std::lock_guard lock(found->mutex);
  if (const int bundles = bundles_loaded(); !found->made && found->bundles != bundles) {
    make(found->made, source());
    found->bundles = bundles;
  }
  return found->made;
}

}  // namespace lazyfuse::cuda_detail

long lazyfuse::kernels_compiled() { return lazyfuse::cuda_detail::compilations.load(); }
