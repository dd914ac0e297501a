// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a backend offers: facts about a space, and a kernel for each pattern that it runs. The only layer that knows
// threads.
#pragma once

#include <lazyfuse/dpp/concepts.hpp>
#include <lazyfuse/plan/reductions.hpp>
#include <lazyfuse/plan/residence.hpp>
#include <lazyfuse/plan/rows.hpp>
#include <lazyfuse/program/stages.hpp>

namespace lazyfuse {

/// The facts about a space. A specialisation has
///   name
///   in_vectors: a thread computes neighbours by vector instructions, as the host does; a device has threads for each
///   before(info, targets, count): memory is ready for the work to come
///   machine(): the numbers with which plans are compared, and a name for what is measured
/// and, where kernels are made at run time: makes_all, if there are no others; make_rows(plan), the path of rows that
/// were not compiled with the program, or null; would_make(plan); launch_made(plan), whether it did;
///   multiplies(plan), whether a library of products computes all of it
/// and, where there is a library of products: multiplies(factors, result), whether it knows such elements;
///   finishes_products, if what is computed of a product is computed with it, whatever it is
template <class Space>
struct backend;

/// What runs a pattern in a space, for plans that are a dpp::plan_of<Pattern>. A specialisation is a dpp::runs_plan,
/// without launch() where the backend makes all kernels:
///   geometry: what path() finds out and launch() needs, a plain value that the plan has as plan.geometry
///   path(plan): the name of the way that it will go, or null for what the space cannot do; launches nothing
///   launch(plan): goes it, any number of times, after path(); what operands and targets point to may have changed
///                 meanwhile, but for their address modulo 16, and not at all if path() has set plan.by_address
template <class Pattern, class Space>
struct kernel;

/// Whether this compiler can launch work in Space.
template <class Space>
concept runnable_here = requires {
  backend<Space>::name;
};

/// Whether a space has a pattern. One that it lacks is a reason to plan otherwise.
template <class Space, class Pattern>
concept runs = requires {
  sizeof(kernel<Pattern, Space>);
};

}  // namespace lazyfuse
