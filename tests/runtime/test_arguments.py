"""Arguments checked against annotations: what is taken, and the one line that refuses the rest."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum, IntEnum
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from partcover.errors import InputError
from partcover.runtime.arguments import Seconds, Seed, Share, Threads, Whole, checked, shown


class Size(IntEnum):
    TWO = 2


#: A name that holds a text, though `str` calls it by its place: Name.TWO.
Name = Enum("Name", {"TWO": "two"}, type=str)


class InBytes:
    """A path of bytes."""

    def __fspath__(self) -> bytes:
        return b"x"


@checked
def given(
    whole: int = 0,
    number: float = 0.0,
    flag: bool = False,
    text: str = "",
    path: str | PathLike[str] = "",
    kind: Literal["one", "two"] = "one",
    maybe: Sequence[int] | None = None,
    table: Mapping[str, int] | None = None,
    paths: Sequence[str | PathLike[str]] = (),
    stream: Iterable[Any] = (),
    call: Callable[[int], int] | None = None,
    fraction: Fraction | None = None,
    anything: Any = None,
    *rest: str,
    limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    gap: Share = 0.0,
    size: Whole = 0,
    **more: int,
) -> dict[str, Any]:
    """All that it got."""
    return dict(locals())


@pytest.mark.parametrize(
    ("name", "value", "taken"),
    [
        ("whole", np.int64(3), 3),
        ("whole", np.uint8(3), 3),
        ("whole", 10**30, 10**30),
        ("number", 2, 2),
        ("number", np.float32(0.5), 0.5),
        ("number", Fraction(1, 2), 0.5),
        ("number", math.inf, math.inf),
        ("number", 10**400, math.inf),
        ("number", -(10**400), -math.inf),
        ("number", Fraction(10**400, 3), math.inf),
        ("whole", Size.TWO, 2),
        ("number", Size.TWO, 2),
        ("number", np.float64(0.5), 0.5),
        ("flag", np.bool_(True), True),
        ("text", np.str_("a"), "a"),
        ("text", Name.TWO, "two"),
        ("kind", Name.TWO, "two"),
        ("kind", np.str_("two"), "two"),
        ("path", Name.TWO, "two"),
        ("path", InBytes(), "x"),
        ("path", Path("x"), Path("x")),
        ("path", "x", "x"),
        ("kind", "two", "two"),
        ("maybe", np.array([1, 2]), [1, 2]),
        ("maybe", range(2), [0, 1]),
        ("maybe", (i for i in (1, 2)), [1, 2]),
        ("maybe", None, None),
        ("table", {"a": 1}, {"a": 1}),
        ("call", len, len),
        ("fraction", Fraction(1, 3), Fraction(1, 3)),
        ("anything", object, object),
        ("limit", math.inf, None),
        ("limit", 10**30, None),
        ("limit", 10**400, None),
        ("limit", 2.5, 2.5),
        ("threads", np.int32(2), 2),
        ("gap", 0, 0),
    ],
)
def test_what_fits_arrives_as_pythons_own(name, value, taken):
    got = given(**{name: value})[name]
    assert got == taken
    assert type(got) is type(taken)


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("whole", "10", "whole is '10': it must be a whole number"),
        ("whole", True, "whole is True: it must be a whole number"),
        ("whole", np.True_, "whole is a bool: it must be a whole number"),
        ("whole", 2.0, "whole is 2.0: it must be a whole number"),
        ("whole", None, "whole is None: it must be a whole number"),
        ("number", "10", "number is '10': it must be a number"),
        ("number", math.nan, "number is nan: it must be a number"),
        ("number", 1j, "number is 1j: it must be a number"),
        ("flag", 1, "flag is 1: it must be True or False"),
        ("text", b"a", "text is b'a': it must be text"),
        ("text", [1], "text is a list: it must be text"),
        ("path", 3, "path is 3: it must be text or a path"),
        ("kind", "three", "unknown kind 'three': use one of one, two"),
        ("kind", "Onee", "unknown kind 'Onee': did you mean one?"),
        ("kind", np.arange(3), "kind is a ndarray: it must be 'one' or 'two'"),
        ("path", Path("a\0b"), "path is a PosixPath: it must be text or a path"),
        ("stream", np.array("a"), "stream is a ndarray: it must be a list"),
        ("maybe", "12", "maybe is '12': it must be a list"),
        ("maybe", 3, "maybe is 3: it must be a list"),
        ("maybe", [1, "2"], "maybe has '2': each must be a whole number"),
        ("paths", ["a", 1], "paths has 1: each must be text or a path"),
        ("paths", {1: "a"}, "paths is a dict: it must be a list"),
        ("table", [("a", 1)], "table is a list: it must be a mapping"),
        ("stream", "text", "stream is 'text': it must be a list"),
        ("stream", None, "stream is None: it must be a list"),
        ("call", "len", "call is 'len': it must be a function"),
        ("fraction", 0.5, "fraction is 0.5: it must be a Fraction"),
        ("limit", -1, "limit is -1: it must be a number of at least 0"),
        ("seed", 2**31, "seed is 2147483648: it must be a whole number from 0 to 2,147,483,647"),
        ("threads", 0, "threads is 0: it must be a whole number from 1 to 1,024"),
        ("gap", 1, "gap is 1: it must be a number from 0 up to 1"),
        ("size", -1, "size is -1: it must be a whole number of at least 0"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(name, value, line):
    with pytest.raises(InputError) as caught:
        given(**{name: value})
    assert str(caught.value) == line


def test_positions_are_checked_and_the_rest_is_left_alone():
    with pytest.raises(InputError, match="number is 'x'"):
        given(1, "x")
    got = given(1, 2.0, False, "", "", "one", None, None, (), (), None, None, None, 3, other="four")
    assert (got["rest"], got["more"]) == ((3,), {"other": "four"})


def test_missing_and_unknown_arguments_are_pythons_own_errors():
    @checked
    def needs(one: int, *, two: int) -> int:
        return one + two

    with pytest.raises(TypeError, match=r"needs\(\) missing 1 required keyword-only"):
        needs(1)
    with pytest.raises(TypeError, match=r"needs\(\) got an unexpected keyword argument 'three'"):
        needs(1, two=2, three=3)
    assert str(inspect.signature(needs)) == "(one: 'int', *, two: 'int') -> 'int'"


def test_streams_are_not_read():
    def endless():
        raise AssertionError("read")
        yield

    given(stream=endless())


def test_what_is_shown_is_short_and_on_one_line():
    values = ["x" * 500, "a\nb", b"\xff" * 500, 10**5000, [1] * 500, "\ud800", str, np.eye(9), 1e99]
    for value in values:
        assert len(shown(value)) < 200
        assert shown(value).isprintable()
    assert shown("x" * 41) == f"'{'x' * 40}'…"
    assert shown(str) == "the class str"
