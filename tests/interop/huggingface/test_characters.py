"""BPE that starts from characters, in tokenizer.json: replayed by the library itself."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import Encoder, InputError, Vocabulary, WordCounts, export, extend, prune

tokenizers = pytest.importorskip("tokenizers")

SPACE_BY_NORMALIZER = tokenizers.normalizers.Replace(" ", "▁")
SPACE_BY_DECODER = tokenizers.decoders.Sequence(
    [
        tokenizers.decoders.Replace("▁", " "),
        tokenizers.decoders.ByteFallback(),
        tokenizers.decoders.Fuse(),
    ]
)


def character_bpe(pieces, merges, **options):
    """A BPE model over text with byte fallback, as Llama 2 and Gemma have it."""
    vocab = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *pieces]
    return tokenizers.Tokenizer(
        tokenizers.models.BPE(
            {text: number for number, text in enumerate(vocab)},
            merges,
            unk_token="<unk>",
            byte_fallback=True,
            **options,
        )
    )


@tries(150)
@given(
    characters=st.lists(st.sampled_from("abé日😀▁"), unique=True, min_size=1),
    joined=st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=10),
    shuffled=st.booleans(),
    texts=st.lists(st.text("abé日😀語 ", max_size=14), max_size=5),
    way=st.sampled_from(["split", "whole", "normalizer", "gemma", "neither"]),
    rng=st.randoms(use_true_random=False),
)
def test_bpe_over_characters(tmp_path_factory, characters, joined, shuffled, texts, way, rng):
    pieces, merges = list(characters), []
    for left, right in joined:
        pair = pieces[left % len(pieces)], pieces[right % len(pieces)]
        if pair not in merges:
            merges.append(pair)
            pieces += [] if "".join(pair) in pieces else ["".join(pair)]
    if shuffled:
        rng.shuffle(merges)
    tokenizer = character_bpe(pieces, merges)
    if way in ("split", "whole"):
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace(
            prepend_scheme="never", split=way == "split"
        )
    if way in ("normalizer", "gemma"):
        tokenizer.normalizer = SPACE_BY_NORMALIZER
    if way == "gemma":
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Split(" ", "merged_with_previous")
    path = tmp_path_factory.mktemp("bpe") / "t.json"
    tokenizer.save(str(path))
    pool = [piece.replace("▁", " ") for piece in pieces]
    texts = texts + pool + ["".join(rng.choices(pool, k=3)) for _ in range(10)]
    if way == "neither" and "▁" in "".join(characters):
        texts = [text.replace(" ", "▁") for text in texts]
    vocabulary = Vocabulary.load(path)
    assert (vocabulary.rule, vocabulary.symbols) == ("character_merges", "bytes")
    encoder = Encoder(vocabulary)
    for text in texts:
        assert encoder.encode(text) == tokenizer.encode(text).ids
    # pairs are dropped only where ranks are the same
    assert vocabulary.merges is None or len(vocabulary.merges) == len(merges)
    assert "unknown there" not in " ".join(vocabulary.provenance.get("remarks", ()))


def test_bpe_over_characters_by_rank_where_it_is_the_same(tmp_path):
    pieces = ["b", "日", "é", "é日b", "é日", "日b", "b日b"]
    inner, outer = [("日", "b"), ("é", "日")], [("é", "日b"), ("b", "日b")]
    for merges, tokens in (
        ([*inner, *outer], ["日b", "é日", "é日b", "b日b", "é", "日"]),
        ([*inner, *outer[::-1]], ["日b", "é日", "b日b", "é日b", "é", "日"]),
        ([*inner[::-1], *outer], None),  # é日 + b is no pair: é日b is never merged
    ):
        tokenizer = character_bpe(pieces, merges)
        tokenizer.save(str(tmp_path / "t.json"))
        vocabulary = Vocabulary.load(tmp_path / "t.json")
        assert (vocabulary.merges is None) == (tokens is not None)
        if tokens:
            assert set(vocabulary.tokens[:4]) == {t.encode() for t in tokens[:4]}
            assert [t.decode() for t in vocabulary.tokens[:4]] == tokens[:4]
        for text in ("é日b", "b日b", "é日b日b", "b日é日b"):
            assert Encoder(vocabulary).encode(text) == tokenizer.encode(text).ids


@pytest.mark.parametrize("marked", [True, False])
def test_bpe_over_characters_whose_pairs_hold_spaces(tmp_path, marked):
    # where spaces are marked no text has one, and such a pair never merges
    pieces = ["<unk>", "▁", "a", "▁a", " ", " a", "b", "▁b", "a▁b", "ab"]
    for count in (7, len(pieces)):  # without and with pieces that reach over a space
        vocab = {piece: number for number, piece in enumerate(pieces[:count])}
        for merges in ([(" ", "a")], [(" ", "a"), ("▁", "b"), ("a", "▁b")]):
            if any(a + b not in vocab for a, b in merges):
                continue
            model = tokenizers.models.BPE(vocab, merges, unk_token="<unk>")
            tokenizer = tokenizers.Tokenizer(model)
            if marked:
                tokenizer.normalizer = SPACE_BY_NORMALIZER
            tokenizer.save(str(tmp_path / "t.json"))
            encoder = Encoder(Vocabulary.load(tmp_path / "t.json"))
            for text in (" a", "a b", " a b", "b a"):
                assert encoder.encode(text) == tokenizer.encode(text).ids


def test_a_token_that_no_pair_makes_is_no_whole_word_beside_a_special_one(tmp_path):
    # pairs are needed: by rank "xyz" would be looked up as a word
    vocab = {c: n for n, c in enumerate("abxyz")} | {"ab": 5, "xyz": 6, "<s>": 7}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab, [("a", "b")]))
    tokenizer.add_special_tokens(["<s>"])
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(False, use_regex=False)
    tokenizer.save(str(tmp_path / "t.json"))
    for text in ("xyz", "ab", "abxyz"):
        assert (
            Encoder(Vocabulary.load(tmp_path / "t.json")).encode(text) == tokenizer.encode(text).ids
        )


def test_bpe_over_characters_cut_before_spaces_are_marked(tmp_path):
    path = tmp_path / "t.json"
    export(Vocabulary(["ab"], rule="character_merges", pretokenizer="gpt2"), path, "huggingface")
    data = json.loads(path.read_text())
    assert Vocabulary.load(path).pretokenizer == "gpt2"
    data["normalizer"] = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    path.write_text(json.dumps(data))
    theirs = tokenizers.Tokenizer.from_file(str(path))
    assert Encoder(Vocabulary.load(path)).encode("ab ▁ab b") == theirs.encode("ab ▁ab b").ids
    data["normalizer"] = None  # and spaces that nothing marks
    spaces = tokenizers.pre_tokenizers.Split(" ", "merged_with_previous")
    data["pre_tokenizer"] = json.loads(spaces.__getstate__())
    path.write_text(json.dumps(data))
    vocabulary = Vocabulary.load(path)
    theirs = tokenizers.Tokenizer.from_file(str(path))
    assert Encoder(vocabulary).encode("ab ab b") == theirs.encode("ab ab b").ids


def test_bpe_over_characters_whose_words_are_kept(tmp_path):
    for pairs, fits in (([("a", "b")], True), ([], False)):
        character_bpe(["a", "b", "ab"], pairs, ignore_merges=True).save(str(tmp_path / "t.json"))
        if fits:
            assert Vocabulary.load(tmp_path / "t.json").tokens == (b"ab",)
        else:
            with pytest.raises(InputError, match="1 of them, such as 'ab'"):
                Vocabulary.load(tmp_path / "t.json")


def test_what_is_said_of_bpe_over_characters(tmp_path):
    path = tmp_path / "t.json"
    tokenizer = character_bpe(["a", "b", "ab", "<0xe4>"], [("a", "b")], ignore_merges=False)
    tokenizer.save(str(path))
    vocabulary = Vocabulary.load(path)
    assert vocabulary.tokens == (b"ab", b"<0xe4>")  # no byte: those are spelled in capitals
    assert Encoder(vocabulary).encode("ab\xe4") == tokenizer.encode("ab\xe4").ids
    assert "spells" not in " ".join(vocabulary.provenance.get("remarks", ()))
    tokenizer = character_bpe(["a", "b", "ab"], [("a", "b")], ignore_merges=True)
    tokenizer.save(str(path))
    remarks = " ".join(Vocabulary.load(path).provenance["remarks"])
    assert "in the library, a word such as <0x41> becomes that byte" in remarks
    tokenizer = character_bpe(["a", "b", " ", "▁", "a ", "▁a"], [("a", " "), ("▁", "a")])
    tokenizer.normalizer = SPACE_BY_NORMALIZER
    tokenizer.save(str(path))
    assert Encoder(Vocabulary.load(path)).encode("a a") == tokenizer.encode("a a").ids
    remarks = " ".join(Vocabulary.load(path).provenance["remarks"])
    assert "left out 2 unreachable tokens with a space" in remarks
    tokenizer = character_bpe(["a", "b", "a▁b"], [])
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace(
        prepend_scheme="never", split=False
    )
    tokenizer.save(str(path))
    assert Encoder(Vocabulary.load(path)).encode("a b▁b") == tokenizer.encode("a b▁b").ids


def test_added_tokens_that_merges_make_too_are_found_first(tmp_path):
    """As in Gemma's files: runs of line ends, and runs of a mark that stands in a text."""
    letters = ["a", "\n", "\n" * 2, "\n" * 4, "▁", "▁▁", "▁a"]
    merges = [("\n", "\n"), ("\n\n", "\n\n"), ("▁", "▁"), ("▁", "a")]
    tokenizer = character_bpe([*letters, "\n\n\n"], [*merges, ("\n", "\n\n")])
    tokenizer.normalizer = SPACE_BY_NORMALIZER
    tokenizer.decoder = SPACE_BY_DECODER
    added = ["▁▁", "\n\n", "\n\n\n"]
    tokenizer.add_tokens([tokenizers.AddedToken(each, normalized=False) for each in added])
    tokenizer.add_tokens(["<b>"])
    tokenizer.save(str(tmp_path / "t.json"))
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    assert vocabulary.special == {t: tokenizer.token_to_id(t) for t in [*added, "<b>"]}
    how = {"pretokenizer": vocabulary.pretokenizer, "normalizer": vocabulary.normalizer}
    words = WordCounts.from_texts(["a \n\n a\n\n\n"], **how)
    more = extend(vocabulary, words, 2, time_limit=1).vocabulary
    fewer = prune(more, words, 3, time_limit=1).vocabulary
    assert b"  " not in fewer.tokens
    assert b"\n\n" in fewer.tokens
    for number, changed in enumerate((vocabulary, more, fewer)):
        export(changed, tmp_path / f"{number}.json", "huggingface")
        there = tokenizers.Tokenizer.from_file(str(tmp_path / f"{number}.json"))
        encoder = Encoder(changed)
        parts = ["a", " ", "▁", "▁▁", "\n", "\n\n", "\n\n\n\n", "<b>"]
        for text in map("".join, itertools.product(parts, repeat=3)):
            ids = there.encode(text).ids
            assert encoder.encode(text) == ids
            assert encoder.decode(ids) == there.decode(ids)
    with pytest.raises(InputError, match="3 added tokens that are tokens, too, such as"):
        export(vocabulary, tmp_path / "v.tiktoken", "tiktoken")


def test_special_tokens_that_merges_make_too_are_tokens(tmp_path):
    tokenizer = character_bpe(["a", "▁", "▁▁", "▁a"], [("▁", "▁"), ("▁", "a")])
    tokenizer.normalizer = SPACE_BY_NORMALIZER
    tokenizer.add_special_tokens(["▁▁"])
    tokenizer.save(str(tmp_path / "t.json"))
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    assert vocabulary.special == {}
    assert "1 special tokens, such as '▁▁', are ordinary tokens, because merges" in " ".join(
        vocabulary.provenance["remarks"]
    )


def test_bpe_over_characters_without_fallback(tmp_path):
    model = tokenizers.models.BPE({"<unk>": 0, "a": 1, "b": 2, "ab": 3}, [("a", "b")])
    tokenizers.Tokenizer(model).save(str(tmp_path / "t.json"))
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    own = tokenizers.Tokenizer(model)
    assert Encoder(vocabulary).encode("abxba éb") == own.encode("abxba éb").ids == [3, 2, 3]
    assert vocabulary.provenance["remarks"] == [
        "a character without a token is left out of the text, as in the library",
        "254 bytes have no id",
        "it has no decoder: tokens are decoded with spaces between them, as in the library",
    ]


@pytest.mark.long
@tries(60)
@given(
    characters=st.lists(st.sampled_from("abé日😀 "), unique=True, min_size=1),
    joined=st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=10),
    by_pairs=st.booleans(),
    name=st.sampled_from(["none", "gpt2", "first-space", "space-prefix:▁", "space+digit"]),
    texts=st.lists(st.text("abé日😀語 1", max_size=14), max_size=5),
)
def test_merges_of_characters_go_out(tmp_path_factory, characters, joined, by_pairs, name, texts):
    pieces, pairs = list(characters), []
    for left, right in joined:
        pair = pieces[left % len(pieces)], pieces[right % len(pieces)]
        if pair not in pairs:
            pairs.append(pair)
            pieces += [] if "".join(pair) in pieces else ["".join(pair)]
    tokens = [piece for piece in pieces if len(piece.encode()) > 1]
    vocabulary = Vocabulary(
        tokens,
        rule="character_merges",
        pretokenizer=name,
        merges=pairs if by_pairs else None,
        special=["<s>"],
    )
    path = tmp_path_factory.mktemp("out") / "t.json"
    text = " ".join(texts)
    fidelity = export(vocabulary, path, "huggingface", text=text)
    assert fidelity.exact
    assert not any("are left out" in remark for remark in fidelity.remarks)
    read = Vocabulary.load(path)
    assert (read.pretokenizer, read.special) == (name, vocabulary.special)
    ids_of = [dict(zip(v, v.id_of[256:], strict=True)) for v in (read, vocabulary)]
    assert ids_of[0] == ids_of[1]
    assert Encoder(read).encode(text) == Encoder(vocabulary).encode(text)
    tokenizer = tokenizers.Tokenizer.from_file(str(path))
    assert tokenizer.decode(tokenizer.encode(text).ids) == text


def test_pairs_that_make_characters_of_bytes_stay_behind(run, tmp_path):
    # merged over bytes, and then told to begin with characters
    pairs = [(b"\xc3", b"\xa9"), ("a", "é"), (b"\xe6\x97", b"\xa5"), ("日", "é")]
    tokens = ["é", "aé", "日", "日é"]
    Vocabulary([*tokens, b"\xe6\x97"], merges=pairs, rule="merges").save(tmp_path / "V.json")
    command = (
        "export",
        "V.json",
        "--pretokenizer",
        "none",
        "--rule",
        "character_merges",
        "--to",
        "huggingface",
        "-o",
        "t.json",
    )
    status, _, err = run(*command)
    assert (status, "1 tokens that split a character" in err) == (2, True)
    status, _, err = run(*command, "--lossy")
    assert status == 0, err
    vocabulary = Vocabulary(
        tokens, merges=pairs[:2] + pairs[3:], rule="character_merges", pretokenizer="none"
    )
    assert export(vocabulary, tmp_path / "u.json", "huggingface", text="aé日éa日").exact
    read = Vocabulary.load(tmp_path / "u.json")
    assert Encoder(read).encode("aé日éa日") == Encoder(vocabulary).encode("aé日éa日")


@pytest.mark.long
def test_what_merges_of_characters_lose(tmp_path):
    vocabulary = Vocabulary([b"a\xc3", "<0xE4>", "ab"], rule="character_merges")
    with pytest.raises(
        InputError, match="2 tokens that split a character or are named like a byte"
    ):
        export(vocabulary, tmp_path / "t.json", "huggingface")
    with pytest.raises(
        InputError, match=r"rule character_merges \(tiktoken merges bytes by rank\)"
    ):
        export(vocabulary, tmp_path / "t.tiktoken", "tiktoken")
    for name in ("<0xe4>", "<0x+4>"):  # the decoder takes them for bytes
        with pytest.raises(InputError, match="1 tokens that split a character or are named like"):
            export(Vocabulary([name], rule="character_merges"), tmp_path / "t.json", "huggingface")
    use = {"rule": "character_merges", "pretokenizer": "none"}
    named = Vocabulary(["ab"], **use, special=["<0x41>"])
    made = export(named, tmp_path / "t.json", "huggingface")
    assert "the special token '<0x41>' is decoded by the library as 'A'" in made.remarks
    # there a character that is no token is bytes from the start
    # (nothing merges into the second of these here either)
    over_characters = Vocabulary(["日本", "abc日"], **use)
    with pytest.raises(InputError, match="1 tokens that merge from characters that are no tokens"):
        export(over_characters, tmp_path / "t.json", "huggingface")
    made = export(over_characters, tmp_path / "t.json", "huggingface", lossy=True)
    assert made.words_differing > 0
    assert export(Vocabulary(["abc日"], **use), tmp_path / "t.json", "huggingface").exact
    mute = [*range(97), -1, *range(98, 258)]
    with pytest.raises(InputError, match="'a' has no id, but merges need it"):
        export(Vocabulary(["ab", "日"], **use, ids=mute), tmp_path / "t", "huggingface")
