// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The heart of a backend: a loop that evaluates any program, here without threads, vectors or paths for layouts.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;
namespace ir = lazyfuse::ir;
namespace planning = lazyfuse::planning;

// [context]
/// Where an operand or a target is at a position of the iteration.
template <int R>
lf::index_t offset_of(const lf::strides<R>& steps, const lf::shape<R>& position) {
  lf::index_t offset = 0;
  for (int k = 0; k < R; ++k) offset += steps[k] * position[k];
  return offset;
}

/// What a program may ask at one position.
template <class Operands, int R>
struct position_context {
  const Operands& operands;
  const lf::shape<R>& position;
  template <int I>
  auto operand() const {
    const auto& o = lf::get<I>(operands);
    if constexpr (requires { o.steps; }) return o.source.at(offset_of(o.steps, position));
    else return o.source.at(0);  // a constant
  }
};

/// Where its values go.
template <class Targets, int R>
struct position_sink {
  static constexpr bool stores = true;  // where operands may be: all values are computed before
  const Targets& targets;
  const lf::shape<R>& position;
  template <int I, class T>
  void put(const T& value) {
    const auto& t = lf::get<I>(targets);
    t.data[offset_of(t.steps, position)] = value;
  }
};
// [context]

// [loop]
/// The pattern transform: every program, over every layout.
template <class Schedule, class Operands, class Targets, int R>
void transform(const lf::shape<R>& extents, const Operands& operands, const Targets& targets) {
  lf::shape<R> position{};
  for (lf::index_t n = extents.size(); n > 0; --n) {
    position_sink<Targets, R> sink{targets, position};
    ir::evaluate<Schedule>(position_context<Operands, R>{operands, position}, sink);
    for (int k = R - 1; k >= 0 && ++position[k] == extents[k]; --k) position[k] = 0;
  }
}
// [loop]

int main() {
  const lf::array<float, 2> x{{1, 2, 3}, {4, 5, 6}};
  const lf::array<float, 1> row{10, 20, 30};
  // [call]
  const auto e = lf::sqrt(lf::transpose(x)) * 2 + row(lf::all, lf::newaxis);
  lf::array<float, 2> result(e.shape());

  using tree = lf::tree_t<decltype(e)>;
  using lowered = planning::lowering<0, tree>;
  planning::bound_operands<lowered, 2, 0> bound;
  const planning::axis_map axes = planning::axis_map::identity(2);
  bound.bind(planning::lower_detail::leaves<tree>(e.tree).record, e.shape(), &axes);

  const ir::target_pack<2, float> to{{{{result.data(), lf::row_major(result.shape())}}}};
  transform<ir::schedule<lowered::programs>>(e.shape(), bound.operands, to);
  expect(lf::array_equal(result, e));
  // [call]
}
