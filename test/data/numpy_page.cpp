// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page for those who come from NumPy, docs/numpy.md: rows of operations and reductions from the registry, the rest
// from the tables below. Everything in the middle column is compiled by a test, the program numpy_spellings.
#include "numpy_page.hpp"

#include "numpy_others.hpp"

#include "../support/registry.hpp"

#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

/// How something is written in NumPy and here. Several ways are separated by " | ".
struct entry {
  const char *numpy, *here, *difference;
};
/// The same, made from the registry.
struct made_entry {
  std::vector<std::string> numpy, here;
  std::string difference;
};
struct section {
  const char *title, *text;
  std::vector<entry> entries;
};

const section arrays = {
    "Arrays",
    "",
    {{"np.array([[1, 2], [3, 4]], float)", "array<double, 2> a{{1, 2}, {3, 4}}",
      "element type and rank are in the type"},
     {"np.asarray(values)", "array a(values) | borrow(values)", "a range is copied; borrowed memory is a view"},
     {"x.shape | x.shape[0]", "x.shape() | x.extent(0)", ""},
     {"x.ndim", "x.rank", "known to the compiler, at most 8"},
     {"x.size", "x.size()", "of an expression `e.shape().size()`"},
     {"x.dtype | x.dtype.name", "dtype_of<value_t<decltype(x)>> | name_of(dtype_of<double>)", ""},
     {"x.astype(np.float32)", "cast<float>(x)", "reals to integers saturate, NaN gives 0"},
     {"x.copy()", "array a = x", "memory is shared until one of the two is written"},
     {"x.item() | float(x) | bool(x)", "x.item()", "evaluates, and waits; no conversion does so in secret"},
     {"x.tolist()", "std::vector<double>(v.begin(), v.end())", "arrays of the host are ranges"},
     {"x += y", "x += y", "x keeps its shape, and its element type"},
     {"print(x)", "std::cout << x", ""},
     {"np.array2string(x, precision=3)", "format(x, {.precision = 3})", "[files.md](files.md)"},
     {"np.save('x.npy', x) | np.load('x.npy')", "save(\"x.npy\", x) | load<double, 2>(\"x.npy\")",
      "element type and rank are those of the file"},
     {"np.array_equal(x, y)", "array_equal(x, y)", ""},
     {"np.isclose(x, y) | np.allclose(x, y)",
      "abs(x - y) <= 1e-8 + 1e-5 * abs(y) | all(abs(x - y) <= 1e-8 + 1e-5 * abs(y)).item()", "no name of its own"},
     {"np.result_type(np.int8, np.float32)", "promoted_t<int8, float>()", "a type"},
     {"np.finfo(np.float32).eps", "std::numeric_limits<float>::epsilon()", "C++'s own, as `iinfo`, `inf` and `nan`"},
     {"np.from_dlpack(m)", "from_dlpack<double, 2>(m) | to_dlpack(x)", "with `lazyfuse/interop/dlpack.hpp`"}}};

const section views = {
    "Views and indexing",
    "Views cost nothing, of arrays and of expressions. What is stored by `auto v = x(1)` is an expression: it keeps "
    "the values of "
    "its moment and is not written through; writing is `x(1) = ...`.",
    {{"x[1] | x[-1, 0]", "x(1) | x(-1, 0)", ""},
     {"x[1:3] | x[1:] | x[:-1]", "x(range(1, 3)) | x(range(1, end)) | x(range(0, -1))", ""},
     {"v[len(v) - 2:]", "v(range(end - 2, end))", "`end` is no index; with a negative step the stop is `none`"},
     {"x[::2] | x[::-1]", "x(range(none, none, 2)) | x(range(none, none, -1))", ""},
     {"x[:, 0] | x[..., 0]", "x(all, 0) | x(ellipsis, 0)", ""},
     {"x[:, None] | np.expand_dims(x, 1)", "x(all, newaxis)", ""},
     {"np.squeeze(x, 0)", "x(0)", "whether the extent is 1 is not checked"},
     {"x.T | np.transpose(x)", "x.T() | transpose(x)", ""},
     {"np.permute_dims(t, (2, 0, 1))", "permute_dims<2, 0, 1>(t)", "the order is known to the compiler"},
     {"np.swapaxes(t, 0, 1) | np.moveaxis(t, 0, -1) | np.matrix_transpose(t)",
      "permute_dims<1, 0, 2>(t) | permute_dims<1, 2, 0>(t) | permute_dims<0, 2, 1>(t)", ""},
     {"np.flip(x) | np.flip(x, 0)", "flip(x) | flip(x, axis<0>)", ""},
     {"np.roll(x, 1) | np.roll(x, (1, -2), (0, 1))", "roll(x, 1) | roll(x, {1, -2}, axis<0, 1>)",
      "a view, which fuses as others do"},
     {"np.reshape(x, (6, -1)) | x.ravel()", "reshape(x, {6, -1}) | reshape(x, {-1})",
      "throws where NumPy copies: `reshape(materialize(x), {-1})`"},
     {"np.broadcast_to(v, (3, 4))", "broadcast_to(v, {3, 4})", ""},
     {"np.broadcast_shapes(x.shape, v.shape)", "broadcast_shapes(x.shape(), v.shape())", ""},
     {"np.unstack(x)[0]", "x(0)", ""},
     {"np.split(x, 2, axis=1) | np.split(v, [1, 3])", "split<1>(x, 2) | split(v, {1, 3})", "views, in a `std::vector`"},
     {"np.diagonal(x) | np.diagonal(t, 1, 0, 2)", "diagonal(x) | diagonal(t, 1, axis<0, 2>)", ""},
     {"np.take(x, n, axis=0) | x[n] | x[:, n] | np.take(x, n)",
      "take(x, n, axis<0>) | take(x, n, axis<1>) | take(x, n)",
      "fuses; an index beyond the axis throws when it is evaluated; on the GPU it is the nearest one"},
     {"np.take_along_axis(x, i, axis=1)", "take_along_axis(x, i, axis<1>)", "as take"},
     {"np.concat((x, y)) | np.concat((x, y), axis=1)", "concat(x, y) | concat<1>(x, y)", "fuses"},
     {"np.stack((v, w)) | np.hstack((x, y)) | np.vstack((v, w))", "stack(v, w) | hstack(x, y) | vstack(v, w)", ""},
     {"np.repeat(x, 2, axis=0) | np.tile(v, (2, 3)) | np.kron(x, y)",
      "repeat(x, 2, axis<0>) | tile(v, {2, 3}) | kron(x, y)", "of all elements as often"},
     {"np.pad(x, ((1, 1), (0, 2)), constant_values=7) | np.pad(v, 2, mode='reflect')",
      "pad(x, {{1, 1}, {0, 2}}, 7) | pad<padding::reflect>(v, {{2, 2}})", "also edge, wrap and symmetric"},
     {"np.lib.stride_tricks.sliding_window_view(x, (2, 2))",
      "sliding_window_view(x, {2, 2}) | sliding_window_view(x, 2, axis<0>)", "over all axes, or along one"},
     {"x[1] = v", "x(1) = v", ""},
     {"x[:, 1:] -= x[:, :-1]", "x(all, range(1, end)) -= x(all, range(0, -1))", "may overlap, as in NumPy"},
     {"z.real = v | z.imag = v", "real(z) = v | imag(z) = v", ""},
     {"x[[0, 1]] = x[[1, 0]]", "assign(tie(x(0), x(1)), x(1), x(0))", "one kernel, in place"},
     {"x[b] = 0", "x = where(b, 0, x)", "with `lazyfuse/select.hpp` also `x(b) = 0`"}}};

const section reductions = {
    "",
    "",
    {{"np.mean(x)", "mean(x)", "integers in float64"},
     {"np.var(x) | np.std(x, ddof=1)", "var(x) | std(x, ddof{1})", "in one pass, as exact as in two"},
     {"np.average(x, weights=y)", "average(x, y)", "weights are broadcast to `x`: along an axis give them its shape"},
     {"np.argmax(x) | np.argmin(x, axis=1)", "argmax(x) | argmin(x, axis<1>)", "`int64`"},
     {"np.count_nonzero(x)", "count_nonzero(x)", ""},
     {"np.ptp(x)", "ptp(x)", ""},
     {"np.nansum(x) | np.nanprod(x)", "nansum(x) | nanprod(x)", ""},
     {"np.nanmean(x) | np.nanvar(x) | np.nanstd(x)", "nanmean(x) | nanvar(x) | nanstd(x)", ""},
     {"np.nanmax(x) | np.nanmin(x)", "nanmax(x) | nanmin(x)", ""},
     {"np.cumsum(x, axis=1) | np.cumulative_sum(v)", "cumsum(x, axis<1>) | cumsum(v)",
      "of one axis, which matrices name"},
     {"np.cumprod(x, axis=1) | np.cumulative_prod(v)", "cumprod(x, axis<1>) | cumprod(v)", ""},
     {"np.maximum.accumulate(v) | np.minimum.accumulate(v)", "cummax(v) | cummin(v)", ""},
     {"np.flip(np.cumsum(np.flip(v)))", "cumsum(v, backwards)", "the sums from each element on"},
     {"itertools.accumulate(v, f, initial=0)", "scan(f, 0, v)", "`f` is associative"},
     {"functools.reduce(f, x.flat, 0)", "reduce(f, 0, x) | reduce(f, 0, x, axis<0>)",
      "in any order, so `f` is associative and commutative"},
     {"x.min(), x.max(), x.mean()", "auto [low, high, middle] = materialize(min(x), max(x), mean(x))",
      "one pass over `x`"},
     {"x, y = y, x + y", "assign(tie(x, y), y, x + y)",
      "of the values before; one kernel, in place where each array is read only where it is written"}}};

const section statistics = {
    "Statistics",
    "With more of their kind, and how exact they are: [functions.md](functions.md).",
    {{"np.cov(x) | np.cov(v, w)[0, 1]", "cov(x) | cov(v, w)", ""},
     {"np.corrcoef(v, w)[0, 1]", "corrcoef(v, w)", "of all rows at once `corrcoef(x, y, axis<1>)`"},
     {"scipy.stats.zscore(x, axis=1, ddof=1)", "standardize(x, axis<1>, ddof{1})", ""},
     {"scipy.special.softmax(x, axis=-1)", "softmax(x)", "along the last axis; SciPy takes all"},
     {"scipy.special.log_softmax(x, axis=-1)", "log_softmax(x)", "as softmax"},
     {"scipy.special.logsumexp(x)", "logsumexp(x)", ""},
     {"scipy.special.rel_entr(x, y)", "rel_entr(x, y) | kl_div(x, y)",
      "`kl_div` is the sum of the last axis, not SciPy's function of that name"}}};

const section creation = {
    "Creation",
    "All but `empty` are expressions without memory: [creation.md](creation.md).",
    {{"np.zeros((3, 4)) | np.ones((3, 4))", "zeros({3, 4}) | ones({3, 4})",
      "of other types `zeros<float>({3, 4})`, and so on"},
     {"np.full((3, 4), 7.0)", "full({3, 4}, 7.0)", ""},
     {"np.empty((3, 4))", "empty({3, 4})", ""},
     {"np.zeros_like(x) | np.ones_like(x)", "zeros_like(x) | ones_like(x)", ""},
     {"np.full_like(x, 7) | np.empty_like(x)", "full_like(x, 7) | empty_like(x)", ""},
     {"np.arange(10) | np.arange(0, 1, 0.1)", "arange<int>(10) | arange(0, 1, 0.1)",
      "exact, where NumPy rounds the number of integers; what does not fit throws"},
     {"np.linspace(0, 1, 11)", "linspace(0, 1, 11)", "the number of elements is not optional"},
     {"np.logspace(0, 3, 4) | np.geomspace(1, 1000, 4)", "logspace(0, 3, 4) | geomspace(1, 1000, 4)", ""},
     {"np.eye(4) | np.eye(3, 4, k=1)", "eye(4) | eye(3, 4, 1)", "`eye<bool>` is a mask"},
     {"np.tri(4) | np.tril(x) | np.triu(x, k=1)", "tri(4) | tril(x) | triu(x, 1)", ""},
     {"np.indices((3, 4))", "auto [row, column] = indices({3, 4})", ""},
     {"np.meshgrid(v, w)", "auto [gx, gy] = meshgrid(v, w)", "`meshgrid<indexing::ij>(v, w)`"},
     {"np.fromfunction(f, (3, 4))", "fromfunction(f, {3, 4})", "the indices are `int64`"}}};

const section drawn = {"Random numbers",
                       "A `seed` is a value. What is drawn depends on it and on the place of the element alone, so "
                       "that two expressions of one seed are "
                       "the same numbers; `split` gives others.",
                       {{"rng = np.random.default_rng(42)", "seed a{42}", ""},
                        {"rng.spawn(2)", "s.split(0) | s.split(1)", ""},
                        {"rng.random((3, 4))", "random::uniform({3, 4}, s)", ""},
                        {"rng.uniform(-1, 1, (3, 4))", "random::uniform<double>({3, 4}, s, -1, 1)", ""},
                        {"rng.normal(5, 2, (3, 4))", "random::normal<double>({3, 4}, s, 5, 2)", ""},
                        {"rng.integers(0, 10, (3, 4))", "random::integers<int>({3, 4}, 0, 10, s)", ""},
                        {"rng.exponential(2, (3, 4))", "random::exponential<double>({3, 4}, s, 2)", ""},
                        {"rng.random((3, 4)) < 0.1", "random::bernoulli({3, 4}, 0.1, s)", ""}}};

const section products = {
    "Products and differences",
    "",
    {{"np.matmul(x, y.T) | x @ v", "matmul(x, y.T()) | matmul(x, v)", "fuses with what is before and after it"},
     {"np.dot(v, w) | np.vdot(v, w) | np.inner(x, y)", "dot(v, w) | vdot(v, w) | inner(x, y)",
      "`vdot` takes arrays of one shape"},
     {"np.vecdot(x, y) | np.vecdot(x, y, axis=0)", "vecdot(x, y) | vecdot(x, y, axis<0>)", ""},
     {"np.outer(v, w)", "outer(v, w)", "of vectors; others are reshaped first"},
     {"np.tensordot(x, y, 2) | np.tensordot(x, y, (0, 0))", "tensordot<2>(x, y) | tensordot(x, y, axis<0>, axis<0>)",
      "2 axes unless given, as in NumPy"},
     {"np.einsum('ij,ij->i', x, y) | np.einsum('ij,kj,k', x, y, n)",
      "einsum<\"ij,ij->i\">(x, y) | einsum<\"ij,kj,k\">(x, y, n)",
      "without `...`; the order of products is chosen from the letters"},
     {"np.cross(t[..., :3], v[:3])", "cross(t(ellipsis, range(0, 3)), v(range(0, 3)))", "of three elements"},
     {"np.linalg.norm(x) | np.linalg.norm(v, 1)", "norm(x) | norm(v, ord<1>)",
      "of all elements as one vector: Frobenius of a matrix"},
     {"np.linalg.vector_norm(x, axis=1)", "norm(x, axis<1>)", ""},
     {"np.trace(x)", "trace(x)", ""},
     {"np.diff(v) | np.diff(x, 2, axis=0)", "diff(v) | diff<2>(x, axis<0>)", ""},
     {"np.gradient(v, 0.1) | np.gradient(x, v, axis=0)", "gradient(v, 0.1) | gradient(x, v, axis<0>)",
      "along one axis; lines at the ends (`edge_order=1`)"},
     {"np.trapezoid(w, v)", "sum((w(range(1, end)) + w(range(0, -1))) * (v(range(1, end)) - v(range(0, -1)))) / 2", ""},
     {"np.clip(x, 0, None)", "maximum(x, 0)", ""},
     {"np.isin(i, [2, 3])", "isin(i, n) | logical_or(i == 2, i == 3)", "with `lazyfuse/sort.hpp`"}}};

const section linear_algebra = {
    "Linear algebra",
    "With `lazyfuse/linalg.hpp`. These compute at once: what they are given is evaluated first, and they return "
    "arrays. Axes "
    "before the last two are a batch.",
    {{"np.linalg.solve(x, y) | np.linalg.solve(t, v)", "linalg::solve(x, y) | linalg::solve(t, v)", ""},
     {"np.linalg.inv(x) | np.linalg.pinv(x)", "linalg::inv(x) | linalg::pinv(x)",
      "`pinv` drops singular values of the larger extent times epsilon, as in the array API"},
     {"np.linalg.det(x) | np.linalg.slogdet(x).logabsdet", "linalg::det(x) | linalg::slogdet(x).log",
      "`det` is a product, which may overflow"},
     {"np.linalg.cholesky(x)", "linalg::cholesky(x)", ""},
     {"q, r = np.linalg.qr(x) | np.linalg.qr(x, 'complete')",
      "const auto [q, r] = linalg::qr(x) | linalg::qr(x, linalg::complete).q", ""},
     {"u, s, vt = np.linalg.svd(x) | np.linalg.svd(x, full_matrices=False)",
      "const auto [u, s, vt] = linalg::svd(x) | linalg::svd(x, linalg::reduced).u", ""},
     {"np.linalg.svdvals(x)", "linalg::svdvals(x)", ""},
     {"np.linalg.eigh(x).eigenvectors | np.linalg.eigvalsh(x)", "linalg::eigh(x).vectors | linalg::eigvalsh(x)", ""},
     {"np.linalg.eig(x).eigenvectors | np.linalg.eigvals(x)", "linalg::eig(x).vectors | linalg::eigvals(x)",
      "complex numbers, also where all are real"},
     {"np.linalg.lstsq(x, v)[0]", "linalg::lstsq(x, v).solution", ""},
     {"np.linalg.matrix_rank(x)", "linalg::matrix_rank(x)", ""},
     {"np.linalg.matrix_norm(x) | np.linalg.matrix_norm(t, ord='nuc') | np.linalg.matrix_norm(x, ord=-np.inf)",
      "linalg::matrix_norm(x) | linalg::matrix_norm(t, ord<linalg::nuclear>) | linalg::matrix_norm(x, ord<-inf>)", ""},
     {"np.linalg.matrix_power(x, -3)", "linalg::matrix_power(x, -3)", "of integers not negative"},
     {"except np.linalg.LinAlgError:", "linalg_error(\"\")", "an exception"}}};

const section fourier = {
    "Fourier transforms",
    "With `lazyfuse/fft.hpp`. These, too, compute at once and return arrays, but for frequencies and shifts, which are "
    "lazy. The number of points, the axes and the scaling stand in any order.",
    {{"np.fft.fft(x) | np.fft.ifft(x, axis=0)", "fft::fft(x) | fft::ifft(x, axis<0>)",
      "16-bit reals in float, integers in double"},
     {"np.fft.fft(x, 64, norm='ortho')", "fft::fft(x, 64, fft::ortho)", "and `fft::forward`"},
     {"np.fft.rfft(x) | np.fft.irfft(z, 7)", "fft::rfft(x) | fft::irfft(z, 7)", ""},
     {"np.fft.hfft(z) | np.fft.ihfft(x)", "fft::hfft(z) | fft::ihfft(x)", ""},
     {"np.fft.fft2(z, (4, 8)) | np.fft.ifft2(z)", "fft::fft2(z, {4, 8}) | fft::ifft2(z)", ""},
     {"np.fft.rfft2(x) | np.fft.irfft2(z)", "fft::rfft2(x) | fft::irfft2(z)", ""},
     {"np.fft.fftn(t, axes=(0, 2)) | np.fft.ifftn(t)", "fft::fftn(t, axis<0, 2>) | fft::ifftn(t)",
      "each axis once; with numbers of points and no axes, the last ones"},
     {"np.fft.rfftn(t) | np.fft.irfftn(t)", "fft::rfftn(t) | fft::irfftn(t)", ""},
     {"np.fft.fftfreq(8, 0.1) | np.fft.rfftfreq(8)", "fft::fftfreq(8, 0.1) | fft::rfftfreq(8)",
      "`fftfreq<float>(8)` for floats"},
     {"np.fft.fftshift(x) | np.fft.ifftshift(x, 0)", "fft::fftshift(x) | fft::ifftshift(x, axis<0>)", "views"}}};
const section selection = {
    "Selection, scatter and histograms",
    "With `lazyfuse/select.hpp`. What a mask selects is lazy and has no shape; `array a = x(b)` computes it. Places, "
    "counts and "
    "what is written compute at once.",
    {{"x[b] | x[x > 1] * 2 + 1 | np.compress(v > 0, x, 1)", "x(b) | x(x > 1) * 2 + 1 | compress(v > 0, x, axis<1>)",
      "meets numbers and selections by the same mask"},
     {"x[b].sum() | x[b].max()", "sum(x(b)) | max(x(b))", "expressions; of nothing `max` is the smallest number"},
     {"np.nonzero(b) | np.flatnonzero(b) | np.argwhere(b)", "nonzero(b) | flatnonzero(b) | argwhere(b)",
      "`nonzero` is a `std::array`"},
     {"x[n] | x[n, n]", "x(n) | x(n, n)", "as take; beside ranges `x(n)(all, 0)`"},
     {"x[b] = 0 | x[b] *= 2 | x[b] = v", "x(b) = 0 | x(b) *= 2 | x(b) = v", "one kernel, in place"},
     {"x[n] = v | np.put(x, n, 3)", "x(n) = v | put(x, n, 3)",
      "the last of equal indices wins; the GPU skips those beyond the axis"},
     {"np.add.at(v, n, 1)", "add_at(v, n, 1)", "the same bits on every run"},
     {"np.bincount(n) | np.bincount(n, w, 8)", "bincount(n) | bincount(n, w, 8)", ""},
     {"np.histogram(x, 20) | np.histogram(x, 20, (0, 1)) | np.histogram(x, v)[0]",
      "histogram(x, 20) | histogram(x, 20, {0, 1}) | histogram(x, v).counts", "`density` is a division"}}};

const section sorting = {
    "Sorting",
    "With `lazyfuse/sort.hpp`. Sorting computes at once, of any expression, and returns arrays; searching fuses. NaN "
    "counts as the largest; complex "
    "numbers are not sorted.",
    {{"np.sort(x) | np.sort(x, axis=0) | np.sort(x)[:, ::-1]", "sort(x) | sort(x, axis<0>) | sort(x, descending)", ""},
     {"np.argsort(x, axis=0, stable=True)", "argsort(x, axis<0>)", "always stable"},
     {"np.partition(x, 2) | np.partition(x, -2)", "partition(x, 2) | partition(x, -2)", ""},
     {"np.argpartition(-x, 2)[..., :2]", "topk(x, 2).indices | topk(x, 2).values", "in order; of equal ones the first"},
     {"np.median(x) | np.median(x, axis=0, keepdims=True)", "median(x) | median(x, axis<0>, keepdims)", ""},
     {"np.quantile(x, 0.3, axis=1) | np.percentile(x, [25, 75])",
      "quantile(x, 0.3, axis<1>) | quantile(x, {0.25, 0.75})", "linear; several in ascending order"},
     {"np.searchsorted(v, x) | np.searchsorted(v, 2, side='right')",
      "searchsorted(v, x) | searchsorted(v, 2, side::right)", "fuses"},
     {"np.digitize(x, v) | np.digitize(x, v, right=True)", "digitize(x, v) | digitize(x, v, side::right)",
      "fuses; of ascending edges"},
     {"np.unique(x) | np.unique_values(x)", "unique(x)", "NaNs are one"},
     {"np.unique_counts(x).counts | np.unique(x, return_counts=True)", "unique_counts(x).counts", "NaNs are one"},
     {"np.unique_inverse(x).inverse_indices", "unique_inverse(x).inverse_indices", ""},
     {"np.unique_all(x).indices", "unique_all(x).indices", ""}}};

std::vector<std::string> ways(const std::string& text) {
  std::vector<std::string> all;
  std::size_t from = 0;
  for (std::size_t to; (to = text.find(" | ", from)) != std::string::npos; from = to + 3)
    all.push_back(text.substr(from, to - from));
  all.push_back(text.substr(from));
  return all;
}
std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}
/// As code in a cell of a table.
std::string code(const std::string& text) {
  std::string cell = "`";
  for (const char c : text) cell += c == '|' ? std::string("\\|") : std::string(1, c);
  return cell + "`";
}
std::string codes(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& one : all) text += (text.empty() ? "" : ", ") + code(one);
  return text;
}
std::string row(const std::string& a, const std::string& b, const std::string& c) {
  return "| " + a + " | " + b + " | " + c + " |\n";
}
constexpr const char* table_head = "\n| NumPy | lazyfuse | differences |\n|---|---|---|\n";

std::string rows_of(const section& s) {
  std::string text;
  for (const entry& e : s.entries) text += row(codes(ways(e.numpy)), codes(ways(e.here)), e.difference);
  return text;
}
std::string table_of(const section& s) {
  return "\n## " + std::string(s.title) + "\n" + (*s.text ? "\n" + std::string(s.text) + "\n" : "") + table_head +
         rows_of(s);
}

/// A call with the names of operands that the operation takes: x and y, i and j of integers, b for a condition.
template <class Op>
std::vector<std::string> operands_of() {
  const bool reals = Op::rule::template accepts<double>;
  std::vector<std::string> all = {reals ? "x" : "i", reals ? "y" : "j", "1"};
  if (test::has_condition<Op>) all = {"b", "x", "y"};
  if (test::has_exponent<Op>) all[1] = "j";
  if (std::string(Op::name) == "clip") all[1] = "0";
  all.resize(test::arity<Op>);
  return all;
}
std::string call(const std::string& function, const std::vector<std::string>& operands) {
  std::string text = function + "(";
  for (std::size_t k = 0; k < operands.size(); ++k) text += (k ? ", " : "") + operands[k];
  return text + ")";
}
std::string infix(const std::string& symbol, const std::vector<std::string>& operands) {
  return operands.size() == 1 ? symbol + operands[0] : operands[0] + " " + symbol + " " + operands[1];
}
/// The name with its module: np.add, scipy.special.erf, np.frexp(x)[0].
std::string numpy_call(const std::string& name, const std::vector<std::string>& operands) {
  const std::size_t bracket = name.find('[');
  const std::string function = name.substr(0, bracket), part = bracket == std::string::npos ? "" : name.substr(bracket);
  return call(function.find('.') == std::string::npos ? "np." + function : function, operands) + part;
}
/// Python's operators that C++ has not.
std::string python_symbol(const std::string& name, const std::string& symbol) {
  if (name == "floor_divide") return "//";
  if (name == "remainder") return "%";
  if (name == "pow") return "**";
  return symbol;
}

template <class Op>
made_entry operation() {
  const std::string name = Op::name, numpy = test::numpy_name<Op>(), symbol = python_symbol(name, Op::symbol);
  const auto operands = operands_of<Op>();
  made_entry e{{numpy_call(numpy, operands)}, {call(name, operands)}, Op::difference};
  if (numpy == "-") e.numpy.clear();  // NumPy has no such function
  if (!symbol.empty()) e.numpy.push_back(infix(symbol, operands));
  if (*Op::symbol) e.here.push_back(infix(Op::symbol, operands));
  return e;
}
template <class M>
made_entry monoid() {
  const std::string name = M::name, numpy = test::numpy_name<M>();
  return {{numpy_call(numpy, {"x"}), "x." + numpy + "(axis=0)"}, {name + "(x)", name + "(x, axis<0>)"}, ""};
}
template <class... Op>
std::vector<made_entry> operations(lf::list<Op...>) {
  return {operation<Op>()...};
}
template <class... M>
std::vector<made_entry> monoids(lf::list<M...>) {
  return {monoid<M>()...};
}
std::string rows_of(const std::vector<made_entry>& entries) {
  std::string text;
  for (const made_entry& e : entries) text += row(e.numpy.empty() ? "–" : codes(e.numpy), codes(e.here), e.difference);
  return text;
}

const section* const sections[] = {&arrays,   &views,          &reductions, &statistics, &creation, &drawn,
                                   &products, &linear_algebra, &fourier,    &selection,  &sorting};

}  // namespace

std::string numpy_page() {
  std::string text = R"(<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->
<!-- Written by test/data/numpy_page.cpp: cmake --build --preset host --target operations_page -->
# From NumPy to lazyfuse

What NumPy calls it, how it is written here, and what is different. Names are those of namespace `lazyfuse`, here without
`lf::`. In the tables `x` and `y` are matrices of doubles, `i` and `j` of integers, `b` of bool, `v` and `w` vectors,
`t` has three axes, `z` is a matrix of complex numbers, `s` a seed and `f` a function object. Each line of the middle
column is compiled by a test.

What differs everywhere:

- Functions of arrays return expressions, which are computed when they are assigned to an `array`, printed, or asked for
  their `item()`. `materialize(e)` is the array of an expression.
- Arrays are values: `y = x` does not make two names of one array, and a stored view is not written through. While a
  stored view lives, the next write copies its whole array: keep `array row = x(0)`, or write `x(0)` where it is used.
- What has one element is still an expression: `max(x).item()` is the number, also in `if (max(x).item() > 3)`.
- Axes, orders and `keepdims` are known to the compiler: `axis<0, -1>`, `ord<1>`.
- Functions of real numbers compute integers in float64, also those of 8 and 16 bits, and refuse bool. bool and numbers,
  and int64 and uint64, meet by `cast` only.
- A C++ number that the integers it meets cannot hold throws, in comparisons too.
- C++ numbers take the type of the arrays they meet; alone they keep theirs, or meet as in C++: `where(b, 0.0f, 1.0f)` is
  float32, `where(b, 0, 1)` int32.
- There are no warnings: division by zero and invalid arguments give infinities, NaN, or 0 of integers.
- `&&`, `||` and `!` are C++'s; of elements they are `logical_and`, `logical_or`, `logical_not`, or `&`, `|`, `~` of bool.
)";
  text += table_of(arrays) + table_of(views);
  text +=
      "\n## Element by element\n\nHow exact each is, and for which element types: [operations.md](operations.md).\n";
  text += table_head + rows_of(operations(lf::op::all_elementwise{}));
  text += row(codes({"np.vectorize(f)(x)"}), codes({"map(f, x)"}), "`f` is compiled into the kernel");
  text += "\n## Reductions\n\nAll take `axis<...>` and `keepdims`; options follow the operands in any order.\n";
  text += table_head + rows_of(monoids(lf::op::all_monoids{})) + rows_of(reductions);
  for (const section* s : {&statistics, &creation, &drawn, &products, &linear_algebra, &fourier, &selection, &sorting})
    text += table_of(*s);
  text += R"(
## Which of these fuse

All that is above is an expression, and one kernel with what is around it, but for the sections that say that they compute
at once: those are calls of libraries and of loops of our own, whose arguments are expressions and whose results are arrays.
Of the Python array API standard's functions those that have no line here are the inspection of devices and name spaces, and
`can_cast` and `isdtype`, whose answers are part of types.

## The rest of NumPy's main namespace

Every function of NumPy 2.4 is above, in [operations.md](operations.md), or here. Where there is code it is an expression as all
others; where there is none, the last column says why.

| NumPy | instead | why |
|---|---|---|
)";
  for (const other_name& o : other_names)
    text += row(codes(words_of(o.names)), *o.here ? codes(ways(o.here)) : "–", o.note);
  return text;
}

std::string missing_of(const std::string& names) {
  std::set<std::string> known;
  const std::string page = numpy_page(), module = "np.";
  const auto word_at = [&](std::size_t at) {
    return page.substr(at, page.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_", at) - at);
  };
  for (std::size_t at = 0; (at = page.find(module, at)) != std::string::npos;) known.insert(word_at(at += 3));
  for (const other_name& o : other_names)
    for (const std::string& name : words_of(o.names)) known.insert(name);
  for (const made_entry& e : operations(lf::op::all_elementwise{}))
    for (const std::string& way : e.here) known.insert(way.substr(0, way.find('(')));
  std::string missing;
  for (const std::string& name : words_of(names))
    if (known.count(name) == 0) missing += " " + name;
  return missing;
}

std::string numpy_spellings() {
  std::string text = R"(// Written by test/data/numpy_page.cpp.
#include <lazyfuse/fft.hpp>
#include <lazyfuse/interop/dlpack.hpp>
#include <lazyfuse/lazyfuse.hpp>
#include <lazyfuse/linalg.hpp>
#include <lazyfuse/select.hpp>
#include <lazyfuse/sort.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <numbers>
#include <numeric>

namespace lazyfuse {
struct larger {
  int64 operator()(int64 a, int64 b) const { return a > b ? a : b; }
  double operator()(double a, double b) const { return a > b ? a : b; }
};
struct operands_of_the_page {
  array<double, 2> x, y;
  array<int, 2> i, j;
  array<bool, 2> b;
  array<double, 1> v, w;
  array<complex<double>, 2> z;
  array<double, 3> t;
  array<int64, 1> n;
  std::vector<double> values;
  seed s{0};
  larger f;
  dlpack::managed_tensor_versioned* m;
)";
  int number = 0;
  const auto add = [&](const std::string& code) {
    if (!code.empty()) text += "  void way" + std::to_string(number++) + "() { " + code + "; }\n";
  };
  for (const section* s : sections)
    for (const entry& e : s->entries)
      for (const std::string& way : ways(e.here)) add(way);
  for (const auto& entries : {operations(lf::op::all_elementwise{}), monoids(lf::op::all_monoids{})})
    for (const made_entry& e : entries)
      for (const std::string& way : e.here) add(way);
  add("map(f, x, y)");
  for (const other_name& o : other_names)
    for (const std::string& way : ways(o.here)) add(way);
  text += "};\n}  // namespace lazyfuse\n\nint main() { (void)&lazyfuse::operands_of_the_page::way0;";
  return text + " }\n";
}
