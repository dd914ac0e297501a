// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "disk/folder.hpp"

#include "disk/sealed.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

namespace lazyfuse::disk_detail {

namespace fs = std::filesystem;

namespace {

/// Whether it is the user's, and nobody else may write it.
bool is_own(const struct stat& s) { return s.st_uid == ::geteuid() && (s.st_mode & (S_IWGRP | S_IWOTH)) == 0; }

bool read_all(int file, std::string& to) {
  for (std::size_t at = 0; at < to.size();) {
    const ssize_t n = ::read(file, to.data() + at, to.size() - at);
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
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

bool is_own_folder(const std::string& folder) {
  struct stat facts {};
  return !folder.empty() && ::lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && is_own(facts);
}

bool make_own_folder(const std::string& folder) {
  if (folder.empty()) return false;
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  ::mkdir(folder.c_str(), S_IRWXU);
  return is_own_folder(folder);
}

std::optional<std::string> read_own(const std::string& file, long most_bytes) {
  const descriptor from(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat facts {};
  if (from < 0 || ::fstat(from, &facts) != 0 || !S_ISREG(facts.st_mode) || !is_own(facts) || facts.st_size > most_bytes)
    return {};
  std::string text(static_cast<std::size_t>(facts.st_size), '\0');
  if (!read_all(from, text)) return {};
  return text;
}

void remove_half_written(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (at->path().filename().native().starts_with(half_written) &&
        fs::file_time_type::clock::now() - at->last_write_time(gone) > std::chrono::hours(1) && !gone)
      fs::remove(at->path(), gone);
  }
}

descriptor::~descriptor() {
  if (number_ >= 0) ::close(number_);
}

folder_lock::folder_lock(const std::string& folder)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) {
  for (int tries = 0; folder_ >= 0 && tries < 30'000; ++tries) {
    if (::flock(folder_, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}
folder_lock::~folder_lock() {
  if (folder_ >= 0) ::flock(folder_, LOCK_UN);  // a process that was forked meanwhile has the descriptor, too
}

}  // namespace lazyfuse::disk_detail
