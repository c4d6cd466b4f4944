"""Write the package as one file.

    python tools/amalgamate.py                      write single/harbor.py
    python tools/amalgamate.py --check              compare it byte for byte with what would be written
    python tools/amalgamate.py --name agent_context write agent_context.py, the same under another name
    python tools/amalgamate.py --only codec         write codec.py: the codec alone, for dataclasses of your own

In: the files of `harbor/` but the command line. Out: one file that `one_file.py` makes act as the package. What
importing `models/agent/context.py` runs (the codec, with `--only codec`) stands there as plain code, each file after
those it imports from, and runs at once; the rest is kept as text that runs on first use. Nothing is run here: names are
found by parsing. What would mean something else in one namespace is refused with file and line, and nothing is written
then.
"""

import argparse
import ast
import builtins
import hashlib
import pathlib
import sys
import textwrap
from typing import Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNTIME = ROOT / "tools" / "one_file.py"
#: What the file leaves out: the command line, by the start of the names.
LEFT_OUT = ("cli", "__main__")
#: What runs at once when the whole package is one file: this part and all it imports.
AT_ONCE = "models.agent.context"
#: Marks an import inside a function as meant: of names from a part that runs on first use. What a package hands on by
#: a `__getattr__`, in the `else` of an `if TYPE_CHECKING` that imports it, is meant as well.
LATE_MARK = "# late"
WIDTH = 118


class Refused(Exception):
    """The package cannot be one file; each line of ``faults`` is `FILE:LINE: REASON`."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__(faults)
        self.faults = list(faults)

    def __str__(self) -> str:
        return "\n".join(self.faults)


#: Lines that go, by the first: the last, and what stands there instead.
Edits = Dict[int, Tuple[int, List[str]]]


class Import(NamedTuple):
    """A relative import: the part it names, the names, and where it stands."""

    source: str
    names: Tuple[str, ...]
    node: ast.ImportFrom


class Part:
    """A file of the package: `name` is its path inside the package with dots, "" for the package itself."""

    def __init__(self, path: pathlib.Path, folder: pathlib.Path) -> None:
        inside = path.relative_to(folder).with_suffix("").parts
        self.is_package = inside[-1] == "__init__"
        self.name = ".".join(inside[:-1] if self.is_package else inside)
        self.label = path.relative_to(folder.parent).as_posix()
        self.source = path.read_text(encoding="utf-8")
        self.lines = self.source.splitlines()
        self.tree = ast.parse(self.source, str(path))
        #: Names bound at the top level, with their line.
        self.defined: Dict[str, int] = {}
        #: Names of absolute imports, with what they stand for and their line.
        self.imported: Dict[str, Tuple[str, int]] = {}
        self.public: List[str] = []
        self.imports: List[Import] = []
        self.late_imports: List[Import] = []
        #: What a package imports when it is asked for it.
        self.handed_on: List[Import] = []
        self.edits: Edits = {}
        #: The same for `__all__`, which only a module has.
        self.public_lines: Edits = {}
        self.faults: List[str] = []
        for number, line in enumerate(self.lines, 1):
            if "'''" in line:
                self.refuse(number, "''' ends the text that parts are kept as")
        for node in self.tree.body:
            self._read_statement(node)
        top_level = set(self.tree.body)
        for inner in ast.walk(self.tree):
            if isinstance(inner, ast.Global):
                for name in inner.names:
                    self.defined.setdefault(name, inner.lineno)
            elif isinstance(inner, (ast.Import, ast.ImportFrom)) and inner not in top_level:
                self._read_nested_import(inner)

    def refuse(self, line: int, reason: str) -> None:
        self.faults.append("%s:%d: %s" % (self.label, line, reason))

    def parents(self) -> List[str]:
        """Give the packages around the part, the outermost first."""
        pieces = self.name.split(".") if self.name else []
        return [".".join(pieces[:n]) for n in range(len(pieces))]

    # Statements of the top level ------------------------------------------------

    def _read_statement(self, node: ast.stmt, is_nested: bool = False) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            if not is_nested or not isinstance(node, ast.ImportFrom) or not node.level:
                self._read_import(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self._define(node.name, node.lineno)
        elif isinstance(node, ast.If) and _is_type_checking(node.test) and _defines(node.orelse, "__getattr__"):
            found = [self._read_relative_import(one) for one in node.body if isinstance(one, ast.ImportFrom)]
            self.handed_on = [one for one in found if one is not None]
            self._edit(node, [])
        elif isinstance(node, ast.If) and _is_type_checking(node.test):
            self._drop_relative_imports(node)
            for inner in node.orelse:
                self._read_statement(inner, True)
        elif isinstance(node, (ast.If, ast.For, ast.While, ast.With, ast.Try)):
            self._read_targets(node)
            blocks = [getattr(node, field, []) for field in ("body", "orelse", "finalbody")]
            blocks += [handler.body for handler in getattr(node, "handlers", [])]
            for inner in (statement for block in blocks for statement in block):
                self._read_statement(inner, True)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    self.defined.pop(target.id, None)
        elif not (isinstance(node, ast.AnnAssign) and node.value is None):
            self._read_targets(node)

    def _read_targets(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign) and [getattr(one, "id", "") for one in node.targets] == ["__all__"]:
            self.public = list(ast.literal_eval(node.value))
            self.public_lines = {node.lineno: (_last_line(node), [])}
            return
        headers: List[ast.AST] = [node]
        if isinstance(node, ast.For):
            headers = [node.target, node.iter]
        elif isinstance(node, (ast.If, ast.While)):
            headers = [node.test]
        elif isinstance(node, ast.With):
            headers = list(node.items)
        elif isinstance(node, ast.Try):
            headers = []
        for header in headers:
            for name in _find_stored_names(header):
                self._define(name.id, name.lineno)

    def _define(self, name: str, line: int) -> None:
        if name.startswith("__") and name.endswith("__") and name != "__version__":
            self.refuse(line, "%s has a meaning of its own in a module" % name)
        self.defined.setdefault(name, line)

    def _read_import(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                # `import a.b` and `import a` bind the same name to the same module.
                self.imported[name] = ("import " + (alias.name if alias.asname else name), node.lineno)
                self._expect_foreign(alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom) and node.level:
            found = self._read_relative_import(node)
            if found is not None:
                self.imports.append(found)
                self._expect_alone(node)
        elif isinstance(node, ast.ImportFrom):
            if node.module == "__future__":
                self.refuse(node.lineno, "a __future__ import would be in force for every part, or for none")
            self._expect_foreign(node.module or "", node.lineno)
            for alias in node.names:
                if alias.name == "*":
                    self.refuse(node.lineno, "nobody can tell what `import *` binds")
                name = alias.asname or alias.name
                self.imported[name] = ("from %s import %s" % (node.module, alias.name), node.lineno)

    def _expect_foreign(self, module: str, line: int) -> None:
        own = self.label.split("/")[0]
        if module.split(".")[0] == own:
            self.refuse(line, "an absolute import of %s; parts import each other relatively" % own)

    def _read_relative_import(self, node: ast.ImportFrom) -> Optional[Import]:
        package = (self.name + ".x" if self.is_package and self.name else self.name or "x").split(".")
        if node.level > len(package):
            self.refuse(node.lineno, "a relative import from above the package")
            return None
        source = ".".join(package[:-node.level] + ([node.module] if node.module else []))
        for alias in node.names:
            if alias.name == "*":
                self.refuse(node.lineno, "nobody can tell what `import *` binds")
                return None
            if alias.asname not in (None, alias.name):
                self.refuse(node.lineno, "a relative import as %s; in one namespace %s has one name" % (
                    alias.asname, alias.name))
                return None
        return Import(source, tuple(alias.name for alias in node.names), node)

    def _read_nested_import(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                self._expect_foreign(alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            self._expect_foreign(node.module or "", node.lineno)
        elif isinstance(node, ast.ImportFrom) and not self._is_dropped(node):
            line = self.lines[node.lineno - 1]
            if not line.endswith(LATE_MARK) or _last_line(node) != node.lineno:
                self.refuse(node.lineno, "a relative import inside a block; move it to the top of the file, or mark it "
                            "`%s` on its one line if its names come from a part that runs on first use" % LATE_MARK)
                return
            found = self._read_relative_import(node)
            if found is not None:
                self.late_imports.append(found)

    def _drop_relative_imports(self, block: ast.If) -> None:
        """Drop what only type checkers import from other parts: in one namespace it is there."""
        relative = [node for node in block.body if isinstance(node, ast.ImportFrom) and node.level]
        if len(relative) < len(block.body):
            for node in relative:
                self._edit(node, [])
        elif not block.orelse:
            self._edit(block, [])
        else:
            for node in relative:
                # Type checkers know nothing of what runs on first use.
                names = [alias.asname or alias.name for alias in node.names]
                self._edit(node, [
                    " " * node.col_offset + ("%s = Any" if name[0].isupper() else "%s: Any") % name for name in names])

    def _edit(self, node: ast.stmt, instead: List[str]) -> None:
        """Put other lines in place of a statement."""
        self._expect_alone(node)
        self.edits[node.lineno] = (_last_line(node), instead)

    def _expect_alone(self, node: ast.stmt) -> None:
        first, last = self.lines[node.lineno - 1], self.lines[_last_line(node) - 1]
        after = last.encode("utf-8")[node.end_col_offset:].decode("utf-8").strip()
        if first[:node.col_offset].strip() or after and not after.startswith("#"):
            self.refuse(node.lineno, "a statement that shares its line with an import")

    def _is_dropped(self, node: ast.stmt) -> bool:
        return any(first <= node.lineno <= last for first, (last, _) in self.edits.items())

    # Text -----------------------------------------------------------------------

    def render(self, package: "Package", is_module: bool) -> List[str]:
        """Give the lines of the part; what it imports from other parts is there, or taken when it is run."""
        edits = dict(self.edits) if is_module else {**self.edits, **self.public_lines}
        for found in self.imports:
            modules = [(name, package.find_module(found.source, name)) for name in found.names]
            edits[found.node.lineno] = (_last_line(found.node), [
                '%s = _module("%s")' % (name, module) for name, module in modules if module is not None])
        for found in self.late_imports:
            modules = [(name, package.find_module(found.source, name)) for name in found.names]
            edits[found.node.lineno] = (found.node.lineno, [
                "%s%s = %s" % (" " * found.node.col_offset, name, '_take("%s")' % name if module is None else (
                    '_module("%s")' % module)) for name, module in modules])
        out: List[str] = []
        number = 1
        while number <= len(self.lines):
            if number not in edits:
                out.append(self.lines[number - 1])
                number += 1
                continue
            last, instead = edits[number]
            out += instead
            number = last + 1
            while not instead and out and not out[-1] and number <= len(self.lines) and not self.lines[number - 1]:
                number += 1  # the blank lines on both sides become one gap
        return out


def _last_line(node: ast.stmt) -> int:
    last = node.end_lineno
    assert last is not None
    return last


def _defines(block: Sequence[ast.stmt], name: str) -> bool:
    return any(isinstance(node, ast.FunctionDef) and node.name == name for node in block)


def _is_type_checking(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def _find_stored_names(node: ast.AST) -> Iterator[ast.Name]:
    """Give the names that a statement of the top level binds; functions and comprehensions keep theirs inside."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            yield from _find_stored_names(inner)


# The package ---------------------------------------------------------------------


class Package:
    """All parts of a folder, with what each relative import stands for."""

    def __init__(self, folder: pathlib.Path, left_out: Iterable[str] = LEFT_OUT) -> None:
        skipped = tuple(left_out)
        paths = sorted(path for path in folder.rglob("*.py") if not path.relative_to(folder).as_posix().startswith(skipped))
        self.parts = {part.name: part for part in (Part(path, folder) for path in paths)}
        self.faults = [fault for part in self.parts.values() for fault in part.faults]
        self._check_imports()

    def find_owner(self, source: str, name: str) -> Optional[str]:
        """Give the part that defines what an import names, through parts that hand it on; None if none does."""
        part = self.parts.get(source)
        if part is None:
            return None
        if name in part.defined or name in part.imported:
            return source
        for found in part.imports + part.handed_on:
            if name in found.names and found.source != source:
                return self.find_owner(found.source, name)
        return None

    def find_module(self, source: str, name: str) -> Optional[str]:
        """Give the part that an import names as a module."""
        full = source + "." + name if source else name
        return full if full in self.parts and self.find_owner(source, name) is None else None

    def _check_imports(self) -> None:
        for part in self.parts.values():
            for found in part.imports + part.late_imports + part.handed_on:
                for name in found.names:
                    if self.find_owner(found.source, name) is None and self.find_module(found.source, name) is None:
                        self.faults.append("%s:%d: there is no %s in %s" % (
                            part.label, found.node.lineno, name, found.source or "the package"))

    def check_names(self, shared: Sequence[Part]) -> None:
        """Refuse names that mean two things: two definitions anywhere, or anything else in ``shared``.

        ``shared`` are the parts that run in one namespace, the file's own names first.
        """
        holders: Dict[str, Tuple[str, str]] = {}
        children = {name for name in self.parts if name and "." not in name}
        for part in [*shared, *(part for part in self.parts.values() if part not in shared)]:
            bound = [(line, name, "%s of %s" % (name, part.label)) for name, line in part.defined.items()]
            if part in shared:
                bound += [(line, name, what) for name, (what, line) in part.imported.items()]
            for line, name, what in sorted(bound):
                place = "%s:%d" % (part.label, line)
                if hasattr(builtins, name) and part.name in self.parts:
                    self.faults.append("%s: %s hides the builtin from every part" % (place, name))
                if name in children:
                    self.faults.append("%s: %s is a module of the package as well" % (place, name))
                held, first = holders.setdefault(name, (what, place))
                if held != what:
                    self.faults.append("%s: %s clashes with %s at %s" % (place, name, held, first))

    def needed_by(self, name: str) -> List[str]:
        """List a part after all it needs, in the order in which an import would complete them."""
        done: List[str] = []
        running: Set[str] = set()

        def visit(one: str) -> None:
            for parent in self.parts[one].parents() if one not in running else ():
                visit(parent)
            if one in running:
                return
            part = self.parts[one]
            running.add(one)
            for found in part.imports:
                for owner in self._sources(found):
                    visit(owner)
            done.append(one)

        visit(name)
        return done

    def _sources(self, found: Import) -> List[str]:
        """List the parts that an import runs: the one it names, then modules named in it."""
        modules = [self.find_module(found.source, name) for name in found.names]
        return [found.source] * (found.source in self.parts) + [module for module in modules if module is not None]

    def check_order(self, order: Sequence[str], at_once: Sequence[str]) -> None:
        """Refuse imports of what comes later, and late imports of what does not."""
        for place, name in enumerate(order):
            part = self.parts[name]
            for found in part.imports:
                for one in found.names:
                    owner = self.find_owner(found.source, one) or self.find_module(found.source, one)
                    if owner is not None and order.index(owner) >= place:
                        self.faults.append("%s:%d: %s imports this part, so %s cannot come first" % (
                            part.label, found.node.lineno, self.parts[owner].label, one))
            for found in part.late_imports:
                for one in found.names:
                    if self.find_owner(found.source, one) in at_once:
                        self.faults.append("%s:%d: %s is there from the start; import it at the top of the file" % (
                            part.label, found.node.lineno, one))


# The one file --------------------------------------------------------------------


class Plan(NamedTuple):
    """What to write: the folder, the part to run at once, the file's name and title, the command that makes it."""

    folder: pathlib.Path
    at_once: str
    name: str
    title: str
    command: str


def amalgamate(plan: Plan) -> str:
    """Give the text of the one file; raises ``Refused``."""
    package = Package(plan.folder)
    if package.faults:
        raise Refused(package.faults)
    first = package.needed_by(plan.at_once)
    order = list(first)
    for name in sorted(package.parts):
        order += [needed for needed in package.needed_by(name) if needed not in order]
    parts = [package.parts[name] for name in order]
    now, later = parts[:len(first)], parts[len(first):]
    runtime = Part(RUNTIME, RUNTIME.parent)
    package.check_order(order, first)
    package.check_names([runtime, *now])
    if package.faults:
        raise Refused(package.faults)

    lines = _render_header(plan, now, later, _hash_sources([*parts, runtime]))
    lines += _render_banner(runtime.label) + runtime.render(package, False)
    for part in now:
        body = part.render(package, False)
        if part.name:
            body = ['__name__ = _begin("%s")' % part.name, *body]
        if part.defined or part.imports:
            lines += _render_banner(part.label) + body
    for part in later:
        lines += _render_banner("%s, which runs when it is first used" % part.label)
        lines += ['_later("%s", %s, r\'\'\'' % (part.name, _render_words(_list_taken(package, part)))]
        lines += part.render(package, True) + ["''')"]
    lines += _render_banner("What each part has: public names, others; and imported ones, if it runs at once")
    lines += _render_table(package, now, later)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _hash_sources(parts: Sequence[Part]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(("%s\0%s\0" % (part.label, part.source)).encode("utf-8"))
    return digest.hexdigest()


def _render_header(plan: Plan, now: Sequence[Part], later: Sequence[Part], digest: str) -> List[str]:
    lines = [
        '"""%s' % plan.title,
        "",
        "One file for Python 3.8 or later that needs nothing else: put it next to your code as %s.py, or under a" % plan.name,
        "name of your own.",
        '"""',
        "",
        "# Version %s. SPDX-License-Identifier: Apache-2.0" % _find_version(),
        "#",
        "# Generated: do not edit it, but change the files below and run `%s`." % plan.command,
        "# Their sha256: %s" % digest,
        "#",
        "# These run at once, in this order:",
        "#",
        *("#     " + part.label for part in now),
    ]
    if later:
        lines += ["#", "# These are kept as text and run when they are first used:", "#"]
        lines += ["#     " + part.label for part in later]
    return lines


def _find_version() -> str:
    for node in ast.parse((ROOT / "harbor" / "__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__version__":
            return str(ast.literal_eval(node.value))
    raise Refused(["harbor/__init__.py:1: there is no __version__"])


def _render_banner(text: str) -> List[str]:
    rule = "# " + "=" * (WIDTH - 2)
    return ["", "", rule, "# " + text, rule, ""]


def _list_taken(package: Package, part: Part) -> List[str]:
    """List the names that a part takes from the file's namespace when it runs."""
    modules, taken = _divide_names(package, part.imports)
    late_modules, late_names = _divide_names(package, part.late_imports)
    return taken + ["_module"] * bool(modules + late_modules) + ["_take"] * bool(late_names)


def _divide_names(package: Package, imports: Sequence[Import]) -> Tuple[List[str], List[str]]:
    """List the names of imports that are modules, and the others."""
    names = [(found.source, name) for found in imports for name in found.names]
    modules = [name for source, name in names if package.find_module(source, name) is not None]
    return modules, [name for _, name in names if name not in modules]


def _render_words(words: Iterable[str]) -> str:
    """Give words as the text of one string, over several lines where they are many."""
    text = " ".join(words)
    if len(text) <= 50:
        return '"%s"' % text
    indent = " " * 8
    filled = textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    return '"""\n%s"""' % filled


def _render_table(package: Package, now: Sequence[Part], later: Sequence[Part]) -> List[str]:
    lines = ["_open_package({"]
    exported: Set[str] = set()
    for part in [*now, *later]:
        public = part.public if part in now else [name for name in part.public if name in part.defined]
        taken = {name for found in part.imports for name in found.names}
        imported = {*part.imported, *taken} - set(part.public) if part in now else set()
        if part in now and not part.name.startswith("codec."):
            exported.update(public)
        if part.name:
            lines += ['    "%s": (%s, %s, %s),' % (
                part.name, _render_words(public), _render_words(sorted(set(part.defined) - set(public))),
                _render_words(sorted(imported)))]
    return lines + ["})", "", "__all__ = [", *('    "%s",' % name for name in sorted(exported)), "]"]


# The command line ----------------------------------------------------------------


def _read_arguments(arguments: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Write the package as one file.")
    parser.add_argument("--check", action="store_true", help="compare the file instead of writing it")
    parser.add_argument("--only", choices=["codec"], help="the codec alone, for dataclasses of your own")
    parser.add_argument("--name", help="what the file is called, without .py; without --output it is written here")
    parser.add_argument("--output", type=pathlib.Path, help="the file to write, single/harbor.py if nothing else is said")
    options = parser.parse_args(arguments)
    if options.name is not None and not options.name.isidentifier():
        parser.error("no name of a module: %r" % options.name)
    return options


def make_plan(only: Optional[str] = None, name: Optional[str] = None) -> Plan:
    """Say what to write: the whole package, or the codec alone."""
    command = "python tools/amalgamate.py" + " --only codec" * bool(only) + (" --name %s" % name if name else "")
    if only:
        return Plan(
            ROOT / "harbor" / only, "", name or only,
            "A codec for dataclasses that checks, dumps and describes them as pydantic does.", command)
    return Plan(
        ROOT / "harbor", AT_ONCE, name or "harbor",
        "Harbor's records of agent runs, read and written with the standard library alone.",
        command if name else "make single")


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Write or compare the file; 0 when all is well, 1 when it differs or the package is refused."""
    options = _read_arguments(arguments)
    plan = make_plan(options.only, options.name)
    default = ROOT / "single" / "harbor.py" if not (options.only or options.name) else pathlib.Path(plan.name + ".py")
    output = options.output or default
    try:
        made = amalgamate(plan).encode("utf-8")
    except Refused as exc:
        print(exc, file=sys.stderr)
        return 1
    if options.check:
        if output.is_file() and output.read_bytes() == made:
            return 0
        print("%s is not what its sources make; run `%s`" % (output, plan.command), file=sys.stderr)
        return 1
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_bytes(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
