"""Trains Unigram with sentencepiece's own trainer, on the counted words."""

from __future__ import annotations

import json
import sys
from itertools import chain
from pathlib import Path
from typing import Any

from ..corpus import symbols as sym
from ..errors import InputError, MissingExtra
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import Seconds, Threads
from ..runtime.limits import Deadline
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary
from .trainer import solution_of, trainer

# characters that have a meaning to sentencepiece or its input format
_SPECIAL = "\0\t\n\r ▁⁇"

# options with which the library takes the words as they are
_AS_IT_IS = {
    "input_format": "tsv",
    "model_type": "unigram",
    "hard_vocab_limit": False,  # there may be fewer pieces
    "character_coverage": 1.0,
    "normalization_rule_name": "identity",
    "add_dummy_prefix": False,
    "remove_extra_whitespaces": False,
    "split_by_whitespace": False,
    "split_by_unicode_script": False,
    "split_by_number": False,
    "max_sentence_length": 2**30,
    "bos_id": -1,
    "eos_id": -1,
    "minloglevel": 2,
}

# the library neither stops nor lets Ctrl-C through, so it runs in a process of its own
_RUN = """
import json, sys
import sentencepiece
try:
    sentencepiece.SentencePieceTrainer.train(**json.load(sys.stdin))
except RuntimeError as error:
    sys.exit(" ".join(str(error).split()))
"""


def check_sentencepiece(instance: Instance) -> None:
    """Checks that the words are text and that the library of `unigram_sentencepiece` is installed.

    Raises
    ------
    MissingExtra, InputError
        As that does.
    """
    try:
        import sentencepiece  # noqa: F401
    except ImportError:
        raise MissingExtra(
            "sentencepiece", "sentencepiece", "the method unigram_sentencepiece"
        ) from None
    if instance.symbols == "ints":
        raise InputError("sentencepiece trains on text: use words over bytes or chars")


@trainer(
    "unigram_sentencepiece",
    about="Unigram, trained by the sentencepiece library",
    requires=check_sentencepiece,
)
def unigram_sentencepiece(
    instance: Instance,
    *,
    seed_size: int = 1_000_000,
    max_length: int = 16,
    shrink: float = 0.75,
    em_rounds: int = 2,
    time_limit: Seconds | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """Trains Unigram with the library sentencepiece, to compare with `unigram`.

    Parameters
    ----------
    instance : Instance
        The words, over bytes that are UTF-8 or over characters, and k.
    seed_size, max_length, shrink, em_rounds
        sentencepiece's ``seed_sentencepiece_size``, ``max_sentencepiece_length`` (in
        characters), ``shrinking_factor`` and ``num_sub_iterations``.
    time_limit : float, optional
        Seconds for the library, which gives nothing before its end: after that, and on Ctrl-C,
        there are no tokens.
    progress : Progress, optional
        Gets the stage ``sentencepiece`` as the library begins.
    threads : int
        Number of threads.  sentencepiece adds up its floats by thread: the result may differ.

    Returns
    -------
    Solution
        Method ``unigram_sentencepiece``, rule ``likelihood``, tokens by score.  Over bytes, its
        pieces of one character that is several bytes are tokens, and count toward k.
        ``extra["nothing_left_to_gain"]``: the words have fewer than k tokens for it.

    Raises
    ------
    MissingExtra
        If sentencepiece is not installed.
    InputError
        For words that are not UTF-8 or are integers, an option of the instance other than k,
        or k below the number of characters of several bytes, which it always keeps.

    Examples
    --------
    >>> from partcover import Instance, trainers
    >>> solution = trainers.unigram_sentencepiece(Instance({"hugs": 5, "hug": 10, "pug": 5}, 2))
    >>> solution.vocabulary.tokens
    (b'hug', b'pug')

    Notes
    -----
    The words go in as its TSV with counts, each a sentence of its own: no normalization, no
    dummy prefix, no splitting, every character kept; white space and the few characters that
    have a meaning to it are replaced by private ones and put back.

    While it looks for seeds, sentencepiece 0.2.3 writes each word out as often as it is counted.
    With a word of two letters that is counted 10^7 times this took 1 second, and with one that is
    counted 10^9 times 31 seconds and 6.8 GB: set a time limit, or divide large counts.
    """
    deadline = Deadline(time_limit)
    check_sentencepiece(instance)
    for name, value, lower, upper in (
        ("seed_size", seed_size, 1, 2**31 - 1),
        ("max_length", max_length, 1, 512),
        ("shrink", shrink, 0.5, 0.95),
        ("em_rounds", em_rounds, 1, 10),
    ):
        if not lower <= value <= upper:
            raise InputError(f"{name} is {value}: sentencepiece accepts {lower} to {upper}")
    if not len(instance.words):
        raise InputError("there are no words to train on")
    lines = [(_text(word), count) for word, count in instance.words]
    alphabet = set(chain.from_iterable(text for text, _ in lines))
    away, back, unknown = _stand_ins(alphabet)
    multibyte = {c for c in alphabet if len(sym.to_token(c, instance.symbols)) > 1}
    if instance.k < len(multibyte):
        raise InputError(
            f"k is {instance.k}: sentencepiece keeps every character, and {len(multibyte)} of them "
            "are several bytes"
        )
    options = {
        **_AS_IT_IS,
        "vocab_size": len(alphabet) - len(multibyte) + instance.k + 1,  # 1 for the unknown
        "unk_piece": unknown,
        "seed_sentencepiece_size": seed_size,
        "max_sentencepiece_length": max_length,
        "shrinking_factor": shrink,
        "num_sub_iterations": em_rounds,
        "num_threads": threads,
    }
    (progress or Progress()).stage("sentencepiece")
    model = _train([(text.translate(away), count) for text, count in lines], options, deadline)
    if model is None:
        vocabulary = Vocabulary((), instance.symbols, "unigram_sentencepiece")
        facts: dict[str, Any] = {"size": 0}
    else:
        vocabulary = _read(model, back, instance.symbols)
        size = len(vocabulary)
        facts = {"size": size, "nothing_left_to_gain": size < instance.k}
    return solution_of(
        instance,
        vocabulary,
        deadline.seconds,
        termination="time_limit" if model is None else "completed",
        threads=threads,
        extra=facts,
    )


def _train(
    lines: list[tuple[str, int]], options: dict[str, Any], deadline: Deadline
) -> bytes | None:
    """Runs the library on words and their counts; returns its model, None if time is up."""
    import subprocess  # what starts other programs is imported where one is started
    import tempfile

    from ..runtime.processes import children

    with tempfile.TemporaryDirectory() as folder:
        source, model = Path(folder, "words.tsv"), Path(folder, "it.model")
        with source.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{text}\t{count}\n" for text, count in lines)
        files = {"input": str(source), "model_prefix": str(model.with_suffix(""))}
        try:
            done = children.run(
                [sys.executable, "-c", _RUN],
                cwd=folder,
                input=json.dumps({**files, **options}),
                timeout=deadline.left,
            )
        except subprocess.TimeoutExpired:
            return None
        if done.returncode:
            message = (done.stderr.strip().splitlines() or ["it gave no reason"])[-1]
            raise InputError(f"sentencepiece: {message}")
        return model.read_bytes()


def _read(model: bytes, back: dict[int, int], symbols: sym.Symbols) -> Vocabulary:
    """Reads the tokens and scores of a model; `back` turns characters into those of the words."""
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    pieces = {
        sym.to_token(processor.id_to_piece(i).translate(back), symbols): float(
            processor.get_score(i)
        )
        for i in range(processor.get_piece_size())
        if not processor.is_unknown(i)
    }
    tokens = sorted((p for p in pieces if len(p) > 1), key=lambda p: (-pieces[p], p))
    return Vocabulary(
        tokens,
        symbols,
        "unigram_sentencepiece",
        rule="likelihood",
        scores=[pieces[token] for token in tokens],
        symbol_scores={p: score for p, score in sorted(pieces.items()) if len(p) == 1},
    )


def _text(word: Any) -> str:
    if isinstance(word, str):
        return word
    try:
        return str(word, "utf-8")
    except UnicodeDecodeError:
        raise InputError(
            f"sentencepiece trains on UTF-8, and the word {sym.show(word)!r} is not"
        ) from None


def _stand_ins(alphabet: set[str]) -> tuple[dict[int, int], dict[int, int], str]:
    """Returns tables for `str.translate`: special characters to private ones, and back.

    Also a piece for the unknown, which would otherwise be split off where words contain "<unk>".
    """
    free = (chr(c) for c in range(0xE000, 0xF900) if chr(c) not in alphabet)
    special = sorted(c for c in alphabet if c in _SPECIAL or c.isspace())
    away = {ord(c): ord(next(free)) for c in special}
    return away, {there: here for here, there in away.items()}, next(free)
