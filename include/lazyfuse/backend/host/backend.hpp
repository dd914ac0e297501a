// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host backend: OpenMP threads in the compiled library, vectorised loops in the headers.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/backend/host/blocks.hpp>
#include <lazyfuse/backend/host/packed.hpp>
#include <lazyfuse/backend/host/reduce.hpp>
#include <lazyfuse/backend/host/rows.hpp>
#include <lazyfuse/backend/host/scan.hpp>

namespace lazyfuse {

template <>
struct backend<host> {
  static constexpr const char* name = "host";
  static constexpr bool in_vectors = true;

  static planning::machine machine() {
    planning::machine m = planning::cpu(host_detail::thread_count(), host_detail::cache_bytes());
    m.name = host_detail::processor_name;
    return m;
  }

  /// Whether a library computes products of matrices of such elements. What is computed of them is computed with them.
  static bool multiplies(dtype factors, dtype result) {
    return factors == result && factors >= dtype::float32 && factors <= dtype::complex128 && host_detail::has_blas();
  }
  static constexpr bool finishes_products = true;

  /// Host memory is ready when the caller is.
  static void before(const planning::operand_info*, int, int) {}
};

template <class Schedule>
struct kernel<dpp::transform<Schedule>, host> {
  struct geometry {};
  template <class Plan>
  static const char* path(const Plan&) {
    static_assert(dpp::plan_of<Plan, dpp::transform<Schedule>>, "lazyfuse: the plan lacks what its pattern asks for");
    return "loop";
  }
  template <class Plan>
  static void launch(Plan& p) {
    host_detail::transform<Schedule, typename Plan::sources>(p.s, p.bound.operands, p.to);
  }
};

template <class Schedule>
struct kernel<dpp::packed<Schedule>, host> {
  struct geometry {};
  template <class Plan>
  static const char* path(const Plan&) {
    static_assert(dpp::plan_of<Plan, dpp::packed<Schedule>>, "lazyfuse: the plan lacks what its pattern asks for");
    return "pieces";
  }
  template <class Plan>
  static void launch(Plan& p) {
    host_detail::packed<Schedule, typename Plan::sources>(*p.arrays, p.s[0], p.bound.operands, p.to);
  }
};

template <class Staged>
struct kernel<dpp::packed_rows<Staged>, host> {
  struct geometry {};
  template <class Plan>
  static const char* path(const Plan&) {
    static_assert(dpp::plan_of<Plan, dpp::packed_rows<Staged>>, "lazyfuse: the plan lacks what its pattern asks for");
    return "rows";
  }
  template <class Plan>
  static void launch(Plan& p) {
    host_detail::packed_rows<Staged, typename Plan::sources>(*p.arrays, p.s[0], p.bound.operands, p.to);
  }
};

template <class Set, class Epilogue, int K>
struct kernel<dpp::reduce<Set, Epilogue, K>, host> {
  struct geometry {
    bool in_tiles = false;
    planning::matrix_product product;  ///< if a library computes it
  };
  template <class Plan>
  static const char* path(Plan& p) {
    static_assert(dpp::plan_of<Plan, dpp::reduce<Set, Epilogue, K>>,
                  "lazyfuse: the plan lacks what its pattern asks for");
    using tiles = host_detail::tiles_of<Set, typename Plan::sources, decltype(p.bound.operands), K, Plan::rank>;
    p.geometry.in_tiles = tiles::pays(p.s.extent, p.bound.operands);
    if constexpr (host_detail::multiplies_matrices<Set, typename Plan::sources, K>) {
      p.geometry.product = host_detail::product_of_matrices<Set, K>(p.s, p.bound.operands);
      if (p.geometry.in_tiles && host_detail::prefers_tiles<Set>(p.geometry.product, p.s)) p.geometry.product = {};
      if (p.geometry.product) return "blas";
    }
    return p.geometry.in_tiles ? "tiles" : p.along_kept ? "columns" : "rows";
  }
  template <class Plan>
  static void launch(Plan& p) {
    host_detail::reduce<Set, Epilogue, typename Plan::sources, K>(p.s, p.bound.operands, p.to, p.along_kept,
                                                                  p.geometry.in_tiles, p.geometry.product);
  }
};

template <class Staged, int Outer, bool Columns>
struct kernel<dpp::rows<Staged, Outer, Columns>, host> {
  struct geometry {};
  template <class Plan>
  static const char* path(Plan& p) {
    static_assert(dpp::plan_of<Plan, dpp::rows<Staged, Outer, Columns>>,
                  "lazyfuse: the plan lacks what its pattern asks for");
    host_detail::find_residence(p.s.extent, Plan::rank, Outer, Columns,
                                host_detail::bytes_of_position(typename Plan::sources{}), p.rows.where);
    return Columns ? "columns" : "rows";
  }
  template <class Plan>
  static void launch(Plan& p) {
    host_detail::rows<Staged, typename Plan::sources, Outer, Columns>(p.s, p.bound.operands, p.to, p.rows.one_result);
  }
};

}  // namespace lazyfuse
