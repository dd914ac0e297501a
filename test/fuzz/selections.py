# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Selections by masks and indices, what is written at them, and histograms."""

import numpy as np

import reference as ref
from common import Function, along, comparable, drawn_axis, drawn_indices, exact, has_axes
from reference import BOOL, F32, F64, INT32, INT64, SMALL, Invalid, Value, Weak, eps, kind, operation, reduction


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
