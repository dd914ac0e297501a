# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear algebra and Fourier transforms: bounds are those of the algorithms, for matrices that are far from singular."""

import numpy as np

import reference as ref
from common import Function, along, drawn_axis, has_axes
from products import product
from reference import BOOL, F32, F64, INT32, SMALL, Invalid, Value, eps, kind, operation, reduction


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
