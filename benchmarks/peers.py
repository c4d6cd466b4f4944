"""What speed.py compares: this package, Harbor's own models, and other libraries with models of the same fields.

Each is used as its own documents recommend. A library that is not installed is named in `find_peers`' second result
and left out. Harbor and this package both import as `harbor`: `load_harbor` lets the installed one in for a moment.
"""

import dataclasses
import importlib
import importlib.metadata
import json
import pathlib
import sys
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

__all__ = [
    "PEERS", "ROOT", "Peer", "find_harbor", "find_peers", "get_version", "load_harbor", "load_ours", "make_floor",
    "make_own",
]

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULE = "harbor.models.agent.context"

Act = Callable[[Any], Any]


class Peer(NamedTuple):
    """A library and what it can do with the model; an act that it does not offer is None.

    ``check`` makes the model of a dict of Python values and ``build`` makes it without looking at them; ``load`` reads
    JSON text; ``dump_dict``, ``dump`` and ``dump_indented`` give a dict and JSON text, as ``str`` or ``bytes``.
    """

    name: str
    version: str
    is_pure: bool
    check: Act
    build: Act
    load: Act
    dump_dict: Act
    dump: Act
    dump_indented: Optional[Act] = None


def load_ours() -> Any:
    """Import the ``AgentContext`` of this checkout."""
    if sys.path[0] != str(ROOT):
        sys.path.insert(0, str(ROOT))
    return getattr(importlib.import_module(MODULE), "AgentContext")


def find_harbor() -> Optional[str]:
    """Give the folder that Harbor's distribution is installed in, or None."""
    try:
        return str(importlib.metadata.distribution("harbor").locate_file(""))
    except importlib.metadata.PackageNotFoundError:
        return None


def load_harbor() -> Any:
    """Import the ``AgentContext`` of the installed Harbor beside this package's; raises ``ImportError``."""
    folder = find_harbor()
    if folder is None:
        raise ImportError("Harbor is not installed")
    kept = _drop_modules()
    sys.path.insert(0, folder)
    try:
        context = getattr(importlib.import_module(MODULE), "AgentContext")
        context.model_validate({})  # whatever is put off until first use looks for the modules
    finally:
        sys.path.remove(folder)
        _drop_modules()
        sys.modules.update(kept)
    return context


def _drop_modules() -> Dict[str, Any]:
    """Take every module of either package out of the loaded ones, and give them."""
    names = [name for name in sys.modules if name.partition(".")[0] == "harbor"]
    return {name: sys.modules.pop(name) for name in names}


def get_version(name: str) -> str:
    """Give the version of an installed distribution; raises ``ImportError``."""
    return importlib.metadata.version(name)


def find_peers(names: Optional[List[str]] = None) -> Tuple[List[Peer], List[str]]:
    """Give the libraries that are installed, and the names of those that are not; ``names`` picks some."""
    found, absent = [], []
    for name, make in PEERS.items():
        if names is not None and name not in names:
            continue
        try:
            found.append(make())
        except ImportError:
            absent.append(name)
    return found, absent


# The fields, for libraries that know dataclasses ---------------------------------

_NUMBERS: List[Tuple[str, Any]] = [
    ("n_input_tokens", Optional[int]), ("n_cache_tokens", Optional[int]), ("n_output_tokens", Optional[int]),
    ("cost_usd", Optional[float])]
_LISTS: List[Tuple[str, Any]] = [
    ("prompt_token_ids", List[List[int]]), ("completion_token_ids", List[List[int]]), ("logprobs", List[List[float]])]


def _list_fields(rollout: Any) -> List[Tuple[str, Any, Any]]:
    fields = _NUMBERS + [("rollout_details", Optional[List[rollout]]), ("metadata", Optional[Dict[str, Any]])]
    return [(name, kind, None) for name, kind in fields]


def _list_rollout_fields() -> List[Tuple[str, Any, Any]]:
    return [(name, Optional[kind], None) for name, kind in _LISTS]


def _make_dataclasses(bases: Tuple[Any, ...] = (), decorate: Act = lambda cls: cls) -> Any:
    rollout = decorate(_place(dataclasses.make_dataclass("Rollout", _list_rollout_fields(), bases=bases)))
    return decorate(_place(dataclasses.make_dataclass("Context", _list_fields(rollout), bases=bases)))


def _place(cls: Any) -> Any:
    """Say where a class was made, which older Pythons do not, and where some libraries look its types up."""
    cls.__module__ = __name__
    return cls


def _build_with(context: Any, rollout: Any) -> Act:
    def build(values: Dict[str, Any]) -> Any:
        details = values.get("rollout_details")
        if details is not None:
            values = dict(values, rollout_details=[rollout(**detail) for detail in details])
        return context(**values)

    return build


def _get_rollout(context: Any) -> Any:
    """Give the class of the rollouts of a dataclass that `_make_dataclasses` made."""
    optional: Any = next(field.type for field in dataclasses.fields(context) if field.name == "rollout_details")
    return optional.__args__[0].__args__[0]


# The contenders ------------------------------------------------------------------


def make_own() -> Peer:
    """Give this package as a contender."""
    context = load_ours()
    version = getattr(importlib.import_module("harbor"), "__version__")
    return _make_pydantic_like("ours", version, context, is_pure=True)


def _make_pydantic_like(name: str, version: str, context: Any, is_pure: bool = False) -> Peer:
    def build(values: Dict[str, Any]) -> Any:
        # As an agent does: it is handed an empty one and sets its attributes.
        made = context()
        for key, value in values.items():
            setattr(made, key, value)
        return made

    return Peer(
        name, version, is_pure, lambda values: context(**values), build, context.model_validate_json,
        lambda made: made.model_dump(), lambda made: made.model_dump_json(),
        lambda made: made.model_dump_json(indent=4))


def make_floor() -> Peer:
    """Give what the standard library does by itself: `json` and a dataclass that looks at nothing."""
    context = _make_dataclasses()

    def build(values: Dict[str, Any]) -> Any:
        return context(**values)

    return Peer(
        "json + dataclass", sys.version.split()[0], True, build, build,
        lambda text: context(**json.loads(text)), dataclasses.asdict,
        lambda made: json.dumps(vars(made), ensure_ascii=False, separators=(",", ":")),
        lambda made: json.dumps(vars(made), ensure_ascii=False, indent=4))


def _make_harbor() -> Peer:
    return _make_pydantic_like("Harbor", get_version("harbor"), load_harbor())


def _make_pydantic() -> Peer:
    pydantic = importlib.import_module("pydantic")
    make_typed_dict = getattr(importlib.import_module("typing_extensions"), "TypedDict")
    rollout = make_typed_dict("Rollout", dict(_LISTS), total=False)
    context = pydantic.create_model(
        "AgentContext", **{name: (kind, default) for name, kind, default in _list_fields(rollout)})
    return _make_pydantic_like("pydantic", get_version("pydantic"), context)


def _make_msgspec() -> Peer:
    msgspec = importlib.import_module("msgspec")
    rollout = msgspec.defstruct("Rollout", _list_rollout_fields(), module=__name__)
    context = msgspec.defstruct("Context", _list_fields(rollout), module=__name__)
    encode = msgspec.json.Encoder().encode
    return Peer(
        "msgspec", get_version("msgspec"), False, lambda values: msgspec.convert(values, context),
        _build_with(context, rollout), msgspec.json.Decoder(context).decode, msgspec.to_builtins, encode,
        lambda made: msgspec.json.format(encode(made), indent=4))


def _make_orjson() -> Peer:
    orjson = importlib.import_module("orjson")
    context = _make_dataclasses()

    def build(values: Dict[str, Any]) -> Any:
        return context(**values)

    return Peer(
        "orjson + dataclass", get_version("orjson"), False, build, build,
        lambda text: context(**orjson.loads(text)), dataclasses.asdict, orjson.dumps)


def _make_mashumaro() -> Peer:
    mixin = importlib.import_module("mashumaro.mixins.json").DataClassJSONMixin
    context = _make_dataclasses(bases=(mixin,))
    return Peer(
        "mashumaro", get_version("mashumaro"), True, context.from_dict,
        _build_with(context, _get_rollout(context)), context.from_json, lambda made: made.to_dict(),
        lambda made: made.to_json())


def _make_cattrs() -> Peer:
    converter = importlib.import_module("cattrs.preconf.json").make_converter()
    context = _make_dataclasses()
    return Peer(
        "cattrs", get_version("cattrs"), True, lambda values: converter.structure(values, context),
        _build_with(context, _get_rollout(context)), lambda text: converter.loads(text, context),
        converter.unstructure, converter.dumps)


def _make_dacite() -> Peer:
    from_dict = importlib.import_module("dacite").from_dict
    context = _make_dataclasses()
    return Peer(
        "dacite", get_version("dacite"), True, lambda values: from_dict(context, values),
        _build_with(context, _get_rollout(context)), lambda text: from_dict(context, json.loads(text)),
        dataclasses.asdict, lambda made: json.dumps(dataclasses.asdict(made)))


def _make_dataclasses_json() -> Peer:
    context = _make_dataclasses(decorate=importlib.import_module("dataclasses_json").dataclass_json)
    return Peer(
        "dataclasses-json", get_version("dataclasses-json"), True, context.from_dict,
        _build_with(context, _get_rollout(context)), context.from_json, lambda made: made.to_dict(),
        lambda made: made.to_json())


def _make_dataclass_wizard() -> Peer:
    context = _make_dataclasses(bases=(importlib.import_module("dataclass_wizard").JSONWizard,))
    return Peer(
        "dataclass-wizard", get_version("dataclass-wizard"), True, context.from_dict,
        _build_with(context, _get_rollout(context)), context.from_json, lambda made: made.to_dict(),
        lambda made: made.to_json())


def _make_marshmallow() -> Peer:
    marshmallow = importlib.import_module("marshmallow")
    fields, schema = marshmallow.fields, marshmallow.Schema
    context = _make_dataclasses()
    rollout = _get_rollout(context)

    def make_after(cls: Any) -> Any:
        def make(self: Any, data: Dict[str, Any], **options: Any) -> Any:
            return cls(**data)

        return marshmallow.post_load(make)

    rollout_schema: Any = type("RolloutSchema", (schema,), {
        "prompt_token_ids": fields.List(fields.List(fields.Integer())),
        "completion_token_ids": fields.List(fields.List(fields.Integer())),
        "logprobs": fields.List(fields.List(fields.Float())),
        "make": make_after(rollout),
    })
    context_schema: Any = type("ContextSchema", (schema,), {
        "n_input_tokens": fields.Integer(allow_none=True),
        "n_cache_tokens": fields.Integer(allow_none=True),
        "n_output_tokens": fields.Integer(allow_none=True),
        "cost_usd": fields.Float(allow_none=True),
        "rollout_details": fields.List(fields.Nested(rollout_schema), allow_none=True),
        "metadata": fields.Dict(keys=fields.String(), allow_none=True),
        "make": make_after(context),
    })
    used = context_schema()
    return Peer(
        "marshmallow", get_version("marshmallow"), True, used.load, _build_with(context, rollout), used.loads,
        used.dump, used.dumps)


def _make_typedload() -> Peer:
    typedload = importlib.import_module("typedload")
    context = _make_dataclasses()
    return Peer(
        "typedload", get_version("typedload"), True, lambda values: typedload.load(values, context),
        _build_with(context, _get_rollout(context)), lambda text: typedload.load(json.loads(text), context),
        lambda made: typedload.dump(made, hidedefault=False),
        lambda made: json.dumps(typedload.dump(made, hidedefault=False)))


#: What makes each contender; it raises ``ImportError`` where the library is not installed.
PEERS: Dict[str, Callable[[], Peer]] = {
    "Harbor": _make_harbor,
    "pydantic": _make_pydantic,
    "msgspec": _make_msgspec,
    "orjson": _make_orjson,
    "mashumaro": _make_mashumaro,
    "cattrs": _make_cattrs,
    "dacite": _make_dacite,
    "dataclasses-json": _make_dataclasses_json,
    "dataclass-wizard": _make_dataclass_wizard,
    "marshmallow": _make_marshmallow,
    "typedload": _make_typedload,
}
