// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The folder in which a process leaves what later ones need not compile or measure again, and its files. Only what
// nobody but the user could have written is read.
#pragma once

#include <optional>
#include <string>

namespace lazyfuse::disk_detail {

/// Where the files are: $LAZYFUSE_CACHE, else $XDG_CACHE_HOME/lazyfuse, else ~/.cache/lazyfuse; empty if there is none,
/// or LAZYFUSE_CACHE is "off".
std::string cache_folder();

/// Whether the folder is there, and the user's own.
bool is_own_folder(const std::string& folder);
/// Makes it, for the user alone, where it is not there. Whether it is then.
bool make_own_folder(const std::string& folder);

/// What is in a file; nothing unless it is the user's own, no link, and no larger than that.
std::optional<std::string> read_own(const std::string& file, long most_bytes);

/// Removes what processes that ended while they wrote have left.
void remove_half_written(const std::string& folder);

/// A descriptor of a file or folder; -1 if it could not be opened.
class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  ~descriptor();
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  operator int() const { return number_; }

 private:
  int number_;
};

/// Keeps other processes and threads that want the same from reading and replacing files of the folder. Nobody waits
/// for more than half a minute, or where files cannot be locked: one may then replace what another has just written.
class folder_lock {
 public:
  explicit folder_lock(const std::string& folder);
  ~folder_lock();
  folder_lock(const folder_lock&) = delete;
  folder_lock& operator=(const folder_lock&) = delete;

 private:
  descriptor folder_;
};

}  // namespace lazyfuse::disk_detail
