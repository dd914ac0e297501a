# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instances of the families (families.py) that are not drawn: those by which each is known, of the sizes that people have."""
from expressions import Case, Term, along, argmin, call, compare, exp, log, reduce, rsqrt, sliced, sqrt, square, turned, where, with_axes


def bodies(case):
    n = 32768
    x = [case.input((n,)) for _ in range(3)]
    m = case.input((n,))
    d = [case.named(with_axes(c, [0]) - with_axes(c, [1])) for c in x]
    r2 = case.named(square(d[0]) + square(d[1]) + square(d[2]) + 0.01)
    w = case.named(with_axes(m, [0]) / (r2 * sqrt(r2)))
    return case.result(*(reduce("sum", c * w, [1]) for c in d))


def bodies_by_rsqrt(case):
    """As kernels by hand are written: the reciprocal root to the cube."""
    n = 32768
    x = [case.input((n,)) for _ in range(3)]
    m = case.input((n,))
    d = [case.named(with_axes(c, [0]) - with_axes(c, [1])) for c in x]
    r = case.named(rsqrt(square(d[0]) + square(d[1]) + square(d[2]) + 0.01))
    w = case.named(with_axes(m, [0]) * (r * r * r))
    return case.result(*(reduce("sum", c * w, [1]) for c in d))


def nearest_centre(case):
    p, c = case.input((1 << 20, 16)), case.input((64, 16))
    return case.result(argmin(reduce("sum", square(with_axes(p, [1]) - with_axes(c, [0])), [2]), 1))


def product(case):
    a, b = case.input((2048, 2048)), case.input((2048, 2048))
    return case.result(reduce("sum", with_axes(a, [1]) * with_axes(turned(b, [1, 0]), [0]), [2]))


def kl_rows(case):
    p, q = case.input((65536, 1024)), case.input((65536, 1024))
    return case.result(reduce("sum", p * log(p / q), [1]))


def cosine_rows(case):
    p, q = case.input((32768, 4096)), case.input((32768, 4096))
    return case.result(reduce("sum", p * q, [1]) / sqrt(reduce("sum", p * p, [1]) * reduce("sum", q * q, [1])))


def softmax_of_words(case):
    return case.result(along("softmax", case.input((8192, 50257)), 1))


def cross_entropy_of_words(case):
    x, classes = case.input((8192, 50257)), case.input((8192,), "int32")
    return case.result(Term(f"lf::cross_entropy({x.cpp}, {classes.cpp})", f"xp.cross_entropy({x.py}, {classes.py})", (8192,), "float32"))


def batch_norm(case):
    x = case.input((64, 256, 56, 56))
    return case.result((x - reduce("mean", x, [0, 2, 3], True)) / sqrt(reduce("var", x, [0, 2, 3], True) + 1e-5))


def sums_over_ends(case):
    return case.result(reduce("sum", case.input((512, 512, 512)), [0, 2]))


def softmax_of_channels(case):
    return case.result(along("softmax", case.input((64, 256, 56, 56)), 1))


def softmax_down(case):
    return case.result(along("softmax", case.input((32768, 4096)), 0))


def layer_norm_backward(case):
    x, dy, w = case.input((65536, 1024)), case.input((65536, 1024)), case.input((1024,))
    g = case.named(dy * w)
    s = case.named(sqrt(reduce("var", x, [1], True) + 1e-5))
    h = case.named((x - reduce("mean", x, [1], True)) / s)
    return case.result((g - reduce("mean", g, [1], True) - h * reduce("mean", g * h, [1], True)) / s)


def masked_softmax(case):
    s, mask = case.input((96, 1024, 1024)), case.input((1024, 1024))
    return case.result(along("softmax", 0.125 * s + mask, 2))


def two_softmaxes(case):
    x, y = case.input((65536, 1024)), case.input((65536, 1024))
    return case.result(along("softmax", x, 1) + along("softmax", y, 1))


def both_sums(case):
    x = case.input((65536, 1024))
    return case.result(x / reduce("sum", x, [0], True) / reduce("sum", x, [1], True))


def around(case, distance):
    """A weighted sum of the neighbours in three dimensions of which at most `distance` indices differ."""
    n, u = 640, case.input((640, 640, 640))
    total = None
    for k in range(27):
        offsets = [k // 9 - 1, k // 3 % 3 - 1, k % 3 - 1]
        apart = sum(map(abs, offsets))
        if apart <= distance:
            term = [0.5, 0.1, -0.05, 0.025][apart] * sliced(u, [(1 + o, n - 1 + o) for o in offsets])
            total = term if total is None else total + term
    return case.result(total)


def points_7(case):
    return around(case, 1)


def points_27(case):
    return around(case, 3)


def dropout(case):
    x, y, bias = case.input((65536, 1024)), case.input((65536, 1024)), case.input((1024,))
    case.has_values = False
    u = case.named(call("gelu", y + bias))
    r = Term("lf::random::uniform<float>({65536, 1024}, lf::seed{7})", "xp.random((65536, 1024))", (65536, 1024), "float32")
    return case.result(x + where(compare(">", r, 0.1), u * (1 / 0.9), 0.0))


def heat_kernel(case):
    x, m = case.input((32768,)), case.input((32768,))
    return case.result(reduce("sum", with_axes(m, [0]) * exp(-1.0 * square(with_axes(x, [0]) - with_axes(x, [1]))), [1]))


def softmax_of_short_rows(case):
    return case.result(along("softmax", case.input((1 << 22, 17)), 1))


def centre_of_points(case):
    return case.result(reduce("mean", case.input((20000003, 3)), [0]))


def means_of_pixels(case):
    return case.result(reduce("mean", case.input((70000, 300, 3)), [1]))


def centred_pixels(case):
    x = case.input((70000, 300, 3))
    return case.result(x - reduce("mean", x, [1], True))


ALL = [(f.__name__, f) for f in (bodies, bodies_by_rsqrt, nearest_centre, product, kl_rows, cosine_rows, softmax_of_words,
                                 cross_entropy_of_words, batch_norm, sums_over_ends, softmax_of_channels, softmax_down,
                                 layer_norm_backward, masked_softmax, two_softmaxes, both_sums, points_7, points_27, dropout,
                                 heat_kernel, softmax_of_short_rows, centre_of_points, means_of_pixels, centred_pixels)]


def cases():
    return [make(Case(name, "named")) for name, make in ALL]
