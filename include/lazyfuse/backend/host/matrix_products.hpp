// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions that are products of matrices, by a library of such products: block by block, whose results the epilogue
// finds in the cache.
#pragma once

#include <lazyfuse/backend/host/blas.hpp>
#include <lazyfuse/backend/host/reduce_run.hpp>
#include <lazyfuse/backend/host/scratch.hpp>
#include <lazyfuse/backend/host/threads.hpp>
#include <lazyfuse/backend/widest_vectors.hpp>

namespace lazyfuse::host_detail {

/// Whether a set is a sum of products of two operands in memory, of a type that the library has, and axes are kept.
template <class Set, class Sources, int K>
inline constexpr bool multiplies_matrices = false;
template <class Set, class... Src, int K>
  requires(K >= 1 && product_of<typename Set::reductions>.found)
inline constexpr bool multiplies_matrices<Set, list<Src...>, K> = [] {
  constexpr auto factors = product_of<typename Set::reductions>;
  using left = type_at<factors.first, Src...>;
  using right = type_at<factors.second, Src...>;
  using T = typename left::value_type;
  return left::is_memory && right::is_memory && __is_same(typename right::value_type, T) &&
         __is_same(typename Set::accumulators, pack<T>) && is_blas_number<T>;
}();

/// Which product of matrices it is of these operands, if the library is to compute it. Columns lie along the last kept
/// axis.
template <class Set, int K, class Operands, int R>
planning::matrix_product product_of_matrices(const shape<R>& extents, const Operands& operands) {
  constexpr auto factors = product_of<typename Set::reductions>;
  const index_t* const first = get<factors.first>(operands).steps.step;
  const index_t* const second = get<factors.second>(operands).steps.step;
  planning::matrix_product p;
  if constexpr (K == 1 && R == 2) {
    p = planning::vector_product_of(extents.extent, first, second);
    if (p && rows_of_vector_product(extents[0], extents[1], p.left.turned) > 0) return p;
  } else if constexpr (K > 1) {
    p = planning::matrix_product_of(extents.extent, K, R, first, second);
    if (p && p.columns == K - 1 && blas_pays(extents[p.rows], extents[p.columns], extents[p.depth])) return p;
  }
  return {};
}

/// Whether tiles, where they are possible, take less time than the library.
template <class Set, int R>
bool prefers_tiles(const planning::matrix_product& p, const shape<R>& extents) {
  if constexpr (has_widest_vectors && R == 3 && real_number<typename Set::template value_type<0>>)
    return p && p.columns == 1 && blas_lags(extents[0], extents[1], extents[2]);
  else return false;
}

/// Of one sum: computes the products that `run` has, and finishes them.
template <class Epilogue, class Run>
class matrix_products {
  using set = typename Run::set;
  using tuned = typename Run::tuned;
  using position = typename Run::position;
  static constexpr auto factors = product_of<typename set::reductions>;
  static constexpr int last = Run::last;
  using T = typename set::template value_type<0>;

  const Run& run_;
  const planning::matrix_product& product_;
  index_t rows_ = run_.extents[product_.rows], columns_ = run_.extents[last], depth_ = run_.extents[product_.depth];
  /// Of a batch, the axes before that of rows and those after it.
  index_t before_ = run_.size(0, product_.rows), after_ = run_.size(product_.rows + 1, last);
  product_blocks cut_ = blocks_of_product(before_ * after_, rows_, columns_, depth_, int{sizeof(T)});
  index_t size_ = cut_.rows * cut_.columns;

  struct block {
    index_t batch, row, column, rows, columns;
  };
  block block_of(index_t number) const {
    const index_t each = cut_.down * cut_.across, in_batch = number % each;
    const index_t r = in_batch / cut_.across * cut_.rows, c = in_batch % cut_.across * cut_.columns;
    return {number / each, r, c, algorithm::min(cut_.rows, rows_ - r), algorithm::min(cut_.columns, columns_ - c)};
  }
  position row(index_t batch, index_t r) const {
    return run_.position_in(0, last, (batch / after_ * rows_ + r) * after_ + batch % after_);
  }

  /// Where results go that are stored as they are, row by row; else they are finished from memory of a task.
  struct place {
    T* first = nullptr;
    index_t pitch = 0;
  };
  place in_target(const position& at) const {
    // The epilogue is the sum itself, and the target of its type.
    if constexpr (__is_same(typename Epilogue::roots, typename set::reductions)) {
      const auto& to = get<0>(run_.targets);
      const index_t pitch = to.steps[product_.rows];
      if (!cut_.deep && to.steps[last] == 1 && pitch >= columns_ && pitch <= most_pitch) {
        auto* first = address(to.data);
        for (int k = 0; k < last; ++k) first += at.at[k] * to.steps[k];
        if constexpr (__is_same(decltype(first), T*)) return {first, pitch};
      }
    }
    return {};
  }
  template <int I>
  const T* operand(const position& at, index_t column, index_t depth) const {
    const auto& o = get<I>(run_.operands);
    return address(o.source.data) + at.offset(I) + column * o.steps[last] + depth * o.steps[product_.depth];
  }
  /// The sums over a part of the depth.
  void multiply(const block& b, index_t chain, place to, T* room) const {
    const position at = row(b.batch, b.row);
    const index_t from = chain * cut_.depth;
    const T *left = operand<factors.first>(at, 0, from), *right = operand<factors.second>(at, b.column, from);
    if (product_.swapped) {
      left = operand<factors.second>(at, 0, from);
      right = operand<factors.first>(at, b.column, from);
    }
    block_product part{};
    part.type = dtype_of<T>;
    part.rows = b.rows;
    part.columns = b.columns;
    part.depth = algorithm::min(cut_.depth, depth_ - from);
    part.left = left;
    part.right = right;
    part.left_lies = product_.left;
    part.right_lies = product_.right;
    part.to = to.first;
    part.pitch = to.pitch;
    part.room = room;
    host_detail::multiply(part);
  }
  void finish(const block& b, const T* sums) const {
    position at = row(b.batch, b.row);
    for (index_t r = 0; r < b.rows; ++r, sums += b.columns) {
      if (r > 0) {
        if (after_ == 1) at.next();
        else at = row(b.batch, b.row + r);
      }
      in_wide_vectors(
          [](const Run* to, const position& kept, const T* values, index_t column, index_t count) {
            for (index_t i = 0; i < count; ++i) to->finish(kept, {{values[i]}}, column + i, last);
          },
          &run_, at, sums, b.column, b.columns);
    }
  }

  /// Calls f(task, worker), of tasks that all have about as much to do.
  template <class F>
  static void for_blocks(index_t tasks, index_t workers, double cost, const F& f) {
    for_tasks(workers, cost, [&](index_t worker) {
      for (index_t task = worker; task < tasks; task += workers) f(task, worker);
    });
  }

 public:
  matrix_products(const planning::matrix_product& product, const Run& run) : run_(run), product_(product) {}

  void run() const {
    const index_t blocks = before_ * after_ * cut_.down * cut_.across, tasks = blocks * cut_.chains;
    const double results = double(before_ * after_) * double(rows_) * double(columns_);
    const double cost = results * double(depth_) / tuned::products_of_operation;
    const index_t workers = algorithm::min<index_t>(tasks, threads_wake() ? thread_count() : 1);
    const bool stays = in_target(row(0, 0)).first, chained = cut_.chains > 1;
    // of each task or worker the sums, then of each worker what adding up takes
    const index_t own = stays ? 0 : chained ? tasks : workers;
    const scratch<T> memory((own + (cut_.deep ? 2 * workers : 0)) * size_);
    const auto sums_of = [&](index_t n) { return &memory[n * size_]; };
    const auto room_of = [&](index_t worker) { return cut_.deep ? &memory[(own + 2 * worker) * size_] : nullptr; };
    const blas_calls calls;
    for_blocks(tasks, workers, cost, [&](index_t task, index_t worker) {
      const block b = block_of(task / cut_.chains);
      if (stays) {
        const place to = in_target(row(b.batch, b.row));
        return multiply(b, 0, {to.first + b.column, to.pitch}, nullptr);
      }
      T* const sums = sums_of(chained ? task : worker);
      multiply(b, task % cut_.chains, {sums, b.columns}, room_of(worker));
      if (!chained) finish(b, sums);
    });
    if (chained)
      for_blocks(blocks, algorithm::min(blocks, workers), results * double(cut_.chains),
                 [&](index_t number, index_t worker) {
                   const block b = block_of(number);
                   T* const sums = sums_of(number * cut_.chains);
                   add_up(dtype_of<T>, sums, cut_.chains, size_, b.rows * b.columns, room_of(worker));
                   finish(b, sums);
                 });
  }
};

/// A matrix by a vector: rows in tasks, each finished when its sums are there.
template <class Epilogue, class Run>
void multiply_by_vector(const planning::matrix_product& p, const Run& run) {
  using set = typename Run::set;
  using T = typename set::template value_type<0>;
  constexpr auto factors = product_of<typename set::reductions>;
  const auto &first = get<factors.first>(run.operands), &second = get<factors.second>(run.operands);
  const auto &matrix = p.swapped ? second : first, &vector = p.swapped ? first : second;
  const index_t rows = run.extents[0], depth = run.extents[1],
                each = rows_of_vector_product(rows, depth, p.left.turned);
  const blas_calls calls;
  for_tasks((rows + each - 1) / each, double(rows) * double(depth), [&](index_t task) {
    const index_t begin = task * each, count = algorithm::min(each, rows - begin);
    const scratch<T> sums(3 * count);
    block_product b{};
    b.type = dtype_of<T>;
    b.rows = count;
    b.columns = 1;
    b.depth = depth;
    b.left = address(matrix.source.data) + begin * matrix.steps[0];
    b.right = address(vector.source.data);
    b.left_lies = p.left;
    b.right_lies = p.right;
    b.to = &sums[0];
    b.pitch = 1;
    b.room = &sums[count];
    multiply(b);
    const auto at = run.position_in(0, 0);
    for (index_t i = 0; i < count; ++i) run.finish(at, {{sums[i]}}, begin + i, 0);
  });
}

}  // namespace lazyfuse::host_detail
