// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The texts of errors, and the one place where they are thrown.
#include <lazyfuse/core/error.hpp>
#include <lazyfuse/error.hpp>

#include "core/text.hpp"

#include <string>

namespace lazyfuse {

std::string text_of(const index_t* extents, int rank) {
  std::string s = "(";
  for (int k = 0; k < rank; ++k) s += (k > 0 ? ", " : "") + std::to_string(extents[k]);
  return s + (rank == 1 ? ",)" : ")");
}

namespace {

std::string place(caller where) {
  return where.line == 0 ? "" : std::string(" (") + where.file + ":" + std::to_string(where.line) + ")";
}

constinit thread_local caller asked;
constinit thread_local int askers = 0;

}  // namespace

asked_at::asked_at(caller where) noexcept {
  if (askers++ == 0) asked = where;
}
asked_at::~asked_at() {
  if (--askers == 0) asked = {};
}

std::string place_asked() { return place(asked); }

void throw_shapes(const char* operation, const index_t* a, int rank_a, const index_t* b, int rank_b,
                  const char* problem, caller where) {
  throw shape_error(std::string(operation) + ": shapes " + text_of(a, rank_a) + " and " + text_of(b, rank_b) + " " +
                    problem + place(where));
}

void throw_shape(const char* operation, const index_t* a, int rank, const char* problem, caller where) {
  throw shape_error(std::string(operation) + ": shape " + text_of(a, rank) + " " + problem + place(where));
}

void throw_index(const char* operation, index_t index, int axis, const index_t* shape, int rank, caller where) {
  throw index_error(std::string(operation) + " " + std::to_string(index) + " is out of bounds for axis " +
                    std::to_string(axis) + " of shape " + text_of(shape, rank) + place(where));
}

void throw_axis(const char* operation, int axis, const index_t* shape, int rank, caller where) {
  throw index_error(std::string(operation) + ": axis " + std::to_string(axis) + " is out of bounds for shape " +
                    text_of(shape, rank) + place(where));
}

void throw_unfit(const char* operation, long long value, bool negative, dtype type) {
  const std::string text = negative ? std::to_string(value) : std::to_string(static_cast<unsigned long long>(value));
  throw dtype_error(std::string(operation) + ": scalar " + text + " does not fit " + name_of(type));
}

void throw_unfit(const char* operation, dtype type) {
  throw dtype_error(std::string(operation) + ": not all elements fit " + name_of(type));
}

void throw_memory(const char* space, std::size_t bytes, const memory_request& wanted) {
  throw memory_error(std::string(wanted.operation) + ": could not allocate " + std::to_string(bytes) + " bytes of " +
                     space + " memory for " + name_of(wanted.type) + " of shape " +
                     text_of(wanted.extents, wanted.rank) + place(asked));
}

void throw_value(const char* problem, caller where) { throw index_error(problem + place(where)); }

void throw_borrow(const char* operation, const char* problem, caller where) {
  throw borrow_error(std::string(operation) + ": " + problem + place(where));
}

void throw_dtype(const char* operation, const char* problem, caller where) {
  throw dtype_error(std::string(operation) + ": " + problem + place(where));
}

void throw_file(const char* operation, const char* problem, caller where) {
  throw file_error(std::string(operation) + ": " + problem + place(where));
}

}  // namespace lazyfuse
