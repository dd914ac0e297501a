# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What NumPy says of an expression, and how far the library's answer may be from it.

A Value is an array as NumPy computes it in the element type of the library, and with each element a bound of the
error: 0 where the bits are prescribed, infinity where there is no one answer (both sides of a jump are within the error
of an operand, an argument is outside of an operation's domain). Bounds are propagated: an operation is evaluated again
in a wider type at the ends of its operands' intervals, which needs no derivatives, so that an operation that is new in
the registry is known here at once. The registry is read from docs/operations.md, which is written from it and checked.
"""

import pathlib
import sys

import ml_dtypes
import numpy as np
import scipy.special

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "data"))
import generate  # noqa: E402

assert np.__version__ >= "2", "the answers are those of NumPy 2"
np.seterr(all="ignore")

BF16 = np.dtype(ml_dtypes.bfloat16)
BOOL, INT32, INT64, UINT64 = np.dtype(bool), np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.uint64)
F16, F32, F64 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)
C64, C128 = np.dtype(np.complex64), np.dtype(np.complex128)
INTEGERS = [np.dtype(t) for t in generate.INTEGERS]
SMALL, REALS, COMPLEX = [F16, BF16], [F16, BF16, F32, F64], [C64, C128]
EVERY = [BOOL] + INTEGERS + REALS + COMPLEX
CODES = {t: k for k, t in enumerate([BOOL] + [np.dtype(t) for t in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)] + REALS + COMPLEX)}
ROWS = {row["operation"]: row for row in generate.table("Element by element")}
MONOIDS = {row["reduction"]: row for row in generate.table("Reductions")}
PART = {C64: F32, C128: F64}
WIDE = {F16: F64, BF16: F64, F32: F64, F64: np.dtype(np.longdouble), C64: C128, C128: np.dtype(np.clongdouble)}


class Invalid(Exception):
    """The library refuses this expression, or NumPy has no answer to it."""


def kind(t):
    return "b" if t == BOOL else "i" if t in INTEGERS else "f" if t in REALS else "c"


def eps(t):
    return float(ml_dtypes.finfo(PART.get(t, t)).eps)


def largest(t):
    return float(ml_dtypes.finfo(PART.get(t, t)).max)


def ulp(v, t):
    """The unit in the last place of numbers as large as v, complex ones by their length."""
    f = ml_dtypes.finfo(PART.get(t, t))
    size = np.minimum(np.abs(np.asarray(v, WIDE[t] if v.dtype == t else v.dtype)).astype(np.float64), float(f.max))
    exponent = np.frexp(np.where(np.isnan(size), 0, size))[1]
    return np.maximum(np.ldexp(float(f.eps), exponent - 1), float(f.smallest_subnormal))


def promoted(a, b):
    """Where two element types meet: NumPy's rule, but bool and numbers do not mix, nor do int64 and uint64."""
    if a == b:
        return a
    if BOOL in (a, b) or {a, b} == {INT64, UINT64} or (UINT64 in (a, b) and all(kind(t) == "i" for t in (a, b)) and np.promote_types(a, b) == F64):
        raise Invalid(f"{a} and {b} have no common type")
    if b == BF16:
        a, b = b, a
    if a != BF16:
        return np.promote_types(a, b)
    if kind(b) == "i":
        return BF16 if b.itemsize == 1 else F32 if b.itemsize == 2 else F64
    return {F16: F32, F32: F32, F64: F64, C64: C64, C128: C128}[b]


class Weak:
    """A C++ scalar: it takes the element type of the arrays it meets; alone it is an int if that holds it, or a double."""

    def __init__(self, value):
        self.value = value
        self.kind = {bool: "b", int: "i", float: "f", complex: "c"}[type(value)]
        self.dtype = {"b": BOOL, "i": INT32 if abs(value) < 2**31 else INT64, "f": F64, "c": C128}[self.kind]


def common(operands):
    """The type in which operands meet, scalars among them."""
    strong = [a.dtype for a in operands if isinstance(a, Value)]
    weak = [a for a in operands if isinstance(a, Weak)]
    if not strong:
        t = weak[0].dtype
        for w in weak[1:]:
            t = promoted(t, w.dtype)
        return t
    t = strong[0]
    for u in strong[1:]:
        t = promoted(t, u)
    if any(w.kind == "c" for w in weak) and kind(t) in "if":
        t = promoted(F64 if kind(t) == "i" else t, C64)
    for w in weak:
        if (w.kind == "b") != (t == BOOL) or (w.kind == "f" and kind(t) == "i") or (w.kind == "c" and kind(t) not in "c"):
            raise Invalid("a scalar that does not adapt")
        if w.kind == "i" and kind(t) == "i" and not np.iinfo(t).min <= w.value <= np.iinfo(t).max:
            raise Invalid("a scalar that does not fit")
    return t


class Value:
    __slots__ = ("v", "e", "sure")

    def __init__(self, v, e=None, sure=False):
        self.v = np.asarray(v)
        self.e = np.zeros(self.v.shape) if e is None else np.broadcast_to(np.asarray(e, np.float64), self.v.shape)
        self.sure = sure  # whether the signs of zeros and NaN are the library's

    dtype = property(lambda self: self.v.dtype)
    shape = property(lambda self: self.v.shape)

    def map(self, f):
        """A view."""
        return Value(f(self.v), f(self.e), self.sure)


def rounded(w, t):
    """Wide numbers in type t, rounded once."""
    if t in SMALL and w.dtype != F32:
        # to odd in float32 first, or bfloat16 would be rounded twice
        near = w.astype(F32)
        back = near.astype(w.dtype)
        bits = near.view(np.uint32)
        odd = (np.where(np.abs(back) > np.abs(w), bits - np.uint32(1), bits) | np.uint32(1)).view(F32)
        near = np.where((back == w) | ~np.isfinite(w) | ~np.isfinite(back), near, odd)
        return near.astype(t)
    return w.astype(t)


def cast(x, t):
    """cast<T>(x): wraps integers, saturates reals, NaN is 0."""
    s, v, e = x.dtype, x.v, x.e
    if s == t:
        return x
    if kind(s) == "c" and kind(t) not in "cb":
        raise Invalid("complex to real")
    if t == BOOL:
        # complex numbers are near zero by their length
        near = (np.abs(v.astype(WIDE.get(s, s))) <= e) & (e > 0) if kind(s) in "fc" else e > 0
        return Value(v.astype(WIDE.get(s, s)) != 0, np.where(near, np.inf, 0))
    if kind(t) == "i":
        if kind(s) in "bi":
            return Value(v.astype(t), e)
        w = v.astype(WIDE[s])

        def whole(w):
            low, high = np.iinfo(t).min, np.iinfo(t).max
            inside = (w > float(low) - 1) & (w < float(high) + 1) if t.itemsize < 8 else (w >= float(low)) & (w < float(high))
            r = np.where(inside, w, 0).astype(t)
            return np.where(np.isnan(w), 0, np.where(inside, r, np.where(w < 0, low, high).astype(t))).astype(t)

        r = whole(w)
        f = np.where(np.isfinite(e), e, 0)
        jump = ((whole(w - f) != r) | (whole(w + f) != r)) & (f > 0)
        return Value(r, np.where(jump | ~np.isfinite(e), np.inf, 0))
    if kind(s) in "bi":
        if t in SMALL:  # NumPy rounds large ones to float first, which is one rounding too many
            once = rounded(v.astype(WIDE[F64]), t)
            return Value(once, np.where(v.astype(F32).astype(t) == once, e, np.inf))
        return Value(v.astype(t), e)
    r = rounded(v.astype(WIDE[s]), t) if kind(t) == "f" else v.astype(t)
    return Value(r, widened_error(r, v, e, t), False)


def widened_error(r, w, e, t, base=0.0):
    """The error e of w, where w was rounded to r in type t; inexact numbers are rounded to a neighbour at worst."""
    grown = np.where((e > 0) | (base > 0), e + base + ulp(r, t), 0.0)
    edge = (grown > 0) & np.isfinite(w) & (np.abs(w).astype(np.float64) + 2 * grown >= largest(t))
    return np.where(edge, np.inf, grown)


# Operations whose change is bounded by that of their operands, or which are monotonous: the ends of an interval tell all.
TAME = {"add", "subtract", "multiply", "negative", "positive", "abs", "square", "maximum", "minimum", "fmax", "fmin", "clip", "relu", "floor",
        "ceil", "trunc", "round", "sign", "heaviside", "nan_to_num", "real", "imag", "conj", "sin", "cos", "tanh", "atan", "sigmoid", "erf", "deg2rad",
        "rad2deg", "asinh", "hypot", "silu", "gelu", "gelu_tanh", "softplus", "sinc", "logaddexp", "cbrt"}
BITS = {"isnan", "isinf", "isfinite"}


def sinpi_over_pi(x):
    whole = np.rint(x)
    pi = np.longdouble("3.14159265358979323846264338327950288") if x.dtype == np.longdouble else np.pi
    sign = np.where(np.fmod(whole, 2) != 0, -1, 1)
    return np.where(np.isinf(x), np.nan, np.where(x == 0, 1, sign * np.sin(pi * (x - whole)) / (pi * np.where(x == 0, 1, x))))


def log_of(base):
    return lambda z: np.log(z) / np.log(np.asarray(base, z.real.dtype)) if z.dtype.kind == "c" else getattr(np, f"log{base}")(z)


WIDE_OWN = {"sinc": sinpi_over_pi, "log2": log_of(2), "log10": log_of(10), "where": np.where}


def function_of(name):
    return WIDE_OWN.get(name) or generate.numpy_function(ROWS[name])


def in_wide(name, args):
    """The operation in the wider type; SciPy's functions that lack it in double."""
    f = function_of(name)
    try:
        r = np.asarray(f(*args))
        if all(a.dtype != np.longdouble for a in args) or r.dtype != F64:
            return r, False
    except TypeError:
        pass
    return np.asarray(f(*[a.astype(F64) if a.dtype == np.longdouble else a for a in args])), any(a.dtype == np.longdouble for a in args)


def domain_of(row):
    return (-np.inf, np.inf) if row["domain"] == "all" else tuple(float(v) for v in row["domain"].split(" to "))


def result_type(row, t):
    if row["result"] in ("bool", "int32"):
        return np.dtype(row["result"])
    if kind(t) == "c" and "parts of complex" in row["result"]:
        return PART[t]
    return t


def accepts(row, t):
    return t.type in generate.element_types(row["element types"]) or (t == BF16 and generate.BF16 in generate.element_types(row["element types"]))


# Whether products may be kept exact for the sum that follows, as nvcc does.
contracts = False


def operation(name, operands):
    """The value of an operation of the registry."""
    row = ROWS[name]
    words = row["element types"].split("; ")[0]
    if len(operands) != int(row["operands"]):
        raise Invalid("operands")
    try:
        np.broadcast_shapes(*[a.shape for a in operands if isinstance(a, Value)])
    except ValueError:
        raise Invalid("shapes")
    logical = name.startswith("logical_")
    if logical:
        t = BOOL
        args = [as_type(a, BOOL) for a in operands]
    elif words == "condition":
        if operands[0].dtype != BOOL:
            raise Invalid("condition")
        t = common(operands[1:])
        args = [operands[0] if isinstance(operands[0], Value) else as_type(operands[0], BOOL)] + [as_type(a, t) for a in operands[1:]]
    elif words == "exponent":
        if operands[1].dtype not in INTEGERS:
            raise Invalid("exponent")
        t = operands[0].dtype
        if not isinstance(operands[0], Value):
            raise Invalid("a scalar's exponent")
        args = [operands[0], as_type(operands[1], operands[1].dtype)]
    else:
        kinds = [a.dtype for a in operands]
        unlike = row["result"] == "bool" and set(kinds) == {INT64, UINT64} and len(kinds) == 2
        t = INT64 if unlike else common(operands)
        args = [a if unlike and isinstance(a, Value) else as_type(a, t) for a in operands]
        if unlike and not all(isinstance(a, Value) for a in operands):
            raise Invalid("a scalar beside an unlike type")
    if not accepts(row, t):
        raise Invalid(f"{name} of {t}")
    if kind(t) == "i" and row["result"].startswith("float64 of integers"):
        args = [as_type(a, F64) if words != "exponent" or k == 0 else a for k, a in enumerate(args)]
        t = F64
    if name == "pow" and kind(t) == "i" and np.any(args[1].v < 0):
        raise Invalid("a negative power of an integer")
    if name == "where":
        c, x, y = args
        e = np.where(c.e > 0, np.inf, np.where(c.v, x.e, y.e))
        return Value(np.where(c.v, x.v, y.v), np.broadcast_to(e, np.broadcast_shapes(c.shape, x.shape, y.shape)), x.sure and y.sure)
    r = result_type(row, t)
    if kind(t) not in "fc" or logical:
        return whole(name, row, args, t, r)
    power = operands[1].value if name == "pow" and isinstance(operands[1], Weak) and operands[1].kind == "i" else None
    return floating(name, row, args, t, r, power)


def as_type(a, t):
    if isinstance(a, Value):
        return cast(a, t)
    if t == BOOL and a.kind != "b":
        return Value(np.asarray(a.value != 0))
    return Value(np.asarray(a.value).astype(t), None, True)


def whole(name, row, args, t, r):
    """Of integers and bool: exact, or unknown."""
    f = generate.OURS.get(name) or getattr(np, row["NumPy"].split("[")[0])
    if name in ("mantissa", "exponent"):
        f = generate.OURS[name]
    v = np.asarray(f(*[a.v for a in args]))
    unknown = np.zeros(v.shape, bool)
    for a in args:
        unknown = unknown | (a.e > 0)
    if v.dtype != r:
        v = v.astype(r)
    return Value(v, np.where(unknown, np.inf, 0))


def ulps(text):
    """(units in the last place, units of one)"""
    head = text.split(" (")
    return float(head[0] or 0), float(head[1].split(" ")[0]) if len(head) > 1 else 0.0


def floating(name, row, args, t, r, power=None):
    """Of reals and complex numbers. power: an integer exponent, which becomes products, of any number."""
    is_complex = kind(t) == "c"
    units, of_one = ulps(row["error of complex" if is_complex else "error, ulp"])
    units += abs(power or 0)
    f = function_of(name)
    real_args = [a for a in args if kind(a.dtype) in "fc"]
    wide = [a.v.astype(WIDE[a.dtype]) if kind(a.dtype) in "fc" else a.v for a in args]
    w, narrow = in_wide(name, wide)
    exact_path = units == 0 or (is_complex and name in generate.EXACTLY)
    if exact_path:
        # what is stored in 16 bits is computed in float32 and rounded once
        as_is = name in ("nextafter", "nan_to_num")
        own = generate.numpy_function(row)
        v = np.asarray(own(*[a.v.astype(F32) if a.dtype in SMALL and not as_is else a.v for a in args]))
        if v.dtype != r:
            v = rounded(v, r) if kind(r) == "f" else v.astype(r)
    else:
        v = rounded(w.real if kind(r) == "f" and w.dtype.kind == "c" else w, r) if kind(r) == "f" else w.astype(r)
    v = np.broadcast_to(v, np.broadcast_shapes(*[a.shape for a in args]))
    w = np.broadcast_to(w, v.shape)
    unknown = np.zeros(v.shape, bool)
    inexact = np.zeros(v.shape, bool)
    for a in args:
        unknown = unknown | ~np.isfinite(a.e)
        inexact = inexact | (a.e > 0)
    size = np.abs(w).astype(np.float64)
    # the operation's own error
    base = np.zeros(v.shape)
    if units > 0 and kind(r) in "fc":
        if t in SMALL:
            base = units * 2.0**-23 * size + of_one * 2.0**-23
        else:
            base = (units + (16 if narrow else 1)) * ulp(v, r) + of_one * eps(r)
    if contracts and name in ("multiply", "square") and t in (F32, F64):
        base = np.maximum(base, np.where(np.isfinite(size), np.abs(w - v.astype(w.dtype)).astype(np.float64) if t == F32 else ulp(v, r), 0))
    change = np.zeros(v.shape)
    discrete = r == BOOL or kind(r) == "i"

    def at(other):
        return np.broadcast_to(in_wide(name, other)[0], v.shape)

    def compare(p, mask):
        """Where p is no such neighbour of w as can be bounded."""
        nonlocal change, unknown
        same = (p == w) | (np.isnan(p) & np.isnan(w))
        differs = mask & ~same
        if discrete:
            unknown = unknown | differs
            return np.zeros(v.shape)
        unknown = unknown | (differs & ~(np.isfinite(p) & np.isfinite(w)))
        return np.where(differs & np.isfinite(p) & np.isfinite(w), np.abs(p - w).astype(np.float64), 0)

    for k, a in enumerate(args):
        if kind(a.dtype) not in "fc":
            continue
        err = np.where(np.isfinite(a.e), a.e, 0)
        if np.any(err > 0):
            worst = np.zeros(v.shape)
            # fmod and others jump inside of the interval: three places on each side
            for step in (1, -1, 1j, -1j) if is_complex else (1, -1) if name in TAME or discrete else (1, -1, 0.5, -0.5):
                other = list(wide)
                other[k] = wide[k] + (err * step).astype(wide[k].dtype)
                worst = np.maximum(worst, compare(at(other), np.broadcast_to(err > 0, v.shape)))
            change = change + worst * (1.5 if is_complex else 1)
            zero = np.broadcast_to((np.abs(wide[k]).astype(np.float64) <= err) & (err > 0), v.shape)
            if not discrete and np.any(zero):
                for z in (0.0, -0.0):
                    other = list(wide)
                    other[k] = np.where(np.abs(wide[k]).astype(np.float64) <= err, np.asarray(z, wide[k].dtype), wide[k])
                    change = np.maximum(change, compare(at(other), zero))
        # zeros whose sign nobody prescribes
        if not a.sure or is_complex:
            for part in ("real", "imag") if is_complex else ("real",):
                other = list(wide)
                flipped = wide[k].copy()
                target = getattr(flipped, part) if is_complex else flipped
                zero = target == 0
                if not np.any(zero):
                    continue
                target[zero] = -target[zero]
                other[k] = flipped
                p = at(other)
                mask = np.broadcast_to(zero, v.shape)
                step = compare(p, mask)
                unknown = unknown | (step > 64 * ulp(v, r) if not discrete else False)
        if not a.sure and name in ("signbit", "copysign"):
            unknown = unknown | np.isnan(wide[k])
    if discrete and len(args) == 2 and r == BOOL and name not in BITS:
        reach = args[0].e + args[1].e
        near = np.abs(wide[0] - wide[1]).astype(np.float64) <= reach
        unknown = unknown | (near & (reach > 0))
    if not discrete and name not in TAME:
        unknown = unknown | (change > 0.05 * size) | (name in ("remainder", "fmod", "floor_divide") and inexact)
    low, high = domain_of(row)
    if units > 0 and not is_complex and row["domain"] != "all" and power is None:
        for k, a in enumerate(args):
            if kind(a.dtype) in "f":
                known = np.isin(np.abs(wide[k]).astype(np.float64), [0, 0.5, 1, 2, np.inf]) | np.isnan(wide[k])
                unknown = unknown | ~((wide[k] >= low) & (wide[k] <= high) | known)
    if is_complex:
        # numbers that are not finite, or far from one
        finite = np.isfinite(v)
        for a in wide:
            length = np.abs(a).astype(np.float64)
            finite = finite & np.isfinite(a)
            if units > 0 and name not in ("equal", "not_equal"):
                limits = (1e-3, 20) if name not in generate.EXACTLY else (largest(t) ** -0.25, largest(t) ** 0.25)
                finite = finite & ((length == 0) | (length >= limits[0]) & (length <= limits[1]))
        unknown = unknown | ~finite if r not in (BOOL,) else unknown
    if discrete:
        return Value(v, np.where(unknown, np.inf, 0))
    error = widened_error(v, w, 1.25 * change, r, base) if not (units == 0 and not np.any(change) and not np.any(base)) else np.zeros(v.shape)
    error = np.where((change > 0) | (base > 0), error, 0)
    # a result that is infinite or NaN has no neighbours
    error = np.where(np.isfinite(v), error, np.where((error > 0) & np.isfinite(w), np.inf, 0))
    return Value(v, np.where(unknown, np.inf, error))


# ---- reductions


def accumulator(t):
    return INT64 if t == BOOL or (kind(t) == "i" and t.kind == "i") else UINT64 if kind(t) == "i" else F32 if t in SMALL else t


def axes_of(axes, rank):
    if axes is None:
        return tuple(range(rank))
    if any(not -rank <= a < rank for a in axes) or len({a % rank for a in axes}) != len(axes):
        raise Invalid("axes")
    return tuple(a % rank for a in axes)


def reduction(name, x, axes=None, keepdims=False):
    """sum, prod, max, min, all, any, mean, argmax, argmin, count_nonzero."""
    t, where = x.dtype, axes_of(axes, len(x.shape))
    count = int(np.prod([x.shape[a] for a in where], dtype=int))
    kept = [n for a, n in enumerate(x.shape) if a not in where]
    options = dict(axis=where, keepdims=keepdims)
    if name == "mean":
        # kept in float, and stored in 16 bits at the end
        s = reduction("sum", cast(x, F32) if t in SMALL else x, axes, keepdims)
        s = cast(s, F64) if kind(s.dtype) == "i" else s
        q = operation("divide", [s, Value(np.asarray(count, s.dtype))])
        return cast(q, t) if t in SMALL else q
    if name == "count_nonzero":
        return reduction("sum", cast(x, BOOL), axes, keepdims)
    if name in ("all", "any"):
        b = cast(x, BOOL)
        decides = name == "any"
        sure = (b.v == decides) & (b.e == 0)
        v = getattr(np, name)(b.v, **options)
        return Value(v, np.where(np.any(sure, **options), 0, np.max(b.e, initial=0, **options)))
    if name in ("max", "min", "argmax", "argmin"):
        if kind(t) == "c":
            raise Invalid("complex numbers have no order")
        if count == 0 and (name.startswith("arg") or 0 not in kept):
            raise Invalid("no elements")
        if name.startswith("arg"):
            return place(name, x, where, keepdims)
        if count == 0:
            return Value(np.zeros([n if a not in where else 1 for a, n in enumerate(x.shape)] if keepdims else kept, t))
        wide = x.v.astype(F32) if t in SMALL else x.v
        return Value(getattr(np, name)(wide, **options).astype(t), np.max(x.e, **options))
    if kind(t) in "bi":
        v = getattr(np, name)(x.v, dtype=accumulator(t), **options)
        return Value(v, np.max(x.e, initial=0, **options))
    w = x.v.astype(WIDE[t])
    e = np.where(np.isfinite(x.e), x.e, 0)
    unknown = np.any(~np.isfinite(x.e), **options)
    unit = eps(accumulator(t))
    total = getattr(np, name)(w, **options)
    if name == "sum":
        size = np.sum(np.where(np.isfinite(w), np.abs(w), 0), **options).astype(np.float64)
        own = unit * size * min(count, 64 + 2 * int(np.log2(count + 1))) if count > 1 else 0 * size
        # sums of few bits are exact in any order
        if count and kind(t) == "f":
            grain = np.min(np.where(w != 0, low_bit(w), np.inf), initial=np.inf, **options)
            own = np.where((size < grain / unit) & ~np.any(e > 0, **options), 0, own)
        change = np.sum(e, **options)
        over = size + change + own >= largest(accumulator(t)) * 0.99
        # two infinities, or one beside a part of the sum that is infinite: that depends on the order
        unknown = unknown | (over & ~np.isnan(total))
    else:
        size = np.prod(np.abs(w), **options).astype(np.float64)
        change = np.abs(np.prod(np.abs(w) + e, **options) - size).astype(np.float64) * 1.01
        own = (4 if kind(t) == "c" else 1) * unit * size * count if count > 1 else 0 * size
        if kind(t) == "f" and count > 1:  # powers of two and the like
            bits = np.sum(np.where(w != 0, np.log2(np.abs(w).astype(np.float64) / low_bit(w)) + 1, 0), **options)
            own = np.where((bits < -np.log2(unit)) & ~np.any(e > 0, **options), 0, own)
        big = np.prod(np.maximum(np.abs(w).astype(np.float64), 1), **options)
        tiny = np.prod(np.where(w == 0, 1, np.minimum(np.abs(w).astype(np.float64), 1)), **options)
        unknown = unknown | ((count > 1) & ((big >= largest(accumulator(t)) * 0.99) | (tiny < float(ml_dtypes.finfo(PART.get(t, accumulator(t))).tiny) * 1e3)))
    if kind(t) == "c":
        unknown = unknown | ~np.isfinite(total)
    inexact = (change > 0) | (own > 0)
    v = rounded(total, t) if kind(t) == "f" else total.astype(t)
    v = np.asarray(v)
    error = np.where(inexact & np.isfinite(v), widened_error(v, total, change, t, own), 0)
    return Value(v, np.where(unknown, np.inf, error))


def low_bit(w):
    """The value of the lowest bit that is set."""
    m, exponent = np.frexp(np.where(np.isfinite(w), w, 0).astype(np.float64))
    whole = np.abs(np.ldexp(m, 53)).astype(np.int64)
    low = (whole & -whole).astype(np.float64)
    return np.where(whole == 0, np.inf, np.ldexp(low, exponent - 53))


def place(name, x, where, keepdims):
    rank = len(x.shape)
    others = [a for a in range(rank) if a not in where]
    kept = [x.shape[a] for a in others]
    lanes = lambda a: np.transpose(a, others + sorted(where)).reshape(kept + [int(np.prod([x.shape[a] for a in where], dtype=int))])
    v, e = lanes(x.v.astype(F32) if x.dtype in SMALL else x.v), lanes(x.e)
    at = np.asarray(getattr(np, name)(v, axis=-1))
    wide = v.astype(WIDE.get(x.dtype, x.dtype)) if kind(x.dtype) == "f" else v.astype(np.longdouble)
    best = np.take_along_axis(wide, at[..., None], -1)
    reach = np.take_along_axis(e, at[..., None], -1) + e
    mine = np.arange(v.shape[-1]) == at[..., None]
    near = (np.abs(best - wide).astype(np.float64) <= reach) & (reach > 0) & ~mine
    unknown = np.any(near, -1) | np.any(~np.isfinite(e), -1)
    unknown = unknown | (np.any(e > 0, -1) & np.any(~np.isfinite(wide), -1))
    shape = [1 if a in where else n for a, n in enumerate(x.shape)] if keepdims else kept
    return Value(at.astype(np.int64).reshape(shape), np.where(unknown, np.inf, 0).reshape(shape))


# ---- functions of several operations, by their formulas: their errors are those of the formulas


def as_real(x, bools=True):
    if kind(x.dtype) == "c" or (x.dtype == BOOL and not bools):
        raise Invalid("reals only")
    return x if x.dtype in (F32, F64) else cast(x, F32 if x.dtype in SMALL else F64)


def stored(x, z):
    return cast(z, x.dtype) if x.dtype in SMALL else z


def looser(x, units):
    """A value of whose formula another form is computed: so many epsilons more."""
    inexact = np.isfinite(x.v) & (np.abs(x.v) > 0)
    return Value(x.v, np.where(inexact, x.e + units * eps(x.dtype) * np.abs(x.v).astype(np.float64), x.e))


def number(x, value):
    return Value(np.asarray(value, x.dtype))


def count_of(x, axes):
    return int(np.prod([x.shape[a] for a in axes_of(axes, len(x.shape))], dtype=int))


def var(x, axes=None, keepdims=False, ddof=0):
    if kind(x.dtype) == "c":
        parts = [var(Value(getattr(x.v, p), x.e), axes, keepdims, ddof) for p in ("real", "imag")]
        return operation("add", parts)
    z = as_real(x)
    n = count_of(x, axes)
    d = centred(z, axes)
    total = reduction("sum", operation("square", [d]), axes, keepdims)
    q = operation("divide", [total, number(total, n - ddof)]) if n > ddof else operation("divide", [total, number(total, 0)])
    return stored(x, q) if n == 0 else stored(x, looser_absolute(looser(q, 64), z, axes, keepdims))


def centred(z, axes):
    """z less its mean, which one pass over z rounds otherwise than two do."""
    d = operation("subtract", [z, reduction("mean", z, axes, True)])
    return Value(d.v, np.where(np.isfinite(d.e), np.maximum(d.e, z.e + spread_error(z, axes)), np.inf))


def spread_error(z, axes):
    """The error of a distance from the mean: that of the mean, which counts as the elements' own do."""
    n = max(count_of(z, axes), 1)
    where = axes_of(axes, len(z.shape))
    own = np.sum(np.where(np.isfinite(z.e), z.e, 0), axis=where, keepdims=True) / n
    size = np.sum(np.where(np.isfinite(z.v), np.abs(z.v), 0).astype(np.float64), axis=where, keepdims=True) / n
    return own + eps(z.dtype) * size


def looser_absolute(q, z, axes, keepdims):
    """Elements that are all alike have no variance, but for what their mean was rounded by."""
    where = axes_of(axes, len(z.shape))
    size = np.max(np.where(np.isfinite(z.v), np.abs(z.v), 0).astype(np.float64), axis=where, keepdims=keepdims, initial=0)
    least = (eps(z.dtype) * size) ** 2 * 4
    huge = size**2 * max(count_of(z, axes), 1) >= largest(z.dtype) * 0.1
    e = np.where(huge, np.inf, np.where(np.isfinite(q.v), q.e + least, q.e))
    return Value(q.v, e)


def std(x, axes=None, keepdims=False, ddof=0):
    z = x if kind(x.dtype) == "c" else as_real(x)
    return stored(x, operation("sqrt", [var(z, axes, keepdims, ddof)]))


def norm(x, axes=None, keepdims=False, order=2):
    z = operation("abs", [x if kind(x.dtype) == "c" else as_real(x)])
    if order == "inf":
        return stored(x, reduction("max", z, axes, keepdims))
    if order == 0:
        return stored(x, cast(reduction("count_nonzero", z, axes, keepdims), z.dtype))
    if order == 1:
        return stored(x, reduction("sum", z, axes, keepdims))
    return stored(x, operation("sqrt", [reduction("sum", operation("square", [z]), axes, keepdims)]))


def ptp(x, axes=None, keepdims=False):
    return operation("subtract", [reduction("max", x, axes, keepdims), reduction("min", x, axes, keepdims)])


def exps(z, axes):
    return operation("exp", [operation("subtract", [z, reduction("max", z, axes, True)])])


def underflows(x):
    """exp below its domain: zero, or nearly."""
    return Value(x.v, np.where(np.isinf(x.e) & (x.v < 1e-30) & (x.v >= 0), 1e-30, x.e))


def softmax(x, axes=(-1,)):
    z = as_real(x, False)
    e = underflows(exps(z, axes))
    return stored(x, looser(operation("divide", [e, reduction("sum", e, axes, True)]), 4))


def finite_or_zero(x):
    """What SciPy subtracts, where the largest is no number to subtract."""
    return Value(np.where(np.isfinite(x.v), x.v, x.v.dtype.type(0)), x.e)


def log_softmax(x, axes=(-1,)):
    z = as_real(x, False)
    s = operation("subtract", [z, finite_or_zero(reduction("max", z, axes, True))])
    total = reduction("sum", underflows(operation("exp", [s])), axes, True)
    return stored(x, operation("subtract", [s, operation("log", [total])]))


def logsumexp(x, axes=None, keepdims=False):
    z = as_real(x, False)
    s = operation("subtract", [z, finite_or_zero(reduction("max", z, axes, True))])
    total = reduction("sum", underflows(operation("exp", [s])), axes, keepdims)
    return stored(x, operation("add", [operation("log", [total]), finite_or_zero(reduction("max", z, axes, keepdims))]))


def standardize(x, axes=None, ddof=0, epsilon=0.0):
    z = as_real(x, False)
    d = centred(z, axes)
    v = var(z, axes, True, ddof)
    scale = operation("sqrt", [operation("add", [v, Weak(float(epsilon))])])
    return stored(x, looser(operation("divide", [d, scale]), 4))


def layer_norm(x, axes=(-1,), epsilon=1e-5):
    return standardize(x, axes, 0, epsilon)


def rms_norm(x, axes=(-1,), epsilon=1e-3):
    z = as_real(x, False)
    m = reduction("mean", operation("square", [z]), axes, True)
    return stored(x, looser(operation("divide", [z, operation("sqrt", [operation("add", [m, Weak(float(epsilon))])])]), 4))


def normalize(x, axes=(-1,), order=2):
    z = as_real(x, False)
    length = norm(z, axes, True, order)
    return stored(x, looser(operation("divide", [z, operation("maximum", [length, Weak(1e-12)])]), 4))


def without_nan(x, instead):
    if kind(x.dtype) not in "fc":
        return x
    nan = operation("isnan", [x])
    return operation("where", [nan, Value(np.asarray(instead, x.dtype)), x])


def scan(name, x, axis=0, exclusive=False, backwards=False):
    """cumsum, cumprod, cummax, cummin: each element is the reduction of those up to it."""
    if not x.shape:
        x, axis = x.map(lambda a: np.reshape(a, (1,))), 0
    n = x.shape[axis]
    if n == 0:
        raise Invalid("no element tells the type of the results")
    if exclusive and name in ("cummax", "cummin"):
        raise Invalid("there is no largest of no elements")
    results = []
    for i in range(n):
        end = i if exclusive else i + 1
        part = (slice(n - end, None) if backwards else slice(0, end))
        index = tuple(part if a == axis % len(x.shape) else slice(None) for a in range(len(x.shape)))
        at = n - 1 - i if backwards else i
        results.insert(0 if backwards else at, reduction(name[3:], x.map(lambda a: a[index]), (axis,), True))
    return Value(np.concatenate([r.v for r in results], axis), np.concatenate([r.e for r in results], axis))


def nan_reduction(name, x, axes=None, keepdims=False):
    """nansum, nanprod, nanmax, nanmin, nanmean."""
    if name in ("nansum", "nanprod"):
        return reduction(name[3:], without_nan(x, name == "nanprod"), axes, keepdims)
    if name == "nanmean":
        z = as_real(x)
        n = cast(reduction("count_nonzero", operation("logical_not", [operation("isnan", [z])]), axes, keepdims), z.dtype)
        return stored(x, operation("divide", [reduction("sum", without_nan(z, 0), axes, keepdims), n]))
    if kind(x.dtype) == "c":
        raise Invalid("complex numbers have no order")
    far = -np.inf if name == "nanmax" else np.inf
    z = reduction(name[3:], without_nan(x, far) if kind(x.dtype) == "f" else x, axes, keepdims)
    if kind(x.dtype) != "f" or z.v.size == 0:
        return z
    nothing = reduction("all", operation("isnan", [x]), axes, keepdims)
    return operation("where", [nothing, Value(np.asarray(np.nan, x.dtype)), z])


def average(x, w, axes=None, keepdims=False):
    z, u = as_real(x), as_real(w)
    if axes is not None and len(axes) == u.v.ndim < z.v.ndim:  # weights that lie along those axes
        places = sorted(range(len(axes)), key=lambda k: axes[k] % z.v.ndim)
        lengths = {axes[k] % z.v.ndim: u.v.shape[k] for k in places}
        u = u.map(lambda a: a.transpose(places).reshape([lengths.get(axis, 1) for axis in range(z.v.ndim)]))
    try:
        u = u.map(lambda a: np.broadcast_to(a, z.shape))
    except ValueError:
        raise Invalid("weights")
    total = reduction("sum", operation("multiply", [z, u]), axes, keepdims)
    return stored(x, operation("divide", [total, reduction("sum", u, axes, keepdims)]))


def last(x, name):
    if not x.shape or kind(x.dtype) != "f":
        raise Invalid("rows of reals")
    return reduction(name, x, (-1,), True)


def exponentials(x):
    return operation("exp", [operation("subtract", [x, last(x, "max")])])


# Functions of arguments that are used more than once: C++ and NumPy, of a and b or of a alone, and the value.
FUSED = [
    ("a * b + a", lambda a, b: operation("add", [operation("multiply", [a, b]), a])),
    ("(a - b) * (b - a)", lambda a, b: operation("multiply", [operation("subtract", [a, b]), operation("subtract", [b, a])])),
    ("maximum(a, b) - minimum(b, a)", lambda a, b: operation("subtract", [operation("maximum", [a, b]), operation("minimum", [b, a])])),
    ("a - mean(a, axis<-1>, keepdims)", lambda a: operation("subtract", [a, last(a, "mean")])),
    ("exp(a - max(a, axis<-1>, keepdims)) / sum(exp(a - max(a, axis<-1>, keepdims)), axis<-1>, keepdims)",
     lambda a: operation("divide", [exponentials(a), last(exponentials(a), "sum")])),
    ("a - b * sum(a, axis<-1>, keepdims)", lambda a, b: operation("subtract", [a, operation("multiply", [b, last(a, "sum")])])),
]


def fused(*values_and_number):
    *values, number = values_and_number
    return FUSED[number][1](*values)
