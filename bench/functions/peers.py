#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of each family by bench_functions and by NumPy, side by side: calls of the two take turns, so that what else the machine does falls
on both, with pauses, since threads of either look for more work for a while before they sleep. Of each function the medians in ms, and how many times as long NumPy takes.

    peers.py path/to/bench_functions [--names REGEX] [--rounds 9] [--below 1.0]
    OMP_NUM_THREADS=1 peers.py path/to/bench_functions --busy

The latter compares the time of processors, where there are not as many free ones as threads.
"""
import argparse
import math
import re
import statistics
import subprocess
import time

import numpy as np

N, SIDE = 4_000_000, 2000
PAUSE = 0.05  # seconds


def line(dtype="d", n=N, seed=1):
    x = np.random.default_rng(seed).standard_normal(n)
    return (x * 1e6 if np.issubdtype(dtype, np.integer) else x).astype(dtype)


def matrix(dtype="d", rows=SIDE, columns=SIDE, seed=1):
    return line(dtype, rows * columns, seed).reshape(rows, columns)


def indices(n, below):
    return np.random.default_rng(7).integers(0, below, n)


def positive(rows):
    x = matrix("d", rows, rows)
    return x @ x.T


def write(x, at, v):
    x[at] = v


TYPES = {"float": "f", "double": "d", "half": "e", "int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64", "bool": "bool"}
few, mask, mask2 = 1_000_000, lambda: line() > 0, lambda: matrix() > 0

# The name, what is called, and functions that make its operands.
CASES = {}


def case(name, f, *operands):
    CASES[name] = (f, operands)


def of_lines(names, f, count=1):
    """The operands are one-dimensional, of the type behind the comma."""
    for name in names.split("; "):
        t = TYPES[name.rsplit(", ", 1)[1]]
        case(name, f, *(lambda s=s, t=t: line(t, N, s) for s in range(1, count + 1)))


def of_squares(names, f, count=1):
    for name in names.split("; "):
        t = TYPES[name.rsplit(", ", 1)[1]]
        case(name, f, *(lambda s=s, t=t: matrix(t, SIDE, SIDE, s) for s in range(1, count + 1)))


of_lines("x + y, float; x + y, double; x + y, half; x + y, int8", np.add, 2)
of_lines("sqrt(abs(x)), float", lambda x: np.sqrt(np.abs(x)))
of_lines("exp(x), float; exp(x), double", np.exp)
of_lines("sin(x), float; sin(x), double", np.sin)
of_lines("tanh(x), float", np.tanh)
of_lines("log(abs(x)), double", lambda x: np.log(np.abs(x)))
of_lines("pow(abs(x), y), double", lambda x, y: np.abs(x) ** y, 2)
of_lines("where(x > 0, x, y), float", lambda x, y: np.where(x > 0, x, y), 2)
of_lines("clip(x, 0, 1), double", lambda x: np.clip(x, 0, 1))
of_lines("floor_divide(i, 7), int64", lambda x: x // 7)
of_lines("remainder(i, 7), int32", lambda x: x % 7)
of_lines("sum(x), float; sum(x), double; sum(x), half; sum(x), int64", np.sum)
of_squares("sum(x, 0), float; sum(x, 0), double", lambda x: x.sum(0))
of_squares("sum(x, 1), float; sum(x, 1), double", lambda x: x.sum(1))
of_lines("prod(x), double", np.prod)
of_lines("max(x), float", np.max)
of_squares("max(x, 0), double", lambda x: x.max(0))
of_squares("max(x, 1), double", lambda x: x.max(1))
of_squares("mean(x, 1), half", lambda x: x.mean(1))
of_lines("std(x), float; std(x), double", np.std)
of_squares("var(x, 0), double", lambda x: x.var(0))
of_squares("var(x, 1), double", lambda x: x.var(1))
of_lines("argmax(x), float; argmax(x), double; argmax(x), int32", np.argmax)
of_squares("argmax(x, 0), double", lambda x: x.argmax(0))
of_squares("argmax(x, 1), float", lambda x: x.argmax(1))
of_lines("norm(x), double; norm(x), float", np.linalg.norm)
of_squares("norm(x, 1), double", lambda x: np.linalg.vector_norm(x, axis=1))
of_lines("any(x > 9), double", lambda x: (x > 9).any())
case("all(b), bool", np.all, lambda: line() < 9)
case("any(b, 0), bool", lambda b: b.any(0), lambda: matrix() > 9)
case("count_nonzero(b), bool", np.count_nonzero, mask)
of_lines("cumsum(x), float; cumsum(x), double", np.cumsum)
of_lines("cumsum(x), int32", lambda x: np.cumsum(x, dtype=np.int64))
of_squares("cumsum(x, 0), double", lambda x: np.cumsum(x, 0))
of_squares("cumsum(x, 1), double", lambda x: np.cumsum(x, 1))
of_lines("cumprod(x), double", np.cumprod)
of_lines("cummax(x), double", np.maximum.accumulate)
of_lines("diff(x), float", np.diff)
of_squares("diff(x, 0), double", lambda x: np.diff(x, axis=0))
of_lines("x[::2] + 1, double", lambda x: x[::2] + 1)
of_lines("x[::-1] + 1, float", lambda x: x[::-1] + 1)
of_squares("x[:, ::3] * 2, float", lambda x: x[:, ::3] * 2)
of_squares("x.T copied, float; x.T copied, double", lambda x: x.T.copy())
of_squares("x + x.T, double", lambda x: x + x.T)
of_squares("flip(x), double", lambda x: np.flip(x).copy())
of_lines("roll(x, 5), float", lambda x: np.roll(x, 5))
of_squares("roll(x, (3, 4)), double", lambda x: np.roll(x, (3, 4), (0, 1)))
case("x + v, double", np.add, matrix, lambda: line("d", SIDE, 2))
of_lines("cast<float>(x), double", lambda x: x.astype("f"))
of_lines("cast<double>(x), int32", lambda x: x.astype("d"))
case("exp(z), complex", np.exp, lambda: line("D", N // 4))
case("z * w, complex", np.multiply, lambda: line("D"), lambda: line("D", N, 2))

for name in ("1e7 float", "1e7 double", "1e7 int32", "1e7 int64", "1e7 int16", "1e7 half", "1e6 float", "1e6 double", "1e5 float", "1e5 double", "1e4 float", "1e4 double", "1e3 float", "1e3 double"):
    n, t = name.split()
    case("sort, " + name, np.sort, lambda n=n, t=t: line(TYPES[t], int(float(n))))
for name in ("1000 x 1000 float", "1000 x 1000 double", "100 x 10000 double", "10000 x 100 float"):
    a, _, b, t = name.split()
    case("sort, " + name, np.sort, lambda a=a, b=b, t=t: matrix(TYPES[t], int(a), int(b)))
case("sort axis 0, 1000 x 1000 double", lambda x: np.sort(x, 0), lambda: matrix("d", 1000, 1000))
stable = lambda x: np.argsort(x, stable=True)
case("argsort, 1e7 float", stable, lambda: line("f", 10_000_000))
case("argsort, 1e6 float", stable, lambda: line("f", few))
case("argsort, 1e6 double", stable, lambda: line("d", few))
case("argsort, 1000 x 1000 float", stable, lambda: matrix("f", 1000, 1000))
case("partition, 1e6 double", lambda x: np.partition(x, 1000), lambda: line("d", few))
case("median, 1e6 double", np.median, lambda: line("d", few))
case("median, 1e7 float", np.median, lambda: line("f", 10_000_000))
case("median axis 1, 1000 x 1000 double", lambda x: np.median(x, 1), lambda: matrix("d", 1000, 1000))
case("quantile 0.25 0.75, 1e6 double", lambda x: np.quantile(x, [0.25, 0.75]), lambda: line("d", few))
case("unique, 1e6 double", np.unique, lambda: line("d", few))
case("unique, 1e6 int32 of 1000", np.unique, lambda: line("int32", few) % 1000)
case("unique_inverse, 1e6 int32 of 1000", np.unique_inverse, lambda: line("int32", few) % 1000)
case("searchsorted, 1e6 in 1e6 double", np.searchsorted, lambda: np.sort(line("d", few)), lambda: line("d", few, 2))
case("searchsorted, 1e6 in 1000 float", np.searchsorted, lambda: np.sort(line("f", 1000)), lambda: line("f", few, 2))
case("isin, 1e6 in 1000 int32", lambda v, x: np.isin(x, v), lambda: line("int32", 1000, 2), lambda: line("int32", few))

joined = lambda x, y: np.concatenate((x, y))
of_lines("concat(x, y), float; concat(x, y), double; concat(x, y), int8", joined, 2)
of_squares("concat(x, y) axis 0, double", joined, 2)
of_squares("concat(x, y) axis 1, double; concat(x, y) axis 1, float", lambda x, y: np.concatenate((x, y), 1), 2)
of_squares("concat of 4 axis 0, float", lambda x, y: np.concatenate((x, y, x, y)), 2)
of_lines("stack(x, y), double", lambda x, y: np.stack((x, y)), 2)
of_lines("stack(x, y) axis 1, double; stack(x, y) axis 1, float", lambda x, y: np.stack((x, y), 1), 2)
of_lines("repeat(x, 5), double", lambda x: np.repeat(x, 5))
of_squares("repeat(x, 2) axis 0, float", lambda x: np.repeat(x, 2, 0))
of_lines("tile(x, 3), double", lambda x: np.tile(x, 3))
of_squares("tile(x, (2, 2)), float", lambda x: np.tile(x, (2, 2)))
of_squares("pad(x, 1), double", lambda x: np.pad(x, 1))
of_squares("pad(x, 3) reflect, float", lambda x: np.pad(x, 3, "reflect"))
case("take(x, i), double", np.take, line, lambda: indices(N, N))
case("take(x, i), float of 1000", np.take, lambda: line("f", 1000), lambda: indices(N, 1000))
case("take(x, i, 0), double", lambda x, i: np.take(x, i, 0), matrix, lambda: indices(SIDE, SIDE))
case("take(x, i, 1), double", lambda x, i: np.take(x, i, 1), matrix, lambda: indices(SIDE, SIDE))
of_lines("x(x > 0), double", lambda x: x[x > 0])
case("x(b), float", lambda x, b: x[b], lambda: line("f"), mask)
case("x(b) few, float", lambda x, b: x[b], lambda: line("f"), lambda: line() > 2.5)
case("nonzero(b), bool", np.nonzero, mask)
case("flatnonzero(b) few, bool", np.flatnonzero, lambda: line() > 2.5)
case("argwhere(b), bool 2-D", np.argwhere, mask2)
case("x(b) = 0, double", lambda x, b: write(x, b, 0), line, mask)
case("x(i) = v, double", write, line, lambda: indices(N, N), lambda: line("d", N, 3))
case("add_at(x, i, v), double", np.add.at, line, lambda: indices(N, 1000), lambda: line("d", N, 3))
case("bincount(i), of 1000", np.bincount, lambda: indices(N, 1000))
case("bincount(i, w), of 1000", np.bincount, lambda: indices(N, 1000), line)
case("histogram(x, 100), double", lambda x: np.histogram(x, 100), line)
case("histogram(x, edges), float", np.histogram, lambda: line("f"), lambda: np.linspace(-5, 5, 101).astype("f"))


def square(n, t="d", seed=1):
    return lambda: matrix(t, n, n, seed)


case("matmul, 1000 double", np.matmul, square(1000), square(1000, seed=2))
case("matmul, 1000 float", np.matmul, square(1000, "f"), square(1000, "f", 2))
case("matmul, 200 double", np.matmul, square(200), square(200, seed=2))
case("matmul of a vector, 2000 double", np.matmul, square(2000), lambda: line("d", 2000))
case("matmul, 1000 x 16 x 16 double", np.matmul, lambda: line("d", 256000).reshape(1000, 16, 16), lambda: line("d", 256000, 2).reshape(1000, 16, 16))
case("matmul, 300 int64", np.matmul, square(300, "int64"), square(300, "int64", 2))
case("dot, 4e6 double", np.dot, line, lambda: line("d", N, 2))
case("outer, 2000 double", lambda x: np.outer(x, x), lambda: line("d", 2000))
case("einsum ij,ij->i, double", lambda x, y: np.einsum("ij,ij->i", x, y), square(2000), square(2000, seed=2))
case("solve, 1000 double", np.linalg.solve, square(1000), square(1000, seed=2))
case("solve, 1000 x 8 x 8 double", np.linalg.solve, lambda: line("d", 64000).reshape(1000, 8, 8), lambda: line("d", 64000, 2).reshape(1000, 8, 8))
case("inv, 500 double", np.linalg.inv, square(500))
case("svd, 300 double", np.linalg.svd, square(300))
case("eigh, 400 double", np.linalg.eigh, lambda: matrix("d", 400, 400) + matrix("d", 400, 400).T)
case("qr, 500 double", np.linalg.qr, square(500))
case("cholesky, 1000 double", np.linalg.cholesky, lambda: positive(1000))
case("det, 500 double", np.linalg.det, square(500))


def transform(name, f):
    """The shape and the type are in the name."""
    *shape, _, of = name.rsplit(", ", 1)[1].replace(" x ", " ").split() if "complex" in name else [*name.rsplit(", ", 1)[1].replace(" x ", " ").split()[:-1], "", name.split()[-1]]
    sizes = [int(eval(n.replace("^", "**"))) for n in shape if n != "prime"]
    t = {"double": "d", "float": "f"}[of]
    case(name, f, lambda: line(t, math.prod(sizes)).astype(t.upper() if "complex" in name else t).reshape(sizes))


for name in ("2^20 complex double", "2^20 complex float", "2^22 complex double", "10^6 complex double", "prime 100003 complex double", "2^10 complex double", "4096 x 1024 complex double", "4096 x 1024 complex float",
             "100000 x 16 complex double", "2048 x 2048 complex double", "256 x 8192 complex double"):
    transform("fft, " + name, np.fft.fft)
for name in ("2048 x 2048 complex double", "2048 x 2048 complex float", "8192 x 256 complex double", "1000 x 1000 complex double"):
    transform("fft axis 0, " + name, lambda z: np.fft.fft(z, axis=0))
for name in ("2048 x 2048 complex double", "1000 x 1000 complex double", "512 x 512 complex float"):
    transform("fft2, " + name, np.fft.fft2)
transform("rfft, 2^20 double", np.fft.rfft)
transform("rfft, 4096 x 1024 double", np.fft.rfft)
transform("rfft2, 2048 x 2048 double", np.fft.rfft2)
transform("irfft, 4096 x 513 complex double", np.fft.irfft)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--names", default="", help="only those that it is found in")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--busy", action="store_true", help="the time of processors instead of the clock's")
    parser.add_argument("--below", type=float, default=math.inf, help="only where NumPy takes less than so many times as long")
    options = parser.parse_args()
    clock = time.process_time if options.busy else time.perf_counter
    ours = subprocess.Popen([options.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    names = subprocess.run([options.program, "names"], capture_output=True, text=True, check=True).stdout.splitlines()
    print("| function | NumPy, ms | here, ms | NumPy / here | of the least |\n|---|---:|---:|---:|---:|")
    for name in filter(lambda n: re.search(options.names, n), names):
        f, operands = CASES[name]
        made = [make() for make in operands]
        f(*made)
        theirs, here = [], []
        for _ in range(options.rounds):
            time.sleep(PAUSE)
            begin = clock()
            f(*made)
            theirs.append(clock() - begin)
            time.sleep(PAUSE)
            print(name, file=ours.stdin, flush=True)
            here.append(float(ours.stdout.readline().split()[options.busy]))
        a, b = statistics.median(theirs), statistics.median(here)
        if a / b < options.below:
            print(f"| {name} | {a * 1e3:.3g} | {b * 1e3:.3g} | {a / b:.2f} | {min(theirs) / min(here):.2f} |", flush=True)


if __name__ == "__main__":
    main()
