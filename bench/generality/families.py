# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The families of expressions on which speed is judged: each function draws an instance."""
import math

from expressions import (Term, along, argmin, call, compare, exp, joined, largest, log, logsumexp, magnitudes, matmul, reduce, rolled,
                         selected, sliced, sqrt, square, taken, turned, where, with_axes)


def near(rng, size, scale=1.0):
    """An extent about that large: odd, even or a multiple of 32."""
    n = int(size * scale * math.exp(rng.uniform(-0.35, 0.35)))
    return max(2, n // 32 * 32 if rng.random() < 0.4 else n)


def pairs(rng, case):
    """A sum over pairs of points of some function of their difference."""
    n, d = near(rng, 8000, case.scale ** (1 / 2)), int(rng.integers(2, 4))
    x = [case.input((n,)) for _ in range(d)]
    m = case.input((n,))
    differences = [case.named(with_axes(c, [0]) - with_axes(c, [1])) for c in x]
    r2 = square(differences[0])
    for c in differences[1:]:
        r2 = r2 + square(c)
    r2 = case.named(r2 + 0.01)
    kind = rng.choice(["forces", "potential", "kernel"])
    if kind == "forces":
        w = case.named(with_axes(m, [0]) / (r2 * sqrt(r2)))
        return case.result(*(reduce("sum", c * w, [1]) for c in differences))
    if kind == "potential":
        return case.result(reduce("sum", with_axes(m, [0]) / sqrt(r2), [1]))
    return case.result(reduce("sum", with_axes(m, [0]) * exp(-1.0 * r2), [1]))


def nearest(rng, case):
    """The nearest of some centres, or how far it is."""
    n, k, d = near(rng, 300000, case.scale), near(rng, 60), near(rng, 12)
    p, c = case.input((n, d)), case.input((k, d))
    distances = reduce("sum", square(with_axes(p, [1]) - with_axes(c, [0])), [2])
    return case.result(argmin(distances, 1) if rng.random() < 0.6 else reduce("min", distances, [1]))


def products(rng, case):
    """A product of matrices by broadcasting, or with another operation or reduction in its place."""
    m, n, k = (near(rng, 900, case.scale ** (1 / 3)) for _ in range(3))
    a, b = with_axes(case.input((m, k)), [1]), with_axes(case.input((n, k)), [0])
    kind = rng.choice(["product", "min plus", "distances"])
    if kind == "product":
        return case.result(reduce("sum", a * b, [2]))
    if kind == "min plus":
        return case.result(reduce("min", a + b, [2]))
    return case.result(reduce("sum", call("abs", a - b), [2]))


def sums_of_several(rng, case):
    """Reductions along rows of several arrays."""
    n = near(rng, 1000) if rng.random() < 0.5 else near(rng, 5000)
    rows = case.scaled(1 << 26) // n
    p, q = case.input((rows, n)), case.input((rows, n))
    kind = rng.choice(["kl", "cosine", "bray curtis", "weighted", "hellinger"])
    if kind == "kl":
        return case.result(reduce("sum", p * log(p / q), [1]))
    if kind == "cosine":
        return case.result(reduce("sum", p * q, [1]) / sqrt(reduce("sum", p * p, [1]) * reduce("sum", q * q, [1])))
    if kind == "bray curtis":
        return case.result(reduce("sum", call("abs", p - q), [1]) / reduce("sum", p + q, [1]))
    if kind == "weighted":
        return case.result(reduce("sum", p * q, [1]) / reduce("sum", q, [1]))
    return case.result(sqrt(reduce("sum", square(sqrt(p) - sqrt(q)), [1])))


def long_rows(rng, case):
    """Functions of rows that are long, and begin anywhere."""
    n = int(rng.integers(20000, 70000)) | 1
    x = case.input((case.scaled(1 << 27) // n, n))
    kind = rng.choice(["softmax", "log_softmax", "logsumexp", "normalize"])
    if kind == "logsumexp":
        return case.result(logsumexp(x, 1))
    if kind == "normalize":
        return case.result((x - reduce("mean", x, [1], True)) / sqrt(reduce("var", x, [1], True) + 1e-5))
    return case.result(along(kind, x, 1))


def several_axes(rng, case):
    """Statistics over axes that are not next to each other."""
    shape = [near(rng, s, case.scale ** (1 / 4)) for s in rng.permutation([32, 128, 80, 80])]
    x = case.input(shape)
    axes = [[0, 2, 3], [0, 2], [1, 3], [0, 3], [0, 1, 3]][int(rng.integers(5))]
    kind = rng.choice(["sum", "batch norm", "spread"])
    if kind == "sum":
        return case.result(reduce("sum", x, axes))
    if kind == "spread":
        return case.result(reduce("max", x, axes) - reduce("min", x, axes))
    return case.result((x - reduce("mean", x, axes, True)) / sqrt(reduce("var", x, axes, True) + 1e-5))


def middle_axes(rng, case):
    """Functions of columns, or along an axis in the middle."""
    root = case.scale ** (1 / 2)
    shape = (near(rng, 16000, root), near(rng, 2000, root)) if rng.random() < 0.5 else \
        (near(rng, 50, root), near(rng, 200), near(rng, 3000, root))
    axis = len(shape) - 2
    x = case.input(shape)
    kind = rng.choice(["softmax", "centre", "standardize", "cumsum"])
    if kind in ("softmax", "cumsum"):
        return case.result(along(kind, x, axis))
    if kind == "centre":
        return case.result(x - reduce("mean", x, [axis], True))
    return case.result((x - reduce("mean", x, [axis], True)) / sqrt(reduce("var", x, [axis], True) + 1e-5))


def backward(rng, case):
    """What the backward pass of a function of rows computes."""
    n = near(rng, 1000)
    rows = case.scaled(1 << 25) // n
    x, dy = case.input((rows, n)), case.input((rows, n))
    kind = rng.choice(["layer norm", "softmax", "rms norm"])
    if kind == "softmax":
        return case.result((dy - reduce("sum", dy * x, [1], True)) * x)
    w = case.input((n,))
    g = case.named(dy * w)
    if kind == "rms norm":
        r = case.named(1.0 * reduce("mean", x * x, [1], True) + 1e-5)
        return case.result(g / sqrt(r) - x * reduce("mean", g * x, [1], True) / (r * sqrt(r)))
    s = case.named(sqrt(reduce("var", x, [1], True) + 1e-5))
    h = case.named((x - reduce("mean", x, [1], True)) / s)
    return case.result((g - reduce("mean", g, [1], True) - h * reduce("mean", g * h, [1], True)) / s)


def shared_masks(rng, case):
    """Rows of several matrices beside a mask that all of them share."""
    b, n, m = near(rng, 40), near(rng, 900, case.scale ** (1 / 2)), near(rng, 900, case.scale ** (1 / 2))
    s, mask = case.input((b, n, m)), case.input((n, m))
    kind = rng.choice(["bias", "where"])
    scores = 0.125 * s + mask if kind == "bias" else where(compare(">", mask, 0.6), s, -1e4)
    return case.result(along("softmax", scores, 2))


def several_rows(rng, case):
    """Several functions of rows of several arrays."""
    n = near(rng, 1200)
    rows = case.scaled(1 << 25) // n
    x, y = case.input((rows, n)), case.input((rows, n))
    kind = rng.choice(["two softmaxes", "product", "mixed", "both ways"])
    if kind == "two softmaxes":
        return case.result(along("softmax", x, 1) + along("softmax", y, 1))
    if kind == "product":
        return case.result(along("softmax", x, 1) * along("log_softmax", y, 1))
    if kind == "mixed":
        return case.result(along("softmax", x, 1) - y / reduce("sum", y, [1], True))
    return case.result(x / reduce("sum", x, [0], True) / reduce("sum", x, [1], True))


def stencils(rng, case):
    """Sums of neighbours, of radius 1 or 2 in 1 to 3 dimensions."""
    rank, radius = int(rng.integers(1, 4)), int(rng.integers(1, 3))
    shape = [near(rng, s, case.scale ** (1 / rank)) for s in {1: [1 << 26], 2: [8000, 8000], 3: [400, 400, 400]}[rank]]
    u = case.input(shape)
    full = rank < 3 and rng.random() < 0.4 and radius == 1

    def at(offsets):
        return sliced(u, [(radius + o, n - radius + o) for o, n in zip(offsets, shape)])

    places = []
    if full:
        for k in range(3**rank):
            places.append([k // 3**axis % 3 - 1 for axis in range(rank)])
    else:
        places.append([0] * rank)
        for axis in range(rank):
            for r in range(1, radius + 1):
                for sign in (-r, r):
                    places.append([sign if a == axis else 0 for a in range(rank)])
    total = None
    for p in places:
        term = round(float(rng.uniform(-1, 1)), 2) * at(p)
        total = term if total is None else total + term
    return case.result(total)


def random_numbers(rng, case):
    """Random numbers beside arrays, made in the kernel that reads them."""
    shape = (near(rng, 30000, case.scale), near(rng, 1000))
    x, y, bias = case.input(shape), case.input(shape), case.input(shape[1:])
    case.has_values = False
    u = case.named(call("gelu", y + bias))
    r = Term(f"lf::random::uniform<float>({{{shape[0]}, {shape[1]}}}, lf::seed{{7}})", f"xp.random({shape})", shape, "float32")
    return case.result(x + where(compare(">", r, 0.1), u * (1 / 0.9), 0.0))


def elementwise(rng, case):
    """What is bound by memory, over arrays of several types and views."""
    dtype = rng.choice(["float32", "float32", "float64", "float16", "int32"])
    n = near(rng, (1 << 27) // (8 if dtype == "float64" else 4), case.scale)
    rows = near(rng, 5000, case.scale ** (1 / 2))
    shape = (rows, n // rows)
    x, y = case.input(shape, dtype), case.input(shape, dtype)
    row, column = case.input(shape[1:], dtype), case.input((rows, 1), dtype)
    kind = rng.choice(["saxpy", "outer", "mask", "turned", "two"])
    if kind == "saxpy":
        return case.result(2 * x + y)
    if kind == "outer":
        return case.result(x * row + y * column)
    if kind == "mask":
        return case.result(where(compare(">", x, y), x - row, y * column))
    if kind == "two":
        return case.result(x + y, x - y * row)
    z = case.input(shape[::-1], dtype)
    return case.result(x * y + turned(z, [1, 0]))


# ---- functions of whole arrays, which --functions draws: what the seeds draw of the others stays as it was


def gathers(rng, case):
    """Elements and rows at indices, computed or read, with work around them."""
    kind = rng.choice(["rows", "scattered", "columns"])
    if kind == "scattered":
        n = near(rng, 1 << 25, case.scale)
        far = int(3000 * case.scale)
        x, i, j = case.input((10007 * (far + 1),)), case.input((n,), "int32"), case.input((n,), "int32")
        return case.result(2.0 * taken(x, far * i + j, 0) + 1.0)
    d = near(rng, 200)
    n = case.scaled(1 << 25) // d
    i = case.input((n,), "int32")
    if kind == "columns":
        return case.result(square(taken(case.input((d, 10007)), i, 1)))
    return case.result(taken(case.input((10007, d)), i, 0) + case.input((d,)))


def rolls(rng, case):
    """Sums of neighbours around the edges."""
    dtype = rng.choice(["float32", "float64"])
    side = near(rng, 8000, case.scale ** (1 / 2))
    u = case.input((side, near(rng, 8000, case.scale ** (1 / 2))), dtype)
    total = rolled(u, 1, 0) + rolled(u, -1, 0) + rolled(u, 1, 1) + rolled(u, -1, 1) - 4.0 * u
    if rng.random() < 0.5:
        return case.result(u + 0.1 * total)
    return case.result(reduce("sum", square(rolled(u, int(rng.integers(2, 50)), 1) - u), [1]))


def joins(rng, case):
    """Arrays behind or beside each other, within an expression."""
    n, m, rows = near(rng, 3000), near(rng, 1000), near(rng, 8000, case.scale)
    axis = int(rng.integers(2))
    shapes = ((rows, n), (rows, m)) if axis else ((rows, n), (near(rng, 8000, case.scale), n))
    both = joined(case.input(shapes[0]), exp(-1.0 * case.input(shapes[1])), axis)
    if rng.random() < 0.5:
        return case.result(both * case.input(both.shape[1:]))
    return case.result(reduce("mean", both, [1]))


def cumulative(rng, case):
    """Sums up to each element, of what is computed, and what is computed of them."""
    kind = rng.choice(["one", "rows", "ahead of work"])
    if kind == "one":
        x = case.input((near(rng, 1 << 26, case.scale),))
        return case.result(along("cumsum", x * x, 0))
    n = near(rng, 1000) if rng.random() < 0.5 else near(rng, 20000)
    x = case.input((case.scaled(1 << 26) // n, n))
    if kind == "rows":
        return case.result(along("cumsum", where(compare(">", x, 1.0), x, 0.0), 1))
    return case.result(along("cumsum", x, 1) / (case.input((n,)) + 1.0))


def sorts(rng, case):
    """Numbers in order: one long sequence, or many."""
    case.headers, case.is_planned = ["sort"], False
    if rng.random() < 0.5:
        x = case.input((near(rng, 1 << 24, case.scale),), rng.choice(["float32", "int32"]))
    else:
        n = near(rng, 500)
        x = case.input((case.scaled(1 << 24) // n, n))
    return case.result(along("sort", 2 * x + 1 if x.dtype == "int32" else exp(-1.0 * x), x.rank - 1))


def largest_few(rng, case):
    """The largest of many, in order."""
    case.headers, case.is_planned = ["sort"], False
    n = near(rng, 1 << 24, case.scale) if rng.random() < 0.5 else near(rng, 2000)
    x = case.input((n,) if n > 4000 else (case.scaled(1 << 25) // n, n))
    return case.result(2.0 * largest(x * x, int(rng.choice([1, 8, 64, 1000]) if x.rank == 1 else rng.choice([1, 8, 64]))))


def selections(rng, case):
    """What a mask selects, with work before and after it, and sums of it."""
    case.headers, case.is_planned, case.is_dynamic = ["select"], False, True
    limit = round(float(rng.uniform(0.55, 1.45)), 2)
    n = near(rng, 1 << 26, case.scale)
    x = case.input((n,) if rng.random() < 0.5 else (n // 1000, 1000))
    kind = rng.choice(["line", "root", "sum"])
    s = selected(x, compare(">", x, limit), 1.5 - limit)
    if kind == "sum":
        return case.result(reduce("sum", s))
    return case.result(2.0 * s + 1.0 if kind == "line" else sqrt(s))


def epilogues(rng, case):
    """Products of matrices, and what a layer of a network does after them."""
    dtype = rng.choice(["float32", "float32", "float16"])
    m, n, k = (near(rng, 2000, case.scale ** (1 / 3)) for _ in range(3))
    p = matmul(case.input((m, k), dtype), case.input((k, n), dtype)) * (1 / k) + case.input((n,), dtype)
    kind = rng.choice(["gelu", "relu", "tanh", "residual"])
    if kind == "residual":
        return case.result(p + case.input((m, n), dtype))
    return case.result(call("maximum", p, 0.0) if kind == "relu" else call(kind, p))


def spectra(rng, case):
    """Magnitudes of the Fourier transforms of rows that are multiplied by a window."""
    case.headers, case.is_planned = ["fft"], False
    n = int(rng.choice([256, 1000, 1024, 4096, 5000]))
    x = case.input((case.scaled(1 << 25) // n, n))
    spectrum = magnitudes(x * case.input((n,)))
    return case.result(square(spectrum) if rng.random() < 0.5 else log(spectrum + 1.0))


FUNCTIONS = {f.__name__: f for f in (gathers, rolls, joins, cumulative, sorts, largest_few, selections, epilogues, spectra)}
ALL = {f.__name__: f for f in (pairs, nearest, products, sums_of_several, long_rows, several_axes, middle_axes, backward, shared_masks,
                               several_rows, stencils, random_numbers, elementwise)}
