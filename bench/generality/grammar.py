# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions of no family: one to six arrays, each used one to four times, of ranks 1 to 4 and any extents, broadcast,
sliced and turned, with masks, reductions inside and around, and one or two results."""
import math

from expressions import call, compare, exp, reduce, sliced, sqrt, square, turned, where


def extents(rng, rank, scale):
    """Some short, some long, most of them odd; 2^24 to 2^26 elements in all, or that times the scale."""
    total, shape = scale * 2 ** rng.uniform(24, 26), []
    for left in range(rank, 1, -1):
        n = max(2, int(total ** (1 / left) * math.exp(rng.uniform(-1.5, 1.5))))
        shape.append(min(n, int(total) // 2 ** (left - 1)))
        total /= shape[-1]
    return [int(n) for n in rng.permutation([*shape, max(2, int(total))])]


def leaf(rng, case, arrays, shape):
    """An array of the shape, a broadcast one, a slice of a larger one, or one that lies the other way."""
    kind = rng.random()
    known = [a for a in arrays if a.shape == tuple(shape)]
    if kind < 0.5 or len(arrays) >= 6:
        return known[int(rng.integers(len(known)))]
    if kind < 0.65 or len(shape) == 1:
        arrays.append(case.input(shape))
        return arrays[-1]
    if kind < 0.8:
        axis = int(rng.integers(len(shape)))
        arrays.append(case.input([1 if k == axis else n for k, n in enumerate(shape)]))
        return arrays[-1]
    if kind < 0.9:
        before = [int(rng.integers(0, 3)) for _ in shape]
        arrays.append(case.input([n + b + 1 for n, b in zip(shape, before)]))
        return sliced(arrays[-1], [(b, b + n) for b, n in zip(before, shape)])
    order = [int(k) for k in rng.permutation(len(shape))]
    stored = [0] * len(shape)
    for place, axis in enumerate(order):
        stored[axis] = shape[place]
    arrays.append(case.input(stored))
    return turned(arrays[-1], order)


def tree(rng, case, arrays, shape, operations):
    if operations == 0:
        return leaf(rng, case, arrays, shape)
    kind = rng.random()
    if kind < 0.25:
        x = tree(rng, case, arrays, shape, operations - 1)
        return [exp(-1.0 * square(x)), sqrt(call("abs", x) + 0.1), square(x), call("tanh", x)][int(rng.integers(4))]
    left = int(rng.integers(operations))
    a, b = tree(rng, case, arrays, shape, left), tree(rng, case, arrays, shape, operations - 1 - left)
    if kind < 0.35:
        return where(compare(">", a, b), a, 0.5 * b)
    if kind < 0.5:
        axes = sorted({int(k) for k in rng.integers(0, len(shape), int(rng.integers(1, 3)))})
        return a - reduce(rng.choice(["mean", "max"]), b, axes, True) if tuple(b.shape) == tuple(shape) else a + b
    op = rng.choice(["add", "subtract", "multiply", "divide", "maximum"])
    if op == "divide":
        return a / (square(b) + 0.5)
    return {"add": a + b, "subtract": a - b, "multiply": a * b, "maximum": call("maximum", a, b)}[op]


def expression(rng, case):
    shape, arrays = extents(rng, int(rng.integers(1, 5)), case.scale), []
    arrays.append(case.input(shape))
    results = []
    for _ in range(2 if rng.random() < 0.2 else 1):
        t = tree(rng, case, arrays, shape, int(rng.integers(2, 10)))
        if rng.random() < 0.5:
            axes = sorted({int(k) for k in rng.integers(0, len(shape), int(rng.integers(1, len(shape) + 1)))})
            t = reduce(rng.choice(["sum", "mean", "max", "var"]), t, axes)
        results.append(t)
    return case.result(*results)
