# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of a folder, built and run. Needs nothing but Python, so that the machine that runs them need not have NumPy."""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess

HERE = pathlib.Path(__file__).parent


def clear(folder):
    shutil.rmtree(folder, ignore_errors=True)


def places(folder):
    return sorted(p for p in pathlib.Path(folder).iterdir() if (p / "inputs").exists())


class Toolchain:
    """How CMake builds programs with the library; written by test/CMakeLists.txt into the build folder."""

    def __init__(self, build, cuda=False, flags="", compiler=None, jobs=None, nvcc=True):
        known = json.loads((pathlib.Path(build) / "test/fuzz.json").read_text())
        self.cuda, self.jobs = cuda, jobs or os.cpu_count() or 1
        includes = [f"-I{HERE}"] + [f"-I{p}" for p in known["includes"].split(";") if p]
        if cuda and not known["cuda_libraries"]:
            raise SystemExit("fuzz: this build has no CUDA; configure with the preset cuda")
        nvcc = cuda and nvcc
        launcher = [p for p in known["cuda_launcher" if nvcc else "cxx_launcher"].split(";") if p]
        if nvcc:
            self.compile_command = [*launcher, compiler or known["nvcc"], "-std=c++20", "-arch=sm_" + known["architecture"], "-DLAZYFUSE_CUDA=1", "-w", *includes,
                                    *(flags or "-O0 -Ofc=mid").split()]
        else:
            self.compile_command = [*launcher, compiler or known["cxx"], "-std=gnu++20", "-w", *["-DLAZYFUSE_CUDA=1"] * cuda, *includes, *(flags or "-O0").split()]
        self.libraries = [p for p in (known["cuda_libraries"] if cuda else known["libraries"]).split(";") if p]
        self.suffix = ".cu" if nvcc else ".cpp"

    def compile(self, source, program):
        """None, or what the compiler said."""
        done = subprocess.run([*self.compile_command, str(source), "-o", str(program), *self.libraries], capture_output=True, text=True)
        return None if done.returncode == 0 else done.stdout + done.stderr


def accused(source, said):
    """What the compiler said of which function of the program."""
    functions, found = [-1], {}
    for line in source.read_text().splitlines():
        functions.append(functions[-1] + line.startswith("void case"))
    for block in re.split(r"(?m)^(?=In file included |\S+: In )", said):
        if "error" in block:
            for number in {functions[int(n)] for n in re.findall(rf"{re.escape(source.name)}[:(](\d+)[:)]", block) if int(n) > 1}:
                found[number] = found.get(number, "") + block
    found.pop(-1, None)
    return found


def without(source, numbers):
    """The text of the program with nothing in these functions."""
    return re.sub(r"(?ms)^void case(\d+)\(fuzz::io& io\) \{\n.*?^\}\n",
                  lambda m: f"void case{m[1]}(fuzz::io&) {{}}\n" if int(m[1]) in numbers else m[0], source.read_text())


def build_one(place, tools):
    """Compiles a program; functions that do not compile are emptied, and what the compiler said of them noted."""
    source, program, refused = place / f"batch{tools.suffix}", place / "batch", {}
    cases = len(re.findall(r"(?m)^void case", source.read_text()))
    while len(refused) < cases and (said := tools.compile(source, program)) is not None:
        found = {k: text for k, text in accused(source, said).items() if k not in refused}
        if not found:  # no line was named: each is tried alone
            alone = place / f"alone{tools.suffix}"
            for k in set(range(cases)) - set(refused):
                alone.write_text(without(source, set(range(cases)) - {k}))
                if (text := tools.compile(alone, place / "alone")) is not None:
                    found[k] = text
        refused |= found or {k: "compiles alone, but not in its program\n" + said for k in range(cases) if k not in refused}
        source.write_text(without(source, refused))
    if refused:
        (place / "refused.json").write_text(json.dumps(refused))


def build(folder, tools):
    with concurrent.futures.ThreadPoolExecutor(tools.jobs) as pool:
        list(pool.map(lambda place: build_one(place, tools), places(folder)))


def run_one(place, timeout=120):
    """Runs a program; after a crash again, from the next case on. Its file of results has all of them at the end."""
    if not (place / "batch").exists():
        return
    results, part, first = b"", place / "part", 0
    while True:
        part.unlink(missing_ok=True)
        try:
            done = subprocess.run([place / "batch", place / "inputs", part, str(first)], capture_output=True, timeout=timeout)
            how = f"ended with {done.returncode}: {done.stderr[-2000:].decode(errors='replace')}"
            ended = done.returncode == 0
        except subprocess.TimeoutExpired:
            how, ended = "did not end", False
        data = part.read_bytes() if part.exists() else b""
        if ended:
            results += data
            break
        # the last case has but its number, written before it ran
        if data[-8:-4] != b"case":
            raise RuntimeError(f"{place}: the program {how}, in none of its cases")
        number, text = struct.unpack("<i", data[-4:])[0], how.encode()
        results += data[:-8] + struct.pack("<4si4sI", b"case", number, b"fail", len(text)) + text
        first = number + 1
    part.unlink(missing_ok=True)
    (place / "results").write_bytes(results)


def run(folder, jobs=1):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run_one, places(folder)))
