"""What is done to a text before it is cut is what sentencepiece does."""

import base64
from functools import cache

import hypothesis.strategies as st
import pytest
from hypothesis import example, given
from shared.properties import mixed, tries

from partcover import InputError
from partcover.corpus.normalizers.normalizer import Normalizer

spm = pytest.importorskip("sentencepiece")
FLAGS = (
    "add_dummy_prefix",
    "remove_extra_whitespaces",
    "escape_whitespaces",
    "treat_whitespace_as_suffix",
)
# a b: X; c, ▁ and U+3000: spaces; d: nothing; e: spaces and f; g: h and spaces; k l m: longer
OWN = """61 62\t58
63\t20
2581\t20
3000\t20 20
64\t
65\t20 20 66
67\t68 20 20
6B\t4B
6B 6C 6D\t4D
301\t2581
"""
KEPT = ["▁", "▁▁", "bd", "lm", "日", "ke"]  # what the map leaves alone
TEXTS = mixed(
    "aAé   ▁\x01\t\nﬁⅧ\u0301\u1100\u1161\u11a8ｶﾞか\u3099\u3000İ\ufffd日😀",
    st.characters(codec="utf-8"),
    20,
)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Models with each of sentencepiece's own maps."""
    from partcover.interop.sentencepiece.read import parse

    folder = tmp_path_factory.mktemp("maps")
    (folder / "c.txt").write_text("a b\n" * 9)
    (folder / "own.tsv").write_text(OWN)
    found = {}
    for name in ("nmt_nfkc", "nfkc_cf", "identity"):
        spm.SentencePieceTrainer.train(
            input=str(folder / "c.txt"), model_prefix=str(folder / name), vocab_size=5,
            model_type="char", minloglevel=2, normalization_rule_name=name,
        )  # fmt: skip
        found[name] = parse(folder / f"{name}.model")
    spm.SentencePieceTrainer.train(
        input=str(folder / "c.txt"), model_prefix=str(folder / "own"), vocab_size=20,
        model_type="char", minloglevel=2, hard_vocab_limit=False,
        normalization_rule_tsv=str(folder / "own.tsv"), user_defined_symbols=KEPT,
    )  # fmt: skip
    found["own"] = parse(folder / "own.model")
    return found


@pytest.fixture(scope="module")
def normalizers(models):
    """Gives the library's normalizer of a map and flags, and ours."""

    @cache
    def made(name, flags):
        model = models[name]
        set_ = dict(zip(FLAGS, flags, strict=True))
        for flag in FLAGS[:3]:
            setattr(model.normalizer_spec, flag, set_[flag])
        model.trainer_spec.treat_whitespace_as_suffix = set_["treat_whitespace_as_suffix"]
        processor = spm.SentencePieceProcessor(model_proto=model.SerializeToString())
        map_ = base64.b64encode(model.normalizer_spec.precompiled_charsmap).decode()
        set_["user_defined"] = KEPT if name == "own" else []
        normalizer = Normalizer({"type": "SentencePiece", "precompiled_charsmap": map_, **set_})
        assert Normalizer(normalizer.name) == normalizer
        return processor.normalize, normalizer

    return made


@pytest.mark.long
@tries(200)
@example("identity", (True, True, False, True), [" ", "  ", " a "])  # spaces alone are no text
@example("nmt_nfkc", (True, True, False, True), [" ▁", "\u3000", "\x01"])
@given(
    st.sampled_from(["nmt_nfkc", "nfkc_cf", "identity"]),
    st.tuples(*[st.booleans()] * 4),
    st.lists(TEXTS, min_size=1, max_size=5),
)
def test_texts_are_the_librarys(normalizers, name, flags, texts):
    theirs, ours = normalizers(name, flags)
    escape = flags[FLAGS.index("escape_whitespaces")]
    for text in texts:
        want = theirs(text)
        # there ▁ stands for each space
        assert ours(text) == (want.replace("▁", " ") if escape else want)
        assert ours.changes(text).text == ours(text)


@tries(600)
@given(
    st.tuples(*[st.booleans()] * 4),
    st.text(st.sampled_from("abcdeghklm ▁\u3000\u0301日x"), max_size=12),
)
@example((True, True, True, False), "▁ ▁▁  ▁")
@example((True, True, True, True), "▁a  ")
@example((False, True, False, True), "abd bde e g gab c")
def test_a_map_of_ones_own_and_texts_that_it_leaves_alone(normalizers, flags, text):
    theirs, ours = normalizers("own", flags)
    want = theirs(text)
    escape = flags[FLAGS.index("escape_whitespaces")]
    assert ours(text) == (want.replace("▁", " ") if escape else want)
    assert ours.changes(text).text == ours(text)


def test_where_characters_come_from():
    normalizer = Normalizer({"type": "SentencePiece"})
    assert normalizer.changes(" a  b ") == (" a b", [1, 1, 2, 4], [2, 2, 4, 5])
    suffix = Normalizer({"type": "SentencePiece", "treat_whitespace_as_suffix": True})
    assert suffix.changes(" é   ") == ("é ", [1, 2], [2, 2])
    assert suffix.changes("é") == ("é ", [0, 1], [1, 1])
    assert suffix.changes("") == ("", [], [])


def test_bytes_that_are_no_text_are_replaced():
    normalizer = Normalizer({"type": "SentencePiece"})
    assert normalizer.of_bytes(b"a\xff\xe4\xb8") == " a\ufffd\ufffd\ufffd".encode()


@pytest.mark.parametrize("units", [[0xFFFFFFFF] * 4, [1 << 10, 0x141, 0x80000000, 0x1C3], [0]])
def test_a_map_that_leads_nowhere(units):
    data = b"".join(unit.to_bytes(4, "little") for unit in units)
    whole = len(data).to_bytes(4, "little") + data + b"x\0"
    step = {"type": "SentencePiece", "precompiled_charsmap": base64.b64encode(whole).decode()}
    assert Normalizer(step)("A ab").startswith(" ")
    with pytest.raises(InputError, match="the normalizer's character map"):
        Normalizer(step | {"precompiled_charsmap": base64.b64encode(whole[:6]).decode()})
