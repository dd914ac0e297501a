// expected-error: tree::has_no_kind_that_a_traversal_knows
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kind of node that a traversal of trees or of programs does not know, or that does not say what traversals ask.
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

#ifdef LAZYFUSE_EXPECT_ERROR
struct unknown_node {
  static constexpr int rank = 1;
};
constexpr int leaves = lf::planning::lower_detail::leaf_count<unknown_node>;

// expected-error: ir::has_no_kind_that_a_traversal_knows
struct unknown_program {};
constexpr int stages = lf::ir::stages_detail::stage_of<unknown_program>;

// expected-error: in_kernel
struct by_nobody {};
constexpr bool has =
    lf::planning::has_reduction<lf::tree::leaf<lf::tree::deferred<by_nobody, lf::tree::literal_leaf<int, 1>>, 0>>;
#endif
