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
