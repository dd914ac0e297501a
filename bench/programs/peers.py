#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of docs/examples/programs by NumPy or CuPy, at the sizes of a run of bench_programs.

    bench_programs --scale 0.05 > host.json && peers.py host.json > numpy.json
    bench_programs_gpu --unfused > gpu.json && peers.py gpu.json --by cupy > cupy.json
    report.py host.json numpy.json

Each line is what bench_programs says of its own, with the library's name in "by". "peak": bytes that lived at one time beside the operands.
Below each is one function, whose lines report.py counts; xp is the library.
"""
import argparse
import json
import statistics
import sys
import time
import tracemalloc


def arc_distance(xp, t1, p1, t2, p2):
    a = xp.sin((t2 - t1) / 2) ** 2 + xp.cos(t1) * xp.cos(t2) * xp.sin((p2 - p1) / 2) ** 2
    return 2 * xp.arctan2(xp.sqrt(a), xp.sqrt(1 - a))


def create_grid(xp, x):
    n = len(x)
    z = xp.zeros((n, n, 3))
    z[:, :, 0] = x.reshape(-1, 1)
    z[:, :, 1] = x
    return z.reshape(n * n, 3)


def cronbach(xp, x):
    n = x.shape[0]
    of_items = x.var(axis=1, ddof=1).sum()
    return n / (n - 1) * (1 - of_items / x.sum(axis=0).var(ddof=1))


def euclidean_distance_square(xp, x1, x2):
    product = -2 * xp.dot(x1, x2.T)
    return product + xp.sum(xp.square(x1), axis=1)[:, None] + xp.sum(xp.square(x2), axis=1)


def evolve(xp, g, dt=0.1, d=1):
    around = xp.roll(g, 1, 0) + xp.roll(g, -1, 0) + xp.roll(g, 1, 1) + xp.roll(g, -1, 1)
    return g + dt * d * (around - 4 * g)


def grayscott(xp, ru, rv, steps):
    n, r = ru.shape[0], 20
    u_all, v_all = xp.zeros((n + 2, n + 2), xp.float32), xp.zeros((n + 2, n + 2), xp.float32)
    u, v = u_all[1:-1, 1:-1], v_all[1:-1, 1:-1]
    u[...] = 1
    middle = slice(n // 2 - r, n // 2 + r)
    u[middle, middle], v[middle, middle] = 0.5, 0.25
    u += (0.15 * ru).astype(xp.float32)
    v += (0.15 * rv).astype(xp.float32)
    laplace = lambda x: x[:-2, 1:-1] + x[1:-1, :-2] - 4 * x[1:-1, 1:-1] + x[1:-1, 2:] + x[2:, 1:-1]
    for _ in range(steps):
        lu, lv, w = laplace(u_all), laplace(v_all), u * v * v
        u += 0.16 * lu - w + 0.04 * (1 - u)
        v += 0.08 * lv + w - (0.04 + 0.06) * v
    return v_all


def harris(xp, image):
    dx = (image[1:, :] - image[:-1, :])[:, 1:]
    dy = (image[:, 1:] - image[:, :-1])[1:, :]
    a, b, c = dx * dx, dy * dy, dx * dy
    return (a * b - c * c) - 0.05 * (a + b) ** 2


def hasting(xp, y, a1=5, a2=0.1, b1=3, b2=2, d1=0.4, d2=0.01):
    f, g = a1 * y[0] * y[1] / (1 + b1 * y[0]), a2 * y[1] * y[2] / (1 + b2 * y[1])
    out = xp.empty_like(y)
    out[0] = y[0] * (1 - y[0]) - f
    out[1] = f - g - d1 * y[1]
    out[2] = g - d2 * y[2]
    return out


def l1norm(xp, x, y):
    return xp.sum(xp.abs(x[:, None, :] - y), axis=-1)


def l2norm(xp, x):
    return xp.sqrt(xp.sum(xp.abs(x) ** 2, axis=1))


def laplacien(xp, x):
    edges = xp.abs(4 * x[1:-1, 1:-1] - x[:-2, 1:-1] - x[2:, 1:-1] - x[1:-1, :-2] - x[1:-1, 2:])
    edges /= xp.maximum(xp.max(edges), 1) + 1e-9
    return edges


def log_likelihood(xp, x, mean=0.1, deviation=1.1):
    root = (2 * xp.pi) ** 0.5
    return xp.sum(xp.log(xp.exp(-((x - mean) ** 2) / (2 * deviation * deviation)) / (root * deviation)))


def lstsqr(xp, x, y):
    xm, ym = xp.average(x), xp.average(y)
    slope = xp.sum((x - xm) * (y - ym)) / xp.sum((x - xm) ** 2)
    return slope, ym - slope * xm


def nn(xp, x, y, rounds, rate=0.1):
    w, b = xp.asarray(0.5), xp.asarray(0.25)
    for _ in range(rounds):
        e = 1 / (1 + xp.exp(-(w * x + b))) - y
        w, b = w - rate * xp.mean(e * x), b - rate * xp.mean(e)
    return w, b


def pairwise(xp, x):
    return xp.sqrt(xp.sum((x[None] - x[:, None]) ** 2, axis=-1))


def pythagorean_id(xp, x):
    return xp.sin(x) ** 2 + xp.cos(x) ** 2


def repeating(xp, x, times):
    return xp.concatenate((x, xp.repeat(x, times)))


def reverse_cumsum(xp, x):
    return xp.flip(xp.cumsum(xp.flip(x)))


def rosen(xp, x):
    return xp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def specialconvolve(xp, x):
    rows = x[:, :-2] + x[:, 1:-1] + x[:, 2:]
    return rows[:-2] + rows[1:-1] + rows[2:] - 9 * x[1:-1, 1:-1]


def vibr_energy(xp, h, a, q):
    return xp.exp(-h * q - a * q**2)


# The shapes of the operands, by the sizes of a program; numbers are arguments as they are.
OPERANDS = {
    "arc_distance": lambda n: [(n,)] * 4, "create_grid": lambda n: [(n,)], "cronbach": lambda n: [(n, n)],
    "euclidean_distance_square": lambda m, k: [(1, k), (m, k)], "evolve": lambda n: [(n, n)],
    "grayscott": lambda n, steps: [(n, n), (n, n), steps], "harris": lambda n: [(n, n)], "hasting": lambda n: [(n,)],
    "l1norm": lambda n: [(n, n)] * 2, "l2norm": lambda n: [(n, n)], "laplacien": lambda n: [(n, n, 3)],
    "log_likelihood": lambda n: [(n,)], "lstsqr": lambda n: [(n,)] * 2, "nn": lambda n, rounds: [(n,), (n,), rounds],
    "pairwise": lambda n, k: [(n, k)], "pythagorean_id": lambda n: [(n,)], "repeating": lambda n, times: [(n,), times],
    "reverse_cumsum": lambda n: [(n,)], "rosen": lambda n: [(n,)], "specialconvolve": lambda n: [(n, n)], "vibr_energy": lambda n: [(n,)] * 3,
}


def function_of(program):
    """evolve_512 is evolve at another size."""
    head, _, tail = program.rpartition("_")
    return head if tail.isdigit() else program


def operands_of(xp, program, sizes):
    made = []
    for shape in OPERANDS[program](*sizes):
        if isinstance(shape, int): made.append(shape)
        elif program == "specialconvolve": made.append(xp.random.randint(0, 4_000_000_000, shape, dtype=xp.uint32))
        else: made.append(xp.random.random(shape) + 0.1)
    return made


def measured(run, synchronize):
    def seconds(times):
        before = time.perf_counter()
        for _ in range(times):
            run()
        synchronize()
        return (time.perf_counter() - before) / times
    seconds(1)
    once = seconds(1)
    times, rounds = max(1, int(2e-3 / once)), min(20, max(5, int(4 / once)))
    found = sorted(seconds(times) for _ in range(rounds))
    return {"seconds": statistics.median(found), "least": found[0], "spread": (found[3 * rounds // 4] - found[rounds // 4]) / found[rounds // 2]}


def peak_of_numpy(run):
    tracemalloc.start()
    kept = run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    del kept
    return peak


def peak_of_cupy(xp, run):
    """What the pool has taken from the device for one run, beside what was in use."""
    pool = xp.get_default_memory_pool()
    xp.cuda.Device().synchronize()
    pool.free_all_blocks()
    before = pool.total_bytes()
    kept = run()
    xp.cuda.Device().synchronize()
    peak = pool.total_bytes() - before
    del kept
    return peak


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lazyfuse", type=argparse.FileType(), help="what bench_programs printed")
    parser.add_argument("--by", choices=["numpy", "cupy"], default="numpy")
    parser.add_argument("--only")
    options = parser.parse_args()
    if options.by == "cupy":
        import cupy as xp
        name, synchronize, peak = "CuPy", xp.cuda.Device().synchronize, lambda run: peak_of_cupy(xp, run)
    else:
        import numpy as xp
        name, synchronize, peak = "NumPy", lambda: None, peak_of_numpy
    for row in map(json.loads, options.lazyfuse):
        program = row["program"]
        if row["way"] != "fused" or (options.only and options.only != program):
            continue
        said = {"program": program, "by": name, "version": xp.__version__, "sizes": row["sizes"], "bytes": row["bytes"]}
        try:
            operands = operands_of(xp, function_of(program), row["sizes"])
            run = lambda: globals()[function_of(program)](xp, *operands)
            said |= measured(run, synchronize) | {"peak": peak(run)}
        except Exception as error:  # such as more memory than there is, which is an answer
            said["failed"] = f"{type(error).__name__}: {error}"[:200]
        print(json.dumps(said), flush=True)
        operands = run = None
        if options.by == "cupy":
            xp.get_default_memory_pool().free_all_blocks()


if __name__ == "__main__":
    sys.exit(main())
