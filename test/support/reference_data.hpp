// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the reference cases that data/generate.py writes (the format is described there).
#pragma once

#include "arrays.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace test {

/// One file of named tensors.
class reference_data {
 public:
  explicit reference_data(const std::string& family) {
    const char* folder = std::getenv("LAZYFUSE_TEST_DATA");
#ifdef LAZYFUSE_TEST_DATA
    if (folder == nullptr) folder = LAZYFUSE_TEST_DATA;
#endif
    const std::string path = std::string(folder ? folder : "test/data") + "/" + family + ".bin";
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path + " (set LAZYFUSE_TEST_DATA to the folder test/data)");
    bytes_.assign(std::istreambuf_iterator<char>(in), {});
    if (take(8) != "LFCASES1") throw std::runtime_error(path + " is no file of reference cases");
    for (auto n = number<std::uint32_t>(); n > 0; --n) {
      const std::string name(take(number<std::uint32_t>()));
      entry e;
      e.code = number<std::uint8_t>();
      e.shape.resize(number<std::uint8_t>());
      for (auto& extent : e.shape) extent = number<std::int64_t>();
      constexpr std::size_t sizes[] = {1, 4, 8, 4, 8, 1, 1, 2, 1, 2, 4, 8, 2, 2, 8, 16};
      e.elements = take(sizes[e.code] * static_cast<std::size_t>(product(e.shape)));
      entries_[name] = e;
    }
  }

  bool has(const std::string& name) const { return entries_.count(name) != 0; }

  /// The tensor of that name; its element type must be T.
  template <class T>
  tensor<T> get(const std::string& name) const {
    const entry& e = find(name);
    const std::string found = names[e.code];
    if (found != name_of<T>()) throw std::runtime_error(name + " is " + found + ", not " + name_of<T>());
    tensor<T> t{e.shape};
    for (std::size_t i = 0; i < t.values.size(); ++i) {
      T value;
      std::memcpy(&value, e.elements.data() + i * sizeof(T), sizeof(T));
      t.values[i] = value;
    }
    return t;
  }

  std::string text(const std::string& name) const { return std::string(find(name).elements); }

 private:
  struct entry {
    unsigned code = 0;
    extents shape;
    std::string_view elements;
  };
  static constexpr const char* names[] = {"bool",    "int32",    "int64",     "float32",   "float64", "text",
                                          "int8",    "int16",    "uint8",     "uint16",    "uint32",  "uint64",
                                          "float16", "bfloat16", "complex64", "complex128"};

  const entry& find(const std::string& name) const {
    const auto i = entries_.find(name);
    if (i == entries_.end()) throw std::runtime_error("no reference case is called " + name + ": data/generate.py");
    return i->second;
  }
  std::string_view take(std::size_t n) {
    if (n > bytes_.size() - at_) throw std::runtime_error("a file of reference cases is cut short");
    at_ += n;
    return std::string_view(bytes_).substr(at_ - n, n);
  }
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  std::string bytes_;
  std::size_t at_ = 0;
  std::map<std::string, entry> entries_;
};

/// Whether an expression has the element type, shape and values of the answer of that name.
template <class E>
::testing::AssertionResult agrees(const E& e, const reference_data& answers, const std::string& name,
                                  const within& tolerance = {}) {
  const auto result = evaluates_to(e, answers.get<element_of<E>>(name), tolerance);
  return result ? result : ::testing::AssertionFailure() << name << ": " << result.message();
}

}  // namespace test
