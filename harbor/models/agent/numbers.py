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
