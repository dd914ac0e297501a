// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows, which devices read the parts of concat through: offsets that say where an element lies and how far along the
// axis it is; and maps by numbers of 32 bits, against those by 64.
#include <lazyfuse/error.hpp>
#include <lazyfuse/expr/gather.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace lf = lazyfuse;

namespace {

using lf::index_t;

/// What stands in a whole from an index along an axis on.
struct window {
  lf::shape<3> extents, whole;
  lf::strides<3> steps;
  int axis;
  index_t first;

  lf::gather_detail::window_form form() const {
    return lf::gather_detail::form_of_window(whole.extent, extents.extent, steps.step, 3, axis, first, reach());
  }
  lf::ir::stretch reach() const { return lf::gather_detail::reach_of(extents, steps); }
  lf::ir::windowed<lf::ir::memory<float>> source(const float* data) const {
    const auto f = form();
    return {{data}, f.origin, f.bits, f.count, reach().length};
  }
  /// Where an element of the whole lies, from the least that is read; -1 where there is none.
  index_t lies(const index_t (&i)[3]) const {
    index_t at = -reach().first;
    for (int k = 0; k < 3; ++k) {
      const index_t n = k == axis ? i[k] - first : i[k];
      if (n < 0 || n >= extents[k]) return -1;
      at += n * steps[k];
    }
    return at;
  }
};

TEST(windows, of_any_layout_have_what_is_there_and_zeros_beyond) {
  std::mt19937 drawn(1);
  const auto draw = [&](index_t least, index_t most) {
    return least + static_cast<index_t>(drawn() % static_cast<unsigned>(most - least + 1));
  };
  for (int n = 0; n < 3000; ++n) {
    window w{};
    for (int k = 0; k < 3; ++k) w.extents[k] = draw(1, 6);
    int order[] = {0, 1, 2};
    if (n % 2 == 0) std::shuffle(order, order + 3, drawn);
    index_t size = 1;
    for (int k = 2; k >= 0; --k) {
      w.steps[order[k]] = draw(0, 3) == 0 ? -size : size;
      size *= w.extents[order[k]];
    }
    if (n % 5 == 0) w.steps[static_cast<int>(draw(0, 2))] = 0;
    w.axis = static_cast<int>(draw(0, 2));
    w.first = draw(0, 5);
    w.whole = w.extents;
    w.whole[w.axis] += w.first + draw(0, 4);
    std::vector<float> elements(static_cast<std::size_t>(size));
    for (std::size_t k = 0; k < elements.size(); ++k) elements[k] = static_cast<float>(k + 1);
    const auto source = w.source(elements.data());
    const auto form = w.form();
    for (index_t i = 0; i < w.whole[0]; ++i)
      for (index_t j = 0; j < w.whole[1]; ++j)
        for (index_t k = 0; k < w.whole[2]; ++k) {
          const index_t there = w.lies({i, j, k});
          ASSERT_EQ(source.at(i * form.steps[0] + j * form.steps[1] + k * form.steps[2]),
                    there < 0 ? 0.0F : elements[static_cast<std::size_t>(there)])
              << n;
        }
  }
}
TEST(windows, of_more_elements_than_32_bits_count) {
  constexpr index_t many = index_t{1} << 33;
  const window all[] = {
      {{1, 1, many}, {1, 1, 2 * many}, {{many, many, 1}}, 2, many / 2},  // together
      {{1, 1, many}, {1, 1, many + 1}, {{many, many, -1}}, 2, 1},        // in reverse
      {{3, 5, many}, {3, 9, many}, {{5 * many, many, 1}}, 1, 2},         // beside others
      {{many, 2, 7}, {many, 2, 20}, {{14, 7, 1}}, 2, 6},
  };
  for (const window& w : all) {
    const auto source = w.source(nullptr);
    const auto form = w.form();
    EXPECT_NE(form.bits, 32);
    std::mt19937_64 drawn(2);
    for (int n = 0; n < 1000; ++n) {
      index_t i[3], offset = 0;
      for (int k = 0; k < 3; ++k) {
        i[k] = static_cast<index_t>(drawn() % static_cast<lf::uint64>(w.whole[k]));
        if (n % 4 == 0) i[k] = n % 8 == 0 ? 0 : w.whole[k] - 1;
        offset += i[k] * form.steps[k];
      }
      ASSERT_EQ(source.lying(offset), w.lies(i));
    }
  }
}
TEST(windows, that_no_number_can_tell_are_errors) {
  constexpr index_t many = index_t{1} << 33;
  const window w{{1, 1, many}, {1, 1, 2 * many}, {{many, many, 2}}, 2, 1};
  EXPECT_THROW((void)w.form(), lf::shape_error);
}
TEST(windows, maps_of_32_bits_are_those_of_64) {
  std::mt19937 drawn(3);
  for (int n = 0; n < 2000; ++n) {
    index_t extents[3], shifts[2];
    for (index_t& e : extents) e = 1 + static_cast<index_t>(drawn() % 9);
    for (index_t& s : shifts) s = static_cast<index_t>(drawn() % 40) - 20;
    const int axes[] = {n % 3, 2};
    lf::ir::rolling<2> map;
    map.size = extents[0] * extents[1] * extents[2];
    lf::roll_detail::fill_rolling(extents, 3, axes, 2, shifts, map.block, map.distance);
    for (index_t p = 0; p < map.size; ++p) {
      const auto far = map.from(p), near = map.from(static_cast<unsigned>(p));
      ASSERT_EQ(far.first, near.first);
      ASSERT_EQ(far.length, near.length);
    }
  }
}

}  // namespace
