"""The same vocabulary here and in another library, for tests that ask both."""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import pytest

from partcover import Encoder, Instance, Vocabulary, WordCounts
from partcover.corpus.pretokenizers.published_patterns import PATTERNS
from partcover.trainers import bpe

SCRIPTS = (
    "hello world, goodbye world! hello  world\n \n\n  \ntoday\n  \n 请考试我的软件！12345 "
    "我非常渴望与人工智能一起工作 நடிகர் சூர்யா Ġ除 é日本語の文字 Привет мир 🤗👍👍 0000 000000 ^^^^ "
    "'s's's don't we'll \t\t\r\n\r\n" * 6
)
#: White space of every kind.
WHITE = [
    " ", "\n", "\t", "\r", "\r\n", "\v", "\f", "\x85", "\xa0", "\u1680", "\u2003", "\u2028",
    "\u202f", "\u3000", " \n", "\n ", " \t", "\n\r",
]  # fmt: skip
#: What very long words are made of.
LONG = [
    "^", "0", "a", " a", "A", "😀", "é", "日", "'s", "\0", "\u0301", "a\u0301", " ", "\n", " \n",
    "\r\n", "\t", "\u3000", "/", "/\n", "ab1 ", "👩\u200d", "٣",
]  # fmt: skip
#: Texts of odd characters.
ODD = [
    "", "\0", "\0\0a\0", "\u0301", "\u0301\u0301a", " \u0301", "a\u0301\u0301", "1\u0301",
    "\n\u0301", "\r", "\r\n", "\n\r", "\r\n\r\n", "a\r\nb\r\n\r\nc", "\r\r\n", "a\n\r\n b",
    "\t\r\n\t", "\ufeffa", "\ufffd", "\ufffe", "\U0010ffff", "\u200b", "\u200d", "🇨🇭🇨", "ǅ",
    "👨\u200d👩\u200d👧", "ſ's'ſ", "İı", "ﬁ", "½²Ⅷ", "'S'T'RE'VE'LL'D", "''''", "’s", "<|", "|>",
    "\x1c\x1d\x1e\x1f", "\x7f\x80\x9f", "٣٤٥٦", "𝟗𝟗𝟗𝟗",
]  # fmt: skip
#: The bytes in the order in which byte-level tokenizers number them.
ALPHABET = sorted(range(256), key=lambda byte: (not (33 <= byte < 127 or 161 <= byte != 173), byte))


@cache
def ranks_of(name: str, size: int = 600) -> dict[bytes, int]:
    """Returns the ranks of a BPE of words of a published pattern, trained on the spot."""
    text = SCRIPTS + "".join(topics[topic] for topic in ("strings", "numbers", "if", "class"))
    words = WordCounts.from_texts([text], pretokenizer=name)
    tokens = bpe(Instance(words, size)).vocabulary.tokens
    pieces = [*(bytes([byte]) for byte in ALPHABET), *tokens]
    return {piece: rank for rank, piece in enumerate(pieces) if isinstance(piece, bytes)}


def rank_pair(name: str, folder: Path, special: tuple[str, ...] = ()) -> tuple[Any, Encoder]:
    """Returns tiktoken's encoding of a pattern, and the encoder of the same file of ranks."""
    tiktoken = pytest.importorskip("tiktoken")
    ranks = ranks_of(name)
    ids = {text: 1000 + 3 * place for place, text in enumerate(special)}
    theirs = tiktoken.Encoding(
        name, pat_str=PATTERNS[name], mergeable_ranks=ranks, special_tokens=ids
    )
    path = folder / f"{name}.tiktoken"
    lines = (b"%b %d\n" % (base64.b64encode(piece), rank) for piece, rank in ranks.items())
    path.write_bytes(b"".join(lines))
    vocabulary = Vocabulary.load(path).with_(pretokenizer=name, special=ids)
    return theirs, Encoder(vocabulary)


def loaded(data: Any, folder: Path) -> tuple[Any, Encoder]:
    """Returns a tokenizer of Hugging Face's, read from its file, and the encoder of that file.

    Parameters
    ----------
    data : Tokenizer or dict
        A tokenizer, or the content of a tokenizer.json without what is null in it.
    folder : Path
        Where the file is written.
    """
    tokenizers = pytest.importorskip("tokenizers")
    whole = dict.fromkeys(["normalizer", "pre_tokenizer", "post_processor", "decoder"])
    text = (
        json.dumps({"version": "1.0", "added_tokens": [], **whole, **data})
        if isinstance(data, dict)
        else data.to_str()
    )
    path = folder / "tokenizer.json"
    path.write_text(text)
    return tokenizers.Tokenizer.from_file(str(path)), Encoder(Vocabulary.load(path))


def chained(words: str) -> dict[str, Any]:
    """Returns a byte-level BPE that makes each of some words, letter by letter from the left."""
    from tokenizers import pre_tokenizers

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {letter: place for place, letter in enumerate(letters)}
    merges = []
    for word in words.split():
        for end in range(2, len(word) + 1):
            if word[:end] not in vocab:
                vocab[word[:end]] = len(vocab)
                merges.append([word[: end - 1], word[end - 1]])
    return {"type": "BPE", "vocab": vocab, "merges": merges}


def two_of(pair: tuple[Any, Encoder], text: str, special: Any = "parse") -> list[int]:
    """Returns the ids of a text, which are the same in both: those of `encode` and of offsets."""
    theirs, ours = pair
    ids = ours.encode(text, special=special)
    assert ids == theirs.encode(text, add_special_tokens=False).ids
    assert ours.encode_with_offsets(text, special=special)[0] == ids
    assert ours.encode_batch([text, text], special=special) == [ids, ids]
    return ids
