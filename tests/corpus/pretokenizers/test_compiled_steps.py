"""Compiled steps cut as the same steps do in Python, pattern by pattern and text by text."""

from __future__ import annotations

import random
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import mixed, tries

from partcover import Encoder, InputError, Vocabulary, WordCounts
from partcover.corpus.pretokenizers import timed_patterns
from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
from partcover.corpus.pretokenizers.published_patterns import CLIP, DEEPSEEK, PATTERNS
from partcover.corpus.pretokenizers.steps.compiled_steps import CompiledSteps
from partcover.corpus.pretokenizers.steps.pattern_programs import points_of
from partcover.corpus.pretokenizers.steps.read import read_steps
from partcover.corpus.pretokenizers.unicode_tables import compiled
from partcover.encoding import worker
from partcover.kernels.texts import _step_cutter as kernel

BEHAVIOURS = ["Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"]


def split(pattern, behaviour="Isolated", invert=False, kind="Regex"):
    given = {kind: pattern}
    return {"type": "Split", "pattern": given, "behavior": behaviour, "invert": invert}


def sequence(*steps):
    return {"type": "Sequence", "pretokenizers": list(steps)}


WORDS = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}
DIGITS = {"type": "Digits", "individual_digits": True}
MARKING = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
BEGIN = {"type": "BeginOfWord", "mark": "▁"}
IN_ANY_CASE = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
UPPER, LOWER = (rf"[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}\p{{M}}&&[^\p{{Han}}]]{n}" for n in "*+")
# as in the files of models that are published
STEPS = {
    **{name: split(pattern) for name, pattern in PATTERNS.items()},
    "DeepSeek 3": sequence(*map(split, DEEPSEEK)),
    "DeepSeek Coder": sequence(
        *map(split, ["[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-퟿]+"]), DIGITS
    ),
    "DeepSeek LLM": sequence(
        *map(
            split,
            [
                *["[\r\n]", r"\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿͰ-ͳԱ-ՖႠ-Ⴥ𐐀-𐑏]+"],
                *[r"\s?[!-/:-~！-／：-～‘-‟　-。]+", r"\s+$", "[一-龥ࠀ-一가-퟿]+"],
            ],
        ),
        DIGITS,
    ),
    "StarCoder": sequence(DIGITS, WORDS),
    "Falcon": sequence(
        {"type": "Punctuation", "behavior": "Contiguous"},
        {"type": "Digits", "individual_digits": False},
        split("[0-9][0-9][0-9]"),
        WORDS,
    ),
    "BLOOM": split(r" ?[^(\s|[.,!?…。，、।۔،])]+"),
    "digits from the right": sequence(split(r"\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))"), WORDS),
    "Kimi": split(
        rf"[\p{{Han}}]+|[^\r\n\p{{L}}\p{{N}}]?{UPPER}{LOWER}{IN_ANY_CASE}?|\p{{N}}{{1,3}}| ?"
        r"[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "CLIP": split(CLIP, "Removed", True),
    "BERT": {"type": "BertPreTokenizer"},
    "Whitespace": {"type": "Whitespace"},
    "Metaspace": MARKING,
    "T5": sequence({"type": "WhitespaceSplit"}, MARKING),
    "WordPiece": sequence({"type": "BertPreTokenizer"}, BEGIN),
    "a mark, and spaces": sequence(DIGITS, BEGIN),
    "pieces inside words": sequence(
        {"type": "Whitespace"},
        BEGIN,
        {"type": "InsideWord", "mark": "▁", "prefix": "a", "begins": ["a", "B'"], "longest": 4},
    ),
    "Gemma": split(" ", "MergedWithPrevious", kind="String"),
    "words that end": sequence({"type": "WhitespaceSplit"}, {"type": "EndOfWord"}),
    "a space in front": {"type": "ByteLevel", "add_prefix_space": True, "use_regex": True},
    "boundaries": split(r"\w+\b"),
    "lines": split("^a+|b$"),
}
TEXTS = mixed(
    [
        *"aaBé  \n1'日",
        "'s",
        "'LL",
        "ſ",
        "\u212a",
        "\u0301",
        "▁",
        "\udc80",
        "\udcc3",
        "...",
        "٣",
        "Ⅷ",
    ],
    st.characters(codec="utf-8"),
    20,
)


def in_bytes(texts):
    """Returns texts one behind another, and where they start."""
    encoded = [text.encode("utf-8", "surrogateescape") for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return np.frombuffer(b"".join(encoded), np.uint8), offsets


def words_of(cut):
    """Returns the words of each text of what `cut` returns."""
    data, offsets, starts = cut
    words = [(begin, data[begin:end].tobytes()) for begin, end in pairwise(starts.tolist())]
    return [
        [word.decode("utf-8", "surrogateescape") for at, word in words if begin <= at < end]
        for begin, end in pairwise(offsets.tolist())
    ]


def parts(marks):
    """Returns the marks without those of parts that are left out behind others that are."""
    found, last = [], kernel.WORD
    for mark in marks.tolist():
        found.append(0 if mark == last == kernel.GAP else mark)
        last = mark or last
    return found


def check(data, texts):
    """Compares compiled steps with the steps themselves; returns whether they are compiled."""
    steps = read_steps(data)
    compiled = CompiledSteps.of(steps)
    if compiled is None:
        return False
    # as they are read: two broken bytes may be a character together
    texts = [t.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape") for t in texts]
    given = in_bytes(texts)
    want = []
    for text in texts:
        try:
            want.append(steps.words(text))
        except InputError:  # EndOfWord refuses spaces
            with pytest.raises(InputError):
                compiled.cut(*in_bytes([text]))
            return True
    cut = compiled.cutter.cut(*given)
    if compiled.inside is None:
        assert cut is None or words_of(cut) == want
        assert words_of(compiled._slow_cut(*given)) == want
    assert words_of(compiled.cut(*given)) == want
    if not compiled.writes:
        assert parts(compiled.marks(*given)) == parts(compiled._slow_marks(*given))
    return True


@pytest.mark.long
@pytest.mark.parametrize("name", STEPS)
def test_steps_of_published_models(name):
    @tries(100)
    @given(st.lists(TEXTS, max_size=6))
    def compare(texts):
        assert check(STEPS[name], texts)

    compare()


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize("invert", [False, True])
def test_all_short_texts(behaviour, invert):
    texts = ["".join(each) for size in range(6) for each in product("a1 ", repeat=size)]
    for pattern in ["a", "a+", "a1|1a", "a(?=1)", "(?:a1)+", "(?<=a)1", r"\b1+", "a{2}|1{1,2}"]:
        assert check(split(pattern, behaviour, invert), texts)


ATOMS = st.sampled_from(
    ["a", "b", "[ab]", "[^a]", r"\s", r"\S", r"\p{L}", r"\p{N}", "é", "[a-cé]", " ", ".", "1", "日"]
)
TIMES = ["?", "*", "+", "{2}", "{1,2}", "{,2}", "{2,}", "?+", "++", "*+"]


def longer(patterns):
    group = st.builds("(?:{}){}".format, patterns, st.sampled_from(["", "?", "*", "+", "{2}"]))
    look = st.builds("({}{})".format, st.sampled_from(["?=", "?!"]), patterns)
    before = st.builds("({}{})".format, st.sampled_from(["?<=", "?<!"]), ATOMS)
    either = st.builds("{}|{}".format, patterns, patterns)
    case = st.sampled_from(["(?i:a)", "(?i:'s|'re)", "(?i:s)", "(?i:k)"])
    place = st.sampled_from(["^", "$", r"\b"])
    repeated = st.builds("{}{}".format, ATOMS, st.sampled_from(TIMES))
    item = st.one_of(group, look, before, case, place, repeated, ATOMS, repeated)
    return either | st.lists(item, min_size=1, max_size=3).map("".join)


PATTERN = st.recursive(ATOMS, longer, max_leaves=6)


@pytest.mark.long
@tries(2000)
@given(
    st.lists(
        st.tuples(PATTERN, st.sampled_from(BEHAVIOURS), st.booleans()), min_size=1, max_size=2
    ),
    st.booleans(),
    st.lists(st.text("aabS'sre 1é日\n\u0301K\u212aſ\udc80\udcc3▁", max_size=12), max_size=12),
)
def test_any_patterns(given, marked, texts):
    steps = [split(*each) for each in given]
    check(sequence(*steps, *[MARKING] * marked), texts)


def test_what_is_compiled():
    """Most patterns that are drawn match nothing somewhere; here is what others are."""
    for pattern in ["a", "(?:ab?)+", "(?:ab){2,3}", "a(?:b|)", "(?=a).", r"\ba", "(?i:k'|e)"]:
        assert CompiledSteps.of(read_steps(split(pattern))) is not None, pattern
    # matches of nothing, least first, groups that keep, and characters that are two in any case
    for pattern in ["a*", "a+?", "(?>a+)b", "(?i:ss)", "(?i:é)", "(?<=ab)c", "(?:a?)*b"]:
        assert CompiledSteps.of(read_steps(split(pattern))) is None, pattern
    assert CompiledSteps.of(read_steps(sequence(DIGITS, {"type": "Phrases", "words": 2}))) is None
    first = MARKING | {"prepend_scheme": "first"}
    assert CompiledSteps.of(read_steps(first)) is not None
    assert CompiledSteps.of(read_steps(sequence(DIGITS, first))) is None


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("(?:ab)+", "ab" * 400), ("a*b", "a" * 2000), ("(?:a|aa)+b", "a" * 40)],
)
def test_what_takes_too_long_is_left_to_regex(pattern, text):
    """It is a chain of groups deeper than the kernel goes, or needs too many tries."""
    compiled = CompiledSteps.of(read_steps(split(pattern)))
    given = in_bytes(["ab", text, "b"])
    assert compiled.cutter.marks(*given) is compiled.cutter.cut(*given) is None
    if pattern != "(?:a|aa)+b":  # which takes `regex` too long as well
        assert (compiled.marks(*given) == compiled._slow_marks(*given)).all()
        assert words_of(compiled.cut(*given)) == words_of(compiled._slow_cut(*given))


def test_a_pattern_that_is_out_of_time(monkeypatch):
    monkeypatch.setattr(timed_patterns, "_SECONDS", 0.0)
    monkeypatch.setattr(timed_patterns, "_PER_SECOND", 1e9)
    compiled = CompiledSteps.of(read_steps(split("(?:a|aa)+b|c")))
    text = in_bytes(["a" * 40_000])
    with pytest.raises(InputError, match="takes more than 0 seconds"):
        compiled.marks(*text)
    with pytest.raises(InputError, match="takes more than 0 seconds"):
        compiled.cut(*text)


@pytest.mark.long
@pytest.mark.parametrize(
    "source", [r"\s", r"\p{L}", r"[^\s\p{L}\p{N}]", "[^a]", r"\p{Co}", r"\P{Cn}"]
)
def test_sets_are_of_all_characters(source):
    pattern = compiled(source)
    want = [pattern.match(chr(point)) is not None for point in range(0x110000)]
    assert points_of(source).tolist() == want


def test_sets_of_far_characters():
    assert points_of("[\U00050000-\U00050003]").nonzero()[0].tolist() == [*range(0x50000, 0x50004)]
    assert points_of("\\U0010FFFE").nonzero()[0].tolist() == [0x10FFFE]


VOCABULARY = Vocabulary(["he", "the", " the", "12", "\n\n", "日本", "ab"], special=["<s>"])
CODER, ONCE = STEPS["DeepSeek Coder"], STEPS["StarCoder"]


@pytest.mark.parametrize("name", ["DeepSeek Coder", "StarCoder", "BERT", "T5", "Falcon", "Kimi"])
def test_encoders_cut_as_the_steps_do(name, monkeypatch):
    monkeypatch.setattr(worker, "SECTION", 64)
    monkeypatch.setattr(worker, "PART", 128)
    draw = random.Random(1)
    pieces = [" the", "he", "12", "\n", "日本", "ab", "é", " ", "'s", "+", "<s>", "\x85"]
    text = "".join(draw.choices(pieces, k=600))
    pretokenizer = read_steps(STEPS[name]).name
    encoder = Encoder(VOCABULARY, pretokenizer)
    rules = Pretokenizer.from_name(pretokenizer)
    want = [n for word in rules.split(text) for n in Encoder(VOCABULARY, "none").encode(word)]
    assert encoder.encode(text) == want
    assert encoder.encode_to_numpy(text.encode()).tolist() == want
    assert Encoder(VOCABULARY, pretokenizer, threads=2).encode(text) == want
    assert encoder.count(text) == len(want)
    ascii_text = text.encode("ascii", "ignore").decode()
    ids = encoder.encode(ascii_text.encode())
    assert encoder.encode(ascii_text) == ids
    assert Encoder(VOCABULARY, pretokenizer, threads=2).encode(ascii_text) == ids
    batch = [text[:50], "", text[50:70], " ", ascii_text[:40]]
    assert encoder.encode_batch(batch) == [encoder.encode(each) for each in batch]
    counts = WordCounts.from_texts([text], pretokenizer=pretokenizer)
    assert sum(counts.to_dict().values()) == len(rules.split(text))


def test_files_are_cut_where_the_first_step_cuts(tmp_path):
    """Blocks of a file, and parts for threads, end before what is isolated anywhere."""
    [rule] = Pretokenizer.from_name(read_steps(CODER).name).rules
    assert rule.last_cut(b"one\ntwo\nthree") == 7
    assert rule.last_cut(b"\none") == rule.last_cut(b"one") == -1
    [rule] = Pretokenizer.from_name(read_steps(ONCE).name).rules
    assert rule.last_cut(b"to be") == 2
    # what could end inside a character is no such place
    assert CompiledSteps.of(read_steps(split("[^a]"))).place is None
    assert CompiledSteps.of(read_steps(split("a+"))).place is None
    text = "the 12\nab the\n\n" * 40_000
    (tmp_path / "a.txt").write_text(text)
    encoder = Encoder(VOCABULARY, read_steps(CODER).name)
    encoder.encode_files(tmp_path / "a.txt", tmp_path / "a.npy", threads=2)
    assert np.load(tmp_path / "a.npy").tolist() == encoder.encode(text)


def test_marks_are_of_the_text_that_is_found():
    cache = worker.WordCache(worker.MARKED, np.zeros(0x110000, np.uint8), b" ", 1 << 20)
    cache.set_marks(np.array([1, 0, 1], np.uint8), 2)
    assert cache.find("..abc..", 2, 5) == (5, 2)
    for at, upto in [(0, 3), (2, 6)]:
        with pytest.raises(ValueError, match="no marks"):
            cache.find("..abc..", at, upto)
    with pytest.raises(ValueError, match="no marks"):
        cache.find_texts(b"..abc..", np.array([2, 6]))
    with pytest.raises(ValueError, match="stand one behind"):
        cache.find_texts(b"..abc..", np.array([2, 5, 3]))
    with pytest.raises(ValueError, match="seven numbers"):
        kernel.StepCutter(np.zeros(0x110000, np.uint32), np.zeros((1, 6), np.int32), [])
