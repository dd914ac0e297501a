// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file has the key, the names and the binary of one kernel.
#include "backend/cuda/jit/disk_cache.hpp"

#include "disk/folder.hpp"
#include "disk/sealed.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace lazyfuse::cuda_detail {

namespace fs = std::filesystem;
using namespace disk_detail;

namespace {

constexpr std::string_view mark = "lazyfuse kernel 1\n";

fs::path file_of(const std::string& folder, const std::string& key) {
  char name[48];
  std::snprintf(name, sizeof name, "%016llx%016llx.kernel", static_cast<unsigned long long>(hash_of(key, 0)),
                static_cast<unsigned long long>(hash_of(key, 1)));
  return fs::path(folder) / name;
}

/// Removes kernels but the one just written, those used longest ago first, until the others are few enough.
void make_room(const std::string& folder, const fs::path& written, long most_bytes) {
  struct found {
    fs::file_time_type used;
    fs::path path;
    long bytes;
  };
  std::vector<found> files;
  long all = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (at->path().extension() != ".kernel") continue;
    const found f{at->last_write_time(gone), at->path(), static_cast<long>(at->file_size(gone))};
    if (gone) continue;
    all += f.bytes;
    if (f.path != written) files.push_back(f);
  }
  if (all <= most_bytes) return;
  std::ranges::sort(files, {}, &found::used);
  for (const found& f : files) {
    if (all <= most_bytes) return;
    fs::remove(f.path, error);
    all -= f.bytes;
  }
}

}  // namespace

compiled load_kernel(const std::string& folder, const std::string& key) {
  if (!is_own_folder(folder)) return {};
  const std::string file = file_of(folder, key).string();
  const std::optional<std::string> text = read_own(file, 64 << 20);  // no kernel is that large
  if (!text) return {};
  std::optional<std::vector<std::string>> texts = opened(mark, *text);
  if (!texts || texts->size() != 3 || (*texts)[0] != key) return {};
  ::utimensat(AT_FDCWD, file.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);  // used now
  return {std::move((*texts)[2]), split((*texts)[1]), ""};
}

void store_kernel(const std::string& folder, const std::string& key, const compiled& kernel, long most_bytes) {
  if (!make_own_folder(folder)) return;
  const fs::path file = file_of(folder, key);
  if (!write_whole(file.string(), sealed(mark, {key, joined(kernel.names), kernel.binary}))) return;
  try {
    make_room(folder, file, most_bytes);
    remove_half_written(folder);
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace lazyfuse::cuda_detail
