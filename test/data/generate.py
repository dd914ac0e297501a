#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the reference cases of the tests: inputs and NumPy's answers, one small binary file per family.

    python3 -m venv venv && venv/bin/pip install 'numpy>=2' 'scipy>=1.15' ml_dtypes mpmath && venv/bin/python generate.py

Format, little endian (as the machine that runs this) (support/reference_data.hpp reads it):

    8 bytes  "LFCASES1"
    u32      number of entries, each:
      u32    length of the name, then the name (ASCII)
      u8     element type: 0 bool, 1 int32, 2 int64, 3 float32, 4 float64, 5 text (bytes, rank 1), 6 int8, 7 int16,
                                                   8 to 11 uint8 to uint64, 12 float16, 13 bfloat16, 14 complex64, 15 complex128
      u8     rank
      i64    extents, one per axis
      ...    elements, row-major

Which operations and reductions there are, what NumPy calls them and what they accept is read from the tables of
docs/operations.md, which are made from the library's registry (data/operations.cpp).

Names are paths: "x/float32" is the operand of all operations of one operand, but "sin/x/float32" of sin, if it has
its own; "sin/float32" is the answer. Two operands are a and b, and where has a condition before them. Answers with
an error in the table are computed in the next wider type and rounded once, so the tests measure the library's error
and not NumPy's; all others come from NumPy in the element type itself.
"""

import io
import math
import pathlib
import re
import struct
import warnings

import ml_dtypes
import mpmath
import numpy as np
import scipy.special
import scipy.stats

assert np.__version__ >= "2", "the answers are those of NumPy 2"
warnings.simplefilter("ignore")
np.seterr(all="ignore")
mpmath.mp.dps = 40
HERE = pathlib.Path(__file__).parent
BF16 = ml_dtypes.bfloat16
CODES = {np.dtype(t): code for code, t in enumerate(
    [np.bool_, np.int32, np.int64, np.float32, np.float64, None, np.int8, np.int16, np.uint8, np.uint16, np.uint32, np.uint64,
     np.float16, BF16, np.complex64, np.complex128]) if t}
TEXT = 5
F = [np.float32, np.float64]
I = [np.int32, np.int64]
NUMBERS = I + F
ALL = [np.bool_] + NUMBERS
INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
SMALL = [np.float16, BF16]
REALS = SMALL + F
COMPLEX = [np.complex64, np.complex128]
EVERY = [np.bool_] + INTEGERS + REALS + COMPLEX


def name(t):
    return np.dtype(t).name


class Family:
    """The entries of one file."""

    def __init__(self, stem):
        self.stem, self.entries = stem, {}

    def put(self, key, value):
        assert key not in self.entries, key
        if isinstance(value, str):
            value = np.frombuffer(value.encode(), np.dtype("S1"))
        # ascontiguousarray would turn rank 0 into rank 1
        self.entries[key] = np.asarray(value, order="C")

    def write(self):
        out = bytearray(b"LFCASES1" + struct.pack("<I", len(self.entries)))
        for key, a in self.entries.items():
            code = TEXT if a.dtype.kind == "S" else CODES[a.dtype]
            out += struct.pack("<I", len(key)) + key.encode() + struct.pack("<BB", code, a.ndim)
            out += struct.pack(f"<{a.ndim}q", *a.shape) + np.ascontiguousarray(a).tobytes()
        (HERE / f"{self.stem}.bin").write_bytes(out)
        print(f"{self.stem}.bin: {len(self.entries)} entries, {len(out)} bytes")


def info(t):
    return ml_dtypes.finfo(t) if t == BF16 else np.finfo(t)


def specials(t):
    """Values at which implementations differ."""
    f = info(t)
    d, tiny, largest, eps, below = (float(v) for v in (f.smallest_subnormal, f.tiny, f.max, f.eps, f.epsneg))
    return np.array(
        [np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -7, d, -d, 100 * d, tiny, -tiny]
        + [largest, -largest, eps, 1 + eps, 1 - below, 1e-3, 2.5, -2.5], t)


def table(title):
    """The rows of a table of docs/operations.md: a dictionary each, by the heads of the columns."""
    text = (HERE / "../../docs/operations.md").read_text().replace("\\|", "or")
    lines = re.findall(r"^\|(.*)\|$", text[text.index(f"\n## {title}\n") :].split("\n## ")[1], re.MULTILINE)
    heads, _, *rows = [[cell.strip(" `") for cell in line.split(" | ")] for line in lines]
    return [dict(zip(heads, row)) for row in rows]


def element_types(text):
    kinds = {"bool": [np.bool_], "integers": INTEGERS, "reals": REALS, "complex": COMPLEX}
    return [t for kind in text.split("; ")[-1].split(", ") for t in kinds[kind]]


# Operands are of one shape, 12 by 16.
SHAPE = (12, 16)
COUNT = SHAPE[0] * SHAPE[1]


def filled(values, t, more):
    """The values, then as many of more as there is room for."""
    values = np.asarray(values).astype(t)
    assert values.size + np.size(more) >= COUNT
    return np.concatenate([values, np.asarray(more).astype(t)])[:COUNT].reshape(SHAPE)


def pairs(s):
    return [v.ravel() for v in np.meshgrid(s, s)]


def complex_numbers(t, rng):
    axes = [1, -1, 1j, complex(0, -1), 0, 2, -2, 2j, complex(0, -2), 0.5, -0.5, 0.5j, 1 + 1j, -3 + 4j, 0.25 - 0.25j, -1e-3 + 2j, 3 - 1e-3j]
    length, angle = np.exp(rng.uniform(-3, 2, COUNT)), rng.uniform(-np.pi, np.pi, COUNT)
    return filled(axes, t, length * np.exp(1j * angle))


def unary_operand(t, rng):
    if t == np.bool_:
        return np.arange(COUNT).reshape(SHAPE) % 3 == 0
    if t in INTEGERS:
        lo, hi = np.iinfo(t).min, np.iinfo(t).max
        edges = [v for v in [46340, -46340, 46341, 12345, -30000, 2**31 - 1, -(2**31), lo, hi, lo + 1, hi - 1] if lo <= v <= hi]
        near = np.arange(-9 if lo < 0 else 0, 10)
        return filled(np.concatenate([np.array(edges, t), near.astype(t)]), t, rng.integers(max(lo, -1000), min(hi, 1000), COUNT))
    if t in COMPLEX:
        return complex_numbers(t, rng)
    edges = [math.pi, -math.pi / 2, 10, -10, 1e4, -1e4, 123456.0, 1e10, 88.0, 89.0, -87.5, -103.0, -105.0, 11.09, -17.0]
    edges += [709.0, 710.0, -708.5, -744.0, -746.0] if t == np.float64 else []
    edges = [v for v in edges if abs(v) <= float(info(t).max)]
    wide = np.exp(rng.uniform(-9 if t == np.float16 else -20, 9 if t == np.float16 else 20, COUNT)) * rng.choice([-1, 1], COUNT)
    more = np.where(rng.random(COUNT) < 0.5, rng.uniform(-6, 6, COUNT), wide)
    return filled(np.concatenate([specials(t), np.array(edges, t)]), t, more)


def binary_operands(t, rng):
    """Every pair of special values, then ordinary ones."""
    if t == np.bool_:
        return [unary_operand(t, rng), np.arange(COUNT).reshape(SHAPE) % 4 < 2]
    if t in COMPLEX:
        return [complex_numbers(t, rng), complex_numbers(t, rng)[::-1, ::-1]]
    if t in INTEGERS:
        lo, hi = np.iinfo(t).min, np.iinfo(t).max
        # the quotient of the first two traps on some processors
        more = [[lo, lo, lo, hi, hi, 0, 5, lo // 20, hi, 100, lo // 3, hi // 7, 60], [hi if lo == 0 else -1, 1, 2, 1, 0, 0, 0, 0, hi, 45, 7, 60, 7]]
        small = pairs(np.arange(-5, 6) if lo < 0 else np.arange(0, 11))
        return [filled(np.concatenate([np.array(m, t), v.astype(t)]), t, rng.integers(lo, hi, COUNT, dtype=t)) for v, m in zip(small, more)]
    s = specials(t)[[0, 1, 2, 3, 4, 5, 6, 7, 9, 12, 13, 18, 24]]
    return [filled(v, t, rng.uniform(-r, r, COUNT)) for v, r in zip(pairs(s), [50, 5])]


def operands(t, rng):
    a, b = binary_operands(t, rng)
    n = (np.arange(COUNT) * 7 % 61 - 30).astype(np.int32).reshape(SHAPE)
    n.flat[:6] = [0, 2000, -2000, 149, -1074, 1023]
    return {"x": unary_operand(t, rng), "a": a, "b": b, "condition": np.arange(COUNT).reshape(SHAPE) % 3 == 0, "exponent": n}


def operand_names(row):
    count = int(row["operands"])
    if "exponent" in row["element types"]:
        return ["x", "exponent"]
    return {1: ["x"], 2: ["a", "b"], 3: ["condition" if "condition" in row["element types"] else "x", "a", "b"]}[count]


def within(domain, t, rng):
    """Random values: half of them spread evenly over the domain, half over its orders of magnitude."""
    limit = float(np.iinfo(t).max) / 2 if t in INTEGERS else float(info(t).max)
    floor = 0 if t in INTEGERS and np.iinfo(t).min == 0 else -limit
    low, high = (min(max(float(v), floor), limit) for v in domain.split(" to "))
    half = COUNT // 2
    signs = rng.choice([-1, 1], half) if low < 0 else 1
    least = 1 if t in INTEGERS else max(1e-30, float(info(t).tiny))
    magnitudes = np.exp(rng.uniform(math.log(max(low, least)), math.log(max(high, least)), half))
    return np.concatenate([rng.uniform(low, high, half), np.clip(signs * magnitudes, low, high)]).astype(t)


def in_domain(x, domain, t, rng):
    """The operand with its second half from the domain."""
    return np.where(np.arange(COUNT).reshape(SHAPE) < COUNT // 2, x, rng.permutation(within(domain, t, rng)).reshape(SHAPE)).astype(t)


def mp_gelu(x):
    return x / 2 * mpmath.erfc(-x / mpmath.sqrt(2))


def mp_gelu_tanh(x):
    return x / (1 + mpmath.exp(-mpmath.sqrt(8 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x ** 3)))


# What is computed with many digits and rounded once; the name is the library's.
EXACT = {
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), "rsqrt": lambda x: 1 / mpmath.sqrt(x), "exp2": lambda x: mpmath.mpf(2) ** x,
    "log2": lambda x: mpmath.log(x) / mpmath.log(2), "atan2": mpmath.atan2, "pow": mpmath.power, "tgamma": mpmath.gamma,
    "lgamma": lambda x: mpmath.log(abs(mpmath.gamma(x))) if abs(x) < 100 else mpmath.loggamma(x), "deg2rad": mpmath.radians, "rad2deg": mpmath.degrees,
    "sinc": mpmath.sincpi, "logaddexp": lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)), "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "silu": lambda x: x / (1 + mpmath.exp(-x)), "softplus": lambda x: mpmath.log1p(mpmath.exp(x)), "gelu": mp_gelu, "gelu_tanh": mp_gelu_tanh, "angle": mpmath.arg,
}
# What NumPy and SciPy have no name for, in their functions: the answers at infinities, zeros and poles.
OURS = {
    "rsqrt": lambda x: 1 / np.sqrt(x), "silu": lambda x: x * scipy.special.expit(x), "softplus": lambda x: np.logaddexp(x, 0),
    "gelu": lambda x: x * scipy.special.ndtr(x), "gelu_tanh": lambda x: x * scipy.special.expit(math.sqrt(8 / math.pi) * x * (1 + 0.044715 * x * x)), "relu": lambda x: np.maximum(x, x.dtype.type(0)), "sinc": lambda x: np.where(np.isinf(x), np.nan, np.sinc(x)),
    "clip": lambda x, a, b: np.minimum(np.maximum(x, a), b), "mantissa": lambda x: np.frexp(x)[0], "exponent": lambda x: np.frexp(x)[1].astype(np.int32),
    "erfinv": lambda x: np.copysign(scipy.special.erfinv(x), x), "lgamma": lambda x: np.where(np.isinf(x), np.inf, scipy.special.gammaln(x)),
    "tgamma": lambda x: np.where((x < 0) & (x == np.floor(x)), np.nan, scipy.special.gamma(x)),
    "digamma": lambda x: np.where((x < 0) & (x == np.floor(x)), np.nan, np.where(x == 0, np.copysign(np.inf, -x), scipy.special.digamma(x))),
}


def numpy_function(row):
    if row["operation"] in OURS:
        return OURS[row["operation"]]
    return getattr(scipy.special, row["NumPy"].split(".")[-1]) if "scipy" in row["NumPy"] else getattr(np, row["NumPy"])


def once_rounded(row, t, args):
    """The function with 40 digits, and NumPy's where an operand or the result is no ordinary number."""
    operation = row["operation"]
    exact = EXACT.get(operation) or getattr(mpmath, operation)
    wide = np.complex128 if t in COMPLEX else np.float64
    plain = numpy_function(row)(*[a.astype(wide) for a in args])
    out = np.array(plain)
    for i in range(out.size):
        values = [wide(a.flat[i]) for a in args]
        if not all(np.isfinite(v) and v != 0 for v in values):
            continue
        try:
            # signs of zero choose the side of a branch cut, which mpmath's numbers do not have
            if t in COMPLEX and any(v.imag == 0 or v.real == 0 for v in values):
                continue
            value = exact(*[mpmath.mpc(v) if t in COMPLEX else mpmath.mpf(float(v)) for v in values])
            if t not in COMPLEX and isinstance(value, mpmath.mpc):
                continue
            out.flat[i] = complex(value) if out.dtype.kind == "c" else float(value)
        except (ValueError, ZeroDivisionError, OverflowError, NotImplementedError):
            continue
    return out.astype(t if out.dtype.kind == ("c" if t in COMPLEX else "f") else {np.complex64: np.float32, np.complex128: np.float64}[t])


def answer(row, t, args):
    f = numpy_function(row)
    result = row["result"]
    if t in INTEGERS and result.startswith("float64 of integers"):
        t, args = np.float64, [a if a.dtype == np.int32 and "exponent" in row["element types"] and a is args[1] else a.astype(np.float64) for a in args]
    if t not in [np.bool_] + INTEGERS and float(row["error of complex" if t in COMPLEX else "error, ulp"].split(" ")[0]) > 0 and row["operation"] not in EXACTLY:
        return once_rounded(row, t, args)
    # what is stored in 16 bits is computed in float32
    through = np.float32 if t == BF16 and row["operation"] not in ("nextafter", "nan_to_num") else None
    value = f(*[a.astype(through) if through and a.dtype == BF16 else a for a in args])
    if value.dtype == np.bool_ or result in ("bool", "int32"):
        return value
    return value.astype({np.complex64: np.float32, np.complex128: np.float64}[t] if t in COMPLEX and value.dtype.kind == "f" else t)


# complex, and yet NumPy's arithmetic is as good as any
EXACTLY = ["multiply", "divide", "reciprocal", "square", "abs", "sign"]


def nan_to_num(x):
    return np.where(np.isnan(x.astype(np.float32)), x.dtype.type(0), np.clip(x, -info(x.dtype.type).max, info(x.dtype.type).max)).astype(x.dtype) if x.dtype == BF16 else np.nan_to_num(x)


OURS["nan_to_num"] = nan_to_num


def elementwise():
    out = Family("elementwise")
    shared = {t: operands(t, np.random.default_rng(1)) for t in EVERY}
    for t in EVERY:
        for key, value in shared[t].items():
            if key not in ("condition", "exponent"):
                out.put(f"{key}/{name(t)}", value)
    for key in ("condition", "exponent"):
        out.put(key, shared[np.float32][key])
    for row in table("Element by element"):
        op = row["operation"]
        rng = np.random.default_rng(list(op.encode()))  # so that a new operation changes nothing of the others
        for t in element_types(row["element types"]):
            names = operand_names(row)
            args = [shared[t][n] for n in names]
            own = []
            if row["domain"] != "all" and t not in COMPLEX and t != np.bool_:
                own = [n for n in names if n not in ("condition", "exponent")]
                args = [in_domain(v, row["domain"], t, rng) if n in own else v for n, v in zip(names, args)]
            if op == "pow" and t in INTEGERS:  # NumPy refuses negative exponents
                args[1] = np.where(args[1] < 0, 3, args[1]).astype(t)
            if op in ("isnan", "isinf", "isfinite") and t in COMPLEX:
                own = names
                s = pairs(np.array([np.nan, np.inf, -np.inf, 0, 1.5, -2]))
                args = [np.resize(np.array([complex(a, b) for a, b in zip(*s)]), SHAPE).astype(t)]
            for n, value in zip(names, args):
                if n in own:
                    out.put(f"{op}/{n}/{name(t)}", value)
            value = answer(row, t, args)
            assert value.shape == SHAPE, (op, t)
            out.put(f"{op}/{name(t)}", value)
    out.write()


def casts():
    """What has an answer in the target type."""
    out = Family("casts")
    for s in ALL:
        x = np.array([0, 1, 0, 1]) if s == np.bool_ else np.array([0, 1, -1, 2, -3, 100, -30000, 16777217, 2**31 - 1])
        x = x.astype(s)
        if s in F:
            x = np.concatenate([np.array([0.5, -0.5, 1.9, -1.9, -0.0, 1e-40, 0.1], s), x[:-1]])
        out.put(f"x/{name(s)}", x)
        for t in ALL:
            out.put(f"{name(s)}/{name(t)}", x.astype(t))
    special = np.array([np.nan, np.inf, -np.inf, -0.0], np.float32)
    out.put("special/float32", special)
    for t in [np.float64, np.bool_]:
        out.put(f"special/float32/{name(t)}", special.astype(t))
    for s in EVERY:
        x = np.array([0, 1, 0, 1, 1, 1, 0, 0]) if s == np.bool_ else np.array([0, 1, 2, 3, 7, 100, 99, 127])
        if s in REALS:
            x = np.array([0.5, -0.5, 1.9, 126.6, -0.0, 100.3, 0.1, 2.5])
        if s in (np.int8, np.int16, np.int32, np.int64):  # integers wrap, floating point has no answer there
            x = np.array([0, -1, 2, -3, 7, 100, -99, np.iinfo(s).min])
        x = x.astype(s)
        out.put(f"every/x/{name(s)}", x)
        for t in EVERY:
            if s not in COMPLEX or t in COMPLEX or t == np.bool_:
                out.put(f"every/{name(s)}/{name(t)}", x.astype(t))
    halves = np.array([2049.0, 2049.0000001, 2048.9999999, 65519.99, 65520.0, 6e-8, 2.98e-8, 2.99e-8, 1.0004882812500001, 1.00048828125])
    out.put("halves", halves)
    out.put("halves/float16", halves.astype(np.float16))
    out.write()


def promotion():
    """x op y for every ordered pair of number types; the answer's element type is part of the answer."""
    out = Family("promotion")
    values = {t: np.array([-3, -1, 1, 2, 5, 7], t) for t in NUMBERS}
    values[np.float32] = np.array([-2.5, -1, 0.5, 2, 3, 0.1], np.float32)
    values[np.float64] = np.array([-1.25, 2, 0.5, -4, 1e-3, 0.1], np.float64)
    for t in NUMBERS:
        out.put(f"x/{name(t)}", values[t])
    for s in EVERY:
        for t in EVERY:
            try:
                common = name(np.promote_types(s, t))
            except np.exceptions.DTypePromotionError:
                common = "none"
            out.put(f"common/{name(s)}/{name(t)}", common)
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
    out = Family("reductions")
    rows = {row["reduction"]: row for row in table("Reductions")}
    rows["mean"] = {"NumPy": "mean", "identity": "none"}  # no monoid, but a sum and a division

    def put(op, key, x, axis, keepdims):
        f = getattr(np, rows[op]["NumPy"])
        out.put(f"{op}/{key}/axis={axis_text(axis)}{'/keepdims' if keepdims else ''}", f(x, axis=axis, keepdims=keepdims))

    for t in ALL:
        n = name(t)
        for op in rows:
            x = reduction_input(t, (3, 4, 5), op, np.random.default_rng(list(f"{op} {n}".encode())))
            out.put(f"x/{op}/{n}", x)
            for axis in [None, (0,), (1,), (2,), (-1,), (-3,), (0, 1), (0, 2), (1, 2), (0, -1), (-2, -3), (0, 1, 2)]:
                put(op, n, x, axis, False)
            for axis in [None, (1,), (0, -1)]:
                put(op, n, x, axis, True)
            # an axis of extent 0: the identity, where there is one
            empty = np.zeros((3, 0), t)
            for axis in [None, (0,), (1,)]:
                if rows[op]["identity"] == "none" and axis != (0,):
                    continue
                put(op, f"{n}/3x0", empty, axis, False)
            scalar = np.array(1 if t == np.bool_ else 7, t)
            put(op, f"{n}/rank0", scalar, None, False)
        if t in F:
            special = np.array([[np.nan, 1, 2], [np.inf, 1, 2], [-np.inf, np.inf, 0], [-0.0, -0.0, -0.0], [1, 0, 3], [np.finfo(t).smallest_subnormal, 0, 0]], t)
            out.put(f"special/{n}", special)
            for op in rows:
                # the sign of a zero sum depends on the identity, NumPy's own choice changed between versions
                put(op, f"{n}/special", special, (1,), False)
    for t in EVERY:
        rng = np.random.default_rng(5)
        # few factors other than 1: exact in any order and in 16 bits
        choices = [1, 1, 1, 1, 1, 1, 2, 1] if t in (np.bool_, np.uint8, np.uint16, np.uint32, np.uint64) else [1, 1, -1, 1, 1, 1, -2, 1]
        x = rng.choice(np.array(choices, dtype=np.int64), (5, 33))
        if t in COMPLEX:
            x = x * rng.choice([1, 1j, -1j], x.shape)
        x = (rng.random(x.shape) < 0.9 if t == np.bool_ else x).astype(t)
        out.put(f"every/x/{name(t)}", x)
        wide = x.astype(np.float32) if t in SMALL else x
        for op in [*rows, "var", "std"]:
            if t in COMPLEX and op in ("max", "min"):
                continue
            for axis in (0, 1):
                value = getattr(np, op)(wide, axis=axis)
                out.put(f"every/{op}/{name(t)}/axis={axis}", value.astype(t) if t in SMALL and value.dtype == np.float32 else value)
    out.write()


def derived_reductions():
    """Reductions made of others. In x there are NaN and equal extremes, in y neither NaN nor zero weights."""
    out = Family("derived_reductions")
    for t in [np.float16, np.float32, np.float64, np.int32, np.uint8]:
        rng = np.random.default_rng(9)
        n = name(t)
        y = rng.integers(0, 9, (5, 70)).astype(t)
        x = y.copy()
        if t not in (np.int32, np.uint8):
            y = (y + rng.integers(0, 4, y.shape) / 4).astype(t)
            x = y.copy()
            x[1, 5:60:9] = np.nan
            x[2, :] = np.nan
            x[:, 3] = np.nan
            x[0, 7], x[4, 9] = np.inf, -np.inf
        w = rng.integers(1, 5, y.shape).astype(t)
        for key, value in {"x": x, "y": y, "w": w}.items():
            out.put(f"{key}/{n}", value)
        wide = lambda v: v.astype(np.float64)
        as_t = t if t not in (np.int32, np.uint8) else np.float64
        for axis in (None, 0, 1):
            put = lambda key, value: out.put(f"{key}/{n}/axis={'all' if axis is None else axis}", value)
            put("argmax", np.argmax(x, axis))
            put("argmin", np.argmin(x, axis))
            put("count_nonzero", np.asarray(np.count_nonzero(x, axis), np.int64))
            put("ptp", np.ptp(y, axis))
            put("average", np.average(wide(y), axis, wide(w)).astype(as_t))
            for p in (0, 1, 2, 3, np.inf):
                v = wide(y)
                length = np.linalg.norm(v.ravel() if axis is None else v, p, axis).astype(as_t)
                put(f"norm {p}", length)
            for f in ("nanmax", "nanmin"):
                put(f, getattr(np, f)(x, axis))
            finite = np.where(np.isinf(x), t(3), x).astype(t)
            if axis is None:
                out.put(f"finite/{n}", finite)
            put("nansum", np.asarray(np.nansum(finite, axis)))
            for f in ("nanmean", "nanvar", "nanstd"):
                put(f, np.asarray(getattr(np, f)(wide(finite), axis)).astype(as_t))
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


def rolls():
    out = Family("rolls")
    x = np.arange(4 * 5 * 7, dtype=np.int32).reshape(4, 5, 7)
    v = np.arange(11, dtype=np.int32)
    names = {"x": x, "v": v, "roll": np.roll, "sin": np.sin}
    out.put("x", x)
    out.put("v", v)
    for key in ["roll(v,0)", "roll(v,1)", "roll(v,-1)", "roll(v,3,0)", "roll(v,10,-1)", "roll(v,11)", "roll(v,12)", "roll(v,-25)", "roll(v,2**62)",
                "roll(v,-2**63)", "roll(x,1)", "roll(x,-9)", "roll(x,141)", "roll(x,1,0)", "roll(x,-1,1)", "roll(x,3,2)", "roll(x,-2,-1)", "roll(x,1,-3)",
                "roll(x,17,1)", "roll(x,2,(0,1))", "roll(x,(1,-2),(0,2))", "roll(x,(1,-2),(2,0))", "roll(x,(3,4,-5),(-1,0,1))", "roll(x,(1,2),(1,-2))",
                # of views
                "roll(x[::-1,1:4,::-2],1)", "roll(x[::-1,1:4,::-2],(1,-1),(1,2))", "roll(x.T,2)", "roll(x.T,1,0)", "roll(x[1,2],2)", "roll(x[:,2:3],1,1)",
                "roll(v[::-3],1)", "roll(np.broadcast_to(v,(3,11)),4)", "roll(np.broadcast_to(v,(3,11)),4,1)", "roll(x.reshape(20,7),-6,0)",
                # views of
                "roll(v,1)[2:5]", "roll(v,4)[::-1]", "roll(v,4)[9::-2]", "roll(x,1,0).T", "roll(x,3,1)[1:3,::-2,4]", "roll(x,5)[:,:,None,2]", "roll(x,-9).reshape(28,5)",
                "roll(x,2,1)[3][-1]",
                # of expressions, which are pushed down to what they read
                "roll(x*2+v[:7],3)", "roll(x*2+v[:7],3,2)", "roll(x*2+v[:7],3,0)", "roll(x-x[:1],(1,1),(0,1))", "roll(x[0]*x[:,:1],12)", "roll(x*x[:,2:3],2,1)+x",
                "roll(roll(x,1,0),2,1)", "roll(roll(x,3),-4,2)", "roll(roll(v,4),-3)", "roll(roll(x.T,1,1)[1:],2)+1", "roll(x,1,0)-2*x+roll(x,-1,0)",
                # of what is reduced, and reduced
                "roll(x.sum(1),1,1)", "roll(x.sum(2),3)", "roll(x.sum(2).T,1)", "roll(x.sum(0,keepdims=True),2,2)", "roll(x-x.max(2,keepdims=True),1,0)",
                "roll(x,1,0).sum(0)", "(roll(x,3)*x).sum(2)", "roll(x,1,2).max((0,2))", "roll(roll(x.sum(0),1,0),1,1)", "roll(v.cumsum(),2)", "roll(v,3).cumsum()", "roll(v,3)[::-1].cumsum()[::-1]"]:
        answer = eval(key, {"np": np, **names})
        out.put(key, answer.astype(np.int64) if "sum" in key else answer)
    for key, change in [("x=roll(x,1)", lambda y: np.roll(y, 1)), ("x+=roll(x,1)", lambda y: y + np.roll(y, 1)), ("x=roll(x,1,0)+x", lambda y: np.roll(y, 1, 0) + y)]:
        out.put(key, change(x))
    y = x.copy()
    y[1:3] = np.roll(y, 1, 0)[1:3]
    out.put("x[1:3]=roll(x,1,0)[1:3]", y)
    y = v.copy()
    y[:5] = np.roll(y[6:], 2)
    out.put("v[:5]=roll(v[6:],2)", y)
    out.write()


def products():
    """Products of small integers, which are exact in every type; of each type of elements the same ones."""
    out = Family("products")
    rng = np.random.default_rng(5)
    shapes = {"v": (6,), "w": (6,), "u": (4,), "a": (3, 6), "b": (6, 4), "t": (2, 3, 6), "s": (2, 6, 4), "r": (5, 1, 6, 4), "o": (1, 7), "e": (0, 6), "m": (70, 65), "n": (65, 33)}
    x = {name: rng.integers(-3, 4, shape) for name, shape in shapes.items()}
    x["q"] = np.arange(1, 6)
    calls = ["matmul(v,w)", "matmul(a,v)", "matmul(v,b)", "matmul(a,b)", "matmul(a.T,a)", "matmul(t,b)", "matmul(t,s)", "matmul(a,s)", "matmul(t,r)", "matmul(v,r)", "matmul(t,v)",
             "matmul(e,b)", "matmul(b.T,e.T)", "matmul(o.T,o)", "matmul(o[:,:1],o)", "matmul(m,n)", "matmul(a[::-1,::2],b[::-2])",
             "dot(v,w)", "dot(a,v)", "dot(v,b)", "dot(a,b)", "dot(t,b)", "dot(t,s)", "dot(v,s)", "dot(e,v)",
             "inner(v,w)", "inner(a,v)", "inner(a,a[1:])", "inner(t,a)", "inner(t,t)",
             "outer(v,u)", "outer(u,u)", "outer(v[:0],u)", "vdot(v,w)", "vdot(a,a)", "vdot(e,e)",
             "vecdot(v,w)", "vecdot(a,v)", "vecdot(t,a)", "vecdot(t,t,axis=0)", "vecdot(t,a,axis=-2)",
             "tensordot(a,b,1)", "tensordot(t,b,1)", "tensordot(t,t,3)", "tensordot(q,q,0)", "tensordot(t,s,((0,2),(0,1)))", "tensordot(t,a,((1,2),(0,1)))", "tensordot(s,t,((-2,),(-1,)))",
             "cross(a[:,:3],a[:,3:])", "cross(t[:,:,:3],v[3:])", "cross(v[:3],w[3:])"]
    letters = ["'ij,jk->ik',a,b", "'ij,jk',a,b", "'bA,Ac',a,b", "'ba',a", "'ij->',a", "'ij->j',a", "'ii',b@b.T", "'ii->i',b@b.T", "'i,ii,i->i',v,b@b.T,v", "'bij,bjk->bik',t,s", "'bij,bjk->ki',t,s",
               "'ij,i,j',a@b,a[:,0],b[0]", "'ij,jk,lk->il',a,b,b", "'ai,ij,bjk,k->ab',a,b@b.T,s,b[0]"]
    for t in ["float64", "float32", "float16", "int32", "int8", "complex64", "bool"]:
        z = {name: (a + 1j * np.roll(a, 1)).astype(np.complex64) if t == "complex64" else a.astype(t) for name, a in x.items()}
        for name in z:
            if t == "float64" and name not in "mn" or name in "vwats" or name in "mn" and t in ("float32", "int8"):
                out.put(f"{t}/{name}", z[name])
        few = ["matmul(a,v)", "matmul(t,s)", "matmul(m,n)", "dot(v,w)", "inner(t,a)", "tensordot(t,s,((0,2),(0,1)))", "vdot(a,a)", "vecdot(t,a)", "cross(t[:,:,:3],v[3:])"]
        for call in [*calls, *(f"einsum({l})" for l in letters)] if t == "float64" else few:
            if t == "bool" and call.startswith(("cross", "vecdot", "vdot")) or "m,n" in call and t not in ("float32", "int8"):
                continue
            out.put(f"{t}/{call}", np.asarray(eval(call, {f: getattr(np, f) for f in ("matmul", "dot", "inner", "outer", "vdot", "vecdot", "tensordot", "cross", "einsum")} | z)))
    a, b, v = (x[k].astype(np.float64) for k in "abv")
    for call in ["a@b+1", "np.maximum((2*a)@(b-1),0)", "(a@b)@b.T", "(a@v)[:,None]*a", "(a@b).sum(0)", "a@(a.sum(0))", "(a-a.max(1,keepdims=True))@b", "((a@b)-(a@b).max(1,keepdims=True))", "a@np.cumsum(b,0)"]:
        out.put(call, eval(call, {"np": np, "a": a, "b": b, "v": v}))
    out.write()


def matrix_products():
    """Products that a library of matrix products may compute, of small integers: exact in every type."""
    out = Family("matrix_products")
    rng = np.random.default_rng(6)
    shapes = {"a": (11, 9), "b": (9, 13), "p": (9, 11), "q": (13, 9), "A": (3, 11, 9), "B": (3, 9, 13), "Q": (3, 13, 9), "w": (25, 45), "c": (11, 13), "r": (13,), "s": (11, 1)}
    x = {name: rng.integers(-3, 4, shape) for name, shape in shapes.items()}
    every = ["a@b", "p.T@b", "a@q.T", "p.T@q.T", "A@B", "a@b+r"]
    calls = [*every, "b.T@a.T", "q@p", "A@b", "a@B", "A@B[1]", "A[::-1]@B", "A@np.swapaxes(Q,1,2)", "A[1:2]@B[1:2]",
             "einsum('bij,bjk->bki',A,B)", "einsum('bij,bjk->ibk',A,B)", "einsum('bij,bjk->kbi',A,B)", "einsum('bij,bjk->ikb',A,B)", "einsum('bij,jk->kbi',A,b)", "einsum('bij,bjk->ik',A,B)", "einsum('ij,jk->ki',a,b)",
             "w[2:13,3:12]@w[5:14,30:43]", "w[1:23:2,4:13]@b", "a@w.T[3:12,::2]", "a[:,::2]@b[::2]", "a[::-1]@b", "a[:,::-1]@b[::-1]", "w[1:23:2,::4][:,:9]@b",
             "np.clip(a@b*2-1,-9,9)", "np.maximum(a@b,c)*s", "(a@b)*(a@b)", "abs(A@B)+r", "(a@b+1)[::-1,::2]", "a[:,:0]@b[:0]", "a[:1]@b", "a@b[:,:1]", "a[:,:1]@b[:1]", "a@r[:9]", "a[:2,:2]@b[:2,:2]"]
    for t in ["float64", "float32", "complex64", "complex128"]:
        z = {name: (v + 1j * np.roll(v, 1)).astype(t) if t.startswith("complex") else v.astype(t) for name, v in x.items()}
        for name in z if t == "float64" else "abpqABr":
            out.put(f"{t}/{name}", z[name])
        for call in calls if t == "float64" else every:
            out.put(f"{t}/{call}", eval(call, {"np": np, "einsum": np.einsum} | z))
    out.write()


def parts():
    out = Family("parts")
    x = np.arange(4 * 5 * 6, dtype=np.int32).reshape(4, 5, 6)
    v = np.array([3, -1, 4, 1, -5, 9, 2], dtype=np.int32)
    p = v > 1
    out.put("x", x)
    out.put("v", v)
    out.put("p", p)
    names = {"x": x, "v": v, "p": p, "np": np, "diagonal": np.diagonal, "windows": np.lib.stride_tricks.sliding_window_view, "diff": np.diff, "split": np.split, "trace": np.trace, "gradient": np.gradient}
    d, z = x / 4, (x - 1j * x * x)[0].astype(np.complex64)
    c = np.array([0, 1, 1.5, 3.5, 4, 6, 8.25])
    for name, values in {"d": d, "z": z, "c": c}.items():
        out.put(name, values)
        names[name] = values
    for call in ["diagonal(x)", "diagonal(x,2)", "diagonal(x,-3)", "diagonal(x,5)", "diagonal(x,-4)", "diagonal(x,99)", "diagonal(x,-99)", "diagonal(x,1,1,2)", "diagonal(x,1,2,1)", "diagonal(x,0,-1,0)", "diagonal(x[0])",
                 "diagonal(x[0,::-1,::2],-1)", "diagonal(x*v[:6]+x[:,:1])", "diagonal(x[:,:1]*v[:6],1,1,2)", "diagonal(v[:,None]*v)", "diagonal(x.sum(0),1)", "diagonal(x-x.max(2,keepdims=True),-1)", "diagonal(np.cumsum(x,2),0,0,2)", "diagonal(np.roll(x,1,2))", "diagonal(diagonal(x))", "diagonal(x).sum(1)", "diagonal(x).T", "diagonal(x)[1:,::-1]", "diagonal(x.sum(0)).sum()",
                 "windows(v,3)", "windows(v,1)", "windows(v,7)", "windows(v,3).sum(1)", "windows(v,3).max(1)", "windows(x,2,0)", "windows(x,4,1)", "windows(x,3,-1)[::2,1]", "windows(x[0],(2,3))", "windows(x[0],(2,3)).sum((2,3))", "windows(x,(1,2,3)).max((3,4,5))", "windows(v*v,2)", "windows(x.sum(0),2,1)", "diagonal(windows(v,3))",
                 "diff(v)", "diff(v,2)", "diff(v,0)", "diff(v,6)", "diff(v,7)", "diff(x)", "diff(x,1,0)", "diff(x,2,1)", "diff(p)", "diff(p,2)", "diff(x*x,1,-2)", "diff(v[:0])", "diff(diff(x,1,0),1,1)", "diff(x.sum(0),1,0)",
                 "gradient(v)", "gradient(d,axis=0)", "gradient(d,0.5,axis=1)", "gradient(d*d,3,axis=-1)", "gradient(z,2,axis=0)", "gradient(v,c)", "gradient(d,c[:4],axis=0)", "gradient(d,c[5::-1],axis=2)", "gradient(z,c[:6],axis=1)", "gradient(v[:2])", "gradient(d[:,::-2,1],c[:3],axis=1)", "gradient(d.sum(0),axis=0)",
                 "trace(x)", "trace(x[0],1)", "trace(x,-1,2,0)", "trace(x*v[:6])", "trace(x[0],9)"]:
        answer = np.asarray(eval(call, names))
        out.put(call, answer.astype(np.int64) if answer.dtype.kind == "i" and ("sum" in call or "trace" in call) else answer)
    for call in ["split(v,7)", "split(x,2)", "split(x,5,1)", "split(x,3,-1)", "split(x,1)", "split(v,[2,5])", "split(v,[0,3,3,7,9])", "split(v,[-3])", "split(x,[1,3],2)", "split(x*2+1,[4],1)"]:
        for k, piece in enumerate(eval(call, names)):
            out.put(f"{call}[{k}]", piece)
    out.write()


def linear_algebra():
    """Matrices, and what of their solutions and factors is unique; of integers, so that they are the same in every type."""
    out = Family("linalg")
    rng = np.random.default_rng(8)
    shapes = {"a": (5, 5), "A": (2, 3, 4, 4), "w": (3, 6), "t": (7, 4), "T": (3, 5, 2), "b": (5,), "B": (5, 3), "C": (3, 4, 2), "v": (7,), "V": (7, 2), "c": (6, 6)}
    x = {name: rng.integers(-4, 5, shape) for name, shape in shapes.items()}
    x["a"] += 6 * np.eye(5, dtype=int)
    x["A"] += 7 * np.eye(4, dtype=int)
    z = {name: v + 1j * rng.integers(-4, 5, v.shape) for name, v in x.items()}
    calls = {"solve(a,b)": "", "solve(a,B)": "", "solve(A,C)": "", "solve(A[0],C[1])": "", "solve(a.T,B[::-1])": "", "solve(2*a+1,b*b)": "", "solve(A,C[0,:,0])": "",
             "inv(a)": "", "inv(A)": "", "inv(A[:,::2,:3,:3])": "", "det(a)": "", "det(A)": "", "det(a[:1,:1])": "", "det(c[::2,1::2])": "",
             "slogdet(a)": "sign logabsdet", "slogdet(A)": "sign logabsdet", "cholesky(P)": "", "cholesky(Q)": "", "svdvals(t)": "", "svdvals(w)": "", "svdvals(T)": "", "eigvalsh(P)": "", "eigvalsh(H)": "",
             "pinv(t)": "", "pinv(w)": "", "pinv(D)": "", "matrix_rank(D)": "", "matrix_rank(A)": "", "matrix_power(a,5)": "", "matrix_power(a,-3)": "", "matrix_power(A,0)": "",
             "lstsq(t,v)": "0 1 2 3", "lstsq(t,V)": "0 1 2 3", "lstsq(w,b[:3])": "0 1 2 3", "lstsq(D,v)": "0 1 2 3",
             "matrix_norm(t)": "", "matrix_norm(T,ord=1)": "", "matrix_norm(T,ord=-1)": "", "matrix_norm(w,ord=inf)": "", "matrix_norm(w,ord=-inf)": "", "matrix_norm(T,ord=2)": "", "matrix_norm(w,ord=-2)": "", "matrix_norm(A,ord='nuc')": "",
             "vector_norm(c,ord=-inf)": "", "vector_norm(a+9,ord=-1,axis=0)": "", "vector_norm(a+9,ord=-3)": ""}
    names = "solve inv det slogdet cholesky svdvals eigvalsh pinv matrix_rank matrix_power lstsq matrix_norm vector_norm".split()
    for t in ["float64", "complex64"]:
        wide = t.replace("complex64", "complex128")  # answers of the matrices, not NumPy's roundings
        m = {name: v.astype(wide) for name, v in (z if t.startswith("complex") else x).items()}
        conj = np.conj(m["A"])
        m["P"] = m["a"] @ np.conj(m["a"].T) + np.eye(5)
        m["Q"] = m["A"] @ np.swapaxes(conj, 2, 3) + 2 * np.eye(4)
        m["H"] = m["A"] + np.swapaxes(conj, 2, 3)
        m["D"] = np.concatenate([m["t"][:, :2], m["t"][:, :2] @ m["T"][0, :2]], 1)  # of rank 2
        for name, v in m.items():
            out.put(f"{t}/{name}", v.astype(t))
        real = t.replace("complex64", "float32")
        def as_type(answer):
            answer = np.asarray(answer)
            return answer.astype(t if answer.dtype.kind == "c" else real) if answer.dtype.kind in "fc" else answer.astype(np.int64)
        for call, fields in calls.items():
            answer = eval(call, {f: getattr(np.linalg, f) for f in names} | m | {"inf": np.inf})
            if not fields:
                out.put(f"{t}/{call}", as_type(answer))
            for field in fields.split():
                out.put(f"{t}/{call}.{field}", as_type(answer[int(field)] if field.isdigit() else getattr(answer, field)))
    out.write()


def fourier():
    """Transforms of small integers, which are the same in every type, computed in 80 bits and rounded once."""
    out = Family("fft")
    rng = np.random.default_rng(19)
    real = {"v": rng.integers(-8, 9, 1009), "x": rng.integers(-8, 9, (4, 5, 6))}
    numbers = {n: rng.integers(-8, 9, s) + 1j * rng.integers(-8, 9, s) for n, s in {"w": (1009,), "z": (4, 5, 6), "q": (2, 3, 2, 3)}.items()}
    given = {n: x.astype(np.float64) for n, x in real.items()} | numbers
    for name, x in given.items():
        out.put(name, x)
    names = {f: getattr(np.fft, f) for f in "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn".split()}
    wide = {n: x.astype(np.clongdouble if x.dtype.kind == "c" else np.longdouble) for n, x in given.items()}
    lengths = [1, 2, 3, 5, 7, 8, 12, 17, 97, 128, 1009]
    for call in [*(f"{f},{n})" for f in ("fft(w", "rfft(v", "irfft(w") for n in lengths),
                 "fft(z)", "fft(z,axis=0)", "fft(z,7,axis=1)", "fft(z,3,axis=1)", "ifft(z,axis=-2)", "fft(z,norm='ortho')", "fft(z,norm='forward')", "ifft(z,norm='ortho')", "ifft(z,norm='forward')",
                 "fft(z.T)", "fft(z[::-1,:,::-2])", "fft(z*2+x)", "fft(x)", "rfft(x,axis=0)", "rfft(x[:,::-1],7,axis=1)", "irfft(z)", "irfft(z,7,axis=0)", "irfft(x)", "hfft(x)", "hfft(z)", "hfft(z,7,norm='ortho')", "ihfft(x)", "ihfft(x,5,axis=0)",
                 "fft2(z)", "fft2(z,(3,8))", "ifft2(z,axes=(0,2))", "fft2(z,(3,8),axes=(2,0))", "rfft2(x)", "rfft2(x,(7,3),axes=(1,0))", "irfft2(z)", "irfft2(z,(4,5))",
                 "fftn(z)", "ifftn(z,(3,3),axes=(0,2))", "rfftn(x)", "irfftn(z)", "irfftn(z,(4,5,7),axes=(0,1,2))", "fftn(q)", "ifftn(q,norm='ortho')", "rfftn(q.real)", "irfftn(q)"]:
        answer = np.asarray(eval(call, names | wide))
        out.put(call, answer.astype(np.complex128 if answer.dtype.kind == "c" else np.float64))
    names = {"fftfreq": np.fft.fftfreq, "rfftfreq": np.fft.rfftfreq, "fftshift": np.fft.fftshift, "ifftshift": np.fft.ifftshift}
    for call in ["fftfreq(1)", "fftfreq(5)", "fftfreq(8,0.25)", "rfftfreq(1)", "rfftfreq(7)", "rfftfreq(8,0.1)", "fftshift(x)", "fftshift(x,1)", "ifftshift(x,(0,1))", "fftshift(fftfreq(9))", "ifftshift(v)", "fftshift(z*x,2)"]:
        out.put(call, eval(call, names | given))
    out.write()


def gathers():
    """Elements by their indices, again, around and one after the other."""
    out = Family("gathers")
    x = np.arange(4 * 5 * 6, dtype=np.int32).reshape(4, 5, 6)
    v = np.array([3, -1, 4, 1, -5, 9, 2], dtype=np.int32)
    i = np.array([2, 0, -1, 2, -4], dtype=np.int64)
    j = np.array([[1, -2, 0], [3, 3, -4]], dtype=np.int32)
    a = np.argsort(-x % 7, 1)
    for name, values in {"x": x, "v": v, "i": i, "j": j, "a": a}.items():
        out.put(name, values)
    names = {"x": x, "v": v, "i": i, "j": j, "a": a, "np": np}
    names |= {f: getattr(np, f) for f in ("take", "take_along_axis", "repeat", "tile", "pad", "kron", "concat", "stack", "hstack", "vstack")}
    for call in ["take(v,i)", "take(v,j)", "take(x,i,0)", "take(x,i,1)", "take(x,j,2)", "take(x,j,-2)", "take(x,i)", "take(x,3,1)", "take(x,-1)", "take(x[0],i[:0],1)", "take(x[:,:1],i*0,1)",
                 # of views in any layout, and viewed
                 "take(x[::-1,:,::-2],i,0)", "take(x.T,j,1)", "take(x.T,j)", "take(v[::-1],i)", "take(v[::-3],j%3)", "take(np.broadcast_to(v,(4,7)),i,0)", "take(np.broadcast_to(v,(4,7)),j,1)", "take(v,i[::-2])",
                 "take(x,i,1)[::-1,2]", "take(x,j,0).T", "take(x,j,1)[1:,:,::-1,2]", "take(x,i,0)[:,None,:,-1]", "np.diagonal(take(x,i,0))",
                 # of expressions, by expressions
                 "take(x*2+v[:6],i,0)", "take(x*2+v[:6],i,2)", "take(x-x[:1],i,0)", "take(x[0]*x[:,:1],j)", "take(x,i*i%4,0)+1", "take(x,np.arange(8)//3,1)", "take(v,np.where(i<0,i+7,i))", "take(take(x,i,0),j,1)", "take(v,take(v,i)%5)",
                 "take(np.roll(x,1,0),i,0)", "take(np.arange(10)*3,j)", "take(v,i)*take(v,i)+v[:5]",
                 # of what is reduced, and reduced
                 "take(x-x.max(2,keepdims=True),i,1)", "take(x.sum(0),i,1)", "take(x.cumsum(1),i,0)", "take(x,i,1).sum((0,2))", "take(x,i,2).max(1)", "(take(x,i,0)*x[:1]).sum(2)", "take(x,i,1).cumsum(1)",
                 "take(x,i,1)-take(x,i,1).max(2,keepdims=True)", "take(x,x.argmax(1)%4,0)[0]",
                 "take_along_axis(x,a,1)", "take_along_axis(x,x.argmax(2,keepdims=True),2)", "take_along_axis(x,i[:,None,None]%4,0)", "take_along_axis(x[:1],a,1)", "take_along_axis(x*2,a[:,:2],1)+1", "take_along_axis(v,i,0)",
                 "repeat(v,3)", "repeat(v,0)", "repeat(x,2)", "repeat(x,2,0)", "repeat(x,3,-1)", "repeat(x*2+v[:6],2,1)", "repeat(x.T,2,1)[::-1]",
                 "tile(v,2)", "tile(x,2)", "tile(x,(2,1,3))", "tile(v,(2,3))", "tile(x[0],(2,1,1))", "tile(v,0)", "tile(x*2+v[:6],(1,2,1))", "tile(v[:0],3)",
                 "pad(v,((2,3),))", "pad(x,((1,0),(0,2),(3,1)))", "pad(x+1,((1,0),(0,2),(3,1)),constant_values=-7)", "pad(v[:0],((2,1),),constant_values=5)", "pad(x,((0,0),(0,0),(0,0)))",
                 *(f"pad({w},mode='{m}')" for m in ("edge", "wrap", "reflect", "symmetric") for w in ("v,((2,3),)", "v,((17,9),)", "x,((1,0),(0,2),(7,1))", "v[:1],((3,2),)", "x[:,::-1]*2,((1,1),(2,2),(3,3))")),
                 "kron(v,i)", "kron(x[0],j)", "kron(v,x[0])", "kron(j,v)", "kron(x,x[:2,:2,0])", "kron(v*2,j+1)",
                 "concat((v,i))", "concat((x,x[:1],x*2))", "concat((x,x[:,:0],x[:,1:3]),1)", "concat((x.T,x.T+1),-1)", "concat((v,))", "concat((x.sum(0),x[0]))", "concat((v,np.arange(3),np.ones(2,np.int32)))", "concat((x,x+v[:6]),2)*2", "concat((v,v*2)).sum()", "concat((x,-x),1)[::-1,3:7,2]",
                 "concat((v,v[::-1]*0.5))", "stack((v,v+1))", "stack((v,v+1,v*2),1)", "stack((x,x),-1)", "stack((x.T,x.T*2),2)", "hstack((v,i))", "hstack((j,j*2))", "vstack((v,v*2))", "vstack((j,j[:1]))"]:
        answer = np.asarray(eval(call, names))
        out.put(call, answer.astype(np.int64) if answer.dtype.kind == "i" and "sum" in call else answer)
    for key, change in [("x=take(x,i,0)[:4]", lambda y: np.take(y, i, 0)[:4]), ("x+=take(x,i*0+1,0)[:4]", lambda y: y + np.take(y, i * 0 + 1, 0)[:4]), ("x=concat((x[2:],x[:2]))", lambda y: np.concat((y[2:], y[:2])))]:
        out.put(key, change(x))
    y = v.copy()
    y[1:4] = np.take(y, [6, 0, 1])
    out.put("v[1:4]=take(v,[6,0,1])", y)
    y = v % 7
    out.put("w=take(w,w)", np.take(y, y))
    out.write()


def sorting():
    """Order: sorted elements and their places, selection, searching and unique elements."""
    out = Family("sorting")
    rng = np.random.default_rng(19)

    def ordered(x, axis=-1):  # -0.0 before 0.0
        return np.take_along_axis(x, np.lexsort((~np.signbit(x), x), axis), axis) if x.dtype.kind == "f" else np.sort(x, axis)

    def places(x, axis=-1):
        return np.argsort(x, axis, kind="stable").astype(np.int64)

    def places_down(x, axis=-1):
        n = x.shape[axis]
        return np.flip(n - 1 - places(np.flip(x, axis), axis), axis)

    for t in ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "float16", "bfloat16"]:
        kind = BF16 if t == "bfloat16" else np.dtype(t)
        if t == "bool":
            x = rng.integers(0, 2, 301).astype(bool)
        elif kind != BF16 and kind.kind in "iu":
            x = rng.integers(np.iinfo(kind).min, np.iinfo(kind).max, 301, dtype=kind, endpoint=True)
            x[:5] = [np.iinfo(kind).max, 0, np.iinfo(kind).min, 0, 1]
        else:
            x = np.concatenate([specials(kind), rng.integers(-20, 20, 130).astype(kind), rng.standard_normal(145).astype(kind), -specials(kind)[:4]])
            x = x[rng.permutation(len(x))]
        wide = x.astype(np.float32) if kind == BF16 else x
        out.put(f"{t}/x", x)
        out.put(f"{t}/sort(x)", ordered(wide).astype(kind))
        out.put(f"{t}/sort(x)[::-1]", ordered(wide)[::-1].astype(kind))
        out.put(f"{t}/argsort(x)", places(wide))
        out.put(f"{t}/argsort(x,descending=True)", places_down(wide))
    x = rng.integers(-9, 10, (4, 5, 6)).astype(np.int32)
    f = (rng.integers(-8, 9, (3, 5, 9)) / 4).astype(np.float32)
    f[0, 1, 4] = f[2, 2, 0] = f[2, 2, 8] = np.nan
    g = np.nan_to_num(f[0], nan=3)
    v = np.array([3, -1, 4, 1, -5, 9, 2, 3], dtype=np.int32)
    s = np.array([-4, -1, -1, 0, 2, 2, 2, 7], dtype=np.int32)
    e = np.array([-1.5, -0.25, 0, 1], dtype=np.float32)
    r = rng.integers(0, 50, (3, 700)).astype(np.int32)
    w = rng.standard_normal(4500)  # for parts by the first bits
    for key, values in {"x": x, "f": f, "g": g, "v": v, "s": s, "e": e, "r": r, "w": w}.items():
        out.put(key, values)

    def top(values):
        def of(a, k, axis=-1):
            p = np.take(places_down(a, axis), np.arange(k), axis)
            return np.take_along_axis(a, p, axis) if values else p
        return of

    names = {"x": x, "f": f, "g": g, "v": v, "s": s, "e": e, "r": r, "w": w, "np": np, "sort": ordered, "argsort": places, "argsort_down": places_down, "topk_values": top(True), "topk_indices": top(False)}
    names |= {n: getattr(np, n) for n in ("searchsorted", "digitize", "isin", "unique", "median", "quantile", "flip")}
    for call in ["sort(x)", "sort(x,0)", "sort(x,1)", "sort(x,-2)", "flip(sort(x,1),1)", "sort(x[::-1,:,::-2])", "sort(x.T,1)", "sort(x*2+v[:6])", "sort(np.broadcast_to(v,(3,8)))", "sort(v[:0])", "sort(x[:,:0],1)", "sort(x[:,:0],2)", "sort(v[:1])",
                 "sort(x,1)[2]*2", "sort(x.max(1))", "sort(f)", "sort(f,0)", "sort(f,1)", "sort(r)", "sort(r,0)", "sort(x>0)",
                 "argsort(x)", "argsort(x,0)", "argsort(x,1)", "argsort_down(x,1)", "argsort(f)", "argsort(f,1)", "argsort_down(f)", "argsort(r)", "argsort(v*v%7)", "argsort(v[:0])", "argsort(x>0)",
                 "topk_values(x,2)", "topk_indices(x,2)", "topk_values(x,3,0)", "topk_indices(x,3,1)", "topk_values(f,4)", "topk_indices(f,4)", "topk_values(r,5)", "topk_indices(r,5)", "topk_values(w,3)", "topk_indices(w,3)", "topk_values(v,8)", "topk_indices(v,0)",
                 "topk_indices(w*w,100)",
                 "median(x)", "median(x,0)", "median(x,1)", "median(x,2,keepdims=True)", "median(x,keepdims=True)", "median(f)", "median(f,2)", "median(f,0)", "median(g,1)", "median(w)", "median(v[:7])", "median(r,1)", "median(v*1.5)",
                 "quantile(x,0.3)", "quantile(x,0.7,1)", "quantile(x,0.25,0,keepdims=True)", "quantile(v,0.0)", "quantile(v,1.0)", "quantile(w,0.123)", "quantile(w,[0.1,0.5,0.9])", "quantile(x,[0.25,0.75],axis=1)", "quantile(v[:1],0.4)", "quantile(f,0.4,1)",
                 "searchsorted(s,v)", "searchsorted(s,v,'right')", "searchsorted(s,x)", "searchsorted(s,2)", "searchsorted(s,2,'right')", "searchsorted(s,1.5)", "searchsorted(s,f)", "searchsorted(s,f,'right')", "searchsorted(e,f)", "searchsorted(s[:0],v)", "searchsorted(s[::2],v)",
                 "searchsorted(s*2+1,x.T*2)*2+x.T", "searchsorted(-s[::-1],v)", "searchsorted(sort(v),v)", "searchsorted(s,v[::-2])", "searchsorted(s,x)[1:,::-1,2]", "searchsorted(s,x,'right').sum(1)", "searchsorted(np.arange(5),v)", "searchsorted(np.full(3,2),v)", "searchsorted(np.cumsum(s*s),v)",
                 "searchsorted(np.append(e,np.float32(np.nan)),f)", "searchsorted(np.append(e,np.float32(np.nan)),f,'right')",
                 "digitize(v,s)", "digitize(v,s,True)", "digitize(f,e)", "digitize(x*2,e)+1", "isin(x,v)", "isin(v,x[0])", "isin(f,e)", "isin(x,f)", "isin(v,v[:0])", "np.where(isin(x,v),x,0)", "~isin(x+1,v*2)",
                 "unique(x)", "unique(f)", "unique(v)", "unique(v[:0])", "unique(r)", "unique(x>0)", "unique(abs(g)*0)"]:
        answer = np.asarray(eval(call, names))
        out.put(call, answer.astype(np.int64) if answer.dtype.kind == "i" and ("search" in call or "dig" in call) else answer.astype(np.float32) if call[:2] in ("me", "qu") and "(f" in call else answer)
    for key, a in {"x": x, "f": f, "r": r, "v[:0]": v[:0]}.items():
        for field, answer in zip(("values", "indices", "inverse_indices", "counts"), np.unique(a, True, True, True)):
            out.put(f"unique_all({key}).{field}", answer)
    out.write()


def lazy_arrays():
    out = Family("lazy_arrays")
    x = np.arange(4 * 5 * 7, dtype=np.int32).reshape(4, 5, 7)
    v = np.arange(7, dtype=np.int32) - 3
    out.put("x", x)
    out.put("v", v)
    grown = x
    for k in range(6):
        grown = grown * v + x - k
    names = {"x": x, "v": v, "grown": grown, "outer": v[:, None] * v, "np": np}
    for key in ["grown", "grown[1:3]", "grown[::-1,2,::-3]", "grown.T", "grown[:,:,None,4]", "grown[None]+v", "grown.reshape(28,5)", "grown.reshape(20,7)[3]",
                "grown[2][:,:5].T+grown[1,:,:5].T", "np.diagonal(grown[:,:,1])", "np.roll(grown,3)", "np.roll(grown,2,1)[1:]", "np.broadcast_to(grown[0],(3,5,7))",
                "outer", "outer[1:3,2:5]", "outer*outer.T+v", "outer[::-2,None,3]+grown[:,0]", "grown.sum(1)", "grown-grown.max(2,keepdims=True)",
                "(grown*2).sum((0,2))+v[:5]", "grown[1:].min(0)", "grown.cumsum(1)", "grown.sum()", "(grown.sum(1)*2).T", "np.where(grown%2==0,grown,-x)"]:
        answer = eval(key, names)
        out.put(key, answer.astype(np.int64) if "sum" in key else answer)
    # of floats, computed in double
    f = (grown % 13) / 4 - x / 16
    names = {"f": f, "g": x / 8 - 5, "s": v[:, None] * v / 4 + v, "w": np.exp(f - f.max(2, keepdims=True)), "np": np, "v": v}
    for key in ["f", "w/w.sum(2,keepdims=True)", "(f-f.mean(2,keepdims=True))/f.std(2,keepdims=True)", "(f*f).sum((0,2))", "(f*v).mean()", "f.T.sum(2)", "f.min(0)", "f[:,1:4,::-2].sum(0)",
                "np.flip(np.cumsum(np.flip(f,2),2),2)", "np.cumsum(f,0)*f", "f[2].sum()*2", "g", "np.cumsum(f,1)-np.cumsum(g,1)", "np.cumsum(f,2)*g", "np.cumsum(g,1)", "(f*g).sum(1)",
                "s-(s*s).sum(1)", "f/(1+abs(f).max(2,keepdims=True))-g", "(f*f).sum(1)-f.max(1)*2", "((f-f.mean(2,keepdims=True))**2).sum(2)", "f-f.mean(2,keepdims=True)-f.mean(1,keepdims=True)",
                "(w/w.sum(2,keepdims=True)*g).sum(2)", "f.sum(2)[1:3,::-1]", "f.sum(2).T-f.min(2).T", "(f-f.max()).sum()", "np.cumsum(f-f.mean(1,keepdims=True),1)",
                "np.cumsum(np.cumsum(f,1),2)", "f.sum(2).max()-f.min(2).sum(0)"]:
        out.put(key, np.asarray(eval(key, names)).astype(np.float32))
    for key in ["f.argmax(1)", "f.argmin()"]:
        out.put(key, np.asarray(eval(key, names)))
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


def grids():
    """Of positions: what is made by index arithmetic and needs no memory."""
    out = Family("grids")
    for t in F:
        n = name(t)
        for start, stop, count in [(0, 3, 4), (-2, 2.5, 7), (1, -1, 5), (2, 5, 1), (0, 1, 0)]:
            out.put(f"logspace({start},{stop},{count})/{n}", np.logspace(start, stop, count, dtype=t))
        out.put(f"logspace(0,10,11,2)/{n}", np.logspace(0, 10, 11, base=2, dtype=t))
        for start, stop, count in [(1, 1000, 4), (-1000, -1, 7), (0.1, 0.7, 10), (5, 3, 1), (2, 3, 2), (1, 2, 0)]:
            out.put(f"geomspace({start},{stop},{count})/{n}", np.geomspace(float(t(start)), float(t(stop)), count).astype(t))
    x = (np.arange(24) - 11).reshape(2, 3, 4)
    for t in ALL:
        n = name(t)
        for k in [-5, -1, 0, 2, 7]:
            out.put(f"eye(3,4,{k})/{n}", np.eye(3, 4, k, dtype=t))
            out.put(f"tri(4,3,{k})/{n}", np.tri(4, 3, k, dtype=t))
            out.put(f"tril({k})/{n}", np.tril(x.astype(t), k))
            out.put(f"triu({k})/{n}", np.triu(x.astype(t), k))
        out.put(f"x/{n}", x.astype(t))
    for axis, i in enumerate(np.indices((3, 1, 4), np.int64)):
        out.put(f"indices(3,1,4)/{axis}", i)
    out.put("fromfunction", np.fromfunction(lambda i, j: 10 * i - j, (3, 5), dtype=np.int64))
    sequences = [np.arange(3, dtype=np.float32), np.arange(4, dtype=np.int32) * 10, np.arange(2, dtype=np.float64) / 2]
    for indexing in ["xy", "ij"]:
        for count in [1, 2, 3]:
            for k, g in enumerate(np.meshgrid(*sequences[:count], indexing=indexing)):
                out.put(f"meshgrid/{indexing}/{count}/{k}", g)
    out.write()


def philox(counter, key):
    """Philox4x32-10 of arrays of four words, of two."""
    c, k = [np.uint64(v) for v in counter], [np.uint64(v) for v in key]
    mask, half = np.uint64(2**32 - 1), np.uint64(32)
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(b >> half) ^ c[1] ^ k[0], b & mask, (a >> half) ^ c[3] ^ k[1], a & mask]
        k = [(k[0] + np.uint64(0x9E3779B9)) & mask, (k[1] + np.uint64(0xBB67AE85)) & mask]
    return c


def random_words(seed, first, count, bits):
    """The words of elements [first, first + count): a block has 128 bits."""
    lanes = 128 // bits
    n = np.arange(first, first + count, dtype=np.uint64)
    block, lane = n // np.uint64(lanes), n % np.uint64(lanes)
    w = np.stack(philox([block & np.uint64(2**32 - 1), block >> np.uint64(32), seed[2], seed[3]], seed[:2]))
    if bits == 64:
        w = np.stack([w[0] | w[1] << np.uint64(32), w[2] | w[3] << np.uint64(32)])
    return w[lane.astype(int), np.arange(count)]


def split(seed, k):
    return [int(w) for w in philox([k & 2**32 - 1, k >> 32 | 2**31, seed[2], seed[3]], seed[:2])]


def normal_numbers(seed, first, count, bits):
    """Box-Muller in double: one word is the radius, the next the direction, whose first two bits turn it."""
    assert first % 2 == 0 and count % 2 == 0
    w = random_words(seed, first, count, bits)
    r, d = w[::2], w[1::2]
    u = (r + 0.5) / 2.0**32 if bits == 32 else ((r >> np.uint64(11)) + 0.5) / 2.0**53
    radius = np.sqrt(-2 * np.log(u))
    top = np.uint64(2 ** (bits - 1))
    rest = (d << np.uint64(66 - bits)).view(np.int64).astype(np.float64) * (np.pi / 2.0**65)
    large, small = np.where(d & top, -np.cos(rest), np.cos(rest)), np.sin(rest)
    turned = (d & (top >> np.uint64(1))) != 0
    return np.stack([radius * np.where(turned, small, large), radius * np.where(turned, large, small)], 1).ravel()


def random_integers(seed, first, count, bits, low, high):
    """Lemire's method; a rejected element takes its word of the block encrypted once more."""
    span, lanes = high - low, 128 // bits
    out = []
    for n in range(first, first + count):
        c = [(n // lanes) & 2**32 - 1, n // lanes >> 32, seed[2], seed[3]]
        while True:
            c = [int(w) for w in philox(c, seed[:2])]
            word = c[n % lanes] if bits == 32 else c[2 * (n % lanes)] | c[2 * (n % lanes) + 1] << 32
            if word * span % 2**bits >= 2**bits % span:
                break
        out.append(low + (word * span >> bits))
    return out


def randoms():
    """The numbers of some seeds, which must never change, by the definition alone."""
    out = Family("random")
    seeds = {"42": [42, 0, 0, 0], "split": split(split([7, 0, 0, 0], 3), 2**33)}
    out.put("seed/split", np.array([seeds["split"][0] | seeds["split"][1] << 32, seeds["split"][2] | seeds["split"][3] << 32], np.uint64).view(np.int64))
    for label, s in seeds.items():
        for first in [0, 2**34 + 6]:
            for t in F:
                n, bits = name(t), 32 if t == np.float32 else 64
                digits = 24 if bits == 32 else 53
                at = f"{label}/{first}/{n}"
                w = random_words(s, first, 16, bits)
                u = ((w >> np.uint64(bits - digits)) / 2.0**digits).astype(t)
                out.put(f"uniform/{at}", u)
                out.put(f"uniform(-3,5)/{at}", np.minimum(t(-3) + u * t(8), np.nextafter(t(5), t(0))))
                z = normal_numbers(s, first, 16, bits)
                out.put(f"normal/{at}", z.astype(t))
                out.put(f"normal(2,3)/{at}", (2 + 3 * z).astype(t))
                v = (w + 0.5) / 2.0**32 if bits == 32 else ((w >> np.uint64(11)) + 0.5) / 2.0**53
                out.put(f"exponential(1.5)/{at}", (-1.5 * np.log(v)).astype(t))
            out.put(f"bernoulli(0.3)/{label}/{first}", random_words(s, first, 16, 32) < round(0.3 * 2**32))
            for low, high in [(0, 10), (-3, 3 * 2**29), (-(2**31), 2**31)]:
                out.put(f"integers({low},{high})/{label}/{first}/int32", np.array(random_integers(s, first, 16, 32, low, high), np.int32))
            for low, high in [(0, 10), (-(2**62), 3 * 2**61), (-(2**63), 2**63 - 1)]:
                out.put(f"integers({low},{high})/{label}/{first}/int64", np.array(random_integers(s, first, 16, 64, low, high), np.int64))
    # What a fair sample exceeds once in a million times.
    for freedom in [15, 95, 99, 255]:
        out.put(f"chi2/{freedom}", np.float64(scipy.stats.chi2.isf(1e-6, freedom)))
    out.put("kolmogorov", np.float64(scipy.stats.kstwobign.isf(1e-6)))
    out.put("gauss", np.float64(scipy.stats.norm.isf(5e-7)))
    # The bounds between 16 equally likely parts.
    out.put("parts/normal", scipy.stats.norm.ppf(np.arange(1, 16) / 16))
    out.put("parts/exponential", scipy.stats.expon.ppf(np.arange(1, 16) / 16))
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
        "bytes": np.array([[0, 255], [17, 3]], np.uint8),
        "small integers": np.array([-128, 127, 0], np.int8),
        "large unsigned": np.array([2**64 - 1, 1], np.uint64),
        "halves": np.array([0.1, 1 / 3, -2.5, 65504, 6e-8], np.float16),
        "half thirds": (np.arange(4) / 3).astype(np.float16),
        "complex": np.array([1 + 2j, -0.5 - 100j, 0], np.complex64),
        "complex thirds": (np.arange(4) / 3 - 1j * np.arange(4) / 7).astype(np.complex128),
        "complex special values": np.array([complex(np.nan, np.inf), complex(-1, -np.inf)], np.complex128),
        "only true": np.array([True, True]),
        "boolean scalar": np.array(True),
        "float64 scalar": np.array(1 / 3),
        "large float32 scalar": np.array(2e6, np.float32),
        "small float64 scalar": np.array(1.5e-5),
        "half scalar": np.array(0.015625, np.float16),
        "complex scalar": np.array(1 / 3 - 2j),
        "imaginary scalar": np.array(0.5j, np.complex64),
        "exponents of three digits": np.array([1e-100, 1.0, -2.5]),
        "millions": np.array([1e6, 2.5e6], np.float32),
        "thousands of halves": np.array([999, 1000, 2.5], np.float16),
        "powers of two in half": (2.0 ** np.arange(-12, 6, 3)).astype(np.float16),
        "wrapped matrix": (np.arange(3 * 17) / 7).astype(np.float32).reshape(3, 17),
        "long axes of rank 4": (np.arange(3 * 7 * 8 * 7) % 100).astype(np.int8).reshape(3, 7, 8, 7),
    }
    for key, x in cases.items():
        out.put(f"x/{key}", x)
        out.put(f"text/{key}", str(x))
    # with options: test/evaluate/printing.cpp has the same ones under the same names
    thirds, grid = np.arange(12).reshape(3, 4) / 3, np.arange(120, dtype=np.int8).reshape(10, 12)
    exact = dict(floatmode="fixed", suppress_small=True)
    exponent = {"float_kind": lambda v: np.format_float_scientific(v, precision=3, unique=False, trim="k")}
    for key, x, options in [
        ("precision", thirds, dict(precision=3)),
        ("precision of float32", thirds.astype(np.float32), dict(precision=2)),
        ("precision 0", thirds, dict(precision=0)),
        ("precision 20", thirds[0], dict(precision=20)),
        ("precision of halves", np.array([0.1245, 1 / 3, 2], np.float16), dict(precision=3)),
        ("precision of complex numbers", np.array([1 / 3 - 2j / 7, 2]), dict(precision=3)),
        ("precision of rank 0", np.array(1 / 3), dict(precision=3)),
        ("threshold", grid, dict(threshold=20, edgeitems=2)),
        ("threshold of a vector", np.arange(21), dict(threshold=20)),
        ("threshold that is met", np.arange(20), dict(threshold=20)),
        ("one edge item", grid, dict(threshold=20, edgeitems=1)),
        ("line width", thirds, dict(max_line_width=30)),
        ("narrow line", grid[0], dict(max_line_width=20)),
        ("without suppression", np.array([1e-5, 1, 123.5]), dict()),
        ("suppression", np.array([1e-5, 1, 123.5]), dict(suppress_small=True)),
        ("suppression of tiny numbers", np.array([1e-10, 0.5]), dict(suppress_small=True)),
        ("suppression does not hide large numbers", np.array([1e-10, 1e9]), dict(suppress_small=True)),
        ("fixed", thirds, dict(precision=3, **exact)),
        ("fixed, of whole numbers", np.array([1.0, -2, np.nan]), dict(precision=2, **exact)),
        ("fixed, of halves", np.array([0.015625, 1], np.float16), dict(precision=5, **exact)),
        ("fixed, of complex numbers", np.array([1 / 3 - 2j / 7, 2]), dict(precision=2, **exact)),
        ("scientific", thirds, dict(formatter=exponent)),
        ("all together", grid[:, :6] / 9.0 - 5, dict(precision=3, threshold=20, edgeitems=2, max_line_width=75, suppress_small=True)),
    ]:
        out.put(f"options/x/{key}", x)
        out.put(f"options/{key}", np.array2string(x, **options))
    out.write()


def npy():
    """Files npy/*.npy as NumPy writes them, or reads them; npy.bin has the arrays in them under the same names. They are
    also what the fuzzer of the reader begins with."""
    out, folder = Family("npy"), HERE / "npy"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.npy"):
        old.unlink()

    def put(key, data, value=None):
        (folder / f"{key}.npy").write_bytes(data)
        if value is not None:
            back = np.load(io.BytesIO(data))  # bfloat16 comes back as two bytes
            assert back.shape == value.shape and back.astype(back.dtype.newbyteorder("=")).tobytes() == value.tobytes(), key
            out.put(key, value)

    def saved(value, version=None):
        file = io.BytesIO()
        if version:
            np.lib.format.write_array(file, value, version)
        else:
            np.save(file, value)
        return file.getvalue()

    def by_hand(header, value, version=1):
        length = struct.pack("<H" if version == 1 else "<I", len(header))
        return b"\x93NUMPY" + bytes([version, 0]) + length + header.encode() + value.tobytes()

    for t in EVERY:
        x = np.array([[0, 1, 2.5], [3, 100, 127]]).astype(t)
        if t in INTEGERS:
            x[0, 0], x[0, 2] = np.iinfo(t).min, np.iinfo(t).max
        elif t in REALS:
            x[0, :2] = -np.inf, np.nan
        elif t in COMPLEX:
            x = x * np.array(1 - 2j, t)
        put(name(t), saved(x), x)
        if np.dtype(t).itemsize > 1 and t != BF16:
            put(f"big_endian_{name(t)}", saved(x.astype(x.dtype.newbyteorder(">"))), x)
    x = np.arange(15, dtype=np.float32).reshape(3, 5)
    put("rank_0", saved(np.array(2.5)), np.array(2.5))
    put("rank_1", saved(np.arange(11, dtype=np.int16)), np.arange(11, dtype=np.int16))
    put("rank_3", saved(np.arange(24, dtype=np.uint8).reshape(4, 2, 3)), np.arange(24, dtype=np.uint8).reshape(4, 2, 3))
    put("rank_8", saved(np.arange(16, dtype=np.int16).reshape(1, 2, 1, 2, 2, 1, 2, 1)), np.arange(16, dtype=np.int16).reshape(1, 2, 1, 2, 2, 1, 2, 1))
    put("empty", saved(np.zeros(0, np.float32)), np.zeros(0, np.float32))
    put("empty_rank_3", saved(np.zeros((3, 0, 2), np.int64)), np.zeros((3, 0, 2), np.int64))
    put("fortran", saved(np.asfortranarray(x)), x)
    for t in [np.bool_, np.float16, np.float64, np.complex128]:
        y = np.arange(6).reshape(2, 3).astype(t)
        put(f"fortran_{name(t)}", saved(np.asfortranarray(y)), y)
    y = np.arange(120, dtype=np.int8).reshape(2, 3, 5, 4)
    put("fortran_rank_4", saved(np.asfortranarray(y)), y)
    put("fortran_big_endian", saved(np.asfortranarray(x.astype(">f4"))), x)
    y = np.zeros((2, 0, 3), np.float32)
    put("fortran_empty", by_hand("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 0, 3)}\n", y), y)
    put("version_2", saved(x, (2, 0)), x)
    put("version_3", saved(x, (3, 0)), x)
    put("python_2", by_hand("{'descr': '<f4', 'fortran_order': False, 'shape': (3L, 5L), }      \n", x), x)
    put("double_quotes", by_hand('{"shape":(3,5),"fortran_order":False,"descr":"<f4"}', x), x)
    put("other_blanks", by_hand("\n{ 'descr'\t: 'f4',\n 'shape' : ( 3 , 5 , ) , 'fortran_order':False }\n\n", x, 3), x)
    put("native_order", by_hand("{'descr': '=f4', 'fortran_order': False, 'shape': (3, 5)}\n", x), x)
    put("more_behind", saved(x) + saved(x), x)
    put("structured", saved(np.zeros(2, [("x", "<i4"), ("y (z", "<f8", (2,))])))
    put("objects", saved(np.array([None, 1], object)))
    for key, shape in [("huge", "(1125899906842624, 16)"), ("too_large", "(4294967296, 4294967296)")]:
        put(key, by_hand(f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n", x))
    put("text", saved(np.array(["ab", "c"])))
    put("dates", saved(np.array(["2001-02-03"], "M8[D]")))
    out.write()


# Functions of rows. Their inputs are functions of their index, which support/rows.hpp has too, so that only answers are
# stored: of functions that keep the row, the elements at four positions and a sum with weights. All is float64.
LENGTHS = [1, 2, 31, 32, 33, 127, 128, 129, 1000, 1024, 4096, 8192, 12345, 32768, 262144, 1 << 20]


def scramble(x):
    x = np.asarray(x, np.uint32)
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D)
    x = (x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B)
    return x ^ (x >> np.uint32(16))


def grid(stream, count):
    """Whole numbers from 0 to 4095."""
    return (scramble(np.arange(count, dtype=np.uint32) + scramble(stream)) >> np.uint32(20)).astype(np.int64)


def between(stream, shape):
    """Numbers from -8 to 8, exact in float32."""
    return (grid(stream, math.prod(shape)).reshape(shape) - 2048) / 256


def positive(stream, shape):
    return (grid(stream, math.prod(shape)).reshape(shape) + 1) / 4096


def put_rows(out, op, f, inputs=(between, between), lengths=LENGTHS):
    for n in lengths:
        shape = (4 if n < 20000 else 2, n)
        y = f(*[make(stream, shape) for stream, make in enumerate(inputs)])
        if y.ndim == 2:
            weights = np.float64(grid(9, n) - 2048) / 2048
            y = np.column_stack([y[:, [0, n // 3, n // 2, n - 1]], (y * weights).sum(1)])
        out.put(f"{op}/{n}", np.float64(y))


def put_special(out, ops, huge):
    """Rows with what is no number, or all alike, or far from the others."""
    i, n, t = np.inf, np.nan, 2.0**-20
    x = np.array(
        [[1, n, 2, 3, 4, 5], [1, i, 2, 3, 4, 5], [1, -i, 2, 3, 4, 5], [-i] * 6, [i] * 6, [i, -i, 0, 1, 2, 3], [n] * 6, [2.5] * 6, [0] * 6,
         [huge, 1, 2, 3, 4, 5], [-huge, huge, huge, 0, 0, 0], [huge] * 6, [1000, 1001, 1002, 1003, 1004, 1005], [-1e4, -1e4, 0, 0, 0, 0],
         [16384 + v / 512 for v in (1, 5, 2, 8, 3, 7)], [t, 2 * t, 3 * t, -t, -2 * t, 0]])
    x = x.astype(np.float32)
    out.put("special/x", x)
    for op, f in ops.items():
        out.put(f"special/{op}", np.float64(f(x.astype(np.float64))))


def axes_cases(out, op, f, x, **options):
    for axis in [None, (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]:
        out.put(f"{op}/axis={axis_text(axis)}", np.asarray(f(x, axis=axis, **options)))


def correlation(x, y):
    dx, dy = x - x.mean(1, keepdims=True), y - y.mean(1, keepdims=True)
    return (dx * dy).sum(1) / np.sqrt((dx * dx).sum(1) * (dy * dy).sum(1))


def statistics():
    out = Family("statistics")
    put_rows(out, "var", lambda x, y: x.var(1))
    put_rows(out, "std", lambda x, y: x.std(1, ddof=1))
    put_rows(out, "far", lambda x, y: (x + 32768).var(1))
    put_rows(out, "outlier", lambda x, y: np.column_stack([x[:, 0] + 1e6, x[:, 1:]]).var(1))
    put_rows(out, "cov", lambda x, y: np.array([np.cov(a, b)[0, 1] for a, b in zip(x, y)]))
    put_rows(out, "corrcoef", correlation)
    put_special(out, {"var": lambda x: x.var(1), "std": lambda x: x.std(1, ddof=1)}, 1e15)
    x = between(5, (3, 4, 5))
    for t in [np.float32, np.float64]:
        axes_cases(out, f"var/{name(t)}", np.var, x, dtype=np.float64)
    axes_cases(out, "var/ddof=2", np.var, x, ddof=2)
    axes_cases(out, "std/keepdims", np.std, x, keepdims=True)
    for t in [np.bool_] + I:
        whole = grid(6, 60).reshape(3, 4, 5).astype(t) if t != np.bool_ else grid(6, 60).reshape(3, 4, 5) % 3 == 0
        out.put(f"x/{name(t)}", whole)
        out.put(f"var/{name(t)}", whole.var(1))
    for k in [0, 1, 2, 3, 4, 5]:
        out.put(f"ddof/{k}", np.array([[1, 2, 4, 8.0], [3, 3, 3, 3]]).var(1, ddof=k))
    rows = between(0, (5, 40))
    out.put("cov/matrix", np.cov(rows))
    out.put("cov/matrix/ddof=0", np.cov(rows, ddof=0))
    out.write()


def softmaxes():
    out = Family("softmax")
    put_rows(out, "softmax", lambda x, y: scipy.special.softmax(x, 1))
    put_rows(out, "log_softmax", lambda x, y: scipy.special.log_softmax(x, 1))
    put_rows(out, "logsumexp", lambda x, y: scipy.special.logsumexp(x, 1))
    ops = {"softmax": scipy.special.softmax, "log_softmax": scipy.special.log_softmax, "logsumexp": scipy.special.logsumexp}
    put_special(out, {op: lambda x, f=f: f(x, axis=1) for op, f in ops.items()}, 1e30)
    x = between(5, (3, 4, 5))
    for op, f in ops.items():
        out.put(f"{op}/axis=0,2", f(x, axis=(0, 2)))
        out.put(f"{op}/int32", f(np.int32(x), axis=2))
    out.put("logsumexp/axis=1/keepdims", scipy.special.logsumexp(x, axis=1, keepdims=True))
    out.put("logsumexp/axis=all", np.asarray(scipy.special.logsumexp(x)))
    out.write()


def standardized(x, axis, epsilon=0.0, ddof=0):
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True, ddof=ddof) + epsilon)


def rms_norm(x, axis, epsilon):
    return x / np.sqrt((x * x).mean(axis, keepdims=True) + epsilon)


def normalized(x, axis, order, epsilon=1e-12):
    return x / np.maximum(np.linalg.norm(x, order, axis, keepdims=True), epsilon)


def normalization():
    out = Family("normalization")
    put_rows(out, "layer_norm", lambda x, y: standardized(x, 1, 1e-5))
    put_rows(out, "layer_norm/weighted", lambda x, y: standardized(x, 1, 1e-5) * y[0] + y[1])
    put_rows(out, "rms_norm", lambda x, y: rms_norm(x, 1, 1e-6) * y[0])
    put_rows(out, "standardize", lambda x, y: scipy.stats.zscore(x, 1, ddof=1), lengths=LENGTHS[1:])
    for order in [1, 2, np.inf]:
        put_rows(out, f"normalize/{order}", lambda x, y: normalized(x, 1, order))
    ops = {"layer_norm": lambda x: standardized(x, 1, 1e-5), "rms_norm": lambda x: rms_norm(x, 1, 1e-6), "standardize": lambda x: scipy.stats.zscore(x, 1)}
    ops |= {f"normalize/{order}": lambda x, order=order: normalized(x, 1, order) for order in [1, 2, np.inf]}
    put_special(out, ops, 1e15)
    x = between(5, (3, 4, 5))
    out.put("layer_norm/axis=1,2", standardized(x, (1, 2), 1e-3) * between(1, (4, 5)) + between(2, (4, 5)))
    out.put("layer_norm/int32", standardized(np.int32(x), 2, 1e-5))
    out.put("standardize/axis=all", standardized(x, None))
    out.put("rms_norm/axis=0,2", rms_norm(x, (0, 2), 1e-6))
    for shape in [(6, 3), (2, 3, 50), (2, 3, 4, 5)]:
        x, w, b = between(5, shape), between(1, (3,)), between(2, (3,))
        along = (slice(None),) + (None,) * (len(shape) - 2)
        axes = tuple(k for k in range(len(shape)) if k != 1)
        y = standardized(x, axes, 1e-5)
        out.put(f"batch_norm/rank={len(shape)}", y)
        out.put(f"batch_norm/rank={len(shape)}/weighted", y * w[along] + b[along])
    out.write()


def cosine_similarity(x, y):
    length = lambda v: np.maximum(np.sqrt((v * v).sum(1)), 1e-8)
    return (x * y).sum(1) / (length(x) * length(y))


def losses():
    out = Family("losses")
    put_rows(out, "cosine_similarity", cosine_similarity)
    put_rows(out, "cross_entropy", lambda x, p: -(p * scipy.special.log_softmax(x, 1)).sum(1), (between, positive))
    put_rows(out, "cross_entropy/classes", lambda x, y: -scipy.special.log_softmax(x, 1)[np.arange(len(x)), grid(7, len(x)) % x.shape[1]])
    put_rows(out, "kl_div", lambda p, q: scipy.special.rel_entr(p, q).sum(1), (positive, positive))
    edges = np.array([0, 0.5, 1, -1, np.inf, np.nan])
    p, q = [v.ravel() for v in np.meshgrid(edges, edges)]
    out.put("rel_entr/p", p)
    out.put("rel_entr/q", q)
    out.put("rel_entr", scipy.special.rel_entr(p, q))
    out.write()


def scans():
    """Along each axis: NumPy's, from the end by flipping, and without each element by the one before it."""
    out = Family("scans")
    functions = {"cumsum": np.cumsum, "cumprod": np.cumprod, "cummax": np.maximum.accumulate, "cummin": np.minimum.accumulate}
    shape = (3, 5, 4)
    for t in [np.int32, np.uint8, np.float32, np.float64, np.complex64]:
        n, rng = name(t), np.random.default_rng(list(name(t).encode()))
        x = rng.integers(1, 4, shape).astype(t)
        if t == np.complex64:
            x = (x + 1j * rng.integers(-2, 3, shape)).astype(t)
        out.put(f"x/{n}", x)
        for f, compute in functions.items():
            if t == np.complex64 and f not in ("cumsum", "cumprod"):
                continue
            for axis in range(3):
                result = compute(x, axis=axis)
                out.put(f"{f}/{n}/axis={axis}", result)
                if t == np.float32:
                    out.put(f"{f}/{n}/axis={axis}/backwards", np.flip(compute(np.flip(x, axis), axis=axis), axis))
                if t == np.float32 and f in ("cumsum", "cumprod"):
                    first = np.full_like(np.take(x, [0], axis), 0 if f == "cumsum" else 1)
                    out.put(f"{f}/{n}/axis={axis}/exclusive",
                            np.concatenate([first, np.take(result, range(shape[axis] - 1), axis)], axis))
    special = np.array([1, np.nan, 2, np.inf, -np.inf, 0], np.float64)
    out.put("special", special)
    for f, compute in functions.items():
        out.put(f"{f}/special", compute(special))
    out.put("bool", np.array([True, False, True, True]))
    out.put("cumsum/bool", np.cumsum(np.array([True, False, True, True])))
    out.put("scalar", np.array(7.0))
    out.put("cumsum/scalar", np.cumsum(np.array(7.0)))
    out.write()


def optimizers():
    """Three steps of Adam in float64, each of p, m, v at once from the values before."""
    out = Family("optimizers")
    rng = np.random.default_rng(11)
    p, m, v, g = [rng.uniform(*bounds, (7, 33)).astype(np.float32) for bounds in [(-1, 1), (-0.1, 0.1), (0, 0.01), (-1, 1)]]
    for key, x in zip("pmvg", (p, m, v, g)):
        out.put(key, x)
    p, m, v, g = [x.astype(np.float64) for x in (p, m, v, g)]
    b1, b2, rate, epsilon = 0.875, 0.9375, 0.125, 0.0009765625
    for step in range(1, 4):
        m2, v2 = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        p, m, v = p - rate * m2 / (np.sqrt(v2) + epsilon), m2, v2
        for key, x in zip("pmv", (p, m, v)):
            out.put(f"{key}/{step}", x)
    out.write()


def numpy_names():
    """The functions of NumPy's main namespace, all of which docs/numpy.md speaks of."""
    names = sorted(n for n in dir(np) if not n.startswith("_") and callable(getattr(np, n)) and not isinstance(getattr(np, n), type))
    (HERE / "numpy_names.txt").write_text("\n".join(names) + "\n")


def programs():
    """The programs of docs/examples/programs: small operands, and what NumPy makes of them statement by statement."""
    out = Family("programs")
    rng = np.random.default_rng(21)
    x, y, z, w = (rng.uniform(0.1, 1.5, 601) for _ in range(4))
    m, square, other = rng.uniform(0, 1, (37, 23)), rng.uniform(0, 1, (29, 29)), rng.uniform(0, 1, (29, 29))
    row, picture = rng.uniform(0, 1, (1, 23)), rng.uniform(0, 1, (19, 21, 3))
    whole = rng.integers(0, 2**32, (23, 31), np.uint32)
    ru, rv = rng.uniform(0, 1, (45, 45)), rng.uniform(0, 1, (45, 45))
    food = np.array([0.75, 0.125, 9.5])
    for name, values in {"x": x, "y": y, "z": z, "w": w, "m": m, "square": square, "other": other, "row": row, "picture": picture,
                         "whole": whole, "ru": ru, "rv": rv, "food": food}.items():
        out.put(name, values)

    h = np.sin((z - x) / 2) ** 2 + np.cos(x) * np.cos(z) * np.sin((w - y) / 2) ** 2
    out.put("arc_distance", 2 * np.arctan2(np.sqrt(h), np.sqrt(1 - h)))
    grid = np.zeros((x.size // 17, x.size // 17, 3))
    grid[:, :, 0], grid[:, :, 1] = x[:grid.shape[0], None], x[:grid.shape[0]]
    out.put("create_grid", grid.reshape(-1, 3))
    for name, items in {"cronbach": square, "cronbach of 37 x 23": m}.items():
        n = items.shape[0]
        out.put(name, np.asarray(n / (n - 1) * (1 - items.var(1, ddof=1).sum() / items.sum(0).var(ddof=1))))
    out.put("euclidean_distance_square", -2 * np.dot(row, m.T) + np.square(row).sum(1)[:, None] + np.square(m).sum(1))
    around = np.roll(square, 1, 0) + np.roll(square, -1, 0) + np.roll(square, 1, 1) + np.roll(square, -1, 1)
    out.put("evolve", square + 0.1 * (around - 4 * square))
    dx, dy = (m[1:] - m[:-1])[:, 1:], (m[:, 1:] - m[:, :-1])[1:]
    a, b, c = dx * dx, dy * dy, dx * dy
    out.put("harris", (a * b - c * c) - 0.05 * (a + b) ** 2)
    a1, a2, b1, b2, d1, d2 = 5.0, 0.1, 3.0, 2.0, 0.4, 0.01
    f, g = a1 * food[0] * food[1] / (1 + b1 * food[0]), a2 * food[1] * food[2] / (1 + b2 * food[1])
    out.put("hasting", np.array([food[0] * (1 - food[0]) - f, f - g - d1 * food[1], g - d2 * food[2]]))
    out.put("l1norm", np.abs(square[:, None] - other).sum(-1))
    out.put("l2norm", np.sqrt((np.abs(m) ** 2).sum(1)))
    edges = np.abs(4 * picture[1:-1, 1:-1] - picture[:-2, 1:-1] - picture[2:, 1:-1] - picture[1:-1, :-2] - picture[1:-1, 2:])
    out.put("laplacien", edges / (max(1.0, edges.max()) + 1e-9))
    out.put("log_likelihood", np.asarray(np.log(np.exp(-(x - 0.1) ** 2 / (2 * 1.1**2)) / (math.sqrt(2 * math.pi) * 1.1)).sum()))
    slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()
    out.put("lstsqr slope", np.asarray(slope))
    out.put("lstsqr intercept", np.asarray(y.mean() - slope * x.mean()))
    weight, bias = 0.5, 0.25
    for _ in range(7):
        e = 1 / (1 + np.exp(-(weight * x + bias))) - y
        weight, bias = weight - 0.1 * (e * x).mean(), bias - 0.1 * e.mean()
    out.put("nn weight", np.asarray(weight))
    out.put("nn bias", np.asarray(bias))
    out.put("pairwise", np.sqrt(((m[None] - m[:, None]) ** 2).sum(-1)))
    out.put("pythagorean_id", np.sin(x) ** 2 + np.cos(x) ** 2)
    out.put("repeating", np.concat((x, np.repeat(x, 5))))
    out.put("reverse_cumsum", np.flip(np.cumsum(np.flip(x))))
    out.put("rosen", np.asarray((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()))
    rows = whole[:, :-2] + whole[:, 1:-1] + whole[:, 2:]
    out.put("specialconvolve", rows[:-2] + rows[1:-1] + rows[2:] - np.uint32(9) * whole[1:-1, 1:-1])
    out.put("vibr_energy", np.exp(-x * y - z * y**2))

    n, r = len(ru), 20
    u_all, v_all = np.zeros((n + 2, n + 2), np.float32), np.zeros((n + 2, n + 2), np.float32)
    u, v = u_all[1:-1, 1:-1], v_all[1:-1, 1:-1]
    u += 1
    middle = slice(n // 2 - r, n // 2 + r)
    u[middle, middle], v[middle, middle] = 0.5, 0.25
    u += 0.15 * ru
    v += 0.15 * rv
    laplace = lambda s: s[:-2, 1:-1] + s[1:-1, :-2] - 4 * s[1:-1, 1:-1] + s[1:-1, 2:] + s[2:, 1:-1]
    for step in range(10):
        if step in (0, 3):
            out.put(f"grayscott {step}", v_all.copy())
        lu, lv, w = laplace(u_all), laplace(v_all), u * v * v
        u += 0.16 * lu - w + 0.04 * (1 - u)
        v += 0.08 * lv + w - (0.04 + 0.06) * v
    out.put("grayscott 10", v_all)


def batches():
    """Arrays of one shape as one with an axis more in front, which NumPy stacks first."""
    out = Family("batches")
    rng = np.random.default_rng(20)
    x = rng.integers(-20, 20, (5, 3, 4)).astype(np.float32)
    u = rng.integers(0, 256, (37, 5, 7)).astype(np.uint8)
    v = rng.integers(-9, 9, (3, 67)).astype(np.int32)
    w = np.array([2, -1, 0.5, 3, 1], dtype=np.float32)
    for name, values in {"x": x, "u": u, "v": v, "w": w}.items():
        out.put(name, values)
    names = {"x": x, "u": u, "v": v, "w": w, "np": np, "f": np.float32}
    for call in ["x[:,0,0]", "x[:0]", "x[:1]", "x*2+1", "((u.astype(f)*0.5-3)/8)", "x*w[:,None,None]", "x+x[0]", "x+x[:1]", "x-x[::-1]", "w[[0,-1]]+1", "x.sum(1)", "w*1", "v+v[::-1]",
                 # viewed
                 "x[1:4,::-1,2]", "x.T*2", "x[:,:,None]+1", "x[-1]", "u[::3,1:,::-2]", "np.roll(x,2,1)", "np.take(x,[4,0,-1],0)", "np.broadcast_to(x[:,:1],(2,5,6,4))*2",
                 # of views
                 "x[:,1:,::2]", "x[:,::-1]", "x.transpose(0,2,1)",
                 # reduced and scanned
                 "x.sum()", "x.sum(0)", "x.sum((1,2))", "x.max(2)", "(x*2+1).sum(1)", "u.sum(dtype=np.int64)", "v.sum(1)", "x-x.mean((1,2),keepdims=True)", "x-x.max(2,keepdims=True)", "x-x.max(0)", "np.cumsum(x,2)", "np.cumsum(x,0)", "x.argmax(0)", "x[:0].sum(0)"]:
        answer = np.asarray(eval(call, names))
        out.put(call, answer)
    out.write()


def selections():
    """Elements that masks and indices name, read and written, and histograms."""
    out = Family("selections")
    x = (np.arange(3 * 4 * 5, dtype=np.int32) * 7 % 31 - 12).reshape(3, 4, 5)
    v = np.array([0.5, 2.0, -1.0, np.nan, 3.5, 2.0, -4.0, 1.0, 0.0])
    f = np.array([1.5, -2.5, 0.25, 8.0, -0.75, 4.0, 2.0], dtype=np.float32)
    i = np.array([2, 0, -1, 2, -3, 0, 1], dtype=np.int64)
    j = np.array([[1, -2], [3, 3]], dtype=np.int32)
    n = np.array([3, 1, 0, 3, 3, 7, 1], dtype=np.int32)
    w = np.array([0.5, 1.25, -2.0, 4.0, 0.125, 3.0, 8.0])
    z = (np.arange(4) + 1j * np.arange(4)[::-1]).astype(np.complex64)
    names = {"x": x, "v": v, "f": f, "i": i, "j": j, "n": n, "w": w, "z": z}
    for name, values in names.items():
        out.put(name, values)
    names |= {"np": np}
    for call in ["v[v>1]", "v[v>1]*2+1", "x[x>3]", "x[x>3]*2", "np.sqrt(v[v>=0])", "x[x>100]", "x[x>-100]", "v[:0][v[:0]>1]", "v[1:2][v[1:2]>1]", "v[::-2][v[::-2]<2]", "x.T[x.T>5]", "x[1:,::-1][x[1:,::-1]%2==0]", "f[f>0].astype(np.float64)",
                 "(x*2+x[:1])[x>0]", "x[x>x.mean()]", "v[np.isnan(v)]", "z[z.real>1]", "x[x>0]*x[x>0]", "v[(v>0)&(v<3)]", "(v*2)[(v>0)&(v*2<5)]", "x[x.cumsum(0)>0]",
                 "x[x>3].sum()", "x[x>3].min()", "x[x>3].max()", "x[x>3].mean()", "f[f>0].prod()", "f[f>0].mean()", "(x[x>3]>5).all()", "(x[x>3]>5).any()", "np.count_nonzero(x[x>=0])", "(x[x>3]*2+1).sum()", "v[v>0].sum()", "v[~(v>0)].max()",
                 "np.compress([True,False,True],x,0)", "np.compress([False,True,True,False,True],x*2,2)", "x[np.array([True,False,True])]", "np.flatnonzero(x>3)", "np.flatnonzero(v)", "np.nonzero(x>3)[0]", "np.nonzero(x>3)[1]", "np.nonzero(x>3)[2]", "np.nonzero(v>1)[0]", "np.argwhere(x>3)",
                 "x[i]", "x[j-1]", "x[i,i+1]", "x[j-1,j-2,j]", "x[i]*2+1", "v[j*2]", "x[i].sum(0)"]:
        out.put(call, eval(call, names))
    def statements(start, cases):
        for case in cases:
            own = {k: a.copy() if isinstance(a, np.ndarray) else a for k, a in names.items()}
            exec(case, own)
            out.put(case, own[start])
    statements("x", ["x[x>3]=0", "x[x>3]*=2", "x[x>3]+=x[x>3]", "x[x<-5]=np.arange((x<-5).sum())", "x[x>3]=x.max()", "x[i]=-1", "x[i]=np.arange(5)", "x[i]=x[::-1][i]*2", "x[i[:3],i[:3]+1]=7", "x[j-1]=x[0]", "x[i]+=1", "x[np.array([True,False,True])]=5", "x[i[:0]]=3",
                     "np.put(x,i*11,-5)", "np.put(x,i*11,[1,2,3])", "np.put(x,j,x[0])", "np.add.at(x,i,1)", "np.add.at(x,i,np.arange(5))", "np.add.at(x,i[:2],x[1:])", "np.add.at(x,j-1,2)"])
    statements("v", ["v[v>1]=0.5", "v[np.isnan(v)]=v[0]", "v[i]=w", "v[i]=i", "np.add.at(v,i,w)", "np.add.at(v,i*0,w)"])
    statements("f", ["np.add.at(f,i,f)", "f[i]=f*2"])
    statements("z", ["np.add.at(z,i,1)"])
    for call in ["np.bincount(n)", "np.bincount(n,minlength=12)", "np.bincount(n+2)", "np.bincount(n,w)", "np.bincount(n[:0],minlength=3)", "np.bincount(n,w,12)"]:
        out.put(call, eval(call, names))
    u = (np.arange(1000) * 37 % 1000) / np.float64(10)
    names |= {"u": u, "g": u.astype(np.float32), "h": np.array([0.1, 0.7, 2.0, 2.5, 9.0])}
    for name in "ugh":
        out.put(name, names[name])
    for call in ["np.histogram(u)", "np.histogram(u,7)", "np.histogram(u,100,(0,100))", "np.histogram(u,33,(-3.3,77.7))", "np.histogram(g,13)", "np.histogram(g,100,(0,10))", "np.histogram(x,6)", "np.histogram(x,5,(0,9))", "np.histogram(v,4,(-1,3))", "np.histogram(u*2+1,11)", "np.histogram(u,h)",
                 "np.histogram(g,h)", "np.histogram(w[:1],3)", "np.histogram(w[:0],3)", "np.histogram(n,4)", "np.histogram(u,3000)"]:
        counts, edges = eval(call, names)
        out.put(call + "[0]", counts)
        out.put(call + "[1]", edges)
    out.write()


if __name__ == "__main__":
    numpy_names()
    elementwise()
    casts()
    promotion()
    reductions()
    derived_reductions()
    views()
    rolls()
    products()
    matrix_products()
    parts()
    linear_algebra()
    fourier()
    gathers()
    batches()
    selections()
    sorting()
    lazy_arrays()
    broadcasting()
    creation()
    grids()
    randoms()
    printing()
    npy()
    statistics()
    softmaxes()
    normalization()
    losses()
    scans()
    optimizers()
    programs()
    total = sum(f.stat().st_size for f in HERE.glob("*.bin"))
    assert total < 3_000_000, total
    print(f"total: {total} bytes")
