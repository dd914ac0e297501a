// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Philox against the implementation of its authors, Random123, and against their known answers.
#include "support/arrays.hpp"

#include <Random123/philox.h>

#include <random>

namespace {

struct known_answer {
  lf::philox_words counter;
  lf::uint32 key[2];
  lf::philox_words words;
};
/// philox 4x32 10 of Random123's kat_vectors.
constexpr known_answer known_answers[] = {
    {{{0, 0, 0, 0}}, {0, 0}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
    {{{~0u, ~0u, ~0u, ~0u}}, {~0u, ~0u}, {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
    {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
     {0xa4093822, 0x299f31d0},
     {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
};
constexpr lf::philox_words turned(const lf::philox_words& counter, lf::uint32 low, lf::uint32 high) {
  return lf::philox(counter, lf::philox_key::of(lf::uint64{high} << 32 | low, 0));
}

TEST(philox, gives_the_known_answers) {
  for (const known_answer& a : known_answers) EXPECT_TRUE(turned(a.counter, a.key[0], a.key[1]) == a.words);
  static_assert(turned(known_answers[2].counter, known_answers[2].key[0], known_answers[2].key[1]) ==
                known_answers[2].words);
}

r123::Philox4x32::ctr_type by_random123(const lf::philox_words& c, lf::uint32 low, lf::uint32 high) {
  const r123::Philox4x32::ctr_type counter = {{c.word[0], c.word[1], c.word[2], c.word[3]}};
  const r123::Philox4x32::key_type key = {{low, high}};
  return r123::Philox4x32()(counter, key);
}
TEST(philox, gives_what_random123_gives) {
  std::mt19937 any(1);
  const auto word = [&] { return static_cast<lf::uint32>(any()); };
  for (int n = 0; n < 10000; ++n) {
    const lf::philox_words c{{word(), word(), word(), word()}};
    const lf::uint32 low = word(), high = word();
    const auto expected = by_random123(c, low, high);
    const lf::philox_words got = turned(c, low, high);
    for (unsigned k = 0; k < 4; ++k) ASSERT_EQ(got.word[k], expected[k]);
  }
}
TEST(philox, of_random123_makes_the_elements) {
  const lf::array<float, 1, lf::host> x = lf::random::uniform<float>({1000}, lf::seed{42});
  const lf::array<double, 1, lf::host> y = lf::random::uniform<double>({1000}, lf::seed{42});
  for (lf::uint32 n = 0; n < 1000; ++n) {
    const auto four = by_random123({{n / 4, 0, 0, 0}}, 42, 0);
    EXPECT_EQ(x.data()[n], float(four[n % 4] >> 8) * 0x1p-24f);
    const auto two = by_random123({{n / 2, 0, 0, 0}}, 42, 0);
    const lf::uint64 word = lf::uint64{two[n % 2 * 2 + 1]} << 32 | two[n % 2 * 2];
    EXPECT_EQ(y.data()[n], double(word >> 11) * 0x1p-53);
  }
}

}  // namespace
