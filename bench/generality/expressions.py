# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random expressions for speed, each as C++ and as Python: of families (families.py), and of a grammar.

A case is inputs, statements and results. Its Python is written with a namespace xp that peers.py has for every peer, so
that both texts say the same: xp.sum(x, (0, 2), True) is lf::sum(x, axis<0, 2>, keepdims).
"""
import dataclasses
import math

SIZES = {"float32": 4, "float64": 8, "float16": 2, "int32": 4}
CPP_TYPES = {"float32": "float", "float64": "double", "float16": "lf::half", "int32": "int"}


@dataclasses.dataclass(frozen=True)
class Term:
    """A part of an expression."""

    cpp: str
    py: str
    shape: tuple
    dtype: str

    @property
    def rank(self):
        return len(self.shape)

    def __add__(self, other):
        return binary("+", self, other)

    def __sub__(self, other):
        return binary("-", self, other)

    def __mul__(self, other):
        return binary("*", self, other)

    def __truediv__(self, other):
        return binary("/", self, other)

    def __rmul__(self, number):
        return binary("*", number, self)

    def __rsub__(self, number):
        return binary("-", number, self)


def literal(number, dtype):
    """A number as both languages have it, of the type of what it meets."""
    if dtype == "int32":
        return str(int(number)), str(int(number))
    text = repr(float(number))
    suffix = {"float32": "f", "float64": "", "float16": "f"}[dtype]
    cpp = text + suffix if dtype != "float16" else f"lf::half({text}f)"
    return cpp, text


def broadcast(*shapes):
    rank = max(len(s) for s in shapes)
    padded = [(1,) * (rank - len(s)) + tuple(s) for s in shapes]
    return tuple(max(extents) for extents in zip(*padded))


def pair(a, b):
    """Both as terms: a number takes the type of the term it meets."""
    if not isinstance(a, Term):
        a = Term(*literal(a, b.dtype), (), b.dtype)
    if not isinstance(b, Term):
        b = Term(*literal(b, a.dtype), (), a.dtype)
    return a, b


def binary(op, a, b):
    a, b = pair(a, b)
    return Term(f"({a.cpp} {op} {b.cpp})", f"({a.py} {op} {b.py})", broadcast(a.shape, b.shape), a.dtype)


def call(name, *arguments, dtype=None, shape=None):
    terms = [t for t in arguments if isinstance(t, Term)]
    terms = [t if isinstance(t, Term) else pair(t, terms[0])[0] for t in arguments]
    return Term(f"lf::{name}({', '.join(t.cpp for t in terms)})", f"xp.{name}({', '.join(t.py for t in terms)})",
                shape or broadcast(*(t.shape for t in terms)), dtype or terms[-1].dtype)


def exp(x):
    return call("exp", x)


def log(x):
    return call("log", x)


def sqrt(x):
    return call("sqrt", x)


def rsqrt(x):
    return call("rsqrt", x)


def square(x):
    return call("square", x)


def where(mask, a, b):
    a, b = pair(a, b)
    return Term(f"lf::where({mask.cpp}, {a.cpp}, {b.cpp})", f"xp.where({mask.py}, {a.py}, {b.py})",
                broadcast(mask.shape, a.shape, b.shape), a.dtype)


def compare(op, a, b):
    a, b = pair(a, b)
    return Term(f"({a.cpp} {op} {b.cpp})", f"({a.py} {op} {b.py})", broadcast(a.shape, b.shape), "bool")


def reduce(name, x, axes=None, keep=False):
    """sum, mean, max, min, var; axes: None for all."""
    axes = tuple(range(x.rank)) if axes is None else tuple(sorted(a % x.rank for a in axes))
    shape = tuple(1 if k in axes else n for k, n in enumerate(x.shape)) if keep else \
        tuple(n for k, n in enumerate(x.shape) if k not in axes)
    axis = "" if axes == tuple(range(x.rank)) and not keep else f", lf::axis<{', '.join(map(str, axes))}>"
    return Term(f"lf::{name}({x.cpp}{axis}{', lf::keepdims' if keep else ''})", f"xp.{name}({x.py}, {axes}, {keep})",
                shape, x.dtype)


def argmin(x, axis):
    axis %= x.rank
    return Term(f"lf::argmin({x.cpp}, lf::axis<{axis}>)", f"xp.argmin({x.py}, {axis})",
                tuple(n for k, n in enumerate(x.shape) if k != axis), "int64")


def along(name, x, axis):
    """softmax, log_softmax, cumsum: of the shape of x."""
    axis %= x.rank
    return Term(f"lf::{name}({x.cpp}, lf::axis<{axis}>)", f"xp.{name}({x.py}, {axis})", x.shape, x.dtype)


def logsumexp(x, axis):
    axis %= x.rank
    return Term(f"lf::logsumexp({x.cpp}, lf::axis<{axis}>)", f"xp.logsumexp({x.py}, {axis})",
                tuple(n for k, n in enumerate(x.shape) if k != axis), x.dtype)


def turned(x, order):
    return Term(f"lf::permute_dims<{', '.join(map(str, order))}>({x.cpp})", f"xp.permute({x.py}, {tuple(order)})",
                tuple(x.shape[k] for k in order), x.dtype)


def sliced(x, parts):
    """parts: for each axis None for all of it, or (first, end)."""
    cpp = ", ".join("lf::all" if p is None else f"lf::range({p[0]}, {p[1]})" for p in parts)
    py = ", ".join(":" if p is None else f"{p[0]}:{p[1]}" for p in parts)
    return Term(f"{x.cpp}({cpp})", f"{x.py}[{py}]",
                tuple(n if p is None else p[1] - p[0] for n, p in zip(x.shape, parts)), x.dtype)


def with_axes(x, places):
    """New axes of extent 1 at these places of the result."""
    rank = x.rank + len(places)
    left = iter(x.shape)
    shape = tuple(1 if k in places else next(left) for k in range(rank))
    cpp = ", ".join("lf::newaxis" if k in places else "lf::all" for k in range(rank))
    py = ", ".join("None" if k in places else ":" for k in range(rank))
    return Term(f"{x.cpp}({cpp})", f"{x.py}[{py}]", shape, x.dtype)


def taken(x, i, axis):
    """Elements at indices of rank 1, along an axis."""
    return Term(f"lf::take({x.cpp}, {i.cpp}, lf::axis<{axis}>)", f"xp.take({x.py}, {i.py}, {axis})",
                (*x.shape[:axis], *i.shape, *x.shape[axis + 1 :]), x.dtype)


def rolled(x, by, axis):
    return Term(f"lf::roll({x.cpp}, {by}, lf::axis<{axis}>)", f"xp.roll({x.py}, {by}, {axis})", x.shape, x.dtype)


def joined(a, b, axis):
    return Term(f"lf::concat<{axis}>({a.cpp}, {b.cpp})", f"xp.concat({a.py}, {b.py}, {axis})",
                tuple(n + m if k == axis else n for k, (n, m) in enumerate(zip(a.shape, b.shape))), a.dtype)


def matmul(a, b):
    return Term(f"lf::matmul({a.cpp}, {b.cpp})", f"xp.matmul({a.py}, {b.py})", (*a.shape[:-1], b.shape[-1]), a.dtype)


def largest(x, k):
    """The k largest of the last axis, in order."""
    return Term(f"lf::topk({x.cpp}, {k}).values", f"xp.topk({x.py}, {k})", (*x.shape[:-1], k), x.dtype)


def selected(x, mask, share):
    """The elements at which a mask is true, about that share of them."""
    return Term(f"{x.cpp}({mask.cpp})", f"xp.select({x.py}, {mask.py})", (int(math.prod(x.shape) * share),), x.dtype)


def magnitudes(x):
    """Of the Fourier transform of real numbers, along the last axis."""
    return Term(f"lf::abs(lf::fft::rfft({x.cpp}))", f"xp.abs(xp.rfft({x.py}))", (*x.shape[:-1], x.shape[-1] // 2 + 1), x.dtype)


class Case:
    """An expression to be timed."""

    def __init__(self, name, family, scale=1.0):
        """scale: how much work there is, over what keeps a GPU busy for some hundred microseconds."""
        self.name, self.family, self.scale = name, family, scale
        self.inputs, self.statements, self.results = [], [], []
        self.has_values = True  # of random numbers each library has its own
        self.headers = []  # beside lazyfuse.hpp
        self.is_planned = True  # but what computes at once, or has no shape before
        self.is_dynamic = False  # its shape depends on values, so that peers cannot compile it

    def input(self, shape, dtype="float32"):
        t = Term(f"x{len(self.inputs)}", f"x{len(self.inputs)}", tuple(shape), dtype)
        self.inputs.append(t)
        return t

    def scaled(self, elements):
        return int(elements * self.scale)

    def named(self, t):
        """A part that has a name, as one writes what is used twice."""
        name = f"t{len(self.statements)}"
        self.statements.append((name, t))
        return Term(name, name, t.shape, t.dtype)

    def result(self, *terms):
        self.results += terms
        return self

    def bytes(self):
        """The fewest that it moves: each input and each result once."""
        return sum(math.prod(t.shape) * SIZES.get(t.dtype, 8) for t in [*self.inputs, *self.results])
