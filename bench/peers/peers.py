#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CPU workloads by lazyfuse, by the C++ libraries bench_peers was built with, by NumPy and, if it is there, by numexpr.

    peers.py build/bench/bench/bench_peers [threads] [--json peers.json]

All run with as many threads as are told, or as there are processors, but NumPy, which has one. The last column is the library's
time over lazyfuse's. ../report.py makes a table of the JSON.
"""
import argparse
import datetime
import importlib.metadata
import json
import math
import os
import statistics
import subprocess
import sys
import time

import numpy as np

try:
    import numexpr
except ImportError:
    numexpr = None

EPSILON = np.float32(1e-5)
f32 = np.float32


def line(count, n=1 << 24, dtype=f32):
    return lambda: [random((n,), dtype, k) for k in range(count)]


def table(count, rows, columns):
    return lambda: [random((rows, columns), f32, k) for k in range(count)]


def random(shape, dtype, seed):
    return np.random.default_rng(seed).random(shape, dtype) + dtype(0.5)


def chain20(x):
    for _ in range(10):
        x = x * f32(1.0001) + f32(0.5)
    return x


def blackscholes(s, k, t):
    from math import erf  # NumPy has no erf of its own: SciPy's is taken if it is there
    try:
        from scipy.special import erf
    except ImportError:
        erf = np.vectorize(erf, otypes=[f32])
    r, v = f32(0.05), f32(0.2)
    deviation = v * np.sqrt(t)
    d1 = (np.log(s / k) + (r + f32(0.5) * v * v) * t) / deviation
    cdf = lambda d: f32(0.5) * (1 + erf(d * f32(math.sqrt(0.5))))
    return s * cdf(d1) - k * np.exp(-r * t) * cdf(d1 - deviation)


def arc_distance(t1, p1, t2, p2):
    h = np.sin((t2 - t1) * f32(0.5)) ** 2 + np.cos(t1) * np.cos(t2) * np.sin((p2 - p1) * f32(0.5)) ** 2
    return 2 * np.arctan2(np.sqrt(h), np.sqrt(1 - h))


def rosen(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def laplacian(u):
    return u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def layernorm(x):
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + EPSILON)


def by_numexpr(text, names):
    return lambda *arrays: numexpr.evaluate(text, dict(zip(names, arrays)), {})


def numexpr_standardized(axis, epsilon):
    """What is elementwise is numexpr's; sums with an axis are, too, but slower than NumPy's, which are taken instead."""
    def evaluate(x):
        m = x.mean(axis, keepdims=True)
        d = numexpr.evaluate("x - m")
        v = numexpr.evaluate("d * d").mean(axis, keepdims=True)
        return numexpr.evaluate("d / sqrt(v + epsilon)", {"d": d, "v": v, "epsilon": f32(epsilon)}, {})
    return evaluate


def numexpr_softmax(x):
    m = x.max(1, keepdims=True)
    e = numexpr.evaluate("exp(x - m)")
    s = e.sum(1, keepdims=True)
    return numexpr.evaluate("e / s")


def numexpr_normalize(x):
    n = f32(np.sqrt(numexpr.evaluate("sum(x * x)")))
    return numexpr.evaluate("x / n")


def numexpr_chain(x):
    text, names = "x", {"x": x, "a": f32(1.0001), "b": f32(0.5)}
    for _ in range(10):
        text = f"({text} * a + b)"
    return numexpr.evaluate(text, names, {})


def numexpr_sum(axis):
    return lambda x, y: numexpr.evaluate("exp(x) * y").sum(axis)


def numexpr_rosen(x):
    return numexpr.evaluate("sum(100 * (n - h * h) ** 2 + (1 - h) ** 2)", {"n": x[1:], "h": x[:-1]}, {})


def numexpr_laplacian(u):
    views = {"a": u[:-2, 1:-1], "b": u[2:, 1:-1], "c": u[1:-1, :-2], "d": u[1:-1, 2:], "e": u[1:-1, 1:-1]}
    return numexpr.evaluate("a + b + c + d - 4 * e", views, {})


def numexpr_arc(*points):
    half = f32(0.5)
    t1, p1, t2, p2 = points
    return numexpr.evaluate("2 * arctan2(sqrt(h), sqrt(1 - h))", {
        "h": numexpr.evaluate("sin((t2 - t1) * half) ** 2 + cos(t1) * cos(t2) * sin((p2 - p1) * half) ** 2")}, {})


# name: (operands, by NumPy, by numexpr or None where it has not what it takes)
WORKLOADS = {
    "saxpy": (line(2), lambda x, y: f32(2.5) * x + y,
              lambda x, y: numexpr.evaluate("a * x + y", {"a": f32(2.5), "x": x, "y": y}, {})),
    "fma3": (line(3), lambda a, b, c: a * b + c, by_numexpr("a * b + c", "abc")),
    "chain20": (line(1), chain20, numexpr_chain),
    "pyth": (line(1), lambda x: np.sin(x) ** 2 + np.cos(x) ** 2, by_numexpr("sin(x) ** 2 + cos(x) ** 2", "x")),
    "pyth64": (line(1, 1 << 23, np.float64), lambda x: np.sin(x) ** 2 + np.cos(x) ** 2,
               by_numexpr("sin(x) ** 2 + cos(x) ** 2", "x")),
    "blackscholes": (line(3), blackscholes, None),
    "arc_distance": (line(4), arc_distance, numexpr_arc),
    "sumsq": (line(1, 1 << 25), lambda x: np.sum(x * x), by_numexpr("sum(x * x)", "x")),
    "cumsum_squares": (line(1, 1 << 24), lambda x: np.cumsum(x * x), None),
    "cumsum_rows": (table(1, 16384, 1024), lambda x: np.cumsum(x * x, 1), None),
    "cumsum_columns": (table(1, 4096, 4096), lambda x: np.cumsum(x * x, 0), None),
    "minmaxmean": (line(1, 1 << 25), lambda x: (x.min(), x.max(), x.mean()), None),
    "rowsum": (table(2, 4096, 4096), lambda x, y: np.sum(np.exp(x) * y, 1), numexpr_sum(1)),
    "colsum": (table(2, 4096, 4096), lambda x, y: np.sum(np.exp(x) * y, 0), numexpr_sum(0)),
    "rosen": (line(1, 1 << 25), rosen, numexpr_rosen),
    "laplacian": (table(1, 4096, 4096), laplacian, numexpr_laplacian),
    "broadcast_outer": (line(2, 4096), lambda a, b: (a[:, None] - b[None, :]) ** 2,
                        lambda a, b: numexpr.evaluate("(a - b) ** 2", {"a": a[:, None], "b": b[None, :]}, {})),
    "transpose_add": (table(1, 4096, 4096), lambda x: x + x.T,
                      lambda x: numexpr.evaluate("x + y", {"x": x, "y": x.T}, {})),
    "small": (line(1, 1024), lambda x: np.sin(x) * 2 + np.cos(x), by_numexpr("sin(x) * 2 + cos(x)", "x")),
    **{f"softmax_{c}": (table(1, (1 << 24) // c, c), softmax, numexpr_softmax) for c in (128, 1024, 8192, 262144)},
    "layernorm_1024": (table(1, 16384, 1024), layernorm, numexpr_standardized(1, EPSILON)),
    "normalize_4M": (line(1, 1 << 22), lambda x: x / np.linalg.norm(x), numexpr_normalize),
    "normalize_64M": (line(1, 1 << 26), lambda x: x / np.linalg.norm(x), numexpr_normalize),
    "standardize_columns": (table(1, 16384, 1024), lambda x: (x - x.mean(0)) / x.std(0), numexpr_standardized(0, 0)),
}


def seconds(f, operands):
    evaluations = 1000 if operands[0].size < 2000 else 1
    times = []
    f(*operands)
    for _ in range(7):
        before = time.perf_counter()
        for _ in range(evaluations):
            f(*operands)
        times.append((time.perf_counter() - before) / evaluations)
    return statistics.median(times)


def corner(operands):
    """A part of each that is small enough for sums in floats to agree."""
    return [x[tuple(slice(256) for _ in x.shape)] for x in operands]


def commit():
    said = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=os.path.dirname(os.path.abspath(__file__)), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return said.stdout.strip() or "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench_peers")
    parser.add_argument("threads", nargs="?", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=argparse.FileType("w"))
    options = parser.parse_args()
    output = subprocess.run([options.bench_peers, "--plain"], env={**os.environ, "OMP_NUM_THREADS": str(options.threads)}, check=True,
                            text=True, stdout=subprocess.PIPE).stdout
    versions = {"NumPy": np.__version__}
    if numexpr:
        numexpr.set_num_threads(options.threads)
        versions["numexpr"] = importlib.metadata.version("numexpr")
    times = {}
    for workload, library, *said in (row.split() for row in output.splitlines()):
        if workload == "version":
            versions[library] = said[0]
        else:
            times.setdefault(workload, {})[library] = float(said[0])
    for workload, of in times.items():
        make, numpy_way, numexpr_way = WORKLOADS[workload]
        operands = make()
        of["NumPy"] = seconds(numpy_way, operands)
        if numexpr and numexpr_way:
            part = corner(operands)
            assert np.allclose(numexpr_way(*part), numpy_way(*part), rtol=1e-3, atol=1e-4), workload
            of["numexpr"] = seconds(numexpr_way, operands)
        for library, t in of.items():
            print(f"{workload:20} {library:9} {t * 1e3:9.4f} ms {t / of['lazyfuse']:7.2f}", flush=True)
    if options.json:
        json.dump({"context": {"date": datetime.date.today().isoformat(), "commit": commit(), "threads": options.threads, "versions": versions},
                   "seconds": times}, options.json, indent=1)


if __name__ == "__main__":
    main()
