# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of whole arrays: order, selections, products, linear algebra, Fourier transforms. Each is in one place: its
value with bounds, its C++ and NumPy, and how its operands are drawn. grammar.py has the others, and takes these in."""

import string

import numpy as np

import reference as ref
from reference import BOOL, F32, F64, INT32, INT64, SMALL, Invalid, Value, Weak, eps, kind, operation, reduction

MOST = 2_000_000  # products that the value of a sum of products takes


class Function:
    """value, cpp and numpy: of the operands and the parameters. draw(g, x): a node of it, of x or of what is near it; g
    is the generator. header: what it needs beside lazyfuse.hpp."""

    def __init__(self, value, cpp, numpy, draw, header=None):
        self.value, self.cpp, self.numpy, self.draw, self.header = value, cpp, numpy, draw, header


def along(axis, *more):
    return "".join(", " + o for o in ([] if axis is None else [f"lf::axis<{axis}>"]) + [m for m in more if m])


def has_axes(x, least=1, most=5):
    if not least <= x.rank <= most:
        raise Invalid("rank")


def exact(x):
    """Whose shape or places depend on what x is: there must be no doubt about it."""
    if np.any(x.e > 0):
        raise Invalid("nobody knows which")
    return x.v


def comparable(x):
    if kind(x.dtype) == "c":
        raise Invalid("complex numbers have no order")
    return x.v.astype(F32) if x.dtype in SMALL else x.v


# ---- order


def sort(x, axis, down=False):
    v = np.sort(comparable(x), axis, stable=True)
    v = np.flip(v, axis) if down else v
    return Value(v.astype(x.dtype), np.broadcast_to(np.max(x.e, axis, keepdims=True, initial=0), v.shape))


def argsort(x, axis, down=False):
    w = comparable(x)
    n = w.shape[axis]
    at = n - 1 - np.flip(np.argsort(np.flip(w, axis), axis, stable=True), axis) if down else np.argsort(w, axis, stable=True)
    # Of neighbours in order that are within the error of each other nobody knows which is first.
    reach = np.max(x.e, axis, keepdims=True, initial=0)
    s = np.take_along_axis(w.astype(np.longdouble), at, axis)
    apart = np.abs(np.diff(s, axis=axis)) > 2 * reach
    ends = np.ones(tuple(1 if a == axis % w.ndim else m for a, m in enumerate(w.shape)), bool)
    sure = np.concatenate((ends, apart), axis) & np.concatenate((apart, ends), axis) if n else ends[(*[slice(None)] * (axis % w.ndim), slice(0, 0))]
    return Value(at.astype(np.int64), np.where(sure | (reach == 0), 0, np.inf))


def first(x, axis, k):
    if k > x.shape[axis]:
        raise Invalid("too few")
    return x.map(lambda a: np.take(a, np.arange(k), axis))


def partition(x, axis, k):
    n = x.shape[axis]
    if not -n <= k < n:
        raise Invalid("too few")
    s = sort(x, axis)
    there = (np.arange(n) == k % n).reshape([n if a == axis % len(x.shape) else 1 for a in range(len(x.shape))])
    return Value(s.v, np.where(there, s.e, np.inf))


def rows_of(x, axis):
    """The elements along the axis, or all, as the last axis, in order."""
    z = x.map(lambda a: np.reshape(a, -1) if axis is None else np.moveaxis(a, axis, -1))
    if z.shape[-1] == 0:
        raise Invalid("no elements")
    return sort(z, -1)


def back(x, r, axis, keep):
    if not keep:
        return r
    return r.map(lambda a: np.reshape(a, (1,) * len(x.shape)) if axis is None else np.expand_dims(a, axis))


def between(x, axis, keep, below, above, weight):
    """What is that far from one place to another of what is sorted."""
    s = ref.as_real(rows_of(x, axis))
    at = lambda k: s.map(lambda a: a[..., k])
    a, b = at(below), at(above)
    step = operation("multiply", [operation("subtract", [b, a]), Value(np.asarray(weight if weight < 0.5 else weight - 1, s.dtype))])
    far = operation("add", [a if weight < 0.5 else b, step])
    # computed by other sums, and of equal elements not at all
    size = np.maximum(np.abs(a.v), np.abs(b.v)).astype(np.float64)
    r = operation("where", [Value(a.v == b.v), a, Value(far.v, np.where(np.isfinite(far.v), far.e + 4 * eps(s.dtype) * size, far.e))])
    r = Value(r.v, np.where(np.isinf(size) | (size > ref.largest(s.dtype) / 4), np.inf, np.maximum(r.e, np.maximum(a.e, b.e))))
    if kind(x.dtype) == "f":
        r = operation("where", [Value(np.isnan(at(-1).v)), at(-1), r])
    return back(x, ref.stored(x, r), axis, keep)


def median(x, axis, keep):
    n = x.v.size if axis is None else x.shape[axis]
    return between(x, axis, keep, (n - 1) // 2, n // 2, 0.5)


def quantile(x, q, axis, keep):
    n = x.v.size if axis is None else x.shape[axis]
    place = q * (n - 1)
    return between(x, axis, keep, int(place), min(int(place) + 1, n - 1), place - int(place))


def unique(x, which):
    v = comparable(Value(exact(x)))
    values, indices, inverse, counts = np.unique(v, return_index=True, return_inverse=True, return_counts=True)
    r = {"values": values.astype(x.dtype), "indices": indices, "inverse_indices": inverse.reshape(v.shape), "counts": counts}[which]
    return Value(r if which == "values" else r.astype(np.int64))


def searched(v, x, side):
    """Where x would be put: the same at both ends of what it may be, or nobody knows."""
    t = ref.promoted(v.dtype, x.dtype)
    table, z = comparable(Value(exact(ref.cast(v, t)))), ref.cast(x, t)
    w, e = comparable(z), np.where(np.isfinite(z.e), z.e, 0)
    at = np.searchsorted(table, w, side)
    if np.any(e > 0):
        wide = table.astype(np.longdouble)
        low, high = (np.searchsorted(wide, w.astype(np.longdouble) + s * e, side) for s in (-1, 1))
        return Value(at.astype(np.int64), np.where((low != at) | (high != at) | ~np.isfinite(z.e), np.inf, 0))
    return Value(np.asarray(at).astype(np.int64), np.where(np.isfinite(z.e), 0, np.inf))


def isin(x, values):
    s = sort(values.map(lambda a: a.reshape(-1)), 0)
    low, high = searched(s, x, "left"), searched(s, x, "right")
    number = ~np.isnan(x.v) if kind(x.dtype) == "f" else True
    return Value((low.v != high.v) & number, np.maximum(low.e, high.e))


def drawn_axis(g, x):
    has_axes(x)
    return int(g.rng.integers(-x.rank, x.rank))


def ordered(name, *more):
    """Draws a function along an axis."""
    return lambda g, x: g.node(name, (x,), (drawn_axis(g, x), *[m(g, x) for m in more]))


def one_or_no_axis(g, x):
    has_axes(x)
    return drawn_axis(g, x) if g.chance(0.7) else None


def draw_top(name):
    def draw(g, x):
        axis = drawn_axis(g, x)
        return g.node(name, (x,), (axis, int(g.rng.integers(0, min(x.shape[axis], 9) + 1))))

    return draw


def draw_partition(g, x):
    """The one element whose place is known."""
    axis = drawn_axis(g, x)
    n = x.shape[axis]
    k = int(g.rng.integers(-n, max(n, 1)))
    return g.node("view", (g.node("partition", (x,), (axis, k)),), (*["all"] * (axis % x.rank), k))


def drawn_table(g, t):
    """A sorted sequence."""
    if kind(t) == "i" and g.chance(0.2):
        return g.node("arange", (), (t, int(g.rng.integers(1, 9))))
    return g.node("sort", (g.leaf(t, (int(g.rng.integers(1, 40)),)),), (0, False))


def draw_search(name):
    def draw(g, x):
        v = drawn_table(g, g.near_type(x))
        v.named = True
        return g.node(name, (v, x) if name == "searchsorted" else (x, v), (g.pick(["left", "right"]),))

    return draw


UNIQUE = {"values": "", "counts": "_counts", "inverse_indices": "_inverse", "indices": "_all"}
SIDES = {"left": "", "right": ", lf::side::right"}
SORTING = {
    "sort": Function(sort, lambda x, a, d: f"lf::sort({x}{along(a, d and 'lf::descending')})",
                     lambda x, a, d: f"np.flip(np.sort({x}, {a}), {a})" if d else f"np.sort({x}, {a})", ordered("sort", lambda g, x: g.chance(0.3))),
    "argsort": Function(argsort, lambda x, a, d: f"lf::argsort({x}{along(a, d and 'lf::descending')})",
                        lambda x, a, d: f"argsort({x}, {a}{', descending=True' * d})", ordered("argsort", lambda g, x: g.chance(0.3))),
    "topk": Function(lambda x, a, k: first(sort(x, a, True), a, k), lambda x, a, k: f"lf::topk({x}, {k}{along(a)}).values",
                     lambda x, a, k: f"np.flip(np.sort({x}, {a}), {a}).take(range({k}), {a})", draw_top("topk")),
    "topk_indices": Function(lambda x, a, k: first(argsort(x, a, True), a, k), lambda x, a, k: f"lf::topk({x}, {k}{along(a)}).indices",
                             lambda x, a, k: f"argsort({x}, {a}, descending=True).take(range({k}), {a})", draw_top("topk_indices")),
    "partition": Function(partition, lambda x, a, k: f"lf::partition({x}, {k}{along(a)})", lambda x, a, k: f"np.partition({x}, {k}, {a})", draw_partition),
    "median": Function(median, lambda x, a, k: f"lf::median({x}{along(a, k and 'lf::keepdims')})", lambda x, a, k: f"np.median({x}, {a}, keepdims={k})",
                       lambda g, x: g.node("median", (x,), (one_or_no_axis(g, x), g.chance(0.4)))),
    "quantile": Function(quantile, lambda x, q, a, k: f"lf::quantile({x}, {q}{along(a, k and 'lf::keepdims')})",
                         lambda x, q, a, k: f"np.quantile({x}, {q}, {a}, keepdims={k})",
                         lambda g, x: g.node("quantile", (x,), (g.pick([0.0, 0.25, 0.5, 0.3, 0.9, 1.0]), one_or_no_axis(g, x), g.chance(0.4)))),
    "unique": Function(unique, lambda x, w: f"lf::unique{UNIQUE[w]}({x}).{w}".removesuffix(".values"), lambda x, w: f"np.unique_all({x}).{w}",
                       lambda g, x: g.node("unique", (g.known(x),), (g.pick(["values", "values", "counts", "inverse_indices", "indices"]),))),
    "searchsorted": Function(searched, lambda v, x, s: f"lf::searchsorted({v}, {x}{SIDES[s]})", lambda v, x, s: f"np.searchsorted({v}, {x}, '{s}')",
                             draw_search("searchsorted")),
    "digitize": Function(lambda x, v, s: searched(v, x, "left" if s == "right" else "right"), lambda x, v, s: f"lf::digitize({x}, {v}{SIDES[s]})",
                         lambda x, v, s: f"np.digitize({x}, {v}, right={s == 'right'})", draw_search("digitize")),
    "isin": Function(isin, lambda x, v: f"lf::isin({x}, {v})", lambda x, v: f"np.isin({x}, {v})",
                     lambda g, x: g.node("isin", (x, g.leaf(g.near_type(x), (int(g.rng.integers(0, 9)),))))),
}


# ---- selections


def selected(x, m):
    keep = exact(m)
    if x.shape != m.shape:
        raise Invalid("shape")
    return x.map(lambda a: a[keep])


def selected_twice(x, m, limit):
    """The selected elements that are above a number."""
    s = selected(x, m)
    return selected(s, Value(exact(operation("greater", [Value(exact(s)), limit]))))


def reduced(x, m, name):
    s = selected(x, m)
    if name in ("min", "max") and not s.v.size:
        raise Invalid("no elements")
    return reduction(name, s)


def compressed(m, x, axis):
    keep = exact(m)
    return x.map(lambda a: np.compress(keep, a, axis))


def places(x, axis):
    """Where x is not zero: along all axes as one, or the indices along one, or of each as rows."""
    v = exact(ref.cast(x, BOOL))
    return Value((np.flatnonzero(v) if axis is None else np.argwhere(v) if axis == "rows" else np.nonzero(v)[axis]).astype(np.int64))


def at_indices(x, *indices):
    where = tuple(exact(i) for i in indices)
    try:
        return x.map(lambda a: a[where])
    except IndexError:
        raise Invalid("index")


def bincount(i, *weights_and_length):
    *weights, least = weights_and_length
    v = exact(i).astype(np.int64)
    if np.any(v < 0) or np.any(v > 100_000):
        raise Invalid("number")
    if not weights:
        return Value(np.bincount(v, minlength=least).astype(np.int64))
    w = ref.cast(weights[0], F64)
    if w.shape != v.shape:
        raise Invalid("shape")
    if not np.all(np.isfinite(w.v)) or not np.all(np.isfinite(w.e)):
        raise Invalid("numbers that are not finite")
    return Value(np.bincount(v, w.v, least), np.bincount(v, w.e, least) * 1.01)


def histogram(x, bins, bounds, which):
    if x.dtype == BOOL or kind(x.dtype) == "c":
        raise Invalid("reals")
    v = comparable(Value(exact(x)))
    finite = np.isfinite(v) if kind(x.dtype) == "f" else np.ones(v.shape, bool)
    if bounds is None and (not np.all(finite) or not v.size or np.ptp(v.astype(np.longdouble)) > 1e30):
        raise Invalid("bounds")
    if kind(x.dtype) == "i" and x.dtype.itemsize == 8 and v.size and np.max(np.abs(v.astype(np.longdouble))) > 2.0**52:
        raise Invalid("numbers that are no doubles")
    counts, edges = np.histogram(v[finite], bins, bounds)
    if which == "counts":
        return Value(counts.astype(np.int64))
    t = F32 if x.dtype in SMALL + [F32] else F64
    return Value(edges.astype(t), np.abs(edges).astype(np.float64) * 2 * eps(t) + np.max(np.abs(edges)).astype(np.float64) * 2 * eps(t))


def fitting(x, new):
    """What is written in x, of its type."""
    if (ref.common([x, new]) if isinstance(new, Weak) else ref.promoted(new.dtype, x.dtype)) != x.dtype:
        raise Invalid("dtype")
    return ref.as_type(new, x.dtype)


def written(x, new, where):
    """x with elements at `where` replaced."""
    new = fitting(x, new)
    v, e = x.v.copy(), np.array(x.e)
    try:
        v[where], e[where] = new.v, new.e
    except (ValueError, IndexError):
        raise Invalid("shape")
    return Value(v, e, x.sure and new.sure)


def write_selected(x, m, new, op):
    if op != "=":
        new = operation({"+=": "add", "-=": "subtract", "*=": "multiply"}[op], [selected(x, m), new])
    selected(x, m)
    return written(x, new, exact(m))


def add_at(x, i, new):
    if kind(x.dtype) not in "if" or x.dtype in SMALL:
        raise Invalid("numbers")
    where, new = exact(i), fitting(x, new)
    v, e, size = x.v.copy(), np.array(x.e), np.abs(x.v).astype(np.float64)
    try:
        np.add.at(v, where, new.v)
        np.add.at(e, where, new.e)
        np.add.at(size, where, np.abs(new.v).astype(np.float64))
    except (ValueError, IndexError):
        raise Invalid("shape")
    return Value(v, np.where(e > 0, e * 1.01 + size * eps(x.dtype) * 64, 0) if kind(x.dtype) == "f" else e)


def put(x, i, new):
    where = exact(i)
    if not x.v.size and where.size:
        raise Invalid("index")
    flat = x.map(lambda a: a.reshape(-1))
    if not isinstance(new, Weak):
        if not new.v.size:
            raise Invalid("no values")
        new = new.map(lambda a: np.resize(a, where.size))
    return written(flat, new, where.reshape(-1)).map(lambda a: a.reshape(x.shape))


def drawn_mask(g, shape):
    """An expression of bool, of that shape and exact, with a name, so that several selections are by one mask."""
    t = g.pick([g.type, INT32]) if kind(g.type) in "if" else INT32
    m = g.node("op", (g.leaf(t, shape), g.scalar_for(t)), (g.pick(["less", "greater", "greater_equal"]), True)) if g.chance(0.6) else g.leaf(BOOL, shape)
    m.named |= m.what != "input"
    return m


def drawn_indices(g, n, shape):
    """An expression of integers from -n to n - 1, or from 0 on."""
    if n == 0 and np.prod(shape, dtype=int):
        raise Invalid("no elements")
    t = g.pick([INT32, INT64])
    i = g.node("op", (g.leaf(t, shape), g.node_of(int(max(n, 1)))), ("remainder", False))
    return g.node("op", (i, g.node_of(int(n))), ("subtract", True)) if g.chance(0.25) else i


def drawn_shape(g):
    return [int(g.rng.integers(0, 7)) for _ in range(int(g.rng.integers(1, 3)))]


def draw_selected(g, x):
    has_axes(x)
    return g.node("selected", (x, drawn_mask(g, x.shape)))


def draw_selected_reduce(g, x):
    has_axes(x)
    return g.node("selected_reduce", (x, drawn_mask(g, x.shape)), (g.pick(["sum", "mean", "max", "min", "prod", "any", "all", "count_nonzero"]),))


def draw_selected_op(g, x):
    has_axes(x)
    y = g.leaf(x.dtype, x.shape)
    return g.node("selected_op", (x, y, drawn_mask(g, x.shape)), (g.pick(["add", "multiply", "maximum", "less"]),))


def draw_selected_twice(g, x):
    x = g.known(x)
    has_axes(x)
    if kind(x.dtype) not in "if":
        raise Invalid("order")
    return g.node("selected_twice", (x, drawn_mask(g, x.shape), g.scalar_for(x.dtype)))


def draw_compress(g, x):
    axis = drawn_axis(g, x)
    return g.node("compress", (drawn_mask(g, (x.shape[axis],)), x), (axis,))


def draw_places(g, x):
    x = g.known(x)
    has_axes(x)
    return g.node("places", (x,), (g.pick([None, "rows", int(g.rng.integers(0, x.rank))]),))


def draw_at(g, x):
    has_axes(x, most=4)
    shape = drawn_shape(g)
    count = 2 if x.rank > 1 and g.chance(0.4) else 1
    i = [drawn_indices(g, x.shape[k], shape if k == 0 else shape[k % len(shape) :]) for k in range(count)]
    return g.node("at", (x, *i))


def draw_bincount(g, x):
    n = int(g.pick([0, 1, 5, 40, 1000]))
    i = g.node("op", (g.leaf(g.pick([INT32, INT64, ref.INTEGERS[0]]), (n,)), g.node_of(int(g.rng.integers(1, 30)))), ("remainder", False))
    return g.node("bincount", (i, g.leaf(g.pick([F32, F64]), (n,))) if g.chance(0.4) else (i,), (int(g.pick([0, 0, 7, 40])),))


def draw_histogram(g, x):
    bounds = g.pick([None, (-3.0, 3.0), (0.0, 1.0)])
    return g.node("histogram", (g.known(x),), (int(g.pick([1, 3, 10, 20])), bounds, g.pick(["counts", "counts", "counts", "edges"])))


def draw_write(name):
    def draw(g, x):
        x = g.pick(g.variables())
        has_axes(x, most=4)
        if name == "write_selected":
            m = drawn_mask(g, x.shape)
            if g.chance(0.3):  # a sequence of as many
                n = g.node("write_selected", (x, m, g.leaf(x.dtype, (int(np.count_nonzero(exact(m.value))),))), ("=",))
            else:
                n = g.node("write_selected", (x, m, g.scalar_for(x.dtype)), (g.pick(["=", "=", "+=", "*="]),))
        else:
            shape = drawn_shape(g)
            i = drawn_indices(g, x.value.v.size if name == "put" else x.shape[0], shape)
            rest = shape if name == "put" else [*shape, *x.shape[1:]]
            e = g.scalar_for(x.dtype) if g.chance(0.3) else g.leaf(x.dtype, rest if g.chance(0.7) else rest[len(rest) // 2 :])
            n = g.node(name, (x, i, e))
        g.frozen.add(id(x))
        return n

    return draw


# What writes in its first operand: its texts are statements.
WRITES = {
    "write_selected": Function(write_selected, lambda x, m, e, op: f"{x}({m}) {op} {e}", lambda x, m, e, op: f"{x}[{m}] {op} {e}", draw_write("write_selected"), "select"),
    "write_at": Function(lambda x, i, e: written(x, e, exact(i)), lambda x, i, e: f"{x}({i}) = {e}", lambda x, i, e: f"{x}[{i}] = {e}", draw_write("write_at"), "select"),
    "add_at": Function(add_at, lambda x, i, e: f"lf::add_at({x}, {i}, {e})", lambda x, i, e: f"np.add.at({x}, {i}, {e})", draw_write("add_at"), "select"),
    "put": Function(put, lambda x, i, e: f"lf::put({x}, {i}, {e})", lambda x, i, e: f"np.put({x}, {i}, {e})", draw_write("put"), "select"),
}

SELECTION = {
    "selected": Function(selected, lambda x, m: f"lf::materialize({x}({m}))", lambda x, m: f"{x}[{m}]", draw_selected),
    "selected_op": Function(lambda x, y, m, name: operation(name, [selected(x, m), selected(y, m)]),
                            lambda x, y, m, name: f"lf::materialize(lf::{name}({x}({m}), {y}({m})))", lambda x, y, m, name: f"np.{name}({x}[{m}], {y}[{m}])",
                            draw_selected_op),
    "selected_twice": Function(selected_twice, lambda x, m, c: f"lf::materialize({x}({m})({x}({m}) > {c}))", lambda x, m, c: f"{x}[{m} & ({x} > {c})]",
                               draw_selected_twice),
    "selected_reduce": Function(reduced, lambda x, m, name: f"lf::{name}({x}({m}))", lambda x, m, name: f"np.{name}({x}[{m}])",
                                draw_selected_reduce),
    "compress": Function(compressed, lambda m, x, a: f"lf::compress({m}, {x}{along(a)})", lambda m, x, a: f"np.compress({m}, {x}, {a})", draw_compress),
    "places": Function(places, lambda x, a: f"lf::materialize(lf::flatnonzero({x}))" if a is None else f"lf::argwhere({x})" if a == "rows" else f"lf::nonzero({x})[{a}]",
                       lambda x, a: f"np.flatnonzero({x})" if a is None else f"np.argwhere({x})" if a == "rows" else f"np.nonzero({x})[{a}]", draw_places),
    "at": Function(at_indices, lambda x, *i: f"{x}({', '.join(i)})", lambda x, *i: f"{x}[{', '.join(i)}]", draw_at),
    "bincount": Function(bincount, lambda i, *w: f"lf::bincount({', '.join(map(str, (i, *w)))})", lambda i, *w: f"np.bincount({i}, {', '.join(w[:-1]) or None}, {w[-1]})",
                         draw_bincount),
    "histogram": Function(histogram, lambda x, n, b, w: f"lf::histogram({x}, {n}{f', lf::value_range{{{b[0]}, {b[1]}}}' if b else ''}).{w}",
                          lambda x, n, b, w: f"np.histogram({x}, {n}, {b})[{int(w == 'edges')}]", draw_histogram),
}


# ---- products and differences


def sum_of_products(factors, summed):
    """Of values that broadcast, over the last axes."""
    kinds = [f.dtype for f in factors]
    if all(t == BOOL for t in kinds):
        p = factors[0]
        for f in factors[1:]:
            p = operation("bitwise_and", [p, f])
        return reduction("any", p, tuple(range(-summed, 0))) if summed else p
    t = ref.common(factors)
    at = [ref.cast(f, F32 if t in SMALL else t) for f in factors]
    try:
        if int(np.prod(np.broadcast_shapes(*[f.shape for f in at]))) > MOST:
            raise Invalid("too large")
    except ValueError:
        raise Invalid("shapes")
    p = at[0]
    for f in at[1:]:
        p = operation("multiply", [p, f])
    if not summed:
        return ref.cast(p, t)
    where = tuple(range(-summed, 0))
    r = reduction("sum", p, where)
    # A library, and products of more than two, round otherwise.
    if kind(t) in "fc":
        size = np.sum(np.where(np.isfinite(p.v), np.abs(p.v), 0), axis=where).astype(np.float64)
        r = Value(r.v, np.where(r.e > 0, r.e + 2 * len(at) * eps(p.dtype) * size, r.e))
    return ref.cast(r, t)


def einsum(*values_and_text):
    *values, text = values_and_text
    operands, result = text.split("->")
    every = [c for c in string.ascii_letters if c in operands.replace(",", "")]
    order = [*result, *[c for c in every if c not in result]]
    extents = {}
    factors = []
    for letters, x in zip(operands.split(","), values):
        if len(letters) != len(x.shape):
            raise Invalid("rank")
        for c, n in zip(letters, x.shape):
            if extents.setdefault(c, n) != n:
                raise Invalid("shape")
        single = "".join(dict.fromkeys(letters))
        y = x if single == letters else x.map(lambda a: np.einsum(f"{letters}->{single}", a))
        kept = [c for c in order if c in single]
        y = y.map(lambda a: np.transpose(a, [single.index(c) for c in kept]).reshape([extents[c] if c in kept else 1 for c in order]))
        factors.append(y)
    if len(factors) == 1:
        factors.append(Value(np.asarray(1, factors[0].dtype)))
    return sum_of_products(factors, len(order) - len(result))


def letters_of(name, *ranks_and_more):
    """Products by their letters, which einsum has as well."""
    a, b, *k = ranks_and_more
    x, y, shared = "abcdef"[:a], "uvwxyz"[:b], k[0] if k else 1
    if name == "matmul":
        if b == 1:
            return f"{x},{x[-1]}->{x[:-1]}"
        batch = x[:-2][-(b - 2) :] if b > 2 else ""
        more = y[: b - 2 - len(batch)]
        return f"{x},{more}{batch}{x[-1]}n->{more}{x[:-1]}n"
    if name == "inner":
        return f"{x},{y[:-1]}{x[-1]}->{x[:-1]}{y[:-1]}"
    if name == "dot":
        return f"{x},{y[:-2]}{x[-1]}{y[-1]}->{x[:-1]}{y[:-2]}{y[-1]}" if b > 1 else f"{x},{x[-1]}->{x[:-1]}"
    if name == "outer":
        return "a,u->au"
    if name == "vdot":
        return f"{x},{x}->"
    return f"{x},{x[a - shared:]}{y[shared:]}->{x[: a - shared]}{y[shared:]}"  # tensordot


def product(name, x, y, *more):
    if name == "vdot" and kind(x.dtype) == "c":
        x = operation("conj", [x])
    return einsum(x, y, letters_of(name, len(x.shape), len(y.shape), *more))


def draw_product(name):
    def draw(g, x):
        x = g.matrix() if name != "outer" else x
        has_axes(x, 1, 1 if name == "outer" else 3)
        extra = [int(g.pick([1, 2, 3, 5, 8, 17]))] if g.chance(0.7) else []
        k = int(g.rng.integers(1, x.rank + 1))
        shape = {"matmul": [x.shape[-1], *extra], "dot": [x.shape[-1], *extra], "inner": [*extra, x.shape[-1]], "outer": [int(g.pick([1, 2, 3, 17]))],
                 "vdot": x.shape, "tensordot": [*x.shape[x.rank - k :], *extra]}[name]
        t = g.near_type(x)
        if name == "matmul" and x.rank == 2 and g.chance(0.3):
            y = g.node("transpose", (x,))
        elif name == "matmul" and x.rank == 3 and extra and g.chance(0.5):
            y = g.leaf(t, [x.shape[0], *shape])
        else:
            y = g.leaf(t, shape)
        return g.node(name, (x, y), (k,) if name == "tensordot" else ())

    return draw


def simple_product(name):
    return Function(lambda x, y: product(name, x, y), lambda x, y: f"lf::{name}({x}, {y})", lambda x, y: f"np.{name}({x}, {y})", draw_product(name))


def vecdot(x, y, axis):
    x = operation("conj", [x]) if kind(x.dtype) == "c" else x
    return sum_of_products([z.map(lambda a: np.moveaxis(a, axis, -1)) for z in (x, y)], 1)


def draw_vecdot(g, x):
    has_axes(x)
    axis = -int(g.rng.integers(1, x.rank + 1))
    shape = [n if k == x.rank + axis or g.chance(0.8) else 1 for k, n in enumerate(x.shape)]
    return g.node("vecdot", (x, g.leaf(g.near_type(x), shape)), (axis,))


EINSUMS = {1: ["i,i->", "i,j->ij", "i,ij->j"], 2: ["ij,jk->ik", "ij,ij->i", "ij,j->ji", "ij->ji", "ij,kj,k->i", "ij,j,k->ik"], 3: ["ijk,k->ij", "ijk,ikl->ijl", "ijk,ij->k"]}


def draw_einsum(g, x):
    x = g.matrix()
    has_axes(x, 1, 3)
    if x.rank == 2 and x.shape[0] == x.shape[1] and g.chance(0.5):
        return g.node("einsum", (x,), ("ii->i",))
    text = g.pick(EINSUMS[x.rank])
    first, *others = text.split("->")[0].split(",")
    extents = dict(zip(first, x.shape))
    leaf = lambda letters: g.leaf(g.near_type(x), [extents.setdefault(c, int(g.pick([1, 2, 3, 7]))) for c in letters])
    return g.node("einsum", (x, *[leaf(o) for o in others]), (text,))


def cross(x, y):
    if x.shape[-1:] != (3,) or y.shape[-1:] != (3,):
        raise Invalid("shape")
    moved = lambda z, by: z.map(lambda a: np.roll(a, by, -1))
    both = [operation("multiply", [moved(x, p), moved(y, 3 - p)]) for p in (2, 1)]
    r = operation("subtract", both)
    if kind(r.dtype) not in "fc":
        return r
    size = np.abs(both[0].v).astype(np.float64) + np.abs(both[1].v).astype(np.float64)
    return Value(r.v, np.where(np.isfinite(size), r.e + 2 * eps(F32 if r.dtype in SMALL else r.dtype) * size, r.e)) if kind(r.dtype) == "c" else r


def draw_cross(g, x):
    n = int(g.pick([1, 2, 5, 33]))
    a, b = g.leaf(g.type, (n, 3)), g.leaf(g.near_type(x), (3,) if g.chance(0.5) else (n, 3))
    return g.node("cross", (a, b) if g.chance(0.7) else (b, a))


def trace(x, k):
    if len(x.shape) < 2:
        raise Invalid("a matrix")
    return reduction("sum", x.map(lambda a: np.diagonal(a, k)), (-1,))


def kron(x, y):
    if len(x.shape) != len(y.shape):
        raise Invalid("rank")
    spread = lambda z, ahead: z.map(lambda a: a.reshape([m for n in a.shape for m in ((n, 1) if ahead else (1, n))]))
    p = sum_of_products([spread(x, True), spread(y, False)], 0)
    return p.map(lambda a: a.reshape([n * m for n, m in zip(x.shape, y.shape)]))


def draw_kron(g, x):
    has_axes(x, 1, 2)
    return g.node("kron", (x, g.leaf(x.dtype, [int(g.rng.integers(1, 4)) for _ in x.shape])))


def sliced(x, axis, *how):
    return x.map(lambda a: a[(*[slice(None)] * (axis % a.ndim), slice(*how))])


def diff(x, n, axis):
    for _ in range(n):
        x = operation("not_equal" if x.dtype == BOOL else "subtract", [sliced(x, axis, 1, None), sliced(x, axis, None, -1)])
    return x


def joined(parts, axis):
    return Value(np.concatenate([p.v for p in parts], axis), np.concatenate([p.e for p in parts], axis), all(p.sure for p in parts))


def gradient(x, h, axis):
    if x.dtype == BOOL or x.shape[axis] < 2:
        raise Invalid("no neighbours")
    x = ref.cast(x, F64) if kind(x.dtype) == "i" else x
    slope = lambda a, b, by: operation("divide", [operation("subtract", [b, a]), Value(np.asarray(by, ref.PART.get(x.dtype, x.dtype)))])
    ends = [slope(sliced(x, axis, None, 1), sliced(x, axis, 1, 2), h), slope(sliced(x, axis, -2, -1), sliced(x, axis, -1, None), h)]
    return joined([ends[0], slope(sliced(x, axis, None, -2), sliced(x, axis, 2, None), 2 * h), ends[1]], axis)


def stack(x, y, axis):
    if x.shape != y.shape:
        raise Invalid("shape")
    t = ref.promoted(x.dtype, y.dtype)
    return joined([ref.cast(z, t).map(lambda a: np.expand_dims(a, axis)) for z in (x, y)], axis)


def beside(x, y, name):
    if len(x.shape) != len(y.shape):
        raise Invalid("rank")
    t = ref.promoted(x.dtype, y.dtype)
    x, y = ref.cast(x, t), ref.cast(y, t)
    try:
        return Value(getattr(np, name)((x.v, y.v)), getattr(np, name)((x.e, y.e)), x.sure and y.sure)
    except ValueError:
        raise Invalid("shape")


def draw_beside(g, x):
    has_axes(x, 0, 4)
    name = g.pick(["hstack", "vstack"])
    axis = 0 if name == "vstack" else 1
    shape = [int(g.rng.integers(0, 5)) if x.rank > axis and k == axis else n for k, n in enumerate(x.shape)]
    return g.node("beside", (x, g.leaf(g.near_type(x), shape)), (name,))


def split(x, axis, at, which):
    if at > x.shape[axis]:
        raise Invalid("shape")
    return sliced(x, axis, *((at, None) if which else (None, at)))


def draw_split(g, x):
    axis = drawn_axis(g, x)
    return g.node("split", (x,), (axis, int(g.rng.integers(0, x.shape[axis] + 1)), int(g.rng.integers(2))))


def taken_along(x, i, axis):
    at = exact(i)
    try:
        return Value(np.take_along_axis(x.v, at, axis), np.take_along_axis(np.array(x.e), at, axis), x.sure)
    except (IndexError, ValueError):
        raise Invalid("index")


def draw_taken_along(g, x):
    axis = drawn_axis(g, x)
    n = x.shape[axis]
    shape = [int(g.rng.integers(0, 7)) if k == axis % x.rank else m for k, m in enumerate(x.shape)]
    return g.node("take_along_axis", (x, drawn_indices(g, n, shape)), (axis,))


PRODUCTS = {
    **{name: simple_product(name) for name in ("matmul", "dot", "inner", "outer", "vdot")},
    "tensordot": Function(lambda x, y, k: product("tensordot", x, y, k), lambda x, y, k: f"lf::tensordot<{k}>({x}, {y})", lambda x, y, k: f"np.tensordot({x}, {y}, {k})",
                          draw_product("tensordot")),
    "vecdot": Function(vecdot, lambda x, y, a: f"lf::vecdot({x}, {y}{along(a)})", lambda x, y, a: f"np.vecdot({x}, {y}, axis={a})", draw_vecdot),
    "einsum": Function(einsum, lambda *p: f"lf::einsum<\"{p[-1]}\">({', '.join(p[:-1])})", lambda *p: f"np.einsum('{p[-1]}', {', '.join(p[:-1])})", draw_einsum),
    "cross": Function(cross, lambda x, y: f"lf::cross({x}, {y})", lambda x, y: f"np.cross({x}, {y})", draw_cross),
    "trace": Function(trace, lambda x, k: f"lf::trace({x}, {k})", lambda x, k: f"np.trace({x}, {k})", lambda g, x: g.node("trace", (g.matrix(),), (int(g.rng.integers(-2, 3)),))),
    "kron": Function(kron, lambda x, y: f"lf::kron({x}, {y})", lambda x, y: f"np.kron({x}, {y})", draw_kron),
    "diff": Function(diff, lambda x, n, a: f"lf::diff<{n}>({x}{along(a)})", lambda x, n, a: f"np.diff({x}, {n}, {a})",
                     lambda g, x: g.node("diff", (x,), (int(g.rng.integers(1, 3)), drawn_axis(g, x)))),
    "gradient": Function(gradient, lambda x, h, a: f"lf::gradient({x}, {h}{along(a)})", lambda x, h, a: f"np.gradient({x}, {h}, axis={a})",
                         lambda g, x: g.node("gradient", (x,), (g.pick([1.0, 0.5, 0.1]), drawn_axis(g, x)))),
    "stack": Function(stack, lambda x, y, a: f"lf::stack<{a}>({x}, {y})", lambda x, y, a: f"np.stack(({x}, {y}), {a})",
                      lambda g, x: g.node("stack", (x, g.leaf(g.near_type(x), x.shape)), (int(g.rng.integers(0, x.rank + 1)),))),
    "beside": Function(beside, lambda x, y, n: f"lf::{n}({x}, {y})", lambda x, y, n: f"np.{n}(({x}, {y}))", draw_beside),
    "split": Function(split, lambda x, a, k, w: f"lf::split<{a}>({x}, {{{k}}})[{w}]", lambda x, a, k, w: f"np.split({x}, [{k}], {a})[{w}]", draw_split),
    "take_along_axis": Function(taken_along, lambda x, i, a: f"lf::take_along_axis({x}, {i}{along(a)})", lambda x, i, a: f"np.take_along_axis({x}, {i}, {a})", draw_taken_along),
}


# ---- linear algebra


def factored(a):
    """Matrices as NumPy factors them, in double, their condition, and the relative error of what is made of them."""
    if a.dtype in SMALL or len(a.shape) < 2 or a.shape[-1] != a.shape[-2]:
        raise Invalid("square matrices of float or double")
    if 0 in a.shape or not np.all(np.isfinite(a.v)) or not np.all(np.isfinite(a.e)):
        raise Invalid("numbers")
    t = F64 if kind(a.dtype) in "bi" else a.dtype
    w = a.v.astype(F64 if kind(t) == "f" else np.complex128)
    condition = np.linalg.cond(w)
    size = np.linalg.norm(w, 2, (-2, -1))
    with np.errstate(all="ignore"):
        relative = condition * (16 * a.shape[-1] * eps(t) + np.max(a.e, (-2, -1)) * a.shape[-1] / size)
    if not np.all(relative < 0.01):
        raise Invalid("singular, or nearly")
    return w, t, relative


def computed(v, t, relative, axes):
    """v in type t, and relative to the largest of its matrices or vectors the errors."""
    v = np.asarray(v)
    size = np.max(np.abs(v), axes, keepdims=True) if axes else np.abs(v)
    return Value(v.astype(t), np.broadcast_to(size * np.reshape(relative, np.shape(relative) + (1,) * len(axes)), v.shape))


def solve(a, b):
    w, t, relative = factored(a)
    if kind(b.dtype) == "b" or b.dtype in SMALL or not np.all(np.isfinite(b.v)) or not np.all(np.isfinite(b.e)):
        raise Invalid("right side")
    t = ref.promoted(t, F64 if kind(b.dtype) == "i" else b.dtype)
    t = ref.promoted(t, F32) if kind(t) == "f" else t
    if len(b.shape) not in (1, 2) or b.shape[0] != a.shape[-1] or a.dtype != b.dtype or 0 in b.shape:
        raise Invalid("shape")
    wide = b.v.astype(w.dtype)
    x = np.linalg.solve(w, wide if len(b.shape) == 2 else wide[:, None])
    r = computed(x, t, relative, (-2, -1))
    e = r.e + np.linalg.norm(np.linalg.inv(w), 2, (-2, -1))[..., None, None] * np.max(b.e) * a.shape[-1]
    r = Value(r.v, e)
    return r if len(b.shape) == 2 else r.map(lambda v: v[..., 0])


def inv(a):
    w, t, relative = factored(a)
    return computed(np.linalg.inv(w), t, relative, (-2, -1))


def det(a):
    w, t, relative = factored(a)
    v = np.linalg.det(w)
    if np.any(np.abs(v) > ref.largest(t) * 1e-3) or np.any(np.abs(v) < 1e-30):
        raise Invalid("range")
    return computed(v, t, relative * a.shape[-1], ())


def slogdet(a):
    w, t, relative = factored(a)
    v = np.linalg.slogdet(w)[1]
    return Value(v.astype(ref.PART.get(t, t)), relative * a.shape[-1] + np.abs(v) * 16 * eps(t))


def cholesky(a):
    w, t, relative = factored(a)
    if not np.allclose(w, np.conj(np.swapaxes(w, -1, -2)), rtol=1e-3) or np.any(np.linalg.eigvalsh(w) <= 0):
        raise Invalid("indefinite")
    r = computed(np.linalg.cholesky(w), t, relative, (-2, -1))
    return Value(r.v, np.where(np.tril(np.ones(a.shape[-2:], bool)), r.e, 0))


def spectrum(a, which):
    """Eigenvalues, or singular values: as wrong as the matrix is."""
    if which == "eigvalsh":
        cholesky(a)
    if a.dtype in SMALL or len(a.shape) < 2 or 0 in a.shape or not np.all(np.isfinite(a.v)) or not np.all(np.isfinite(a.e)):
        raise Invalid("matrices of float or double")
    t = F64 if kind(a.dtype) in "bi" else a.dtype
    w = a.v.astype(F64 if kind(t) == "f" else np.complex128)
    n = max(a.shape[-2:])
    error = 16 * n * eps(t) * np.linalg.norm(w, 2, (-2, -1)) + n * np.max(a.e, (-2, -1))
    if not np.all(np.isfinite(error)) or np.max(np.abs(w)) > np.sqrt(ref.largest(t)) / 1e3:
        raise Invalid("range")
    v = getattr(np.linalg, which)(w)
    return Value(v.astype(ref.PART.get(t, t)), np.broadcast_to(error[..., None], v.shape))


def matrix_rank(a):
    w, t, relative = factored(a)
    return Value(np.asarray(np.linalg.matrix_rank(w)).astype(np.int64))


def upper(a):
    """The absolute values of r of qr, whose signs are anyone's."""
    w, t, relative = factored(a)
    r = computed(np.abs(np.linalg.qr(w).R), ref.PART.get(t, t), relative, (-2, -1))
    return Value(r.v, np.where(np.triu(np.ones(a.shape[-2:], bool)), r.e, 0))


def matrix_power(a, n):
    if n < 0:
        return matrix_power(inv(a), -n)
    if len(a.shape) != 2 or a.shape[0] != a.shape[1] or a.dtype in SMALL or a.dtype == BOOL:
        raise Invalid("a square matrix")
    r = a
    for _ in range(n - 1):
        r = product("matmul", r, a)
    return ref.looser(r, 16) if kind(a.dtype) in "fc" else r


def matrix_norm(a, order):
    if a.dtype in SMALL or len(a.shape) < 2 or a.dtype == BOOL:
        raise Invalid("matrices of float or double")
    if order == "fro":
        return ref.norm(a, (-2, -1))
    z = operation("abs", [a if kind(a.dtype) == "c" else ref.as_real(a)])
    if 0 in a.shape:
        raise Invalid("no elements")
    return reduction("max", reduction("sum", z, (-2 if order == "1" else -1,)), (-1,))


def drawn_matrices(g):
    """Matrices that can be factored: b b^H + 4."""
    t = g.pick([F32, F32, F64, F64, ref.C64, ref.C128, INT32])
    n = int(g.pick([1, 2, 3, 5, 8, 17]))
    found = [m for m in g.alive() if m.rank == 2 and m.shape[0] == m.shape[1] and m.shape[0] < 70 and m.dtype not in SMALL and kind(m.dtype) in "fc"]
    b = g.pick(found) if found and g.chance(0.6) else g.leaf(t, (int(g.rng.integers(1, 4)), n, n) if g.chance(0.25) else (n, n))
    other = g.node("op", (b,), ("conj", False)) if kind(b.dtype) == "c" else b
    turned = g.node("permute", (other,), (*range(b.rank - 2), b.rank - 1, b.rank - 2))
    four = g.node("op", (g.node("eye", (), (ref.PART.get(b.dtype, b.dtype), b.shape[-1], b.shape[-1], 0)), g.node_of(4)), ("multiply", True))
    a = g.node("op", (g.node("matmul", (b, turned)), four), ("add", True))
    a.named = g.chance(0.5)
    return a


def of_matrices(name, *more):
    return lambda g, x: g.node(name, (drawn_matrices(g),), tuple(m(g) for m in more))


def draw_solve(name):
    def draw(g, x):
        a = drawn_matrices(g)
        if name == "lstsq" and a.rank != 2:
            raise Invalid("one matrix")
        columns = [int(g.rng.integers(1, 4))] if g.chance(0.5) else []
        return g.node(name, (a, g.leaf(a.dtype, [a.shape[-1], *columns])))

    return draw


def of_any_matrix(name, *more):
    return lambda g, x: g.node(name, (g.matrix(),), tuple(m(g) for m in more))


def linear(name, value, draw=None, numpy=None):
    return Function(value, lambda *p: f"lf::linalg::{name}({', '.join(map(str, p))})", lambda *p: f"np.linalg.{numpy or name}({', '.join(map(str, p))})", draw or of_matrices(name))


ORDERS = {"fro": "lf::linalg::frobenius", "1": "1", "inf": "lf::inf"}
ALGEBRA = {
    "solve": linear("solve", solve, draw_solve("solve")),
    "inv": linear("inv", inv),
    "det": linear("det", det),
    "slogdet": Function(slogdet, lambda a: f"lf::linalg::slogdet({a}).log", lambda a: f"np.linalg.slogdet({a})[1]", of_matrices("slogdet")),
    "cholesky": linear("cholesky", cholesky),
    "eigvalsh": linear("eigvalsh", lambda a: spectrum(a, "eigvalsh")),
    "svdvals": linear("svdvals", lambda a: spectrum(a, "svdvals"), of_any_matrix("svdvals")),
    "matrix_rank": linear("matrix_rank", matrix_rank),
    "matrix_power": linear("matrix_power", matrix_power, of_matrices("matrix_power", lambda g: int(g.pick([1, 2, 3])))),
    "lstsq": Function(solve, lambda a, b: f"lf::linalg::lstsq({a}, {b}).solution", lambda a, b: f"np.linalg.lstsq({a}, {b})[0]", draw_solve("lstsq")),
    "upper": Function(upper, lambda a: f"lf::abs(lf::linalg::qr({a}).r)", lambda a: f"np.abs(np.linalg.qr({a})[1])", of_matrices("upper")),
    "pinv": linear("pinv", inv),
    "matrix_norm": Function(matrix_norm, lambda a, o: f"lf::linalg::matrix_norm({a}, lf::ord<{ORDERS[o]}>)", lambda a, o: f"np.linalg.matrix_norm({a}, ord={o!r})",
                            of_any_matrix("matrix_norm", lambda g: g.pick(["fro", "1", "inf"]))),
}


# ---- Fourier transforms


def transformed(x, name, points, axes):
    t = F32 if x.dtype in SMALL else F64 if kind(x.dtype) in "bi" else x.dtype
    if name in ("rfft", "rfft2") and kind(t) == "c":
        raise Invalid("real numbers")
    f = getattr(np.fft, name)
    of = lambda a: f(a, points, axes) if isinstance(axes, int) else f(a, None, axes)
    try:
        v = of(x.v.astype(np.complex128 if kind(t) == "c" else F64))
    except ValueError:
        raise Invalid("points")
    real = ref.PART.get(t, t)
    r = real if name == "irfft" else {F32: ref.C64, F64: ref.C128}[real]
    where = (axes,) if isinstance(axes, int) else axes
    n = points or int(np.prod([v.shape[a] for a in where] if name != "rfft" else [x.shape[axes]]))
    # each of the numbers is in each of the sums, half of them twice
    known = np.isfinite(x.v) & np.isfinite(x.e)
    length = np.sqrt(np.sum(np.where(known, np.abs(x.v.astype(np.complex128)), 0) ** 2, where, keepdims=True))
    off = np.sum(np.where(known, x.e, 0), where, keepdims=True)
    scale = 1 / n if name in ("ifft", "irfft") else 1
    e = 2 * scale * (length * 24 * eps(real) * np.log2(2 * n) + off)
    e = np.where(np.all(known, where, keepdims=True) & (length < ref.largest(real) * 1e-3), e, np.inf)
    return Value(v.astype(r), np.broadcast_to(e, v.shape))


def draw_transform(g, x):
    has_axes(x, 1, 4)
    if x.value.v.size > 20_000:
        raise Invalid("too large")
    if x.rank > 1 and g.chance(0.3):
        axes = tuple(int(a) for a in g.rng.permutation(x.rank)[:2])
        n = g.node("transform", (x,), (g.pick(["fft2", "rfft2", "fftn"]), None, axes))
    else:
        name = g.pick(["fft", "fft", "ifft", "rfft", "irfft"])
        axis = drawn_axis(g, x)
        points = int(g.rng.integers(1, 20)) if name == "irfft" or g.chance(0.3) else None
        n = g.node("transform", (x,), (name, points, axis))
    if kind(n.dtype) == "c" and g.chance(0.6):
        n.named = g.chance(0.3)
        return g.node("op", (n,), (g.pick(["abs", "real", "imag"]), False))
    return n


def transform_cpp(x, name, points, axes):
    return f"lf::fft::{name}({x}{f', {points}' if points else ''}, lf::axis<{axes if isinstance(axes, int) else ', '.join(map(str, axes))}>)"


def transform_numpy(x, name, points, axes):
    return f"np.fft.{name}({x}, {f'{points}, {axes}' if isinstance(axes, int) else f'axes={axes}'})"


def frequencies(t, n, name):
    v = getattr(np.fft, name)(n)
    return Value(v.astype(t), np.abs(v) * 2 * eps(t))


def draw_shift(g, x):
    return g.node("shift", (x,), (g.pick(["fftshift", "ifftshift"]), drawn_axis(g, x)))


FOURIER = {
    "transform": Function(transformed, transform_cpp, transform_numpy, draw_transform),
    "shift": Function(lambda x, name, a: x.map(lambda v: getattr(np.fft, name)(v, a)), lambda x, name, a: f"lf::fft::{name}({x}{along(a)})",
                      lambda x, name, a: f"np.fft.{name}({x}, {a})", draw_shift),
    "frequencies": Function(frequencies, lambda t, n, name: f"lf::fft::{name}<{'float' if t == F32 else 'double'}>({n})", lambda t, n, name: f"np.fft.{name}({n}).astype({t.name})",
                            lambda g, x: g.node("frequencies", (), (g.pick([F32, F64]), int(g.rng.integers(1, 20)), g.pick(["fftfreq", "rfftfreq"])))),
}

FAMILIES = {"sort": SORTING, "select": SELECTION, None: PRODUCTS, "linalg": ALGEBRA, "fft": FOURIER}
for header, family in FAMILIES.items():
    for each in family.values():
        each.header = header
ALL = WRITES | {name: f for family in FAMILIES.values() for name, f in family.items()}
# How often: families, and single ones among them that have many forms.
CHOICES = [list(SORTING), list(SORTING), list(SELECTION), list(SELECTION) + list(WRITES), list(PRODUCTS), list(PRODUCTS), list(ALGEBRA), ["transform", "transform", *FOURIER]]
