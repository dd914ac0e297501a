#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A table of what bench_programs and peers.py printed, any number of files: time, bytes per second of what the sweeps of the program move, and
how many times as long the others take; the most memory at one time beside the operands; lines of code.

    report.py gpu.json cupy.json [--least]
"""
import argparse
import inspect
import json
import math
import pathlib
import re

import peers

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples" / "programs"


def lines_of_ours(program):
    text = (SOURCES / f"{program}.hpp").read_text()
    body = text[text.index("namespace lf = lazyfuse;") :].splitlines()[1:]
    return sum(1 for line in body if line.strip() and not re.match(r"\s*(//|}  // namespace)", line))


def lines_of_numpy(program):
    return sum(1 for line in inspect.getsource(getattr(peers, program)).splitlines() if line.strip())


def seconds_text(s):
    return f"{s * 1e6:.1f} µs" if s < 1e-3 else f"{s * 1e3:.2f} ms"


def bytes_text(n):
    return f"{n} B" if n < 10_000 else f"{n / 1e6:.1f} MB"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--least", action="store_true", help="the least of the times in the place of their median: on a machine with other work")
    options = parser.parse_args()
    time = "least" if options.least else "seconds"
    rows = {}
    for file in options.files:
        for line in filter(str.strip, file.read_text().splitlines()):
            row = json.loads(line)
            way = row["by"] if row["by"] != "lazyfuse" else row["way"]
            rows.setdefault(row["program"], {})[way] = row
    others = [way for way in ("unfused", "CuPy", "NumPy") if any(way in of for of in rows.values())]
    head = ["program", "sizes", "time", "GB/s", "kernels"] + others + ["memory"] + [f"{o}'s" for o in others] + ["lines", "NumPy's"]
    print("| " + " | ".join(head) + " |\n|---|---|" + "---:|" * (len(head) - 2))
    ratios = {o: [] for o in others}
    for program, of in rows.items():
        if "fused" not in of:
            continue
        fused, name = of["fused"], peers.function_of(program)
        cells = [program, " x ".join(map(str, fused["sizes"])), seconds_text(fused[time]), f"{fused['bytes'] / fused[time] / 1e9:.1f}", str(fused["kernels"])]
        for o in others:
            if time in of.get(o, {}):
                ratios[o].append(of[o][time] / fused[time])
                cells.append(f"{ratios[o][-1]:.2f}")
            else:
                cells.append("–")
        cells.append(bytes_text(fused["peak"]))
        cells += [bytes_text(of[o]["peak"]) if "peak" in of.get(o, {}) else "–" for o in others]
        print("| " + " | ".join(cells + [str(lines_of_ours(name)), str(lines_of_numpy(name))]) + " |")
    for o, found in ratios.items():
        if found:
            print(f"\n{o}: geometric mean {math.exp(sum(map(math.log, found)) / len(found)):.2f} of {len(found)}, least {min(found):.2f}", end="")
    print()


if __name__ == "__main__":
    main()
