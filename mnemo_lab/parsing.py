"""``"name(k=v)"`` to a frozen dataclass: literals only, nothing is evaluated."""

from __future__ import annotations

import ast
import math
import sys
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, Literal, TypeVar, Union

from mnemo_lab.errors import InvalidInput, UnknownName

T = TypeVar("T")


def split_call(text: str) -> tuple[str, dict[str, Any]]:
    """Split ``"hybrid(k=20)"`` into its name and literal keyword arguments; a bare name has none."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InvalidInput(f"cannot read {text!r}; write a name with keyword settings, e.g. hybrid(k=20)") from None
    if isinstance(node, ast.Name):
        return node.id, {}
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.args:
        raise InvalidInput(f"cannot read {text!r}; write a name with keyword settings, e.g. hybrid(k=20)")
    settings: dict[str, Any] = {}
    for keyword in node.keywords:
        name = keyword.arg or "**"
        if name in settings:
            raise InvalidInput(f"in {text!r} {name!r} is given twice")
        settings[name] = _literal(text, keyword)
    return node.func.id, settings


def _literal(text: str, keyword: ast.keyword) -> Any:
    try:
        return ast.literal_eval(keyword.value)
    except (ValueError, TypeError):
        raise InvalidInput(
            f"in {text!r} the value of {keyword.arg!r} must be a literal: 3, 0.5, True, 'text', (1, 2)"
        ) from None


def build(kind: type[T], label: str, settings: Mapping[str, Any]) -> T:
    """Make the dataclass ``kind`` from literal settings; every fault names the value and what is allowed."""
    hints = typing.get_type_hints(kind)
    declared = {f.name: f for f in fields(kind)}  # type: ignore[arg-type]
    for key in settings:
        if key not in declared:
            raise UnknownName(f"parameter of {label}", key, declared)
    absent = [
        n for n, f in declared.items() if f.default is MISSING and f.default_factory is MISSING and n not in settings
    ]
    if absent:
        raise InvalidInput(f"{label} needs {', '.join(absent)}; e.g. {label}({absent[0]}=…)")
    values = {key: _coerce(f"{label}({key}=…)", hints[key], value) for key, value in settings.items()}
    return kind(**values)


def _coerce(place: str, hint: Any, value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput(f"{place}: {value!r} is not a finite number")
    if _fits(hint, value):
        return value
    if _fits_float(hint, value) and abs(value) <= sys.float_info.max:
        return float(value)  # 1 and 1.0 are one setting, so they must print alike
    raise InvalidInput(f"{place}: {value!r} is not {_describe(hint)}")


def _fits_float(hint: Any, value: Any) -> bool:
    return type(value) is int and float in (hint, *typing.get_args(hint))


def _fits(hint: Any, value: Any) -> bool:
    origin = typing.get_origin(hint)
    if origin is Literal:
        return value in typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(option, value) for option in typing.get_args(hint))
    if origin is tuple:
        return isinstance(value, tuple) and all(_fits(typing.get_args(hint)[0], item) for item in value)
    return type(value) is hint or (hint is types.NoneType and value is None)


def _describe(hint: Any) -> str:
    if typing.get_origin(hint) is Literal:
        return "one of " + ", ".join(repr(v) for v in typing.get_args(hint))
    if typing.get_origin(hint) in (Union, types.UnionType):
        return " or ".join(_describe(option) for option in typing.get_args(hint))
    return "None" if hint is types.NoneType else f"of type {getattr(hint, '__name__', hint)}"
