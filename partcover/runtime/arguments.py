"""Checks the arguments of public functions against their annotations, with uniform messages."""

from __future__ import annotations

import inspect
import math
import operator
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial, wraps
from numbers import Integral, Real
from os import PathLike
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeAlias,
    TypeGuard,
    TypeVar,
    Union,
    get_args,
    get_origin,
    is_typeddict,
    overload,
)
from typing import get_type_hints as hints_of

from ..errors import InputError
from .arrays import np


@dataclass(frozen=True)
class Range:
    """The range of a number.

    Parameters
    ----------
    lower : float
        The smallest value.
    upper : float, optional
        The largest value, if there is one.
    below : float, optional
        A number that every value must be less than, if there is one.

    Examples
    --------
    >>> from partcover.runtime.arguments import Range
    >>> str(Range(1, 1024)), 0 in Range(1, 1024)
    ('from 1 to 1,024', False)
    """

    lower: float
    upper: float | None = None
    below: float | None = None

    def __contains__(self, value: float) -> bool:
        return (
            value >= self.lower
            and (self.upper is None or value <= self.upper)
            and (self.below is None or value < self.below)
        )

    def __str__(self) -> str:
        if self.upper is not None:
            return f"from {self.lower:,} to {self.upper:,}"
        if self.below is not None:
            return f"from {self.lower:,} up to {self.below:,}"
        return f"of at least {self.lower:,}"


def _or_none(seconds: float) -> float | None:
    return None if seconds > 1e9 else seconds  # clocks of solvers and threads support no more


#: The time limit of a call in seconds; infinity and None mean no limit.
Seconds = Annotated[float, Range(0), _or_none]
MOST_THREADS = 1024
#: A random seed.
Seed = Annotated[int, Range(0, 2**31 - 1)]
Threads = Annotated[int, Range(1, MOST_THREADS)]
#: A relative gap: 0.01 is 1 %.
Share = Annotated[float, Range(0, below=1)]
Whole = Annotated[int, Range(0)]
#: A number of tokens; candidates are numbered in 32 bits.
Budget = Annotated[int, Range(0, 2**31 - 1)]
#: A number up to which kernels can count.
Int64 = Annotated[int, Range(-(2**63), 2**63 - 1)]

#: Returns a value converted for an annotation, or raises `_Unfit`.
_Fit: TypeAlias = Callable[[Any], Any]
_P = ParamSpec("_P")
_R = TypeVar("_R")
_KINDS: dict[Any, str] = {
    NoneType: "None",
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "text",
    PathLike: "a path",
    Callable: "a function",
    Iterable: "a list",
    Collection: "a list",
    Sequence: "a list",
    list: "a list",
    Mapping: "a mapping",
    dict: "a mapping",
}
_ITERABLES = (Iterable, Collection, Sequence)


class _Unfit(Exception):
    """Signals that a value does not fit its annotation; `checked` raises an InputError for it."""


def checked(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Makes a function check its arguments against its annotations when it is called.

    Numbers and texts of NumPy, and those of other subclasses, become Python's; a sequence may be
    given as any iterable.  All other arguments are passed unchanged.  The function itself checks
    elements of iterables and mappings, arrays and type variables.

    Parameters
    ----------
    function : callable
        Its parameters are looked up at the first call.

    Returns
    -------
    callable
        The function; it raises InputError that names an argument that does not fit.

    Examples
    --------
    >>> from partcover import InputError
    >>> from partcover.runtime.arguments import Threads, checked
    >>> @checked
    ... def work(threads: Threads) -> int:
    ...     return threads
    >>> try:
    ...     work(0)
    ... except InputError as error:
    ...     print(error)
    threads is 0: it must be a whole number from 1 to 1,024
    """

    @cache
    def known() -> tuple[list[str], dict[str, _Fit], dict[str, Any]]:
        parameters = inspect.signature(function).parameters.values()
        ordered = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        places = [p.name for p in parameters if p.kind in ordered]
        named = {p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
        annotations = hints_of(function, include_extras=True)
        hints = {name: hint for name, hint in annotations.items() if name in named}
        return places, {name: _fit(hint) for name, hint in hints.items()}, hints

    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        places, fits, hints = known()
        fitted = list(args)
        name = ""
        try:  # Python itself reports extra or unknown arguments, with good messages
            for place, name in enumerate(places[: len(args)]):
                if name in fits:
                    fitted[place] = fits[name](args[place])
            for name in kwargs:
                if name in fits:
                    kwargs[name] = fits[name](kwargs[name])
        except _Unfit:
            value = kwargs[name] if name in kwargs else args[places.index(name)]
            raise InputError(_what_is_wrong(name, value, hints[name])) from None
        return function(*fitted, **kwargs)  # type: ignore[arg-type]

    return call


def closest(name: object, known: Iterable[str], otherwise: str = "") -> str:
    """Returns a suggestion for an unknown name: the closest known one, or all or `otherwise`.

    Upper and lower case are alike.

    Examples
    --------
    >>> from partcover.runtime.arguments import closest
    >>> closest("BEP", ["bpe", "wordpiece"]), closest("x", ["bpe", "wordpiece"])
    ('did you mean bpe?', 'use bpe, wordpiece')
    """
    from difflib import get_close_matches

    names = {each.lower(): each for each in known}
    similar = get_close_matches(name.lower(), names, 1) if isinstance(name, str) else []
    if similar:
        return f"did you mean {names[similar[0]]}?"
    return otherwise or f"use {', '.join(names.values()) or 'none'}"


def counted(number: int, name: str, one: str = "", more: str = "") -> str:
    """Returns a number with the name of what is counted, in the plural unless it is 1.

    A verb may follow: `one` for the singular and `more` for the plural.

    Examples
    --------
    >>> from partcover.runtime.arguments import counted
    >>> counted(1, "token"), counted(2000, "token", "has", "have")
    ('1 token', '2,000 tokens have')
    """
    ending, verb = ("", one) if number == 1 else ("s", more)
    return f"{number:,} {name}{ending} {verb}".rstrip()


def shown(value: object) -> str:
    """Returns a value for a message, on one short line: a scalar itself, otherwise the type.

    Examples
    --------
    >>> from partcover.runtime.arguments import shown
    >>> shown(2.5), shown([1, 2])
    ('2.5', 'a list')
    """
    kind = type(value).__name__
    if isinstance(value, str | bytes):
        return repr(value if len(value) <= 40 else value[:40]) + ("…" if len(value) > 40 else "")
    if value is None or isinstance(value, bool | Real | complex):
        try:
            text = str(value)
        except ValueError:  # more digits than Python can write
            return "a number of thousands of digits"
        return text if len(text) <= 40 else f"{text[:40]}…"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return f"{'an' if kind[:1].lower() in 'aeio' else 'a'} {kind}"


@overload
def plain(text: str) -> str: ...
@overload
def plain(text: bytes | bytearray) -> bytes: ...
@overload
def plain(text: str | bytes | bytearray) -> str | bytes: ...
def plain(text: str | bytes | bytearray) -> str | bytes:
    """Returns text or bytes of a subclass, or a bytearray, as str or bytes.

    What a subclass says of itself (its length, its spelling, its hash) may differ from what it
    holds.

    Examples
    --------
    >>> from enum import Enum
    >>> from partcover.runtime.arguments import plain
    >>> plain(Enum("Name", {"THE": "the"}, type=str).THE)
    'the'
    """
    if isinstance(text, str):
        return str.__str__(text)
    return text if type(text) is bytes else bytes(memoryview(text))


def is_listed(value: object) -> TypeGuard[Iterable[Any]]:
    """Returns whether a value has elements: a text does not, nor does an array without axes.

    Examples
    --------
    >>> from partcover.runtime.arguments import is_listed
    >>> is_listed(["the"]), is_listed("the")
    (True, False)
    """
    if isinstance(value, str | bytes | bytearray) or not isinstance(value, Iterable):
        return False
    return getattr(value, "shape", None) != ()


def _fit(hint: Any) -> _Fit:
    """Returns the check for an annotation; unsupported annotations accept any value."""
    origin = get_origin(hint) or hint
    if origin in (Union, UnionType):
        return _of_any(get_args(hint))
    if origin is Annotated:
        kind, *limits = get_args(hint)
        return _within(_fit(kind), limits)
    if origin is Literal:
        words = get_args(hint)
        # a word of these, where `value` is of a subclass
        return lambda value: words[
            words.index(_if(isinstance(value, str) and value in words, value))
        ]
    if origin in (int, float, bool):
        return partial(_number, kind=origin)
    if origin is str:
        return lambda value: plain(_if(isinstance(value, str), value))
    if origin is PathLike:
        return _path
    if origin in _ITERABLES:
        return partial(_listed, origin=origin, inner=[*map(_fit, get_args(hint))])
    if origin is Callable:
        return lambda value: _if(callable(value), value)
    if (
        isinstance(origin, type)
        and origin is not Any
        and not is_typeddict(origin)
        and getattr(origin, "_is_runtime_protocol", not getattr(origin, "_is_protocol", False))
    ):
        return lambda value: _if(isinstance(value, origin), value)
    return lambda value: value


def _if(fits: bool, value: Any) -> Any:
    if not fits:
        raise _Unfit
    return value


def _within(fit: _Fit, limits: list[Any]) -> _Fit:
    def fitted(value: Any) -> Any:
        number = fit(value)
        for limit in limits:
            number = _if(number in limit, number) if isinstance(limit, Range) else limit(number)
        return number

    return fitted


def _of_any(hints: tuple[Any, ...]) -> _Fit:
    are_paths = any(get_origin(hint) is PathLike for hint in hints)
    fits = [_path if are_paths and hint is str else _fit(hint) for hint in hints]

    def fitted(value: Any) -> Any:
        for fit in fits:
            try:
                return fit(value)
            except _Unfit:
                continue
        raise _Unfit

    return fitted


def _path(value: Any) -> str | PathLike[str]:
    """Returns a path, as text if it is text or its own path is of bytes."""
    path = os.fspath(_if(isinstance(value, str | PathLike), value))
    try:
        _if(b"\0" not in os.fsencode(path), value)  # no operating system has such a path
    except UnicodeEncodeError:
        raise _Unfit from None
    if isinstance(value, str):
        return plain(value)
    return value if isinstance(path, str) else os.fsdecode(path)


def _number(value: Any, kind: type) -> Any:
    if kind is bool:
        return value if isinstance(value, bool) else bool(_if(isinstance(value, np.bool_), value))
    _if(isinstance(value, Real) and not isinstance(value, bool), value)  # NumPy's bool is no Real
    if kind is int:
        return operator.index(_if(isinstance(value, Integral), value))
    try:
        number = float(value)
    except OverflowError:  # larger than every float, as infinity is
        return math.inf if value > 0 else -math.inf
    return int(value) if isinstance(value, int) else _if(not math.isnan(number), number)


def _listed(value: Any, origin: Any, inner: list[_Fit]) -> Any:
    _if(is_listed(value), value)
    if origin is Iterable:
        return value  # may be a stream
    return [inner[0](part) for part in value] if inner else list(value)


def _what_is_wrong(name: str, value: Any, hint: Any) -> str:
    for part in _parts(hint):
        if get_origin(part) is Literal and isinstance(value, str):
            others = "".join(f", or {_expected(other)}" for other in _parts(hint) if other != part)
            every = f"use one of {', '.join(get_args(part))}{others}"
            return f"unknown {name} {shown(value)}: {closest(value, get_args(part), every)}"
    for part in _parts(hint):
        if get_origin(part) in _ITERABLES and is_listed(value) and not isinstance(value, Mapping):
            inner = get_args(part)
            for each in value if inner and isinstance(value, Collection) else ():
                try:
                    _fit(inner[0])(each)
                except _Unfit:
                    return f"{name} has {shown(each)}: each must be {_expected_of_any(inner[0])}"
    return f"{name} is {shown(value)}: it must be {_expected_of_any(hint)}"


def _expected_of_any(hint: Any) -> str:
    return " or ".join(dict.fromkeys(map(_expected, _parts(hint))))


def _parts(hint: Any) -> tuple[Any, ...]:
    """Returns the members of a union; None is last, and included only if it is the only member."""
    if get_origin(hint) not in (Union, UnionType):
        return (hint,)
    return tuple(part for part in get_args(hint) if part is not NoneType)


def _expected(hint: Any) -> str:
    origin = get_origin(hint) or hint
    if origin is Annotated:
        kind, *limits = get_args(hint)
        return " ".join(
            [_expected(kind), *(str(part) for part in limits if isinstance(part, Range))]
        )
    if origin is Literal:
        return " or ".join(map(repr, get_args(hint)))
    if origin in _KINDS:
        return _KINDS[origin]
    name = getattr(origin, "__name__", str(origin))
    return f"{'an' if name[:1].lower() in 'aeio' else 'a'} {name}"
