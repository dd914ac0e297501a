# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases as source and inputs of programs, their results as arrays, and what is wrong with those."""

import json
import pathlib
import struct

import numpy as np

import functions
import grammar
import programs
import reference as ref

TYPES = {code: t for t, code in ref.CODES.items()}


def pack(a):
    return struct.pack("<BB", ref.CODES[a.dtype], a.ndim) + struct.pack(f"<{a.ndim}q", *a.shape) + np.ascontiguousarray(a).tobytes()


def unpack(data, at):
    code, rank = struct.unpack_from("<BB", data, at)
    shape = struct.unpack_from(f"<{rank}q", data, at + 2)
    at += 2 + 8 * rank
    t = TYPES[code]
    size = int(np.prod(shape, dtype=int)) * t.itemsize
    return np.frombuffer(data[at : at + size], t).reshape(shape), at + size


def source_of(cases):
    """The program, and the file of its inputs."""
    bodies, places, data = [], [], b""
    for k, case in enumerate(cases):
        places.append(len(data))
        lines, groups = case.statements("cpp")
        body = []
        for number, n in case.inputs():
            body.append(f"auto x{number} = io.input<{grammar.CPP[n.dtype]}, {n.rank}>()")
            data += pack(n.value.v)
        body += lines + [f"io.output({', '.join(g)})" for g in groups]
        bodies.append(f"void case{k}(fuzz::io& io) {{\n" + "".join(f"  {line};\n" for line in body) + "}\n")
    headers = sorted({f.header for case in cases for n in case.nodes() if (f := functions.ALL.get(n.what)) and f.header})
    text = '#include "program.hpp"\n' + "".join(f"#include <lazyfuse/{h}.hpp>\n" for h in headers) + "\nnamespace {\n" + "\n".join(bodies) + "}  // namespace\n\nint main(int count, char** arguments) {\n"
    text += f"  constexpr fuzz::function cases[] = {{{', '.join(f'case{k}' for k in range(len(cases)))}}};\n"
    text += f"  constexpr long places[] = {{{', '.join(map(str, places))}}};\n"
    return text + f"  return fuzz::run(count, arguments, cases, places, {len(cases)});\n}}\n", data


def batches(folder, cases, size):
    return [(pathlib.Path(folder) / f"{k // size:03}", cases[k : k + size]) for k in range(0, len(cases), size)]


def write(folder, cases, size, suffix):
    """Programs of so many cases each, in folders of their own."""
    programs.clear(folder)
    for place, some in batches(folder, cases, size):
        place.mkdir(parents=True)
        text, data = source_of(some)
        (place / f"batch{suffix}").write_text(text)
        (place / "inputs").write_bytes(data)


def read(place, cases):
    """For each case its results, or a text that says how it failed."""
    refused = json.loads((place / "refused.json").read_text()) if (place / "refused.json").exists() else {}
    path = place / "results"
    data = path.read_bytes() if path.exists() else b""
    at, found = 0, []
    for k in range(len(cases)):
        arrays, text = [], "no result"
        if data[at : at + 4] == b"case":
            at += 8
            while data[at : at + 4] not in (b"done", b"fail"):
                a, at = unpack(data, at)
                arrays.append(a)
            length = struct.unpack_from("<I", data, at + 4)[0]
            text = data[at + 8 : at + 8 + length].decode() if data[at : at + 4] == b"fail" else ""
            at += 8 + length
        found.append("does not compile\n" + refused[str(k)] if str(k) in refused else text or arrays)
    return found


def differs(case, result):
    """What is wrong with a result, in words; None if nothing is."""
    if isinstance(result, str):
        return result
    expected = case.results()
    if len(result) != len(expected):
        return f"{len(result)} results instead of {len(expected)}"
    for k, (got, node) in enumerate(zip(result, expected)):
        want = node.value
        name = f"result {k}: " if len(expected) > 1 else ""
        if got.dtype != want.dtype:
            return f"{name}element type {got.dtype} instead of {want.dtype}"
        if got.shape != want.shape:
            return f"{name}shape {got.shape} instead of {want.shape}"
        bad = different(got, want)
        if np.any(bad):
            i = tuple(int(n) for n in np.argwhere(bad)[0])
            return f"{name}{np.count_nonzero(bad)} of {bad.size} elements differ, the first at {i}: {got[i]!r} instead of {want.v[i]!r} +- {want.e[i]:.3g}"
    return None


def different(got, want):
    t = got.dtype
    v, e = want.v, want.e
    if ref.kind(t) in "bi":
        return (got != v) & (e == 0)
    g, w = got.astype(ref.WIDE[t]), v.astype(ref.WIDE[t])
    same = (g == w) | (np.isnan(g) & np.isnan(w))
    close = np.abs(g - w).astype(np.float64) <= e
    return ~(same | close | ~np.isfinite(e))


def check(folder, cases, size):
    """What is wrong with each of the cases, or None."""
    return [differs(case, result) for place, some in batches(folder, cases, size) for case, result in zip(some, read(place, some))]


def failures(cases, tools, folder, size):
    """The same of cases that are written, built and run for it."""
    write(folder, cases, size, tools.suffix)
    programs.build(folder, tools)
    programs.run(folder, tools.jobs)
    return check(folder, cases, size)
