// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "disk/sealed.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace lazyfuse::disk_detail {

namespace {

/// The next text; false if the file ends earlier.
bool take(std::string_view from, std::size_t& at, std::string& text) {
  std::uint64_t size = 0;
  if (from.size() - at < sizeof size) return false;
  std::memcpy(&size, from.data() + at, sizeof size);
  at += sizeof size;
  if (size > from.size() - at) return false;
  text.assign(from.substr(at, size));
  at += size;
  return true;
}

}  // namespace

std::string sealed(std::string_view mark, const std::vector<std::string>& texts) {
  std::string body;
  for (const std::string& text : texts) {
    const std::uint64_t size = text.size();
    body.append(reinterpret_cast<const char*>(&size), sizeof size);
    body += text;
  }
  const std::uint64_t sum = hash_of(body, 0);
  std::string file(mark);
  file.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return file += body;
}

std::optional<std::vector<std::string>> opened(std::string_view mark, std::string_view file) {
  std::uint64_t sum = 0;
  std::size_t at = mark.size() + sizeof sum;
  if (file.size() < at || file.substr(0, mark.size()) != mark) return {};
  std::memcpy(&sum, file.data() + mark.size(), sizeof sum);
  if (sum != hash_of(file.substr(at), 0)) return {};
  std::vector<std::string> texts;
  while (at < file.size())
    if (!take(file, at, texts.emplace_back())) return {};
  return texts;
}

bool write_whole(const std::string& file, std::string_view text, unsigned mode) {
  const std::size_t name = file.find_last_of('/');
  std::string written = name == std::string::npos ? "" : file.substr(0, name + 1);
  written.append(half_written).append("XXXXXX");
  const int to = ::mkostemp(written.data(), O_CLOEXEC);
  if (to < 0) return false;
  bool good = true;
  while (good && !text.empty()) {
    const ssize_t n = ::write(to, text.data(), text.size());
    good = n > 0;
    if (good) text.remove_prefix(static_cast<std::size_t>(n));
  }
  good = ::fchmod(to, mode) == 0 && good;
  good = ::close(to) == 0 && good && ::rename(written.c_str(), file.c_str()) == 0;
  if (!good) ::unlink(written.c_str());
  return good;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& n : names) text += n + "\n";
  return text;
}
std::vector<std::string> split(std::string_view names) {
  std::vector<std::string> each;
  while (!names.empty()) {
    const std::size_t end = names.find('\n');
    each.emplace_back(names.substr(0, end));
    names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
  }
  return each;
}

}  // namespace lazyfuse::disk_detail
