// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is asked of LAPACK on the host (src/backend/host/lapack.cpp) and of cuSOLVER on the GPU
// (src/backend/cuda/runtime/cusolver.cpp): factors of many matrices of one size, one after the other.
#pragma once

#include <lazyfuse/core/error.hpp>
#include <lazyfuse/core/space.hpp>
#include <lazyfuse/core/types.hpp>

namespace lazyfuse::linalg_detail {

/// Matrices of float, double or complex numbers that follow each other in memory of a space, each by columns without
/// gaps. On the GPU the memory is ordered with the current stream.
struct matrices {
  dtype type;
  index_t count, rows, columns;
  void* data;
};

// All work in place. info, one for each matrix, is 0 beforehand, and afterwards where all went well; it lies where the
// matrices do. Nothing is done with matrices without elements. Operations are named for errors, which say that the
// library is not there (linalg_error).

/// a = P L U, with U in and above the diagonal; pivots: for each row the one it was exchanged with, counted from 1.
/// info: k, if the k-th diagonal element of U is zero.
void factor_lu(host, const char* operation, const matrices& a, index_t* pivots, int* info);
void factor_lu(cuda, const char* operation, const matrices& a, index_t* pivots, int* info);
/// b = a^-1 b by the factors of a, which may be one for all b.
void solve_by_lu(host, const char* operation, const matrices& lu, const index_t* pivots, const matrices& b, int* info);
void solve_by_lu(cuda, const char* operation, const matrices& lu, const index_t* pivots, const matrices& b, int* info);
/// a = U^H U, reading and writing the upper triangle alone. info: the order of the first minor that is not positive.
void factor_cholesky(host, const char* operation, const matrices& a, int* info);
void factor_cholesky(cuda, const char* operation, const matrices& a, int* info);
/// a = Q R, with R in and above the diagonal, reflectors below it and their factors in tau: as many as the smaller
/// extent.
void factor_qr(host, const char* operation, const matrices& a, void* tau, int* info);
void factor_qr(cuda, const char* operation, const matrices& a, void* tau, int* info);
/// The columns of Q, from so many reflectors in the first columns of q.
void form_q(host, const char* operation, const matrices& q, index_t reflectors, const void* tau, int* info);
void form_q(cuda, const char* operation, const matrices& q, index_t reflectors, const void* tau, int* info);
/// a = U diag(s) V^H of matrices that have no fewer rows than columns; destroys a. u.columns are as many as rows or
/// columns of a; without u.data the singular values alone. vh: as many rows as columns.
void factor_svd(host, const char* operation, const matrices& a, void* s, const matrices& u, void* vh, int* info);
void factor_svd(cuda, const char* operation, const matrices& a, void* s, const matrices& u, void* vh, int* info);
/// Eigenvalues in ascending order of Hermitian matrices, of which the lower triangle is read; a becomes their vectors,
/// or is destroyed.
void factor_hermitian(host, const char* operation, const matrices& a, void* values, bool vectors, int* info);
void factor_hermitian(cuda, const char* operation, const matrices& a, void* values, bool vectors, int* info);
/// Eigenvalues, complex, in any order, of matrices of any kind, which are destroyed. vectors: none, or for each matrix
/// one of a's type whose columns are the vectors, of length 1; of real matrices, where a value is followed by its
/// conjugate, the real part of the first's, and in the next column the imaginary one.
void factor_general(host, const char* operation, const matrices& a, void* values, void* vectors, int* info);
void factor_general(cuda, const char* operation, const matrices& a, void* values, void* vectors, int* info);

/// What an info that is not 0 says.
enum class failure { singular, indefinite, no_convergence };
/// Throws linalg_error, which names the first matrix that failed, unless all info are 0.
void check_info(const char* operation, failure problem, const int* info, const index_t* extents, int rank);
/// "solve: LAPACK is not there: ..."
[[noreturn]] void throw_library(const char* operation, const char* problem);

}  // namespace lazyfuse::linalg_detail
