// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes what numpy.save writes, beside the file that is replaced when all has been written.
#include "io/npy.hpp"

#include <atomic>
#include <bit>
#include <filesystem>
#include <ostream>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lazyfuse::npy_detail {

namespace {

static_assert(std::endian::native == std::endian::little, "lazyfuse: .npy files are written in little endian");

/// Byte by byte what numpy.save writes: also the blanks in which the first extent could grow, and the end of the header
/// at a multiple of 64.
std::string header_of(const host_elements& x) {
  constexpr std::size_t fixed = 10, alignment = 64, room = 21;
  const element_name& e = named(x.type);
  std::string text = std::string("{'descr': '") + (e.bytes == 1 ? "|" : "<") + e.letters +
                     "', 'fortran_order': False, 'shape': " + text_of(x.extents, x.rank) + ", }";
  if (x.rank > 0) text.append(room - std::to_string(x.extents[0]).size(), ' ');
  text.append(alignment - (fixed + text.size() + 1) % alignment, ' ');
  text += '\n';
  std::string all = "\x93NUMPY";
  for (const std::size_t byte : {std::size_t{1}, std::size_t{0}, text.size() & 255, text.size() >> 8})
    all += static_cast<char>(byte);
  return all + text;
}
std::size_t bytes_of(const host_elements& x) {
  std::size_t bytes = static_cast<std::size_t>(named(x.type).bytes);
  for (int k = 0; k < x.rank; ++k) bytes *= static_cast<std::size_t>(x.extents[k]);
  return bytes;
}

/// An open file of the system's, so that an error is seen where it occurs.
class output_file {
 public:
  explicit output_file(int descriptor) : descriptor_(descriptor) {}
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;
  ~output_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int descriptor() const { return descriptor_; }

  void write(const void* from, std::size_t bytes, const request& r) const {
    const char* p = static_cast<const char*>(from);
    while (bytes > 0) {
      const ssize_t n = ::write(descriptor_, p, bytes);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) r.fail_with_errno("cannot be written");
      p += n;
      bytes -= static_cast<std::size_t>(n);
    }
  }
  void close(const request& r) {
    if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) r.fail_with_errno("cannot be written");
  }

 private:
  int descriptor_;
};

void write_all(output_file& out, const host_elements& x, const request& r) {
  if (out.descriptor() < 0) r.fail_with_errno("cannot be opened");
  const std::string header = header_of(x);
  out.write(header.data(), header.size(), r);
  out.write(x.data, bytes_of(x), r);
  out.close(r);
}

/// A new file beside another: gone at the end unless it has taken the other's place.
class replacement {
 public:
  replacement(const std::string& of, mode_t mode) {
    static std::atomic<unsigned> count{0};
    const std::string stem = of + "." + std::to_string(::getpid()) + "-";
    do {
      name_ = stem + std::to_string(++count) + ".part";
      descriptor_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    } while (descriptor_ < 0 && errno == EEXIST);
    exists_ = descriptor_ >= 0;
  }
  replacement(const replacement&) = delete;
  replacement& operator=(const replacement&) = delete;
  ~replacement() {
    if (exists_) ::unlink(name_.c_str());
  }
  int descriptor() const { return descriptor_; }
  void put(const char* at, const request& r) {
    if (::rename(name_.c_str(), at) != 0) r.fail_with_errno("cannot be replaced");
    exists_ = false;
  }

 private:
  std::string name_;
  int descriptor_ = -1;
  bool exists_ = false;
};

}  // namespace

void save(const char* path, const host_elements& x, caller where) {
  const request r{"save", path, where};
  struct stat old {};
  const bool exists = ::stat(path, &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) {
    output_file out(::open(path, O_WRONLY | O_CLOEXEC));
    return write_all(out, x, r);
  }
  // a link stays: what it points to is replaced
  std::error_code none;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, none);
  const std::string target = none ? path : resolved.string();
  if (exists && ::access(path, W_OK) != 0) r.fail_with_errno("cannot be written");
  replacement file(target, exists ? 0600 : 0666);  // what was private is so from the beginning
  output_file out(file.descriptor());
  if (exists && out.descriptor() >= 0 && ::fchmod(out.descriptor(), old.st_mode & 0777) != 0)
    r.fail_with_errno("cannot be given the old file's permissions");
  write_all(out, x, r);
  file.put(target.c_str(), r);
}

void save(std::ostream& out, const host_elements& x, caller where) {
  const request r{"save", "the stream", where};
  std::streambuf* const to = out.rdbuf();
  if (!out || !to) r.fail("is in a failed state");
  const auto write = [&](const void* from, std::size_t bytes) {
    const auto n = static_cast<std::streamsize>(bytes);
    if (to->sputn(static_cast<const char*>(from), n) != n) r.fail("cannot be written");
  };
  const std::string header = header_of(x);
  write(header.data(), header.size());
  write(x.data, bytes_of(x));
  if (to->pubsync() != 0) r.fail("cannot be written");
}

}  // namespace lazyfuse::npy_detail
