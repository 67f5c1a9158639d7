"""Scores that are added up over a whole text: as written out slowly, and by words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.text_sums import pieces_of
from shared.properties import tries

from partcover import Encoder, InputError, Vocabulary
from partcover.interop.whole_texts import unknown_scores
from partcover.segmentation.text_cutter import TextCutter
from partcover.segmentation.token_trie import TokenTrie
from partcover.vocabulary.unknown import Unknown

ALPHABET = "abé☃"
NEAR = [-1.0, -1.0000001, -0.9999999, -0.5, -2.0, -1 / 3, -2 / 3, -1.5, -10.0]


@st.composite
def models(draw, alphabet=ALPHABET):
    """The scores of pieces, with that of an unknown character, and how they are added up."""
    pieces = draw(st.lists(st.text(alphabet, min_size=1, max_size=5), unique=True, min_size=1))
    scale = draw(st.sampled_from([1.0, 1.0, 7.3, 300.0, 30_000.0, 150_000.0]))
    scores = {piece: float(np.float32(scale * draw(st.sampled_from(NEAR)))) for piece in pieces}
    scores[""] = float(np.float32(min(scores.values()) - 10))
    return scores, draw(st.sampled_from(["text", "text32"]))


def vocabulary_of(scores, sums, **use):
    tokens = [piece for piece in scores if len(piece.encode()) > 1]
    singles = {piece.encode(): s for piece, s in scores.items() if len(piece.encode()) == 1}
    return Vocabulary(
        tokens,
        rule="likelihood",
        sums=sums,
        scores=[scores[piece] for piece in tokens],
        symbol_scores=unknown_scores(scores[""]) | singles,
        **use,
    )


def kernel_of(scores, sums):
    return TextCutter(TokenTrie(vocabulary_of(scores, sums), None)).scores


def texts_of(which, text):
    """The pieces that an output of the kernel says, those of unknown characters as one."""
    data, out, start = text.encode(), [], 0
    for end, number in enumerate(which.tolist(), 1):
        whole = end == len(data) or data[end] & 0xC0 != 0x80
        if number >= 0 or (number == -1 and whole):
            out.append(data[start:end].decode())
            start = end
    return out


@tries(400)
@given(
    model=models(),
    text=st.text(ALPHABET, min_size=1, max_size=40),
    total=st.sampled_from([0.0, -5.0, -99_990.0, 99_999.0, -100_000.0, -33_333.3, 250_000.0]),
)
def test_behind_any_text(model, text, total):
    scores, sums = model
    total = float(np.float32(total))
    which, after = kernel_of(scores, sums).cut_behind(np.frombuffer(text.encode(), np.uint8), total)
    pieces, expected = pieces_of(text, scores, narrow=sums == "text32", total=total)
    assert texts_of(which, text) == [piece for piece, _ in pieces]
    assert after == expected


@pytest.mark.long
@pytest.mark.parametrize("longest", [3, 33, 90])
def test_texts_of_long_tokens(longest):
    """Several walks meet, at once in a text of words, and late or never in one of a long run."""
    scores = {"a" * n: -1.0 - n / 7 for n in (1, 2, longest - 1, longest)}
    scores |= {"b": -1.0, "ab": -1.25, "ba": -1.5, "": -12.0}
    draw = np.random.default_rng(longest)
    words = draw.choice(["a", "b", "ab", "a" * longest, "c"], 1_000, p=[0.3, 0.3, 0.3, 0.05, 0.05])
    for text in ("".join(words.tolist()), "a" * 2_500, "a" * 2_500 + "b"):
        which, _ = kernel_of(scores, "text").cut_behind(np.frombuffer(text.encode(), np.uint8), 0)
        pieces, _ = pieces_of(text, scores, narrow=False)
        assert texts_of(which, text) == [piece for piece, _ in pieces]


@tries(600)
@given(
    model=models(),
    text=st.text(ALPHABET, min_size=1, max_size=12),
    share=st.floats(-1, 1),
)
def test_what_holds_behind_low_sums(model, text, share):
    scores, sums = model
    kernel = kernel_of(scores, sums)
    word = np.frombuffer(text.encode(), np.uint8)
    limit, which, adds = kernel.reach(word)
    if limit < 0:
        return
    number = np.float32 if sums == "text32" else np.float64
    for total in (0.0, limit, -limit, share * min(limit, 1e6)):
        total = number(max(-1e30, min(1e30, total)))
        if abs(total) > limit:  # it was rounded up
            total = np.nextafter(total, number(0))
        cut, after = kernel.cut_behind(word, float(total))
        assert cut.tolist() == which.tolist()
        for each in adds:
            total = total + number(each)
        assert after == total


def test_the_limit_is_no_larger_than_it_may_be():
    # "ab" scores 2^-20 more than its parts, which is lost where sums have 24 bits
    scores = {"a": -1.0, "b": -1.0, "ab": -2.0 + 2.0**-20, "": -12.0}
    limit, which, adds = kernel_of(scores, "text32").reach(np.frombuffer(b"ab", np.uint8))
    assert which.tolist() == [-2, 0]
    assert adds == [-2.0 + 2.0**-20]
    assert limit < 8  # 2^-20 of 16 is half a last place
    far, _, _ = kernel_of(scores, "text").reach(np.frombuffer(b"ab", np.uint8))
    assert far > 1e8
    # nothing else is possible: up to where sums begin anew
    alone = {"ab": -1.0, "": -11.0}
    limit, _, _ = kernel_of(alone, "text32").reach(np.frombuffer(b"ab", np.uint8))
    assert 99_900 < limit < 100_000
    tied = {"a": -1.0, "b": -1.0, "ab": -2.0, "": -12.0}
    assert kernel_of(tied, "text32").reach(np.frombuffer(b"ab", np.uint8))[0] < 0


@tries(200)
@given(
    model=models("ab é"),
    words=st.lists(st.text("abé☃", max_size=6), min_size=1, max_size=60),
    fallback=st.booleans(),
    cache=st.sampled_from([0, 200, 1 << 26]),
    repeat=st.sampled_from([1, 40]),
)
def test_words_that_are_kept(model, words, fallback, cache, repeat):
    scores, sums = model
    scores = {p: s for p, s in scores.items() if " " not in p[1:]} | {" ": scores[""] + 10}
    use = {"pretokenizer": "first-space"}
    if not fallback:  # an unknown run of characters is one id
        ids = [257 + byte if chr(byte) in scores else -1 for byte in range(256)]
        tokens = [piece for piece in scores if len(piece.encode()) > 1]
        use |= {
            "ids": [*ids, *range(1000, 1000 + len(tokens))],
            "special": {"<unk>": 3},
            "unknown": Unknown("<unk>"),
        }
    encoder = Encoder(vocabulary_of(scores, sums, **use), cache=cache)
    vocabulary = encoder.vocabulary
    text = " ".join(words) * repeat
    pieces, _ = pieces_of(text, scores, narrow=sums == "text32")
    places = {token: vocabulary.id_of[256 + place] for place, token in enumerate(vocabulary)}
    expected, before = [], False
    for piece, known in pieces:
        if known or fallback:
            data = piece.encode()
            whole = places.get(data) if known else None
            expected += [vocabulary.id_of[b] for b in data] if whole is None else [whole]
        elif not before:
            expected.append(3)
        before = not known
    assert encoder.encode(text) == expected
    assert encoder.encode_to_numpy(text).tolist() == expected
    assert encoder.count(text) == len(expected)
    assert encoder.encode_batch([text, text]) == [expected, expected]
    assert encoder.encode_with_offsets(text)[0] == expected
    assert Encoder(vocabulary, threads=3).encode(text.encode()) == expected


def lines(seed, size):
    """A text whose words are cut in ways that tie, and far into which sums are large."""
    draw = np.random.default_rng(seed)
    runs = ["-" * n for n in range(1, 9)] + ["ab" * n for n in range(1, 5)] + ["é☃", "ba"]
    return " ".join(draw.choice(runs, size).tolist())


TIED = {
    " ": -3.1, "-": -4.3, "--": -6.7, "---": -7.9, "----": -8.1, " -": -4.4, " --": -7.1,
    "a": -5.2, "b": -5.3, "ab": -10.4, "ba": -10.5, "aba": -15.7, " a": -8.3, "é": -11.25,
    "": -25.7,
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("sums", ["text", "text32"])
def test_long_texts(sums, tmp_path):
    scores = {piece: float(np.float32(score)) for piece, score in TIED.items()}
    vocabulary = vocabulary_of(scores, sums, pretokenizer="first-space")
    text = lines(1, 80_000)
    assert len(text) > 1 << 18  # several parts
    pieces, _ = pieces_of(text, scores, narrow=sums == "text32")
    data = [piece.encode() if known else piece.encode()[:0] for piece, known in pieces]
    encoder = Encoder(vocabulary)
    ids = encoder.encode(text)
    known = [token for token in map(encoder.decode_bytes, ([i] for i in ids)) if token]
    expected = []
    for piece, token in zip(pieces, data, strict=True):
        expected += [token] if token else [bytes([byte]) for byte in piece[0].encode()]
    assert known == expected
    assert Encoder(vocabulary, threads=4).encode(text) == ids
    assert Encoder(vocabulary, cache=0).encode(text.encode()) == ids
    assert Encoder(vocabulary.with_(pretokenizer="none")).encode(text) == ids
    marked = [token.replace(b" ", "▁".encode()) for token in vocabulary]
    singles = dict(vocabulary.symbol_scores)
    fewer = vocabulary.with_(
        tokens=[*marked, "▁"], scores=[*vocabulary.scores, singles.pop(b" ")],
        symbol_scores=singles | {b" ": scores[""]}, pretokenizer="space-prefix:▁",
    )  # fmt: skip
    last = fewer.id_of[-1]
    assert [32 if i == last else i for i in Encoder(fewer).encode(text)] == ids
    path = tmp_path / "text.txt"
    path.write_text(text, encoding="utf-8")
    encoder.encode_files(path, tmp_path / "ids.npy", threads=2)
    assert np.load(tmp_path / "ids.npy").tolist() == ids
    if sums == "text32":  # words from no sum on are cut otherwise somewhere
        assert Encoder(vocabulary.with_(sums="word")).encode(text) != ids


def test_files_keep_how_scores_are_added_up(tmp_path):
    scores = {piece: float(np.float32(score)) for piece, score in TIED.items()}
    vocabulary = vocabulary_of(scores, "text32", pretokenizer="first-space")
    vocabulary.save(tmp_path / "v.json")
    assert Vocabulary.load(tmp_path / "v.json") == vocabulary
    assert vocabulary.to_json()["version"] == 3
    assert "sums" not in vocabulary.with_(sums="word").to_json()
    with pytest.raises(InputError, match="sums"):
        vocabulary.with_(sums="texts")
    with pytest.raises(InputError, match="over chars"):
        Vocabulary(["ab"], "chars", sums="text")


def test_bytes_without_an_id_are_an_error():
    scores = {"a": -1.0, "ab": -1.5, "": -12.0}
    vocabulary = vocabulary_of(scores, "text32", pretokenizer="first-space")
    ids = [-1 if byte == ord("b") else byte for byte in range(256)]
    encoder = Encoder(vocabulary.with_(ids=[*ids, 300]))
    assert encoder.encode("ab a ab") == [300, 32, 97, 32, 300]
    for text in ("ab b", "b" * 300):
        with pytest.raises(InputError, match="byte 0x62, in the word"):
            encoder.encode(text)
        with pytest.raises(InputError, match="byte 0x62, in the word"):
            encoder.encode_batch(["ab", text])
