r"""Reads the steps of Hugging Face's pre-tokenizers.

A step is written as in a tokenizer.json, as one JSON object:

===================  ===========================================================================
type                 what it does
===================  ===========================================================================
Split                finds ``pattern`` (``{"Regex": …}`` or ``{"String": …}``) and by `behavior`
                     takes each match as a word (Isolated), leaves it out (Removed), adds it to
                     the word before (MergedWithPrevious) or behind (MergedWithNext), or takes
                     matches in a row as one word (Contiguous); `invert` exchanges matches and
                     what is between
Digits               isolates runs of numbers (Unicode N); with `individual_digits`, each one
Punctuation          splits at punctuation by `behavior`
Whitespace           ``\w+|[^\w\s]+``; what is between is left out
WhitespaceSplit      splits at white space, which is left out
BertPreTokenizer     splits at white space, which is left out, and isolates punctuation
CharDelimiterSplit   splits at `delimiter`, which is left out
Metaspace            writes `replacement` for spaces, and in front of a text that does not begin
                     with it, by `prepend_scheme`: always, first (only where all text begins) or
                     never; with `split`, splits before each
ByteLevel            with `add_prefix_space`, puts a space in front of a text that begins with
                     none; with `use_regex`, splits by GPT-2's pattern
BeginOfWord          no step of the library's, but says what its model WordPiece does: puts `mark`
                     in front of each word, and writes each that a word has twice
EndOfWord            no step of the library's but of its model BPE, `end_of_word_suffix`: puts a
                     space behind each word, so that a token says whether it ends one.  The last
                     step, behind one that leaves spaces out
Phrases              no step of the library's: joins `words` words in a row at most, or all (null),
                     see `partcover.corpus.pretokenizers.phrases`.  The last step, behind steps
                     that keep the text
LeaveOut             no step of the library's but of its model BPE, which leaves out what it has no
                     piece for: leaves out of each word `bytes`, or characters but for `others`
InsideWord           no step of the library's but of its model WordPiece, which takes a piece inside
                     a word, spelled with `prefix`, for the begin of a word that has the prefix
                     itself: removes `mark` and `prefix` from the begin of a word that goes on with
                     one of `begins` and has at most `longest` characters without the mark.  The
                     last step
Sequence             its `pretokenizers`, each on the words of the one before
===================  ===========================================================================

ByteLevel's spelling of bytes as characters is no part of a step here: words are text.  What stands
behind it, as in Falcon's, splits that spelling, and so a word may begin or end inside a character:
its bytes are lone surrogates then (``surrogateescape``).  A step there may only split.  What is
punctuation and what a word's character is agrees with the library.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ....errors import InputError
from ....runtime.arguments import shown
from ....runtime.patterns import regex
from ...files.joining import ALL_WORDS, checked_phrases
from ..oniguruma import translated
from ..published_patterns import GPT2
from ..timed_patterns import check_sizes, timed_pattern
from .step import Cut, Inside, Step, Steps

#: The step that puts a space behind each word.
END_OF_WORD = {"type": "EndOfWord"}
#: The type of the step that puts a mark in front of each word.
BEGIN_OF_WORD = "BeginOfWord"
#: The type of the step that joins words.
PHRASES = "Phrases"
#: The type of the step that removes the prefix of pieces inside a word.
INSIDE_WORD = "InsideWord"

_BEHAVIOURS = ("Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous")
_SCHEMES = ("always", "first", "never")
#: What words are made of, as a part of a class of characters.
WORD_CHARACTER = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}"
# the library's table of numbers is that of Unicode 17
_NUMBERS = r"[\p{N}\U00011DE0-\U00011DE9\U00016FF4-\U00016FF6]"
# the library's table of punctuation is that of Unicode 8
_YOUNGER = (
    r"\u061D\u09FD\u0A76\u0C77\u0C84\u1B4E-\u1B4F\u1B7D-\u1B7F\u2E43-\u2E4F\u2E52-\u2E5D"
    r"\u2E60-\u2E63\U00010D6E\U00010EAD\U00010ED0\U00010F55-\U00010F59\U00010F86-\U00010F89"
    r"\U000113D4-\U000113D5\U000113D7-\U000113D8\U0001144B-\U0001144F\U0001145A-\U0001145B"
    r"\U0001145D\U00011660-\U0001166C\U000116B9\U0001183B\U00011944-\U00011946\U000119E2"
    r"\U00011A3F-\U00011A46\U00011A9A-\U00011A9C\U00011A9E-\U00011AA2\U00011B00-\U00011B09"
    r"\U00011BE1\U00011C41-\U00011C45\U00011C70-\U00011C71\U00011EF7-\U00011EF8"
    r"\U00011F43-\U00011F4F\U00011FFF\U00012FF1-\U00012FF2\U00016D6D-\U00016D6F"
    r"\U00016E97-\U00016E9A\U00016FE2\U0001E5FF\U0001E95E-\U0001E95F"
)
#: A punctuation mark.
PUNCTUATION = rf"[[\p{{P}}!-/:-@\[-`{{-~\u166D\U000111C9]--[{_YOUNGER}]]"


def _choice(step: Mapping[str, Any], key: str, default: str, known: tuple[str, ...]) -> str:
    value = step.get(key, default)
    if value not in known:
        raise InputError(f"{key} is {shown(value)}: use {', '.join(known)}")
    return str(value)


def _flag(step: Mapping[str, Any], key: str, default: bool) -> bool:
    value = step.get(key, default)
    if not isinstance(value, bool):
        raise InputError(f"{key} is {shown(value)}: use true or false")
    return value


def _character(step: Mapping[str, Any], key: str, default: str | None) -> str:
    value = step.get(key, default)
    if not isinstance(value, str) or len(value) != 1 or "\ud800" <= value < "\ue000":
        raise InputError(f"{key} is {shown(value)}: it must be one character")
    return value


def _split(step: Mapping[str, Any]) -> Step:
    given = step.get("pattern")
    if not isinstance(given, dict) or len(given) != 1 or not given.keys() <= {"String", "Regex"}:
        raise InputError(f'pattern is {shown(given)}: use {{"Regex": …}} or {{"String": …}}')
    ((kind, source),) = given.items()
    if not isinstance(source, str) or not source:
        raise InputError(f"pattern is {shown(source)}: it must be a text that is not empty")
    behaviour = _choice(step, "behavior", "Isolated", _BEHAVIOURS)
    invert = _flag(step, "invert", False)
    pattern = translated(source) if kind == "Regex" else regex.escape(source)
    cut = Cut(timed_pattern(source, pattern), behaviour, invert)
    data = {"type": "Split", "pattern": given, "behavior": behaviour, "invert": invert}
    return Step(data, cut, keeps=behaviour != "Removed")


def _digits(step: Mapping[str, Any]) -> Step:
    each = _flag(step, "individual_digits", False)
    cut = Cut(timed_pattern("N", _NUMBERS), "Isolated" if each else "Contiguous")
    return Step({"type": "Digits", "individual_digits": each}, cut)


def _punctuation(step: Mapping[str, Any]) -> Step:
    behaviour = _choice(step, "behavior", "Isolated", _BEHAVIOURS)
    cut = Cut(timed_pattern("punctuation", PUNCTUATION), behaviour)
    return Step({"type": "Punctuation", "behavior": behaviour}, cut, keeps=behaviour != "Removed")


def _removing(pattern: str, invert: bool = False) -> Callable[[Mapping[str, Any]], Step]:
    def step(given: Mapping[str, Any]) -> Step:
        cut = Cut(timed_pattern(pattern, pattern), "Removed", invert)
        return Step({"type": given["type"]}, cut, keeps=False)

    return step


def _bert(_: Mapping[str, Any]) -> Step:
    # a match is white space, which is left out; of the rest each punctuation mark is a word
    pattern = rf"{PUNCTUATION}|[[^\s]--{PUNCTUATION}]+"
    cut = Cut(timed_pattern(pattern, pattern), "Removed", True)
    return Step({"type": "BertPreTokenizer"}, cut, keeps=False)


def _delimiter(step: Mapping[str, Any]) -> Step:
    delimiter = _character(step, "delimiter", None)
    cut = Cut(timed_pattern(delimiter, regex.escape(delimiter)), "Removed")
    return Step({"type": "CharDelimiterSplit", "delimiter": delimiter}, cut, keeps=False)


def _metaspace(step: Mapping[str, Any]) -> Step:
    mark = _character(step, "replacement", "▁")
    older = "always" if _flag(step, "add_prefix_space", True) else "never"
    scheme = _choice(step, "prepend_scheme", older, _SCHEMES)
    split = _flag(step, "split", True)
    data = {"type": "Metaspace", "replacement": mark, "prepend_scheme": scheme, "split": split}
    return Step(
        data,
        Cut(timed_pattern(mark, regex.escape(mark)), "MergedWithNext") if split else None,
        prefix="" if scheme == "never" else mark,
        only_first=scheme == "first",
        replacement=mark,
        keeps=False,
    )


def _byte_level(step: Mapping[str, Any]) -> Step:
    spaced = _flag(step, "add_prefix_space", True)
    cuts = _flag(step, "use_regex", True)
    data = {
        "type": "ByteLevel",
        "add_prefix_space": spaced,
        "trim_offsets": _flag(step, "trim_offsets", True),
        "use_regex": cuts,
    }
    cut = Cut(timed_pattern(GPT2, GPT2), "Isolated") if cuts else None
    return Step(data, cut, prefix=" " if spaced else "", keeps=not spaced)


def _begin_of_word(step: Mapping[str, Any]) -> Step:
    mark = _character(step, "mark", None)
    return Step({"type": BEGIN_OF_WORD, "mark": mark}, prefix=mark, keeps=False, again=True)


def _end_of_word(_: Mapping[str, Any]) -> Step:
    return Step(END_OF_WORD, suffix=" ", keeps=False)


def leave_out(without: Iterable[int]) -> dict[str, Any]:
    """Returns, as JSON, the step that removes bytes from each word."""
    return {"type": "LeaveOut", "bytes": sorted(without)}


def leave_others_out(only: Iterable[str]) -> dict[str, Any]:
    """Returns, as JSON, the step that leaves characters out of each word, but for these."""
    return {"type": "LeaveOut", "others": "".join(sorted(only))}


def leaving_out(name: str | None, only: Callable[[str], bool] | None = None) -> str | None:
    """Returns a pre-tokenizer that leaves out more characters, those that `only` is false of.

    Without `only`, it is without the steps that leave any out.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.steps.read import leaving_out
    >>> leaving_out('{"type":"LeaveOut","others":"abc"}', "ab".__contains__)
    '{"type":"LeaveOut","others":"ab"}'
    """
    if name is None or '"LeaveOut"' not in name:
        return name
    steps: list[Step] = []
    for step in read_steps(name).steps:
        if not step.leaves_out or (only is not None and step.without):
            steps.append(step)
        elif only is not None:
            steps.append(_leave_out(leave_others_out(filter(only, step.only))))
    return Steps(tuple(steps)).name


def _leave_out(step: Mapping[str, Any]) -> Step:
    given = step.get("bytes")
    if isinstance(others := step.get("others"), str) and others and given is None:
        return Step(leave_others_out(set(others)), keeps=False, only=frozenset(others))
    known = isinstance(given, list) and all(type(n) is int and 0 <= n < 256 for n in given)
    if not known or not given:
        raise InputError(f"bytes is {shown(given)}: a list of numbers from 0 to 255 is expected")
    return Step(leave_out(set(given)), keeps=False, without=bytes(sorted(set(given))))


def inside_word(
    mark: str, prefix: str, begins: Iterable[str], longest: int | None
) -> dict[str, Any]:
    """Returns, as JSON, the step that removes mark and prefix from the begin of some words.

    Of what words go on with, only what does not begin with another is kept.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.steps.read import inside_word
    >>> inside_word("▁", "##", ["ab", "b", "a"], 100)["begins"]
    ['a', 'b']
    """
    kept: list[str] = []
    for text in sorted(begins):
        if not kept or not text.startswith(kept[-1]):
            kept.append(text)
    own = {"mark": mark, "prefix": prefix, "begins": kept, "longest": longest}
    return {"type": INSIDE_WORD, **own}


def _inside_word(step: Mapping[str, Any]) -> Step:
    mark = _character(step, "mark", None)
    prefix, begins, longest = (step.get(key) for key in ("prefix", "begins", "longest"))
    if not isinstance(prefix, str) or not prefix:
        raise InputError(f"prefix is {shown(prefix)}: it must be a text that is not empty")
    if not isinstance(begins, list) or not all(isinstance(one, str) and one for one in begins):
        raise InputError("begins must be a list of texts, none of them empty")
    if longest is not None and (type(longest) is not int or longest < 1):
        raise InputError(f"longest is {shown(longest)}: it must be a positive number, or null")
    data = inside_word(mark, prefix, begins, longest)
    most = None if longest is None else longest + len(mark)
    return Step(data, keeps=False, inside=Inside(mark + prefix, frozenset(data["begins"]), most))


def _phrases(step: Mapping[str, Any]) -> Step:
    words = step.get("words")
    if words is not None and (isinstance(words, bool) or not isinstance(words, int)):
        raise InputError(f"words is {shown(words)}: it must be a whole number, or null for all")
    joins = ALL_WORDS if words is None else checked_phrases(words)
    return Step({"type": PHRASES, "words": words}, joins=joins)


_STEPS: dict[str, Callable[[Mapping[str, Any]], Step]] = {
    "Split": _split,
    "Digits": _digits,
    "Punctuation": _punctuation,
    "Whitespace": _removing(rf"[{WORD_CHARACTER}]+|[^{WORD_CHARACTER}\s]+", invert=True),
    "WhitespaceSplit": _removing(r"\s"),
    "BertPreTokenizer": _bert,
    "CharDelimiterSplit": _delimiter,
    "Metaspace": _metaspace,
    "ByteLevel": _byte_level,
    BEGIN_OF_WORD: _begin_of_word,
    "EndOfWord": _end_of_word,
    "LeaveOut": _leave_out,
    INSIDE_WORD: _inside_word,
    PHRASES: _phrases,
}


def read_steps(given: str | Mapping[str, Any]) -> Steps:
    """Reads a pre-tokenizer as a tokenizer.json has it.

    Behind ByteLevel, which is there once at most, stand steps that only split, as they split its
    spelling of bytes; EndOfWord, InsideWord or Phrases are the last.

    Raises
    ------
    InputError
        For what is no JSON object, a step that is not known here, a pattern that cannot be
        translated, or patterns that are too large.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.steps.read import read_steps
    >>> read_steps('{"type": "Digits"}').name
    '{"type":"Digits","individual_digits":false}'
    """
    try:
        data = json.loads(given) if isinstance(given, str) else given
        flat = _flat(data)
        check_sizes(step.get("pattern") for step in flat if step.get("type") == "Split")
        steps = tuple(map(_step, flat))
    except (ValueError, RecursionError) as error:
        what = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InputError(f"a pre-tokenizer as JSON: {what}") from None
    except InputError as error:
        raise InputError(f"a pre-tokenizer as JSON: {error}") from None
    kinds = [step.data["type"] for step in steps]
    for last in ("EndOfWord", INSIDE_WORD, PHRASES):
        if last in kinds[:-1]:
            raise InputError(f"a pre-tokenizer as JSON: {last} must be the last step")
    steps = _behind_bytes(steps)
    if kinds[-1:] == [PHRASES] and not (
        all(step.keeps for step in steps) and any(step.cut for step in steps)
    ):
        raise InputError(
            "a pre-tokenizer as JSON: words can be joined to phrases only after steps that split "
            "text, and remove or insert nothing"
        )
    # a ByteLevel that splits nothing is left out, if nothing splits its spelling
    spelled = any(step.spelled for step in steps)
    return Steps(tuple(s for s in steps if spelled or s.cut or not s.keeps or s.joins > 1))


def _behind_bytes(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Returns the steps, of which those behind ByteLevel split its spelling.

    Raises
    ------
    InputError
        If one of those does more.
    """
    kinds = [step.data["type"] for step in steps]
    if "ByteLevel" not in kinds:
        return steps
    at = kinds.index("ByteLevel") + 1
    behind = tuple(
        step if step.suffix or step.joins > 1 or step.leaves_out else replace(step, spelled=True)
        for step in steps[at:]
    )
    for step in behind:
        if step.spelled and (step.cut is None or not step.keeps):
            kind = step.data["type"]
            raise InputError(f"a pre-tokenizer as JSON: {kind} after ByteLevel is not supported")
    return (*steps[:at], *behind)


def split_steps(patterns: Iterable[str]) -> dict[str, Any]:
    """Returns, as JSON, the steps that isolate the matches of each pattern, one after another."""
    steps = [
        {"type": "Split", "pattern": {"Regex": each}, "behavior": "Isolated", "invert": False}
        for each in patterns
    ]
    return {"type": "Sequence", "pretokenizers": steps}


def _flat(data: Any) -> list[Mapping[str, Any]]:
    if not isinstance(data, Mapping):
        raise InputError(f"{shown(data)} is not an object")
    if data.get("type") != "Sequence":
        return [data]
    inner = data.get("pretokenizers")
    if not isinstance(inner, list):
        raise InputError(f"pretokenizers is {shown(inner)}: it must be a list")
    return [step for part in inner for step in _flat(part)]


def _step(data: Mapping[str, Any]) -> Step:
    kind = data.get("type")
    if not isinstance(kind, str) or kind not in _STEPS:
        raise InputError(f"type is {shown(kind)}: use {', '.join(_STEPS)}, or Sequence")
    return _STEPS[kind](data)
