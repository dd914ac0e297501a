// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a batch of expressions, written by program.py, is compiled with: inputs come from a file, results go to one.
#pragma once

#ifdef LAZYFUSE_CUDA
#include <lazyfuse/cuda.hpp>
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
  std::vector<char> results = {};

  void read(void* to, std::size_t bytes) {
    if (bytes > 0 && std::fread(to, 1, bytes, in) != bytes) std::abort();
  }
  void write(const void* from, std::size_t bytes) {
    results.insert(results.end(), static_cast<const char*>(from), static_cast<const char*>(from) + bytes);
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

/// Runs the cases from number FIRST on: batch IN OUT FIRST. places: where the inputs of each begin in IN. OUT has for
/// each "case", its number, its results, "done" or "fail", and the length of a text and the text; who crashes has its
/// number.
using function = void (*)(io&);
inline int run(int count, char** arguments, const function* cases, const long* places, int cases_count) {
  if (count != 4) return 2;
  io files{std::fopen(arguments[1], "rb")};
  std::FILE* const out = std::fopen(arguments[2], "wb");
  if (!files.in || !out) return 2;
  const auto put = [&] {
    if (std::fwrite(files.results.data(), 1, files.results.size(), out) != files.results.size()) std::abort();
    std::fflush(out);
    files.results.clear();
  };
  for (int k = std::atoi(arguments[3]); k < cases_count; ++k) {
    std::fseek(files.in, places[k], SEEK_SET);
    const std::int32_t number = k;
    files.write("case", 4);
    files.write(&number, sizeof(number));
    put();
    char text[1000] = "";
    try {
      cases[k](files);
    } catch (const std::exception& e) {
      std::snprintf(text, sizeof text, "throws %s", e.what());
      files.results.clear();
    }
    const auto length = static_cast<std::uint32_t>(std::strlen(text));
    files.write(length > 0 ? "fail" : "done", 4);
    files.write(&length, sizeof(length));
    files.write(text, length);
    put();
  }
  return std::fclose(out) == 0 ? 0 : 2;
}

}  // namespace fuzz
