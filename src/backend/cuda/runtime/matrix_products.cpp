// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuBLASLt: the algorithm of a product is asked for once for each form of it, and kept.
#include "backend/cuda/runtime/matrix_products.hpp"

#include "backend/cuda/runtime/capture.hpp"
#include "backend/cuda/runtime/devices.hpp"
#include "backend/cuda/runtime/order.hpp"
#include "backend/cuda/runtime/toolkit.hpp"
#include "core/keys.hpp"
#include "program/around_product.hpp"

#include <lazyfuse/backend/cuda/runtime/runtime.hpp>
#include <lazyfuse/error.hpp>

#include <cublasLt.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace lazyfuse::cuda_detail {

namespace {

/// What algorithms may ask for beside the matrices, as the library recommends it for this generation of processors.
constexpr std::size_t most_workspace = 32 << 20;
/// Forms of products that are remembered.
constexpr std::size_t most_forms = 512;

/// Descriptions are values here, which its header calls opaque structs; what its inline functions initialise them by.
struct cublas_functions {
  toolkit_library lt{"cublasLt"};
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtMatmul) multiply;
  decltype(&cublasLtMatmulDescInit_internal) init_operation;
  decltype(&cublasLtMatmulDescSetAttribute) set_of_operation;
  decltype(&cublasLtMatrixLayoutInit_internal) init_layout;
  decltype(&cublasLtMatrixLayoutSetAttribute) set_of_layout;
  decltype(&cublasLtMatmulPreferenceInit_internal) init_preference;
  decltype(&cublasLtMatmulPreferenceSetAttribute) set_of_preference;
  decltype(&cublasLtMatmulAlgoGetHeuristic) find_algorithm;

  cublas_functions() {
    lt.find(create, "cublasLtCreate");
    lt.find(multiply, "cublasLtMatmul");
    lt.find(init_operation, "cublasLtMatmulDescInit_internal");
    lt.find(set_of_operation, "cublasLtMatmulDescSetAttribute");
    lt.find(init_layout, "cublasLtMatrixLayoutInit_internal");
    lt.find(set_of_layout, "cublasLtMatrixLayoutSetAttribute");
    lt.find(init_preference, "cublasLtMatmulPreferenceInit_internal");
    lt.find(set_of_preference, "cublasLtMatmulPreferenceSetAttribute");
    lt.find(find_algorithm, "cublasLtMatmulAlgoGetHeuristic");
  }
};
cublas_functions& cublas() {
  static cublas_functions found;
  return found;
}
bool succeeded(cublasStatus_t status) { return status == CUBLAS_STATUS_SUCCESS; }

/// How the library names types: of the elements, and of what they are added up in. And how fast it multiplies matrices
/// of 2048 x 2048 on an NVIDIA H200 (2026-11-28).
struct type_names {
  cudaDataType_t element, scale;
  cublasComputeType_t compute;
  double products_per_us;
};
std::optional<type_names> names_of(dtype type) {
  switch (type) {
    case dtype_of<float>:
      if (rounds_factors(type)) return type_names{CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 150e6};
      return type_names{CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 25e6};
    case dtype_of<double>:
      return type_names{CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 30e6};
    case dtype_of<half>:
      return type_names{CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 300e6};
    case dtype_of<bfloat16>:
      return type_names{CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, 300e6};
    case dtype_of<complex<float>>:
      return type_names{CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F, 6e6};
    case dtype_of<complex<double>>:
      return type_names{CUDA_C_64F, CUDA_C_64F, CUBLAS_COMPUTE_64F, 7e6};
    default:
      return {};
  }
}

/// A product as the library describes it.
struct form {
  cublasLtMatmulDescOpaque_t operation;
  cublasLtMatrixLayoutOpaque_t x, y, added, to;
  cublasLtMatmulAlgo_t algorithm;
  std::size_t workspace = 0;
  bool possible = false;
};

/// Of all that begin so many bytes apart, from there on.
int alignment_of(const void* p, index_t apart) {
  return 1 << std::min(std::countr_zero(reinterpret_cast<std::uintptr_t>(p) | static_cast<std::uintptr_t>(apart)), 8);
}
int element_bytes(dtype type) {
  switch (type) {
    case dtype_of<half>:
    case dtype_of<bfloat16>:
      return 2;
    case dtype_of<float>:
      return 4;
    case dtype_of<complex<double>>:
      return 16;
    default:
      return 8;
  }
}
/// Where those of a batch begin.
const void* in_batch(const void* first, index_t elements, dtype type) {
  return static_cast<const char*>(first) + elements * element_bytes(type);
}

/// The matrix of rows x columns by columns, or its transpose. Returns whether it is transposed.
bool describe(cublasLtMatrixLayoutOpaque_t& layout, const matrix& m, index_t rows, index_t columns, index_t count,
              cudaDataType_t type, bool& good) {
  const cublas_functions& lt = cublas();
  const bool by_rows = !m.lies.turned;
  good = good &&
         succeeded(lt.init_layout(&layout, sizeof layout, type, static_cast<std::uint64_t>(by_rows ? columns : rows),
                                  static_cast<std::uint64_t>(by_rows ? rows : columns), m.lies.pitch));
  if (count > 1) {
    const auto batch = static_cast<std::int32_t>(count);
    const std::int64_t next = m.next;
    good = good && succeeded(lt.set_of_layout(&layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch)) &&
           succeeded(lt.set_of_layout(&layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &next, sizeof next));
  }
  return by_rows;
}

/// The same product with its result by columns, as the library writes it: bias is along its rows then.
products_of_matrices with_result_by_columns(const products_of_matrices& p) {
  if (p.to.lies.turned) return p;
  const auto turned = [](matrix m) {
    m.lies.turned = !m.lies.turned;
    return m;
  };
  products_of_matrices to = p;
  to.rows = p.columns;
  to.columns = p.rows;
  to.x = turned(p.y);
  to.y = turned(p.x);
  to.to = turned(p.to);
  to.added = turned(p.added);
  return to;
}

cublasLtEpilogue_t epilogue_of(const products_of_matrices& p) {
  switch (p.then) {
    case activation::relu:
      return p.has_bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    case activation::gelu:
      return p.has_bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    case activation::none:
      break;
  }
  return p.has_bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}
/// The choice of an algorithm asks how it is aligned, also where there is no memory yet.
bool set_bias(cublasLtMatmulDescOpaque_t& operation, const products_of_matrices& p, index_t batch = 0) {
  alignas(256) static const char somewhere[256] = {};
  const void* const bias = p.bias ? in_batch(p.bias, batch * p.far_bias, p.result) : somewhere;
  return !p.has_bias ||
         succeeded(cublas().set_of_operation(&operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias));
}

form form_of(cublasLtHandle_t handle, const products_of_matrices& p) {
  form f;
  const cublas_functions& lt = cublas();
  const type_names names = *names_of(p.factors), result = *names_of(p.result);
  bool good = succeeded(lt.init_operation(&f.operation, sizeof f.operation, names.compute, names.scale));
  const auto set = [&](cublasLtMatmulDescAttributes_t which, bool turned) {
    const cublasOperation_t operation = turned ? CUBLAS_OP_T : CUBLAS_OP_N;
    good = good && succeeded(lt.set_of_operation(&f.operation, which, &operation, sizeof operation));
  };
  set(CUBLASLT_MATMUL_DESC_TRANSA, describe(f.x, p.x, p.rows, p.depth, p.count, names.element, good));
  set(CUBLASLT_MATMUL_DESC_TRANSB, describe(f.y, p.y, p.depth, p.columns, p.count, names.element, good));
  const matrix& added = p.adds ? p.added : p.to;
  const bool to_by_rows = describe(f.to, p.to, p.rows, p.columns, p.count, result.element, good),
             added_by_rows = describe(f.added, added, p.rows, p.columns, p.count, result.element, good);
  good = good && !to_by_rows && !added_by_rows;
  if (const cublasLtEpilogue_t epilogue = epilogue_of(p); epilogue != CUBLASLT_EPILOGUE_DEFAULT) {
    good =
        good && succeeded(lt.set_of_operation(&f.operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
    good = good && set_bias(f.operation, p);
    if (const std::int64_t next = p.next_bias; next != 0)
      good = good &&
             succeeded(lt.set_of_operation(&f.operation, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, &next, sizeof next));
  }
  cublasLtMatmulPreferenceOpaque_t wanted;
  good = good && succeeded(lt.init_preference(&wanted, sizeof wanted));
  const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t which, auto value) {
    good = good && succeeded(lt.set_of_preference(&wanted, which, &value, sizeof value));
  };
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, most_workspace);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
         std::uint32_t(alignment_of(p.x.data, p.x.far * element_bytes(p.factors))));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
         std::uint32_t(alignment_of(p.y.data, p.y.far * element_bytes(p.factors))));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
         std::uint32_t(alignment_of(added.data, added.far * element_bytes(p.result))));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES,
         std::uint32_t(alignment_of(p.to.data, p.to.far * element_bytes(p.result))));
  if (!good) return f;
  cublasLtMatmulHeuristicResult_t best;
  int found = 0;
  f.possible =
      succeeded(lt.find_algorithm(handle, &f.operation, &f.x, &f.y, &f.added, &f.to, &wanted, 1, &best, &found)) &&
      found > 0 && succeeded(best.state);
  f.algorithm = best.algo;
  f.workspace = best.workspaceSize;
  return f;
}

/// The library's handle of each device, and the forms that products had there.
struct device_products {
  cublasLtHandle_t handle = nullptr;
  std::unordered_map<std::string, form> forms;
};

std::string key_of(const products_of_matrices& p) {
  std::string key;
  append_bytes(key, p.factors, p.result, p.rows, p.columns, p.depth, p.count, rounds_factors(p.factors), p.adds,
               p.has_bias, alignment_of(p.bias, p.far_bias * element_bytes(p.result)), p.next_bias, p.then);
  for (const matrix* m : {&p.x, &p.y, &p.to, p.adds ? &p.added : &p.to}) {
    const dtype type = m == &p.x || m == &p.y ? p.factors : p.result;
    append_bytes(key, m->lies.pitch, m->lies.turned, m->next, alignment_of(m->data, m->far * element_bytes(type)));
  }
  return key;
}

/// A copy, since the library takes descriptions that may change.
form known_form(const products_of_matrices& p, cublasLtHandle_t& handle) {
  static std::mutex mutex;
  static auto& devices = *new std::map<int, device_products>;
  const std::lock_guard lock(mutex);
  device_products& here = devices[current_device()];
  std::string key = key_of(p);
  if (const auto at = here.forms.find(key); at != here.forms.end()) {
    handle = here.handle;
    return at->second;
  }
  if (capturing(current_stream())) return {};  // the library may allocate
  if (!here.handle && !succeeded(cublas().create(&here.handle))) return {};
  handle = here.handle;
  if (here.forms.size() >= most_forms) here.forms.clear();
  return here.forms.try_emplace(std::move(key), form_of(handle, p)).first->second;
}

}  // namespace

double products_per_us(dtype factors, dtype result) {
  const std::optional<type_names> names = names_of(factors);
  const bool small = factors == dtype_of<half> || factors == dtype_of<bfloat16>;
  const bool known = names && (result == factors || (small && result == dtype_of<float>));
  return known && cublas().lt ? names->products_per_us : 0;
}

double products_per_us_and_more(dtype factors, dtype result, bool biased, const char* word) {
  const ir::step then = word ? ir::step_of_word(word) : ir::step::other;
  const bool known = computes(then == ir::step::relu        ? activation::relu
                              : then == ir::step::gelu_tanh ? activation::gelu
                                                            : activation::none,
                              biased, factors);
  return known ? products_per_us(factors, result) : 0;
}

bool rounds_factors(dtype factors) { return factors == dtype_of<float> && uses_tf32(); }

bool computes(activation then, bool has_bias, dtype factors) {
  const bool small = factors == dtype_of<half> || factors == dtype_of<bfloat16>;
  switch (then) {
    case activation::gelu:
      return small || rounds_factors(factors);
    case activation::relu:
      return small || factors == dtype_of<float>;
    case activation::none:
      break;
  }
  return !has_bias || small || factors == dtype_of<float>;
}

bool can_multiply(const products_of_matrices& p) {
  cublasLtHandle_t handle = nullptr;
  return known_form(with_result_by_columns(p), handle).possible;
}

bool multiply(const products_of_matrices& as_given) {
  const products_of_matrices p = with_result_by_columns(as_given);
  cublasLtHandle_t handle = nullptr;
  form f = known_form(p, handle);
  if (!f.possible || !set_bias(f.operation, p)) return false;
  scratch room;
  // Its own: an algorithm may be several kernels, and threads that share the stream come between them.
  if (f.workspace > 0) room = scratch_of_its_own(0, f.workspace);
  if (rehearsing()) return true;
  const bool wide = names_of(p.factors)->compute == CUBLAS_COMPUTE_64F;
  struct both {
    double d[2];
    float f[2];
    explicit both(const scale& s) : d{s.real, s.imaginary}, f{float(s.real), float(s.imaginary)} {}
    const void* of(bool is_wide) const { return is_wide ? static_cast<const void*>(d) : f; }
  };
  // Zero: what lies in the result is not read.
  const both of_product(p.of_product), of_added(p.adds ? p.of_added : scale{0, 0});
  for (index_t batch = 0; batch < p.batches; ++batch) {
    auto* const to = const_cast<void*>(in_batch(p.to.data, batch * p.to.far, p.result));
    const void* const added = p.adds ? in_batch(p.added.data, batch * p.added.far, p.result) : to;
    const bool done = (batch == 0 || set_bias(f.operation, p, batch)) &&
                      succeeded(cublas().multiply(
                          handle, &f.operation, of_product.of(wide), in_batch(p.x.data, batch * p.x.far, p.factors),
                          &f.x, in_batch(p.y.data, batch * p.y.far, p.factors), &f.y, of_added.of(wide), added,
                          &f.added, to, &f.to, &f.algorithm, room.partial, f.workspace, current_stream()));
    if (done) continue;
    if (batch == 0) return false;
    throw error("cublasLtMatmul failed in the middle of a batch of products");
  }
  return true;
}

}  // namespace lazyfuse::cuda_detail

namespace lazyfuse {

namespace {
std::atomic<bool>& tf32() {
  static std::atomic<bool> allowed{[] {
    const char* const text = std::getenv("LAZYFUSE_TF32");
    return text && std::string_view(text) == "on";
  }()};
  return allowed;
}
}  // namespace

void use_tf32(bool allowed) { tf32().store(allowed, std::memory_order_relaxed); }
bool uses_tf32() { return tf32().load(std::memory_order_relaxed); }

}  // namespace lazyfuse
