"""The HTML page: what its scripts cut is what `segment` cuts, and it needs nothing from outside."""

from __future__ import annotations

import html
import json
import random
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import networkx as nx
import pytest
from oracles import segmentation as oracle

import partcover
from partcover import InputError, Instance, Vocabulary, WordCounts, greedtok, segment
from partcover.hardness.reduction import reduce_vertex_cover
from partcover.report.html_page import write_page
from partcover.report.runs import read_runs
from partcover.report.word_explorer import Letters, explore, sample_words, steps
from partcover.studies.compare import compare
from partcover.vocabulary.rules import SegmentationRule

PAGES = Path(partcover.__file__).parent / "report" / "templates"
NODE = shutil.which("node")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
WORDS = WordCounts.from_counts(
    {"papaya": 3, " impact": 2, "pay": 5, " paper": 4, "naïve": 1, b"\xff<!--": 1}
)
CHARACTERS: SegmentationRule = "character_merges"


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
    return made


@pytest.mark.skipif(NODE is None, reason="node is not installed")
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


def cut_by_the_script(cases):
    """What the page makes of words, given with the vocabulary as a page has it."""
    script = (
        f"const {{prepare, cut}} = require({json.dumps(str(PAGES / 'segment.js'))});"
        "const cases = JSON.parse(require('fs').readFileSync(0));"
        "console.log(JSON.stringify(cases.map(([words, v]) => {"
        " const ready = prepare(v); return words.map((w) => cut(Array.from(w), ready)); })));"
    )
    assert NODE is not None
    run = subprocess.run(
        [NODE, "-e", script], input=json.dumps(cases), capture_output=True, text=True, check=True
    )
    return json.loads(run.stdout)


@pytest.mark.skipif(NODE is None, reason="node is not installed")
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


class Links(HTMLParser):
    """Every address in a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.addresses += [v for k, v in attributes if k in ("src", "href", "srcset", "action")]


@pytest.fixture
def files(tmp_path):
    """One file of each kind that a page is made of."""
    instance = Instance(WORDS, 4)
    WORDS.save(tmp_path / "c.tsv")
    solution = greedtok(instance)
    assert solution.vocabulary is not None
    solution.vocabulary.save(tmp_path / "v.json")
    (tmp_path / "s.json").write_text(json.dumps(solution.to_json()))
    bound = partcover.lower_bound(instance, time_limit=2)
    bound.certificate.save(tmp_path / "p.cert")
    rows = compare(instance, [1, 4]).rows
    (tmp_path / "rows.json").write_text(json.dumps({"rows": rows}))
    small = Instance(WordCounts.from_counts({"papaya": 1, "impact": 1}), 2)
    small.save(tmp_path / "i.json")
    reduce_vertex_cover(nx.cycle_graph(5), 3).instance.save(tmp_path / "graph.json")
    names = ("c.tsv", "v.json", "s.json", "p.cert", "rows.json", "i.json", "graph.json")
    return [tmp_path / name for name in names]


@pytest.fixture
def page(files, tmp_path):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    write_page(read_runs(files), tmp_path / "r.html", title="<b>& title")
    return tmp_path / "r.html"


def test_the_page_needs_nothing_from_outside(page):
    text = page.read_text("utf-8")
    links = Links(text).addresses
    assert links
    assert all(link.startswith(("#", "data:image/svg+xml;base64,")) for link in links)
    assert "@import" not in text
    assert "url(" not in text
    assert "<b>& title" not in text, "a title is text, not markup"
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text)
    assert data is not None
    content = json.loads(data[1])
    assert {m["name"] for m in content["explorer"]["methods"]} == {"greedtok", "greedtok (s)"}
    assert [word for word, _ in content["explorer"]["words"] if "<!--" in word]
    assert content["explorer"]["prices"]["papaya"]["tokens"]


def browse(page: Path, typed: str, profile: Path) -> tuple[list[tuple[str, str]], str]:
    """The typed words with what the explorer shows of each, and the page, without errors."""
    command = [
        *(CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu"),
        *("--enable-logging=stderr", "--virtual-time-budget=3000", "--dump-dom"),
        f"--user-data-dir={profile}",
        f"{page.as_uri()}#words={quote(typed)}",
    ]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "CONSOLE" not in run.stderr
    shown = re.findall(r'<article data-word="([^"]*)">(.*?)</article>', run.stdout, re.DOTALL)
    return [(html.unescape(word), article) for word, article in shown], run.stdout


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_a_browser_shows_it_without_errors(page, tmp_path):
    shown, whole = browse(page, "papaya impact naïve", tmp_path / "profile")
    assert "papaya: greedy step by step" not in whole
    assert [word for word, _ in shown] == ["papaya", " impact", " na\xc3\xafve"]
    vocabulary = Vocabulary.load(page.parent / "v.json")
    for word, article in shown:
        rows = re.findall(r'<div class="method" data-method="greedtok">(.*?)</div>', article)
        pieces = re.findall(r'data-token="([^"]*)"', rows[0])
        cut = segment(WordCounts.from_words([word.encode("latin-1")]), vocabulary)
        assert [piece.encode("latin-1") for piece in pieces] == cut.of(0)
    assert "No token yet" in whole


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
@pytest.mark.parametrize(
    ("words", "symbols", "shown"),
    [
        (["it is", "a\u202eb", "<b>é"], "chars", ["it␣is", "a\\u{202E}b", "<b>é"]),
        (["it is", "\ufeffab", "a\tb"], "bytes", ["it␣is", "\\u{FEFF}ab", "a\\tb"]),
        ([(7, 1000, 7)], "ints", ["7 1000 7"]),
        (["constructor", "valueOf"], "bytes", ["constructor", "valueOf"]),
    ],
)
def test_words_over_any_symbols_are_found_as_they_are_shown(tmp_path, words, symbols, shown):
    pytest.importorskip("jinja2")
    corpus = WordCounts.from_words(words, symbols)
    corpus.save(tmp_path / "c.tsv")
    Vocabulary([], symbols).save(tmp_path / "v.json")
    write_page(read_runs([tmp_path / "c.tsv", tmp_path / "v.json"]), tmp_path / "r.html")
    articles, _ = browse(tmp_path / "r.html", " ".join(shown), tmp_path / "profile")
    letters = Letters(symbols, [word for word, _ in corpus])
    assert [word for word, _ in articles] == [letters.write(word) for word, _ in corpus]
    titles = [re.search("<h3>(.*?) × 1</h3>", article) for _, article in articles]
    assert [html.unescape(title[1]) for title in titles if title] == shown


def test_a_large_corpus_is_sampled_and_says_so(tmp_path):
    pytest.importorskip("jinja2")
    words = WordCounts.from_counts({f"w{i:03}": 1000 - i for i in range(300)})
    shown = sample_words(words, 20, 7)
    assert len(shown) == 20
    assert [w for w, _ in shown][:10] == [f"w{i:03}".encode() for i in range(10)]
    assert shown.to_dict().items() <= words.to_dict().items()
    assert sample_words(words, 20, 7).to_dict() == shown.to_dict()
    assert sample_words(words, 20, 8).to_dict() != shown.to_dict()
    words.save(tmp_path / "c.tsv")
    Vocabulary(["w0"]).save(tmp_path / "v.json")
    runs = read_runs([tmp_path / "c.tsv", tmp_path / "v.json"])
    write_page(runs, tmp_path / "r.html", sample=20)
    assert "of its 300 words 20 can be picked" in (tmp_path / "r.html").read_text("utf-8")


def test_steps_are_greedtoks_beside_the_optimum():
    instance = Instance(WordCounts.from_counts({"abab": 2, "bab": 3}), 2)
    shown = steps(instance)
    whole = greedtok(instance)
    assert whole.vocabulary is not None
    assert [s["token"] for s in shown["greedy"][1:]] == [t.decode() for t in whole.vocabulary]
    assert shown["greedy"][0]["tokens"] == instance.words.total_symbols
    assert shown["greedy"][-1]["tokens"] == whole.tokens
    assert shown["best"]["proven"]
    assert shown["best"]["tokens"] == 5
    assert shown["best"]["pieces"] == [["abab"], ["bab"]]


def test_a_picture_shows_the_answer_that_is_given(tmp_path, monkeypatch):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    instance = reduce_vertex_cover(nx.cycle_graph(5), 3).instance
    instance.save(tmp_path / "graph.json")
    partcover.solve(instance).vocabulary.save(tmp_path / "a.json")
    Vocabulary(["ab"]).save(tmp_path / "b.json")  # no answer to it
    monkeypatch.setattr("partcover.report.html_page.solve", None)
    for names in (("graph", "a", "b"), ("graph", "b", "a")):
        write_page(read_runs([tmp_path / f"{name}.json" for name in names]), tmp_path / "r.html")


def test_integers_are_letters_with_names():
    words = WordCounts.from_counts({(7, 9, 2**40): 1}, "ints")
    data = explore(words, {"v": Vocabulary([(7, 9)], "ints")})
    assert data["words"] == [["ĀāĂ", 1]]
    assert data["names"] == {"Ā": "7", "ā": "9", "Ă": str(2**40)}
    assert data["methods"][0]["tokens"] == ["Āā"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"x": 1}, "neither a table"),
        ({"rows": [1]}, "'rows' is not a list of objects"),
        ({"results": [{"rows": 1}]}, "'rows' is not a list of objects"),
    ],
)
def test_what_is_no_result_is_named(tmp_path, content, message):
    (tmp_path / "x.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=f"x.json: {message}"):
        read_runs([tmp_path / "x.json"])


def test_nothing_and_too_much(tmp_path, files):
    pytest.importorskip("jinja2")
    with pytest.raises(InputError, match="a second corpus"):
        read_runs([files[0], files[0]])
    with pytest.raises(InputError, match="a second certificate"):
        read_runs([files[3], files[3]])
    with pytest.raises(InputError, match="nothing to show"):
        write_page(read_runs([files[0]]), tmp_path / "r.html")
    with pytest.raises(InputError, match="prices need the counted words"):
        write_page(read_runs([files[3]]), tmp_path / "r.html")
    large = Instance(WordCounts.from_counts({"ab" * 2000: 1}), 1)
    with pytest.raises(InputError, match="too much to show step by step"):
        steps(large)
    assert not (tmp_path / "r.html").exists()


def test_the_command(files, tmp_path, run):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    status, out, _ = run("report", *map(str, files), "-o", str(tmp_path / "r.html"), "--json")
    assert (status, json.loads(out)["files"]) == (0, len(files))
    assert "Explorer" in (tmp_path / "r.html").read_text("utf-8")
    status, _, err = run("report", str(files[0]))
    assert status == 2
    assert "-o is missing" in err


def test_tables_of_reproduce_have_their_names(tmp_path):
    rows = [{"method": "bpe", "tokens": 3}]
    results = [{"manifest": {"experiment": name}, "rows": rows} for name in ("one", "two")]
    (tmp_path / "all.json").write_text(json.dumps({"results": results}))
    (tmp_path / "one.json").write_text(json.dumps(results[0]))
    runs = read_runs([tmp_path / "all.json", tmp_path / "one.json"])
    assert runs.tables == [("one", rows), ("two", rows), ("one", rows)]


def test_all_that_the_commands_write_can_be_shown(tmp_path, run):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    WORDS.save(tmp_path / "C.tsv")
    WordCounts.from_counts({"paper": 2, "map": 1}).save(tmp_path / "D.tsv")
    for command in (
        ("reproduce", "all", "C.tsv", "-k", "2,4"),
        ("compare", "C.tsv", "-k", "2,4", "--methods", "greedtok,bpe", "--targets", "2,0.1"),
        ("domains", "C.tsv", "D.tsv", "-k", "2"),
    ):
        assert run(*command, "-o", "made.json", "--json", "--quiet")[0] == 0
        assert run("report", "made.json", "-o", "r.html", "--quiet")[0] == 0
        page = (tmp_path / "r.html").read_text("utf-8")
        if command[0] == "reproduce":
            assert page.count("data:image/svg") == 9  # one for each table
        elif command[0] == "compare":
            assert page.count("data:image/svg") == 1
            for title in ("token sets", "overlap", "targets"):
                assert f"made: {title}" in page


def test_odd_rows_are_a_table_without_a_figure(tmp_path):
    pytest.importorskip("jinja2")
    good = {"method": "bpe", "rule": "merges", "k": 2, "tokens_per_word": 1.5, "tokens": 3}
    odd = {"rule": None}, {"tokens_per_word": "1"}, {"k": None}, {"lower_bound": "x"}
    for rows in ([{**good, **change}] for change in odd):
        (tmp_path / "t.json").write_text(json.dumps({"rows": rows}))
        write_page(read_runs([tmp_path / "t.json"]), tmp_path / "r.html")
        assert "data:image" not in (tmp_path / "r.html").read_text("utf-8")


def test_facts_of_tokens_are_no_vocabulary(tmp_path):
    (tmp_path / "i.json").write_text(json.dumps({"tokens": [{"token": "ab", "order": 0}]}))
    with pytest.raises(InputError, match="neither a table"):
        read_runs([tmp_path / "i.json"])


def test_a_seed_may_be_negative():
    assert len(sample_words(WORDS, 4, -1)) == 4
