"""One validation or one dump from start to end: options in, plan in the middle, errors and warnings out.

In: a plan, a value and the options as the caller wrote them. Out: the result, ``ValidationError`` or
``SerializationError``. The options keep pydantic's names, types and complaints.
"""

import sys
import warnings as _warnings
from typing import Any, Callable, Dict, List, Optional

from .errors import Fault, Invalid, SerializationError, ValidationError, register_json_writer
from .plan import plan_of
from .plan.anything import dump_any
from .plan.base import NOT_COPIED, CheckCall, DumpCall, Plan, RepeatedKeys, RepeatedObject, check_part, forget_repeats
from .text.growing import Cuts
from .text.reading import JsonError, NotText, parse, parse_repeats, repeats_keys
from .text.writing import render

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
