# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of order: sorting, medians, searching, unique elements."""

import numpy as np

import reference as ref
from common import Function, along, comparable, drawn_axis, exact, has_axes
from reference import Invalid, Value, eps, kind, operation


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
