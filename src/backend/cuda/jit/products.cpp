// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions that are products of matrices, as the library is told of them.
#include "backend/cuda/jit/products.hpp"

#include "backend/cuda/jit/tuning.hpp"
#include "plan/matrix_layout.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lazyfuse::cuda_detail {

namespace {

/// Products that the library adds up in float, at most, where nothing rounds the sum to less: of equal ones it loses 10
/// epsilons of 20,000. Deeper sums go by tiles, which lose no more of any depth.
constexpr index_t most_depth = 1 << 16;
/// Products of a batch, which the library counts in 32 bits.
constexpr index_t most_count = 0x7fffffff;
/// Calls of the library for one product, which take a few microseconds each.
constexpr index_t most_calls = 64;
bool rounds_deep_sums(dtype type) { return type == dtype_of<float> || type == dtype_of<complex<float>>; }

/// The two arrays whose products are added up, and what is computed of the sums.
std::optional<ir::program_graph::factors> factors_of(const exact_plan& p, const ir::program_graph& g) {
  if (p.targets != 1 || p.count < 2) return {};
  const dtype result = p.type().results[0];
  std::vector<ir::step> operands(static_cast<std::size_t>(p.count));
  for (int i = 0; i < p.count; ++i) {
    const source_kind kind = p.type_of(i).kind;
    if (kind != source_kind::memory && kind != source_kind::constant) return {};
    operands[static_cast<std::size_t>(i)] = kind == source_kind::memory ? ir::step::memory : ir::step::constant;
  }
  std::optional<ir::program_graph::factors> f = g.sum_of_products(operands);
  if (!f) return {};
  for (int i = 0; i < p.count; ++i) {
    const bool is_factor = i == f->x || i == f->y;
    if (is_factor && p.type_of(i).kind != source_kind::memory) return {};
    if (p.type_of(i).element != (is_factor ? p.type_of(f->x).element : result)) return {};
  }
  const dtype type = p.type_of(f->x).element;
  const bool small = type == dtype_of<half> || type == dtype_of<bfloat16>;
  return f->widened == small && products_per_us(type, result) > 0 ? f : std::nullopt;
}

/// The number that an operand is, which is constant.
template <class T>
T read(const void* place) {
  T value;
  std::memcpy(&value, place, sizeof(T));
  return value;
}
scale number_of(const exact_plan& p, int operand) {
  const void* const place = p.operand(operand).place;
  switch (p.type_of(operand).element) {
    case dtype_of<float>:
      return {double{read<float>(place)}, 0};
    case dtype_of<double>:
      return {read<double>(place), 0};
    case dtype_of<half>:
      return {double{static_cast<float>(read<half>(place))}, 0};
    case dtype_of<bfloat16>:
      return {double{static_cast<float>(read<bfloat16>(place))}, 0};
    case dtype_of<complex<float>>: {
      const auto z = read<complex<float>>(place);
      return {double{z.re}, double{z.im}};
    }
    default: {
      const auto z = read<complex<double>>(place);
      return {z.re, z.im};
    }
  }
}
/// None of 0: what the library multiplies by that it does not read, and NaN would be lost.
std::optional<scale> scale_of(const exact_plan& p, const ir::multiplied_by& by) {
  scale s;
  if (by.constant >= 0) s = number_of(p, by.constant);
  if (s.real == 0 && s.imaginary == 0) return {};
  if (by.negative) s = {-s.real, -s.imaginary};
  return s;
}

/// The axes of a product in its plan; -1: none. The library is called once for each position of `batches`.
struct product_axes {
  int rows, columns, batch, batches;
  static index_t step(const operand_info& o, int axis) { return axis >= 0 ? o.steps[axis] : 0; }
};
/// Takes one of the arrays that are added: bias, which lies along the lines of the results, or a matrix that lies as
/// they do.
bool take_added(const exact_plan& p, const ir::around_product::array& from, const product_axes& axes,
                products_of_matrices& m) {
  const operand_info& o = p.operand(from.step);
  const std::optional<scale> share = scale_of(p, from.share);
  if (!share || o.element_size == 0 || !o.steps) return false;
  for (int k = p.kept; k < p.rank; ++k)
    if (o.steps[k] != 0) return false;
  const int along = m.to.lies.turned ? axes.rows : axes.columns, across = m.to.lies.turned ? axes.columns : axes.rows;
  const index_t next = axes.step(o, axes.batch), far = axes.step(o, axes.batches);
  if (o.steps[along] != 1 || next < 0) return false;
  if (o.steps[across] == 0) {
    if (m.has_bias || share->real != 1 || share->imaginary != 0) return false;
    m.has_bias = true;
    m.bias = o.data;
    m.next_bias = next;
    m.far_bias = far;
    return true;
  }
  const std::optional<matrix_layout> lies = matrix_layout_of(p.extents, o.steps, axes.rows, axes.columns);
  if (m.adds || !lies || lies->turned != m.to.lies.turned) return false;
  if (o.data && o.data == m.to.data && (lies->pitch != m.to.lies.pitch || next != m.to.next || far != m.to.far))
    return false;
  m.adds = true;
  m.of_added = *share;
  m.added = {o.data, *lies, next, far};
  return true;
}

bool take_around(const exact_plan& p, const ir::around_product& around, const product_axes& axes,
                 products_of_matrices& m) {
  if (around.zero >= 0) {
    const scale zero = number_of(p, around.zero);
    if (zero.real != 0 || zero.imaginary != 0) return false;
  }
  const std::optional<scale> of_product = scale_of(p, around.scale);
  if (!of_product) return false;
  m.of_product = *of_product;
  for (const ir::around_product::array& a : around.added)
    if (!take_added(p, a, axes, m)) return false;
  if (around.activation == ir::step::relu) m.then = activation::relu;
  else if (around.activation == ir::step::gelu_tanh) m.then = activation::gelu;
  return computes(m.then, m.has_bias, m.factors);
}

}  // namespace

std::optional<products_of_matrices> products_of(const exact_plan& p, const ir::program_graph& graph) {
  if (p.type().pattern != std::string_view("reduce")) return {};
  const std::optional<ir::program_graph::factors> f = factors_of(p, graph);
  if (!f) return {};
  const operand_info* left = &p.operand(f->x);
  const operand_info* right = &p.operand(f->y);
  const matrix_product axes = matrix_product_of(p.extents, p.kept, p.rank, left->steps, right->steps);
  if (!axes || (rounds_deep_sums(p.type().results[0]) && p.extents[axes.depth] > most_depth)) return {};
  if (std::min(p.extents[axes.rows], p.extents[axes.columns]) < tile_tuning::least_side) return {};
  if (axes.swapped) std::swap(left, right);
  const operand_info& to = p.info[0];
  const std::optional<matrix_layout> result = matrix_layout_of(p.extents, to.steps, axes.rows, axes.columns);
  if (!result) return {};
  products_of_matrices m{p.type_of(f->x).element,    p.type().results[0],          p.extents[axes.rows],
                         p.extents[axes.columns],    p.extents[axes.depth],        1,
                         {left->data, axes.left, 0}, {right->data, axes.right, 0}, {to.data, *result, 0}};
  product_axes found{axes.rows, axes.columns, -1, -1};
  for (int k = 0; k < p.kept; ++k) {
    if (k == axes.rows || k == axes.columns || p.extents[k] == 1) continue;
    if (found.batches >= 0 || p.extents[k] > most_count || left->steps[k] < 0 || right->steps[k] < 0 ||
        to.steps[k] <= 0)
      return {};
    found.batches = found.batch;
    found.batch = k;
  }
  if (found.batches >= 0 && p.extents[found.batches] > p.extents[found.batch]) std::swap(found.batches, found.batch);
  if (found.batches >= 0) m.batches = p.extents[found.batches];
  if (m.batches > most_calls) return {};
  if (found.batch >= 0) m.count = p.extents[found.batch];
  const auto take_steps = [&](matrix& of, const operand_info& o) {
    of.next = found.step(o, found.batch);
    of.far = found.step(o, found.batches);
  };
  take_steps(m.x, *left);
  take_steps(m.y, *right);
  take_steps(m.to, to);
  if (!take_around(p, f->around, found, m)) return {};
  return m;
}

const char* path_of_product(const products_of_matrices& p) {
  if (!p.computes_more()) return "library";
  static std::mutex mutex;
  static auto& paths = *new std::set<std::string>;
  std::vector<const char*> parts;
  if (p.of_product.real != 1 || p.of_product.imaginary != 0) parts.push_back("a factor");
  if (p.adds) parts.push_back("an array added");
  if (p.has_bias) parts.push_back("bias");
  if (p.then != activation::none) parts.push_back(p.then == activation::relu ? "relu" : "gelu");
  std::string text = "library with ";
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += std::string(i == 0 ? "" : i + 1 < parts.size() ? ", " : " and ") + parts[i];
  const std::lock_guard lock(mutex);
  return paths.insert(std::move(text)).first->c_str();
}

}  // namespace lazyfuse::cuda_detail
