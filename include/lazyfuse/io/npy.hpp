// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of NumPy's format .npy: save, load and inspect.
#pragma once

#include <lazyfuse/evaluate/host_elements.hpp>

#include <iosfwd>
#include <string>
#include <vector>

namespace lazyfuse {

/// What names a file: a const char*, std::string or std::filesystem::path, for the length of a call.
struct file_name {
  const char* text;
  file_name(const char* t) : text(t) {}
  template <class Path>
    requires requires(const Path& p) {
      { p.c_str() } -> std::same_as<const char*>;
    }
  file_name(const Path& p) : text(p.c_str()) {}
};

/// What the header of a .npy file says of its array.
struct npy_header {
  dtype type;                  ///< dtype::other if arrays have no such elements
  std::string descr;           ///< the type as the file has it: "<f4", "[('x', '<i4'), ('y', '<f8')]"
  std::vector<index_t> shape;  ///< not negative; of any length
  bool fortran_order;          ///< whether the first axis is the dense one
};

namespace npy_detail {
void save(const char* path, const host_elements& x, caller where);
void save(std::ostream& out, const host_elements& x, caller where);

/// What a file must hold, and who has memory for it: allocate is called with the extents, once there are as many
/// elements in the file, and gives the place for them.
struct wanted {
  dtype type;
  int rank;
  void* array;
  void* (*allocate)(void* array, const index_t* extents);
};
void load(const char* path, const wanted& w, caller where);
void load(std::istream& in, const wanted& w, caller where);

template <class T, int R, class Space, class From>
array<T, R, Space> load_from(From& from, caller where) {
  constexpr dtype type = dtype_of<component_t<T>>;
  constexpr int rank = R + short_vector<T>;
  static_assert(type != dtype::other, "lazyfuse: only bool and numbers can be loaded");
  const asked_at at(where);
  array<T, R, host> x;
  const auto allocate = [](void* a, const index_t* extents) -> void* {
    shape<R> s;
    for (int k = 0; k < R; ++k) s[k] = extents[k];
    if constexpr (short_vector<T>)
      if (extents[R] != T::size)
        throw_shape("load", extents, rank, "has a different number of components in its last axis");
    array<T, R, host>& to = *static_cast<array<T, R, host>*>(a);
    to = array<T, R, host>(s, caller{});
    return to.unshared();
  };
  load(from, {type, rank, &x, allocate}, where);
  return to<Space>(x, caller{});
}
}  // namespace npy_detail

/// Evaluates e and writes it, byte by byte what numpy.save writes: row-major, little endian, version 1.0; bfloat16 as
/// '<V2', as ml_dtypes does. The name is taken as it is, without adding .npy. The elements go to a new file beside it
/// that then replaces it, so others see the old file or the new one, and an error leaves the old one; anything but a
/// regular file, such as a pipe, is written directly. Throws file_error, and what evaluating e throws. \numpy{save}
template <class E, class = maker>
  requires expression<E>
void save(file_name path, const E& e, caller where = caller::here()) {
  const asked_at at(where);
  with_elements(e, [&](const host_elements& x) { npy_detail::save(path.text, x, where); });
}
/// Appends to the stream and flushes it. Several arrays written one after the other are loaded in the same way.
template <class E, class = maker>
  requires expression<E>
void save(std::ostream& out, const E& e, caller where = caller::here()) {
  const asked_at at(where);
  with_elements(e, [&](const host_elements& x) { npy_detail::save(out, x, where); });
}

/// An array from a .npy file: versions 1 to 3, either byte order, row-major or Fortran order (whose elements are
/// rearranged). Element type and rank are those of the file: cast what is loaded. bfloat16 is what the file calls 'V2'.
/// Bytes after the array are ignored, as in NumPy. The file is not trusted: memory is allocated only for
/// elements that are there. Throws dtype_error or shape_error for another element type or rank, file_error for what is
/// not a .npy file or is truncated, memory_error. Elements vec<T, N> are the last axis of the file. \numpy{load}
template <element_type T, int Rank, memory_space Space = default_space>
array<T, Rank, Space> load(file_name path, caller where = caller::here()) {
  return npy_detail::load_from<T, Rank, Space>(path.text, where);
}
/// From the stream's place to the end of the array, where the next one may begin. A stream that cannot seek is read
/// into memory that grows with what has come.
template <element_type T, int Rank, memory_space Space = default_space>
array<T, Rank, Space> load(std::istream& in, caller where = caller::here()) {
  return npy_detail::load_from<T, Rank, Space>(in, where);
}

/// The header of a .npy file, also of one that load refuses. Throws file_error.
npy_header inspect(file_name path, caller where = caller::here());
/// From the stream's place; it is left where the elements begin.
npy_header inspect(std::istream& in, caller where = caller::here());

}  // namespace lazyfuse
