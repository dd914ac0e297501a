// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers on the host. Compiled once, without contraction of products and sums (CMakeLists.txt), so that they
// are the same numbers whatever processor a program is compiled for.
#include <lazyfuse/random/laws.hpp>

#include <algorithm>

namespace lazyfuse {

namespace {

/// Blocks side by side, so that a vector holds one word of several.
constexpr int batch = 32;

/// The words of consecutive blocks.
struct words_of_blocks {
  uint32 word[4][batch];
  philox_words at(int b) const { return {{word[0][b], word[1][b], word[2][b], word[3][b]}}; }
};

void make(words_of_blocks& w, const philox_key& k, uint64 block) {
  for (int b = 0; b < batch; ++b) {
    const philox_words c = k.counter(block + static_cast<uint64>(b));
    for (int n = 0; n < 4; ++n) w.word[n][b] = c.word[n];
  }
  for (int r = 0; r < philox_rounds; ++r)
    for (int b = 0; b < batch; ++b) {
      const philox_words c = philox_round(w.at(b), k, r);
      for (int n = 0; n < 4; ++n) w.word[n][b] = c.word[n];
    }
}

/// The elements of consecutive blocks.
template <class Law>
void write_blocks(typename Law::value_type* __restrict__ to, const Law& law, const philox_key& k, uint64 block,
                  index_t blocks) {
  constexpr int lanes = Law::lanes;
  words_of_blocks w;
  typename Law::value_type made[lanes][batch];
  for (; blocks > 0; blocks -= batch, block += batch, to += lanes * batch) {
    make(w, k, block);
    for (int b = 0; b < batch; ++b)
      for (int lane = 0; lane < lanes; ++lane) made[lane][b] = law.one(w.at(b), lane, k);
    const int count = static_cast<int>(std::min<index_t>(blocks, batch));
    for (int b = 0; b < count; ++b)
      for (int lane = 0; lane < lanes; ++lane) to[b * lanes + lane] = made[lane][b];
  }
}

}  // namespace

template <class Law>
void draws<Law>::write(value_type* to, index_t offset, index_t step, index_t n) const {
  index_t element = origin + offset;
  const auto one_by_one = [&](index_t count) {
    for (; count > 0; --count, element += step, --n)
      *to++ = law.one(philox(key.counter(static_cast<uint64>(element / together)), key),
                      static_cast<int>(element % together), key);
  };
  if (step != 1) return one_by_one(n);
  one_by_one(std::min(n, (together - element % together) % together));
  const index_t blocks = n / together;
  write_blocks(to, law, key, static_cast<uint64>(element / together), blocks);
  to += blocks * together;
  element += blocks * together;
  one_by_one(n % together);
}

template struct draws<random_detail::bernoulli_law>;
template struct draws<random_detail::unit_law<float>>;
template struct draws<random_detail::unit_law<double>>;
template struct draws<random_detail::between_law<float>>;
template struct draws<random_detail::between_law<double>>;
template struct draws<random_detail::normal_law<float>>;
template struct draws<random_detail::normal_law<double>>;
template struct draws<random_detail::exponential_law<float>>;
template struct draws<random_detail::exponential_law<double>>;
template struct draws<random_detail::integers_law<::cuda::std::int8_t>>;
template struct draws<random_detail::integers_law<::cuda::std::int16_t>>;
template struct draws<random_detail::integers_law<::cuda::std::int32_t>>;
template struct draws<random_detail::integers_law<::cuda::std::int64_t>>;
template struct draws<random_detail::integers_law<::cuda::std::uint8_t>>;
template struct draws<random_detail::integers_law<::cuda::std::uint16_t>>;
template struct draws<random_detail::integers_law<::cuda::std::uint32_t>>;
template struct draws<random_detail::integers_law<::cuda::std::uint64_t>>;

}  // namespace lazyfuse
