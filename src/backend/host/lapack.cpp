// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of matrices by LAPACK, of which OpenBLAS has Fortran's functions; used here and nowhere else.
#include <lazyfuse/backend/host/blas.hpp>
#include <lazyfuse/backend/host/threads.hpp>
#include <lazyfuse/linalg/libraries.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace lazyfuse::linalg_detail {

#if LAZYFUSE_HAS_BLAS

// Matrices of all types are void* here. At the end stand the lengths of strings, which Fortran's compilers add.
extern "C" {
using length = std::size_t;
using lu_function = void(const int* m, const int* n, void* a, const int* lda, int* pivots, int* info);
using lu_solver = void(const char* trans, const int* n, const int* nrhs, const void* a, const int* lda,
                       const int* pivots, void* b, const int* ldb, int* info, length);
using cholesky_function = void(const char* uplo, const int* n, void* a, const int* lda, int* info, length);
using qr_function = void(const int* m, const int* n, void* a, const int* lda, void* tau, void* work, const int* lwork,
                         int* info);
using q_function = void(const int* m, const int* n, const int* k, void* a, const int* lda, const void* tau, void* work,
                        const int* lwork, int* info);
using svd_of_reals = void(const char* jobz, const int* m, const int* n, void* a, const int* lda, void* s, void* u,
                          const int* ldu, void* vt, const int* ldvt, void* work, const int* lwork, int* iwork,
                          int* info, length);
using svd_of_complex = void(const char* jobz, const int* m, const int* n, void* a, const int* lda, void* s, void* u,
                            const int* ldu, void* vt, const int* ldvt, void* work, const int* lwork, void* rwork,
                            int* iwork, int* info, length);
using eigen_of_reals = void(const char* jobz, const char* uplo, const int* n, void* a, const int* lda, void* w,
                            void* work, const int* lwork, int* iwork, const int* liwork, int* info, length, length);
using eigen_of_complex = void(const char* jobz, const char* uplo, const int* n, void* a, const int* lda, void* w,
                              void* work, const int* lwork, void* rwork, const int* lrwork, int* iwork,
                              const int* liwork, int* info, length, length);
using general_eigen_of_reals = void(const char* jobvl, const char* jobvr, const int* n, void* a, const int* lda,
                                    void* re, void* im, void* vl, const int* ldvl, void* vr, const int* ldvr,
                                    void* work, const int* lwork, int* info, length, length);
using general_eigen_of_complex = void(const char* jobvl, const char* jobvr, const int* n, void* a, const int* lda,
                                      void* w, void* vl, const int* ldvl, void* vr, const int* ldvr, void* work,
                                      const int* lwork, void* rwork, int* info, length, length);
lu_function sgetrf_, dgetrf_, cgetrf_, zgetrf_;
lu_solver sgetrs_, dgetrs_, cgetrs_, zgetrs_;
cholesky_function spotrf_, dpotrf_, cpotrf_, zpotrf_;
qr_function sgeqrf_, dgeqrf_, cgeqrf_, zgeqrf_;
q_function sorgqr_, dorgqr_, cungqr_, zungqr_;
svd_of_reals sgesdd_, dgesdd_;
svd_of_complex cgesdd_, zgesdd_;
eigen_of_reals ssyevd_, dsyevd_;
eigen_of_complex cheevd_, zheevd_;
general_eigen_of_reals sgeev_, dgeev_;
general_eigen_of_complex cgeev_, zgeev_;
}

namespace {

/// The function of a type, of those for float, double and complex numbers of both.
template <class F>
F* for_type(dtype type, F* f, F* d, F* c, F* z) {
  return type == dtype::float32 ? f : type == dtype::float64 ? d : type == dtype::complex64 ? c : z;
}
bool is_complex(dtype type) { return type == dtype::complex64 || type == dtype::complex128; }
index_t bytes_of_real(dtype type) { return type == dtype::float32 || type == dtype::complex64 ? 4 : 8; }
index_t bytes_of(dtype type) { return bytes_of_real(type) * (is_complex(type) ? 2 : 1); }

int as_int(index_t n) {
  if (n > 0x7fffffff) throw_value("linalg: LAPACK counts rows and columns in 32 bits, and this matrix has more");
  return static_cast<int>(n);
}
/// What the library gives back as the size of a workspace: a number of the elements' type, which may have been rounded
/// down.
int size_from(dtype type, const void* answer) {
  const double size = type == dtype::float32 || type == dtype::complex64
                          ? std::ceil(std::nextafter(*static_cast<const float*>(answer), 1e30f))
                          : *static_cast<const double*>(answer);
  if (!(size <= 0x7fffffff)) throw_value("linalg: LAPACK counts its workspace in 32 bits, and this matrix wants more");
  return static_cast<int>(size);
}
/// n elements of any type.
class workspace {
 public:
  explicit workspace(index_t bytes) : words_(static_cast<std::size_t>(bytes / 16 + 1)) {}
  void* data() { return words_.data(); }

 private:
  struct alignas(16) word {
    std::byte bytes[16];
  };
  std::vector<word> words_;
};
/// call(work, lwork) once for the size that it wants, and then with so much.
template <class Call>
void with_workspace(dtype type, const Call& call) {
  double answer[2] = {};
  call(static_cast<void*>(answer), -1);
  const int size = std::max(1, size_from(type, answer));
  workspace work(size * bytes_of(type));
  call(work.data(), size);
}

/// Matrix i of the batch.
void* at(const matrices& m, index_t i) {
  return m.data ? static_cast<std::byte*>(m.data) + i * m.rows * m.columns * bytes_of(m.type) : nullptr;
}
void* at(void* p, index_t i, index_t n, index_t bytes) { return p ? static_cast<std::byte*>(p) + i * n * bytes : p; }

/// Whether n elements are numbers, and finite.
bool are_finite(dtype type, const void* data, index_t n) {
  if (is_complex(type)) n *= 2;
  const auto all = [n](const auto* x) { return std::all_of(x, x + n, [](auto v) { return std::isfinite(v); }); };
  return bytes_of_real(type) == 4 ? all(static_cast<const float*>(data)) : all(static_cast<const double*>(data));
}

/// body(i, first, count) of the columns of each matrix, as tasks of up to so many.
template <class Body>
void for_columns(const matrices& a, index_t most, double cost, const Body& body) {
  if (a.count == 0 || a.rows == 0 || a.columns == 0) return;
  const host_detail::blas_calls only;
  const index_t pieces = (a.columns + most - 1) / most;
  host_detail::for_tasks(a.count * pieces, cost, [&](index_t task) {
    const index_t first = task % pieces * most;
    host_detail::call_blas([&] { body(task / pieces, first, std::min(most, a.columns - first)); });
  });
}
/// Each matrix is a task of one thread.
template <class Body>
void for_matrices(const matrices& a, const Body& body) {
  const double small = static_cast<double>(std::min(a.rows, a.columns));
  const double cost = static_cast<double>(a.count) * static_cast<double>(a.rows * a.columns) * small;
  for_columns(a, std::max<index_t>(a.columns, 1), cost, [&](index_t i, index_t, index_t) { body(i); });
}

}  // namespace

void factor_lu(host, const char*, const matrices& a, index_t* pivots, int* info) {
  const int m = as_int(a.rows), n = as_int(a.columns);
  auto* const call = for_type(a.type, sgetrf_, dgetrf_, cgetrf_, zgetrf_);
  for_matrices(a, [&](index_t i) {
    std::vector<int> exchanged(static_cast<std::size_t>(std::min(m, n)));
    call(&m, &n, at(a, i), &m, exchanged.data(), info + i);
    std::copy(exchanged.begin(), exchanged.end(), pivots + i * std::min(m, n));
  });
}

void solve_by_lu(host, const char*, const matrices& lu, const index_t* pivots, const matrices& b, int*) {
  const int n = as_int(b.rows);
  auto* const call = for_type(b.type, sgetrs_, dgetrs_, cgetrs_, zgetrs_);
  // So many columns, whatever the number of threads, that what is packed of the factors is used often.
  constexpr index_t together = 128;
  const double cost = static_cast<double>(b.count * b.columns) * static_cast<double>(b.rows * b.rows);
  for_columns(b, together, cost, [&](index_t i, index_t first, index_t columns) {
    const index_t which = lu.count > 1 ? i : 0;
    const std::vector<int> exchanged(pivots + which * n, pivots + (which + 1) * n);
    const int count = as_int(columns);
    int info = 0;  // of arguments alone
    call("N", &n, &count, at(lu, which), &n, exchanged.data(), at(at(b, i), first, n, bytes_of(b.type)), &n, &info, 1);
  });
}

void factor_cholesky(host, const char*, const matrices& a, int* info) {
  const int n = as_int(a.rows);
  auto* const call = for_type(a.type, spotrf_, dpotrf_, cpotrf_, zpotrf_);
  for_matrices(a, [&](index_t i) {
    call("U", &n, at(a, i), &n, info + i, 1);
    // NaN is not found on the way, and is in the last element then.
    const index_t last = index_t{n} * n - 1;
    if (info[i] == 0 && !are_finite(a.type, at(at(a, i), last, 1, bytes_of(a.type)), 1)) info[i] = n;
  });
}

void factor_qr(host, const char*, const matrices& a, void* tau, int* info) {
  const int m = as_int(a.rows), n = as_int(a.columns);
  auto* const call = for_type(a.type, sgeqrf_, dgeqrf_, cgeqrf_, zgeqrf_);
  for_matrices(a, [&](index_t i) {
    with_workspace(a.type, [&](void* work, int size) {
      call(&m, &n, at(a, i), &m, at(tau, i, std::min(m, n), bytes_of(a.type)), work, &size, info + i);
    });
  });
}

void form_q(host, const char*, const matrices& q, index_t reflectors, const void* tau, int* info) {
  const int m = as_int(q.rows), n = as_int(q.columns), k = as_int(reflectors);
  auto* const call = for_type(q.type, sorgqr_, dorgqr_, cungqr_, zungqr_);
  for_matrices(q, [&](index_t i) {
    with_workspace(q.type, [&](void* work, int size) {
      call(&m, &n, &k, at(q, i), &m, at(const_cast<void*>(tau), i, k, bytes_of(q.type)), work, &size, info + i);
    });
  });
}

void factor_svd(host, const char*, const matrices& a, void* s, const matrices& u, void* vh, int* info) {
  const int m = as_int(a.rows), n = as_int(a.columns), all = std::max(m, n);
  const char* const job = !u.data ? "N" : u.columns == n ? "S" : "A";
  for_matrices(a, [&](index_t i) {
    if (!are_finite(a.type, at(a, i), index_t{m} * n)) {  // of which gesdd finds NaN alone
      info[i] = -4;
      return;
    }
    std::vector<int> integers(static_cast<std::size_t>(n) * 8);
    void* const values = at(s, i, n, bytes_of_real(a.type));
    void* const right = at(vh, i, index_t{n} * n, bytes_of(a.type));
    const index_t reals = index_t{n} * std::max(index_t{5} * n + 7, index_t{2} * all + 2 * index_t{n} + 1);
    workspace rwork(is_complex(a.type) ? reals * bytes_of_real(a.type) : 0);
    with_workspace(a.type, [&](void* work, int size) {
      if (is_complex(a.type))
        (a.type == dtype::complex64 ? cgesdd_ : zgesdd_)(job, &m, &n, at(a, i), &m, values, at(u, i), &m, right, &n,
                                                         work, &size, rwork.data(), integers.data(), info + i, 1);
      else
        (a.type == dtype::float32 ? sgesdd_ : dgesdd_)(job, &m, &n, at(a, i), &m, values, at(u, i), &m, right, &n, work,
                                                       &size, integers.data(), info + i, 1);
    });
  });
}

void factor_hermitian(host, const char*, const matrices& a, void* values, bool vectors, int* info) {
  const int n = as_int(a.rows);
  const char* const job = vectors ? "V" : "N";
  for_matrices(a, [&](index_t i) {
    void* const w = at(values, i, n, bytes_of_real(a.type));
    const auto call = [&](void* work, int size, void* reals, int size_of_reals, int* integers, int size_of_integers) {
      if (is_complex(a.type))
        (a.type == dtype::complex64 ? cheevd_ : zheevd_)(job, "L", &n, at(a, i), &n, w, work, &size, reals,
                                                         &size_of_reals, integers, &size_of_integers, info + i, 1, 1);
      else
        (a.type == dtype::float32 ? ssyevd_ : dsyevd_)(job, "L", &n, at(a, i), &n, w, work, &size, integers,
                                                       &size_of_integers, info + i, 1, 1);
    };
    double size[2] = {}, size_of_reals[2] = {};
    int size_of_integers = 0;
    call(size, -1, size_of_reals, -1, &size_of_integers, -1);
    const int elements = std::max(1, size_from(a.type, size)), reals = std::max(1, size_from(a.type, size_of_reals));
    workspace work(elements * bytes_of(a.type)), more(reals * bytes_of_real(a.type));
    std::vector<int> integers(static_cast<std::size_t>(std::max(1, size_of_integers)));
    call(work.data(), elements, more.data(), reals, integers.data(), size_of_integers);
  });
}

void factor_general(host, const char*, const matrices& a, void* values, void* vectors, int* info) {
  const int n = as_int(a.rows), one = 1;
  const char* const job = vectors ? "V" : "N";
  const bool reals = !is_complex(a.type);
  for_matrices(a, [&](index_t i) {
    if (!are_finite(a.type, at(a, i), index_t{n} * n)) {  // geev may not end, or give anything
      info[i] = -5;
      return;
    }
    const index_t bytes = bytes_of_real(a.type);
    workspace two_parts(2 * n * bytes);  // all real parts, then all imaginary ones; of complex numbers room for geev
    void* const re = two_parts.data();
    void* const im = at(re, n, 1, bytes);
    void* const w = at(values, i, n, 2 * bytes);
    void* const v = at(vectors, i, index_t{n} * n, bytes_of(a.type));
    with_workspace(a.type, [&](void* work, int size) {
      if (reals)
        (bytes == 4 ? sgeev_ : dgeev_)("N", job, &n, at(a, i), &n, re, im, nullptr, &one, v, &n, work, &size, info + i,
                                       1, 1);
      else
        (bytes == 4 ? cgeev_ : zgeev_)("N", job, &n, at(a, i), &n, w, nullptr, &one, v, &n, work, &size, re, info + i,
                                       1, 1);
    });
    const auto pair = [&]<class T>(T* to) {
      for (int k = 0; k < n; ++k) {
        to[2 * k] = static_cast<const T*>(re)[k];
        to[2 * k + 1] = static_cast<const T*>(im)[k];
      }
    };
    if (reals && bytes == 4) pair(static_cast<float*>(w));
    else if (reals) pair(static_cast<double*>(w));
  });
}

#else

namespace {
[[noreturn]] void missing(const char* operation) {
  throw_library(operation,
                "LAPACK is not there: the library was built without OpenBLAS (LAZYFUSE_BLAS), so the host space has no "
                "linear algebra");
}
}  // namespace
void factor_lu(host, const char* operation, const matrices&, index_t*, int*) { missing(operation); }
void solve_by_lu(host, const char* operation, const matrices&, const index_t*, const matrices&, int*) {
  missing(operation);
}
void factor_cholesky(host, const char* operation, const matrices&, int*) { missing(operation); }
void factor_qr(host, const char* operation, const matrices&, void*, int*) { missing(operation); }
void form_q(host, const char* operation, const matrices&, index_t, const void*, int*) { missing(operation); }
void factor_svd(host, const char* operation, const matrices&, void*, const matrices&, void*, int*) {
  missing(operation);
}
void factor_hermitian(host, const char* operation, const matrices&, void*, bool, int*) { missing(operation); }
void factor_general(host, const char* operation, const matrices&, void*, void*, int*) { missing(operation); }

#endif

}  // namespace lazyfuse::linalg_detail
