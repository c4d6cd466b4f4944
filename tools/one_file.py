"""How one file acts as a package; `amalgamate.py` puts this in front of the parts.

In: parts, each a module of the package. Those that its first classes need run at once, in the namespace of the file;
the others are kept as text, and run on first use as modules of their own. Out: what `import` finds below the name
that the file was imported under. Executed without being a module of its own, the file defines its names, no more.
"""

_IS_ALONE = "_HOME" in globals() or not [name for name in globals() if name[:2] != "__"]

import _imp
import _thread
import marshal
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, List, Optional, Set, Tuple

_NAMESPACE = globals()
_SPEC: Any = _NAMESPACE.get("__spec__") if _IS_ALONE else None  # somebody else's, if their names stand here already
_HAS_NAME = "__name__" in _NAMESPACE
_NAME: str = _NAMESPACE.get("__name__", "builtins")
#: The name of the package that this file acts as; None where it is not in `sys.modules`, or is no module.
_HOME = _NAME if _SPEC is not None and getattr(sys.modules.get(_NAME), "__dict__", None) is _NAMESPACE else None
_FILE = sys._getframe().f_code.co_filename

# Quoted: evaluating them would take a tenth of the time of the import.
_PACKAGES: "Set[str]" = set()
#: What each part defines (public names, others) and imports.
_OFFERED: "Dict[str, Tuple[str, str, str]]" = {}
#: The parts that run on first use: line, the names they take from other parts, text.
_LATER: "Dict[str, Tuple[int, str, str]]" = {}
_OWNERS: "Dict[str, str]" = {}
_VIEWS: "Dict[str, ModuleType]" = {}
_NAMES: "Dict[str, FrozenSet[str]]" = {}
_LOCK: Any = vars(_thread)["RLock"]()


def _make_absolute(path: Any) -> str:
    if type(path) is str and path[:1] == "/" and sys.platform != "win32":
        return path
    # Where no site is imported, importing this takes as long as a tenth of the file.
    import os

    absolute: str = os.path.abspath(path)
    return absolute


#: Stands on `__path__`, where `sys.path_importer_cache` leads from it to the parts; relative ones are dropped there.
_PLACE = "%s/%s" % (_make_absolute(getattr(_SPEC, "origin", None) or _FILE), _NAME)


def _begin(part: str) -> str:
    """Give the `__name__` that a part runs under: its classes keep it, and pickles name it."""
    if sys.implementation.name == "pypy":
        _settle_modules()
    return _NAME if _HOME is None else _HOME + "." + part


def _settle_modules() -> None:
    """Make PyPy's functions keep the name of their part: they look at `__name__` when they are first asked for it."""
    for value in list(_NAMESPACE.values()):
        for inner in [value, *(vars(value).values() if isinstance(value, type) else ())]:
            getattr(inner, "__module__", None)


def _later(part: str, taken: str, text: str) -> None:
    """Keep a part until it is used; its text begins where the names that it takes end."""
    _LATER[part] = (sys._getframe(1).f_lineno, taken, text)


def _run_later(part: str, space: Dict[str, Any]) -> None:
    """Run a part in its own namespace; tracebacks show its lines in this file."""
    space.update((name, _take(name)) for name in _LATER[part][1].split())
    exec(_load_code(part), space)


def _load_code(part: str) -> Any:
    """Give the code of a part: the byte code that stands beside the file's own, or else made and put there."""
    line, taken, text = _LATER[part]
    cached: str = getattr(_SPEC, "cached", None) or ""
    stamp = b""
    if cached and cached != _SPEC.origin:  # which it is of a file without source
        import os

        # Named like the file's own, of the same Python and options.
        folder, name = os.path.split(cached)
        cached = os.path.join(folder, name.replace(".", ".%s." % part, 1))
        digest = _imp.source_hash(0, text.encode("utf-8"))
        stamp = repr((sys.version, _FILE, line, taken, digest)).encode("utf-8", "surrogatepass")
        try:
            with open(cached, "rb") as file:
                data = file.read()
            if data.startswith(stamp):
                return marshal.loads(data[len(stamp):])
        except (OSError, EOFError, TypeError, ValueError):  # not there yet, or damaged
            pass
    code = compile("\n" * (line + taken.count("\n") - 1) + text, _FILE, "exec", dont_inherit=True)
    if stamp and not sys.dont_write_bytecode:
        _keep_code(cached, stamp + marshal.dumps(code))
    return code


def _keep_code(path: str, data: bytes) -> None:
    """Write a file that is there as a whole or not at all; where it cannot be written there is none."""
    import os

    temporary = "%s.%d" % (path, os.getpid())
    try:
        with open(temporary, "xb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        try:
            os.remove(temporary)
        except OSError:
            pass


def _take(names: str) -> Any:
    """Give what names of the file stand for, running the parts that define them: a list if there are several."""
    owners = _owners()
    found = [getattr(_module(owners[name]), name) if name in owners else _NAMESPACE[name] for name in names.split()]
    return found if len(found) > 1 else found[0]


def _owners() -> "Dict[str, str]":
    """Give the part that defines a name, for the names of the parts that run on first use."""
    if not _OWNERS:
        # Made as a whole first, so that no thread sees a part of it.
        _OWNERS.update({name: part for part in _LATER for name in " ".join(_OFFERED[part][:2]).split()})
    return _OWNERS


def _module(part: str) -> ModuleType:
    """Give a part as a module, running it if need be."""
    if part not in _LATER:
        return _view(part)
    if _HOME is not None:
        sys.path_importer_cache.setdefault(_PLACE, _FINDER)
        __import__(_begin(part))
        return sys.modules[_begin(part)]
    with _LOCK:
        if part not in _VIEWS:
            module = ModuleType(_NAME)
            _run_later(part, vars(module))
            _VIEWS[part] = module
        return _VIEWS[part]


def _view(part: str) -> ModuleType:
    """Give a part that ran at once as a module."""
    if part not in _VIEWS:
        _VIEWS[part] = _View(part)
    return _VIEWS[part]


#: Gives what a module holds itself.
_own_dict: "Callable[[ModuleType], Dict[str, Any]]" = vars(ModuleType)["__dict__"].__get__


class _View(ModuleType):
    """A part whose names live in the namespace of the file: reading and setting them happens there."""

    def __init__(self, part: str) -> None:
        super().__init__(_begin(part), "A part of %s." % _NAME)
        _own_dict(self).update(__part__=part, __file__=_FILE)

    if not TYPE_CHECKING:

        @property
        def __dict__(self) -> Dict[str, Any]:
            shared = {name: _NAMESPACE[name] for name in _names(self.__part__) if name in _NAMESPACE}
            return dict(_own_dict(self), **shared)

        def __getattr__(self, name: str) -> Any:
            if name in _names(self.__part__) and (name in _NAMESPACE or name in _owners()):
                return _NAMESPACE[name] if name in _NAMESPACE else _take(name)
            if _HOME is not None and self.__part__ + "." + name in _OFFERED:
                return _module(self.__part__ + "." + name)
            raise AttributeError("module %r has no attribute %r" % (self.__name__, name))

        def __setattr__(self, name: str, value: Any) -> None:
            if name in _names(self.__part__):
                _NAMESPACE[name] = value
            else:
                super().__setattr__(name, value)

        def __delattr__(self, name: str) -> None:
            if name in _names(self.__part__) and name in _NAMESPACE:
                del _NAMESPACE[name]
            else:
                super().__delattr__(name)

    def __dir__(self) -> List[str]:
        return sorted({*vars(self), *_names(self.__part__)})


def _names(part: str) -> "FrozenSet[str]":
    """Give the names of a part, those it imports among them."""
    if part not in _NAMES and _OFFERED:
        _NAMES[part] = frozenset(" ".join(_OFFERED[part]).split())
    return _NAMES.get(part, frozenset())


class _Finder:
    """Finds and loads the parts for the import system."""

    def find_spec(self, fullname: str, target: Any = None) -> Any:
        part = fullname[len(_begin("")):]
        if _begin(part) != fullname or part not in _OFFERED:
            return None
        if target is not None and part not in _LATER:
            raise ImportError("%s is a part of %s; reload %s itself" % (fullname, _FILE, _HOME), name=fullname)
        return _describe_module(part)

    def create_module(self, spec: Any) -> "Optional[ModuleType]":
        part = spec.name[len(_begin("")):]
        return None if part in _LATER else _view(part)

    def exec_module(self, module: ModuleType) -> None:
        part = module.__name__[len(_begin("")):]
        if part in _LATER:
            _run_later(part, vars(module))

    def invalidate_caches(self) -> None:
        """Do nothing: what is found never changes."""


_FINDER: Any = _Finder()


def _describe_module(part: str) -> Any:
    spec = type(_SPEC)(_begin(part), _FINDER, origin=_FILE, is_package=part in _PACKAGES)
    if spec.submodule_search_locations is not None:
        spec.submodule_search_locations.append(_PLACE)
    spec.has_location = True
    return spec


def _open_package(parts: "Dict[str, Tuple[str, str, str]]") -> None:
    """Make the file act as the package, now that its first parts have run."""
    _OFFERED.update(parts)
    _PACKAGES.update(part.rpartition(".")[0] for part in parts)
    _begin("")
    _NAMESPACE["__name__"] = _NAME
    if not _HAS_NAME:
        del _NAMESPACE["__name__"]
    if _HOME is not None:
        _NAMESPACE["__package__"] = _HOME
        _NAMESPACE["__path__"] = _SPEC.submodule_search_locations = [_PLACE]
        sys.path_importer_cache[_PLACE] = _FINDER
        prefix = _begin("")
        for name in [name for name in sys.modules if name.startswith(prefix) and name[len(prefix):] in parts]:
            del sys.modules[name]  # of a copy that this one replaces
        for part in parts:
            if part not in _LATER:
                _show_module(part)
    elif _SPEC is None:
        _define_all()


def _show_module(part: str) -> None:
    """Put a part that has run where the import system looks for it."""
    view, spec = _view(part), _describe_module(part)
    own = _own_dict(view)
    own.update(__spec__=spec, __loader__=_FINDER, __package__=spec.parent)
    if spec.submodule_search_locations is not None:
        own["__path__"] = spec.submodule_search_locations
    if _OFFERED[part][0]:
        own["__all__"] = _OFFERED[part][0].split()
    sys.modules[spec.name] = view
    above, _, name = part.rpartition(".")
    if above:
        _own_dict(_view(above))[name] = view
    else:
        _NAMESPACE[name] = view


def _define_all() -> None:
    """Run every part, because a namespace that is no module's own cannot run one on first use."""
    for part in _LATER:
        try:
            found = vars(_module(part))
        except ImportError:  # this Python lacks what the part needs
            continue
        _NAMESPACE.update((name, found[name]) for name, owner in _owners().items() if owner == part and name in found)
    for name in ("__getattr__", "__dir__"):
        del _NAMESPACE[name]


def __getattr__(name: str) -> Any:
    if name in _owners():
        return _take(name)
    if _HOME is not None and "." not in name and name in _OFFERED:
        return _module(name)
    raise AttributeError("module %r has no attribute %r" % (_NAME, name))


def __dir__() -> List[str]:
    return sorted({*_NAMESPACE, *_owners()})
