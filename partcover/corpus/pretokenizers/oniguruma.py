r"""Writes patterns of Oniguruma, which Hugging Face's tokenizers run, for the library `regex`.

What the two read alike is copied, what they read differently is rewritten, and what is left is
refused, so that no pattern splits otherwise than it was meant to.

=========================  =====================================================================
Oniguruma                  here
=========================  =====================================================================
``^``, ``$``               at every line, but not behind the line feed that ends the text
``\Z``, ``\z``             before a last line feed; the very end
``\w``, ``\b``             letters, marks, decimal digits, connectors; outside brackets
                           ``²³¹¼½¾``, too
``(?i:i)``                 i and I, not the Turkish ones
``(?i:\p{…})``             as where case counts
``\h``, ``\v``, ``\e``     a hexadecimal digit; U+000B; U+001B
``\x{1F600}``              the character
``(…)``                    groups, whose content is asked for by ``\1`` to ``\9`` alone
``{``                      a character, where it begins no quantifier
``~``, ``|`` in ``[…]``    characters
=========================  =====================================================================

A group may only be referred to behind it in the same alternative, not in an inner group, so that it
has matched just before, and where it is not repeated.  Refused are other references, those where
case is ignored or in a look-around, named groups, conditions, POSIX brackets and properties of
their names (which mean other characters there), ``{n,m}+`` (which is not possessive there),
``{n}?``, bytes above 0x7F, and whatever is not named here; where case is ignored also properties
and ranges in brackets, and characters such as ß, which is ss there.  Properties are those of
Unicode 16 in the end (`partcover.corpus.pretokenizers.unicode_tables`).
"""

from __future__ import annotations

import re

from ...errors import InputError
from ...runtime.arguments import shown

_LONGEST = 20_000
_MOST = 100_000  # repetitions that Oniguruma takes
_LETTERS = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}"
_WORD = f"[{_LETTERS}²³¹¼½¾]"
_OUTSIDE = {
    "w": _WORD,
    "W": f"[^{_LETTERS}²³¹¼½¾]",
    "b": rf"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))",
    "B": rf"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))",
    "A": r"\A",
    "z": r"\Z",
    "Z": r"(?=\n?\Z)",
    "h": "[0-9A-Fa-f]",
    "H": "[^0-9A-Fa-f]",
}
_INSIDE = {
    "w": _LETTERS,
    "W": f"[^{_LETTERS}]",
    "b": r"\x08",
    "h": "0-9A-Fa-f",
    "H": "[^0-9A-Fa-f]",
}
_BOTH = {letter: "\\" + letter for letter in "sSdDnrtf"} | {"v": r"\x0B", "a": r"\a", "e": r"\x1B"}
_I = "(?-i:[iI])"
_DOT = "\u0307"  # above an i without one
_GROUPS = re.compile(r"\((?:\?(?:[:=!>]|<[=!]|-?i:))?(?!\?)")
_QUANTIFIER = re.compile(r"\{([0-9]*)(,?)([0-9]*)\}")
_PROPERTY = re.compile(r"[pP]\{\^?([A-Za-z][A-Za-z_ ]*)\}")
_POINT = re.compile(r"x\{([0-9A-Fa-f]{1,8})\}|u([0-9A-Fa-f]{4})|x([0-7][0-9A-Fa-f])")
# properties of these names are POSIX brackets there
_POSIX = frozenset(
    (
        *("alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "newline"),
        *("print", "punct", "space", "upper", "word", "xdigit"),
    )
)


def translated(pattern: str) -> str:
    r"""Returns a pattern that `regex`, in its version 1, matches as Oniguruma matches this one.

    Raises
    ------
    InputError
        Naming the part that has no equal.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.oniguruma import translated
    >>> translated(r"(\x{3B1}|\h)$")
    '(?:α|[0-9A-Fa-f])(?=\\n|\\Z)'
    """
    if len(pattern) > _LONGEST:
        raise InputError(f"a pattern has {len(pattern):,} characters, the limit is {_LONGEST:,}")
    return _Reader(pattern).all()


class _Reader:
    """Reads a pattern from left to right; `depth` is that of the open brackets ``[``."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.depth = 0
        self.groups = [False]  # for each open group, whether case is ignored in it
        self.out: list[str] = []
        self.groups_at: list[int] = []  # where in `out` each group begins that captures
        self.open: list[tuple[int, bool]] = []  # for each open group, its number and if it looks
        # the numbers that may be referred to, and how many groups were open there
        self.closed: dict[int, int] = {}
        self.references: dict[int, int] = {}  # the number of a group, by the place in `out`

    def all(self) -> str:
        out = self.out
        if self.pattern.startswith("(?i)"):  # of all that follows, every alternative
            self.at, self.groups = 4, [True]
        while self.at < len(self.pattern):
            if self.pattern[self.at] == "\\":
                self.at += 1
                out.append(self._escape())
            else:
                out.append(self._inside() if self.depth else self._outside())
        captured = sorted(set(self.references.values()))  # no other group counts here
        for number in captured:
            out[self.groups_at[number - 1]] = "("
        for place, number in self.references.items():
            out[place] = f"(?:\\{captured.index(number) + 1})"
        text = "".join(out)
        return f"(?i:{text})" if self.pattern.startswith("(?i)") else text

    def _refuse(self, part: str) -> InputError:
        return InputError(
            f"the pattern {shown(self.pattern)} has {part}, which is not supported: write it "
            "without"
        )

    def _take(self, found: re.Match[str]) -> str:
        self.at = found.end()
        return found[0]

    def _escape(self) -> str:
        pattern, at = self.pattern, self.at
        if at == len(pattern):
            raise self._refuse(r"a \ at the end")
        if found := _PROPERTY.match(pattern, at):
            if found[1].lower() in _POSIX:
                raise self._refuse(f"\\{found[0]}")
            text = self._take(found)
            if self.depth and self.groups[-1]:
                raise self._refuse(f"\\{text} in brackets where case is ignored")
            inverse = text[2] == "^"
            letter = {"p": "P", "P": "p"}[text[0]] if inverse else text[0]
            return self._as_is(f"\\{letter}{{{text[3:] if inverse else text[2:]}")
        if found := _POINT.match(pattern, at):
            code = int(found[1] or found[2] or found[3], 16)
            if code > 0x10FFFF or 0xD800 <= code < 0xE000:
                raise self._refuse(f"\\{found[0]}")
            self._take(found)
            return self._cased(chr(code)) or re.escape(chr(code))
        self.at += 1
        letter = pattern[at]
        if letter in "123456789" and not self.depth:
            return self._reference(int(letter))
        known = _BOTH | (_INSIDE if self.depth else _OUTSIDE)
        if letter in known:
            return self._as_is(known[letter]) if letter in "wWbB" else known[letter]
        if letter.isalnum() or letter == "_":
            raise self._refuse("\\" + letter)
        return re.escape(letter) if letter.isascii() else letter

    def _as_is(self, text: str) -> str:
        """Returns a class of characters: outside brackets case makes no difference to it."""
        return f"(?-i:{text})" if self.groups[-1] and not self.depth else text

    def _cased(self, letter: str) -> str:
        """Returns how a character before `at` is written where case is ignored; empty if as it is.

        Raises
        ------
        InputError
            If other characters, or several, would match it there.
        """
        if not self.groups[-1]:
            return ""
        if self.depth and (letter in "iI" or self.pattern.startswith("-", self.at)):
            raise self._refuse("a range or an i in brackets where case is ignored")
        if len(letter.casefold()) > 1:
            raise self._refuse(f"{letter} where case is ignored")
        before = self.out[-1:]
        if (letter in "iI" and before in (["f"], ["F"])) or (letter == _DOT and before == [_I]):
            raise self._refuse("an i that is half of a character where case is ignored")
        return _I if letter in "iI" else ""

    def _reference(self, number: int) -> str:
        """Takes a reference to a group, which `all` writes."""
        longer = self.pattern[self.at : self.at + 1].isdigit()
        if longer or self.groups[-1] or self.closed.get(number) != len(self.open):
            raise self._refuse(f"\\{number}")
        self.references[len(self.out)] = number
        return ""

    def _leave(self, depth: int) -> None:
        """Forgets the groups that an alternative has, inside so many groups."""
        self.closed = {number: place for number, place in self.closed.items() if place < depth}

    def _inside(self) -> str:
        pattern, at = self.pattern, self.at
        letter = pattern[at]
        if letter == "[":
            return self._bracket()
        if pattern.startswith("--", at):
            raise self._refuse("-- in brackets")
        if pattern.startswith("&&", at):
            self.at += 2
            return "&&"
        self.at += 1
        if letter == "]":
            self.depth -= 1
        return self._cased(letter) or ("\\" + letter if letter in "&|~" else letter)

    def _bracket(self) -> str:
        pattern = self.pattern
        if pattern.startswith("[:", self.at):
            raise self._refuse("a POSIX bracket [:…:]")
        self.at += 1
        self.depth += 1
        text = "["
        if pattern.startswith("^", self.at):
            self.at += 1
            text = "[^"
        if pattern.startswith("]", self.at):
            raise self._refuse(text + "]")
        return text

    def _outside(self) -> str:
        pattern, at = self.pattern, self.at
        letter = pattern[at]
        if letter == "[":
            return self._bracket()
        if letter == "(":
            found = _GROUPS.match(pattern, at)
            if found is None:
                raise self._refuse(f"a group {pattern[at : at + 4]}…")
            group = self._take(found)
            ignored = self.groups[-1] if "i" not in group else "-" not in group
            self.groups.append(ignored)
            if group == "(":
                self.groups_at.append(len(self.out))
            self.open.append((len(self.groups_at) if group == "(" else 0, group[-1] in "=!"))
            return "(?:" if group == "(" else group
        if letter == "{":
            return self._quantifier()
        self.at += 1
        if letter == ")" and len(self.groups) > 1:
            ignored = self.groups.pop()
            number, _ = self.open.pop()
            self._leave(len(self.open) + 1)
            repeated = pattern[self.at : self.at + 1] in tuple("*+?{")
            if number and not (ignored or repeated or any(look for _, look in self.open)):
                self.closed[number] = len(self.open)
        if letter == "|":
            self._leave(len(self.open))
        if letter == "^":
            return r"(?:\A|(?<=\n)(?!\Z))"
        if letter == "$":
            return r"(?=\n|\Z)"
        return self._cased(letter) or ("\\" + letter if letter in "}]" else letter)

    def _quantifier(self) -> str:
        found = _QUANTIFIER.match(self.pattern, self.at)
        if found is None or not (found[1] or found[3]):
            self.at += 1
            return r"\{"
        text = self._take(found)
        behind = self.pattern[self.at : self.at + 1]
        if behind == "+" or (behind == "?" and not found[2]):
            raise self._refuse(text + behind)
        least, most = self._times(found[1]), self._times(found[3])
        return f"{{{least or 0}{found[2]}{most}}}"

    def _times(self, digits: str) -> str:
        """Returns a number of repetitions without zeros in front; empty if there is none."""
        number = digits.lstrip("0") or digits[:1]
        if len(number) > len(str(_MOST)) or int(number or 0) > _MOST:
            raise InputError(
                f"the pattern {shown(self.pattern)} repeats something more than {_MOST:,} times, "
                "which Oniguruma refuses"
            )
        return number
