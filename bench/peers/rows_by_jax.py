#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of bench_gpu by JAX, jitted, on the same GPU.

    rows_by_jax.py jax.json

Shapes are those of bench/row_workloads.hpp, the protocol that of bench/gpu/measure.cuh: evaluations back to back, at least 2 ms a
sample and at most 200, the median of 15 samples. The JSON has the form of Google Benchmark's, for report.py --jax.
"""
import datetime
import json
import os
import statistics
import sys
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import jax
import jax.numpy as jnp


def layernorm(x):
    d = x - x.mean(-1, keepdims=True)
    return d / jnp.sqrt((d * d).mean(-1, keepdims=True) + 1e-5)


def normalize(x):
    return x / jnp.sqrt(jnp.sum(x * x))


WORKLOADS = {
    "softmax_128": ((1 << 20, 128), jax.nn.softmax),
    "softmax_1024": ((1 << 16, 1024), jax.nn.softmax),
    "softmax_8192": ((1 << 13, 8192), jax.nn.softmax),
    "softmax_262144": ((1 << 9, 1 << 18), jax.nn.softmax),
    "layernorm_1024": ((1 << 16, 1024), layernorm),
    "normalize_4M": ((1 << 22,), normalize),
    "normalize_64M": ((1 << 26,), normalize),
    "standardize_columns": ((1 << 16, 1024), lambda x: (x - x.mean(0)) / x.std(0)),
}


def seconds(f, x):
    def sample(evaluations):
        before = time.perf_counter()
        for _ in range(evaluations):
            y = f(x)
        y.block_until_ready()
        return (time.perf_counter() - before) / evaluations

    sample(3)
    evaluations = min(max(int(2e-3 / sample(3)), 1), 200)
    sample(2 * evaluations)
    return statistics.median(sample(evaluations) for _ in range(15))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    rows = []
    for name, (shape, function) in WORKLOADS.items():
        x = jax.random.uniform(jax.random.PRNGKey(1), shape, dtype=jnp.float32) + 0.5
        rows.append({"name": name, "real_time": 1e6 * seconds(jax.jit(function), x), "time_unit": "us"})
        print(f"{name:20} {rows[-1]['real_time']:9.2f} us", flush=True)
    context = {"date": datetime.datetime.now().isoformat(timespec="seconds"), "jax": jax.__version__,
               "gpu": jax.devices()[0].device_kind}
    with open(sys.argv[1], "w") as file:
        json.dump({"context": context, "benchmarks": rows}, file, indent=1)


if __name__ == "__main__":
    main()
