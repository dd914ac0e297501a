// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowering: an expression becomes a program (a type) and operands (values), bound to one iteration. Where
// leaves share a number, binding finds out whether they really are the same operand.
#pragma once

#include <lazyfuse/plan/number.hpp>

namespace lazyfuse {

/// What planning needs to know of an operand or target, whatever its type.
struct operand_info {
  const void* data;   ///< null for constants and ramps
  index_t* steps;     ///< R steps inside the operand; null for constants
  allocation* owner;  ///< null for borrowed memory
  int element_size;
  int own_rank;  ///< axes of the operand itself, before broadcasting
};

namespace lower_detail {

template <class T, class Space>
memory<T> bind_source(const stored<T, Space>& s, index_t offset) {
  return {s.data + offset};
}
template <class T>
ramp<T> bind_source(ramp<T> s, index_t offset) {
  s.origin += offset;
  return s;
}
template <class T>
constant<T> bind_source(const constant<T>& s, index_t) {
  return s;
}
template <class T, class Space>
allocation* owner_of(const stored<T, Space>& s) {
  return s.owner.get();
}
template <class Source>
allocation* owner_of(const Source&) {
  return nullptr;
}

/// Receives the leaves of an expression in order and writes each as the operand of its number.
/// R is the rank of the iteration: the kept axes first, then the reduced ones.
template <class Slots, int R, class... Src>
struct binder;
template <int... Slot, int R, class... Src>
struct binder<indices<Slot...>, R, Src...> {
  static constexpr int count = sizeof...(Src);
  static constexpr int slot(int occurrence) { return indices<Slot...>::at(occurrence); }
  static constexpr bool is_first(int occurrence) {
    for (int k = 0; k < occurrence; ++k)
      if (slot(k) == slot(occurrence)) return false;
    return true;
  }

  operand_pack<R, Src...>& operands;
  operand_info* info;
  const shape<R>& extents;
  bool agree = true;  ///< whether all leaves of one number are the same operand

  /// Reduced is how many trailing axes of the iteration the leaf does not see.
  template <int Occurrence, class Source, int Rank>
  void put(const leaf<Source, Rank>& e, int reduced) {
    constexpr int k = slot(Occurrence);
    using S = type_at<k, Src...>;
    operand<S, R> o;
    o.source = bind_source(e.source, e.offset);
    if constexpr (requires { o.steps; }) {
      o.steps = {};
      for (int axis = 0; axis < Rank; ++axis) {
        const int to = axis + R - reduced - Rank;
        o.steps[to] = e.extents[axis] == extents[to] && extents[to] != 1 ? e.steps[axis] : 0;
      }
    }
    if constexpr (is_first(Occurrence)) {
      auto& mine = get<k>(operands);
      mine = o;
      if constexpr (requires { mine.steps; }) {
        if constexpr (S::is_memory)
          info[k] = {mine.source.data, mine.steps.step, owner_of(e.source), int(sizeof(value_t<leaf<Source, Rank>>)),
                     Rank};
        else info[k] = {nullptr, mine.steps.step, nullptr, 0, Rank};
      } else info[k] = {nullptr, nullptr, nullptr, 0, Rank};
    } else {
      const auto& known = get<k>(operands);
      agree &= known.source == o.source;
      if constexpr (requires { o.steps; }) agree &= known.steps == o.steps;
    }
  }
};

template <int N, class Binder, class Source, int R>
void bind(const leaf<Source, R>& e, Binder& b, int reduced) {
  b.template put<N>(e, reduced);
}
template <int N, class Binder, class T, auto V>
void bind(const literal_leaf<T, V>&, Binder&, int) {}
template <int N, class Binder, class Monoid, int Axes, class A, bool V, int R>
void bind(const leaf<reduced<Monoid, Axes, A, V>, R>& e, Binder& b, int) {
  bind<N>(e.source.argument, b, 0);
}
template <int N, class Binder, class Op, class Seq, class... A>
void bind(const map_expr<Op, Seq, A...>& e, Binder& b, int reduced);

/// How many leaves an expression has.
template <class E>
inline constexpr int leaf_count = 1;
template <class T, auto V>
inline constexpr int leaf_count<literal_leaf<T, V>> = 0;
template <class Monoid, int Axes, class A, bool V, int R>
inline constexpr int leaf_count<leaf<reduced<Monoid, Axes, A, V>, R>> = leaf_count<A>;
template <class Op, class Seq, class... A>
inline constexpr int leaf_count<map_expr<Op, Seq, A...>> = (0 + ... + leaf_count<A>);
template <class E>
inline constexpr int leaf_count<named<E>> = leaf_count<E>;

template <int N, int K, class Binder, class Op, class Seq, class... A>
void bind_arguments(const map_expr<Op, Seq, A...>& e, Binder& b, int reduced) {
  if constexpr (K < int(sizeof...(A))) {
    bind<N>(e.template argument<K>(), b, reduced);
    bind_arguments<N + leaf_count<bare_t<decltype(e.template argument<K>())>>, K + 1>(e, b, reduced);
  }
}
template <int N, class Binder, class Op, class Seq, class... A>
void bind(const map_expr<Op, Seq, A...>& e, Binder& b, int reduced) {
  bind_arguments<N, 0>(e, b, reduced);
}

template <int N, class Binder>
void bind_each(Binder&, int) {}
template <int N, class Binder, class E, class... Rest>
void bind_each(Binder& b, int reduced, const E& e, const Rest&... rest) {
  bind<N>(e, b, reduced);
  bind_each<N + leaf_count<E>>(b, reduced, rest...);
}

template <bool Share, class... E>
struct lower_roots {
  using all = lower_all<Share, state<list<>, no_memo, indices<>>, E...>;
  using programs = typename all::programs;
  template <class Sources, class Memo, class Slots>
  static list<Sources, Slots> parts(state<Sources, Memo, Slots>*);
  template <class Sources, class Slots>
  struct named {
    using sources = Sources;
    using slots = Slots;
  };
  template <class Sources, class Memo, class Slots>
  static named<Sources, Slots> name(state<Sources, Memo, Slots>*);
  using parts_type = decltype(name(static_cast<typename all::next*>(nullptr)));
};

}  // namespace lower_detail

/// The program, the device sources of the operands, and which leaf is which operand. Shared: with
/// equal-typed composites numbered once.
template <bool Share, class... E>
struct lowering {
  using roots = lower_detail::lower_roots<Share, E...>;
  using programs = typename roots::programs;
  using sources = typename roots::parts_type::sources;
  using slots = typename roots::parts_type::slots;
};

namespace lower_detail {
template <class Slots, int R, class Sources>
struct binder_for;
template <class Slots, int R, class... Src>
struct binder_for<Slots, R, list<Src...>> {
  using type = binder<Slots, R, Src...>;
  using operands = operand_pack<R, Src...>;
  static constexpr int count = sizeof...(Src);
};
}  // namespace lower_detail

/// The operands of a lowering bound to values, and the descriptions of targets and operands.
template <class Lowering, int R, int Targets>
struct bound_operands {
  using sources = typename Lowering::sources;
  using pack_type = typename lower_detail::binder_for<typename Lowering::slots, R, sources>::operands;
  using binding = lower_detail::binder_for<typename Lowering::slots, R, typename Lowering::sources>;
  static constexpr int count = binding::count;
  typename binding::operands operands;
  operand_info info[Targets + count];  ///< targets first

  /// Returns whether leaves that share a number are the same operand.
  template <class... E>
  bool bind(const shape<R>& extents, int reduced, const E&... e) {
    typename binding::type b{operands, info + Targets, extents};
    lower_detail::bind_each<0>(b, reduced, e...);
    return b.agree;
  }
};

}  // namespace lazyfuse
