// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of several expressions share a kernel, from their types: who contains whom, and the partition. What the types
// cannot tell (shapes, and whether equal types are equal values) is found out at run time.
#pragma once

#include <lazyfuse/plan/fusion_gain.hpp>
#include <lazyfuse/plan/kernel_form.hpp>

namespace lazyfuse::planning {

namespace assignments_detail {

template <int N>
struct of_each_node {
  int of[N] = {};
};

/// How many assignments best_partition is asked about: the compilers' limits on constant expressions allow a few more.
inline constexpr int most_nodes = 8;

/// A partition where the best one would take the compiler too long: what can run in one layer, in an order in which it
/// can run. A node's layer is how often the iteration changes on a way to it. O(N^2).
template <int N>
constexpr partition<N> by_layers(const dependence_graph<N>& g, const int* iteration, const int* operands, int most) {
  partition<N> p;
  int at[N] = {}, layer[N] = {}, label[N] = {}, room[N] = {};
  for (int i = 0; i < N; ++i) label[i] = i;
  order_groups(g, label, p);
  for (int i = 0; i < N; ++i) at[p.group_of[i]] = i;
  for (const int i : at)
    g.readers[i].for_each([&](int j) {
      const int next = layer[i] + (iteration[i] != iteration[j]);
      layer[j] = next > layer[j] ? next : layer[j];
    });
  for (int k = 0; k < N; ++k) {
    const int i = at[k];
    room[i] = most - operands[i];
    for (int before = k - 1; before >= 0; --before) {
      const int group = label[at[before]];
      if (iteration[group] != iteration[i] || layer[group] != layer[i]) continue;
      if (room[group] >= operands[i]) room[group] -= operands[i], label[i] = group;
      break;
    }
  }
  order_groups(g, label, p);
  return p;
}

/// One group for each iteration, if that is possible: since two groups of one iteration gain by merging, nothing gains
/// more.
template <int N>
constexpr bool by_iteration(const dependence_graph<N>& g, const int* iteration, const int* operands, int most,
                            partition<N>& p) {
  int sum[N] = {}, members[N] = {};
  for (int i = 0; i < N; ++i) {
    sum[iteration[i]] += operands[i];
    if (++members[iteration[i]] > 1 && sum[iteration[i]] > most) return false;
  }
  return order_groups(g, iteration, p);
}

/// Arrays that expressions read: the number of a type, and its occurrence within an expression.
template <int Most>
struct known_arrays {
  int type[Most + 1] = {}, number[Most + 1] = {};
};
template <class A, class... B>
constexpr int number_of(list<B...>) {
  const bool same[] = {__is_same(A, B)..., true};
  int k = 0;
  while (!same[k]) ++k;
  return k;
}
/// Bytes of an array of 32 elements along each axis.
template <class A>
inline constexpr index_t nominal_bytes = index_t{sizeof(value_t<A>)} << (5 * A::rank);
template <int N, int Most, class... A, class All>
constexpr void add_reads(fusion_gain<N, Most + 1>& f, int node, known_arrays<Most>& known, list<A...>,
                         [[maybe_unused]] All all) {
  int seen[Most + 1] = {};
  [[maybe_unused]] const auto one = [&](int type, index_t bytes) {
    int k = 0;
    while (k < f.inputs && (known.type[k] != type || known.number[k] != seen[type])) ++k;
    if (k == f.inputs) known.type[k] = type, known.number[k] = seen[type], f.add_input(bytes);
    ++seen[type];
    f.add_read(node, N + k);
  };
  (one(number_of<A>(all), nominal_bytes<A>), ...);
}
/// The gain of sharing kernels, where equal types are taken for equal arrays.
template <class... E>
constexpr auto nominal_gain(const int* iteration) {
  using all = concat_t<arrays_of<E>...>;
  fusion_gain<int(sizeof...(E)), all::size + 1> f;
  known_arrays<all::size> known;
  (f.add_node(nominal_bytes<E>, 0, true), ...);
  for (int i = 0; i < f.nodes; ++i) f.iteration[i] = iteration[i];
  int i = 0;
  (add_reads(f, i++, known, arrays_of<E>{}, all{}), ...);
  return f;
}

}  // namespace assignments_detail

/// The kernels of several expressions: groups that share one, in an order in which they can run, and what each reads of
/// those before.
template <class Space, class... E>
struct assignment_plan {
  static constexpr int count = sizeof...(E);
  static constexpr fusion_limits limits = {};

  /// Equal numbers: one kernel can be both.
  static constexpr auto iterations() {
    using assignments_detail::kernel_form;
    constexpr kernel_form forms[] = {assignments_detail::form_among<E, E...>::value...};
    assignments_detail::of_each_node<count> r;
    for (int i = 0; i < count; ++i) {
      r.of[i] = i;
      for (int k = i - 1; k >= 0; --k)
        if (forms[k] == forms[i] && forms[i].kind != kernel_form::several) r.of[i] = r.of[k];
    }
    return r;
  }
  template <class K>
  static constexpr void add_readers(dependence_graph<count>& g, int i) {
    int j = 0;
    ((finished_detail::is_computed<K> && assignments_detail::inside<K, E> ? g.add_edge(i, j++) : void(j++)), ...);
  }
  static constexpr dependence_graph<count> graph() {
    dependence_graph<count> g(count);
    int i = 0;
    (add_readers<E>(g, i++), ...);
    return g;
  }

  static constexpr partition<count> make() {
    constexpr auto iteration = iterations();
    constexpr int operands[] = {1 + lower_detail::leaf_count<E>...};
    const auto g = graph();
    partition<count> p;
    if (assignments_detail::by_iteration(g, iteration.of, operands, limits.max_operands, p)) return p;
    if constexpr (count > assignments_detail::most_nodes)
      return assignments_detail::by_layers(g, iteration.of, operands, limits.max_operands);
    else return best_partition(g, assignments_detail::nominal_gain<E...>(iteration.of));
  }
  static constexpr partition<count> groups = make();

  template <int G>
  static constexpr int size_of = [] {
    int n = 0;
    for (const int g : groups.group_of) n += g == G;
    return n;
  }();
  template <int G>
  static constexpr int member(int which) {
    int i = 0;
    for (;; ++i)
      if (groups.group_of[i] == G && which-- == 0) return i;
  }
  template <int G, int... I>
  static index_sequence<member<G>(I)...> members_of(index_sequence<I...>);
  /// The numbers of the expressions of group G.
  template <int G>
  using members = decltype(members_of<G>(make_index_sequence<size_of<G>>{}));

  /// What the kernel of M... reads of earlier ones, and what several of them contain.
  template <class... M>
  struct kernel {
    template <class K>
    struct read {
      static constexpr bool value = finished_detail::is_computed<K> && (assignments_detail::inside<K, M> || ...) &&
                                    !(__is_same(K, M) || ...) && assignments_detail::worth_reading<K>;
    };
    template <class K>
    struct common {
      static constexpr bool value = map_detail::is_composite<K> && (assignments_detail::inside<K, M> || ...);
    };
    using reads = typename assignments_detail::select<read, list<>, E...>::type;
    using named = typename assignments_detail::select<common, list<>, M...>::type;
    using set = typename assignments_detail::set_of<Space, reads, named, list<E...>>::type;
    /// Whether some of it would have to be reduced again.
    template <class... K>
    static constexpr bool any_reduction(list<K...>) {
      return (has_reduction<K> || ...);
    }
    static constexpr bool reads_reductions = any_reduction(reads{});
  };
};

}  // namespace lazyfuse::planning
