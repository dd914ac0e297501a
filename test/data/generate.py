#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the reference cases of the tests: inputs and NumPy's answers, one small binary file per family.

    python3 -m venv venv && venv/bin/pip install 'numpy>=2' && venv/bin/python generate.py

Format, little endian (support/reference_data.hpp reads it):

    8 bytes  "LFCASES1"
    u32      number of entries, each:
      u32    length of the name, then the name (ASCII)
      u8     element type: 0 bool, 1 int32, 2 int64, 3 float32, 4 float64, 5 text (bytes, rank 1)
      u8     rank
      i64    extents, one per axis
      ...    elements, row-major

Names are paths: "x/float32" is an input, "sin/float32" the answer to it. Answers of functions that no
library rounds correctly (sin, exp, pow, ...) are computed in the next wider type and rounded once, so the
tests measure the library's error and not NumPy's; all others come from NumPy in the element type itself.
"""

import math
import pathlib
import struct
import warnings

import numpy as np

assert np.__version__ >= "2", "the answers are those of NumPy 2"
warnings.simplefilter("ignore")
np.seterr(all="ignore")
HERE = pathlib.Path(__file__).parent
CODES = {np.dtype(np.bool_): 0, np.dtype(np.int32): 1, np.dtype(np.int64): 2, np.dtype(np.float32): 3, np.dtype(np.float64): 4}
F = [np.float32, np.float64]
I = [np.int32, np.int64]
NUMBERS = I + F
ALL = [np.bool_] + NUMBERS


def name(t):
    return np.dtype(t).name


class Family:
    """The entries of one file."""

    def __init__(self, stem):
        self.stem, self.entries = stem, {}

    def put(self, key, value):
        assert key not in self.entries, key
        if isinstance(value, str):
            value = np.frombuffer(value.encode(), np.uint8)
        # ascontiguousarray would turn rank 0 into rank 1
        self.entries[key] = np.asarray(value, order="C")

    def write(self):
        out = bytearray(b"LFCASES1" + struct.pack("<I", len(self.entries)))
        for key, a in self.entries.items():
            code = 5 if a.dtype == np.uint8 else CODES[a.dtype]
            out += struct.pack("<I", len(key)) + key.encode() + struct.pack("<BB", code, a.ndim)
            out += struct.pack(f"<{a.ndim}q", *a.shape) + a.astype(a.dtype.newbyteorder("<")).tobytes()
        (HERE / f"{self.stem}.bin").write_bytes(out)
        print(f"{self.stem}.bin: {len(self.entries)} entries, {len(out)} bytes")


def specials(t):
    """Values at which implementations differ."""
    f = np.finfo(t)
    d = float(f.smallest_subnormal)
    return np.array(
        [np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -7, d, -d, 100 * d, float(f.tiny), -float(f.tiny)]
        + [float(f.max), -float(f.max), float(f.eps), 1 + float(f.eps), 1 - float(f.epsneg), 1e-3, 2.5, -2.5], t)


def unary_inputs(t, rng):
    edges = [math.pi, -math.pi / 2, 10, -10, 1e4, -1e4, 123456.0, 1e10]
    edges += [88.0, 89.0, -87.5, -103.0, -105.0] if t == np.float32 else [709.0, 710.0, -708.5, -744.0, -746.0]
    wide = np.exp(rng.uniform(-20, 20, 24)) * rng.choice([-1, 1], 24)
    return np.concatenate([specials(t), np.array(edges, t), rng.uniform(-6, 6, 24).astype(t), wide.astype(t)])


def integers(t, rng):
    """Small values, so that products and powers stay in range, and the extremes of 32 bits' halves."""
    return np.concatenate([np.arange(-9, 10), [46340, -46340, 12345, -30000], rng.integers(-1000, 1000, 12)]).astype(t)


def once_rounded(f, t, *args):
    """f in the next wider type, rounded once to t."""
    wide = np.float64 if t == np.float32 else np.longdouble
    return f(*[a.astype(wide) for a in args]).astype(t)


def erf(x):
    return np.array([math.erf(float(v)) for v in x], x.dtype)


def elementwise():
    rng = np.random.default_rng(1)
    out = Family("elementwise")
    for t in F:
        x = unary_inputs(t, rng)
        n = name(t)
        out.put(f"x/{n}", x)
        for op in ["negative", "abs", "sqrt", "square", "floor"]:
            out.put(f"{op}/{n}", getattr(np, op)(x))
        for op in ["exp", "log", "sin", "cos", "tan", "tanh"]:
            out.put(f"{op}/{n}", once_rounded(getattr(np, op), t, x))
        out.put(f"erf/{n}", erf(x.astype(np.float64)).astype(t))
        # every pair of special values, then ordinary ones
        s = specials(t)[[0, 1, 2, 3, 4, 5, 6, 7, 9, 12, 13, 18, 24]]
        a, b = (v.ravel() for v in np.meshgrid(s, s))
        a = np.concatenate([a, rng.uniform(-50, 50, 27).astype(t)])
        b = np.concatenate([b, rng.uniform(-5, 5, 27).astype(t)])
        out.put(f"a/{n}", a)
        out.put(f"b/{n}", b)
        for op in ["add", "subtract", "multiply", "divide", "minimum", "maximum", "floor_divide", "remainder"]:
            out.put(f"{op}/{n}", getattr(np, op)(a, b))
        out.put(f"pow/{n}", once_rounded(np.power, t, a, b))
        out.put(f"atan2/{n}", once_rounded(np.arctan2, t, a, b))
    for t in I:
        n = name(t)
        x = integers(t, rng)
        out.put(f"x/{n}", x)
        for op in ["negative", "abs", "square", "floor"]:
            out.put(f"{op}/{n}", getattr(np, op)(np.where(np.abs(x) < 30000, x, 7) if op == "square" else x))
        # functions of the reals: computed in double
        for op in ["sqrt", "exp", "log", "sin", "cos", "tan", "tanh"]:
            out.put(f"{op}/{n}", once_rounded(getattr(np, op), np.float64, x))
        out.put(f"erf/{n}", erf(x.astype(np.float64)))
        s = np.arange(-7, 8)
        a, b = (v.ravel() for v in np.meshgrid(s, s))
        lo, hi = np.iinfo(t).min, np.iinfo(t).max
        a = np.concatenate([a, [123, -12345, 46340, 1000]]).astype(t)
        b = np.concatenate([b, [-45, 678, 46340, 7]]).astype(t)
        out.put(f"a/{n}", a)
        out.put(f"b/{n}", b)
        for op in ["add", "subtract", "multiply", "minimum", "maximum", "floor_divide", "remainder"]:
            out.put(f"{op}/{n}", getattr(np, op)(a, b))
        out.put(f"atan2/{n}", once_rounded(np.arctan2, np.float64, a, b))
        # the quotient of the extremes traps on some processors
        edge_a = np.array([lo, lo, lo, hi, hi, 0, 5, -5], t)
        edge_b = np.array([-1, 1, 2, -1, 0, 0, 0, 0], t)
        out.put(f"edge_a/{n}", edge_a)
        out.put(f"edge_b/{n}", edge_b)
        out.put(f"edge_floor_divide/{n}", np.floor_divide(edge_a, edge_b))
        out.put(f"edge_remainder/{n}", np.remainder(edge_a, edge_b))
        base, power = (v.ravel() for v in np.meshgrid(np.arange(-5, 6), np.arange(0, 8)))
        out.put(f"pow_a/{n}", base.astype(t))
        out.put(f"pow_b/{n}", power.astype(t))
        out.put(f"pow/{n}", np.power(base.astype(t), power.astype(t)))
    for t in F + I:
        n = name(t)
        a, b = out.entries[f"a/{n}"], out.entries[f"b/{n}"]
        for op in ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]:
            out.put(f"{op}/{n}", getattr(np, op)(a, b))
        out.put(f"where/{n}", np.where(np.arange(a.size) % 3 == 0, a, b))
    a, b = np.array([0, 0, 1, 1], np.bool_), np.array([0, 1, 0, 1], np.bool_)
    out.put("a/bool", a)
    out.put("b/bool", b)
    for op in ["equal", "not_equal", "logical_and", "logical_or"]:
        out.put(f"{op}/bool", getattr(np, op)(a, b))
    out.put("logical_not/bool", np.logical_not(a))
    out.put("where/bool", np.where(np.array([1, 0, 0, 1], np.bool_), a, b))
    # cast: what has an answer in the target type
    for s in ALL:
        x = np.array([0, 1, 0, 1]) if s == np.bool_ else np.array([0, 1, -1, 2, -3, 100, -30000, 16777217, 2**31 - 1])
        x = x.astype(s)
        if s in F:
            x = np.concatenate([np.array([0.5, -0.5, 1.9, -1.9, -0.0, 1e-40, 0.1], s), x[:-1]])
        out.put(f"cast_from/{name(s)}", x)
        for t in ALL:
            out.put(f"cast/{name(s)}/{name(t)}", x.astype(t))
    out.put("cast_special/float32", np.array([np.nan, np.inf, -np.inf, -0.0], np.float32))
    out.put("cast_special/float32/float64", np.array([np.nan, np.inf, -np.inf, -0.0], np.float64))
    out.put("cast_special/float32/bool", np.array([np.nan, np.inf, -np.inf, -0.0], np.float32).astype(np.bool_))
    out.write()


def promotion():
    """x op y for every ordered pair of number types; the answer's element type is part of the answer."""
    out = Family("promotion")
    values = {t: np.array([-3, -1, 1, 2, 5, 7], t) for t in NUMBERS}
    values[np.float32] = np.array([-2.5, -1, 0.5, 2, 3, 0.1], np.float32)
    values[np.float64] = np.array([-1.25, 2, 0.5, -4, 1e-3, 0.1], np.float64)
    for t in NUMBERS:
        out.put(f"x/{name(t)}", values[t])
    for s in NUMBERS:
        for t in NUMBERS:
            a, b = values[s], values[t][::-1].copy()
            key = f"{name(s)}/{name(t)}"
            for op in ["add", "subtract", "multiply", "maximum", "less"]:
                out.put(f"{op}/{key}", getattr(np, op)(a, b))
            if not (s in I and t in I):
                out.put(f"divide/{key}", np.divide(a, b))
            out.put(f"where/{key}", np.where([True, False, True, False, True, True], a, b))
    out.write()


REDUCTIONS = ["sum", "prod", "min", "max", "mean", "any", "all"]


def reduction_input(t, shape, op, rng):
    n = math.prod(shape)
    if t == np.bool_:
        return (rng.random(n) < (0.85 if op == "all" else 0.3)).reshape(shape)
    if op == "prod":
        # few factors other than 1, all powers of two: exact in any order
        return np.where(rng.random(n) < 0.3, rng.choice([-1, 2, -2], n), 1).reshape(shape).astype(t)
    if op in ("any", "all"):
        return (rng.random(n) < (0.85 if op == "all" else 0.2)).reshape(shape).astype(t)
    return rng.integers(-50, 50, n).reshape(shape).astype(t)


def axis_text(axis):
    return "all" if axis is None else ",".join(map(str, axis))


def reductions():
    rng = np.random.default_rng(2)
    out = Family("reductions")

    def put(op, key, x, axis, keepdims):
        # min, max of bool and mean of bool are NumPy's
        out.put(f"{op}/{key}/axis={axis_text(axis)}{'/keepdims' if keepdims else ''}", getattr(np, op)(x, axis=axis, keepdims=keepdims))

    for t in ALL:
        n = name(t)
        for op in REDUCTIONS:
            x = reduction_input(t, (3, 4, 5), op, rng)
            out.put(f"x/{op}/{n}", x)
            for axis in [None, (0,), (1,), (2,), (-1,), (-3,), (0, 1), (0, 2), (1, 2), (0, -1), (-2, -3), (0, 1, 2)]:
                put(op, n, x, axis, False)
            for axis in [None, (1,), (0, -1)]:
                put(op, n, x, axis, True)
            # an axis of extent 0: the identity, where there is one
            empty = np.zeros((3, 0), t)
            for axis in [None, (0,), (1,)]:
                if op in ("min", "max") and axis != (0,):
                    continue
                if op == "mean" and axis != (0,):
                    continue
                put(op, f"{n}/3x0", empty, axis, False)
            scalar = np.array(1 if t == np.bool_ else 7, t)
            put(op, f"{n}/rank0", scalar, None, False)
        if t in F:
            special = np.array([[np.nan, 1, 2], [np.inf, 1, 2], [-np.inf, np.inf, 0], [-0.0, -0.0, -0.0], [1, 0, 3], [np.finfo(t).smallest_subnormal, 0, 0]], t)
            out.put(f"special/{n}", special)
            for op in REDUCTIONS:
                # sign of a zero sum depends on the identity, NumPy's own choice changed between versions
                put(op, f"{n}/special", special, (1,), False)
    out.write()


def views():
    out = Family("views")
    x = np.arange(4 * 5 * 6, dtype=np.int32).reshape(4, 5, 6)
    out.put("x", x)
    for key in ["1:3", "::-1", "1:3,:,2", "-1", "...,0", "0,...", "0,...,-1", "1:-1,::2,::-1", "::-2,1:4:2,-1:0:-2", "None,1", ":,None,2:4",
                "...,None", "None,...,None", "2,3,4", "-1,-1,-1", "3:1", "10:20", "-100:100", "::3,::3,::3", "::-3,::-3,::-3", "1:2,1:2,1:2", "...",
                "::7", ":,-2:", ":,:,:-4", "2:2,:,::-1"]:
        out.put(f"x[{key}]", eval(f"x[{key}]", {"x": x}))
    for axes in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]:
        out.put(f"permute_dims(x,{axis_text(axes)})", np.permute_dims(x, axes))
    out.put("x.T", x.T)
    for axis in range(3):
        out.put(f"flip(x,{axis})", np.flip(x, axis))
    out.put("flip(x,-1)", np.flip(x, -1))
    for shape in [(120,), (20, 6), (4, 30), (2, 3, 4, 5), (1, 120, 1)]:
        out.put(f"reshape(x,{axis_text(shape)})", x.reshape(shape))
    out.put("broadcast_to(x[1:2],3,5,6)", np.broadcast_to(x[1:2], (3, 5, 6)))
    out.put("broadcast_to(x[0,0],2,3,6)", np.broadcast_to(x[0, 0], (2, 3, 6)))
    # composed views
    out.put("x[1:,::-1][::2,1:].T", x[1:, ::-1][::2, 1:].T)
    out.put("flip(x.T,0)[1:5,2]", np.flip(x.T, 0)[1:5, 2])
    out.put("permute_dims(x[:,None,2],2,0,1)[::-1]", np.permute_dims(x[:, None, 2], (2, 0, 1))[::-1])
    out.put("(x*x[:,:1])[1:-1,::-2,3]", (x * x[:, :1])[1:-1, ::-2, 3])
    out.put("(x+x[0]).T[2]", (x + x[0]).T[2])
    out.put("x[1]+x[2].T[:5,:5]", x[1][:, :5] + x[2].T[:5, :5])
    # writing through views
    y = x.copy()
    y[1:3, ::2, ::-1] = -1
    out.put("x[1:3,::2,::-1]=-1", y)
    y = x.copy()
    y[:, 1:-1, 2] = x[:, 2:, 3] - x[:, :-2, 1]
    out.put("x[:,1:-1,2]=x[:,2:,3]-x[:,:-2,1]", y)
    y = x.copy()
    y[::-1] = x
    out.put("x[::-1]=x", y)
    y = x.copy()
    y[..., 1:] = y[..., :-1].copy()
    out.put("x[...,1:]=x[...,:-1]", y)
    out.write()


def broadcasting():
    out = Family("broadcasting")
    pairs = [((), ()), ((), (2, 3)), ((2, 3), ()), ((3,), (2, 3)), ((2, 3), (3,)), ((1,), (2, 3)), ((2, 1), (1, 3)), ((1, 3), (2, 1)), ((2, 3), (2, 3)),
             ((2, 1), (3,)), ((1, 1), (5, 7)), ((4, 1, 6), (5, 1)), ((4, 1, 6), (1, 5, 1)), ((3, 5, 1), (6,)), ((1, 5, 1), (4, 1, 6)), ((4, 5, 6), (5, 6)),
             ((2, 1, 3, 1), (4, 1, 5)), ((2, 4, 3, 5), (5,)), ((1, 1, 1, 1), (2, 1, 2, 1)), ((0, 3), (1, 3)), ((1, 3), (0, 1)), ((2, 0), (1,)), ((3, 1), (1, 0)),
             ((17, 1), (1, 33)), ((7, 31), (31,))]
    for a_shape, b_shape in pairs:
        a = np.arange(math.prod(a_shape), dtype=np.int32).reshape(a_shape) * 7 + 3
        b = np.arange(math.prod(b_shape), dtype=np.int32).reshape(b_shape) * 5 - 11
        text = f"{axis_text(a_shape)}|{axis_text(b_shape)}"
        out.put(f"subtract/{text}", np.subtract(a, b))
    out.write()


def creation():
    out = Family("creation")
    for t in NUMBERS:
        n = name(t)
        out.put(f"arange(7)/{n}", np.arange(7, dtype=t))
        out.put(f"arange(2,9)/{n}", np.arange(2, 9, dtype=t))
        out.put(f"arange(10,-5,-3)/{n}", np.arange(10, -5, -3, dtype=t))
        out.put(f"arange(5,5)/{n}", np.arange(5, 5, dtype=t))
    for t in F:
        n = name(t)
        out.put(f"arange(0,2,0.25)/{n}", np.arange(0, 2, 0.25, dtype=t))
        out.put(f"linspace(0,1,11)/{n}", np.linspace(0, 1, 11, dtype=t))
        out.put(f"linspace(-3,5,1)/{n}", np.linspace(-3, 5, 1, dtype=t))
        out.put(f"linspace(2,-2,7)/{n}", np.linspace(2, -2, 7, dtype=t))
        out.put(f"linspace(0,1,0)/{n}", np.linspace(0, 1, 0, dtype=t))
    out.write()


def printing():
    """str(x), what print(x) shows."""
    out = Family("printing")
    cases = {
        "rank 0": np.array(2.5, np.float32),
        "integers": np.array([1, 2, 3], np.int32),
        "negative integers": np.array([[1, -20, 3], [400, 5, -6]], np.int64),
        "booleans": np.array([True, False, True]),
        "whole floats": np.array([[1, 2], [3, 4]], np.float32),
        "floats": np.array([1.5, -2.25, 100.125], np.float32),
        "float32 thirds": (np.arange(4) / 3).astype(np.float32),
        "float64 thirds": np.arange(4) / 3,
        "special values": np.array([np.nan, np.inf, -np.inf, -0.0, 1.0], np.float64),
        "large and small": np.array([1e10, 1.0, 1e-10], np.float64),
        "tiny": np.array([1e-7, 2e-7], np.float64),
        "large": np.array([1e16, 2e16], np.float64),
        "rank 3": np.arange(12, dtype=np.int32).reshape(2, 2, 3),
        "empty": np.zeros((0,), np.float32),
        "empty matrix": np.zeros((3, 0), np.float32),
        "long": np.arange(2000, dtype=np.int32),
        "wide matrix": np.arange(40 * 50, dtype=np.int32).reshape(40, 50),
        "wrapped": np.arange(40, dtype=np.int32),
        "exactly the threshold": np.arange(1000, dtype=np.int32),
    }
    for key, x in cases.items():
        out.put(f"x/{key}", x)
        out.put(f"text/{key}", str(x))
    out.write()


if __name__ == "__main__":
    elementwise()
    promotion()
    reductions()
    views()
    broadcasting()
    creation()
    printing()
    total = sum(f.stat().st_size for f in HERE.glob("*.bin"))
    assert total < 300_000, total
    print(f"total: {total} bytes")
