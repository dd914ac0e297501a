// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels from source, by NVRTC.
#include "backend/cuda/jit/compiler.hpp"

#include "backend/cuda/runtime/toolkit.hpp"

#include <nvrtc.h>

#include <functional>
#include <string_view>

namespace lazyfuse::cuda_detail {

namespace {

struct library {
  toolkit_library rtc{"nvrtc"};
  decltype(&nvrtcCreateProgram) create;
  decltype(&nvrtcDestroyProgram) destroy;
  decltype(&nvrtcAddNameExpression) add_name;
  decltype(&nvrtcCompileProgram) compile;
  decltype(&nvrtcGetLoweredName) name;
  decltype(&nvrtcGetCUBINSize) size;
  decltype(&nvrtcGetCUBIN) binary;
  decltype(&nvrtcGetProgramLogSize) log_size;
  decltype(&nvrtcGetProgramLog) log;
  decltype(&nvrtcVersion) version;

  library() {
    rtc.find(create, "nvrtcCreateProgram");
    rtc.find(destroy, "nvrtcDestroyProgram");
    rtc.find(add_name, "nvrtcAddNameExpression");
    rtc.find(compile, "nvrtcCompileProgram");
    rtc.find(name, "nvrtcGetLoweredName");
    rtc.find(size, "nvrtcGetCUBINSize");
    rtc.find(binary, "nvrtcGetCUBIN");
    rtc.find(log_size, "nvrtcGetProgramLogSize");
    rtc.find(log, "nvrtcGetProgramLog");
    rtc.find(version, "nvrtcVersion");
  }
};
const library& nvrtc() {
  static const library found;
  return found;
}

/// Those that kernels are known by, whether or not there is a compiler here.
std::vector<std::string> options_for(int architecture) {
  return {"--std=c++20", "--gpu-architecture=sm_" + std::to_string(architecture), "--device-as-default-execution-space",
          "-DLAZYFUSE_CUDA=1"};
}

/// A sum over all carried headers.
std::size_t sum_of_headers() {
  std::size_t sum = 0;
  for (int i = 0; i < carried_header_count; ++i)
    sum = sum * 1099511628211u + std::hash<std::string_view>{}(carried_headers[i].text);
  return sum;
}

}  // namespace

bool has_compiler() { return static_cast<bool>(nvrtc().rtc); }

std::string compiler_version() {
  int major = 0, minor = 0;
  if (nvrtc().rtc) nvrtc().version(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}
std::string compiled_with(int architecture) {
  static const std::size_t headers = sum_of_headers();
  std::string key = std::to_string(headers);
  for (const std::string& option : options_for(architecture)) key += " " + option;
  return key;
}

compiled compile(const std::string& source, const std::vector<std::string>& names, int architecture) {
  const library& lib = nvrtc();
  compiled result;
  if (!lib.rtc) {
    result.message = "there is no NVRTC library (libnvrtc.so)";
    return result;
  }
  std::vector<const char*> texts, files;
  for (int i = 0; i < carried_header_count; ++i) {
    texts.push_back(carried_headers[i].text);
    files.push_back(carried_headers[i].name);
  }
  nvrtcProgram program = nullptr;
  if (lib.create(&program, source.c_str(), "lazyfuse_kernel.cu", carried_header_count, texts.data(), files.data()) !=
      NVRTC_SUCCESS) {
    result.message = "nvrtcCreateProgram failed";
    return result;
  }
  for (const std::string& name : names) lib.add_name(program, name.c_str());
  std::vector<std::string> options = options_for(architecture);
  int major = 0, minor = 0;
  lib.version(&major, &minor);
  if (major >= 13) options.emplace_back("--minimal");  // without textures and the runtime's types, which nobody needs
  std::vector<const char*> option_texts;
  option_texts.reserve(options.size());
  for (const std::string& option : options) option_texts.push_back(option.c_str());
  const nvrtcResult status = lib.compile(program, static_cast<int>(options.size()), option_texts.data());
  std::size_t size = 0;
  if (status == NVRTC_SUCCESS && lib.size(program, &size) == NVRTC_SUCCESS && size > 0) {
    result.binary.resize(size);
    lib.binary(program, result.binary.data());
    for (const std::string& name : names) {
      const char* lowered = nullptr;
      lib.name(program, name.c_str(), &lowered);
      result.names.emplace_back(lowered ? lowered : "");
    }
  } else {
    lib.log_size(program, &size);
    result.message.resize(size);
    if (size > 0) lib.log(program, result.message.data());
  }
  lib.destroy(&program);
  return result;
}

}  // namespace lazyfuse::cuda_detail
