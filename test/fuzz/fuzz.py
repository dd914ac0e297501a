#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random expressions, evaluated by the library and by NumPy.

    fuzz.py [--seed 7] [--count 1000]      generates, builds, runs and compares; shrinks what fails to one line
    fuzz.py --only 42 [--seed 7]           expression 42 of the seed alone
    fuzz.py generate|build|run|check DIR   the same in phases, with the same options; build and run need Python alone,
                                           so that they can happen on another machine

--cuda evaluates in the CUDA space: the programs are compiled by nvcc; with --no-nvcc by a C++ compiler, and their
kernels are made when they run. --lazy: what each operation makes is a lazy_array, so that all is evaluated as graphs.
--build names the folder of a configured build.
"""

import argparse
import collections
import os
import pathlib
import sys
import time

import programs

ROOT = pathlib.Path(__file__).resolve().parents[2]


def described(number, case, wrong):
    import numpy as np

    lines = [f"expression {number}: {wrong}", f"  C++:   {case.line('cpp')}", f"  NumPy: {case.line('numpy')}"]
    for k, n in case.inputs():
        v = n.value.v
        values = np.array2string(v, threshold=40, separator=", ").replace("\n", "") if v.size <= 40 else "..."
        lines.append(f"  x{k}: {n.dtype}{v.shape} = {values}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("phase", nargs="?", choices=["generate", "build", "run", "check", "all"], default="all")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", type=int, help="one expression, printed and run")
    parser.add_argument("--functions", type=float, help="how many of the steps are functions of whole arrays (functions.py): from 0 to 1")
    parser.add_argument("--batch", type=int, default=20, help="expressions in a program")
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--no-nvcc", action="store_true")
    parser.add_argument("--lazy", action="store_true")
    parser.add_argument("--build", help="a build folder of CMake's (default: build/host, or build/cuda with --cuda)")
    parser.add_argument("--compiler", help="instead of the build's")
    parser.add_argument("--flags", default="", help="of the compiler, instead of -O0 (nvcc: -O0 -Ofc=mid)")
    parser.add_argument("--jobs", type=int, help="compilers at a time (default: as many as there are processors)")
    parser.add_argument("--keep", type=int, default=5, help="how many failures are made small")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--list", action="store_true", help="print the expressions")
    a = parser.parse_args()
    if a.no_nvcc and not a.cuda:
        parser.error("--no-nvcc is a way to compile for --cuda")
    if a.only is not None:
        a.first, a.count = a.only, 1
    build = pathlib.Path(a.build or ROOT / "build" / ("cuda" if a.cuda else "host"))
    folder = pathlib.Path(a.folder or build / "fuzz").resolve()
    tools = programs.Toolchain(build, a.cuda, a.flags, a.compiler, a.jobs, not a.no_nvcc)
    start = time.time()
    if a.phase in ("build", "run"):
        programs.build(folder, tools) if a.phase == "build" else programs.run(folder, tools.jobs)
        print(f"fuzz: {a.phase}: {time.time() - start:.0f} s")
        return 0

    # what follows needs NumPy and SciPy
    import numpy as np

    import exchange
    import grammar
    import reference

    reference.contracts = a.cuda
    grammar.lazy = a.lazy
    grammar.functions_share = grammar.functions_share if a.functions is None else a.functions
    cases = [grammar.case(a.seed, k) for k in range(a.first, a.first + a.count)]
    if a.list or a.only is not None:
        for k, case in enumerate(cases):
            print(described(a.first + k, case, "").rstrip())
    if a.phase in ("generate", "all"):
        exchange.write(folder, cases, a.batch, tools.suffix)
    generated = time.time()
    if a.phase == "generate":
        print(f"fuzz: {len(cases)} expressions in {len(programs.places(folder))} programs")
        return 0
    if a.phase == "all":
        programs.build(folder, tools)
        built = time.time()
        programs.run(folder)
    else:
        built = generated
    failed, elements = [], collections.Counter()
    for k, (case, wrong) in enumerate(zip(cases, exchange.check(folder, cases, a.batch))):
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
    # A generator, or bounds, that have drifted to where nothing is compared would agree with everything.
    blind = len(cases) >= 100 and elements["not comparable"] > total / 4
    if blind:
        print("fuzz: over a quarter of the elements cannot be compared: the generator, or its bounds, must be mended")
    import shrink

    for number, case, wrong in failed[: a.keep]:
        if a.no_shrink:
            print(described(number, case, wrong[:3000]))
            continue
        small, how = shrink.shrink(case, wrong, lambda cases: exchange.failures(cases, tools, folder / "shrink", max(1, -(-len(cases) // tools.jobs))))
        print(described(number, small, how[:3000]))
        print(f"  found by: fuzz.py --seed {a.seed} --only {number}" + "".join(f" --{o}" for o in ("cuda", "no-nvcc", "lazy") if vars(a)[o.replace("-", "_")])
              + (f" --functions {a.functions}" if a.functions is not None else ""))
        sys.stdout.flush()
    for number, _, wrong in failed[a.keep :]:
        print(f"expression {number}: {wrong.splitlines()[0][:200]}")
    print(f"fuzz: {len(failed)} of {len(cases)} failed" if failed else "fuzz: all agree")
    return 1 if failed or blind else 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    sys.exit(main())
