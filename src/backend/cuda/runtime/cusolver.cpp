// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of matrices by cuSOLVER, which is loaded when the first one is asked for; used here and nowhere else.
#include <lazyfuse/backend/cuda/runtime/runtime.hpp>
#include <lazyfuse/linalg/libraries.hpp>

#include "backend/cuda/runtime/devices.hpp"
#include "backend/cuda/runtime/order.hpp"
#include "backend/cuda/runtime/toolkit.hpp"

#include <cusolverDn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace lazyfuse::linalg_detail {

namespace {

using std::int64_t;

struct library {
  cuda_detail::toolkit_library solver{"cusolver", CUSOLVER_VER_MAJOR};
  decltype(&cusolverDnCreate) create;
  decltype(&cusolverDnDestroy) destroy;
  decltype(&cusolverDnSetStream) set_stream;
  decltype(&cusolverDnCreateParams) create_params;
  decltype(&cusolverDnDestroyParams) destroy_params;
  decltype(&cusolverDnXgetrf_bufferSize) lu_size;
  decltype(&cusolverDnXgetrf) lu;
  decltype(&cusolverDnXgetrs) solve;
  decltype(&cusolverDnXpotrf_bufferSize) cholesky_size;
  decltype(&cusolverDnXpotrf) cholesky;
  decltype(&cusolverDnXgeqrf_bufferSize) qr_size;
  decltype(&cusolverDnXgeqrf) qr;
  decltype(&cusolverDnSorgqr_bufferSize) q_size_s;
  decltype(&cusolverDnDorgqr_bufferSize) q_size_d;
  decltype(&cusolverDnCungqr_bufferSize) q_size_c;
  decltype(&cusolverDnZungqr_bufferSize) q_size_z;
  decltype(&cusolverDnSorgqr) q_s;
  decltype(&cusolverDnDorgqr) q_d;
  decltype(&cusolverDnCungqr) q_c;
  decltype(&cusolverDnZungqr) q_z;
  decltype(&cusolverDnXgesvd_bufferSize) svd_size;
  decltype(&cusolverDnXgesvd) svd;
  decltype(&cusolverDnXsyevd_bufferSize) eigen_size;
  decltype(&cusolverDnXsyevd) eigen;
  decltype(&cusolverDnXgeev_bufferSize) general_size;
  decltype(&cusolverDnXgeev) general;

  library() {
    solver.find(create, "cusolverDnCreate");
    solver.find(destroy, "cusolverDnDestroy");
    solver.find(set_stream, "cusolverDnSetStream");
    solver.find(create_params, "cusolverDnCreateParams");
    solver.find(destroy_params, "cusolverDnDestroyParams");
    solver.find(lu_size, "cusolverDnXgetrf_bufferSize");
    solver.find(lu, "cusolverDnXgetrf");
    solver.find(solve, "cusolverDnXgetrs");
    solver.find(cholesky_size, "cusolverDnXpotrf_bufferSize");
    solver.find(cholesky, "cusolverDnXpotrf");
    solver.find(qr_size, "cusolverDnXgeqrf_bufferSize");
    solver.find(qr, "cusolverDnXgeqrf");
    solver.find(q_size_s, "cusolverDnSorgqr_bufferSize");
    solver.find(q_size_d, "cusolverDnDorgqr_bufferSize");
    solver.find(q_size_c, "cusolverDnCungqr_bufferSize");
    solver.find(q_size_z, "cusolverDnZungqr_bufferSize");
    solver.find(q_s, "cusolverDnSorgqr");
    solver.find(q_d, "cusolverDnDorgqr");
    solver.find(q_c, "cusolverDnCungqr");
    solver.find(q_z, "cusolverDnZungqr");
    solver.find(svd_size, "cusolverDnXgesvd_bufferSize");
    solver.find(svd, "cusolverDnXgesvd");
    solver.find(eigen_size, "cusolverDnXsyevd_bufferSize");
    solver.find(eigen, "cusolverDnXsyevd");
    solver.find(general_size, "cusolverDnXgeev_bufferSize");
    solver.find(general, "cusolverDnXgeev");
  }
};
const library& cusolver() {
  static const auto* const found = new library;
  return *found;
}

cudaDataType type_of(dtype type) {
  return type == dtype::float32     ? CUDA_R_32F
         : type == dtype::float64   ? CUDA_R_64F
         : type == dtype::complex64 ? CUDA_C_32F
                                    : CUDA_C_64F;
}
cudaDataType real_type_of(dtype type) {
  return type == dtype::float32 || type == dtype::complex64 ? CUDA_R_32F : CUDA_R_64F;
}
index_t bytes_of_real(dtype type) { return type == dtype::float32 || type == dtype::complex64 ? 4 : 8; }
index_t bytes_of(dtype type) {
  return bytes_of_real(type) * (type == dtype::complex64 || type == dtype::complex128 ? 2 : 1);
}
void* at(void* p, index_t i, index_t n, index_t bytes) { return p ? static_cast<std::byte*>(p) + i * n * bytes : p; }
/// Matrix i of the batch.
void* at(const matrices& m, index_t i) { return at(m.data, i, m.rows * m.columns, bytes_of(m.type)); }

/// The library's state for one stream of one device, whose work follows each other. One thread at a time uses it.
struct handles {
  cusolverDnHandle_t solver = nullptr;
  cusolverDnParams_t params = nullptr;
  int device = cuda_detail::current_device();
  std::mutex alone;

  handles() = default;
  handles(const handles&) = delete;
  handles& operator=(const handles&) = delete;
  ~handles() {
    const cuda_detail::device_scope there(device);
    if (params) cusolver().destroy_params(params);
    if (solver) cusolver().destroy(solver);
  }
};
/// Streams whose handles are kept.
constexpr std::size_t most_handles = 64;
/// Those of the current device and stream: streams by their numbers, which are not given twice.
std::shared_ptr<handles> handles_of(cudaStream_t stream) {
  static std::mutex mutex;
  static auto& all = *new std::map<std::pair<int, unsigned long long>, std::shared_ptr<handles>>;
  unsigned long long number = 0;
  cuda_detail::check(cudaStreamGetId(stream, &number), "cudaStreamGetId");
  const std::pair place(cuda_detail::current_device(), number);
  const std::lock_guard lock(mutex);
  if (const auto known = all.find(place); known != all.end()) return known->second;
  if (all.size() >= most_handles) all.clear();  // what is in use lives on
  return all.emplace(place, std::make_shared<handles>()).first->second;
}

/// A call of the library on the current stream, and nobody else's there meanwhile.
class call {
 public:
  explicit call(const char* operation) : operation_(operation), stream_(current_stream()) {
    if (!cusolver().solver)
      throw_library(operation, "cuSOLVER is not there: libcusolver of the CUDA Toolkit was not found");
    if (cuda_detail::capturing(stream_))
      throw_library(operation, "a stream that is captured into a graph cannot wait for what cuSOLVER answers");
    handles_ = handles_of(stream_);
    alone_ = std::unique_lock(handles_->alone);
    if (!handles_->solver) check(cusolver().create(&handles_->solver), "cusolverDnCreate");
    if (!handles_->params) check(cusolver().create_params(&handles_->params), "cusolverDnCreateParams");
    check(cusolver().set_stream(handles_->solver, stream_), "cusolverDnSetStream");
  }
  cusolverDnHandle_t solver() const { return handles_->solver; }
  cusolverDnParams_t params() const { return handles_->params; }
  cudaStream_t stream() const { return stream_; }
  void check(cusolverStatus_t status, const char* function) const {
    if (status == CUSOLVER_STATUS_SUCCESS) return;
    throw_library(operation_,
                  (std::string(function) + " failed with cusolverStatus_t " + std::to_string(status)).c_str());
  }

 private:
  const char* operation_;
  cudaStream_t stream_;
  std::shared_ptr<handles> handles_;
  std::unique_lock<std::mutex> alone_;
};

/// What the library asks for beside the matrices, ordered with the stream.
class workspace {
 public:
  workspace(const call& c, std::size_t on_device, std::size_t on_host)
      : stream_(c.stream()), device_bytes(on_device), host_bytes(on_host), host_(on_host) {
    if (on_device > 0) device_ = array<std::uint8_t, 1, cuda>(shape<1>{static_cast<index_t>(on_device)});
  }
  void* device() const { return device_.unshared(); }
  void* host() { return host_.empty() ? nullptr : host_.data(); }
  /// Memory of the host may be read until the stream has come so far.
  void used() const {
    if (host_bytes > 0) cuda_detail::check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

 private:
  cudaStream_t stream_;

 public:
  const std::size_t device_bytes, host_bytes;

 private:
  array<std::uint8_t, 1, cuda> device_;
  std::vector<std::byte> host_;
};

/// f(i) for each matrix.
template <class F>
void for_matrices(const matrices& a, const F& f) {
  for (index_t i = 0; i < a.count; ++i) f(i);
}
bool none(const matrices& a) { return a.count == 0 || a.rows == 0 || a.columns == 0; }

}  // namespace

static_assert(sizeof(index_t) == sizeof(int64_t));

void factor_lu(cuda, const char* operation, const matrices& a, index_t* pivots, int* info) {
  if (none(a)) return;
  const call c(operation);
  const cudaDataType type = type_of(a.type);
  std::size_t on_device = 0, on_host = 0;
  c.check(
      cusolver().lu_size(c.solver(), c.params(), a.rows, a.columns, type, a.data, a.rows, type, &on_device, &on_host),
      "cusolverDnXgetrf_bufferSize");
  workspace room(c, on_device, on_host);
  for_matrices(a, [&](index_t i) {
    c.check(cusolver().lu(c.solver(), c.params(), a.rows, a.columns, type, at(a, i), a.rows,
                          pivots + i * std::min(a.rows, a.columns), type, room.device(), room.device_bytes, room.host(),
                          room.host_bytes, info + i),
            "cusolverDnXgetrf");
    room.used();
  });
}

void solve_by_lu(cuda, const char* operation, const matrices& lu, const index_t* pivots, const matrices& b, int* info) {
  if (none(b)) return;
  const call c(operation);
  const cudaDataType type = type_of(b.type);
  for_matrices(b, [&](index_t i) {
    const index_t which = lu.count > 1 ? i : 0;
    c.check(cusolver().solve(c.solver(), c.params(), CUBLAS_OP_N, b.rows, b.columns, type, at(lu, which), b.rows,
                             pivots + which * b.rows, type, at(b, i), b.rows, info + which),
            "cusolverDnXgetrs");
  });
}

void factor_cholesky(cuda, const char* operation, const matrices& a, int* info) {
  if (none(a)) return;
  const call c(operation);
  const cudaDataType type = type_of(a.type);
  std::size_t on_device = 0, on_host = 0;
  c.check(cusolver().cholesky_size(c.solver(), c.params(), CUBLAS_FILL_MODE_UPPER, a.rows, type, a.data, a.rows, type,
                                   &on_device, &on_host),
          "cusolverDnXpotrf_bufferSize");
  workspace room(c, on_device, on_host);
  for_matrices(a, [&](index_t i) {
    c.check(cusolver().cholesky(c.solver(), c.params(), CUBLAS_FILL_MODE_UPPER, a.rows, type, at(a, i), a.rows, type,
                                room.device(), room.device_bytes, room.host(), room.host_bytes, info + i),
            "cusolverDnXpotrf");
    room.used();
  });
}

void factor_qr(cuda, const char* operation, const matrices& a, void* tau, int* info) {
  if (none(a)) return;
  const call c(operation);
  const cudaDataType type = type_of(a.type);
  std::size_t on_device = 0, on_host = 0;
  c.check(cusolver().qr_size(c.solver(), c.params(), a.rows, a.columns, type, a.data, a.rows, type, tau, type,
                             &on_device, &on_host),
          "cusolverDnXgeqrf_bufferSize");
  workspace room(c, on_device, on_host);
  for_matrices(a, [&](index_t i) {
    c.check(cusolver().qr(c.solver(), c.params(), a.rows, a.columns, type, at(a, i), a.rows, type,
                          at(tau, i, std::min(a.rows, a.columns), bytes_of(a.type)), type, room.device(),
                          room.device_bytes, room.host(), room.host_bytes, info + i),
            "cusolverDnXgeqrf");
    room.used();
  });
}

void form_q(cuda, const char* operation, const matrices& q, index_t reflectors, const void* tau, int* info) {
  if (none(q)) return;
  if (q.rows > 0x7fffffff) throw_library(operation, "cuSOLVER counts the rows of Q in 32 bits");
  const call c(operation);
  const auto m = static_cast<int>(q.rows), n = static_cast<int>(q.columns), k = static_cast<int>(reflectors);
  const auto form = [&]<class T>(auto* size_of, auto* function, T*) {
    int size = 0;
    c.check(size_of(c.solver(), m, n, k, static_cast<const T*>(q.data), m, static_cast<const T*>(tau), &size),
            "cusolverDnXorgqr_bufferSize");
    const workspace room(c, static_cast<std::size_t>(size) * sizeof(T), 0);
    for_matrices(q, [&](index_t i) {
      c.check(function(c.solver(), m, n, k, static_cast<T*>(at(q, i)), m, static_cast<const T*>(tau) + i * reflectors,
                       static_cast<T*>(room.device()), size, info + i),
              "cusolverDnXorgqr");
    });
  };
  const library& s = cusolver();
  if (q.type == dtype::float32) form(s.q_size_s, s.q_s, static_cast<float*>(nullptr));
  else if (q.type == dtype::float64) form(s.q_size_d, s.q_d, static_cast<double*>(nullptr));
  else if (q.type == dtype::complex64) form(s.q_size_c, s.q_c, static_cast<cuComplex*>(nullptr));
  else form(s.q_size_z, s.q_z, static_cast<cuDoubleComplex*>(nullptr));
}

void factor_svd(cuda, const char* operation, const matrices& a, void* s, const matrices& u, void* vh, int* info) {
  if (none(a)) return;
  const call c(operation);
  const cudaDataType type = type_of(a.type), real = real_type_of(a.type);
  // Of vectors on the right there are as many either way.
  const signed char left = !u.data ? 'N' : u.columns == a.columns ? 'S' : 'A', right = left;
  std::size_t on_device = 0, on_host = 0;
  c.check(cusolver().svd_size(c.solver(), c.params(), left, right, a.rows, a.columns, type, a.data, a.rows, real, s,
                              type, u.data, a.rows, type, vh, a.columns, type, &on_device, &on_host),
          "cusolverDnXgesvd_bufferSize");
  workspace room(c, on_device, on_host);
  for_matrices(a, [&](index_t i) {
    c.check(cusolver().svd(c.solver(), c.params(), left, right, a.rows, a.columns, type, at(a, i), a.rows, real,
                           at(s, i, a.columns, bytes_of_real(a.type)), type, at(u, i), a.rows, type,
                           at(vh, i, a.columns * a.columns, bytes_of(a.type)), a.columns, type, room.device(),
                           room.device_bytes, room.host(), room.host_bytes, info + i),
            "cusolverDnXgesvd");
    room.used();
  });
}

void factor_hermitian(cuda, const char* operation, const matrices& a, void* values, bool vectors, int* info) {
  if (none(a)) return;
  const call c(operation);
  const cudaDataType type = type_of(a.type), real = real_type_of(a.type);
  const cusolverEigMode_t mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  std::size_t on_device = 0, on_host = 0;
  c.check(cusolver().eigen_size(c.solver(), c.params(), mode, CUBLAS_FILL_MODE_LOWER, a.rows, type, a.data, a.rows,
                                real, values, type, &on_device, &on_host),
          "cusolverDnXsyevd_bufferSize");
  workspace room(c, on_device, on_host);
  for_matrices(a, [&](index_t i) {
    c.check(cusolver().eigen(c.solver(), c.params(), mode, CUBLAS_FILL_MODE_LOWER, a.rows, type, at(a, i), a.rows, real,
                             at(values, i, a.rows, bytes_of_real(a.type)), type, room.device(), room.device_bytes,
                             room.host(), room.host_bytes, info + i),
            "cusolverDnXsyevd");
    room.used();
  });
}

void factor_general(cuda, const char* operation, const matrices& a, void* values, void* vectors, int* info) {
  if (none(a)) return;
  const call c(operation);
  // Values of real matrices may be asked for as complex numbers, their vectors may not.
  const cudaDataType type = type_of(a.type), complex = bytes_of_real(a.type) == 4 ? CUDA_C_32F : CUDA_C_64F;
  const cusolverEigMode_t none = CUSOLVER_EIG_MODE_NOVECTOR, right = vectors ? CUSOLVER_EIG_MODE_VECTOR : none;
  const index_t n = a.rows, bytes = bytes_of(a.type);
  std::size_t on_device = 0, on_host = 0;
  c.check(cusolver().general_size(c.solver(), c.params(), none, right, n, type, a.data, n, complex, values, type,
                                  nullptr, n, type, vectors, n, type, &on_device, &on_host),
          "cusolverDnXgeev_bufferSize");
  workspace room(c, on_device, on_host);
  for_matrices(a, [&](index_t i) {
    c.check(cusolver().general(c.solver(), c.params(), none, right, n, type, at(a, i), n, complex,
                               at(values, i, n, 2 * bytes_of_real(a.type)), type, nullptr, n, type,
                               at(vectors, i, n * n, bytes), n, type, room.device(), room.device_bytes, room.host(),
                               room.host_bytes, info + i),
            "cusolverDnXgeev");
    room.used();
  });
}

}  // namespace lazyfuse::linalg_detail
