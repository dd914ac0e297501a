// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stand-in for cuBLASLt, beside that for the CUDA runtime, whose memory is the host's: it computes, with loops and as
// the manual says, activation(alpha * x * y + beta * c + bias), and refuses what the manual does not list. The library
// finds it by the loader's search.
#include <lazyfuse/core/types.hpp>

#include <cublasLt.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace {

namespace lf = lazyfuse;

/// What the opaque structs hold here.
struct operation {
  cublasComputeType_t compute;
  cudaDataType_t scale;
  cublasOperation_t x, y;
  cublasLtEpilogue_t epilogue;
  const void* bias;
  std::int64_t next_bias;
};
struct layout {
  cudaDataType_t type;
  std::uint64_t rows, columns;
  std::int64_t pitch, next;
  std::int32_t count;
};
static_assert(sizeof(operation) <= sizeof(cublasLtMatmulDescOpaque_t));
static_assert(sizeof(layout) <= sizeof(cublasLtMatrixLayoutOpaque_t));

template <class To, class From>
To& as(From* opaque) {
  return *reinterpret_cast<To*>(opaque);
}

template <class T>
struct in_matrix {
  const T* data;
  const layout& lies;
  bool turned;
  T at(std::int64_t product, std::uint64_t row, std::uint64_t column) const {
    if (turned) std::swap(row, column);
    return data[product * lies.next + static_cast<std::int64_t>(row) + static_cast<std::int64_t>(column) * lies.pitch];
  }
};
bool has(cublasLtEpilogue_t epilogue, cublasLtEpilogue_t part) { return (epilogue & part) != 0; }

/// T: of the factors; R: of the results; S: what is added up.
template <class T, class R, class S>
void multiply(const operation& o, const void* alpha, const void* x, const layout& lx, const void* y, const layout& ly,
              const void* beta, const void* c, const layout& lc, void* to, const layout& lt) {
  const in_matrix<T> left{static_cast<const T*>(x), lx, o.x != CUBLAS_OP_N},
      right{static_cast<const T*>(y), ly, o.y != CUBLAS_OP_N};
  const in_matrix<R> added{static_cast<const R*>(c), lc, false};
  const S of_product = *static_cast<const S*>(alpha), of_added = *static_cast<const S*>(beta);
  const std::uint64_t depth = left.turned ? lx.rows : lx.columns;
  const auto* const bias = static_cast<const R*>(o.bias);
  for (std::int64_t n = 0; n < lt.count; ++n)
    for (std::uint64_t j = 0; j < lt.columns; ++j)
      for (std::uint64_t i = 0; i < lt.rows; ++i) {
        S sum{};
        for (std::uint64_t k = 0; k < depth; ++k)
          sum += static_cast<S>(left.at(n, i, k)) * static_cast<S>(right.at(n, k, j));
        sum *= of_product;
        if (of_added != S(0)) sum += of_added * static_cast<S>(added.at(n, i, j));
        if constexpr (!std::is_same_v<S, std::complex<float>> && !std::is_same_v<S, std::complex<double>>) {
          if (has(o.epilogue, CUBLASLT_EPILOGUE_BIAS))
            sum += static_cast<S>(bias[n * o.next_bias + static_cast<std::int64_t>(i)]);
          if (has(o.epilogue, CUBLASLT_EPILOGUE_RELU)) sum = sum < 0 ? S(0) : sum;
          if (has(o.epilogue, CUBLASLT_EPILOGUE_GELU))
            sum = sum / 2 * (1 + std::tanh(S(0.7978845608028654) * (sum + S(0.044715) * sum * sum * sum)));
        }
        static_cast<R*>(to)[n * lt.next + static_cast<std::int64_t>(i) + static_cast<std::int64_t>(j) * lt.pitch] =
            R(sum);
      }
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  static int one;
  *handle = reinterpret_cast<cublasLtHandle_t>(&one);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t d, size_t, cublasComputeType_t compute,
                                               cudaDataType_t scale) {
  as<operation>(d) = {compute, scale, CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_EPILOGUE_DEFAULT, nullptr, 0};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t which,
                                              const void* value, size_t bytes) {
  auto& o = as<operation>(d);
  const auto set = [&](auto& to) {
    if (sizeof to != bytes) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(&to, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
  };
  switch (which) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return set(o.x);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return set(o.y);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return set(o.epilogue);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return set(o.bias);
    case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE:
      return set(o.next_bias);
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t l, size_t, cudaDataType type,
                                                 std::uint64_t rows, std::uint64_t columns, std::int64_t pitch) {
  as<layout>(l) = {type, rows, columns, pitch, 0, 1};
  return pitch < static_cast<std::int64_t>(rows) ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t l, cublasLtMatrixLayoutAttribute_t which,
                                                const void* value, size_t bytes) {
  auto& to = as<layout>(l);
  if (which == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT && bytes == sizeof to.count) std::memcpy(&to.count, value, bytes);
  else if (which == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET && bytes == sizeof to.next)
    std::memcpy(&to.next, value, bytes);
  else return CUBLAS_STATUS_INVALID_VALUE;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t, size_t) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t,
                                                    const void*, size_t) {
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t d, cublasLtMatrixLayout_t x,
                                              cublasLtMatrixLayout_t y, cublasLtMatrixLayout_t c,
                                              cublasLtMatrixLayout_t to, cublasLtMatmulPreference_t, int,
                                              cublasLtMatmulHeuristicResult_t found[], int* count) {
  const auto& o = as<operation>(d);
  const auto &lx = as<layout>(x), &ly = as<layout>(y), &lc = as<layout>(c), &lt = as<layout>(to);
  const bool turned_x = o.x != CUBLAS_OP_N, turned_y = o.y != CUBLAS_OP_N;
  const std::uint64_t rows = turned_x ? lx.columns : lx.rows, columns = turned_y ? ly.rows : ly.columns,
                      depth = turned_x ? lx.rows : lx.columns;
  const bool fits = rows == lt.rows && columns == lt.columns && depth == (turned_y ? ly.columns : ly.rows) &&
                    lc.rows == rows && lc.columns == columns && lc.type == lt.type && lx.type == ly.type &&
                    lx.count == lt.count && ly.count == lt.count && lc.count == lt.count;
  const bool biased = has(o.epilogue, CUBLASLT_EPILOGUE_BIAS);
  const bool real = lt.type == CUDA_R_32F || lt.type == CUDA_R_16F || lt.type == CUDA_R_16BF;
  const bool good = fits && (o.epilogue == CUBLASLT_EPILOGUE_DEFAULT || real) && (!biased || o.bias);
  *count = good ? 1 : 0;
  found[0].state = good ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
  found[0].workspaceSize = 0;
  return found[0].state;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t d, const void* alpha, const void* x,
                              cublasLtMatrixLayout_t lx, const void* y, cublasLtMatrixLayout_t ly, const void* beta,
                              const void* c, cublasLtMatrixLayout_t lc, void* to, cublasLtMatrixLayout_t lt,
                              const cublasLtMatmulAlgo_t*, void*, size_t, cudaStream_t) {
  const auto run = [&]<class T, class R, class S>(T, R, S) {
    multiply<T, R, S>(as<operation>(d), alpha, x, as<layout>(lx), y, as<layout>(ly), beta, c, as<layout>(lc), to,
                      as<layout>(lt));
    return CUBLAS_STATUS_SUCCESS;
  };
  const cudaDataType_t result = as<layout>(lt).type;
  switch (as<layout>(lx).type) {
    case CUDA_R_32F:
      return run(float(), float(), float());
    case CUDA_R_64F:
      return run(double(), double(), double());
    case CUDA_R_16F:
      return result == CUDA_R_32F ? run(lf::half(), float(), float()) : run(lf::half(), lf::half(), float());
    case CUDA_R_16BF:
      return result == CUDA_R_32F ? run(lf::bfloat16(), float(), float())
                                  : run(lf::bfloat16(), lf::bfloat16(), float());
    case CUDA_C_32F:
      return run(std::complex<float>(), std::complex<float>(), std::complex<float>());
    case CUDA_C_64F:
      return run(std::complex<double>(), std::complex<double>(), std::complex<double>());
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

}  // extern "C"
