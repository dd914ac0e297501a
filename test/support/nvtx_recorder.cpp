// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tool for NVTX, loaded through NVTX_INJECTION64_PATH: prints the ranges of all domains to stderr.
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <deque>
#include <string>

namespace {

std::deque<std::string>& names() {  // of domains and registered strings; addresses stay
  static std::deque<std::string> n;
  return n;
}

nvtxDomainHandle_t create_domain(const char* name) {
  return reinterpret_cast<nvtxDomainHandle_t>(&names().emplace_back(name));
}
nvtxStringHandle_t register_string(nvtxDomainHandle_t, const char* text) {
  return reinterpret_cast<nvtxStringHandle_t>(&names().emplace_back(text));
}
int push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* range) {
  const char* const text = range->messageType == NVTX_MESSAGE_TYPE_REGISTERED
                               ? reinterpret_cast<const std::string*>(range->message.registered)->c_str()
                               : range->message.ascii;
  std::fprintf(stderr, "push %s: %s\n", reinterpret_cast<const std::string*>(domain)->c_str(), text);
  return 0;
}
int pop(nvtxDomainHandle_t) { return std::fprintf(stderr, "pop\n"), 0; }

template <class F>
void replace(NvtxFunctionTable table, int index, F f) {
  *table[index] = reinterpret_cast<NvtxFunctionPointer>(f);
}

}  // namespace

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get) {
  const auto* const callbacks = static_cast<const NvtxExportTableCallbacks*>(get(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size)) return 0;
  replace(table, NVTX_CBID_CORE2_DomainCreateA, create_domain);
  replace(table, NVTX_CBID_CORE2_DomainRegisterStringA, register_string);
  replace(table, NVTX_CBID_CORE2_DomainRangePushEx, push);
  replace(table, NVTX_CBID_CORE2_DomainRangePop, pop);
  return 1;
}
