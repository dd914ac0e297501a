#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the JSON of the benchmarks into the tables of docs/benchmarks.md (between its markers) and a plot.

    report.py --gpu gpu.json --host host.json --compile compile.json            prints the tables
    report.py ... --write docs/benchmarks.md [--plot docs/benchmarks.png]       writes them

--jax jax.json (of peers/rows_by_jax.py, on the same GPU) beside --gpu compares the two, --breadth-peers breadth.json (of peers/breadth.py) as well; --peers peers.json is of peers/peers.py.
In the page, the text between `<!-- begin NAME -->` and `<!-- end NAME -->` is replaced; NAME is one of gpu, rows, breadth, order, equal, stencils, types, random, jax,
variants, launch, sweep, host, host_rows, host_corners, host_families, peers, compile. Tables for which no JSON is given stay as they are.
"""
import argparse
import json
import pathlib
import re
import statistics
import sys

WORKLOADS = ["saxpy", "fma3", "chain20", "pyth", "pyth64", "blackscholes", "arc_distance", "adam", "sumsq", "minmaxmean", "rowsum",
             "colsum", "rosen", "laplacian", "broadcast_outer", "transpose_add"]
ROWS = ["softmax_128", "softmax_128_spelled", "softmax_1024", "softmax_1024_spelled", "softmax_8192", "softmax_8192_spelled", "softmax_262144",
        "softmax_262144_spelled", "layernorm_1024", "layernorm_1024_spelled", "normalize_4M", "normalize_64M", "standardize_columns", "cumsum_squares", "cumsum_rows", "cumsum_columns"]
CORNERS = ["choice", "power_two", "power_any", "complex_abs", "dropout", "softmax_masked", "cross_entropy", "logsumexp", "sum_of_2", "sum_of_4",
           "sum_of_8", "sum_of_16", "max_of_3", "max_of_16", "argmax_of_10", "argmax_of_1000", "argmax_of_16M"]
EQUAL = ["bodies", "density", "kl_rows", "cosine_rows", "bray_curtis_rows", "turned_product", "two_softmaxes",
         "softmax_times_log_softmax", "layernorm_backward"]
FAMILIES = ["bodies", "bodies_fused", "density", "product", "product_in_tiles", "nearest_centre", "kl_rows", "cosine_rows", "bray_curtis_rows", "two_softmaxes",
            "softmax_times_log_softmax", "layernorm_backward", "batch_norm", "sums_over_ends", "softmax_of_channels", "softmax_down",
            "points_7", "points_27", "gradient_norm", "wave_step", "gaussian_25"]
STENCILS = ["points_7", "points_27", "points_27_of_6_planes", "points_27_float64", "gradient_norm", "wave_step",
            "gaussian_25", "blurred_pictures", "blurred_strip"]
VARIANTS = ["saxpy", "saxpy_slice", "saxpy_odd", "saxpy_row", "saxpy_0d", "fma3", "fma3_unfused", "chain20", "chain20_unfused",
            "pyth", "pyth_unfused"]
TYPES = ["axpy_float32", "axpy_float64", "axpy_float16", "axpy_bfloat16", "axpy_int8", "axpy_complex64", "axpy_complex128", "axpy_float32x3", "axpy_float32x4",
         "axpy_uint8x4", "softmax_1024_float16",
         "softmax_1024_bfloat16", "softmax_8192_float16", "softmax_8192_bfloat16", "layernorm_1024_float16", "layernorm_1024_bfloat16",
         "argmax", "var", "norm"]
RANDOM = ["random_uniform", "curand_uniform", "random_normal", "curand_normal", "random_dropout"]
BREADTH = ["cumsum_squares", "select_half", "select_few", "gather_random", "evolve", "repeating", "sort_of_key", "topk_1024", "histogram_100", "histogram_4096", "histogram_16384",
           "histogram_4096_of_one_value", "product_bias_gelu_float32", "product_bias_gelu_bfloat16", "spectrum"]
ORDER = ["order/sort", "order/argsort", "order/topk_1024_constant", "order/topk_100000", "order/topk_8_of_rows_of_32768", "order/partition", "order/median",
         "order/sort_rows_of_64", "order/sort_rows_of_2048", "order/argsort_rows_of_1024",
         *(f"order/histogram{constant}_{bins}" for bins in (10, 256, 50000, 1000000) for constant in ("", "_constant")),
         *(f"order/add_at_{places}" for places in (1, 1000, 1000000))]
COPIES = ["copy/kernel1", "copy/kernel2", "copy/kernel4", "copy/cudaMemcpy"]


def load(path: pathlib.Path) -> tuple[dict, dict]:
    """The context, and the rows by name without Google Benchmark's suffixes."""
    data = json.loads(path.read_text())
    rows = {re.sub(r"/(iterations:\d+|manual_time).*", "", row["name"]): row for row in data["benchmarks"]}
    return data["context"], rows


def table(columns: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; the first column is text, the others are numbers."""
    lines = ["| " + " | ".join(columns) + " |", "|---" + "|---:" * (len(columns) - 1) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def duration(seconds: float) -> str:
    return f"{seconds * 1e3:.3f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.2f} µs"


def seconds(row: dict) -> float:
    return row["real_time"] * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[row["time_unit"]]


def count(number: float) -> str:
    return f"{number:,.0f}".replace(",", " ")


def origin(context: dict, machine: str) -> str:
    return f"{machine}; {context['date'][:10]}; commit {context.get('commit', 'unknown')}."


def gpu_machine(context: dict) -> str:
    return f"{context.get('gpu', 'unknown GPU')}, CUDA driver {context.get('cuda_driver', '?')}"


def speeds(rows: dict, names: list[str]) -> str:
    """Rows with time, speed, what the trace saw, and the prediction of what has one."""
    lines = []
    predicted = any("predicted_us" in rows[name] for name in names if name in rows)
    for name in (name for name in names if name in rows):
        row = rows[name]
        if row.get("error_occurred"):
            lines.append([name, row["error_message"]] + [""] * (6 + predicted))
            continue
        traced = [f"{row['kernels']:.0f}", count(row["allocated"]), row.get("label", "")] if "kernels" in row else [""] * 3
        lines.append([name, duration(seconds(row)), count(row["GB/s"]), f"{row['of_copy']:.3f}", f"{100 * row['spread']:.1f} %",
                      *([duration(row["predicted_us"] * 1e-6) if "predicted_us" in row else ""] if predicted else []), *traced])
    return table(["workload", "time", "GB/s", "of copy", "spread", *(["predicted"] if predicted else []), "kernels", "bytes allocated", "path"], lines)


def beside(rows: dict, names: list[str], peers: dict) -> str:
    """Rows with their time beside that of the part of them that a library's kernel does, or does alone, and beside other libraries."""
    lines = []
    for name in (name for name in names if name in rows):
        row = rows[name]
        if row.get("error_occurred"):
            lines.append([name, row["error_message"]] + [""] * (7 + len(peers)))
            continue
        others = [f"{times[name] / seconds(row):.2f}" if name in times else "" for times in peers.values()]
        alone = [duration(row["alone_us"] * 1e-6), f"{row['of_alone']:.2f}"] if "alone_us" in row else ["", ""]
        lines.append([name, duration(seconds(row)), f"{row['of_copy']:.3f}", f"{100 * row['spread']:.1f} %", *alone, *others, f"{row['kernels']:.0f}",
                      count(row["allocated"]), row.get("label", "")])
    return table(["workload", "time", "of copy", "spread", "alone", "alone / time", *(f"{name} / time" for name in peers), "kernels", "bytes allocated", "path"], lines)


def gpu_sections(context: dict, rows: dict, peers: dict) -> dict[str, str]:
    where = origin(context, gpu_machine(context))
    tables = {"gpu": COPIES + WORKLOADS, "rows": ROWS, "equal": EQUAL, "stencils": STENCILS, "variants": VARIANTS, "random": RANDOM, "types": TYPES,
              "order": ORDER}
    sections = {name: f"{where}\n\n{speeds(rows, names)}" for name, names in tables.items()}
    sections["breadth"] = f"{where}\n\n{beside(rows, BREADTH, peers)}"
    lines = []
    if "empty_kernel" in rows:
        lines.append(["empty kernel, back to back", duration(seconds(rows["empty_kernel"]))])
    if "small" in rows and not rows["small"].get("error_occurred"):
        lines.append(["sin(x) * 2 + cos(x), N = 1024, back to back", duration(seconds(rows["small"]))])
        lines.append(["the same, host time per evaluation", f"{rows['small']['host_us']:.2f} µs"])
    if "normalize_4M" in rows and not rows["normalize_4M"].get("error_occurred"):
        lines.append(["x / sqrt(sum(x * x)), N = 2²², back to back", duration(seconds(rows["normalize_4M"]))])
    if "host_cost" in rows:
        row = rows["host_cost"]
        lines.append(["z = a * b + c, N = 1024: host time per evaluation", duration(seconds(row))])
        lines.append(["the same kernel launched by hand", f"{row['bare_us']:.2f} µs"])
        lines.append(["what the library adds", f"{row['overhead_us']:.2f} µs"])
        for counter, what in (("prepared_us", "what it adds prepared, step()"), ("rebound_us", "and over other arrays, step(z, a * b + c)")):
            if counter in row:
                lines.append([what, f"{row[counter]:.2f} µs"])
    sections["launch"] = f"{where}\n\n{table(['what', 'time'], lines)}"
    sweep = sorted((row for name, row in rows.items() if name.startswith("sweep/")), key=lambda row: row["elements"])
    lines = [[count(row["elements"]), duration(seconds(row)), count(row["GB/s"])] for row in sweep]
    sections["sweep"] = f"{where}\n\n{table(['elements', 'time', 'GB/s'], lines)}"
    return sections


def jax_sections(context: dict, rows: dict, gpu_rows: dict) -> dict[str, str]:
    """JAX beside what the library took on the same GPU."""
    pairs = [(name, seconds(gpu_rows[name]), seconds(row)) for name, row in rows.items() if name in gpu_rows]
    mean = statistics.geometric_mean(theirs / ours for _, ours, theirs in pairs)
    lines = [[name, duration(ours), duration(theirs), f"{theirs / ours:.2f}"] for name, ours, theirs in pairs]
    lines.append(["geometric mean", "", "", f"{mean:.2f}"])
    where = f"{context['gpu']}, JAX {context['jax']}; {context['date'][:10]}."
    return {"jax": f"{where}\n\n" + table(["workload", "lazyfuse", "JAX", "JAX / lazyfuse"], lines)}


def ratios(rows: dict, names: list[str]) -> str:
    """Rows with the times of the library and of the hand-written loop."""
    lines = []
    for name in (name for name in names if name in rows):
        row = rows[name]
        if row.get("error_occurred"):
            lines.append([name, row["error_message"]] + [""] * 4)
            continue
        lines.append([name, duration(seconds(row)), duration(row["hand_us"] * 1e-6), f"{row['ratio']:.2f}", f"{row['GB/s']:.1f}",
                      f"{100 * row['spread']:.1f} %"])
    return table(["workload", "lazyfuse", "by hand", "by hand / lazyfuse", "GB/s", "spread"], lines)


def host_sections(context: dict, rows: dict) -> dict[str, str]:
    where = origin(context, f"CPU at {context['mhz_per_cpu']} MHz, {context.get('threads', context['num_cpus'])} threads")
    return {name: f"{where}\n\n{ratios(rows, names)}" for name, names in {"host": WORKLOADS + ["small", "small_prepared"], "host_rows": ROWS, "host_corners": CORNERS, "host_families": FAMILIES}.items()}


def peers_sections(data: dict) -> dict[str, str]:
    """Other libraries' times over the library's."""
    context, times = data["context"], data["seconds"]
    others = list(context["versions"])
    lines = [[name, duration(of["lazyfuse"]), *(f"{of[other] / of['lazyfuse']:.2f}" if other in of else "" for other in others)]
             for name, of in times.items()]
    where = f"CPU, {context['threads']} threads; {context['date']}; commit {context['commit']}."
    columns = ["workload", "lazyfuse"] + [f"{other} {version} / lazyfuse" for other, version in context["versions"].items()]
    return {"peers": f"{where}\n\n{table(columns, lines)}"}


def compile_sections(context: dict, rows: dict) -> dict[str, str]:
    titles = {"empty": "an empty file", "header": "the umbrella header alone"}
    for rank in (1, 2):
        titles |= {f"expressions_1_rank_{rank}": f"1 expression of 32 operations, rank {rank}",
                   f"expressions_11_rank_{rank}": f"11 expressions of 32 operations, rank {rank}",
                   f"per_expression_rank_{rank}": f"each further expression, rank {rank}"}
    lines = []
    for name, row in rows.items():
        compiler, what = name.split("/")
        label = {"cxx": "g++", "cuda_cxx": "g++, arrays on the GPU", "nvcc": "nvcc"}.get(compiler, compiler)
        lines.append([f"{label}: {titles[what]}", f"{row['wall_s']:.2f} s", f"{row['user_s']:.2f} s", f"{row['peak_mb']:.0f} MB"])
    where = origin(context, "; ".join(context[key] for key in ("cxx", "nvcc") if key in context))
    return {"compile": f"{where}\n\n" + table(["compilation, -O3", "wall", "user", "peak memory"], lines)}


def plot(rows: dict, host: dict, path: pathlib.Path) -> None:
    """Bars: on the GPU the fraction of a copy, on the CPU the ratio to the hand-written loop."""
    try:
        import matplotlib
    except ImportError:
        sys.exit("report.py: --plot needs matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot
    panels = [(title, values) for title, values in
              [("GPU: fraction of a copy kernel", {n: rows[n].get("of_copy", 0) for n in WORKLOADS + ROWS if n in rows}),
               ("CPU: hand-written loop's time / lazyfuse's", {n: host[n].get("ratio", 0) for n in WORKLOADS + ROWS if n in host})] if values]
    figure, axes = pyplot.subplots(1, len(panels), figsize=(6 * len(panels), 7), squeeze=False)
    for axis, (title, values) in zip(axes[0], panels):
        bars = axis.barh(list(values)[::-1], list(values.values())[::-1], color="#4878a8")
        axis.bar_label(bars, fmt="%.2f", padding=2, fontsize=8)
        axis.axvline(1, color="black", linewidth=0.8)
        axis.margins(x=0.12)
        axis.set_title(title, fontsize=10)
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def replace(page: str, name: str, text: str) -> str:
    pattern = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
    if not pattern.search(page):
        sys.exit(f"report.py: the page has no <!-- begin {name} --> ... <!-- end {name} -->")
    return pattern.sub(lambda match: f"{match[1]}{text}\n{match[2]}", page)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("gpu", "breadth-peers", "jax", "host", "peers", "compile", "write", "plot"):
        parser.add_argument(f"--{name}", type=pathlib.Path)
    options = parser.parse_args()
    sections, gpu_rows, host_rows = {}, {}, {}
    if options.gpu:
        context, gpu_rows = load(options.gpu)
        sections |= gpu_sections(context, gpu_rows, json.loads(options.breadth_peers.read_text()) if options.breadth_peers else {})
    if options.jax:
        sections |= jax_sections(*load(options.jax), gpu_rows)
    if options.host:
        context, host_rows = load(options.host)
        sections |= host_sections(context, host_rows)
    if options.peers:
        sections |= peers_sections(json.loads(options.peers.read_text()))
    if options.compile:
        sections |= compile_sections(*load(options.compile))
    if options.write:
        page = options.write.read_text()
        for name, text in sections.items():
            page = replace(page, name, text)
        options.write.write_text(page)
    else:
        for name, text in sections.items():
            print(f"## {name}\n\n{text}\n")
    if options.plot:
        plot(gpu_rows, host_rows, options.plot)


if __name__ == "__main__":
    main()
