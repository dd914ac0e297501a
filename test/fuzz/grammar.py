# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions: nodes that know their C++, their NumPy and their value, and a generator of random ones."""

import itertools
import re

import numpy as np

import functions
import reference as ref
from reference import BF16, BOOL, C64, C128, F16, F32, F64, INT64, INTEGERS, Invalid, Value, Weak, kind

LIMIT = 300_000  # elements of one value

CPP = {BOOL: "bool", F16: "lf::half", BF16: "lf::bfloat16", F32: "float", F64: "double", C64: "lf::complex<float>", C128: "lf::complex<double>"}
CPP |= {t: f"lf::{t.name}" for t in INTEGERS}

serials = itertools.count()

lazy = False  # whether what each operation makes becomes a lazy_array, in C++
functions_share = 0.17  # of steps, those that are functions of whole arrays


class Node:
    """One operation of an expression; its value is computed when it is made, or Invalid is raised."""

    def __init__(self, what, args=(), params=(), value=None):
        self.what, self.args, self.params = what, tuple(args), tuple(params)
        self.named = False  # has a name in C++, by which equal ones are shared
        self.serial = next(serials)
        self.value = KINDS[what][0](*[a.value for a in self.args], *self.params) if value is None else value
        if isinstance(self.value, Value) and (self.value.v.size > LIMIT or self.value.v.ndim > 6):
            raise Invalid("too large")

    dtype = property(lambda self: self.value.dtype)
    shape = property(lambda self: self.value.shape)
    rank = property(lambda self: len(self.value.shape))

    def cpp(self, texts):
        return KINDS[self.what][1](*texts, *self.params)

    def numpy(self, texts):
        return KINDS[self.what][2](*texts, *self.params)

    def nodes(self):
        """All nodes below and this one, operands first."""
        seen, order = set(), []

        def visit(n):
            if id(n) not in seen:
                seen.add(id(n))
                for a in n.args:
                    visit(a)
                order.append(n)

        visit(self)
        return order


def dense(n):
    """Whether a reshape needs no copy: nothing below it is a view or repeats elements."""
    if n.what in ("input", "array", "arange", "full"):
        return True
    if n.what == "op":
        return all(a.what == "scalar" or (a.shape == n.shape and dense(a)) for a in n.args)
    return n.what in ("cast", "reshape") and dense(n.args[0])


# ---- text

def cpp_spec(s):
    if isinstance(s, int):
        return str(s)
    if isinstance(s, str):
        return {"all": "lf::all", "new": "lf::newaxis", "...": "lf::ellipsis"}[s]
    start, stop, step = s
    at_the_end = "lf::none" if step < 0 else "lf::end"
    text = f"lf::range({'lf::none' if start is None else start}, {at_the_end if stop is None else stop}"
    return text + (")" if step == 1 else f", {step})")


def numpy_spec(s):
    if isinstance(s, int):
        return str(s)
    if isinstance(s, str):
        return {"all": ":", "new": "None", "...": "..."}[s]
    start, stop, step = ("" if v is None else str(v) for v in s)
    return f"{start}:{stop}" + ("" if step == "1" else f":{step}")


def index_of(specs):
    return tuple(s if isinstance(s, int) else {"all": slice(None), "new": None, "...": Ellipsis}[s] if isinstance(s, str) else slice(*s) for s in specs)


def braces(shape):
    return ("" if shape else "lf::shape<0>") + "{" + ", ".join(map(str, shape)) + "}"


def options(axes, keepdims=False, *more):
    found = ([] if axes is None else [f"lf::axis<{', '.join(map(str, axes))}>"]) + list(more) + (["lf::keepdims"] if keepdims else [])
    return "".join(", " + o for o in found)


def numpy_options(axes, keepdims=False, *more):
    found = ([] if axes is None else [f"axis={tuple(axes)}"]) + list(more) + (["keepdims=True"] if keepdims else [])
    return "".join(", " + o for o in found)


def scalar_cpp(value, constant):
    if constant:
        return f"lf::c<{value}>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, complex):
        return f"lf::complex<double>({value.real}, {value.imag})"
    return f"({value!r})" if value < 0 else repr(value)


def infix(name):
    text = ref.ROWS[name]["operator"].replace("or", "|") if ref.ROWS[name]["operator"] else ""
    return text


def op_cpp(*texts_and_params):
    *texts, name, as_operator = texts_and_params
    if as_operator:
        return f"({texts[0]} {infix(name)} {texts[1]})" if len(texts) == 2 else f"({infix(name)}{texts[0]})"
    return f"lf::{name}({', '.join(texts)})"


def op_numpy(*texts_and_params):
    *texts, name, as_operator = texts_and_params
    if as_operator:
        return f"({texts[0]} {infix(name)} {texts[1]})" if len(texts) == 2 else f"({infix(name)}{texts[0]})"
    known = ref.ROWS[name]["NumPy"]
    return f"{('' if 'scipy' in known else 'np.') + known if known else name}({', '.join(texts)})"


def op_value(*values_and_params):
    *values, name, as_operator = values_and_params
    if all(isinstance(v, Weak) for v in values):
        raise Invalid("an operation of scalars")
    if name == "pow" and isinstance(values[1], Weak) and values[1].kind == "i" and abs(values[1].value) > 6:
        raise Invalid("a product of many")
    return ref.operation(name, values)


def fuse_text(texts_and_number, language):
    *texts, number = texts_and_number
    body = ref.FUSED[number][0]
    names = ["a", "b"][: len(texts)]
    if language == "cpp":
        body = re.sub(r"\b([a-z]{3,})\b", r"lf::\1", body)
        return f"lf::fuse([]({', '.join('const auto& ' + n for n in names)}) {{ return {body}; }})({', '.join(texts)})"
    body = re.sub(r"\b(exp|mean|max|sum|maximum|minimum)\(", r"np.\1(", body).replace("axis<-1>, keepdims", "axis=-1, keepdims=True")
    return f"(lambda {', '.join(names)}: {body})({', '.join(texts)})"


# ---- values of the other kinds


def viewed(x, *specs):
    try:
        return x.map(lambda a: a[index_of(specs)])
    except IndexError:
        raise Invalid("index")


def flipped(x, *axes):
    ref.axes_of(axes, len(x.shape))
    return x.map(lambda a: np.flip(a, axes or None))


def rolled(x, shifts, axes):
    ref.axes_of(axes or (), len(x.shape))
    return x.map(lambda a: np.roll(a, shifts, axes))


def roll_cpp(x, shifts, axes):
    shift = braces(shifts) if isinstance(shifts, tuple) else shifts
    return f"lf::roll({x}, {shift}{options(axes)})"


def diagonal(x, k, a, b):
    if len(x.shape) < 2 or len(ref.axes_of((a, b), len(x.shape))) != 2:
        raise Invalid("axes")
    return x.map(lambda v: np.diagonal(v, k, a, b))


def windows(x, n, axis):
    ref.axes_of((axis,), len(x.shape))
    if not 1 <= n <= x.shape[axis]:
        raise Invalid("shape")
    return x.map(lambda v: np.lib.stride_tricks.sliding_window_view(v, n, axis))


def permuted(x, *order):
    if len(order) != len(x.shape) or len(ref.axes_of(order, len(x.shape))) != len(order):
        raise Invalid("order")
    return x.map(lambda a: np.transpose(a, order))


def broadcast(x, *shape):
    try:
        return x.map(lambda a: np.broadcast_to(a, shape))
    except ValueError:
        raise Invalid("shape")


def reshaped(x, *shape):
    if x.v.size == 0 and -1 in shape or shape.count(-1) > 1:
        raise Invalid("shape")
    try:
        return x.map(lambda a: np.reshape(a, shape))
    except ValueError:
        raise Invalid("shape")


def assigned(x, e, specs, op):
    """x after x(specs) op e; without specs the whole of x is assigned, which takes a new shape."""
    old = x if specs is None else viewed(x, *specs)
    new = e
    if op != "=":
        new = ref.operation({"+=": "add", "-=": "subtract", "*=": "multiply", "/=": "divide"}[op], [old, e])
    if isinstance(new, Weak):
        t = ref.common([x, new])
        if t != x.dtype:
            raise Invalid("dtype")
        new = broadcast(ref.as_type(new, t), *old.shape)
    elif ref.promoted(new.dtype, x.dtype) != x.dtype:
        raise Invalid("dtype")
    if specs is None:
        if len(new.shape) != len(x.shape):
            raise Invalid("rank")
        if op != "=" and new.shape != x.shape:
            raise Invalid("shape")
        return ref.cast(new, x.dtype)
    if len(new.shape) > len(old.shape):
        raise Invalid("rank")
    new = broadcast(ref.cast(new, x.dtype), *old.shape)
    v, e2 = x.v.copy(), np.array(x.e)
    v[index_of(specs)], e2[index_of(specs)] = new.v, new.e
    return Value(v, e2, x.sure and new.sure)


def grid(value):
    return Value(value, None, True)


def triangle(name):
    def f(x, k):
        if len(x.shape) < 2:
            raise Invalid("a matrix")
        return x.map(lambda a: getattr(np, name)(a, k))

    return f


def indices_cpp(n, by, first, extent):
    return f"lf::remainder(lf::arange<lf::int64>({n}) * {by} + {first}, {extent})"


def indices_numpy(n, by, first, extent):
    return f"(np.arange({n}) * {by} + {first}) % {extent}"


def taken(x, axis, *how):
    if not how[-1]:
        raise Invalid("empty")
    n, by, first, extent = how
    return x.map(lambda a: np.take(a, (np.arange(n) * by + first) % extent, axis))


def tiled(x, *times):
    if x.v.size * int(np.prod(times)) > LIMIT:
        raise Invalid("too large")
    return x.map(lambda a: np.tile(a, times))


def padded(x, widths, mode):
    if int(np.prod([n + sum(w) for n, w in zip(x.shape, widths)])) > LIMIT:
        raise Invalid("too large")
    if mode != "constant" and 0 in x.shape:
        raise Invalid("empty")
    return x.map(lambda a: np.pad(a, widths, mode))


def pad_cpp(x, widths, mode):
    return f"lf::pad{'' if mode == 'constant' else f'<lf::padding::{mode}>'}({x}, {{{', '.join(map(braces, widths))}}})"


# kind: its value, its C++ and its NumPy, each a function of the operands and the parameters
KINDS = {
    "input": (None, lambda k: f"x{k}", lambda k: f"x{k}"),
    "scalar": (None, lambda v, c: scalar_cpp(v, c), lambda v, c: repr(v)),
    "op": (op_value, op_cpp, op_numpy),
    "cast": (lambda x, t: ref.cast(x, np.dtype(t)), lambda x, t: f"lf::cast<{CPP[np.dtype(t)]}>({x})", lambda x, t: f"{x}.astype({t.name})"),
    "view": (viewed, lambda x, *s: f"{x}({', '.join(map(cpp_spec, s))})", lambda x, *s: f"{x}[{', '.join(map(numpy_spec, s)) or '()'}]"),
    "transpose": (lambda x: x.map(np.transpose), lambda x: f"lf::transpose({x})", lambda x: f"{x}.T"),
    "permute": (permuted, lambda x, *o: f"lf::permute_dims<{', '.join(map(str, o))}>({x})", lambda x, *o: f"{x}.transpose{o}"),
    "flip": (flipped, lambda x, *a: f"lf::flip({x}{options(a or None)})", lambda x, *a: f"np.flip({x}{numpy_options(a or None)})"),
    "roll": (rolled, roll_cpp, lambda x, s, a: f"np.roll({x}, {s}, {a})"),
    "take": (taken, lambda x, a, *how: f"lf::take({x}, {indices_cpp(*how)}, lf::axis<{a}>)", lambda x, a, *how: f"np.take({x}, {indices_numpy(*how)}, {a})"),
    "repeat": (lambda x, n, a: x.map(lambda v: np.repeat(v, n, a)), lambda x, n, a: f"lf::repeat({x}, {n}, lf::axis<{a}>)", lambda x, n, a: f"np.repeat({x}, {n}, {a})"),
    "tile": (tiled, lambda x, *n: f"lf::tile({x}, {braces(n)})", lambda x, *n: f"np.tile({x}, {n})"),
    "pad": (padded, pad_cpp, lambda x, w, m: f"np.pad({x}, {w}, '{m}')"),
    "concat": (lambda x, a: x.map(lambda v: np.concat((v, np.flip(v, a)), a)), lambda x, a: f"lf::concat<{a}>({x}, lf::flip({x}, lf::axis<{a}>))", lambda x, a: f"np.concat(({x}, np.flip({x}, {a})), {a})"),
    "diagonal": (diagonal, lambda x, k, a, b: f"lf::diagonal({x}, {k}, lf::axis<{a}, {b}>)", lambda x, k, a, b: f"np.diagonal({x}, {k}, {a}, {b})"),
    "windows": (windows, lambda x, n, a: f"lf::sliding_window_view({x}, {n}, lf::axis<{a}>)", lambda x, n, a: f"np.lib.stride_tricks.sliding_window_view({x}, {n}, {a})"),
    "broadcast": (broadcast, lambda x, *s: f"lf::broadcast_to({x}, {braces(s)})", lambda x, *s: f"np.broadcast_to({x}, {s})"),
    "reshape": (reshaped, lambda x, *s: f"lf::reshape({x}, {braces(s)})", lambda x, *s: f"{x}.reshape({s})"),
    "array": (lambda x: x, lambda x: f"lf::materialize({x})", lambda x: f"{x}.copy()"),
    "assign": (assigned, None, None),
    "reduce": (lambda x, name, axes, keep: ref.reduction(name, x, axes, keep), lambda x, name, axes, keep: f"lf::{name}({x}{options(axes, keep)})",
               lambda x, name, axes, keep: f"np.{name}({x}{numpy_options(axes, keep)})"),
    "scan": (lambda x, name, axis, *o: ref.scan(name, x, axis, *(w in o for w in ("exclusive", "backwards"))),
             lambda x, name, axis, *o: f"lf::{name}({x}, {', '.join([f'lf::axis<{axis}>', *(f'lf::{w}' for w in o)])})",
             lambda x, name, axis, *o: f"{name}({', '.join([x, f'axis={axis}', *(f'{w}=True' for w in o)])})"),
    "ptp": (ref.ptp, lambda x, axes, keep: f"lf::ptp({x}{options(axes, keep)})", lambda x, axes, keep: f"np.ptp({x}{numpy_options(axes, keep)})"),
    "var": (ref.var, lambda x, axes, keep, d: f"lf::var({x}{options(axes, keep, f'lf::ddof{{{d}}}')})",
            lambda x, axes, keep, d: f"np.var({x}{numpy_options(axes, keep, f'ddof={d}')})"),
    "std": (ref.std, lambda x, axes, keep, d: f"lf::std({x}{options(axes, keep, f'lf::ddof{{{d}}}')})",
            lambda x, axes, keep, d: f"np.std({x}{numpy_options(axes, keep, f'ddof={d}')})"),
    "norm": (ref.norm, lambda x, axes, keep, p: f"lf::norm({x}{options(axes, keep, f'lf::ord<{p}>'.replace('inf', 'lf::inf'))})",
             lambda x, axes, keep, p: f"np.linalg.vector_norm({x}{numpy_options(axes, keep, f'ord={p}'.replace('inf', 'np.inf'))})"),
    "softmax": (ref.softmax, lambda x, axes: f"lf::softmax({x}{options(axes)})", lambda x, axes: f"scipy.special.softmax({x}{numpy_options(axes)})"),
    "log_softmax": (ref.log_softmax, lambda x, axes: f"lf::log_softmax({x}{options(axes)})", lambda x, axes: f"scipy.special.log_softmax({x}{numpy_options(axes)})"),
    "logsumexp": (ref.logsumexp, lambda x, axes, keep: f"lf::logsumexp({x}{options(axes, keep)})",
                  lambda x, axes, keep: f"scipy.special.logsumexp({x}{numpy_options(axes, keep)})"),
    "standardize": (ref.standardize, lambda x, axes, d, e: f"lf::standardize({x}{options(axes, False, f'lf::ddof{{{d}}}', f'lf::epsilon{{{e}}}')})",
                    lambda x, axes, d, e: f"standardize({x}{numpy_options(axes, False, f'ddof={d}', f'epsilon={e}')})"),
    "layer_norm": (ref.layer_norm, lambda x, axes: f"lf::layer_norm({x}{options(axes)})", lambda x, axes: f"layer_norm({x}{numpy_options(axes)})"),
    "rms_norm": (ref.rms_norm, lambda x, axes, e: f"lf::rms_norm({x}{options(axes, False, f'lf::epsilon{{{e}}}')})",
                 lambda x, axes, e: f"rms_norm({x}{numpy_options(axes, False, f'epsilon={e}')})"),
    "normalize": (ref.normalize, lambda x, axes, p: f"lf::normalize({x}{options(axes, False, f'lf::ord<{p}>'.replace('inf', 'lf::inf'))})",
                  lambda x, axes, p: f"normalize({x}{numpy_options(axes, False, f'ord={p}')})"),
    "arange": (lambda t, n: grid(np.arange(n).astype(t)), lambda t, n: f"lf::arange<{CPP[t]}>({n})", lambda t, n: f"np.arange({n}, dtype={t.name})"),
    "eye": (lambda t, n, m, k: grid(np.eye(n, m, k, dtype=t)), lambda t, n, m, k: f"lf::eye<{CPP[t]}>({n}, {m}, {k})",
            lambda t, n, m, k: f"np.eye({n}, {m}, {k}, dtype={t.name})"),
    "indices": (lambda t, a, s: grid(np.indices(s)[a].astype(t)), lambda t, a, s: f"lf::indices<{CPP[t]}>({braces(s)})[{a}]",
                lambda t, a, s: f"np.indices({s}, dtype={t.name})[{a}]"),
    "full": (lambda t, s, v: grid(np.full(s, v, t)), lambda t, s, v: f"lf::full({braces(s)}, static_cast<{CPP[t]}>({v}))",
             lambda t, s, v: f"np.full({s}, {v}, {t.name})"),
    "nan": (lambda x, name, axes, keep: ref.nan_reduction(name, x, axes, keep), lambda x, name, axes, keep: f"lf::{name}({x}{options(axes, keep)})",
            lambda x, name, axes, keep: f"np.{name}({x}{numpy_options(axes, keep)})"),
    "average": (ref.average, lambda x, w, axes, keep: f"lf::average({x}, {w}{options(axes, keep)})",
                lambda x, w, axes, keep: f"np.average({x}, weights={w}{numpy_options(axes, keep)})"),
    "fuse": (ref.fused, lambda *p: fuse_text(p, "cpp"), lambda *p: fuse_text(p, "numpy")),
    "barrier": (lambda x: x, lambda x: f"lf::barrier({x})", lambda x: x),
    "limited": (lambda x, n: x, lambda x, n: f"lf::limited({x}, lf::plan_limits<{n}>{{}})", lambda x, n: x),
    "tril": (triangle("tril"), lambda x, k: f"lf::tril({x}, {k})", lambda x, k: f"np.tril({x}, {k})"),
    "triu": (triangle("triu"), lambda x, k: f"lf::triu({x}, {k})", lambda x, k: f"np.triu({x}, {k})"),
}
KINDS |= {name: (f.value, f.cpp, f.numpy) for name, f in functions.ALL.items()}
WRITES = {"assign", *functions.WRITES}  # of which the first operand is what they write in


def scalar(value, constant=False):
    return Node("scalar", (), (value, constant), Weak(value))


class Case:
    """Expressions that are evaluated in one function. outputs: groups of nodes; a group is materialised together."""

    def __init__(self, outputs):
        self.outputs = [list(group) for group in outputs]

    def nodes(self):
        seen, order = set(), []
        for group in self.outputs:
            for root in group:
                for n in root.nodes():
                    if id(n) not in seen:
                        seen.add(id(n))
                        order.append(n)
        return sorted(order, key=lambda n: n.serial)

    def inputs(self):
        return sorted({n.params[0]: n for n in self.nodes() if n.what == "input"}.items())

    def results(self):
        return [n for group in self.outputs for n in group]

    def statements(self, language):
        """The statements, in C++ or NumPy, and the texts of the outputs by group."""
        nodes = self.nodes()
        users = {id(n): [] for n in nodes}
        for n in nodes:
            for a in n.args:
                users[id(a)].append(n.serial)
        last = max((n.serial for n in nodes), default=0) + 1
        for n in self.results():
            users[id(n)].append(last)
        writes = [n.serial for n in nodes if n.what in WRITES]
        text, lines, variable, made = {}, [], {}, 0
        for n in nodes:
            args = [text[id(a)] for a in n.args]
            if n.what in WRITES:
                x = variable[id(n.args[0])]
                variable[id(n)] = text[id(n)] = x
                if n.what != "assign":
                    lines.append(getattr(n, language)([x, *args[1:]]))
                    continue
                specs, op = n.params
                # an alias of NumPy's is no copy
                if language == "cpp":
                    place = x if specs is None else f"{x}({', '.join(map(cpp_spec, specs))})"
                else:
                    place = x if specs is None and op == "=" else f"{x}[{', '.join(map(numpy_spec, specs or ())) or '...'}]"
                lines.append(f"{place} {op} {args[1]}")
                continue
            text[id(n)] = n.cpp(args) if language == "cpp" else n.numpy(args)
            if lazy and language == "cpp" and n.args:
                text[id(n)] = f"lf::lazy_array({text[id(n)]})"
            if n.what == "input":
                variable[id(n)] = text[id(n)]
            late = any(n.serial < w and w < u for w in writes for u in users[id(n)] if not (n.what == "input" and u == w))
            if n.what not in ("scalar",) and (late or (n.named and n.what != "input")):
                name = f"t{made}"
                made += 1
                lines.append(f"{'const auto ' if language == 'cpp' else ''}{name} = {text[id(n)]}")
                if language == "numpy" and n.what == "input":
                    lines[-1] += ".copy()"
                text[id(n)] = name
        return lines, [[text[id(n)] for n in group] for group in self.outputs]

    def line(self, language):
        """Everything in one line."""
        lines, groups = self.statements(language)
        if language == "cpp":
            results = [f"lf::materialize({', '.join(g)})" if len(g) > 1 else g[0] for g in groups]
            return "; ".join(lines + results)
        return "; ".join(lines + [", ".join(t for g in groups for t in g)])

    def size(self):
        """How complicated it is, to be made less; comparable."""
        nodes = [n for n in self.nodes() if n.what != "scalar"]
        simple = {F32: 0, ref.INT32: 0, F64: 1, BOOL: 1, INT64: 1}
        return (sum(n.what not in ("input",) for n in nodes), len(self.results()), len(nodes), sum(n.value.v.ndim for _, n in self.inputs()),
                sum(n.value.v.size for _, n in self.inputs()), sum(simple.get(n.dtype, 2) for n in nodes), sum(n.named for n in nodes),
                sum(np.count_nonzero(n.value.v != 1) for _, n in self.inputs() if n.value.v.dtype != BF16), len(self.line("cpp")))


# ---- random ones


class Generator:
    def __init__(self, seed, number):
        self.rng = np.random.default_rng([seed, number])
        r = self.rng
        self.types = [F32] * 6 + [F64] * 3 + [F16] * 2 + [BF16] * 2 + INTEGERS + [BOOL] * 2 + [C64, C128]
        self.type = self.pick(self.types)
        rank = int(r.choice([0, 1, 2, 3, 4, 5], p=[0.04, 0.2, 0.4, 0.24, 0.1, 0.02]))
        sizes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65] if rank < 3 else [1, 2, 3, 4, 5, 7, 8]
        self.shape = [int(r.choice(sizes)) for _ in range(rank)]
        chance = r.random()
        if chance < 0.04 and rank:
            self.shape[r.integers(rank)] = 0
        elif chance < 0.10 and 0 < rank < 4:
            self.shape[r.integers(rank)] = int(r.choice([127, 256, 1000, 1025, 4099]))
        elif chance < 0.12 and rank == 1:
            self.shape[0] = int(r.choice([20000, 70001]))
        while np.prod(self.shape, dtype=int) > 80_000:
            self.shape[int(np.argmax(self.shape))] //= 3
        if rank == 2 and r.random() < 0.25 and self.shape[0] < 300:
            self.shape[1] = self.shape[0]
        self.special = r.random() < 0.25
        self.pool, self.inputs, self.frozen = [], 0, set()

    def pick(self, items):
        return items[int(self.rng.integers(len(items)))]

    def chance(self, p):
        return self.rng.random() < p

    def values(self, t, shape):
        r, n = self.rng, int(np.prod(shape, dtype=int))
        k = kind(t)
        if k == "b":
            v = r.random(n) < r.choice([0.1, 0.5, 0.9])
        elif k == "i":
            low, high = np.iinfo(t).min, np.iinfo(t).max
            v = r.integers(max(low, -9), 10, n).astype(t)
            if self.special and n:
                extremes = np.array([low, high, low + 1, high - 1, high // 2, 0, 1], t)
                v = np.where(r.random(n) < 0.15, r.choice(extremes, n), v)
                if self.chance(0.3):
                    v = r.integers(low, high, n, dtype=t, endpoint=True)
        else:
            def real():
                style = r.random()
                if style < 0.25:
                    return r.integers(-16, 17, n) / 4
                if style < 0.75:
                    return r.uniform(-4, 4, n)
                if style < 0.9:
                    return r.uniform(0.05, 3, n)
                return np.exp(r.uniform(-6, 6, n)) * r.choice([-1, 1], n)

            v = real() if k == "f" else real() + 1j * real()
            if self.special and k == "f" and n:
                v = np.where(r.random(n) < 0.1, r.choice(ref.generate.specials(t.type if t != BF16 else ref.generate.BF16).astype(np.float64), n), v)
        return np.asarray(v).astype(t).reshape(shape)

    def input(self, t, shape):
        n = Node("input", (), (self.inputs,), Value(self.values(t, tuple(shape)), None, True))
        self.inputs += 1
        self.pool.append(n)
        return n

    def leaf(self, t, shape):
        """An expression of that type and shape without operations: an array, a view of one, a grid."""
        r, shape = self.rng, tuple(int(v) for v in shape)
        ready = [n for n in self.pool if n.what == "input" and n.dtype == t and n.shape == shape and id(n) not in self.frozen]
        if ready and self.chance(0.5):
            return self.pick(ready)
        chance = r.random()
        if chance < 0.5 or len(shape) > 4:
            return self.input(t, shape)
        if chance < 0.6 and kind(t) in "if" and t not in (F16, BF16):
            if len(shape) == 1 and (t.itemsize > 1 or shape[0] < 128):
                return Node("arange", (), (t, shape[0]))
            if len(shape) == 2 and self.chance(0.5):
                return Node("eye", (), (t, *shape, int(r.integers(-2, 3))))
            if len(shape) > 0 and t.itemsize > 1 and max(shape) < 30000:
                return Node("indices", (), (t, int(r.integers(len(shape))), shape))
        if chance < 0.63 and kind(t) in "bif":
            return Node("full", (), (t, shape, int(r.integers(0, 2))))
        # an array that is larger or turned, and a view of it
        order = list(r.permutation(len(shape))) if len(shape) > 1 and self.chance(0.3) else None
        turned = [0] * len(shape)
        for k, n in enumerate(shape):
            turned[order[k] if order else k] = n
        whole, specs = [], []
        for n in turned:
            chance = r.random()
            if chance < 0.15:
                whole.append(int(r.integers(1, 4)))
                specs.append(int(r.integers(-whole[-1], whole[-1])))
            chance = r.random()
            if chance < 0.4 or n == 0:
                whole.append(n)
                specs.append("all")
            elif n == 1 and chance < 0.6:
                specs.append("new")
            else:
                step = int(r.choice([1, 1, 2, 3])) * (1 if self.chance(0.6) else -1)
                before, after = int(r.integers(0, 3)), int(r.integers(0, 3))
                m = (n - 1) * abs(step) + 1
                size = before + m + after
                whole.append(size)
                if step > 0:
                    start, stop = before, before + m
                    start = None if start == 0 and self.chance(0.5) else start - size if self.chance(0.3) else start
                    stop = None if stop == size else stop - size if self.chance(0.5) else stop
                else:
                    start, stop = before + m - 1, before - 1
                    start = None if start == size - 1 and self.chance(0.5) else start - size if self.chance(0.3) else start
                    stop = None if stop < 0 else stop - size if self.chance(0.5) else stop
                specs.append((start, stop, step))
        if all(s == "all" for s in specs) and order is None:
            return self.input(t, shape)
        if np.prod(whole, dtype=int) > 100_000 or len(whole) > 6:
            return self.input(t, shape)
        x = self.leaf_input(t, whole)
        if any(s != "all" for s in specs):
            given = len(specs)
            while specs and specs[-1] == "all" and self.chance(0.5):
                specs.pop()
            if self.chance(0.1) and "all" in specs and len(specs) == given:  # else "..." would stand for what was left out, too
                specs[specs.index("all")] = "..."
            x = Node("view", (x,), tuple(specs))
        if order is not None:
            x = Node("permute", (x,), tuple(int(v) for v in order))
        return x if x.shape == shape else self.input(t, shape)

    def leaf_input(self, t, shape):
        ready = [n for n in self.pool if n.what == "input" and n.dtype == t and n.shape == tuple(shape) and id(n) not in self.frozen]
        return self.pick(ready) if ready and self.chance(0.7) else self.input(t, shape)

    def fitting_shape(self, shape):
        """A shape that broadcasts with this one."""
        shape = list(shape)
        if self.chance(0.55):
            return shape
        shape = [1 if self.chance(0.3) else n for n in shape]
        while shape and self.chance(0.3):
            shape.pop(0)
        return shape

    def scalar_for(self, t):
        r = self.rng
        k = kind(t)
        if k == "b":
            return scalar(bool(r.integers(2)))
        if k == "i" or self.chance(0.3):
            low = max(np.iinfo(t).min, -5) if k == "i" else -5
            return scalar(int(r.integers(low, 6)), self.chance(0.3))
        if k == "c" and self.chance(0.5):
            return scalar(complex(float(r.integers(-4, 5)) / 2, float(r.integers(-4, 5)) / 2))
        return scalar(float(self.pick([0.5, 2.0, 1.5, -0.25, 3.0, 0.1, -1.7, float(np.round(r.uniform(-3, 3), 3))])))

    def operand(self):
        pool = self.alive()
        # the newest, mostly
        if self.chance(0.7):
            return pool[-1]
        return self.pick(pool)

    def matrix(self):
        """An operand of several axes, where there is one."""
        pool = [n for n in self.alive() if sum(m > 1 for m in n.shape) > 1]
        return self.pick(pool[-3:]) if pool and self.chance(0.7) else self.operand()

    def alive(self):
        return [n for n in self.pool if id(n) not in self.frozen]

    def variables(self):
        return [n for n in self.alive() if n.what == "input" or n.what in WRITES]

    # what functions.py draws with
    node = staticmethod(Node)
    node_of = staticmethod(scalar)

    def known(self, x):
        """x, or a leaf where its elements are not known exactly."""
        return self.leaf(x.dtype, x.shape) if np.any(x.value.e > 0) else x

    def function(self):
        """A function of whole arrays, mostly with an operation around it."""
        n = functions.ALL[self.pick(self.pick(functions.CHOICES))].draw(self, self.operand())
        if n.what in WRITES or self.chance(0.5) or n.dtype == BOOL:
            return n
        n.named |= self.chance(0.3)
        return Node("op", (n, self.other(n, n.dtype)), (self.pick(["add", "subtract", "multiply"]), True))

    def other(self, x, t):
        """An operand that broadcasts with x."""
        fits = []
        for n in self.alive():
            try:
                if np.prod(np.broadcast_shapes(n.shape, x.shape), dtype=int) <= LIMIT and n.dtype == t:
                    fits.append(n)
            except ValueError:
                pass
        if fits and self.chance(0.45):
            return self.pick(fits)
        if self.chance(0.25):
            return self.scalar_for(t)
        return self.leaf(t, self.fitting_shape(x.shape))

    def near_type(self, x):
        return x.dtype if self.chance(0.75) else self.pick(self.types)

    def within(self, x, row):
        low, high = ref.domain_of(row)
        if row["domain"] == "all" or kind(x.dtype) not in "fi" or self.chance(0.15):
            return x
        low, high = max(low, -8), min(high, 8)
        v = x.value.v.astype(np.float64)
        if np.mean((v >= low) & (v <= high)) > 0.8:
            return x
        if kind(x.dtype) == "i":
            low = max(int(np.ceil(low)), int(np.iinfo(x.dtype).min))
            return Node("op", (x, scalar(low), scalar(max(int(high), low))), ("clip", False))
        return Node("op", (x, scalar(float(low)), scalar(float(high))), ("clip", False))

    def elementwise(self):
        x = self.operand()
        rows = [row for row in ref.ROWS.values() if ref.accepts(row, x.dtype) or row["operation"].startswith("logical")]
        arithmetic = [row for row in rows if row["operator"] or row["operation"] in ("maximum", "minimum", "where")]
        row = self.pick(arithmetic) if arithmetic and self.chance(0.5) else self.pick(rows)
        if row["result"] == "bool" and x.dtype != BOOL and self.chance(0.6):
            row = self.pick(rows)
        name, count = row["operation"], int(row["operands"])
        words = row["element types"].split("; ")[0]
        if words == "condition":
            c = [n for n in self.alive() if n.dtype == BOOL and fits_shape(n.shape, x.shape)]
            cond = self.pick(c) if c and self.chance(0.6) else None
            if cond is None:
                if kind(x.dtype) in "if" and self.chance(0.6):
                    cond = Node("op", (x, self.other(x, x.dtype)), (self.pick(["less", "greater_equal", "not_equal"]), True))
                else:
                    cond = self.leaf(BOOL, self.fitting_shape(x.shape))
            pair = [x, self.other(x, self.near_type(x))]
            if self.chance(0.5):
                pair.reverse()
            return Node("op", (cond, *pair), (name, False))
        if words == "exponent":
            return Node("op", (x, self.leaf(self.pick([ref.INT32, ref.INT32, np.dtype(np.int8)]), self.fitting_shape(x.shape))), (name, False))
        x = self.within(x, row)
        args = [x]
        while len(args) < count:
            y = self.other(x, self.near_type(x))
            if name == "pow":
                if kind(x.dtype) == "i" or self.chance(0.6):
                    y = scalar(int(self.rng.integers(0 if kind(x.dtype) == "i" else -3, 5)), self.chance(0.4))
            if y.what != "scalar":
                y = self.within(y, row)
            args.append(y)
        if count == 2 and self.chance(0.3) and name != "pow":
            args.reverse()
        return Node("op", tuple(args), (name, bool(infix(name)) and self.chance(0.8)))

    def spec_for(self, n):
        r = self.rng
        if self.chance(0.3):
            return "all"
        step = int(r.choice([1, 1, 2, 3])) * (1 if self.chance(0.65) else -1)
        bound = lambda: None if self.chance(0.35) else int(r.integers(-n - 1, n + 2))
        return (bound(), bound(), step)

    def view(self):
        x = self.operand()
        r = self.rng
        choice = r.random()
        if choice < 0.5 and x.rank:
            specs = []
            for n in x.shape:
                if self.chance(0.12):
                    specs.append("new")
                specs.append(int(r.integers(-n, n)) if n and self.chance(0.15) else self.spec_for(n))
            if self.chance(0.2):
                cut = int(r.integers(0, len(specs) + 1))
                kept = specs[:cut]
                skipped = sum(s != "new" for s in specs[cut:])
                drop = int(r.integers(0, skipped + 1)) if skipped else 0
                tail = specs[len(specs) - drop :] if drop else []
                specs = kept + ["..."] + tail
            elif self.chance(0.3):
                specs = specs[: int(r.integers(1, len(specs) + 1))]
            return Node("view", (x,), tuple(specs))
        if choice < 0.57 and 0 < x.rank < 5:
            return self.gather(x)
        if choice < 0.6 and x.rank > 1:
            a, b = (int(k) - (x.rank if self.chance(0.3) else 0) for k in r.permutation(x.rank)[:2])
            return Node("diagonal", (x,), (int(r.integers(-3, 4)), a, b))
        if choice < 0.62 and 0 < x.rank < 5:
            a = int(r.integers(0, x.rank))
            if x.shape[a]:
                return Node("windows", (x,), (int(r.integers(1, min(x.shape[a], 5) + 1)), a - (x.rank if self.chance(0.3) else 0)))
        if choice < 0.65:
            return Node("transpose", (x,))
        if choice < 0.7 and x.rank:
            return Node("permute", (x,), tuple(int(v) - (x.rank if self.chance(0.3) else 0) for v in r.permutation(x.rank)))
        if choice < 0.75 and x.rank:
            axes = tuple(int(a) - (x.rank if self.chance(0.3) else 0) for a in r.permutation(x.rank)[: int(r.integers(0, x.rank + 1))])
            shifts = [int(r.integers(-9, 10)) for _ in axes or (0,)]
            return Node("roll", (x,), (tuple(shifts) if axes and self.chance(0.6) else shifts[0], axes or None))
        if choice < 0.8 and x.rank:
            axes = [int(a) for a in r.permutation(x.rank)[: int(r.integers(0, x.rank + 1))]]
            return Node("flip", (x,), tuple(a - (x.rank if self.chance(0.3) else 0) for a in axes))
        if choice < 0.9 and x.rank < 5:
            shape = [int(r.integers(2, 5)) if n == 1 and self.chance(0.7) else n for n in x.shape]
            return Node("broadcast", (x,), tuple([int(r.integers(1, 4)) for _ in range(int(r.integers(0, 2)))] + shape))
        if not dense(x):
            x = Node("array", (x,))
            x.named = self.chance(0.5)
        return Node("reshape", (x,), self.factors(x.value.v.size))

    def gather(self, x):
        r = self.rng
        a = int(r.integers(-x.rank, x.rank))
        what = self.pick(["take", "take", "repeat", "tile", "pad", "concat"])
        if what == "take":
            return Node("take", (x,), (a, int(r.integers(0, 9)), int(r.integers(1, 8)), int(r.integers(-5, 6)), x.shape[a]))
        if what == "repeat":
            return Node("repeat", (x,), (int(r.integers(0, 4)), a))
        if what == "tile":
            return Node("tile", (x,), tuple(int(r.integers(1, 4)) for _ in range(int(r.integers(1, x.rank + 2)))))
        if what == "pad":
            widths = tuple((int(r.integers(0, 5)), int(r.integers(0, 5))) for _ in x.shape)
            return Node("pad", (x,), (widths, self.pick(["constant", "edge", "wrap", "reflect", "symmetric"])))
        return Node("concat", (x,), (a,))

    def factors(self, n):
        r, shape = self.rng, []
        while n > 1 and len(shape) < 3:
            d = [k for k in range(1, min(n, 70) + 1) if n % k == 0]
            shape.append(int(self.pick(d)))
            n //= shape[-1]
        shape.append(n)
        if n and self.chance(0.3):
            shape[int(r.integers(len(shape)))] = -1
        return tuple(int(v) for v in shape)

    def axes(self, x, several=True):
        if x.rank == 0 or self.chance(0.25):
            return None
        count = 1 if not several or self.chance(0.5) else int(self.rng.integers(1, x.rank + 1))
        return tuple(int(a) - (x.rank if self.chance(0.3) else 0) for a in self.rng.permutation(x.rank)[:count])

    def reduce(self):
        x = self.matrix()
        axes, keep = self.axes(x), self.chance(0.5)
        choice = self.rng.random()
        if choice < 0.75:
            name = self.pick([*ref.MONOIDS, "sum", "mean", "max", "argmax", "argmin", "count_nonzero"])
            return Node("reduce", (x,), (name, axes, keep))
        if choice < 0.79:
            return Node("ptp", (x,), (axes, keep))
        if choice < 0.82 and x.rank > 0:
            name = self.pick(["cumsum", "cumprod", "cummax", "cummin"])
            words = [w for w in ("exclusive", "backwards") if self.chance(0.3) and (w == "backwards" or name in ("cumsum", "cumprod"))]
            return Node("scan", (x,), (name, int(self.rng.integers(-x.rank, x.rank)), *words))
        if choice < 0.86:
            return Node("nan", (x,), (self.pick(["nansum", "nanprod", "nanmax", "nanmin", "nanmean"]), axes, keep))
        if choice < 0.88:
            return Node("average", (x, self.leaf(x.dtype, self.fitting_shape(x.shape))), (axes, keep))
        if choice < 0.94:
            return Node(self.pick(["var", "std"]), (x,), (axes, keep, int(self.rng.integers(0, 2))))
        return Node("norm", (x,), (axes, keep, self.pick([0, 1, 2, 2, "inf"])))

    def rows(self):
        """A reduction that is broadcast back, by hand or by a function."""
        x = self.matrix()
        axes = self.axes(x)
        if self.chance(0.2):
            number = int(self.rng.integers(len(ref.FUSED)))
            count = ref.FUSED[number][1].__code__.co_argcount
            y = self.other(x, x.dtype)
            return Node("fuse", (x, x if y.what == "scalar" else y)[:count], (number,))
        if self.chance(0.5):
            name = self.pick(["max", "min", "sum", "mean", "any", "all", "argmax", "count_nonzero"])
            y = Node("reduce", (x,), (name, axes, True))
            y.named = self.chance(0.3)
            x.named |= self.chance(0.4)
            return Node("op", (x, y), (self.pick(["subtract", "add", "multiply", "divide", "maximum", "less", "equal"]), False))
        name = self.pick(["softmax", "log_softmax", "logsumexp", "standardize", "layer_norm", "rms_norm", "normalize"])
        given = axes or (-1,)
        if x.rank == 0:
            raise Invalid("rank")
        if name == "logsumexp":
            return Node(name, (x,), (axes, self.chance(0.5)))
        if name == "standardize":
            return Node(name, (x,), (axes, int(self.rng.integers(0, 2)), float(self.pick([0.0, 0.5, 1e-3]))))
        if name == "rms_norm":
            return Node(name, (x,), (given, float(self.pick([1e-3, 0.5]))))
        if name == "normalize":
            return Node(name, (x,), (given, self.pick([1, 2, "inf"])))
        return Node(name, (x,), (given,))

    def assign(self):
        """A write through a view, often of what is read."""
        r = self.rng
        targets = self.variables()
        x = self.pick(targets)
        if self.chance(0.25):
            e = self.operand() if self.chance(0.5) else Node("transpose", (x,))
            op = self.pick(["=", "=", "+=", "*=", "-="])
            specs = None
            e = e if e.shape == x.shape or op == "=" else self.other(x, x.dtype)
        else:
            to, source = [], []
            for n in x.shape:
                m = int(r.integers(0 if self.chance(0.1) else min(1, n), n + 1))
                for where in (to, source):
                    start = int(r.integers(0, n - m + 1))
                    back = self.chance(0.25)
                    stop = start + m
                    if back:
                        where.append((stop - 1 if m else 0, start - 1 if m and start > 0 else None if m else 0, -1))
                    else:
                        where.append((start if start else self.pick([0, None]), None if stop == n else stop, 1))
            if x.rank and self.chance(0.1):
                k = int(r.integers(x.rank))
                if x.shape[k]:
                    to[k] = int(r.integers(x.shape[k]))
                    source[k] = int(r.integers(x.shape[k]))
            specs = tuple(to)
            e = Node("view", (x,), tuple(source)) if x.rank else x
            if self.chance(0.15):
                e = self.scalar_for(x.dtype)
            elif self.chance(0.6):
                e = Node("op", (e, self.other(e, x.dtype)), (self.pick(["add", "multiply", "maximum", "subtract"]), False))
            op = self.pick(["=", "=", "=", "+=", "-=", "*="])
        if e.what != "scalar":
            try:
                fits = ref.promoted(e.dtype, x.dtype) == x.dtype
            except Invalid:
                fits = False
            if not fits:
                e = Node("cast", (e,), (x.dtype,))
        n = Node("assign", (x, e), (specs, op))
        self.frozen.add(id(x))  # what comes after the write reads the new values
        return n

    def step(self):
        newest = self.alive()[-1]
        if newest.dtype == BOOL and self.chance(0.4):
            if self.chance(0.5):
                return Node("cast", (newest,), (self.pick(self.types),))
            x = self.leaf(self.type, self.fitting_shape(newest.shape))
            return Node("op", (newest, x, self.other(x, self.near_type(x))), ("where", False))
        if self.chance(functions_share):
            return self.function()
        makers = [(0.46, self.elementwise), (0.13, self.view), (0.15, self.reduce), (0.09, self.rows), (0.08, self.other_kind), (0.09, self.assign)]
        return makers[int(self.rng.choice(len(makers), p=[p for p, _ in makers]))][1]()

    def other_kind(self):
        choice, x = self.rng.random(), self.operand()
        if choice < 0.5:
            return Node("cast", (x,), (self.pick(self.types),))
        if choice < 0.7:
            return Node("array", (x,))
        if choice < 0.78:
            return Node("barrier", (x,))
        if choice < 0.84:
            return Node("limited", (x,), (int(self.rng.integers(2, 9)),))
        return Node(self.pick(["tril", "triu"]), (x,), (int(self.rng.integers(-2, 3)),))

    def case(self):
        self.leaf(self.type, self.shape)
        if not self.pool:
            self.input(self.type, self.shape)
        for _ in range(int(self.rng.integers(2, 10))):
            for _ in range(20):
                before = len(self.pool), self.inputs, set(self.frozen)
                try:
                    n = self.step()
                except Invalid:
                    self.pool, self.inputs, self.frozen = self.pool[: before[0]], before[1], before[2]
                    continue
                n.named |= self.chance(0.35)
                if n.what == "array":
                    n.named = True
                self.pool.append(n)
                break
        made = [n for n in self.alive() if n.what != "input"] or self.alive()
        roots = [made[-1]]
        for n in made[:-1][::-1]:
            if len(roots) < 3 and self.chance(0.5 if n.what == "reduce" or n.what in WRITES else 0.2):
                roots.append(n)
        groups = [roots] if len(roots) > 1 and self.chance(0.7) else [[n] for n in roots]
        # every write is looked at
        for n in self.alive():
            if n.what in WRITES and not any(n in g for g in groups):
                groups.append([n])
        return Case(groups)


def fits_shape(a, b):
    try:
        np.broadcast_shapes(a, b)
        return True
    except ValueError:
        return False


def case(seed, number):
    """Case number of a seed; each is made by itself."""
    return Generator(seed, number).case()
