#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random expressions, evaluated by the library and by NumPy.

    fuzz.py [--seed 7] [--count 1000]      generates, builds, runs and compares; shrinks what fails to one line
    fuzz.py --only 42 [--seed 7]           expression 42 of the seed alone
    fuzz.py generate|build|check DIR       the same in phases, which may run on different machines (options as before)

--cuda evaluates in the CUDA space: the programs are compiled by nvcc. --build names the folder of a configured build.
"""

import argparse
import collections
import os
import pathlib
import sys
import time

import numpy as np

import grammar
import programs
import reference
import shrink

ROOT = pathlib.Path(__file__).resolve().parents[2]


def described(number, case, wrong):
    lines = [f"expression {number}: {wrong}", f"  C++:   {case.line('cpp')}", f"  NumPy: {case.line('numpy')}"]
    for k, n in case.inputs():
        v = n.value.v
        values = np.array2string(v, threshold=40, separator=", ").replace("\n", "") if v.size <= 40 else "..."
        lines.append(f"  x{k}: {n.dtype}{v.shape} = {values}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("phase", nargs="?", choices=["generate", "build", "check", "all"], default="all")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", type=int, help="one expression, printed and run")
    parser.add_argument("--batch", type=int, default=20, help="expressions in a program")
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--build", help="a build folder of CMake's (default: build/host, or build/cuda with --cuda)")
    parser.add_argument("--compiler", help="instead of the build's")
    parser.add_argument("--flags", default="", help="of the compiler, instead of -O0 (nvcc: -O0 -Ofc=mid)")
    parser.add_argument("--jobs", type=int, help="compilers at a time (default: as many as there are processors)")
    parser.add_argument("--keep", type=int, default=5, help="how many failures are made small")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--list", action="store_true", help="print the expressions")
    a = parser.parse_args()
    reference.contracts = a.cuda
    if a.only is not None:
        a.first, a.count = a.only, 1
    build = a.build or ROOT / "build" / ("cuda" if a.cuda else "host")
    folder = pathlib.Path(a.folder or pathlib.Path(build) / "fuzz").resolve()
    start = time.time()
    cases = [grammar.case(a.seed, k) for k in range(a.first, a.first + a.count)]
    if a.list or a.only is not None:
        for k, case in enumerate(cases):
            print(described(a.first + k, case, "").rstrip())
    work = programs.Work(folder, cases, a.batch)
    tools = None
    if a.phase in ("build", "all") or (a.phase == "check" and not a.no_shrink and a.keep):
        tools = programs.Toolchain(build, a.cuda, a.flags, a.compiler, a.jobs)
    if a.phase in ("generate", "all"):
        work.clear()
        work.write(".cu" if a.cuda else ".cpp")
    generated = time.time()
    if a.phase in ("build", "all"):
        work.build(tools)
    built = time.time()
    if a.phase not in ("check", "all"):
        print(f"fuzz: {a.phase}: {len(cases)} expressions in {len(work.batches)} programs, {time.time() - start:.0f} s")
        return 0
    failed, elements = [], collections.Counter()
    for k, (case, wrong) in enumerate(work.check()):
        for n in case.results():
            e = n.value.e
            elements["exact"] += int(np.count_nonzero(e == 0))
            elements["within an error"] += int(np.count_nonzero((e > 0) & np.isfinite(e)))
            elements["not comparable"] += int(np.count_nonzero(~np.isfinite(e)))
        if wrong:
            failed.append((a.first + k, case, wrong))
    total = max(sum(elements.values()), 1)
    print(f"fuzz: seed {a.seed}, {len(cases)} expressions, {total} elements: " + ", ".join(f"{100 * n / total:.1f} % {what}" for what, n in elements.items())
          + f"; generated in {generated - start:.0f} s, compiled in {built - generated:.0f} s, {time.time() - built:.0f} s to run and compare")
    for number, case, wrong in failed[: a.keep]:
        if a.no_shrink:
            print(described(number, case, wrong[:3000]))
            continue
        small, how = shrink.shrink(case, wrong, lambda cases: programs.failures(cases, tools, folder / "shrink", max(1, -(-len(cases) // tools.jobs))))
        print(described(number, small, how[:3000]))
        print(f"  found by: fuzz.py --seed {a.seed} --only {number}" + (" --cuda" if a.cuda else ""))
        sys.stdout.flush()
    for number, _, wrong in failed[a.keep :]:
        print(f"expression {number}: {wrong.splitlines()[0][:200]}")
    print(f"fuzz: {len(failed)} of {len(cases)} failed" if failed else "fuzz: all agree")
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    sys.exit(main())
