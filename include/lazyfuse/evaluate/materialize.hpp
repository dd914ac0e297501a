// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// materialize of several expressions: a graph of assignments, run in groups that share a kernel.
#pragma once

#include <lazyfuse/evaluate/graph_assignments.hpp>
#include <lazyfuse/evaluate/shared_launches.hpp>
#include <lazyfuse/plan/assignments.hpp>

#include <tuple>

namespace lazyfuse {

namespace materialize_detail {

/// The trees E..., which of them are one kernel, decided by types, and where their values go.
template <class Space, class Maker, class... E>
struct typed_assignments : placed<E...> {
  using placed<E...>::count;
  using plan = planning::assignment_plan<Space, E...>;
  bool together[count] = {};  ///< of each group: it is one kernel
  int kernel[count] = {};     ///< of each expression, in the order in which they run
  int kernels = 0;

  explicit typed_assignments(const E&... e) : placed<E...>(e...) {
    decide_all(make_index_sequence<plan::groups.groups>{});
  }
  template <int I>
  const auto& tree() const {
    return this->placed<E...>::template tree<I>();
  }
  /// Runs the kernels, once all places are ready, or leaves their plans in a list.
  void run(const execution& x = {}) const {
    shared_launches together(x);
    run_groups(together.x, make_index_sequence<plan::groups.groups>{});
    together.launch();
  }

 private:
  template <class Members>
  struct group;
  template <int... M>
  struct group<index_sequence<M...>> {
    using kernel = typename plan::template kernel<bare_t<decltype(*get<M>(placed<E...>::trees))>...>;
    static constexpr bool alone = sizeof...(M) == 1 && kernel::set::size == 0;
  };

  /// Notes expression and value where expression I is of type K.
  template <int I, class K, int N>
  void note(planning::finished<K, Space, N>& f, int& next) const {
    if constexpr (__is_same(bare_t<decltype(tree<I>())>, K)) {
      const auto& to = get<I>(this->places);
      f.expression[next] = &tree<I>();
      f.steps[next] = to.steps;
      f.values[next++] = {to.owner, to.data};
    }
  }
  template <int... I, class K, int N>
  void fill(index_sequence<I...>, planning::finished<K, Space, N>& f) const {
    int next = 0;
    (note<I>(f, next), ...);
  }
  template <class Named, class... F>
  void fill_all(planning::finished_set<Space, Named, F...>& set) const {
    (fill(make_index_sequence<count>{}, static_cast<F&>(set)), ...);
  }

  /// Whether the expressions M..., with what is finished replaced in x..., can be one kernel, and had better.
  template <class Kernel, int... M, class... X>
  bool fit(index_sequence<M...>, const typename Kernel::set& set, const X&... x) const {
    const auto& s = tree<index_sequence<M...>::at(0)>().shape();
    if (!set.known || !((tree<M>().shape() == s) && ...)) return false;
    if constexpr (sizeof...(X) > 1 && (planning::has_reduction<X> || ...)) {
      const planning::lower_detail::leaves_and_reductions<X...> all(x...);
      if (!planning::finished_detail::same_arguments(all.reduction, all.reductions)) return false;
    }
    if constexpr (Kernel::set::size == 0 || Kernel::reads_reductions) return true;
    else
      return planning::finished_detail::bytes_read_by(x...) <=
             (planning::finished_detail::bytes_read_by(tree<M>()) + ...);
  }
  template <int... M>
  bool decide(index_sequence<M...> members) {
    using kernel_type = typename group<index_sequence<M...>>::kernel;
    bool one = true;
    if constexpr (!group<index_sequence<M...>>::alone) {
      typename kernel_type::set set;
      fill_all(set);
      one = fit<kernel_type>(members, set, planning::substituted(set, tree<M>())...);
    }
    ((kernel[M] = one ? kernels : kernels++), ...);
    kernels += one;
    return one;
  }
  template <int... G>
  void decide_all(index_sequence<G...>) {
    ((together[G] = decide(typename plan::template members<G>{})), ...);
  }

  /// One kernel, or what lazyfuse::run() makes of them: the expressions numbered M, written as first, more...
  template <int... M, class First, class... More>
  void launch(const execution& x, index_sequence<M...>, const First& first, const More&... more) const {
    constexpr int R = First::rank;
    const ir::target_pack<R, value_t<First>, value_t<More>...> to{
        {{{get<M>(this->places).data, get<M>(this->places).steps}}...}};
    allocation* const owners[] = {get<M>(this->places).owner...};
    lazyfuse::run<kernel_space<Space, Maker>, R, value_t<First>, value_t<More>...>(x, first.shape(), to, owners, first,
                                                                                   more...);
  }
  template <int... M>
  void run_group(const execution& x, index_sequence<M...> members, bool one) const {
    if constexpr (group<index_sequence<M...>>::alone) launch(x, members, tree<M>()...);
    else if (one) {
      typename group<index_sequence<M...>>::kernel::set set;
      fill_all(set);
      launch(x, members, planning::substituted(set, tree<M>())...);
    } else (launch(x, index_sequence<M>{}, tree<M>()), ...);
  }
  template <int... G>
  void run_groups(const execution& x, index_sequence<G...>) const {
    (run_group(x, typename plan::template members<G>{}, together[G]), ...);
  }
};

template <class Space, class Maker, class... E>
using assignments =
    standard::conditional_t<run_detail::make_one_graph<kernel_space<Space, Maker>, E...>,
                            graph_assignments<kernel_space<Space, Maker>, E...>, typed_assignments<Space, Maker, E...>>;

/// Runs `all` into new arrays, which it returns.
template <class Space, int... I, class... E>
auto results_of(index_sequence<I...>, auto& all, const E&... e) {
  std::tuple<array<value_t<E>, E::rank, Space>...> results{array<value_t<E>, E::rank, Space>(e.shape(), caller{})...};
  ((get<I>(all.places) = place_of(std::get<I>(results))), ...);
  all.run();
  return results;
}

}  // namespace materialize_detail

/// The values of several expressions, of any shapes and ranks, as a tuple of arrays. Expressions that one loop can
/// compute share a kernel: elementwise ones of one shape, reductions of arguments of one shape, rows of one shape. One
/// that contains another one (`auto y = sin(x); materialize(y, sum(y))`) reads its result where that is less memory
/// traffic than computing it again. Which share is decided from the types, and where the shapes or operands then turn
/// out not to allow it, each expression runs by itself; where kernels are made at run time anyway, in files without
/// nvcc and of lazy arrays on the GPU, it is decided from the values. There, and with jit::always, short elementwise
/// kernels of unlike shapes share a launch, up to eight of them. Of several GPUs all run on one.
template <class... E, class Maker = maker>
  requires(sizeof...(E) > 1)
&&(expression<E>&&...) auto materialize(const E&... e) {
  using joined = map_detail::joined<expression_space_t<E>...>;
  static_assert(!joined::mixed, "lazyfuse: expressions materialised together must live in one space");
  if constexpr (!joined::mixed) {
    using Space = typename array_detail::space_of_result<typename joined::type>::type;
    const memory_detail::device_scope<Space> scope(planning::device_for<Space>(nullptr, nullptr, e.tree...));
    materialize_detail::assignments<Space, Maker, tree_t<E>...> all(e.tree...);
    return materialize_detail::results_of<Space>(make_index_sequence<sizeof...(E)>{}, all, e.tree...);
  }
}

}  // namespace lazyfuse
