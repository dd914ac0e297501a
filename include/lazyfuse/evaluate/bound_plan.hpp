// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of a kernel with the types of its program: what the patterns decide, launch and count.
#pragma once

#include <lazyfuse/core/algorithm.hpp>
#include <lazyfuse/evaluate/guard.hpp>
#include <lazyfuse/plan/compilation.hpp>
#include <lazyfuse/program/code.hpp>
#include <lazyfuse/program/cost_saved.hpp>

namespace lazyfuse::run_detail {

template <class Target>
void describe(operand_info& info, Target& t, allocation* owner, int rank) {
  info = {t.data, t.steps.step, owner, int(sizeof(*t.data)), rank, &t.data};
}
template <int R, class... T, int... I>
void describe_all(operand_info* info, target_pack<R, T...>& to, allocation* const* owners, index_sequence<I...>) {
  (describe(info[I], get<I>(to), owners[I], R), ...);
}

template <int R, int K, class... T, int... I>
void describe_reduced(operand_info* info, target_pack<K, T...>& to, strides<R>* steps, allocation* const* owners,
                      index_sequence<I...>) {
  const auto one = [&](int i, auto& t) {
    for (int k = 0; k < K; ++k) steps[i][k] = t.steps[k];
    info[i] = {t.data, steps[i].step, owners[i], int(sizeof(*t.data)), R, &t.data};
  };
  (one(I, get<I>(to)), ...);
}
template <int R, int K, class... T, int... I>
void copy_back(target_pack<K, T...>& to, const strides<R>* steps, index_sequence<I...>) {
  const auto one = [&](int i, auto& t) {
    for (int k = 0; k < K; ++k) t.steps[k] = steps[i][k];
  };
  (one(I, get<I>(to)), ...);
}

/// What a kernel costs less than its program says; devices take the general way.
template <class Space, class Schedule, class Operands>
constexpr int cost_saved(const Operands& operands) {
  if constexpr (backend<Space>::in_vectors) return ir::cost_saved<Schedule>(operands);
  else return 0;
}

/// A plan with its types: operands bound over an iteration of N axes, and the targets. Pattern says how to decide,
/// launch and count.
template <class Pattern, class Space, class Lowering, int N, class Targets>
struct bound_plan;
template <class Pattern, class Space, class Lowering, int N, int K, class... T>
struct bound_plan<Pattern, Space, Lowering, N, target_pack<K, T...>> : kernel_plan {
  using sources = typename Lowering::sources;
  static constexpr int rank = N, targets = sizeof...(T), count = targets + sources::size;
  static constexpr auto target_numbers = make_index_sequence<targets>{};
  static constexpr bool makes_all = makes_all_kernels<Space>, is_only_made = makes_all || requires {
    Pattern::only_made;
  };

  shape<N> s;
  target_pack<K, T...> to;
  bound_operands<Lowering, N, targets> bound;

  bound_plan(const shape<N>& of, const target_pack<K, T...>& results_to) : s(of), to(results_to) {
    type = known();
    info = bound.info;
  }
  /// What is known of all kernels of this type.
  static const kernel_type* known() {
    using leaves = lower_detail::slot_table<typename Lowering::slots>;
    static_assert(__is_trivially_copyable(Pattern), "lazyfuse: plans are kept as bytes");
    static constexpr dtype results[] = {dtype_of<T>...};
    static constexpr const char* spellings[] = {spelling_of<memory<T>, makes_all>()...};
    static constexpr kernel_type all{
        Pattern::name,
        Space::name,
        Pattern::code,
        types_of<sources, makes_all>::value,
        results,
        types_of<sources>::structs(),
        targets,
        sources::size,
        N,
        K,
        leaves::count,
        leaves::value,
        int(sizeof(Pattern)),
        Lowering::shared,
        space_traits<Space>::on_device,
        is_only_made,
        [](kernel_plan& p) { p.path = static_cast<Pattern&>(p).decide(); },
        [](kernel_plan& p) {
          auto& self = static_cast<Pattern&>(p);
          make_ready<Space>(p.type->program, self.s, self.bound, self.to);
          if constexpr (requires { backend<Space>::launch_made(p); })
            if (p.made = backend<Space>::launch_made(p); p.made) return;
          if constexpr (is_only_made) throw_not_made();
          else self.launch();
        },
        [](const kernel_plan& p) { return static_cast<const Pattern&>(p).cost() + cost_of_sources<Space>(sources{}); },
        backend<Space>::machine,
        would_be_made(),
        spellings,
        this_compilation::text,
        launched_together<backend<Space>>()};
    return &all;
  }
  static constexpr auto would_be_made() -> bool (*)(const kernel_plan&) {
    if constexpr (requires(const kernel_plan& p) { backend<Space>::would_make(p); }) return backend<Space>::would_make;
    else return nullptr;
  }
  void merge(int from, int to) { coalesce(s.extent, from, to, info, count); }
  /// Once the axes are in their order; those from `reduced` on are.
  void keep_extents(int reduced = N) {
    for (int k = 0; k < N; ++k) {
      extents[k] = s[k];
      results[k] = k < reduced ? s[k] : 1;
    }
  }
};

template <class Space, class Lowering, int R, class Targets>
struct transform_plan : bound_plan<transform_plan<Space, Lowering, R, Targets>, Space, Lowering, R, Targets> {
  static constexpr const char* name = "transform";
  using program = schedule<typename Lowering::programs>;
  using roots = typename program::roots;
  static constexpr const char* code = code_of<roots>.text;
  using transform_plan::bound_plan::bound_plan;

  void arrange() {
    order_axes(this->s.extent, 0, R, this->info, this->count, this->targets);
    coalesce_elementwise(this->s.extent, R, this->info, this->count, space_traits<Space>::on_device);
    this->keep_extents();
  }
  using runner = kernel<dpp::transform<program>, Space>;
  [[no_unique_address]] typename runner::geometry geometry;
  const char* decide() {
    const char* const path = runner::path(*this);
    this->keep_extents();  // it may have chosen other axes for rows and columns
    return path;
  }
  void launch() { runner::launch(*this); }
  double cost() const {
    double beside = 0;
    if constexpr (R > 1 && backend<Space>::in_vectors)
      beside = dpp::tuning<dpp::transforms, Space>::beside_elements(
          static_cast<double>(algorithm::max(this->s[R - 1], index_t{1})));
    return program::cost + beside - cost_saved<Space, program>(this->bound.operands);
  }
};

/// Over the extents of the argument: kept axes [0, K), then the reduced ones.
template <class Space, class Lowering, int R, class Targets>
struct reduce_plan;
template <class Space, class Lowering, int R, int K, class... T>
struct reduce_plan<Space, Lowering, R, target_pack<K, T...>>
    : bound_plan<reduce_plan<Space, Lowering, R, target_pack<K, T...>>, Space, Lowering, R, target_pack<K, T...>> {
  static constexpr const char* name = "reduce";
  using program = schedule<typename Lowering::programs>;
  using roots = typename program::roots;
  using set = reduction_set<typename reductions_of<roots>::type, typename Lowering::sources>;
  static constexpr const char* code = code_of<roots>.text;
  using reduce_plan::bound_plan::bound_plan;

  /// A target is described with R steps, 0 along the reduced axes, so that axes merge for all alike.
  strides<R> target_steps[sizeof...(T)];
  bool along_kept;

  void arrange() {
    index_t* const extents = this->s.extent;
    operand_info *const all = this->info, *const operands = all + this->targets;
    order_axes(extents, 0, K, all, this->count, this->targets);
    order_reduced_axes(extents, K, R, operands, this->bound.count);
    if constexpr (backend<Space>::in_vectors) order_kept_for_reading(extents, K, R, all, this->targets, this->count);
    this->merge(0, K);
    this->merge(K, R);
    copy_back<R, K>(this->to, target_steps, this->target_numbers);
    along_kept = runs_along_kept(extents, K, R, operands, this->bound.count, true);
    this->keep_extents(K);
  }
  using runner = kernel<dpp::reduce<set, program, K>, Space>;
  [[no_unique_address]] typename runner::geometry geometry;
  const char* decide() { return runner::path(*this); }
  void launch() { runner::launch(*this); }
  double cost() const {
    double beside = 0;
    if constexpr (backend<Space>::in_vectors) {
      double length = 1;
      for (int k = K; k < R; ++k) length *= static_cast<double>(algorithm::max(this->s[k], index_t{1}));
      const auto across = K > 0 ? static_cast<double>(algorithm::max(this->s[K > 0 ? K - 1 : 0], index_t{1})) : length;
      beside = dpp::tuning<dpp::reductions, Space>::beside_elements(set::has_ordered, set::has_near, along_kept, length,
                                                                    across);
    }
    return set::prologue::cost + beside - cost_saved<Space, typename set::prologue>(this->bound.operands);
  }
};

/// What passes over rows read a second time.
template <class Plan, int... I>
index_t again_bytes(const index_t* extents, int rank, const operand_info* operands, index_sequence<I...>) {
  constexpr int readers[] = {Plan::template passes_that_read<I>..., 0};
  index_t bytes = 0;
  for (int i = 0; i < int(sizeof...(I)); ++i)
    if (readers[i] > 1) bytes += (readers[i] - 1) * asked_bytes(extents, rank, operands + i, 1);
  return bytes;
}
/// Instructions per element over all passes, without what a row computes once.
template <class Plan, int... Pass>
constexpr int cost_of_elements(index_sequence<Pass...>) {
  return Plan::cost - (0 + ... + schedule<typename Plan::template uniform<Pass>>::cost);
}
/// The code of a staged program, pass by pass.
template <class Plan, int... S>
constexpr const char* code_of_passes(index_sequence<S...>) {
  return code_of<typename Plan::output::roots, typename Plan::template set<S>::reductions...>.text;
}

/// Puts the axes in their order, the K kept ones first; the last of these is the innermost where memory is contiguous
/// along it, and not along the rows.
template <int K, int N, class Plan>
void arrange_rows(Plan& p) {
  index_t* const extents = p.s.extent;
  order_axes(extents, 0, K, p.info, p.count, p.targets);
  order_reduced_axes(extents, K, N, p.info, p.count);
  p.merge(0, K);
  p.merge(K, N);
  p.rows.outer = K;
  if constexpr (K > 0) {
    if (runs_along_kept(extents, K, N, p.info, p.count)) {
      p.rows.beside = true;
      p.rows.outer = K - 1;
      rows_detail::rotate<K - 1, N>(extents);
      rows_detail::rotate_steps<K - 1, N>(p.bound.operands, make_index_sequence<Plan::sources::size>{});
      rows_detail::rotate_steps<K - 1, N>(p.to, p.target_numbers);
    }
  }
  p.keep_extents();
}

/// Over kept axes, then the Axes that make a row; results are one for each element, or one for each row.
template <class Space, class Lowering, int N, int Axes, class Targets>
struct rows_plan : bound_plan<rows_plan<Space, Lowering, N, Axes, Targets>, Space, Lowering, N, Targets> {
  static constexpr const char* name = "rows";
  using sources = typename Lowering::sources;
  using program = staged<typename schedule<typename Lowering::programs>::simplified, sources>;
  static constexpr const char* code = code_of_passes<program>(make_index_sequence<program::count>{});
  static constexpr int K = N - Axes;
  using along = kernel<dpp::rows<program, K, false>, Space>;
  using beside = kernel<dpp::rows<program, K - 1, true>, Space>;
  using rows_plan::bound_plan::bound_plan;

  [[no_unique_address]] typename along::geometry geometry;

  void arrange() { arrange_rows<K, N>(*this); }
  const char* decide() {
    row_residence& where = this->rows.where;
    where.again_bytes =
        again_bytes<program>(this->extents, N, this->info + this->targets, make_index_sequence<sources::size>{});
    if constexpr (K > 0) {
      if (this->rows.beside) return beside::path(*this);
    }
    return along::path(*this);
  }
  void launch() {
    if constexpr (K > 0) {
      if (this->rows.beside) return beside::launch(*this);
    }
    along::launch(*this);
  }
  double cost() const {
    double beside_elements = 0;
    if constexpr (backend<Space>::in_vectors)
      beside_elements =
          this->rows.passes * dpp::tuning<dpp::row_stages, Space>::beside_elements(
                                  this->rows.beside, algorithm::max(1.0, static_cast<double>(this->rows.length)),
                                  algorithm::max(1.0, static_cast<double>(this->s[N > 0 ? N - 1 : 0])));
    return cost_of_elements<program>(make_index_sequence<program::count + 1>{}) + beside_elements;
  }
};

/// Rows of operands none of which is taken for another: run time finds out which are one. Their kernel is not compiled
/// with the program.
template <class Space, class Lowering, int N, int Axes, class Targets>
struct made_rows_plan : bound_plan<made_rows_plan<Space, Lowering, N, Axes, Targets>, Space, Lowering, N, Targets> {
  static constexpr bool only_made = true;
  static constexpr const char* name = "rows";
  using sources = typename Lowering::sources;
  using program = staged<typename schedule<typename Lowering::programs>::simplified, sources>;
  static constexpr const char* code = code_of_passes<program>(make_index_sequence<program::count>{});
  static constexpr int K = N - Axes;
  using made_rows_plan::bound_plan::bound_plan;

  void arrange() { arrange_rows<K, N>(*this); }
  const char* decide() {
    this->by_address = true;
    return backend<Space>::make_rows(*this);
  }
  double cost() const { return cost_of_elements<program>(make_index_sequence<program::count + 1>{}); }
};

}  // namespace lazyfuse::run_detail
