"""Pre-tokenizers as JSON: their words and places against the library that they are of."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.panics import nothing_to_compare_with
from shared.properties import joined, tries

from partcover import Encoder, InputError, Vocabulary, WordCounts, segment
from partcover.corpus.normalizers.normalizer import Normalizer
from partcover.corpus.pretokenizers import timed_patterns
from partcover.corpus.pretokenizers.oniguruma import translated
from partcover.corpus.pretokenizers.phrases import split_pattern
from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
from partcover.corpus.pretokenizers.published_patterns import CLIP, NAME_OF_SPLIT, SPACE_RUNS
from partcover.corpus.pretokenizers.published_patterns import DEEPSEEK as DEEPSEEK_PATTERNS
from partcover.corpus.pretokenizers.steps.read import read_steps
from partcover.corpus.pretokenizers.timed_patterns import timed_pattern
from partcover.encoding import text_encoder, worker
from partcover.interop.byte_level import from_characters

BITS = [
    *[" ", " ", "  ", "\n", "\n\n", "\r\n", "\t", "a", "Bc", "DEF", "'s", "'LL", "'", "ſ", "1"],
    *["23", "4567", "٣", "½", "²", "!", "/", "...", "\n/", "é", "e\u0301", "ñ", "中文", "。"],
    *["、字", "カ・", "ー", "\u3000", "\xa0", "\u2003", "\x85", "\x1c", "\u200b", "\u200d", "Ġ"],
    *[
        "_",
        "▁",
        "▁▁",
        "ǅ",
        "ʰ",
        "и",
        "Привет",
        "🙂",
        "👨‍👩‍👧",
        "\0",
        "\ufffd",
        "-",
        "foo bar",
        "$",
        "+",
    ],
    *[
        "ß",
        "ẞ",
        "ﬁ",
        "İ",
        "ı",
        "\u212a",
        "हिन्दी",
        "ไทย",
        "العربية",
        "שלום",
        "한국어",
        "ქართ",
        "₂",
        "Ⅷ",
    ],
    *["՚", "\u2e43", "if (x) {\n  return x->y;\n}", "ελλ", "ἀρχ", "ትግር", "தமி", "বাং", "\u1680"],
]
TEXT = joined([*BITS * 3, *map(chr, range(256))], 15)  # as many of the ones as of the others
BEHAVIOURS = ["Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
PATTERNS = [
    *[r"\s+", r"\d", r"\w+", r"[^\s\w]", r"(?i:ss|k|if)", r"\b", r"\B", "^", "$", "a|"],
    *[r"\p{Lu}\p{Ll}*", r"(\s)+(?!\S)", "[a-z&&[^b]]+", r"\h{2}", r"[\W]", ".", "x{,2}", r"\Z"],
    *[r"\p{Han}+", r"(?<=a)b|\x{3000}", r"[\w&&[^\p{Han}]]+", r"\p{^L}+", "(?i)k+|ss", r"\z"],
    *["(?i:É|ǆ|и)", r"(?i:i)\w", "[~|&!]", "a{", r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+", r"\u00e9|\v"],
    *[r"(?i)\p{Lu}+", r"(?i:\P{Ll})", r"(?i:\w\b)a", "(?i:[ab])-", r"(?i:\x69)|s"],
    *[r"(.)\1+", r"([!-/])\1*", r"((\w)\s?)\1|(a)", r"(?:(\w)\1|\s)+", r"(\d|a)x?\1*"],
]
DEEPSEEK_WORDS = (
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|"""
    "[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|"
    r"\s+(?!\S)|\s+"
)
DEEPSEEK = {
    "type": "Sequence",
    "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        for pattern in (r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+", DEEPSEEK_WORDS)
    ]
    + [BYTES],
}
FLAGS = st.booleans()
PATTERN = st.one_of(
    st.sampled_from(PATTERNS).map(lambda text: {"Regex": text}),
    st.sampled_from([" ", ".", "a", "'s"]).map(lambda text: {"String": text}),
)


def made(kind, **fields):
    return st.fixed_dictionaries({"type": st.just(kind), **fields})


STEP = st.one_of(
    made("Split", pattern=PATTERN, behavior=st.sampled_from(BEHAVIOURS), invert=FLAGS),
    made("Digits", individual_digits=FLAGS),
    made("Punctuation", behavior=st.sampled_from(BEHAVIOURS)),
    made("Metaspace", replacement=st.sampled_from("▁a"), split=FLAGS,
         prepend_scheme=st.sampled_from(["always", "first", "never"])),
    made("CharDelimiterSplit", delimiter=st.sampled_from("a 中")),
    *map(made, ["Whitespace", "WhitespaceSplit", "BertPreTokenizer"]),
)  # fmt: skip
LEVEL = made("ByteLevel", add_prefix_space=FLAGS, trim_offsets=st.just(True), use_regex=FLAGS)
GIVEN = st.one_of(
    STEP,
    LEVEL,
    st.just(DEEPSEEK),
    st.tuples(st.lists(STEP, min_size=1, max_size=3), st.lists(LEVEL, max_size=1)).map(
        lambda both: {"type": "Sequence", "pretokenizers": both[0] + both[1]}
    ),
)


def theirs(step, text):
    """The words of the library, and their places."""
    tokenizers = pytest.importorskip("tokenizers")
    whole = json.loads(tokenizers.Tokenizer(tokenizers.models.BPE()).to_str())
    whole["pre_tokenizer"] = step
    words = tokenizers.Tokenizer.from_str(json.dumps(whole)).pre_tokenizer.pre_tokenize_str(text)
    if "ByteLevel" not in json.dumps(step):
        return words
    return [(from_characters(word).decode("utf-8", "surrogateescape"), at) for word, at in words]


@tries(300)
@given(GIVEN, TEXT)
def test_words_and_places_are_the_librarys(step, text):
    ours = Pretokenizer.from_name(json.dumps(step))
    own = ours.split(text)
    with nothing_to_compare_with():
        there = theirs(step, text)
    words = [word for word, _ in there]
    assert own == words
    assert Pretokenizer.from_name(ours.name) == ours or ours.steps is not None
    assert Pretokenizer.from_name(ours.name).name == ours.name
    if ours.steps is not None:
        places = [(p.text, p.spans()[0][0], p.spans()[-1][1]) for p in ours.steps.pieces(text)]
        assert places == [(word, *at) for word, at in there]
        assert ours.steps.keeps <= ("".join(words) == text)
    # as they are counted: over pieces
    if words and all(words):
        counted = WordCounts.from_texts([text], pretokenizer=ours.name).to_dict()
        assert counted == {w.encode(): words.count(w) for w in words}


FALCON = [
    {"type": "Punctuation", "behavior": "Contiguous"},
    {**BYTES, "use_regex": True},
    {"type": "Digits", "individual_digits": False},
    {
        "type": "Split",
        "pattern": {"Regex": "[0-9][0-9][0-9]"},
        "behavior": "Isolated",
        "invert": False,
    },
]
KEEPING = [each for each in BEHAVIOURS if each != "Removed"]
BEHIND = st.one_of(
    made("Split", pattern=PATTERN, behavior=st.sampled_from(KEEPING), invert=FLAGS),
    made("Digits", individual_digits=FLAGS),
    made("Punctuation", behavior=st.sampled_from(KEEPING)),
)


@tries(150)
@given(
    st.one_of(
        st.just(FALCON),
        st.tuples(st.lists(STEP, max_size=1), LEVEL, st.lists(BEHIND, min_size=1, max_size=2)).map(
            lambda parts: [*parts[0], parts[1], *parts[2]]
        ),
    ),
    TEXT,
)
def test_steps_behind_bytes_cut_their_spelling(steps, text):
    step = {"type": "Sequence", "pretokenizers": steps}
    ours = Pretokenizer.from_name(json.dumps(step))
    with nothing_to_compare_with():
        there = theirs(step, text)
    words = [word.encode("utf-8", "surrogateescape") for word, _ in there]
    assert [word.encode("utf-8", "surrogateescape") for word in ours.split(text)] == words
    assert Pretokenizer.from_name(ours.name).name == ours.name
    places = [(p.spans()[0][0], p.spans()[-1][1]) for p in ours.steps.pieces(text)]
    assert places == [at for _, at in there]
    if not words:
        return
    counted = WordCounts.from_texts([text], pretokenizer=ours.name).to_dict()
    assert counted == {word: words.count(word) for word in words}
    vocabulary = Vocabulary(["ab", "é", " b", "12", "中"], pretokenizer=ours.name)
    tokens = [*(bytes([byte]) for byte in range(256)), *vocabulary]
    ids = Encoder(vocabulary).encode(text)
    assert b"".join(tokens[number] for number in ids) == b"".join(words)
    assert len(ids) == segment(WordCounts.from_words(words), vocabulary).tokens


@pytest.mark.long
@tries(150)
@given(GIVEN, TEXT, st.integers(0, 2))
def test_ids_and_their_places(step, text, extra):
    name = Pretokenizer.from_name(json.dumps(step)).name
    vocabulary = Vocabulary(["ab", "foo", " b", "中", "▁a", "'s"][: 3 * extra], pretokenizer=name)
    encoder = Encoder(vocabulary)
    ids, places = encoder.encode_with_offsets(text)
    assert ids == encoder.encode(text)
    words = Pretokenizer.from_name(name).split(text)
    if name.startswith("{"):
        tokens = [*(bytes([byte]) for byte in range(256)), *vocabulary]
        assert b"".join(tokens[number] for number in ids) == "".join(words).encode()
    raw = text.encode()
    for number, (begin, end) in zip(ids, places, strict=True):
        assert 0 <= begin < end <= len(raw)
        if number < 256 and raw[begin:end] != bytes([number]):
            assert raw[begin:end].decode("utf-8", "replace")  # what was written for a character


@pytest.mark.long
@pytest.mark.parametrize("step", [DEEPSEEK, {"type": "Whitespace"}, {"type": "Metaspace"}])
def test_long_texts_are_cut_alike_in_sections_and_threads(step, monkeypatch):
    for module, name in ((worker, "SECTION"), (worker, "PART"), (text_encoder, "PART")):
        monkeypatch.setattr(module, name, 1 << 13)  # a tenth of the text
    draw = random.Random(3)
    text = "".join(draw.choices([*BITS, " "], k=20_000))
    rules = Pretokenizer.from_name(json.dumps(step))
    vocabulary = Vocabulary(["foo", " b"], pretokenizer=rules.name)
    words = [word.encode() for word in rules.split(text)]
    whole = [*b"".join(w.replace(b"foo", b"\xfe").replace(b" b", b"\xff") for w in words)]
    for threads in (1, 2):
        ids = Encoder(vocabulary, threads=threads).encode(text)
        assert [{256: 0xFE, 257: 0xFF}.get(number, number) for number in ids] == whole


@tries(200)
@given(joined(BITS, 12), st.sampled_from([None, {"type": "Whitespace"}, {"type": "Digits"}]))
def test_what_is_left_out_of_words(text, before):
    cut = Pretokenizer.from_name(json.dumps(before)).split if before else lambda text: [text]
    kept = "aBc1é中🙂 "
    gone = [*range(0x40), 0xC3, 0xB8, 0x9F]
    for step, left in (
        ({"others": kept}, lambda word: "".join(c for c in word if c in kept)),
        ({"bytes": gone}, lambda word: bytes(b for b in word.encode() if b not in gone)),
    ):
        steps = [*([before] if before else []), {"type": "LeaveOut", **step}]
        data = {"type": "Sequence", "pretokenizers": steps}
        words = Pretokenizer.from_name(json.dumps(data)).split(text)
        want = [left(word) for word in cut(text)]
        want = [word if isinstance(word, str) else word.decode("utf-8", "surrogateescape")
                for word in want if word]  # fmt: skip
        assert words == want
        pieces = read_steps(data).pieces(text)
        assert [piece.text for piece in pieces] == want
        for piece in pieces:
            for letter, (begin, end) in zip(piece.text, piece.spans(), strict=True):
                assert letter in text[begin:end] or step.keys() == {"bytes"}
                assert end == begin + 1


@tries(300)
@given(joined([*"#ab▁é", "##", " "], 12), st.sampled_from([None, 5]))
def test_what_begins_with_the_prefix_of_pieces_inside_words(text, longest):
    marks = {"type": "BeginOfWord", "mark": "▁"}
    begins = ["ab", "b", "é", "#a"]
    step = {"type": "InsideWord", "mark": "▁", "prefix": "##", "begins": begins}
    given_ = [{"type": "WhitespaceSplit"}, marks, {**step, "longest": longest}]
    data = {"type": "Sequence", "pretokenizers": given_}
    want = []
    for word in text.split():
        goes_on = word.startswith("##") and any(word[2:].startswith(one) for one in begins)
        short = longest is None or len(word) + word.count("▁") <= longest
        written = word.replace("▁", "▁▁")
        want.append(written[2:] if goes_on and short else f"▁{written}")
    assert Pretokenizer.from_name(json.dumps(data)).split(text) == want
    pieces = read_steps(data).pieces(text)
    assert [piece.text for piece in pieces] == want
    for word, piece in zip(text.split(), pieces, strict=True):
        spans = piece.spans()
        assert text[spans[0][0] : spans[-1][1]] == word
        assert all(a[0] <= b[0] for a, b in pairwise(spans))


def test_which_of_the_library_are_known():
    """As docs/how-to/tokenizers/use.md says."""
    library = pytest.importorskip("tokenizers.pre_tokenizers")
    names = {name for name in dir(library) if name[0].isupper()} - {"PreTokenizer", "Sequence"}
    unknown = set()
    for name in names:
        try:
            read_steps(json.dumps({"type": name}))
        except InputError as error:
            if f"type is '{name}'" in str(error):
                unknown.add(name)
    assert unknown <= {"UnicodeScripts", "FixedLength"}
    assert len(names) > 9
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "tokenizers" / "use.md").read_text(
        "utf-8"
    )
    assert "except UnicodeScripts and FixedLength" in page


def test_decoding_brings_spaces_back():
    encoder = Encoder(Vocabulary(["▁a"]), '{"type": "Metaspace"}')
    assert encoder.decode(encoder.encode("a tip  of")) == "a tip  of"


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ("{", "Expecting property name"),
        ("{}", "type is None: use Split, Digits"),
        ('{"type": "UnicodeScripts"}', "type is 'UnicodeScripts'"),
        ('{"type": "Sequence"}', "pretokenizers is None"),
        ('{"type": "Sequence", "pretokenizers": [3]}', "3 is not an object"),
        ('{"type": "Split"}', "pattern is None"),
        ('{"type": "Split", "pattern": {"Regex": ""}}', "that is not empty"),
        ('{"type": "Split", "pattern": {"Regex": "("}}', "pattern '\\(' is not valid"),
        ('{"type": "Split", "pattern": {"Regex": "a"}, "behavior": "x"}', "behavior is 'x'"),
        ('{"type": "Digits", "individual_digits": 1}', "individual_digits is 1"),
        ('{"type": "LeaveOut"}', "bytes is None: a list of numbers"),
        ('{"type": "LeaveOut", "bytes": [256]}', "bytes is .*: a list of numbers"),
        ('{"type": "InsideWord", "mark": "▁"}', "prefix is None: it must be a text"),
        (
            '{"type": "InsideWord", "mark": "▁", "prefix": "#", "begins": [""]}',
            "begins must be a list of texts",
        ),
        (
            '{"type": "InsideWord", "mark": "▁", "prefix": "#", "begins": ["a"], "longest": 0}',
            "longest is 0: it must be a positive number, or null",
        ),
        (
            '{"type": "Metaspace", "replacement": "ab"}',
            "replacement is 'ab': it must be one character",
        ),
        (
            '{"type": "Sequence", "pretokenizers": [{"type": "ByteLevel"}, {"type": "Metaspace"}]}',
            "Metaspace after ByteLevel",
        ),
        ('{"type": "Sequence", "pretokenizers": ' * 100_000, "nested too deeply"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(given_, message):
    with pytest.raises(InputError, match=f"a pre-tokenizer as JSON: .*{message}") as caught:
        Pretokenizer.from_name(given_)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "pattern",
    [
        *[r"\1", r"\k<a>", "(?<a>b)", "(?P<a>b)", "(?(1)a)", "(?R)", "[[:alpha:]]", r"\p{Punct}"],
        *["a{1,3}+", "a{2}?", r"\xE9", r"\x{D800}", r"\X", r"\R", r"\G", r"\K", "[]a]", "[a--b]"],
        *[r"(?i:[\p{L}])", "(?i)[a-z]", r"(?i)[\x61-z]", r"(?i:[\x69])", "(?i)ß", r"(?i:\xDF|ŉ)"],
        *[r"(?i:\x66i)", r"(?i:i\u0307)", "(?i:İ)"],
        *["(?m:.)", "(?x: a)", "(?#a)", "a\\", "(?i:[a-z])", "(?i:fi)", "a" * 20_001, "(?~a)"],
        *[r"(a)\2", r"(a\1)", r"(?=(a))\1", r"(?i:(a))\1", r"(a)(?i:\1)", r"(a)\10", r"(a)(?=\1)"],
        *[r"(a)?\1", r"(a)|\1", r"(?:(a))\1", r"((a)b)\2", r"(?:(a)|\1)", r"(a)(?:\1)"],
    ],
)
def test_patterns_without_an_equal_are_refused(pattern):
    with pytest.raises(InputError, match="pattern"):
        translated(pattern)


@pytest.mark.long
def test_patterns_that_explode_are_stopped(monkeypatch):
    monkeypatch.setattr(timed_patterns, "_SECONDS", 0.05)
    name = r'{"type": "Split", "pattern": {"Regex": "(a|a|aa)+$"}}'
    with pytest.raises(InputError, match="takes more than 0 seconds on a text of 501 characters"):
        Pretokenizer.from_name(name).split("a" * 500 + "b")
    with pytest.raises(InputError, match="takes more than 0 seconds on a text of 501 characters"):
        Normalizer({"type": "Replace", "pattern": {"Regex": "(a|a|aa)+$"}, "content": ""})(
            "a" * 500 + "b"
        )


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("first-space", {"type": "Metaspace", "prepend_scheme": "never", "split": False}),
        ("first-space", {"type": "Metaspace", "prepend_scheme": "always", "split": False}),
        ("first-space", {"type": "Metaspace", "prepend_scheme": "never", "split": True}),
        (
            "first-space",
            {"type": "Metaspace", "replacement": "+", "prepend_scheme": "never", "split": False},
        ),
        ("gpt2", {"type": "Phrases", "words": 3}),
        ("gpt2+phrases:2", {"type": "Phrases", "words": 3}),
        ("first-space+phrases:2", {"type": "Phrases", "words": None}),
        ("digit", {"type": "Phrases", "words": 2}),
    ],
)
def test_named_or_not_they_split_alike(first, last):
    split = {"type": "Split", "pattern": {"Regex": split_pattern(first)}, "behavior": "Isolated"}
    steps = {"type": "Sequence", "pretokenizers": [split, last]}
    named, given_steps = Pretokenizer.from_name(json.dumps(steps)), read_steps(steps)
    for text in ("the cat sat on a mat", " a▁b  c▁ d", "1 and 23+4"):
        assert named.split(text) == given_steps.words(text)


@pytest.mark.parametrize("kind", ["String", "Regex"])
def test_long_texts_are_found(kind):
    """`regex` alone would take hours for them."""
    long = "ab" * (30_000 if kind == "String" else 9_000)
    step = {"type": "Split", "pattern": {kind: long}, "behavior": "Isolated"}
    assert read_steps(step).words(f"x{long}y") == ["x", long, "y"]
    normal = Normalizer({"type": "Replace", "pattern": {kind: long}, "content": "."})
    assert normal(f"x{long}y") == "x.y"
    assert normal.changes(f"x{long}y").text == "x.y"


TOO_LARGE = [
    *[
        "a{100000}",
        "a{100000,}",
        "(?:ab){40000}",
        "[a-z]{30000}",
        "(?=a){40000}",
        "(?>a{900}){900}",
    ],
    *[
        "((((a{50}){50}){50}){50}){50}",
        "(?:" * 17 + "a+" + ")+" * 17,
        r"(?:\b{9}){90}",
        r"\b" * 600,
    ],
    *["(?:" * 400 + "a" + "){99999}" * 400, "(|a{99})" * 1100, "(?<!(?:[^a]{2}){30000})b"],
]


@pytest.mark.parametrize(
    "pattern", [*TOO_LARGE, "a{100001}", "a{0,100001}", "a{" + "9" * 9000 + "}"]
)
def test_patterns_that_take_all_memory_to_compile_are_refused(pattern, monkeypatch):
    monkeypatch.setattr(timed_patterns.regex, "compile", None)  # nothing is compiled
    step = {"type": "Split", "pattern": {"Regex": pattern}}
    with pytest.raises(InputError, match=r"too large: |more than 100,000 times") as caught:
        read_steps(step)
    assert str(caught.value).isprintable()
    with pytest.raises(InputError, match=r"Replace: .*(too large: |more than 100,000 times)"):
        Normalizer({"type": "Replace", "pattern": {"Regex": pattern}, "content": ""})


def test_the_patterns_of_one_tokenizer_are_limited_together():
    step = {"type": "Split", "pattern": {"Regex": "a{30000}"}}
    part = {"type": "Sequence", "pretokenizers": [step]}
    read_steps({"type": "Sequence", "pretokenizers": [part, step, {"type": "Digits"}, step]})
    with pytest.raises(InputError, match=r"the patterns are too large: up to 'a\{30000\}'"):
        read_steps({"type": "Sequence", "pretokenizers": [part, step, part, step]})
    for pattern in ({"String": "a" * 50_001}, {"Regex": "a{50000}"}):
        step = {"type": "Replace", "pattern": pattern, "content": ""}
        with pytest.raises(InputError, match="the patterns are too large: up to "):
            Normalizer({"type": "Sequence", "normalizers": [step, step]})


ITEMS = ["a", ".", "[^x{2}+]", "[a[b]&&[^c]]", r"\)", r"[\]]", r"\p{Lu}", "^"]
LEAST = {"*": 0, "+": 1, "++": 1, "??": 0, "{3}": 3, "{2,}": 2, "{1,4}?": 1, "{0}": 0}


def nested(draw, depth):
    """A pattern, and the same with its repetitions written out."""
    if depth == 0:
        return (draw.choice(ITEMS),) * 2
    parts = [nested(draw, draw.randrange(depth)) for _ in range(draw.randrange(1, 4))]
    group = draw.choice(["(?:{})", "(?=({}|b))", "(?<!{})", "(?i:{}|)", "(?>|{})"])
    pattern, written_out = (group.format("".join(each)) for each in zip(*parts, strict=True))
    mark = draw.choice(list(LEAST))
    return pattern + mark, written_out * (LEAST[mark] + 1)


@pytest.mark.parametrize("seed", range(30))
def test_the_size_of_a_pattern_is_that_with_its_repetitions_written_out(seed):
    pattern, written_out = nested(random.Random(seed), 3)
    assert timed_patterns._size(pattern) == len(written_out)
    timed_pattern(pattern, pattern)


@pytest.mark.parametrize("pattern", [*NAME_OF_SPLIT, *DEEPSEEK_PATTERNS, CLIP, SPACE_RUNS])
def test_published_patterns_are_small(pattern):
    assert timed_patterns._size(translated(pattern)) < 1000


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("(?:ab){e<=1}", ["ab{e<=1}"]),  # the library's own syntax for what is nearly the same
        ("b{e}", ["b{e}"]),
        ("a{,}", ["a{,}"]),
        ("a{٣}", ["a{٣}"]),
        ("a{0000000003}", ["aaa"]),
        ("a{" + "0" * 9000 + "3}", ["aaa"]),
        ("a{,2}[}]", ["}", "}", "}", "}"]),
    ],
)
def test_braces_are_read_as_oniguruma_reads_them(pattern, found):
    text = "ab{e<=1} a{٣} aaa b{e} a{,} ac"
    matches = timed_pattern(pattern, translated(pattern))(text)
    assert [text[begin:end] for begin, end, matched in matches if matched] == found
    step = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": True}
    assert [word for word, _ in theirs(step, text)] == found


def test_the_header_of_counts_holds_it(tmp_path):
    step = {"type": "Split", "pattern": {"Regex": "[\r\n\t %=+]|漢"}, "behavior": "Contiguous"}
    name = json.dumps(step)
    words = WordCounts.from_texts(["漢字カ・x, \r\ndon't"], pretokenizer=name)
    words.save(tmp_path / "words.tsv")
    read = WordCounts.load(tmp_path / "words.tsv")
    assert read.pretokenizer == words.pretokenizer == read_steps(step).name
    assert read.counted_with(name) is read
