// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer's target for .npy files: any bytes are an array, the same one however they are read, or one of the errors
// that load promises. What was loaded is saved and loaded again.
#include <lazyfuse/error.hpp>
#include <lazyfuse/io/npy.hpp>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <sstream>
#include <streambuf>
#include <string>

namespace lf = lazyfuse;

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::cerr << "npy_reader: " << what << '\n';
  std::abort();
}

/// Bytes that can be read, but not counted beforehand.
class pipe_buffer : public std::streambuf {
 public:
  explicit pipe_buffer(const std::string& bytes) : bytes_(bytes) {
    setg(bytes_.data(), bytes_.data(), bytes_.data() + bytes_.size());
  }

 private:
  std::string bytes_;
};

struct loaded {
  lf::dtype type;
  std::vector<lf::index_t> extents;
  std::string bytes;
  lf::host_elements elements() const { return {bytes.data(), type, extents.data(), static_cast<int>(extents.size())}; }
  bool operator==(const loaded&) const = default;
};

/// What a template of load does, for the type and rank that are in the header.
std::optional<loaded> load(std::istream& in, lf::dtype type, int rank) {
  loaded x{type, std::vector<lf::index_t>(static_cast<std::size_t>(rank)), {}};
  const auto allocate = [](void* to, const lf::index_t* extents) -> void* {
    constexpr std::size_t sizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
    loaded& all = *static_cast<loaded*>(to);
    std::size_t bytes = sizes[static_cast<int>(all.type)];
    for (lf::index_t& n : all.extents) {
      n = *extents++;
      bytes *= static_cast<std::size_t>(n);
    }
    all.bytes.resize(bytes);
    return all.bytes.data();
  };
  try {
    lf::npy_detail::load(in, {type, rank, &x, allocate}, {});
  } catch (const lf::file_error&) {
    return {};
  } catch (const lf::dtype_error&) {
    return {};
  } catch (const lf::shape_error&) {
    return {};
  }
  return x;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file(reinterpret_cast<const char*>(data), size);
  lf::dtype type = lf::dtype::float32;
  int rank = 1;
  try {
    std::istringstream in(file);
    const lf::npy_header h = lf::inspect(in);
    if (h.type != lf::dtype::other) type = h.type;
    rank = static_cast<int>(h.shape.size());
    for (const lf::index_t n : h.shape) require(n >= 0, "a negative extent");
  } catch (const lf::file_error&) {
  }
  std::istringstream in(file);
  const auto x = load(in, type, rank);
  pipe_buffer buffer(file);
  std::istream pipe(&buffer);
  require(load(pipe, type, rank) == x, "a stream that cannot seek has another array");
  if (!x) return 0;
  if (type == lf::dtype::boolean)
    for (const char b : x->bytes) require(b == 0 || b == 1, "a bool that is neither false nor true");
  std::stringstream saved;
  lf::npy_detail::save(saved, x->elements(), {});
  require(load(saved, type, rank) == x, "what was saved is another array");
  return 0;
}
