// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The patterns packed and packed_rows: a transform, or rows, over many arrays of unlike lengths are one kernel.
#pragma once

#include <lazyfuse/error.hpp>
#include <lazyfuse/evaluate/run.hpp>

#include <tuple>

namespace lazyfuse::run_detail {

template <class Space, class Lowering, class Targets>
struct packed_plan : bound_plan<packed_plan<Space, Lowering, Targets>, Space, Lowering, 1, Targets> {
  static constexpr const char* name = "packed";
  using program = schedule<typename Lowering::programs>;
  using roots = typename program::roots;
  static constexpr const char* code = code_of<roots>.text;
  using packed_plan::bound_plan::bound_plan;

  using runner = kernel<dpp::packed<program>, Space>;
  [[no_unique_address]] typename runner::geometry geometry;
  const char* decide() { return runner::path(*this); }
  void launch() { runner::launch(*this); }
  double cost() const { return program::cost - cost_saved<Space, program>(this->bound.operands); }
};

/// The same over stages, each array a row.
template <class Space, class Lowering, class Targets>
struct packed_rows_plan : bound_plan<packed_rows_plan<Space, Lowering, Targets>, Space, Lowering, 1, Targets> {
  static constexpr const char* name = "packed_rows";
  using sources = typename Lowering::sources;
  using program = staged<typename schedule<typename Lowering::programs>::simplified, sources>;
  static constexpr const char* code = code_of_passes<program>(make_index_sequence<program::count>{});
  using packed_rows_plan::bound_plan::bound_plan;

  using runner = kernel<dpp::packed_rows<program>, Space>;
  [[no_unique_address]] typename runner::geometry geometry;
  const char* decide() { return runner::path(*this); }
  void launch() { runner::launch(*this); }
  double cost() const { return program::cost; }
};

/// Whether all that a program reads are elements of memory and numbers.
template <class... Src>
constexpr bool reads_memory_alone(list<Src...>) {
  return ((kind_of_source<Src> == source_kind::memory || kind_of_source<Src> == source_kind::constant) && ...);
}
template <class... E>
inline constexpr bool are_rows = (planning::has_reduction<E> || ...);
/// Whether trees can be the programs of a packed kernel: element by element, or of rows, whose reductions run along all
/// of the one axis.
template <class... E>
inline constexpr bool may_be_packed = [] {
  if constexpr ((tree::has_barrier<E> || ...) || (tree::fold<graph_detail::holding_graphs, E> || ...) ||
                (has_scan<E> || ...))
    return false;
  else if constexpr (!are_rows<E...>) return reads_memory_alone(typename lowering<0, E...>::sources{});
  else if constexpr (!planning::may_be_rows<1, E...>) return false;
  else return reads_memory_alone(typename lowering<0, E...>::sources{});
}();

/// Whether the numbers among operands are the same.
template <int... I>
bool same_constants(const auto& a, const auto& b, index_sequence<I...>) {
  const auto same = [](const auto& x, const auto& y) {
    if constexpr (is_constant<bare_t<decltype(x.source)>>) return x.source == y.source;
    else return true;
  };
  return (same(get<I>(a), get<I>(b)) && ...);
}

/// One kernel for all outputs. arrays(operands, count): the arrays, once the operands are known, which stay until it
/// has been launched.
template <class Space, class... T, class Arrays, class... E>
void packed(const execution& x, const shape<1>& s, const target_pack<1, T...>& to, const Arrays& arrays,
            const E&... e) {
  allocation* const nobody[sizeof...(T)] = {};
  share_and<Space, 1, false, E...>([&]<int Share>() {
    packed_plan<Space, lowering<Share, E...>, target_pack<1, T...>> p(s, to);
    const axis_map frame = axis_map::identity(1);
    if (!p.bound.bind(lower_detail::leaves<E...>(e...).record, s, &frame)) return false;
    describe_all<1>(p.info, p.to, nobody, p.target_numbers);
    p.keep_extents();
    p.arrays = arrays(p.info + p.targets, p.bound.count);
    if (!x.take(p)) throw error(backend_refuses);
    return true;
  });
}

/// The same of rows. longer: the trees of arrays with s2 elements, for numbers are those of all lengths. Returns what
/// is wrong with the function that made them; then nothing is done.
template <class Space, class... T, class Arrays, class... E>
const char* packed_rows(const execution& x, const shape<1>& s, const target_pack<1, T...>& to, const Arrays& arrays,
                        const shape<1>& s2, const std::tuple<E...>& longer, const E&... e) {
  allocation* const nobody[sizeof...(T)] = {};
  const lower_detail::leaves_and_reductions<E...> all(e...);
  const auto all_longer =
      std::apply([](const E&... each) { return lower_detail::leaves_and_reductions<E...>(each...); }, longer);
  row_layout layout;
  axis_map frames[all.reductions + 1];
  if (lay_out_rows(s.extent, 1, all.reduction, all.reductions, layout, frames) || layout.one_result)
    return "for_each_zip: the function reduces something else than its arguments; materialize(e) computes that before";
  const char* problem = nullptr;
  const auto attempt = [&]<int Share>() {
    using plan = packed_rows_plan<Space, lowering<Share, E...>, target_pack<1, T...>>;
    plan p(s, to), other(s2, to);
    if (!p.bound.bind(all.record, s, frames)) return false;
    if (!other.bound.bind(all_longer.record, s2, frames) ||
        !same_constants(p.bound.operands, other.bound.operands, make_index_sequence<plan::sources::size>{})) {
      problem =
          "for_each_zip: the function computes something of how many elements there are, as mean and var do, and "
          "is called once for arrays of all lengths";
      return true;
    }
    describe_all<1>(p.info, p.to, nobody, p.target_numbers);
    p.keep_extents();
    p.arrays = arrays(p.info + p.targets, p.bound.count);
    if (!x.take(p)) throw error(backend_refuses);
    return true;
  };
  if constexpr (makes_all_kernels<Space>) attempt.template operator()<0>();
  else if (!share_and<Space, 1, true, E...>(attempt)) attempt.template operator()<0>();
  return problem;
}

}  // namespace lazyfuse::run_detail
