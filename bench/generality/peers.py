#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The expressions of a folder by torch.compile, by JAX or by numexpr: peers.py torch|jax|numexpr DIR. One line of JSON for each: its time as
harness.hpp measures it, and how the samples of lazyfuse's results differ, if they do."""
import json
import pathlib
import sys
import time

import numpy as np

TOLERANCES = {"float16": 2e-2, "float32": 2e-3, "float64": 1e-9}


class Torch:
    def __init__(self):
        import torch

        torch.backends.cuda.matmul.allow_tf32 = False
        torch._dynamo.config.cache_size_limit = 1 << 20
        self.t, self.device = torch, "cuda" if torch.cuda.is_available() else "cpu"
        for name in ("exp", "log", "sqrt", "rsqrt", "abs", "tanh", "square", "where", "matmul", "roll"):
            setattr(self, name, getattr(torch, name))

    def input(self, shape, dtype, number):
        t, n = self.t, int(np.prod(shape))
        whole = (t.arange(n, dtype=t.int64, device=self.device) * 7919 + 104729 * number) % 10007
        kind = getattr(t, dtype)
        if not kind.is_floating_point:
            x = whole.to(kind)
        elif dtype == "float64":
            x = whole.to(kind) / 10007 + 0.5
        else:
            x = (whole.to(t.float32) / np.float32(10007) + 0.5).to(kind)
        return x.reshape(shape)

    def sum(self, x, axes, keep):
        return self.t.sum(x, dim=axes, keepdim=keep, dtype=x.dtype)

    def mean(self, x, axes, keep):
        return self.t.mean(x, dim=axes, keepdim=keep)

    def max(self, x, axes, keep):
        return self.t.amax(x, dim=axes, keepdim=keep)

    def min(self, x, axes, keep):
        return self.t.amin(x, dim=axes, keepdim=keep)

    def var(self, x, axes, keep):
        return self.t.var(x, dim=axes, keepdim=keep, correction=0)

    def argmin(self, x, axis):
        return self.t.argmin(x, dim=axis)

    def softmax(self, x, axis):
        return self.t.softmax(x, dim=axis)

    def log_softmax(self, x, axis):
        return self.t.log_softmax(x, dim=axis)

    def logsumexp(self, x, axis):
        return self.t.logsumexp(x, dim=axis)

    def cumsum(self, x, axis):
        return self.t.cumsum(x, dim=axis)

    def maximum(self, a, b):
        return self.t.maximum(a, b) if self.t.is_tensor(b) else self.t.clamp_min(a, b)

    def take(self, x, i, axis):
        return self.t.index_select(x, axis, i)

    def concat(self, a, b, axis):
        return self.t.cat((a, b), axis)

    def sort(self, x, axis):
        return self.t.sort(x, dim=axis).values

    def topk(self, x, k):
        return self.t.topk(x, k).values

    def select(self, x, mask):
        return x[mask]

    def rfft(self, x):
        return self.t.fft.rfft(x)

    def cross_entropy(self, x, classes):
        return self.t.nn.functional.cross_entropy(x, classes.long(), reduction="none")

    def permute(self, x, order):
        return self.t.permute(x, order)

    def gelu(self, x):
        return self.t.nn.functional.gelu(x)

    def random(self, shape):
        return self.t.rand(shape, device=self.device)

    def compiled(self, f):
        return self.t.compile(f, dynamic=False)

    def wait(self, result):
        if self.device == "cuda":
            self.t.cuda.synchronize()

    def numbers(self, x):
        return x.reshape(-1)

    def to_host(self, x):
        return x.cpu().numpy()

    def release(self):
        self.t.cuda.empty_cache()


class Jax:
    def __init__(self):
        import jax

        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_default_matmul_precision", "highest")
        self.j, self.n = jax, jax.numpy
        for name in ("exp", "log", "sqrt", "abs", "tanh", "square", "where", "maximum", "matmul", "roll", "sort"):
            setattr(self, name, getattr(self.n, name))
        self.rfft, self.rsqrt = self.n.fft.rfft, jax.lax.rsqrt

    def input(self, shape, dtype, number):
        n, count = self.n, int(np.prod(shape))
        whole = (n.arange(count, dtype=n.int64) * 7919 + 104729 * number) % 10007
        if dtype.startswith("int"):
            x = whole.astype(dtype)
        elif dtype == "float64":
            x = whole.astype(dtype) / 10007 + 0.5
        else:
            x = (whole.astype("float32") / np.float32(10007) + np.float32(0.5)).astype(dtype)
        return x.reshape(shape)

    def sum(self, x, axes, keep):
        return self.n.sum(x, axis=axes, keepdims=keep, dtype=x.dtype)

    def mean(self, x, axes, keep):
        return self.n.mean(x, axis=axes, keepdims=keep)

    def max(self, x, axes, keep):
        return self.n.max(x, axis=axes, keepdims=keep)

    def min(self, x, axes, keep):
        return self.n.min(x, axis=axes, keepdims=keep)

    def var(self, x, axes, keep):
        return self.n.var(x, axis=axes, keepdims=keep)

    def argmin(self, x, axis):
        return self.n.argmin(x, axis=axis)

    def softmax(self, x, axis):
        return self.j.nn.softmax(x, axis=axis)

    def log_softmax(self, x, axis):
        return self.j.nn.log_softmax(x, axis=axis)

    def logsumexp(self, x, axis):
        return self.j.nn.logsumexp(x, axis=axis)

    def cumsum(self, x, axis):
        return self.n.cumsum(x, axis=axis)

    def take(self, x, i, axis):
        return self.n.take(x, i, axis=axis, mode="clip")

    def concat(self, a, b, axis):
        return self.n.concatenate((a, b), axis)

    def topk(self, x, k):
        return self.j.lax.top_k(x, k)[0]

    def select(self, x, mask):
        return x[mask]

    def cross_entropy(self, x, classes):
        return self.j.nn.logsumexp(x, axis=1) - self.n.take_along_axis(x, classes[:, None], axis=1)[:, 0]

    def permute(self, x, order):
        return self.n.transpose(x, order)

    def gelu(self, x):
        return self.j.nn.gelu(x, approximate=False)

    def random(self, shape):
        return self.j.random.uniform(self.j.random.PRNGKey(7), shape, dtype="float32")

    def compiled(self, f):
        return self.j.jit(f)

    def wait(self, result):
        self.j.block_until_ready(result)

    def numbers(self, x):
        return x.reshape(-1)

    def to_host(self, x):
        return np.asarray(x)

    def release(self):
        pass


class Traced:
    """A part of an expression of numexpr: its text, and the arrays and numbers it reads. Views are NumPy's, of arrays alone; a
    reduction is the last operation."""

    def __init__(self, text, known, leaf=None):
        self.text, self.known, self.leaf = text, known, leaf

    @staticmethod
    def of(x):
        if isinstance(x, Traced):
            if x.text.startswith("sum(") or x.text.startswith("min(") or x.text.startswith("max("):
                raise NotImplementedError("a reduction inside")
            return x
        name = f"v{id(x)}"
        return Traced(name, {name: x}, x)

    @staticmethod
    def made(form, *parts):
        parts = [Traced.of(p) for p in parts]
        known = {}
        for p in parts:
            known |= p.known
        return Traced(form.format(*(p.text for p in parts)), known)

    def like(self, number):
        """A number of the type of the arrays, which numexpr would take for a double."""
        if isinstance(number, Traced):
            return number
        arrays = [a for a in self.known.values() if isinstance(a, np.ndarray)]
        return np.asarray(number, arrays[0].dtype)[()] if arrays else number

    def __getitem__(self, parts):
        if self.leaf is None:
            raise NotImplementedError("a view of what is computed")
        return Traced.of(self.leaf[parts])

    def __add__(self, other):
        return Traced.made("({} + {})", self, self.like(other))

    def __sub__(self, other):
        return Traced.made("({} - {})", self, self.like(other))

    def __mul__(self, other):
        return Traced.made("({} * {})", self, self.like(other))

    def __truediv__(self, other):
        return Traced.made("({} / {})", self, self.like(other))

    def __radd__(self, other):
        return Traced.made("({} + {})", self.like(other), self)

    def __rsub__(self, other):
        return Traced.made("({} - {})", self.like(other), self)

    def __rmul__(self, other):
        return Traced.made("({} * {})", self.like(other), self)

    def __rtruediv__(self, other):
        return Traced.made("({} / {})", self.like(other), self)

    def __gt__(self, other):
        return Traced.made("({} > {})", self, self.like(other))


class Numexpr:
    """What numexpr has: elementwise operations, and one reduction around them."""

    def __init__(self):
        import numexpr

        self.ne = numexpr
        for name in ("exp", "log", "sqrt", "abs", "tanh"):
            setattr(self, name, lambda x, name=name: Traced.made(f"{name}({{}})", x))

    def input(self, shape, dtype, number):
        whole = (np.arange(int(np.prod(shape)), dtype=np.int64) * 7919 + 104729 * number) % 10007
        if dtype.startswith("int"):
            x = whole.astype(dtype)
        elif dtype == "float64":
            x = whole / 10007 + 0.5
        else:
            x = (whole.astype("float32") / np.float32(10007) + np.float32(0.5)).astype(dtype)
        return x.reshape(shape)

    def square(self, x):
        return Traced.made("({0} * {0})", x)

    def maximum(self, a, b):
        return Traced.made("where({0} > {1}, {0}, {1})", a, b if isinstance(b, Traced) else a.like(b))

    def where(self, mask, a, b):
        one = a if isinstance(a, Traced) else b
        return Traced.made("where({}, {}, {})", mask, one.like(a), one.like(b))

    def around(self, name, x, axes, keep):
        x = Traced.of(x)
        if keep or len(axes) > 1:
            raise NotImplementedError("several axes, or kept ones")
        return Traced(f"{name}({x.text}, axis={axes[0]})", x.known)

    def sum(self, x, axes, keep):
        return self.around("sum", x, axes, keep)

    def min(self, x, axes, keep):
        return self.around("min", x, axes, keep)

    def max(self, x, axes, keep):
        return self.around("max", x, axes, keep)

    def permute(self, x, order):
        if x.leaf is None:
            raise NotImplementedError("a view of what is computed")
        return Traced.of(np.transpose(x.leaf, order))

    def compiled(self, f):
        ne, made = self.ne, {}

        def run(*arrays):
            if not made:
                made["results"] = [r if isinstance(r, Traced) else Traced.of(r) for r in f(*map(Traced.of, arrays))]
            return [ne.evaluate(r.text, r.known) for r in made["results"]]

        return run

    def wait(self, result):
        pass

    def numbers(self, x):
        return x.reshape(-1)

    def to_host(self, x):
        return x

    def release(self):
        pass


def function_of(case, xp):
    names = ", ".join(f"x{k}" for k in range(len(case["inputs"])))
    body = [f"    {name} = {text}" for name, text in case["statements"]]
    text = f"def f({names}):\n" + "\n".join([*body, f"    return ({', '.join(case['results'])},)"])
    scope = {"xp": xp}
    exec(text, scope)
    return scope["f"]


def median_us(f, arguments, peer):
    def sample(n):
        before = time.perf_counter()
        for _ in range(n):
            result = f(*arguments)
        peer.wait(result)
        return 1e6 * (time.perf_counter() - before) / n

    sample(3)
    n = max(1, min(200, int(2e3 / sample(2))))
    sample(n)
    return float(np.median([sample(n) for _ in range(15)]))


def difference(case, results, folder, peer):
    """What is wrong with lazyfuse's samples, or nothing."""
    file = folder / f"{case['name']}.bin"
    if not case["has_values"] or not file.exists():
        return ""
    data = file.read_bytes()
    for number, (r, dtype) in enumerate(zip(results, case["types"])):
        flat = peer.numbers(r)
        n = int(flat.shape[0])
        count = min(n, 4096)
        step = n // count if count else 1
        want = peer.to_host(flat[: count * step : step]).astype("float64" if dtype != "int64" else "int64")
        size = count * np.dtype(dtype).itemsize
        got, data = np.frombuffer(data[:size], dtype=dtype).astype(want.dtype), data[size:]
        if dtype.startswith("int"):
            bad = np.count_nonzero(got != want)
            if bad > count // 200:  # nearest of equal distances
                return f"result {number}: {bad} of {count} differ"
            continue
        scale = TOLERANCES[dtype] * (np.abs(want) + np.mean(np.abs(want)) + 1e-6)
        bad = ~(np.abs(got - want) <= scale)
        if bad.any():
            k = int(np.argmax(bad))
            return f"result {number}: {int(bad.sum())} of {count} differ, {got[k]} instead of {want[k]}"
    return ""


def main():
    peer = {"torch": Torch, "jax": Jax, "numexpr": Numexpr}[sys.argv[1]]()
    folder = pathlib.Path(sys.argv[2])
    for case in json.loads((folder / "cases.json").read_text()):
        line = {"name": case["name"]}
        try:
            arguments = [peer.input(shape, dtype, k) for k, (shape, dtype) in enumerate(case["inputs"])]
            f = function_of(case, peer)
            if not case.get("is_dynamic"):  # JAX compiles no selections, and torch takes a break there
                f = peer.compiled(f)
            line["wrong"] = difference(case, f(*arguments), folder, peer)
            line["us"] = median_us(f, arguments, peer)
            del arguments, f
        except Exception as e:  # one expression that a peer cannot do is no end
            line["error"] = f"{type(e).__name__}: {e}"[:300]
        peer.release()
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
