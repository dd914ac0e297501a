// expected-error: lazyfuse: a context has operand<I>.., and precomputed<P>.. if it says so
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contexts, sinks and plans that do not answer what evaluation and kernels ask.
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;
namespace ir = lazyfuse::ir;

struct element {
  template <int I>
  float operand() const {
    return 1;
  }
};
struct result {
  static constexpr bool stores = false;
  float value;
  template <int I>
  void put(float v) {
    value = v;
  }
};
using schedule = ir::schedule<lf::list<ir::apply<lf::op::negative, ir::arg<0>>>>;
void works(result& to) { ir::evaluate<schedule>(element{}, to); }

#ifdef LAZYFUSE_EXPECT_ERROR
struct element_that_knows : element {
  static constexpr bool precomputes = true;
  template <class P>
  float known() const {
    return 1;
  }
};
void a_misspelt_member(result& to) { ir::evaluate<schedule>(element_that_knows{}, to); }

// expected-error: lazyfuse: a context has precomputed<P>.. and does not say that it precomputes
struct element_that_does_not_say : element {
  template <class P>
  float precomputed() const {
    return 1;
  }
};
void no_word_of_a_member(result& to) { ir::evaluate<schedule>(element_that_does_not_say{}, to); }

// expected-error: lazyfuse: a sink has put<I>.value., and says whether it stores
struct result_somewhere {
  template <int I>
  void put(float) {}
};
void nobody_knows_where(result_somewhere& to) { ir::evaluate<schedule>(element{}, to); }

// expected-error: lazyfuse: the context of a program with stages has no stage_value<Stage>..
using staged = ir::schedule<lf::list<ir::stage<ir::combined<lf::op::sum>, ir::arg<0>>>>;
void no_values_of_stages(result& to) { ir::evaluate<staged>(element{}, to); }

// expected-error: lazyfuse: the plan lacks what its pattern asks for
struct plan {
  static constexpr int rank = 1;
  using sources = lf::list<>;
  lf::shape<1> s;
};
const char* of_no_plan(plan& p) { return lf::kernel<lf::dpp::transform<schedule>, lf::host>::path(p); }
#endif
