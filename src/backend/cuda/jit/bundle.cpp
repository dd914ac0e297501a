// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bundles are read and written whole. A process without a compiler runs from one.
#include "backend/cuda/jit/bundle.hpp"

#include "disk/sealed.hpp"

#include <lazyfuse/backend/cuda/launch/made.hpp>
#include <lazyfuse/error.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lazyfuse::cuda_detail {

using disk_detail::joined, disk_detail::opened, disk_detail::sealed, disk_detail::split, disk_detail::write_whole;

namespace {

constexpr std::string_view bundle_mark = "lazyfuse kernels 1\n";

struct kernels {
  std::mutex mutex;
  std::unordered_map<std::string, compiled> by_key;
  std::atomic<int> bundles{0};
};
kernels& known() {
  static auto& every = *new kernels;  // outlives what is packed when the process ends
  return every;
}

/// Key, names and binary of each kernel.
std::vector<std::string> texts_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw file_error("lazyfuse: '" + file + "' cannot be opened");
  std::string text;
  try {
    text.assign(std::istreambuf_iterator<char>(in), {});
  } catch (const std::ios_base::failure&) {  // a folder, say
    throw file_error("lazyfuse: '" + file + "' cannot be read");
  }
  std::optional<std::vector<std::string>> texts = opened(bundle_mark, text);
  if (!texts || texts->size() % 3 != 0)
    throw file_error("lazyfuse: '" + file + "' is no bundle of kernels, or is damaged: pack it again");
  return std::move(*texts);
}

int load(const std::string& file) {
  std::vector<std::string> texts = texts_of(file);
  kernels& k = known();
  const std::lock_guard lock(k.mutex);
  for (std::size_t i = 0; i < texts.size(); i += 3)
    k.by_key.try_emplace(std::move(texts[i]), compiled{std::move(texts[i + 2]), split(texts[i + 1]), ""});
  ++k.bundles;
  return static_cast<int>(texts.size() / 3);
}

/// What the environment asks for: said, and not thrown, where it cannot be done.
void do_or_say(void (*what)(const std::string&), const char* variable) {
  const char* const file = std::getenv(variable);
  if (!file || !*file) return;
  try {
    what(file);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s (%s)\n", e.what(), variable);
  }
}
void follow_environment() {
  static std::once_flag once;
  std::call_once(once, [] {
    const char *const from = std::getenv("LAZYFUSE_BUNDLE"), *const to = std::getenv("LAZYFUSE_PACK");
    // The first of the runs that collect kernels in one file finds none.
    const bool begins = from && to && std::string_view(from) == to && !std::filesystem::exists(from);
    if (!begins) do_or_say([](const std::string& file) { load(file); }, "LAZYFUSE_BUNDLE");
    if (to) std::atexit([] { do_or_say(pack_kernels, "LAZYFUSE_PACK"); });
  });
}

}  // namespace

compiled known_kernel(const std::string& key) {
  follow_environment();
  kernels& k = known();
  const std::lock_guard lock(k.mutex);
  const auto at = k.by_key.find(key);
  return at == k.by_key.end() ? compiled{} : at->second;
}
void remember_kernel(const std::string& key, const compiled& kernel) {
  kernels& k = known();
  const std::lock_guard lock(k.mutex);
  k.by_key.insert_or_assign(key, kernel);
}
int bundles_loaded() {
  follow_environment();
  return known().bundles.load(std::memory_order_acquire);
}

bool packs_at_the_end() {
  static const bool packs = std::getenv("LAZYFUSE_PACK") != nullptr;
  return packs;
}

}  // namespace lazyfuse::cuda_detail

namespace lazyfuse {

int load_kernels(const std::string& file) { return cuda_detail::load(file); }

void pack_kernels(const std::string& file) {
  using namespace cuda_detail;
  follow_environment();
  std::vector<std::string> texts;
  kernels& k = known();
  {
    const std::lock_guard lock(k.mutex);
    for (const auto& [key, kernel] : k.by_key) texts.insert(texts.end(), {key, joined(kernel.names), kernel.binary});
  }
  if (!write_whole(file, sealed(bundle_mark, texts), 0644))
    throw file_error("lazyfuse: '" + file + "' cannot be written");
}

}  // namespace lazyfuse
