// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs by their types and by which operands are one; their kernels by what these rely on.
#include "backend/cuda/jit/exact_program.hpp"

#include "backend/cuda/jit/bundle.hpp"
#include "backend/cuda/runtime/capture.hpp"
#include "backend/cuda/runtime/devices.hpp"
#include "backend/cuda/runtime/order.hpp"
#include "program/spelling.hpp"

#include <memory>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

namespace lazyfuse::cuda_detail {

namespace {

/// A loop over shifts of an array would otherwise compile in every round.
constexpr int most_variants = 32;

/// The text that a kernel is made from, as far as it differs between kernels.
std::string key_of(const exact_plan& p, const char* path, const std::string& facts) {
  std::string key =
      std::string(p.type().program) + "|" + sources_of(p) + "|" + results_of(p) + "|" + path + "|" + facts;
  for (int i = 0; i < p.type().operands; ++i) key += " " + std::to_string(p.slot[i]);
  for (const int n : {p.rank, p.kept, current_device()}) key += "|" + std::to_string(n);
  return key;
}

}  // namespace

exact_program& program_of(const exact_plan& p) {
  static std::shared_mutex mutex;
  static auto& table = *new std::unordered_map<std::string, std::unique_ptr<exact_program>>;
  const kernel_type* const type = p.plan.type;
  std::string key(reinterpret_cast<const char*>(&type), sizeof(void*));
  key.append(reinterpret_cast<const char*>(p.slot), sizeof(short) * static_cast<std::size_t>(type->operands));
  {
    const std::shared_lock lock(mutex);
    if (const auto at = table.find(key); at != table.end()) return *at->second;
  }
  auto made = std::make_unique<exact_program>();
  bool named = true;
  short each[most_given];
  for (int i = 0; i < type->operands; ++i) {
    each[i] = static_cast<short>(i);
    named = named && !spelling_of(type->types[i]).empty();
  }
  for (int i = 0; i < type->targets; ++i) named = named && !spelling_of_result(*type, i).empty();
  if (named) made->graph = ir::program_graph::of(type->program, p.slot);
  if (made->graph) {
    const int all = ir::program_graph::of(type->program, each)->operations();
    made->repeated = all > 0 ? 1 - made->graph->operations() / double(all) : 0;
  }
  if (made->graph && static_cast<int>(made->graph->roots.size()) != type->targets) made->graph.reset();
  if (made->graph) {
    std::vector<bool> is_real(static_cast<std::size_t>(p.count));
    for (int i = 0; i < p.count; ++i) {
      const dtype t = p.type_of(i).element;
      is_real[static_cast<std::size_t>(i)] = t == dtype::float32 || t == dtype::float64;
    }
    made->in_one_pass = made->graph->reduces_in_one_pass(is_real);
    made->read_in_stages = made->graph->read_in_stages(p.count);
  }
  const std::lock_guard lock(mutex);
  return *table.try_emplace(std::move(key), std::move(made)).first->second;
}

made_kernel* variant_of(exact_program& program, const exact_plan& p, const char* path, const std::string& facts,
                        const std::function<kernel_source()>& source) {
  const int device = current_device(), bundles = bundles_loaded();
  const std::string relied_on = facts + "|" + short_foldings_of(p);
  int others = 0;
  const auto find = [&]() -> exact_program::variant* {
    others = 0;
    for (exact_program::variant& v : program.variants) {
      if (v.device != device || v.path != path) continue;
      if (v.rank == p.rank && v.kept == p.kept && v.facts == relied_on) return &v;
      ++others;
    }
    return nullptr;
  };
  {
    const std::lock_guard lock(program.mutex);
    const exact_program::variant* const v = find();
    if (v && *v->made) return v->made;
    if (v ? v->bundles == bundles : others >= most_variants) return nullptr;
  }
  if (capturing(current_stream())) return nullptr;  // loading a kernel would end the capture
  made_kernel& made = made_for(key_of(p, path, facts), source);
  const std::lock_guard lock(program.mutex);
  if (exact_program::variant* const v = find()) v->bundles = bundles;  // another thread's, or from before
  else program.variants.push_back({device, p.rank, p.kept, path, relied_on, &made, bundles});
  return made ? &made : nullptr;
}

void start(const made_kernel& made, unsigned blocks, std::size_t shared, parameters& p, unsigned threads) {
  if (rehearsing()) return;
  void* arguments[] = {p.data()};
  check(cudaLaunchKernel(made.kernel, dim3(blocks), dim3(threads), arguments, shared, current_stream()),
        "cudaLaunchKernel");
}

}  // namespace lazyfuse::cuda_detail
