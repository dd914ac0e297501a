#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions that are drawn, not chosen, by lazyfuse, torch.compile and JAX, on one GPU or on the CPU in one go.

    generality.py [--seed 1] [--count 60] [--family pairs] [--cpu]     all of what follows
    generality.py --functions                                          functions of whole arrays: gathers, sorts, selections and others
    generality.py --named                                              the instances by which families are known (instances.py)
    generality.py generate|build|run|peers|report DIR          in phases; build needs a C++ compiler and lazyfuse::cuda, run and
                                                               peers a GPU, peers PyTorch and JAX
    --cpu: arrays of the host, a sixteenth of the work, numexpr beside the peers; generate notes it. --flags=-march=native: build so.

Half of the expressions are of families (families.py), in turn, the others of a grammar (grammar.py); with --functions all are of
the families of those. report prints a table, those
first in which a peer is ahead, and writes curve.svg: which share of the expressions is at least so fast, and predicted.svg: what
`lf::plan` predicts beside what was measured.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
import expressions  # noqa: E402
import families  # noqa: E402
import grammar  # noqa: E402
import instances  # noqa: E402

CASES_OF_A_PROGRAM = 10
CPU_SCALE = 1 / 16
PEERS = {"torch": "torch.compile", "jax": "JAX", "numexpr": "numexpr"}


def draw(seed, count, family, scale=1.0, functions=False):
    """The cases: number k depends on the seed and k alone."""
    drawn = families.FUNCTIONS if functions else families.ALL
    names = [family] if family else list(drawn)
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        of_family = bool(family) or functions or k % 2 == 0
        name = names[k // (1 if family or functions else 2) % len(names)] if of_family else "grammar"
        case = expressions.Case(f"{name}_{seed}_{k}", name, scale)
        yield (families.ALL | families.FUNCTIONS)[name](rng, case) if of_family else grammar.expression(rng, case)


def shape_text(shape):
    return "lf::shape<0>{}" if not shape else f"lf::shape({', '.join(map(str, shape))})"


def cpp_function(case, number):
    types = expressions.CPP_TYPES | {"int64": "lf::int64"}
    lines = [f"void case{number}(const std::string& folder) {{"]
    for k, t in enumerate(case.inputs):
        lines.append(f"  const auto x{k} = generality::input<{types[t.dtype]}>({shape_text(t.shape)}, {k});")
    parts = [f"const auto {name} = {t.cpp};" for name, t in case.statements]
    for k, t in enumerate(case.results):
        lines.append(f"  lf::array<{types[t.dtype]}, {t.rank}> y{k}({shape_text(t.shape)});")
    texts = [t.cpp for t in case.results]
    if len(texts) == 1:
        assigned = f"y0 = {texts[0]};"
    else:
        assigned = f"lf::assign(lf::tie({', '.join(f'y{k}' for k in range(len(texts)))}), {', '.join(texts)});"
    planned = f"{' '.join(parts)} return lf::plan({', '.join(texts)});" if case.is_planned else "return generality::unplanned{};"
    lines += [f"  generality::report(folder, \"{case.name}\",",
              f"    [&] {{ {planned} }},",
              f"    [&] {{ {' '.join(parts)} {assigned} }},",
              f"    {', '.join(f'y{k}' for k in range(len(texts)))});", "}"]
    return "\n".join(lines)


def generate(folder, cases, cpu):
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*.jsonl"):
        stale.unlink()
    copied = 1 << (28 if cpu else 30)  # bytes of the copy that is the yardstick
    described = [{"name": c.name, "cpu": cpu, "family": c.family, "bytes": c.bytes(), "has_values": c.has_values,
                  "is_dynamic": c.is_dynamic,
                  "inputs": [[list(t.shape), t.dtype] for t in c.inputs],
                  "statements": [[name, t.py] for name, t in c.statements],
                  "results": [t.py for t in c.results],
                  "types": [t.dtype for t in c.results],
                  "cpp": "; ".join([*(f"{name} = {t.cpp}" for name, t in c.statements), *(t.cpp for t in c.results)])}
                 for c in cases]
    (folder / "cases.json").write_text(json.dumps(described, indent=1))
    for first in range(0, len(cases), CASES_OF_A_PROGRAM):
        some = list(enumerate(cases))[first : first + CASES_OF_A_PROGRAM]
        body = "\n".join(cpp_function(c, k) for k, c in some)
        calls = "\n".join(f"  case{k}(folder);" for k, _ in some)
        headers = "".join(f"#include <lazyfuse/{h}.hpp>\n" for h in sorted({h for _, c in some for h in c.headers}))
        copy = f"  generality::report_copy({copied});\n" if first == 0 else ""
        (folder / f"program{first // CASES_OF_A_PROGRAM:03}.cpp").write_text(
            f'#include "harness.hpp"\n{headers}\nnamespace lf = lazyfuse;\n\n' + body +
            f"\n\nint main(int, char** argv) {{\n  const std::string folder = argv[1];\n  generality::wanted = argv + 2;\n{copy}{calls}\n}}\n")


def is_of_cpu(folder):
    return json.loads((folder / "cases.json").read_text())[0]["cpu"]


def build(folder, build_folder, flags):
    """By the C++ compiler, as test/fuzz compiles; kernels for the GPU are made when they run, loops here."""
    cpu, known = is_of_cpu(folder), json.loads((build_folder / "test/fuzz.json").read_text())
    includes = [f"-I{HERE}"] + [f"-I{p}" for p in known["includes"].split(";") if p]
    libraries = [p for p in known["libraries" if cpu else "cuda_libraries"].split(";") if p]

    def one(source):
        command = [known["cxx"], "-std=gnu++20", "-w", *(["-O3", "-fopenmp"] if cpu else ["-O1", "-DLAZYFUSE_CUDA=1"]), *flags,
                   *includes, str(source), "-o", str(source.with_suffix("")), *libraries]
        done = subprocess.run(command, capture_output=True, text=True)
        return "" if done.returncode == 0 else f"{source}: {done.stdout}{done.stderr}"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [text for text in pool.map(one, sorted(folder.glob("program*.cpp"))) if text]
    if wrong:
        sys.exit("\n".join(text[:2000] for text in wrong))


def run(folder):
    with open(folder / "lazyfuse.jsonl", "w") as out:
        for program in sorted(p for p in folder.glob("program*") if not p.suffix):
            done = subprocess.run([program, folder], stdout=out)
            if done.returncode:
                print(f"generality: {program.name} ended with {done.returncode}")


def peers(folder):
    cpu = is_of_cpu(folder)
    for name in PEERS if cpu else ("torch", "jax"):  # each alone: they take the GPU's memory
        environment = {**os.environ, **({"CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu"} if cpu else {})}
        with open(folder / f"{name}.jsonl", "w") as out:
            subprocess.run([sys.executable, HERE / "peers.py", name, folder], stdout=out, env=environment)


def lines_of(file):
    return {d["name"]: d for d in map(json.loads, file.read_text().splitlines())} if file.exists() else {}


def picture(title, width, height, body):
    return (f'<?xml version="1.0" encoding="UTF-8"?>\n<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->\n'
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
            f'aria-labelledby="t" font-family="sans-serif">\n<title id="t">{title}</title>\n'
            f'<rect width="{width}" height="{height}" fill="white"/>\n{body}\n</svg>\n')


def curve(ratios):
    """Which share of the expressions has at least so much of the best peer's speed."""
    width, height, low, high = 640, 320, 0.25, 16
    x = lambda r: width * math.log(min(max(r, low), high) / low) / math.log(high / low)
    ordered = sorted(ratios)
    points = " ".join(f"{x(r):.1f},{height * (1 - k / len(ordered)):.1f}" for k, r in enumerate(ordered, 1))
    marks = "".join(f'<line x1="{x(m):.1f}" x2="{x(m):.1f}" y1="0" y2="{height}" stroke="#bbb"/>'
                    f'<text x="{x(m) + 3:.1f}" y="12" font-size="11">{m:g}</text>' for m in (0.5, 0.7, 0.9, 1, 2, 4, 8))
    return picture("Which share of the expressions has at least so much of the best peer's speed", width, height,
                   f'{marks}\n<polyline fill="none" stroke="#0a58ca" stroke-width="2" points="{points}"/>')


def scatter(pairs):
    """Predicted against measured microseconds, both by logarithms; the lines: as predicted, twice and half as long."""
    pairs = [pair for pair in pairs if min(pair) > 0]
    size, low = 400, 10 ** math.floor(math.log10(min(map(min, pairs), default=1)))
    high = max(10 ** math.ceil(math.log10(max(map(max, pairs), default=1))), 10 * low)
    at = lambda us: size * math.log(us / low) / math.log(high / low)
    lines = "".join(f'<line x1="{at(low * max(f, 1)):.1f}" y1="{size - at(low * max(1 / f, 1)):.1f}" '
                    f'x2="{at(high * min(f, 1)):.1f}" y2="{size - at(high * min(1 / f, 1)):.1f}" stroke="#bbb"/>' for f in (0.5, 1, 2))
    ticks = "".join(f'<text x="{at(t) + 3:.1f}" y="{size - 3}" font-size="11">{t:g} µs measured</text>'
                    f'<text x="3" y="{size - at(t) - 3:.1f}" font-size="11">{t:g} µs predicted</text>'
                    for t in (10**k for k in range(round(math.log10(low)) + 1, round(math.log10(high)))))
    dots = "".join(f'<circle cx="{at(m):.1f}" cy="{size - at(p):.1f}" r="3" fill="#0a58ca"/>' for p, m in pairs)
    return picture("Predicted against measured microseconds", size, size, f"{lines}\n{ticks}\n{dots}")


def report(folder):
    cases = json.loads((folder / "cases.json").read_text())
    ours = lines_of(folder / "lazyfuse.jsonl")
    others = {title: lines_of(folder / f"{n}.jsonl") for n, title in PEERS.items() if (folder / f"{n}.jsonl").exists()}
    copy = ours.get("copy", {})
    rows, broken = [], []
    for c in cases:
        mine = ours.get(c["name"], {"error": "it did not run"})
        theirs = {n: d[c["name"]]["us"] for n, d in others.items() if "us" in d.get(c["name"], {})}
        wrong = [f"{n}: {d[c['name']]['wrong']}" for n, d in others.items() if d.get(c["name"], {}).get("wrong")]
        if "us" not in mine or wrong:
            broken.append(f"{c['name']}: {mine.get('error', '')} {'; '.join(wrong)}\n    {c['cpp']}")
        if "us" not in mine or not theirs:
            continue
        of_copy = c["bytes"] / copy["bytes"] * copy["us"] / mine["us"] if copy else float("nan")
        rows.append((min(theirs.values()) / mine["us"], c, mine, theirs, of_copy))
    rows.sort(key=lambda r: r[0])
    print(f"| expression | lazyfuse µs | {' | '.join(others)} | best peer / lazyfuse | of copy | kernels | predicted µs |")
    print(f"|---|---:|{'---:|' * len(others)}---:|---:|---:|---:|")
    for ratio, c, mine, theirs, of_copy in rows:
        predicted = f"{mine['predicted_us']:.1f}" if mine["predicted_us"] else ""
        print(f"| {c['name']} | {mine['us']:.1f} | {' | '.join(f'{theirs[n]:.1f}' if n in theirs else '' for n in others)} | "
              f"{ratio:.2f} | {of_copy:.2f} | {mine['kernels'] or ''} | {predicted} |")
    if rows:
        ratios = [r[0] for r in rows]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"\n{len(rows)} expressions: geometric mean {mean:.2f}, at least 0.9 in {100 * sum(r >= 0.9 for r in ratios) / len(ratios):.0f} %, "
              f"worst {ratios[0]:.2f}")
        (folder / "curve.svg").write_text(curve(ratios))
        predicted = [(mine["predicted_us"], mine["us"]) for _, _, mine, _, _ in rows]
        (folder / "predicted.svg").write_text(scatter(predicted))
        off = sorted(max(p / m, m / p) for p, m in predicted if min(p, m) > 0)
        if off:
            print(f"predicted: off by a factor of {off[len(off) // 2]:.2f} in the median, {off[9 * len(off) // 10]:.2f} at nine in ten")
    for text in broken:
        print(text)
    return 1 if broken else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("phase", nargs="?", choices=["generate", "build", "run", "peers", "report", "all"], default="all")
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--family", choices=[*families.ALL, *families.FUNCTIONS])
    parser.add_argument("--functions", action="store_true", help="families of functions of whole arrays")
    parser.add_argument("--named", action="store_true", help="instances that are not drawn")
    parser.add_argument("--cpu", action="store_true", help="arrays of the host")
    parser.add_argument("--flags", default="", help="more flags for the C++ compiler")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/cuda", help="a build folder with lazyfuse::cuda and the tests' fuzz.json")
    a = parser.parse_args()
    if a.named and (a.cpu or a.family):
        parser.error("--named are sizes for a GPU, and of all families: without --cpu and --family")
    folder = (a.folder or a.build / ("generality_cpu" if a.cpu else "generality")).resolve()
    if a.phase in ("generate", "all"):
        drawn = draw(a.seed, a.count, a.family, CPU_SCALE if a.cpu else 1.0, a.functions)
        generate(folder, instances.cases() if a.named else list(drawn), a.cpu)
    if a.phase in ("build", "all"):
        build(folder, a.build, a.flags.split())
    if a.phase in ("run", "all"):
        run(folder)
    if a.phase in ("peers", "all"):
        peers(folder)
    return report(folder) if a.phase in ("report", "all") else 0


if __name__ == "__main__":
    sys.exit(main())
