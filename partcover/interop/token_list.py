"""Writes and reads a plain list: one token a line, and nothing else."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Sequence
from pathlib import Path

from ..corpus import symbols as sym
from ..corpus.files.tsv import parse_word
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..runtime.files.kinds import HEADER, likely_mistake
from ..runtime.files.writing import atomic_writer, open_input
from ..segmentation.segmentation import segment
from ..vocabulary.vocabulary import Vocabulary
from .byte_level import pieces_of
from .format import Format, Replay, only_rule
from .given_up import GivenUp, without_ids
from .splitting import described


def lines_of(path: Path) -> list[bytes]:
    """Reads the lines of a file, without line feeds and without a byte order mark."""
    with open_input(path) as file:
        lines = file.read().removeprefix(BOM_UTF8).split(b"\n")
    return [line.removesuffix(b"\r") for line in (lines[:-1] if lines[-1] == b"" else lines)]


def not_carried(vocabulary: Vocabulary, *more: str) -> list[str]:
    """Returns a remark on what a file of tokens does not hold, if there is anything."""
    names = [*more]
    if vocabulary.pretokenizer is not None:
        names.append(f"the pre-tokenizer {described(vocabulary.pretokenizer)}")
    if vocabulary.special:
        names.append(f"{len(vocabulary.special)} special tokens")
    if vocabulary.scores is not None:
        names.append("scores")
    return [f"not in the file: {', '.join(names)}"] if names else []


def _write_list(vocabulary: Vocabulary, path: Path) -> list[str]:
    lines = [sym.show(token).encode("utf-8") + b"\n" for token in vocabulary]
    if lines and lines[0].startswith(BOM_UTF8):  # it is part of the token
        lines[0] = rb"\xEF\xBB\xBF" + lines[0].removeprefix(BOM_UTF8)
    with atomic_writer(path) as file:
        file.writelines(lines)
    more = ["which pairs merge"] if vocabulary.merges is not None else []
    more += ["ids"] if vocabulary.ids is not None else []
    return not_carried(vocabulary, f"the rule {vocabulary.rule}", *more)


def tokens_of_lines(
    lines: Sequence[bytes], symbols: sym.Symbols, path: Path
) -> tuple[sym.Token, ...]:
    """Returns the tokens of the lines of a file, single symbols too, in their order."""
    line_of: dict[sym.Token, int] = {}
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        if b"\t" in line or line.startswith(HEADER):
            raise InputError(
                f"{path}:{number}: expected one token per line; write a tab in a token as \\t"
                f"{likely_mistake(path, 'text')}"
            )
        try:
            line.decode("utf-8")
            token = parse_word(line, symbols)
        except UnicodeDecodeError:
            raise InputError(f"{path}:{number}: not UTF-8; write other bytes as \\xHH") from None
        except InputError as error:
            raise InputError(f"{path}:{number}: {error}") from None
        if token in line_of:
            raise InputError(
                f"{path}:{number}: token {sym.show(token)!r} is given twice, first in line "
                f"{line_of[token]}"
            )
        line_of[token] = number
    return tuple(line_of)


def _read_list(path: Path) -> tuple[Vocabulary, list[str]]:
    listed = tokens_of_lines(lines_of(path), "bytes", path)
    tokens = [token for token in listed if len(token) > 1]
    singles = len(listed) - len(tokens)
    remarks = ["a list holds no rule: shortest_path is assumed"]
    if singles:
        remarks.append(f"{singles} single bytes were left out, because they are always available")
    return Vocabulary(tokens, method="imported"), remarks


def _replay_list(path: Path) -> Replay:
    """Replays a list here, as no library reads it: by the shortest path."""
    return own_replay(_read_list(path)[0])


def own_replay(vocabulary: Vocabulary) -> Replay:
    """Replays a vocabulary that was read back here, where no library can be installed."""
    from .._version import __version__

    def words(pieces: Sequence[bytes]) -> list[list[bytes] | None]:
        counted = WordCounts.from_words(pieces)
        place = {word: index for index, (word, _) in enumerate(counted)}
        cut = segment(counted, vocabulary)
        return [[bytes(t) for t in cut.of(place[piece])] for piece in pieces]  # type: ignore[arg-type]

    id_of = dict(zip(pieces_of(vocabulary), vocabulary.id_of, strict=True))
    return Replay(f"partcover {__version__}", words, None, id_of.get)


def _adapt_list(vocabulary: Vocabulary, lost: list[GivenUp]) -> Vocabulary:
    if vocabulary.ids is None:
        return vocabulary
    return without_ids(vocabulary, lost, "ids", "a list holds none")


LIST = Format(
    name="list",
    title="a plain list: one token per line, escaped as in word counts",
    rules=only_rule(
        "shortest_path",
        "the tokens in order; read back so",
        "a list holds no rule and is read for the shortest path",
    ),
    write=_write_list,
    replay=_replay_list,
    read=_read_list,
    recognises=lambda path: path.is_file() and path.suffix in (".txt", ".list"),
    adapt=_adapt_list,
)
