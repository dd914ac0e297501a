// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVRTC is loaded by name, so that programs run where it is not installed.
#include "backend/cuda/jit/compiler.hpp"

#include <cuda_runtime_api.h>
#include <nvrtc.h>
#include <dlfcn.h>

#include <iterator>

namespace lazyfuse::cuda_detail {

namespace {

/// The functions of NVRTC; none if it was not found.
struct library {
  void* handle = nullptr;
  decltype(&nvrtcCreateProgram) create = nullptr;
  decltype(&nvrtcDestroyProgram) destroy = nullptr;
  decltype(&nvrtcAddNameExpression) add_name = nullptr;
  decltype(&nvrtcCompileProgram) compile = nullptr;
  decltype(&nvrtcGetLoweredName) name = nullptr;
  decltype(&nvrtcGetCUBINSize) size = nullptr;
  decltype(&nvrtcGetCUBIN) binary = nullptr;
  decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&nvrtcGetProgramLog) log = nullptr;

  library() {
    static const std::string major = std::to_string(CUDART_VERSION / 1000);
    for (const std::string& file : {"libnvrtc.so." + major, std::string("libnvrtc.so")})
      if (!handle) handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
    const bool complete = find(create, "nvrtcCreateProgram") && find(destroy, "nvrtcDestroyProgram") &&
                          find(add_name, "nvrtcAddNameExpression") && find(compile, "nvrtcCompileProgram") &&
                          find(name, "nvrtcGetLoweredName") && find(size, "nvrtcGetCUBINSize") &&
                          find(binary, "nvrtcGetCUBIN") && find(log_size, "nvrtcGetProgramLogSize") &&
                          find(log, "nvrtcGetProgramLog");
    if (!complete) handle = nullptr;
  }
  template <class F>
  bool find(F& f, const char* symbol) const {
    f = reinterpret_cast<F>(dlsym(handle, symbol));
    return f != nullptr;
  }
};
const library& nvrtc() {
  static const library found;
  return found;
}

}  // namespace

compiled compile(const std::string& source, const std::vector<std::string>& names, int architecture) {
  const library& rtc = nvrtc();
  compiled result;
  if (!rtc.handle) {
    result.message = "there is no NVRTC library (libnvrtc.so)";
    return result;
  }
  std::vector<const char*> texts, files;
  for (int i = 0; i < carried_header_count; ++i) {
    texts.push_back(carried_headers[i].text);
    files.push_back(carried_headers[i].name);
  }
  nvrtcProgram program = nullptr;
  if (rtc.create(&program, source.c_str(), "lazyfuse_kernel.cu", carried_header_count, texts.data(), files.data()) !=
      NVRTC_SUCCESS) {
    result.message = "nvrtcCreateProgram failed";
    return result;
  }
  for (const std::string& name : names) rtc.add_name(program, name.c_str());
  const std::string target = "--gpu-architecture=sm_" + std::to_string(architecture);
  const char* const options[] = {"--std=c++20", target.c_str(), "--device-as-default-execution-space",
                                 "-DLAZYFUSE_CUDA=1"};
  const nvrtcResult status = rtc.compile(program, static_cast<int>(std::size(options)), options);
  std::size_t size = 0;
  if (status == NVRTC_SUCCESS && rtc.size(program, &size) == NVRTC_SUCCESS && size > 0) {
    result.binary.resize(size);
    rtc.binary(program, result.binary.data());
    for (const std::string& name : names) {
      const char* lowered = nullptr;
      rtc.name(program, name.c_str(), &lowered);
      result.names.emplace_back(lowered ? lowered : "");
    }
  } else {
    rtc.log_size(program, &size);
    result.message.resize(size);
    if (size > 0) rtc.log(program, result.message.data());
  }
  rtc.destroy(&program);
  return result;
}

}  // namespace lazyfuse::cuda_detail
