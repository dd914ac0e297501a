# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The directive {api}: what the comments of the headers say of the names that a page lists, read from Doxygen's XML. A
# function stands there as it is called, softmax(x, axis<-1>), not as it is declared: the declarations are templates over
# everything, objects with a call operator, and constraints. How it is called is what its comment begins with, up to a
# colon; else it is made from the names of its parameters. A path lists all functions of a header.
import os
import re
import xml.etree.ElementTree as ElementTree

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx import addnodes
from sphinx.util import logging

logger = logging.getLogger(__name__)
SPACE = "lazyfuse::"


def text_of(element):
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip() if element is not None else ""


class Entry:
    """A documented name: a function with its overloads, a variable, a type."""

    def __init__(self, member):
        self.kind = member.get("kind")
        self.name = (member.findtext("qualifiedname") or member.findtext("compoundname")).removeprefix(SPACE)
        self.is_type = self.kind in ("struct", "class", "concept")
        location = member.find("location")
        self.file = location.get("file")
        self.line = int(location.get("line"))
        self.blocks = []  # of overloads that share a comment: [calls, paragraphs]; those of (text, "link", "code" or None)
        self.members = []

    def add(self, call, paragraphs):
        """An overload; one without a comment belongs to the one before it."""
        if paragraphs or not self.blocks:
            self.blocks.append([[call], paragraphs])
        elif call not in self.blocks[-1][0]:
            self.blocks[-1][0].append(call)


def paragraphs_of(member):
    """The comment as paragraphs of pieces of text, each a link, code or neither."""
    found = []
    for part in ("briefdescription", "detaileddescription"):
        for paragraph in member.findall(f"{part}/para"):
            pieces = []

            def walk(element):
                if element.text:
                    pieces.append((element.text, {"ref": "link", "computeroutput": "code"}.get(element.tag)))
                for child in element:
                    walk(child)
                    if child.tail:
                        pieces.append((child.tail, None))

            walk(paragraph)
            if any(text.strip() for text, _ in pieces):
                found.append(pieces)
    return found


def call_of(member, name):
    """How a function is called, from its declaration: eye<T>(rows, columns, k = 0)."""
    parameters = [p for p in member.findall("param") if "caller" not in text_of(p.find("type"))]
    types = " ".join(text_of(p.find("type")) + text_of(p.find("array")) for p in parameters)
    explicit = []
    for p in member.findall("templateparamlist/param"):
        declared = text_of(p.find("declname")) or text_of(p.find("type")).split()[-1].removeprefix("...")
        if re.search(rf"\b{re.escape(declared)}\b", types):
            continue
        many = "..." if "..." in text_of(p.find("type")) else ""
        default = text_of(p.find("defval"))
        default = "" if "detail" in default or default == "void" else default
        explicit.append(declared + many + (f" = {default}" if default else ""))
    arguments = []
    for p in parameters:
        text = text_of(p.find("declname"))
        if p.find("array") is not None:
            text = "{" + text + "...}"
        elif "..." in text_of(p.find("type")):
            text += "..."
        default = text_of(p.find("defval"))
        arguments.append(text + (f" = {default}" if default else ""))
    shown = name + (f"<{', '.join(explicit)}>" if explicit else "")
    call = f"{shown}({', '.join(a for a in arguments if a)})"
    return call.replace("operator<<(out, e)", "out << e").replace("operator()(", "x(")


def without_names(member):
    return any(not p.findtext("declname") for p in member.findall("param"))


def is_call(text, name):
    """Whether it is the name with arguments, and nothing else."""
    match = re.match(rf"(?:auto \[[^]]*\] = )?(?:\w+::)*{re.escape(name)}(?=[<({{])", text)
    if not match:
        return False
    depth = 0
    for character in text[match.end() :]:
        if depth == 0 and character not in "<({, " and not re.match(r"\w", character):
            return False
        depth += (character in "<({") - (character in ">)}")
    return depth == 0


def documented_call(paragraphs, name):
    """The call that a comment begins with, and the comment without it."""
    if not paragraphs:
        return None, paragraphs
    short = name.split("::")[-1]
    text = re.sub(r"\s+", " ", "".join(t for t, _ in paragraphs[0])).strip()
    call, _, _ = text.partition(": ")
    if not is_call(call.rstrip("."), short):
        return None, paragraphs
    left = len(call) + 2
    rest = []
    for t, sort in paragraphs[0]:
        if left >= len(t):
            left -= len(t)
            continue
        rest.append((t[left:], sort))
        left = 0
    if rest and not rest[0][1]:
        first = rest[0][0]
        if re.match(r"[a-z][a-z]+[ ,;]", first):
            first = first[0].upper() + first[1:]
        rest[0] = (first, None)
    return call.rstrip("."), ([rest] if rest else []) + paragraphs[1:]


def read_function(member, entries):
    entry = Entry(member)
    if "_detail" in entry.name or "op::" in entry.name:
        return
    call, paragraphs = documented_call(paragraphs_of(member), entry.name)
    old = entries.get(entry.name)
    if old is None and not paragraphs and call is None:
        return  # not documented: not for users
    if call is None and without_names(member):
        return  # says by a sentence why it is not to be called
    if call is None:
        call = call_of(member, entry.name) if entry.kind == "function" else entry.name
    if old is None:
        entries[entry.name] = old = entry
    if not old.is_type:
        old.add(call, paragraphs)


def read_type(compound, entries):
    entry = Entry(compound)
    if "_detail" in entry.name or "op::" in entry.name or entry.name in entries:
        return
    paragraphs = paragraphs_of(compound)
    if not paragraphs:
        return
    parameters = [text_of(p.find("declname")) or text_of(p.find("type")).split()[-1] for p in compound.findall("templateparamlist/param")]
    bases = [b.text.removeprefix(SPACE) for b in compound.findall("basecompoundref") if b.text.endswith("error")]
    entry.add(
        f"{compound.get('kind')} {entry.name}"
        + (f"<{', '.join(parameters)}>" if parameters else "")
        + (f" : {', '.join(bases)}" if bases else ""),
        paragraphs,
    )
    members = {}
    for member in compound.iter("memberdef"):
        if member.get("prot") != "public" or member.get("kind") not in ("function", "variable", "friend"):
            continue
        name = member.findtext("name")
        call, paragraphs = documented_call(paragraphs_of(member), name)
        if not paragraphs and call is None:
            continue
        if name not in members:
            members[name] = Entry(member)
            members[name].name = entry.name + "::" + name
        members[name].add(call or (call_of(member, name) if member.get("kind") == "function" else name), paragraphs)
    entry.members = list(members.values())
    entries[entry.name] = entry


def read_all(folder):
    entries = {}
    files = sorted(os.listdir(folder), key=lambda file: (file.startswith("namespace"), file))  # types first
    for file in files:
        if re.match(r"(namespace|concept|struct|class).*\.xml$", file):
            root = ElementTree.parse(os.path.join(folder, file)).getroot()
            for compound in root.findall("compounddef"):
                kind = compound.get("kind")
                if kind == "namespace":
                    members = list(compound.iter("memberdef"))
                    members.sort(key=lambda m: (m.find("location").get("file"), int(m.find("location").get("line"))))
                    for member in members:
                        if member.get("kind") in ("function", "variable", "typedef", "enum"):
                            read_function(member, entries)
                elif kind in ("struct", "class", "concept"):
                    read_type(compound, entries)
    return entries


def registry_facts(page):
    """What docs/operations.md, which is made from the registry, says of each operation and reduction, as pieces of text."""
    facts = {}
    head = []
    for line in page.splitlines():
        if not line.startswith("|"):
            head = []
            continue
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not head:
            head = cells
            continue
        row = dict(zip(head, cells))
        name = (row.get("operation") or row.get("reduction") or "").strip("`")
        if not name or set(name) == {"-"}:
            continue
        pieces = []
        if row.get("operator"):
            symbol = row["operator"].strip("`")
            pieces += [("Operator ", None), (f"{symbol}x" if row["operands"] == "1" else f"x {symbol} y", "code"), (". ", None)]
        if "element types" in row:
            error = row["error, ulp"] + (f", of complex {row['error of complex']}" if row["error of complex"] else "")
            pieces.append((f"Of {row['element types']}; result {row['result']}; error in ulp {error}.", None))
        else:
            pieces.append((f"Result {row['result']}; of no elements {row['identity'].replace('none', 'shape_error')}.", None))
        facts[name] = pieces
    return facts


class Api(Directive):
    has_content = True

    def run(self):
        env = self.state.document.settings.env
        entries = env.app.lazyfuse_entries
        result = []
        for word in " ".join(self.content).split():
            if "/" in word:
                listed = sorted(
                    (e for e in entries.values() if e.file.endswith(word) and e.kind in ("function", "variable")),
                    key=lambda e: e.line,
                )
            else:
                listed = [entries[word]] if word in entries else []
            if not listed:
                logger.warning("the headers document no %s", word, location=(env.docname, self.lineno))
            for entry in listed:
                result += self.description(env, entry)
        return result

    def description(self, env, entry):
        identifier = "api-" + re.sub(r"\W+", "-", entry.name).strip("-")
        short = entry.name.split("::")[-1]
        result = [addnodes.index(entries=[("single", entry.name, identifier, "", None)])]
        for number, (calls, paragraphs) in enumerate(entry.blocks):
            described = addnodes.desc(domain="std", objtype="cppname", desctype="cppname", noindex=False)
            described["classes"] += ["cpp", "api"]
            for call in calls:
                signature = addnodes.desc_signature(call, "", is_multiline=False)
                if number == 0 and call == calls[0]:
                    signature["ids"].append(identifier)
                    env.get_domain("std").note_object("cppname", entry.name, identifier, location=signature)
                at = re.search(rf"(?<!\w){re.escape(short)}(?!\w)", call)
                start, end = at.span() if at else (0, len(call))
                if start > 0:
                    signature += addnodes.desc_addname("", call[:start])
                signature += addnodes.desc_name("", call[start:end])
                if end < len(call):
                    signature += addnodes.desc_addname("", call[end:])
                described += signature
            content = addnodes.desc_content()
            content += [self.paragraph(env, pieces) for pieces in paragraphs]
            if number == 0 and entry.name in env.app.lazyfuse_facts:
                content += self.paragraph(env, env.app.lazyfuse_facts[entry.name])
            if number == 0:
                for member in entry.members:
                    content += self.description(env, member)
            described += content
            result.append(described)
        env.app.lazyfuse_shown.add(entry.name)
        return result

    def paragraph(self, env, pieces):
        paragraph = nodes.paragraph()
        for text, sort in pieces:
            if sort is None:
                paragraph += nodes.Text(re.sub(r"\s+", " ", text))
            elif sort == "code" or text not in env.app.lazyfuse_entries:
                paragraph += nodes.literal(text, text)
            else:
                link = addnodes.pending_xref(
                    "", refdomain="std", reftype="cppname", reftarget=text, refdoc=env.docname, refexplicit=False, refwarn=False
                )
                link += nodes.literal(text, text)
                paragraph += link
        return paragraph


def check_complete(app, env):
    """Whatever the examples call is in the reference."""
    folder = os.path.join(app.srcdir, "docs/examples")
    shown = app.lazyfuse_shown
    programs = ["programs/" + file for file in os.listdir(os.path.join(folder, "programs")) if file.endswith(".hpp")]
    for file in sorted(os.listdir(folder) + programs):
        if not file.endswith((".cpp", ".cu")) and file not in programs or file in ("steps.cpp", "operation.cpp", "pattern.cpp", "view.cpp", "backend.cpp"):  # those show what is inside
            continue
        with open(os.path.join(folder, file)) as text:
            for name in sorted(set(re.findall(r"\blf::((?:random::|tuning::|dlpack::|linalg::|fft::)?[a-z]\w*)", text.read()))):
                if name not in shown and name not in ("random", "tuning", "dlpack", "linalg", "fft") and not re.fullmatch(r"u?int(16|32|64)|uint8", name):
                    logger.warning("%s calls lf::%s, which is on no page of the reference", file, name)


def read_sources(app):
    app.lazyfuse_entries = read_all(app.config.doxygen_xml)
    with open(os.path.join(app.srcdir, "docs/operations.md")) as page:
        app.lazyfuse_facts = registry_facts(page.read())


def setup(app):
    app.add_config_value("doxygen_xml", None, "env")
    app.add_object_type("cppname", "cppname", "%s")
    app.add_directive("api", Api)
    app.lazyfuse_shown = set()
    app.connect("builder-inited", read_sources)
    app.connect("env-check-consistency", check_complete)
    return {"parallel_read_safe": False, "version": "1"}
