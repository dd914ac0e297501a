// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of an expression that are computed into memory first: what barriers and limits cut off.
#pragma once

#include <lazyfuse/evaluate/patterns.hpp>
#include <lazyfuse/expr/barrier.hpp>

#include <vector>

namespace lazyfuse {

/// Evaluates e... at every index of the shape s and stores the results at the targets, whose memory is
/// ready and not read otherwise than position by position.
template <class Space, int R, class... T, class... E>
void run(const execution& x, const shape<R>& s, const ir::target_pack<R, T...>& to, allocation* const* owners,
         const E&... e);

namespace run_detail {

/// A barrier or reduction that is computed: its type, its argument within the expression, and the values.
struct computed_record {
  const void* type;
  const void* argument;
  allocation* owner;
  const void* data;
};
/// Memory made on the way, kept until the kernel that reads it is launched.
class temporaries {
 public:
  temporaries();
  temporaries(const temporaries&) = delete;
  temporaries& operator=(const temporaries&) = delete;
  ~temporaries();

  handles<1>& another_handle();
  const computed_record& note(const computed_record& r);
  /// What was noted, in its order.
  const computed_record* begin() const;
  const computed_record* end() const;

 private:
  std::vector<handles<1>> memory_;
  std::vector<computed_record> computed_;
};

/// Memory that is made on the way: none of it where plans are only described.
struct room {
  allocation* owner;
  void* data;
};
/// kept: to which a handle is added unless a list keeps them.
template <class Allocate>
room room_for(const execution& x, temporaries& kept, std::size_t bytes, const Allocate& allocate) {
  if (!x.has_memory()) return {nullptr, x.list->stand_in()};
  if (bytes == 0) return {nullptr, nullptr};
  allocation*& memory = (x.list ? x.list->memory(bytes) : kept.another_handle()).memory[0];
  if (!memory) memory = allocate(bytes);
  return {memory, memory->data};
}
/// Makes an array for e, computes it, and returns it as a leaf; e may contain anything.
template <class Space, class E>
leaf<stored<value_t<E>, memory_of<Space>>, rank_of<E>> made(const execution& x, temporaries& t, const E& e) {
  using T = value_t<E>;
  constexpr int R = rank_of<E>;
  const shape<R> s = e.shape();
  const auto steps = row_major(s);
  const room at = room_for(x, t, sizeof(T) * static_cast<std::size_t>(s.size()), [&](std::size_t bytes) {
    return memory_detail::allocate(memory_of<Space>{}, bytes, {"temporary", dtype_of<T>, s.extent, R});
  });
  allocation* const owner = at.owner;
  T* const data = static_cast<T*>(at.data);
  run<Space, R, T>(x, s, target_pack<R, T>{{{{data, steps}}}}, &owner, e);
  return {{owner, data}, s, steps};
}

/// Whether two expressions of one type read the same operands in the same way.
template <class A>
bool same_values(const A& a, const A& b) {
  if constexpr (has_barrier<A>) return false;  // the leaves behind it are not noted
  else {
    using all = lower_detail::leaves_and_reductions<A>;
    const all of_a(a), of_b(b);
    return a.shape() == b.shape() && lower_detail::same_operands(of_a.record, of_b.record, all::count, of_a.reduction,
                                                                 of_b.reduction, all::reductions);
  }
}
/// Its address stands for a type of barriers or reductions.
template <class A>
inline constexpr char computed_type = 0;
/// The record of one of that type with this argument, or null.
template <class Type, class A>
const computed_record* find_computed(const temporaries& t, const A& argument) {
  for (const computed_record& r : t)
    if (r.type == &computed_type<Type> && same_values(*static_cast<const A*>(r.argument), argument)) return &r;
  return nullptr;
}

/// Whether an argument is dense memory already, as the values of a graph are.
template <class A>
constexpr bool is_dense_memory(const A&) {
  return false;
}
template <class T, class Space, int R>
constexpr bool is_dense_memory(const leaf<stored<T, Space>, R>& e) {
  return e.steps == row_major(e.extents);
}

/// The expression with every barrier replaced by its values.
template <class Space, class E>
auto without_barriers(const execution& x, temporaries& t, const E& e);

template <class Space, class Kind, class A, int R>
auto pass_barrier(const execution& x, temporaries& t, const leaf<deferred<Kind, A>, R>& e) {
  if constexpr (Kind::in_kernel) return tree::with_argument(e, without_barriers<Space>(x, t, e.source.argument));
  else {
    using T = value_t<A>;
    const A& argument = e.source.argument;
    const auto in_memory = [&]() -> stored<T, memory_of<Space>> {
      if constexpr (requires {
                      argument.source.owner;
                      argument.source.data;
                    })
        if (is_dense_memory(argument)) return {argument.source.owner, argument.source.data + argument.offset};
      if (const computed_record* const r = find_computed<computed<A>>(t, argument))
        return {r->owner, static_cast<const T*>(r->data)};
      const auto source = made<Space>(x.for_part(Kind::because), t, argument).source;
      t.note({&computed_type<computed<A>>, &argument, source.owner, source.data});
      return source;
    };
    const auto source = e.source.how.read(in_memory());
    return leaf<bare_t<decltype(source)>, R>(source, e.extents, e.steps, e.offset);
  }
}
template <class Space, class E>
auto pass_barrier(const execution& x, temporaries& t, const E& e) {
  return tree::rebuilt(e, [&](const auto& a) { return without_barriers<Space>(x, t, a); });
}
template <class Space, class E>
auto without_barriers(const execution& x, temporaries& t, const E& e) {
  if constexpr (has_barrier<E>) return pass_barrier<Space>(x, t, tree::unnamed(e));
  else return e;
}

/// How many operands are in memory.
template <class... Src>
constexpr int in_memory(list<Src...>) {
  const bool in[] = {Src::is_memory..., false};  // no fold: clang folds at most 256
  int count = 0;
  for (const bool b : in) count += b;
  return count;
}
/// Whether an expression reads more arrays than a kernel takes by default, even if all that may be shared is.
template <class E>
inline constexpr bool reads_too_many = [] {
  if constexpr (barrier_detail::tally_of<E>.operands <= plan_limits<>::max_operands) return false;
  else if constexpr (__is_same(E, decltype(barrier_detail::limit<plan_limits<>>(std::declval<const E&>()))))
    return false;  // there is nothing that could be cut
  else return in_memory(typename lowering<1, E>::sources{}) > plan_limits<>::max_operands;
}();

}  // namespace run_detail

}  // namespace lazyfuse
