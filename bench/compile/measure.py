#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what the library costs a compiler: its umbrella header alone, and each further expression.

Expressions are random trees of 32 operations with a fixed seed, every one of another type and with about 17 operands,
assigned to an existing array, of rank 1 and of rank 2 (which compiles two kernels instead of one). Seconds per further
expression are (time of 11 - time of 1) / 10.
"""
import argparse
import datetime
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

OPERATIONS = 32
UNARY = ["lf::sin({})", "lf::cos({})", "lf::exp({})", "lf::sqrt({})", "lf::abs({})", "lf::tanh({})", "(-{})"]
BINARY = ["({} + {})", "({} - {})", "({} * {})", "({} / {})", "lf::minimum({}, {})", "lf::maximum({}, {})"]


def tree(operations: int, rng: random.Random) -> str:
    """The text of a random expression with this many operations."""
    if operations == 0:
        return rng.choice("abcd")
    if rng.random() < 0.3:
        return rng.choice(UNARY).format(tree(operations - 1, rng))
    left = rng.randrange(operations)
    scalar = left == 0 and rng.random() < 0.3
    first = f"{rng.uniform(0.5, 2):.3f}f" if scalar else tree(left, rng)
    second = tree(operations - 1 - left, rng)
    return rng.choice(BINARY[:4] if scalar else BINARY).format(first, second)


def source(header: str, expressions: int, rank: int = 1) -> str:
    """A translation unit that evaluates this many expressions; none: the header alone."""
    rng = random.Random(42)
    lines = [f"#include <lazyfuse/{header}>"]
    if expressions:
        lines += ["namespace lf = lazyfuse;", f"using array = lf::array<float, {rank}>;"]
    for i in range(expressions):
        body = tree(OPERATIONS, rng)
        lines.append(f"void f{i}(array& z, const array& a, const array& b, const array& c, const array& d) {{\n"
                     f"  z = {body};\n  (void)a, (void)b, (void)c, (void)d;\n}}")
    return "\n".join(lines) + "\n"


def compile_once(command: list[str]) -> dict:
    """Wall and processor seconds and the peak memory of the largest process of one compilation."""
    before = time.monotonic()
    with tempfile.TemporaryFile() as messages:
        child = subprocess.Popen(command, stderr=messages)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - before
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            messages.seek(0)
            errors = [line[:300] for line in messages.read().decode().splitlines() if "error" in line]
            sys.exit("\n".join(["measure.py: failed: " + " ".join(command), *errors[:10]]))
    return {"wall_s": wall, "user_s": usage.ru_utime, "system_s": usage.ru_stime, "peak_mb": usage.ru_maxrss / 1024}


def measure(command: list[str], text: str, suffix: str, repetitions: int) -> dict:
    """Medians over repetitions, after one compilation that fills the file cache."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "unit" + suffix)
        file.write_text(text)
        command = command + ["-c", str(file), "-o", str(file.with_suffix(".o"))]
        runs = [compile_once(command) for _ in range(repetitions + 1)][1:]
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def measure_compiler(name: str, command: list[str], header: str, suffix: str, repetitions: int) -> list[dict]:
    """Rows for one compiler: an empty file, the header alone, one expression, eleven, by rank."""
    rows = []

    def add(what: str, figures: dict) -> dict:
        rows.append({"name": f"{name}/{what}", **figures})
        print("{name:28} wall {wall_s:6.2f} s  user {user_s:6.2f} s  peak {peak_mb:6.0f} MB".format(**rows[-1]), flush=True)
        return figures

    add("empty", measure(command, "\n", suffix, repetitions))
    add("header", measure(command, source(header, 0), suffix, repetitions))
    for rank in (1, 2):
        one, eleven = (add(f"expressions_{n}_rank_{rank}", measure(command, source(header, n, rank), suffix, repetitions))
                       for n in (1, 11))
        add(f"per_expression_rank_{rank}", {key: (eleven[key] - one[key]) / 10 for key in one})
    return rows


def first_line(command: list[str], contains: str) -> str:
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return next((line.strip() for line in lines if contains in line), lines[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cxx", help="host compiler; measures lazyfuse/lazyfuse.hpp")
    parser.add_argument("--cuda-cxx", help="host compiler, with the CUDA runtime's headers among the system's; measures lazyfuse/cuda.hpp")
    parser.add_argument("--nvcc", help="CUDA compiler; measures lazyfuse/cuda.cuh")
    parser.add_argument("--arch", default="sm_90", help="GPU architecture (default: sm_90)")
    parser.add_argument("--include", action="append", default=[], help="folder of the library's headers")
    parser.add_argument("--system", action="append", default=[], help="folder of CCCL's headers, for the host compiler")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path, help="file for the figures, as JSON")
    options = parser.parse_args()

    folder = pathlib.Path(__file__).parent
    commit = subprocess.run(["git", "-C", str(folder), "describe", "--always", "--dirty", "--exclude", "*"],
                            capture_output=True, text=True).stdout.strip()
    context = {"date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"), "commit": commit}
    includes = [f"-I{path}" for path in options.include]
    rows = []
    if options.cxx:
        context["cxx"] = first_line([options.cxx, "--version"], "")
        command = [options.cxx, "-std=c++20", "-O3", *includes, *(f"-isystem{path}" for path in options.system)]
        rows += measure_compiler("cxx", command, "lazyfuse.hpp", ".cpp", options.repetitions)
    if options.cuda_cxx:
        context["cuda_cxx"] = first_line([options.cuda_cxx, "--version"], "")
        command = [options.cuda_cxx, "-std=c++20", "-O3", "-DLAZYFUSE_CUDA=1", *includes, *(f"-isystem{path}" for path in options.system)]
        rows += measure_compiler("cuda_cxx", command, "cuda.hpp", ".cpp", options.repetitions)
    if options.nvcc:
        context["nvcc"] = first_line([options.nvcc, "--version"], "release")
        command = [options.nvcc, "-std=c++20", "-O3", f"-arch={options.arch}", "-DLAZYFUSE_CUDA=1", *includes]
        rows += measure_compiler("nvcc", command, "cuda.cuh", ".cu", options.repetitions)
    if options.out:
        options.out.write_text(json.dumps({"context": context, "benchmarks": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
