// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a batch of expressions, written by program.py, is compiled with: inputs come from a file, results go to one.
#pragma once

#ifdef LAZYFUSE_CUDA
#include <lazyfuse/cuda.cuh>
#else
#include <lazyfuse/lazyfuse.hpp>
#endif

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <tuple>
#include <vector>

namespace lf = lazyfuse;

namespace fuzz {

/// An array in a file: a byte for the element type (lf::dtype), one for the rank, 64-bit extents, the elements.
struct io {
  std::FILE* in = nullptr;
  std::FILE* out = nullptr;

  void read(void* to, std::size_t bytes) {
    if (bytes > 0 && std::fread(to, 1, bytes, in) != bytes) std::abort();
  }
  void write(const void* from, std::size_t bytes) {
    if (bytes > 0 && std::fwrite(from, 1, bytes, out) != bytes) std::abort();
  }
  template <class T, int R>
  lf::array<T, R> input() {
    unsigned char head[2];
    read(head, 2);
    if (head[0] != static_cast<unsigned char>(lf::dtype_of<T>) || head[1] != R) std::abort();
    lf::shape<R> s;
    for (int k = 0; k < R; ++k) read(&s[k], sizeof(s[k]));
    lf::array<T, R, lf::host> x(s);
    read(static_cast<void*>(x.data()), static_cast<std::size_t>(x.size()) * sizeof(T));
    return lf::to<lf::default_space>(x);
  }
  template <class E>
  void output_one(const E& e) {
    using T = lf::value_t<E>;
    const auto x = lf::to<lf::host>(lf::materialize(e));
    const unsigned char head[2] = {static_cast<unsigned char>(lf::dtype_of<T>), static_cast<unsigned char>(x.rank)};
    write(head, 2);
    for (int k = 0; k < x.rank; ++k) {
      const std::int64_t n = x.shape()[k];
      write(&n, sizeof(n));
    }
    const auto& elements = x;
    write(elements.data(), static_cast<std::size_t>(x.size()) * sizeof(T));
  }
  template <class... E>
  void output(const E&... e) {
    if constexpr (sizeof...(E) == 1) (output_one(e), ...);
    else std::apply([this](const auto&... x) { (output_one(x), ...); }, lf::materialize(e...));
  }
};

/// Runs the cases from number `first` on: batch IN OUT FIRST. OUT has for each the place of its inputs in IN, which is
/// also where the next begin, whether it ended well, a text if it did not, and its results.
using function = void (*)(io&);
inline int run(int count, char** arguments, const function* cases, const long* places, int cases_count) {
  if (count != 4) return 2;
  io files{std::fopen(arguments[1], "rb"), std::fopen(arguments[2], "wb")};
  if (!files.in || !files.out) return 2;
  for (int k = std::atoi(arguments[3]); k < cases_count; ++k) {
    std::fseek(files.in, places[k], SEEK_SET);
    char text[1000] = "";
    const long begin = std::ftell(files.out);
    const std::int32_t number = k;
    files.write("case", 4);
    files.write(&number, sizeof(number));
    std::fflush(files.out);  // who crashes is known by it
    try {
      cases[k](files);
    } catch (const std::exception& e) {
      std::snprintf(text, sizeof text, "%s", e.what());
      std::fseek(files.out, begin + 8, SEEK_SET);
    }
    const auto length = static_cast<std::uint32_t>(std::strlen(text));
    files.write(length > 0 ? "fail" : "done", 4);
    files.write(&length, sizeof(length));
    files.write(text, length);
    std::fflush(files.out);
  }
  return std::fclose(files.out) == 0 ? 0 : 2;
}

}  // namespace fuzz
