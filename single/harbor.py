"""Harbor's records of agent runs, read and written with the standard library alone.

One file for Python 3.8 or later that needs nothing else: put it next to your code as harbor.py, or under a
name of your own.
"""

# Version 0.1.0. SPDX-License-Identifier: Apache-2.0
#
# Generated: do not edit it, but change the files below and run `make single`.
# Their sha256: defdce71e0f503c475e6fa09c30473d0b88d0b410249d27483dbda01ee59bb4b
#
# These run at once, in this order:
#
#     harbor/__init__.py
#     harbor/models/__init__.py
#     harbor/models/agent/__init__.py
#     harbor/codec/__init__.py
#     harbor/codec/declared.py
#     harbor/codec/legacy.py
#     harbor/codec/model.py
#     harbor/models/agent/rollout_detail.py
#     harbor/models/agent/context.py
#
# These are kept as text and run when they are first used:
#
#     harbor/agents/__init__.py
#     harbor/environments/__init__.py
#     harbor/environments/base.py
#     harbor/agents/capabilities.py
#     harbor/agents/base.py
#     harbor/codec/adapter.py
#     harbor/codec/errors.py
#     harbor/codec/hints.py
#     harbor/codec/moments.py
#     harbor/codec/text/__init__.py
#     harbor/codec/text/growing.py
#     harbor/codec/text/writing.py
#     harbor/codec/plan/base.py
#     harbor/codec/plan/filters.py
#     harbor/codec/plan/anything.py
#     harbor/codec/plan/scalars.py
#     harbor/codec/plan/choices.py
#     harbor/codec/plan/containers.py
#     harbor/codec/plan/flat.py
#     harbor/codec/plan/records.py
#     harbor/codec/plan/values.py
#     harbor/codec/plan/__init__.py
#     harbor/codec/text/reading.py
#     harbor/codec/calls.py
#     harbor/codec/legacy_calls.py
#     harbor/codec/schema.py
#     harbor/codec/signature.py
#     harbor/models/trial/__init__.py
#     harbor/models/trial/outcomes.py
#     harbor/files.py
#     harbor/trial_files.py
#     harbor/digests.py
#     harbor/environments/processes.py
#     harbor/environments/transfer.py
#     harbor/environments/local.py
#     harbor/forms.py
#     harbor/models/task/__init__.py
#     harbor/models/task/config.py
#     harbor/models/task/id.py
#     harbor/models/verifier/__init__.py
#     harbor/models/verifier/result.py
#     harbor/models/trial/error_policy.py
#     harbor/models/trial/result.py
#     harbor/mending.py
#     harbor/models/agent/numbers.py
#     harbor/rollout_findings.py
#     harbor/rollout_parts.py
#     harbor/rollout_checks.py
#     harbor/rollouts.py
#     harbor/rollout_chart.py
#     harbor/trials.py
#     harbor/runner.py
#     harbor/usage_tally.py
#     harbor/usage.py


# ====================================================================================================================
# tools/one_file.py
# ====================================================================================================================

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


# ====================================================================================================================
# harbor/__init__.py
# ====================================================================================================================

"""Harbor's records of agent runs, read and written with the standard library alone.

Import what you need from where it lives, for example
`from harbor.models.agent.context import AgentContext`; nothing is re-exported
here, so that a small import stays small.
"""

__version__ = "0.1.0"


# ====================================================================================================================
# harbor/codec/__init__.py
# ====================================================================================================================

__name__ = _begin("codec")
"""A hand-written codec for dataclasses: checks, dumps and describes them as pydantic does.

Knows nothing of Harbor; usable on anyone's classes.
"""

import sys
from typing import TYPE_CHECKING, Any, List

# Modules that are there without being imported by name.
_MODULES = (
    "adapter", "calls", "declared", "errors", "hints", "legacy", "model", "moments", "plan", "schema", "signature",
    "text",
)



# ====================================================================================================================
# harbor/codec/declared.py
# ====================================================================================================================

__name__ = _begin("codec.declared")
"""What a class of fields asks for when it is made; what it does not need yet is kept back.

In: annotations, defaults and properties in the body of a class; later the names of `calls`. Out: what they stand for.
A class needs none of `calls` before the first value comes, and of `dataclasses`, which imports more than all models
together, nothing before somebody asks for what only that has.
"""

import sys
import typing
from typing import TYPE_CHECKING, Any, ClassVar, Dict, List, Optional

if TYPE_CHECKING:
    engine: Any
else:

    class _FirstUse:
        """Stands for `calls`, which it imports when a name is missing; from then on it has them all."""

        def __getattr__(self, name: str) -> Any:
            calls = _module("codec.calls")

            vars(self).update((own, getattr(calls, own)) for own in calls.__all__)
            return getattr(calls, name)

    engine = _FirstUse()

class _Ungiven:
    """Stands where a field has no default."""

    def __repr__(self) -> str:
        return "<no default>"


UNGIVEN: Any = _Ungiven()


class FieldSpec:
    """What the body of a class says of one field, under the names that ``dataclasses.Field`` has for it.

    In the body of a class that is no model it becomes such a field.
    """

    __slots__ = ("name", "type", "default", "default_factory", "metadata", "init", "standard")

    def __init__(self, default: Any = UNGIVEN, default_factory: Any = UNGIVEN, metadata: Any = None) -> None:
        self.name = ""
        self.type: Any = None
        self.default = default
        self.default_factory = default_factory
        self.metadata: Dict[str, Any] = metadata or {}
        self.init: bool = True
        # The field of `dataclasses` that this one was read off.
        self.standard: Any = None

    def __set_name__(self, owner: Any, name: str) -> None:
        default = self.default
        if hasattr(type(default), "__set_name__"):
            type(default).__set_name__(default, owner, name)
        if not hasattr(owner, "__codec_model__"):
            setattr(owner, name, self.make_standard())

    @classmethod
    def read(cls, field: Any) -> "FieldSpec":
        """Read a ``dataclasses.Field``."""
        given = [
            UNGIVEN if value is sys.modules["dataclasses"].MISSING else value
            for value in (field.default, field.default_factory)]
        spec = cls(given[0], given[1], field.metadata)
        spec.name, spec.type, spec.init, spec.standard = field.name, field.type, field.init, field
        return spec

    def make_standard(self) -> Any:
        """Make a ``dataclasses.Field`` of it, or give the one that it was read off."""
        import dataclasses  # late

        given = {"default": self.default, "default_factory": self.default_factory}
        make_field: Any = dataclasses.field  # its overloads know no keywords
        return self.standard or make_field(
            metadata=self.metadata, **{name: value for name, value in given.items() if value is not UNGIVEN})


def fields_of(cls: Any) -> List[FieldSpec]:
    """List the fields of a model class or of somebody's dataclass, in order."""
    own = getattr(cls, "__codec_fields__", None)
    if own is not None:
        return list(own.values())
    import dataclasses  # late

    return [FieldSpec.read(field) for field in dataclasses.fields(cls)]


class OnDemand:
    """What a dataclass keeps in its class, made of the fields when it is asked for; each model class has its own."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: Any) -> Any:
        import dataclasses  # late

        # Not of the class itself, which other threads may be using, or asking the same.
        stand_in: Any = type(owner.__name__, (), {
            "__module__": __name__, "__doc__": "Given, because dataclass would write one."})
        stand_in.__annotations__ = {spec.name: spec.type for spec in owner.__codec_fields__.values()}
        for spec in owner.__codec_fields__.values():
            # Set one by one, which tells no default what it is called: it was told by its own class.
            setattr(stand_in, spec.name, spec.make_standard())
        dataclasses.dataclass(init=False, repr=False, eq=False)(stand_in)
        for name in ON_DEMAND:
            setattr(owner, name, getattr(stand_in, name))
        return getattr(stand_in, self._name)


ON_DEMAND = ("__dataclass_fields__", "__dataclass_params__")


class computed_field(property):  # named like pydantic's decorator, in whose place it stands
    """A property that is dumped after the fields: ``@computed_field`` above a method or a ``@property``."""

    def __init__(self, fget: Any, *rest: Any) -> None:
        fget = fget.fget if isinstance(fget, property) else fget
        super().__init__(fget, *rest)


def copy_deeply(value: Any, memo: Optional[Dict[int, Any]] = None) -> Any:
    """Do as ``copy.deepcopy`` does."""
    import copy  # late

    return copy.deepcopy(value, memo)


def default_of(field: FieldSpec) -> Any:
    """Give the default of a field, be it one that each instance gets a copy of."""
    return field.metadata.get("copied_default", field.default)


def unquote_early(annotation: Any, scope: Dict[str, Any]) -> Any:
    """Evaluate a quoted annotation if its names are known already, else keep it as a forward reference."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, dict(scope))
    except Exception:
        return typing.ForwardRef(annotation)


def is_class_var(annotation: Any) -> bool:
    """Tell whether an annotation is a ``ClassVar``, quoted or not."""
    if isinstance(annotation, str):
        return annotation.replace(" ", "").startswith(("ClassVar", "typing.ClassVar"))
    return annotation is ClassVar or typing.get_origin(annotation) is ClassVar


def is_from_dataclasses(value: Any, name: str) -> bool:
    """Tell whether a value is that class of ``dataclasses``, or one of its instances."""
    kind = getattr(sys.modules.get("dataclasses"), name, None)
    return kind is not None and (value is kind or isinstance(value, kind))


def own_annotations(cls: Any) -> Dict[str, Any]:
    """Give the annotations a class itself declares, in order."""
    if sys.version_info >= (3, 14):
        # Annotations are made on demand from 3.14 on and no longer stand in the class's __dict__.
        import annotationlib

        return dict(annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF))
    return dict(cls.__dict__.get("__annotations__", {}))


# ====================================================================================================================
# harbor/codec/legacy.py
# ====================================================================================================================

__name__ = _begin("codec.legacy")
"""Pydantic's names of version 1, which its models still carry and warn about.

In: calls by the old names. Out: what the new names give, and pydantic's ``DeprecationWarning``. What no new name does
stands in `legacy_calls`.
"""

from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional, Set, Tuple, Type, TypeVar, Union

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import deprecated
else:

    def deprecated(text: str) -> Any:
        """Note the text of a deprecated method, for ``warn_of`` and where tools look for it."""

        def note(method: Any) -> Any:
            method.__deprecated__ = _TEXTS[method.__name__] = text
            return method

        return note


L = TypeVar("L", bound="LegacyModel")
_UNSET: Any = object()
_TEXTS: Dict[str, str] = {}


class PydanticDeprecationWarning(DeprecationWarning):
    """Something deprecated was used: ``message`` says what, ``since`` and ``expected_removal`` when."""

    since = (2, 0)
    expected_removal = (3, 0)

    def __init__(self, message: str, *args: object) -> None:
        super().__init__(message, *args)
        self.message = message.rstrip(".")

    def __str__(self) -> str:
        text = "%s. Deprecated in Pydantic V%d.%d to be removed in V%d.%d." % (
            (self.message,) + self.since + self.expected_removal)
        if self.since == (2, 0):
            text += " See Pydantic V2 Migration Guide at https://errors.pydantic.dev/2.14/migration/"
        return text


class PydanticDeprecatedSince20(PydanticDeprecationWarning):
    """A name of version 1 was used."""


class PydanticDeprecatedSince211(PydanticDeprecationWarning):
    """An instance was asked for what its class should be asked for."""

    since = (2, 11)


class PydanticUserError(RuntimeError):
    """``from_orm`` was called on a class that is not configured for it."""


class LegacyType(type):
    """What classes were asked for by an old name."""

    @property
    @deprecated("The `__fields__` attribute is deprecated, use the `model_fields` class property instead.")
    def __fields__(cls: Any) -> Dict[str, Any]:
        warn_of("__fields__")
        fields: Dict[str, Any] = cls.model_fields
        return fields

    def __dir__(cls) -> List[str]:
        # Whoever looks at all attributes of a class should not be warned.
        return [name for name in super().__dir__() if name != "__fields__"]


class LegacyModel:
    """Methods by their old names; each docstring names the new one."""

    __slots__ = ()

    if not TYPE_CHECKING:
        # For type checkers these are attributes of the class alone.

        @property
        def model_fields(self) -> Dict[str, Any]:
            """The fields by name; ask the class instead."""
            _warn_of_instance("model_fields")
            return type(self).model_fields

        @property
        def model_computed_fields(self) -> Dict[str, Any]:
            """The computed fields by name; ask the class instead."""
            _warn_of_instance("model_computed_fields")
            return type(self).model_computed_fields

        @property
        def __fields__(self) -> Dict[str, Any]:
            warn_of("__fields__")
            return type(self).model_fields

    @property
    @deprecated("The `__fields_set__` attribute is deprecated, use `model_fields_set` instead.")
    def __fields_set__(self: Any) -> Set[str]:
        warn_of("__fields_set__")
        fields_set: Set[str] = self.__pydantic_fields_set__
        return fields_set

    # -- making

    @classmethod
    @deprecated("The `parse_obj` method is deprecated; use `model_validate` instead.")
    def parse_obj(cls: Type[L], obj: Any) -> L:
        """Use ``model_validate``."""
        warn_of("parse_obj")
        return _validate_as(cls, obj)

    @classmethod
    @deprecated(
        "The `parse_raw` method is deprecated; if your data is JSON use `model_validate_json`, "
        "otherwise load the data then use `model_validate` instead.")
    def parse_raw(
        cls: Type[L],
        b: Union[str, bytes],
        *,
        content_type: Optional[str] = None,
        encoding: str = "utf8",
        proto: Optional[str] = None,
        allow_pickle: bool = False,
    ) -> L:
        """Use ``model_validate_json``; ``proto`` is "json" or "pickle", and never unpickle what others made."""
        LoadFault = _take("LoadFault")
        ValidationError = _take("ValidationError")
        load_raw = _take("load_raw")
        name_kind = _take("name_kind")

        warn_of("parse_raw")
        try:
            obj = load_raw(b, content_type, encoding, proto, allow_pickle)
        except (ValueError, TypeError) as exc:
            raise ValidationError(cls.__name__, [LoadFault(name_kind(exc), b, str(exc))])
        return _validate_as(cls, obj)

    @classmethod
    @deprecated(
        "The `parse_file` method is deprecated; load the data from file, then if your data is JSON "
        "use `model_validate_json`, otherwise `model_validate` instead.")
    def parse_file(
        cls: Type[L],
        path: Union[str, "Path"],
        *,
        content_type: Optional[str] = None,
        encoding: str = "utf8",
        proto: Optional[str] = None,
        allow_pickle: bool = False,
    ) -> L:
        """Use ``model_validate_json`` on what the file holds; a file that cannot be read raises its own error."""
        load_file = _take("load_file")

        warn_of("parse_file")
        obj = load_file(path, content_type, encoding, proto, allow_pickle)
        return cls.parse_obj(obj)

    @classmethod
    @deprecated(
        "The `from_orm` method is deprecated; set "
        "`model_config['from_attributes']=True` and use `model_validate` instead.")
    def from_orm(cls: Type[L], obj: Any) -> L:
        """Use ``model_validate`` with ``from_attributes=True``."""
        warn_of("from_orm")
        config: Dict[str, Any] = getattr(cls, "model_config", {})
        if not config.get("from_attributes"):
            raise PydanticUserError("You must set the config attribute `from_attributes=True` to use from_orm")
        return _validate_as(cls, obj, from_attributes=True)

    @classmethod
    @deprecated("The `validate` method is deprecated; use `model_validate` instead.")
    def validate(cls: Type[L], value: Any) -> L:
        """Use ``model_validate``."""
        warn_of("validate")
        return _validate_as(cls, value)

    @classmethod
    @deprecated("The `construct` method is deprecated; use `model_construct` instead.")
    def construct(cls: Type[L], _fields_set: Optional[Set[str]] = None, **values: Any) -> L:
        """Use ``model_construct``."""
        warn_of("construct")
        made: L = cls.model_construct(_fields_set=_fields_set, **values)  # type: ignore[attr-defined]  # of Model
        return made

    # -- dumping

    @deprecated("The `dict` method is deprecated; use `model_dump` instead.")
    def dict(
        self: Any,
        *,
        include: Any = None,
        exclude: Any = None,
        by_alias: bool = False,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
    ) -> Dict[str, Any]:
        """Use ``model_dump``."""
        warn_of("dict")
        dumped: Dict[str, Any] = self.model_dump(
            include=include, exclude=exclude, by_alias=by_alias, exclude_unset=exclude_unset,
            exclude_defaults=exclude_defaults, exclude_none=exclude_none)
        return dumped

    @deprecated("The `json` method is deprecated; use `model_dump_json` instead.")
    def json(
        self: Any,
        *,
        include: Any = None,
        exclude: Any = None,
        by_alias: bool = False,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        encoder: Optional[Callable[[Any], Any]] = _UNSET,
        models_as_dict: bool = _UNSET,
        **dumps_kwargs: Any,
    ) -> str:
        """Use ``model_dump_json``; options of ``json.dumps`` raise ``TypeError``."""
        warn_of("json")
        if encoder is not _UNSET:
            raise TypeError("The `encoder` argument is no longer supported; use field serializers instead.")
        if models_as_dict is not _UNSET:
            raise TypeError("The `models_as_dict` argument is no longer supported; use a model serializer instead.")
        if dumps_kwargs:
            raise TypeError("`dumps_kwargs` keyword arguments are no longer supported.")
        text: str = self.model_dump_json(
            include=include, exclude=exclude, by_alias=by_alias, exclude_unset=exclude_unset,
            exclude_defaults=exclude_defaults, exclude_none=exclude_none)
        return text

    # -- copying

    @deprecated(
        "The `copy` method is deprecated; use `model_copy` instead. "
        "See the docstring of `BaseModel.copy` for details about how to handle `include` and `exclude`.")
    def copy(self: L, *, include: Any = None, exclude: Any = None, update: Any = None, deep: bool = False) -> L:
        """Use ``model_copy``, or ``model_validate(model_dump(include=..., exclude=..., round_trip=True))``.

        With ``include`` or ``exclude`` containers are copied too, and models inside by this method again.
        """
        open_both = _take("open_both")
        pick_items = _take("pick_items")

        warn_of("copy")
        source: Any = self
        extra: Optional[Dict[str, Any]] = source.__pydantic_extra__
        items: Iterable[Tuple[str, Any]] = [*self.__dict__.items(), *(extra or {}).items()]
        if include is not None or exclude is not None:
            items = pick_items(items, *open_both(include, exclude, source.__codec_fields__))
        values = dict(items, **(update or {}))
        if extra is not None:
            extra = {name: values.pop(name) for name in extra if name in values}
        # As in pydantic, a part that was taken out of a field unsets the field, and `include` unsets nothing.
        fields_set = {*source.__pydantic_fields_set__, *(update or ())}.difference(exclude or ())
        made = type(self).__new__(type(self))
        object.__setattr__(made, "__dict__", copy_deeply(values) if deep else values)
        object.__setattr__(made, "__pydantic_extra__", copy_deeply(extra) if deep else extra)
        object.__setattr__(made, "__pydantic_fields_set__", fields_set)
        return made

    # -- asking

    @classmethod
    @deprecated("The `schema` method is deprecated; use `model_json_schema` instead.")
    def schema(cls: Any, by_alias: bool = True, ref_template: str = "#/$defs/{model}") -> Dict[str, Any]:
        """Use ``model_json_schema``."""
        warn_of("schema")
        described: Dict[str, Any] = cls.model_json_schema(by_alias=by_alias, ref_template=ref_template)
        return described

    @classmethod
    @deprecated("The `schema_json` method is deprecated; use `model_json_schema` and json.dumps instead.")
    def schema_json(
        cls: Any, *, by_alias: bool = True, ref_template: str = "#/$defs/{model}", **dumps_kwargs: Any
    ) -> str:
        """Use ``json.dumps`` on ``model_json_schema``."""
        warn_of("schema_json")
        import json

        described = cls.model_json_schema(by_alias=by_alias, ref_template=ref_template)
        # Given here, so that `default` is refused as it is by pydantic.
        return json.dumps(described, default=None, **dumps_kwargs)

    @classmethod
    @deprecated("The `update_forward_refs` method is deprecated; use `model_rebuild` instead.")
    def update_forward_refs(cls: Any, **localns: Any) -> None:
        """Use ``model_rebuild``."""
        warn_of("update_forward_refs")
        if localns:
            raise TypeError("`localns` arguments are not longer accepted.")
        cls.model_rebuild(force=True)


def warn_of(name: str) -> None:
    """Warn whoever called the caller of this."""
    import warnings

    text = _TEXTS.get(name, "`%s` is deprecated." % name)
    warnings.warn(text, category=PydanticDeprecatedSince20, stacklevel=3)


def _warn_of_instance(name: str) -> None:
    import warnings

    text = (
        "Accessing the %r attribute on the instance is deprecated. "
        "Instead, you should access this attribute from the model class." % name)
    warnings.warn(text, category=PydanticDeprecatedSince211, stacklevel=3)


def _validate_as(cls: Type[L], obj: Any, **options: Any) -> L:
    made: L = cls.model_validate(obj, **options)  # type: ignore[attr-defined]  # of Model, which inherits this
    return made


# ====================================================================================================================
# harbor/codec/model.py
# ====================================================================================================================

__name__ = _begin("codec.model")
"""``Model``: a dataclass that checks, dumps, copies and describes itself as a pydantic model does.

In: keywords, mappings, JSON. Out: instances, dicts, JSON. What a field's type means is the plan's business; here
stands what an instance and its class can do.
"""

import functools
import sys
from types import MemberDescriptorType
from typing import (
    TYPE_CHECKING, Any, Callable, ClassVar, Dict, FrozenSet, Iterator, List, Optional, Set, Tuple, Type, TypeVar, Union,
)

if TYPE_CHECKING:
    from dataclasses import field as standard_field
    from typing_extensions import dataclass_transform

else:
    standard_field = None

    def dataclass_transform(**options: Any) -> Any:
        """Stand in for the decorator that only type checkers read."""
        return lambda decorated: decorated


M = TypeVar("M", bound="Model")
_STATE = ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
_CONFIG_NAMES = frozenset(("extra", "frozen"))
_EVEN_OPTIONS = frozenset(("indent", "inf_nan", "exclude_none", "warnings", "fallback"))


def Field(
    default: Any = UNGIVEN,
    *,
    default_factory: Any = UNGIVEN,
    description: Optional[str] = None,
    exclude_if: Optional[Callable[[Any], bool]] = None,
    after: Optional[Callable[[Any], Any]] = None,
    ge: Optional[float] = None,
    gt: Optional[float] = None,
    le: Optional[float] = None,
    lt: Optional[float] = None,
    min_length: Optional[int] = None,
    max_length: Optional[int] = None,
) -> Any:
    """Describe a field beyond its annotation, in a ``Model`` or a plain dataclass.

    The limits hold for values that are not None; ``exclude_if(value)`` says when a dump leaves the field out;
    ``after(value)`` gets a value that is right by its type and gives the one to keep, or raises ``ValueError``.
    """
    given = {
        "description": description, "exclude_if": exclude_if, "after": after, "ge": ge, "gt": gt, "le": le, "lt": lt,
        "min_length": min_length, "max_length": max_length,
    }
    metadata = {name: value for name, value in given.items() if value is not None}
    if default is ...:
        default = UNGIVEN
    if default is not UNGIVEN and default_factory is not UNGIVEN:
        raise ValueError("cannot specify both default and default_factory")
    return FieldSpec(default, default_factory, metadata)


class FieldInfo:
    """What a class says of one field: ``annotation``, ``default``, ``default_factory``, ``description``."""

    def __init__(self, field: FieldSpec) -> None:
        self.annotation: Any = field.type
        self.default: Any = default_of(field)
        # A default that each instance gets a copy of is a default all the same.
        has_factory = self.default is field.default and field.default_factory is not UNGIVEN
        self.default_factory: Any = field.default_factory if has_factory else None
        self.description: Optional[str] = field.metadata.get("description")
        self.exclude_if: Optional[Callable[[Any], bool]] = field.metadata.get("exclude_if")

    def is_required(self) -> bool:
        """Tell whether an input must give the field."""
        return self.default is UNGIVEN and self.default_factory is None

    def get_default(self) -> Any:
        """Give the default, made anew where the field has a factory and copied where it can change."""
        if self.default_factory is not None:
            return self.default_factory()
        return self.default if _is_hashable(self.default) else copy_deeply(self.default)

    def __repr__(self) -> str:
        shown = self.annotation.__name__ if type(self.annotation) is type else repr(self.annotation)
        parts = ["annotation=" + shown.replace("typing.", ""), "required=%r" % self.is_required()]
        if self.default_factory is not None:
            parts.append("default_factory=%s" % getattr(self.default_factory, "__name__", self.default_factory))
        elif not self.is_required():
            parts.append("default=%r" % (self.default,))
        if self.description is not None:
            parts.append("description=%r" % self.description)
        return "FieldInfo(%s)" % ", ".join(parts)


class ModelMetaclass(LegacyType):
    """The class of model classes: what is asked of a class and not of its instances."""

    # Error texts show the class of a class; they are the same as pydantic's.
    __module__ = "pydantic._internal._model_construction"

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any:
            # A field's default is no attribute of the class, as in pydantic.
            raise AttributeError(name)

    @property
    def model_fields(cls) -> Dict[str, FieldInfo]:
        """The fields by name, in order."""
        fields: Dict[str, FieldSpec] = getattr(cls, "__codec_fields__")
        return {name: FieldInfo(field) for name, field in fields.items()}

    @property
    def model_computed_fields(cls) -> Dict[str, Any]:
        """The computed fields by name, in order."""
        return {name: made for name, _, made in _plan_of_model(cls).computed}

    @property
    def __signature__(cls) -> Any:
        describe_signature = _take("describe_signature")

        return describe_signature(cls)


def _skip_dump_options(full: Any) -> Any:
    """Make ``model_dump`` go a short way where no option is given."""

    def call(self: Any, **options: Any) -> Any:
        if not options:
            cls = type(self)
            try:
                copied = (cls.__codec_plan__ or _plan_of_model(cls)).copy(self)
            except RecursionError:
                copied = engine.NOT_COPIED  # too little stack, or a model inside itself
            if copied is not engine.NOT_COPIED:
                return copied
        return full(self, **options)

    return functools.update_wrapper(call, full)


def _skip_text_options(full: Any) -> Any:
    """Make ``model_dump_json`` go a short way with options that change nothing about an ordinary record."""

    def call(self: Any, **options: Any) -> Any:
        cls = type(self)
        plan = cls.__codec_plan__ or _plan_of_model(cls)
        text = None
        if not options:
            text = plan.write_compactly(self)
        elif _suit_ordinary(options):
            text = plan.write_quickly(
                self, options.get("indent"), options.get("inf_nan", "null"), options.get("exclude_none", False))
        return full(self, **options) if text is None else text

    return functools.update_wrapper(call, full)


def _suit_ordinary(options: Dict[str, Any]) -> bool:
    """Tell whether the options are right, and such that an ordinary record is written the same with each of them."""
    indent, warnings = options.get("indent"), options.get("warnings", True)
    return (
        _EVEN_OPTIONS.issuperset(options)
        and (indent is None or type(indent) is int and indent >= 0)
        and type(options.get("exclude_none", False)) is bool
        and options.get("inf_nan", "null") in ("null", "constants", "strings")
        and (warnings is True or warnings is False or warnings in ("none", "warn", "error"))
    )


def _skip_check_options(full: Any) -> Any:
    """Make ``model_validate`` go a short way where its input is all that is given."""
    full = full.__func__

    def call(cls: Any, *values: Any, **options: Any) -> Any:
        if options or len(values) != 1:
            return full(cls, *values, **options)
        plan = cls.__codec_plan__ or _plan_of_model(cls)
        if type(values[0]) is dict:
            made = plan.fill(values[0], None, False)
            if made is not None:
                return made
        return engine.check_value(plan, values[0], engine.CheckCall())

    wrapped: Any = functools.update_wrapper(call, full)
    return classmethod(wrapped)


def _skip_json_options(full: Any) -> Any:
    """Make ``model_validate_json`` go a short way where its input is all that is given."""
    full = full.__func__

    def call(cls: Any, *values: Any, **options: Any) -> Any:
        if options or len(values) != 1:
            return full(cls, *values, **options)
        plan = cls.__codec_plan__ or _plan_of_model(cls)
        source = engine.parse_small(values[0])
        if source is not None:
            made = plan.load(source)
            if made is not None:
                return made
        call = engine.CheckCall()
        call.from_json = True
        return engine.check_document(plan, values[0], call, source)

    wrapped: Any = functools.update_wrapper(call, full)
    return classmethod(wrapped)


@dataclass_transform(kw_only_default=True, field_specifiers=(Field, standard_field))
class Model(LegacyModel, metaclass=ModelMetaclass):
    """Base of classes whose annotated names are checked fields.

    ``class Point(Model, extra="forbid")`` or ``model_config = {"extra": ...}`` says what happens to unknown names:
    "ignore" (the default), "allow" or "forbid"; ``frozen=True`` makes instances hashable and refuses assignments.
    ``model_post_init`` runs after each validation.
    """

    __slots__ = ("__dict__", "__weakref__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
    __codec_model__ = None
    __codec_plan__: ClassVar[Any] = None
    __codec_fields__: ClassVar[Dict[str, FieldSpec]] = {}
    model_config: ClassVar[Dict[str, Any]] = {}
    __class_vars__: ClassVar[FrozenSet[str]] = frozenset()
    if TYPE_CHECKING:
        # State beside the fields; not ClassVars but slots, in a form that no type checker takes for fields.
        __pydantic_fields_set__: ClassVar[Any]
        __pydantic_extra__: ClassVar[Any]
        __dataclass_fields__: ClassVar[Dict[str, Any]]

    def __init_subclass__(cls, **config: Any) -> None:
        super().__init_subclass__()
        own = dict(cls.__dict__.get("model_config", {}), **config)
        unknown = sorted(set(own) - _CONFIG_NAMES)
        if unknown:
            raise TypeError("%s sets %s, which this codec does not know; it knows: extra, frozen" % (
                cls.__qualname__, ", ".join(unknown)))
        if own.get("extra", "ignore") not in ("ignore", "allow", "forbid"):
            raise ValueError("%s sets extra=%r; it must be 'ignore', 'allow' or 'forbid'" % (
                cls.__qualname__, own["extra"]))
        inherited: Dict[str, Any] = {}
        for base in reversed(cls.__mro__[1:]):
            inherited.update(base.__dict__.get("model_config", {}))
        cls.model_config = dict(inherited, **own)
        if cls.model_config.get("frozen"):
            setattr(cls, "__hash__", _hash_fields)
        # Names in quotes are looked up where the class stands, which may be inside a function.
        frame = sys._getframe(1)
        _declare_fields(cls, dict(frame.f_globals, **frame.f_locals))
        # Built when the class is first used; a class never takes its base's.
        cls.__codec_plan__ = None

    if not TYPE_CHECKING:

        def __init__(self, /, **data: Any) -> None:
            cls = type(self)
            plan = cls.__codec_plan__ or _plan_of_model(cls)
            if plan.fill_with_keywords(data, self):
                return
            try:
                plan.check_keywords(data, engine.CheckCall(), self)
                return
            except engine.Invalid as exc:
                faults = exc.faults
            raise engine.ValidationError(plan.title, faults)

        def __setattr__(self, name: str, value: Any) -> None:
            cls = type(self)
            if name[:1] != "_" and cls.model_config.get("frozen"):
                raise _refuse_change(cls, name, value)
            if name in cls.__codec_fields__:
                self.__dict__[name] = value
                self.__pydantic_fields_set__.add(name)
            elif name in cls.__class_vars__:
                raise AttributeError(
                    "%r is a ClassVar of `%s` and cannot be set on an instance. If you want to set a value on the "
                    "class, use `%s.%s = value`." % (name, cls.__name__, cls.__name__, name))
            elif name[:1] == "_" or isinstance(getattr(cls, name, None) if name else None, property):
                object.__setattr__(self, name, value)
            elif cls.model_config.get("extra") == "allow":
                if hasattr(cls, name):
                    object.__setattr__(self, name, value)
                    return
                self.__pydantic_extra__[name] = value
                self.__pydantic_fields_set__.add(name)
            else:
                raise ValueError('"%s" object has no field "%s"' % (cls.__name__, name))

        def __getattr__(self, name: str) -> Any:
            extra = None if name in _STATE else self.__pydantic_extra__
            if extra and name in extra:
                return extra[name]
            raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))

        def __delattr__(self, name: str) -> None:
            extra = self.__pydantic_extra__
            if name[:1] != "_" and type(self).model_config.get("frozen"):
                raise _refuse_change(type(self), name, None)
            if name in self.__dict__:
                del self.__dict__[name]
            elif extra and name in extra:
                del extra[name]
            else:
                raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))

    # -- making

    @classmethod
    def model_validate(
        cls: Type[M],
        obj: Any,
        *,
        strict: Optional[bool] = None,
        extra: Optional[str] = None,
        from_attributes: Optional[bool] = None,
        context: Any = None,
        by_alias: Optional[bool] = None,
        by_name: Optional[bool] = None,
    ) -> M:
        """Check a mapping or an instance; raises ``ValidationError`` with every fault."""
        call = engine.make_check_call(
            strict=strict, extra=extra, from_attributes=from_attributes, context=context, by_alias=by_alias,
            by_name=by_name)
        made: M = engine.check_value(_plan_of_model(cls), obj, call)
        return made

    @classmethod
    def model_validate_json(
        cls: Type[M],
        json_data: Union[str, bytes, bytearray],
        *,
        strict: Optional[bool] = None,
        extra: Optional[str] = None,
        context: Any = None,
        by_alias: Optional[bool] = None,
        by_name: Optional[bool] = None,
    ) -> M:
        """Check a JSON document; raises ``ValidationError`` with every fault."""
        call = engine.make_check_call(
            from_json=True, strict=strict, extra=extra, context=context, by_alias=by_alias, by_name=by_name)
        made: M = engine.check_document(_plan_of_model(cls), json_data, call)
        return made

    @classmethod
    def model_validate_strings(
        cls: Type[M],
        obj: Any,
        *,
        strict: Optional[bool] = None,
        extra: Optional[str] = None,
        context: Any = None,
        by_alias: Optional[bool] = None,
        by_name: Optional[bool] = None,
    ) -> M:
        """Check a dict whose values are text, such as an environment; raises ``ValidationError``."""
        made: M = engine.check_value(_plan_of_model(cls), obj, engine.make_check_call(
            strings=True, strict=strict, extra=extra, context=context, by_alias=by_alias, by_name=by_name))
        return made

    @classmethod
    def model_construct(cls: Type[M], _fields_set: Optional[Set[str]] = None, **values: Any) -> M:
        """Make an instance of values as they are, checking nothing."""
        plan = _plan_of_model(cls)
        state: Dict[str, Any] = {}
        for name, field in plan.fields.items():
            if name in values:
                state[name] = values[name]
            elif not field.required:
                state[name] = field.make_default()
        fields_set = {name for name in state if name in values} if _fields_set is None else _fields_set
        extra: Optional[Dict[str, Any]] = None
        if plan.extra == "allow":
            extra = {name: value for name, value in values.items() if name not in plan.fields}
        made = cls.__new__(cls)
        _set_state(made, state, fields_set, extra)
        if plan.hook is not None:
            made.model_post_init(None)
        return made

    def model_post_init(self, context: Any, /) -> None:
        """Run after each validation; a ``ValueError`` raised here becomes a fault."""

    # -- dumping

    def model_dump(
        self,
        *,
        mode: str = "python",
        include: Any = None,
        exclude: Any = None,
        context: Any = None,
        by_alias: Optional[bool] = None,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        exclude_computed_fields: bool = False,
        round_trip: bool = False,
        warnings: Union[bool, str] = True,
        fallback: Optional[Callable[[Any], Any]] = None,
        serialize_as_any: bool = False,
        polymorphic_serialization: Optional[bool] = None,
    ) -> Dict[str, Any]:
        """Dump to a dict: Python's own values in mode "python", what JSON can say in mode "json"."""
        call = engine.make_dump_call(
            mode, False, by_alias=by_alias, exclude_unset=exclude_unset, exclude_defaults=exclude_defaults,
            exclude_none=exclude_none, exclude_computed_fields=exclude_computed_fields, round_trip=round_trip,
            fallback=fallback, serialize_as_any=serialize_as_any,
            polymorphic_serialization=polymorphic_serialization, context=context)
        dumped: Dict[str, Any] = engine.dump_value(_plan_of_model(type(self)), self, call, include, exclude, warnings)
        return dumped

    def model_dump_json(
        self,
        *,
        indent: Optional[int] = None,
        ensure_ascii: bool = False,
        include: Any = None,
        exclude: Any = None,
        context: Any = None,
        by_alias: Optional[bool] = None,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        exclude_computed_fields: bool = False,
        round_trip: bool = False,
        warnings: Union[bool, str] = True,
        fallback: Optional[Callable[[Any], Any]] = None,
        serialize_as_any: bool = False,
        polymorphic_serialization: Optional[bool] = None,
        inf_nan: str = "null",
    ) -> str:
        """Dump to JSON text.

        ``inf_nan`` goes beyond pydantic: "null" is its way and loses what it replaces; "constants" writes ``NaN`` and
        ``Infinity``, which is no JSON to strict parsers; "strings" writes them as text that typed fields read back.
        """
        call = engine.make_dump_call(
            "json", True, by_alias=by_alias, exclude_unset=exclude_unset, exclude_defaults=exclude_defaults,
            exclude_none=exclude_none, exclude_computed_fields=exclude_computed_fields, round_trip=round_trip,
            fallback=fallback, serialize_as_any=serialize_as_any,
            polymorphic_serialization=polymorphic_serialization, context=context)
        return engine.dump_document(
            _plan_of_model(type(self)), self, call, include, exclude, warnings, indent, ensure_ascii, inf_nan)

    if not TYPE_CHECKING:
        # Most calls give no option: reading 17 defaults would cost them more than their work on a small record.
        model_validate = _skip_check_options(model_validate)
        model_validate_json = _skip_json_options(model_validate_json)
        model_dump = _skip_dump_options(model_dump)
        model_dump_json = _skip_text_options(model_dump_json)

    # -- copying

    def model_copy(self: M, *, update: Any = None, deep: bool = False) -> M:
        """Copy, deeply if asked to; ``update`` sets fields without checking them."""
        copied = self.__deepcopy__() if deep else self.__copy__()
        if update:
            names = update.keys()
            if type(self).model_config.get("extra") == "allow":
                fields = type(self).__codec_fields__
                extra = copied.__pydantic_extra__ or {}
                for name, value in update.items():
                    (copied.__dict__ if name in fields else extra)[name] = value
                object.__setattr__(copied, "__pydantic_extra__", extra)
            else:
                copied.__dict__.update(update)
            copied.__pydantic_fields_set__.update(names)
        return copied

    def __copy__(self: M) -> M:
        made = type(self).__new__(type(self))
        extra = self.__pydantic_extra__
        _set_state(made, dict(self.__dict__), set(self.__pydantic_fields_set__), None if extra is None else dict(extra))
        return made

    def __deepcopy__(self: M, memo: Optional[Dict[int, Any]] = None) -> M:
        made = type(self).__new__(type(self))
        memo = {} if memo is None else memo
        # Noted before its parts are copied: a part may lead back here.
        memo[id(self)] = made
        _set_state(
            made, copy_deeply(self.__dict__, memo), set(self.__pydantic_fields_set__),
            copy_deeply(self.__pydantic_extra__, memo))
        return made

    def __replace__(self: M, **changes: Any) -> M:
        return self.model_copy(update=changes)

    def __getstate__(self) -> Dict[str, Any]:
        return {
            "__dict__": self.__dict__, "__pydantic_extra__": self.__pydantic_extra__,
            "__pydantic_fields_set__": self.__pydantic_fields_set__, "__pydantic_private__": None,
        }

    def __setstate__(self, state: Dict[str, Any]) -> None:
        _set_state(self, state["__dict__"], state["__pydantic_fields_set__"], state["__pydantic_extra__"])

    # -- asking

    @property
    def model_fields_set(self) -> Set[str]:
        """The names of the fields that were given or assigned."""
        fields_set: Set[str] = self.__pydantic_fields_set__
        return fields_set

    @property
    def model_extra(self) -> Optional[Dict[str, Any]]:
        """The values of unknown names where the class allows them, else None."""
        extra: Optional[Dict[str, Any]] = self.__pydantic_extra__
        return extra

    @classmethod
    def model_json_schema(
        cls,
        by_alias: Optional[bool] = None,
        ref_template: str = "#/$defs/{model}",
        schema_generator: Any = None,
        mode: str = "validation",
        *,
        union_format: str = "any_of",
    ) -> Dict[str, Any]:
        """Describe the class as JSON schema."""
        if cls is Model:
            raise AttributeError("model_json_schema() must be called on a subclass of Model, not Model itself.")
        # Before the import: two threads that begin at different ends of the codec would wait for each other.
        plan = _plan_of_model(cls)
        make_schema = _take("make_schema")

        return make_schema(plan, ref_template, mode, union_format, schema_generator)

    @classmethod
    def model_rebuild(cls, *, force: bool = False, raise_errors: bool = True, **namespace: Any) -> Optional[bool]:
        """Build the plan of the class if it has none; None where there was nothing to do."""
        if namespace:
            raise TypeError("model_rebuild takes no namespace here: names are looked up in the class's module")
        _plan_of_model(cls)
        return True if force else None

    @classmethod
    def model_parametrized_name(cls, params: Tuple[Any, ...]) -> str:
        """Refuse: no model here is generic."""
        raise TypeError("Concrete names should only be generated for generic models.")

    @classmethod
    def __class_getitem__(cls, params: Any) -> Any:
        raise TypeError("%r cannot be parametrized because it does not inherit from typing.Generic" % cls)

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        if type(self) is not type(other) or self.__pydantic_extra__ != other.__pydantic_extra__:
            return False
        if self.__dict__ == other.__dict__:
            return True
        # What stands beside the fields does not count.
        fields = type(self).__codec_fields__
        mine, theirs = ({name: value for name, value in vars(side).items() if name in fields} for side in (self, other))
        return (len(mine) < len(self.__dict__) or len(theirs) < len(other.__dict__)) and mine == theirs

    def __iter__(self) -> Iterator[Tuple[str, Any]]:
        yield from [(name, value) for name, value in self.__dict__.items() if not name.startswith("_")]
        if self.__pydantic_extra__:
            yield from self.__pydantic_extra__.items()

    def __repr__(self) -> str:
        return "%s(%s)" % (type(self).__name__, ", ".join(self._show_fields()))

    def __str__(self) -> str:
        return " ".join(self._show_fields())

    def _show_fields(self) -> List[str]:
        shown: List[Tuple[str, Any]] = [
            (name, value) for name, value in self.__dict__.items() if name in type(self).__codec_fields__]
        shown.extend((self.__pydantic_extra__ or {}).items())
        shown.extend((name, getattr(self, name)) for name in type(self).model_computed_fields)
        return ["%s=%r" % pair for pair in shown]


def _plan_of_model(cls: Any) -> "RecordPlan":
    plan: Any = cls.__codec_plan__ or engine.plan_of(cls)
    return plan  # type: ignore[no-any-return]  # a model's plan is a RecordPlan


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _hash_fields(self: Any) -> int:
    return hash(type(self)) + hash(tuple(self.__dict__.get(name) for name in type(self).__codec_fields__))


def _refuse_change(cls: Any, name: str, value: Any) -> Exception:
    Fault = _take("Fault")
    ValidationError = _take("ValidationError")

    fault = Fault("frozen_instance", value)
    fault.path.append(name)
    return ValidationError(cls.__name__, [fault])


def _set_state(made: Any, values: Dict[str, Any], fields_set: Any, extra: Any) -> None:
    object.__setattr__(made, "__dict__", values)
    object.__setattr__(made, "__pydantic_fields_set__", fields_set)
    object.__setattr__(made, "__pydantic_extra__", extra)


def _declare_fields(cls: Any, scope: Dict[str, Any]) -> None:
    """Note the fields of a subclass; ``dataclasses`` makes its own of them when somebody asks."""
    annotations = own_annotations(cls)
    if any(isinstance(annotation, str) for annotation in annotations.values()):
        annotations = {name: unquote_early(annotation, scope) for name, annotation in annotations.items()}
        cls.__annotations__ = annotations
    fields: Dict[str, FieldSpec] = {}
    for base in reversed(cls.__mro__[1:]):
        if "__codec_fields__" in vars(base):
            fields.update(vars(base)["__codec_fields__"])
        elif "__dataclass_fields__" in vars(base):
            if getattr(vars(base).get("__dataclass_params__"), "frozen", False):
                raise TypeError("cannot inherit non-frozen dataclass from a frozen one")
            fields.update((field.name, field) for field in fields_of(base))
    body = dict(vars(cls))
    shared = {name for name, annotation in annotations.items() if is_class_var(annotation)}
    for name, annotation in annotations.items():
        if name not in shared and name.startswith("_"):
            raise TypeError("Field %r of %s starts with an underscore, which no field may" % (name, cls.__qualname__))
        if name in shared or is_from_dataclasses(annotation, "InitVar"):
            # It may take the place of a field.
            fields.pop(name, None)
            _settle_attribute(cls, name, body.get(name))
        else:
            # What has a __get__ is what that gives, as everywhere in a class.
            value = getattr(cls, name, UNGIVEN) if name in body else UNGIVEN
            fields[name] = _declare_field(name, annotation, value)
    for name, value in body.items():
        if name not in annotations and _is_field(value):
            raise TypeError("%r of %s is a field but has no type annotation" % (name, cls.__qualname__))
        # A field's default is no attribute of the class.
        if name in fields:
            delattr(cls, name)
    cls.__codec_fields__ = fields
    cls.__class_vars__ = cls.__class_vars__ | shared
    for name in ON_DEMAND:
        setattr(cls, name, OnDemand(name))


def _settle_attribute(cls: Any, name: str, value: Any) -> None:
    """Put the default of what is described like a field, and is none, into the class."""
    if not _is_field(value):
        return
    spec = value if isinstance(value, FieldSpec) else FieldSpec.read(value)
    if spec.default_factory is not UNGIVEN:
        raise TypeError("field %s cannot have a default factory" % name)
    if spec.default is UNGIVEN:
        delattr(cls, name)
    else:
        setattr(cls, name, spec.default)


def _is_field(value: Any) -> bool:
    return isinstance(value, FieldSpec) or is_from_dataclasses(value, "Field")


def _declare_field(name: str, annotation: Any, value: Any) -> FieldSpec:
    """Make the field of what stands behind its annotation; what can change is copied for each instance."""
    if is_from_dataclasses(value, "Field"):
        spec = FieldSpec.read(value)
    elif isinstance(value, FieldSpec):
        spec = FieldSpec(value.default, value.default_factory, value.metadata)
    else:
        spec = FieldSpec(UNGIVEN if isinstance(value, MemberDescriptorType) else value)
    if not _is_hashable(spec.default):
        spec = FieldSpec(
            default_factory=functools.partial(copy_deeply, spec.default),
            metadata=dict(spec.metadata, copied_default=spec.default))
    spec.name, spec.type = name, annotation
    return spec


# ====================================================================================================================
# harbor/models/agent/rollout_detail.py
# ====================================================================================================================

__name__ = _begin("models.agent.rollout_detail")
"""The record of one rollout: token ids, logprobs and whatever else a sampler reports per turn."""

from typing import Any, Dict, List, TypedDict

class RolloutDetail(TypedDict, total=False):
    """Details about a complete chat history.

    Every list has one element per turn. ``prompt_token_ids`` holds the whole prompt of a turn, earlier turns
    included; ``completion_token_ids`` what the model answered; ``logprobs`` the natural logarithm of the probability
    of each completion token. ``extra`` maps a name to one value per turn. A missing key means not recorded; an agent
    with subagents or summaries has several rollouts, the main one first.
    """

    prompt_token_ids: List[List[int]]
    completion_token_ids: List[List[int]]
    logprobs: List[List[float]]
    extra: Dict[str, List[Any]]


if not hasattr(RolloutDetail, "__optional_keys__"):
    # Python 3.8 knows __total__ alone; this can go with it.
    setattr(RolloutDetail, "__required_keys__", frozenset())
    setattr(RolloutDetail, "__optional_keys__", frozenset(RolloutDetail.__annotations__))


# ====================================================================================================================
# harbor/models/agent/context.py
# ====================================================================================================================

__name__ = _begin("models.agent.context")
"""The record an agent fills while it runs: tokens, cost, rollouts, metadata.

Field order, defaults and the text of the descriptions are Harbor's, whose files and schemas these classes share.
"""

from typing import Any, Callable, Dict, List, Mapping, Optional

class ModelUsage(Model):
    """Tokens and cost of one model; ``n_input_tokens`` includes the cached ones, cost is in US dollars."""

    n_input_tokens: int = 0
    n_cache_tokens: int = 0
    n_output_tokens: int = 0
    cost_usd: Optional[float] = None


# No docstring: Harbor's class has none, and its JSON schema would show it. Tokens are counts, cost is in US dollars;
# None means not measured, 0 means measured as zero.
class AgentContext(Model):
    n_input_tokens: Optional[int] = Field(
        default=None, description="The number of input tokens used including cache.")
    n_cache_tokens: Optional[int] = Field(default=None, description="The number of cache tokens used.")
    n_output_tokens: Optional[int] = Field(default=None, description="The number of output tokens used.")
    cost_usd: Optional[float] = Field(default=None, description="The cost in USD for the agent execution.")
    model_usage: Optional[Dict[str, ModelUsage]] = Field(
        default=None,
        description=(
            "Token usage and cost broken down by model name as reported by the agent, including subagents. "
            "Backfilled from the ATIF trajectory when the agent does not populate it."),
        # A context that never used it dumps the six documented keys alone.
        exclude_if=lambda value: value is None,
    )
    rollout_details: Optional[List[RolloutDetail]] = Field(
        default=None,
        description=(
            "Detailed information about each rollout trajectory including token IDs, loss masks, and logprobs. Each "
            "element represents one trajectory. For a linear chat history, there is only one rollout trajectory."),
    )
    metadata: Optional[Dict[str, Any]] = Field(
        default=None, description="Additional metadata about the agent execution.")

    def is_empty(self) -> bool:
        """Tell whether every field is None; zero, an empty list and an empty dict are values."""
        return all(value is None for value in self.model_dump().values())

    # -- beyond Harbor: filling it, with the convention in the name

    def add_usage_excluding_cache(
        self,
        *,
        input_tokens: Optional[int],
        cache_read_tokens: Optional[int],
        cache_write_tokens: Optional[int],
        output_tokens: Optional[int],
        cost_usd: Optional[float] = None
    ) -> None:
        """Add what a provider reports whose input count leaves out cached tokens, as Anthropic's does.

        ``n_input_tokens`` grows by the sum of input, cache reads and cache writes, ``n_cache_tokens`` by the reads.
        Give 0 for a cache that the provider does not have; None is unknown, and makes the input of the call unknown.
        What is unknown adds nothing, and a field that was None takes the first number that is known.

        Raises ``TypeError`` for a bool or what is no number, ``ValueError`` for a negative, fractional or non-finite
        one, also where the context itself holds it; nothing has changed then.
        """
        parts = [
            _expect_count("input_tokens", input_tokens),
            _expect_count("cache_read_tokens", cache_read_tokens),
            _expect_count("cache_write_tokens", cache_write_tokens),
        ]
        known = [part for part in parts if part is not None]
        self._add_numbers(sum(known) if len(known) == len(parts) else None, parts[1], output_tokens, cost_usd)

    def add_usage_including_cache(
        self,
        *,
        input_tokens: Optional[int],
        cached_tokens: Optional[int],
        output_tokens: Optional[int],
        cost_usd: Optional[float] = None
    ) -> None:
        """Add what a provider reports whose input (or prompt) count includes cached tokens, as OpenAI's does.

        Adds as ``add_usage_excluding_cache`` does, with the same errors; more cached tokens than input tokens are a
        ``ValueError``, because such a provider's input count leaves the cached ones out.
        """
        n_input, n_cache = _expect_count("input_tokens", input_tokens), _expect_count("cached_tokens", cached_tokens)
        _expect_cached_within(n_input, n_cache)
        self._add_numbers(n_input, n_cache, output_tokens, cost_usd)

    def set_final_metrics(self, final_metrics: Optional[Mapping[str, Any]]) -> None:
        """Set tokens and cost to the totals of an ATIF trajectory, given as the dict of its ``final_metrics``.

        ``total_prompt_tokens`` includes the cached ones. These are totals of the whole run: they replace what was
        added before. What is missing or None there leaves its field as it is. Errors are those of
        ``add_usage_including_cache``; ``TypeError`` also where it is no dict.
        """
        if final_metrics is None:
            return
        if not isinstance(final_metrics, Mapping):
            raise TypeError("Expected the dict of final_metrics, got %r; a model gives it with model_dump()" % (
                final_metrics,))
        n_input, n_cache, n_output = (
            _expect_count(name, final_metrics.get(name))
            for name in ("total_prompt_tokens", "total_cached_tokens", "total_completion_tokens"))
        _expect_cached_within(n_input, n_cache)
        cost = _expect_cost("total_cost_usd", final_metrics.get("total_cost_usd"))
        self._set_known(
            {"n_input_tokens": n_input, "n_cache_tokens": n_cache, "n_output_tokens": n_output, "cost_usd": cost})

    def _add_numbers(
        self, n_input: Optional[int], n_cache: Optional[int], output_tokens: Optional[int], cost_usd: Optional[float]
    ) -> None:
        added = {
            "n_input_tokens": n_input,
            "n_cache_tokens": n_cache,
            "n_output_tokens": _expect_count("output_tokens", output_tokens),
            "cost_usd": _expect_cost("cost_usd", cost_usd),
        }
        for name, number in added.items():
            if number is not None:
                expect: Callable[[str, Any], Optional[float]] = _expect_cost if name == "cost_usd" else _expect_count
                held = expect("AgentContext." + name, getattr(self, name))
                added[name] = number if held is None else held + number
        self._set_known(added)

    def _set_known(self, numbers: Mapping[str, Optional[float]]) -> None:
        for name, number in numbers.items():
            if number is not None:
                setattr(self, name, number)


def _expect_count(name: str, value: Any) -> Optional[int]:
    read_count = _take("read_count")

    count, fault = read_count(value)
    if fault:
        raise _refuse_number("count", name, value, fault)
    return count


def _expect_cost(name: str, value: Any) -> Optional[float]:
    read_cost = _take("read_cost")

    cost, fault = read_cost(value)
    if fault:
        raise _refuse_number("finite cost", name, value, fault)
    return cost


def _expect_cached_within(n_input: Optional[int], n_cache: Optional[int]) -> None:
    if n_input is not None and n_cache is not None and n_cache > n_input:
        raise ValueError("Expected an input count that includes the cached tokens, got %d with %d of them cached" % (
            n_input, n_cache))


def _refuse_number(kind: str, name: str, value: Any, fault: str) -> Exception:
    text = "Expected a %s of at least 0 for %s, got %r" % (kind, name, value)
    return TypeError(text) if fault in ("bool", "not a number") else ValueError(text)


# ====================================================================================================================
# harbor/agents/__init__.py, which runs when it is first used
# ====================================================================================================================

_later("agents", "", r'''
"""Agents: what all of them share."""
''')


# ====================================================================================================================
# harbor/environments/__init__.py, which runs when it is first used
# ====================================================================================================================

_later("environments", "", r'''
"""Environments: where agents run their commands."""
''')


# ====================================================================================================================
# harbor/environments/base.py, which runs when it is first used
# ====================================================================================================================

_later("environments.base", "Model", r'''
"""``BaseEnvironment``: where an agent runs commands and puts files, and ``ExecResult``, what a command gives.

Names, parameters and their meaning are Harbor 0.26's. Nothing here starts a process.
"""

import abc
import contextlib
import contextvars
import logging
import pathlib
import shlex
from typing import TYPE_CHECKING, Any, Dict, Iterator, Optional, Tuple, Union

if TYPE_CHECKING:
    import uuid

__all__ = ["BaseEnvironment", "ExecResult", "LocalPath", "UserName"]

#: A path on this side, outside of the environment.
LocalPath = Union[str, pathlib.Path]

#: A user's name or number.
UserName = Union[str, int]

# What `scoped_exec_env` lays over the variables of an environment. A context variable, so that it reaches everything
# that is awaited in its block and no other task.
_overlays: "contextvars.ContextVar[Tuple[Tuple[Any, Dict[str, str]], ...]]" = contextvars.ContextVar(
    "harbor_exec_overlays", default=())


# No docstring: Harbor's class has none, and its JSON schema would show it. None in stdout or stderr means that it was
# not captured, or, in some of Harbor's environments, that it is empty.
class ExecResult(Model):
    stdout: Optional[str] = None
    stderr: Optional[str] = None
    return_code: int


class BaseEnvironment(abc.ABC):
    """The base of environments; a subclass defines how they start, stop, run commands and transfer files."""

    environment_name: str = ""
    session_id: str = ""
    context_id: Optional["uuid.UUID"] = None

    #: Who runs the commands that name no user.
    default_user: Optional[UserName] = None

    logger: logging.Logger = logging.getLogger("harbor").getChild(__name__)

    def __init__(
        self,
        environment_dir: Optional[LocalPath] = None,
        environment_name: str = "",
        session_id: str = "",
        trial_paths: Any = None,
        task_env_config: Any = None,
        logger: Optional[logging.Logger] = None,
        *args: Any,
        persistent_env: Optional[Dict[str, str]] = None,
        **kwargs: Any
    ) -> None:
        """Keep what Harbor tells its environments; all of it may be left out, and what nobody knows is ignored.

        ``persistent_env`` holds variables for every command.
        """
        self.environment_dir = environment_dir
        self.environment_name = environment_name
        self.session_id = session_id
        self.trial_paths = trial_paths
        self.task_env_config = task_env_config
        self._persistent_env: Dict[str, str] = dict(persistent_env or {})
        if logger is not None:
            self.logger = logger.getChild(__name__)

    @staticmethod
    def type() -> str:
        """Give the kind of environment in a word; Harbor demands that a subclass says it."""
        return "custom"

    # What a subclass defines -------------------------------------------------

    @abc.abstractmethod
    async def start(self, force_build: bool) -> None:
        """Start the environment; ``force_build`` makes anew what could be taken from a cache."""

    @abc.abstractmethod
    async def stop(self, delete: bool) -> None:
        """Stop the environment and, with ``delete``, remove what it kept."""

    @abc.abstractmethod
    async def exec(
        self,
        command: str,
        cwd: Optional[str] = None,
        env: Optional[Dict[str, str]] = None,
        timeout_sec: Optional[int] = None,
        user: Optional[UserName] = None,
    ) -> ExecResult:
        """Run a shell command and give what it printed, whatever its exit status is."""

    @abc.abstractmethod
    async def upload_file(self, source_path: LocalPath, target_path: str) -> None:
        """Copy a file into the environment."""

    @abc.abstractmethod
    async def upload_dir(self, source_dir: LocalPath, target_dir: str) -> None:
        """Copy what a folder holds into a folder of the environment."""

    @abc.abstractmethod
    async def download_file(self, source_path: str, target_path: LocalPath) -> None:
        """Copy a file out of the environment."""

    @abc.abstractmethod
    async def download_dir(self, source_dir: str, target_dir: LocalPath) -> None:
        """Copy what a folder of the environment holds into a folder, over what is there."""

    # What comes with it ------------------------------------------------------

    async def is_dir(self, path: str, user: Optional[UserName] = None) -> bool:
        """Tell whether there is a folder of this path."""
        return (await self.exec("test -d " + shlex.quote(path), timeout_sec=10, user=user)).return_code == 0

    async def is_file(self, path: str, user: Optional[UserName] = None) -> bool:
        """Tell whether there is a regular file of this path."""
        return (await self.exec("test -f " + shlex.quote(path), timeout_sec=10, user=user)).return_code == 0

    @contextlib.contextmanager
    def with_default_user(self, user: Optional[UserName]) -> Iterator[None]:
        """Let commands that name no user run as this one, in a ``with`` block."""
        previous, self.default_user = self.default_user, user
        try:
            yield
        finally:
            self.default_user = previous

    @contextlib.contextmanager
    def scoped_exec_env(self, env: Dict[str, str]) -> Iterator[None]:
        """Add variables to the commands that this task runs in a ``with`` block; they win over those of a command."""
        token = _overlays.set((*_overlays.get(), (self, dict(env))))
        try:
            yield
        finally:
            _overlays.reset(token)

    def _resolve_user(self, user: Optional[UserName]) -> Optional[UserName]:
        """Give the user that a command runs as: the one it names, or else the default."""
        return self.default_user if user is None else user

    def _merge_env(self, env: Optional[Dict[str, str]]) -> Optional[Dict[str, str]]:
        """Give the variables of a command: the environment's, then its own, then those of the block around it."""
        merged = {**getattr(self, "_persistent_env", {}), **(env or {})}
        for owner, overlay in _overlays.get():
            if owner is self:
                merged.update(overlay)
        return merged or None
''')


# ====================================================================================================================
# harbor/agents/capabilities.py, which runs when it is first used
# ====================================================================================================================

_later("agents.capabilities", "Model", r'''
"""What an agent says it can do."""

from typing import Any

__all__ = ["AgentCapabilities"]


class AgentCapabilities(Model):
    """What an agent can do, as its class states it; the names are Harbor 0.26's.

    ``run_agent`` asks for none of it. It is here so that an agent which states it for Harbor is imported unchanged.
    """

    model_config = {"extra": "forbid", "frozen": True}

    base_url: bool = False
    atif: bool = False
    resume: bool = False
    load_native_trajectory: bool = False
    load_atif_trajectory: bool = False
    handoff: bool = False
    native_config: bool = False
    native_web_tools: bool = False
    reasoning_effort: bool = False
    windows: bool = False
    skills: bool = False
    mcp_servers: bool = False
    mcp_http_headers: bool = False
    # A frozenset of words, a type the codec does not know.
    bridges: Any = frozenset()
''')


# ====================================================================================================================
# harbor/agents/base.py, which runs when it is first used
# ====================================================================================================================

_later("agents.base", """
        BaseEnvironment AgentContext AgentCapabilities _take""", r'''
"""``BaseAgent``: what an agent is, so that it runs here and in Harbor alike.

An agent gets an instruction, an environment to run commands in, and a context to fill. Names, parameters and their
meaning are Harbor 0.26's. Nothing here runs anything, and neither asyncio nor subprocess is imported.
"""

import abc
import logging
import os
import pathlib
from typing import TYPE_CHECKING, Any, ClassVar, Dict, FrozenSet, List, Mapping, Optional, Tuple, Union

if TYPE_CHECKING:
    import uuid

__all__ = ["BaseAgent"]

# The older name of each capability, which agents may state and ask for as well.
_CAPABILITY_FLAGS = {
    "SUPPORTS_ATIF": "atif",
    "SUPPORTS_RESUME": "resume",
    "SUPPORTS_LOAD_NATIVE_TRAJECTORY": "load_native_trajectory",
    "SUPPORTS_LOAD_ATIF_TRAJECTORY": "load_atif_trajectory",
    "SUPPORTS_HANDOFF": "handoff",
    "SUPPORTS_CONFIG": "native_config",
    "SUPPORTS_WINDOWS": "windows",
    "SUPPORTED_BRIDGES": "bridges",
}

# Where Harbor's containers keep the logs of an agent.
_CONTAINER_LOGS = "/logs/agent"
# What Harbor calls the provider of a model name that is not to be taken apart.
_UNPARSED_PROVIDER = "harbor-skip-parsing"


class BaseAgent(abc.ABC):
    """The base of agents; a subclass defines ``name``, ``version``, ``setup`` and ``run``."""

    #: What the agent can do; the ``SUPPORTS_`` flags below say the same, and stating one of the two is enough.
    capabilities: ClassVar[AgentCapabilities] = AgentCapabilities()
    SUPPORTS_ATIF: ClassVar[bool] = False
    SUPPORTS_RESUME: ClassVar[bool] = False
    SUPPORTS_LOAD_NATIVE_TRAJECTORY: ClassVar[bool] = False
    SUPPORTS_LOAD_ATIF_TRAJECTORY: ClassVar[bool] = False
    SUPPORTS_HANDOFF: ClassVar[bool] = False
    SUPPORTS_CONFIG: ClassVar[bool] = False
    SUPPORTS_WINDOWS: ClassVar[bool] = False
    SUPPORTED_BRIDGES: ClassVar[FrozenSet[str]] = frozenset()

    #: How long ``setup`` may take where nobody says otherwise.
    DEFAULT_SETUP_TIMEOUT_SEC: ClassVar[float] = 360.0

    #: A handle for this agent in its trial, and the trial's id; set by whoever runs the agent.
    session_id: Optional[str] = None
    context_id: Optional["uuid.UUID"] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = vars(cls)
        stated = {field: own[flag] for flag, field in _CAPABILITY_FLAGS.items() if flag in own}
        if stated and "capabilities" in own:
            conflicts = [
                flag for flag, field in _CAPABILITY_FLAGS.items()
                if field in stated and stated[field] != getattr(cls.capabilities, field)
            ]
            if conflicts:
                raise TypeError("%s states %s otherwise in its capabilities" % (cls.__name__, ", ".join(conflicts)))
        elif stated:
            cls.capabilities = AgentCapabilities(**{**cls.capabilities.model_dump(), **stated})
        for flag, field in _CAPABILITY_FLAGS.items():
            setattr(cls, flag, getattr(cls.capabilities, field))

    def __init__(
        self,
        logs_dir: pathlib.Path,
        model_name: Optional[str] = None,
        logger: Optional[logging.Logger] = None,
        mcp_servers: Optional[List[Any]] = None,
        skills_dir: Optional[str] = None,
        *,
        extra_env: Optional[Mapping[str, str]] = None,
        base_url: Optional[str] = None,
        model_api_key_name: Optional[str] = None,
        model_api_format: Optional[str] = None,
        skip_model_parsing: bool = False,
        load_trajectory: Union[str, pathlib.Path, None] = None,
        environment_logs_dir: Optional[pathlib.PurePosixPath] = None,
        **kwargs: Any
    ) -> None:
        """Keep what the agent is told; ``logs_dir`` is a folder on this side for what the agent wants to keep.

        ``model_name`` is ``PROVIDER/NAME`` or ``NAME``. ``extra_env`` is added to the variables of every command of
        ``setup`` and ``run``. Keywords that nobody knows are ignored, as in Harbor. An agent that wants to be told
        ``base_url``, ``model_api_key_name`` or ``model_api_format`` takes it as a parameter of its own: here these
        three are a ``ValueError``, because nothing would come of them.
        """
        overrides = {
            "base_url": base_url, "model_api_key_name": model_api_key_name, "model_api_format": model_api_format}
        given = [name for name, value in overrides.items() if value is not None]
        if given:
            raise ValueError("Agent %r makes no use of %s" % (self.name(), ", ".join(given)))
        self.logs_dir = logs_dir
        self.environment_logs_dir = environment_logs_dir or pathlib.PurePosixPath(_CONTAINER_LOGS)
        self.model_name = model_name
        self.skip_model_parsing = skip_model_parsing
        self.logger = (logger or logging.getLogger("harbor")).getChild(__name__)
        self.mcp_servers = mcp_servers or []
        self.skills_dir = skills_dir
        self.load_trajectory = pathlib.Path(load_trajectory).expanduser() if load_trajectory else None
        self.options: Any = None
        self._extra_env: Dict[str, str] = dict(extra_env or {})
        self._init_model_info()

    # What an agent is --------------------------------------------------------

    @staticmethod
    @abc.abstractmethod
    def name() -> str:
        """Give the name of the agent."""

    @abc.abstractmethod
    def version(self) -> Optional[str]:
        """Give the version of the agent; None where it is not known."""

    @classmethod
    def import_path(cls) -> str:
        """Give where the class is found, as ``MODULE:CLASS``."""
        return "%s:%s" % (cls.__module__, cls.__name__)

    def to_agent_info(self) -> "AgentInfo":
        """Give the record of the agent that stands in a trial's result."""
        # On Python 3.8 this imports subprocess, by way of uuid and platform.
        AgentInfo = _take("AgentInfo")
        ModelInfo = _take("ModelInfo")

        model = None
        if self._parsed_model_name:
            model = ModelInfo(name=self._parsed_model_name, provider=self._parsed_model_provider)
        return AgentInfo(name=self.name(), version=self.version() or "unknown", model_info=model)

    # What an agent does ------------------------------------------------------

    @abc.abstractmethod
    async def setup(self, environment: BaseEnvironment) -> None:
        """Bring what the agent needs into the environment."""

    @abc.abstractmethod
    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        """Do what the instruction says, and fill the context on the way.

        What stands in the context is kept whatever happens: a timeout, a cancellation, an exception, a kill.
        """

    async def resume(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        """Go on where an earlier ``run`` ended; an agent that can states ``SUPPORTS_RESUME``."""
        raise NotImplementedError("Agent %r cannot resume" % self.name())

    async def load(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        """Go on from the trajectory in ``load_trajectory``; an agent that can states so in its capabilities."""
        raise NotImplementedError("Agent %r cannot load a trajectory" % self.name())

    def populate_context_post_run(self, context: AgentContext) -> None:
        """Fill a context that is still empty after ``run``, for example from the logs of a program.

        Called also where ``run`` failed, and never where the context holds something.
        """

    # What an agent may ask for -----------------------------------------------

    @property
    def extra_env(self) -> Dict[str, str]:
        """The variables that are added to every command of ``setup`` and ``run``."""
        return dict(self._extra_env)

    def _get_env(self, key: str, *alternatives: str) -> Optional[str]:
        """Give the first of some variables that is set, in ``extra_env`` or else in this process."""
        for source in (self._extra_env, os.environ):
            for name in (key, *alternatives):
                if name in source:
                    return source[name]
        return None

    def _init_model_info(self) -> None:
        self._parsed_model_provider: Optional[str] = None
        self._parsed_model_name: Optional[str] = None
        if self.model_name:
            self._parsed_model_provider, self._parsed_model_name = self._parse_model_name(self.model_name)

    def _parse_model_name(self, model_name: str) -> Tuple[Optional[str], str]:
        """Split ``PROVIDER/NAME`` at the first slash; without one the provider is not known."""
        if self.skip_model_parsing:
            return _UNPARSED_PROVIDER, model_name
        provider, slash, name = model_name.partition("/")
        return (provider, name) if provider and slash and name else (None, model_name)
''')


# ====================================================================================================================
# harbor/codec/adapter.py, which runs when it is first used
# ====================================================================================================================

_later("codec.adapter", "engine _take", r'''
"""The codec for types that are no ``Model``: ``TypeAdapter`` and four functions.

In: any type the codec knows, such as ``Dict[str, int]`` or somebody's plain dataclass. Out: checked values, plain
data, JSON.
"""

from typing import TYPE_CHECKING, Any, Callable, Dict, Generic, Optional, Type, TypeVar, Union, overload

__all__ = ["TypeAdapter", "model_dump", "model_dump_json", "model_validate", "model_validate_json"]

AdaptedT = TypeVar("AdaptedT")


class TypeAdapter(Generic[AdaptedT]):
    """Check and dump values of one type.

    Raises ``TypeError`` at once for a type the codec does not know.
    """

    if TYPE_CHECKING:

        @overload
        def __init__(self, type: Type[AdaptedT], *, config: Any = ..., module: Optional[str] = ...) -> None: ...
        @overload
        def __init__(
            self: "TypeAdapter[Any]", type: Any, *, config: Any = ..., module: Optional[str] = ...) -> None: ...

    def __init__(self, type: Any, *, config: Any = None, module: Optional[str] = None) -> None:
        if config is not None:
            raise TypeError("TypeAdapter takes no config here; set `model_config` on a Model instead")
        self._type = type
        self._plan = engine.plan_of(type)

    def __repr__(self) -> str:
        is_class = isinstance(self._type, type) and not getattr(self._type, "__args__", None)
        return "TypeAdapter(%s)" % (self._type.__name__ if is_class else repr(self._type).replace("typing.", ""))

    def validate_python(
        self,
        object: Any,
        *,
        strict: Optional[bool] = None,
        extra: Optional[str] = None,
        from_attributes: Optional[bool] = None,
        context: Any = None,
        experimental_allow_partial: Any = False,
        by_alias: Optional[bool] = None,
        by_name: Optional[bool] = None,
    ) -> AdaptedT:
        """Check a Python value; raises ``ValidationError``."""
        _refuse_partial(experimental_allow_partial)
        checked: AdaptedT = engine.check_value(self._plan, object, engine.make_check_call(
            strict=strict, extra=extra, from_attributes=from_attributes, context=context, by_alias=by_alias,
            by_name=by_name))
        return checked

    def validate_json(
        self,
        data: Union[str, bytes, bytearray],
        *,
        strict: Optional[bool] = None,
        extra: Optional[str] = None,
        context: Any = None,
        experimental_allow_partial: Any = False,
        by_alias: Optional[bool] = None,
        by_name: Optional[bool] = None,
    ) -> AdaptedT:
        """Check a JSON document; raises ``ValidationError``."""
        _refuse_partial(experimental_allow_partial)
        checked: AdaptedT = engine.check_document(self._plan, data, engine.make_check_call(
            from_json=True, strict=strict, extra=extra, context=context, by_alias=by_alias, by_name=by_name))
        return checked

    def validate_strings(
        self,
        obj: Any,
        *,
        strict: Optional[bool] = None,
        extra: Optional[str] = None,
        context: Any = None,
        experimental_allow_partial: Any = False,
        by_alias: Optional[bool] = None,
        by_name: Optional[bool] = None,
    ) -> AdaptedT:
        """Check text, or a dict of text, as what its type makes of it; raises ``ValidationError``."""
        _refuse_partial(experimental_allow_partial)
        checked: AdaptedT = engine.check_value(self._plan, obj, engine.make_check_call(
            strings=True, strict=strict, extra=extra, context=context, by_alias=by_alias, by_name=by_name))
        return checked

    def dump_python(
        self,
        instance: AdaptedT,
        *,
        mode: str = "python",
        include: Any = None,
        exclude: Any = None,
        by_alias: Optional[bool] = None,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        exclude_computed_fields: bool = False,
        round_trip: bool = False,
        warnings: Union[bool, str] = True,
        fallback: Optional[Callable[[Any], Any]] = None,
        serialize_as_any: bool = False,
        polymorphic_serialization: Optional[bool] = None,
        context: Any = None,
    ) -> Any:
        """Dump to plain data: Python's own in mode "python", what JSON can say in mode "json"."""
        call = engine.make_dump_call(
            mode, False, by_alias=by_alias, exclude_unset=exclude_unset, exclude_defaults=exclude_defaults,
            exclude_none=exclude_none, exclude_computed_fields=exclude_computed_fields, round_trip=round_trip,
            fallback=fallback, serialize_as_any=serialize_as_any,
            polymorphic_serialization=polymorphic_serialization, context=context)
        return engine.dump_value(self._plan, instance, call, include, exclude, warnings)

    def dump_json(
        self,
        instance: AdaptedT,
        *,
        indent: Optional[int] = None,
        ensure_ascii: bool = False,
        include: Any = None,
        exclude: Any = None,
        by_alias: Optional[bool] = None,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        exclude_computed_fields: bool = False,
        round_trip: bool = False,
        warnings: Union[bool, str] = True,
        fallback: Optional[Callable[[Any], Any]] = None,
        serialize_as_any: bool = False,
        polymorphic_serialization: Optional[bool] = None,
        context: Any = None,
        inf_nan: str = "null",
    ) -> bytes:
        """Dump to JSON text in UTF-8; ``inf_nan`` says how non-finite floats are written."""
        call = engine.make_dump_call(
            "json", True, by_alias=by_alias, exclude_unset=exclude_unset, exclude_defaults=exclude_defaults,
            exclude_none=exclude_none, exclude_computed_fields=exclude_computed_fields, round_trip=round_trip,
            fallback=fallback, serialize_as_any=serialize_as_any,
            polymorphic_serialization=polymorphic_serialization, context=context)
        text = engine.dump_document(
            self._plan, instance, call, include, exclude, warnings, indent, ensure_ascii, inf_nan)
        return text.encode("utf-8")

    def json_schema(
        self,
        *,
        by_alias: Optional[bool] = None,
        ref_template: str = "#/$defs/{model}",
        union_format: str = "any_of",
        schema_generator: Any = None,
        mode: str = "validation",
    ) -> Dict[str, Any]:
        """Describe the type as JSON schema."""
        make_schema = _take("make_schema")

        return make_schema(self._plan, ref_template, mode, union_format, schema_generator)


def model_validate(cls: Type[AdaptedT], obj: Any, **options: Any) -> AdaptedT:
    """Check a Python value as an instance of a dataclass; options as in ``TypeAdapter.validate_python``."""
    made: AdaptedT = TypeAdapter[AdaptedT](cls).validate_python(obj, **options)
    return made


def model_validate_json(cls: Type[AdaptedT], json_data: Union[str, bytes, bytearray], **options: Any) -> AdaptedT:
    """Check a JSON document as an instance of a dataclass; options as in ``TypeAdapter.validate_json``."""
    made: AdaptedT = TypeAdapter[AdaptedT](cls).validate_json(json_data, **options)
    return made


def model_dump(obj: Any, **options: Any) -> Dict[str, Any]:
    """Dump an instance of a dataclass to a dict; options as in ``TypeAdapter.dump_python``."""
    dumped: Dict[str, Any] = TypeAdapter[Any](type(obj)).dump_python(obj, **options)
    return dumped


def model_dump_json(obj: Any, **options: Any) -> str:
    """Dump an instance of a dataclass to JSON text; options as in ``TypeAdapter.dump_json``."""
    return TypeAdapter[Any](type(obj)).dump_json(obj, **options).decode("utf-8")


def _refuse_partial(option: Any) -> None:
    if option not in (False, "off"):
        raise TypeError("experimental_allow_partial is not supported: a document is read whole or refused")
''')


# ====================================================================================================================
# harbor/codec/errors.py, which runs when it is first used
# ====================================================================================================================

_later("codec.errors", "", r'''
"""Faults found while checking or dumping, and the one table of their wording.

In: the kind of a fault, where it was found and the value it was found in. Out: ``ValidationError`` and
``SerializationError``, which hold data and render it in pydantic's words. This module checks nothing itself.
"""

import os
from typing import Any, Callable, Dict, List, Optional, Tuple

__all__ = ["SerializationError", "ValidationError"]

# Errors name the pydantic release whose behaviour they promise; its documentation explains each kind.
_DOCS = "https://errors.pydantic.dev/2.14/v/"
# pydantic's own switch for the links in its texts: on unless set to something else than 1 or true.
_LINKS_SWITCH = "PYDANTIC_ERRORS_INCLUDE_URL"

# kind -> wording, or (wording for Python input, wording for JSON input). Placeholders come from the fault's ctx.
_WORDING: Dict[str, Any] = {
    "arguments_type": "Arguments must be an array or an object",
    "bool_parsing": "Input should be a valid boolean, unable to interpret input",
    "bool_type": "Input should be a valid boolean",
    "dataclass_exact_type": ("Input should be an instance of {class_name}", "Input should be an object"),
    "dataclass_type": ("Input should be a dictionary or an instance of {class_name}", "Input should be an object"),
    "datetime_from_date_parsing": "Input should be a valid datetime or date, {error}",
    "datetime_parsing": "Input should be a valid datetime, {error}",
    "datetime_type": "Input should be a valid datetime",
    "dict_type": ("Input should be a valid dictionary", "Input should be an object"),
    "enum": "Input should be {expected}",
    "extra_forbidden": "Extra inputs are not permitted",
    "finite_number": "Input should be a finite number",
    "float_parsing": "Input should be a valid number, unable to parse string as a number",
    "float_type": "Input should be a valid number",
    "frozen_instance": "Instance is frozen",
    "get_attribute_error": "Error extracting attribute: {error}",
    "greater_than": "Input should be greater than {gt}",
    "greater_than_equal": "Input should be greater than or equal to {ge}",
    "int_from_float": "Input should be a valid integer, got a number with a fractional part",
    "int_parsing": "Input should be a valid integer, unable to parse string as an integer",
    "int_parsing_size": "Unable to parse input string as an integer, exceeded maximum size",
    "int_type": "Input should be a valid integer",
    "invalid_key": "Keys should be strings",
    "is_instance_of": "Input should be an instance of {class}",
    "iteration_error": "Error iterating over object, error: {error}",
    "json_invalid": "Invalid JSON: {error}",
    "json_type": "JSON input should be string, bytes or bytearray",
    "less_than": "Input should be less than {lt}",
    "less_than_equal": "Input should be less than or equal to {le}",
    "list_type": ("Input should be a valid list", "Input should be a valid array"),
    "literal_error": "Input should be {expected}",
    "mapping_type": "Input should be a valid mapping, error: {error}",
    "missing": "Field required",
    "model_attributes_type": (
        "Input should be a valid dictionary or object to extract fields from", "Input should be an object"),
    "model_type": ("Input should be a valid dictionary or instance of {class_name}", "Input should be an object"),
    "none_required": ("Input should be None", "Input should be null"),
    "path_type": "Input is not a valid path for {error}",
    "recursion_depth_exceeded": "Recursion error - maximum validation depth exceeded",
    "recursion_loop": "Recursion error - cyclic reference detected",
    "string_too_long": "String should have at most {max_length} character{s}",
    "string_too_short": "String should have at least {min_length} character{s}",
    "string_type": "Input should be a valid string",
    "string_unicode": "Input should be a valid string, unable to parse raw data as a unicode string",
    "too_long": "{field_type} should have at most {max_length} item{s} after validation, not {actual_length}",
    "too_short": "{field_type} should have at least {min_length} item{s} after validation, not {actual_length}",
    "unexpected_keyword_argument": "Unexpected keyword argument",
    "uuid_parsing": "Input should be a valid UUID, {error}",
    "uuid_type": "UUID input should be a string, bytes or UUID object",
    "assertion_error": "Assertion failed, {error}",
    "value_error": "Value error, {error}",
}

# Kinds that pydantic words outside of its own table: without a page to link to, and their ctx feeds the wording alone.
_UNLISTED = ("path_type",)


class Fault:
    """One thing wrong with an input.

    ``path`` is the location from the inside out: containers append to it while the exception unwinds, so good
    input pays nothing for locations.
    """

    __slots__ = ("kind", "input", "ctx", "path", "from_json")
    has_docs = True  # whether there is a page about the kind

    def __init__(self, kind: str, input: Any, ctx: Optional[Dict[str, Any]] = None, from_json: bool = False) -> None:
        self.kind = kind
        self.input = input
        self.ctx = ctx
        self.path: List[Any] = []
        self.from_json = from_json

    @property
    def loc(self) -> Tuple[Any, ...]:
        return tuple(reversed(self.path))

    def render_message(self) -> str:
        """Put the fault into words."""
        wording = _WORDING[self.kind]
        if isinstance(wording, tuple):
            wording = wording[1 if self.from_json else 0]
        if self.ctx is None:
            return str(wording)
        words = dict(self.ctx)
        for limit in ("max_length", "min_length"):
            if limit in words:
                words["s"] = "" if words[limit] == 1 else "s"
        if words.get("actual_length", 0) is None:
            words["actual_length"] = "more"
        for name, value in words.items():
            if type(value) is float:
                # Constraints print as Rust prints a float: 1.0 is "1", and 1.5 stays as it is.
                words[name] = repr(value)[:-2] if repr(value).endswith(".0") else repr(value)
        return str(wording.format(**words))

    def __reduce__(self) -> Tuple[Any, ...]:
        return (_restore_fault, (self.kind, self.input, self.ctx, self.path, self.from_json))


def _restore_fault(
    kind: str, input: Any, ctx: Optional[Dict[str, Any]], path: List[Any], from_json: bool
) -> Fault:
    fault = Fault(kind, input, ctx, from_json)
    fault.path = path
    return fault


class LoadFault(Fault):
    """What kept ``parse_raw`` from loading its input, in the words of whoever refused it."""

    __slots__ = ("text",)
    # These kinds are not pydantic's own: no page of its documentation is about them.
    has_docs = False

    def __init__(self, kind: str, input: Any, text: str) -> None:
        super().__init__(kind, input)
        self.text = text
        self.path.append("__root__")

    def render_message(self) -> str:
        return self.text

    def __reduce__(self) -> Tuple[Any, ...]:
        return (LoadFault, (self.kind, self.input, self.text))


class Invalid(Exception):
    """What checks raise among themselves; it becomes a ``ValidationError`` where a caller can see it."""

    def __init__(self, faults: List[Fault]) -> None:
        self.faults = faults


class ValidationError(ValueError):
    """All faults of one input, in the order of the declared fields.

    ``title`` names what was validated. ``str()`` is pydantic's text, whose links the environment variable
    ``PYDANTIC_ERRORS_INCLUDE_URL=0`` leaves out there as here.
    """

    def __init__(self, title: str, faults: List[Fault]) -> None:
        super().__init__()
        self._title = title
        self._faults = faults

    @property
    def title(self) -> str:
        """The name of the class or type that was validated."""
        return self._title

    def error_count(self) -> int:
        """Count the faults."""
        return len(self._faults)

    def map_inputs(self, change: Callable[[Any], Any]) -> None:
        """Change the input of every fault, as one that reads JSON in its own way must."""
        for fault in self._faults:
            fault.input = change(fault.input)

    def errors(
        self, *, include_url: bool = True, include_context: bool = True, include_input: bool = True
    ) -> List[Dict[str, Any]]:
        """List the faults as dicts of ``type``, ``loc`` (tuple), ``msg``, ``input``, ``ctx`` (if any) and ``url``."""
        return [_describe_fault(f, include_url, include_context, include_input) for f in self._faults]

    def json(
        self,
        *,
        indent: Optional[int] = None,
        include_url: bool = True,
        include_context: bool = True,
        include_input: bool = True,
    ) -> str:
        """Render ``errors()`` as JSON text; what JSON cannot say is given by its ``str``."""
        entries = self.errors(include_url=include_url, include_context=include_context, include_input=include_input)
        return _RENDER_JSON[0](entries, indent)

    def __str__(self) -> str:
        count = len(self._faults)
        lines = ["%d validation error%s for %s" % (count, "" if count == 1 else "s", self._title)]
        for fault in self._faults:
            if fault.path:
                lines.append(".".join(_show_step(step) for step in fault.loc))
            lines.append("  %s [type=%s, input_value=%s, input_type=%s]" % (
                fault.render_message(), fault.kind, clip_repr(fault.input), type(fault.input).__name__))
            if fault.has_docs and fault.kind not in _UNLISTED and os.environ.get(_LINKS_SWITCH, "1") in ("1", "true"):
                lines.append("    For further information visit %s%s" % (_DOCS, fault.kind))
        return "\n".join(lines)

    __repr__ = __str__

    def __reduce__(self) -> Tuple[Any, ...]:
        return (ValidationError, (self._title, self._faults))


class SerializationError(ValueError):
    """A value that cannot be dumped; pydantic calls it ``PydanticSerializationError``."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""

    def __repr__(self) -> str:
        return "SerializationError(%s)" % self


# How to write a list of errors as JSON; the model layer, which can dump anything, fills the one place.
_RENDER_JSON: List[Callable[[Any, Optional[int]], str]] = []


def register_json_writer(write: Callable[[Any, Optional[int]], str]) -> None:
    """Say how ``ValidationError.json`` writes its entries: this module knows no codec."""
    _RENDER_JSON[:] = [write]


def _describe_fault(fault: Fault, url: bool, context: bool, value: bool) -> Dict[str, Any]:
    entry: Dict[str, Any] = {"type": fault.kind, "loc": fault.loc, "msg": fault.render_message()}
    if value:
        entry["input"] = fault.input
    if context and fault.ctx is not None and fault.kind not in _UNLISTED:
        entry["ctx"] = dict(fault.ctx)
    if url and fault.has_docs and fault.kind not in _UNLISTED:
        entry["url"] = _DOCS + fault.kind
    return entry


def _show_step(step: Any) -> str:
    """One step of a location; a key that could be mistaken for two is set in backquotes."""
    text = str(step)
    return "`%s`" % text if isinstance(step, str) and "." in text else text


def clip_repr(value: Any) -> str:
    """Give ``repr(value)``, its middle cut out beyond 50 bytes of UTF-8, as pydantic's texts do."""
    text = safe_repr(value)
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= 50:
        return text
    head, tail = 25, len(data) - 24
    while head and data[head] & 0xC0 == 0x80:
        head -= 1
    while tail < len(data) and data[tail] & 0xC0 == 0x80:
        tail += 1
    return "%s...%s" % (data[:head].decode("utf-8", "surrogatepass"), data[tail:].decode("utf-8", "surrogatepass"))


def replace_surrogates(text: str) -> str:
    """Write each byte of a lone surrogate as U+FFFD, as pydantic does in keys without a word."""
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return text


def safe_repr(value: Any) -> str:
    """Give ``repr(value)``, or a stand-in where the repr itself fails."""
    try:
        return replace_surrogates(repr(value))
    except Exception:
        return "<unprintable %s object>" % type(value).__name__
''')


# ====================================================================================================================
# harbor/codec/hints.py, which runs when it is first used
# ====================================================================================================================

_later("codec.hints", "fields_of own_annotations", r'''
"""Annotations -> neutral descriptions of types.

In: what stands behind a colon in somebody's class, on any Python from 3.8 on. Out: a ``Hint`` that says which kind
of type it is and what it is made of. Nothing here checks a value; of the others `declared` alone asks for the Python
version.
"""

import sys
import typing
from typing import Any, Dict, List, Optional, Tuple, Union

__all__ = ["Hint", "describe_type", "record_hints", "typed_dict_hints"]

_MODERN_UNION: Any = getattr(sys.modules.get("types"), "UnionType", Union)  # from 3.10 on: int | None
_SCALARS: Dict[Any, str] = {
    int: "int", float: "float", str: "str", bool: "bool", None: "none", type(None): "none", Any: "any",
    list: "list", dict: "dict",
}
# Classes named by module, so that describing a type never imports the module that defines it.
_NAMED = (
    ("datetime", "datetime", "datetime"), ("uuid", "UUID", "uuid"), ("pathlib", "Path", "path"),
)
_KEY_MARKS = ("Required", "NotRequired", "ReadOnly")


class Hint:
    """One described type: its ``kind``, the hints it is made of, and the class or values it stands for."""

    __slots__ = ("kind", "items", "source")

    def __init__(self, kind: str, items: Tuple["Hint", ...] = (), source: Any = None) -> None:
        self.kind = kind
        self.items = items
        self.source = source


def describe_type(annotation: Any, where: str, scope: Optional[Dict[str, Any]] = None) -> Hint:
    """Describe one annotation.

    ``where`` names class and field for the ``TypeError`` that refuses a type the codec does not know; ``scope``
    resolves names in quotes.
    """
    annotation = _unquote(annotation, where, scope)
    try:
        kind = _SCALARS.get(annotation)
    except TypeError:  # an unhashable annotation is no type
        kind = None
    if kind is not None:
        any_hint = Hint("any")
        items = {"list": (any_hint,), "dict": (any_hint, any_hint)}.get(kind, ())
        return Hint(kind, items)
    if isinstance(annotation, type) and not typing.get_args(annotation):
        hint = _describe_class(annotation)
    else:
        hint = _describe_form(annotation, where, scope)
    if hint is None:
        raise TypeError("%s has a type this codec does not know: %s" % (where, _show_type(annotation)))
    return hint


def record_hints(cls: Any) -> Dict[str, Hint]:
    """Describe the fields of a dataclass, in order."""
    hints = {}
    for field in fields_of(cls):
        owner = next((base for base in cls.__mro__ if field.name in own_annotations(base)), cls)
        scope = dict(vars(sys.modules.get(owner.__module__, typing)), **{owner.__name__: owner, cls.__name__: cls})
        hints[field.name] = describe_type(field.type, _place(cls, field.name), scope)
    return hints


def typed_dict_hints(cls: Any) -> Dict[str, Tuple[Hint, bool]]:
    """Describe the keys of a TypedDict, in order, each with whether it is required."""
    scope = dict(vars(sys.modules.get(cls.__module__, typing)), **{cls.__name__: cls})
    # Python 3.8 knows no more than __total__; later versions keep the totality of each key.
    required = getattr(cls, "__required_keys__", None)
    hints = {}
    for name, annotation in cls.__annotations__.items():
        where = _place(cls, name)
        needed = cls.__total__ if required is None else name in required
        annotation = _unquote(annotation, where, scope)
        mark = _key_mark(annotation)
        while mark is not None:
            needed = needed if mark == "ReadOnly" else mark == "Required"
            annotation = typing.get_args(annotation)[0]
            mark = _key_mark(annotation)
        hints[name] = (describe_type(annotation, where, scope), needed)
    return hints


def resolve_return(function: Any, where: str) -> Hint:
    """Describe what a function says it returns; without a word, anything."""
    annotation = getattr(function, "__annotations__", {}).get("return", Any)
    return describe_type(annotation, where, getattr(function, "__globals__", None))


def _place(cls: Any, name: str) -> str:
    return "Field %r of %s" % (name, cls.__qualname__)


def _unquote(annotation: Any, where: str, scope: Optional[Dict[str, Any]]) -> Any:
    """Evaluate a name in quotes in the module of its class."""
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, dict(scope or {}))
    except Exception as exc:
        raise TypeError("%s has a type that cannot be resolved: %r (%s)" % (where, annotation, exc)) from exc


def _describe_class(cls: Any) -> Optional[Hint]:
    for module, name, kind in _NAMED:
        if cls is getattr(sys.modules.get(module), name, ()):
            return Hint(kind, (), cls)
    enum_base = getattr(sys.modules.get("enum"), "Enum", None)
    if enum_base is not None and issubclass(cls, enum_base):
        return Hint("enum", (), cls)
    if issubclass(cls, dict) and hasattr(cls, "__total__"):
        return Hint("typed-dict", (), cls)
    if hasattr(cls, "__codec_model__") or hasattr(cls, "__dataclass_fields__"):
        return Hint("record", (), cls)
    return None


def _describe_form(annotation: Any, where: str, scope: Optional[Dict[str, Any]]) -> Optional[Hint]:
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return Hint("literal", (), _literal_values(args))
    if origin is Union or origin is _MODERN_UNION:
        return _describe_union(args, where, scope)
    if origin in (list, dict):
        # A bare List or Dict has no arguments: anything goes.
        full = args or ((Any,) if origin is list else (Any, Any))
        full = tuple(Any if isinstance(a, typing.TypeVar) else a for a in full)
        return Hint(origin.__name__, tuple(describe_type(a, where, scope) for a in full))
    return None


def _describe_union(args: Tuple[Any, ...], where: str, scope: Optional[Dict[str, Any]]) -> Hint:
    choices: List[Hint] = []
    optional = False
    for arg in args:
        hint = describe_type(arg, where, scope)
        # An alias of a union inside a union in quotes is not flattened by typing.
        for choice in hint.items if hint.kind in ("union", "optional") else (hint,):
            inner = choice.items if choice.kind == "union" else (choice,)
            choices.extend(c for c in inner if c.kind != "none")
        optional = optional or hint.kind in ("none", "optional")
    hint = choices[0] if len(choices) == 1 else Hint("union", tuple(choices))
    return Hint("optional", (hint,)) if optional else hint


def _literal_values(args: Tuple[Any, ...]) -> Tuple[Any, ...]:
    """Flatten nested literals and drop doubles; 1 and True, though equal, are two values."""
    values: List[Any] = []
    for arg in args:
        inner = _literal_values(typing.get_args(arg)) if typing.get_origin(arg) is typing.Literal else (arg,)
        values.extend(v for v in inner if not any(type(v) is type(w) and v == w for w in values))
    return tuple(values)


def _key_mark(annotation: Any) -> Optional[str]:
    origin = typing.get_origin(annotation)
    # typing_extensions has marks of its own with the same names for older Pythons.
    name = getattr(origin, "_name", None) or getattr(origin, "__name__", None)
    return name if name in _KEY_MARKS else None


def _show_type(annotation: Any) -> str:
    if isinstance(annotation, type) and not typing.get_args(annotation):
        return annotation.__qualname__
    return repr(annotation)
''')


# ====================================================================================================================
# harbor/codec/moments.py, which runs when it is first used
# ====================================================================================================================

_later("codec.moments", "", r'''
"""Text and unix numbers <-> datetime, and text <-> date, time, timedelta, UUID.

In come strings as they stand in a document, or int and float as unix time; out
come standard library objects, or the text that stands for one. Grammar, values,
error kinds and the variable part of error texts are those of pydantic 2.14.4, on
every Python. Wrong input raises MomentError and nothing else.

Not done here: choosing by the type of the input (bool, bytes, Decimal, date
objects), the wording around the variable part, and the reading of date, time and
timedelta. `datetime` and `uuid` are imported on first use only: reading a record
without a timestamp must not pay for them.
"""

import math
from typing import TYPE_CHECKING, Callable, Dict, NoReturn, Optional, Tuple, Union

if TYPE_CHECKING:
    import datetime
    import uuid
    from re import Match

__all__ = [
    "MomentError",
    "make_zone",
    "read_datetime",
    "read_datetime_bytes",
    "read_datetime_number",
    "read_uuid",
    "read_uuid_bytes",
    "write_date",
    "write_datetime",
    "write_time",
    "write_timedelta",
]

_FormMatcher = Callable[[str], Optional["Match[str]"]]

# What nearly every timestamp looks like; anything else takes the exact path.
_MOMENT_FORM = (
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[T _t]([0-9]{2}):([0-9]{2})"
    r"(?::([0-9]{2})(?:[.,]([0-9]+))?)?"
    r"(?:([Zz])|([+\-\u2212])([01][0-9]|2[0-3]):?([0-5][0-9]))?"
)
# What isoformat writes; datetime's own reader takes this form on every Python.
_PLAIN_FORM = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}(?:\.[0-9]{6})?(Z?)"
_UNIX_FORM = r"([+-]?)(?:([0-9]+)|((?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?))"
_UUID_FORM = (
    r"(?:(\{)|urn:uuid:)?"
    r"([0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12})"
    r"(?(1)\})"
    r"|([0-9A-Fa-f]{32})"
)

_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

# Above this many seconds (the year 2603) a number counts milliseconds.
_UNIX_WATERSHED = 20_000_000_000
_UNIX_YEAR_0 = -62_167_219_200
_UNIX_YEAR_1 = -62_135_596_800
_UNIX_YEAR_10000 = 253_402_300_800

_MOMENT_YEAR_0 = "year 0 is out of range"
_MOMENT_TOO_SHORT = "input is too short"
_MOMENT_TRAILING = "unexpected extra characters at the end of the input"

_UUID_GROUP_STARTS = (0, 9, 14, 19, 24)
_UUID_URN = "urn:uuid:"
_UUID_LONGEST = 45
_UUID_HEX_DIGITS = frozenset("0123456789abcdefABCDEF")


_zones: "Dict[int, datetime.tzinfo]" = {}
_zone_class: "Optional[Callable[[int], datetime.tzinfo]]" = None


class MomentError(ValueError):
    """Input that stands for no moment or UUID.

    kind: pydantic's error type, such as "datetime_parsing".
    ctx: what pydantic puts into the error's `ctx`, such as
    {"error": "input is too short"}; None when it has none.
    """

    def __init__(self, kind: str, ctx: Optional[Dict[str, str]] = None) -> None:
        super().__init__(kind, ctx)
        self.kind = kind
        self.ctx = ctx

    def __str__(self) -> str:
        return self.kind if self.ctx is None else "%s: %s" % (self.kind, self.ctx["error"])


def make_zone(seconds: int) -> "datetime.tzinfo":
    """Give the time zone that lies a number of whole seconds east of UTC.

    It equals a ``datetime.timezone`` of the same offset and shows itself as pydantic's does: ``TzInfo(19800)``.
    """
    zone = _zones.get(seconds)
    if zone is None:
        zone = (_zone_class or _define_zone_class())(seconds)
        if len(_zones) < 200:
            _zones[seconds] = zone
    return zone


def read_datetime(text: str, strict: bool = False) -> "datetime.datetime":
    """Read a date with a time, a unix number, or (unless strict) a date alone.

    strict is the strict mode of JSON, where a number inside a string still counts.
    Without an offset the result is naive; unix time is in UTC. Digits of a second's
    fraction after the sixth are dropped. Raises MomentError.
    """
    import datetime

    found = _match_form(_PLAIN_FORM)(text)
    if found is not None:
        try:
            if not found.group(1):
                return datetime.datetime.fromisoformat(text)
            return datetime.datetime.fromisoformat(text[:-1]).replace(tzinfo=make_zone(0))
        except ValueError:
            pass  # a part out of range
    found = _match_form(_MOMENT_FORM)(text)
    if found is not None:
        year, month, day, hour, minute, second, fraction, utc, sign, east, more = found.groups()
        zone: Optional[datetime.tzinfo] = None
        if utc:
            zone = make_zone(0)
        elif sign:
            offset = int(east) * 60 + int(more)
            zone = make_zone(60 * (offset if sign == "+" else -offset))
        try:
            micros = int((fraction + "00000")[:6]) if fraction else 0
            clock = (int(hour), int(minute), int(second or 0), micros)
            return datetime.datetime(int(year), int(month), int(day), *clock, zone)
        except ValueError:
            pass  # a part out of range: the exact path says which
    return _read_odd_datetime(_encode_moment(text), _find_unix_number(text), strict)


def read_datetime_bytes(data: bytes) -> "datetime.datetime":
    """Read UTF-8 as read_datetime does when it is not strict.

    Bytes that are no UTF-8 are wrong where they stand. Raises MomentError.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _read_odd_datetime(bytes(data), None, False)
    return read_datetime(text)


def read_datetime_number(
    value: Union[int, float], from_json: bool = False
) -> "datetime.datetime":
    """Read unix seconds, or milliseconds beyond 2e10 either way, as a moment in UTC.

    A float is rounded to the microsecond. Raises MomentError, of kind "datetime_type"
    for an int that no float can hold or, from_json, that 64 bits cannot hold.
    """
    if from_json and isinstance(value, int) and not _fits_64_bits(value):
        raise MomentError("datetime_type")
    return _make_unix_datetime(*_split_unix(value))


def write_datetime(value: "datetime.datetime") -> str:
    """Write a moment as ISO 8601 with `Z` for UTC and the seconds of an offset dropped.

    Only attributes are asked, so an overridden `isoformat` has no say. What a tzinfo
    raises comes out as it is.
    """
    zone = value.tzinfo
    offset = None if zone is None else zone.utcoffset(value)
    return "%sT%s%s" % (write_date(value), _write_clock(value), _write_offset(offset))


def write_date(value: "datetime.date") -> str:
    """Write a date as `YYYY-MM-DD`."""
    return "%04d-%02d-%02d" % (value.year, value.month, value.day)


def write_time(value: "datetime.time") -> str:
    """Write a time of day as ISO 8601; a zone whose offset needs a date is left out."""
    zone = value.tzinfo
    offset = None if zone is None else zone.utcoffset(None)
    return _write_clock(value) + _write_offset(offset)


def write_timedelta(value: "datetime.timedelta") -> str:
    """Write a span as an ISO 8601 duration, such as `-P1Y35DT1H1M1.5S`.

    A year is 365 days; there are no months or weeks; one sign stands for the whole.
    """
    micros = (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds
    if not micros:
        return "PT0S"
    sign = "-" if micros < 0 else ""
    seconds, micros = divmod(abs(micros), 1_000_000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    years, days = divmod(days, 365)
    clock = _write_span_part(hours, "H") + _write_span_part(minutes, "M")
    if micros:
        clock += "%d.%sS" % (seconds, ("%06d" % micros).rstrip("0"))
    else:
        clock += _write_span_part(seconds, "S")
    calendar = _write_span_part(years, "Y") + _write_span_part(days, "D")
    return "%sP%s%s" % (sign, calendar, "T" + clock if clock else "")


def read_uuid(text: str) -> "uuid.UUID":
    """Read a UUID: hyphenated, 32 hex digits, in braces, or after `urn:uuid:`.

    Braces and `urn:uuid:` (lower case) go with the hyphenated form only. Raises
    MomentError.
    """
    import uuid

    found = _match_form(_UUID_FORM)(text)
    if found is None:
        _encode_moment(text)  # a lone surrogate is a fault of the text, not of the UUID
        _refuse_uuid(_find_uuid_fault(text))
    digits = found.group(2) or found.group(3)
    return uuid.UUID(int=int(digits.replace("-", ""), 16))


def read_uuid_bytes(data: bytes) -> "uuid.UUID":
    """Read a UUID from its text in UTF-8 or from its 16 raw bytes.

    Whatever is wrong, the error is about the 16 bytes. Raises MomentError.
    """
    import uuid

    try:
        return read_uuid(data.decode("utf-8"))
    except ValueError:  # MomentError and UnicodeDecodeError
        if len(data) != 16:
            _refuse_uuid("invalid length: expected 16 bytes, found %d" % len(data))
        return uuid.UUID(bytes=bytes(data))


# --- shared by the readers

_form_matchers: Dict[str, _FormMatcher] = {}


def _define_zone_class() -> "Callable[[int], datetime.tzinfo]":
    """Define the class of zones, whose base comes from a module that is imported on first use."""
    global _zone_class
    import datetime

    class TzInfo(datetime.tzinfo):
        """A fixed offset from UTC in whole seconds."""

        __slots__ = ("_seconds",)

        def __init__(self, seconds: int) -> None:
            self._seconds = seconds

        def utcoffset(self, moment: Optional[datetime.datetime]) -> datetime.timedelta:
            return datetime.timedelta(seconds=self._seconds)

        def dst(self, moment: Optional[datetime.datetime]) -> None:
            return None

        def tzname(self, moment: Optional[datetime.datetime]) -> str:
            return str(self)

        def fromutc(self, moment: datetime.datetime) -> datetime.datetime:
            return moment + self.utcoffset(None)

        def __eq__(self, other: object) -> bool:
            if not isinstance(other, datetime.tzinfo):
                return NotImplemented
            return other.utcoffset(None) == self.utcoffset(None)

        def __hash__(self) -> int:
            return hash(self.utcoffset(None))

        def __repr__(self) -> str:
            return "TzInfo(%d)" % self._seconds

        def __str__(self) -> str:
            return _write_offset(self.utcoffset(None)) if self._seconds else "UTC"

        def __reduce__(self) -> Tuple[Callable[[int], datetime.tzinfo], Tuple[int]]:
            return make_zone, (self._seconds,)

    _zone_class = TzInfo
    return TzInfo


def _match_form(form: str) -> _FormMatcher:
    """Give the fullmatch method of a pattern, which is compiled on first use."""
    matcher = _form_matchers.get(form)
    if matcher is None:
        import re

        matcher = _form_matchers[form] = re.compile(form).fullmatch
    return matcher


def _encode_moment(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise MomentError("string_unicode") from None


def _refuse_datetime(error: str) -> NoReturn:
    raise MomentError("datetime_parsing", {"error": error})


def _refuse_uuid(error: str) -> NoReturn:
    raise MomentError("uuid_parsing", {"error": error})


# --- unix time


def _fits_64_bits(number: int) -> bool:
    return -(2**63) <= number < 2**63


def _split_unix(value: Union[int, float]) -> Tuple[int, int]:
    """Turn a unix number into whole seconds and microseconds, within the years 0 to 9999."""
    try:
        real = float(value)
    except OverflowError:
        raise MomentError("datetime_type") from None
    if math.isnan(real):
        _refuse_datetime("NaN values not permitted")
    if math.isinf(real):
        whole, rest = (1000 * _UNIX_YEAR_10000 if real > 0 else 1000 * _UNIX_YEAR_0 - 1), 0.0
    elif isinstance(value, int):
        whole, rest = int(value), 0.0
    else:
        whole = math.floor(real)
        rest = real - whole
    if abs(real) > _UNIX_WATERSHED:
        seconds, millis = divmod(whole, 1000)
        micros = millis * 1000 + _round_half_up(rest * 1e3)
    else:
        seconds, micros = whole, _round_half_up(rest * 1e6)
    if seconds >= _UNIX_YEAR_10000:
        _refuse_datetime("dates after 9999 are not supported as unix timestamps")
    if seconds < _UNIX_YEAR_0:
        _refuse_datetime("dates before 0000 are not supported as unix timestamps")
    return seconds, micros


def _round_half_up(value: float) -> int:
    whole = math.floor(value)
    return whole + 1 if value - whole >= 0.5 else whole


def _make_unix_datetime(seconds: int, micros: int) -> "datetime.datetime":
    import datetime

    if seconds < _UNIX_YEAR_1:
        _refuse_datetime(_MOMENT_YEAR_0)
    epoch = datetime.datetime(1970, 1, 1, tzinfo=make_zone(0))
    return epoch + datetime.timedelta(seconds=seconds, microseconds=micros)


def _find_unix_number(text: str) -> Union[int, float, None]:
    """Find the number a string consists of: an int of 64 bits, or digits with a point."""
    found = _match_form(_UNIX_FORM)(text)
    if found is None:
        return None
    sign, digits, real = found.groups()
    if digits is None:
        return float(sign + real)
    digits = digits.lstrip("0")
    if len(digits) > 19:  # and int() refuses over 4300 digits
        return None
    number = int(sign + (digits or "0"))
    return number if _fits_64_bits(number) else None


# --- the exact reader of dates and times, over UTF-8: pydantic counts bytes


def _read_odd_datetime(
    data: bytes, number: Union[int, float, None], strict: bool
) -> "datetime.datetime":
    """Read what the common form does not cover, or say exactly what is wrong.

    number: what the text says when it is a number, which is tried second.
    """
    import datetime

    zone: Optional[int] = None
    try:
        pos, calendar = _read_calendar(data)
        clock, zone = _read_clock(data, pos)
    except MomentError as moment_fault:
        fault = moment_fault
        if number is not None:
            try:
                unix = _split_unix(number)
            except MomentError as range_fault:
                fault = range_fault
            else:
                return _make_unix_datetime(*unix)
        if strict:
            raise fault from None
        calendar, clock = _read_date_alone(data, number, fault), (0, 0, 0, 0)
    if calendar[0] == 0:
        _refuse_datetime(_MOMENT_YEAR_0)
    tzinfo = None if zone is None else make_zone(60 * zone)
    return datetime.datetime(*calendar, *clock, tzinfo=tzinfo)


def _read_date_alone(
    data: bytes, number: Union[int, float, None], fault: MomentError
) -> Tuple[int, int, int]:
    """Read what is no moment as a date; what is no date either is blamed on the date."""
    # A whole number out of range is out of range as a date too; one with a point is no date.
    if isinstance(number, int):
        raise MomentError("datetime_from_date_parsing", fault.ctx)
    try:
        pos, calendar = _read_calendar(data)
        if pos < len(data):
            _refuse_datetime(_MOMENT_TRAILING)
    except MomentError as date_fault:
        raise MomentError("datetime_from_date_parsing", date_fault.ctx) from None
    return calendar


def _read_calendar(data: bytes) -> Tuple[int, Tuple[int, int, int]]:
    if len(data) < 10:
        _refuse_datetime(_MOMENT_TOO_SHORT)
    pos, year = _read_clock_digits(data, 0, 4, "invalid character in year")
    pos = _skip_clock_byte(data, pos, b"-", "invalid date separator, expected `-`")
    pos, month = _read_clock_digits(data, pos, 2, "invalid character in month")
    pos = _skip_clock_byte(data, pos, b"-", "invalid date separator, expected `-`")
    pos, day = _read_clock_digits(data, pos, 2, "invalid character in day")
    if not 1 <= month <= 12:
        _refuse_datetime("month value is outside expected range of 1-12")
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= day <= _MONTH_DAYS[month - 1] + (is_leap and month == 2):
        _refuse_datetime("day value is outside expected range")
    return pos, (year, month, day)


def _read_clock(data: bytes, pos: int) -> Tuple[Tuple[int, int, int, int], Optional[int]]:
    """Read the rest of the text, from the `T` on, as a time of day and a zone."""
    pos = _skip_clock_byte(
        data, pos, b"Tt_ ", "invalid datetime separator, expected `T`, `t`, `_` or space"
    )
    if len(data) - pos < 5:
        _refuse_datetime(_MOMENT_TOO_SHORT)
    pos, hour = _read_clock_digits(data, pos, 2, "invalid character in hour")
    pos = _skip_clock_byte(data, pos, b":", "invalid time separator, expected `:`")
    pos, minute = _read_clock_digits(data, pos, 2, "invalid character in minute")
    if hour > 23:
        _refuse_datetime("hour value is outside expected range of 0-23")
    if minute > 59:
        _refuse_datetime("minute value is outside expected range of 0-59")
    second = micros = 0
    if data[pos : pos + 1] == b":":
        pos, second = _read_clock_digits(data, pos + 1, 2, "invalid character in second")
        if second > 59:
            _refuse_datetime("second value is outside expected range of 0-59")
        if data[pos : pos + 1] in (b".", b","):
            pos, micros = _read_fraction(data, pos + 1)
    return (hour, minute, second, micros), _read_zone_offset(data, pos)


def _read_fraction(data: bytes, pos: int) -> Tuple[int, int]:
    start = pos
    while data[pos : pos + 1].isdigit():
        pos += 1
    if pos == start:
        _refuse_datetime("second fraction digits missing after `.`")
    return pos, int((data[start:pos] + b"00000")[:6])


def _read_zone_offset(data: bytes, pos: int) -> Optional[int]:
    """Read a zone, or nothing, to the end of the text: minutes east of UTC, None for naive."""
    if pos == len(data):
        return None
    if data[pos : pos + 1] in (b"Z", b"z"):
        pos, offset = pos + 1, 0
    else:
        for sign in (b"+", b"-", b"\xe2\x88\x92"):
            if data.startswith(sign, pos):
                break
        else:
            _refuse_datetime("invalid timezone sign")
        pos, hours = _read_clock_digits(data, pos + len(sign), 2, "invalid timezone hour")
        if data[pos : pos + 1] == b":":
            pos += 1
        pos, minutes = _read_clock_digits(data, pos, 2, "invalid timezone minute")
        if minutes > 59:
            _refuse_datetime("timezone minute value is outside expected range of 0-59")
        if hours > 23:
            _refuse_datetime("timezone offset must be less than 24 hours")
        offset = hours * 60 + minutes
        if sign != b"+":
            offset = -offset
    if pos < len(data):
        _refuse_datetime(_MOMENT_TRAILING)
    return offset


def _read_clock_digits(data: bytes, pos: int, count: int, error: str) -> Tuple[int, int]:
    digits = data[pos : pos + count]
    if len(digits) < count or not digits.isdigit():
        _refuse_datetime(error)
    return pos + count, int(digits)


def _skip_clock_byte(data: bytes, pos: int, allowed: bytes, error: str) -> int:
    if pos >= len(data) or data[pos] not in allowed:
        _refuse_datetime(error)
    return pos + 1


# --- writing


def _write_clock(value: "Union[datetime.datetime, datetime.time]") -> str:
    clock = "%02d:%02d:%02d" % (value.hour, value.minute, value.second)
    micros = value.microsecond
    return "%s.%06d" % (clock, micros) if micros else clock


def _write_offset(offset: "Optional[datetime.timedelta]") -> str:
    if offset is None:
        return ""
    seconds = offset.total_seconds()
    # To the nearest second, half away from zero; then the seconds go, the sign stays.
    whole = _round_half_up(abs(seconds))
    if not whole:
        return "Z"
    minutes = whole // 60
    return "%s%02d:%02d" % ("-" if seconds < 0 else "+", minutes // 60, minutes % 60)


def _write_span_part(count: int, unit: str) -> str:
    return "%d%s" % (count, unit) if count else ""


# --- what is wrong with a UUID


def _find_uuid_fault(text: str) -> str:
    """Say what keeps text from being a UUID, counting in bytes of UTF-8."""
    size = len(text.encode("utf-8"))
    if size > _UUID_LONGEST:
        return "invalid length: found %d" % size
    braced = len(text) > 1 and text[0] == "{" and text[-1] == "}"
    prefixed = text.startswith(_UUID_URN)
    # Text as long as a hyphenated UUID in some dress is judged as that form alone: positions
    # count from the form's own start. Text of any other length is judged as a whole.
    if size == 36:
        return _find_uuid_text_fault(text, 0, size, False)
    if size == 38 and braced:
        return _find_uuid_text_fault(text[1:-1], 0, 36, False)
    if size == 45 and prefixed:
        return _find_uuid_text_fault(text[len(_UUID_URN) :], 0, 36, False)
    if braced:
        return _find_uuid_text_fault(text[1:-1], 1, size, False)
    if prefixed:
        return _find_uuid_text_fault(text[len(_UUID_URN) :], len(_UUID_URN), size, False)
    return _find_uuid_text_fault(text, 0, size, True)


def _find_uuid_text_fault(text: str, start: int, size: int, bare: bool) -> str:
    """Say what is wrong with the digits and hyphens in `text`.

    start: what its positions count from; size: the length to report; bare: no
    hyphens is a fault of the length, not of the groups.
    """
    hyphens = []
    pos = 0
    for char in text:
        # Only the low eight bits of a character are looked at: U+0661 passes for "a".
        low = chr(ord(char) & 0xFF)
        if low == "-":
            hyphens.append(pos)
        elif low not in _UUID_HEX_DIGITS:
            return "invalid character: found `%s` at %d" % (char, start + pos)
        pos += len(char.encode("utf-8"))
    if not hyphens and bare:
        return "invalid length: found %d" % size
    if len(hyphens) != 4:
        return "invalid group count: expected 5, found %d" % (len(hyphens) + 1)
    for group, hyphen in enumerate(hyphens):
        wanted = _UUID_GROUP_STARTS[group + 1] - 1 - _UUID_GROUP_STARTS[group]
        length = hyphen - _UUID_GROUP_STARTS[group]
        if length != wanted:
            break
    else:
        # To the end of the size, braces and prefix included, as pydantic measures it.
        group, wanted, length = 4, 12, size - _UUID_GROUP_STARTS[4]
    return "invalid group length in group %d: expected %d, found %d" % (group, wanted, length)
''')


# ====================================================================================================================
# harbor/codec/text/__init__.py, which runs when it is first used
# ====================================================================================================================

_later("codec.text", "", r'''
"""JSON text and plain Python values: `reading` and `writing`."""
''')


# ====================================================================================================================
# harbor/codec/text/growing.py, which runs when it is first used
# ====================================================================================================================

_later("codec.text.growing", "", r'''
"""Lists of numbers that grow: each begins with all of the one before it.

The prompts of a chat are such lists.  Reading and writing them takes the part that
is known already by comparing it, at the speed of memory, and does the work for the
new part alone.  Values and text are those of `reading` and `writing`; wherever the
lists are of another kind, these do the work.
"""

import itertools
import marshal
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Tuple

__all__ = ["Cuts", "cut_lists", "write_lists"]

# What looking at a list costs, in characters or elements that comparing saves.
_LOOK_COST = 500
# Where so much was lost in looking, the lists are left to the plain way.
_LOOK_BUDGET = 50 * _LOOK_COST
# As many zeros and ones may be looked at again in each list.
_MOST_UNITS = 1000
# So much text is searched for one key before another is looked for, and then twice as much each time.
_KEY_WIDTH = 4096


class Cuts:
    """What is known of a document whose lists were cut out: ``proven`` holds those of ints alone, by their id.

    ``text`` is the document with a number in the place of each list; None if nothing was cut out.
    """

    __slots__ = ("proven", "text")

    def __init__(self) -> None:
        self.proven: Dict[int, List[Any]] = {}
        self.text: Optional[str] = None


class _Marks:
    """The characters that tell a list, as those of a text or of its UTF-8 bytes."""

    def __init__(self, convert: Callable[[str], Any]) -> None:
        self.opening, self.closing, self.brace, self.comma, self.colon, self.quote, self.escape, self.space = map(
            convert, ("[", "]", "{", ",", ":", '"', "\\", " \t\n\r"))
        # In every number that is no int, and in true, false, null, NaN and Infinity, stands one of these.
        self.no_ints = tuple(map(convert, ".eEnN"))


_TEXT_MARKS = _Marks(str)
_BYTE_MARKS = _Marks(str.encode)


def cut_lists(
    text: Any, names: Iterable[str], read: Callable[[str], Any], proven: Dict[int, List[Any]]
) -> Tuple[List[Any], List[List[Any]]]:
    """Cut the lists out of a JSON text, or of its bytes, that stand in a list under one of the names.

    Returns the text around them and the lists, one less.  ``read`` makes the value
    of a JSON text or raises ``ValueError``.  No list holds text, objects or further lists.
    The lists share their elements and nothing else.  Those that hold ints alone are
    added to ``proven`` by their id.
    """
    around: List[Any] = []
    lists: List[List[Any]] = []
    done = 0
    is_text = isinstance(text, str)
    marks = _TEXT_MARKS if is_text else _BYTE_MARKS
    keys: List[Any] = ['"%s"' % name if is_text else b'"%s"' % name.encode("utf-8") for name in names]
    start = _find_key(text, keys, 0, marks)
    while start >= 0:
        place = _skip_space(text, start, marks)
        if text[place : place + 1] == marks.colon:
            place = _skip_space(text, place + 1, marks)
        if text[place : place + 1] == marks.opening:
            for begin, end, found, has_ints_alone in _read_growing(text, place + 1, read, marks):
                around.append(text[done:begin])
                lists.append(found)
                done = end
                if has_ints_alone:
                    proven[id(found)] = found
        start = _find_key(text, keys, max(start, done), marks)
    around.append(text[done:])
    return around, lists


def _find_key(text: Any, keys: List[Any], start: int, marks: _Marks) -> int:
    """Return the place behind the first of some keys in quotes, or -1.

    In a longer string the quotes would be escaped.
    """
    width = _KEY_WIDTH
    # Where one key stands near and another far or nowhere, the text in between is not searched for the other.
    while start < len(text):
        # A key begins before the stop.
        found, stop = -1, start + width
        for key in keys:
            place: int = text.find(key, start, stop + len(key) - 1)
            while place > 0 and text[place - 1 : place] == marks.escape:
                place = text.find(key, place + 1, stop + len(key) - 1)
            if place >= 0:
                found, stop = place + len(key), place
        if found >= 0:
            return found
        start += width
        width *= 2
    return -1


def _skip_space(text: Any, place: int, marks: _Marks) -> int:
    while text[place : place + 1] in marks.space and place < len(text):
        place += 1
    return place


def _read_growing(
    text: Any, place: int, read: Callable[[str], Any], marks: _Marks
) -> Iterable[Tuple[int, int, List[Any], bool]]:
    """Yield begin, end and value of each list, and whether it holds ints alone, until one is of another kind."""
    last: List[Any] = []
    has_ints_alone = False
    # The text of the last list, in pieces: no more than the new part of each is copied.
    pieces: List[Any] = []
    is_first = True
    balance = _LOOK_BUDGET
    while balance > 0:
        begin = _skip_space(text, place, marks)
        if text[begin : begin + 1] != marks.opening:
            return
        after = end_of_shared = _match_pieces(text, begin + 1, pieces)
        # No list ends in the part that is shared.
        shared = after - begin - 1
        if shared:
            after = _skip_space(text, after, marks)
        end = text.find(marks.closing, after)
        following = _skip_space(text, end + 1, marks)
        if end < 0 or is_first and text[following : following + 1] != marks.comma:
            return  # no list ends here, or a single list stands alone and shares nothing
        is_first = False
        has_more = bool(shared) and text[after : after + 1] == marks.comma
        if has_more:
            after += 1
        elif after < end:
            # The last number of the shared part may go on here.
            shared, after = 0, begin + 1
        new_text = text[after:end]
        if marks.quote in new_text or marks.brace in new_text or not new_text.isascii():
            return
        try:
            new = read("[%s]" % (new_text if marks is _TEXT_MARKS else new_text.decode("ascii")))
        except (ValueError, StopIteration, RecursionError, MemoryError):
            return
        if has_more and not new:
            return  # a comma with nothing behind it
        last = last + new if shared else new
        has_ints_alone = (has_ints_alone or not shared) and not any([mark in new_text for mark in marks.no_ints])
        yield begin, end + 1, last, has_ints_alone
        balance += min(shared - _LOOK_COST, _LOOK_BUDGET)
        # The last list's text, without the space before its bracket.
        stop = end
        while text[stop - 1 : stop] in marks.space:
            stop -= 1
        if not shared:
            pieces = []
            end_of_shared = begin + 1
        _add_piece(pieces, text[end_of_shared:stop])
        if text[following : following + 1] != marks.comma:
            return
        place = following + 1


def _match_pieces(text: Any, start: int, pieces: List[Any]) -> int:
    """Return where some pieces end that stand one after the other from a place on; the place if they do not."""
    place = start
    for piece in pieces:
        if not text.startswith(piece, place):
            return start
        place += len(piece)
    return place


def _add_piece(pieces: List[Any], piece: Any) -> None:
    """Add a piece, and join some, so that they are few and each is copied few times."""
    while pieces and len(pieces[-1]) <= 2 * len(piece):
        piece = pieces.pop() + piece
    if piece:
        pieces.append(piece)


def consist_of(values: List[Any], kinds: FrozenSet[type]) -> bool:
    """Tell whether a list holds values of these exact types alone."""
    # marshal looks at numbers in half the time that their types take.
    kind = type(values[0]) if len(values) > _LONG else None
    if kind in kinds and kind in _PACKED and _pack_alone(values, kind) is not None:
        return True
    return kinds.issuperset(map(type, values))


# How marshal writes a number: in how many bytes, and what the first is. Of an int below 2**31.
_PACKED: Dict[type, Tuple[int, bytes]] = {int: (5, b"i"), float: (9, b"g")}
_LONG = 64


class _ListEnd:
    """What stands behind the last value of a list; where it is compared, all that stand before were equal."""

    def __lt__(self, other: Any) -> Any:
        return self


class _History:
    """The last of some lists of exact ints below 2**31, and what proves that the next begins with all of it."""

    def __init__(self) -> None:
        self._last: List[Any] = []
        self._size = 0
        #: The list as marshal writes it, five bytes for its head and for each int; None where nobody asked.
        self._packed: Optional[bytes] = b""
        #: The list and an end; empty where nobody asked.
        self._ended: List[Any] = []
        self._end = _ListEnd()
        self._total = 0
        #: The places of those that equal a bool; None, for good, where it does not help to compare objects.
        self._units: Optional[List[int]] = []

    def follow(self, ids: List[Any]) -> Optional[Tuple[int, List[Any]]]:
        """Go on to the next list; give how many of its values are the last one's, all of those or none, and the others.

        None if it holds anything but exact ints below 2**31, which leaves nothing known.
        """
        shared = self._size
        packed: Optional[bytes] = None
        # What is handed out is looked at itself: another thread may have changed the list since it was compared.
        if self._has_same_objects(ids):
            new = ids[shared:]
            packed_new = _pack_alone(new, int)
            if packed_new is None:
                return self._forget()
            self._ended[shared:] = [*new, self._end]
            self._total += sum(new)
            self._note_units(packed_new, shared)
        else:
            packed = self._pack_if_it_follows(ids) if shared else None
            shared = 0 if packed is None else shared
            new = ids[shared:]
            packed_new = _pack_alone(new, int)
            if packed_new is None or packed is not None and (
                len(packed) != 5 * shared + len(packed_new) or not packed.endswith(memoryview(packed_new)[5:])
            ):
                return self._forget()
            packed = packed or packed_new
            self._ended = []
        self._packed = packed
        self._last, self._size = ids, shared + len(new)
        return shared, new

    def _forget(self) -> Optional[Tuple[int, List[Any]]]:
        self._last, self._size, self._packed, self._ended = [], 0, b"", []
        return None

    def _pack_if_it_follows(self, ids: List[Any]) -> Optional[bytes]:
        """Pack a list; None if its bytes do not begin with those of the last one."""
        packed = _pack(ids)
        if self._packed is None:
            self._packed = _pack(self._ended[:-1])
        # What is looked at through a memoryview is not copied.
        if packed and self._packed and packed.startswith(memoryview(self._packed)[5:], 5):
            return packed
        return None

    def _has_same_objects(self, ids: List[Any]) -> bool:
        """Tell whether the next list begins with the last, if the objects are the same: faster than by their bytes."""
        last, size = self._last, self._size
        if not (
            0 < size == len(last) and size <= len(ids) and self._units is not None
            and ids[0] is last[0] and ids[size // 2] is last[size // 2] and ids[size - 1] is last[size - 1]
        ):
            return False
        if not self._ended:
            written = list(last)
            if self._packed is None or _pack(written) != self._packed:
                return False  # another thread has changed the last list since it was written
            self._ended = [*written, self._end]
            self._total = sum(written)
            self._units = []
            self._note_units(self._packed, 0)
        if self._units is not None and self._has_same_ints(ids):
            return True
        self._units = None
        return False

    def _has_same_ints(self, ids: List[Any]) -> bool:
        """Tell whether the next list begins with values that equal those of the last, and are ints.

        A float, a Decimal or a scalar of numpy would make the sum one of its kind, and a bool stands for a one or a
        zero. Only a class that is made to pass for an int, in comparing and in adding, is taken for one.
        """
        size = self._size
        try:
            compared: Any = self._ended < ids if len(ids) > size else self._ended[:-1] == ids
            if compared is not (self._end if len(ids) > size else True):
                return False
            total = sum(ids)
            return type(total) is int and total - sum(ids[size:]) == self._total and all(
                type(ids[place]) is int for place in self._units or ())
        except Exception:
            return False  # a value of somebody's, with an idea of its own of comparing and adding

    def _note_units(self, packed: bytes, start: int) -> None:
        """Note the places of zeros and ones among packed ints, counted from a place on."""
        found = self._units or []
        for unit in (b"i\0\0\0\0", b"i\1\0\0\0"):
            # No other ints, one behind the other, hold these bytes.
            place = packed.find(unit, 5)
            while place >= 0 and len(found) <= _MOST_UNITS:
                found.append(start + place // 5 - 1)
                place = packed.find(unit, place + 5)
        self._units = found if len(found) <= _MOST_UNITS else None


def _pack(values: List[Any], stride: int = 5) -> Optional[bytes]:
    """Write a list as marshal does; None if it cannot hold numbers of so many bytes alone, as ints below 2**31 are."""
    try:
        packed = marshal.dumps(values, 2)
    except ValueError:
        return None
    return packed if len(packed) == 5 + stride * len(values) else None


def _pack_alone(values: List[Any], kind: Any) -> Optional[bytes]:
    """Write a list as marshal does; None if it holds other than exact floats, or than exact ints below 2**31."""
    stride, mark = _PACKED[kind]
    packed = _pack(values, stride)
    return packed if packed is not None and packed[5::stride] == mark * len(values) else None


def write_lists(
    lists: List[Any], out: List[str], encode: Callable[[Any], str], newline: str, inner_newline: str
) -> bool:
    """Write a list of lists of ints but for its last bracket; False if it is something else.

    ``newline`` parts the lists and ``inner_newline`` their elements, both are empty in compact text; ``encode`` writes
    a list of ints so parted, of any size.  After False, what was added to ``out`` is of no use.
    """
    segments: List[str] = []
    history = _History()
    balance = _LOOK_BUDGET
    lead = "[" + newline
    comma = "," + inner_newline
    for turn, ids in enumerate(lists):
        if type(ids) is not list:
            return False
        found = history.follow(ids)
        if found is not None:
            shared, new = found
            text = _write_ints(new, comma)
        elif _INT_ONLY.issuperset(map(type, ids)):
            shared, text = 0, encode(ids)[1:-1]
        else:
            return False
        if not shared:
            segments = []
        if text:
            segments.append(comma + text if shared else text)
        out.append(lead + "[" + inner_newline if segments else lead + "[")
        out.extend(segments)
        out.append(newline + "]" if segments else "]")
        lead = "," + newline
        balance += min(shared - _LOOK_COST // 5, _LOOK_BUDGET)
        if balance <= 0:
            return _write_rest(lists[turn + 1 :], out, encode, lead, newline, inner_newline)
    return True


def _write_ints(ids: List[int], comma: str) -> str:
    """Write exact ints below 2**31, without the text of each that the standard encoder makes."""
    item = ("%d" + comma).encode("ascii")  # bytes take a format in less time than text
    pieces = []
    for start in range(0, len(ids), _INTS_AT_ONCE):
        piece = tuple(ids[start : start + _INTS_AT_ONCE])
        pieces.append(((item * len(piece))[: -len(comma)] % piece).decode("ascii"))
    return comma.join(pieces)


_INT_ONLY = frozenset((int,))
# So many ints fit into the processor's cache with the text they are written by.
_INTS_AT_ONCE = 1000


def _write_rest(
    lists: List[Any], out: List[str], encode: Callable[[Any], str], lead: str, newline: str, inner_newline: str
) -> bool:
    """Write lists that do not grow, looking at all of them at once."""
    if set(map(type, lists)) - {list} or not _INT_ONLY.issuperset(map(type, itertools.chain.from_iterable(lists))):
        return False
    if not inner_newline and lists:
        out.append("," + encode(lists)[1:-1])
        return True
    for ids in lists:
        out.append(lead + "[" + (inner_newline + encode(ids)[1:-1] + newline if ids else "") + "]")
    return True
''')


# ====================================================================================================================
# harbor/codec/text/writing.py, which runs when it is first used
# ====================================================================================================================

_later("codec.text.writing", "consist_of write_lists", r'''
"""Plain Python values to JSON text.

In comes a tree of ``None``, ``bool``, ``int``, ``float``, ``str``, ``list``,
``dict`` and `Pairs`; out goes its text.  Float forms and escapes are those of
pydantic 2.14.4.

This module knows nothing of fields, types or models, and it writes no files.  The
standard ``json`` does the work wherever it is sure to give the same result; the
rest is done here, without recursion.  ``json`` and the patterns are loaded on
first use, so that importing the models does not cost them.
"""

import sys
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

if TYPE_CHECKING:
    from re import Pattern

__all__ = [
    "Pairs",
    "format_float",
    "is_plain",
    "Layout",
    "join_pieces",
    "make_layout",
    "quote",
    "write_members",
    "render",
    "write_float_list",
    "write_int_lists",
    "write_plain",
    "write_plain_at",
]

# No interpreter setting makes str() refuse this many digits.
_DIGITS_WRITTEN = 640
# The C encoder recurses, and how deep it may differs: deeper trees go without.
_PLAIN_DEPTH = 100


class Pairs(List[Tuple[str, Any]]):
    """A JSON object as (key, value) pairs, so that one key may stand twice."""

    __slots__ = ()


def render(
    tree: Any,
    *,
    indent: Optional[int] = None,
    ensure_ascii: bool = False,
    inf_nan: str = "null",
) -> str:
    """Return the JSON text of a tree of plain values.

    `tree` is made of exactly None, bool, int, float, str, list, dict with str
    keys and `Pairs`, without cycles.  Compact, or with `indent` spaces a level.
    `inf_nan` is "null", "constants" (NaN) or "strings" ("NaN").  Raises
    UnicodeEncodeError, as ``str.encode`` words it, for a lone surrogate.
    """
    text = None
    odd = _find_odd(tree) if type(tree) in _CONTAINERS else {id(tree)}
    if indent is None and not odd:
        try:
            text = _encode_plain(tree, ",")
        except (ValueError, RecursionError):
            pass  # a long int, or a caller that left too little stack
    if text is None:
        text = "".join(_write_tree(tree, odd, indent, _INF_NAN_WORDS[inf_nan]))
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            _refuse_surrogates(tree)
        if ensure_ascii:
            text = _escape_wide(text)
    return text


_NONE_TYPE = type(None)
_CONTAINERS = frozenset([list, dict, Pairs])
_FLAT_KINDS = frozenset([_NONE_TYPE, bool, int, float, str])
_SETTLED_KINDS = frozenset([_NONE_TYPE, bool, int, str])
_EXACT_KINDS = _FLAT_KINDS | {list, dict}
_FLOAT_ONLY = frozenset([float])
_NUMBER_KINDS = frozenset([_NONE_TYPE, bool, int, float])
_INF_NAN_WORDS = {
    "null": ("null", "null", "null"),
    "constants": ("NaN", "Infinity", "-Infinity"),
    "strings": ('"NaN"', '"Infinity"', '"-Infinity"'),
}
_FLOAT_MAX = sys.float_info.max


def is_plain(value: Any, depth: int = _PLAIN_DEPTH) -> bool:
    """Say whether the standard encoder writes `value` just as we must.

    True only for exact JSON types with str keys, at most `depth` deep, whose
    floats look the same in Python.  Lone surrogates and long ints are not
    looked for.
    """
    kind = type(value)
    if kind is float:
        return bool(1e-4 <= value <= _FLOAT_MAX or -_FLOAT_MAX <= value <= -1e-4 or -1e-9 < value < 1e-9)
    if kind is not dict and kind is not list:
        return kind in _SETTLED_KINDS
    if depth <= 0:
        return False
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str:
                return False
            # A positive number of usual size, most floats, needs no closer look.
            if type(item) in _SETTLED_KINDS or type(item) is float and 1e-4 <= item <= _FLOAT_MAX:
                continue
            if not is_plain(item, depth - 1):
                return False
        return True
    if _SETTLED_KINDS.issuperset(map(type, value)):
        return True
    if _NUMBER_KINDS.issuperset(map(type, value)):
        return not _has_odd_float([item for item in value if type(item) is float])
    return all(is_plain(item, depth - 1) for item in value)


def write_plain(value: Any) -> str:
    """Return the compact text of a value that `is_plain`; lone surrogates stay as they are."""
    return (_encoders_cache.get(",") or _load_encode(","))(value)


def write_members(members: Dict[Any, Any]) -> Optional[str]:
    """Return the compact text of an exact dict; None if it is not plain. Lone surrogates stay as they are."""
    if len(members) > _FEW_MEMBERS:
        return write_plain(members) if is_plain(members) else None
    if not members:
        return "{}"
    encode, starts = _quote_cache or _load_quote(), _key_texts
    out = "{"
    for key, item in members.items():
        if type(key) is not str:
            return None
        try:
            start = starts[key]
        except KeyError:
            start = _write_key(key)
        kind = type(item)
        # Of a few members one text that grows is faster than pieces that are joined.
        if kind is int or kind is float and 1e-4 <= item <= _FLOAT_MAX:
            out = f"{out}{start}{item!r},"
        elif kind is str:
            out = f"{out}{start}{encode(item)},"
        elif kind is bool:
            out = f"{out}{start}{'true' if item else 'false'},"
        elif item is None:
            out = f"{out}{start}null,"
        else:
            texts = [encode(part) if type(part) is str else "" for part in item] if kind is list else None
            if texts is not None and all(texts):
                out = f"{out}{start}[{','.join(texts)}],"
            elif is_plain(item):
                out = f"{out}{start}{write_plain(item)},"
            else:
                return None
    return out[:-1] + "}"


# Keys as they stand in front of their values; people use few, over and over.
_key_texts: Dict[str, str] = {}
_MOST_KEY_TEXTS = 1000
_LONG_KEY = 50
_FEW_MEMBERS = 16


def _write_key(key: str) -> str:
    start = quote(key) + ":"
    if len(_key_texts) < _MOST_KEY_TEXTS and len(key) <= _LONG_KEY:
        _key_texts[key] = start
    return start


class Layout:
    """Where the members of a container stand: compact, or with `indent` spaces a level.

    ``newline`` and ``comma`` part them, ``colon`` stands behind a key, ``inf_nan`` says how floats that are not finite
    are written, ``skips_none`` that fields that are None are not.
    """

    __slots__ = ("indent", "inf_nan", "skips_none", "depth", "newline", "comma", "colon", "_inner")

    def __init__(self, indent: Optional[int], inf_nan: str, skips_none: bool, depth: int = 0) -> None:
        self.indent = indent
        self.inf_nan = inf_nan
        self.skips_none = skips_none
        self.depth = depth
        self.newline = "" if indent is None else "\n" + " " * (indent * depth)
        self.comma = "," + self.newline
        self.colon = ":" if indent is None else ": "
        self._inner: Optional[Layout] = None

    def inner(self) -> "Layout":
        """Return the layout one level further in."""
        if self.indent is None:
            return self
        if self._inner is None:
            self._inner = Layout(self.indent, self.inf_nan, self.skips_none, self.depth + 1)
        return self._inner


_COMPACT = Layout(None, "null", False)


def make_layout(indent: Optional[int], inf_nan: str = "null", skips_none: bool = False) -> Layout:
    """Return the layout of a document's root."""
    if indent is None and inf_nan == "null" and not skips_none:
        return _COMPACT
    return Layout(indent, inf_nan, skips_none)


def write_plain_at(value: Any, layout: Layout) -> str:
    """Return the text of a value that `is_plain` where a layout puts it."""
    if layout.indent is None or type(value) not in _CONTAINERS:
        return write_plain(value)
    return "".join(_write_tree(value, set(), layout.indent, _INF_NAN_WORDS["null"], layout.depth))


def write_tree_at(tree: Any, layout: Layout) -> str:
    """Return the text of a tree, as `render` takes it, where a layout puts it."""
    odd = _find_odd(tree) if type(tree) in _CONTAINERS else {id(tree)}
    return "".join(_write_tree(tree, odd, layout.indent, _INF_NAN_WORDS[layout.inf_nan], layout.depth))


def write_int_lists(lists: List[Any], out: List[str], layout: Layout) -> bool:
    """Add the text of a list of lists of ints to ``out``; False if it is something else."""
    if not lists:
        out.append("[]")
        return True
    inner = layout.inner()
    comma = inner.inner().comma
    encode = _encoders_cache.get(comma) or _load_encode(comma)
    if not write_lists(lists, out, encode, inner.newline, inner.inner().newline):
        return False
    out.append(layout.newline + "]")
    return True


def write_float_list(floats: List[Any], layout: Layout) -> Optional[str]:
    """Return the text of a list of floats in pydantic's forms; None if it is something else."""
    if not consist_of(floats, _FLOAT_ONLY):
        return None
    if not floats:
        return "[]"
    inner = layout.inner()
    encode = _encoders_cache.get(inner.comma) or _load_encode(inner.comma)
    text = _mend_floats(encode(floats), inner.comma, _INF_NAN_WORDS[layout.inf_nan])
    return text if layout.indent is None else "[" + inner.newline + text[1:-1] + layout.newline + "]"


def join_pieces(pieces: List[str]) -> Optional[str]:
    """Return the pieces as one text, or None if one holds a lone surrogate."""
    text = "".join(pieces)
    if not text.isascii():
        try:
            for piece in pieces:
                if not piece.isascii():
                    piece.encode("utf-8")
        except UnicodeEncodeError:
            return None
    return text


def _find_odd(tree: Any) -> Set[int]:
    """Return the ids of all containers that the standard encoder would get wrong."""
    odd: Set[int] = set()
    levels: List[List[Tuple[Any, List[Any]]]] = []
    level: List[Any] = [tree]
    while level:
        rows: List[Tuple[Any, List[Any]]] = []
        below: List[Any] = []
        for container in level:
            plain, inner = _look_into(container)
            if not plain or len(levels) >= _PLAIN_DEPTH:
                odd.add(id(container))
            if inner:
                rows.append((container, inner))
                below += inner
        levels.append(rows)
        level = below
    if odd:
        # What holds an odd container is odd too.
        for rows in reversed(levels):
            for container, inner in rows:
                if not odd.isdisjoint(map(id, inner)):
                    odd.add(id(container))
    return odd


def _look_into(container: Any) -> Tuple[bool, List[Any]]:
    """Return whether a container is plain by itself, and the containers in it."""
    kind = type(container)
    plain = True
    if kind is list:
        items = container
    elif kind is dict:
        items = container.values()
        plain = {str}.issuperset(map(type, container))
    else:
        items = [value for _, value in container]
        plain = False
    kinds = set(map(type, items))
    inner = []
    if not kinds <= _FLAT_KINDS:
        plain = plain and kinds <= _EXACT_KINDS
        inner = [item for item in items if type(item) in _CONTAINERS]
    if plain and float in kinds:
        floats = items if len(kinds) == 1 else [item for item in items if type(item) is float]
        plain = not _has_odd_float(floats)
    return plain, inner


def _has_odd_float(floats: Any) -> bool:
    """Say whether Python writes one of the floats in another form than we must."""
    for x in floats:
        if not (1e-4 <= x <= _FLOAT_MAX or -_FLOAT_MAX <= x <= -1e-4 or -1e-9 < x < 1e-9):
            return True
    return False


_encoders_cache: Dict[str, Callable[[Any], str]] = {}


def _encode_plain(value: Any, separator: str) -> str:
    """Encode with the standard library; `separator` stands between elements."""
    encode = _encoders_cache.get(separator) or _load_encode(separator)
    return encode(value)


def _load_encode(separator: str) -> Callable[[Any], str]:
    import json
    import json.encoder

    encoder = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(separator, ":"))
    encode: Callable[[Any], str] = encoder.encode
    make_encoder = getattr(json.encoder, "c_make_encoder", None)
    if make_encoder is not None:
        # The public encoder makes one of these for every document.
        pieces = make_encoder(
            None, encoder.default, json.encoder.encode_basestring, None, ":", separator, False, False, True
        )

        def encode_pieces(value: Any) -> str:
            return "".join(pieces(value, 0))

        encode = encode_pieces
    if len(_encoders_cache) > 1000:
        _encoders_cache.clear()
    _encoders_cache[separator] = encode
    return encode


def _write_tree(
    tree: Any, odd: Set[int], indent: Optional[int], words: Tuple[str, str, str], outer: int = 0
) -> List[str]:
    """Return the pieces of the text of a tree `outer` levels deep, walking with a stack of our own."""
    out: List[str] = []
    around: List[Tuple[Iterator[Tuple[str, Any]], str]] = [(iter([("", tree)]), "")]
    while around:
        members, closing = around[-1]
        for lead, value in members:
            out.append(lead)
            if type(value) not in _CONTAINERS:
                out.append(_write_scalar(value, words))
            elif not value:
                out.append("[]" if type(value) is list else "{}")
            else:
                depth = len(around) + outer
                newline = "" if indent is None else "\n" + " " * (indent * depth)
                text = _write_at_once(value, id(value) in odd, newline, indent, words)
                end = "" if indent is None else "\n" + " " * (indent * (depth - 1))
                is_list = type(value) is list
                if text is not None:
                    out.append(text if indent is None else "[" + newline + text[1:-1] + end + "]")
                    continue
                out.append("[" if is_list else "{")
                lines = _list_members(value, newline) if is_list else _dict_members(value, newline)
                around.append((lines, end + ("]" if is_list else "}")))
                break
        else:
            out.append(closing)
            around.pop()
    return out


def _list_members(items: List[Any], newline: str) -> Iterator[Tuple[str, Any]]:
    """Yield the text before each element, and the element."""
    lead = newline
    for item in items:
        yield lead, item
        lead = "," + newline


def _dict_members(members: Any, newline: str) -> Iterator[Tuple[str, Any]]:
    """Yield the text before each value, and the value."""
    lead = newline
    colon = ": " if newline else ":"
    for key, value in members.items() if type(members) is dict else members:
        yield lead + quote(key) + colon, value
        lead = "," + newline


def _write_at_once(
    value: Any, is_odd: bool, newline: str, indent: Optional[int], words: Tuple[str, str, str]
) -> Optional[str]:
    """Return the text of a container the standard encoder can do, else None."""
    separator = "," + newline
    try:
        if indent is None and not is_odd:
            return _encode_plain(value, separator)
        if type(value) is not list:
            return None
        kinds = set(map(type, value))
        if kinds <= _NUMBER_KINDS:
            text = _encode_plain(value, separator)
            return _mend_floats(text, separator, words) if float in kinds else text
        if kinds <= _FLAT_KINDS and not is_odd:
            return _encode_plain(value, separator)
    except (ValueError, RecursionError):
        pass  # a long int, or a caller that left too little stack
    return None


# Fewer exponents than one in so many characters are looked at one by one.
_FEW_AMONG = 500


def _mend_floats(text: str, separator: str, words: Tuple[str, str, str]) -> str:
    """Turn the standard encoder's list of numbers into our float forms."""
    if "N" in text or "I" in text:
        nan, inf, minus_inf = words
        # Hidden first, so that no word is replaced inside another.
        text = text.replace("-Infinity", "-I").replace("Infinity", "+I").replace("NaN", nan)
        text = text.replace("-I", minus_inf).replace("+I", inf)
    n_exponents = text.count("e")
    if n_exponents > len(text) // _FEW_AMONG:
        parts = text[1:-1].split(separator)
        mended = [_widen(part) if "e-0" in part else part for part in parts]
        text = "[" + separator.join(mended) + "]"
    elif n_exponents:
        pieces = []
        done = place = 0
        for _ in range(n_exponents):
            place = text.find("e", place + 1)
            if not text.startswith("e-0", place):
                continue
            before, after = text.rfind(separator, done, place), text.find(separator, place)
            start = before + len(separator) if before >= 0 else 1
            end = after if after >= 0 else len(text) - 1
            pieces += [text[done:start], _widen(text[start:end])]
            done = end
        text = "".join(pieces) + text[done:]
    return text


def _write_scalar(value: Any, words: Tuple[str, str, str]) -> str:
    """Return the text of a value that is no container."""
    kind = type(value)
    if kind is str:
        return quote(value)
    if kind is float:
        if value - value == 0:
            return format_float(value)
        return words[0] if value != value else words[1] if value > 0 else words[2]
    if kind is int:
        return _format_int(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    raise TypeError("Not a plain JSON value: %r" % (value,))


def format_float(x: float) -> str:
    """Return the JSON text of a finite float: positional from 1e-5 to 1e16."""
    text = float.__repr__(x)
    return _widen(text) if "e-0" in text else text


def _widen(text: str) -> str:
    """Mend an exponent from -05 to -09, which Python pads: 1.5e-05 is 0.000015."""
    mantissa, _, exponent = text.partition("e-0")
    if exponent != "5":
        return mantissa + "e-" + exponent
    sign = "-" if mantissa[0] == "-" else ""
    return sign + "0.0000" + mantissa.lstrip("-").replace(".", "")


def _format_int(number: int) -> str:
    """Return str(number) whatever limit the interpreter has."""
    try:
        return int.__repr__(number)
    except ValueError:
        sign = "-" if number < 0 else ""
        # log10(2) rounded up, so never too few.
        width = abs(number).bit_length() * 30103 // 100000 + 1
        return sign + _to_digits(abs(number), width).lstrip("0")


def _to_digits(number: int, width: int) -> str:
    """Return a number below 10**width with leading zeros."""
    if width <= _DIGITS_WRITTEN:
        return int.__repr__(number).zfill(width)
    half = width // 2
    high, low = divmod(number, 10**half)
    return _to_digits(high, width - half) + _to_digits(low, half)


_quote_cache: Optional[Callable[[str], str]] = None


def quote(s: str, ensure_ascii: bool = False) -> str:
    """Return a string as JSON text, quotes included."""
    text = (_quote_cache or _load_quote())(s)
    return _escape_wide(text) if ensure_ascii else text


def _load_quote() -> Callable[[str], str]:
    global _quote_cache
    from json.encoder import encode_basestring

    _quote_cache = encode_basestring
    return encode_basestring


_wide_pattern: Optional["Pattern[str]"] = None


def _escape_wide(text: str) -> str:
    r"""Write all that is not ASCII as ``\uxxxx``; unlike in ``json``, DEL stays."""
    global _wide_pattern
    if text.isascii():
        return text
    if _wide_pattern is None:
        import re

        _wide_pattern = re.compile("[^\x00-\x7f]+")
    from json.encoder import encode_basestring_ascii

    return _wide_pattern.sub(lambda match: encode_basestring_ascii(match.group())[1:-1], text)


def _refuse_surrogates(tree: Any) -> None:
    """Raise the UnicodeEncodeError of the first string that has a lone surrogate."""
    around: List[Iterator[Any]] = [iter([tree])]
    while around:
        for value in around[-1]:
            kind = type(value)
            if kind is str:
                value.encode("utf-8")
            elif kind is list:
                around.append(iter(value))
                break
            elif kind in _CONTAINERS:
                pairs = value.items() if kind is dict else value
                around.append(iter([part for pair in pairs for part in pair]))
                break
        else:
            around.pop()
''')


# ====================================================================================================================
# harbor/codec/plan/base.py, which runs when it is first used
# ====================================================================================================================

_later("codec.plan.base", """
        Fault Invalid clip_repr Hint Layout is_plain write_plain_at""", r'''
"""What every plan is, what one call carries along, and how a described type becomes a plan.

In: ``Hint``. Out: ``Plan`` objects, one class per kind of type, built once per class and kept on it. The kinds
themselves stand in the other modules of this folder, which register their makers here.
"""

import sys
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Set, Tuple

# How exactly an input matched, for the choice a union makes.
LAX, STRICT, EXACT = 0, 1, 2

_MAX_NESTED = 255

NO_TYPES: FrozenSet[type] = frozenset()
# What `Plan.copy` gives for a value that only `Plan.dump` can judge.
NOT_COPIED: Any = object()


class CheckCall:
    """Options and state of one validation; ``exactness`` and ``n_fields_set`` serve unions.

    Options that are not given stand on the class, so that a call without any costs little.
    """

    from_json = False
    strings = False
    strict = False
    extra: Optional[str] = None
    from_attributes = False
    context: Any = None
    exactness = EXACT
    n_fields_set: Optional[int] = None
    in_union = False
    # Whether models are made the quick way: None before the first one, False once one of them was not right.
    quick: Optional[bool] = None
    # The inputs of recursive classes that are being checked.
    seen: Optional[Set[Tuple[int, int]]] = None
    # Whether the key of a JSON object is checked, which is text as if ``strings`` were set, but counts as less exact.
    in_key = False
    # The JSON document being read, as long as nobody has looked for keys that stand twice in one object.
    document: Any = None
    # Lists that are known to hold ints alone, by their id.
    proven: Dict[int, List[Any]] = {}
    # Whether objects may be RepeatedObjects, which must not come out again.
    has_repeats = False

    def lower(self, exactness: int) -> None:
        """Note that the input matched no better than this."""
        if exactness < self.exactness:
            self.exactness = exactness

    def enter(self, plan: "Plan", value: Any) -> Tuple[int, int]:
        """Note that a recursive plan checks a value; a value inside itself is a fault, and so is too deep a nest."""
        place = (id(plan), id(value))
        if self.seen is None:
            self.seen = set()
        if place in self.seen:
            raise self.invalid("recursion_loop", value)
        if len(self.seen) >= _MAX_NESTED:
            raise self.invalid("recursion_depth_exceeded", value)
        self.seen.add(place)
        return place

    def leave(self, place: Tuple[int, int]) -> None:
        """Note that it is done."""
        if self.seen is not None:
            self.seen.discard(place)

    def look_for_repeats(self, keys: Any) -> None:
        """Make sure that no key of an object stands twice in the document, or raise ``RepeatedKeys``.

        A reader of JSON keeps the last of two values; a dict of one type must check both.
        """
        document = self.document
        if document is None:
            return
        if len(keys) <= 16 or len(document) < 100000:
            escape: Any = "\\u" if isinstance(document, str) else b"\\u"
            if escape not in document and all(document.count(_quote_key(key, document)) == 1 for key in keys):
                return
        raise RepeatedKeys

    def invalid(self, kind: str, value: Any, ctx: Optional[Dict[str, Any]] = None) -> Invalid:
        """Make the exception for one fault of ``value``."""
        return Invalid([Fault(kind, value, ctx, self.from_json)])


class RepeatedKeys(Exception):
    """A sign that the document must be read again with every key of its objects."""


class RepeatedObject(Dict[str, Any]):
    """A JSON object in which a key stands twice: a dict, and all its ``pairs`` in order."""

    def __init__(self, pairs: List[Tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


def forget_repeats(value: Any) -> Any:
    """Give a JSON value with plain dicts alone."""
    if isinstance(value, dict):
        return {key: forget_repeats(part) for key, part in value.items()}
    return [forget_repeats(part) for part in value] if isinstance(value, list) else value


def _quote_key(key: str, document: Any) -> Any:
    return '"%s"' % key if isinstance(document, str) else b'"%s"' % key.encode("utf-8", "surrogatepass")


class NotQuick(Exception):
    """A sign that models must be made the exact way."""


class Mismatch(Exception):
    """A value that is not what a plan dumps, raised only while a union looks for a choice that fits."""


class DumpCall:
    """Options and state of one dump.

    ``mode`` is "python" or "json"; ``text`` says that JSON text will be made of the result, where some errors
    differ. ``trial`` is set while a union tries its choices: None, "strict" or "lax". Options that are not given stand
    on the class.
    """

    mode = "python"
    text = False
    exclude_unset = False
    exclude_defaults = False
    exclude_none = False
    exclude_computed = False
    round_trip = False
    fallback: Any = None
    as_any = False
    polymorphic = False
    trial: Optional[str] = None
    field: Optional[str] = None
    depth = 0

    def __init__(self, mode: str = "python", text: bool = False) -> None:
        if mode == "json":
            self.mode = mode
            self.text = text
        self.warned: List[str] = []
        # The values that are being dumped, by their id.
        self.ids: Dict[int, int] = {}

    def warn(self, expected: str, value: Any) -> None:
        """Note a value of an unexpected type; inside a union's trial, give the choice up instead.

        None is never worth a warning: a field that was left out of a construction says nothing.
        """
        if value is None:
            return
        if self.trial is not None:
            raise Mismatch(self.describe_unexpected(expected, value))
        self.warned.append(self.describe_unexpected(expected, value))

    def warn_text(self, text: str) -> None:
        """Note a warning already put into words."""
        if self.trial is not None:
            raise Mismatch(text)
        self.warned.append(text)

    def miss_fields(self, expected: str, value: Any, n_wanted: int, n_found: int) -> Mismatch:
        """Give up a choice whose value lacks fields."""
        where = "" if self.field is None else "field_name=%r, " % self.field
        return Mismatch(
            "PydanticSerializationUnexpectedValue(Expected %d fields but got %d: Expected `%s` - serialized value may "
            "not be as expected [%sinput_value=%s, input_type=%s])"
            % (n_wanted, n_found, expected, where, clip_repr(value), type(value).__name__))

    def describe_unexpected(self, expected: str, value: Any) -> str:
        where = "" if self.field is None else "field_name=%r, " % self.field
        return (
            "PydanticSerializationUnexpectedValue(Expected `%s` - serialized value may not be as expected "
            "[%sinput_value=%s, input_type=%s])" % (expected, where, clip_repr(value), type(value).__name__))


class Plan:
    """How values of one type are checked and dumped.

    ``title`` names the type in errors, ``dump_title`` in a dump's warnings. ``exact`` holds the types whose values
    every check accepts as they are. ``check`` returns the checked value or raises ``Invalid``; ``dump`` returns plain
    data, or JSON-ready data in mode "json".
    """

    __slots__ = ("title", "dump_title", "exact")
    # Whether a union that found no choice with a strict look looks again for its sake.
    looks_twice = False
    title: str
    dump_title: str
    exact: FrozenSet[type]

    def check(self, value: Any, call: CheckCall) -> Any:
        raise NotImplementedError

    def lacks_keys(self, value: Any) -> bool:
        """Tell at C speed whether a check of a dict is sure to fail, because keys are missing."""
        return False

    def accepts(self, value: Any, call: CheckCall) -> bool:
        """Tell at C speed whether a value fresh from the JSON reader may stay as it is."""
        return type(value) in self.exact

    def writes_itself(self, value: Any) -> bool:
        """Tell whether the value as it stands is its own dump to JSON, without a warning; False means "unsure"."""
        kind = type(value)
        return kind in self.exact and (kind is not float or is_plain(value))

    def write(self, value: Any, out: List[str], layout: Layout) -> bool:
        """Add the value's JSON text to ``out`` if it is surely right and nothing is to be said; else give False.

        After False, what was added to ``out`` is of no use.
        """
        if not self.writes_itself(value):
            return False
        out.append(write_plain_at(value, layout))
        return True

    def copy(self, value: Any) -> Any:
        """Give the value's dump in mode "python" if nothing is to be said of it, else ``NOT_COPIED``."""
        return value if type(value) in self.exact else NOT_COPIED

    def growing_names(self, seen: Set[Any]) -> FrozenSet[str]:
        """Give the names of keys below which there are lists of lists of numbers, which tend to grow."""
        return frozenset()

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        raise NotImplementedError

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        """Dump a value that is the key of a dict."""
        raise NotImplementedError

    def schema(self, book: Any) -> Dict[str, Any]:
        """Describe the type as JSON schema; ``book`` collects what is referred to by name."""
        raise NotImplementedError


def check_part(plan: Plan, part: Any, call: CheckCall) -> Any:
    """Check a part of a container; where only text is read, a part must be text or a dict."""
    if call.strings:
        demand_text(part, call)
    elif type(part) in plan.exact and not call.in_union:
        return part
    return plan.check(part, call)


def demand_text(part: Any, call: CheckCall) -> None:
    """Refuse what is neither text nor a dict."""
    if not isinstance(part, (str, dict)):
        raise call.invalid("string_type", part)


Build = Callable[[Hint], Plan]
_MAKERS: Dict[str, Callable[[Hint, Build], Any]] = {}


def register_kind(kind: str, make: Callable[[Hint, Build], Any]) -> None:
    """Say how the plan of a kind of type is made: ``make(hint, build)``, where ``build`` makes those of its parts."""
    _MAKERS[kind] = make


# Where a class keeps its plan. TypedDicts and dataclasses take what to do with extra keys from the model around them,
# so they keep one plan for each.
_KEPT: Dict[str, str] = {"ignore": "__codec_plan__", "allow": "__codec_plan_allow__", "forbid": "__codec_plan_forbid__"}


def build_plan(hint: Hint, extra: str = "ignore") -> Plan:
    """Build the plan of a described type, and of every class it mentions that has none yet."""
    started: Dict[Tuple[Any, str], Any] = {}

    def builder(extra: str) -> Build:
        def build(inner: Hint) -> Plan:
            if inner.kind not in ("record", "typed-dict"):
                made: Plan = _MAKERS[inner.kind](inner, build)
                return made
            place = (inner.source, _place_of(inner.source, extra))
            plan = inner.source.__dict__.get(place[1])
            if plan is None and place in started:
                plan = started[place]
                plan.is_recursive = not plan.is_complete
            if plan is None:
                # A class may mention itself: its plan stands before its parts are built.
                started[place] = plan = _MAKERS[inner.kind](inner, build)
                own = getattr(inner.source, "model_config", {}).get("extra", "ignore")
                plan.extra = own if plan.is_model else extra
                plan.complete(builder(plan.extra))
                plan.is_complete = True
            return plan  # type: ignore[no-any-return]  # what stands on a class is its plan

        return build

    plan = builder(extra)(hint)
    for (cls, place), kept in started.items():
        # Published only when every part is complete: other threads see a whole plan or none.
        type.__setattr__(cls, place, kept)
    return plan


def kept_plan(cls: Any) -> Optional[Plan]:
    """Give the plan a class carries already for use outside of any model."""
    plan: Optional[Plan] = cls.__dict__.get(_KEPT["ignore"])
    return plan


def _place_of(cls: Any, extra: str) -> str:
    return _KEPT["ignore" if hasattr(cls, "__codec_model__") else extra]


def is_from(value_type: type, module: str, name: str) -> bool:
    """Tell whether a type is, or comes from, a class of a module that this one must not import."""
    cls = getattr(sys.modules.get(module), name, None)
    return cls is not None and issubclass(value_type, cls)
''')


# ====================================================================================================================
# harbor/codec/plan/filters.py, which runs when it is first used
# ====================================================================================================================

_later("codec.plan.filters", "", r'''
"""``include`` and ``exclude``: which keys and indexes a dump keeps, and what holds below them.

In: the two arguments as users write them (sets, dicts, lists, ``__all__``, ``True`` or ``...`` for a whole part).
Out: for each key, whether it stays, and the two arguments for what is below it.
"""

from typing import Any, Optional, Tuple

_ALL = "__all__"


def filter_key(key: Any, include: Any, exclude: Any) -> Optional[Tuple[Any, Any]]:
    """Decide on one key: None where it is left out, else ``include`` and ``exclude`` for its value."""
    below_exclude = None
    if exclude is not None:
        found, below = _look_up(key, exclude, "exclude")
        if found and _is_whole(below):
            return None
        below_exclude = below
    if include is None:
        return None, below_exclude
    found, below = _look_up(key, include, "include")
    if not found:
        return None
    return (None if _is_whole(below) else below), below_exclude


def fit_indexes(selection: Any, length: int) -> Any:
    """Take the indexes of a selection modulo the length of the list, as pydantic does."""
    if selection is None or not length:
        return selection
    if isinstance(selection, dict):
        return {_fit_index(index, length): below for index, below in selection.items()}
    if isinstance(selection, set):
        return {_fit_index(index, length) for index in selection}
    if hasattr(type(selection), "__contains__") and hasattr(type(selection), "__iter__"):
        return {_fit_index(index, length) for index in selection}
    return selection


def _fit_index(index: Any, length: int) -> Any:
    try:
        return index % length if not isinstance(index, str) else index
    except TypeError:
        return index


def _is_whole(below: Any) -> bool:
    return below is True or below is ...


def _look_up(key: Any, selection: Any, name: str) -> Tuple[bool, Any]:
    """Find a key in a selection: whether it is named, and what holds below it (True: all of it)."""
    if isinstance(selection, dict):
        return _look_up_dict(key, selection)
    if isinstance(selection, set) or hasattr(type(selection), "__contains__"):
        found = key in selection or _ALL in selection
        return found, True if found else None
    raise TypeError("`%s` argument must be a set or dict." % name)


def _look_up_dict(key: Any, selection: Any) -> Tuple[bool, Any]:
    own, everywhere = key in selection, _ALL in selection
    if own and everywhere:
        mine, common = selection[key], selection[_ALL]
        if _is_whole(mine) or _is_whole(common):
            return True, mine
        return True, _merge_selections(_as_dict(mine), _as_dict(common))
    if own or everywhere:
        return True, selection[key if own else _ALL]
    return False, None


def _as_dict(selection: Any) -> Any:
    if isinstance(selection, dict):
        return dict(selection)
    if isinstance(selection, set):
        return {key: ... for key in selection}
    raise TypeError(
        "`include` and `exclude` must be of type `dict[str | int, <recursive> | ...] | set[str | int | ...]`")


def _merge_selections(mine: Any, common: Any) -> Any:
    for key, below in common.items():
        if key not in mine:
            mine[key] = below
        elif not (_is_whole(mine[key]) or _is_whole(below)):
            mine[key] = _merge_selections(_as_dict(mine[key]), _as_dict(below))
    return mine
''')


# ====================================================================================================================
# harbor/codec/plan/anything.py, which runs when it is first used
# ====================================================================================================================

_later("codec.plan.anything", """
        fields_of SerializationError Hint write_date write_datetime write_time write_timedelta Pairs is_plain NO_TYPES
        NOT_COPIED STRICT Build CheckCall DumpCall Plan build_plan forget_repeats is_from kept_plan register_kind
        filter_key fit_indexes""", r'''
"""Dumping a value of which no type is known, and the plan of ``Any``.

In: any Python value. Out: plain data (mode "python") or JSON-ready data (mode "json"), as pydantic infers them:
containers are rebuilt, enums give their value, dates and paths their text. Modules such as ``datetime`` are looked
up among those already imported: if one is not there, no value can be of its types.
"""

import math
import sys
from typing import Any, Callable, Dict, Iterator, List, Tuple

_MAX_DEPTH = 255
_NESTING = frozenset(("list", "tuple", "set", "deque", "dict", "dataclass"))
_PLAIN_TYPES = frozenset((type(None), bool, int, str))
_ENDS = _PLAIN_TYPES | {float}
# Less deep than any limit of a dump; what contains itself is deeper than everything.
_COPY_DEPTH = 50

# (module, class) -> family; the first class of a type's MRO that stands here says what a value is.
_FAMILIES: Dict[Tuple[str, str], str] = {
    ("builtins", "NoneType"): "plain", ("builtins", "bool"): "bool", ("builtins", "int"): "int",
    ("builtins", "str"): "str", ("builtins", "float"): "float", ("builtins", "complex"): "complex",
    ("builtins", "bytes"): "bytes", ("builtins", "bytearray"): "bytes",
    ("builtins", "tuple"): "tuple", ("builtins", "list"): "list", ("builtins", "set"): "set",
    ("builtins", "frozenset"): "set", ("builtins", "dict"): "dict", ("collections", "deque"): "deque",
    ("collections", "OrderedDict"): "dict", ("collections", "Counter"): "dict",
    ("datetime", "datetime"): "datetime", ("datetime", "date"): "date", ("datetime", "time"): "time",
    ("datetime", "timedelta"): "timedelta", ("decimal", "Decimal"): "text", ("fractions", "Fraction"): "fraction",
    ("uuid", "UUID"): "text", ("pathlib", "Path"): "text",
    ("ipaddress", "IPv4Address"): "text", ("ipaddress", "IPv6Address"): "text",
    ("ipaddress", "IPv4Network"): "text", ("ipaddress", "IPv6Network"): "text",
    ("ipaddress", "IPv4Interface"): "text", ("ipaddress", "IPv6Interface"): "text",
    ("re", "Pattern"): "pattern", ("enum", "Enum"): "enum",
}
_KNOWN_FAMILIES: Dict[type, str] = {}


class SerializationIterator:
    """A generator that is dumped element by element while it is read; it can be read once."""

    def __init__(self, iterator: Iterator[Any], call: DumpCall, include: Any, exclude: Any) -> None:
        self._iterator = iterator
        self._call = call
        self._include = include
        self._exclude = exclude
        self._index = 0

    def __iter__(self) -> "SerializationIterator":
        return self

    def __next__(self) -> Any:
        while True:
            value = next(self._iterator)
            kept = filter_key(self._index, self._include, self._exclude)
            self._index += 1
            if kept is not None:
                return dump_any(value, self._call, *kept)

    def __repr__(self) -> str:
        return "SerializationIterator(index=%d, iterator=%r)" % (self._index, self._iterator)


class AnyPlan(Plan):
    """Any value at all."""

    __slots__ = ()
    title = dump_title = "any"
    exact = NO_TYPES

    def check(self, value: Any, call: CheckCall) -> Any:
        # A union prefers a value left alone to one converted.
        call.lower(STRICT)
        return forget_repeats(value) if call.has_repeats else value

    def accepts(self, value: Any, call: CheckCall) -> bool:
        return True

    def writes_itself(self, value: Any) -> bool:
        return is_plain(value)

    def copy(self, value: Any) -> Any:
        return value if type(value) in _ENDS else copy_plain(value)

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if call.depth >= _MAX_DEPTH and call.mode == "json":
            raise ValueError("Maximum serialization depth exceeded")
        return dump_any(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        return dump_any_key(key, call)

    def schema(self, book: Any) -> Dict[str, Any]:
        return {}


def _make_any(hint: Hint, build: Build) -> Plan:
    return _ANY


_ANY = AnyPlan()
register_kind("any", _make_any)


def copy_plain(value: Any, depth: int = _COPY_DEPTH) -> Any:
    """Copy exact dicts with text for keys, exact lists and what they hold; ``NOT_COPIED`` for all else."""
    kind = type(value)
    if depth == 0 or kind is not dict and kind is not list:
        return NOT_COPIED
    if kind is list:
        if _ENDS.issuperset(map(type, value)):
            return value[:]
        out = value[:]
        pairs: Any = enumerate(value)
    else:
        # What it holds may be replaced while it is gone through; its keys stay.
        out = value.copy()
        pairs = out.items()
    for key, part in pairs:
        if kind is dict and type(key) is not str:
            return NOT_COPIED
        if type(part) not in _ENDS:
            out[key] = part = copy_plain(part, depth - 1)
            if part is NOT_COPIED:
                return NOT_COPIED
    return out


def dump_any(value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
    """Dump a value by what it is.

    Raises ``SerializationError`` for a value that JSON cannot say, ``ValueError`` for one that contains itself.
    """
    kind = type(value)
    if kind in _PLAIN_TYPES:
        return check_text(value) if kind is str and call.text else value
    if kind is float:
        return None if call.mode == "json" and not call.text and not math.isfinite(value) else value
    identity = id(value)
    if identity in call.ids or call.depth >= _MAX_DEPTH:
        if call.mode != "json":
            return value
        raise ValueError(
            "Circular reference detected (id repeated)" if identity in call.ids
            else "Maximum serialization depth exceeded")
    family = _family_of(kind)
    if call.depth == _MAX_DEPTH - 1 and call.mode == "json" and family in _NESTING and value:
        # What is inside would be too deep, were it only a number.
        raise ValueError("Maximum serialization depth exceeded")
    call.ids[identity] = 1
    call.depth += 1
    try:
        return _DUMPERS[family](value, call, include, exclude)
    finally:
        del call.ids[identity]
        call.depth -= 1


def dump_any_key(key: Any, call: DumpCall) -> Any:
    """Dump the key of a dict: as any value in mode "python", as text in mode "json"."""
    if call.mode != "json":
        return dump_any(key, call)
    try:
        return _json_key(key, call)
    except SerializationError as exc:
        if not call.text:
            raise
        raise SerializationError("Error serializing to JSON: SerializationError: %s" % exc) from None


def check_text(text: str) -> str:
    """Refuse text that UTF-8 cannot hold, with Python's own words for it."""
    if not text.isascii():
        text.encode("utf-8")
    return text


def check_name(name: Any) -> None:
    """Refuse what cannot be the name of a field, known or not, as pydantic words it."""
    if not isinstance(name, str):
        shown = "'None'" if name is None else "'%s' object" % type(name).__name__
        raise TypeError("%s is not an instance of 'str'" % shown)
    check_text(name)


def _family_of(kind: type) -> str:
    family = _KNOWN_FAMILIES.get(kind)
    if family is None:
        family = _find_family(kind)
        if len(_KNOWN_FAMILIES) < 2000 and kind.__module__ == "builtins":
            _KNOWN_FAMILIES[kind] = family
    return family


def _find_family(kind: type) -> str:
    if hasattr(kind, "__codec_model__"):
        return "model"
    if hasattr(kind, "__dataclass_fields__"):
        return "dataclass"
    if is_from(kind, "enum", "Enum"):
        return "enum"
    for base in kind.__mro__:
        module = "pathlib" if base.__module__ == "pathlib._local" else base.__module__
        family = _FAMILIES.get((module, base.__name__))
        if family is not None and getattr(sys.modules.get(module), base.__name__, base) is base:
            return family
    if hasattr(kind, "__next__") and hasattr(kind, "__iter__"):
        return "iterator"
    return "unknown"


def _dump_plain(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    return value


def _dump_int(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    return int.__add__(value, 0) if call.mode == "json" else value


def _dump_float(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    if call.mode != "json":
        return value
    number = float.__float__(value)
    return None if not call.text and not math.isfinite(number) else number


def _dump_str(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    if call.mode != "json":
        return value
    return check_text(str.__str__(value))


def _dump_bytes(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    if call.mode != "json":
        return value
    if not call.text:
        return _decode(value)
    data = bytes(value)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise SerializationError("Error serializing to JSON: " + _describe_bad_utf8(data, exc)) from None


def _decode(value: Any) -> str:
    data = bytes(value)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise UnicodeDecodeError("utf-8", data, exc.start, exc.end, "invalid utf-8") from None


def _describe_bad_utf8(data: bytes, exc: UnicodeDecodeError) -> str:
    """Say what Rust says of bytes that are not UTF-8."""
    if exc.end == len(data) and "unexpected end" in exc.reason:
        return "incomplete utf-8 byte sequence from index %d" % exc.start
    return "invalid utf-8 sequence of %d bytes from index %d" % (exc.end - exc.start, exc.start)


def _dump_list(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    # Loops and no comprehensions here: before 3.12 each would cost a frame per level of nesting.
    out = []
    if include is None and exclude is None:
        for item in list.__iter__(value):
            out.append(dump_any(item, call))
        return out
    for item, below in choose_items(list(value), include, exclude):
        out.append(dump_any(item, call, *below))
    return out


def _dump_tuple(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    out = []
    for item, below in choose_items(list(tuple.__iter__(value)), include, exclude):
        out.append(dump_any(item, call, *below))
    return out if call.mode == "json" else tuple(out)


def choose_items(items: List[Any], include: Any, exclude: Any) -> Iterator[Tuple[Any, Tuple[Any, Any]]]:
    """Give the items of a list that a dump keeps, each with the ``include`` and ``exclude`` below it."""
    include, exclude = fit_indexes(include, len(items)), fit_indexes(exclude, len(items))
    for index, item in enumerate(items):
        kept = filter_key(index, include, exclude)
        if kept is not None:
            yield item, kept


def _dump_set(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    items = []
    for item in value:
        items.append(dump_any(item, call))
    if call.mode == "json":
        return items
    return frozenset(items) if isinstance(value, frozenset) else set(items)


def _dump_deque(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    items = []
    for item, below in choose_items(list(value), include, exclude):
        items.append(dump_any(item, call, *below))
    return items if call.mode == "json" else sys.modules["collections"].deque(items, value.maxlen)


def _dump_dict(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    pairs = []
    for key, item in dict.items(value):
        below = filter_key(key, include, exclude) if include is not None or exclude is not None else (None, None)
        if below is not None:
            name = dump_any_key(key, call)
            pairs.append((name, dump_any(item, call, *below)))
    if call.mode != "json" and type(value) is not dict:
        for name in ("OrderedDict", "Counter"):
            # These two keep their type; other subclasses become plain dicts.
            if is_from(type(value), "collections", name):
                return getattr(sys.modules["collections"], name)(dict(pairs))
    return make_object(pairs, call)


def make_object(pairs: List[Tuple[Any, Any]], call: DumpCall) -> Any:
    """Make a dict of pairs; JSON text keeps keys that clash, as pydantic's writer does."""
    out = dict(pairs)
    return Pairs(pairs) if call.text and len(out) != len(pairs) else out


def _dump_dataclass(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    pairs = []
    for field in fields_of(type(value)):
        if not hasattr(value, field.name):
            continue
        below = filter_key(field.name, include, exclude)
        if below is not None:
            pairs.append((field.name, dump_any(getattr(value, field.name), call, *below)))
    return make_object(pairs, call)


def _dump_model(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    call.ids.pop(id(value), None)
    plan = kept_plan(type(value)) or build_plan(Hint("record", (), type(value)))
    field, call.field = call.field, None
    try:
        return plan.dump(value, call, include, exclude)
    finally:
        call.field = field
        call.ids[id(value)] = 1


def _dump_enum(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    return dump_any(value.value, call, include, exclude) if call.mode == "json" else value


def _dump_iterator(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    if call.mode != "json":
        return SerializationIterator(value, call, include, exclude)
    out = []
    for index, item in enumerate(value):
        kept = filter_key(index, include, exclude)
        if kept is not None:
            out.append(dump_any(item, call, *kept))
    return out


def _dump_unknown(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    if call.fallback is not None:
        return dump_any(call.fallback(value), call, include, exclude)
    if call.mode == "json":
        raise unknown_type(value)
    return value


def unknown_type(value: Any) -> SerializationError:
    """Make the error for a value that JSON cannot say."""
    return SerializationError("Unable to serialize unknown type: %s" % show_class(type(value)))


def is_known_kind(kind: type) -> bool:
    """Tell whether pydantic has a plan for values of this very class, as it has for no subclass of a builtin."""
    is_builtin = _FAMILIES.get((kind.__module__, kind.__name__)) is not None and kind is not bytearray
    return is_builtin or _family_of(kind) in ("dataclass", "enum", "model", "text") or hasattr(kind, "_fields")


def show_class(kind: type) -> str:
    """Show a class as repr would, whatever its metaclass says."""
    return repr(kind)


def _written(write: Callable[[Any], str]) -> Callable[[Any, DumpCall, Any, Any], Any]:
    """Make a dumper that writes text in mode "json" and leaves the value alone otherwise."""

    def dump(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
        return write(value) if call.mode == "json" else value

    return dump


def _write_complex(value: Any) -> str:
    text = str(complex(value))
    text = text[1:-1] if text.startswith("(") else text
    return text.replace("nan", "NaN")


def _write_pattern(value: Any) -> str:
    return str(value.pattern)


def _dump_fraction(value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    return str(value)


_DUMPERS: Dict[str, Callable[[Any, DumpCall, Any, Any], Any]] = {
    "plain": _dump_plain, "bool": _dump_plain, "int": _dump_int, "float": _dump_float, "str": _dump_str,
    "complex": _written(_write_complex), "bytes": _dump_bytes, "tuple": _dump_tuple, "list": _dump_list,
    "set": _dump_set, "deque": _dump_deque, "dict": _dump_dict, "datetime": _written(write_datetime),
    "date": _written(write_date), "time": _written(write_time), "timedelta": _written(write_timedelta),
    "text": _written(str), "fraction": _dump_fraction, "pattern": _written(_write_pattern), "enum": _dump_enum,
    "dataclass": _dump_dataclass, "model": _dump_model, "iterator": _dump_iterator, "unknown": _dump_unknown,
}


def _name_family(value: Any, family: str) -> str:
    """Name a value as Rust knows it: by the builtin type it comes from."""
    if family == "iterator":
        return "generator"
    return "frozenset" if isinstance(value, frozenset) else family


def _json_key(key: Any, call: DumpCall) -> str:
    if type(key) is str:
        return check_text(key)
    family = _family_of(type(key))
    if family == "plain":
        return "None"
    if family == "bool":
        return "true" if key else "false"
    if family == "float":
        return str(key) if math.isfinite(key) else "None"
    if family == "int":
        return str(key)
    if family == "tuple":
        return ",".join(_json_key(item, call) for item in key)
    if family == "enum":
        return _json_key(key.value, call)
    if family in ("list", "set", "deque", "dict", "iterator"):
        raise TypeError("`%s` not valid as object key" % _name_family(key, family))
    if family in ("dataclass", "model"):
        return str(key)
    if family == "unknown":
        if call.fallback is not None:
            return _json_key(call.fallback(key), call)
        raise unknown_type(key)
    if family == "bytes":
        return _decode(key)
    return check_text(str(_DUMPERS[family](key, call, None, None)))
''')


# ====================================================================================================================
# harbor/codec/plan/scalars.py, which runs when it is first used
# ====================================================================================================================

_later("codec.plan.scalars", """
        Invalid replace_surrogates Hint Layout is_plain check_text dump_any dump_any_key LAX NO_TYPES STRICT Build
        CheckCall DumpCall Mismatch Plan is_from register_kind""", r'''
"""Plans of None, bool, int, float and str.

In: a value of any type. Out: the exact Python value, or the fault pydantic would name; and back.
"""

from typing import Any, Dict, FrozenSet, List, Optional, Tuple

_MAX_DIGITS = 4300
# pydantic has no limit here and works on Decimal("1e999999999") until the memory is gone.
_MAX_RATIO_DIGITS = 1000000
_INT64 = 1 << 63
# Unicode White_Space, which is what is trimmed around numbers in text; str.strip() would also take \x1c to \x1f.
_SPACE = " \t\n\r\x0b\x0c\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a" \
    "\u2028\u2029\u202f\u205f\u3000"
_TRUE_WORDS = frozenset(("1", "on", "t", "true", "y", "yes"))
_FALSE_WORDS = frozenset(("0", "off", "f", "false", "n", "no"))
_NUMBER_PATTERNS: Dict[str, Any] = {}


class ScalarPlan(Plan):
    """A plan whose exact type is dumped as it is."""

    __slots__ = ()
    # The types a key may have without a warning.
    key_types: Tuple[type, ...]

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if type(value) in self.exact:
            return value
        return self.dump_other(value, call, include, exclude)

    def dump_other(self, value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
        """Dump a value of another type: subclasses pass in silence, anything else warns."""
        call.warn(self.dump_title, value)
        return dump_any(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if type(key) not in self.exact and (call.trial == "strict" or not isinstance(key, self.key_types)):
            call.warn(self.dump_title, key)
        return dump_any_key(key, call)


def _refuse_kin(call: DumpCall) -> None:
    """Refuse a number of another type than the exact one where a union looks strictly."""
    if call.trial == "strict":
        raise Mismatch("PydanticSerializationUnexpectedValue(Unexpected Value)")


class NonePlan(ScalarPlan):
    """None alone."""

    __slots__ = ()
    title = dump_title = "none"
    exact = frozenset((type(None),))
    key_types = (type(None),)

    def check(self, value: Any, call: CheckCall) -> Any:
        if value is None:
            return None
        raise call.invalid("none_required", value)

    def schema(self, book: Any) -> Dict[str, Any]:
        return {"type": "null"}


class BoolPlan(ScalarPlan):
    """A bool; in lax mode also the usual words, 0 and 1."""

    __slots__ = ()
    title = dump_title = "bool"
    exact = frozenset((bool,))
    key_types = (bool,)

    def check(self, value: Any, call: CheckCall) -> Any:
        if value is True or value is False:
            return value
        if call.strict and not call.strings:
            raise call.invalid("bool_type", value)
        call.lower(_exactness_of_text(call))
        text = _text_of(value, call, "bool_parsing")
        if text is not None:
            word = text.lower()
            if word in _TRUE_WORDS:
                return True
            if word in _FALSE_WORDS:
                return False
            raise call.invalid("bool_parsing", value)
        number = value if isinstance(value, int) else number_of(value)
        if number is None or not -_INT64 <= number < _INT64 or number % 1:
            raise call.invalid("bool_type", value)
        if number == 0 or number == 1:
            return number == 1
        raise call.invalid("bool_parsing", value)

    def schema(self, book: Any) -> Dict[str, Any]:
        return {"type": "boolean"}


class IntPlan(ScalarPlan):
    """An int of any size; in lax mode also whole floats and decimal text."""

    __slots__ = ()
    looks_twice = True
    title = dump_title = "int"
    exact = frozenset((int,))
    key_types = (int,)

    def check(self, value: Any, call: CheckCall) -> Any:
        kind = type(value)
        if kind is int:
            return value
        if kind is not bool and isinstance(value, int):
            call.lower(STRICT)
            return _plain_int(value)
        if call.strict and not call.strings:
            raise call.invalid("int_type", value)
        call.lower(_exactness_of_text(call))
        if kind is bool:
            return int(value)
        text = _text_of(value, call, "int_parsing")
        if text is not None:
            return _read_int(text, value, call)
        if is_from(kind, "decimal", "Decimal") or is_from(kind, "fractions", "Fraction"):
            return _whole_ratio(value, call)
        number = value if kind is float else number_of(value)
        if number is not None:
            return _whole_number(number, value, call)
        if is_from(kind, "enum", "Enum"):
            # pydantic takes an enum's value here without looking at it.
            return value.value
        raise call.invalid("int_type", value)

    def dump_other(self, value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
        if isinstance(value, int):
            _refuse_kin(call)
            return _plain_int(value) if call.mode == "json" else dump_any(value, call)
        if call.text and call.trial is None and hasattr(type(value), "__index__"):
            return _plain_int(type(value).__index__(value))
        return super().dump_other(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if call.mode == "json" and isinstance(key, int) and not is_from(type(key), "enum", "Enum"):
            # Unlike a key of unknown type, True is "True".
            if type(key) is int or call.trial != "strict":
                return str(key)
        return super().dump_key(key, call)

    def schema(self, book: Any) -> Dict[str, Any]:
        return {"type": "integer"}


class FloatPlan(ScalarPlan):
    """A float; ints become floats, in lax mode also decimal text."""

    __slots__ = ()
    title = dump_title = "float"
    exact = frozenset((float,))
    key_types = (float, int)

    def writes_itself(self, value: Any) -> bool:
        return type(value) is float and is_plain(value)

    def write(self, value: Any, out: List[str], layout: Layout) -> bool:
        if type(value) is not float or not is_plain(value):
            return False
        out.append(repr(value))
        return True

    def check(self, value: Any, call: CheckCall) -> Any:
        kind = type(value)
        if kind is float:
            return value
        if kind is int:
            call.lower(STRICT)
            try:
                return float(value)
            except OverflowError:
                if call.from_json:
                    return float("inf") if value > 0 else float("-inf")
                raise call.invalid("float_type", value) from None
        if not call.strict or call.strings:
            text = _text_of(value, call, "float_parsing")
            if text is not None:
                call.lower(_exactness_of_text(call))
                return _read_float(text, value, call)
        if kind is bool:
            call.lower(LAX)
            if call.strict:
                raise call.invalid("float_type", value)
            return float(value)
        number = number_of(value)
        if number is None:
            raise call.invalid("float_type", value)
        call.lower(STRICT)
        return number

    def dump_other(self, value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
        if isinstance(value, (int, float)):
            _refuse_kin(call)
        if isinstance(value, float):
            return float.__float__(value) if call.mode == "json" else dump_any(value, call)
        if isinstance(value, int):
            if call.mode != "json":
                return value
            try:
                return float(value)
            except OverflowError:
                if not call.text:
                    raise
                call.warn(self.dump_title, value)
                return value
        # pydantic's JSON writer takes the float that C code sees in a value.
        number = number_of(value) if call.text and call.trial is None else None
        if number is not None:
            return number
        return super().dump_other(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if call.mode == "json" and isinstance(key, float):
            # Unlike a key of unknown type, a number that is not finite has its name.
            if type(key) is float or call.trial != "strict":
                return str(key)
        dumped = super().dump_key(key, call)
        return str(key) if call.mode == "json" and type(key) is bool else dumped

    def schema(self, book: Any) -> Dict[str, Any]:
        return {"type": "number"}


class StrPlan(ScalarPlan):
    """Text; in lax mode also bytes that are UTF-8."""

    __slots__ = ()
    title = dump_title = "str"
    exact = frozenset((str,))
    key_types = (str,)

    def check(self, value: Any, call: CheckCall) -> Any:
        kind = type(value)
        if kind is str:
            if call.from_json:
                # Text in JSON may stand for what JSON has no word for, so a union may prefer another reading.
                call.lower(STRICT)
            return value
        if isinstance(value, str):
            call.lower(STRICT)
            return str.__str__(value)
        if not call.strict:
            if isinstance(value, (bytes, bytearray)):
                call.lower(LAX)
                try:
                    return value.decode("utf-8")
                except UnicodeDecodeError:
                    raise call.invalid("string_unicode", value) from None
            if is_from(kind, "enum", "Enum"):
                call.lower(LAX)
                return str(value.value)
        raise call.invalid("string_type", value)

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if type(value) is str:
            return check_text(value) if call.text else value
        return self.dump_other(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if not isinstance(key, str):
            return super().dump_key(key, call)
        return replace_surrogates(str.__str__(key)) if call.mode == "json" else key

    def dump_other(self, value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
        if isinstance(value, str) and call.trial != "strict":
            return dump_any(value, call)
        return super().dump_other(value, call, include, exclude)

    def schema(self, book: Any) -> Dict[str, Any]:
        return {"type": "string"}


class BoundedPlan(Plan):
    """A plan whose values must also keep limits of size or length."""

    __slots__ = ("inner", "bounds", "given")

    def __init__(self, inner: Plan, bounds: Dict[str, Any]) -> None:
        self.inner = inner
        self.bounds = {name: _fit_limit(limit, inner) for name, limit in bounds.items()}
        self.given = bounds
        self.title, self.dump_title = inner.title, inner.dump_title
        self.exact = NO_TYPES

    def check(self, value: Any, call: CheckCall) -> Any:
        most = self.bounds.get("max_length")
        if most is not None and type(value) is list and len(value) > most and self.inner.title.startswith("list["):
            # The items of a list that is too long are not looked at.
            raise self._wrong_length("too_long", "max_length", value, value, call)
        checked = self.inner.check(value, call)
        if self.inner.title == "int" and not isinstance(checked, int):
            raise call.invalid("int_parsing_size", checked)  # the value of an enum's member, of another type
        for name, limit in self.bounds.items():
            kind, breaks = _LIMITS[name]
            try:
                broken = breaks(checked, limit)
            except TypeError:
                raise TypeError("Unable to apply constraint '%s' to supplied value %s" % (name, checked)) from None
            if broken and kind in ("too_short", "too_long"):
                raise self._wrong_length(kind, name, value, checked, call)
            if broken:
                raise call.invalid(kind, value, {name: limit})
        return checked

    def _wrong_length(self, kind: str, name: str, value: Any, checked: Any, call: CheckCall) -> Invalid:
        limit = self.bounds[name]
        if isinstance(checked, str):
            return call.invalid("string_" + kind, value, {name: limit})
        word = {"list": "List", "dict": "Dictionary"}.get(type(checked).__name__, "Value")
        # Where pydantic counts while it reads, it stops at the first item too many.
        is_counted = kind == "too_short" or isinstance(value, (list, tuple, set, frozenset))
        return call.invalid(
            kind, value, {"field_type": word, name: limit, "actual_length": len(checked) if is_counted else None})

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        return self.inner.dump(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        return self.inner.dump_key(key, call)

    def schema(self, book: Any) -> Dict[str, Any]:
        out = dict(self.inner.schema(book))
        kind = None if "enum" in out or "const" in out else out.get("format", out.get("type"))
        words = dict(_LENGTH_WORDS, **_LIMIT_WORDS.get(str(kind), {}))
        for name in _LIMITS_IN_ORDER:
            limit, word = self.given.get(name), words.get(name, name)
            # An infinite limit is none to pydantic, and those of a datetime are not shown.
            if limit is not None and word and not (word in _NUMBER_WORDS.values() and limit in _INFINITIES):
                out[word] = limit
        return out


# name of a limit -> kind of fault, and the test that says whether a value breaks it
_LIMITS: Dict[str, Tuple[str, Any]] = {
    "gt": ("greater_than", lambda value, limit: not value > limit),
    "ge": ("greater_than_equal", lambda value, limit: not value >= limit),
    "lt": ("less_than", lambda value, limit: not value < limit),
    "le": ("less_than_equal", lambda value, limit: not value <= limit),
    "min_length": ("too_short", lambda value, limit: len(value) < limit),
    "max_length": ("too_long", lambda value, limit: len(value) > limit),
}
LIMIT_NAMES: FrozenSet[str] = frozenset(_LIMITS)
_LIMITS_IN_ORDER = ("le", "ge", "lt", "gt", "min_length", "max_length")
_INFINITIES = (float("inf"), float("-inf"))
_NUMBER_WORDS = {"le": "maximum", "ge": "minimum", "lt": "exclusiveMaximum", "gt": "exclusiveMinimum"}
_LENGTH_WORDS = {"min_length": "minLength", "max_length": "maxLength"}
# What JSON schema calls the limits of a type; pydantic shows those it has no word for under their own names.
_LIMIT_WORDS: Dict[str, Dict[str, str]] = {
    "integer": _NUMBER_WORDS, "number": _NUMBER_WORDS, "date-time": dict.fromkeys(_NUMBER_WORDS, ""),
    "array": {"min_length": "minItems", "max_length": "maxItems"},
    "object": {"min_length": "minProperties", "max_length": "maxProperties"},
}


def _fit_limit(limit: Any, plan: Plan) -> Any:
    """Give a limit in the type of the values it holds for."""
    if plan.title == "float" and isinstance(limit, int):
        return float(limit)
    return int(limit) if plan.title == "int" and isinstance(limit, float) and limit == limit // 1 else limit


def _exactness_of_text(call: CheckCall) -> int:
    """Where nothing but text is given, a number in it is no worse than the text."""
    return STRICT if call.strings and not call.in_key else LAX


def _text_of(value: Any, call: CheckCall, kind: str) -> Optional[str]:
    """Give the text a lax number may be read from, or None where the value is no text."""
    if isinstance(value, str):
        if value.isascii():
            return value
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise call.invalid("string_unicode", value) from None
        return value
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            raise call.invalid(kind, value) from None
    return None


def number_of(value: Any) -> Optional[float]:
    """Give the float that C code would see in a value: through __float__, else __index__."""
    kind = type(value)
    try:
        if hasattr(kind, "__float__"):
            number = kind.__float__(value)
        elif hasattr(kind, "__index__"):
            number = float(kind.__index__(value))
        else:
            return None
    except Exception:
        return None
    return float.__float__(number) if isinstance(number, float) else None


def _plain_int(value: int) -> int:
    return int.__add__(value, 0)


def _whole_number(number: float, value: Any, call: CheckCall) -> int:
    if number != number or number in (float("inf"), float("-inf")):
        raise call.invalid("finite_number", value)
    if number % 1:
        raise call.invalid("int_from_float", value)
    if not -_INT64 < number < _INT64:
        raise call.invalid("int_parsing_size", value)
    return int(number)


def _whole_ratio(value: Any, call: CheckCall) -> int:
    """Read a Decimal or Fraction, whose size has no limit but the memory's."""
    if hasattr(value, "is_finite") and not value.is_finite():
        raise call.invalid("finite_number", value)
    if hasattr(value, "adjusted") and value and value.adjusted() >= _MAX_RATIO_DIGITS:
        raise call.invalid("int_parsing_size", value)
    # A Decimal is compared with a Decimal: PyPy compares it with an int by way of text, which may be too long.
    if value != (value.to_integral_value() if hasattr(value, "to_integral_value") else int(value)):
        raise call.invalid("int_from_float", value)
    return int(value)


def _number_pattern(name: str, source: str) -> Any:
    if name not in _NUMBER_PATTERNS:
        import re

        _NUMBER_PATTERNS[name] = re.compile(source)
    return _NUMBER_PATTERNS[name]


def _read_int(text: str, value: Any, call: CheckCall) -> int:
    match = _number_pattern("int", r"([+-]?)([0-9]+(?:_[0-9]+)*)(?:\.0+)?").fullmatch(text.strip(_SPACE))
    if match is None:
        raise call.invalid("int_parsing", value)
    digits = match.group(2).replace("_", "").lstrip("0")
    if len(digits) > _MAX_DIGITS:
        raise call.invalid("int_parsing_size", value)
    number = read_digits(digits or "0")
    return -number if match.group(1) == "-" else number


def read_digits(digits: str) -> int:
    """Read decimal digits however low the interpreter's own limit is set."""
    try:
        return int(digits)
    except ValueError:
        half = len(digits) // 2
        shift: int = 10 ** (len(digits) - half)
        return read_digits(digits[:half]) * shift + read_digits(digits[half:])


def _read_float(text: str, value: Any, call: CheckCall) -> float:
    if "_" not in text:
        # pydantic trims only text without underscores.
        text = text.strip(_SPACE)
    else:
        if text[0] == "_" or text[-1] == "_" or "__" in text:
            raise call.invalid("float_parsing", value)
        text = text.replace("_", "")
    pattern = r"[+-]?(?:[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?|(?i:inf|infinity|nan))"
    if _number_pattern("float", pattern).fullmatch(text) is None:
        raise call.invalid("float_parsing", value)
    return float(text)


def _register_scalars() -> None:
    for scalar in (NonePlan(), BoolPlan(), IntPlan(), FloatPlan(), StrPlan()):

        def make(hint: Hint, build: Build, scalar: Plan = scalar) -> Plan:
            return scalar

        register_kind(scalar.title, make)


_register_scalars()
''')


# ====================================================================================================================
# harbor/codec/plan/choices.py, which runs when it is first used
# ====================================================================================================================

_later("codec.plan.choices", """
        Fault Invalid Hint Layout dump_any dump_any_key EXACT LAX NO_TYPES Build CheckCall DumpCall Mismatch Plan
        is_from register_kind FloatPlan IntPlan StrPlan""", r'''
"""Plans of Optional, Union, Literal and Enum.

In: a value that must be one of several things. Out: the thing it is, chosen as pydantic's smart mode chooses.
"""

from typing import Any, Dict, FrozenSet, List, Optional, Set, Tuple

_NOTHING: Any = object()
_INT64_SIZE = 1 << 63
_LOOKED_UP = frozenset((bool, int, str))
_JSON_TYPES: Dict[type, str] = {
    str: "string", int: "integer", float: "number", bool: "boolean", list: "array", type(None): "null"}
# An enum that is also one of these reads its values as they are read.
_ENUM_BASES: Tuple[Tuple[type, Plan], ...] = ((int, IntPlan()), (float, FloatPlan()), (str, StrPlan()))


class OptionalPlan(Plan):
    """None or another type."""

    __slots__ = ("inner",)
    dump_title = "nullable"

    def __init__(self, inner: Plan) -> None:
        self.inner = inner
        self.exact = inner.exact | frozenset((type(None),))

    @property
    def title(self) -> str:  # type: ignore[override]  # the inner title may not be known yet
        return "nullable[%s]" % self.inner.title

    @property
    def looks_twice(self) -> bool:  # type: ignore[override]
        return self.inner.looks_twice

    def check(self, value: Any, call: CheckCall) -> Any:
        return None if value is None else self.inner.check(value, call)

    def accepts(self, value: Any, call: CheckCall) -> bool:
        return value is None or self.inner.accepts(value, call)

    def writes_itself(self, value: Any) -> bool:
        return value is None or self.inner.writes_itself(value)

    def write(self, value: Any, out: List[str], layout: Layout) -> bool:
        if value is None:
            out.append("null")
            return True
        return self.inner.write(value, out, layout)

    def copy(self, value: Any) -> Any:
        return None if value is None else self.inner.copy(value)

    def growing_names(self, seen: Set[Any]) -> FrozenSet[str]:
        return self.inner.growing_names(seen)

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        return None if value is None else self.inner.dump(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        return dump_any_key(key, call) if key is None else self.inner.dump_key(key, call)

    def schema(self, book: Any) -> Dict[str, Any]:
        inner = self.inner.schema(book)
        joined: Dict[str, Any] = inner if inner == {"type": "null"} else book.join([inner, {"type": "null"}])
        return joined


class UnionPlan(Plan):
    """One of several types: the one that takes the value best, the leftmost of equals."""

    __slots__ = ("choices",)

    def __init__(self, choices: Tuple[Plan, ...]) -> None:
        self.choices = choices
        scalar = all(choice.exact for choice in choices)
        self.exact = frozenset().union(*(choice.exact for choice in choices)) if scalar else NO_TYPES

    @property
    def title(self) -> str:  # type: ignore[override]  # the inner titles may not be known yet
        return "union[%s]" % ",".join(choice.title for choice in self.choices)

    @property
    def dump_title(self) -> str:  # type: ignore[override]
        return "Union[%s]" % ", ".join(choice.dump_title for choice in self.choices)

    def check(self, value: Any, call: CheckCall) -> Any:
        outer_exactness, outer_count, outer_union = call.exactness, call.n_fields_set, call.in_union
        # Models in it are compared by what only the exact way notes; those around it may go on the quick way.
        outer_quick, call.quick = call.quick, False
        call.in_union = True
        choices = self.choices
        if type(value) is dict:
            choices = tuple(choice for choice in choices if not choice.lacks_keys(value))
        faults: List[Fault] = []
        best = self._find_best(choices, value, call, faults)
        if best is None and len(choices) < len(self.choices):
            # Those of every choice are wanted then.
            faults = []
            self._find_best(self.choices, value, call, faults)
        call.exactness, call.n_fields_set, call.in_union = outer_exactness, outer_count, outer_union
        call.quick = outer_quick
        if best is None:
            raise Invalid(faults)
        call.lower(best[1])
        if best[2] is not None:
            call.n_fields_set = (call.n_fields_set or 0) + best[2]
        return best[0]

    def _find_best(
        self, choices: Tuple[Plan, ...], value: Any, call: CheckCall, faults: List[Fault]
    ) -> Optional[Tuple[Any, int, Optional[int]]]:
        """Find the choice that takes a value best: what it makes, how exactly it matched, how many fields were set."""
        best: Optional[Tuple[Any, int, Optional[int]]] = None
        for choice in choices:
            call.exactness, call.n_fields_set = EXACT, None
            try:
                checked = choice.check(value, call)
            except Invalid as exc:
                for fault in exc.faults:
                    fault.path.append(choice.title)
                faults.extend(exc.faults)
                continue
            found = (checked, call.exactness, call.n_fields_set)
            if call.exactness == EXACT and call.n_fields_set is None:
                best = found
                break
            if best is None or _is_better(found, best):
                best = found
        return best

    @property
    def looks_twice(self) -> bool:  # type: ignore[override]  # the choices may not be complete yet
        return any(choice.looks_twice for choice in self.choices)

    def write(self, value: Any, out: List[str], layout: Layout) -> bool:
        # A choice of this very class is the one that fits strictly.
        plan = next((choice for choice in self.choices if getattr(choice, "cls", None) is type(value)), None)
        return plan is not None and plan.write(value, out, layout)

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        found, result = self._try_choices(lambda choice: choice.dump(value, call, include, exclude), value, call)
        return result if found else dump_any(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        found, result = self._try_choices(lambda choice: choice.dump_key(key, call), key, call)
        return result if found else dump_any_key(key, call)

    def _try_choices(self, dump: Any, value: Any, call: DumpCall) -> Tuple[bool, Any]:
        """Dump by the first choice that fits, strictly if any does, else laxly; else note why none did."""
        outer, field, depth = call.trial, call.field, call.depth
        reasons: List[str] = []
        try:
            for trial in ("strict", "lax") if self.looks_twice else ("strict",):
                call.trial = trial
                for choice in self.choices:
                    try:
                        return True, dump(choice)
                    except Exception as exc:
                        call.field, call.depth = field, depth
                        if trial == "strict":
                            reasons.append(_explain(exc))
        finally:
            call.trial = outer
        if outer is not None:
            raise Mismatch("PydanticSerializationUnexpectedValue(%s)" % "\n".join(map(_unwrap_reason, reasons)))
        if value is not None:
            call.warned.extend(reasons)
        return False, None

    def schema(self, book: Any) -> Dict[str, Any]:
        joined: Dict[str, Any] = book.join([choice.schema(book) for choice in self.choices])
        return joined


class ValueLookup:
    """Finds which of fixed values an input is: of the same type first, then any that is equal to it."""

    __slots__ = ("results", "kinds", "equals")

    def __init__(self, pairs: List[Tuple[Any, Any]]) -> None:
        # (type, value) -> result for the three types that JSON and Python share; 1 and True are told apart.
        self.results: Dict[Tuple[type, Any], Any] = {}
        for value, result in pairs:
            if type(value) in _LOOKED_UP:
                self.results.setdefault((type(value), value), result)
        self.kinds = frozenset(type(value) for value, _ in pairs)
        # An input of another type is what it is equal to: True before the last of others, those before 1 or "a".
        self.equals = sorted(reversed(pairs), key=_rank_equal)

    def find(self, value: Any, call: CheckCall) -> Any:
        """Find the result for an input, or ``_NOTHING``; raises ``Invalid`` for what cannot be looked up."""
        kind = type(value)
        if kind in _LOOKED_UP:
            found = self.results.get((kind, value), _NOTHING)
            if found is not _NOTHING:
                return found
        if kind is int and int in self.kinds and not -_INT64_SIZE <= value < _INT64_SIZE:
            raise call.invalid("int_parsing_size", value)
        if kind is str and str in self.kinds and not value.isascii():
            try:
                value.encode("utf-8")
            except UnicodeEncodeError:
                raise call.invalid("string_unicode", value) from None
        try:
            return next((result for wanted, result in self.equals if wanted == value), _NOTHING)
        except Exception:
            return _NOTHING


def _rank_equal(pair: Tuple[Any, Any]) -> int:
    kind = type(pair[0])
    return 0 if kind is bool else 2 if kind in _LOOKED_UP else 1


class LiteralPlan(Plan):
    """One of given values."""

    __slots__ = ("values", "expected", "lookup")

    def __init__(self, values: Tuple[Any, ...]) -> None:
        self.values = values
        self.expected = list_choices([repr(value) for value in values])
        self.title = self.dump_title = "literal[%s]" % ",".join(repr(value) for value in values)
        self.exact = NO_TYPES
        self.lookup = ValueLookup([(value, value) for value in values])

    def check(self, value: Any, call: CheckCall) -> Any:
        found = self.lookup.find(value, call)
        if found is _NOTHING:
            raise call.invalid("literal_error", value, {"expected": self.expected})
        return found

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if call.trial is not None and not any(type(value) is type(w) and value == w for w in self.values):
            call.warn(self.dump_title, value)
        return dump_any(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if call.trial is not None and not any(type(key) is type(w) and key == w for w in self.values):
            call.warn(self.dump_title, key)
        return dump_any_key(key, call)

    def schema(self, book: Any) -> Dict[str, Any]:
        values = [value.value if is_from(type(value), "enum", "Enum") else value for value in self.values]
        described = _describe_values(values)
        return {"const": described.pop("enum")[0], **described} if len(values) == 1 else described


class EnumPlan(Plan):
    """A member of an Enum, or the value of one."""

    __slots__ = ("cls", "expected", "lookup", "base")
    dump_title = "enum"

    def __init__(self, cls: Any) -> None:
        self.cls = cls
        self.expected = list_choices([repr(member.value) for member in cls])
        self.exact = NO_TYPES
        self.lookup = ValueLookup([(member.value, member) for member in cls])
        self.base: Optional[Plan] = next((plan for base, plan in _ENUM_BASES if issubclass(cls, base)), None)
        self.title = "%senum[%s]" % ("" if self.base is None else self.base.title + "-", cls.__name__)

    @property
    def looks_twice(self) -> bool:  # type: ignore[override]
        return self.base is not None and self.base.looks_twice

    def check(self, value: Any, call: CheckCall) -> Any:
        if isinstance(value, self.cls):
            return value
        if call.strict and not call.from_json:
            raise call.invalid("is_instance_of", value, {"class": self.cls.__qualname__})
        call.lower(LAX)
        found = self.lookup.find(value, call)
        if found is _NOTHING and self.base is not None and (not call.strict or call.strings):
            try:
                based = self.base.check(value, call)
            except Invalid:
                pass
            else:
                found = self.lookup.find(based, call)
        if found is _NOTHING:
            found = self._find_missing(value)
        if found is _NOTHING:
            raise call.invalid("enum", value, {"expected": self.expected})
        return found

    def _find_missing(self, value: Any) -> Any:
        """Ask the class's own ``_missing_``."""
        found = self.cls._missing_(value)
        return found if isinstance(found, self.cls) else _NOTHING

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if not isinstance(value, self.cls):
            call.warn(self.dump_title, value)
        return dump_any(value, call, include, exclude)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if not isinstance(key, self.cls):
            call.warn(self.dump_title, key)
        return dump_any_key(key, call)

    def schema(self, book: Any) -> Dict[str, Any]:
        reference: Dict[str, Any] = book.refer(self.cls, lambda: self._describe(book))
        return reference

    def _describe(self, book: Any) -> Dict[str, Any]:
        out: Dict[str, Any] = {"title": self.cls.__name__}
        # Before 3.11 the class of enums gives this docstring to those that have none.
        if self.cls.__doc__ and self.cls.__doc__ != "An enumeration.":
            out["description"] = book.clean(self.cls.__doc__)
        return dict(out, **_describe_values([member.value for member in self.cls.__members__.values()]))


def _unwrap_reason(reason: str) -> str:
    """Give a reason as pydantic quotes it inside another."""
    name = "PydanticSerializationUnexpectedValue"
    inner = reason[len(name) + 1:-1] if reason.startswith(name + "(") else reason
    return "%s: %s" % (name, inner)


def _explain(exc: Exception) -> str:
    """Say why a choice did not fit: a mismatch says it itself."""
    if isinstance(exc, Mismatch):
        return str(exc)
    return "PydanticSerializationUnexpectedValue(%s: %s)" % (type(exc).__name__, exc)


def list_choices(shown: List[str]) -> str:
    """Join choices as prose: ``'a', 'b' or 'c'``."""
    return "".join(shown) if len(shown) < 2 else "%s or %s" % (", ".join(shown[:-1]), shown[-1])


def _describe_values(values: List[Any]) -> Dict[str, Any]:
    """Describe a fixed set of values as JSON schema."""
    out: Dict[str, Any] = {"enum": [dump_any(value, DumpCall("json", text=True)) for value in values]}
    kinds = {type(value) for value in out["enum"]}
    name = _JSON_TYPES.get(kinds.pop()) if len(kinds) == 1 else None
    return out if name is None else dict(out, type=name)


def _is_better(new: Tuple[Any, int, Optional[int]], old: Tuple[Any, int, Optional[int]]) -> bool:
    if new[2] is not None and old[2] is not None and new[2] != old[2]:
        return new[2] > old[2]
    return new[1] > old[1]


def _make_optional(hint: Hint, build: Build) -> Plan:
    return OptionalPlan(build(hint.items[0]))


def _make_union(hint: Hint, build: Build) -> Plan:
    return UnionPlan(tuple(build(item) for item in hint.items))


register_kind("optional", _make_optional)
register_kind("union", _make_union)
register_kind("literal", lambda hint, build: LiteralPlan(hint.source))
register_kind("enum", lambda hint, build: EnumPlan(hint.source))
''')


# ====================================================================================================================
# harbor/codec/plan/containers.py, which runs when it is first used
# ====================================================================================================================

_later("codec.plan.containers", """
        Fault Invalid replace_surrogates safe_repr Hint typed_dict_hints consist_of Layout is_plain quote
        write_float_list write_int_lists write_plain write_plain_at AnyPlan check_name choose_items dump_any
        dump_any_key make_object LAX NO_TYPES NOT_COPIED Build CheckCall DumpCall Mismatch Plan RepeatedObject
        check_part demand_text forget_repeats register_kind OptionalPlan filter_key""", r'''
"""Plans of list, dict and TypedDict.

In: a list or mapping, or in lax mode what can stand for one. Out: a new plain list or dict whose parts are checked;
and back. Faults get their place in the container while they pass through it.
"""

from collections import abc
from typing import Any, Dict, FrozenSet, Iterable, List, Optional, Set, Tuple

TEXT_ONLY = frozenset((str,))
_INTS = frozenset((int,))
_FLOATS = frozenset((float,))
_NO_LISTS = (str, bytes, bytearray, dict, abc.Mapping)


class ListPlan(Plan):
    """A list of one type."""

    __slots__ = ("item",)

    def __init__(self, item: Plan) -> None:
        self.item = item
        self.exact = NO_TYPES

    @property
    def title(self) -> str:  # type: ignore[override]  # the item's title may not be known yet
        return "list[%s]" % self.item.title

    @property
    def dump_title(self) -> str:  # type: ignore[override]
        return "list[%s]" % self.item.dump_title

    @property
    def looks_twice(self) -> bool:  # type: ignore[override]
        return self.item.looks_twice

    def accepts(self, value: Any, call: CheckCall) -> bool:
        if type(value) is not list:
            return False
        exact, accepts = self.item.exact, self.item.accepts
        if int in exact and id(value) in call.proven or exact and consist_of(value, exact):
            return True
        return all(accepts(part, call) for part in value)

    def writes_itself(self, value: Any) -> bool:
        if type(value) is not list:
            return False
        exact = self.item.exact
        if exact and float not in exact:
            return exact.issuperset(map(type, value))
        return all(map(self.item.writes_itself, value))

    def write(self, value: Any, out: List[str], layout: Layout) -> bool:
        if type(value) is not list:
            return False
        if self.holds_int_lists():
            return write_int_lists(value, out, layout)
        if self.item.exact == _FLOATS:
            text = write_float_list(value, layout)
            out.append(text or "")
            return text is not None
        if self.item.exact or isinstance(self.item, AnyPlan):
            return super().write(value, out, layout)
        inner, lead = layout.inner(), "["
        for part in value:
            out.append(lead + inner.newline)
            if not self.item.write(part, out, inner):
                return False
            lead = ","
        out.append(layout.newline + "]" if value else "[]")
        return True

    def copy(self, value: Any) -> Any:
        if type(value) is not list:
            return NOT_COPIED
        exact = self.item.exact
        if exact and consist_of(value, exact):
            return value[:]
        out = []
        for part in value:
            copied = self.item.copy(part)
            if copied is NOT_COPIED:
                return NOT_COPIED
            out.append(copied)
        return out

    def holds_int_lists(self) -> bool:
        """Tell whether this is a list of lists of ints, such as the prompts of a chat."""
        return isinstance(self.item, ListPlan) and self.item.item.exact == _INTS

    def growing_names(self, seen: Set[Any]) -> FrozenSet[str]:
        return self.item.growing_names(seen)

    def check(self, value: Any, call: CheckCall) -> Any:
        item = self.item
        exact = NO_TYPES if call.in_union else item.exact
        if exact and type(value) is list and consist_of(value, exact):
            return value[:]
        out: List[Any] = []
        faults: List[Fault] = []
        check, add = item.check, out.append
        for index, part in enumerate(self._read_items(value, call)):
            if type(part) in exact:
                add(part)
                continue
            try:
                add(check(part, call))
            except Invalid as exc:
                for fault in exc.faults:
                    fault.path.append(index)
                faults.extend(exc.faults)
        if faults:
            raise Invalid(faults)
        return out

    def _read_items(self, value: Any, call: CheckCall) -> Iterable[Any]:
        if type(value) is list:
            return value
        if isinstance(value, list):
            return list.__iter__(value)
        if call.strict or call.from_json or isinstance(value, _NO_LISTS):
            raise call.invalid("list_type", value)
        call.lower(LAX)
        try:
            iterator = iter(value)
        except TypeError:
            raise call.invalid("list_type", value) from None
        return _guard_iteration(iterator, value, call)

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if not isinstance(value, list):
            call.warn(self.dump_title, value)
            return dump_any(value, call, include, exclude)
        dump = self.item.dump
        if include is None and exclude is None:
            exact = self.item.exact
            if exact and consist_of(value, exact) and not (call.text and str in exact):
                return list(value)
            return [dump(part, call) for part in list.__iter__(value)]
        return [dump(part, call, *below) for part, below in choose_items(value, include, exclude)]

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if not isinstance(key, list):
            call.warn(self.dump_title, key)
        return dump_any_key(key, call)

    def schema(self, book: Any) -> Dict[str, Any]:
        return {"type": "array", "items": self.item.schema(book)}


class DictPlan(Plan):
    """A dict with keys of one type and values of another."""

    __slots__ = ("key", "value")

    def __init__(self, key: Plan, value: Plan) -> None:
        self.key = key
        self.value = value
        self.exact = NO_TYPES

    @property
    def title(self) -> str:  # type: ignore[override]  # the inner titles may not be known yet
        return "dict[%s,%s]" % (self.key.title, self.value.title)

    @property
    def dump_title(self) -> str:  # type: ignore[override]
        return "dict[%s, %s]" % (self.key.dump_title, self.value.dump_title)

    def accepts(self, value: Any, call: CheckCall) -> bool:
        # The keys of a JSON object are exact text already. Values of a type are checked with their keys in view.
        return type(value) is dict and str in self.key.exact and (not value or isinstance(self.value, AnyPlan))

    def writes_itself(self, value: Any) -> bool:
        if type(value) is not dict or str not in self.key.exact:
            return False
        if isinstance(self.value, AnyPlan):
            return is_plain(value)
        return TEXT_ONLY.issuperset(map(type, value)) and all(map(self.value.writes_itself, value.values()))

    def write(self, value: Any, out: List[str], layout: Layout) -> bool:
        if isinstance(self.value, AnyPlan):
            if type(value) is not dict or str not in self.key.exact or not is_plain(value):
                return False
            out.append(write_plain(value) if layout.indent is None else write_plain_at(value, layout))
            return True
        if type(value) is not dict or str not in self.key.exact or not TEXT_ONLY.issuperset(map(type, value)):
            return False
        inner, lead = layout.inner(), "{"
        for key, part in value.items():
            out.append(lead + inner.newline + quote(key) + layout.colon)
            if not self.value.write(part, out, inner):
                return False
            lead = ","
        out.append(layout.newline + "}" if value else "{}")
        return True

    def copy(self, value: Any) -> Any:
        if type(value) is not dict or not TEXT_ONLY.issuperset(map(type, value)) or str not in self.key.exact:
            return NOT_COPIED
        out = {}
        for key, part in value.items():
            out[key] = copied = self.value.copy(part)
            if copied is NOT_COPIED:
                return NOT_COPIED
        return out

    def growing_names(self, seen: Set[Any]) -> FrozenSet[str]:
        return self.value.growing_names(seen)

    def check(self, value: Any, call: CheckCall) -> Any:
        out: Dict[Any, Any] = {}
        faults: List[Fault] = []
        for key, part in self._read_pairs(value, call):
            if call.strings:
                # The first part that is no text is the fault of the whole dict.
                demand_text(key, call)
                demand_text(part, call)
            fine = True
            try:
                key_out = self._check_key(key, call)
            except Invalid as exc:
                place_faults(exc, faults, "[key]", key)
                fine = False
            try:
                value_out = check_part(self.value, part, call)
            except Invalid as exc:
                place_faults(exc, faults, key)
                fine = False
            if fine:
                out[key_out] = value_out
        if faults:
            raise Invalid(faults)
        return out

    def _check_key(self, key: Any, call: CheckCall) -> Any:
        if not call.from_json or call.strings:
            return check_part(self.key, key, call)
        # A key in JSON is text whatever it stands for, in strict mode too.
        call.strings = call.in_key = True
        try:
            return check_part(self.key, key, call)
        finally:
            call.strings = call.in_key = False

    def _read_pairs(self, value: Any, call: CheckCall) -> Iterable[Tuple[Any, Any]]:
        if type(value) is dict:
            # Of a key that stands twice any value will do, if all of them do.
            if call.document is not None and value and not isinstance(self.value, AnyPlan):
                call.look_for_repeats(value)
            return value.items()
        if isinstance(value, RepeatedObject):
            return value.pairs
        if isinstance(value, dict):
            return dict.items(value)
        if call.strict or call.from_json or not isinstance(value, abc.Mapping):
            raise call.invalid("dict_type", value)
        try:
            return [(key, part) for key, part in value.items()]
        except Exception as exc:
            raise call.invalid("mapping_type", value, {"error": describe_exception(exc)}) from None

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if not isinstance(value, dict):
            call.warn(self.dump_title, value)
            return dump_any(value, call, include, exclude)
        pairs = []
        for key, part in dict.items(value):
            below: Optional[Tuple[Any, Any]] = (None, None)
            if include is not None or exclude is not None:
                below = filter_key(key, include, exclude)
            if below is not None:
                name = self.key.dump_key(key, call)
                pairs.append((name, self.value.dump(part, call, *below)))
        return make_object(pairs, call)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if not isinstance(key, dict):
            call.warn(self.dump_title, key)
        return dump_any_key(key, call)

    def schema(self, book: Any) -> Dict[str, Any]:
        names = dict(self.key.schema(book))
        out: Dict[str, Any] = {"type": "object", "additionalProperties": self.value.schema(book) or True}
        if "$ref" in names or names.pop("type", None) == "string" and names:
            out["propertyNames"] = names
        return out


def takes_any_values(plan: Plan) -> bool:
    """Tell whether a dict whose keys are text is right for a plan, whatever its values."""
    while isinstance(plan, OptionalPlan):
        plan = plan.inner
    return isinstance(plan, DictPlan) and str in plan.key.exact and isinstance(plan.value, AnyPlan)


class KeyPlan:
    """One key of a TypedDict."""

    __slots__ = ("name", "plan", "required", "index")

    def __init__(self, name: str, plan: Plan, required: bool, index: int) -> None:
        self.name = name
        self.plan = plan
        self.required = required
        self.index = index


class TypedDictPlan(Plan):
    """A dict whose keys are named, each with a type of its own."""

    __slots__ = ("cls", "keys", "required", "extra", "is_recursive", "is_complete")
    dump_title = "typed-dict"
    is_model = False

    def __init__(self, cls: Any) -> None:
        self.cls = cls
        self.title = cls.__name__
        self.exact = NO_TYPES
        self.keys: Dict[str, KeyPlan] = {}
        self.required: FrozenSet[str] = frozenset()
        self.extra: str = "ignore"
        self.is_recursive = self.is_complete = False

    def complete(self, build: Build) -> None:
        """Build the plans of the keys; the class may mention itself."""
        for index, (name, (hint, required)) in enumerate(typed_dict_hints(self.cls).items()):
            self.keys[name] = KeyPlan(name, build(hint), required, index)
        self.required = frozenset(key.name for key in self.keys.values() if key.required)

    def accepts(self, value: Any, call: CheckCall) -> bool:
        if type(value) is not dict or not self.required <= value.keys():
            return False
        # Fields that are set are counted only for a union, which never asks this way.
        last = -1
        for name, part in value.items():
            key = self.keys.get(name)
            if key is None or key.index < last or not (type(part) in key.plan.exact or key.plan.accepts(part, call)):
                return False
            last = key.index
        return True

    def writes_itself(self, value: Any) -> bool:
        if type(value) is not dict:
            return False
        for name, part in value.items():
            key = self.keys.get(name)
            # A None may be left out.
            if key is None or part is None or not key.plan.writes_itself(part):
                return False
        return True

    def write(self, value: Any, out: List[str], layout: Layout) -> bool:
        if type(value) is not dict:
            return False
        inner, lead = layout.inner(), "{"
        for name, part in value.items():
            key = self.keys.get(name)
            if key is None:
                return False
            if part is None and layout.skips_none:
                continue
            out.append(lead + inner.newline + quote(name) + layout.colon)
            if not key.plan.write(part, out, inner):
                return False
            lead = ","
        out.append("{}" if lead == "{" else layout.newline + "}")
        return True

    def copy(self, value: Any) -> Any:
        if type(value) is not dict or self.extra == "allow" or not TEXT_ONLY.issuperset(map(type, value)):
            return NOT_COPIED
        out = {}
        for name, part in value.items():
            key = self.keys.get(name)
            copied = NOT_COPIED if key is None else key.plan.copy(part)
            if copied is NOT_COPIED:
                return NOT_COPIED
            out[name] = copied
        return out

    def growing_names(self, seen: Set[Any]) -> FrozenSet[str]:
        return gather_growing(self, [(key.name, key.plan) for key in self.keys.values()], seen)

    def check(self, value: Any, call: CheckCall) -> Any:
        if not self.is_recursive or call.from_json:
            return self._check_keys(value, call)
        place = call.enter(self, value)
        try:
            return self._check_keys(value, call)
        finally:
            call.leave(place)

    def _check_keys(self, value: Any, call: CheckCall) -> Any:
        source = self._read_mapping(value, call)
        out: Dict[Any, Any] = {}
        faults: List[Fault] = []
        for key in self.keys.values():
            if key.name not in source:
                if key.required:
                    fault = Fault("missing", value, None, call.from_json)
                    fault.path.append(key.name)
                    faults.append(fault)
                continue
            try:
                out[key.name] = check_part(key.plan, source[key.name], call)
            except Invalid as exc:
                place_faults(exc, faults, key.name)
        n_fields_set = len(out)
        extra = call.extra or self.extra
        if extra != "ignore":
            check_extra_keys(source, self.keys, extra, out, faults, call)
        if faults:
            raise Invalid(faults)
        call.n_fields_set = (call.n_fields_set or 0) + n_fields_set
        return out

    def _read_mapping(self, value: Any, call: CheckCall) -> Any:
        if isinstance(value, dict):
            return value
        if call.strict or call.from_json or not isinstance(value, abc.Mapping):
            raise call.invalid("dict_type", value)
        return value

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if not isinstance(value, dict):
            call.warn("general-fields", value)
            return dump_any(value, call, include, exclude)
        pairs = []
        n_required = 0
        outer = call.field
        try:
            for name, part in dict.items(value):
                below = filter_key(name, include, exclude)
                key = self.keys.get(name)
                if key is not None:
                    n_required += key.required
                if below is None:
                    continue
                check_name(name)
                if key is None:
                    if call.trial == "strict" and self.extra != "allow":
                        raise Mismatch(
                            "PydanticSerializationUnexpectedValue(Unexpected field `%s`: Expected `%s`)"
                            % (name, type(value).__name__))
                    if self.extra == "allow" and (part is not None or not call.exclude_none):
                        pairs.append((dump_any_key(name, call), dump_any(part, call, *below)))
                    continue
                if call.exclude_none and part is None:
                    continue
                call.field = name
                pairs.append((name, key.plan.dump(part, call, *below)))
        finally:
            call.field = outer
        if call.trial is not None and n_required < len(self.required):
            raise call.miss_fields(type(value).__name__, value, len(self.required), n_required)
        return make_object(pairs, call)

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if not isinstance(key, dict):
            call.warn(self.dump_title, key)
        return dump_any_key(key, call)

    def schema(self, book: Any) -> Dict[str, Any]:
        reference: Dict[str, Any] = book.refer(self.cls, lambda: self._describe(book))
        return reference

    def _describe(self, book: Any) -> Dict[str, Any]:
        properties = {name: book.describe_property(name, key.plan) for name, key in self.keys.items()}
        required = [name for name, key in self.keys.items() if key.required]
        described: Dict[str, Any] = book.describe_class(
            self.cls, properties, required, self.extra, self.cls.__dict__.get("__doc__"))
        return described


def gather_growing(owner: Any, parts: List[Tuple[str, Plan]], seen: Set[Any]) -> FrozenSet[str]:
    """Gather the names of growing lists from the parts of a class, each class once."""
    if owner in seen:
        return frozenset()
    seen.add(owner)
    found: Set[str] = set()
    for name, plan in parts:
        found |= plan.growing_names(seen)
        while isinstance(plan, OptionalPlan):
            plan = plan.inner
        if isinstance(plan, ListPlan) and plan.holds_int_lists():
            found.add(name)
    return frozenset(found)


def describe_exception(exc: BaseException) -> str:
    """Show an exception as ``ValueError: boom``."""
    return "%s: %s" % (type(exc).__name__, exc)


def key_step(key: Any) -> Any:
    """Give the location step of a dict's key: text and whole numbers as they are, else the repr."""
    if isinstance(key, str):
        return replace_surrogates(str.__str__(key))
    if isinstance(key, int) and -(1 << 63) <= key < 1 << 63:
        return int.__add__(key, 0)
    return safe_repr(key)


def place_faults(exc: Invalid, faults: List[Fault], *steps: Any) -> None:
    """Add the steps from the inside out to each fault, then keep the faults."""
    for fault in exc.faults:
        fault.path.extend(key_step(step) for step in steps)
    faults.extend(exc.faults)


def check_extra_keys(
    source: Any, known: Any, extra: str, out: Dict[Any, Any], faults: List[Fault], call: CheckCall
) -> None:
    """Refuse or keep the keys that no field names."""
    for key in source:
        if key in known:
            continue
        if not isinstance(key, str):
            fault = Fault("invalid_key", key, None, call.from_json)
        elif extra == "forbid":
            fault = Fault("extra_forbidden", source[key], None, call.from_json)
        else:
            out[str.__str__(key)] = forget_repeats(source[key]) if call.has_repeats else source[key]
            continue
        fault.path.append(key_step(key))
        faults.append(fault)


def _guard_iteration(iterator: Any, value: Any, call: CheckCall) -> Iterable[Any]:
    """Read an iterator whose own failure is a fault at the index it came to."""
    index = 0
    while True:
        try:
            part = next(iterator)
        except StopIteration:
            return
        except Exception as exc:
            invalid = call.invalid("iteration_error", value, {"error": describe_exception(exc)})
            invalid.faults[0].path.append(index)
            raise invalid from None
        yield part
        index += 1


def _make_list(hint: Hint, build: Build) -> Plan:
    return ListPlan(build(hint.items[0]))


def _make_dict(hint: Hint, build: Build) -> Plan:
    return DictPlan(build(hint.items[0]), build(hint.items[1]))


register_kind("list", _make_list)
register_kind("dict", _make_dict)
register_kind("typed-dict", lambda hint, build: TypedDictPlan(hint.source))
''')


# ====================================================================================================================
# harbor/codec/plan/flat.py, which runs when it is first used
# ====================================================================================================================

_later("codec.plan.flat", """
        UNGIVEN is_plain quote write_members copy_plain NOT_COPIED""", r'''
"""Functions that are made for a class, for models of single values and dicts of anything.

In: the fields. Out: functions that fill an instance with keywords or make one of a JSON object, copy its values, or
give their compact JSON text, as long as they are what most are. As `dataclasses` does with ``__init__``, each puts into
code, once, what a loop would ask of each field each time. Making one takes as long as a hundred records, so that it is
for classes in frequent use.
"""

from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence

__all__ = [
    "FlatCopier", "FlatFiller", "FlatLoader", "FlatWriter", "make_flat_copier", "make_flat_filler", "make_flat_writer",
]

#: Gives the text of values by name, or None where one needs a closer look; raises what writing a value raises.
FlatWriter = Callable[[Dict[str, Any]], Optional[str]]
#: Gives values by name as a dump in mode "python", or ``NOT_COPIED`` where one needs a closer look.
FlatCopier = Callable[[Dict[str, Any]], Any]

#: Fills an instance with a caller's keywords and says so, or leaves it alone where one needs a closer look.
FlatFiller = Callable[[Dict[str, Any], Any], bool]
#: Gives an instance of a dict that nobody else holds, or None where one needs a closer look.
FlatLoader = Callable[[Dict[str, Any]], Any]

# By the exact type that its field must take: how a value is asked whether it is of it, what its text is, and whether
# that may be None.
_KINDS = (
    (type(None), "{part} is None", "'null'", False),
    (int, "type({part}) is int", "{part}", False),
    (float, "type({part}) is float", "repr({part}) if 1e-4 <= {part} < 1e16 or is_plain({part}) else None", True),
    (bool, "type({part}) is bool", "'true' if {part} else 'false'", False),
    (str, "type({part}) is str", "quote({part})", False),
    (dict, "type({part}) is dict", "write_members({part})", True),
)


def make_flat_filler(
    fields: Sequence[Any], setters: Sequence[Callable[[Any, Any], None]], cls: Any = None
) -> Any:
    """Make the ``FlatFiller`` for some ``FieldPlan``, or with ``cls`` the ``FlatLoader`` that makes its instances.

    ``setters`` set the values of an instance, the names that were given, and what else it holds. None if a field has a
    name that code cannot have.
    """
    names = [field.name for field in fields]
    if not _can_be_code(names):
        return None
    scope: Dict[str, Any] = {"UNGIVEN": UNGIVEN, "cls": cls, "all_names": set(names)}
    scope.update(zip(("set_values", "set_names", "set_extra"), setters))
    stop = "return False" if cls is None else "return None"
    lines = ["get = source.get", "names = all_names.copy()"]
    last = []
    for place, field in enumerate(fields):
        words = {"name": field.name, "part": "part%d" % place, "instead": "instead%d" % place}
        tests = []
        for number, kind in enumerate(kind for kind in field.exact if kind is not type(None)):
            scope["kind%d_%d" % (place, number)] = kind
            tests.append("type({part}) is kind%d_%d" % (place, number))
        if type(None) in field.exact:
            tests.append("{part} is None")
        block = ["{part} = get('{name}', UNGIVEN)", "if {part} is UNGIVEN:"]
        if field.required:
            block.append("    " + stop)
        else:
            block.append("    names.discard('{name}')")
            scope[words["instead"]] = field.default if field.factory is UNGIVEN else field.factory
            if field.factory is UNGIVEN:
                block.append("    {part} = {instead}")
            else:
                # Once, and only if nothing is handed over.
                last.append("if {part} is UNGIVEN: {part} = {instead}()".format(**words))
        block.append("elif not (%s):" % (" or ".join(tests) or "False"))
        if field.holds_any:
            block.append("    if type({part}) is not dict: " + stop)
            if cls is None:
                # Of few keys, which most have, this tells faster than a set of their types.
                block += [
                    "    {part} = {part}.copy()", "    for key in {part}:", "        if type(key) is not str: " + stop]
        else:
            block.append("    " + stop)
        lines += [line.format(**words) for line in block]
    values = ", ".join("'%s': part%d" % (name, place) for place, name in enumerate(names))
    if cls is None:
        # Unknown names are left out of a JSON object by not being asked for; among keywords they may be no exact text.
        last.insert(0, "if len(names) != len(source): " + stop)
    else:
        last.append("made = cls.__new__(cls)")
    lines += [
        *last,
        "set_values(made, {%s})" % values, "set_names(made, names)", "set_extra(made, None)",
        "return True" if cls is None else "return made"]
    _define("fill", "source, made" if cls is None else "source", lines, scope)
    return scope["fill"]


def make_flat_copier(fields: Sequence[Any]) -> Optional[FlatCopier]:
    """Make the function that copies the values of some ``FieldPlan``; None if one has a name that code cannot have.

    It raises ``ValueError`` where values come or go meanwhile, and what an ``exclude_if`` raises.
    """
    names = [field.name for field in fields]
    if not _can_be_code(names):
        return None
    scope: Dict[str, Any] = {"names": names, "NOT_COPIED": NOT_COPIED}
    lines = ["if [*parts] != names: return NOT_COPIED", _unpack(names)]
    n_first = next((place for place, field in enumerate(fields) if field.exclude_if is not None), len(names))
    ends = ["out = {%s}" % ", ".join("'%s': part%d" % (name, place) for place, name in enumerate(names[:n_first]))]
    for place, field in enumerate(fields):
        scope["exact%d" % place] = field.exact
        scope["copy%d" % place] = copy_plain if field.holds_any else field.plan.copy
        copied = "copy{0}(part{0}) if type(part{0}) is dict else NOT_COPIED" if field.holds_any else "copy{0}(part{0})"
        test = "type(part{0}) not in exact{0}"
        if field.exclude_if is not None:
            # It sees the value itself, and before anything is done with it.
            scope["exclude%d" % place] = field.exclude_if
            lines.append("is_kept{0} = not exclude{0}(part{0})".format(place))
            test = "is_kept{0} and " + test
            ends.append("if is_kept%d: out['%s'] = part%d" % (place, field.name, place))
        elif place > n_first:
            ends.append("out['%s'] = part%d" % (field.name, place))
        lines += [line.format(place) for line in (
            "if %s:" % test,
            "    part{0} = " + copied,
            "    if part{0} is NOT_COPIED: return NOT_COPIED",
        )]
    _define("copy", "parts", [*lines, *ends, "return out"], scope)
    made: FlatCopier = scope["copy"]
    return made


def make_flat_writer(fields: Iterable[Any]) -> Optional[FlatWriter]:
    """Make the function that writes the values of some ``FieldPlan``; None if it would not be the one for them.

    It is not where a field takes nothing of such a kind, or has a name that code cannot have, or where the first may be
    left out, which has no comma in front.
    """
    names: List[str] = []
    lines: List[str] = []
    members = ""
    scope: Dict[str, Any] = {"names": names, "is_plain": is_plain, "quote": quote, "write_members": write_members}
    for place, field in enumerate(fields):
        words = {"part": "part%d" % place, "text": "text%d" % place, "exclude": "exclude%d" % place}
        found = [kind for kind in _KINDS if kind[0] in field.exact or (kind[0] is dict and field.holds_any)]
        if not found or not field.name.isidentifier() or (field.exclude_if is not None and not names):
            return None
        for number, (_, test, form, _) in enumerate(found):
            lines.append(("elif " if number else "if ") + (test + ": {text} = " + form).format(**words))
        lines.append("else: return None")
        if any(may_be_none for _, _, _, may_be_none in found):
            lines.append("if {text} is None: return None".format(**words))
        start = "%s%s:" % ("," if names else "", quote(field.name))
        if field.exclude_if is not None:
            scope[words["exclude"]] = field.exclude_if
            lines.append("{text} = '' if {exclude}({part}) else '%s%%s' %% ({text},)".format(**words) % start)
            start = ""
        members += "%s{%s}" % (start, words["text"])
        names.append(field.name)
    if not names:
        return None
    # The text has the order of the instance's own. The names are looked at last: they may change meanwhile.
    _define("write", "parts", [
        _unpack(names), "if [*parts] != names: return None", *lines, "return f'{{%s}}'" % members], scope)
    made: FlatWriter = scope["write"]
    return made


def _can_be_code(names: List[str]) -> bool:
    # They stand between quotes, where what no identifier has may mean something else.
    return bool(names) and all(map(str.isidentifier, names))


def _unpack(names: List[str]) -> str:
    return "".join("part%d, " % place for place in range(len(names))) + "= parts.values()"


def _define(name: str, parameters: str, lines: Iterable[str], scope: Dict[str, Any]) -> None:
    exec("def %s(%s):\n    %s" % (name, parameters, "\n    ".join(lines)), scope)
''')


# ====================================================================================================================
# harbor/codec/plan/records.py, which runs when it is first used
# ====================================================================================================================

_later("codec.plan.records", """
        UNGIVEN computed_field default_of fields_of Fault Invalid record_hints resolve_return Layout join_pieces
        make_layout quote write_tree_at check_name check_text copy_plain dump_any dump_any_key make_object NO_TYPES
        NOT_COPIED STRICT Build CheckCall DumpCall Mismatch NotQuick Plan check_part demand_text forget_repeats
        is_from register_kind OptionalPlan TEXT_ONLY check_extra_keys describe_exception gather_growing key_step
        place_faults takes_any_values filter_key FlatCopier FlatFiller FlatLoader FlatWriter make_flat_copier
        make_flat_filler make_flat_writer LIMIT_NAMES BoundedPlan""", r'''
"""Plans of models and of plain dataclasses.

In: an instance, a mapping or a JSON object. Out: an instance whose fields are checked; and back. What a class asks
for beyond its annotations (limits, ``exclude_if``, extra keys, computed fields) is read off it here, once.
"""

from collections import abc
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Set, Tuple

# So often a class is used in one way before a function is made for that.
_FREQUENT = 8
# Whose values repr writes as JSON does, but for None.
_REPR_TYPES: FrozenSet[type] = frozenset((int, type(None)))
_STATE_SLOTS = ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__")
_SINGLE_TYPES = frozenset((type(None), bool, int, float, str))
_SINGLE_MODULES = frozenset(("datetime", "uuid", "pathlib", "pathlib._local"))


class AfterPlan(Plan):
    """A plan whose values a function of the field's has the last word on."""

    __slots__ = ("inner", "after")

    def __init__(self, inner: Plan, after: Callable[[Any], Any]) -> None:
        self.inner = inner
        self.after = after
        self.exact = NO_TYPES

    @property
    def title(self) -> str:  # type: ignore[override]  # the inner title may not be known yet
        return self.inner.title

    @property
    def dump_title(self) -> str:  # type: ignore[override]
        return self.inner.dump_title

    def check(self, value: Any, call: CheckCall) -> Any:
        checked = self.inner.check(value, call)
        try:
            return self.after(checked)
        except (ValueError, AssertionError) as exc:
            raise refuse_value(exc, value, call) from None

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        return self.inner.dump(value, call, include, exclude)

    def writes_itself(self, value: Any) -> bool:
        return self.inner.writes_itself(value)

    def schema(self, book: Any) -> Dict[str, Any]:
        return self.inner.schema(book)


class FieldPlan:
    """One field: its type's plan, its default, and when a dump leaves it out."""

    __slots__ = (
        "name", "plan", "exact", "holds_any", "default", "factory", "required", "exclude_if", "description", "index",
        "init")

    def __init__(self, field: Any, plan: Plan, index: int) -> None:
        self.name: str = field.name
        self.plan = plan
        self.exact = plan.exact
        self.holds_any = takes_any_values(plan)
        self.default = default_of(field)
        self.factory = field.default_factory
        self.required = field.default is UNGIVEN and field.default_factory is UNGIVEN
        self.exclude_if: Optional[Callable[[Any], bool]] = field.metadata.get("exclude_if")
        self.description: Optional[str] = field.metadata.get("description")
        self.index = index
        self.init: bool = field.init

    def make_default(self) -> Any:
        """Make the default anew, or give it where it cannot change."""
        return self.default if self.factory is UNGIVEN else self.factory()


class RecordPlan(Plan):
    """A class with fields.

    ``is_model`` tells a ``Model``, which keeps which fields were set and extra keys, from a plain dataclass.
    """

    __slots__ = ("cls", "is_model", "fields", "required", "extra", "computed", "hook", "fixed", "factories",
                 "slotted", "setters", "writers", "fill_flat", "load_flat", "write_flat", "copy_flat", "n_uses",
                 "is_recursive", "is_complete", "growing")
    looks_twice = True

    def __init__(self, cls: Any) -> None:
        self.cls = cls
        self.is_model = hasattr(cls, "__codec_model__")
        self.title = self.dump_title = cls.__name__
        self.exact = NO_TYPES
        self.fields: Dict[str, FieldPlan] = {}
        self.required: FrozenSet[str] = frozenset()
        self.extra: str = "ignore"
        self.is_recursive = self.is_complete = False
        # What growing_names found when this was the outermost class.
        self.growing: Optional[FrozenSet[str]] = None
        self.computed: List[Tuple[str, Plan, Any]] = []
        self.hook: Optional[str] = None
        # Defaults in the order of the fields, those that are made anew apart.
        self.fixed: Dict[str, Any] = {}
        self.factories: List[FieldPlan] = []
        # What sets the values of a model, the names that were set, and what else it holds.
        self.setters: List[Callable[[Any, Any], None]] = []
        # What is asked of each field to write it, by what parts the fields; made when a first model is written.
        self.writers: Dict[str, Dict[str, Any]] = {}
        # What makes, writes and copies a model of single values and dicts, once it is in frequent use; and how often
        # each use was made of the class up to then.
        self.fill_flat: FlatFiller = _decline
        self.load_flat: FlatLoader = _decline
        self.write_flat: FlatWriter = _decline
        self.copy_flat: FlatCopier = _decline
        self.n_uses = {"fill": 0, "load": 0, "write": 0, "copy": 0}
        self.slotted = not hasattr(cls, "__dict__") or "__slots__" in cls.__dict__ and not self.is_model

    def complete(self, build: Build) -> None:
        """Build the plans of the fields; the class may mention itself."""
        hints = record_hints(self.cls)
        for index, field in enumerate(fields_of(self.cls)):
            plan = build(hints[field.name])
            bounds = {name: field.metadata[name] for name in LIMIT_NAMES if name in field.metadata}
            if bounds:
                plan = _bound_plan(plan, bounds)
            if "after" in field.metadata:
                plan = AfterPlan(plan, field.metadata["after"])
            self.fields[field.name] = FieldPlan(field, plan, index)
        self.required = frozenset(field.name for field in self.fields.values() if field.required)
        for field_plan in self.fields.values():
            self.fixed[field_plan.name] = None if field_plan.factory is not UNGIVEN else field_plan.default
            if field_plan.factory is not UNGIVEN:
                self.factories.append(field_plan)
        for name, value in _find_computed(self.cls).items():
            hint = resolve_return(value.fget, "Computed field %r of %s" % (name, self.cls.__qualname__))
            self.computed.append((name, build(hint), value))
        if self.is_model:
            # Past any __setattr__, and whatever a class has under the same names.
            self.setters = [vars(_model_base(self.cls))[name].__set__ for name in _STATE_SLOTS]
            post_init = getattr(self.cls, "model_post_init")
            is_own = post_init is not getattr(_model_base(self.cls), "model_post_init")
            self.hook = "model_post_init" if is_own else None
        elif hasattr(self.cls, "__post_init__"):
            self.hook = "__post_init__"

    # -- checking

    def lacks_keys(self, value: Any) -> bool:
        return type(value) is dict and not self.required <= value.keys()

    def check(self, value: Any, call: CheckCall) -> Any:
        if not call.from_json:
            if isinstance(value, self.cls):
                if type(value) is not self.cls:
                    call.lower(STRICT)
                if self.is_model and call.n_fields_set is None:
                    call.n_fields_set = len(value.model_fields_set)
                return value
        elif call.quick is not False:
            made = self._try_quickly(value, call)
            if made is not None:
                return made
        call.lower(STRICT)
        if call.from_json:
            return self._make_exactly(value, self._read_source(value, call), call)
        if not self.is_recursive:
            return self._make_exactly(value, self._read_source(value, call), call)
        place = call.enter(self, value)
        try:
            return self._make_exactly(value, self._read_source(value, call), call)
        finally:
            call.leave(place)

    def _try_quickly(self, value: Any, call: CheckCall) -> Any:
        """Make the instance the quick way, or give None where the exact way must be gone.

        A model inside another does not go the exact way by itself, which would check deep faults over and over: it
        gives up as a whole, and the outermost begins anew.
        """
        outermost = call.quick is None
        able = (
            type(value) is dict and call.extra is None and not (call.strings or call.in_union)
            # A hook runs once, also for an input that turns out wrong.
            and self.hook is None)
        if not outermost:
            made = self._make_quickly(value, call) if able else None
            if made is None:
                raise NotQuick
            return made
        if not able:
            call.quick = False
            return None
        call.quick = True
        n_fields_set, made = call.n_fields_set, None
        try:
            made = self._make_quickly(value, call)
        except (Invalid, NotQuick):
            call.n_fields_set = n_fields_set
        finally:
            # Each of several models in a list may be the outermost one.
            call.quick = None if made is not None else False
        return made

    def fill(self, source: Dict[str, Any], made: Any, is_fresh: bool) -> Any:
        """Fill an instance, or a new one, with values that are right as they are; None hands over, nothing has changed.

        What is fresh from the JSON reader is kept, where a caller's dict is copied.
        """
        if self.hook is not None or not self.is_model:
            return None
        # Of the keys of a caller's dict the set of fields would keep what is no exact text.
        if not is_fresh and not TEXT_ONLY.issuperset(map(type, source)):
            return None
        fields = self.fields
        values = self.fixed.copy()
        names = set(source)
        for name, part in source.items():
            field = fields.get(name)
            if field is None:
                if self.extra != "ignore":
                    return None
                names.discard(name)
                continue
            if type(part) not in field.exact:
                if not (field.holds_any and type(part) is dict):
                    return None
                if not is_fresh:
                    if not TEXT_ONLY.issuperset(map(type, part)):
                        return None
                    part = part.copy()
            values[name] = part
        if self.required and not self.required <= source.keys():
            return None
        for field in self.factories:
            if field.name not in source:
                values[field.name] = field.factory()
        if made is None:
            made = self.cls.__new__(self.cls)
        set_values, set_names, set_extra = self.setters
        set_values(made, values)
        set_names(made, names)
        set_extra(made, {} if self.extra == "allow" else None)
        return made

    def fill_with_keywords(self, source: Dict[str, Any], made: Any) -> bool:
        """Fill an instance with keywords that are right as they are; False hands over, nothing has changed."""
        if self.fill_flat(source, made):
            return True
        if self.fill(source, made, False) is None:
            return False
        self.count_use("fill")
        return True

    def load(self, source: Dict[str, Any]) -> Any:
        """Make an instance of a JSON object whose values are right as they are; None hands over."""
        made = self.load_flat(source)
        if made is None:
            made = self.fill(source, None, True)
            if made is not None:
                self.count_use("load")
        return made

    def count_use(self, use: str) -> None:
        """Count a use of the class, and make the function for it if that makes it a frequent one."""
        self.n_uses[use] += 1
        if self.n_uses[use] != _FREQUENT or not self.is_model:
            return
        fields = list(self.fields.values())
        if use in ("fill", "load"):
            if self.hook is None and self.extra == "ignore":
                made = make_flat_filler(fields, self.setters, None if use == "fill" else self.cls) or _decline
                setattr(self, use + "_flat", made)
        elif not self.computed and self.extra != "allow":
            if use == "write":
                self.write_flat = make_flat_writer(fields) or _decline
            else:
                self.copy_flat = make_flat_copier(fields) or _decline

    def check_keywords(self, values: Dict[str, Any], call: CheckCall, made: Any) -> None:
        """Check the keywords of a constructor into an instance that exists already."""
        self._make_exactly(values, values, call, made)

    def _read_source(self, value: Any, call: CheckCall) -> Any:
        if isinstance(value, dict):
            if call.strict and not call.from_json and not self.is_model:
                raise self._wrong_type(value, call)
            return value
        if not self.is_model:
            raise self._wrong_type(value, call)
        if not call.from_json and not call.strict and isinstance(value, abc.Mapping):
            return value
        if call.from_attributes and not call.from_json and _has_attributes(value):
            return _AttributeSource(value)
        raise self._wrong_type(value, call)

    def _wrong_type(self, value: Any, call: CheckCall) -> Invalid:
        ctx = {"class_name": self.title}
        if not self.is_model:
            if call.strings:
                return call.invalid("arguments_type", value)
            kind = "dataclass_exact_type" if call.strict and not call.from_json else "dataclass_type"
            return call.invalid(kind, value, ctx)
        if call.from_attributes and not call.from_json:
            return call.invalid("model_attributes_type", value)
        return call.invalid("model_type", value, ctx)

    def _make_quickly(self, source: Dict[str, Any], call: CheckCall) -> Any:
        """Check a JSON object that is right in every part; None or ``Invalid`` hands over to the exact way."""
        fields = self.fields
        values = self.fixed.copy()
        n_known = 0
        for name, part in source.items():
            field = fields.get(name)
            if field is None:
                if self.extra != "ignore":
                    return None
                continue
            n_known += 1
            plan = field.plan
            values[name] = part if type(part) in field.exact or plan.accepts(part, call) else plan.check(part, call)
        if self.required and not self.required <= source.keys():
            return None
        for field in self.factories:
            if field.name not in source:
                values[field.name] = field.factory()
        names = set(source) if n_known == len(source) else fields.keys() & source.keys()
        call.n_fields_set = (call.n_fields_set or 0) + n_known
        kept: Optional[Dict[str, Any]] = {} if self.extra == "allow" and self.is_model else None
        return self._finish(source, values, names, kept, call)

    def _make_exactly(self, value: Any, source: Any, call: CheckCall, made: Any = None) -> Any:
        values: Dict[str, Any] = {}
        names = set()
        faults: List[Fault] = []
        may_skip = type(source) is dict and not (call.strings or call.in_union)
        if call.strings and not self.is_model:
            _demand_keywords(source, self.fields, call)
        for name, field in self.fields.items():
            if name not in source:
                if field.required:
                    fault = Fault("missing", value, None, call.from_json)
                    fault.path.append(name)
                    faults.append(fault)
                else:
                    values[name] = field.default if field.factory is UNGIVEN else field.factory()
                continue
            names.add(name)
            if may_skip:
                part = source[name]
                if type(part) in field.exact:
                    values[name] = part
                    continue
            try:
                # In an exact check a call less per level counts: a document may nest 200 deep.
                values[name] = check_part(field.plan, source[name], call) if call.strings else field.plan.check(
                    source[name], call)
            except Invalid as exc:
                place_faults(exc, faults, name)
        extra = call.extra or self.extra
        kept: Optional[Dict[str, Any]] = {} if extra == "allow" and self.is_model else None
        if not isinstance(source, _AttributeSource):
            if not self.is_model:
                _check_keywords(source, self.fields, extra, values, faults, call)
            elif extra != "ignore":
                check_extra_keys(source, self.fields, extra, {} if kept is None else kept, faults, call)
        if faults:
            raise Invalid(faults)
        call.n_fields_set = (call.n_fields_set or 0) + len(names)
        if kept:
            names.update(kept)
        return self._finish(value, values, names, kept, call, made)

    def _finish(
        self, value: Any, values: Dict[str, Any], names: Any, extra: Any, call: CheckCall, made: Any = None
    ) -> Any:
        """Make the instance of checked values and run its hook."""
        if made is None:
            made = self.cls.__new__(self.cls)
        if self.is_model:
            set_values, set_names, set_extra = self.setters
            set_values(made, values)
            set_names(made, names)
            set_extra(made, extra)
        elif self.slotted:
            for name, part in values.items():
                object.__setattr__(made, name, part)
        else:
            made.__dict__.update(values)
        if self.hook is not None:
            try:
                if self.is_model:
                    made.model_post_init(call.context)
                else:
                    made.__post_init__()
            except (ValueError, AssertionError) as exc:
                raise refuse_value(exc, value, call) from None
        return made

    # -- dumping

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if not self._is_dumpable(value, call):
            call.warn(self.dump_title, value)
            return dump_any(value, call, include, exclude)
        if type(value) is not self.cls and self.is_model and (call.as_any or call.polymorphic):
            if hasattr(type(value), "__codec_model__"):
                return dump_any(value, call, include, exclude)
        identity = id(value)
        if identity in call.ids:
            raise ValueError("Circular reference detected (id repeated)")
        call.ids[identity] = 1
        outer = call.field
        try:
            pairs = self._dump_fields(value, call, include, exclude)
            if self.computed and not (call.exclude_computed or call.round_trip):
                self._dump_computed(value, pairs, call, include, exclude)
            return make_object(pairs, call)
        finally:
            call.field = outer
            del call.ids[identity]

    def _is_dumpable(self, value: Any, call: DumpCall) -> bool:
        if call.trial == "strict":
            return type(value) is self.cls
        if call.trial == "lax" or not self.is_model:
            return isinstance(value, self.cls)
        # pydantic dumps whatever has attributes where a model is expected.
        return hasattr(value, "__dict__")

    def _items(self, value: Any) -> Iterable[Tuple[Any, Any]]:
        if self.slotted:
            return [(name, getattr(value, name)) for name in self.fields if hasattr(value, name)]
        state = value.__dict__
        if not isinstance(state, dict):
            raise TypeError("'%s' object is not an instance of 'dict'" % type(state).__name__)
        return list(state.items())

    def write_compactly(self, value: Any) -> Optional[str]:
        """Write a model of this very class as compact JSON text if all of it is surely right; else None."""
        try:
            text = self.write_flat(value.__dict__)
        except Exception:
            text = None
        if text is not None:
            return text if text.isascii() else join_pieces([text])
        self.count_use("write")
        return self.write_quickly(value, None, "null", False)

    def write_quickly(self, value: Any, indent: Optional[int], inf_nan: str, skips_none: bool) -> Optional[str]:
        """Write a model as JSON text if all of it is surely right; None hands over to the exact way."""
        out: List[str] = []
        try:
            if not self.write(value, out, make_layout(indent, inf_nan, skips_none)):
                return None
        except Exception:
            # An int longer than the interpreter likes to write, too little stack, a value that cannot be written:
            # the exact way knows what to do or what to say.
            return None
        return join_pieces(out)

    def write(self, value: Any, out: List[str], layout: Layout) -> bool:
        if type(value) is not self.cls or not self.is_model or self.extra == "allow":
            return False
        inner = layout if layout.indent is None else layout.inner()
        skips_none = layout.skips_none
        writers = self.writers.get(inner.comma)
        if writers is None:
            writers = self._make_writers(inner)
        first = len(out)
        # What an exclude_if does to the instance shows in none of its values, as it does not in the exact way.
        for name, part in list(value.__dict__.items()):
            writer = writers.get(name)
            if writer is None:
                return False
            start, settled, exclude_if, write, plan = writer
            if exclude_if is not None and exclude_if(part) or skips_none and part is None:
                continue
            if type(part) in settled:
                out.append(start + "null" if part is None else start + repr(part))
                continue
            out.append(start)
            place = len(out)
            if not write(part, out, inner):
                del out[place:]
                if not (_is_single(part) and _write_exactly(plan, part, out, inner)):
                    return False
        for name, plan, made in self.computed:
            part = made.__get__(value, type(value))
            if skips_none and part is None:
                continue
            out.append(inner.comma + quote(name) + inner.colon)
            if not _write_exactly(plan, part, out, inner):
                return False
        if len(out) == first:
            out.append("{}")
            return True
        out[first] = "{" + out[first][1:]  # no comma before the first field
        out.append(layout.newline + "}")
        return True

    def _make_writers(self, inner: Layout) -> Dict[str, Any]:
        """Make what is asked of each field to write it: the text before it, types that repr writes, and so on."""
        writers = {}
        for field in self.fields.values():
            plan = field.plan
            settled = plan.exact & _REPR_TYPES
            while isinstance(plan, OptionalPlan):
                plan = plan.inner
            start = inner.comma + quote(field.name) + inner.colon
            writers[field.name] = (start, settled, field.exclude_if, plan.write, field.plan)
        self.writers = {inner.comma: writers} if len(self.writers) > 20 else {**self.writers, inner.comma: writers}
        return writers

    def copy(self, value: Any) -> Any:
        if type(value) is not self.cls:
            return NOT_COPIED
        try:
            copied = self.copy_flat(value.__dict__)
        except Exception:
            return NOT_COPIED
        if copied is not None:
            return copied
        if not self.is_model or self.computed or self.extra == "allow":
            return NOT_COPIED
        self.count_use("copy")
        out = {}
        fields = self.fields
        for name, part in list(value.__dict__.items()):
            field = fields.get(name)
            if field is None:
                return NOT_COPIED
            if field.exclude_if is not None and field.exclude_if(part):
                continue
            if type(part) not in field.exact:
                part = field.plan.copy(part)
                if part is NOT_COPIED:
                    return NOT_COPIED
            out[field.name] = part
        return out

    def growing_names(self, seen: Set[Any]) -> FrozenSet[str]:
        if self.growing is not None and not seen:
            return self.growing
        is_outermost = not seen
        found = gather_growing(self, [(name, field.plan) for name, field in self.fields.items()], seen)
        if is_outermost and self.is_complete:
            self.growing = found
        return found

    def _dump_fields(self, value: Any, call: DumpCall, include: Any, exclude: Any) -> List[Tuple[Any, Any]]:
        pairs = []
        fields_set = getattr(value, "__pydantic_fields_set__", None) if call.exclude_unset else None
        n_fields = 0
        outer = call.field
        as_any = call.as_any
        for name, part in self._items(value):
            field = self.fields.get(name)
            if field is None:
                check_name(name)
                if call.trial == "strict":
                    raise Mismatch(
                        "PydanticSerializationUnexpectedValue(Unexpected field `%s`: Expected `%s`)"
                        % (name, self.dump_title))
                continue
            n_fields += 1
            if call.exclude_none and part is None or fields_set is not None and name not in fields_set:
                continue
            below = filter_key(name, include, exclude) if include is not None or exclude is not None else (None, None)
            if below is None or _is_left_out(field, part, call):
                continue
            call.field = name
            plan = field.plan
            dumped = dump_any(part, call, *below) if as_any else plan.dump(part, call, *below)
            pairs.append((field.name, dumped))
        if call.trial is not None and n_fields < len(self.fields):
            call.field = outer
            raise call.miss_fields(self.dump_title, value, len(self.fields), n_fields)
        extra = getattr(value, "__pydantic_extra__", None) if self.extra == "allow" else None
        for name, part in (extra or {}).items():
            if call.exclude_none and part is None or fields_set is not None and name not in fields_set:
                continue
            below = filter_key(name, include, exclude)
            if below is not None:
                call.field = name
                key = check_text(name) if call.text and type(name) is str else dump_any_key(name, call)
                pairs.append((key, dump_any(part, call, *below)))
        return pairs

    def _dump_computed(
        self, value: Any, pairs: List[Tuple[Any, Any]], call: DumpCall, include: Any, exclude: Any
    ) -> None:
        for name, plan, made in self.computed:
            below = filter_key(name, include, exclude)
            if below is None:
                continue
            part = made.__get__(value, type(value))
            if call.exclude_none and part is None:
                continue
            call.field = name
            pairs.append((name, plan.dump(part, call, *below)))

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        return dump_any_key(key, call)

    # -- describing

    def schema(self, book: Any) -> Dict[str, Any]:
        reference: Dict[str, Any] = book.refer(self.cls, lambda: self._describe(book))
        return reference

    def _describe(self, book: Any) -> Dict[str, Any]:
        properties = {}
        required = []
        is_dump = book.mode == "serialization"
        for name, field in self.fields.items():
            if field.required and not field.init:
                continue  # it can neither be given nor be relied on
            properties[name] = book.describe_property(
                name, field.plan, default=field.default, description=field.description)
            if field.required and not (is_dump and field.exclude_if is not None):
                required.append(name)
        for name, plan, made in self.computed if is_dump else ():
            doc = book.clean(made.__doc__) if made.__doc__ else None
            properties[name] = book.describe_property(name, plan, read_only=True, description=doc)
            required.append(name)
        doc = self.cls.__dict__.get("__doc__")
        if not isinstance(doc, str) or not self.is_model and doc.startswith(self.cls.__name__ + "("):
            doc = None  # dataclass made it of the signature; from 3.15 on it makes it when it is asked for
        described: Dict[str, Any] = book.describe_class(self.cls, properties, required, self.extra, doc)
        return described


def _decline(*values: Any) -> Any:
    """Stand for a function where none was made."""


def _demand_keywords(source: Any, known: Any, call: CheckCall) -> None:
    """Refuse a dict in which anything is no text, known names first; the fault is the dict's, not the part's."""
    for name in known:
        if name in source:
            demand_text(source[name], call)
    for key, part in source.items():
        demand_text(key, call)
        demand_text(part, call)


def _check_keywords(
    source: Any, known: Any, extra: str, out: Dict[str, Any], faults: List[Fault], call: CheckCall
) -> None:
    """Refuse keys that are no text, and refuse, keep or drop unknown ones, as a call of a dataclass would."""
    for key in source:
        if isinstance(key, str) and (extra != "forbid" or key in known):
            if extra == "allow" and key not in known:
                out[str.__str__(key)] = forget_repeats(source[key]) if call.has_repeats else source[key]
            continue
        fault = (
            Fault("unexpected_keyword_argument", source[key], None, call.from_json) if isinstance(key, str)
            else Fault("invalid_key", key, None, call.from_json))
        fault.path.append(key_step(key))
        faults.append(fault)


class _AttributeSource:
    """An object read by its attributes, as if it were a mapping."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._read: Dict[str, Any] = {}

    def __contains__(self, name: str) -> bool:
        try:
            self._read[name] = getattr(self._source, name)
        except AttributeError:
            return False
        except Exception as exc:
            self._read[name] = exc
        return True

    def __getitem__(self, name: str) -> Any:
        found = self._read[name]
        if isinstance(found, Exception):
            raise Invalid([Fault("get_attribute_error", self._source, {"error": describe_exception(found)})])
        return found


def refuse_value(exc: Exception, value: Any, call: CheckCall) -> Invalid:
    """Make a fault of what a class's own code has against a value."""
    kind = "value_error" if isinstance(exc, ValueError) else "assertion_error"
    return call.invalid(kind, value, {"error": exc})


def _model_base(cls: Any) -> Any:
    """Find the base that says what a model is, and does nothing after a validation."""
    return next(base for base in reversed(cls.__mro__) if "__codec_model__" in vars(base))


def _has_attributes(value: Any) -> bool:
    """Tell whether fields can be read off an object: the types of some modules are values, not records."""
    return type(value).__module__ not in ("builtins", "datetime", "collections")


def _is_left_out(field: FieldPlan, value: Any, call: DumpCall) -> bool:
    if call.exclude_defaults and not field.required:
        try:
            if field.make_default() == value:
                return True
        except Exception:
            pass
    return field.exclude_if is not None and bool(field.exclude_if(value))


def _is_single(value: Any) -> bool:
    """Tell whether a value can be dumped as often as one likes, unlike what may hold a generator."""
    kind = type(value)
    if kind is dict or kind is list:
        return copy_plain(value) is not NOT_COPIED
    return kind in _SINGLE_TYPES or kind.__module__ in _SINGLE_MODULES or is_from(kind, "enum", "Enum")


def _write_exactly(plan: Plan, value: Any, out: List[str], layout: Layout) -> bool:
    """Write a value by its dump; False where the dump has something to say."""
    call = DumpCall("json", text=True)
    call.exclude_none = layout.skips_none
    out.append(write_tree_at(plan.dump(value, call), layout))
    return not call.warned


def _bound_plan(plan: Plan, bounds: Dict[str, Any]) -> Plan:
    """Set limits on a plan; None, where it is allowed, has none."""
    if isinstance(plan, OptionalPlan):
        return OptionalPlan(_bound_plan(plan.inner, bounds))
    return BoundedPlan(plan, bounds)


def _find_computed(cls: Any) -> Dict[str, computed_field]:
    found: Dict[str, computed_field] = {}
    for base in reversed(cls.__mro__):
        for name, value in vars(base).copy().items():  # another thread may set an attribute
            if isinstance(value, computed_field):
                found[name] = value
            else:
                found.pop(name, None)
    return found


register_kind("record", lambda hint, build: RecordPlan(hint.source))
''')


# ====================================================================================================================
# harbor/codec/plan/values.py, which runs when it is first used
# ====================================================================================================================

_later("codec.plan.values", """
        Hint MomentError read_datetime read_datetime_bytes read_datetime_number read_uuid read_uuid_bytes
        write_datetime dump_any dump_any_key LAX NO_TYPES STRICT Build CheckCall DumpCall Plan register_kind number_of""", r'''
"""Plans of datetime, UUID and Path.

In: such an object, or what pydantic reads one from. Out: the object; and back to its text. The modules of these
types are imported when a value of them is made, never before.
"""

import sys
from typing import Any, Dict

class _ValuePlan(Plan):
    """What the three have in common: one class, text in JSON, strict Python input wants the object itself."""

    __slots__ = ("cls",)

    def __init__(self, cls: Any) -> None:
        self.cls = cls
        self.exact = NO_TYPES

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if isinstance(value, self.cls):
            return self.to_text(value) if call.mode == "json" else value
        call.warn(self.dump_title, value)
        return dump_any(value, call, include, exclude)

    def to_text(self, value: Any) -> str:
        raise NotImplementedError

    def dump_key(self, key: Any, call: DumpCall) -> Any:
        if not isinstance(key, self.cls):
            call.warn(self.dump_title, key)
            return dump_any_key(key, call)
        return self.to_text(key) if call.mode == "json" else key


class DatetimePlan(_ValuePlan):
    """A datetime, naive or aware; in lax mode also its text, a date, or unix time."""

    __slots__ = ()
    title = dump_title = "datetime"

    def check(self, value: Any, call: CheckCall) -> Any:
        if isinstance(value, self.cls):
            return value
        strict = call.strict
        if strict and not (call.from_json and isinstance(value, str)):
            raise call.invalid("datetime_type", value)
        call.lower(STRICT if call.from_json and not call.in_key and isinstance(value, str) else LAX)
        try:
            return self._read(value, strict, call)
        except MomentError as exc:
            raise call.invalid(exc.kind, value, exc.ctx) from None

    def _read(self, value: Any, strict: bool, call: CheckCall) -> Any:
        if isinstance(value, str):
            return read_datetime(str.__str__(value), strict)
        if isinstance(value, bytes):
            return read_datetime_bytes(value)
        if isinstance(value, sys.modules["datetime"].date):
            return self.cls(value.year, value.month, value.day)
        if isinstance(value, bool):
            raise call.invalid("datetime_type", value)
        number = value if isinstance(value, (int, float)) else number_of(value)
        if number is None:
            raise call.invalid("datetime_type", value)
        return read_datetime_number(number, call.from_json)

    def to_text(self, value: Any) -> str:
        return write_datetime(value)

    def schema(self, book: Any) -> Dict[str, Any]:
        return {"type": "string", "format": "date-time"}


class UuidPlan(_ValuePlan):
    """A UUID; in lax mode also its text or bytes."""

    __slots__ = ()
    title = dump_title = "uuid"

    def check(self, value: Any, call: CheckCall) -> Any:
        if isinstance(value, self.cls):
            return value
        if call.strict and not call.from_json:
            raise call.invalid("is_instance_of", value, {"class": "UUID"})
        if not call.from_json:
            call.lower(LAX)
        try:
            if isinstance(value, str):
                return read_uuid(str.__str__(value))
            if isinstance(value, bytes):
                return read_uuid_bytes(value)
        except MomentError as exc:
            raise call.invalid(exc.kind, value, exc.ctx) from None
        raise call.invalid("uuid_type", value)

    def to_text(self, value: Any) -> str:
        return str(value)

    def schema(self, book: Any) -> Dict[str, Any]:
        return {"type": "string", "format": "uuid"}


class PathPlan(_ValuePlan):
    """A ``pathlib.Path``; in lax mode also text."""

    __slots__ = ()
    dump_title = "plain_function[ser_path]"
    # pydantic builds the check of a path out of others, and its title says how.
    title = (
        "lax-or-strict[lax=union[json-or-python[json=function-after[path_validator(), str],"
        "python=is-instance[Path]],function-after[path_validator(), str]],strict=json-or-python["
        "json=function-after[path_validator(), str],python=is-instance[Path]]]")

    def check(self, value: Any, call: CheckCall) -> Any:
        if isinstance(value, self.cls):
            return value
        if call.strict and not call.from_json:
            raise call.invalid("is_instance_of", value, {"class": "Path"})
        call.lower(STRICT if call.from_json else LAX)
        if isinstance(value, str):
            return self.cls(value)
        if call.strict:
            raise call.invalid("string_type", value)
        raise call.invalid("path_type", value, {"error": repr(self.cls)})

    def dump(self, value: Any, call: DumpCall, include: Any = None, exclude: Any = None) -> Any:
        if not isinstance(value, self.cls):
            if isinstance(value, str):
                return dump_any(value, call, include, exclude)
            text = (
                "PydanticSerializationUnexpectedValue(Expected `%r` but got `%r` with value `'%s'` - serialized value "
                "may not be as expected.)" % (self.cls, type(value), value))
            call.warn_text(text)
            return dump_any(value, call, include, exclude)
        return str(value) if call.mode == "json" else value

    def to_text(self, value: Any) -> str:
        return str(value)

    def schema(self, book: Any) -> Dict[str, Any]:
        # pydantic joins two ways to read the text, which shows in the form of unions.
        return dict(book.join([{"type": "string"}, {"type": "string"}]), format="path")


def _register_values() -> None:
    for kind, plan in (("datetime", DatetimePlan), ("uuid", UuidPlan), ("path", PathPlan)):

        def make(hint: Hint, build: Build, plan: Any = plan) -> Plan:
            made: Plan = plan(hint.source)
            return made

        register_kind(kind, make)


_register_values()
''')


# ====================================================================================================================
# harbor/codec/plan/__init__.py, which runs when it is first used
# ====================================================================================================================

_later("codec.plan", "describe_type Plan build_plan kept_plan _module", r'''
"""Plans: how values of a type are checked and dumped, one class per kind of type.

``plan_of`` gives the plan of any type the codec knows.
"""

from typing import Any

anything = _module("codec.plan.anything")
choices = _module("codec.plan.choices")
containers = _module("codec.plan.containers")
records = _module("codec.plan.records")
scalars = _module("codec.plan.scalars")
values = _module("codec.plan.values")

_FAMILIES_OF_KINDS = (anything, choices, containers, records, scalars, values)


def plan_of(kind: Any) -> Plan:
    """Give the plan of a type: the one its class keeps, or a new one.

    Raises ``TypeError`` for a type the codec does not know, naming class, field and type.
    """
    if isinstance(kind, type):
        kept = kept_plan(kind)
        if kept is not None:
            return kept
    return build_plan(describe_type(kind, "The type given"))
''')


# ====================================================================================================================
# harbor/codec/text/reading.py, which runs when it is first used
# ====================================================================================================================

_later("codec.text.reading", "_take", r'''
"""JSON text to plain Python values.

In comes a JSON document (``str``, ``bytes`` or ``bytearray``); out go ``None``,
``bool``, ``int``, ``float``, ``str``, ``list`` and ``dict``, or a `JsonError`
that says what is wrong and where.  Values, messages and columns are those of
pydantic 2.14.4.

This module knows nothing of fields, types or models, and it reads no files.  The
standard ``json`` does the work wherever it is sure to give the same result; the
rest is done here, without recursion.  ``json`` and the patterns are loaded on
first use, so that importing the models does not cost them.
"""

import functools
import sys
from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, List, Optional, Tuple, Union

if TYPE_CHECKING:
    from re import Pattern

__all__ = [
    "JsonError",
    "NotText",
    "parse",
    "parse_exact",
    "parse_ordinary",
    "parse_repeats",
    "repeats_keys",
]

# A value may stand inside at most this many containers.
_DEPTH_LIMIT = 200
# No run of digits in it is too long.
_SHORT = 4096
# An integer (also the whole part of a float) has at most this many digits.
_DIGITS_LIMIT = 4300
# A run of more than _DIGITS_LIMIT digits fills one aligned block of this size.
_DIGITS_BLOCK = 2000
# No interpreter setting makes int() refuse this many digits.
_DIGITS_SURE = 640
# Bounds the memory that looking for depth takes; the processor's cache likes it.
_DEPTH_PIECE = 1 << 17

_NOT_FOUND: Any = object()
# What a reader raises for what it cannot read.
_READ_FAULTS = (ValueError, StopIteration, RecursionError, MemoryError)

_Document = Union[str, bytes, bytearray]


class JsonError(ValueError):
    """A document that is not JSON; `message` names the fault, line and column."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotText(ValueError):
    """A `str` document with a lone surrogate, which no UTF-8 text can hold."""


# ---------------------------------------------------------------- reading


def parse(document: _Document, growing: FrozenSet[str] = frozenset(), cuts: Optional["Cuts"] = None) -> Any:
    """Return the value of a JSON document.

    Raises `JsonError` for bad JSON and `NotText` for a `str` with a lone
    surrogate.  The result and the errors are those of `parse_exact`.  Lists that
    grow, under a name in ``growing``, are read without reading anything twice;
    what becomes known of the document by that is kept in ``cuts``.
    """
    if growing:
        found = _parse_growing(document, growing, cuts)
        if found is not _NOT_FOUND:
            return found
    elif type(document) is str and len(document) <= _SHORT and document.isascii() and _scan is not None:
        # A record of a few numbers: each look at it counts.
        if "\\" not in document and not _may_be_deep(document, _DEPTH_LIMIT):
            try:
                value, end = _scan(document, 0)
                if end == len(document):
                    return value
            except _READ_FAULTS:
                pass
    try:
        if isinstance(document, str):
            raw: Union[bytes, bytearray] = document.encode("utf-8")
            text = document
        else:
            raw = document
            text = raw.decode("utf-8")
    except UnicodeEncodeError:
        raise NotText("Lone surrogate in the document") from None
    except UnicodeDecodeError:
        return parse_exact(document)
    if _is_ordinary(raw):
        loads = _loads_cache or _load_loads()
        try:
            return loads(text)
        except _READ_FAULTS:
            # A fault, an int above a lowered interpreter limit, or a caller
            # that left too little stack: all settled below.
            pass
    return parse_exact(raw)


def parse_ordinary(raw: bytes) -> Any:
    """Return the value of a document that needs no second look to be read as by `parse`; `ValueError` for any other.

    A fault costs little here, with the standard reader: it is not looked for.
    """
    if not _is_ordinary(raw):
        raise ValueError
    try:
        return (_loads_cache or _load_loads())(raw.decode("utf-8"))
    except (StopIteration, RecursionError, MemoryError):
        raise ValueError from None


def _parse_growing(document: _Document, growing: FrozenSet[str], cuts: Optional["Cuts"]) -> Any:
    """Return the value of a document whose lists grow, or `_NOT_FOUND` for any doubt."""
    Cuts = _take("Cuts")
    cut_lists = _take("cut_lists")

    cuts = cuts or Cuts()
    if _loads_cache is None:
        _load_loads()
    if _make_scanner is None:
        return _NOT_FOUND
    try:
        # Where a character may take two bytes or four, those of UTF-8 are fewer to look at.
        is_wide = isinstance(document, str) and not document.isascii()
        pieces, lists = cut_lists(
            document.encode("utf-8") if is_wide else document,  # type: ignore[union-attr]
            growing, _read_list_text, cuts.proven)
        around = [piece if isinstance(piece, str) else piece.decode("utf-8") for piece in pieces]
        # In each gap stands a word that the reader hands to us, and that is nowhere else.
        # One letter is found far faster than a word, and most often is not there.
        word = next((w for w in ("NaN", "-Infinity") if not any(
            w.lstrip("-")[0] in part and w.lstrip("-") in part for part in around)), None)
        if not lists or word is None:
            return _NOT_FOUND
        text = word.join(around)
        if not _is_ordinary(text.encode("utf-8"), _DEPTH_LIMIT - 1):
            return _NOT_FOUND
        gaps = iter(lists)
        words: Dict[str, Callable[[], Any]] = {word: gaps.__next__}

        def read_constant(name: str) -> Any:
            make = words.get(name)
            return float(name) if make is None else make()

        value = _scan_all(_make_scanner(_decoder_with(read_constant)), text)
        if next(gaps, None) is not None:
            return _NOT_FOUND  # what looked like a name stood in a text
        cuts.text = text
    except (UnicodeError,) + _READ_FAULTS:
        return _NOT_FOUND
    return value


def _read_list_text(text: str) -> Any:
    """Return the value of a list's text, which a longer document was not asked about."""
    if len(text) > _DIGITS_LIMIT and _has_long_digits(text.encode("ascii")):
        raise ValueError
    return (_loads_cache or _load_loads())(text)


def repeats_keys(document: _Document) -> bool:
    """Say whether a key stands twice in an object of a document that `parse` has read; True also where unsure."""
    import json

    def count(pairs: List[Tuple[str, Any]]) -> None:
        if len(dict(pairs)) < len(pairs):
            raise ValueError

    try:
        json.loads(document if isinstance(document, str) else document.decode("utf-8"), object_pairs_hook=count)
    except (ValueError, RecursionError, MemoryError):
        return True
    return False


def parse_repeats(document: _Document, make: Callable[[List[Tuple[str, Any]]], Any]) -> Any:
    """Return the value of a document that `parse` has read, its objects with repeated keys made by ``make(pairs)``."""
    import json

    def keep(pairs: List[Tuple[str, Any]]) -> Any:
        plain = dict(pairs)
        return plain if len(plain) == len(pairs) else make(pairs)

    try:
        text = document if isinstance(document, str) else document.decode("utf-8")
        return json.loads(text, object_pairs_hook=keep)
    except (ValueError, RecursionError, MemoryError):
        # What only the exact reader can read has its keys looked at once.
        return parse(document)


_loads_cache: Optional[Callable[[str], Any]] = None
_make_scanner: Any = None
_scan: Any = None


def _load_loads() -> Callable[[str], Any]:
    """Return the standard reader if its grammar is exact, else our own."""
    global _loads_cache, _make_scanner, _scan
    import json
    import json.scanner

    # Without its C scanner CPython's reader lets non-ASCII digits and odd
    # \u escapes through.  PyPy has a strict one of its own behind json.loads.
    _make_scanner = getattr(json.scanner, "c_make_scanner", None)
    if _make_scanner is None:
        _loads_cache = json.loads if sys.implementation.name == "pypy" else parse_exact
        return _loads_cache
    # json.loads spends on a small document more than its scanner does.
    _scan = _make_scanner(json.JSONDecoder())
    _loads_cache = functools.partial(_scan_all, _scan)
    return _loads_cache


def _decoder_with(read_constant: Callable[[str], Any]) -> Any:
    import json

    return json.JSONDecoder(parse_constant=read_constant)


def _scan_all(scan: Callable[[str, int], Tuple[Any, int]], text: str) -> Any:
    """Return the value of a whole text; raises `StopIteration` or `ValueError` if it is not one value."""
    start = 0 if text[:1] in "{[" else len(text) - len(text.lstrip(" \t\n\r"))
    value, end = scan(text, start)
    if end != len(text) and text[end:].strip(" \t\n\r"):
        raise ValueError
    return value


def _is_ordinary(raw: Union[bytes, bytearray], depth: int = _DEPTH_LIMIT) -> bool:
    """Say whether ``json`` is sure to read this UTF-8 text as we must.

    The text may still be bad JSON.  False means "unsure", never "bad".
    """
    size = len(raw)
    if size > _DIGITS_LIMIT and _has_long_digits(raw):
        return False
    if _may_be_deep(raw, depth) and not _is_shallow(raw, depth):
        return False
    # One byte is found far faster than two, and most often is not there.
    return b"\\" not in raw or b"\\u" not in raw or not _has_lone_escape(raw)


def _may_be_deep(text: Any, depth: int) -> bool:
    """Say whether a text, or its bytes, has enough brackets to nest deeper, in strings or not, if it is JSON."""
    # JSON takes two characters for a level.
    if len(text) <= 2 * depth:
        return False
    n_left = depth
    for bracket in ("[", "{") if isinstance(text, str) else (b"[", b"{"):
        # Going from one to the next costs less than counting, up to the few that count.
        place = text.find(bracket)
        while place >= 0:
            n_left -= 1
            if n_left < 0:
                return True
            place = text.find(bracket, place + 1)
    return False


def _has_long_digits(raw: Union[bytes, bytearray]) -> bool:
    """Say whether there may be a run of more than `_DIGITS_LIMIT` digits."""
    for start in range(0, len(raw) - _DIGITS_BLOCK + 1, _DIGITS_BLOCK):
        if raw[start : start + _DIGITS_BLOCK].isdigit():
            return True
    return False


_BRACKETS = bytes.maketrans(b"{}", b"[]")
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def _is_shallow(raw: Union[bytes, bytearray], depth: int = _DEPTH_LIMIT) -> bool:
    """Say whether the brackets balance and nest at most `depth` deep.

    What this accepts, a recursive reader can be given, even if the text turns
    out to be bad: up to its first fault a reader sees the same strings.
    """
    too_deep = b"[" * (depth + 1)
    # The brackets still open and whether a string is, where a piece starts.
    still_open = b""
    in_string = 0
    start = 0
    while start < len(raw):
        piece = raw[start : start + _DEPTH_PIECE]
        if (len(piece) - len(piece.rstrip(b"\\"))) % 2 and len(piece) == _DEPTH_PIECE:
            piece = piece[:-1]  # an escape is not cut in two
        start += len(piece)
        if b"\\" in piece:
            piece = piece.replace(b"\\\\", b"").replace(b'\\"', b"")
        # Every second part between quotes lies outside the strings.
        if in_string or b'"' in piece:
            parts = piece.split(b'"')
            piece = b"".join(parts[in_string::2])
            in_string = (in_string + len(parts) - 1) % 2
        brackets = still_open + piece.translate(_BRACKETS, _NOT_BRACKETS)
        # Each round takes the innermost containers away.
        rounds = 0
        while b"[]" in brackets:
            if rounds == depth or too_deep in brackets:
                return False
            brackets = brackets.replace(b"[]", b"")
            rounds += 1
        if rounds + len(brackets) > depth or b"]" in brackets:
            return False
        still_open = brackets
    return not still_open


_lone_escape: Optional["Pattern[bytes]"] = None


def _has_lone_escape(raw: Union[bytes, bytearray]) -> bool:
    r"""Say whether a ``\ud800`` to ``\udfff`` escape lacks its other half."""
    global _lone_escape
    if _lone_escape is None:
        import re

        high = rb"[89abAB][0-9a-fA-F]{2}"
        low = rb"[c-fC-F]"
        start = rb"\\u[dD]"
        # One literal start for both, so that the search can jump to it.
        _lone_escape = re.compile(
            rb"%s(?:%s(?!%s%s)|%s(?<!%s%s%s.))"
            % (start, high, start, low, low, start, high, start)
        )
    if b"\\\\" in raw:
        raw = raw.replace(b"\\\\", b"..")
    return _lone_escape.search(raw) is not None


# ---------------------------------------------------------------- exact reading


def parse_exact(document: _Document) -> Any:
    """Return the value of a JSON document, by the long way that is always right."""
    if isinstance(document, str):
        try:
            raw = document.encode("utf-8")
        except UnicodeEncodeError:
            raise NotText("Lone surrogate in the document") from None
    else:
        raw = bytes(document)
    grammar = _grammar_cache or _load_grammar()
    # The containers around the current place, and the key to fill in each dict.
    around: List[Tuple[Any, str]] = []
    place = _after(grammar.space, raw, 0)
    while True:
        if around and type(around[-1][0]) is list and len(around) <= _DEPTH_LIMIT:
            place = _read_numbers(grammar, raw, place, around[-1][0])
        value, place = _read_start(grammar, raw, place, len(around))
        if type(value) is _Opened:
            around.append((value.container, value.key))
            continue
        # The value is whole: put it where it belongs, close what ends here.
        while around:
            container, key = around[-1]
            if type(container) is list:
                container.append(value)
            else:
                container[key] = value
            place = _after(grammar.space, raw, place)
            more, place, key = _read_separator(grammar, raw, place, type(container) is list)
            if more:
                around[-1] = (container, key)
                break
            value = container
            around.pop()
        else:
            place = _after(grammar.space, raw, place)
            if place < len(raw):
                raise _fault("trailing characters", raw, place)
            return value


class _Opened:
    """A container whose first member is still to be read."""

    __slots__ = ("container", "key")

    def __init__(self, container: Any, key: str) -> None:
        self.container = container
        self.key = key


class _Grammar:
    """The compiled patterns of the exact reader."""

    def __init__(self) -> None:
        import re

        self.space = re.compile(rb"[ \t\n\r]*")
        self.number = re.compile(rb"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
        # Numbers with the comma and the start of another number behind them;
        # bounded, as the pattern engine keeps a record of every repetition.
        self.numbers = re.compile(
            rb"(?:-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,30})?[ \t\n\r]*,[ \t\n\r]*){1,5000}"
            rb"(?=[-0-9])"
        )
        self.plain = re.compile(rb'[^"\\\x00-\x1f]*')
        self.hex = re.compile(rb"[0-9a-fA-F]*")


_grammar_cache: Optional[_Grammar] = None


def _load_grammar() -> _Grammar:
    global _grammar_cache
    _grammar_cache = _Grammar()
    return _grammar_cache


def _fault(problem: str, raw: bytes, index: int) -> JsonError:
    """Make the error for the byte at `index`; at the end, for what came before."""
    end = min(index + 1, len(raw))
    line = raw.count(b"\n", 0, end) + 1
    column = end - (raw.rfind(b"\n", 0, end) + 1)
    return JsonError("%s at line %d column %d" % (problem, line, column))


def _after(space: "Pattern[bytes]", raw: bytes, place: int) -> int:
    """Return the place of the next byte that is no white space."""
    if raw[place : place + 1] > b" ":
        return place
    return space.match(raw, place).end()  # type: ignore[union-attr]  # matches ""


_NAMED_VALUES: Dict[bytes, Tuple[bytes, Any]] = {
    b"n": (b"null", None),
    b"t": (b"true", True),
    b"f": (b"false", False),
    b"N": (b"NaN", float("nan")),
    b"I": (b"Infinity", float("inf")),
}


def _read_start(grammar: _Grammar, raw: bytes, place: int, depth: int) -> Tuple[Any, int]:
    """Read a scalar or an empty container, or open one, at `place`."""
    first = raw[place : place + 1]
    if not first:
        raise _fault("EOF while parsing a value", raw, place)
    if depth > _DEPTH_LIMIT:
        raise _fault("recursion limit exceeded", raw, place)
    if first == b'"':
        return _read_string(grammar, raw, place + 1)
    if first in b"-0123456789":
        return _read_number(grammar, raw, place)
    if first == b"[":
        place = _after(grammar.space, raw, place + 1)
        if raw[place : place + 1] == b"]":
            return [], place + 1
        if place >= len(raw):
            raise _fault("EOF while parsing a list", raw, place)
        return _Opened([], ""), place
    if first == b"{":
        place = _after(grammar.space, raw, place + 1)
        if raw[place : place + 1] == b"}":
            return {}, place + 1
        if place >= len(raw):
            raise _fault("EOF while parsing an object", raw, place)
        key, place = _read_key(grammar, raw, place)
        return _Opened({}, key), place
    if first in _NAMED_VALUES:
        word, value = _NAMED_VALUES[first]
        return value, _read_word(word, raw, place)
    raise _fault("expected value", raw, place)


def _read_separator(
    grammar: _Grammar, raw: bytes, place: int, in_list: bool
) -> Tuple[bool, int, str]:
    """Read what follows a member: (more to come, place after it, next key)."""
    mark = raw[place : place + 1]
    if mark == b",":
        place = _after(grammar.space, raw, place + 1)
        after = raw[place : place + 1]
        if not after:
            raise _fault("EOF while parsing a value", raw, place)
        if after == (b"]" if in_list else b"}"):
            raise _fault("trailing comma", raw, place)
        if in_list:
            return True, place, ""
        key, place = _read_key(grammar, raw, place)
        return True, place, key
    if mark == (b"]" if in_list else b"}"):
        return False, place + 1, ""
    if not mark:
        raise _fault("EOF while parsing %s" % ("a list" if in_list else "an object"), raw, place)
    raise _fault("expected `,` or `%s`" % ("]" if in_list else "}"), raw, place)


def _read_key(grammar: _Grammar, raw: bytes, place: int) -> Tuple[str, int]:
    """Read a key and its colon; return the place of the value."""
    if raw[place : place + 1] != b'"':
        raise _fault("key must be a string", raw, place)
    key, place = _read_string(grammar, raw, place + 1)
    place = _after(grammar.space, raw, place)
    if place >= len(raw):
        raise _fault("EOF while parsing an object", raw, place)
    if raw[place : place + 1] != b":":
        raise _fault("expected `:`", raw, place)
    return key, _after(grammar.space, raw, place + 1)


def _read_word(word: bytes, raw: bytes, place: int) -> int:
    """Read `word`, of which the first byte is known; return the place after it."""
    if raw.startswith(word, place):
        return place + len(word)
    for offset, byte in enumerate(word):
        if place + offset >= len(raw):
            break
        if raw[place + offset] != byte:
            raise _fault("expected ident", raw, place + offset)
    raise _fault("EOF while parsing a value", raw, len(raw))


def _read_number(grammar: _Grammar, raw: bytes, place: int) -> Tuple[Any, int]:
    """Read an int or a float (or -Infinity)."""
    match = grammar.number.match(raw, place)
    if match is None:
        if raw[place + 1 : place + 2] == b"I":
            return float("-inf"), _read_word(b"Infinity", raw, place + 1)
        raise _bad_number(raw, place + 1)
    whole, fraction, exponent = match.groups()
    if len(whole) > _DIGITS_LIMIT:
        raise _fault("number out of range", raw, match.start(1) + _DIGITS_LIMIT + 1)
    end = match.end()
    after = raw[end : end + 1]
    if exponent is None and after and after in b".eE0123456789":
        if after in b"eE":
            sign = raw[end + 1 : end + 2]
            raise _bad_number(raw, end + (2 if sign and sign in b"+-" else 1))
        if fraction is None:
            raise _bad_number(raw, end + (after == b"."))
    if fraction is None and exponent is None:
        number = _to_int(whole)
        return (-number if match.start(1) > place else number), end
    return float(match.group()), end


def _read_numbers(grammar: _Grammar, raw: bytes, place: int, items: List[Any]) -> int:
    """Read a run of short numbers at once; only for speed, the last one stays."""
    while True:
        match = grammar.numbers.match(raw, place)
        if match is None:
            return place
        place = match.end()
        numbers = match.group().split(b",")
        del numbers[-1]
        if b"." in match.group():
            items += [float(number) if b"." in number else int(number) for number in numbers]
        else:
            items += map(int, numbers)


def _bad_number(raw: bytes, place: int) -> JsonError:
    """Make the error for a byte that should have been a digit."""
    if place >= len(raw):
        return _fault("EOF while parsing a value", raw, place)
    return _fault("invalid number", raw, place)


def _to_int(digits: bytes) -> int:
    """Return int(digits) whatever limit the interpreter has."""
    if len(digits) <= _DIGITS_SURE:
        return int(digits)
    half = len(digits) // 2
    low = digits[-half:]
    scale: int = 10**half
    return _to_int(digits[:-half]) * scale + _to_int(low)


_ESCAPES = {
    b'"': b'"',
    b"\\": b"\\",
    b"/": b"/",
    b"b": b"\b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
}


def _read_string(grammar: _Grammar, raw: bytes, start: int) -> Tuple[str, int]:
    """Read a string of which the first byte is at `start`; end after its quote."""
    parts: List[bytes] = []
    place = start
    while True:
        end = grammar.plain.match(raw, place).end()  # type: ignore[union-attr]  # matches ""
        parts.append(raw[place:end])
        stop = raw[end : end + 1]
        if stop == b'"':
            break
        if not stop:
            raise _fault("EOF while parsing a string", raw, end)
        if stop != b"\\":
            problem = "control character (\\u0000-\\u001F) found while parsing a string"
            raise _fault(problem, raw, end)
        letter = raw[end + 1 : end + 2]
        if letter == b"u":
            character, place = _read_hex(grammar, raw, end + 2)
            parts.append(character.encode("utf-8"))
        elif letter in _ESCAPES:
            parts.append(_ESCAPES[letter])
            place = end + 2
        elif letter:
            raise _fault("invalid escape", raw, end + 1)
        else:
            raise _fault("EOF while parsing a string", raw, end + 1)
    joined = b"".join(parts)
    try:
        return joined.decode("utf-8"), end + 1
    except UnicodeDecodeError as error:
        # The offset is the one in the decoded string: each escape before the
        # bad byte moves the column to the left.
        offset = error.start
    raise _fault("invalid unicode code point", raw, start + offset)


def _read_hex(grammar: _Grammar, raw: bytes, place: int) -> Tuple[str, int]:
    r"""Read the digits of a ``\u`` escape, and the second half of a pair."""
    code = _read_four(grammar, raw, place)
    place += 4
    if 0xDC00 <= code < 0xE000:
        raise _fault("lone leading surrogate in hex escape", raw, place - 1)
    if 0xD800 <= code < 0xDC00:
        for expected in (b"\\", b"u"):
            found = raw[place : place + 1]
            if not found:
                raise _fault("EOF while parsing a string", raw, place)
            if found != expected:
                raise _fault("unexpected end of hex escape", raw, place)
            place += 1
        low = _read_four(grammar, raw, place)
        place += 4
        if not 0xDC00 <= low < 0xE000:
            raise _fault("lone leading surrogate in hex escape", raw, place - 1)
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
    return chr(code), place


def _read_four(grammar: _Grammar, raw: bytes, place: int) -> int:
    """Read four hexadecimal digits."""
    if place + 4 > len(raw):
        raise _fault("EOF while parsing a string", raw, len(raw))
    good = grammar.hex.match(raw, place, place + 4).end()  # type: ignore[union-attr]  # matches ""
    if good < place + 4:
        raise _fault("invalid escape", raw, good)
    return int(raw[place : place + 4], 16)
''')


# ====================================================================================================================
# harbor/codec/calls.py, which runs when it is first used
# ====================================================================================================================

_later("codec.calls", """
        Fault Invalid SerializationError ValidationError register_json_writer plan_of dump_any NOT_COPIED CheckCall
        DumpCall Plan RepeatedKeys RepeatedObject check_part forget_repeats Cuts JsonError NotText parse parse_repeats
        repeats_keys render""", r'''
"""One validation or one dump from start to end: options in, plan in the middle, errors and warnings out.

In: a plan, a value and the options as the caller wrote them. Out: the result, ``ValidationError`` or
``SerializationError``. The options keep pydantic's names, types and complaints.
"""

import sys
import warnings as _warnings
from typing import Any, Callable, Dict, List, Optional

__all__ = [
    "CheckCall", "Invalid", "NOT_COPIED", "ValidationError", "check_document", "check_value", "dump_document",
    "dump_value", "make_check_call", "make_dump_call", "parse_small", "plan_of",
]

# A shorter document is not worth a look at its lists.
_GROWING_DOCUMENT = 4096
_EXTRA_WORDS = ("allow", "forbid", "ignore")
_NON_FINITE_WORDS = ("null", "constants", "strings")
_WARNING_WORDS = {True: "warn", False: "none", "none": "none", "warn": "warn", "error": "error"}


def make_check_call(
    *,
    from_json: bool = False,
    strings: bool = False,
    strict: Optional[bool] = None,
    extra: Optional[str] = None,
    from_attributes: Optional[bool] = None,
    context: Any = None,
    by_alias: Optional[bool] = None,
    by_name: Optional[bool] = None,
) -> CheckCall:
    """Take the options of a validation; a wrong one is a ``TypeError`` or ``ValueError`` in pydantic's words."""
    for flag in (strict, from_attributes, by_alias, by_name):
        if flag is not None:
            _demand_flag(flag)
    if by_alias is False and not by_name:
        raise TypeError("At least one of `by_alias` or `by_name` must be set to True.")
    if extra is not None:
        _demand(extra, str)
        if extra not in _EXTRA_WORDS:
            raise ValueError("SchemaError: Invalid extra_behavior: `%s`" % extra)
    call = CheckCall()
    # Text alone is worded, and at its base read, as JSON is.
    call.from_json = from_json or strings
    call.strings = strings
    call.strict = bool(strict)
    call.extra = extra
    call.from_attributes = bool(from_attributes)
    call.context = context
    return call


def check_value(plan: Plan, value: Any, call: CheckCall) -> Any:
    """Check a Python value; raises ``ValidationError`` with every fault."""
    try:
        return check_part(plan, value, call)
    except Invalid as exc:
        faults = exc.faults
    except RecursionError:
        faults = [Fault("recursion_loop", value, None, call.from_json)]
    # Raised out here so that the error carries no inner exception as its context.
    raise ValidationError(plan.title, faults)


def check_document(plan: Plan, document: Any, call: CheckCall, parsed: Optional[Dict[str, Any]] = None) -> Any:
    """Check a JSON document; text that is no JSON is one fault, ``json_invalid``.

    ``parsed`` is what ``parse_small`` made of it, if it did.
    """
    if not isinstance(document, (str, bytes, bytearray)):
        raise ValidationError(plan.title, [Fault("json_type", document, None, True)])
    try:
        cuts = Cuts()
        names = plan.growing_names(set()) if len(document) > _GROWING_DOCUMENT else frozenset()
        value = parse(document, names, cuts) if parsed is None else parsed
    except JsonError as exc:
        fault = Fault("json_invalid", document, {"error": exc.message}, True)
    except NotText:
        fault = Fault("string_unicode", document, None, True)
    else:
        call.proven = cuts.proven
        options = vars(call).copy()
        call.document = document if cuts.text is None else cuts.text
        try:
            return check_value(plan, value, call)
        except RepeatedKeys:
            pass
        has_repeats = repeats_keys(call.document)
        # What the check had noted so far is void.
        call = CheckCall()
        vars(call).update(options)
        if not has_repeats:
            return check_value(plan, value, call)
        call.has_repeats = True
        call.quick = False
        try:
            return check_value(plan, parse_repeats(document, RepeatedObject), call)
        except ValidationError as exc:
            exc.map_inputs(forget_repeats)
            raise
    raise ValidationError(plan.title, [fault])


def parse_small(document: Any) -> Optional[Dict[str, Any]]:
    """Give a short JSON object that nothing is to be said of; None leaves any document to ``check_document``."""
    if type(document) not in (str, bytes) or len(document) > _GROWING_DOCUMENT:
        return None
    try:
        value = parse(document)
    except (JsonError, NotText):
        return None
    return value if type(value) is dict else None


def make_dump_call(
    mode: str,
    text: bool,
    *,
    by_alias: Optional[bool] = None,
    exclude_unset: bool = False,
    exclude_defaults: bool = False,
    exclude_none: bool = False,
    exclude_computed_fields: bool = False,
    round_trip: bool = False,
    fallback: Optional[Callable[[Any], Any]] = None,
    serialize_as_any: bool = False,
    polymorphic_serialization: Optional[bool] = None,
    context: Any = None,
) -> DumpCall:
    """Take the options of a dump; a wrong one is a ``TypeError`` in pydantic's words.

    ``by_alias`` and ``context`` are taken and have nothing to act on: no field has an alias, no dump runs user code.
    """
    if mode is not None:
        _demand(mode, str)
    for flag in (exclude_unset, exclude_defaults, exclude_none, exclude_computed_fields, round_trip,
                 serialize_as_any):
        _demand_flag(flag)
    for optional in (by_alias, polymorphic_serialization):
        if optional is not None:
            _demand_flag(optional)
    call = DumpCall("json" if mode == "json" else "python", text)
    call.exclude_unset = exclude_unset
    call.exclude_defaults = exclude_defaults
    call.exclude_none = exclude_none
    call.exclude_computed = exclude_computed_fields
    call.round_trip = round_trip
    call.fallback = fallback
    call.as_any = serialize_as_any
    call.polymorphic = bool(polymorphic_serialization)
    return call


def dump_value(
    plan: Plan, value: Any, call: DumpCall, include: Any = None, exclude: Any = None, warnings: Any = True
) -> Any:
    """Dump to plain data and give the warnings of the dump as one."""
    how = read_warnings(warnings)
    try:
        out = _dump_root(plan, value, call, include, exclude)
    except RecursionError:
        raise ValueError("Maximum serialization depth exceeded") from None
    if call.warned:
        _give_warnings(call, how)
    return out


def dump_document(
    plan: Plan,
    value: Any,
    call: DumpCall,
    include: Any = None,
    exclude: Any = None,
    warnings: Any = True,
    indent: Optional[int] = None,
    ensure_ascii: bool = False,
    inf_nan: str = "null",
) -> str:
    """Dump to JSON text and give the warnings of the dump as one."""
    how = read_warnings(warnings)
    indent = _read_indent(indent)
    _demand_flag(ensure_ascii)
    if inf_nan not in _NON_FINITE_WORDS:
        raise TypeError("inf_nan must be 'null', 'constants' or 'strings', not %r" % (inf_nan,))
    try:
        tree = _dump_root(plan, value, call, include, exclude)
        out = render(tree, indent=indent, ensure_ascii=ensure_ascii, inf_nan=inf_nan)
    except SerializationError:
        raise
    except RecursionError:
        raise SerializationError(
            "Error serializing to JSON: ValueError: Maximum serialization depth exceeded") from None
    except Exception as exc:
        raise SerializationError("Error serializing to JSON: %s: %s" % (type(exc).__name__, _word_today(exc))) from exc
    if call.warned:
        _give_warnings(call, how)
    return out


def read_warnings(warnings: Any) -> str:
    """Read the ``warnings`` option: "warn", "none" or "error"."""
    if isinstance(warnings, (bool, str)) and warnings in _WARNING_WORDS:
        return _WARNING_WORDS[warnings]
    kind = "ValueError" if isinstance(warnings, str) else "TypeError"
    raise TypeError(
        "failed to extract enum WarningsArg ('Bool | Literal')\n"
        "- variant Bool (Bool): TypeError: failed to extract field WarningsArg::Bool.0, caused by TypeError: "
        "%s is not an instance of 'bool'\n"
        "- variant Literal (Literal): TypeError: failed to extract field WarningsArg::Literal.0, caused by %s: "
        "Invalid warnings parameter, should be `'none'`, `'warn'`, `'error'` or a `bool`"
        % (_name_instance(warnings), kind))


def _dump_root(plan: Plan, value: Any, call: DumpCall, include: Any, exclude: Any) -> Any:
    return dump_any(value, call, include, exclude) if call.as_any else plan.dump(value, call, include, exclude)


def _word_today(exc: Exception) -> str:
    """Give an error's text in the words of today's CPython; this one was worded otherwise before 3.10."""
    return str(exc).replace(" a bytes-like object or a number, not ", " a bytes-like object or a real number, not ")


def _give_warnings(call: DumpCall, how: str) -> None:
    if how == "none":
        return
    text = "Pydantic serializer warnings:\n  " + "\n  ".join(call.warned)
    if how == "error":
        raise SerializationError(text)
    _warnings.warn(text, UserWarning, stacklevel=_level_of_caller())


def _level_of_caller() -> int:
    """Count the frames up to whoever called model_dump and its like, for the warning to point there."""
    home = __name__.rpartition(".calls")[0] or __name__
    level = 1
    frame = sys._getframe(1)
    file = frame.f_code.co_filename  # where the whole codec may stand
    while frame.f_back is not None and (
            frame.f_code.co_filename == file or frame.f_globals.get("__name__", "").startswith(home)):
        frame = frame.f_back
        level += 1
    return level


def _read_indent(indent: Any) -> Optional[int]:
    if indent is None:
        return None
    if not hasattr(type(indent), "__index__"):
        raise TypeError("'%s' object cannot be interpreted as an integer" % type(indent).__name__)
    number = int(type(indent).__index__(indent))
    if number < 0:
        raise OverflowError("can't convert negative int to unsigned")
    return number


def _demand_flag(value: Any) -> None:
    _demand(value, bool)


def _demand(value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError("%s is not an instance of '%s'" % (_name_instance(value), kind.__name__))


def _name_instance(value: Any) -> str:
    return "'None'" if value is None else "'%s' object" % type(value).__name__


def _write_errors(entries: List[Dict[str, Any]], indent: Optional[int]) -> str:
    """Write the entries of a ``ValidationError`` as JSON text."""
    call = DumpCall("json", text=True)
    call.fallback = str
    try:
        return render(dump_any(entries, call), indent=indent, inf_nan="constants")
    except Exception as exc:
        reason = str(exc).replace("Error serializing to JSON: ", "", 1)
        raise ValueError("Error serializing ValidationError to JSON: %s" % reason) from None


register_json_writer(_write_errors)
''')


# ====================================================================================================================
# harbor/codec/legacy_calls.py, which runs when it is first used
# ====================================================================================================================

_later("codec.legacy_calls", "LegacyModel warn_of", r'''
"""What pydantic's names of version 1 do themselves: load files, and copy with ``include`` and ``exclude``.

In: what the old methods were called with. Out: loaded values, chosen fields; complaints are pydantic's. Nothing of it
is needed before an old name is called.
"""

from collections import abc, deque
from types import GeneratorType
from typing import Any, Dict, Iterable, Iterator, Optional, Tuple

__all__ = ["load_file", "load_raw", "name_kind", "open_both", "pick_items"]

_SEQUENCES = (list, tuple, set, frozenset, GeneratorType, deque)


def name_kind(exc: Exception) -> str:
    from json import JSONDecodeError

    if isinstance(exc, UnicodeDecodeError):
        return "value_error.unicodedecode"
    if isinstance(exc, JSONDecodeError):
        return "value_error.jsondecode"
    return "value_error" if isinstance(exc, ValueError) else "type_error"


def load_raw(
    raw: Any, content_type: Optional[str], encoding: str, proto: Optional[str], allow_pickle: bool
) -> Any:
    warn_of("load_str_bytes")
    if content_type and proto is None:
        if allow_pickle and content_type.endswith("pickle"):
            proto = "pickle"
        elif not content_type.endswith(("json", "javascript")):
            raise TypeError("Unknown content-type: %s" % content_type)
    if not proto or proto == "json":
        import json

        return json.loads(raw.decode(encoding) if isinstance(raw, bytes) else raw)
    if proto != "pickle":
        raise TypeError("Unknown protocol: %s" % (proto,))
    if not allow_pickle:
        raise RuntimeError("Trying to decode with pickle with allow_pickle=False")
    import pickle

    return pickle.loads(raw if isinstance(raw, bytes) else raw.encode())


def load_file(
    path: Any, content_type: Optional[str], encoding: str, proto: Optional[str], allow_pickle: bool
) -> Any:
    warn_of("load_file")
    from pathlib import Path

    file = Path(path)
    raw = file.read_bytes()
    if content_type is None:
        proto = {".js": "json", ".json": "json", ".pkl": "pickle"}.get(file.suffix, proto)
    return load_raw(raw, content_type, encoding, proto, allow_pickle)


def open_both(include: Any, exclude: Any, fields: Iterable[str]) -> Tuple[Any, Any]:
    """Make mappings of the two arguments of ``copy``: unknown names go, None below a name says nothing."""
    exclude, include = _open_selection(exclude), _open_selection(include)
    if _is_all(include):
        include = dict.fromkeys(fields, ...)
    elif include is not None:
        opened = {name: _open_selection(include[name]) for name in fields if name in include}
        include = {name: ... if below is None else below for name, below in opened.items()}
    if exclude is not None:
        exclude = {name: _open_selection(below) for name, below in exclude.items() if below is not None}
    return include, exclude


def pick_items(items: Iterable[Tuple[Any, Any]], include: Any, exclude: Any) -> Iterator[Tuple[Any, Any]]:
    for key, value in items:
        within, without = (None if chosen is None else chosen.get(key) for chosen in (include, exclude))
        if (include is None or key in include) and not _is_all(without):
            yield key, _pick_parts(value, None if _is_all(within) else within, without)


def _pick_parts(value: Any, include: Any, exclude: Any) -> Any:
    """Copy a value's containers and models, less what is not chosen of them."""
    if isinstance(value, LegacyModel):
        return value.copy(include=include, exclude=exclude)
    exclude, include = (_open_selection(chosen) if chosen else None for chosen in (exclude, include))
    if isinstance(value, (list, tuple)):
        exclude, include = (_settle_indexes(chosen, len(value)) for chosen in (exclude, include))
    if isinstance(value, dict):
        return dict(pick_items(value.items(), include, exclude))
    if not isinstance(value, _SEQUENCES):
        return value
    parts = (part for _, part in pick_items(enumerate(value), include, exclude))
    made: Any = type(value)
    return made(*parts) if isinstance(value, tuple) and hasattr(value, "_fields") else made(parts)


def _settle_indexes(selection: Any, length: int) -> Any:
    """Count negative indexes of a selection from the end and spread ``__all__``."""
    if selection is None:
        return None
    settled: Dict[int, Any] = {}
    common: Any = None
    for index, below in selection.items():
        if not (_is_all(below) or isinstance(below, (abc.Mapping, abc.Set))):
            raise TypeError('Unexpected type of exclude value for index "%s" %s' % (index, type(below)))
        if index == "__all__":
            common = _open_selection(below)
        elif isinstance(index, int):
            place = index + length if index < 0 else index
            settled[place] = _join_selections(below, settled.get(place))
        else:
            raise TypeError(
                "Excluding fields from a sequence of sub-models or dicts must be performed index-wise: "
                'expected integer keys or keyword "__all__"')
    for place in range(length) if common else ():
        if _is_all(common):
            settled.setdefault(place, ...)
        elif not _is_all(settled.get(place)):
            settled[place] = _join_selections(common, settled.get(place, {}))
    return settled


def _join_selections(first: Any, second: Any) -> Any:
    """Unite two selections; where one says everything, the second has the word."""
    second, first = _open_selection(second), _open_selection(first)
    if second is None:
        return first
    if first is None or _is_all(first) or _is_all(second):
        return second
    joined = {key: _join_selections(first.get(key), second.get(key)) for key in [*first, *second]}
    return {key: below for key, below in joined.items() if below is not None}


def _open_selection(selection: Any) -> Any:
    """Make a mapping of a set; None, True and ``...`` stay."""
    if selection is None or _is_all(selection) or isinstance(selection, abc.Mapping):
        return selection
    if isinstance(selection, abc.Set):
        return dict.fromkeys(selection, ...)
    raise TypeError("Unexpected type of exclude value %s" % type(selection))


def _is_all(selection: Any) -> bool:
    return selection is True or selection is ...
''')


# ====================================================================================================================
# harbor/codec/schema.py, which runs when it is first used
# ====================================================================================================================

_later("codec.schema", """
        UNGIVEN SerializationError dump_any is_known_kind DumpCall Plan is_from""", r'''
"""JSON schema of a plan.

In: a plan. Out: a dict in the form pydantic gives, with the classes it mentions under ``$defs``. The plans say what
their own types are; what they have in common stands here: properties, unions, names of classes, the order of keys.
"""

import warnings
from collections import Counter
from typing import Any, Callable, Dict, List, Optional, Tuple

__all__ = ["PydanticJsonSchemaWarning", "SchemaBook", "make_schema"]

_MODES = ("validation", "serialization")
_UNION_FORMATS = ("any_of", "primitive_type_array")
_PRIMITIVES = frozenset(("string", "boolean", "null", "integer", "number"))


class PydanticJsonSchemaWarning(UserWarning):
    """A schema leaves something out, such as a default that JSON cannot say."""


class SchemaBook:
    """The classes described so far.

    Until all of them are known, and so the names that tell them apart, a reference holds the class itself.
    """

    def __init__(self, mode: str, union_format: str) -> None:
        self.mode = mode
        self.union_format = union_format
        self.definitions: Dict[type, Dict[str, Any]] = {}
        self._started: List[type] = []

    def refer(self, cls: type, describe: Callable[[], Dict[str, Any]]) -> Dict[str, Any]:
        """Give the reference to a class, describing it when it first comes up."""
        if cls not in self._started:
            self._started.append(cls)
            self.definitions[cls] = describe()
        return {"$ref": cls}

    def describe_class(
        self, cls: type, properties: Dict[str, Any], required: List[str], extra: str, doc: Optional[str]
    ) -> Dict[str, Any]:
        """Describe a class with properties."""
        out: Dict[str, Any] = {"type": "object", "properties": properties}
        if required:
            out["required"] = required
        out["title"] = cls.__name__
        if doc:
            out["description"] = self.clean(doc)
        if extra != "ignore":
            out["additionalProperties"] = extra == "allow"
        return out

    def clean(self, doc: str) -> str:
        """Give a docstring without the indentation of its source."""
        import inspect

        return inspect.cleandoc(doc)

    def describe_property(
        self,
        name: str,
        plan: Plan,
        *,
        default: Any = UNGIVEN,
        read_only: bool = False,
        description: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Describe a field: what its type says, and what the field says beyond it."""
        out = dict(plan.schema(self))
        is_titled = not _names_class(out)
        if default is not UNGIVEN:
            out.update(_describe_default(default))
        if read_only:
            out["readOnly"] = True
        if description is not None:
            out["description"] = description
        if is_titled:
            out.setdefault("title", name.title().replace("_", " ").strip())
        # What the class says already is not said twice beside a reference to it.
        told = self.definitions.get(out["$ref"], {}) if "$ref" in out else {}
        return {key: value for key, value in out.items() if key not in told or told[key] != value}

    def join(self, choices: List[Dict[str, Any]]) -> Dict[str, Any]:
        """Describe what is one of several things."""
        if self.union_format == "primitive_type_array":
            kinds = list(map(_primitive_types, choices))
            if all(kinds):
                return {"type": list(dict.fromkeys(sum(kinds, [])))}
        joined: List[Dict[str, Any]] = []
        for choice in choices:
            for part in choice["anyOf"] if list(choice) == ["anyOf"] else [choice]:
                # Of equals the last one stays, in the place of the first; 1 and True are equal.
                if part in joined:
                    joined[joined.index(part)] = part
                else:
                    joined.append(part)
        return joined[0] if len(joined) == 1 else {"anyOf": joined}


def make_schema(
    plan: Plan, ref_template: str, mode: str, union_format: str = "any_of", schema_generator: Optional[Any] = None
) -> Dict[str, Any]:
    """Describe a plan; raises ``TypeError`` for a form of schema that is not made here."""
    if schema_generator is not None:
        raise TypeError("schema_generator is not supported: there is one form of schema")
    if union_format not in _UNION_FORMATS:
        raise TypeError("union_format must be 'any_of' or 'primitive_type_array', not %r" % (union_format,))
    if mode not in _MODES:
        raise TypeError("mode must be 'validation' or 'serialization', not %r" % (mode,))
    book = SchemaBook(mode, union_format)
    out = dict(plan.schema(book))
    counts: Dict[type, int] = Counter()
    _count_references(out, book.definitions, counts)
    # A class alone stands open; one that mentions itself must be under a name.
    alone = out.get("$ref")
    if alone is not None and counts[alone] == 1:
        out = book.definitions.pop(alone)
    definitions = {cls: described for cls, described in book.definitions.items() if cls in counts}
    names = _name_classes(definitions)
    if definitions:
        out = dict(out, **{"$defs": {names[cls]: described for cls, described in definitions.items()}})
    written: Dict[str, Any] = _write(out, {cls: ref_template.format(model=name) for cls, name in names.items()})
    return written


def _names_class(schema: Dict[str, Any]) -> bool:
    """Tell whether a schema is that of a class, or None: such a one has a title of its own."""
    choices = schema.get("anyOf", [schema])
    return "$ref" in choices[0] and choices[1:] in ([], [{"type": "null"}])


def _primitive_types(schema: Dict[str, Any]) -> List[str]:
    """Give the types of a schema that says no more than primitive types, else nothing."""
    kinds = schema.get("type", []) if len(schema) == 1 else []
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return kinds if _PRIMITIVES.issuperset(kinds) else []


def _describe_default(default: Any) -> Dict[str, Any]:
    """Describe a default as JSON data, or warn and leave it out."""
    try:
        if type(default) is float:
            return {"default": default}
        if is_from(type(default), "pathlib", "PurePath"):
            return {"default": str(default)}
        if isinstance(default, (set, frozenset)):
            default = _sort_set(default)
        if not is_known_kind(type(default)):
            raise SerializationError("A value of this class has no plan")
        return {"default": dump_any(default, DumpCall("json"))}
    except Exception:
        warnings.warn(
            "Default value %s is not JSON serializable; excluding default from JSON schema [non-serializable-default]"
            % (default,), PydanticJsonSchemaWarning)
        return {}


def _sort_set(values: Any) -> List[Any]:
    try:
        return sorted(values)
    except TypeError:
        return list(values)


def _count_references(schema: Any, definitions: Dict[type, Dict[str, Any]], counts: Dict[type, int]) -> None:
    """Count the references to each class that a schema leads to."""
    if isinstance(schema, type):
        counts[schema] += 1
        if counts[schema] == 1:
            _count_references(definitions[schema], definitions, counts)
    elif isinstance(schema, (dict, list)):
        for part in schema.values() if isinstance(schema, dict) else schema:
            _count_references(part, definitions, counts)


def _name_classes(definitions: Dict[type, Dict[str, Any]]) -> Dict[type, str]:
    """Find the shortest name of each class that no differently described class could have too."""
    candidates: Dict[type, Tuple[str, str, str]] = {}
    holders: Dict[str, List[type]] = {}
    n_of_name: Dict[str, int] = Counter()
    for cls in definitions:
        long = _plain_name("%s.%s" % (cls.__module__, cls.__qualname__))
        n_of_name[long] += 1
        short = _plain_name(cls.__qualname__.rpartition(".")[2])
        candidates[cls] = (short, long, "%s__%d" % (long, n_of_name[long]))
        for name in candidates[cls]:
            holders.setdefault(name, []).append(cls)
    names: Dict[type, str] = {}
    while True:
        # Classes whose parts have come to one name may themselves have become equal.
        written = {cls: _write(described, names) for cls, described in definitions.items()}
        found = {
            cls: next((name for name in own if all(written[cls] == written[other] for other in holders[name])), own[2])
            for cls, own in candidates.items()}
        if found == names:
            return names
        names = found


def _plain_name(name: str) -> str:
    import re

    return re.sub(r"[^a-zA-Z0-9.\-_]", "_", name).replace(".", "__")


def _write(schema: Any, references: Dict[type, Any], parent: str = "") -> Any:
    """Put references in the place of classes and sort keys; fields and the keys of a default keep their order."""
    if isinstance(schema, dict):
        keys = list(schema) if parent in ("properties", "default") else sorted(schema)
        return {key: _write(schema[key], references, key) for key in keys}
    if isinstance(schema, list):
        return [_write(part, references, parent) for part in schema]
    return references.get(schema, schema) if isinstance(schema, type) else schema
''')


# ====================================================================================================================
# harbor/codec/signature.py, which runs when it is first used
# ====================================================================================================================

_later("codec.signature", "UNGIVEN default_of fields_of Hint record_hints", r'''
"""The signature of a model class, as ``inspect.signature`` shows it.

In: a class with fields. Out: an ``inspect.Signature`` with today's spelling of types (``int | None``) on every
Python.
"""

from typing import Any, Dict

__all__ = ["describe_signature"]

_WORDS: Dict[str, str] = {"none": "None", "any": "typing.Any"}


class _Shown:
    """An annotation that prints as given."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def describe_signature(cls: Any) -> Any:
    """Describe the keywords a class takes."""
    import inspect

    parameters = []
    hints = record_hints(cls)
    for field in fields_of(cls):
        default: Any = default_of(field)
        if default is UNGIVEN:
            has_factory = field.default_factory is not UNGIVEN
            default = _Shown("<factory>") if has_factory else inspect.Parameter.empty
        parameters.append(inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=default,
            annotation=_Shown(_show_hint(hints[field.name]))))
    if getattr(cls, "model_config", {}).get("extra") == "allow":
        parameters.append(inspect.Parameter(
            "extra_data", inspect.Parameter.VAR_KEYWORD, annotation=_Shown("typing.Any")))
    return inspect.Signature(parameters, return_annotation=None)


def _show_hint(hint: Hint) -> str:
    if hint.kind == "optional":
        return "%s | None" % _show_hint(hint.items[0])
    if hint.kind == "union":
        return " | ".join(_show_hint(item) for item in hint.items)
    if hint.kind == "literal":
        return "Literal[%s]" % ", ".join(repr(value) for value in hint.source)
    if hint.kind in ("list", "dict"):
        return "%s[%s]" % (hint.kind, ", ".join(_show_hint(item) for item in hint.items))
    if hint.source is not None:
        return "%s.%s" % (hint.source.__module__, hint.source.__qualname__)
    return _WORDS.get(hint.kind, hint.kind)
''')


# ====================================================================================================================
# harbor/models/trial/__init__.py, which runs when it is first used
# ====================================================================================================================

_later("models.trial", "", r'''
"""Records of trials."""
''')


# ====================================================================================================================
# harbor/models/trial/outcomes.py, which runs when it is first used
# ====================================================================================================================

_later("models.trial.outcomes", "", r'''
"""What a trial's rewards and exceptions come to, for whoever has no ``TrialResult`` of it.

In: rewards by name, names of exceptions' types. Out: the reward that counts, whether time ran out.
"""

from typing import Mapping, Optional

__all__ = ["choose_reward", "is_timeout"]


def choose_reward(rewards: Optional[Mapping[str, float]], name: Optional[str]) -> Optional[float]:
    """Choose among rewards as ``TrialResult.reward`` does."""
    rewards = rewards or {}
    if name is None and not rewards:
        return None
    if name is None:
        name = "reward" if "reward" in rewards or len(rewards) > 1 else next(iter(rewards))
    if name not in rewards:
        raise KeyError("No reward %r; there are: %s" % (name, ", ".join(map(repr, rewards)) or "none"))
    return rewards[name]


def is_timeout(exception_type: str) -> bool:
    """Tell by the name of its type whether an exception is a timeout."""
    return exception_type.endswith(("TimeoutError", "TimeoutExpired", "Timeout"))
''')


# ====================================================================================================================
# harbor/files.py, which runs when it is first used
# ====================================================================================================================

_later("files", "", r'''
"""Files read and replaced as a whole: bytes in, bytes out, and nothing but ``OSError`` when it cannot be done.

Reading never waits for a pipe or a device; replacing leaves the old file or the new one, and nothing in between.
"""

import errno
import os
import stat
from typing import Optional

__all__ = ["discard_file", "name_temporary", "read_file", "replace_file"]

_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | _BINARY | _CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY | _CLOEXEC
_PIECE = 1 << 20


def read_file(name: str, limit: int) -> bytes:
    """Read a regular file, up to one byte more than ``limit``."""
    # Looked at before it is opened: opening a device can do things. If a pipe takes its place meanwhile, reading it
    # does not wait either.
    info = os.stat(name)
    _demand_regular(info.st_mode, name)
    handle = os.open(name, _READ)
    try:
        size = min(info.st_size, limit) + 1
        data = os.read(handle, size)
        if len(data) < size:
            return data
        # It grew meanwhile, or the system gives it piece by piece.
        pieces, length = [data], len(data)
        while data and length <= limit:
            data = os.read(handle, min(_PIECE, limit + 1 - length))
            pieces.append(data)
            length += len(data)
        return b"".join(pieces)
    finally:
        os.close(handle)


def replace_file(name: str, data: bytes, sync: bool) -> None:
    """Write a file anew under a name of its own and let it take the old one's place, and mode.

    With ``sync`` it is on the disk before that. No failure leaves anything behind; a kill may leave the new file
    under its own name, ``.harbor-*.tmp`` in the same folder.
    """
    mode = _find_mode(name)
    folder = os.path.dirname(name) or os.curdir
    temporary = name_temporary(name)
    handle = os.open(temporary, _WRITE, 0o666)
    try:
        try:
            if mode is not None:
                _set_mode(handle, mode)
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(handle, rest[:_PIECE]):]
            if sync:
                os.fsync(handle)
        finally:
            os.close(handle)
        os.replace(temporary, name)
    except BaseException:
        discard_file(temporary)
        raise
    if sync and os.name != "nt":
        _sync_folder(folder)


def name_temporary(name: str) -> str:
    """Give the name of a new file that is to take the place of another: in its folder, and no other writer's."""
    # Random, because another writer may be a fork of this process.
    return os.path.join(os.path.dirname(name) or os.curdir, ".harbor-%s.tmp" % os.urandom(12).hex())


def discard_file(name: str) -> None:
    """Remove a file that is of no use any more, if that can be done."""
    try:
        os.unlink(name)
    except OSError:
        pass


def _demand_regular(mode: int, name: str) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "Not a regular file", name)


def _find_mode(name: str) -> Optional[int]:
    """Give the mode of an existing file; what is no regular file must not be replaced by one."""
    try:
        mode = os.stat(name).st_mode
    except FileNotFoundError:
        return None
    _demand_regular(mode, name)
    return stat.S_IMODE(mode)


def _set_mode(handle: int, mode: int) -> None:
    try:
        # Before the data: what the old file hid is never shown.
        os.fchmod(handle, mode)
    except (AttributeError, OSError):
        pass  # Windows before 3.13, or a file system without modes


def _sync_folder(folder: str) -> None:
    """Make the new name outlive a crash, where the system can; the file itself is whole without it."""
    try:
        handle = os.open(folder, os.O_RDONLY | _CLOEXEC)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
''')


# ====================================================================================================================
# harbor/trial_files.py, which runs when it is first used
# ====================================================================================================================

_later("trial_files", "read_file", r'''
"""The files of trials: how they are found below a directory, and what keeps one from being read.

In: a directory. Out: the path of each trial's result, whatever else is there; and the errors of whoever reads them.
No model is needed for that.
"""

import errno
import os
import re
import stat
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

__all__ = [
    "RESULT_NAME", "TrialEncodingError", "TrialMissingError", "TrialReadError", "TrialRollupError", "TrialShapeError",
    "TrialSyntaxError", "TrialTruncatedError", "TrialUnreadableError", "is_rollup", "name_bad_shape", "name_bad_text",
    "name_rollup", "read_result", "walk_trials",
]

RESULT_NAME = "result.json"

_FAULTS_KEPT = 20


# Errors --------------------------------------------------------------------------------------------------------------


class TrialReadError(ValueError):
    """A file that gives no trial; ``kind`` says in a word or two why, ``reason`` in a line, ``path`` which.

    This is the base of all; each kind has a class of its own. ``faults`` lists what has the wrong shape.
    """

    kind = "unreadable"

    def __init__(self, path: str, reason: str, faults: Optional[List[Dict[str, Any]]] = None) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason
        self.faults = faults or []

    def __str__(self) -> str:
        return "%s: %s" % (self.path if self.path.isprintable() else ascii(self.path), self.reason)

    def __reduce__(self) -> Any:
        return type(self), (self.path, self.reason, self.faults)


class TrialUnreadableError(TrialReadError, OSError):
    """A file or folder that the system does not let be read, or that is no regular file; an ``OSError`` too."""

    def __init__(self, path: str, reason: str, number: int) -> None:
        OSError.__init__(self, number, reason, path)
        self.path = path
        self.reason = reason
        self.faults = []

    def __reduce__(self) -> Any:
        return type(self), (self.path, self.reason, self.errno)


class TrialMissingError(TrialUnreadableError, FileNotFoundError):
    """A trial without a result: it is still running, or was killed."""

    kind = "missing"


class TrialTruncatedError(TrialReadError):
    """A file that is empty or ends too early."""

    kind = "truncated"


class TrialEncodingError(TrialReadError):
    """A file that is not UTF-8."""

    kind = "not UTF-8"


class TrialSyntaxError(TrialReadError):
    """A file that is not JSON."""

    kind = "not JSON"


class TrialShapeError(TrialReadError):
    """JSON that is no trial; ``faults`` holds ``type``, ``loc`` and ``msg`` of the first of its faults."""

    kind = "wrong shape"


class TrialRollupError(TrialReadError):
    """The summary that Harbor keeps of a whole job, and no trial."""

    kind = "job roll-up"


def read_result(name: str, limit: int) -> bytes:
    """Read a file up to one byte more than ``limit``; raises ``TrialUnreadableError``."""
    try:
        return read_file(name, limit)
    except (OSError, ValueError) as exc:
        raise _name_os_error(name, exc) from None


def _name_os_error(name: str, exc: Exception) -> TrialUnreadableError:
    if not isinstance(exc, OSError):  # a name that no file can have
        return TrialUnreadableError(name, str(exc).capitalize(), errno.EINVAL)
    kind = TrialMissingError if isinstance(exc, FileNotFoundError) else TrialUnreadableError
    return kind(name, exc.strerror or type(exc).__name__, exc.errno or 0)


def name_bad_text(name: str, data: bytes, message: str) -> TrialReadError:
    """Give the error for what is no JSON; ``message`` is that of the reader."""
    if not data.strip(b"\0 \t\r\n"):
        # A crash of the machine leaves zeros where data had not yet reached the disk.
        return TrialTruncatedError(name, "Holds nothing but zeros" if b"\0" in data else "The file is empty")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as exc:
        if exc.reason != "unexpected end of data":
            return TrialEncodingError(name, "Not UTF-8: byte 0x%02x at offset %d" % (data[exc.start], exc.start))
        return TrialTruncatedError(name, "Ends inside a character")
    if "EOF while parsing" in message:
        return TrialTruncatedError(name, message.replace("Invalid JSON: ", "Ends too early: "))
    return TrialSyntaxError(name, message)


def name_bad_shape(name: str, faults: List[Dict[str, Any]]) -> TrialReadError:
    """Give the error for JSON that is no trial; each fault has a ``type``, a ``loc`` and a ``msg``."""
    first = faults[0]
    place = ".".join(map(str, first["loc"]))
    reason = "%s%s%s" % (place, ": " if place else "", first["msg"])
    if len(faults) > 1:
        reason += " (and %d more)" % (len(faults) - 1)
    kept = [{key: fault[key] for key in ("type", "loc", "msg")} for fault in faults[:_FAULTS_KEPT]]
    return TrialShapeError(name, reason if reason.isprintable() else ascii(reason)[1:-1], kept)


def is_rollup(document: Any) -> bool:
    """Tell whether JSON is the summary of a job."""
    return isinstance(document, dict) and "n_total_trials" in document and "trial_name" not in document


def name_rollup(name: str) -> TrialReadError:
    """Give the error for the summary of a job."""
    return TrialRollupError(name, "A job's roll-up and not a trial")


# Walking -------------------------------------------------------------------------------------------------------------

# What a trial's folder may hold besides files, whoever wrote what is in there.
_TRIAL_FOLDERS = frozenset(("agent", "user-agent", "verifier", "artifacts", "steps"))
_MARKS = frozenset((RESULT_NAME, "config.json", "trial.log", "job.log"))
_TRIAL_NAMES = _TRIAL_FOLDERS | _MARKS
_HEAD_SIZE = 4096
_TELLING_KEY = re.compile(rb'"(n_total_trials|task_name|trial_name|trial_uri|task_id|agent_info)"\s*:')
# What Windows calls a folder that is a link without saying so.
_JUNCTION = 0xA0000003
_HAS_JUNCTIONS = os.name == "nt"


class _Folder:
    """What a folder holds that tells what it is; and its folders by name, where names alone do not say: a trial's."""

    __slots__ = ("start", "marks", "folders", "links", "is_trial", "is_closed")

    def __init__(self, start: str) -> None:
        #: Its path as it stands before the name of something in it.
        self.start = start
        # Most folders are known by their names alone, and a list of names takes half as long as one of entries.
        names = os.listdir(start)
        marks = _MARKS.intersection(names)
        self.folders: List[str] = []
        # Whether its result is a trial's, or ought to be; and whether what else is in it is the trial's as well.
        self.is_trial = self.is_closed = True
        if marks and "job.log" not in marks and ("trial.log" in marks or _TRIAL_NAMES.issuperset(names)):
            return
        self.marks: Set[str] = set(marks)
        #: Which of the folders may be links.
        self.links: Set[str] = set()
        with os.scandir(start) as entries:
            for entry in entries:
                if entry.name in _MARKS:
                    self.marks.add(entry.name)  # it may be there only now
                elif entry.name[:1] != ".":
                    is_folder, may_be_link = _tell_folder(entry)
                    if is_folder:
                        self.folders.append(entry.name)
                        if may_be_link:
                            self.links.add(entry.name)
        self.folders.sort()
        self.is_trial, self.is_closed = self._tell_kind()

    def _tell_kind(self) -> Tuple[bool, bool]:
        if "job.log" in self.marks:
            return False, False
        if "trial.log" in self.marks:
            return True, True
        if _TRIAL_FOLDERS.issuperset(self.folders):
            is_trial = bool(self.marks)
            return is_trial, is_trial
        if RESULT_NAME not in self.marks:
            return False, False
        looks = _tell_look(self.start + RESULT_NAME)
        if looks == "trial":
            return True, True
        return looks != "job" and not self._holds_marks(), False

    def _holds_marks(self) -> bool:
        """Tell whether one of the folders looks like a trial's."""
        paths = (os.path.join(self.start + folder, mark) for folder in self.folders for mark in _MARKS)
        return any(map(os.path.lexists, paths))

    def tell_job(self) -> bool:
        """Tell whether the folders in here are trials, so that one without a result is a trial without one."""
        if self.is_trial:
            return False
        if RESULT_NAME in self.marks or "job.log" in self.marks:
            return True
        for folder in self.folders:
            looks = _tell_look(os.path.join(self.start + folder, RESULT_NAME))
            if looks:
                return looks == "trial"
        return False


class _Trees:
    """The trees that are walked, by the identity of their top: no link leads up, or to what is walked already."""

    def __init__(self, top: str) -> None:
        self._tops: Set[Tuple[int, int]] = set()
        self._above: Set[Tuple[int, int]] = set()
        self._add(os.path.realpath(top))

    def _add(self, real: str) -> None:
        self._tops.add(_identify(real))
        self._above.update(map(_identify, _list_above(real)))

    def admits(self, path: str) -> bool:
        """Tell whether what may be a link is to be walked; a link to elsewhere starts a tree."""
        info = os.lstat(path)
        if not stat.S_ISLNK(info.st_mode) and getattr(info, "st_reparse_tag", 0) != _JUNCTION:
            return True
        real = os.path.realpath(path)
        around = [_identify(real), *map(_identify, _list_above(real))]
        if around[0] in self._above or not self._tops.isdisjoint(around):
            return False
        self._add(real)
        return True


def walk_trials(top: str) -> Iterator[Tuple[str, Optional[TrialReadError]]]:
    """Find the results of trials below a directory, in the order of the names, as ``harbor.trials`` says.

    An error stands beside a path that is known not to give a trial: of a folder that cannot be read.
    """
    try:
        if not os.path.isdir(top):
            yield top, None
            return
        trees = _Trees(top)
        folder: Optional[_Folder] = _Folder(os.path.join(top, ""))
    except (OSError, ValueError) as exc:
        yield top, _name_os_error(top, exc)
        return
    # Of each folder that is open, the names still to come, and whether it is a job, once somebody asked.
    waiting: List[Tuple[_Folder, Iterator[str], List[bool]]] = []
    while True:
        if folder is not None:
            if folder.is_trial:
                yield folder.start + RESULT_NAME, None
            if not folder.is_closed:
                waiting.append((folder, iter(folder.folders), []))
            folder = None
        if not waiting:
            return
        around, names, is_job = waiting[-1]
        name = next(names, None)
        if name is None:
            waiting.pop()
            continue
        path = around.start + name
        try:
            if name in around.links and not trees.admits(path):
                continue
            folder = _Folder(path + os.sep)
        except FileNotFoundError:
            continue  # it was removed meanwhile
        except (OSError, ValueError) as exc:
            yield path, _name_os_error(path, exc)
            continue
        if not (folder.is_closed or folder.marks) and _TRIAL_FOLDERS.issuperset(folder.folders):
            if not is_job:
                is_job.append(around.tell_job())
            folder.is_trial = folder.is_closed = is_job[0]


def _tell_folder(entry: "os.DirEntry[str]") -> Tuple[bool, bool]:
    """Tell whether it is a folder, or a link to one, and whether it may be a link."""
    try:
        if entry.is_dir(follow_symlinks=False):
            return True, _HAS_JUNCTIONS
        return entry.is_symlink() and entry.is_dir(), True
    except OSError:
        return False, True


def _tell_look(name: str) -> str:
    """Tell by its beginning what a result looks like: "trial", "job" or, where that does not show, ""."""
    try:
        head = read_result(name, _HEAD_SIZE)
    except TrialReadError:
        return ""
    # A roll-up may hold trials, and a trial any number.
    found = _TELLING_KEY.search(head)
    return "" if found is None else "job" if found.group(1) == b"n_total_trials" else "trial"


def _identify(path: str) -> Tuple[int, int]:
    info = os.stat(path)
    return info.st_dev, info.st_ino


def _list_above(path: str) -> List[str]:
    above = []
    while os.path.dirname(path) != path:
        path = os.path.dirname(path)
        above.append(path)
    return above
''')


# ====================================================================================================================
# harbor/digests.py, which runs when it is first used
# ====================================================================================================================

_later("digests", """
        JsonError parse parse_ordinary is_timeout TrialReadError is_rollup name_bad_shape name_bad_text name_rollup
        _take""", r'''
"""What sums over trials need of one, taken from a JSON document without making any model.

In: the bytes of a `result.json`, or a trial. Out: a digest, or None for a document that is unusual in any way, which
`TrialResult` must read then. What is digested here `TrialResult` reads as well, to the same digest; a test holds the
two together. A model of a trial takes ten times as long to make as its JSON to read.
"""

import re
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple

__all__ = ["DIGEST_SIZE_LIMIT", "TrialDigest", "digest_document", "digest_trial", "find_failure"]

_TRIAL_PHASES = ("environment_setup", "agent_setup", "agent_execution", "verifier")
_STEP_PHASES = ("agent_execution", "verifier")
# Larger documents are left to the model.
DIGEST_SIZE_LIMIT = 1 << 20
# Looking for rollouts is dearer than reading a shorter one with rollouts.
_SMALL = 1 << 14
# Beyond it an int and the float of it differ.
_EXACT_LIMIT = 1 << 53
_MOST_TASK_IDS = 10000
_MOST_KEYS = 100
# Of a config: its start and end as Harbor writes them, how many are kept, of how many agents, and how long and deep.
_CONFIG_START = b'\n    "config": {\n'
_CONFIG_END = b'\n    },\n    "agent_info": {\n'
_OBJECT_END = b"\n    }"
_MOST_SHAPES = 16
_MOST_AGENTS = 100
_AGENT_SIZE_LIMIT = 1 << 11
_CONFIG_SIZE_LIMIT = 1 << 14
_CONFIG_DEPTH_LIMIT = 100
_COUNT_TYPES = frozenset((int, type(None)))
_STR = frozenset((str,))
_TEXT_TYPES = frozenset((str, type(None)))

_match_uuid = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").fullmatch
# The name of a trial, as Harbor makes it of that of its task.
_search_names = re.compile(rb'\n    "trial_name": "(([-.\w]*)__\w+)",\n').search
# What no number and no word outside of a string has.
_search_letter = re.compile(rb"[^-+.0-9EINaefilnrstuy]").search
# Days that every month has: no need to ask a calendar.
_match_moment = re.compile(
    r"[12][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
    r"(?:\.[0-9]{6})?Z?").fullmatch


# What is right in a trial for each field that is a text, an object or required, in the order of the model's fields;
# None where an object may be missing. And the texts inside of some.
_RIGHT_PARTS: Dict[str, Any] = {
    "task_name": "", "trial_name": "", "trial_uri": "", "task_id": {"path": ""}, "task_checksum": "", "config": {},
    "agent_info": {"name": "", "version": ""}, "agent_result": None, "verifier_result": None, "exception_info": None,
    **dict.fromkeys(_TRIAL_PHASES),
}
_RIGHT_INSIDE: Dict[str, Dict[str, Any]] = {
    "agent_info": _RIGHT_PARTS["agent_info"],
    "exception_info": {"exception_type": "", "exception_message": "", "exception_traceback": ""},
}
_MISSING = ("missing", "Field required")
_NO_TEXT = ("string_type", "Input should be a valid string")
_NO_OBJECT = ("model_type", "Input should be an object")


class TrialDigest(NamedTuple):
    """A trial as sums see it; ``contexts`` holds AgentContexts or dicts of the same keys, None for a missing one."""

    agent: str
    model: Optional[str]
    task: str
    dataset: Optional[str]
    has_failed: bool
    has_timed_out: bool
    rewards: Optional[Dict[str, float]]
    contexts: List[Any]


class _Unusual(Exception):
    """A document that only the model can judge."""


def digest_trial(trial: "TrialResult") -> TrialDigest:
    """Digest a trial."""
    model, verified = trial.agent_info.model_info, trial.verifier_result
    contexts: List[Optional[AgentContext]] = [trial.agent_result]
    if trial.agent_result is None and trial.step_results:
        contexts = [step.agent_result for step in trial.step_results]
    return TrialDigest(
        trial.agent_info.name, None if model is None else _join_model(model.name, model.provider), trial.task_name,
        trial.source, bool(trial.exceptions), trial.timed_out, None if verified is None else verified.rewards, contexts)


def digest_document(data: bytes) -> Optional[TrialDigest]:
    """Digest a JSON document that is a trial in every part; None where ``TrialResult`` must have a look."""
    # An escape may hide that a key stands twice; and rollouts, which make a file long, have a reader that is faster.
    if b"\\" in data and b"\\u" in data or len(data) > _SMALL and (
            len(data) > DIGEST_SIZE_LIMIT or b'"prompt_token_ids"' in data):
        return None
    try:
        rest = _skip_config(data)
        return _digest(parse_ordinary(rest), rest)
    except (_Unusual, AttributeError, KeyError, TypeError, ValueError):
        return None


def find_failure(name: str, data: bytes) -> Optional[TrialReadError]:
    """Say what keeps a whole file from being a trial, where no model is needed to see it."""
    try:
        document = parse(data)
    except JsonError as exc:
        return name_bad_text(name, data, "Invalid JSON: " + exc.message)
    if is_rollup(document):
        return name_rollup(name)
    if type(document) is not dict:
        return name_bad_shape(name, [_make_fault(_NO_OBJECT, ())])
    faults: List[Dict[str, Any]] = []
    try:
        if len(data) > _SMALL or b"\\u" in data:  # as for a digest
            return None
        # Where the rest of it is that of a trial, these faults are all.
        _digest(_mend(document, _RIGHT_PARTS, (), faults), data)
    except (_Unusual, AttributeError, KeyError, TypeError, ValueError):
        return None
    return name_bad_shape(name, faults) if faults else None


def _mend(
    owner: Dict[str, Any], right: Dict[str, Any], place: Tuple[str, ...], faults: List[Dict[str, Any]]
) -> Dict[str, Any]:
    """Copy an object with what is right in place of what it lacks or has wrong, and list that as the model does."""
    mended = dict(owner)
    for name, instead in right.items():
        value, fault = owner.get(name), None
        if name not in owner:
            fault = _MISSING if instead is not None else None
        elif type(instead) is str:
            fault = _NO_TEXT if type(value) is not str else None
        elif type(value) is dict:
            if name in _RIGHT_INSIDE:
                mended[name] = _mend(value, _RIGHT_INSIDE[name], (name,), faults)
        elif name not in ("task_id", "config") and not (value is None and instead is None):
            fault = _NO_OBJECT
        if fault is not None:
            faults.append(_make_fault(fault, (*place, name)))
            mended[name] = instead
    return mended


def _make_fault(fault: Tuple[str, str], place: Tuple[str, ...]) -> Dict[str, Any]:
    return {"type": fault[0], "loc": place, "msg": fault[1]}


# Configs that are JSON, with marks in place of the trial's and the task's name, by what stands after them: the agent,
# which says most of what differs.
_configs: Dict[bytes, List[bytes]] = {}


def _skip_config(data: bytes) -> bytes:
    """Put ``{}`` in place of a config that is JSON, which is half of most files and tells nothing to sums.

    The configs of a job differ in little but names, so most have been read before. What is left is JSON if, and only
    if, the whole is: the config that is cut out is an object by itself, and nothing but its own key is called so.
    """
    start = data.find(_CONFIG_START) + len(_CONFIG_START) - 2
    end = data.find(_CONFIG_END, start)
    names = _search_names(data, 0, start)
    if start < len(_CONFIG_START) or end < start or names is None or end - start > _CONFIG_SIZE_LIMIT:
        return data
    name, task = names.groups()
    if _search_letter(task) is None:
        return data
    end += len(_OBJECT_END)
    rest = b"{}".join((data[:start], data[end:]))
    if rest.count(b'"config"') != 1:
        return data
    agent_end = data.find(_OBJECT_END, end, end + _AGENT_SIZE_LIMIT)
    if agent_end < 0:
        return data
    agent = data[end:agent_end]
    shapes = _configs.get(agent, ())
    config = data[start:end]
    # A name is inside a string wherever it stands, so another one in its place makes no difference.
    if any(shape.replace(b"\0", name).replace(b"\1", task) == config for shape in shapes):
        return rest
    if b"\\" in config or b"\0" in config or b"\1" in config:
        return data
    if config.count(b"{") + config.count(b"[") > _CONFIG_DEPTH_LIMIT:
        return data
    parse_ordinary(config)
    if len(shapes) < _MOST_SHAPES and (shapes or len(_configs) < _MOST_AGENTS):
        _configs.setdefault(agent, []).append(config.replace(name, b"\0").replace(task, b"\1"))
    return rest


def _digest(trial: Dict[str, Any], data: bytes) -> TrialDigest:
    get = trial.get
    keys: List[str] = []
    agent = trial["agent_info"]
    model = agent.get("model_info")
    steps = get("step_results")
    moments = [get("started_at"), get("finished_at")]
    _gather_phases(trial, _TRIAL_PHASES, moments)
    exceptions = [_take_exception(trial, moments)]
    contexts = [_take_context(trial, keys)]
    rewards = _take_rewards(trial, keys)
    texts = [trial[name] for name in ("task_name", "trial_name", "trial_uri", "task_checksum")]
    texts += [agent["name"], agent["version"]]
    if model is not None:
        texts.append(model["name"])
    if steps is not None:
        _insist(type(steps) is list)
        for step in steps:
            texts.append(step["step_name"])
            _gather_phases(step, _STEP_PHASES, moments)
            exceptions.append(_take_exception(step, moments))
            contexts.append(_take_context(step, keys))
            _take_rewards(step, keys)
    provider = None if model is None else model.get("provider")
    version = get("schema_version", 1)
    _insist(set(map(type, texts)) == _STR and _TEXT_TYPES.issuperset((type(get("source")), type(provider))))
    _insist(type(trial["config"]) is dict and type(version) is int and version == 1)
    _insist(get("verifier_environment_mode") in (None, "shared", "separate"))
    _insist("id" not in trial or _match_uuid(trial["id"]) is not None)
    for moment in moments:
        if moment is not None and not _match_moment(moment):
            _insist_moment(moment)
    _insist_task_id(trial["task_id"])
    # A reader of JSON keeps the last of two values under one key, where a dict of one type must check both.
    _insist(len(keys) <= _MOST_KEYS)
    for key in set(keys):
        count, quoted = keys.count(key), b'"%s"' % key.encode("utf-8")
        if data.count(quoted) != count:
            # Some are values, maybe.
            _insist(len(re.findall(re.escape(quoted) + rb"[ \t\r\n]*:", data)) == count)
    found = [name for name in exceptions if name is not None]
    own = contexts[:1] if contexts[0] is not None or len(contexts) == 1 else contexts[1:]
    return TrialDigest(
        agent["name"], None if model is None else _join_model(model["name"], provider), trial["task_name"],
        get("source"), bool(found), any(map(is_timeout, found)), rewards, own)


def _insist(condition: bool) -> None:
    if not condition:
        raise _Unusual


def _insist_moment(moment: str) -> None:
    MomentError = _take("MomentError")
    read_datetime = _take("read_datetime")

    try:
        read_datetime(moment)
    except MomentError:
        raise _Unusual from None


def _gather_phases(owner: Dict[str, Any], names: Any, moments: List[Any]) -> None:
    for name in names:
        timing = owner.get(name)
        if timing is not None:
            moments.append(timing.get("started_at"))
            moments.append(timing.get("finished_at"))


def _take_exception(owner: Dict[str, Any], moments: List[Any]) -> Optional[str]:
    """Check what stands under ``exception_info``, and give the type of the exception."""
    info = owner.get("exception_info")
    if info is None:
        return None
    moments.append(info["occurred_at"])
    name: str = info["exception_type"]
    texts = (name, info["exception_message"], info["exception_traceback"])
    _insist(set(map(type, texts)) == _STR and info.get("policy_override") is None)
    _insist(info["occurred_at"] is not None)
    return name


def _take_context(owner: Dict[str, Any], keys: List[str]) -> Optional[Dict[str, Any]]:
    """Check what stands under ``agent_result``, and give it."""
    context: Optional[Dict[str, Any]] = owner.get("agent_result")
    if context is None:
        return None
    get = context.get
    _insist_counts((get("n_input_tokens"), get("n_cache_tokens"), get("n_output_tokens")), _COUNT_TYPES)
    _insist_cost(get("cost_usd"))
    _insist(type(get("metadata", {})) is dict or get("metadata") is None)
    _insist(not get("rollout_details") and type(get("rollout_details", [])) in (list, type(None)))
    usages = get("model_usage")
    if usages is not None:
        keys.extend(usages)
        for usage in usages.values():
            # Missing counts are zero in the model.
            _insist_counts((usage["n_input_tokens"], usage["n_cache_tokens"], usage["n_output_tokens"]), (int,))
            _insist_cost(usage.get("cost_usd"))
    return context


def _take_rewards(owner: Dict[str, Any], keys: List[str]) -> Optional[Dict[str, float]]:
    """Check what stands under ``verifier_result``, and give the rewards."""
    verified = owner.get("verifier_result")
    rewards: Optional[Dict[str, float]] = None if verified is None else verified.get("rewards")
    if rewards is not None:
        keys.extend(rewards)
        for reward in rewards.values():
            _insist(type(reward) is float or type(reward) is int and -_EXACT_LIMIT < reward < _EXACT_LIMIT)
    return rewards


def _insist_counts(counts: Any, types: Any) -> None:
    for count in counts:
        if type(count) not in types:
            raise _Unusual


def _insist_cost(cost: Any) -> None:
    if cost is not None and type(cost) is not float:
        _insist(type(cost) is int and -_EXACT_LIMIT < cost < _EXACT_LIMIT)


# Ids of tasks that the model has taken: many trials share a task.
_task_ids: Dict[Any, bool] = {}


def _insist_task_id(task_id: Dict[str, Any]) -> None:
    if len(task_id) == 1 and type(task_id["path"]) is str:
        return
    key = tuple(task_id.items())
    if key not in _task_ids:
        TypeAdapter = _take("TypeAdapter")
        ValidationError = _take("ValidationError")
        TrialResult = _take("TrialResult")

        import json

        adapter: Any = TypeAdapter(TrialResult.__annotations__["task_id"])
        try:
            adapter.validate_json(json.dumps(task_id))
        except ValidationError:
            raise _Unusual from None
        if len(_task_ids) < _MOST_TASK_IDS:
            _task_ids[key] = True


def _join_model(name: str, provider: Optional[str]) -> str:
    return name if provider is None else "%s/%s" % (provider, name)
''')


# ====================================================================================================================
# harbor/environments/processes.py, which runs when it is first used
# ====================================================================================================================

_later("environments.processes", "", r'''
"""Child processes: run one, keep what it prints, and end everything that it started.

In: a command with its folder, variables and time limit. Out: exit status and output. The event loop that children
are watched in, and the waiting and stopping of whole coroutines that goes with it, stand here too, so that this is
the one module which imports asyncio and subprocess: whoever imports an agent or a record pays for neither.
POSIX only; on Linux a child is also found after it has left its session.
"""

import asyncio
import os
import signal
import subprocess
import threading
import time
from typing import Any, Awaitable, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

__all__ = ["Attempt", "Children", "CommandOutcome", "attempt", "finish", "run_until_signal", "yield_to_others"]

#: The variable by which the children of an environment are known, also those that left their session.
MARK_VARIABLE = "HARBOR_EXEC"

_POLL_SEC = (0.01, 0.1)
# How long a pipe is waited for after its command has ended: a background process may hold it open for ever.
_LINGER_SEC = 0.25
# How long the system may take to remove what it was told to kill.
_REAP_SEC = 2.0
_KILL_ROUNDS = 50
# How long a coroutine may take to clean up after it was cancelled, and for the second time.
_PATIENCE_SEC = (8.0, 2.0)


# Output --------------------------------------------------------------------------------------------------------------


class PrintedStream:
    """What one stream of a command printed: all of it up to ``limit`` bytes, else its first and its last half."""

    def __init__(self, limit: int) -> None:
        self._head_limit = limit - limit // 2
        self._tail_limit = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0

    def add(self, data: bytes) -> None:
        self._total += len(data)
        room = self._head_limit - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        # Cut seldom: each cut moves what stays.
        if len(self._tail) > 2 * self._tail_limit + 65536:
            del self._tail[:len(self._tail) - self._tail_limit]

    def decode(self) -> str:
        """Give the text, read as UTF-8; what is none becomes U+FFFD, and a line says how much was left out."""
        tail = self._tail[max(0, len(self._tail) - self._tail_limit):]
        left_out = self._total - len(self._head) - len(tail)
        if not left_out:
            return (self._head + tail).decode("utf-8", "replace")
        note = "\n[... %d bytes left out ...]\n" % left_out
        return self._head.decode("utf-8", "replace") + note + tail.decode("utf-8", "replace")


class _Capture(asyncio.SubprocessProtocol):
    """Listens to one child; the futures are done when it has exited, when its pipes are shut, when all is over."""

    def __init__(self, loop: asyncio.AbstractEventLoop, output_limit: int) -> None:
        self.printed = {1: PrintedStream(output_limit), 2: PrintedStream(output_limit)}
        self.is_listening = True
        self.exited: "asyncio.Future[None]" = loop.create_future()
        self.drained: "asyncio.Future[None]" = loop.create_future()
        self.over: "asyncio.Future[None]" = loop.create_future()
        self._pipes = {1, 2}

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        # Afterwards it is read all the same: a background process must not stop at a full pipe.
        if self.is_listening:
            self.printed[fd].add(data)

    def pipe_connection_lost(self, fd: int, exc: Optional[Exception]) -> None:
        self._pipes.discard(fd)
        if not self._pipes:
            _settle(self.drained)

    def process_exited(self) -> None:
        _settle(self.exited)

    def connection_lost(self, exc: Optional[Exception]) -> None:
        for future in (self.exited, self.drained, self.over):
            _settle(future)


def _settle(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)


# Children ------------------------------------------------------------------------------------------------------------


class CommandOutcome(NamedTuple):
    """What came of a command; its status is that of a shell, so that 128 and a signal's number is a death by it."""

    status: int
    stdout: str
    stderr: str
    timed_out: bool


class Children:
    """The commands of one environment, and whatever they leave running."""

    def __init__(self, output_limit: int, grace_sec: float) -> None:
        self._output_limit = output_limit
        self._grace_sec = grace_sec
        self._mark = os.urandom(8).hex()
        self._count = 0
        self._running: Set[int] = set()
        # Sessions whose command has ended and left something.
        self._left: Set[int] = set()
        # Pipes that background processes hold open.
        self._open: Dict[asyncio.SubprocessTransport, _Capture] = {}

    async def run(
        self, arguments: Sequence[str], folder: str, variables: Mapping[str, str], limit_sec: Optional[float]
    ) -> CommandOutcome:
        """Run a command in a session of its own, with nothing to read; raises ``OSError`` where it cannot start.

        At the limit, or when the caller is cancelled, everything that it started gets SIGTERM and, after the grace
        time, SIGKILL. What it left running when it ended goes on.
        """
        self._count += 1
        token = "%s-%d " % (self._mark, self._count)
        marked = dict(variables, **{MARK_VARIABLE: variables.get(MARK_VARIABLE, "") + token})
        transport, capture = await self._spawn(arguments, folder, marked, token)
        session = transport.get_pid()
        self._running.add(session)
        self._open[transport] = capture
        try:
            await asyncio.wait({capture.exited}, timeout=limit_sec)
            timed_out = not capture.exited.done()
            if timed_out:
                await end_processes({session}, token.encode(), self._grace_sec)
                await asyncio.wait({capture.exited}, timeout=_REAP_SEC)
            await asyncio.wait({capture.drained}, timeout=_LINGER_SEC)
        except GeneratorExit:  # the loop is gone, and nothing can be awaited
            kill_processes({session}, token.encode())
            raise
        except BaseException:
            capture.is_listening = False
            await end_processes({session}, token.encode(), self._grace_sec)
            await self._close(transport, capture)
            raise
        finally:
            self._running.discard(session)
        capture.is_listening = False
        if has_group(session):
            self._left.add(session)
        if timed_out or capture.drained.done():
            await self._close(transport, capture)
        status = transport.get_returncode()
        if status is None:
            status = -signal.SIGKILL
        printed = capture.printed
        return CommandOutcome(
            128 - status if status < 0 else status, printed[1].decode(), printed[2].decode(), timed_out)

    async def _spawn(
        self, arguments: Sequence[str], folder: str, variables: Mapping[str, str], token: str
    ) -> Tuple[asyncio.SubprocessTransport, _Capture]:
        loop = asyncio.get_running_loop()
        # Never cancelled half-way: the loop would kill the shell alone, and not what it may have started by then.
        starting = asyncio.ensure_future(loop.subprocess_exec(
            lambda: _Capture(loop, self._output_limit), *arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd=folder, env=variables, start_new_session=True))
        try:
            transport, capture = await asyncio.shield(starting)
        except asyncio.CancelledError:
            await asyncio.wait({starting})
            if starting.exception() is None:
                transport, capture = starting.result()
                await end_processes({transport.get_pid()}, token.encode(), self._grace_sec)
                await self._close(transport, capture)
            raise
        return transport, capture

    async def _close(self, transport: asyncio.SubprocessTransport, capture: _Capture) -> None:
        self._open.pop(transport, None)
        # To close it earlier would take the exit status away from the loop.
        await asyncio.wait({capture.exited}, timeout=_REAP_SEC)
        transport.close()
        await asyncio.wait({capture.over}, timeout=_REAP_SEC)

    async def end_all(self) -> None:
        """End every process that is left, with SIGTERM and then SIGKILL, and close their pipes."""
        if not self._count:
            return
        try:
            await end_processes(self._list_sessions(), self._own_token(), self._grace_sec)
        finally:
            for transport, capture in list(self._open.items()):
                await self._close(transport, capture)
            self._left.clear()

    def kill_all(self) -> None:
        """Kill every process that is left, at once and without an event loop."""
        if self._count:
            kill_processes(self._list_sessions(), self._own_token())

    def _list_sessions(self) -> Set[int]:
        # A number stays taken as long as its session has members. A process that has the number of one whose command
        # has ended is somebody else's, and all in the session with it.
        return self._running | {session for session in self._left if not has_process(session)}

    def _own_token(self) -> bytes:
        return self._mark.encode() + b"-"


# Processes -----------------------------------------------------------------------------------------------------------


class _Found(NamedTuple):
    """A process; ``group`` is its process group if that may be signalled as a whole, else 0."""

    pid: int
    group: int


def find_processes(sessions: Set[int], token: bytes) -> List[_Found]:
    """Find the live processes of some sessions, and on Linux those whose variables hold the token."""
    own = os.getpid()
    if not os.path.exists("/proc/self/stat"):
        return [_Found(session, session) for session in sessions if has_group(session)]
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != own:
            process = _look_at(name, sessions, token)
            if process is not None:
                found.append(process)
    return found


def _look_at(name: str, sessions: Set[int], token: bytes) -> Optional[_Found]:
    try:
        with open("/proc/%s/stat" % name, "rb") as file:
            # The name of the program, in parentheses, may hold anything.
            state, _, group, session = file.read().rpartition(b")")[2].split()[:4]
        if state in (b"Z", b"X"):
            return None
        if int(session) in sessions:
            return _Found(int(name), int(group))
        with open("/proc/%s/environ" % name, "rb") as file:
            return _Found(int(name), 0) if token in file.read() else None
    except (OSError, ValueError):  # gone meanwhile, or somebody else's
        return None


def has_group(group: int) -> bool:
    """Tell whether a process group has members."""
    try:
        os.killpg(group, 0)
    except OSError:
        return False
    return True


def has_process(pid: int) -> bool:
    """Tell whether there is a process of this number."""
    try:
        os.kill(pid, 0)
    except OSError as error:
        return isinstance(error, PermissionError)
    return True


def _send_signal(found: Sequence[_Found], number: int) -> None:
    calls = [(os.killpg, group) for group in {process.group for process in found if process.group}]
    calls += [(os.kill, process.pid) for process in found if not process.group]
    for send, target in calls:
        try:
            send(target, number)
        except OSError:  # gone meanwhile
            pass


async def end_processes(sessions: Set[int], token: bytes, grace_sec: float) -> None:
    """Send SIGTERM to the processes that ``find_processes`` finds, and SIGKILL to those left after the grace time.

    Cancelled meanwhile, it kills at once.
    """
    try:
        _send_signal(find_processes(sessions, token), signal.SIGTERM)
        end = time.monotonic() + grace_sec
        pause = _POLL_SEC[0]
        while find_processes(sessions, token) and time.monotonic() < end:
            await asyncio.sleep(pause)
            pause = min(2 * pause, _POLL_SEC[1])
    finally:
        kill_processes(sessions, token)


def kill_processes(sessions: Set[int], token: bytes) -> None:
    """Send SIGKILL until ``find_processes`` finds nothing, or only what the system cannot end."""
    for _ in range(_KILL_ROUNDS):
        found = find_processes(sessions, token)
        if not found:
            break
        _send_signal(found, signal.SIGKILL)
        time.sleep(0.002)


# Coroutines ----------------------------------------------------------------------------------------------------------


class Attempt(NamedTuple):
    """What became of a coroutine: its value or its error, whether it was stopped at its limit, and if it goes on."""

    value: Any
    error: Optional[BaseException]
    timed_out: bool
    goes_on: bool


async def attempt(call: Callable[[], Awaitable[Any]], limit_sec: Optional[float] = None) -> Attempt:
    """Await what a call gives, for so long at most, and give its error instead of raising it.

    At the limit, or when the caller is cancelled, it is cancelled and waited for; one that will not stop is left to
    itself. A cancellation of the caller is raised, with the error that it led to as its cause.
    """
    task = asyncio.ensure_future(_hold(call))
    try:
        await asyncio.wait({task}, timeout=limit_sec)
        timed_out = not task.done()
        if timed_out:
            await _cancel(task)
    except asyncio.CancelledError as error:
        await _cancel(task)
        raise error from (task.result()[1] if task.done() else None)
    value, failure = task.result() if task.done() else (None, None)
    return Attempt(value, failure, timed_out, not task.done())


async def finish(call: Callable[[], Awaitable[Any]]) -> Optional[BaseException]:
    """Await what a call gives to its end, and give its error or None; a cancellation waits and is raised then."""
    task = asyncio.ensure_future(_hold(call))
    cancellation = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancellation = error
    if cancellation is not None:
        raise cancellation
    failure: Optional[BaseException] = task.result()[1]
    return failure


async def _hold(call: Callable[[], Awaitable[Any]]) -> Tuple[Any, Optional[BaseException]]:
    try:
        return await call(), None
    except GeneratorExit:
        raise
    except BaseException as error:  # an exit or an interrupt would break the loop around the task
        return None, error.with_traceback(error.__traceback__ and error.__traceback__.tb_next)


async def _cancel(task: "asyncio.Task[Any]") -> None:
    for patience in _PATIENCE_SEC:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=patience)


async def yield_to_others() -> None:
    """Let everything else that is ready in the event loop run once."""
    await asyncio.sleep(0)


def run_until_signal(call: Callable[[], Awaitable[Any]]) -> Optional[int]:
    """Run a coroutine in an event loop of its own, cancelled by SIGINT and SIGTERM; give the signal that came, if any.

    A second signal raises ``KeyboardInterrupt`` wherever the program is, also where it never comes back to the loop.
    What the coroutine raises is raised, apart from the cancellation.
    """
    loop = asyncio.new_event_loop()
    came: List[int] = []
    try:
        task = loop.create_task(_hold(call))

        def stop(number: int, frame: Any) -> None:
            came.append(number)
            if len(came) > 1:
                raise KeyboardInterrupt
            loop.call_soon_threadsafe(task.cancel)

        previous = _set_handlers({signal.SIGINT: stop, signal.SIGTERM: stop})
        try:
            _, error = loop.run_until_complete(task)
        finally:
            _set_handlers(previous)
            _cancel_rest(loop)
    finally:
        loop.close()
    if error is not None and not (came and isinstance(error, asyncio.CancelledError)):
        raise error
    return came[0] if came else None


def _set_handlers(handlers: Mapping[Any, Any]) -> Dict[Any, Any]:
    """Set the handlers of signals that are not ignored, where that is allowed, and give those they replace."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    heeded = {number: handler for number, handler in handlers.items() if signal.getsignal(number) != signal.SIG_IGN}
    return {number: signal.signal(number, handler) for number, handler in heeded.items()}


def _cancel_rest(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel the tasks that are left, and give them a moment: one that will not stop must not hold up the program."""
    rest = asyncio.all_tasks(loop)
    for task in rest:
        task.cancel()
    if rest:
        loop.run_until_complete(asyncio.wait(rest, timeout=_PATIENCE_SEC[1]))
    loop.run_until_complete(loop.shutdown_asyncgens())
''')


# ====================================================================================================================
# harbor/environments/transfer.py, which runs when it is first used
# ====================================================================================================================

_later("environments.transfer", "discard_file name_temporary", r'''
"""Copying of files and trees that never writes outside of its target.

In: two places. Out: the copies, with modes, times and links. The functions are generators that stop after every file
and every mebibyte, so that whoever drives them can do something else, or give up, in between. Nothing here watches
for a tree that somebody else changes meanwhile.
"""

import errno
import os
import shutil
import stat
from typing import Callable, Generator, List, NamedTuple, Union

__all__ = ["PathEscapeError", "copy_file", "copy_tree", "remove_tree", "resolve_inside"]

TransferPath = Union[str, "os.PathLike[str]"]

_CHUNK_SIZE = 1 << 20
# No set-user-id and the like.
_MODE_BITS = 0o777


class PathEscapeError(ValueError):
    """A path or link that leads out of the folder it must stay in; ``path`` and ``folder`` say which."""

    def __init__(self, path: str, folder: str) -> None:
        super().__init__(path, folder)
        self.path = path
        self.folder = folder

    def __str__(self) -> str:
        return "%r leads out of %r" % (self.path, self.folder)


def resolve_inside(folder: str, path: TransferPath, *, follow: bool = True) -> str:
    """Give the real place of a path in a folder, which it may name as a whole or relative to it.

    Without ``follow``, a link that stands at its end is the place itself. Raises ``PathEscapeError`` where the path,
    with all links on its way, leads out of the folder.
    """
    root = os.path.realpath(folder)
    joined = os.path.join(root, os.fspath(path))
    parent, name = os.path.split(joined.rstrip(os.sep))
    if follow or name in ("", os.curdir, os.pardir):
        place = os.path.realpath(joined)
    else:
        place = os.path.join(os.path.realpath(parent), name)
    if not _is_inside(root, place):
        raise PathEscapeError(os.fspath(path), folder)
    return place


def _is_inside(root: str, place: str) -> bool:
    return place == root or place.startswith(root.rstrip(os.sep) + os.sep)


def copy_file(source: TransferPath, target: str) -> Generator[None, None, None]:
    """Copy a regular file over what has the target's name; a link there is replaced, and never followed."""
    info = os.stat(source)
    if not stat.S_ISREG(info.st_mode):
        number = errno.EISDIR if stat.S_ISDIR(info.st_mode) else errno.EINVAL
        raise OSError(number, "Not a regular file", os.fspath(source))
    temporary = name_temporary(target)
    try:
        with open(source, "rb") as reader, open(temporary, "xb") as writer:
            chunk = reader.read(_CHUNK_SIZE)
            while chunk:
                writer.write(chunk)
                yield
                chunk = reader.read(_CHUNK_SIZE)
        os.chmod(temporary, info.st_mode & _MODE_BITS)
        os.utime(temporary, ns=(info.st_atime_ns, info.st_mtime_ns))
        os.replace(temporary, target)
    except BaseException:
        discard_file(temporary)
        raise


class _Tree(NamedTuple):
    """What a folder holds, by relative paths; folders stand before what is in them."""

    folders: List[str]
    files: List[str]
    links: List[str]


def copy_tree(source: str, target: str, skipped: Callable[[str], None]) -> Generator[None, None, None]:
    """Copy what a folder holds into another one, over what is there; links are kept as they are.

    A link that leads out of the tree raises ``PathEscapeError`` before anything is written; so does, when its turn
    comes, a link in the target that would be followed out of it. What is no file, folder or link is left out, and
    ``skipped`` is told its path.
    """
    root = os.path.realpath(source)
    tree = _list_tree(root, skipped)
    os.makedirs(target, exist_ok=True)
    place = os.path.realpath(target)
    for path in tree.folders:
        # Open to us until its files are there, whatever mode it gets in the end.
        os.makedirs(resolve_inside(place, path), mode=0o700, exist_ok=True)
        os.chmod(resolve_inside(place, path), 0o700)
    for path in tree.files:
        yield from copy_file(os.path.join(root, path), resolve_inside(place, path, follow=False))
        yield
    for path in tree.links:
        _make_link(os.readlink(os.path.join(root, path)), resolve_inside(place, path, follow=False), place)
    for path in reversed(tree.folders):
        os.chmod(resolve_inside(place, path), os.stat(os.path.join(root, path)).st_mode & _MODE_BITS)


def _list_tree(root: str, skipped: Callable[[str], None]) -> _Tree:
    tree = _Tree([], [], [])
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        with os.scandir(os.path.join(root, folder)) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        for entry in found:
            path = os.path.join(folder, entry.name)
            if entry.is_symlink():
                _expect_link_inside(root, path)
                tree.links.append(path)
            elif entry.is_dir():
                tree.folders.append(path)
                waiting.append(path)
            elif entry.is_file():
                tree.files.append(path)
            else:
                skipped(entry.path)
    return tree


def _expect_link_inside(root: str, path: str) -> None:
    goal = os.readlink(os.path.join(root, path))
    # By its text, because links on its way may lead elsewhere in the copy; and as it is, because of those links.
    plain = os.path.normpath(os.path.join(os.path.dirname(path), goal))
    outside = os.path.isabs(goal) or plain == os.pardir or plain.startswith(os.pardir + os.sep)
    if outside or not _is_inside(root, os.path.realpath(os.path.join(root, path))):
        raise PathEscapeError(path, root)


def _make_link(goal: str, link: str, root: str) -> None:
    if os.path.lexists(link):
        os.unlink(link)
    os.symlink(goal, link)
    if not _is_inside(root, os.path.realpath(link)):
        os.unlink(link)
        raise PathEscapeError(link, root)


def remove_tree(path: str) -> None:
    """Remove a folder with everything in it, also what its modes protect; raises ``OSError`` if something stays."""
    if not os.path.lexists(path):
        return
    try:
        shutil.rmtree(path)
    except OSError:
        _open_folders(path)
        shutil.rmtree(path)


def _open_folders(path: str) -> None:
    waiting = [path]
    while waiting:
        folder = waiting.pop()
        os.chmod(folder, 0o700)
        with os.scandir(folder) as entries:
            waiting += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
''')


# ====================================================================================================================
# harbor/environments/local.py, which runs when it is first used
# ====================================================================================================================

_later("environments.local", """
        BaseEnvironment ExecResult LocalPath UserName Children yield_to_others copy_file copy_tree remove_tree
        resolve_inside""", r'''
"""``LocalEnvironment``: a folder and child processes on this machine in the place of a sandbox.

In: commands and files. Out: what the commands print, and files. How a child is run and ended is the business of
``processes``, how a tree is copied that of ``transfer``.
"""

import contextlib
import os
import shutil
import tempfile
import weakref
from typing import Any, Dict, Generator, Optional

__all__ = ["LocalEnvironment"]

# What the command `timeout` and shells say in these cases.
_TIMED_OUT = 124
_CANNOT_START = 126


class LocalEnvironment(BaseEnvironment):
    """An environment that is a folder of this machine and runs commands as bash child processes.

    It isolates nothing: a command can read, change and remove whatever the user of this process can. It is for agents
    that are trusted, or inside of a sandbox.

    ``workdir`` is where commands start and paths are looked up; it is made if it is not there, and is never removed.
    Without it a temporary folder is made by ``start`` and removed by ``stop``. ``env`` holds variables for every
    command, over those of this process. Of what a command prints on stdout and on stderr, ``output_limit`` bytes each
    are kept: beyond it the first and the last half, with a line between them that says how much was left out.
    ``grace_sec`` is the time between SIGTERM and SIGKILL.

    Processes that a command leaves running go on until ``stop``. What still runs, and the temporary folder, are also
    cleared away when the object is collected or the interpreter exits; a SIGKILL of the interpreter leaves them.
    """

    def __init__(
        self,
        workdir: Optional[LocalPath] = None,
        *args: Any,
        env: Optional[Dict[str, str]] = None,
        output_limit: int = 16 << 20,
        grace_sec: float = 2.0,
        **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        if output_limit < 2 or not grace_sec >= 0:
            raise ValueError("Expected an output_limit of at least 2 and a grace_sec of at least 0")
        self._persistent_env.update(env or {})
        self._given = None if workdir is None else os.path.abspath(os.fspath(workdir))
        self._output_limit = output_limit
        self._grace_sec = grace_sec
        self._folder: Optional[str] = None
        self._shell = ""
        self._children = Children(output_limit, grace_sec)
        self._last_resort: Any = None

    @staticmethod
    def type() -> str:
        """Give ``"local"``."""
        return "local"

    @property
    def workdir(self) -> str:
        """The folder where commands start; raises ``RuntimeError`` before ``start`` and after ``stop``."""
        if self._folder is None:
            raise RuntimeError("The environment is not running; await start() first")
        return self._folder

    async def __aenter__(self) -> "LocalEnvironment":
        await self.start()
        return self

    async def __aexit__(self, *exception: Any) -> None:
        await self.stop()

    async def start(self, force_build: bool = False) -> None:
        """Make the folder; a second call changes nothing. Raises ``FileNotFoundError`` where there is no bash."""
        if self._folder is not None:
            return
        if os.name != "posix":
            raise NotImplementedError("LocalEnvironment needs a POSIX system")
        shell = shutil.which("bash")
        if shell is None:
            raise FileNotFoundError("LocalEnvironment needs bash, and there is none on PATH")
        self._shell = shell
        if self._given is None:
            folder = os.path.realpath(tempfile.mkdtemp(prefix="harbor-"))
        else:
            os.makedirs(self._given, exist_ok=True)
            folder = self._given
        self._folder = folder
        self._children = Children(self._output_limit, self._grace_sec)
        self._last_resort = weakref.finalize(
            self, _clear_away, self._children, folder if self._given is None else None)

    async def stop(self, delete: bool = True) -> None:
        """End every process that is left and, with ``delete``, remove the folder if it is a temporary one."""
        folder, self._folder = self._folder, None
        if folder is None:
            return
        try:
            await self._children.end_all()
        finally:
            self._last_resort.detach()
            _clear_away(self._children, folder if delete and self._given is None else None)

    async def exec(
        self,
        command: str,
        cwd: Optional[str] = None,
        env: Optional[Dict[str, str]] = None,
        timeout_sec: Optional[float] = None,
        user: Optional[UserName] = None,
    ) -> ExecResult:
        """Run a command with ``bash -c``, in ``cwd`` (relative to the folder), with nothing to read on stdin.

        After ``timeout_sec`` everything that it started is ended; what was printed is given, with a return code of
        124 and a last line on stderr that says so. None and 0 set no limit. A death by a signal is 128 and its
        number; a command that cannot be started, for example because there is no ``cwd``, gives 126. stdout and
        stderr are "" where nothing was printed, and what is not UTF-8 becomes U+FFFD. ``user`` can only be the user
        of this process: another one raises ``PermissionError``.
        """
        folder = os.path.join(self.workdir, cwd) if cwd else self.workdir
        _expect_own_user(self._resolve_user(user))
        if timeout_sec is not None and not timeout_sec >= 0:
            raise ValueError("Expected a timeout_sec of at least 0, got %r" % (timeout_sec,))
        variables = {**os.environ, **(self._merge_env(env) or {})}
        try:
            outcome = await self._children.run([self._shell, "-c", command], folder, variables, timeout_sec or None)
        except OSError as error:
            reason = "Cannot run the command in %r: %s\n" % (folder, error.strerror)
            return ExecResult(stdout="", stderr=reason, return_code=_CANNOT_START)
        if not outcome.timed_out:
            return ExecResult(stdout=outcome.stdout, stderr=outcome.stderr, return_code=outcome.status)
        gap = "\n" if outcome.stderr and not outcome.stderr.endswith("\n") else ""
        note = "%s%sCommand timed out after %g seconds\n" % (outcome.stderr, gap, timeout_sec or 0)
        return ExecResult(stdout=outcome.stdout, stderr=note, return_code=_TIMED_OUT)

    async def upload_file(self, source_path: LocalPath, target_path: str) -> None:
        """Copy a file to a path in the folder, or into it where the path is a folder; makes the folders on the way.

        Raises ``PathEscapeError`` for a path that leads out of the folder, with all links on its way.
        """
        place = resolve_inside(self.workdir, target_path, follow=False)
        if os.path.isdir(place):
            place = os.path.join(resolve_inside(self.workdir, target_path), os.path.basename(os.fspath(source_path)))
        await _copy_to(source_path, place)

    async def upload_dir(self, source_dir: LocalPath, target_dir: str) -> None:
        """Copy what a folder holds to a path in the folder; a path or link that leads out is a ``PathEscapeError``."""
        target = resolve_inside(self.workdir, target_dir)
        await _drive(copy_tree(os.fspath(source_dir), target, self._report_skipped))

    async def download_file(self, source_path: str, target_path: LocalPath) -> None:
        """Copy a file of the folder out of it; a path or link that leads out is a ``PathEscapeError``."""
        source = resolve_inside(self.workdir, source_path)
        place = os.fspath(target_path)
        if os.path.isdir(place):
            place = os.path.join(place, os.path.basename(source_path))
        await _copy_to(source, place)

    async def download_dir(self, source_dir: str, target_dir: LocalPath) -> None:
        """Copy what a folder in the folder holds; a path or link that leads out is a ``PathEscapeError``."""
        source = resolve_inside(self.workdir, source_dir)
        await _drive(copy_tree(source, os.fspath(target_dir), self._report_skipped))

    async def is_dir(self, path: str, user: Optional[UserName] = None) -> bool:
        """Tell whether there is a folder of this path, which may lie anywhere."""
        return os.path.isdir(os.path.join(self.workdir, path))

    async def is_file(self, path: str, user: Optional[UserName] = None) -> bool:
        """Tell whether there is a regular file of this path, which may lie anywhere."""
        return os.path.isfile(os.path.join(self.workdir, path))

    def _report_skipped(self, path: str) -> None:
        self.logger.warning("Left out %s: no file, folder or link", path)


def _clear_away(children: Children, folder: Optional[str]) -> None:
    """Do at once what is left of ``stop``; takes no environment, whose collection calls it."""
    children.kill_all()
    if folder is not None:
        remove_tree(folder)


async def _copy_to(source: LocalPath, place: str) -> None:
    os.makedirs(os.path.dirname(place) or os.curdir, exist_ok=True)
    await _drive(copy_file(source, place))


async def _drive(steps: Generator[None, None, None]) -> None:
    # Closed also where it is given up, so that it removes what it began.
    with contextlib.closing(steps):
        for _ in steps:
            await yield_to_others()


def _expect_own_user(user: Optional[UserName]) -> None:
    own = os.geteuid()
    if user is None or str(user) == str(own):
        return
    import pwd  # nowhere but on POSIX

    try:
        name = pwd.getpwuid(own).pw_name
    except KeyError:
        name = str(own)
    if user != name:
        raise PermissionError("LocalEnvironment runs commands as %r alone, and was asked for %r" % (name, user))
''')


# ====================================================================================================================
# harbor/forms.py, which runs when it is first used
# ====================================================================================================================

_later("forms", """
        Model TypeAdapter fields_of parse render RolloutDetail""", r'''
"""The forms in which a saved record says what JSON cannot.

In: a model with anything at all in its fields. Out: one that can be dumped, and whose dump every parser reads back.
What is good stays the very object it is. Nothing is imported for the sake of foreign values: arrays, tensors and
foreign models are known by their methods. docs/trials.md lists the forms.
"""

import os
from collections import abc
from typing import Any, Dict, List, Optional, Set, TypeVar

__all__ = ["FormGiver", "add_extras", "describe_value", "escape_text"]

RecordT = TypeVar("RecordT")

_PLAIN_KINDS = frozenset((type(None), bool, int, float, str))
_LIST_KINDS = (list, tuple, set, frozenset, abc.MutableSequence)
_BYTE_KINDS = (bytes, bytearray, memoryview)
# Readers refuse longer integers, and deeper documents than 200 levels.
_INT_LIMIT = 10 ** 4300
_LEVELS_LIMIT = 190

_ROLLOUT_KEYS = frozenset(RolloutDetail.__annotations__)
_NO_FORM = object()
_ANYTHING: List[TypeAdapter[Any]] = []


class FormGiver:
    """Gives forms to the values of one record.

    By default it looks at what can hold anything, and leaves other lists to the codec, which knows what belongs there;
    ``thorough`` looks at every value.
    """

    def __init__(self, thorough: bool = False) -> None:
        self._thorough = thorough
        # Whether a model or a rollout was seen with unknown keys, which no dump writes unless its class says so.
        self.found_extras = False
        # The values around the one at hand, by their id.
        self._around: Set[int] = set()

    def give_forms(self, record: RecordT) -> RecordT:
        """Give the record, or a copy of it in which every value that JSON cannot say has its form."""
        formed: RecordT = self._form(record)
        return formed

    def _form(self, value: Any) -> Any:
        kind = type(value)
        if kind is str:
            return escape_text(value)
        if kind is int:
            return hex(value) if _is_too_long(value) else value
        if kind in _PLAIN_KINDS:
            return value
        identity = id(value)
        if identity in self._around:
            return "<%s that contains itself>" % kind.__name__
        if len(self._around) >= _LEVELS_LIMIT:
            return _show(value)
        self._around.add(identity)
        try:
            return self._form_other(value, kind)
        except Exception:
            return _show(value)
        finally:
            self._around.discard(identity)

    def _form_other(self, value: Any, kind: type) -> Any:
        if isinstance(value, Model):
            return self._form_model(value)
        if isinstance(value, dict):
            return self._form_dict(value, list(dict.items(value)), kind is dict)
        if isinstance(value, str):
            return escape_text(str.__str__(value))
        if isinstance(value, _BYTE_KINDS):
            return bytes(value).decode("utf-8", "backslashreplace")
        if isinstance(value, _LIST_KINDS):
            return self._form_items(value, list(value), kind is list)
        if hasattr(kind, "__next__"):
            # Looking into an iterator uses it up, and may never end.
            return _show(value)
        if hasattr(kind, "__dataclass_fields__"):
            names = [field.name for field in fields_of(kind)]
            return self._form_dict(value, [(name, getattr(value, name)) for name in names], False)
        return self._form_leaf(value)

    def _form_model(self, model: Any) -> Any:
        changes = {}
        for name, value in list(vars(model).items()):
            if type(value) is list and value and type(value[0]) is dict and any(map(_has_unknown_keys, value)):
                self.found_extras = True
            if self._thorough or _can_hold_anything(value):
                formed = self._form(value)
                if formed is not value:
                    changes[name] = formed
        extra = model.model_extra
        formed_extra = self._form(extra) if extra else extra
        self.found_extras = self.found_extras or bool(extra)
        if not changes and formed_extra is extra:
            return model
        copied = model.model_copy()
        vars(copied).update(changes)
        if extra:
            copied.model_extra.clear()
            copied.model_extra.update(formed_extra)
        return copied

    def _form_dict(self, value: Any, pairs: Any, is_plain: bool) -> Any:
        out: Dict[str, Any] = {}
        for key, item in pairs:
            name = key if type(key) is str and key.isascii() else _name_key(key)
            while name in out:
                name += " (%s)" % type(key).__name__
            formed = item if type(item) in (bool, float) or item is None else self._form(item)
            is_plain = is_plain and formed is item and name is key
            out[name] = formed
        return value if is_plain else out

    def _form_items(self, value: Any, items: List[Any], is_plain: bool) -> Any:
        kinds = set(map(type, items))
        if kinds == {int} and is_plain and not _is_too_long(min(items)) and not _is_too_long(max(items)):
            return value
        out = [self._form(item) for item in items]
        return value if is_plain and all(map(_is_same, out, items)) else out

    def _form_leaf(self, value: Any) -> Any:
        """Keep what the codec can dump as one plain value, such as a moment or a path."""
        converted = _convert(value)
        if converted is not _NO_FORM:
            return self._form(converted)
        dumped = _any_adapter().dump_python(value, mode="json", fallback=describe_value)
        formed = self._form(dumped)
        return value if formed is dumped and type(dumped) in _PLAIN_KINDS else formed


def add_extras(model: Model, text: str, indent: Optional[int], inf_nan: str) -> str:
    """Add the unknown keys that a reading kept to the dump of a model whose values have their forms."""
    tree = parse(text)
    _add_extras_to(tree, model, inf_nan)
    return render(tree, indent=indent, inf_nan=inf_nan)


def _add_extras_to(tree: Any, value: Any, inf_nan: str) -> None:
    if isinstance(value, Model) and isinstance(tree, dict):
        for name, part in vars(value).items():
            if name in tree:
                _add_extras_to(tree[name], part, inf_nan)
        _add_missing(tree, value.model_extra or {}, inf_nan)
    elif isinstance(value, list) and isinstance(tree, list):
        for tree_part, part in zip(tree, value):
            if isinstance(part, Model):
                _add_extras_to(tree_part, part, inf_nan)
            elif _has_unknown_keys(part):
                _add_missing(tree_part, part, inf_nan)
    elif isinstance(value, dict):
        for name, part in value.items():
            if isinstance(part, Model):
                _add_extras_to(tree[name], part, inf_nan)


def _add_missing(tree: Any, parts: Dict[str, Any], inf_nan: str) -> None:
    """Add what is not there; what a class writes itself, such as a computed value, stays."""
    missing = {name: part for name, part in parts.items() if name not in tree}
    if missing:
        formed = FormGiver(thorough=True).give_forms(missing)
        data = _any_adapter().dump_json(formed, fallback=describe_value, warnings="none", inf_nan=inf_nan)
        tree.update(parse(data))


def _has_unknown_keys(part: Any) -> bool:
    return type(part) is dict and not _ROLLOUT_KEYS.issuperset(part)


def _any_adapter() -> TypeAdapter[Any]:
    if not _ANYTHING:
        _ANYTHING.append(TypeAdapter(Any))
    return _ANYTHING[0]


def describe_value(value: Any) -> Any:
    """Give a value that the codec does not know as one it knows, or as text."""
    converted = _convert(value)
    return _show(value) if converted is _NO_FORM else converted


def _convert(value: Any) -> Any:
    """Convert what is known by what it can do: exceptions, arrays, foreign models, paths and mappings."""
    kind = type(value)
    try:
        if isinstance(value, BaseException):
            return escape_text("%s: %s" % (kind.__name__, value))
        if hasattr(kind, "tolist"):
            if getattr(getattr(value, "dtype", None), "kind", None) in ("m", "M"):
                # Moments of numpy: some of them would come out as a count of nanoseconds.
                value = value.astype(str)
            made = value.tolist()
            return str(value) if type(made) is kind else made
        if not isinstance(value, type) and callable(getattr(kind, "model_dump", None)):
            return value.model_dump()
        if hasattr(kind, "__fspath__"):
            return os.fsdecode(value)
        if isinstance(value, abc.Mapping):
            return dict(value.items())
        if isinstance(value, (abc.KeysView, abc.ValuesView, abc.ItemsView)):
            return list(value)
    except Exception:
        pass
    return _NO_FORM


def escape_text(text: str) -> str:
    r"""Write lone surrogates as the escapes they have in Python, such as ``\ud83d``; other text is given back."""
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            return text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text


def _can_hold_anything(value: Any) -> bool:
    """Tell whether the value of a field may hold what its type does not say, or iterators put there by mistake."""
    kind = type(value)
    if kind is int:
        return _is_too_long(value)
    return kind not in _PLAIN_KINDS and (isinstance(value, dict) or _starts_oddly(value))


def _starts_oddly(value: Any) -> bool:
    """Tell whether a list begins with what has parts of its own kind; whole rollouts would take too long to look at."""
    levels = 0
    while type(value) is list and value and levels < _LEVELS_LIMIT:
        value = value[0]
        levels += 1
    kind = type(value)
    if kind is str or kind is list:
        return levels == _LEVELS_LIMIT
    if kind is dict:
        return any(map(_starts_oddly, value.values()))
    return isinstance(value, abc.Collection) or hasattr(kind, "__next__") or hasattr(kind, "__dataclass_fields__")


def _is_too_long(number: int) -> bool:
    return not -_INT_LIMIT < number < _INT_LIMIT


def _name_key(key: Any) -> str:
    if isinstance(key, str):
        return escape_text(str.__str__(key))
    if isinstance(key, int) and _is_too_long(key):
        return hex(key)
    if isinstance(key, float) and key - key != 0:
        return "NaN" if key != key else "Infinity" if key > 0 else "-Infinity"
    if isinstance(key, _BYTE_KINDS):
        return bytes(key).decode("utf-8", "backslashreplace")
    try:
        (name,) = _any_adapter().dump_python({key: None}, mode="json", fallback=describe_value)
    except Exception:
        name = None
    return escape_text(name) if isinstance(name, str) else _show(key)


def _show(value: Any) -> str:
    try:
        return escape_text(repr(value))
    except Exception:
        return "<%s object>" % type(value).__name__


def _is_same(one: Any, other: Any) -> bool:
    return one is other
''')


# ====================================================================================================================
# harbor/models/task/__init__.py, which runs when it is first used
# ====================================================================================================================

_later("models.task", "", r'''
"""What identifies a task."""
''')


# ====================================================================================================================
# harbor/models/task/config.py, which runs when it is first used
# ====================================================================================================================

_later("models.task.config", "", r'''
"""The one part of a task's configuration that trial results mention."""

import enum

__all__ = ["VerifierEnvironmentMode"]


class VerifierEnvironmentMode(str, enum.Enum):
    SHARED = "shared"
    SEPARATE = "separate"
''')


# ====================================================================================================================
# harbor/models/task/id.py, which runs when it is first used
# ====================================================================================================================

_later("models.task.id", "Field Model", r'''
"""What identifies a task: a local folder, a folder of a git repository, or a package.

Instances are frozen and hashable; ``str()`` is pydantic's, ``label`` reads well.
"""

import os
import posixpath
import uuid
from pathlib import Path, PurePath
from typing import Optional

__all__ = ["GitTaskId", "LocalTaskId", "PackageTaskId"]

# Where Harbor keeps the tasks it fetches.
_TASK_CACHE = os.path.join("~", ".cache", "harbor", "tasks")
_PACKAGE_CACHE = os.path.join(_TASK_CACHE, "packages")
_SHA256_PREFIX = "sha256:"
# The digits of a short UUID: letters and digits that cannot be mistaken for each other.
_SHORT_UUID_DIGITS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_SHORT_UUID_LENGTH = 22


class LocalTaskId(Model):
    model_config = {"frozen": True}

    path: Path

    @property
    def label(self) -> str:
        """The path, with forward slashes."""
        return self.path.as_posix()

    def get_name(self) -> str:
        """Give the name of the task's folder, looked up on this machine if the path ends in dots."""
        return self.path.expanduser().resolve().name

    def get_local_path(self) -> Path:
        """Give the absolute path of the task's folder."""
        return self.path.expanduser().resolve()


def _stay_inside(path: PurePath) -> Path:
    """Take the dots out of a path; raises ``ValueError`` where it leads out of the repository."""
    text = path.as_posix()
    if posixpath.isabs(text):
        raise ValueError("Git task paths must be relative to the repository")
    text = posixpath.normpath(text)
    if text.split("/")[0] == "..":
        raise ValueError("Git task paths must stay within the repository")
    return Path(text)


class GitTaskId(Model):
    model_config = {"frozen": True}

    git_url: str
    git_commit_id: Optional[str] = None
    path: Path = Field(after=_stay_inside)

    @property
    def label(self) -> str:
        """The repository, the commit if it is known, and the path: ``URL@COMMIT:PATH``."""
        commit = "" if self.git_commit_id is None else "@" + self.git_commit_id
        return "%s%s:%s" % (self.git_url, commit, self.path.as_posix())

    def get_name(self) -> str:
        """Give the name of the task's folder."""
        return self.path.name

    def get_local_path(self) -> Path:
        """Give the folder where Harbor keeps the fetched task."""
        return Path(_TASK_CACHE).expanduser() / _short_uuid(str(self)) / self.path.name


class PackageTaskId(Model):
    model_config = {"frozen": True}

    org: str
    name: str
    ref: Optional[str] = None

    @property
    def label(self) -> str:
        """The package and the version if one is named: ``ORG/NAME@REF``."""
        return "%s/%s%s" % (self.org, self.name, "" if self.ref is None else "@" + self.ref)

    def get_name(self) -> str:
        """Give ``ORG/NAME``."""
        return "%s/%s" % (self.org, self.name)

    def get_local_path(self) -> Path:
        """Give the folder where Harbor keeps the fetched package; raises ``ValueError`` without a digest in ``ref``."""
        if self.ref is None or not self.ref.startswith(_SHA256_PREFIX):
            raise ValueError(
                "Cannot compute local path without a resolved digest. Resolve the PackageTaskId first.")
        return Path(_PACKAGE_CACHE).expanduser() / self.org / self.name / self.ref[len(_SHA256_PREFIX):]


def _short_uuid(name: str) -> str:
    """Give the UUID of a name (version 5, DNS) in base 57, as the folders of Harbor's cache are called."""
    number = uuid.uuid5(uuid.NAMESPACE_DNS, name).int
    digits = ""
    while number or len(digits) < _SHORT_UUID_LENGTH:
        number, digit = divmod(number, len(_SHORT_UUID_DIGITS))
        digits = _SHORT_UUID_DIGITS[digit] + digits
    return digits
''')


# ====================================================================================================================
# harbor/models/verifier/__init__.py, which runs when it is first used
# ====================================================================================================================

_later("models.verifier", "", r'''
"""What a verifier reports."""
''')


# ====================================================================================================================
# harbor/models/verifier/result.py, which runs when it is first used
# ====================================================================================================================

_later("models.verifier.result", "Model", r'''
"""What a verifier reports of a trial."""

from typing import Dict, Optional, Union

__all__ = ["VerifierResult"]


# No docstring: Harbor's class has none, and its JSON schema would show it.
class VerifierResult(Model):
    rewards: Optional[Dict[str, Union[float, int]]] = None
''')


# ====================================================================================================================
# harbor/models/trial/error_policy.py, which runs when it is first used
# ====================================================================================================================

_later("models.trial.error_policy", "Model", r'''
"""What follows from an exception of a trial: whether to try again, to grade, and whether its reward counts.

The names and what follows from them are Harbor 0.26's.
"""

import dataclasses
from typing import Dict, Optional, Tuple

__all__ = ["ErrorPolicy", "ErrorPolicyOverride", "policy_for"]


@dataclasses.dataclass(frozen=True)
class ErrorPolicy:
    should_retry: bool
    should_grade: bool
    has_valid_reward: bool


class ErrorPolicyOverride(Model):
    model_config = {"extra": "forbid", "frozen": True}

    should_retry: Optional[bool] = None
    should_grade: Optional[bool] = None
    has_valid_reward: Optional[bool] = None

    def apply(self, policy: ErrorPolicy) -> ErrorPolicy:
        """Give a policy with the parts set here in place of its own."""
        changes = {name: value for name, value in self if value is not None}
        return dataclasses.replace(policy, **changes)


# An exception nobody knows: worth another try, and no reason to doubt the reward.
_UNKNOWN = ErrorPolicy(should_retry=True, should_grade=True, has_valid_reward=True)

_GROUPS: Tuple[Tuple[ErrorPolicy, str], ...] = (
    # The place to run in was not there or broke down.
    (ErrorPolicy(should_retry=True, should_grade=False, has_valid_reward=False), """
        EnvironmentStartTimeoutError SandboxBuildFailedError AgentSetupTimeoutError HealthcheckError
        SandboxLikelyOutOfMemoryError MemoryLimitExceededError SSHAccessError GKEExecStreamClosedError
        GKEPodNotFoundError RuntimeRequestError AddTestsDirError DownloadVerifierDirError"""),
    # The model's service failed.
    (ErrorPolicy(should_retry=True, should_grade=True, has_valid_reward=False), """
        ApiError ApiRateLimitError ApiInternalServerError ApiOverloadedError ApiConnectionClosedError
        ApiResponseStalledError UnknownApiError NetworkConnectionError ApiConnectionError ApiUsageLimitError
        RateLimitError InternalServerError ServiceUnavailableError APIConnectionError APIError Timeout"""),
    # The request or the verifier was wrong: the same again would end the same.
    (ErrorPolicy(should_retry=False, should_grade=True, has_valid_reward=False), """
        UnsupportedModelParametersError BadRequestError UnprocessableEntityError UnsupportedParamsError
        APIResponseValidationError BudgetExceededError VerifierTimeoutError RewardFileNotFoundError
        RewardFileEmptyError VerifierOutputParseError"""),
    # Access, settings or the user's own stop.
    (ErrorPolicy(should_retry=False, should_grade=False, has_valid_reward=False), """
        AgentAuthenticationError ModelNotFoundError ApiProviderResourceNotFoundError AuthenticationError
        PermissionDeniedError NotFoundError ServiceOperationsUnsupportedError VercelScopeError DspyImportError
        MissingExtraError RegradeError CancelledError"""),
    # The agent came to an end of its own kind, which the reward shows.
    (ErrorPolicy(should_retry=False, should_grade=True, has_valid_reward=True), """
        NonZeroAgentExitCodeError AgentTimeoutError ContextWindowExceededError OutputTokenExceededError
        ContextLengthExceededError OutputLengthExceededError AgentSafetyRefusalError ContentPolicyViolationError"""),
)
_POLICIES: Dict[str, ErrorPolicy] = {name: policy for policy, names in _GROUPS for name in names.split()}


def policy_for(exception_type: str, override: Optional[ErrorPolicyOverride] = None) -> ErrorPolicy:
    """Give the policy for an exception by the name of its class."""
    policy = _POLICIES.get(exception_type, _UNKNOWN)
    return policy if override is None else override.apply(policy)
''')


# ====================================================================================================================
# harbor/models/trial/result.py, which runs when it is first used
# ====================================================================================================================

_later("models.trial.result", """
        Field Model computed_field AgentContext VerifierEnvironmentMode GitTaskId LocalTaskId PackageTaskId
        VerifierResult ErrorPolicy ErrorPolicyOverride policy_for choose_reward is_timeout""", r'''
"""The record of a trial, as Harbor writes it to ``result.json``.

Fields, defaults and the text of descriptions are Harbor 0.26's, whose files and schemas these classes share;
``config`` stays the plain dict of the file. Beyond Harbor stand the accessors that people write by hand.
"""

import datetime
import pathlib
import uuid
from typing import Any, Dict, Iterator, List, Literal, Mapping, Optional, Tuple, Union

__all__ = ["AgentInfo", "ExceptionInfo", "ModelInfo", "StepResult", "TimingInfo", "TrialResult"]

TokenCostTotals = Tuple[Optional[int], Optional[int], Optional[int], Optional[float]]


class TimingInfo(Model):
    """When a phase of a trial began and ended."""

    started_at: Optional[datetime.datetime] = None
    finished_at: Optional[datetime.datetime] = None

    @property
    def duration(self) -> Optional[datetime.timedelta]:
        """How long the phase took; None where that is not known."""
        return _time_between(self.started_at, self.finished_at)


class ExceptionInfo(Model):
    """An exception that ended a trial or a step, or that was handled there."""

    exception_type: str
    exception_message: str
    exception_traceback: str
    occurred_at: datetime.datetime
    policy_override: Optional[ErrorPolicyOverride] = Field(default=None, exclude_if=lambda value: value is None)

    @classmethod
    def from_exception(
        cls, e: BaseException, *, override_error_policy: Optional[Mapping[str, ErrorPolicyOverride]] = None
    ) -> "ExceptionInfo":
        """Describe an exception that was caught just now, with its traceback."""
        import traceback  # costs as much as the models, and readers do without

        name = type(e).__name__
        return cls(
            exception_type=name,
            exception_message=str(e),
            exception_traceback="".join(traceback.format_exception(type(e), e, e.__traceback__)),
            occurred_at=datetime.datetime.now(datetime.timezone.utc),
            policy_override=(override_error_policy or {}).get(name),
        )

    @computed_field
    def policy(self) -> ErrorPolicy:
        return policy_for(self.exception_type, self.policy_override)


class ModelInfo(Model):
    """A model that took part in a trial; ``provider`` is None where none was named."""

    name: str
    provider: Optional[str] = None


class AgentInfo(Model):
    """The agent of a trial."""

    name: str
    version: str
    model_info: Optional[ModelInfo] = None


# No docstrings on the next two: Harbor's classes have none, and their JSON schemas would show it.
class StepResult(Model):
    step_name: str
    agent_result: Optional[AgentContext] = None
    verifier_result: Optional[VerifierResult] = None
    exception_info: Optional[ExceptionInfo] = None
    agent_execution: Optional[TimingInfo] = None
    verifier: Optional[TimingInfo] = None


class TrialResult(Model):
    schema_version: Literal[1] = Field(
        default=1,
        description="Serialized document schema version. Omission denotes the legacy version 1 format.")
    id: uuid.UUID = Field(default_factory=uuid.uuid4)
    task_name: str
    trial_name: str
    trial_uri: str
    task_id: Union[LocalTaskId, GitTaskId, PackageTaskId]
    source: Optional[str] = None
    task_checksum: str
    config: Dict[str, Any]
    agent_info: AgentInfo
    agent_result: Optional[AgentContext] = None
    verifier_result: Optional[VerifierResult] = None
    verifier_environment_mode: Optional[VerifierEnvironmentMode] = Field(
        default=None,
        description=(
            "Resolved verifier environment mode ('shared' or 'separate') the trial-level verify ran in. None for "
            "multi-step trials: the mode is resolved per step there and is not recorded yet."),
    )
    exception_info: Optional[ExceptionInfo] = None
    started_at: Optional[datetime.datetime] = None
    finished_at: Optional[datetime.datetime] = None
    environment_setup: Optional[TimingInfo] = None
    agent_setup: Optional[TimingInfo] = None
    agent_execution: Optional[TimingInfo] = None
    verifier: Optional[TimingInfo] = None
    step_results: Optional[List[StepResult]] = None

    def recorded_exceptions(self) -> List[ExceptionInfo]:
        """List the exceptions of the trial and of its steps, the trial's first."""
        found = [self.exception_info] + [step.exception_info for step in self.step_results or ()]
        return [exception for exception in found if exception is not None]

    @computed_field
    def reward_valid(self) -> bool:
        if self.verifier_result is None or not self.verifier_result.rewards:
            return False
        return all(exception.policy.has_valid_reward for exception in self.recorded_exceptions())

    def contexts(self) -> Iterator[AgentContext]:
        """Give the contexts that count: the trial's own, else those of its steps."""
        if self.agent_result is not None:
            yield self.agent_result
            return
        for step in self.step_results or ():
            if step.agent_result is not None:
                yield step.agent_result

    def compute_token_cost_totals(self) -> TokenCostTotals:
        """Sum input tokens (cached ones included), cached tokens, output tokens and cost in US dollars.

        A sum is None where no context knows a number; unknown ones beside known ones are left out, as in Harbor.
        ``harbor.usage`` tells the two apart.
        """
        names = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")
        known: Dict[str, List[Any]] = {name: [] for name in names}
        for context in self.contexts():
            for name in names:
                value = getattr(context, name)
                if value is not None:
                    known[name].append(value)
        n_input, n_cache, n_output = (sum(known[name]) if known[name] else None for name in names[:3])
        cost = sum(known["cost_usd"], 0.0) if known["cost_usd"] else None
        return n_input, n_cache, n_output, cost

    # -- beyond Harbor

    def reward(self, name: Optional[str] = None) -> Optional[float]:
        """Give a reward: the one named, else the one called "reward", else the only one; None where there is none.

        Raises ``KeyError`` naming the choices where the reward asked for is not there, or several could be meant.
        """
        return choose_reward(None if self.verifier_result is None else self.verifier_result.rewards, name)

    @property
    def exceptions(self) -> List[ExceptionInfo]:
        """The exceptions of the trial and of its steps, the trial's first."""
        return self.recorded_exceptions()

    @property
    def timed_out(self) -> bool:
        """Whether an exception of the trial or of a step was a timeout."""
        return any(is_timeout(exception.exception_type) for exception in self.exceptions)

    @property
    def duration(self) -> Optional[datetime.timedelta]:
        """How long the trial took; None where that is not known."""
        return _time_between(self.started_at, self.finished_at)

    @property
    def durations(self) -> Dict[str, datetime.timedelta]:
        """How long each phase took, by its name, for the phases of which it is known."""
        phases = ("environment_setup", "agent_setup", "agent_execution", "verifier")
        timings = [(name, getattr(self, name)) for name in phases]
        found = {name: timing.duration for name, timing in timings if timing is not None}
        return {name: duration for name, duration in found.items() if duration is not None}

    @property
    def trial_dir(self) -> Optional[pathlib.Path]:
        """The folder ``trial_uri`` names; None where it is no ``file:`` URI of this machine."""
        import urllib.parse  # as above

        parts = urllib.parse.urlsplit(self.trial_uri)
        if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
            return None
        path = urllib.parse.unquote(parts.path)
        # file:///C:/jobs names a drive.
        return pathlib.Path(path[1:] if path[2:3] == ":" and path[:1] == "/" else path)


def _time_between(
    start: Optional[datetime.datetime], end: Optional[datetime.datetime]
) -> Optional[datetime.timedelta]:
    """Give the time between two moments; None if one is missing, or one alone names its zone."""
    if start is None or end is None or (start.utcoffset() is None) != (end.utcoffset() is None):
        return None
    return end - start
''')


# ====================================================================================================================
# harbor/mending.py, which runs when it is first used
# ====================================================================================================================

_later("mending", "ValidationError render escape_text TrialResult", r'''
"""The tolerant reading of trial files: what writers in the wild produce, and what is read in its place.

In: the bytes of a file that is no trial by Harbor's rules. Out: a trial and a note for each place that was mended, or
nothing where too much is wrong. Only what is at fault is touched; nothing is invented that could be taken for a
measurement: unknown text becomes "", an unknown number None or nan, and never 0.
"""

import json
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

__all__ = ["mend_trial"]

_Place = Tuple[Any, ...]
_Mend = Callable[[Any, Dict[str, Any]], Any]

# What a mend gives where the value is to be left out, or where it knows no cure.
_OUT, _NO_CURE = object(), object()
# The value of a key that is not there.
_ABSENT = object()
# A moment that nobody can take for a real one.
_NO_MOMENT = "1970-01-01T00:00:00Z"
# One mend may bring up the need for the next: an exception given as text lacks its other fields.
_ROUNDS = 4


def mend_trial(data: bytes, extra: Optional[str] = None) -> Optional[Tuple[TrialResult, List[str]]]:
    """Read a trial from bytes that the plain reading refused; None where that cannot be mended."""
    notes: List[str] = []
    document = _read_loosely(data, notes)
    if not isinstance(document, dict):
        return None
    for _ in range(_ROUNDS):
        try:
            text = render(document, inf_nan="constants")
            return TrialResult.model_validate_json(text, extra=extra), notes
        except ValidationError as error:
            places = [fault["loc"] for fault in error.errors(include_url=False, include_input=False)]
        if not _mend_places(document, places, notes):
            return None
    return None


def _read_loosely(data: bytes, notes: List[str]) -> Any:
    try:
        text = data.decode("utf-8")
        if text[:1] == "\ufeff":
            notes.append("the file: a byte order mark, skipped")
        document = json.loads(text.lstrip("\ufeff"))
        return _escape_all(document, (), notes)
    except (ValueError, RecursionError):
        return None


def _escape_all(value: Any, place: _Place, notes: List[str]) -> Any:
    """Escape the lone surrogates that other writers of JSON let through."""
    if isinstance(value, str):
        escaped = escape_text(value)
        if escaped is not value:
            notes.append("%s: lone surrogates, read as their escapes" % _show_place(place))
        return escaped
    if isinstance(value, dict):
        return {escape_text(key): _escape_all(item, place + (key,), notes) for key, item in value.items()}
    if isinstance(value, list) and not {int, float}.issuperset(map(type, value)):
        return [_escape_all(item, place + (index,), notes) for index, item in enumerate(value)]
    return value


def _mend_places(document: Dict[str, Any], places: List[_Place], notes: List[str]) -> bool:
    """Mend what is mendable among the places at fault, and tell whether that was anything."""
    done = set()
    for place in places:
        for length, mend in _find_mends(place):
            target = place[:length]
            if target in done:
                break
            if _mend_place(document, target, mend, notes):
                done.add(target)
                break
    return bool(done)


def _find_mends(place: _Place) -> Iterator[Tuple[int, _Mend]]:
    """Give the mends for a place and for what is around it, the innermost first, each with its location's length."""
    start = 2 if place[:1] == ("step_results",) and len(place) > 2 else 0
    for length in range(len(place), start, -1):
        steps = place[start:length]
        for pattern in _MENDS_BY_LENGTH.get(len(steps), ()):
            if all(step == "*" or step == found for step, found in zip(pattern, steps)):
                yield length, _MENDS[pattern]


def _mend_place(document: Dict[str, Any], place: _Place, mend: _Mend, notes: List[str]) -> bool:
    around: Any = document
    for step in place[:-1]:
        try:
            around = around[step]
        except (KeyError, IndexError, TypeError):
            return False
    last = place[-1]
    if isinstance(around, dict):
        value = around.get(last, _ABSENT)
    elif isinstance(around, list) and isinstance(last, int):
        value = around[last]
    else:
        return False
    new = mend(value, document)
    if new is _NO_CURE:
        return False
    if new is _OUT:
        del around[last]
    else:
        around[last] = new
    result = "left out" if new is _OUT else "read as %s" % _show_value(new)
    notes.append("%s: %s, %s" % (_show_place(place), _show_value(value), result))
    return True


def _show_place(place: _Place) -> str:
    return ".".join(map(str, place))


def _show_value(value: Any) -> str:
    if value is _ABSENT:
        return "missing"
    text = render(value, inf_nan="constants")
    return text if len(text) <= 60 else text[:40] + "..." + text[-17:]


# The mends: what stands in a place and the document in, what to read in its place out. ------------------------------


def _to_text(value: Any, document: Dict[str, Any]) -> Any:
    return "" if value is None or value is _ABSENT else _NO_CURE if isinstance(value, str) else render(value)


def _to_known_text(value: Any, document: Dict[str, Any]) -> Any:
    """Text of a number or a flag; without any there is no cure."""
    return render(value) if isinstance(value, (bool, int, float)) else _NO_CURE


def _to_none(value: Any, document: Dict[str, Any]) -> Any:
    return _NO_CURE if value is None or value is _ABSENT else None


def _to_nothing(value: Any, document: Dict[str, Any]) -> Any:
    return _NO_CURE if value is _ABSENT else _OUT


def _null_to_nothing(value: Any, document: Dict[str, Any]) -> Any:
    return _OUT if value is None else _NO_CURE


def _null_to(make: Callable[[], Any]) -> _Mend:
    return lambda value, document: make() if value is None else _NO_CURE


def _lack_to(make: Callable[[], Any]) -> _Mend:
    return lambda value, document: make() if value is None or value is _ABSENT else _NO_CURE


def _text_to(name: str, lack: Any = _NO_CURE) -> _Mend:
    """Make an object whose one field is the text that stands in its place; ``lack`` stands for null and nothing."""

    def mend(value: Any, document: Dict[str, Any]) -> Any:
        if value is None or value is _ABSENT:
            return dict(lack) if isinstance(lack, dict) else lack
        return {name: value} if isinstance(value, str) else _NO_CURE

    return mend


def _to_model(value: Any, document: Dict[str, Any]) -> Any:
    return {"name": value} if isinstance(value, str) and value else _to_none(value, document)


def _to_task_id(value: Any, document: Dict[str, Any]) -> Any:
    name = document.get("task_name") if value is None or value is _ABSENT else value
    return {"path": name} if isinstance(name, str) and name else _NO_CURE


def _to_rewards(value: Any, document: Dict[str, Any]) -> Any:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {"reward": value} if is_number else _NO_CURE


def _to_metadata(value: Any, document: Dict[str, Any]) -> Any:
    return {"metadata": value}


_TIMINGS = ("environment_setup", "agent_setup", "agent_execution", "verifier")
_ROLLOUT = "agent_result.rollout_details.*"

# By the place, in which "*" is any key or index; everything holds for each step of step_results as well.
_MENDS: Dict[_Place, _Mend] = {tuple(place.split(".")): mend for place, mend in [
    ("schema_version", _null_to_nothing),
    ("id", _to_nothing),
    ("task_name", _to_known_text),
    ("trial_name", _to_known_text),
    ("step_name", _to_text),
    ("trial_uri", _to_text),
    ("task_checksum", _to_text),
    ("task_id", _to_task_id),
    ("source", _to_known_text),
    ("config", _lack_to(dict)),
    ("agent_info", _text_to("name", {"name": "", "version": ""})),
    ("agent_info.name", _to_text),
    ("agent_info.version", _to_text),
    ("agent_info.model_info", _to_model),
    ("agent_info.model_info.name", _to_known_text),
    ("agent_info.model_info.provider", _to_known_text),
    ("verifier_environment_mode", _to_none),
    ("exception_info", _text_to("exception_message")),
    ("exception_info.exception_type", _to_text),
    ("exception_info.exception_message", _to_text),
    ("exception_info.exception_traceback", _to_text),
    ("exception_info.occurred_at", lambda value, document: _NO_MOMENT),
    ("exception_info.policy_override", _to_none),
    ("verifier_result.rewards", _to_rewards),
    ("verifier_result.rewards.*", _null_to_nothing),
    ("started_at", _to_none),
    ("finished_at", _to_none),
    *[("%s.%s" % (name, end), _to_none) for name in _TIMINGS for end in ("started_at", "finished_at")],
    *[(name, _to_none) for name in _TIMINGS],
    *[("agent_result." + name, _to_none)
      for name in ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")],
    # A count that is not known has no other form here than 0.
    ("agent_result.model_usage.*", _to_nothing),
    ("agent_result.metadata", _to_metadata),
    (_ROLLOUT, _null_to(dict)),
    *[("%s.%s" % (_ROLLOUT, name), _null_to_nothing)
      for name in ("prompt_token_ids", "completion_token_ids", "logprobs", "extra", "extra.*")],
    # The positions stay what they are: a turn without logprobs is empty, a token without one has nan.
    (_ROLLOUT + ".logprobs.*", _null_to(list)),
    (_ROLLOUT + ".logprobs.*.*", _null_to(lambda: float("nan"))),
]}
_MENDS_BY_LENGTH: Dict[int, List[_Place]] = {}
for _pattern in _MENDS:
    _MENDS_BY_LENGTH.setdefault(len(_pattern), []).append(_pattern)
''')


# ====================================================================================================================
# harbor/models/agent/numbers.py, which runs when it is first used
# ====================================================================================================================

_later("models.agent.numbers", "", r'''
"""Which values can be added up as a count of tokens or as a cost, and how floats are added up exactly.

In: whatever somebody assigned, which nothing has checked. Out: the number, or None with the word for what is wrong.
numpy's scalars are numbers here, by what they can do; numpy is not imported.
"""

import operator
from typing import Any, Optional, Tuple

__all__ = ["count_parts", "join_parts", "read_cost", "read_count"]

_INFINITY = float("inf")
# Every finite float is a whole number of parts of this size.
_PARTS = 1 << 1074
_PARTS_BITS = _PARTS.bit_length()


def read_count(value: Any) -> Tuple[Optional[int], str]:
    """Give a count and "", or None and a word: "bool", "not a number", "nan", "infinite", "negative", "fractional".

    None is no fault and gives ``(None, "")``. A float without a fractional part is a count.
    """
    if type(value) is int:
        return (value, "") if value >= 0 else (None, "negative")
    if value is None:
        return None, ""
    if _is_bool(value):
        return None, "bool"
    try:
        count = operator.index(value)
    except TypeError:
        number, fault = read_cost(value)
        if number is None:
            return None, fault
        if number != int(number):
            return None, "fractional"
        return int(number), ""
    return (count, "") if count >= 0 else (None, "negative")


def read_cost(value: Any) -> Tuple[Optional[float], str]:
    """Give a number as a float and "", or None and one of the words of ``read_count``, as it does."""
    if type(value) is not float:
        if value is None:
            return None, ""
        if _is_bool(value):
            return None, "bool"
        if not hasattr(value, "__float__"):
            return None, "not a number"
        try:
            value = float(value)
        except OverflowError:
            return None, "infinite"
        except (TypeError, ValueError):  # an array of several numbers, decimal's signalling nan
            return None, "not a number"
    if 0.0 <= value < _INFINITY:
        return value, ""
    if value != value:
        return None, "nan"
    return None, "negative" if value > -_INFINITY and value < 0 else "infinite"


def count_parts(number: float) -> int:
    """Say how many times 2**-1074 a finite float is; such counts add up without any rounding."""
    numerator, denominator = number.as_integer_ratio()
    return numerator << _PARTS_BITS - denominator.bit_length()  # a power of two


def join_parts(parts: int, number: int = 1) -> float:
    """Give the float nearest to so many times 2**-1074, divided by a number; infinity beyond every float."""
    try:
        return parts / (_PARTS * number)
    except OverflowError:
        return _INFINITY if parts > 0 else -_INFINITY


def _is_bool(value: Any) -> bool:
    return type(value).__name__ in ("bool", "bool_")
''')


# ====================================================================================================================
# harbor/rollout_findings.py, which runs when it is first used
# ====================================================================================================================

_later("rollout_findings", "", r'''
"""What can be wrong with a rollout: the findings with their wordings, and the error that carries them.

In: a kind and a place. Out: a finding with its sentence. Nothing is looked for here.
"""

import dataclasses
from typing import Any, Dict, Iterable, Optional, Tuple

__all__ = [
    "FINDING_KINDS", "Finding", "RolloutError", "describe_break", "format_count", "make_finding", "name_type",
    "show_value",
]

_WORDINGS = {
    "context_missing": "agent_result is None: no context was recorded",
    "rollouts_missing": "rollout_details is None: no rollout was recorded",
    "rollouts_empty": "rollout_details is []: it was recorded that there was no rollout",
    "rollouts_wrong_type": "Expected a list of rollouts, got {value}",
    "rollout_wrong_type": "Expected a dict, got {value}",
    "rollout_empty": "The rollout is {{}}: nothing was recorded of it",
    "unknown_key": "Unknown key {value}",
    "part_missing": "There is no {part}",
    "part_empty": "{part} has no turns",
    "part_wrong_type": "Expected a {expected}, got {value}",
    "turn_counts_differ": "Numbers of turns differ: {counts}; {turns} may be shifted",
    "extra_count_differs": "extra[{value}] has {count}, the rollout has {turns}",
    "turn_wrong_type": "Expected a list, got {value}",
    "turn_empty": "{part}[{turn}] is empty",
    "logprobs_missing": "logprobs[{turn}] is {value}, completion_token_ids[{turn}] has {count}",
    "lengths_differ": "logprobs[{turn}] has {value}, completion_token_ids[{turn}] has {count}",
    "bad_token_id": "Expected an integer from 0 below 2**63, got {value}{more}",
    "logprob_null": "The logprob is None{more}",
    "logprob_wrong_type": "Expected a float, got {value}{more}",
    "logprob_nan": "The logprob is nan{more}",
    "logprob_infinite": "The logprob is {value}{more}",
    "logprob_positive": "Expected a logprob of at most 0, got {value}{more}",
    "prompt_not_continued": "The prompt does not continue turn {previous}, {reason}",
    "sequence_too_long": "The sequence from turn {turn} has {count}, more than max_length {value}; choose a truncation",
}

#: Every kind of finding.
FINDING_KINDS = tuple(_WORDINGS)

# The kinds that never keep sequences from being built; of others see Finding.is_refused.
_HARMLESS = frozenset((
    "context_missing", "rollouts_missing", "rollouts_empty", "unknown_key", "part_empty", "extra_count_differs",
    "turn_empty", "logprobs_missing", "logprob_null", "logprob_nan", "prompt_not_continued"))


@dataclasses.dataclass(frozen=True)
class Finding:
    """One thing that is wrong, or missing, in a rollout.

    ``kind`` is one of ``FINDING_KINDS`` and ``message`` says it to a reader. ``segment`` is the index of the rollout
    in ``rollout_details``, ``part`` the key of the list, ``turn`` the index of the turn in it and ``position`` that
    of the token in the turn; each counts from 0, and is None where the finding is about more than one.
    ``turns_in_doubt`` lists the turns whose prompt, completion and logprobs may not belong together, because the
    lists have different numbers of turns. ``count`` is how many values of that turn are wrong in the same way;
    ``position`` is that of the first.
    """

    kind: str
    message: str
    segment: Optional[int] = None
    part: Optional[str] = None
    turn: Optional[int] = None
    position: Optional[int] = None
    turns_in_doubt: Tuple[int, ...] = ()
    count: int = 1

    @property
    def is_refused(self) -> bool:
        """Whether ``build_sequences`` refuses a rollout of which this was found."""
        if self.part == "extra" or self.kind in _HARMLESS:
            return False
        return not (self.kind == "part_missing" and self.part == "logprobs")

    @property
    def location(self) -> str:
        """The place as a path of keys and indices, such as ``rollout_details.0.logprobs.2.17``."""
        if self.kind == "context_missing":
            return "agent_result"
        places = ["rollout_details", self.segment, self.part]
        if self.part is not None:
            places += [self.turn, self.position]
        return ".".join(str(place) for place in places if place is not None)

    def as_dict(self) -> Dict[str, Any]:
        """Give every attribute, ``location`` and ``is_refused``, for JSON."""
        shown = dataclasses.asdict(self)
        shown["turns_in_doubt"] = list(self.turns_in_doubt)
        return dict(shown, location=self.location, is_refused=self.is_refused)

    def __str__(self) -> str:
        return "%s: %s" % (self.location, self.message)


class RolloutError(ValueError):
    """A rollout is not fit for what was asked; ``findings`` says why.

    ``kind``, ``segment``, ``turn`` and ``position`` are those of the first finding. ``trial_name`` and ``step_name``
    are set where the rollout came from a trial.
    """

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__(self.findings)
        self.trial_name: Optional[str] = None
        self.step_name: Optional[str] = None

    @property
    def kind(self) -> Optional[str]:
        """The kind of the first finding."""
        return self.findings[0].kind if self.findings else None

    @property
    def segment(self) -> Optional[int]:
        """The index of the rollout in ``rollout_details``."""
        return self.findings[0].segment if self.findings else None

    @property
    def turn(self) -> Optional[int]:
        """The index of the turn; None where the first finding is about the whole rollout."""
        return self.findings[0].turn if self.findings else None

    @property
    def position(self) -> Optional[int]:
        """The index of the token in the turn; None where the first finding is about more than one."""
        return self.findings[0].position if self.findings else None

    def __str__(self) -> str:
        if not self.findings:
            return "The rollout is not fit"
        rest = len(self.findings) - 1
        return str(self.findings[0]) + (" (and %d more)" % rest if rest else "")


def make_finding(
    kind: str, segment: Optional[int] = None, part: Optional[str] = None, turn: Optional[int] = None,
    position: Optional[int] = None, turns_in_doubt: Tuple[int, ...] = (), n_alike: int = 1, **details: Any
) -> Finding:
    """Make a finding with the wording of its kind."""
    more = " (and %d more in this turn)" % (n_alike - 1) if n_alike > 1 else ""
    message = _WORDINGS[kind].format(part=part, turn=turn, more=more, **details)
    return Finding(kind, message, segment, part, turn, position, turns_in_doubt, n_alike)


def format_count(number: int, word: str) -> str:
    """Give "1 token", "2 tokens"."""
    return "%d %s%s" % (number, word, "" if number == 1 else "s")


def describe_break(reason: str, position: Optional[int], expected: Optional[int], got: Optional[int]) -> str:
    """Say where a prompt breaks with the turn before it, as the end of a sentence."""
    if reason == "prompt_ends":
        return "it ends at token %s, where that has %r" % (position, expected)
    where = "prompt" if reason == "prompt_differs" else "completion"
    return "it differs from its %s at token %s: %r, not %r" % (where, position, got, expected)


def name_type(value: Any) -> str:
    """Name the type of a value; None is itself."""
    return "None" if value is None else type(value).__name__


def show_value(value: Any) -> str:
    """Show a wrong value, in short, whatever it does when shown."""
    try:
        shown = repr(value)
    except Exception:
        return "an object of type " + type(value).__name__
    return shown if len(shown) <= 60 else shown[:57] + "..."
''')


# ====================================================================================================================
# harbor/rollout_parts.py, which runs when it is first used
# ====================================================================================================================

_later("rollout_parts", """
        Finding describe_break format_count make_finding name_type show_value""", r'''
"""A rollout taken apart: its lists by turn, which turns may be shifted, and where a history breaks.

In: a ``RolloutDetail``, also one to which anything at all was assigned. Out: the lists that are lists, with findings
about their shape. Ids and logprobs are not looked at, except that prompts are compared with the turn before.
"""

from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

__all__ = ["History", "PromptBreak", "RolloutParts"]

_PROMPTS, _COMPLETIONS, _LOGPROBS, _EXTRA = "prompt_token_ids", "completion_token_ids", "logprobs", "extra"


class RolloutParts:
    """The lists of a rollout, taken apart: ``findings`` says what is wrong with their shape.

    A list that is missing or no list is None, and so is a turn of one; values are not looked at. ``counts`` maps the
    lists that are there to their numbers of turns, ``n_turns`` is the largest; ``in_doubt`` holds the turns that may
    be shifted. ``extra`` maps the names whose lists have the right length to them.
    """

    def __init__(self, detail: Any, segment: int) -> None:
        self.segment = segment
        self.findings: List[Finding] = []
        self.prompts: Optional[List[Optional[List[int]]]] = None
        self.completions: Optional[List[Optional[List[int]]]] = None
        self.logprobs: Optional[List[Optional[List[float]]]] = None
        self.extra: Dict[str, List[Any]] = {}
        self.counts: Dict[str, int] = {}
        self.in_doubt: Set[int] = set()
        self._wrong_logprobs: Set[int] = set()
        if not isinstance(detail, dict):
            self._note("rollout_wrong_type", value=name_type(detail))
        elif not detail:
            self._note("rollout_empty")
        else:
            self.prompts = self._take_part(detail, _PROMPTS)
            self.completions = self._take_part(detail, _COMPLETIONS)
            self.logprobs = self._take_part(detail, _LOGPROBS)
            for key in detail:
                if key not in (_PROMPTS, _COMPLETIONS, _LOGPROBS, _EXTRA):
                    self._note("unknown_key", value=show_value(key))
        self.n_turns = max(self.counts.values(), default=0)
        if len(set(self.counts.values())) > 1:
            self._compare_counts()
        self._compare_lengths()
        if isinstance(detail, dict) and _EXTRA in detail:
            self._take_extra(detail[_EXTRA])

    def _note(self, kind: str, part: Optional[str] = None, turn: Optional[int] = None,
              position: Optional[int] = None, **details: Any) -> None:
        self.findings.append(make_finding(kind, self.segment, part, turn, position, **details))

    def _take_part(self, detail: Dict[str, Any], part: str) -> Optional[List[Any]]:
        if part not in detail:
            self._note("part_missing", part)
            return None
        turns = detail[part]
        if not isinstance(turns, list):
            self._note("part_wrong_type", part, expected="list of turns", value=name_type(turns))
            return None
        self.counts[part] = len(turns)
        if not turns:
            self._note("part_empty", part)
        if set(map(type, turns)) <= {list}:
            return turns
        taken = []
        for turn, values in enumerate(turns):
            is_list = isinstance(values, list)
            # No logprobs of a turn are missing ones, see _compare_lengths.
            if not is_list and not (part == _LOGPROBS and values is None):
                self._note("turn_wrong_type", part, turn, value=name_type(values))
                if part == _LOGPROBS:
                    self._wrong_logprobs.add(turn)
            taken.append(values if is_list else None)
        return taken

    def _compare_counts(self) -> None:
        """Find which turns may be shifted. What is not proved to be in its place is in doubt."""
        counts = self.counts
        certain = set(range(self.n_turns))
        n_completions = counts.get(_COMPLETIONS)
        if n_completions is None:
            certain.clear()
        if _PROMPTS in counts and counts[_PROMPTS] != n_completions:
            certain &= _find_anchored(self.prompts or [], self.completions or [])
        if _LOGPROBS in counts and counts[_LOGPROBS] != n_completions:
            certain &= _find_fixed(_list_lengths(self.logprobs), _list_lengths(self.completions))
        doubtful = tuple(turn for turn in range(self.n_turns) if turn not in certain)
        self.in_doubt.update(doubtful)
        shown = ["%s has %d" % (part, count) for part, count in counts.items()]
        self.findings.append(make_finding(
            "turn_counts_differ", self.segment, None, doubtful[0], None, doubtful, counts=", ".join(shown),
            turns=_list_turns(doubtful)))

    def _compare_lengths(self) -> None:
        for turn, (completion, logprobs) in enumerate(zip(self.completions or (), self.logprobs or ())):
            if turn in self.in_doubt or completion is None:
                continue
            tokens = format_count(len(completion), "token")
            if not logprobs:
                if completion and turn not in self._wrong_logprobs:
                    self._note("logprobs_missing", _LOGPROBS, turn, value=repr(logprobs), count=tokens)
            elif len(logprobs) != len(completion):
                position = min(len(logprobs), len(completion))
                self._note(
                    "lengths_differ", _LOGPROBS, turn, position, value=format_count(len(logprobs), "value"),
                    count=tokens)

    def _take_extra(self, extra: Any) -> None:
        if not isinstance(extra, dict):
            self._note("part_wrong_type", _EXTRA, expected="dict of lists", value=name_type(extra))
            return
        for name, values in extra.items():
            if not isinstance(values, list):
                self._note("part_wrong_type", _EXTRA, expected="list for " + show_value(name), value=name_type(values))
            elif len(values) != self.n_turns and self.counts:
                self._note(
                    "extra_count_differs", _EXTRA, value=show_value(name), count=format_count(len(values), "value"),
                    turns=format_count(self.n_turns, "turn"))
            else:
                self.extra[name] = values


def _find_anchored(prompts: List[Optional[List[int]]], completions: List[Optional[List[int]]]) -> Set[int]:
    """Find the first turns whose prompt and completion the next prompt repeats: those belong together."""
    anchored: Set[int] = set()
    for turn in range(min(len(prompts) - 1, len(completions))):
        prompt, completion, following = prompts[turn], completions[turn], prompts[turn + 1]
        if prompt is None or not completion or following is None or not _starts_with(following, prompt + completion):
            break
        anchored.add(turn)
    return anchored


def _find_fixed(left: Sequence[Optional[int]], right: Sequence[Optional[int]]) -> Set[int]:
    """Find the turns that keep their index however the shorter of two lists is fitted into the longer by lengths."""
    short, long_ = (left, right) if len(left) < len(right) else (right, left)
    earliest = _fit_lengths(short, long_)
    latest = _fit_lengths(short[::-1], long_[::-1])
    if earliest is None or latest is None:
        return set()
    latest = [len(long_) - 1 - index for index in reversed(latest)]
    return {turn for turn in range(len(short)) if earliest[turn] == turn == latest[turn]}


def _fit_lengths(short: Sequence[Optional[int]], long_: Sequence[Optional[int]]) -> Optional[List[int]]:
    """Give each length of the short list the first place left for it in the long one; None where one has none."""
    places: List[int] = []
    index = 0
    for length in short:
        while index < len(long_) and long_[index] != length:
            index += 1
        if index == len(long_):
            return None
        places.append(index)
        index += 1
    return places


def _list_lengths(turns: Optional[Sequence[Optional[Sequence[Any]]]]) -> List[Optional[int]]:
    return [None if values is None else len(values) for values in turns or ()]


def _list_turns(turns: Tuple[int, ...]) -> str:
    """Give "turn 3", "turns 1 to 4" or "turns 1, 2, 5"."""
    if len(turns) == 1:
        return "turn %d" % turns
    if turns == tuple(range(turns[0], turns[-1] + 1)):
        return "turns %d to %d" % (turns[0], turns[-1])
    return "turns " + ", ".join(map(str, turns))


class PromptBreak:
    """Where a prompt stops repeating the turn before it: ``position`` in the prompt, and the ids on both sides.

    ``reason`` is "prompt_differs" where the prompt of the turn before is not repeated, "completion_differs" where its
    completion is not, and "prompt_ends" where the prompt is over before. ``expected`` is the id of the turn before,
    ``got`` that of the prompt, None where it is over.
    """

    def __init__(self, reason: str, position: int, expected: int, got: Optional[int]) -> None:
        self.reason = reason
        self.position = position
        self.expected = expected
        self.got = got

    def describe(self) -> str:
        """Say it, as the end of a sentence."""
        return describe_break(self.reason, self.position, self.expected, self.got)


class _End:
    """The end of a list that is compared with a longer one; knows whether the comparison came as far as this."""

    def __init__(self) -> None:
        self.is_reached = False

    def __eq__(self, other: object) -> bool:
        self.is_reached = True
        return False

    def __lt__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]  # it equals nothing


class History:
    """The tokens of a linear history: the last prompt with its completion."""

    def __init__(self, prompt: List[int], completion: List[int]) -> None:
        self.tokens = prompt + completion
        self.prompt_length = len(prompt)

    def follow(self, prompt: List[Any], completion: List[int]) -> Optional[PromptBreak]:
        """Go on by a turn, or say where its prompt breaks with the history, which then stays as it is."""
        tokens = self.tokens
        length = len(tokens)
        if not _starts_with(prompt, tokens):
            position = _find_difference(prompt, tokens)
            if position < len(prompt):
                where = "prompt_differs" if position < self.prompt_length else "completion_differs"
                return PromptBreak(where, position, tokens[position], prompt[position])
            return PromptBreak("prompt_ends", position, tokens[position], None)
        tokens.extend(prompt[length:])
        self.prompt_length = len(tokens)
        tokens.extend(completion)
        return None


def _starts_with(longer: List[Any], tokens: List[int]) -> bool:
    """Tell whether a list starts with another, in one comparison that copies neither.

    Lists are ordered by their first unequal elements; an end that equals nothing is compared only where all before it
    are equal. ``longer[:n] == tokens`` says the same and takes up to three times as long.
    """
    if len(longer) <= len(tokens):
        return len(longer) == len(tokens) and _has_same_ids(longer, tokens)
    end = _End()
    tokens.append(end)  # type: ignore[arg-type]  # goes below
    try:
        # Which is smaller does not matter.
        bool(tokens < longer)
    except Exception:  # as in _has_same_ids
        return False
    finally:
        tokens.pop()
    return end.is_reached


def _has_same_ids(left: List[Any], right: List[int]) -> bool:
    try:
        return left == right
    except Exception:  # an object that cannot be compared, such as an array, is no token id
        return False


def _find_difference(left: List[Any], right: List[int]) -> int:
    """Give the index of the first difference of two lists, or the length of the shorter one."""
    start, stop = 0, min(len(left), len(right))
    while start < stop:
        middle = (start + stop + 1) // 2
        if _has_same_ids(left[start:middle], right[start:middle]):
            start = middle
        elif middle == start + 1:
            return start
        else:
            stop = middle
    return start
''')


# ====================================================================================================================
# harbor/rollout_checks.py, which runs when it is first used
# ====================================================================================================================

_later("rollout_checks", """
        Finding make_finding name_type show_value History RolloutParts""", r'''
"""The checks of a rollout: every list, id and logprob, and whether each prompt goes on from the turn before.

In: a ``RolloutDetail`` or an ``AgentContext``, also one to which anything at all was assigned. Out: findings, each
with its place and a sentence. Nothing is mended.
"""

from typing import TYPE_CHECKING, Any, Dict, List

__all__ = ["are_logprobs", "are_token_ids", "check_context", "check_rollout"]

_INFINITE = float("inf")
#: Token ids are held as signed 64-bit integers by every trainer.
_ID_LIMIT = 1 << 63


def check_context(context: "AgentContext") -> List[Finding]:
    """Check the rollouts of a context; an empty list means that they are sound.

    ``rollout_details`` of None, ``[]`` and ``[{}]`` are three different findings.
    """
    details: Any = context.rollout_details
    if details is None:
        return [make_finding("rollouts_missing")]
    if not isinstance(details, list):
        return [make_finding("rollouts_wrong_type", value=name_type(details))]
    if not details:
        return [make_finding("rollouts_empty")]
    return [finding for segment, detail in enumerate(details) for finding in check_rollout(detail, segment=segment)]


def check_rollout(detail: "RolloutDetail", *, segment: int = 0) -> List[Finding]:
    """Check one rollout: its turns, the lengths within them, and every id and logprob.

    Gives findings in the order of shape, ids, logprobs, and prompts that do not continue the turn before them; wrong
    values of one kind in one turn are one finding with a count. ``segment`` is only repeated in the findings.
    """
    parts = RolloutParts(detail, segment)
    found = parts.findings
    for part, turns in (("prompt_token_ids", parts.prompts), ("completion_token_ids", parts.completions)):
        for turn, ids in enumerate(turns or ()):
            if ids is not None and not are_token_ids(ids):
                found.extend(_check_ids(ids, segment, part, turn))
            elif ids is not None and not ids:
                found.append(make_finding("turn_empty", segment, part, turn))
    for turn, logprobs in enumerate(parts.logprobs or ()):
        if logprobs is not None and not are_logprobs(logprobs):
            found.extend(_check_logprobs(logprobs, segment, turn))
    if parts.prompts is not None and parts.completions is not None:
        found.extend(_check_continuity(parts))
    return found


def _check_continuity(parts: RolloutParts) -> List[Finding]:
    found: List[Finding] = []
    history = None
    pairs = list(zip(parts.prompts or (), parts.completions or ()))
    for turn, (prompt, completion) in enumerate(pairs):
        if prompt is None or completion is None or turn in parts.in_doubt:
            history = None
            continue
        if history is None:
            history = History(prompt, completion)
            continue
        break_ = history.follow(prompt, completion)
        if break_ is not None:
            found.append(make_finding(
                "prompt_not_continued", parts.segment, "prompt_token_ids", turn, break_.position, previous=turn - 1,
                reason=break_.describe()))
            history = History(prompt, completion)
    return found


def are_token_ids(ids: List[Any]) -> bool:
    """Tell whether all are integers that a token id can be, looking at each in C; an int subclass gives False too."""
    if not ids:
        return True
    return set(map(type, ids)) == {int} and min(ids) >= 0 and max(ids) < _ID_LIMIT


def are_logprobs(logprobs: List[Any]) -> bool:
    """Tell whether all are floats that a logprob can be, looking at each in C; some others give False too."""
    if not logprobs:
        return True
    # A sum is nan or infinite where a term is; that of huge terms is too, and the exact check then settles it.
    return set(map(type, logprobs)) == {float} and max(logprobs) <= 0.0 and -_INFINITE < sum(logprobs) <= 0.0


def _check_ids(ids: List[Any], segment: int, part: str, turn: int) -> List[Finding]:
    """Look at each id; an int subclass other than bool is an id."""
    wrong = [
        position for position, value in enumerate(ids)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _ID_LIMIT]
    if not wrong:
        return []
    return [make_finding(
        "bad_token_id", segment, part, turn, wrong[0], n_alike=len(wrong), value=show_value(ids[wrong[0]]))]


def _check_logprobs(logprobs: List[Any], segment: int, turn: int) -> List[Finding]:
    """Look at each logprob; an integer is a float, as in JSON."""
    wrong: Dict[str, List[int]] = {}
    for position, value in enumerate(logprobs):
        kind = _judge_logprob(value)
        if kind:
            wrong.setdefault(kind, []).append(position)
    return [
        make_finding(
            kind, segment, "logprobs", turn, positions[0], n_alike=len(positions),
            value=show_value(logprobs[positions[0]]))
        for kind, positions in wrong.items()]


def _judge_logprob(value: Any) -> str:
    if value is None:
        return "logprob_null"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return "logprob_wrong_type"
    if value != value:
        return "logprob_nan"
    try:
        number = float(value)
    except OverflowError:  # an integer beyond every float
        return "logprob_infinite"
    if number in (_INFINITE, -_INFINITE):
        return "logprob_infinite"
    return "logprob_positive" if number > 0 else ""
''')


# ====================================================================================================================
# harbor/rollouts.py, which runs when it is first used
# ====================================================================================================================

_later("rollouts", """
        are_logprobs are_token_ids check_context check_rollout FINDING_KINDS Finding RolloutError describe_break
        format_count make_finding History PromptBreak RolloutParts""", r'''
"""Rollouts as turns and as training sequences of tokens, loss mask and logprobs.

In: a ``RolloutDetail``, an ``AgentContext``, or any number of trials, one at a time. Out: turns as they were
recorded, and sequences for training. What is not recorded is None: nothing is padded, shifted or made up, and a
rollout whose lists disagree is refused with a ``RolloutError``. No file is read or written here.

Segments, turns and tokens are counted from 0 throughout.
"""

import array
import dataclasses
from typing import (
    TYPE_CHECKING, Any, Callable, Collection, Dict, Iterable, Iterator, List, Optional, Tuple, Union,
)

__all__ = [
    "FINDING_KINDS", "Finding", "RolloutError", "SequenceStart", "TrainingSequence", "Turn", "TurnSpan",
    "build_sequences", "check_context", "check_rollout", "iter_sequences", "iter_turns",
]

#: Turns whose loss mask stays 0: their indices (negative ones count from the end), or what decides for each.
MaskTurns = Union[Collection[int], Callable[["Turn"], bool]]


@dataclasses.dataclass
class Turn:
    """One turn of a rollout, its lists being those of the rollout itself.

    ``index`` is the turn's own, ``segment`` that of its rollout. ``prompt_token_ids`` is the whole prompt, earlier
    turns included, ``completion_token_ids`` what was sampled, and ``logprobs`` one natural logarithm for each token
    of the completion. Each is None where it was not recorded; a list of logprobs that is empty beside a completion
    that is not counts as not recorded. ``extra`` maps each name to the turn's value. ``is_doubtful`` tells that
    prompt and completion may belong to different turns; it is False unless a ``report`` was asked for.
    """

    segment: int
    index: int
    prompt_token_ids: Optional[List[int]]
    completion_token_ids: Optional[List[int]]
    logprobs: Optional[List[float]]
    extra: Dict[str, Any]
    is_doubtful: bool = False


@dataclasses.dataclass
class TurnSpan:
    """Where a turn stands in a sequence.

    ``token_ids[prompt_start:start]`` is what its prompt added to the turns before it, ``token_ids[start:stop]`` its
    completion, with loss mask 1 if ``is_trained``. ``n_cut_left`` and ``n_cut_right`` are how many tokens of the
    completion a truncation took away on that side; of a turn that is gone, ``start == stop``.
    """

    turn: int
    prompt_start: int
    start: int
    stop: int
    is_trained: bool = True
    n_cut_left: int = 0
    n_cut_right: int = 0


@dataclasses.dataclass
class SequenceStart:
    """Why a sequence starts at its first turn, ``turn``.

    ``reason`` is "first_turn", or "one_per_turn" where that was asked for, or says how the prompt breaks with the
    turn before: "completion_differs" (the completion comes back as other tokens: retokenised, or edited),
    "prompt_differs" (an earlier part does: a summary, another conversation) or "prompt_ends" (it repeats less than
    the turn before). ``position`` is the first token of the prompt that differs, ``expected`` the id that the turn
    before has there, and ``got`` the prompt's own, None where the prompt has ended; all three are None where there
    is no break.
    """

    reason: str
    turn: int
    position: Optional[int] = None
    expected: Optional[int] = None
    got: Optional[int] = None

    def __str__(self) -> str:
        if self.position is None:
            return "Turn %d is the first" % self.turn if self.reason == "first_turn" else "One sequence for each turn"
        broken = describe_break(self.reason, self.position, self.expected, self.got)
        return "The prompt of turn %d does not continue turn %d, %s" % (self.turn, self.turn - 1, broken)


@dataclasses.dataclass
class TrainingSequence:
    """Tokens to train on, flat; ``token_ids``, ``loss_mask`` and ``logprobs`` have the same length.

    ``loss_mask`` is 1 on the tokens of the completions to be trained, else 0. ``logprobs`` holds the natural
    logarithm of the probability with which a completion token was sampled, at that token's own index, and None
    everywhere else, also where a nan was recorded; it is None itself where logprobs were not asked for. The three are
    lists or, if ``compact``, ``array.array`` of types "q", "b" and "d", in which a logprob that is not there is nan.

    ``turns`` has one span for each turn, in order, and ``start`` says why the sequence begins where it does.
    ``n_cut_left`` and ``n_cut_right`` are how many tokens a truncation took away. ``segment`` is the index of the
    rollout. ``trial_name``, ``step_name``, ``reward`` and ``rewards`` are known where the rollout comes from a trial.
    """

    segment: int
    token_ids: Any
    loss_mask: Any
    logprobs: Any
    turns: List[TurnSpan]
    start: SequenceStart
    n_cut_left: int = 0
    n_cut_right: int = 0
    trial_name: Optional[str] = None
    step_name: Optional[str] = None
    reward: Optional[float] = None
    rewards: Optional[Dict[str, float]] = None

    @property
    def n_trained_tokens(self) -> int:
        """How many tokens have loss mask 1."""
        return sum(span.stop - span.start for span in self.turns if span.is_trained)

    @property
    def n_missing_logprobs(self) -> int:
        """How many tokens with loss mask 1 have no logprob."""
        if self.logprobs is None:
            return self.n_trained_tokens
        spans = [self.logprobs[span.start:span.stop] for span in self.turns if span.is_trained]
        return sum(_count_missing(logprobs) for logprobs in spans)

    def as_dict(self) -> Dict[str, Any]:
        """Give every attribute as dicts, lists and numbers, for JSON."""
        shown: Dict[str, Any] = {
            "trial_name": self.trial_name, "step_name": self.step_name, "segment": self.segment,
            "reward": self.reward, "rewards": self.rewards,
            "token_ids": list(self.token_ids), "loss_mask": list(self.loss_mask),
            "logprobs": None if self.logprobs is None else [
                None if value is None or value != value else value for value in self.logprobs],
        }
        shown["turns"] = [dataclasses.asdict(span) for span in self.turns]
        shown["start"] = dataclasses.asdict(self.start)
        shown["n_cut_left"], shown["n_cut_right"] = self.n_cut_left, self.n_cut_right
        return shown


def iter_turns(
    detail: "RolloutDetail", *, segment: int = 0, report: Optional[Callable[[Finding], Any]] = None
) -> Iterator[Turn]:
    """Give the turns of a rollout, in order; a list that was not recorded is None in each.

    Raises ``RolloutError`` where the lists disagree: numbers of turns that differ, logprobs of another length than
    their completion, ``extra`` lists of another length, or values that are no lists. With ``report``, such as the
    ``append`` of a list, each of these findings is given to it instead, and what may belong to another turn is
    marked by ``is_doubtful`` and has no logprobs. Values within the lists are not looked at; ``check_rollout`` does
    that.
    """
    parts = RolloutParts(detail, segment)
    ragged = [finding for finding in parts.findings if finding.kind in _RAGGED]
    if ragged and report is None:
        raise RolloutError(ragged)
    for finding in ragged if report is not None else ():
        report(finding)  # type: ignore[misc]  # is not None here
    return _iter_parts(parts)


def build_sequences(
    source: Union["AgentContext", "RolloutDetail"], *, per_turn: bool = False, mask_turns: MaskTurns = (),
    max_length: Optional[int] = None, truncation: Optional[str] = None, with_logprobs: bool = True,
    compact: bool = False, report: Optional[Callable[[RolloutError], Any]] = None,
) -> List[TrainingSequence]:
    """Build the training sequences of a rollout, or of each rollout of a context.

    As long as each prompt repeats the turn before it, token for token, the turns make one sequence; where one does
    not, a new sequence starts, and its ``start`` says why. None and ``[]`` in place of rollouts give no sequence.

    - ``per_turn``: one sequence for each turn, its whole prompt with its completion.
    - ``mask_turns``: turns that keep loss mask 0: indices, counted from the end where negative, or a function that
      is given each ``Turn``.
    - ``max_length``: of a sequence, in tokens. ``truncation`` says on which side the rest goes, "left" or "right";
      without it, a longer one is refused.
    - ``with_logprobs=False``: leave logprobs alone, and whatever may be wrong with them.
    - ``compact``: arrays in place of lists: 17 bytes for a token.
    - ``report``: is given the ``RolloutError`` of each rollout that is refused; the others' sequences are returned.

    Raises ``RolloutError`` with the findings for which ``is_refused`` is true. A token of a prompt that is equal to
    that of the turn before is not looked at again.
    """
    if hasattr(source, "agent_result"):
        raise TypeError("Expected a context or a rollout, got %s; iter_sequences takes trials" % type(source).__name__)
    options = _Options(per_turn, mask_turns, max_length, truncation, with_logprobs, compact)
    return [sequence for built in _iter_rollouts(source, options, report) for sequence in built]


def iter_sequences(
    sources: Iterable[Union["TrialResult", "AgentContext", "RolloutDetail"]], *, reward_name: Optional[str] = None,
    per_turn: bool = False, mask_turns: MaskTurns = (), max_length: Optional[int] = None,
    truncation: Optional[str] = None, with_logprobs: bool = True, compact: bool = False,
    report: Optional[Callable[[RolloutError], Any]] = None,
) -> Iterator[TrainingSequence]:
    """Give the training sequences of any number of trials, contexts or rollouts, holding one rollout's at a time.

    Options and errors are those of ``build_sequences``. Of a trial, the contexts count that its ``contexts()`` gives,
    and sequences and errors carry its name and, in a trial of several steps, the step's. ``rewards`` are those of the
    trial, or of the step; ``reward`` is the one called ``reward_name``, else "reward", else the only one, and None
    where there is none of these.
    """
    options = _Options(per_turn, mask_turns, max_length, truncation, with_logprobs, compact)
    return _iter_sources(sources, reward_name, options, report)


# Turns -------------------------------------------------------------------------------------------------------------

_RAGGED = frozenset((
    "rollout_wrong_type", "part_wrong_type", "turn_counts_differ", "extra_count_differs", "turn_wrong_type",
    "lengths_differ"))


def _iter_parts(parts: RolloutParts) -> Iterator[Turn]:
    prompts, completions, logprobs = parts.prompts or (), parts.completions or (), parts.logprobs or ()
    for index in range(parts.n_turns):
        prompt = prompts[index] if index < len(prompts) else None
        completion = completions[index] if index < len(completions) else None
        own = logprobs[index] if index < len(logprobs) else None
        is_doubtful = index in parts.in_doubt
        if is_doubtful or (own is not None and completion is not None and len(own) != len(completion)):
            own = None
        extra = {name: values[index] for name, values in parts.extra.items()}
        yield Turn(parts.segment, index, prompt, completion, own, extra, is_doubtful)


# Sequences ---------------------------------------------------------------------------------------------------------


class _Options:
    """The options of ``build_sequences``, checked."""

    def __init__(
        self, per_turn: bool, mask_turns: MaskTurns, max_length: Optional[int], truncation: Optional[str],
        with_logprobs: bool, compact: bool,
    ) -> None:
        if truncation not in (None, "left", "right"):
            raise TypeError('Expected truncation to be "left", "right" or None, got %r' % (truncation,))
        if truncation is not None and max_length is None:
            raise TypeError("Expected a max_length beside truncation=%r" % truncation)
        if max_length is not None and (isinstance(max_length, bool) or not isinstance(max_length, int)):
            raise TypeError("Expected max_length to be an int or None, got %r" % (max_length,))
        if max_length is not None and max_length < 1:
            raise ValueError("Expected a max_length of at least 1, got %r" % max_length)
        if isinstance(mask_turns, int):
            raise TypeError("Expected mask_turns to be a collection of indices or a function, got %r; try [%r]" % (
                mask_turns, mask_turns))
        self.per_turn = per_turn
        self.mask_turns = mask_turns if callable(mask_turns) else frozenset(mask_turns)
        self.max_length = max_length
        self.truncation = truncation
        self.with_logprobs = with_logprobs
        self.compact = compact

    def is_masked(self, turn: Turn, n_turns: int) -> bool:
        """Tell whether a turn keeps loss mask 0."""
        if callable(self.mask_turns):
            return bool(self.mask_turns(turn))
        return turn.index in self.mask_turns or turn.index - n_turns in self.mask_turns


def _iter_sources(
    sources: Iterable[Any], reward_name: Optional[str], options: _Options,
    report: Optional[Callable[[RolloutError], Any]],
) -> Iterator[TrainingSequence]:
    for source in sources:
        trial_name = getattr(source, "trial_name", None)
        for step_name, context, rewards in _iter_contexts(source):
            def note(error: RolloutError, step_name: Optional[str] = step_name) -> None:
                error.trial_name, error.step_name = trial_name, step_name
                if report is None:
                    raise error
                report(error)

            reward = _choose_reward(rewards, reward_name)
            for built in _iter_rollouts(context, options, note):
                for sequence in built:
                    sequence.trial_name, sequence.step_name = trial_name, step_name
                    sequence.reward, sequence.rewards = reward, rewards
                    yield sequence


def _iter_contexts(source: Any) -> Iterator[Tuple[Optional[str], Any, Optional[Dict[str, float]]]]:
    """Give step name, context and rewards, as ``TrialResult.contexts`` does; what is no trial has no rewards."""
    if not hasattr(source, "agent_result"):
        yield None, source, None
    elif source.agent_result is not None:
        yield None, source.agent_result, _find_rewards(source)
    else:
        for step in source.step_results or ():
            if step.agent_result is not None:
                yield step.step_name, step.agent_result, _find_rewards(step)


def _find_rewards(trial: Any) -> Optional[Dict[str, float]]:
    return None if trial.verifier_result is None else trial.verifier_result.rewards


def _choose_reward(rewards: Optional[Dict[str, float]], name: Optional[str]) -> Optional[float]:
    if not rewards:
        return None
    if name is None:
        name = next(iter(rewards)) if len(rewards) == 1 else "reward"
    return rewards.get(name)


def _iter_rollouts(
    source: Any, options: _Options, report: Optional[Callable[[RolloutError], Any]]
) -> Iterator[List[TrainingSequence]]:
    """Give the sequences of one rollout after the other."""
    details = source.rollout_details if hasattr(source, "rollout_details") else [source]
    if details is not None and not isinstance(details, list):
        error = RolloutError(check_context(source))
        if report is None:
            raise error
        report(error)
        return
    for segment, detail in enumerate(details or ()):
        try:
            sequences = _build_rollout(detail, segment, options)
        except RolloutError as error:
            if report is None:
                raise
            report(error)
        else:
            yield sequences


def _build_rollout(detail: Any, segment: int, options: _Options) -> List[TrainingSequence]:
    if not options.with_logprobs and isinstance(detail, dict):
        detail = {key: value for key, value in detail.items() if key != "logprobs"}
    parts = RolloutParts(detail, segment)
    if any(finding.is_refused for finding in parts.findings):
        raise _refuse_rollout(detail, segment)
    sequences: List[TrainingSequence] = []
    history: Optional[History] = None
    start = SequenceStart("first_turn", 0)
    spans: List[TurnSpan] = []
    logprobs: List[Optional[List[Any]]] = []
    for turn in _iter_parts(parts):
        prompt, completion = turn.prompt_token_ids or [], turn.completion_token_ids or []
        own: Optional[List[Any]] = turn.logprobs or None
        if not (are_token_ids(completion) and are_logprobs(own or [])):
            _expect_no_fault(detail, segment)
            own = own and [None if value is None or value != value else value for value in own]
        broken: Optional[PromptBreak] = None
        known = 0
        if history is not None and not options.per_turn:
            known = len(history.tokens)
            broken = history.follow(prompt, completion)
        if history is not None and (options.per_turn or broken is not None):
            sequences.append(_finish(segment, history.tokens, spans, logprobs, start, options))
            start = SequenceStart("one_per_turn", turn.index)
            if broken is not None:
                start = SequenceStart(broken.reason, turn.index, broken.position, broken.expected, broken.got)
            history, known, spans, logprobs = None, 0, [], []
        # What equals the turn before was looked at there.
        if not are_token_ids(prompt[known:] if known else prompt):
            _expect_no_fault(detail, segment)
        if history is None:
            history = History(prompt, completion)
        is_trained = not options.is_masked(turn, parts.n_turns)
        spans.append(TurnSpan(turn.index, known, len(prompt), len(prompt) + len(completion), is_trained))
        logprobs.append(own)
    if history is not None:
        sequences.append(_finish(segment, history.tokens, spans, logprobs, start, options))
    return sequences


def _expect_no_fault(detail: Any, segment: int) -> None:
    """Look exactly, where the quick look met something unusual."""
    error = _refuse_rollout(detail, segment)
    if error.findings:
        raise error


def _refuse_rollout(detail: Any, segment: int) -> RolloutError:
    return RolloutError(finding for finding in check_rollout(detail, segment=segment) if finding.is_refused)


def _finish(
    segment: int, tokens: List[int], spans: List[TurnSpan], logprobs: List[Optional[List[Any]]],
    start: SequenceStart, options: _Options,
) -> TrainingSequence:
    """Lay the mask and the logprobs beside the tokens, and truncate."""
    length = len(tokens)
    first, last = 0, length
    if options.max_length is not None and length > options.max_length:
        if options.truncation is None:
            raise RolloutError([make_finding(
                "sequence_too_long", segment, None, start.turn, options.max_length,
                count=format_count(length, "token"), value=options.max_length)])
        if options.truncation == "left":
            first = length - options.max_length
        else:
            last = options.max_length
        tokens = tokens[first:last]
    mask: List[int] = []
    aligned: List[Optional[float]] = []
    for span, own in zip(spans, logprobs):
        span.n_cut_left = min(max(first - span.start, 0), span.stop - span.start)
        span.n_cut_right = min(max(span.stop - last, 0), span.stop - span.start)
        if own is not None:
            own = own[span.n_cut_left:len(own) - span.n_cut_right]
        span.prompt_start, span.start, span.stop = (
            min(max(place, first), last) - first for place in (span.prompt_start, span.start, span.stop))
        mask += [0] * (span.start - len(mask))
        mask += [1 if span.is_trained else 0] * (span.stop - span.start)
        if options.with_logprobs:
            aligned += [None] * (span.start - len(aligned))
            aligned += own if own is not None else [None] * (span.stop - span.start)
    mask += [0] * (len(tokens) - len(mask))
    sequence = TrainingSequence(
        segment, tokens, mask, None, spans, start, n_cut_left=first, n_cut_right=length - last)
    if options.with_logprobs:
        sequence.logprobs = aligned + [None] * (len(tokens) - len(aligned))
    if options.compact:
        _make_compact(sequence)
    return sequence


def _make_compact(sequence: TrainingSequence) -> None:
    sequence.token_ids = array.array("q", sequence.token_ids)
    sequence.loss_mask = array.array("b", sequence.loss_mask)
    if sequence.logprobs is not None:
        missing = float("nan")
        sequence.logprobs = array.array(
            "d", [missing if value is None else value for value in sequence.logprobs])


def _count_missing(logprobs: Iterable[Optional[float]]) -> int:
    return sum(value is None or value != value for value in logprobs)
''')


# ====================================================================================================================
# harbor/rollout_chart.py, which runs when it is first used
# ====================================================================================================================

_later("rollout_chart", "are_logprobs format_count Turn iter_turns", r'''
"""Rollouts as a picture: an SVG of tokens per turn, and of logprobs per turn and over all.

In: rollouts, one at a time; only sums are kept of them. Out: the text of an SVG that needs nothing else, and follows
the reader's choice of light or dark. Drawn with the standard library alone; nothing is read or written here.
"""

import math
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

__all__ = ["RolloutChart"]

#: Logprobs are counted in steps of 1/20 nat, and below -20 nats together.
_STEPS_OF_NAT = 20
_LOWEST_STEP = 20 * _STEPS_OF_NAT

_WIDTH, _LEFT, _RIGHT = 760, 96, 24
_PANEL, _TOP, _GAP = 150, 92, 90
_MOST_BARS = 160

_STYLE = """
  .paper { fill: #ffffff }
  text { fill: #1f2328; font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif }
  .title { font-size: 17px; font-weight: 600 }
  .heading { font-size: 14px; font-weight: 600 }
  .axis { stroke: #57606a; stroke-width: 1; fill: none }
  .grid { stroke: #d8dee4; stroke-width: 1 }
  .prompt { fill: #2f6fb7 }
  .completion { fill: #d9730d }
  .range { fill: #b59ad6 }
  .median { fill: #5b2d91 }
  .count { fill: #d9730d }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 }
    text { fill: #e6edf3 }
    .axis { stroke: #9198a1 }
    .grid { stroke: #30363d }
    .prompt { fill: #6ea8fe }
    .completion, .count { fill: #f0a04b }
    .range { fill: #6d53a0 }
    .median { fill: #e2d4ff }
  }
"""


class _TurnSums:
    """What is kept of all turns with one index."""

    def __init__(self) -> None:
        self.n_prompts = self.n_prompt_tokens = 0
        self.n_completions = self.n_completion_tokens = 0
        self.steps: Dict[int, int] = {}

    def add(self, turn: Turn) -> None:
        if turn.prompt_token_ids is not None:
            self.n_prompts += 1
            self.n_prompt_tokens += len(turn.prompt_token_ids)
        if turn.completion_token_ids is not None:
            self.n_completions += 1
            self.n_completion_tokens += len(turn.completion_token_ids)
        for logprob in turn.logprobs or ():
            step = min(int(logprob * -_STEPS_OF_NAT), _LOWEST_STEP) if logprob > -20.0 else _LOWEST_STEP
            self.steps[step] = self.steps.get(step, 0) + 1

    def merge(self, other: "_TurnSums") -> None:
        self.n_prompts += other.n_prompts
        self.n_prompt_tokens += other.n_prompt_tokens
        self.n_completions += other.n_completions
        self.n_completion_tokens += other.n_completion_tokens
        for step, count in other.steps.items():
            self.steps[step] = self.steps.get(step, 0) + count

    def mean_tokens(self) -> Tuple[float, float]:
        """Give the mean numbers of prompt and completion tokens."""
        return (
            self.n_prompt_tokens / self.n_prompts if self.n_prompts else 0.0,
            self.n_completion_tokens / self.n_completions if self.n_completions else 0.0)

    def find_quantile(self, share: float) -> Optional[float]:
        """Give the logprob, to half a step, below which a share of the tokens lies."""
        rest = share * sum(self.steps.values())
        for step in sorted(self.steps, reverse=True):
            rest -= self.steps[step]
            if rest <= 0:
                return -(step + 0.5) / _STEPS_OF_NAT
        return None


class RolloutChart:
    """Draws the rollouts that were added: means over them for each turn, and all their logprobs.

    What it holds grows with the number of turns of the longest rollout alone.
    """

    def __init__(self) -> None:
        self.n_rollouts = 0
        self.n_left_out = 0
        self._turns: List[_TurnSums] = []

    def add_rollout(self, detail: "RolloutDetail") -> None:
        """Add a rollout; logprobs of a turn that are in doubt or no logprobs are left out, and counted."""
        self.n_rollouts += 1
        for turn in iter_turns(detail, report=_ignore):
            if turn.logprobs is not None and not are_logprobs(turn.logprobs):
                turn.logprobs = None
                self.n_left_out += 1
            while len(self._turns) <= turn.index:
                self._turns.append(_TurnSums())
            self._turns[turn.index].add(turn)

    def as_svg(self, name: str) -> str:
        """Give the picture, with a name in its title."""
        bars, n_joined = self._join_turns()
        unit = "turn (counted from 0%s)" % (", each bar the mean of %d" % n_joined if n_joined > 1 else "")
        of_rollouts = "" if self.n_rollouts == 1 else ", mean of %d rollouts" % self.n_rollouts
        out: List[str] = []
        top = _TOP
        for index, kind in enumerate(("prompt", "completion")):
            means = [bar.mean_tokens()[index] for bar in bars]
            _draw_tokens(out, top, kind, means, n_joined, unit, of_rollouts)
            top += _PANEL + _GAP
        _draw_ranges(out, top, bars, n_joined, unit)
        top += _PANEL + _GAP
        whole = _TurnSums()
        for sums in self._turns:
            whole.merge(sums)
        _draw_histogram(out, top, whole.steps)
        height = top + _PANEL + 62
        summary = "%s, %s" % (format_count(self.n_rollouts, "rollout"), format_count(len(self._turns), "turn"))
        if self.n_left_out:
            summary += "; logprobs of %s left out as faulty" % format_count(self.n_left_out, "turn")
        head = [
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">' % (
                _WIDTH, height, _WIDTH, height),
            "<title>%s</title>" % _escape(name),
            "<desc>Tokens per turn, and logprobs of completion tokens: %s</desc>" % _escape(summary),
            "<style>%s</style>" % _STYLE,
            '<rect class="paper" width="%d" height="%d"/>' % (_WIDTH, height),
            _make_text(_LEFT, 30, _shorten(name, 60), "title"),
            _make_text(_LEFT, 50, summary),
        ]
        return "\n".join(head + out + ["</svg>", ""])

    def _join_turns(self) -> Tuple[List[_TurnSums], int]:
        """Give the sums to draw: of each turn, or of so many in a row that the bars can be seen."""
        n_joined = max(-(-len(self._turns) // _MOST_BARS), 1)
        bars = []
        for first in range(0, len(self._turns), n_joined):
            bar = _TurnSums()
            for sums in self._turns[first:first + n_joined]:
                bar.merge(sums)
            bars.append(bar)
        return bars, n_joined


def _ignore(finding: Any) -> None:
    """Take a finding that a picture has no place for."""


# Panels ------------------------------------------------------------------------------------------------------------


def _draw_tokens(
    out: List[str], top: int, kind: str, means: Sequence[float], n_joined: int, unit: str, of_rollouts: str
) -> None:
    out.append(_make_text(_LEFT, top - 10, "%s tokens per turn%s" % (kind.capitalize(), of_rollouts), "heading"))
    highest = max(means, default=0.0)
    if not highest:
        _say_nothing(out, top, "no %s tokens recorded" % kind)
        return
    ticks = _find_ticks(highest)
    scale = _PANEL / max(ticks[-1], highest)
    _draw_rules(out, top, [(tick * scale, _format_tick(tick)) for tick in ticks], "tokens")
    for left, width, mean in zip(*_place_bars(len(means)), means):
        out.append(_make_bar(kind, left, top + _PANEL - mean * scale, width, mean * scale))
    _label_turns(out, top, len(means), n_joined, unit)


def _draw_ranges(out: List[str], top: int, bars: Sequence[_TurnSums], n_joined: int, unit: str) -> None:
    heading = "Logprobs per turn: median (mark) and middle 80 % of tokens (bar)"
    out.append(_make_text(_LEFT, top - 10, heading, "heading"))
    found = [tuple(bar.find_quantile(share) for share in (0.1, 0.5, 0.9)) for bar in bars]
    lowest = min((values[0] for values in found if values[0] is not None), default=None)
    if lowest is None:
        _say_nothing(out, top, "no logprobs recorded")
        return
    ticks = _find_ticks(-lowest)
    scale = _PANEL / max(ticks[-1], -lowest)
    rules = [(_PANEL - tick * scale, _format_tick(-tick)) for tick in ticks]
    _draw_rules(out, top, rules, "logprob (nats)")
    for left, width, (low, median, high) in zip(*_place_bars(len(bars)), found):
        if low is not None and median is not None and high is not None:
            out.append(_make_bar("range", left, top - high * scale, width, max((high - low) * scale, 1.0)))
            out.append(_make_bar("median", left, top - median * scale - 1.25, width, 2.5))
    _label_turns(out, top, len(bars), n_joined, unit)


def _draw_histogram(out: List[str], top: int, steps: Dict[int, int]) -> None:
    n_tokens = sum(steps.values())
    heading = "Distribution of logprobs" + (", %s completion tokens" % "{:,}".format(n_tokens) if n_tokens else "")
    out.append(_make_text(_LEFT, top - 10, heading, "heading"))
    if not n_tokens:
        _say_nothing(out, top, "no logprobs recorded")
        return
    # Wide enough for every token, in at most 80 columns of whole steps.
    n_steps = min(max(max(steps) + 1, _STEPS_OF_NAT), _LOWEST_STEP)
    per_column = max(-(-n_steps // 80), 1)
    n_columns = -(-n_steps // per_column)
    counts = [0] * n_columns
    for step, count in steps.items():
        counts[min(step // per_column, n_columns - 1)] += count
    decades = max(math.ceil(math.log10(max(counts))), 1)
    # A count of one must be seen: the axis begins below it.
    scale = _PANEL / (decades + 0.3)
    rules = [((decade + 0.3) * scale, _format_tick(10.0 ** decade)) for decade in range(decades + 1)]
    _draw_rules(out, top, rules, "tokens (log scale)")
    width = (_WIDTH - _LEFT - _RIGHT) / n_columns
    for column, count in enumerate(counts):
        if count:
            height = (math.log10(count) + 0.3) * scale
            left = _WIDTH - _RIGHT - (column + 1) * width
            out.append(_make_bar("count", left + width * 0.06, top + _PANEL - height, width * 0.88, height))
    span = n_columns * per_column / _STEPS_OF_NAT
    for tick in _find_ticks(span):
        if tick <= span:
            middle = _WIDTH - _RIGHT - tick / span * (_WIDTH - _LEFT - _RIGHT)
            out.append(_make_text(middle, top + _PANEL + 19, _format_tick(-tick), anchor="middle"))
    lowest = "; the leftmost column holds all below" if max(steps) >= n_columns * per_column else ""
    note = "logprob (nats), in steps of %s%s" % (_format_tick(per_column / _STEPS_OF_NAT), lowest)
    out.append(_make_text((_LEFT + _WIDTH - _RIGHT) / 2, top + _PANEL + 40, note, anchor="middle"))


# Pieces ------------------------------------------------------------------------------------------------------------


def _draw_rules(out: List[str], top: int, rules: Sequence[Tuple[float, str]], unit: str) -> None:
    """Draw the rules at their heights, with their labels, the axes, and the unit along the upright one."""
    bottom = top + _PANEL
    for height, label in rules:
        out.append('<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>' % (
            _LEFT, _WIDTH - _RIGHT, bottom - height, bottom - height))
        out.append(_make_text(_LEFT - 8, bottom - height + 4, label, anchor="end"))
    out.append('<path class="axis" d="M%d %dV%dH%d"/>' % (_LEFT, top, bottom, _WIDTH - _RIGHT))
    out.append('<text transform="translate(18 %d) rotate(-90)" text-anchor="middle">%s</text>' % (
        top + _PANEL // 2, _escape(unit)))


def _place_bars(number: int) -> Tuple[List[float], List[float]]:
    """Give the left ends and the widths of bars."""
    room = (_WIDTH - _LEFT - _RIGHT) / number
    width = min(room * (0.8 if number <= 80 else 0.92), 60.0)
    return [_LEFT + room * index + (room - width) / 2 for index in range(number)], [width] * number


def _label_turns(out: List[str], top: int, number: int, n_joined: int, unit: str) -> None:
    room = (_WIDTH - _LEFT - _RIGHT) / number
    step = max(int(_find_ticks(float(number), 12)[1]), 1)
    for index in range(0, number, step):
        out.append(_make_text(_LEFT + room * (index + 0.5), top + _PANEL + 19, str(index * n_joined), anchor="middle"))
    out.append(_make_text((_LEFT + _WIDTH - _RIGHT) / 2, top + _PANEL + 40, unit, anchor="middle"))


def _say_nothing(out: List[str], top: int, text: str) -> None:
    out.append('<path class="axis" d="M%d %dV%dH%d"/>' % (_LEFT, top, top + _PANEL, _WIDTH - _RIGHT))
    out.append(_make_text((_LEFT + _WIDTH - _RIGHT) / 2, top + _PANEL / 2, text, anchor="middle"))


def _make_bar(kind: str, left: float, top: float, width: float, height: float) -> str:
    return '<rect class="%s" x="%.2f" y="%.2f" width="%.2f" height="%.2f"/>' % (kind, left, top, width, height)


def _make_text(left: float, top: float, text: str, kind: str = "", anchor: str = "") -> str:
    attributes = (' class="%s"' % kind if kind else "") + (' text-anchor="%s"' % anchor if anchor else "")
    return '<text x="%.1f" y="%.1f"%s>%s</text>' % (left, top, attributes, _escape(text))


def _find_ticks(highest: float, most: int = 5) -> List[float]:
    """Give round numbers from 0 to at least ``highest``, about as many as are asked for."""
    power = 10.0 ** math.floor(math.log10(highest / most))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power * most >= highest * 0.999999)
    return [step * index for index in range(math.ceil(highest / step - 1e-9) + 1)]


def _format_tick(value: float) -> str:
    if not value:
        return "0"
    return "{:,.0f}".format(value) if value == int(value) else "%.6g" % value


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else "…" + text[1 - most:]


def _escape(text: str) -> str:
    """Make text fit for XML, which has no place for most control characters and for lone surrogates."""
    plain = "".join(char if char.isprintable() else "�" for char in text)
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
''')


# ====================================================================================================================
# harbor/trials.py, which runs when it is first used
# ====================================================================================================================

_later("trials", """
        Model ValidationError replace_file FormGiver add_extras describe_value mend_trial TrialResult RESULT_NAME
        TrialEncodingError TrialMissingError TrialReadError TrialRollupError TrialShapeError TrialSyntaxError
        TrialTruncatedError TrialUnreadableError is_rollup name_bad_shape name_bad_text name_rollup read_result
        walk_trials""", r'''
"""Trials on disk: read one file, walk a jobs directory, save a record.

In: paths. Out: ``TrialResult``, or an error that says in one line what is wrong with which file; and, the other way
round, a file that is at every moment whole. What is in a trial is the business of ``harbor.models``.
"""

import errno
import os
import pathlib
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

__all__ = [
    "TrialEncodingError", "TrialMissingError", "TrialOutcome", "TrialReadError", "TrialReading", "TrialRollupError",
    "TrialShapeError", "TrialSyntaxError", "TrialTruncatedError", "TrialUnreadableError", "find_trials", "iter_trials",
    "load_trial", "read_trial", "save", "try_trial",
]

TrialPath = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

# A larger file is refused unread: it is no record of a trial, and may be made to fill the memory.
_SIZE_LIMIT = 1 << 30


# Reading -------------------------------------------------------------------------------------------------------------


class TrialReading(NamedTuple):
    """A trial, and a note for each place that a tolerant reading mended, with its location."""

    trial: TrialResult
    mended: List[str]


class TrialOutcome(NamedTuple):
    """What became of one trial: ``trial``, or the ``error`` that kept it from being read; the other one is None."""

    path: pathlib.Path
    trial: Optional[TrialResult]
    error: Optional[TrialReadError]
    mended: List[str]


def load_trial(path: TrialPath, *, tolerant: bool = False, extra: Optional[str] = None) -> TrialResult:
    """Read a trial from its ``result.json``, or from the folder that holds it.

    ``extra="allow"`` keeps unknown keys; ``tolerant=True`` also takes what ``read_trial`` can mend. Raises
    ``TrialReadError``, one class for each kind; what the system has against the file is an ``OSError`` too.
    """
    return read_trial(path, tolerant=tolerant, extra=extra).trial


def read_trial(path: TrialPath, *, tolerant: bool = False, extra: Optional[str] = None) -> TrialReading:
    """Read a trial as ``load_trial`` does, and say what was mended; nothing ever is without ``tolerant=True``."""
    name = os.fsdecode(path)
    try:
        data = read_result(name, _SIZE_LIMIT)
    except TrialUnreadableError as exc:
        if exc.errno != errno.EISDIR:
            raise
        name = os.path.join(name, RESULT_NAME)
        data = read_result(name, _SIZE_LIMIT)
    if len(data) > _SIZE_LIMIT:
        raise TrialUnreadableError(name, "Larger than %d bytes" % _SIZE_LIMIT, errno.EFBIG)
    try:
        return TrialReading(TrialResult.model_validate_json(data, extra=extra), [])
    except ValidationError as exc:
        error = _name_failure(name, data, exc)
    mended = mend_trial(data, extra) if tolerant and not isinstance(error, TrialRollupError) else None
    if mended is None:
        # Raised out here, so that it does not carry the document along as its context.
        raise error
    return TrialReading(*mended)


def try_trial(path: TrialPath, *, tolerant: bool = False, extra: Optional[str] = None) -> TrialOutcome:
    """Read a trial as ``read_trial`` does, and give a failure instead of raising it."""
    name = os.fsdecode(path)
    where = path if isinstance(path, pathlib.Path) else pathlib.Path(name)
    try:
        trial, mended = read_trial(name, tolerant=tolerant, extra=extra)
        return TrialOutcome(where, trial, None, mended)
    except TrialReadError as exc:
        # Frames would keep what was read alive.
        error = exc.with_traceback(None)
    except MemoryError:
        error = TrialUnreadableError(name, "Too large for the memory", errno.ENOMEM)
    return TrialOutcome(where, None, error, [])


def _name_failure(name: str, data: bytes, exc: ValidationError) -> TrialReadError:
    """Find out why a document was refused."""
    faults = exc.errors(include_url=False, include_context=False)
    first = faults[0]
    if first["type"] == "json_invalid":
        return name_bad_text(name, data, first["msg"])
    document = next((fault["input"] for fault in faults if fault["type"] == "missing" and len(fault["loc"]) == 1), None)
    if is_rollup(document):
        return name_rollup(name)
    return name_bad_shape(name, faults)


# Walking -------------------------------------------------------------------------------------------------------------


def iter_trials(
    directory: TrialPath, *, tolerant: bool = False, extra: Optional[str] = None
) -> Iterator[TrialOutcome]:
    """Read every trial below a directory, in the order of the names; never raises, whatever is found there.

    A job's roll-up is passed over, and what stands inside a trial's folder is not looked at. A trial that has no
    result, and a folder that cannot be read, are failures as well.
    """
    for path, error in find_trials(directory):
        yield try_trial(path, tolerant=tolerant, extra=extra) if error is None else TrialOutcome(path, None, error, [])


def find_trials(directory: TrialPath) -> Iterator[Tuple[pathlib.Path, Optional[TrialReadError]]]:
    """Find the files that ``iter_trials`` reads, for whoever reads them in another way.

    An error stands beside a path that is known not to give a trial: of a folder that cannot be read.
    """
    return ((pathlib.Path(name), error) for name, error in walk_trials(os.fsdecode(directory)))


# Saving --------------------------------------------------------------------------------------------------------------


def save(
    model: Model,
    path: TrialPath,
    *,
    indent: Optional[int] = 4,
    inf_nan: str = "strings",
    sync: bool = True,
) -> None:
    """Write a record to a file that is, at every moment, the old one or the new one as a whole.

    No value keeps it from being written: docs/trials.md lists the forms of those that JSON cannot say. Unknown keys
    that were read with ``extra="allow"`` are written too. ``inf_nan`` is that of ``model_dump_json``. ``sync=False``
    does not wait for the disk: the file outlives a kill of the process, but maybe not a crash of the machine. An
    existing file keeps its mode; a link stays, and the file it leads to is replaced. Raises ``OSError`` with the path,
    and leaves the old file as it was.
    """
    if not isinstance(model, Model):
        raise TypeError("save() takes a model such as TrialResult or AgentContext, not %s" % type(model).__name__)
    name = os.fsdecode(path)
    data = _dump(model, indent, inf_nan).encode("utf-8")
    try:
        replace_file(os.path.realpath(name) if os.path.islink(name) else name, data, sync)
    except OSError as exc:
        raise OSError(exc.errno, exc.strerror or str(exc), name) from None


def _dump(model: Model, indent: Optional[int], inf_nan: str) -> str:
    options: Dict[str, Any] = {"indent": indent, "inf_nan": inf_nan, "fallback": describe_value}
    giver = FormGiver()
    try:
        formed = giver.give_forms(model)
        text = formed.model_dump_json(warnings="error", **options)
    except Exception:
        # A value is of the wrong type for its field, or cannot be written.
        giver = FormGiver(thorough=True)
        formed = giver.give_forms(model)
        try:
            text = formed.model_dump_json(warnings="none", **options)
        except Exception:
            # A wrong value in a field may break what is computed from it.
            text = formed.model_dump_json(warnings="none", exclude_computed_fields=True, **options)
    return add_extras(formed, text, indent, inf_nan) if giver.found_extras else text
''')


# ====================================================================================================================
# harbor/runner.py, which runs when it is first used
# ====================================================================================================================

_later("runner", """
        BaseAgent BaseEnvironment ExecResult Attempt attempt finish escape_text AgentContext VerifierEnvironmentMode
        LocalTaskId AgentInfo ExceptionInfo TimingInfo TrialResult VerifierResult save""", r'''
"""Runs an agent in an environment and records what came of it as a trial's result.

In: an agent, an environment, an instruction. Out: a ``TrialResult``, and its file if a path is given, at every moment
with what is known by then. Whatever the agent does, the result says it. Order and names are those of Harbor's trials.
"""

import datetime
import hashlib
import json
import logging
import math
import os
import pathlib
import re
import shlex
import threading
import traceback
from typing import Any, Awaitable, Callable, Dict, Optional, Union

__all__ = [
    "AgentRun", "AgentSetupTimeoutError", "AgentTimeoutError", "EnvironmentStartTimeoutError", "RewardFileEmptyError",
    "RewardFileNotFoundError", "VerifierOutputParseError", "VerifierTimeoutError", "run_agent",
]

_LOGGER = logging.getLogger("harbor").getChild(__name__)
_SNAPSHOT_TRIES = 3


# Errors --------------------------------------------------------------------------------------------------------------
# They stand in results, by the names that Harbor gives them; none is ever raised to the caller.


class EnvironmentStartTimeoutError(TimeoutError):
    """The environment did not start in time."""


class AgentSetupTimeoutError(TimeoutError):
    """The agent's ``setup`` did not end in time."""


class AgentTimeoutError(TimeoutError):
    """The agent's ``run`` did not end in time."""


class VerifierTimeoutError(TimeoutError):
    """The verifier did not end in time."""


class RewardFileNotFoundError(FileNotFoundError):
    """The verifier left no reward file."""


class RewardFileEmptyError(Exception):
    """The verifier's reward file is empty."""


class VerifierOutputParseError(Exception):
    """The verifier's reward file holds no finite number, and no JSON object of such."""


# Running -------------------------------------------------------------------------------------------------------------


async def run_agent(
    agent: BaseAgent,
    environment: BaseEnvironment,
    instruction: str,
    *,
    timeout_sec: Optional[float] = None,
    setup_timeout_sec: Optional[float] = None,
    start_timeout_sec: Optional[float] = None,
    verify: Optional[str] = None,
    reward_file: Optional[str] = None,
    verify_timeout_sec: Optional[float] = None,
    task_name: str = "local",
    trial_name: Optional[str] = None,
    path: Union[str, pathlib.Path, None] = None,
    snapshot_sec: Optional[float] = 5.0
) -> TrialResult:
    """Start the environment, let the agent set up and run, verify, stop the environment; give the record of it all.

    What the agent raises, ``SystemExit`` included, is recorded and not raised: ``exception_info`` says what happened
    first, and ``agent_result`` holds the context as it stood then. A cancellation and a ``KeyboardInterrupt`` are
    recorded, the environment is stopped, and they are raised. The limits are in seconds: of ``run``, of ``setup``
    (None is the agent's default, 360), of the environment's start and of the verifier. An agent is stopped at its
    limit when it awaits something; one that never does cannot be.

    ``verify`` is a command, run in the environment after the agent, also after one that failed, as Harbor decides by
    the kind of exception. Its exit status 0 is a reward of 1.0, any other of 0.0; with ``reward_file``, that file of
    the environment is the reward: a number, or a JSON object of numbers. It is removed before.

    ``path`` is where the result is saved, first before anything starts, and while the agent runs every
    ``snapshot_sec`` (None or 0: not), from a thread of its own, so that a SIGKILL loses no more than that. Raises
    ``OSError`` where it cannot be saved at the start or at the end.
    """
    return await AgentRun(
        agent, environment, instruction, timeout_sec=timeout_sec, setup_timeout_sec=setup_timeout_sec,
        start_timeout_sec=start_timeout_sec, verify=verify, reward_file=reward_file,
        verify_timeout_sec=verify_timeout_sec, task_name=task_name, trial_name=trial_name, path=path,
        snapshot_sec=snapshot_sec).run()


class AgentRun:
    """A call of ``run_agent``, with ``result`` at hand also while it runs and after it was interrupted."""

    def __init__(
        self,
        agent: BaseAgent,
        environment: BaseEnvironment,
        instruction: str,
        *,
        timeout_sec: Optional[float] = None,
        setup_timeout_sec: Optional[float] = None,
        start_timeout_sec: Optional[float] = None,
        verify: Optional[str] = None,
        reward_file: Optional[str] = None,
        verify_timeout_sec: Optional[float] = None,
        task_name: str = "local",
        trial_name: Optional[str] = None,
        path: Union[str, pathlib.Path, None] = None,
        snapshot_sec: Optional[float] = 5.0
    ) -> None:
        limits = {
            "timeout_sec": timeout_sec, "setup_timeout_sec": setup_timeout_sec,
            "start_timeout_sec": start_timeout_sec, "verify_timeout_sec": verify_timeout_sec}
        for name, limit in limits.items():
            if limit is not None and not limit > 0:
                raise ValueError("Expected a %s above 0, got %r" % (name, limit))
        if snapshot_sec is not None and not snapshot_sec >= 0:
            raise ValueError("Expected a snapshot_sec of at least 0, got %r" % (snapshot_sec,))
        if reward_file is not None and verify is None:
            raise TypeError("A reward_file is written by a verifier; give its command as verify")
        self._agent = agent
        self._environment = environment
        self._instruction = instruction
        self._timeout_sec = timeout_sec
        if setup_timeout_sec is None:
            setup_timeout_sec = agent.DEFAULT_SETUP_TIMEOUT_SEC
        self._setup_timeout_sec = setup_timeout_sec
        self._start_timeout_sec = start_timeout_sec
        self._verify = verify
        self._reward_file = reward_file
        self._verify_timeout_sec = verify_timeout_sec
        self._path = None if path is None else os.path.abspath(os.fspath(path))
        self._snapshot_sec = snapshot_sec
        self.result = self._make_result(task_name, trial_name)

    def _make_result(self, task_name: str, trial_name: Optional[str]) -> TrialResult:
        # Harbor's reader wants a task with a place; one that is only a name is a relative path.
        result = TrialResult(
            task_name=task_name, trial_name="", trial_uri="", task_id=LocalTaskId(path=pathlib.Path(task_name)),
            task_checksum=hashlib.sha256(self._instruction.encode("utf-8", "surrogatepass")).hexdigest(), config={},
            agent_info=AgentInfo(name=type(self._agent).__name__, version="unknown"))
        if trial_name is None:
            short = re.sub(r"[^\w.-]+", "-", task_name.split("/")[-1])[:32].strip("-_")
            trial_name = "%s__%s" % (short, result.id.hex[:7])
        folder = pathlib.Path(self._agent.logs_dir if self._path is None else os.path.dirname(self._path)).absolute()
        result.trial_name = trial_name
        result.trial_uri = folder.as_uri()
        result.config = self._describe_config(task_name, trial_name, folder)
        if self._verify is not None:
            result.verifier_environment_mode = VerifierEnvironmentMode.SHARED
        return result

    def _describe_config(self, task_name: str, trial_name: str, folder: pathlib.Path) -> Dict[str, Any]:
        """Give the trial's configuration in the shape that Harbor's TrialConfig reads."""
        kind = type(self._environment)
        return {
            "task": {"path": task_name},
            "trial_name": trial_name,
            "trials_dir": str(folder.parent),
            "agent": {
                "import_path": self._agent.import_path(),
                "model_name": self._agent.model_name,
                "override_timeout_sec": self._timeout_sec,
                "override_setup_timeout_sec": self._setup_timeout_sec,
            },
            "environment": {"import_path": "%s:%s" % (kind.__module__, kind.__qualname__)},
            "verifier": {"disable": self._verify is None, "override_timeout_sec": self._verify_timeout_sec},
            "extra_instructions": [self._instruction],
        }

    async def run(self) -> TrialResult:
        """Run it, once, as ``run_agent`` says."""
        if self.result.started_at is not None:
            raise RuntimeError("An AgentRun runs once; make another one")
        self.result.started_at = _now()
        if self._path is not None:
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            save(self.result, self._path)
        snapshots = _Snapshots(self.result, self._path, self._snapshot_sec)
        interruption: Optional[BaseException] = None
        try:
            await self._run_phases()
        except GeneratorExit:  # the loop is gone, and nothing can be awaited
            snapshots.stop()
            raise
        except Exception as error:  # of a method that is no part of a phase, such as import_path
            self._record(error)
        except BaseException as error:
            self._record(error)
            interruption = error
        try:
            self._record(await finish(lambda: self._environment.stop(delete=True)))
        except BaseException as error:
            self._record(error)
            interruption = interruption or error
        self.result.finished_at = _now()
        snapshots.stop()
        if self._path is not None:
            save(self.result, self._path)
        if interruption is not None:
            raise interruption
        return self.result

    async def _run_phases(self) -> None:
        agent, environment, result = self._agent, self._environment, self.result
        agent.session_id = "%s__agent" % result.trial_name
        agent.context_id = result.id
        self._describe_agent()
        started = await self._run_phase(
            "environment_setup", EnvironmentStartTimeoutError, "Environment start", self._start_timeout_sec,
            lambda: environment.start(force_build=False))
        if started.error is not None or started.timed_out:
            return
        with environment.scoped_exec_env(agent.extra_env):
            ready = await self._run_phase(
                "agent_setup", AgentSetupTimeoutError, "Agent setup", self._setup_timeout_sec,
                lambda: agent.setup(environment=environment))
            if ready.error is not None or ready.timed_out:
                return
            # Some know their version only now.
            self._describe_agent()
            context = result.agent_result = AgentContext()
            try:
                ended = await self._run_phase(
                    "agent_execution", AgentTimeoutError, "Agent execution", self._timeout_sec,
                    lambda: agent.run(instruction=self._instruction, environment=environment, context=context))
                if ended.goes_on:
                    # What it does to its context from now on is no part of the result.
                    result.agent_result = _copy_context(context)
            finally:
                self._fill_context()
        if self._verify is not None and (result.exception_info is None or result.exception_info.policy.should_grade):
            await self._run_verifier(self._verify)

    async def _run_phase(
        self,
        name: str,
        timeout_error: Callable[[str], BaseException],
        title: str,
        limit_sec: Optional[float],
        call: Callable[[], Awaitable[Any]],
    ) -> Attempt:
        timing = TimingInfo(started_at=_now())
        setattr(self.result, name, timing)
        try:
            done = await attempt(call, limit_sec)
        finally:
            timing.finished_at = _now()
        if done.timed_out:
            text = "%s timed out after %g seconds" % (title, limit_sec or 0)
            error = timeout_error(text + ", and does not stop" if done.goes_on else text)
            # What it was doing when it was stopped.
            error.__cause__ = done.error
            self._record(error)
        elif isinstance(done.error, KeyboardInterrupt):
            raise done.error
        else:
            self._record(done.error)
        return done

    def _describe_agent(self) -> None:
        try:
            self.result.agent_info = self._agent.to_agent_info()
        except Exception as error:
            self._record(error)

    def _fill_context(self) -> None:
        context = self.result.agent_result
        # Not is_empty(): it warns of values that are of the wrong type.
        if context is None or any(value is not None for value in vars(context).values()):
            return
        try:
            self._agent.populate_context_post_run(context)
        except Exception as error:
            self._record(error)

    async def _run_verifier(self, command: str) -> None:
        reward_file = self._reward_file

        async def grade() -> Dict[str, Union[float, int]]:
            if reward_file is not None:
                await self._environment.exec("rm -f -- " + shlex.quote(reward_file))
            done = await self._environment.exec(command)
            if reward_file is None:
                return {"reward": 0.0 if done.return_code else 1.0}
            return _parse_rewards(await self._environment.exec("cat -- " + shlex.quote(reward_file)), reward_file)

        graded = await self._run_phase("verifier", VerifierTimeoutError, "Verifier", self._verify_timeout_sec, grade)
        if graded.value is not None and not graded.timed_out:
            self.result.verifier_result = VerifierResult(rewards=graded.value)

    def _record(self, error: Optional[BaseException]) -> None:
        """Keep an exception, unless there is an earlier one, of which it is then likely to be a consequence."""
        if error is not None and self.result.exception_info is None:
            self.result.exception_info = _describe_exception(error)


def _copy_context(context: AgentContext) -> AgentContext:
    try:
        return context.model_copy(deep=True)
    except Exception:  # metadata can hold anything
        return context.model_copy()


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc)


def _describe_exception(error: BaseException) -> ExceptionInfo:
    try:
        info = ExceptionInfo.from_exception(error)
    except Exception as failure:  # of its own method that gives the text
        trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        info = ExceptionInfo(
            exception_type=type(error).__name__, exception_message="<no text: %s>" % type(failure).__name__,
            exception_traceback=trace, occurred_at=_now())
    # The name of a file, for example, may be no Unicode.
    info.exception_message = escape_text(info.exception_message)
    info.exception_traceback = escape_text(info.exception_traceback)
    return info


# Rewards -------------------------------------------------------------------------------------------------------------


def _parse_rewards(shown: ExecResult, name: str) -> Dict[str, Union[float, int]]:
    if shown.return_code:
        raise RewardFileNotFoundError("No reward file %r: %s" % (name, (shown.stderr or "").strip()))
    text = (shown.stdout or "").strip()
    if not text:
        raise RewardFileEmptyError("Reward file %r is empty" % name)
    try:
        found: Any = float(text)
    except ValueError:
        try:
            found = json.loads(text)
        except ValueError:
            raise VerifierOutputParseError("Reward file %r holds neither a number nor JSON" % name) from None
    rewards = found if isinstance(found, dict) else {"reward": found}
    for key, value in rewards.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise VerifierOutputParseError("Expected a finite number for %r in %r, got %r" % (key, name, value))
    return rewards


# Snapshots -----------------------------------------------------------------------------------------------------------


class _Snapshots:
    """Saves a result every so often from a thread, which an agent that blocks the event loop does not hold up."""

    def __init__(self, result: TrialResult, path: Optional[str], interval_sec: Optional[float]) -> None:
        self._result = result
        self._path = path
        self._interval_sec = interval_sec or 0.0
        self._ended = threading.Event()
        self._thread: Optional[threading.Thread] = None
        if path is not None and interval_sec:
            self._thread = threading.Thread(target=self._save_often, name="harbor-snapshots", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _save_often(self) -> None:
        while not self._ended.wait(self._interval_sec):
            for _ in range(_SNAPSHOT_TRIES):
                if self._save_once():
                    break

    def _save_once(self) -> bool:
        try:
            # Enough to outlive a kill; the disk is waited for at the end.
            save(self._result, self._path or "", sync=False)
        except OSError as error:
            _LOGGER.warning("Could not save a snapshot: %s", error)
        except Exception:  # the agent changed something while it was looked at
            return False
        return True
''')


# ====================================================================================================================
# harbor/usage_tally.py, which runs when it is first used
# ====================================================================================================================

_later("usage_tally", "count_parts join_parts read_cost read_count _take", r'''
"""Totals of tokens and cost while they are summed: what ``harbor.usage`` gives as its own, without its classes.

In: contexts, trials, totals. Out: ``UsageTotals``. One record at a time is looked at, and none is kept.
"""

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union

__all__ = ["COUNT_NAMES", "PackedUsage", "UsageTally"]

#: The number of contexts, the sums by quantity, the same of each model, how many had none, how often what was wrong.
PackedUsage = Tuple[int, Dict[str, List[int]], Dict[str, Any], int, Dict[Tuple[str, str], int]]

COUNT_NAMES = ("n_input_tokens", "n_cache_tokens", "n_uncached_tokens", "n_output_tokens")
_SUM_NAMES = (*COUNT_NAMES, "cost_usd")
_READ_NAMES = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")


class UsageTally:
    """Totals while they are summed, in place: for many records, or for several groups of them at once.

    ``totals()`` gives what has been added so far, and adding may go on. ``pack()`` gives it as plain values, for
    another process to add.
    """

    def __init__(self) -> None:
        self._n_contexts = 0
        # For each quantity: known, unknown, exact.
        self._sums: Dict[str, List[int]] = {name: [0, 0, 0] for name in _SUM_NAMES}
        self._by_model: Dict[str, UsageTally] = {}
        self._n_without_models = 0
        self._problems: Dict[Tuple[str, str], int] = {}

    def add_context(self, context: Union["AgentContext", Dict[str, Any], None]) -> None:
        """Add a context, or a dict of one; None stands for a run of which nothing is known."""
        self._add_numbers(context)
        usages: Any = context.get("model_usage") if isinstance(context, dict) else getattr(context, "model_usage", None)
        if not isinstance(usages, dict):
            self._n_without_models += 1
            if usages is not None:
                self._note_problem("model_usage", "not a record")
            return
        for name, usage in usages.items():
            if not (isinstance(usage, dict) or hasattr(usage, "n_input_tokens")):
                self._note_problem("model_usage", "not a record")
                usage = None
            self._by_model.setdefault(str(name), UsageTally())._add_numbers(usage)

    def add_trial(self, trial: "TrialResult") -> None:
        """Add the contexts of a trial, as ``UsageTotals.of_trial`` does."""
        if trial.agent_result is not None:
            self.add_context(trial.agent_result)
            return
        for context in [step.agent_result for step in trial.step_results or ()] or [None]:
            self.add_context(context)

    def add_totals(self, totals: "UsageTotals") -> None:
        """Add totals."""
        self.add_packed(_pack_totals(totals))

    def pack(self) -> "PackedUsage":
        """Give what was added as tuples, lists and dicts of numbers and texts."""
        by_model = {name: tally.pack() for name, tally in self._by_model.items()}
        return self._n_contexts, self._sums, by_model, self._n_without_models, self._problems

    def add_packed(self, packed: "PackedUsage") -> None:
        """Add what another tally gave packed."""
        n_contexts, sums, by_model, n_without_models, problems = packed
        self._n_contexts += n_contexts
        self._n_without_models += n_without_models
        for name, own in self._sums.items():
            for place, number in enumerate(sums[name]):
                own[place] += number
        for name, of_model in by_model.items():
            self._by_model.setdefault(name, UsageTally()).add_packed(of_model)
        for problem, count in problems.items():
            self._problems[problem] = self._problems.get(problem, 0) + count

    def read_sum(self, name: str) -> Tuple[Optional[float], int]:
        """Give the value of a total by its name in ``UsageTotals``, None where nothing is known, and what is unknown.

        ``totals()`` gives the same, and imports what it is made of, which takes as long as to sum hundreds of records.
        """
        known, unknown, exact = self._sums[name]
        value = join_parts(exact) if name == "cost_usd" else exact
        return value if known else None, unknown

    @property
    def problems(self) -> Dict[Tuple[str, str], int]:
        """What ``UsageTotals`` calls so, so far."""
        return dict(self._problems)

    def totals(self) -> "UsageTotals":
        """Give the totals of what was added."""
        CostTotal = _take("CostTotal")
        CountTotal = _take("CountTotal")
        UsageTotals = _take("UsageTotals")

        counts = {name: CountTotal(*self._sums[name]) for name in COUNT_NAMES}
        return UsageTotals(
            n_contexts=self._n_contexts, cost_usd=CostTotal(*self._sums["cost_usd"]),
            by_model={name: tally.totals() for name, tally in self._by_model.items()},
            n_without_models=self._n_without_models, problems=self.problems, **counts)

    def _add_numbers(self, usage: Any) -> None:
        """Add the numbers of a context or of one model's usage, or None for unknown ones."""
        self._n_contexts += 1
        # A dict is what somebody assigned in place of a ModelUsage.
        numbers = usage if isinstance(usage, dict) else {name: getattr(usage, name, None) for name in _READ_NAMES}
        n_input = self._add_count("n_input_tokens", numbers)
        n_cache = self._add_count("n_cache_tokens", numbers)
        self._add_count("n_output_tokens", numbers)
        uncached = None if n_input is None or n_cache is None else n_input - n_cache
        if uncached is not None and uncached < 0:
            self._note_problem("n_cache_tokens", "above n_input_tokens")
            uncached = None
        self._add_exact("n_uncached_tokens", uncached)
        cost, fault = read_cost(numbers.get("cost_usd"))
        if fault:
            self._note_problem("cost_usd", fault)
        self._add_exact("cost_usd", None if cost is None else count_parts(cost))

    def _add_count(self, name: str, numbers: Dict[str, Any]) -> Optional[int]:
        count, fault = read_count(numbers.get(name))
        if fault:
            self._note_problem(name, fault)
        self._add_exact(name, count)
        return count

    def _add_exact(self, name: str, number: Optional[int]) -> None:
        sums = self._sums[name]
        if number is None:
            sums[1] += 1
        else:
            sums[0] += 1
            sums[2] += number

    def _note_problem(self, name: str, problem: str) -> None:
        self._problems[name, problem] = self._problems.get((name, problem), 0) + 1


def _pack_totals(totals: "UsageTotals") -> PackedUsage:
    found = {name: getattr(totals, name) for name in _SUM_NAMES}
    return (
        totals.n_contexts, {name: [total.known, total.unknown, total.exact] for name, total in found.items()},
        {name: _pack_totals(of_model) for name, of_model in totals.by_model.items()}, totals.n_without_models,
        totals.problems)
''')


# ====================================================================================================================
# harbor/usage.py, which runs when it is first used
# ====================================================================================================================

_later("usage", "join_parts COUNT_NAMES UsageTally", r'''
"""Totals of tokens and cost that keep unknown apart from zero.

In: contexts, trials, any number of either, one at a time. Out: totals, each with how many values were known and how
many were not, so that a sum beside unknown values shows that it is only a lower bound. Nothing is read from files
here, and nothing is kept of what was added but the totals.
"""

import dataclasses
from typing import TYPE_CHECKING, Any, Dict, Iterable, Optional, Tuple, TypeVar

__all__ = ["CostTotal", "CountTotal", "Total", "UsageTally", "UsageTotals"]

T = TypeVar("T", bound="Total")


@dataclasses.dataclass(frozen=True)
class Total:
    """A sum: how many values were known, how many unknown, and ``exact``, the sum of the known ones.

    ``value`` is that sum as a number, None where nothing was known. ``str()`` gives "1,234", "unknown", or
    "at least 1,234 (2 unknown)".
    """

    known: int = 0
    unknown: int = 0
    exact: int = 0

    @property
    def value(self) -> Optional[float]:
        """The sum; None where nothing was known."""
        raise NotImplementedError

    @property
    def is_lower_bound(self) -> bool:
        """Whether the true sum may be higher, because some of what belongs to it is unknown."""
        return self.unknown > 0

    def merge(self: T, other: T) -> T:
        """Give the total of both."""
        return type(self)(self.known + other.known, self.unknown + other.unknown, self.exact + other.exact)

    def as_dict(self) -> Dict[str, Any]:
        """Give ``total`` (None where nothing is known), ``known``, ``unknown`` and ``is_lower_bound``, for JSON."""
        return {
            "total": self.value, "known": self.known, "unknown": self.unknown, "is_lower_bound": self.is_lower_bound}

    def __str__(self) -> str:
        if self.value is None:
            return "unknown"
        text = self._format_value()
        return "at least %s (%d unknown)" % (text, self.unknown) if self.unknown else text

    def _format_value(self) -> str:
        return "{:,}".format(self.value)


class CountTotal(Total):
    """A sum of counts, such as tokens."""

    @property
    def value(self) -> Optional[int]:
        """The sum; None where nothing was known."""
        return self.exact if self.known else None


class CostTotal(Total):
    """A sum of costs in US dollars; ``exact`` is in units of 2**-1074 dollars, in which every float is whole.

    The sum is therefore exact, whatever the order and grouping, and is rounded once, by ``value``.
    """

    @property
    def value(self) -> Optional[float]:
        """The sum, rounded to the nearest float; infinity above every float, None where nothing was known."""
        return join_parts(self.exact) if self.known else None

    def _format_value(self) -> str:
        return "${!r}".format(self.value)


@dataclasses.dataclass(frozen=True)
class UsageTotals:
    """Totals over contexts: tokens and cost as ``Total``, the same for each model, and what could not be summed.

    Never changes: ``merge`` and ``+`` give a new one. They are associative and commutative, and ``UsageTotals()`` is
    their identity, so any fold will do; totals of the same contexts are equal, however they came about.

    ``n_input_tokens`` includes the cached tokens; ``n_uncached_tokens`` is input less cached, known where both are
    known for the same context. ``by_model`` sums the ``model_usage`` of the contexts that have it, and
    ``n_without_models`` counts the others. ``problems`` maps the name of a field and what was wrong with its value
    to how often that happened: "bool", "not a number", "nan", "infinite", "negative", "fractional", "not a record"
    (such a value is not summed but counted as unknown) and "above n_input_tokens" of cached tokens (which are summed
    all the same).
    """

    n_contexts: int = 0
    n_input_tokens: CountTotal = CountTotal()
    n_cache_tokens: CountTotal = CountTotal()
    n_uncached_tokens: CountTotal = CountTotal()
    n_output_tokens: CountTotal = CountTotal()
    cost_usd: CostTotal = CostTotal()
    by_model: Dict[str, "UsageTotals"] = dataclasses.field(default_factory=dict)
    n_without_models: int = 0
    problems: Dict[Tuple[str, str], int] = dataclasses.field(default_factory=dict)

    @classmethod
    def of_context(cls, context: Optional["AgentContext"]) -> "UsageTotals":
        """Give the totals of one context; None stands for a run of which nothing is known."""
        return cls.of_contexts((context,))

    @classmethod
    def of_contexts(cls, contexts: Iterable[Optional["AgentContext"]]) -> "UsageTotals":
        """Sum contexts, taking one at a time."""
        tally = UsageTally()
        for context in contexts:
            tally.add_context(context)
        return tally.totals()

    @classmethod
    def of_trial(cls, trial: "TrialResult") -> "UsageTotals":
        """Sum the contexts of a trial: its own, else those of its steps.

        A step without a context counts as one of which nothing is known, and so does a trial without any.
        """
        return cls.of_trials((trial,))

    @classmethod
    def of_trials(cls, trials: Iterable["TrialResult"]) -> "UsageTotals":
        """Sum trials, taking one at a time, each as ``of_trial`` does."""
        tally = UsageTally()
        for trial in trials:
            tally.add_trial(trial)
        return tally.totals()

    def merge(self, other: "UsageTotals") -> "UsageTotals":
        """Give the totals of both; ``functools.reduce(UsageTotals.merge, parts, UsageTotals())`` sums parts."""
        if not isinstance(other, UsageTotals):
            raise TypeError("Expected UsageTotals to merge, got %r; of_context and of_trial make them" % (other,))
        tally = UsageTally()
        tally.add_totals(self)
        tally.add_totals(other)
        return tally.totals()

    def __add__(self, other: "UsageTotals") -> "UsageTotals":
        return self.merge(other) if isinstance(other, UsageTotals) else NotImplemented

    def as_dict(self) -> Dict[str, Any]:
        """Give everything as dicts, lists and numbers, for JSON; costs are rounded, models in order of their names."""
        shown = self._show_numbers()
        shown["n_without_models"] = self.n_without_models
        shown["by_model"] = {name: self.by_model[name]._show_numbers() for name in sorted(self.by_model)}
        return shown

    def _show_numbers(self) -> Dict[str, Any]:
        shown: Dict[str, Any] = {"n_contexts": self.n_contexts}
        for name in (*COUNT_NAMES, "cost_usd"):
            shown[name] = getattr(self, name).as_dict()
        shown["problems"] = [
            {"field": field, "problem": problem, "count": self.problems[field, problem]}
            for field, problem in sorted(self.problems)]
        return shown
''')


# ====================================================================================================================
# What each part has: public names, others; and imported ones, if it runs at once
# ====================================================================================================================

_open_package({
    "models": ("", "", ""),
    "models.agent": ("", "", ""),
    "codec": ("""
        Field FieldInfo Model SerializationError TypeAdapter ValidationError computed_field model_dump model_dump_json
        model_validate model_validate_json""", "_MODULES", "Any List TYPE_CHECKING sys"),
    "codec.declared": ("FieldSpec OnDemand computed_field engine fields_of", """
        ON_DEMAND UNGIVEN _FirstUse _Ungiven copy_deeply default_of is_class_var is_from_dataclasses own_annotations
        unquote_early""", """
        Any ClassVar Dict List Optional TYPE_CHECKING sys typing"""),
    "codec.legacy": ("""
        PydanticDeprecatedSince20 PydanticDeprecatedSince211 PydanticDeprecationWarning PydanticUserError""", """
        L LegacyModel LegacyType _TEXTS _UNSET _validate_as _warn_of_instance deprecated warn_of""", """
        Any Callable Dict Iterable List Optional Set TYPE_CHECKING Tuple Type TypeVar Union copy_deeply"""),
    "codec.model": ("Field FieldInfo Model", """
        M ModelMetaclass _CONFIG_NAMES _EVEN_OPTIONS _STATE _declare_field _declare_fields _hash_fields _is_field
        _is_hashable _plan_of_model _refuse_change _set_state _settle_attribute _skip_check_options _skip_dump_options
        _skip_json_options _skip_text_options _suit_ordinary dataclass_transform standard_field""", """
        Any Callable ClassVar Dict FieldSpec FrozenSet Iterator LegacyModel LegacyType List MemberDescriptorType
        ON_DEMAND OnDemand Optional Set TYPE_CHECKING Tuple Type TypeVar UNGIVEN Union copy_deeply default_of engine
        fields_of functools is_class_var is_from_dataclasses own_annotations sys unquote_early"""),
    "models.agent.rollout_detail": ("RolloutDetail", "", "Any Dict List TypedDict"),
    "models.agent.context": ("AgentContext ModelUsage", """
        _expect_cached_within _expect_cost _expect_count _refuse_number""", """
        Any Callable Dict Field List Mapping Model Optional RolloutDetail"""),
    "agents": ("", "", ""),
    "environments": ("", "", ""),
    "environments.base": ("BaseEnvironment ExecResult LocalPath UserName", "_overlays", ""),
    "agents.capabilities": ("AgentCapabilities", "", ""),
    "agents.base": ("BaseAgent", """
        _CAPABILITY_FLAGS _CONTAINER_LOGS _UNPARSED_PROVIDER""", ""),
    "codec.adapter": ("""
        TypeAdapter model_dump model_dump_json model_validate model_validate_json""", "AdaptedT _refuse_partial", ""),
    "codec.errors": ("SerializationError ValidationError", """
        Fault Invalid LoadFault _DOCS _LINKS_SWITCH _RENDER_JSON _UNLISTED _WORDING _describe_fault _restore_fault
        _show_step clip_repr register_json_writer replace_surrogates safe_repr""", ""),
    "codec.hints": ("Hint describe_type record_hints typed_dict_hints", """
        _KEY_MARKS _MODERN_UNION _NAMED _SCALARS _describe_class _describe_form _describe_union _key_mark
        _literal_values _place _show_type _unquote resolve_return""", ""),
    "codec.moments": ("""
        MomentError make_zone read_datetime read_datetime_bytes read_datetime_number read_uuid read_uuid_bytes
        write_date write_datetime write_time write_timedelta""", """
        _FormMatcher _MOMENT_FORM _MOMENT_TOO_SHORT _MOMENT_TRAILING _MOMENT_YEAR_0 _MONTH_DAYS _PLAIN_FORM _UNIX_FORM
        _UNIX_WATERSHED _UNIX_YEAR_0 _UNIX_YEAR_1 _UNIX_YEAR_10000 _UUID_FORM _UUID_GROUP_STARTS _UUID_HEX_DIGITS
        _UUID_LONGEST _UUID_URN _define_zone_class _encode_moment _find_unix_number _find_uuid_fault
        _find_uuid_text_fault _fits_64_bits _form_matchers _make_unix_datetime _match_form _read_calendar _read_clock
        _read_clock_digits _read_date_alone _read_fraction _read_odd_datetime _read_zone_offset _refuse_datetime
        _refuse_uuid _round_half_up _skip_clock_byte _split_unix _write_clock _write_offset _write_span_part
        _zone_class _zones""", ""),
    "codec.text": ("", "", ""),
    "codec.text.growing": ("Cuts cut_lists write_lists", """
        _BYTE_MARKS _History _INTS_AT_ONCE _INT_ONLY _KEY_WIDTH _LONG _LOOK_BUDGET _LOOK_COST _ListEnd _MOST_UNITS
        _Marks _PACKED _TEXT_MARKS _add_piece _find_key _match_pieces _pack _pack_alone _read_growing _skip_space
        _write_ints _write_rest consist_of""", ""),
    "codec.text.writing": ("""
        Pairs format_float is_plain Layout join_pieces make_layout quote write_members render write_float_list
        write_int_lists write_plain write_plain_at""", """
        _COMPACT _CONTAINERS _DIGITS_WRITTEN _EXACT_KINDS _FEW_AMONG _FEW_MEMBERS _FLAT_KINDS _FLOAT_MAX _FLOAT_ONLY
        _INF_NAN_WORDS _LONG_KEY _MOST_KEY_TEXTS _NONE_TYPE _NUMBER_KINDS _PLAIN_DEPTH _SETTLED_KINDS _dict_members
        _encode_plain _encoders_cache _escape_wide _find_odd _format_int _has_odd_float _key_texts _list_members
        _load_encode _load_quote _look_into _mend_floats _quote_cache _refuse_surrogates _to_digits _wide_pattern
        _widen _write_at_once _write_key _write_scalar _write_tree write_tree_at""", ""),
    "codec.plan.base": ("", """
        Build CheckCall DumpCall EXACT LAX Mismatch NOT_COPIED NO_TYPES NotQuick Plan RepeatedKeys RepeatedObject
        STRICT _KEPT _MAKERS _MAX_NESTED _place_of _quote_key build_plan check_part demand_text forget_repeats is_from
        kept_plan register_kind""", ""),
    "codec.plan.filters": ("", """
        _ALL _as_dict _fit_index _is_whole _look_up _look_up_dict _merge_selections filter_key fit_indexes""", ""),
    "codec.plan.anything": ("", """
        AnyPlan SerializationIterator _ANY _COPY_DEPTH _DUMPERS _ENDS _FAMILIES _KNOWN_FAMILIES _MAX_DEPTH _NESTING
        _PLAIN_TYPES _decode _describe_bad_utf8 _dump_bytes _dump_dataclass _dump_deque _dump_dict _dump_enum
        _dump_float _dump_fraction _dump_int _dump_iterator _dump_list _dump_model _dump_plain _dump_set _dump_str
        _dump_tuple _dump_unknown _family_of _find_family _json_key _make_any _name_family _write_complex
        _write_pattern _written check_name check_text choose_items copy_plain dump_any dump_any_key is_known_kind
        make_object show_class unknown_type""", ""),
    "codec.plan.scalars": ("", """
        BoolPlan BoundedPlan FloatPlan IntPlan LIMIT_NAMES NonePlan ScalarPlan StrPlan _FALSE_WORDS _INFINITIES _INT64
        _LENGTH_WORDS _LIMITS _LIMITS_IN_ORDER _LIMIT_WORDS _MAX_DIGITS _MAX_RATIO_DIGITS _NUMBER_PATTERNS
        _NUMBER_WORDS _SPACE _TRUE_WORDS _exactness_of_text _fit_limit _number_pattern _plain_int _read_float
        _read_int _refuse_kin _register_scalars _text_of _whole_number _whole_ratio number_of read_digits""", ""),
    "codec.plan.choices": ("", """
        EnumPlan LiteralPlan OptionalPlan UnionPlan ValueLookup _ENUM_BASES _INT64_SIZE _JSON_TYPES _LOOKED_UP
        _NOTHING _describe_values _explain _is_better _make_optional _make_union _rank_equal _unwrap_reason
        list_choices""", ""),
    "codec.plan.containers": ("", """
        DictPlan KeyPlan ListPlan TEXT_ONLY TypedDictPlan _FLOATS _INTS _NO_LISTS _guard_iteration _make_dict
        _make_list check_extra_keys describe_exception gather_growing key_step place_faults takes_any_values""", ""),
    "codec.plan.flat": ("""
        FlatCopier FlatFiller FlatLoader FlatWriter make_flat_copier make_flat_filler make_flat_writer""", "_KINDS _can_be_code _define _unpack", ""),
    "codec.plan.records": ("", """
        AfterPlan FieldPlan RecordPlan _AttributeSource _FREQUENT _REPR_TYPES _SINGLE_MODULES _SINGLE_TYPES
        _STATE_SLOTS _bound_plan _check_keywords _decline _demand_keywords _find_computed _has_attributes _is_left_out
        _is_single _model_base _write_exactly refuse_value""", ""),
    "codec.plan.values": ("", """
        DatetimePlan PathPlan UuidPlan _ValuePlan _register_values""", ""),
    "codec.plan": ("", "_FAMILIES_OF_KINDS plan_of", ""),
    "codec.text.reading": ("""
        JsonError NotText parse parse_exact parse_ordinary parse_repeats repeats_keys""", """
        _BRACKETS _DEPTH_LIMIT _DEPTH_PIECE _DIGITS_BLOCK _DIGITS_LIMIT _DIGITS_SURE _Document _ESCAPES _Grammar
        _NAMED_VALUES _NOT_BRACKETS _NOT_FOUND _Opened _READ_FAULTS _SHORT _after _bad_number _decoder_with _fault
        _grammar_cache _has_lone_escape _has_long_digits _is_ordinary _is_shallow _load_grammar _load_loads
        _loads_cache _lone_escape _make_scanner _may_be_deep _parse_growing _read_four _read_hex _read_key
        _read_list_text _read_number _read_numbers _read_separator _read_start _read_string _read_word _scan _scan_all
        _to_int""", ""),
    "codec.calls": ("""
        check_document check_value dump_document dump_value make_check_call make_dump_call parse_small""", """
        _EXTRA_WORDS _GROWING_DOCUMENT _NON_FINITE_WORDS _WARNING_WORDS _demand _demand_flag _dump_root _give_warnings
        _level_of_caller _name_instance _read_indent _word_today _write_errors read_warnings""", ""),
    "codec.legacy_calls": ("load_file load_raw name_kind open_both pick_items", """
        _SEQUENCES _is_all _join_selections _open_selection _pick_parts _settle_indexes""", ""),
    "codec.schema": ("PydanticJsonSchemaWarning SchemaBook make_schema", """
        _MODES _PRIMITIVES _UNION_FORMATS _count_references _describe_default _name_classes _names_class _plain_name
        _primitive_types _sort_set _write""", ""),
    "codec.signature": ("describe_signature", "_Shown _WORDS _show_hint", ""),
    "models.trial": ("", "", ""),
    "models.trial.outcomes": ("choose_reward is_timeout", "", ""),
    "files": ("discard_file name_temporary read_file replace_file", """
        _BINARY _CLOEXEC _PIECE _READ _WRITE _demand_regular _find_mode _set_mode _sync_folder""", ""),
    "trial_files": ("""
        RESULT_NAME TrialEncodingError TrialMissingError TrialReadError TrialRollupError TrialShapeError
        TrialSyntaxError TrialTruncatedError TrialUnreadableError is_rollup name_bad_shape name_bad_text name_rollup
        read_result walk_trials""", """
        _FAULTS_KEPT _Folder _HAS_JUNCTIONS _HEAD_SIZE _JUNCTION _MARKS _TELLING_KEY _TRIAL_FOLDERS _TRIAL_NAMES
        _Trees _identify _list_above _name_os_error _tell_folder _tell_look""", ""),
    "digests": ("""
        DIGEST_SIZE_LIMIT TrialDigest digest_document digest_trial find_failure""", """
        _AGENT_SIZE_LIMIT _CONFIG_DEPTH_LIMIT _CONFIG_END _CONFIG_SIZE_LIMIT _CONFIG_START _COUNT_TYPES _EXACT_LIMIT
        _MISSING _MOST_AGENTS _MOST_KEYS _MOST_SHAPES _MOST_TASK_IDS _NO_OBJECT _NO_TEXT _OBJECT_END _RIGHT_INSIDE
        _RIGHT_PARTS _SMALL _STEP_PHASES _STR _TEXT_TYPES _TRIAL_PHASES _Unusual _configs _digest _gather_phases
        _insist _insist_cost _insist_counts _insist_moment _insist_task_id _join_model _make_fault _match_moment
        _match_uuid _mend _search_letter _search_names _skip_config _take_context _take_exception _take_rewards
        _task_ids""", ""),
    "environments.processes": ("""
        Attempt Children CommandOutcome attempt finish run_until_signal yield_to_others""", """
        MARK_VARIABLE PrintedStream _Capture _Found _KILL_ROUNDS _LINGER_SEC _PATIENCE_SEC _POLL_SEC _REAP_SEC _cancel
        _cancel_rest _hold _look_at _send_signal _set_handlers _settle end_processes find_processes has_group
        has_process kill_processes""", ""),
    "environments.transfer": ("""
        PathEscapeError copy_file copy_tree remove_tree resolve_inside""", """
        TransferPath _CHUNK_SIZE _MODE_BITS _Tree _expect_link_inside _is_inside _list_tree _make_link _open_folders""", ""),
    "environments.local": ("LocalEnvironment", """
        _CANNOT_START _TIMED_OUT _clear_away _copy_to _drive _expect_own_user""", ""),
    "forms": ("FormGiver add_extras describe_value escape_text", """
        RecordT _ANYTHING _BYTE_KINDS _INT_LIMIT _LEVELS_LIMIT _LIST_KINDS _NO_FORM _PLAIN_KINDS _ROLLOUT_KEYS
        _add_extras_to _add_missing _any_adapter _can_hold_anything _convert _has_unknown_keys _is_same _is_too_long
        _name_key _show _starts_oddly""", ""),
    "models.task": ("", "", ""),
    "models.task.config": ("VerifierEnvironmentMode", "", ""),
    "models.task.id": ("GitTaskId LocalTaskId PackageTaskId", """
        _PACKAGE_CACHE _SHA256_PREFIX _SHORT_UUID_DIGITS _SHORT_UUID_LENGTH _TASK_CACHE _short_uuid _stay_inside""", ""),
    "models.verifier": ("", "", ""),
    "models.verifier.result": ("VerifierResult", "", ""),
    "models.trial.error_policy": ("ErrorPolicy ErrorPolicyOverride policy_for", "_GROUPS _POLICIES _UNKNOWN", ""),
    "models.trial.result": ("""
        AgentInfo ExceptionInfo ModelInfo StepResult TimingInfo TrialResult""", "TokenCostTotals _time_between", ""),
    "mending": ("mend_trial", """
        _ABSENT _MENDS _MENDS_BY_LENGTH _Mend _NO_CURE _NO_MOMENT _OUT _Place _ROLLOUT _ROUNDS _TIMINGS _escape_all
        _find_mends _lack_to _mend_place _mend_places _null_to _null_to_nothing _pattern _read_loosely _show_place
        _show_value _text_to _to_known_text _to_metadata _to_model _to_none _to_nothing _to_rewards _to_task_id
        _to_text""", ""),
    "models.agent.numbers": ("count_parts join_parts read_cost read_count", "_INFINITY _PARTS _PARTS_BITS _is_bool", ""),
    "rollout_findings": ("""
        FINDING_KINDS Finding RolloutError describe_break format_count make_finding name_type show_value""", "_HARMLESS _WORDINGS", ""),
    "rollout_parts": ("History PromptBreak RolloutParts", """
        _COMPLETIONS _EXTRA _End _LOGPROBS _PROMPTS _find_anchored _find_difference _find_fixed _fit_lengths
        _has_same_ids _list_lengths _list_turns _starts_with""", ""),
    "rollout_checks": ("""
        are_logprobs are_token_ids check_context check_rollout""", """
        _ID_LIMIT _INFINITE _check_continuity _check_ids _check_logprobs _judge_logprob""", ""),
    "rollouts": ("""
        SequenceStart TrainingSequence Turn TurnSpan build_sequences iter_sequences iter_turns""", """
        MaskTurns _Options _RAGGED _build_rollout _choose_reward _count_missing _expect_no_fault _find_rewards _finish
        _iter_contexts _iter_parts _iter_rollouts _iter_sources _make_compact _refuse_rollout""", ""),
    "rollout_chart": ("RolloutChart", """
        _GAP _LEFT _LOWEST_STEP _MOST_BARS _PANEL _RIGHT _STEPS_OF_NAT _STYLE _TOP _TurnSums _WIDTH _draw_histogram
        _draw_ranges _draw_rules _draw_tokens _escape _find_ticks _format_tick _ignore _label_turns _make_bar
        _make_text _place_bars _say_nothing _shorten""", ""),
    "trials": ("""
        TrialOutcome TrialReading find_trials iter_trials load_trial read_trial save try_trial""", "TrialPath _SIZE_LIMIT _dump _name_failure", ""),
    "runner": ("""
        AgentRun AgentSetupTimeoutError AgentTimeoutError EnvironmentStartTimeoutError RewardFileEmptyError
        RewardFileNotFoundError VerifierOutputParseError VerifierTimeoutError run_agent""", """
        _LOGGER _SNAPSHOT_TRIES _Snapshots _copy_context _describe_exception _now _parse_rewards""", ""),
    "usage_tally": ("COUNT_NAMES PackedUsage UsageTally", "_READ_NAMES _SUM_NAMES _pack_totals", ""),
    "usage": ("CostTotal CountTotal Total UsageTotals", "T", ""),
})

__all__ = [
    "AgentContext",
    "Field",
    "FieldInfo",
    "Model",
    "ModelUsage",
    "RolloutDetail",
    "SerializationError",
    "TypeAdapter",
    "ValidationError",
    "computed_field",
    "model_dump",
    "model_dump_json",
    "model_validate",
    "model_validate_json",
]
