// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file has the key, the names and the binary of one kernel.
#include "backend/cuda/jit/disk_cache.hpp"

#include "backend/cuda/jit/sealed.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace lazyfuse::cuda_detail {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view mark = "lazyfuse kernel 1\n";

fs::path file_of(const std::string& folder, const std::string& key) {
  char name[48];
  std::snprintf(name, sizeof name, "%016llx%016llx.kernel", static_cast<unsigned long long>(hash_of(key, 0)),
                static_cast<unsigned long long>(hash_of(key, 1)));
  return fs::path(folder) / name;
}

/// A descriptor of a file or folder; -1 if it could not be opened.
class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  operator int() const { return number_; }

 private:
  int number_;
};

/// Whether it is the user's, and nobody else may write it.
bool is_own(const struct stat& s) { return s.st_uid == ::geteuid() && (s.st_mode & (S_IWGRP | S_IWOTH)) == 0; }

/// Whether the folder is there, and the user's own.
bool is_own_folder(const std::string& folder) {
  struct stat facts {};
  return ::lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && is_own(facts);
}

bool read_all(int file, std::string& to) {
  for (std::size_t at = 0; at < to.size();) {
    const ssize_t n = ::read(file, to.data() + at, to.size() - at);
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

/// Removes files but the one just written, those used longest ago first, until the others are few enough; and what a
/// process that ended while it wrote has left.
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
    if (at->path().extension() != ".kernel") {
      if (fs::file_time_type::clock::now() - at->last_write_time(gone) > std::chrono::hours(1) && !gone)
        fs::remove(at->path(), gone);
      continue;
    }
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

std::string cache_folder() {
  const auto of = [](const char* name) {
    const char* const text = std::getenv(name);
    return std::string(text ? text : "");
  };
  if (const std::string own = of("LAZYFUSE_CACHE"); !own.empty()) return own == "off" ? "" : own;
  if (const std::string xdg = of("XDG_CACHE_HOME"); !xdg.empty()) return xdg + "/lazyfuse";
  const std::string home = of("HOME");
  return home.empty() ? "" : home + "/.cache/lazyfuse";
}

compiled load_kernel(const std::string& folder, const std::string& key) {
  if (folder.empty() || !is_own_folder(folder)) return {};
  const fs::path path = file_of(folder, key);
  const descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat facts {};
  constexpr off_t most = 64 << 20;  // no kernel is that large
  if (file < 0 || ::fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode) || !is_own(facts) || facts.st_size > most)
    return {};
  std::string text(static_cast<std::size_t>(facts.st_size), '\0');
  if (!read_all(file, text)) return {};
  std::optional<std::vector<std::string>> texts = opened(mark, text);
  if (!texts || texts->size() != 3 || (*texts)[0] != key) return {};
  compiled found{std::move((*texts)[2]), split((*texts)[1]), ""};
  ::futimens(file, nullptr);  // used now
  return found;
}

void store_kernel(const std::string& folder, const std::string& key, const compiled& kernel, long most_bytes) {
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  ::mkdir(folder.c_str(), S_IRWXU);
  if (!is_own_folder(folder)) return;
  const fs::path file = file_of(folder, key);
  if (!write_whole(file.string(), sealed(mark, {key, joined(kernel.names), kernel.binary}))) return;
  try {
    make_room(folder, file, most_bytes);
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace lazyfuse::cuda_detail
