// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The texts of what libraries say in numbers.
#include <lazyfuse/linalg/libraries.hpp>

#include <lazyfuse/error.hpp>

#include "core/text.hpp"

#include <string>

namespace lazyfuse::linalg_detail {

namespace {

/// "the matrix", or "matrix (1, 0) of (2, 3)".
std::string name_of_matrix(index_t number, const index_t* extents, int rank) {
  if (rank == 0) return "the matrix";
  index_t index[max_rank] = {};
  for (int k = rank - 1; k >= 0; --k) {
    index[k] = number % extents[k];
    number /= extents[k];
  }
  return "matrix " + text_of(index, rank) + " of " + text_of(extents, rank);
}

std::string text_of_failure(failure problem, int info) {
  if (problem == failure::no_convergence || info < 0)
    return " has no decomposition: the iteration does not converge, or an element is NaN";
  const std::string pivot = std::to_string(info - 1);
  if (problem == failure::singular) return " is singular: pivot " + pivot + " is zero";
  return " is not positive definite: pivot " + pivot + " is not positive";
}

}  // namespace

void check_info(const char* operation, failure problem, const int* info, const index_t* extents, int rank) {
  index_t count = 1;
  for (int k = 0; k < rank; ++k) count *= extents[k];
  for (index_t i = 0; i < count; ++i)
    if (info[i] != 0)
      throw linalg_error(std::string(operation) + ": " + name_of_matrix(i, extents, rank) +
                         text_of_failure(problem, info[i]) + place_asked());
}

void throw_library(const char* operation, const char* problem) {
  throw linalg_error(std::string(operation) + ": " + problem + place_asked());
}

}  // namespace lazyfuse::linalg_detail
