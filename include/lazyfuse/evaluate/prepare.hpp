// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// prepare: an assignment that is planned once and run often, over its own arrays or over others of the same layout.
#pragma once

#include <lazyfuse/evaluate/assign.hpp>
#include <lazyfuse/evaluate/explain.hpp>
#include <lazyfuse/evaluate/prepared_kernels.hpp>

#include <optional>
#include <utility>

namespace lazyfuse {

namespace prepare_detail {

struct counting_leaves : tree::sums<int> {
  template <class Source, int R>
  static constexpr int leaf = 1;
  template <class Kind, class A, int R>
  static constexpr int deferred = tree::fold<counting_leaves, A>;
};
struct counting_deferred : tree::sums<int> {
  template <class Source, int R>
  static constexpr int leaf = 0;
  template <class Kind, class A, int R>
  static constexpr int deferred = 1 + tree::fold<counting_deferred, A>;
};

/// All leaves and all that is deferred in a tree, behind barriers too, from left to right.
template <class E>
struct contents {
  static constexpr int leaves = tree::fold<counting_leaves, E>, reductions = tree::fold<counting_deferred, E>;
  planning::leaf_record leaf[leaves + 1];
  planning::reduction_record reduction[reductions + 1];

  explicit contents(const E& e) { note(e, 0); }

 private:
  int noted_leaves_ = 0, noted_reductions_ = 0;

  template <class Source, int R>
  void note(const lazyfuse::tree::leaf<Source, R>& e, int frame) {
    leaf[noted_leaves_++] = {&e, &planning::lower_detail::leaf_table<lazyfuse::tree::leaf<Source, R>>::value, frame};
  }
  template <class T, auto V>
  void note(const tree::literal_leaf<T, V>&, int) {}
  template <class Kind, class A, int R>
  void note(const lazyfuse::tree::leaf<tree::deferred<Kind, A>, R>& e, int frame) {
    const A& argument = e.source.argument;
    reduction[noted_reductions_++] = {e.extents.extent,        e.steps.step, e.offset, R,
                                      argument.shape().extent, A::rank,      0,        frame};
    note(argument, noted_reductions_);
  }
  template <class Op, int... I, class... A>
  void note(const tree::map_expr<Op, index_sequence<I...>, A...>& e, int frame) {
    (note(static_cast<const element<I, A>&>(e.arguments).value, frame), ...);
  }
};

/// What cannot be prepared, once a sentence has said so.
struct nothing {
  template <class... A>
  void operator()(const A&...) const {}
};

}  // namespace prepare_detail

/// What prepare(y, e) returns: y = e, planned. Run by one thread at a time; a copy is planned anew, so that threads can
/// have one each. Once moved from, it may only be destroyed or assigned to.
template <class Element, int Rank, memory_space Space, class Tree, class Maker = maker>
class prepared {
 public:
  using array_type = array<Element, Rank, Space>;
  using contents = prepare_detail::contents<Tree>;

  template <class E>
  prepared(array_type& y, E&& e)
      : to_(&y), device_(planning::device_for<Space>("prepare", nullptr, e.tree)), e_{{}, e.tree, {}} {
    if constexpr (Tree::owners > 0)
      keep_handles(y, e.memory, assign_detail::handles_in(static_cast<E&&>(e), y.owner()));
    begin();
  }
  prepared(const prepared& p) : to_(p.to_), device_(p.device_), e_(p.e_), self_(p.self_) { begin(); }
  prepared(prepared&&) noexcept = default;
  prepared& operator=(const prepared& p) { return *this = prepared(p); }
  prepared& operator=(prepared&&) noexcept = default;
  ~prepared() = default;

  /// y = e. Throws shape_error if e reads y, and y has another shape by now.
  void operator()(caller where = caller::here()) {
    const asked_at at(where);
    array_type& y = *to_;
    if (has_moved(y)) follow(y);
    const memory_detail::device_scope<Space> scope(device_of(y, device_));
    if (bound_.data && bound_.data == y.tree.source.data && bound_.owner == y.owner() && y.shape() == e_.shape() &&
        owners(y.memory) == 1)
      return kernels_.launch();
    write(y, e_.tree, contents(e_.tree), scope, 0, true);
  }

  /// y = e, for another array and another expression of the same types, whose operands have the same shapes and steps:
  /// throws shape_error if they do not, device_error if they are on another GPU. Nothing of them is kept.
  template <class Y, class E>
  void operator()(Y&& y, E&& e, caller where = caller::here()) {
    constexpr bool same = __is_same(Y, array_type&) && is_same_expression<E>();
    static_assert(
        same,
        "lazyfuse: a prepared assignment runs over other arrays and scalars of the same types, as in step(y2, "
        "2 * x2); prepare this one by itself, or assign");
    if constexpr (same) {
      const asked_at at(where);
      const contents is(e.tree), was(e_.tree);
      prepare_detail::check_layout(was.leaf, is.leaf, is.leaves, was.reduction, is.reduction, is.reductions);
      const int device = device_of(y, planning::device_for<Space>(nullptr, nullptr, e.tree));
      if (device != device_ && device >= 0 && device_ >= 0) prepare_detail::throw_device(device_, device);
      const memory_detail::device_scope<Space> scope(device);
      write(y, e.tree, is, scope, assign_detail::handles_in(static_cast<E&&>(e), y.owner()), false);
    }
  }

  // For plan(step).
  const plan_list& plans() const { return kernels_.plans(); }
  const Tree& tree() const { return e_.tree; }

 private:
  struct place {
    const allocation* owner = nullptr;
    const Element* data = nullptr;
    lazyfuse::shape<Rank> shape{};
  };

  /// Of arrays that are read, else of the one that is written.
  static int device_of(const array_type& y, int read) { return read < 0 && y.owner() ? y.owner()->device : read; }

  template <class E>
  static consteval bool is_same_expression() {
    if constexpr (requires { typename bare_t<E>::tree_type; }) return __is_same(tree_t<E>, Tree);
    else return false;
  }

  /// Operands that are y are read as y is when this runs; the others are kept.
  void keep_handles(const array_type& y, const handles<Tree::owners>& h, long ours) {
    bool reads_y = false;
    for (const allocation* a : h.memory) reads_y = reads_y || (a && a == y.owner());
    if (reads_y) {
      if (owners(y.memory) != 1 + ours)
        throw_value(
            "prepare: the expression reads elements that the array written shares with another array or expression, "
            "and "
            "it is not known whether they change with it; copy them, or write the expression as the argument");
      self_ = {y.owner(), y.tree.source.data, y.shape()};
    }
    e_.memory = h;
    for (allocation*& a : e_.memory.memory)
      if (reads_y && a == y.owner()) {
        lazy_detail::drop(&a, 1);
        a = nullptr;
      }
  }

  /// Whether the expression reads y where it no longer is: memory that may be gone.
  bool has_moved(const array_type& y) const {
    return self_.owner && !(self_.owner == y.owner() && self_.data == y.tree.source.data && self_.shape == y.shape());
  }
  /// What is y in the expression has moved with it.
  void follow(const array_type& y) {
    if (!(self_.shape == y.shape()))
      throw_shapes("prepare", y.shape().extent, Rank, self_.shape.extent, Rank,
                   "differ: the array written is read, too, and had the second when this was prepared");
    const contents all(e_.tree);
    prepare_detail::move_leaves(all.leaf, all.leaves, self_.owner, self_.data, y.owner(), y.tree.source.data);
    self_ = {y.owner(), y.tree.source.data, y.shape()};
    bound_ = {};
    own_ = false;
  }

  void begin() {
    if (has_moved(*to_)) {
      if (!(self_.shape == to_->shape())) return;  // a copy of one that cannot run: it says so when it runs
      follow(*to_);
    }
    plan(e_.tree, contents(e_.tree), device_of(*to_, device_));
    own_ = true;
  }
  /// Plans the kernels over the operands of e.
  void plan(const Tree& e, const contents& in, int device) {
    own_ = false;
    planned_on_ = device;
    const memory_detail::device_scope<Space> scope(device);
    const ir::target_pack<Rank, Element> to{
        {{{static_cast<Element*>(prepared_kernels::target()), row_major(e.shape())}}}};
    allocation* const nobody = nullptr;
    run<kernel_space<Space, Maker>, Rank, Element>(kernels_.plan(device), e.shape(), to, &nobody,
                                                   assign_detail::converted<Element>(e));
    kernels_.planned(in.leaf, in.leaves);
    planned_ = e;
  }
  void rebind(const Tree& e, const contents& in, Element* data, allocation* owner, bool own) {
    const int device = device_ < 0 && owner ? owner->device : device_;
    if (!(own && own_) || device != planned_on_) {
      own_ = false;
      if (device != planned_on_ || !kernels_.rebind(in.leaf, contents(planned_).leaf, in.leaves)) plan(e, in, device);
      own_ = own;
    }
    kernels_.rebind_target(data, owner);
  }

  /// y = e; ours: the handles to the memory of y that end with e; own: of this expression.
  template <class Scope>
  void write(array_type& y, const Tree& e, const contents& in, const Scope& scope, long ours, bool own) {
    bound_ = {};
    const bool fits = y.shape() == e.shape() && y.owner();
    planning::alias_scan scan{y.owner(),        reinterpret_cast<const char*>(y.tree.source.data),
                              sizeof(Element),  Rank,
                              y.shape().extent, y.tree.steps.step};
    if (fits) {
      if constexpr (tree::has_barrier<Tree>) scan.scan(e);
      else scan.see(in.leaf, in.leaves);
    }
    if (fits && !scan.elsewhere && scope.has(y.owner()) && owners(y.memory) == 1 + ours) {
      rebind(e, in, y.unshared(), y.owner(), own);
      kernels_.launch();
      if (own) bound_ = {y.owner(), y.tree.source.data, y.shape()};
      return;
    }
    std::optional<array_type> fresh;
    if (own) fresh = std::exchange(spare_, {});
    if (!fresh || !(fresh->shape() == e.shape())) fresh.emplace(e.shape(), caller{});
    rebind(e, in, fresh->unshared(), fresh->owner(), own);
    kernels_.launch();
    if (record_detail::settled({y.owner(), y.unshared()}, {fresh->owner(), fresh->unshared()},
                               static_cast<std::size_t>(fresh->size()) * sizeof(Element), fits))
      return;
    std::swap(y.memory, fresh->memory);
    std::swap(y.tree, fresh->tree);
    // What an expression reads at other positions than it writes takes turns with a second memory.
    if (own && scan.elsewhere && owners(fresh->memory) == 1) spare_ = std::move(fresh);
  }

  array_type* to_;
  int device_;  ///< of the arrays that are read; -1: there are none, or only one device
  lazy<Tree> e_;
  Tree planned_ = e_.tree;  ///< what the kernels were made of; its scalars are theirs
  place self_;              ///< y as the expression reads it, if it does
  place bound_;             ///< where the kernels write if they can be launched as they are
  int planned_on_ = -1;     ///< the device that the kernels were laid out for
  bool own_ = false;        ///< the kernels read the operands of this expression
  prepared_kernels kernels_;
  std::optional<array_type> spare_;
};

/// prepare(y, e): y = e, planned once and run often: step() is the assignment, step(y2, e2) the same one over other
/// arrays and scalars of the same types, shapes and steps. y is a reference; operands that are y are read as they are
/// when it runs, others as they were. Throws index_error if it cannot be told which; device_error.
template <class T, int R, class Space, class E, class Maker = maker>
  requires expression<E>
auto prepare(array<T, R, Space>& y, E&& e, caller where = caller::here()) {
  const asked_at at(where);
  if constexpr (assign_detail::check<T, R, Space, bare_t<E>>())
    return prepared<T, R, Space, tree_t<E>, Maker>(y, static_cast<E&&>(e));
  else return prepare_detail::nothing{};
}
template <class Y, class E>
prepare_detail::nothing prepare(Y&&, E&&) {
  static_assert(
      !__is_same(Y, Y),
      "lazyfuse: prepare(y, e) takes an array that has a name and is not const, into which it writes again and "
      "again, and an expression");
  return {};
}

/// Its plan.
template <class T, int R, class Space, class Tree, class Maker>
evaluation_plan plan(const prepared<T, R, Space, Tree, Maker>& step) {
  planned_result result = explain_detail::result_of(step.tree());
  result.type = dtype_of<T>;
  return explain_detail::described(step.plans(), Space::name, backend<kernel_space<Space, Maker>>::machine(),
                                   {std::move(result)});
}
/// The plan, as explain(e) prints it.
template <class T, int R, class Space, class Tree, class Maker>
std::string explain(const prepared<T, R, Space, Tree, Maker>& step) {
  return explain(plan(step));
}

}  // namespace lazyfuse
