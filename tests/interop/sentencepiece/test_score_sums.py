"""Unigram models whose scores tie, or nearly: ids of long texts are sentencepiece's to the last."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from interop.cases import need
from oracles.text_sums import ids_of, pieces_of
from shared.properties import tries

from partcover import Encoder, Vocabulary
from partcover.interop.sentencepiece.proto import (
    BYTE,
    NORMAL,
    UNIGRAM,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    new_model,
)

MARK = "▁"
NEAR = [-1.0, -1.0000001, -0.9999999, -0.5, -2.0, -1 / 3, -2 / 3, -1.5, -3.0, 0.25]


def model_of(normal, own=(), unused=(), *, fallback=False):
    """A model of pieces with scores, user-defined pieces and unused ones; the identity."""
    model = new_model()
    spec = model.trainer_spec
    spec.model_type, spec.byte_fallback, spec.unk_piece = UNIGRAM, fallback, "<unk>"
    spec.unk_id, spec.bos_id, spec.eos_id, spec.pad_id = 0, -1, -1, -1
    model.pieces.add(piece="<unk>", score=0.0, type=UNKNOWN)
    for byte in range(256 if fallback else 0):
        model.pieces.add(piece=f"<0x{byte:02X}>", score=0.0, type=BYTE)
    for piece, score in normal.items():
        model.pieces.add(piece=piece, score=score, type=NORMAL)
    for pieces, kind in ((own, USER_DEFINED), (unused, UNUSED)):
        for piece in pieces:
            model.pieces.add(piece=piece, score=-0.5, type=kind)
    spec.vocab_size = len(model.pieces)
    normalizer = model.normalizer_spec
    normalizer.name = "identity"
    normalizer.add_dummy_prefix = normalizer.remove_extra_whitespaces = False
    normalizer.escape_whitespaces = True
    return model


def expected(model, text):
    """What the slow twin says."""
    pieces = list(model.pieces)
    scores = {p.piece: p.score for p in pieces if p.type == NORMAL}
    scores[""] = float(np.float32(min(scores.values(), default=3.4028234663852886e38) - 10))
    for piece in pieces:
        if piece.type == USER_DEFINED:
            scores[piece.piece] = float(np.float32(0.1 * (len(piece.piece.encode()) - 1)))
    ids = {p.piece: place for place, p in enumerate(pieces)} | {"": 0}
    fallback = model.trainer_spec.byte_fallback
    byte_ids = {byte: 1 + byte for byte in range(256)} if fallback else None
    found, _ = pieces_of(text.replace(" ", MARK), scores, narrow=True)
    return ids_of(found, ids, byte_ids=byte_ids)


def saved(model, path):
    path.write_bytes(model.SerializeToString())
    return Encoder(Vocabulary.load(path))


@pytest.mark.long
@tries(250)
@given(data=st.data())
def test_generated_models(tmp_path_factory, data):
    spm = need("sentencepiece")
    draw = data.draw
    inner = draw(st.booleans())  # whether pieces reach across words
    part = st.text(f"ab-é{MARK}" if inner else "ab-é", min_size=1, max_size=4)
    whole = part if inner else st.builds(str.__add__, st.sampled_from(["", MARK]), part)
    pieces = draw(st.lists(whole, unique=True, min_size=1, max_size=20))
    scale = draw(st.sampled_from([1.0, 7.3, 50.0, 30_000.0, 150_000.0]))
    normal = {p: scale * draw(st.sampled_from(NEAR)) for p in pieces}
    if draw(st.booleans()):
        normal[MARK] = scale * draw(st.sampled_from(NEAR))
    others = [p for p in draw(st.lists(whole, unique=True, max_size=4)) if p not in normal]
    own, unused = others[: len(others) // 2], others[len(others) // 2 :]
    model = model_of(normal, own, unused, fallback=draw(st.booleans()))
    words = draw(st.lists(st.text("ab-é☃", max_size=7), min_size=1, max_size=30))
    text = " ".join(words) * draw(st.sampled_from([1, 30]))
    ids = expected(model, text)
    library = spm.SentencePieceProcessor(model_proto=model.SerializeToString())
    assert library.encode(text) == ids
    encoder = saved(model, tmp_path_factory.mktemp("m") / "u.model")
    assert encoder.encode(text) == ids


@pytest.mark.long
@pytest.mark.parametrize("fallback", [False, True])
@pytest.mark.parametrize("across", [False, True])
def test_long_texts(tmp_path, fallback, across):
    spm = need("sentencepiece")
    draw = random.Random(7)
    normal = {MARK: -3.1, "é": -11.25}
    for alphabet in ("-", "ab", "=", "01"):
        for length in range(1, 9):
            for _ in range(3):
                piece = "".join(draw.choices(alphabet, k=length))
                normal[piece] = -2.1 * length - draw.choice([0, 1e-6, 1e-4, 0.3, 2.9])
                normal[MARK + piece] = normal[piece] - draw.choice([0.5, 3.1])
    if across:
        normal |= {f"ab{MARK}": -6.7, f"-{MARK}-": -7.3, f"a{MARK}b{MARK}": -12.9}
    model = model_of(normal, ["01a", "=-"], fallback=fallback)
    parts = ["-" * 9, "abba", "===", "0110", "01a", "=-", "☃", "é", "☃☃é", "aab", "-", "b"]
    text = " ".join("".join(draw.choices(parts, k=draw.randrange(1, 5))) for _ in range(22_000))
    assert len(text) > 100_000
    library = spm.SentencePieceProcessor(model_proto=model.SerializeToString())
    ids = library.encode(text)
    assert ids == expected(model, text)
    encoder = saved(model, tmp_path / "u.model")
    assert (encoder.pretokenizer == "none") == across
    assert encoder.encode(text) == ids
    alone = encoder.vocabulary.with_(sums="word")
    assert Encoder(alone).encode(text) != ids  # so that it makes a difference
    some = text[:20_000].split(" ")
    assert encoder.encode_batch(some) == library.encode(some)
