# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the functions of whole arrays have in common: each is in one place, with its value and bounds, its C++ and NumPy,
and how its operands are drawn. functions.py says which there are."""

import numpy as np

from reference import F32, INT32, INT64, SMALL, Invalid, kind


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


def drawn_axis(g, x):
    has_axes(x)
    return int(g.rng.integers(-x.rank, x.rank))


def drawn_indices(g, n, shape):
    """An expression of integers from -n to n - 1, or from 0 on."""
    if n == 0 and np.prod(shape, dtype=int):
        raise Invalid("no elements")
    t = g.pick([INT32, INT64])
    i = g.node("op", (g.leaf(t, shape), g.node_of(int(max(n, 1)))), ("remainder", False))
    return g.node("op", (i, g.node_of(int(n))), ("subtract", True)) if g.chance(0.25) else i
