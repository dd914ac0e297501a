# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing case small: simpler cases are tried in batches until none of them fails in the same way."""

import re

import numpy as np

import grammar
import reference as ref
from grammar import Case, Invalid, Node, Value


def remade(case, change, outputs=None):
    """The case made again, where change(node, its new operands) gives another node, or None for the same operation."""
    made = {}

    def make(n):
        if id(n) not in made:
            args = [make(a) for a in n.args]
            other = change(n, args)
            if other is None:
                other = n if n.what in ("input", "scalar") else Node(n.what, args, n.params)
            if other is not n and other not in args:
                other.named |= n.named and n.what not in ("input", "scalar")
            made[id(n)] = other
        return made[id(n)]

    # in the order in which they were made, for it is that of the statements
    for n in case.nodes():
        make(n)
    new = Case([[make(n) for n in group] for group in (outputs or case.outputs)])
    return renumbered(new)


def renumbered(case):
    """With inputs x0, x1, ... in this order, which no statement writes to two of."""
    for k, (_, n) in enumerate(case.inputs()):
        n_params = (k,)
        if n.params != n_params:
            copy = Node("input", (), n_params, n.value)
            copy.serial = n.serial
            case = replaced(case, n, copy)
    return case


def replaced(case, old, new):
    made = {id(old): new}

    def make(n):
        if id(n) not in made:
            args = [make(a) for a in n.args]
            if all(a is b for a, b in zip(args, n.args)):
                made[id(n)] = n
            else:
                copy = Node(n.what, args, n.params, n.value)
                copy.named, copy.serial = n.named, n.serial
                made[id(n)] = copy
        return made[id(n)]

    return Case([[make(n) for n in group] for group in case.outputs])


def only(target, replacement):
    return lambda n, args: replacement(args) if n is target else None


def unnamed(case, target):
    new = remade(case, lambda n, args: None)
    for n, m in zip(case.nodes(), new.nodes()):
        if n is target:
            m.named = False
    return new


def unused_number(case):
    return 1 + max((k for k, _ in case.inputs()), default=-1)


def shrunk_extent(case, old, new):
    """All extents of that size made smaller."""

    def change(n, args):
        if n.what == "input" and old in n.shape:
            v = n.value.v[tuple(slice(0, new if m == old else None) for m in n.shape)]
            return Node("input", (), n.params, Value(v, None, n.value.sure))
        if n.what in ("broadcast", "reshape"):
            return Node(n.what, args, tuple(new if m == old else m for m in n.params))
        if n.what in ("arange", "eye"):
            return Node(n.what, (), tuple(new if k and m == old else m for k, m in enumerate(n.params)))
        if n.what == "indices":
            return Node(n.what, (), (*n.params[:2], tuple(new if m == old else m for m in n.params[2])))
        if n.what == "full":
            return Node(n.what, (), (n.params[0], tuple(new if m == old else m for m in n.params[1]), n.params[2]))
        return None

    return remade(case, change)


def simpler_specs(specs):
    for k, s in enumerate(specs):
        others = []
        if isinstance(s, tuple):
            others = ["all", (None, None, s[2]), (s[0], s[1], 1), (None, s[1], s[2]), (s[0], None, s[2])]
        elif isinstance(s, int):
            others = [0] if s else []
        for o in others:
            if o != s:
                yield (*specs[:k], o, *specs[k + 1 :])


def candidates(case):
    """Cases that may be simpler; some raise Invalid when they are called."""
    nodes = [n for n in case.nodes() if n.what != "scalar"]
    # fewer results
    for g, group in enumerate(case.outputs):
        if len(case.results()) > 1:
            for k in range(len(group)):
                smaller = [[n for j, n in enumerate(h) if (i, j) != (g, k)] for i, h in enumerate(case.outputs)]
                yield lambda smaller=smaller: renumbered(Case([h for h in smaller if h]))
        if len(group) > 1:
            yield lambda g=g, group=group: Case([h for i, h in enumerate(case.outputs) if i != g] + [[n] for n in group])
    # the operands of a result in its place
    for g, group in enumerate(case.outputs):
        for k, root in enumerate(group):
            for a in root.args:
                if a.what != "scalar":
                    outputs = [list(h) for h in case.outputs]
                    outputs[g][k] = a
                    yield lambda outputs=outputs: renumbered(Case(outputs))
    # a node's operand, or an array of its elements, in its place
    for n in reversed(nodes):
        for k, a in enumerate(n.args):
            if a.what != "scalar":
                yield lambda n=n, k=k: remade(case, only(n, lambda args: args[k]))
        if n.what != "input" and n.what not in grammar.WRITES and n.value.v.size <= 4096:
            def as_input(args, n=n):
                return Node("input", (), (unused_number(case),), Value(n.value.v.copy(), None, True))
            yield lambda n=n, f=as_input: remade(case, only(n, f))
    # simpler parameters
    for n in nodes:
        if n.what == "view":
            for specs in simpler_specs(n.params):
                yield lambda n=n, specs=specs: remade(case, only(n, lambda args: Node("view", args, specs)))
            for drop in range(len(n.params)):
                yield lambda n=n, drop=drop: remade(case, only(n, lambda args: Node("view", args, n.params[:drop] + n.params[drop + 1 :])))
        elif n.what == "assign":
            specs, op = n.params
            if op != "=":
                yield lambda n=n: remade(case, only(n, lambda args: Node("assign", args, (n.params[0], "="))))
            for other in simpler_specs(specs or ()):
                yield lambda n=n, other=other: remade(case, only(n, lambda args: Node("assign", args, (other, n.params[1]))))
        elif len(n.params) > 1 and (n.params[0] is None or isinstance(n.params[0], tuple)) and n.what in ("ptp", "var", "std", "norm", "logsumexp"):
            if n.params[1]:
                yield lambda n=n: remade(case, only(n, lambda args: Node(n.what, args, (n.params[0], False, *n.params[2:]))))
        elif n.what == "reduce":
            if n.params[2]:
                yield lambda n=n: remade(case, only(n, lambda args: Node("reduce", args, (*n.params[:2], False))))
            if n.params[1] is not None:
                yield lambda n=n: remade(case, only(n, lambda args: Node("reduce", args, (n.params[0], None, n.params[2]))))
                if any(a < 0 for a in n.params[1]):
                    yield lambda n=n: remade(case, only(n, lambda args: Node("reduce", args, (n.params[0], ref.axes_of(n.params[1], len(args[0].shape)), n.params[2]))))
        if n.named:
            yield lambda n=n: unnamed(case, n)
    # smaller extents
    extents = {m for n in nodes if n.what in ("input", "broadcast", "reshape", "arange", "eye", "indices", "full") for m in n.shape}
    for m in sorted(extents, reverse=True):
        for smaller in sorted({1, 2, m // 2, m - 1}):
            if 0 < smaller < m:
                yield lambda m=m, smaller=smaller: shrunk_extent(case, m, smaller)
    # fewer axes of inputs, simpler types and values
    for n in nodes:
        if n.what != "input":
            continue
        v = n.value.v
        for axis in range(v.ndim):
            if v.shape[axis] == 1:
                yield lambda n=n, axis=axis: remade(case, only(n, lambda args: Node("input", (), n.params, Value(np.squeeze(n.value.v, axis), None, True))))
    for t in (ref.F32, ref.INT32):
        types = {n.dtype for n in nodes if n.what == "input"}
        for s in types - {ref.F32, ref.INT32}:
            def change(n, args, s=s, t=t):
                if n.what == "input" and n.dtype == s:
                    return Node("input", (), n.params, Value(ref.cast(n.value, t).v, None, True))
                if n.params and n.params[0] == s and n.what in ("cast", "arange", "eye", "indices", "full"):
                    return Node(n.what, args, (t, *n.params[1:]))
                return None
            yield lambda change=change: remade(case, change)
    for n in nodes:
        if n.what == "input":
            v = n.value.v
            tries = [np.ones_like(v), np.zeros_like(v)]
            if v.size > 1 and v.dtype != bool:
                tries.append((np.arange(v.size) % 7 + 1).reshape(v.shape).astype(v.dtype))
                for half in (slice(0, v.size // 2), slice(v.size // 2, None)):
                    w = v.copy().reshape(-1)
                    w[half] = 1
                    tries.append(w.reshape(v.shape))
            for w in tries:
                if w.tobytes() != v.tobytes():
                    yield lambda n=n, w=w: remade(case, only(n, lambda args: Node("input", (), n.params, Value(w, None, True))))


def failure_kind(wrong):
    """What must stay the same about a failure."""
    if wrong.startswith("does not compile"):
        said = re.search(r"error: (.*)", wrong)
        return "compile " + re.sub(r"[^a-z ]", "", said[1][:60] if said else "")
    if wrong.startswith("throws"):
        return "throws " + re.sub(r"[^a-z ]", "", wrong)[:40]
    return wrong.split(" ")[0] if wrong.startswith(("ended", "did")) else "differs"


def shrink(case, wrong, failures, rounds=40, width=24):
    """The simplest case found that fails as this one does, and how. failures(cases) tells what is wrong with each."""
    wanted, tried = failure_kind(wrong), set()
    for _ in range(rounds):
        batch, size = [], case.size()
        for make in candidates(case):
            try:
                c = make()
                text = repr(c.size()) + c.line("cpp") + str([(n.dtype, n.shape) for _, n in c.inputs()])
            except (Invalid, ArithmeticError, LookupError, TypeError, ValueError):
                continue
            if not c.results() or text in tried or c.size() >= size:
                continue
            tried.add(text)
            batch.append(c)
            if len(batch) == width:
                break
        if not batch:
            break
        found = [(c.size(), k) for k, (c, w) in enumerate(zip(batch, failures(batch))) if w is not None and failure_kind(w) == wanted]
        if found:
            _, k = min(found)
            case = batch[k]
            wrong = failures([case])[0] or wrong
    return case, wrong
