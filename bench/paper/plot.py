#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables and plots of docs/paper.md from the JSON of bench_paper.

    python3 bench/paper/plot.py paper.json           # tables and plots into docs/paper.md and docs/images
    python3 bench/paper/plot.py paper.json --print   # the tables only, on the terminal

In the page, the text between `<!-- begin NAME -->` and `<!-- end NAME -->` is replaced; NAME is an experiment, as E2b,
the first part of a row's name. The others are how it was computed, and of what size.
"""
import argparse
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from report import duration, gpu_machine, load, origin, replace, seconds, table  # noqa: E402

WAYS = {"fused": "fused", "looped": "a kernel for each image", "looped_graph": "those as a graph", "batched": "a kernel for each operation, of all images",
        "unfused": "a kernel for each operation", "graph": "those as a graph", "assigned": "assigned", "prepared": "prepared", "by_hand": "kernel by hand"}
SHORT = {"looped": "each image", "looped_graph": "graph", "batched": "operations of all", "unfused": "operations", "graph": "graph"}
# What a size counts, and whether the plot's axes are logarithmic; None: it is no curve.
EXPERIMENTS = {"E0": "additions", "E1": None, "E2a": "multiplications", "E2b": "pairs", "E3": "images", "E4": "pairs", "E5": "multiplications in a kernel", "E7": "elements",
               "E9": None, "FKL46": "frames", "PT_wave": "elements", "PT_chain": "pairs", "PT_fan": "pairs", "PT_diamond": "pairs"}
# Microseconds of the Fused Kernel Library's own code (main, C++20) on an NVIDIA H200, 2026-11-20; its baselines.
FKL = {"E2b": {"FKL": {1: 12.5, 10: 12.6, 50: 20.7, 100: 33.9, 500: 141, 5000: 1343},
               "FKL, a kernel for each operation": {1: 43.4, 10: 302, 50: 1440, 100: 2866, 500: 14243, 5000: 142598}},
       "E3": {"FKL": {10: 5.0, 50: 5.0, 150: 4.3, 600: 10.4}, "FKL, a kernel for each image": {10: 49, 50: 234, 150: 682, 600: 3014},
              "FKL, those as a graph": {10: 10, 50: 52, 150: 156, 600: 636}},
       "E4": {"FKL": {1: 5.1, 100: 5.1, 1000: 15.4, 5000: 64.7}}}
COLOURS = ["#0a58ca", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#0e7490", "#6b7280", "#be185d"]


def curves(rows: dict, experiment: str) -> dict[str, dict]:
    """Rows of an experiment by way and size."""
    found = {}
    for name, row in rows.items():
        parts = name.split("/")
        if parts[0] == experiment and len(parts) == 3:
            found.setdefault(parts[1], {})[int(parts[2]) if parts[2].isdigit() else parts[2]] = row
    return found


def cell(row: dict | None) -> str:
    if row is None:
        return ""
    return "wrong" if row.get("error_occurred") else duration(seconds(row))


def right(row: dict | None) -> bool:
    return row is not None and not row.get("error_occurred")


def comparison(found: dict, experiment: str) -> str:
    """Times by size, and how many times longer the others take than the fused kernel; of E5, than what has all 500."""
    peers = FKL.get(experiment, {})
    sizes = sorted({size for by_size in found.values() for size in by_size}, key=lambda size: (isinstance(size, str), size))
    ways = [way for way in WAYS if way in found]
    titles = [WAYS[way] for way in ways]
    base = lambda size: found.get("fused", {}).get(500 if experiment == "E5" else size)
    others = [way for way in ways if way != "fused"] if "fused" in found else []
    kernels = {size: row["kernels"] for size, row in found.get("fused", {}).items() if "kernels" in row}
    several = any(count != 1 for count in kernels.values())
    lines = []
    for size in sizes:
        line = [f"{size:,}".replace(",", " ") if isinstance(size, int) else size.replace("_", " → ")]
        line += [cell(found[way].get(size)) for way in ways]
        for way in others:
            row, fused = found[way].get(size), base(size)
            line.append(f"{seconds(row) / seconds(fused):,.1f}".replace(",", " ") if right(row) and right(fused) else "")
        line += [f"{kernels[size]:.0f}" if size in kernels else ""] * several
        line += [duration(times[size] * 1e-6) if size in times else "" for times in peers.values()]
        lines.append(line)
    return table([EXPERIMENTS[experiment] or "what", *titles, *(f"{SHORT.get(way, WAYS[way])} / fused" for way in others), *["kernels, fused"] * several, *peers], lines)


def overheads(found: dict) -> str:
    lines = [[WAYS[way], duration(seconds(row)), f"{row['host_us']:.2f} µs"] for way, by_size in found.items() for row in by_size.values() if right(row)]
    return table(["way", "on the device", "on the host"], lines)


def overlaps(rows: dict) -> str:
    lines = []
    for form in ("PT_chain", "PT_fan", "PT_diamond"):
        found = curves(rows, form)
        for size, row in found.get("unfused", {}).items():
            graph = found.get("graph", {}).get(size)
            if right(row) and right(graph):
                lines.append([form[3:], str(size), duration(seconds(row)), duration(seconds(graph)), f"{seconds(row) / seconds(graph):.2f}"])
    return table(["64 kernels", "pairs in each", "one stream", "graph", "stream / graph"], lines)


def machines(rows: dict) -> str:
    """FLOP/B and the greatest speed-up of E4, the paper's System 5 and this machine."""
    ratio, found = rows["E8/ratio/1"], curves(rows, "E4")
    speedups = [(seconds(found["unfused"][n]) / seconds(found["fused"][n]), n) for n in found.get("unfused", {})
                if right(found["unfused"][n]) and right(found.get("fused", {}).get(n))]
    best, pairs = max(speedups, default=(float("nan"), 0))
    lines = [["this GPU", f"{ratio['tflops']:.1f}", f"{ratio['peak_GB/s']:.0f}", f"{ratio['flop_per_byte']:.1f}", f"{best:,.0f} ({pairs} pairs)".replace(",", " ")],
             ["the paper's System 5 (AD102)", "82.6", "1010", "81.7", "20 931"]]
    return table(["GPU", "TFLOPS (float)", "GB/s", "FLOP/B", "greatest speed-up"], lines)


def power(k: int) -> str:
    """10**k microseconds."""
    unit = min(max(k, 0) // 3, 2)
    return f"{10.0 ** (k - 3 * unit):g} {('µs', 'ms', 's')[unit]}"


def plot(found: dict, experiment: str) -> str | None:
    """Time over size, both by logarithms, as SVG."""
    lines = {WAYS[way] if way not in ("graph", "looped_graph") else f"{WAYS['looped' if way == 'looped_graph' else 'unfused']}, as a graph":
             {n: seconds(row) * 1e6 for n, row in by_size.items() if right(row)} for way, by_size in found.items()}
    lines |= {name: dict(times) for name, times in FKL.get(experiment, {}).items()}
    points = [point for line in lines.values() for point in line.items()]
    if len({n for n, _ in points}) < 3:
        return None
    width, height, left, top = 720, 400, 56, 12 + 16 * len(lines)
    low_x, high_x = min(n for n, _ in points), max(n for n, _ in points)
    low_y, high_y = 10 ** math.floor(math.log10(min(t for _, t in points))), 10 ** math.ceil(math.log10(max(t for _, t in points)))
    x = lambda n: left + (width - left - 20) * math.log(n / low_x) / math.log(high_x / low_x)
    y = lambda t: height - 40 - (height - 40 - top) * math.log(t / low_y) / math.log(high_y / low_y)
    body = []
    for k in range(round(math.log10(low_y)), round(math.log10(high_y)) + 1):
        body.append(f'<line x1="{left}" x2="{width - 20}" y1="{y(10**k):.1f}" y2="{y(10**k):.1f}" stroke="#ddd"/>'
                    f'<text x="{left - 4}" y="{y(10**k) + 4:.1f}" font-size="11" text-anchor="end">{power(k)}</text>')
    for k in range(math.ceil(math.log10(low_x)), math.floor(math.log10(high_x)) + 1):
        body.append(f'<line x1="{x(10**k):.1f}" x2="{x(10**k):.1f}" y1="{top}" y2="{height - 40}" stroke="#ddd"/>'
                    f'<text x="{x(10**k):.1f}" y="{height - 24}" font-size="11" text-anchor="middle">{10**k:,}</text>'.replace(",", " "))
    body.append(f'<text x="{width / 2:.0f}" y="{height - 6}" font-size="12" text-anchor="middle">{EXPERIMENTS[experiment]}</text>')
    for k, (name, line) in enumerate(lines.items()):
        colour, dashes = COLOURS[k % len(COLOURS)], ' stroke-dasharray="5 4"' if name.startswith("FKL") else ""
        at = " ".join(f"{x(n):.1f},{y(t):.1f}" for n, t in sorted(line.items()))
        body.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2"{dashes} points="{at}"/>')
        body += [f'<circle cx="{x(n):.1f}" cy="{y(t):.1f}" r="3" fill="{colour}"/>' for n, t in line.items()]
        body.append(f'<line x1="{left}" x2="{left + 24}" y1="{10 + 16 * k}" y2="{10 + 16 * k}" stroke="{colour}" stroke-width="2"{dashes}/>'
                    f'<text x="{left + 30}" y="{14 + 16 * k}" font-size="12">{name}</text>')
    title = f"{experiment}: time over {EXPERIMENTS[experiment]}"
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->\n'
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-labelledby="t" '
            f'font-family="sans-serif">\n<title id="t">{title}</title>\n<rect width="{width}" height="{height}" fill="white"/>\n' + "\n".join(body) + "\n</svg>\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/paper.md")
    parser.add_argument("--images", type=pathlib.Path, default=ROOT / "docs/images")
    parser.add_argument("--print", action="store_true")
    options = parser.parse_args()
    context, rows = load(options.json)
    sections = {"where": origin(context, gpu_machine(context))}
    for experiment in ("E0", "E2a", "E2b", "E3", "E4", "E5", "E7", "E9", "FKL46", "PT_wave"):
        found = curves(rows, experiment)
        if not found:
            continue
        sections[experiment] = comparison(found, experiment)
        picture = EXPERIMENTS[experiment] and plot(found, experiment)
        if picture and not options.print:
            name = f"paper_{experiment.lower()}.svg"
            (options.images / name).write_text(picture)
            sections[experiment] += f"\n\n![Time over {EXPERIMENTS[experiment]}](images/{name})"
    if found := curves(rows, "E1"):
        sections["E1"] = overheads(found)
    if "E8/ratio/1" in rows:
        sections["E8"] = machines(rows)
    if any(name.startswith("PT_fan/") for name in rows):
        sections["PT_forms"] = overlaps(rows)
    if options.print:
        for name, text in sections.items():
            print(f"## {name}\n\n{text}\n")
        return
    page = options.page.read_text()
    for name, text in sections.items():
        page = replace(page, name, text)
    options.page.write_text(page)


if __name__ == "__main__":
    main()
