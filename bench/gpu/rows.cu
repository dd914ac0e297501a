// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../row_workloads.hpp"
#include "measure.cuh"

namespace bench {
namespace {
using S = lf::cuda;

/// What explain predicts, in microseconds.
double predicted_us(const std::string& plan) {
  const std::string word = "predicted ";
  const std::size_t at = plan.find(word);
  if (at == std::string::npos) return 0;
  std::size_t used = 0;
  const double time = std::stod(plan.substr(at + word.size()), &used);
  return plan.substr(at + word.size() + used, 3) == " ms" ? 1e3 * time : time;
}

template <class W>
void run_and_predict(benchmark::State& state) {
  run<W>(state);
  const W w;
  state.counters["predicted_us"] = predicted_us(lf::explain(w.expression()));
}
template <class... W>
bool predicted_rows() {
  return (row(W::name, run_and_predict<W>) && ...);
}

const bool registered =
    predicted_rows<softmax_128<S>, softmax_1024<S>, softmax_8192<S>, softmax_262144<S>, softmax_128_spelled<S>,
                   softmax_1024_spelled<S>, softmax_8192_spelled<S>, softmax_262144_spelled<S>, layernorm_1024<S>,
                   layernorm_1024_spelled<S>, normalize_4M<S>, normalize_64M<S>, standardize_columns<S>>();
}  // namespace
}  // namespace bench
