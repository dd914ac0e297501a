// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions with scans: those whose scans run along one axis of the result are one kernel; others are cut.
#pragma once

#include <lazyfuse/error.hpp>
#include <lazyfuse/evaluate/patterns.hpp>
#include <lazyfuse/expr/scan.hpp>

namespace lazyfuse {

namespace scans_detail {

template <class Kind>
inline constexpr bool is_scan = false;
template <class M, int Axis, bool E, bool R, bool V>
inline constexpr bool is_scan<tree::by_scan<M, Axis, E, R, V>> = true;

/// What the scans of an expression have in common, and whether reductions are beside them.
struct form {
  int axis = 0, rank = 0;
  bool reverse = false, any = false, same = true, reductions = false;
  constexpr form operator+(const form& b) const {
    form r = any ? *this : b;
    r.any = any || b.any;
    r.same = same && b.same && (!any || !b.any || (axis == b.axis && rank == b.rank && reverse == b.reverse));
    r.reductions = reductions || b.reductions;
    return r;
  }
};
template <class Kind, class A>
inline constexpr form form_of_leaf = {.reductions = Kind::in_kernel};
template <class M, int Axis, bool E, bool R, bool V, class A>
inline constexpr form form_of_leaf<tree::by_scan<M, Axis, E, R, V>, A> = {Axis, A::rank, R, true, !V};
struct forming : tree::sums<form> {
  template <class Source, int R>
  static constexpr form leaf = {};
  template <class Kind, class A, int R>
  static constexpr form deferred = form_of_leaf<Kind, A>;
};
template <class E>
inline constexpr form form_of = tree::fold<forming, E>;

struct some : tree::any_leaf {
  template <class Kind, class A, int R>
  static constexpr bool deferred = Kind::in_kernel && (is_scan<Kind> || tree::fold<some, A>);
};

/// The distinct scans of programs.
template <class Programs>
struct scans_of;
template <class... P>
struct scans_of<list<P...>> {
  using type = typename ir::reductions_detail::find_all<false, list<>, P...>::type;
};

}  // namespace scans_detail

/// Whether an expression contains a scan, in the arguments of reductions too.
template <class E>
inline constexpr bool has_scan = tree::fold<scans_detail::some, E>;

namespace run_detail {

/// Over kept axes, then the scanned one.
template <class Space, class Lowering, int Axis, bool Reverse, int R, class Targets>
struct scan_plan : bound_plan<scan_plan<Space, Lowering, Axis, Reverse, R, Targets>, Space, Lowering, R, Targets> {
  static constexpr const char* name = "scan";
  using sources = typename Lowering::sources;
  using program = schedule<typename Lowering::programs>;
  using roots = typename program::roots;
  using set = scan_set<typename scans_detail::scans_of<roots>::type, sources>;
  using along = kernel<dpp::scan<set, program, false>, Space>;
  using pattern_beside = dpp::scan<set, program, true>;
  using beside = kernel<pattern_beside, Space>;
  static constexpr bool has_beside = R > 1 && runs<Space, pattern_beside>;
  static constexpr const char* code = code_of<roots>.text;
  using scan_plan::bound_plan::bound_plan;
  static constexpr auto operand_numbers = make_index_sequence<sources::size>{};

  bool side_by_side = false;  ///< memory is contiguous along a kept axis, not along the scanned one
  [[no_unique_address]] typename along::geometry geometry;

  void arrange() {
    index_t* const extents = this->s.extent;
    turn<Axis>();
    if constexpr (Reverse) begin_at_the_end(this->target_numbers, operand_numbers);
    order_axes(extents, 0, R - 1, this->info, this->count, this->targets);
    this->merge(0, R - 1);
    if constexpr (has_beside) {
      constexpr index_t few_columns = backend<Space>::in_vectors ? 16 : 2;  // lines of fewer take longer than steps
      side_by_side = extents[R - 2] >= few_columns && runs_along_kept(extents, R - 1, R, this->info, this->count);
      if (side_by_side) turn<R - 2>();
      this->rows.beside = side_by_side;
    }
    this->keep_extents();
  }
  const char* decide() {
    if constexpr (has_beside) {
      if (side_by_side) return beside::path(*this);
    }
    return along::path(*this);
  }
  void launch() {
    if constexpr (has_beside) {
      if (side_by_side) return beside::launch(*this);
    }
    along::launch(*this);
  }
  double cost() const {
    double beside_elements = 0;
    if constexpr (backend<Space>::in_vectors) {
      const auto extent = [&](int axis) {
        return axis < 0 ? 1.0 : static_cast<double>(algorithm::max(this->s[axis], index_t{1}));
      };
      const bool apart = R > 1 && !side_by_side && runs_along_kept(this->s.extent, R - 1, R, this->info, this->count);
      beside_elements =
          dpp::tuning<dpp::scans, Space>::beside_elements(side_by_side, apart, extent(R - 1), extent(R - 1));
    }
    return set::prologue::cost + program::cost + set::size * (1 + beside_elements);
  }

 private:
  /// Axis From becomes the last.
  template <int From>
  void turn() {
    rows_detail::rotate<From, R>(this->s.extent);
    rows_detail::rotate_steps<From, R>(this->bound.operands, operand_numbers);
    rows_detail::rotate_steps<From, R>(this->to, this->target_numbers);
  }
  /// The last axis is walked from its end.
  template <int... J, int... I>
  void begin_at_the_end(index_sequence<J...>, index_sequence<I...>) {
    const auto move = [&](auto& data, index_t& step) {
      data += (this->s[R - 1] - 1) * step;
      step = -step;
    };
    const auto one = [&](auto& o, operand_info& info) {
      if constexpr (requires { o.data; }) move(o.data, o.steps[R - 1]);
      else if constexpr (requires { o.source.data; }) move(o.source.data, o.steps[R - 1]);
      else if constexpr (requires { o.source.origin; }) move(o.source.origin, o.steps[R - 1]);
      else
        static_assert(
            !requires { o.steps; }, "a source has memory, or says where its offsets begin");
      if (info.data)
        info.data = static_cast<const char*>(info.data) - (this->s[R - 1] - 1) * info.steps[R - 1] * info.element_size;
    };
    (one(get<J>(this->to), this->info[J]), ...);
    (one(get<I>(this->bound.operands), this->info[this->targets + I]), ...);
  }
};

/// One scan kernel for all outputs; false if the leaves that were numbered once turn out to differ.
template <class Space, int Share, int R, class... T, class... E>
bool scan_once(const execution& x, const shape<R>& s, const target_pack<R, T...>& to, allocation* const* owners,
               const E&... e) {
  constexpr auto form = (scans_detail::form{} + ... + scans_detail::form_of<E>);
  scan_plan<Space, lowering<Share, E...>, form.axis, form.reverse, R, target_pack<R, T...>> p(s, to);
  const lower_detail::leaves_and_reductions<E...> all(e...);
  axis_map frames[all.reductions + 1];
  for (axis_map& frame : frames) frame = axis_map::identity(R);
  if (!p.bound.bind(all.record, s, frames)) return false;
  describe_all<R>(p.info, p.to, owners, p.target_numbers);
  p.arrange();
  if (x.take(p)) return true;
  throw error("scan: more rows than one kernel takes; scan a part of them at a time");
}

/// Whether all scans are of the shape s, and read in their own order.
template <int R, class... E>
bool scans_fit(const shape<R>& s, const E&... e) {
  const lower_detail::leaves_and_reductions<E...> all(e...);
  for (int i = 0; i < all.reductions; ++i) {
    const reduction_record& r = all.reduction[i];
    if (r.rank != R || r.offset != 0 || !same_order(r.extents, r.steps, R, r.argument, R)) return false;
    for (int k = 0; k < R; ++k)
      if (r.extents[k] != s[k] || r.argument[k] != s[k]) return false;
  }
  return true;
}

/// One scan kernel, if types and extents allow it.
template <class Space, int R, class... T, class... E>
bool scan_together(const execution& x, const shape<R>& s, const target_pack<R, T...>& to, allocation* const* owners,
                   const E&... e) {
  constexpr auto form = (scans_detail::form{} + ... + scans_detail::form_of<E>);
  if constexpr (form.any && form.same && !form.reductions && form.rank == R) {
    if (!scans_fit(s, e...)) {
      x.refuse("scan", "a scan is broadcast, or read in another order than its own");
      return false;
    }
    constexpr int names = rows_detail::doubtful<R, E...> ? 1 : lower_detail::sharing_arrays(R);
    return share_and<Space, names, false, E...>(
        [&]<int Share>() { return scan_once<Space, Share, R, T...>(x, s, to, owners, e...); });
  } else {
    x.refuse("scan", form.same ? "a scan is broadcast, or read in another order than its own"
                               : "scans run along different axes, or from different ends");
    return false;
  }
}

}  // namespace run_detail

}  // namespace lazyfuse
