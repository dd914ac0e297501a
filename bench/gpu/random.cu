// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers: an array filled, beside cuRAND's generator of the same kind (Philox4x32-10, in its default order) in
// the same run, and numbers that are used where they are made, which a library that fills arrays cannot do. cuRAND is
// opened when the program runs: with 130 MB it is not carried to where it may not be needed.
#include "measure.cuh"

#include <curand.h>
#include <dlfcn.h>

namespace bench {
namespace {

constexpr index_t count = index_t{1} << 28;
const lf::seed from(42);

/// The words of a block of the seed.
LAZYFUSE_HD lf::philox_words block(index_t n) {
  constexpr lf::philox_key key = lf::philox_key::of(42, 0);
  return lf::philox(key.counter(static_cast<lf::uint64>(n)), key);
}
LAZYFUSE_HD double uniform_number(index_t i) { return (block(i / 4).pick(static_cast<int>(i % 4)) >> 8) * 0x1p-24; }

struct random_uniform : workload<float, 1, lf::cuda> {
  static constexpr const char* name = "random_uniform";
  static constexpr double bytes = 4.0 * count, tolerance = 0;
  random_uniform() : workload(lf::shape{count}) {}
  void evaluate() { z = lf::random::uniform<float>({count}, from); }
  LAZYFUSE_HD static double expected(index_t i) { return uniform_number(i); }
};

struct random_normal : workload<float, 1, lf::cuda> {
  static constexpr const char* name = "random_normal";
  static constexpr double bytes = 4.0 * count, tolerance = 2e-6;
  random_normal() : workload(lf::shape{count}) {}
  void evaluate() { z = lf::random::normal<float>({count}, from); }
  /// In double: the radius of a word as a float in (0, 1], the direction of the next.
  LAZYFUSE_HD static double expected(index_t i) {
    const lf::philox_words w = block(i / 4);
    const lf::uint32 direction = w.pick(static_cast<int>(i % 4) | 1);
    const float above_zero = static_cast<float>(
        static_cast<double>(static_cast<float>(w.pick(static_cast<int>(i % 4) & ~1))) * 0x1p-32 + 0x1p-33);
    const double radius = lf::math::sqrt(-2 * lf::math::log(static_cast<double>(above_zero))),
                 rest = static_cast<int>(direction << 2) * (3.14159265358979323846 * 0x1p-33),
                 large = direction >> 31 ? -lf::math::cos(rest) : lf::math::cos(rest);
    return radius * ((direction >> 30 & 1) == static_cast<lf::uint32>(i & 1) ? large : lf::math::sin(rest));
  }
};

/// One in ten elements becomes zero, the others grow by as much: read x, write the result, and no mask in between.
struct random_dropout : workload<float, 1, lf::cuda> {
  static constexpr const char* name = "random_dropout";
  static constexpr double bytes = 8.0 * count, tolerance = 1e-6;
  lf::array<float, 1, lf::cuda> x = numbers<float, lf::cuda>(1, lf::shape{count});
  random_dropout() : workload(lf::shape{count}) {}
  void evaluate() { z = lf::where(lf::random::bernoulli({count}, 0.9, from), x * (1 / 0.9f), 0.0f); }
  LAZYFUSE_HD static double expected(index_t i) {
    const bool kept = block(i / 4).pick(static_cast<int>(i % 4)) < static_cast<lf::uint32>(0.9 * 0x1p32 + 0.5);
    return kept ? number<float>(1, i) * (1 / 0.9) : 0;
  }
};

/// The functions of cuRAND that are called, if the library is there.
class curand_library {
  void* const library_ = dlopen("libcurand.so.10", RTLD_NOW);
  template <class F>
  void find(F*& function, const char* name) const {
    if (library_) function = reinterpret_cast<F*>(dlsym(library_, name));
  }

 public:
  decltype(curandCreateGenerator)* create = nullptr;
  decltype(curandDestroyGenerator)* destroy = nullptr;
  decltype(curandSetPseudoRandomGeneratorSeed)* set_seed = nullptr;
  decltype(curandSetStream)* set_stream = nullptr;
  decltype(curandGenerateUniform)* uniform = nullptr;
  decltype(curandGenerateNormal)* normal = nullptr;
  curand_library() {
    find(create, "curandCreateGenerator");
    find(destroy, "curandDestroyGenerator");
    find(set_seed, "curandSetPseudoRandomGeneratorSeed");
    find(set_stream, "curandSetStream");
    find(uniform, "curandGenerateUniform");
    find(normal, "curandGenerateNormal");
  }
  bool complete() const { return create && destroy && set_seed && set_stream && uniform && normal; }
};
void check_curand(curandStatus_t status) {
  if (status != CURAND_STATUS_SUCCESS) throw std::runtime_error("cuRAND: status " + std::to_string(status));
}

void by_curand(benchmark::State& state, bool normal) {
  const curand_library curand;
  if (!curand.complete()) {
    state.SkipWithError("libcurand.so.10 is not here");
    return;
  }
  curandGenerator_t generator;
  check_curand(curand.create(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10));
  check_curand(curand.set_seed(generator, 42));
  check_curand(curand.set_stream(generator, lf::current_stream()));
  lf::array<float, 1, lf::cuda> z(lf::shape{count});
  float* const to = z.data();
  const double copy = copy_speed();
  for (auto _ : state) {
    const timing t = measure([&] {
      check_curand(normal ? curand.normal(generator, to, count, 0, 1) : curand.uniform(generator, to, count));
    });
    const double speed = 4.0 * count / t.device.median();
    state.SetIterationTime(t.device.median());
    state.counters["GB/s"] = speed * 1e-9;
    state.counters["of_copy"] = speed / copy;
    state.counters["spread"] = t.device.spread();
  }
  check_curand(curand.destroy(generator));
}

const bool registered = rows<random_uniform, random_normal, random_dropout>() &&
                        row("curand_uniform", [](benchmark::State& state) { by_curand(state, false); }) &&
                        row("curand_normal", [](benchmark::State& state) { by_curand(state, true); });

}  // namespace
}  // namespace bench
