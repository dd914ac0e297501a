#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows by lazyfuse, by the C++ libraries bench_peers was built with, by NumPy and, if it is there, by numexpr.

    peers.py build/bench/bench/bench_peers

Every library computes the same rows of 16384 x 1024 floats. bench_peers runs twice, with one thread and with all; NumPy has one
thread, numexpr is told how many. The last number is the library's time over lazyfuse's with as many threads.
"""
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

ROWS, COLUMNS, EPSILON = 16384, 1024, 1e-5


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def layernorm(x):
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + EPSILON)


NUMPY = {"softmax": softmax, "layernorm": layernorm, "normalize": lambda x: x / np.linalg.norm(x),
         "standardize_columns": lambda x: (x - x.mean(0)) / x.std(0)}


def by_numexpr():
    """What is elementwise is numexpr's; sums with an axis are, too, but slower than NumPy's, which are taken instead."""
    epsilon = np.float32(EPSILON)

    def softmax(x):
        m = x.max(1, keepdims=True)
        e = numexpr.evaluate("exp(x - m)")
        s = e.sum(1, keepdims=True)
        return numexpr.evaluate("e / s")

    def standardized(x, axis, epsilon):
        m = x.mean(axis, keepdims=True)
        d = numexpr.evaluate("x - m")
        v = numexpr.evaluate("d * d").mean(axis, keepdims=True)
        return numexpr.evaluate("d / sqrt(v + epsilon)")

    def normalize(x):
        n = np.float32(np.sqrt(numexpr.evaluate("sum(x * x)")))
        return numexpr.evaluate("x / n")

    return {"softmax": softmax, "layernorm": lambda x: standardized(x, 1, epsilon), "normalize": normalize,
            "standardize_columns": lambda x: standardized(x, 0, np.float32(0))}


def seconds(f, x):
    times = []
    f(x)
    for _ in range(9):
        before = time.perf_counter()
        f(x)
        times.append(time.perf_counter() - before)
    return statistics.median(times)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    x = np.random.default_rng(1).random((ROWS, COLUMNS), np.float32) + np.float32(0.5)
    for threads in sorted({1, os.cpu_count()}):
        output = subprocess.run([sys.argv[1], "--plain"], env={**os.environ, "OMP_NUM_THREADS": str(threads)}, check=True, text=True,
                                stdout=subprocess.PIPE).stdout
        times = {}
        for workload, library, t in (line.split() for line in output.splitlines()):
            times.setdefault(workload, {})[library] = float(t)
        libraries = {"NumPy": NUMPY} if threads == 1 else {}
        if numexpr:
            numexpr.set_num_threads(threads)
            libraries["numexpr"] = by_numexpr()
        for workload, of in times.items():
            for library, functions in libraries.items():
                assert np.allclose(functions[workload](x), NUMPY[workload](x), rtol=1e-2, atol=1e-3), (workload, library)
                of[library] = seconds(functions[workload], x)
            for library, t in of.items():
                print(f"{threads} threads  {workload:20} {library:9} {t * 1e3:9.3f} ms {t / of['lazyfuse']:7.2f}")


if __name__ == "__main__":
    main()
