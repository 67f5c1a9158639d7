"""sentencepiece's models out and in: replayed by the library itself."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from interop.cases import TEXT, chosen, need, whole
from shared.properties import tries

from partcover import Encoder, InputError, Vocabulary, WordCounts, segment
from partcover.interop import export
from partcover.interop.sentencepiece.proto import model_proto
from partcover.interop.sentencepiece.read import parse
from partcover.studies.audited_text import words_of_files


def test_sentencepiece_is_exact_for_the_shortest_path(tmp_path, counted):
    need("sentencepiece")
    vocabulary = whole(chosen(counted, pretokenizer="none", special={"<s>": 400}))
    result = export(
        vocabulary, tmp_path / "v.model", "sentencepiece", corpus=counted, text=TEXT * 3
    )
    assert result.exact
    assert result.text_same
    back = Vocabulary.load(tmp_path / "v.model")
    assert (back.tokens, back.rule, back.id_of) == (
        vocabulary.tokens,
        "shortest_path",
        vocabulary.id_of,
    )
    assert back.special["<s>"] == 400


@pytest.mark.long
@settings(tries(60), suppress_health_check=list(HealthCheck))
@given(
    tokens=st.lists(st.text("ab é▁", min_size=2, max_size=5), unique=True, max_size=8),
    wide=st.booleans(),
)
def test_sentencepiece_on_generated_vocabularies(tmp_path, tokens, wide):
    need("sentencepiece")
    # characters that are no tokens alone: all of 3 bytes, or all of 2
    turn = str.maketrans("é", "日") if wide else str.maketrans("▁", "é")
    vocabulary = Vocabulary(
        dict.fromkeys(token.translate(turn) for token in tokens), pretokenizer="none"
    )
    assert export(vocabulary, tmp_path / "v.model", "sentencepiece").exact


def test_first_space_needs_no_pretokenizer(tmp_path):
    need("sentencepiece")
    text = TEXT.replace("日本", "")
    words = WordCounts.from_texts([text], pretokenizer="first-space")
    vocabulary = whole(chosen(words, 30, pretokenizer="first-space"))
    result = export(vocabulary, tmp_path / "v.model", "sentencepiece", corpus=words, text=text)
    assert result.exact
    assert Vocabulary.load(tmp_path / "v.model").pretokenizer == "first-space"
    marked = vocabulary.with_(
        tokens=[t.replace(b" ", "▁".encode()) for t in vocabulary], pretokenizer="space-prefix:▁"
    )
    with pytest.raises(InputError, match="of 2 and 3 bytes"):  # é, and now ▁
        export(marked, tmp_path / "v.model", "sentencepiece")
    marked = marked.with_(tokens=[*marked, "é"])
    assert export(marked, tmp_path / "v.model", "sentencepiece", text=text).exact
    assert Vocabulary.load(tmp_path / "v.model").pretokenizer == "space-prefix:▁"
    for name in ("gpt2", "space-prefix"):
        with pytest.raises(InputError, match=f"pre-tokenizer {name}"):
            export(vocabulary.with_(pretokenizer=name), tmp_path / "w.model", "sentencepiece")


def test_sentencepiece_gives_up_what_no_piece_holds(tmp_path):
    need("sentencepiece")
    path = tmp_path / "v.model"
    cutting = Vocabulary(["ab", b"\xa9a", "a\0", "<0x41>"], pretokenizer="none")
    with pytest.raises(
        InputError, match="3 tokens that split a character, contain a NUL or are named"
    ):
        export(cutting, path, "sentencepiece")
    export(cutting, path, "sentencepiece", lossy=True)
    assert Vocabulary.load(path).tokens == (b"ab",)
    with pytest.raises(InputError, match="of 2 and 3 bytes"):
        export(Vocabulary(["éa", "日a"], pretokenizer="none"), path, "sentencepiece")
    with pytest.raises(InputError, match="characters of 4 bytes"):
        export(Vocabulary(["😀a"], pretokenizer="none"), path, "sentencepiece")
    export(Vocabulary(["😀a", "😀"], pretokenizer="none"), path, "sentencepiece")


@pytest.mark.long
def test_sentencepiece_gives_up_pieces_that_it_refuses_to_load(tmp_path):
    need("sentencepiece")
    path = tmp_path / "v.model"
    for longest in ("a" * 7999, " " + "a" * 7996):
        vocabulary = Vocabulary([longest, "aa"], pretokenizer="first-space")
        assert export(vocabulary, path, "sentencepiece").exact
        longer = vocabulary.with_(tokens=[longest + "a", "aa"])
        with pytest.raises(InputError, match="1 tokens of more than 7,999 bytes"):
            export(longer, path, "sentencepiece")
        export(longer, path, "sentencepiece", lossy=True)
        assert Vocabulary.load(path).tokens == (b"aa",)
    named = Vocabulary(["aa"], special=["<a>", "s" * 8000], pretokenizer="none")
    with pytest.raises(InputError, match="1 special tokens of more than 7,999 bytes"):
        export(named, path, "sentencepiece")
    export(named, path, "sentencepiece", lossy=True)
    assert list(Vocabulary.load(path).special) == ["<a>", "<unk>"]


def test_a_model_that_sentencepiece_does_not_load_is_refused(tmp_path):
    need("sentencepiece")
    nothing = Vocabulary([], rule="likelihood", scores=[], pretokenizer="none")
    with pytest.raises(InputError, match=r"^sentencepiece [\d.]+ does not load it: no pieces are"):
        export(nothing, tmp_path / "v.model", "sentencepiece")
    assert not (tmp_path / "v.model").exists()


def test_sentencepiece_a_space_in_the_second_place_reaches_over_words(tmp_path):
    need("sentencepiece")
    for token, exact in (("a b", False), (" ab", True)):
        vocabulary = Vocabulary([token], pretokenizer="first-space")
        result = export(vocabulary, tmp_path / "v.model", "sentencepiece", lossy=True)
        assert result.exact is exact


def test_sentencepiece_of_equal_scores_the_first_piece_is_first(tmp_path):
    need("sentencepiece")
    path = tmp_path / "v.model"
    export(
        Vocabulary(["bc", "ab", "cd"], rule="merges", pretokenizer="none"), path, "sentencepiece"
    )
    model = model_proto()()
    model.ParseFromString(path.read_bytes())
    for piece in model.pieces:
        piece.score = -1.0 if piece.piece == "cd" else -2.0
    path.write_bytes(model.SerializeToString())
    assert Vocabulary.load(path).tokens == (b"cd", b"bc", b"ab")


def test_sentencepiece_names_and_gaps(tmp_path):
    need("sentencepiece")
    path = tmp_path / "v.model"
    ids = [*range(256), 300, 400]
    vocabulary = Vocabulary(
        ["<unk>", "<unused256>"], ids=ids, pretokenizer="none", special={"<s>": 310}
    )
    assert export(vocabulary, path, "sentencepiece").exact
    back = Vocabulary.load(path)
    assert (back.tokens, back.id_of, back.special["<s>"]) == (vocabulary.tokens, (*ids,), 310)
    with pytest.raises(InputError, match="special tokens that are named as other pieces: <unk>"):
        export(vocabulary.with_(special={"<unk>": 310}), path, "sentencepiece")
    with pytest.raises(InputError, match="each number between needs a piece"):
        export(vocabulary.with_(ids=[*ids[:257], 2**31 - 1]), path, "sentencepiece")


def test_sentencepiece_likelihood_and_merges(tmp_path, counted):
    need("sentencepiece")
    vocabulary = whole(chosen(counted, pretokenizer="none"))
    scores = [-2 - place / 8 for place in range(len(vocabulary))]  # no rounding in 32 bits
    singles = {bytes([b]): -6.5 for b in b"abthe "}
    likely = vocabulary.with_(
        tokens=[*vocabulary, "é"] if "é".encode() not in vocabulary.tokens else vocabulary.tokens,
        rule="likelihood",
        scores=[*scores, -7][: len(vocabulary) + ("é".encode() not in vocabulary.tokens)],
        symbol_scores=singles,
    )
    assert export(likely, tmp_path / "v.model", "sentencepiece", corpus=counted).exact
    back = Vocabulary.load(tmp_path / "v.model")
    assert (back.rule, back.scores) == ("likelihood", likely.scores)
    assert singles.items() <= back.symbol_scores.items()
    merged = Vocabulary(["th", "the", "ab", "abab"], rule="merges", pretokenizer="none")
    assert export(merged, tmp_path / "v.model", "sentencepiece", corpus=counted).exact
    back = Vocabulary.load(tmp_path / "v.model")
    assert (back.rule, back.merges, back.tokens) == ("character_merges", None, merged.tokens)
    # a whole word is not looked up: abc merges a + bc first, and x + yz never
    lost = Vocabulary(["yz", "xy", "xyzw"], rule="merges", pretokenizer="none")
    with pytest.raises(InputError, match="are tokenized differently"):
        export(lost, tmp_path / "v.model", "sentencepiece")


@pytest.mark.long
def test_a_trained_model_comes_in(tmp_path):
    spm = need("sentencepiece")
    corpus = tmp_path / "c.txt"
    corpus.write_text("the cat sat on the mat\nthe hat that sat\ncafé au lait thé\n" * 30)
    for kind in ("unigram", "bpe"):
        spm.SentencePieceTrainer.train(
            input=str(corpus), model_prefix=str(tmp_path / kind), vocab_size=300,
            model_type=kind, byte_fallback=True, minloglevel=2, user_defined_symbols="@@",
            hard_vocab_limit=False,
        )  # fmt: skip
        vocabulary = Vocabulary.load(tmp_path / f"{kind}.model")
        unigram = kind == "unigram"
        assert vocabulary.rule == ("likelihood" if unigram else "character_merges")
        assert vocabulary.pretokenizer == "first-space"
        assert {"<unk>", "<s>", "</s>"} <= set(vocabulary.special)
        assert "@@" in (vocabulary if unigram else vocabulary.special)
        assert "remarks" not in vocabulary.provenance
        processor = spm.SentencePieceProcessor(model_file=str(tmp_path / f"{kind}.model"))
        for line in ("the cat@@sat", "  that  thé ", "été 日 @@", "", " ", "ﬁne▁cafe\u0301"):
            ids = processor.encode(line)
            assert Encoder(vocabulary).encode(line) == ids
            assert Encoder(vocabulary).decode(ids) == processor.decode(ids)
        assert export(vocabulary, tmp_path / f"{kind}-again.model", "sentencepiece").exact


def bpe_model(path, pieces, *, escaped=True, unigram=False, kinds=None):
    """A BPE model with byte fallback whose first piece merges first, or a Unigram model.

    `kinds`: the types of pieces that are not plain ones.
    """
    model = model_proto()()
    model.pieces.add(piece="<unk>", score=0.0, type=2)
    for byte in range(256):
        model.pieces.add(piece=f"<0x{byte:02X}>", score=0.0, type=6)
    for place, piece in enumerate(pieces):
        kind = (kinds or {}).get(piece, 1)
        model.pieces.add(piece=piece, score=-float(place), type=kind)
    model.trainer_spec.model_type = 1 if unigram else 2
    model.trainer_spec.byte_fallback = True
    model.normalizer_spec.name = "identity"
    model.normalizer_spec.add_dummy_prefix = False
    model.normalizer_spec.remove_extra_whitespaces = False
    model.normalizer_spec.escape_whitespaces = escaped
    path.write_bytes(model.SerializeToString())
    return path


@pytest.mark.parametrize(
    ("piece", "score", "message"),
    [("a", float("inf"), "piece 257 has the score inf"), ("", 0.0, "piece 257 is empty")],
)
def test_pieces_that_no_model_can_have_are_named(tmp_path, piece, score, message):
    need("sentencepiece")
    model = model_proto()()
    path = bpe_model(tmp_path / "b.model", [])
    model.ParseFromString(path.read_bytes())
    model.pieces.add(piece=piece, score=score, type=1)
    path.write_bytes(model.SerializeToString())
    with pytest.raises(InputError, match=message):
        Vocabulary.load(path)


# of one to four bytes; the last is never a piece
CHARACTERS = ["a", "b", "é", "日", "“", "😀", " ", "語"]


@pytest.mark.long
@settings(tries(100), suppress_health_check=list(HealthCheck))
@given(
    pairs=st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=12),
    singles=st.lists(st.sampled_from(CHARACTERS[:-1]), unique=True),
    texts=st.lists(st.text(CHARACTERS, max_size=12), max_size=6),
    escaped=st.booleans(),
)
def test_a_bpe_model_comes_in_over_characters(tmp_path, pairs, singles, texts, escaped):
    spm = need("sentencepiece")
    turn = str.maketrans(" ", "▁") if escaped else {}
    parts = [character.translate(turn) for character in CHARACTERS]
    pieces = []
    for left, right in pairs:
        both = parts[left % len(parts)] + parts[right % len(parts)]
        pieces += [both] if both not in pieces else []
        parts.append(both)
    # the characters stand behind, as a trained model has them; some are no pieces
    pieces += [character.translate(turn) for character in singles]
    path = bpe_model(tmp_path / "b.model", pieces, escaped=escaped)
    vocabulary = Vocabulary.load(path)
    assert (vocabulary.symbols, vocabulary.rule) == ("bytes", "character_merges")
    assert vocabulary.special == {"<unk>": 0}
    processor = spm.SentencePieceProcessor(model_file=str(path))
    encoder = Encoder(vocabulary)
    for text in texts:
        assert encoder.encode(text) == processor.encode(text)
    again = tmp_path / "again.model"
    assert export(vocabulary, again, "sentencepiece", text=" ".join(texts)).exact


def test_pieces_that_no_text_can_have(tmp_path):
    spm = need("sentencepiece")
    # where spaces are escaped, those with a space as it is are met nowhere
    path = bpe_model(tmp_path / "b.model", ["a▁", "▁", "a", " ", "a "])
    vocabulary = Vocabulary.load(path)
    processor = spm.SentencePieceProcessor(model_file=str(path))
    assert Encoder(vocabulary).encode("a  a") == processor.encode("a  a") == [257, 258, 259]
    remarks = " ".join(vocabulary.provenance["remarks"])
    assert "left out 2 unreachable pieces with a space" in remarks


def test_user_defined_spaces_are_found_in_text(tmp_path):
    spm = need("sentencepiece")
    pieces = ["▁▁▁▁", "x▁y", "x y", "a", "b", "▁", "▁a"]
    path = bpe_model(tmp_path / "b.model", pieces, kinds=dict.fromkeys(pieces[:3], 4))
    vocabulary = Vocabulary.load(path)
    processor = spm.SentencePieceProcessor(model_file=str(path))
    assert vocabulary.special == {"<unk>": 0, "    ": 257, "x▁y": 258, "x y": 259}
    assert vocabulary.special_flags == dict.fromkeys(["    ", "x▁y"], ("normalized", "added"))
    ids = Encoder(vocabulary).encode("b    a a")
    assert ids == processor.encode("b    a a") == [261, 257, 260, 263]
    assert Encoder(vocabulary).decode(ids) == "b    a a"


@pytest.mark.parametrize("dummy", [False, True])
def test_user_defined_pieces_go_everywhere(tmp_path, dummy):
    spm = need("sentencepiece")
    pieces = ["[R]", "▁▁▁▁", "x▁y", "a", "b", "▁", "▁a"]
    path = bpe_model(tmp_path / "b.model", pieces, kinds=dict.fromkeys(pieces[:3], 4))
    model = parse(path)
    model.normalizer_spec.add_dummy_prefix = dummy
    path.write_bytes(model.SerializeToString())
    vocabulary = Vocabulary.load(path)
    text = "[R]a[R]b    x y a a"
    ids = spm.SentencePieceProcessor(model_file=str(path)).encode(text)
    assert Encoder(vocabulary).encode(text) == ids
    (tmp_path / "t.txt").write_text(text)
    found = words_of_files(vocabulary, [tmp_path / "t.txt"])
    assert found.added == {"[R]": 2, "    ": 1, "x y": 1}
    assert sum(found.added.values()) + segment(found.words, vocabulary).tokens == len(ids)
    again = tmp_path / "again.model"
    assert export(vocabulary, again, "sentencepiece", text=text).exact
    assert spm.SentencePieceProcessor(model_file=str(again)).encode(text) == ids
    if not dummy:
        assert export(vocabulary, tmp_path / "t", "huggingface", text=text).exact
        return
    with pytest.raises(InputError, match="3 user-defined pieces in the normalized text"):
        export(vocabulary, tmp_path / "t", "huggingface", text=text)


def test_spaces_that_no_token_takes(tmp_path):
    spm = need("sentencepiece")
    remark = "llama.cpp decodes a space outside of tokens as ▁"
    for tokens, said in ((["▁a"], True), (["▁a", "▁"], False)):
        vocabulary = Vocabulary(tokens, rule="character_merges", pretokenizer="space-prefix:▁")
        made = export(vocabulary, tmp_path / "v.model", "sentencepiece", text="b b")
        assert (made.exact, remark in made.remarks) == (True, said)
        processor = spm.SentencePieceProcessor(model_file=str(tmp_path / "v.model"))
        assert processor.decode(processor.encode("b b")) == ("b▁b" if said else "b b")


def test_unused_pieces_that_merge(tmp_path):
    need("sentencepiece")
    merging = "sentencepiece merges 1 of them and splits them again"
    for unused, met in (("ab", True), ("<unused9>", False)):
        pieces = [unused, "bc", "a", "b", "c"]
        path = bpe_model(tmp_path / "b.model", pieces, kinds={unused: 5})
        remarks = " ".join(Vocabulary.load(path).provenance["remarks"])
        assert "left out 1 unused pieces" in remarks
        assert (merging in remarks) is met


@pytest.mark.long
def test_what_scores_weigh_otherwise(tmp_path):
    spm = need("sentencepiece")
    path = bpe_model(tmp_path / "u.model", ["a", "aé", "éa", "aéa"], unigram=True)
    vocabulary = Vocabulary.load(path)
    assert vocabulary.rule == "likelihood"
    assert vocabulary.sums == "text32"
    # a character that is no piece weighs as one, whatever its bytes
    for pieces in (["a", "aé", "éa", "aéa"], ["a", "aé", "éa", "aéa", "é"], ["日é", "ab", "éa"]):
        path = bpe_model(tmp_path / "u.model", pieces, unigram=True)
        encoder = Encoder(Vocabulary.load(path))
        processor = spm.SentencePieceProcessor(model_file=str(path))
        for text in ("aéaéé", "日éab", "日éa", "日日éa"):
            assert encoder.encode(text) == processor.encode(text)
    # what goes out for the shortest path has a price that is right
    exported = tmp_path / "v.model"
    for token in ("é", "日"):
        assert export(
            Vocabulary([f"a{token}"], pretokenizer="none"), exported, "sentencepiece"
        ).exact
        assert "weighs" not in " ".join(Vocabulary.load(exported).provenance.get("remarks", ()))


@pytest.mark.long
def test_every_token_is_replayed(tmp_path):
    need("sentencepiece")
    letters = [chr(code) for code in range(33, 127)]
    tokens = [left + right for left in letters for right in letters]
    # as a whole word alone it is cut otherwise: no merges lead to it
    vocabulary = Vocabulary([*tokens, "abcde"], rule="merges", pretokenizer="none")
    with pytest.raises(InputError, match=r" 1 of [\d,]+ built-in words .* tokenized differently"):
        export(vocabulary, tmp_path / "v.model", "sentencepiece")


@pytest.mark.long
def test_a_large_model_of_many_characters_comes_in(run, tmp_path):
    spm = need("sentencepiece")
    draw = random.Random(4)
    kanji = [chr(0x4E00 + place) for place in range(60)]
    words = ["".join(draw.choices(kanji, k=draw.randint(1, 4))) for _ in range(300)]
    words += ["été", "“the”", "thé—cat", "naïve…", "😀"]
    lines = [" ".join(draw.choices(words, k=12)) for _ in range(400)]
    (tmp_path / "c.txt").write_text("\n".join(lines))
    spm.SentencePieceTrainer.train(
        input=str(tmp_path / "c.txt"), model_prefix=str(tmp_path / "m"), vocab_size=800,
        model_type="bpe", byte_fallback=True, minloglevel=2, normalization_rule_name="identity",
        character_coverage=0.995, add_dummy_prefix=False,
    )  # fmt: skip
    status, _, err = run("import", "m.model", "-o", "V.json")
    assert status == 0, err
    vocabulary = Vocabulary.load(tmp_path / "V.json")
    processor = spm.SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    texts = [*lines, "語 or 漢字 or 中国 — none of them a piece"]
    assert Encoder(vocabulary).encode_batch(texts) == processor.encode(texts)
    assert Encoder(vocabulary).decode(processor.encode(texts[-1])) == texts[-1]
    # bytes whose character is a piece come out of no text, but models may say them
    assert vocabulary.decode_only
    for number, text in vocabulary.decode_only.items():
        if text != b" ":  # which is left out in front of a text there
            assert Encoder(vocabulary).decode([number]) == processor.decode([number])
    # and from there inspect, compare and encode go on
    assert run("count", "c.txt", "--pretokenizer", "first-space", "-o", "C.tsv")[0] == 0
    status, out, _ = run("inspect", "V.json", "C.tsv", "--json")
    assert status == 0
    counted = WordCounts.load(tmp_path / "C.tsv")
    assert json.loads(out)["tokens"] == segment(counted, vocabulary).tokens
    options = ("--vocab", "V.json", "--methods", "bpe", "-k", "20", "--json")
    status, out, _ = run("compare", "C.tsv", *options)
    assert status == 0
    tokens_of = {(row["method"], row["rule"]): row["tokens"] for row in json.loads(out)["rows"]}
    assert tokens_of["V", "character_merges"] == segment(counted, vocabulary).tokens
    (tmp_path / "t.txt").write_text(texts[-1])
    status, out, _ = run("encode", "V.json", "t.txt")
    assert status == 0
    assert list(map(int, out.split())) == processor.encode(texts[-1])
    for to, name in (("sentencepiece", "again.model"), ("huggingface", "folder")):
        status, _, err = run("export", "V.json", "--to", to, "-o", name, "--text", "t.txt")
        assert status == 0, err
        again = Vocabulary.load(tmp_path / name, to)
        assert Encoder(again).encode(texts[-1]) == processor.encode(texts[-1])


def test_pieces_of_one_score_are_remarked(tmp_path):
    pytest.importorskip("google.protobuf")
    path = bpe_model(tmp_path / "b.model", ["ab", "bc", "a", "b", "c", "é", "日"])
    assert not any("score" in r for r in Vocabulary.load(path).provenance.get("remarks", ()))
    model = model_proto()()
    model.ParseFromString(path.read_bytes())
    for piece in model.pieces:
        piece.score = 0.0
    path.write_bytes(model.SerializeToString())
    remarks = Vocabulary.load(path).provenance["remarks"]
    assert any(
        "1 pieces have equal scores: sentencepiece merges the leftmost" in r for r in remarks
    )


def test_a_space_that_is_no_piece_falls_back_to_the_bytes_of_its_mark(tmp_path):
    spm = need("sentencepiece")
    path = bpe_model(tmp_path / "b.model", ["ab", "a", "b"])
    vocabulary = Vocabulary.load(path)
    assert (vocabulary.symbols, vocabulary.pretokenizer) == ("bytes", "space-prefix:▁")
    processor = spm.SentencePieceProcessor(model_file=str(path))
    assert Encoder(vocabulary).encode("ab a") == processor.encode("ab a")


def test_sentencepiece_does_without_the_pairs_that_are_needed(tmp_path):
    need("sentencepiece")
    for rule in ("merges", "character_merges"):
        pairs = [("b", "c"), ("a", "b")]
        needed = Vocabulary(["ab", "bc"], rule=rule, merges=pairs, pretokenizer="none")
        with pytest.raises(InputError, match="which pairs merge"):
            export(needed, tmp_path / "v.model", "sentencepiece")


# kind of model, its pieces with scores and types, whether spaces are escaped, and texts
ODD = {
    "a space that is no piece is unknown with its neighbors": (
        1, [("a", -1, 1), ("b", -2, 1)], False, ["xa  b", "x y z", "a x"]
    ),
    "a model of characters finds no piece of two": (
        4, [("a", -1, 1), ("▁", -2, 1), ("▁b", -3, 1), ("ba", -3, 4), ("b", -4, 1)], True,
        ["ab b ab", "b ba"],
    ),
    "pieces that no text has count for the lowest score": (
        1, [("▁ ", -5, 1), ("x▁", -1, 4)], True, ["x▁日日", "x aa"]
    ),
    "a mark that is no piece alone": (
        1, [("▁b", -1, 1), ("a▁", -2, 1), ("b", -3, 1), ("a", -3, 1)], True,
        ["b a b", "a b b", "xa x"],
    ),
    "marks in pieces where spaces are not escaped": (
        2, [("▁", -1, 1), (" ", -2, 1), ("b▁", -2, 1), ("b", -3, 1)], False, ["b▁ b", " b  b▁"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("dummy", [False, True])
@pytest.mark.parametrize("case", ODD)
def test_odd_models_give_the_same_ids_and_texts(tmp_path, case, dummy):
    spm = need("sentencepiece")
    kind, pieces, escaped, texts = ODD[case]
    model = model_proto()()
    model.pieces.add(piece="<unk>", score=0.0, type=2)
    for piece, score, type_ in pieces:
        model.pieces.add(piece=piece, score=score, type=type_)
    model.trainer_spec.model_type = kind
    model.normalizer_spec.add_dummy_prefix = dummy
    model.normalizer_spec.remove_extra_whitespaces = False
    model.normalizer_spec.escape_whitespaces = escaped
    path = tmp_path / "b.model"
    path.write_bytes(model.SerializeToString())
    encoder, library = Encoder(Vocabulary.load(path)), spm.SentencePieceProcessor(str(path))
    for text in texts:
        ids = library.encode(text)
        assert encoder.encode(text) == ids
        assert encoder.decode(ids) == "".join(encoder.decode_stream(ids)) == library.decode(ids)
