"""The HTML page: what stands on it, and that it needs nothing from outside."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

import partcover
from partcover import InputError, Instance, VerificationError, Vocabulary, WordCounts, greedtok
from partcover.hardness.reduction import reduce_vertex_cover
from partcover.report.html_page import write_page
from partcover.report.runs import read_runs
from partcover.report.word_explorer import explore, sample_words, steps
from partcover.studies.compare import compare

WORDS = WordCounts.from_counts(
    {"papaya": 3, " impact": 2, "pay": 5, " paper": 4, "naïve": 1, b"\xff<!--": 1}
)


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
    nx = pytest.importorskip("networkx")
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
    log = partcover.EventLog()
    partcover.improve(instance, time_limit=2, progress=log)
    lines = "".join(json.dumps(event.to_json()) + "\n" for event in log.events)
    (tmp_path / "search.jsonl").write_text(lines)
    small = Instance(WordCounts.from_counts({"papaya": 1, "impact": 1}), 2)
    small.save(tmp_path / "i.json")
    reduce_vertex_cover(nx.cycle_graph(5), 3).instance.save(tmp_path / "graph.json")
    names = ("c.tsv", "v.json", "s.json", "p.cert", "rows.json", "search.jsonl")
    return [tmp_path / name for name in (*names, "i.json", "graph.json")]


@pytest.fixture
def page(files, tmp_path):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    write_page(read_runs(files), tmp_path / "r.html", title="<b>& title")
    return tmp_path / "r.html"


def content_of(page):
    """The data of a page."""
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    return json.loads(data[1])


@pytest.mark.long
def test_the_page_needs_nothing_from_outside(page):
    text = page.read_text("utf-8")
    links = Links(text).addresses
    assert links
    assert all(link.startswith(("#", "data:image/svg+xml;base64,")) for link in links)
    style = text[text.index("<style>") : text.index("</style>")]
    assert "@import" not in style
    assert "url(" not in style
    assert "<b>& title" not in text, "a title is text, not markup"
    content = content_of(text)
    assert {m["name"] for m in content["explorer"]["methods"]} == {"greedtok", "greedtok (s)"}
    assert [word for word, _ in content["explorer"]["words"] if "<!--" in word]
    assert content["explorer"]["prices"]["papaya"]["tokens"]
    assert [chart["short"] for chart in content["charts"]] == ["rows", "vocabularies", "Search"]


@pytest.mark.long
def test_the_same_files_make_the_same_bytes(files, page, tmp_path):
    write_page(read_runs(files), tmp_path / "again.html", title="<b>& title")
    assert (tmp_path / "again.html").read_bytes() == page.read_bytes()


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
    page = (tmp_path / "r.html").read_text("utf-8")
    on_page = len(content_of(page)["explorer"]["words"])
    assert 20 <= on_page < 300
    assert f"contains {on_page} of its 300 words" in page


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


@pytest.mark.long
def test_a_picture_shows_the_answer_that_is_given(tmp_path, monkeypatch):
    nx = pytest.importorskip("networkx")
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    instance = reduce_vertex_cover(nx.cycle_graph(5), 3).instance
    instance.save(tmp_path / "graph.json")
    partcover.solve(instance).vocabulary.save(tmp_path / "a.json")
    Vocabulary(["ab"]).save(tmp_path / "b.json")  # no answer to it
    monkeypatch.setattr("partcover.report.html_page.solve", None)
    for names in (("graph", "a", "b"), ("graph", "b", "a")):
        write_page(read_runs([tmp_path / f"{name}.json" for name in names]), tmp_path / "r.html")


def test_counts_beyond_53_bits_keep_all_digits(tmp_path):
    pytest.importorskip("jinja2")
    counts = {"abab": 2**53 + 1, "bab": 2**53, "ab": 3}
    WordCounts.from_counts(counts).save(tmp_path / "c.tsv")
    Instance(counts, 1).save(tmp_path / "i.json")
    Vocabulary(["ab"]).save(tmp_path / "v.json")
    names = ("c.tsv", "i.json", "v.json")
    write_page(read_runs([tmp_path / name for name in names]), tmp_path / "r.html")
    data = content_of((tmp_path / "r.html").read_text("utf-8"))
    assert data["explorer"]["words"] == [["abab", str(2**53 + 1)], ["bab", 2**53], ["ab", 3]]
    assert data["steps"][0]["counts"] == [str(2**53 + 1), 2**53, 3]
    assert data["steps"][0]["best"]["tokens"] == str(2**54 + 2**53 + 8)


def test_integers_are_letters_with_names():
    words = WordCounts.from_counts({(7, 9, 2**40): 1}, "ints")
    data = explore(words, {"v": Vocabulary([(7, 9)], "ints")})
    assert data["words"] == [["ĀāĂ", 1]]
    assert data["names"] == {"Ā": "7", "ā": "9", "Ă": str(2**40)}
    assert data["methods"][0]["tokens"] == ["Āā"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"x": "1"}, "not a file that a page shows"),
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
    with pytest.raises(InputError, match="a second file of counted words"):
        read_runs([files[0], files[0]])
    with pytest.raises(InputError, match="a second certificate"):
        read_runs([files[3], files[3]])
    with pytest.raises(InputError, match="nothing to show"):
        write_page(read_runs([files[0]]), tmp_path / "r.html")
    with pytest.raises(InputError, match="a certificate needs its counted words"):
        write_page(read_runs([files[3]]), tmp_path / "r.html")
    large = Instance(WordCounts.from_counts({"ab" * 2000: 1}), 1)
    with pytest.raises(InputError, match="too large to show step by step"):
        steps(large)
    assert not (tmp_path / "r.html").exists()


@pytest.mark.long
def test_the_command(files, tmp_path, run):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    status, out, _ = run("report", *map(str, files), "-o", str(tmp_path / "r.html"), "--json")
    assert (status, json.loads(out)["files"]) == (0, len(files))
    assert "Tokenize your own text" in (tmp_path / "r.html").read_text("utf-8")
    status, _, err = run("report", files[0], files[1])
    assert (status, "wrote report.html" in err) == (0, True)
    status, _, err = run("report", files[0], files[1])
    assert status == 2
    assert "report.html already exists: choose another file with -o" in err


def test_tables_of_reproduce_have_their_names(tmp_path):
    rows = [{"method": "bpe", "tokens": 3}]
    results = [{"manifest": {"experiment": name}, "rows": rows} for name in ("one", "two")]
    (tmp_path / "all.json").write_text(json.dumps({"results": results}))
    (tmp_path / "one.json").write_text(json.dumps(results[0]))
    runs = read_runs([tmp_path / "all.json", tmp_path / "one.json"])
    assert [(table.name, table.rows) for table in runs.tables] == [
        (name, rows) for name in ("one", "two", "one")
    ]


@pytest.mark.long
def test_all_that_the_commands_write_can_be_shown(tmp_path, run):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    WORDS.save(tmp_path / "C.tsv")
    WordCounts.from_counts({"paper": 2, "map": 1}).save(tmp_path / "D.tsv")
    for command in (
        ("reproduce", "all", "C.tsv", "-k", "2,4"),
        ("compare", "C.tsv", "-k", "2,4", "--methods", "greedtok,bpe"),
    ):
        assert run(*command, "-o", "made.json", "--json", "--quiet")[0] == 0
        assert run("report", "made.json", "-o", "r.html", "--quiet")[0] == 0
        page = (tmp_path / "r.html").read_text("utf-8")
        if command[0] == "reproduce":
            assert len(content_of(page)["charts"]) == 9  # one for each table
        elif command[0] == "compare":
            assert len(content_of(page)["charts"]) == 1
            for title in ("token sets", "overlap"):
                assert f"made: {title}" in page


@pytest.mark.long
def test_odd_rows_are_a_table_without_a_chart(tmp_path):
    pytest.importorskip("jinja2")
    good = {"method": "bpe", "rule": "merges", "k": 2, "tokens_per_word": 1.5, "tokens": 3}
    odd = (
        {"rule": None},
        {"tokens_per_word": "1"},
        {"k": None},
        {"lower_bound": "x"},
        {"gap": 1e999},
    )
    for rows in ([{**good, **change}] for change in odd):
        (tmp_path / "t.json").write_text(json.dumps({"rows": rows}))
        write_page(read_runs([tmp_path / "t.json"]), tmp_path / "r.html")
        page = (tmp_path / "r.html").read_text("utf-8")
        assert not content_of(page)["charts"]
        assert "Apache" not in page, "a library that nothing needs is left out"


def test_what_inspect_writes_is_a_table(files, tmp_path, run):
    pytest.importorskip("jinja2")
    assert run("inspect", "v.json", "c.tsv", "--json", "-o", "facts.json", "--quiet")[0] == 0
    assert run("report", "facts.json", "-o", "r.html", "--quiet")[0] == 0
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "facts: tokens" in page
    for token in Vocabulary.load(tmp_path / "v.json"):
        assert f">{token.decode().replace(' ', '␣')}</td>" in page


def test_facts_of_tokens_are_no_vocabulary(tmp_path):
    (tmp_path / "i.json").write_text(json.dumps({"tokens": [{"token": "ab", "order": 0}]}))
    with pytest.raises(InputError, match="not a file that a page shows"):
        read_runs([tmp_path / "i.json"])


def test_a_seed_may_be_negative():
    assert len(sample_words(WORDS, 4, -1)) == 4


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.jsonl", '{"seconds": 1}\nx', "line 2 is not JSON"),
        ("x.jsonl", '{"second": 1}', "line 1 is not an event"),
        ("x.jsonl", '{"seconds": NaN}', "line 1 is not an event"),
        ("x.jsonl", '{"seconds": 1, "tokens": "3"}', "line 1 is not an event"),
        ("x.txt", "It is text.\n", "this looks like text. A page shows results"),
        ("x.md", "It is text.\n", "this looks like text. A page shows results"),
    ],
)
def test_other_files_are_named_with_their_fault(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=f"{name}: {message}"):
        read_runs([tmp_path / name])


@pytest.mark.parametrize("ending", ["csv", "md"])
def test_a_table_that_is_not_json_is_refused(run, tmp_path, ending):
    WORDS.save(tmp_path / "c.tsv")
    table = f"rows.{ending}"
    assert run("compare", "c.tsv", "-k", 2, "-o", table)[0] == 0
    status, out, error = run("report", table)
    assert (status, out) == (2, "")
    assert error == (
        f"partcover: {table}: expected a table as JSON, not as CSV or Markdown: write it again "
        "with -o FILE.json\n"
    )
    again = table.replace(ending, "json")
    assert run("compare", "c.tsv", "-k", 2, "-o", again)[0] == 0
    assert run("report", again)[0] == 0


def test_a_certificate_of_other_words_is_refused(tmp_path, files):
    WordCounts.from_counts({"papaya": 4, "pay": 1}).save(tmp_path / "c.tsv")
    with pytest.raises(VerificationError, match="the certificate does not hold"):
        write_page(read_runs(files[:4]), tmp_path / "r.html")
