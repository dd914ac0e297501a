// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices by OpenBLAS, where the library was built with it; used here and nowhere else.
#include <lazyfuse/backend/host/blas.hpp>
#include <lazyfuse/backend/host/threads.hpp>
#include <lazyfuse/backend/widest_vectors.hpp>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <mutex>
#include <string_view>

#if LAZYFUSE_HAS_BLAS
#include <cblas.h>
#endif

namespace lazyfuse::host_detail {

using tuned = dpp::tuning<dpp::reductions, host>;

namespace {

constexpr index_t parts(index_t n, index_t each) { return (n + each - 1) / each; }

}  // namespace

product_blocks blocks_of_product(index_t batches, index_t rows, index_t columns, index_t depth, int bytes_of_element) {
  const auto side = [](index_t n, index_t pieces) {  // whole units of the loops within the library
    constexpr index_t unit = 16;
    return parts(parts(n, pieces), unit) * unit;
  };
  const bool deep = depth > tuned::pieces_together * tuned::piece_of_depth;
  index_t height = tuned::block_rows_of_product, width = tuned::block_bytes_of_product / bytes_of_element;
  const auto remain = [&](index_t r, index_t c) {
    return batches * parts(rows, r) * parts(columns, c) >= tuned::least_large_blocks;
  };
  if (remain(2 * height, width)) {
    height *= 2;
    if (!deep && remain(height, 2 * width)) width *= 2;
  }
  index_t down = parts(rows, height), across = parts(columns, width);
  while (batches * down * across < tuned::least_blocks_of_product) {
    const index_t tall = side(rows, down), wide = side(columns, across);
    if (std::max(tall, wide) < 2 * tuned::least_side_of_block) break;
    ++(tall >= wide ? down : across);
  }
  product_blocks cut{side(rows, down), side(columns, across), 0, 0, deep, depth, 1};
  cut.down = parts(rows, cut.rows);
  cut.across = parts(columns, cut.columns);
  if (const index_t blocks = batches * cut.down * cut.across; blocks < tuned::least_blocks_of_product) {
    cut.depth = parts(parts(depth, tuned::most_chains / blocks), tuned::least_chain) * tuned::least_chain;
    cut.chains = parts(depth, cut.depth);
  }
  return cut;
}

index_t rows_of_vector_product(index_t rows, index_t depth, bool turned) {
  // Along rows the library reads several at once; along columns a task has the results of whole pages.
  const index_t least = turned ? tuned::least_columns_by_vector : tuned::least_rows_by_vector;
  if (!has_blas() || rows < 2 * least || rows * depth < tuned::least_by_vector ||
      depth < (turned ? tuned::least_rows_by_vector : tuned::least_depth_by_vector))
    return 0;
  return std::max(least, parts(tuned::elements_by_vector, depth * least) * least);
}

#if LAZYFUSE_HAS_BLAS

namespace {

/// What openblas_get_parallel() says.
enum class own_threads { none, posix, openmp };
own_threads threads_of_library() {
  static const auto kind = static_cast<own_threads>(openblas_get_parallel());
  return kind;
}

/// The number of threads of the library is one for the whole process: the first of those who call it at a time takes
/// it, and the last one gives it back.
struct callers {
  std::mutex lock;
  int count = 0, threads_before = 1;
};
callers& all_callers() {
  static auto* const all = new callers;  // also of those who call when the program ends
  return *all;
}

CBLAS_TRANSPOSE order_of(const planning::matrix_layout& lies) { return lies.turned ? CblasTrans : CblasNoTrans; }

}  // namespace

bool has_blas() { return true; }
bool blas_pays(index_t rows, index_t columns, index_t depth) {
  return std::min(rows, columns) >= tuned::least_side_of_product &&
         static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(depth) >= tuned::least_products;
}
bool blas_lags(index_t rows, index_t columns, index_t depth) {
  // It takes a processor that it does not know for an older one.
  static const int bytes_of_library = [] {
    const std::string_view core = openblas_get_corename();
    for (const std::string_view old : {"Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Atom", "Nano",
                                       "Opteron", "Opteron_SSE3", "Barcelona", "Bobcat"})
      if (core == old) return 16;
    return core == "Haswell" || core == "Zen" ? 32 : 64;
  }();
  const double results = static_cast<double>(rows) * static_cast<double>(columns);
  return bytes_of_library < bytes_of_vectors && std::min(rows, columns) >= tuned::least_side_of_tiles &&
         depth >= tuned::least_depth_of_tiles && results >= tuned::least_results_of_tiles &&
         results * static_cast<double>(depth) >= tuned::least_products_of_tiles;
}

namespace {

void take_threads() {
  if (threads_of_library() != own_threads::posix) return;
  callers& all = all_callers();
  const std::lock_guard only(all.lock);
  if (all.count++ > 0) return;
  all.threads_before = openblas_get_num_threads();
  if (all.threads_before > 1) openblas_set_num_threads(1);
}
void give_threads_back() {
  if (threads_of_library() != own_threads::posix) return;
  callers& all = all_callers();
  const std::lock_guard only(all.lock);
  if (--all.count == 0 && all.threads_before > 1) openblas_set_num_threads(all.threads_before);
}

}  // namespace

void call_blas(void (*body)(void*), void* context) {
  if (threads_of_library() == own_threads::openmp) return in_one_thread(body, context);
  std::unique_lock alone(all_callers().lock, std::defer_lock);
  if (threads_of_library() == own_threads::none) alone.lock();  // it may have no locks of its own
  body(context);
}

namespace {

/// Adds: to what is there.
void multiply_piece(const block_product& b, bool adds) {
  const auto m = static_cast<int>(b.rows), n = static_cast<int>(b.columns), k = static_cast<int>(b.depth);
  const auto left_pitch = static_cast<int>(b.left_lies.pitch), right_pitch = static_cast<int>(b.right_lies.pitch),
             pitch = static_cast<int>(b.pitch);
  const CBLAS_TRANSPOSE left = order_of(b.left_lies), right = order_of(b.right_lies);
  const auto real = [&]<class T>(auto gemm, T one) {
    gemm(CblasRowMajor, left, right, m, n, k, one, static_cast<const T*>(b.left), left_pitch,
         static_cast<const T*>(b.right), right_pitch, T(adds), static_cast<T*>(b.to), pitch);
  };
  const auto complex = [&]<class T>(auto gemm, T one) {
    const T alpha[] = {one, T(0)}, beta[] = {T(adds), T(0)};
    gemm(CblasRowMajor, left, right, m, n, k, alpha, b.left, left_pitch, b.right, right_pitch, beta, b.to, pitch);
  };
  // Results of a vector are added to zeros: some versions multiply by 0 what was there.
  const bool by_vector = n == 1 && right == CblasNoTrans;
  const int lines = b.left_lies.turned ? k : m, along = b.left_lies.turned ? m : k;
  const auto cleared = [&]<class T>() {
    auto* const to = static_cast<T*>(b.to);
    for (index_t r = 0; r < b.rows && !adds; ++r) to[r * b.pitch] = T();
    return to;
  };
  const auto real_by_vector = [&]<class T>(auto gemv, T one) {
    gemv(CblasRowMajor, left, lines, along, one, static_cast<const T*>(b.left), left_pitch,
         static_cast<const T*>(b.right), right_pitch, one, cleared.template operator()<T>(), pitch);
  };
  const auto complex_by_vector = [&]<class T>(auto gemv, T one) {
    const T factor[] = {one, T(0)};
    gemv(CblasRowMajor, left, lines, along, factor, b.left, left_pitch, b.right, right_pitch, factor,
         cleared.template operator()<std::complex<T>>(), pitch);
  };
  const auto call = [&] {
    if (by_vector) {
      if (b.type == dtype::float32) real_by_vector(cblas_sgemv, 1.0f);
      else if (b.type == dtype::float64) real_by_vector(cblas_dgemv, 1.0);
      else if (b.type == dtype::complex64) complex_by_vector(cblas_cgemv, 1.0f);
      else complex_by_vector(cblas_zgemv, 1.0);
    } else if (b.type == dtype::float32) real(cblas_sgemm, 1.0f);
    else if (b.type == dtype::float64) real(cblas_dgemm, 1.0);
    else if (b.type == dtype::complex64) complex(cblas_cgemm, 1.0f);
    else complex(cblas_zgemm, 1.0);
  };
  call_blas(call);
}

bool is_complex(dtype type) { return type == dtype::complex64 || type == dtype::complex128; }
index_t bytes_of(dtype type) { return (type == dtype::float32 ? 4 : 8) * (type == dtype::complex128 ? 2 : 1); }
const void* moved(const void* p, index_t bytes) { return static_cast<const std::byte*>(p) + bytes; }
void* moved(void* p, index_t bytes) { return static_cast<std::byte*>(p) + bytes; }

/// Adds blocks up, and what that loses.
template <class T>
void add(T* to, T* lost, const T* more, index_t n) {
  in_wide_vectors(
      [](T* total, T* rest, const T* next, index_t count) {
        for (index_t i = 0; i < count; ++i) {
          const T a = total[i], b = next[i], both = a + b;
          rest[i] += b - (both - a);
          total[i] = both;
        }
      },
      to, lost, more, n);
}
/// What is infinite or NaN has lost nothing.
template <class T>
void restore(T* to, const T* lost, index_t n) {
  for (index_t i = 0; i < n; ++i) to[i] = to[i] - to[i] == 0 ? to[i] + lost[i] : to[i];
}
/// f(T{}, n): by the components of n elements.
template <class F>
void by_components(dtype type, index_t n, const F& f) {
  if (is_complex(type)) n *= 2;
  if (type == dtype::float32 || type == dtype::complex64) f(float{}, n);
  else f(double{}, n);
}

}  // namespace

void multiply(const block_product& b) {
  // Along the rows of a matrix the products with a vector are added up in as many lanes at least.
  constexpr index_t lanes = 4;
  const index_t most = b.columns == 1 && !b.left_lies.turned ? lanes * tuned::piece_of_depth : tuned::piece_of_depth;
  const index_t bytes = bytes_of(b.type);
  // Pieces, of which the library adds some to the others.
  const auto sums_of = [&](index_t from, index_t depth, void* to) {
    block_product piece = b;
    piece.to = to;
    for (index_t k = from; k < from + depth; k += most) {
      const auto at = [&](const planning::matrix_layout& lies, bool along) {
        return k * bytes * (along != lies.turned ? 1 : lies.pitch);
      };
      piece.depth = std::min(from + depth - k, most);
      piece.left = moved(b.left, at(b.left_lies, true));
      piece.right = moved(b.right, at(b.right_lies, false));
      multiply_piece(piece, k > from);
    }
  };
  const index_t together = tuned::pieces_together * most;
  sums_of(0, std::min(b.depth, together), b.to);
  if (b.depth <= together) return;
  const index_t size = b.rows * b.pitch;
  void* const lost = moved(b.room, size * bytes);
  by_components(b.type, size, [&]<class T>(T, index_t n) {
    std::fill_n(static_cast<T*>(lost), n, T(0));
    for (index_t k = together; k < b.depth; k += together) {
      sums_of(k, std::min(b.depth - k, together), b.room);
      add(static_cast<T*>(b.to), static_cast<T*>(lost), static_cast<const T*>(b.room), n);
    }
    restore(static_cast<T*>(b.to), static_cast<const T*>(lost), n);
  });
}

void add_up(dtype type, void* blocks, index_t count, index_t apart, index_t size, void* room) {
  if (is_complex(type)) apart *= 2;
  by_components(type, size, [&]<class T>(T, index_t n) {
    auto* const all = static_cast<T*>(blocks);
    auto* const lost = static_cast<T*>(room);
    std::fill_n(lost, n, T(0));
    for (index_t k = 1; k < count; ++k) add(all, lost, all + k * apart, n);
    restore(all, lost, n);
  });
}

#else

bool has_blas() { return false; }
bool blas_pays(index_t, index_t, index_t) { return false; }
bool blas_lags(index_t, index_t, index_t) { return false; }
void multiply(const block_product&) {}
void add_up(dtype, void*, index_t, index_t, index_t, void*) {}

namespace {
void take_threads() {}
void give_threads_back() {}
}  // namespace

#endif

blas_calls::blas_calls() { take_threads(); }
blas_calls::~blas_calls() { give_threads_back(); }

}  // namespace lazyfuse::host_detail
