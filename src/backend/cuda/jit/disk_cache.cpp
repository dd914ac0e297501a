// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file is written under a name of its own and then renamed, so that nobody reads half of one. It begins with a mark
// and a sum over the rest: key, names and binary, each behind its length.
#include "backend/cuda/jit/disk_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace lazyfuse::cuda_detail {

namespace fs = std::filesystem;

namespace {

constexpr char mark[] = "lazyfuse kernel 1\n";
constexpr std::size_t mark_size = sizeof mark - 1, head_size = mark_size + sizeof(std::uint64_t);

/// FNV-1a (Fowler, Noll, Vo), from another start for each use.
std::uint64_t hash_of(const char* data, std::size_t n, std::uint64_t start) {
  std::uint64_t h = 14695981039346656037ull ^ start;
  for (std::size_t i = 0; i < n; ++i) h = (h ^ static_cast<unsigned char>(data[i])) * 1099511628211ull;
  return h;
}

fs::path file_of(const std::string& folder, const std::string& key) {
  char name[48];
  std::snprintf(name, sizeof name, "%016llx%016llx.kernel",
                static_cast<unsigned long long>(hash_of(key.data(), key.size(), 0)),
                static_cast<unsigned long long>(hash_of(key.data(), key.size(), 1)));
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
bool write_all(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(file, text.data() + at, text.size() - at);
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

void put(std::string& to, const std::string& part) {
  const std::uint64_t size = part.size();
  to.append(reinterpret_cast<const char*>(&size), sizeof size);
  to += part;
}
/// The next part of a text; false if it ends earlier.
bool take(const std::string& from, std::size_t& at, std::string& part) {
  std::uint64_t size = 0;
  if (from.size() - at < sizeof size) return false;
  std::memcpy(&size, from.data() + at, sizeof size);
  at += sizeof size;
  if (size > from.size() - at) return false;
  part.assign(from, at, size);
  at += size;
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
  if (!read_all(file, text) || text.size() < head_size || text.compare(0, mark_size, mark) != 0) return {};
  std::uint64_t sum = 0;
  std::memcpy(&sum, text.data() + mark_size, sizeof sum);
  if (sum != hash_of(text.data() + head_size, text.size() - head_size, 0)) return {};
  compiled found;
  std::string stored_key, names;
  std::size_t at = head_size;
  if (!take(text, at, stored_key) || stored_key != key || !take(text, at, names) || !take(text, at, found.binary) ||
      at != text.size())
    return {};
  for (std::size_t begin = 0; begin < names.size();) {
    const std::size_t end = names.find('\n', begin);
    found.names.push_back(names.substr(begin, end - begin));
    begin = end == std::string::npos ? names.size() : end + 1;
  }
  ::futimens(file, nullptr);  // used now
  return found;
}

void store_kernel(const std::string& folder, const std::string& key, const compiled& kernel, long most_bytes) {
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  ::mkdir(folder.c_str(), S_IRWXU);
  if (!is_own_folder(folder)) return;
  std::string names, parts;
  for (const std::string& n : kernel.names) names += n + "\n";
  put(parts, key);
  put(parts, names);
  put(parts, kernel.binary);
  const std::uint64_t sum = hash_of(parts.data(), parts.size(), 0);
  std::string text = mark;
  text.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  text += parts;
  std::string written = folder + "/being_written.XXXXXX";
  const descriptor file(::mkostemp(written.data(), O_CLOEXEC));  // readable for the user alone
  if (file < 0) return;
  if (!write_all(file, text) || ::rename(written.c_str(), file_of(folder, key).c_str()) != 0) {
    ::unlink(written.c_str());
    return;
  }
  try {
    make_room(folder, file_of(folder, key), most_bytes);
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace lazyfuse::cuda_detail
