// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of kernel nodes: read once, then kept here, since to ask for them takes as long as to set them.
#include "backend/cuda/launch/node_parameters.hpp"

#include "backend/cuda/runtime/devices.hpp"

#include <lazyfuse/error.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

namespace lazyfuse::cuda_detail {

namespace {

/// A function of the driver's, whose errors have the runtime's numbers.
template <class F>
F driver_function(const char* name, unsigned version) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &found), name);
  if (!function) check(cudaErrorNotSupported, name);
  return reinterpret_cast<F>(function);
}
constexpr unsigned cuda_12_0 = 12000, cuda_12_4 = 12040;

using driver_parameters = CUDA_KERNEL_NODE_PARAMS;
constexpr const char* get_parameters = "cuGraphKernelNodeGetParams";
driver_parameters parameters_of(cudaGraphNode_t n) {
  static const auto get = driver_function<CUresult (*)(CUgraphNode, driver_parameters*)>(get_parameters, cuda_12_0);
  driver_parameters p{};
  check(static_cast<cudaError_t>(get(n, &p)), get_parameters);
  return p;
}
/// Where a kernel's argument is, in bytes; none if it has fewer.
struct argument_place {
  std::size_t offset, size;
};
std::optional<argument_place> place_of_argument(const driver_parameters& p, std::size_t number) {
  static const auto of_function = driver_function<CUresult (*)(CUfunction, std::size_t, std::size_t*, std::size_t*)>(
      "cuFuncGetParamInfo", cuda_12_4);
  static const auto of_kernel = driver_function<CUresult (*)(CUkernel, std::size_t, std::size_t*, std::size_t*)>(
      "cuKernelGetParamInfo", cuda_12_4);
  argument_place at{};
  const CUresult status =
      p.func ? of_function(p.func, number, &at.offset, &at.size) : of_kernel(p.kern, number, &at.offset, &at.size);
  if (status == CUDA_ERROR_INVALID_VALUE) return std::nullopt;
  check(static_cast<cudaError_t>(status), "cuFuncGetParamInfo");
  return at;
}
constexpr auto no_offset = static_cast<std::size_t>(-1);

bool same_launch(const driver_parameters& a, const driver_parameters& b) {
  return a.func == b.func && a.kern == b.kern && a.gridDimX == b.gridDimX && a.gridDimY == b.gridDimY &&
         a.gridDimZ == b.gridDimZ && a.blockDimX == b.blockDimX && a.blockDimY == b.blockDimY &&
         a.blockDimZ == b.blockDimZ && a.sharedMemBytes == b.sharedMemBytes;
}

CUfunction function_of(const driver_parameters& p) {
  if (p.func) return p.func;
  static const auto of = driver_function<CUresult (*)(CUfunction*, CUkernel)>("cuKernelGetFunction", cuda_12_0);
  CUfunction function = nullptr;
  check(static_cast<cudaError_t>(of(&function, p.kern)), "cuKernelGetFunction");
  return function;
}

}  // namespace

bool waits_itself(cudaGraphNode_t n) {
  static const auto get = driver_function<CUresult (*)(CUgraphNode, driver_parameters*)>(get_parameters, cuda_12_0);
  static const auto name_of = driver_function<CUresult (*)(const char**, CUfunction)>("cuFuncGetName", cuda_12_4);
  static const auto ask =
      driver_function<CUresult (*)(int*, CUfunction_attribute, CUfunction)>("cuFuncGetAttribute", cuda_12_0);
  driver_parameters p{};
  const auto status = static_cast<cudaError_t>(get(n, &p));
  if (is_refusal(status)) return false;  // of kernels of libraries CUDA may not say it
  check(status, get_parameters);
  auto* const function = function_of(p);
  const char* name = nullptr;
  check(static_cast<cudaError_t>(name_of(&name, function)), "cuFuncGetName");
  // As names are mangled, with their lengths; template arguments, which may be named alike, come behind.
  static constexpr std::string_view space = "_ZN8lazyfuse11cuda_detail";
  static constexpr std::string_view waiting[] = {"14transform_flatI",       "17transform_stridedI",
                                                 "16transform_windowI",     "17transform_stencilI",
                                                 "20transform_unravelledI", "11reduce_rowsI"};
  if (!name) return false;
  const std::string_view mangled = name;
  const auto begins = [&](std::string_view w) { return mangled.substr(space.size()).starts_with(w); };
  const bool is_template = mangled.starts_with(space) && std::any_of(std::begin(waiting), std::end(waiting), begins);
  if (!is_template && mangled.find("9tell_nodeE") == std::string_view::npos) return false;
  // Compiled for an older architecture it does not.
  int compiled_for = 0;
  check(static_cast<cudaError_t>(ask(&compiled_for, CU_FUNC_ATTRIBUTE_PTX_VERSION, function)), "cuFuncGetAttribute");
  return compiled_for >= 90;
}

namespace {
constexpr const char* get_attribute = "cuGraphKernelNodeGetAttribute";
CUresult attribute_of(cudaGraphNode_t n, CUkernelNodeAttrID id, CUkernelNodeAttrValue* value) {
  static const auto get =
      driver_function<CUresult (*)(CUgraphNode, CUkernelNodeAttrID, CUkernelNodeAttrValue*)>(get_attribute, cuda_12_4);
  return get(n, id, value);
}
/// How many blocks form a cluster, and whether all blocks run at a time.
struct togetherness {
  unsigned cluster;
  bool together;
  bool operator==(const togetherness&) const = default;
};
togetherness togetherness_of(cudaGraphNode_t n) {
  const auto ask = [n](CUkernelNodeAttrID id) {
    CUkernelNodeAttrValue value{};
    const auto status = static_cast<cudaError_t>(attribute_of(n, id, &value));
    if (is_refusal(status)) return CUkernelNodeAttrValue{};  // of kernels of libraries CUDA may not say it
    check(status, get_attribute);
    return value;
  };
  return {std::max(ask(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim.x, 1u),
          ask(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative != 0};
}
}  // namespace

bool run_together_alike(cudaGraphNode_t a, cudaGraphNode_t b) { return togetherness_of(a) == togetherness_of(b); }

cudaError_t let_kernels_change(cudaGraphNode_t n, cudaGraphDeviceNode_t* node) {
  static const auto set = driver_function<CUresult (*)(CUgraphNode, CUkernelNodeAttrID, const CUkernelNodeAttrValue*)>(
      "cuGraphKernelNodeSetAttribute", cuda_12_4);
  constexpr CUkernelNodeAttrID updatable = CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE;
  CUkernelNodeAttrValue value{};
  value.deviceUpdatableKernelNode.deviceUpdatable = 1;
  CUresult status = set(n, updatable, &value);
  if (status == CUDA_SUCCESS) status = attribute_of(n, updatable, &value);
  *node = value.deviceUpdatableKernelNode.devNode;
  return static_cast<cudaError_t>(status);
}

bool is_refusal(cudaError_t status) {
  return status == cudaErrorNotSupported || status == cudaErrorInvalidValue ||
         status == cudaErrorInvalidDeviceFunction || status == cudaErrorInvalidResourceHandle;
}

node_parameters::node_parameters(cudaGraphNode_t n) : how_(parameters_of(n)) {
  if (!how_.kernelParams) check(cudaErrorNotSupported, "cuGraphKernelNodeGetParams");
  std::vector<std::size_t> first;  // word of each argument
  for (std::size_t i = 0;; ++i) {
    const std::optional<argument_place> at = place_of_argument(how_, i);
    if (!at) break;
    first.push_back(words_.size());
    constexpr std::size_t word = sizeof(std::size_t);
    for (std::size_t k = 0; k < at->size; k += word)
      offsets_.push_back(k + word <= at->size ? at->offset + k : no_offset);
    words_.resize(offsets_.size());
    std::memcpy(words_.data() + first.back(), how_.kernelParams[i], at->size);
  }
  for (const std::size_t at : first) arguments_.push_back(words_.data() + at);
  how_.kernelParams = arguments_.data();
}

cudaError_t node_parameters::set(cudaGraphExec_t runnable, cudaGraphNode_t n) const {
  static const auto function = driver_function<CUresult (*)(CUgraphExec, CUgraphNode, const driver_parameters*)>(
      "cuGraphExecKernelNodeSetParams", cuda_12_0);
  return static_cast<cudaError_t>(function(runnable, n, &how_));
}

std::optional<std::vector<unsigned>> node_parameters::moved_by(std::ptrdiff_t distance,
                                                               const node_parameters& others) const {
  if (!same_launch(how_, others.how_) || words_.size() != others.words_.size()) return std::nullopt;
  std::vector<unsigned> moved;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (words_[i] == others.words_[i]) continue;
    if (offsets_[i] == no_offset) return std::nullopt;
    if (words_[i] + static_cast<std::size_t>(distance) != others.words_[i]) return std::nullopt;
    moved.push_back(static_cast<unsigned>(i));
  }
  return moved;
}

bool node_parameters::agree(const node_parameters& others, const std::vector<unsigned>& words) const {
  return same_launch(how_, others.how_) && words_.size() == others.words_.size() &&
         std::all_of(words.begin(), words.end(), [&](unsigned i) { return words_[i] == others.words_[i]; });
}

void node_parameters::move(const std::vector<unsigned>& words, std::ptrdiff_t distance) {
  for (const unsigned i : words) words_[i] += static_cast<std::size_t>(distance);
}

}  // namespace lazyfuse::cuda_detail
