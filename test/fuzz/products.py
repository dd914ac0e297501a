# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products, differences, and arrays beside each other, which lazyfuse.hpp has."""

import string

import numpy as np

import reference as ref
from common import Function, along, drawn_axis, drawn_indices, exact, has_axes
from reference import BOOL, F32, F64, SMALL, Invalid, Value, eps, kind, operation, reduction

MOST = 2_000_000  # products that the value of a sum of products takes


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
        x = g.matrix() if name != "outer" else x if x.rank == 1 else g.leaf(x.dtype, (int(g.pick([1, 4, 33])),))
        has_axes(x, 1, 3)
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
