# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches of cases as programs: written, compiled, run, and what they print read."""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess

import numpy as np

import grammar
import reference as ref

HERE = pathlib.Path(__file__).parent
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
    functions, places, data = [], [], b""
    for k, case in enumerate(cases):
        places.append(len(data))
        lines, groups = case.statements("cpp")
        body = []
        for number, n in case.inputs():
            body.append(f"auto x{number} = io.input<{grammar.CPP[n.dtype]}, {n.rank}>()")
            data += pack(n.value.v)
        body += lines + [f"io.output({', '.join(g)})" for g in groups]
        functions.append(f"void case{k}(fuzz::io& io) {{\n" + "".join(f"  {line};\n" for line in body) + "}\n")
    text = '#include "program.hpp"\n\nnamespace {\n' + "\n".join(functions) + "}  // namespace\n\nint main(int count, char** arguments) {\n"
    text += f"  constexpr fuzz::function cases[] = {{{', '.join(f'case{k}' for k in range(len(cases)))}}};\n"
    text += f"  constexpr long places[] = {{{', '.join(map(str, places))}}};\n"
    return text + f"  return fuzz::run(count, arguments, cases, places, {len(cases)});\n}}\n", data


class Toolchain:
    """How CMake builds programs with the library; written by test/CMakeLists.txt into the build folder."""

    def __init__(self, build, cuda=False, flags="", compiler=None, jobs=None):
        known = json.loads((pathlib.Path(build) / "test/fuzz.json").read_text())
        self.cuda, self.jobs = cuda, jobs or os.cpu_count() or 1
        includes = [f"-I{HERE}"] + [f"-I{p}" for p in known["includes"].split(";") if p]
        if cuda:
            if not known["nvcc"]:
                raise SystemExit("fuzz: this build has no CUDA; configure with the preset cuda")
            self.compile_command = [compiler or known["nvcc"], "-std=c++20", "-arch=sm_" + known["architecture"], "-DLAZYFUSE_CUDA=1", "-w", *includes,
                                    *(flags or "-O0 -Ofc=mid").split()]
        else:
            self.compile_command = [compiler or known["cxx"], "-std=gnu++20", "-w", *includes, *(flags or "-O0").split()]
        self.libraries = [p for p in (known["cuda_libraries"] if cuda else known["libraries"]).split(";") if p]
        self.suffix = ".cu" if cuda else ".cpp"

    def compile(self, source, program):
        """None, or what the compiler said."""
        done = subprocess.run([*self.compile_command, str(source), "-o", str(program), *self.libraries], capture_output=True, text=True)
        return None if done.returncode == 0 else done.stdout + done.stderr


class Batch:
    """Some cases in a folder of their own."""

    def __init__(self, folder, cases):
        self.folder, self.cases = pathlib.Path(folder), cases

    def write(self, suffix):
        self.folder.mkdir(parents=True, exist_ok=True)
        text, data = source_of(self.cases)
        (self.folder / f"batch{suffix}").write_text(text)
        (self.folder / "inputs").write_bytes(data)

    def build(self, tools):
        """Compiles the cases; those that do not compile are noted and left out."""
        bad = {}
        while left := [k for k in range(len(self.cases)) if k not in bad]:
            said = tools.compile(self.folder / f"batch{tools.suffix}", self.folder / "batch")
            if said is None:
                break
            found = {0: said} if len(left) == 1 else self.accused(said, tools.suffix)
            if not found:  # no line was named: each is tried alone
                for i, k in enumerate(left):
                    alone = Batch(self.folder / "alone", [self.cases[k]])
                    alone.write(tools.suffix)
                    if (text := tools.compile(alone.folder / f"batch{tools.suffix}", alone.folder / "batch")) is not None:
                        found[i] = text
            if not found:
                found = {i: "compiles alone, but not in its batch\n" + said for i in range(len(left))}
            bad |= {left[i]: text for i, text in found.items()}
            Batch(self.folder, [c for k, c in enumerate(self.cases) if k not in bad]).write(tools.suffix)
        (self.folder / "bad.json").write_text(json.dumps(bad))

    def accused(self, said, suffix):
        """What the compiler said of which function of the program."""
        functions, found = [-1], {}
        for line in (self.folder / f"batch{suffix}").read_text().splitlines():
            functions.append(functions[-1] + line.startswith("void case"))
        for block in re.split(r"(?m)^(?=In file included |\S+: In )", said):
            if "error" in block:
                for number in {functions[int(n)] for n in re.findall(rf"batch\{suffix}[:(](\d+)[:)]\d*", block) if int(n) > 1}:
                    found[number] = found.get(number, "") + block
        found.pop(-1, None)
        return found

    def run(self, timeout=120):
        """For each case its results, or a text that says how it failed."""
        bad = {int(k): text for k, text in json.loads((self.folder / "bad.json").read_text()).items()}
        rest = iter(self.run_cases([c for k, c in enumerate(self.cases) if k not in bad], timeout))
        return [f"does not compile\n{bad[k]}" if k in bad else next(rest) for k in range(len(self.cases))]

    def run_cases(self, cases, timeout):
        results, first = [], 0
        while first < len(cases):
            out = self.folder / "results"
            out.unlink(missing_ok=True)
            try:
                done = subprocess.run([self.folder / "batch", self.folder / "inputs", out, str(first)], capture_output=True, text=True, timeout=timeout)
                how = f"ended with {done.returncode}: {done.stderr[-2000:]}"
            except subprocess.TimeoutExpired:
                how = "did not end"
            found = read(out, cases[first:])
            results += found
            first += len(found)
            if first < len(cases):
                results.append(how)
                first += 1
        return results


def read(path, cases):
    """What the program wrote, of as many of the cases as it came to the end of."""
    data = path.read_bytes() if path.exists() else b""
    at, found = 0, []
    for _ in cases:
        if data[at : at + 4] != b"case":
            break
        at += 8
        arrays = []
        try:
            while data[at : at + 4] not in (b"done", b"fail"):
                a, at = unpack(data, at)
                arrays.append(a)
            length = struct.unpack_from("<I", data, at + 4)[0]
            found.append("throws " + data[at + 8 : at + 8 + length].decode() if data[at : at + 4] == b"fail" else arrays)
            at += 8 + length
        except (struct.error, KeyError, ValueError):
            break
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


class Work:
    """Batches in a folder: phases that can happen on different machines."""

    def __init__(self, folder, cases, size):
        self.folder = pathlib.Path(folder)
        self.batches = [Batch(self.folder / f"{k // size:03}", cases[k : k + size]) for k in range(0, len(cases), size)]

    def clear(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, suffix):
        for b in self.batches:
            b.write(suffix)

    def build(self, tools):
        with concurrent.futures.ThreadPoolExecutor(tools.jobs) as pool:
            list(pool.map(lambda b: b.build(tools), self.batches))

    def check(self):
        """(case, what is wrong) for each of them."""
        for b in self.batches:
            for case, result in zip(b.cases, b.run()):
                yield case, differs(case, result)


def failures(cases, tools, folder, size):
    """What is wrong with each of some cases, or None."""
    work = Work(folder, cases, size)
    work.clear()
    work.write(tools.suffix)
    work.build(tools)
    return [wrong for _, wrong in work.check()]
