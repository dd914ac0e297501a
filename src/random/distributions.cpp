// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers on the host. Compiled once, without contraction of products and sums (CMakeLists.txt), so that they
// are the same numbers whatever processor a program is compiled for.
#include <lazyfuse/random/distributions.hpp>

#include <algorithm>

#if defined(__x86_64__)
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // g++ 12 about its own header
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#endif

namespace lazyfuse {

namespace {

/// Blocks that are made together.
constexpr int batch = 32;
/// Their words, in the order of the elements they make.
struct batch_words {
  alignas(64) uint32 word[4 * batch];
  philox_words of_block(int b) const { return {{word[4 * b], word[4 * b + 1], word[4 * b + 2], word[4 * b + 3]}}; }
  void get(int i, uint32& to) const { to = word[i]; }
  void get(int i, uint64& to) const { __builtin_memcpy(&to, word + 2 * i, 8); }
};

// The words of consecutive blocks. Each 64-bit part of a vector holds one word of one block in its lower half, which is
// where products of 32 bits read it; what the upper halves hold does not matter. Blocks are dealt out so that unpacking
// puts them in order. Which of the functions runs is found out once: integers are the same on every processor.
#if defined(__x86_64__)

void make_16(batch_words& to, const philox_key& k, uint64 block) {
  constexpr int vectors = 4;
  const __m128i m0 = _mm_set1_epi64x(0xD2511F53), m1 = _mm_set1_epi64x(0xCD9E8D57), low = _mm_set1_epi64x(0xffffffff);
  for (int b = 0; b < batch; b += 2 * vectors) {
    __m128i w[vectors][4];
    for (int v = 0; v < vectors; ++v) {
      w[v][0] = _mm_add_epi64(_mm_set1_epi64x(static_cast<long long>(block) + b + 2 * v), _mm_set_epi64x(1, 0));
      w[v][1] = _mm_srli_epi64(w[v][0], 32);
      w[v][2] = _mm_set1_epi64x(k.stream[0]);
      w[v][3] = _mm_set1_epi64x(k.stream[1]);
    }
    for (const auto& round : k.round) {
      const __m128i k0 = _mm_set1_epi64x(round[0]), k1 = _mm_set1_epi64x(round[1]);
      for (auto& x : w) {
        const __m128i p0 = _mm_mul_epu32(x[0], m0), p1 = _mm_mul_epu32(x[2], m1);
        x[0] = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(p1, 32), x[1]), k0);
        x[1] = p1;
        x[2] = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(p0, 32), x[3]), k1);
        x[3] = p0;
      }
    }
    auto* out = reinterpret_cast<__m128i*>(to.word + 4 * b);
    for (const auto& x : w) {
      const __m128i first = _mm_or_si128(_mm_and_si128(x[0], low), _mm_slli_epi64(x[1], 32));
      const __m128i second = _mm_or_si128(_mm_and_si128(x[2], low), _mm_slli_epi64(x[3], 32));
      *out++ = _mm_unpacklo_epi64(first, second);
      *out++ = _mm_unpackhi_epi64(first, second);
    }
  }
}
__attribute__((target("avx2"))) void make_32(batch_words& to, const philox_key& k, uint64 block) {
  constexpr int vectors = 4;
  const __m256i m0 = _mm256_set1_epi64x(0xD2511F53), m1 = _mm256_set1_epi64x(0xCD9E8D57),
                low = _mm256_set1_epi64x(0xffffffff);
  for (int b = 0; b < batch; b += 4 * vectors) {
    __m256i w[vectors][4];
    for (int v = 0; v < vectors; ++v) {
      w[v][0] = _mm256_add_epi64(_mm256_set1_epi64x(static_cast<long long>(block) + b + 4 * v),
                                 _mm256_set_epi64x(3, 1, 2, 0));
      w[v][1] = _mm256_srli_epi64(w[v][0], 32);
      w[v][2] = _mm256_set1_epi64x(k.stream[0]);
      w[v][3] = _mm256_set1_epi64x(k.stream[1]);
    }
    for (const auto& round : k.round) {
      const __m256i k0 = _mm256_set1_epi64x(round[0]), k1 = _mm256_set1_epi64x(round[1]);
      for (auto& x : w) {
        const __m256i p0 = _mm256_mul_epu32(x[0], m0), p1 = _mm256_mul_epu32(x[2], m1);
        x[0] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p1, 32), x[1]), k0);
        x[1] = p1;
        x[2] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p0, 32), x[3]), k1);
        x[3] = p0;
      }
    }
    auto* out = reinterpret_cast<__m256i*>(to.word + 4 * b);
    for (const auto& x : w) {
      const __m256i first = _mm256_or_si256(_mm256_and_si256(x[0], low), _mm256_slli_epi64(x[1], 32));
      const __m256i second = _mm256_or_si256(_mm256_and_si256(x[2], low), _mm256_slli_epi64(x[3], 32));
      *out++ = _mm256_unpacklo_epi64(first, second);
      *out++ = _mm256_unpackhi_epi64(first, second);
    }
  }
}
__attribute__((target("avx512f"))) void make_64(batch_words& to, const philox_key& k, uint64 block) {
  constexpr int vectors = 4;
  const __m512i m0 = _mm512_set1_epi64(0xD2511F53), m1 = _mm512_set1_epi64(0xCD9E8D57),
                low = _mm512_set1_epi64(0xffffffff);
  __m512i w[vectors][4];
  for (int v = 0; v < vectors; ++v) {
    w[v][0] = _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(block) + 8 * v),
                               _mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0));
    w[v][1] = _mm512_srli_epi64(w[v][0], 32);
    w[v][2] = _mm512_set1_epi64(k.stream[0]);
    w[v][3] = _mm512_set1_epi64(k.stream[1]);
  }
  static_assert(batch == 8 * vectors);
  for (const auto& round : k.round) {
    const __m512i k0 = _mm512_set1_epi64(round[0]), k1 = _mm512_set1_epi64(round[1]);
    for (auto& x : w) {
      const __m512i p0 = _mm512_mul_epu32(x[0], m0), p1 = _mm512_mul_epu32(x[2], m1);
      x[0] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p1, 32), x[1], k0, 0x96);  // 0x96: the exclusive or of three
      x[1] = p1;
      x[2] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p0, 32), x[3], k1, 0x96);
      x[3] = p0;
    }
  }
  auto* out = reinterpret_cast<__m512i*>(to.word);
  for (const auto& x : w) {
    const __m512i first = _mm512_or_si512(_mm512_and_si512(x[0], low), _mm512_slli_epi64(x[1], 32));
    const __m512i second = _mm512_or_si512(_mm512_and_si512(x[2], low), _mm512_slli_epi64(x[3], 32));
    *out++ = _mm512_unpacklo_epi64(first, second);
    *out++ = _mm512_unpackhi_epi64(first, second);
  }
}
using maker = void (*)(batch_words&, const philox_key&, uint64);
maker best_maker() {
  return __builtin_cpu_supports("avx512f") ? make_64 : __builtin_cpu_supports("avx2") ? make_32 : make_16;
}

#else

void make_one_by_one(batch_words& to, const philox_key& k, uint64 block) {
  for (int b = 0; b < batch; ++b) {
    const philox_words w = philox(k.counter(block + static_cast<uint64>(b)), k);
    for (int n = 0; n < 4; ++n) to.word[4 * b + n] = w.word[n];
  }
}
using maker = void (*)(batch_words&, const philox_key&, uint64);
maker best_maker() { return make_one_by_one; }

#endif

/// The elements of the first `blocks` blocks of a batch. A distribution of single words is a loop over these.
template <class Distribution>
void write_batch(typename Distribution::value_type* __restrict__ to, const Distribution& distribution,
                 const philox_key& k, const batch_words& w, int blocks) {
  constexpr int outputs = Distribution::outputs;
  using T = typename Distribution::value_type;
  if constexpr (requires { distribution.of(typename Distribution::word{}); }) {
    for (int i = 0; i < outputs * blocks; ++i) {
      typename Distribution::word x;
      w.get(i, x);
      to[i] = distribution.of(x);
    }
  } else if constexpr (requires { distribution.share(typename Distribution::word{}); }) {
    bool again = false;
    for (int i = 0; i < outputs * blocks; ++i) {
      typename Distribution::word x;
      w.get(i, x);
      const auto s = distribution.share(x);
      to[i] = static_cast<T>(s.value);
      again |= s.rejected;
    }
    if (again)
      for (int i = 0; i < outputs * blocks; ++i) to[i] = distribution.one(w.of_block(i / outputs), i % outputs, k);
  } else {
    T made[outputs][batch];
    for (int b = 0; b < batch; ++b)
      for (int output = 0; output < outputs; ++output) made[output][b] = distribution.one(w.of_block(b), output, k);
    for (int b = 0; b < blocks; ++b)
      for (int output = 0; output < outputs; ++output) to[b * outputs + output] = made[output][b];
  }
}

/// The elements of consecutive blocks.
template <class Distribution>
void write_blocks(typename Distribution::value_type* to, const Distribution& distribution, const philox_key& k,
                  uint64 block, index_t blocks) {
  static const maker make = best_maker();
  batch_words w;
  for (; blocks > 0; blocks -= batch, block += batch, to += Distribution::outputs * batch) {
    make(w, k, block);
    if (blocks >= batch) write_batch(to, distribution, k, w, batch);
    else write_batch(to, distribution, k, w, static_cast<int>(blocks));
  }
}

}  // namespace

template <class Distribution>
void random_source<Distribution>::write(value_type* to, index_t offset, index_t step, index_t n) const {
  index_t element = origin + offset;
  const auto one_by_one = [&](index_t count) {
    for (; count > 0; --count, element += step, --n)
      *to++ = distribution.one(philox(key.counter(static_cast<uint64>(element / together)), key),
                               static_cast<int>(element % together), key);
  };
  if (step != 1) return one_by_one(n);
  one_by_one(std::min(n, (together - element % together) % together));
  const index_t blocks = n / together;
  write_blocks(to, distribution, key, static_cast<uint64>(element / together), blocks);
  to += blocks * together;
  element += blocks * together;
  one_by_one(n % together);
}

template struct random_source<random_detail::bernoulli_distribution>;
template struct random_source<random_detail::unit_distribution<float>>;
template struct random_source<random_detail::unit_distribution<double>>;
template struct random_source<random_detail::between_distribution<float>>;
template struct random_source<random_detail::between_distribution<double>>;
template struct random_source<random_detail::normal_distribution<float>>;
template struct random_source<random_detail::normal_distribution<double>>;
template struct random_source<random_detail::exponential_distribution<float>>;
template struct random_source<random_detail::exponential_distribution<double>>;
template struct random_source<random_detail::integers_distribution<std::int8_t>>;
template struct random_source<random_detail::integers_distribution<std::int16_t>>;
template struct random_source<random_detail::integers_distribution<std::int32_t>>;
template struct random_source<random_detail::integers_distribution<std::int64_t>>;
template struct random_source<random_detail::integers_distribution<std::uint8_t>>;
template struct random_source<random_detail::integers_distribution<std::uint16_t>>;
template struct random_source<random_detail::integers_distribution<std::uint32_t>>;
template struct random_source<random_detail::integers_distribution<std::uint64_t>>;

}  // namespace lazyfuse
