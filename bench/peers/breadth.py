#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of bench/gpu/breadth.cu by PyTorch, JAX and CuPy, those that are there, on the same GPU; and the steps of optimizers of
bench/gpu/batches.cu by PyTorch.

    breadth.py breadth.json

Shapes are those of the rows, the protocol that of bench/gpu/measure.cuh: evaluations back to back, at least 2 ms a sample, the median of
15. Each library's best way is taken, compiled where it compiles. Writes {library: {row: seconds}}; report.py --breadth-peers reads it.
"""
import json
import os
import statistics
import sys
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
N = 1 << 26


def seconds(f, wait):
    def sample(evaluations):
        before = time.perf_counter()
        for _ in range(evaluations):
            f()
        wait()
        return (time.perf_counter() - before) / evaluations

    sample(2)
    evaluations = min(max(int(2e-3 / sample(2)), 1), 200)
    sample(evaluations)
    return statistics.median(sample(evaluations) for _ in range(15))


def by_torch():
    import torch

    def rand(*shape, dtype=torch.float32):
        return torch.rand(*shape, device="cuda", dtype=torch.float32).to(dtype) + 0.5

    compiled = torch.compile

    def select_half():
        x = rand(1 << 28)
        return lambda: x[x > 1] * 2 + 1

    def gather():
        x, i = rand(N), torch.randperm(N, device="cuda", dtype=torch.int32)
        return lambda: torch.index_select(x, 0, i)

    def evolve():
        u = rand(20000, 20000).double()
        return compiled(lambda: u + 0.1 * (u.roll(1, 0) + u.roll(-1, 0) + u.roll(1, 1) + u.roll(-1, 1) - 4 * u))

    def repeating():
        x = rand(50_000_000).double()
        return compiled(lambda: torch.cat([x, x.repeat_interleave(5)]))

    def sort():
        x = rand(1 << 27)
        return lambda: torch.sort(2 * x + 1).values

    def topk():
        x = rand(N)
        return lambda: torch.topk(x, 1024)

    def histogram(bins, constant=False):
        x = torch.full((1 << 27,), 0.75, device="cuda") if constant else rand(1 << 27)
        return lambda: torch.histc(x, bins, 0.5, 1.5)

    def product(dtype, tf32=False):
        x, y, b = rand(4096, 4096, dtype=dtype) - 1, rand(4096, 4096, dtype=dtype) - 1, rand(4096, dtype=dtype)
        torch.set_float32_matmul_precision("high" if tf32 else "highest")
        return compiled(lambda: torch.nn.functional.gelu(x @ y + b), mode="max-autotune-no-cudagraphs")

    def spectrum():
        x, w = rand(1 << 12, 1 << 14).to(torch.complex64), rand(1 << 14)
        return lambda: torch.fft.fft(x * w).abs()

    def optimizer(kind, count, **options):  # one step over parameters of 1 KB to 16 MB
        parameters = [torch.ones(int(256 * 2 ** (14 * (i * 0.6180339887498949 % 1))), device="cuda") for i in range(count)]
        for p in parameters:
            p.grad = torch.full_like(p, 0.5)
        return kind(parameters, lr=1e-3, **options).step

    steps = {
        f"{name}_{count}{suffix}": lambda kind=kind, count=count, options=options, way=way: optimizer(kind, count, **options, **way)
        for name, kind, options in (("SGD", torch.optim.SGD, {"momentum": 0.9}), ("Adam", torch.optim.Adam, {}))
        for count in (50, 500)
        for suffix, way in (("", {"fused": True}), ("_foreach", {"foreach": True}))
    }
    rows = steps | {"select_half": select_half, "gather_random": gather, "evolve": evolve, "repeating": repeating, "sort_of_key": sort, "topk_1024": topk,
            "histogram_100": lambda: histogram(100), "histogram_4096": lambda: histogram(4096), "histogram_16384": lambda: histogram(16384),
            "histogram_4096_of_one_value": lambda: histogram(4096, True), "product_bias_gelu_float32": lambda: product(torch.float32),
            "product_bias_gelu_bfloat16": lambda: product(torch.bfloat16), "spectrum": spectrum,
            "cumsum_squares": lambda: (lambda x: lambda: torch.cumsum(x * x, 0))(rand(1 << 27))}

    def run(make):
        torch.cuda.empty_cache()
        return seconds(make(), torch.cuda.synchronize)

    return f"PyTorch {torch.__version__.split('+')[0]}", rows, run


def by_jax():
    import jax
    import jax.numpy as jnp

    def rand(*shape, dtype=jnp.float32):
        return (jax.random.uniform(jax.random.key(1), shape) + 0.5).astype(dtype)

    def product(dtype):
        x, y, b = rand(4096, 4096, dtype=dtype) - 1, rand(4096, 4096, dtype=dtype) - 1, rand(4096, dtype=dtype)
        exact = jax.lax.Precision.HIGHEST
        return (lambda x, y, b: jax.nn.gelu(jnp.matmul(x, y, precision=exact) + b, approximate=False)), (x, y, b)

    rows = {
        "gather_random": lambda: (lambda x, i: x[i], (rand(N), jax.random.permutation(jax.random.key(2), N))),
        "repeating": lambda: (lambda x: jnp.concatenate([x, jnp.repeat(x, 5)]), (rand(100_000_000),)),
        "sort_of_key": lambda: (lambda x: jnp.sort(2 * x + 1), (rand(1 << 27),)),
        "topk_1024": lambda: (lambda x: jax.lax.top_k(x, 1024), (rand(N),)),
        "product_bias_gelu_float32": lambda: product(jnp.float32),
        "product_bias_gelu_bfloat16": lambda: product(jnp.bfloat16),
        "spectrum": lambda: (lambda x, w: jnp.abs(jnp.fft.fft(x * w)), (rand(1 << 12, 1 << 14).astype(jnp.complex64), rand(1 << 14))),
        "cumsum_squares": lambda: (lambda x: jnp.cumsum(x * x), (rand(1 << 27),)),
    }

    def run(make):
        f, x = make()
        f = jax.jit(f)
        last = []

        def call():
            last[:] = [f(*x)]

        return seconds(call, lambda: jax.block_until_ready(last))

    return f"JAX {jax.__version__}", rows, run


def by_cupy():
    import cupy as cp

    def rand(*shape, dtype=cp.float32):
        return (cp.random.random(shape, dtype=cp.float32) + cp.float32(0.5)).astype(dtype)

    def select_half():
        x = rand(1 << 28)
        return lambda: x[x > 1] * 2 + 1

    def gather():
        x, i = rand(N), cp.random.permutation(N).astype(cp.int32)
        return lambda: cp.take(x, i)

    def sort():
        x = rand(1 << 27)
        return lambda: cp.sort(2 * x + 1)

    def histogram(bins):
        x = rand(1 << 27)
        return lambda: cp.histogram(x, bins, (0.5, 1.5))

    rows = {"select_half": select_half, "gather_random": gather, "sort_of_key": sort, "histogram_4096": lambda: histogram(4096)}

    def run(make):
        cp.get_default_memory_pool().free_all_blocks()
        return seconds(make(), cp.cuda.Device().synchronize)

    return f"CuPy {cp.__version__}", rows, run


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = {}
    for library in (by_torch, by_jax, by_cupy):
        try:
            name, rows, run = library()
        except ImportError as error:
            print(f"{library.__name__}: {error}", file=sys.stderr)
            continue
        found[name] = {}
        for row, make in rows.items():
            try:
                found[name][row] = run(make)
                print(f"{name} {row}: {found[name][row] * 1e6:.1f} us", file=sys.stderr, flush=True)
            except Exception as error:  # one that a library cannot do leaves the others
                print(f"{name} {row}: {error}", file=sys.stderr, flush=True)
        with open(sys.argv[1], "w") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
