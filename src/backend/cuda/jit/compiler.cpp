// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVRTC is loaded by name, so that programs run where it is not installed.
#include "backend/cuda/jit/compiler.hpp"

#include <cuda_runtime_api.h>
#include <nvrtc.h>
#include <dlfcn.h>

#include <cstdlib>
#include <functional>
#include <string_view>

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
  decltype(&nvrtcVersion) version = nullptr;

  library() {
    // By the loader's own search, or where the toolkit is.
    const std::string file = "libnvrtc.so." + std::to_string(CUDART_VERSION / 1000);
    const char* const home = std::getenv("CUDA_HOME");
    for (const std::string& folder :
         {std::string(), home ? home + std::string("/lib64/") : "", std::string("/usr/local/cuda/lib64/")})
      if (!handle) handle = dlopen((folder + file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
    const bool complete = find(create, "nvrtcCreateProgram") && find(destroy, "nvrtcDestroyProgram") &&
                          find(add_name, "nvrtcAddNameExpression") && find(compile, "nvrtcCompileProgram") &&
                          find(name, "nvrtcGetLoweredName") && find(size, "nvrtcGetCUBINSize") &&
                          find(binary, "nvrtcGetCUBIN") && find(log_size, "nvrtcGetProgramLogSize") &&
                          find(log, "nvrtcGetProgramLog") && find(version, "nvrtcVersion");
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

std::vector<std::string> options_for(int architecture) {
  std::vector<std::string> options{"--std=c++20", "--gpu-architecture=sm_" + std::to_string(architecture),
                                   "--device-as-default-execution-space", "-DLAZYFUSE_CUDA=1"};
  int major = 0, minor = 0;
  if (nvrtc().handle) nvrtc().version(&major, &minor);
  if (major >= 13) options.emplace_back("--minimal");  // without textures and the runtime's types, which nobody needs
  return options;
}

/// A sum over all carried headers.
std::size_t sum_of_headers() {
  std::size_t sum = 0;
  for (int i = 0; i < carried_header_count; ++i)
    sum = sum * 1099511628211u + std::hash<std::string_view>{}(carried_headers[i].text);
  return sum;
}

}  // namespace

bool has_compiler() { return nvrtc().handle != nullptr; }

std::string compiler_version() {
  int major = 0, minor = 0;
  if (nvrtc().handle) nvrtc().version(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}
std::string compiled_with(int architecture) {
  static const std::size_t headers = sum_of_headers();
  std::string key = std::to_string(headers);
  for (const std::string& option : options_for(architecture)) key += " " + option;
  return key;
}

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
  const std::vector<std::string> options = options_for(architecture);
  std::vector<const char*> option_texts;
  option_texts.reserve(options.size());
  for (const std::string& option : options) option_texts.push_back(option.c_str());
  const nvrtcResult status = rtc.compile(program, static_cast<int>(options.size()), option_texts.data());
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
