"""The scripts of the page, run by Node: they cut text and words as partcover does."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from oracles import segmentation as oracle

import partcover
from partcover import Instance, Vocabulary, WordCounts, segment, trainers
from partcover.corpus.normalizers.normalizer import Normalizer
from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
from partcover.report.word_explorer import Letters, explore
from partcover.vocabulary.rules import SegmentationRule

PAGES = Path(partcover.__file__).parent / "report" / "templates"
NODE = shutil.which("node")
CHARACTERS: SegmentationRule = "character_merges"
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")


def vocabularies(rng: random.Random, letters: str) -> list[Vocabulary]:
    """One for each rule that a browser can follow, with merges and scores that tie."""
    tokens = list(
        dict.fromkeys("".join(rng.choices(letters, k=rng.randint(2, 4))) for _ in range(8))
    )
    made = [Vocabulary(tokens, rule=rule) for rule in ("shortest_path", "priority")]
    made += [Vocabulary(tokens, rule=rule) for rule in ("longest_match", "merges")]
    odd = ["é", "éa", b"\xc3a", b"a\xa9", b"\xa9\xc3"]
    made.append(Vocabulary([*tokens, *(t for t in odd if t not in tokens)], rule=CHARACTERS))
    made.append(Vocabulary((), rule="single_symbols"))
    pairs: dict[tuple[bytes, bytes], None] = {}
    parts = [bytes([byte]) for byte in letters.encode()]
    for _ in range(6):
        pair = rng.choice(parts), rng.choice(parts)
        pairs[pair] = None
        parts.append(b"".join(pair))
    merged = list(dict.fromkeys(a + b for a, b in pairs))
    made.append(Vocabulary(merged, rule="merges", merges=list(pairs)))
    made.append(Vocabulary(merged, rule=CHARACTERS, merges=list(pairs)))
    scores = [-rng.choice([1.0, 1.5, 2.0, 3.25]) for _ in tokens]
    singles = {letters[0]: -2.0}
    made.append(Vocabulary(tokens, rule="likelihood", scores=scores, symbol_scores=singles))
    near = [-rng.choice([0.1, 1.1, 2.2, 3.3]) for _ in tokens]  # ties are broken by the last bit
    made += [
        Vocabulary(tokens, rule="likelihood", scores=near, symbol_scores={"b": -1.1}, sums=sums)
        for sums in ("text", "text32")
    ]
    return made


@pytest.mark.long
def test_the_script_cuts_as_segment_does():
    rng = random.Random(5)
    cases, expected = [], []
    for letters in ["ab"] * 60 + ["abcé"] * 40:
        texts = {"".join(rng.choices(letters, k=rng.randint(1, 12))) for _ in range(6)}
        cut_short = {b"a\xc3", b"\xc3\xc3\xa9a", b"\xed\xa0\x80a", "日é😀".encode()}
        words = WordCounts.from_words([*sorted(texts), *sorted(cut_short)])
        for vocabulary in vocabularies(rng, letters):
            data = explore(words, {"it": vocabulary})
            cases.append([[word for word, _ in data["words"]], data["methods"][0]])
            cut = segment(words, vocabulary)
            of = {words.word(i): cut.of(i) for i in range(len(words))}
            write = Letters("bytes").write
            expected.append([[write(p) for p in of[w.encode("latin-1")]] for w in cases[-1][0]])
    assert cut_by_the_script(cases) == expected


STEPS = """{"type": "Sequence", "pretokenizers": [
    {"type": "Split", "pattern": {"Regex": " ?[^ab]|(?<!a) ?(?i:[ab])+"}, "behavior": "Isolated"},
    {"type": "Phrases", "words": 4}
]}"""


@pytest.mark.long
def test_the_script_cuts_phrases_as_segment_does():
    rng = random.Random(6)
    cases, expected = [], []
    named = ["gpt2+phrases", "o200k+phrases:3", "tekken+phrases", "space-prefix:_+phrases"]
    for name in [*named, STEPS] * 10:
        parts = ["ab", " ab", " a", " b", "é", " ba", "'s", ","]
        texts = ["".join(rng.choices(parts, k=9)) for _ in range(4)]
        for symbols in ("bytes", "chars"):
            words = WordCounts.from_texts(texts, pretokenizer=name, symbols=symbols)
            vocabulary = trainers.boundlessbpe(Instance(words, 14)).vocabulary
            data = explore(words, {"it": vocabulary})
            cases.append([[word for word, _ in data["words"]], data["methods"][0]])
            cut = segment(words, vocabulary)
            write = Letters(symbols).write
            of = {write(words.word(i)): [*map(write, cut.of(i))] for i in range(len(words))}
            expected.append([of[word] for word in cases[-1][0]])
    assert cut_by_the_script(cases) == expected


def run_node(script, data):
    """What a script prints, which reads `data` from standard input; both are JSON."""
    assert NODE is not None
    run = subprocess.run(
        [NODE, "-e", script], input=json.dumps(data), capture_output=True, text=True, check=True
    )
    return json.loads(run.stdout)


def cut_by_the_script(cases):
    """What the page makes of words, given with the vocabulary as a page has it."""
    return run_node(
        f"const {{prepare, cut}} = require({json.dumps(str(PAGES / 'segment.js'))});"
        f"Object.assign(globalThis, require({json.dumps(str(PAGES / 'pretokenize.js'))}));"
        "const cases = JSON.parse(require('fs').readFileSync(0));"
        "console.log(JSON.stringify(cases.map(([words, v]) => {"
        " const ready = prepare(v); return words.map((w) => cut(Array.from(w), ready)); })));",
        cases,
    )


@pytest.mark.long
def test_the_script_knows_the_borders_of_utf8():
    texts, odd = oracle.borders_of_utf8()
    words = [part + end for part in [*texts, *odd] for end in (b"b", b"bb", b"\x80b")]
    tokens = [part + b"b" for part in [*odd, *texts]]
    words = WordCounts.from_words(list(dict.fromkeys(words)))
    made = [Vocabulary(tokens, rule=CHARACTERS)]
    pairs = [(token[:-1], b"b") for token in tokens if len(token) == 2]
    pairs.append((b"b", b"b"))  # after those that hold what is no character
    made.append(Vocabulary([a + b for a, b in pairs], rule=CHARACTERS, merges=pairs))
    for vocabulary in made:
        data = explore(words, {"it": vocabulary})
        by_script = cut_by_the_script([[[word for word, _ in data["words"]], data["methods"][0]]])[
            0
        ]
        for (word, _), pieces in zip(data["words"], by_script, strict=True):
            expected = oracle.merge_characters(
                word.encode("latin-1"), list(vocabulary.tokens), vocabulary.merges
            )
            assert [piece.encode("latin-1") for piece in pieces] == expected
    # over characters those that look like bytes are none
    vocabulary = Vocabulary(["\xa9b"], "chars", rule=CHARACTERS)
    data = explore(WordCounts.from_counts({"\xc3\xa9b": 1}, "chars"), {"it": vocabulary})
    by_script = cut_by_the_script([[["\xc3\xa9b"], data["methods"][0]]])
    assert by_script == [[["\xc3", "\xa9b"]]]


RULES = [
    *("space-prefix", "space-prefix:▁", "first-space", "space", "digit", "gpt2", "cl100k", "o200k"),
    *("qwen2", "tekken", "deepseek"),
    *("none", "first-space+digit", "space+digit", "gpt2+digit", "space-prefix+o200k"),
    *(
        "gpt2+phrases:2",
        "cl100k+phrases",
        "space-prefix:_+phrases:3",
        "first-space+phrases:2+digit",
    ),
]
PARTS = [
    *("a", "Ab", "É", "日本", "ß", "s", "ſ", "K", "\u0301", "ǅ", "ʰ", "'", "'s", "'LL", "'ſ", "’t"),
    *(" ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u0085", "\u2028", "\ufeff", "\x1c", "\u3000"),
    *("1", "234", "²", "Ⅷ", "٣", "!", "--", "/", "😀", "€", "_", ".\n", "\0"),
]


@pytest.mark.long
def test_the_script_cuts_text_as_the_pretokenizers_do():
    rng = random.Random(7)
    texts = ["".join(rng.choices(PARTS, k=rng.randint(0, 12))) for _ in range(1500)]
    texts += [*PARTS, "I'll say: it's 1984, isn't it?\n\n  He SAID'S\tso  "]
    by_script = run_node(
        f"const {{pretokenizer}} = require({json.dumps(str(PAGES / 'pretokenize.js'))});"
        "const [rules, texts] = JSON.parse(require('fs').readFileSync(0));"
        "console.log(JSON.stringify(rules.map((rule) => texts.map(pretokenizer(rule)))));",
        [RULES, texts],
    )
    for rule, cuts in zip(RULES, by_script, strict=True):
        split = Pretokenizer.from_name(rule).split
        for text, words in zip(texts, cuts, strict=True):
            assert words == split(text), (rule, text)


def test_a_rule_that_the_script_does_not_know_is_no_rule():
    names = [None, "str.split", "gpt2+mine", "space-prefix:", "constructor", "phrases:2", "gpt2"]
    known = run_node(
        f"const {{pretokenizer}} = require({json.dumps(str(PAGES / 'pretokenize.js'))});"
        "const names = JSON.parse(require('fs').readFileSync(0));"
        "console.log(JSON.stringify(names.map((name) => pretokenizer(name) !== undefined)));",
        names,
    )
    assert known == [False] * 6 + [True]


def test_the_script_writes_all_digits_of_whole_numbers():
    written = run_node(
        "globalThis.document = {getElementById: () => ({textContent: '{}'})};"
        "const code = require('fs').readFileSync("
        f"{json.dumps(str(PAGES / 'tokens.js'))}, 'utf-8');"
        "require('vm').runInThisContext(code);"
        "const numbers = JSON.parse(require('fs').readFileSync(0));"
        "console.log(JSON.stringify(numbers.map(grouped)));",
        [7, 2**53, str(2**53 + 1)],
    )
    assert written == ["7", "9,007,199,254,740,992", "9,007,199,254,740,993"]


NORMALIZERS = [
    *("NFC", "NFKD", "NFKC+Lowercase", "NFD+StripAccents", "Strip", "BertNormalizer", "Nmt"),
    '{"type":"Prepend","prepend":"$&"}',
    '{"type":"Replace","pattern":{"String":"a"},"content":"$&"}',
    '{"type":"Replace","pattern":{"Regex":"\\\\s+"},"content":"▁"}',
    '{"type":"Strip","strip_left":false}',
]


def normalized_by_the_script(steps, texts):
    return run_node(
        f"const {{normalizer}} = require({json.dumps(str(PAGES / 'normalize.js'))});"
        "const [all, texts] = JSON.parse(require('fs').readFileSync(0));"
        "console.log(JSON.stringify(all.map((steps) => texts.map(normalizer(steps)))));",
        [steps, texts],
    )


def test_the_script_normalizes_as_the_normalizers_do():
    rng = random.Random(8)
    parts = [*PARTS, "Σ", "İ", "ﬁ", "日", "\u200d", "\ue000", "\ufffd", "\x7f", "Å", "각"]
    texts = ["".join(rng.choices(parts, k=rng.randint(0, 9))) for _ in range(800)]
    made = [Normalizer(name) for name in NORMALIZERS]
    by_script = normalized_by_the_script([one.steps for one in made], texts)
    for one, results in zip(made, by_script, strict=True):
        for text, result in zip(texts, results, strict=True):
            assert result == one(text), (one.name, text)


def test_a_normalizer_that_the_script_does_not_know_is_none():
    pattern = {"type": "Replace", "pattern": {"Regex": "(a|b)+"}, "content": ""}
    known = run_node(
        f"const {{normalizer}} = require({json.dumps(str(PAGES / 'normalize.js'))});"
        "const all = JSON.parse(require('fs').readFileSync(0));"
        "console.log(JSON.stringify(all.map((steps) => normalizer(steps) !== undefined)));",
        [[{"type": "Precompiled"}], [pattern], [{"type": "NFC"}, pattern], None, [{"type": "NFC"}]],
    )
    assert known == [False] * 3 + [True] * 2
