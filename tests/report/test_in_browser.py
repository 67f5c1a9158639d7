"""The page in Chromium: clicks, keys, typing, no message of the console, contrast."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

import partcover
from partcover import Instance, Vocabulary, WordCounts, audit_tokenizer, greedtok, segment
from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
from partcover.report.audit_page import write_audit_page
from partcover.report.html_page import write_page
from partcover.report.runs import read_runs
from partcover.report.word_explorer import Letters
from partcover.studies.compare import compare

pytest.importorskip("playwright.sync_api")
pytest.importorskip("jinja2")
TEXT = (
    "the price of a symbol is the price that it pays; it isn't naïve 😀\n" * 3 + "So 1984 it is. "
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A page of all sections, and the files that it is made of."""
    folder = tmp_path_factory.mktemp("page")
    words = WordCounts.from_texts([TEXT], pretokenizer="gpt2")
    words.save(folder / "c.tsv")
    instance = Instance(words, 8)
    comparison = compare(instance, [4, 8], ["greedtok", "bpe", "bytes"], bound=1)
    about = {"corpus_sha256": words.digest, "policy": instance.policy}
    (folder / "rows.json").write_text(json.dumps({**about, "rows": comparison.rows}))
    for answer in comparison.answers:
        if answer.k == 8 and answer.vocabulary is not None and answer.method != "bytes":
            answer.vocabulary.save(folder / f"{answer.method}.json")
    log = partcover.EventLog()
    found = partcover.improve(instance, time_limit=3, progress=log)
    lines = "".join(json.dumps(event.to_json()) + "\n" for event in log.events)
    (folder / "search.jsonl").write_text(lines)
    assert found.certificate is not None
    found.certificate.save(folder / "p.cert")
    small = Instance(WordCounts.from_counts({"papaya": 1, "impact": 1}), 2)
    small.save(folder / "fruit.json")
    names = ("c.tsv", "rows.json", "greedtok.json", "bpe.json", "search.jsonl", "p.cert")
    write_page(read_runs([folder / name for name in (*names, "fruit.json")]), folder / "r.html")
    return folder


@pytest.fixture(scope="module")
def audit_page(folder):
    """The page of an audit, and the audit."""
    words = WordCounts.from_texts([TEXT + " <b>bold</b>"], pretokenizer="gpt2")
    tokens = [" the", " price", " i", "<b", "zz"]
    vocabulary = Vocabulary(tokens, rule="priority", pretokenizer="gpt2")
    audit = audit_tokenizer(vocabulary, words)
    path = folder / "audit.html"
    write_audit_page(audit, vocabulary, path, tokenizer="<i>.json", texts=["text.txt"])
    return path, audit


def cut_of(page, method):
    """The tokens that a vocabulary cuts the typed text into."""
    return page.eval_on_selector_all(
        f"#cuts article[data-method={method}] .piece", "all => all.map((e) => e.dataset.token)"
    )


def expected(text, vocabulary):
    """The same, by partcover."""
    write = Letters(vocabulary.symbols).write
    tokens = []
    for word in Pretokenizer.from_name("gpt2").split(text):
        cut = segment(WordCounts.from_words([word], vocabulary.symbols), vocabulary)
        tokens += [write(token) for token in cut.of(0)]
    return tokens


@pytest.mark.long
def test_typed_text_is_cut_as_partcover_cuts_it(folder, open_page):
    page = open_page(folder / "r.html")
    text = "The price\n\n isn't 19845 naïve😀  it"
    page.fill("#text", "")
    page.locator("#text").press_sequentially(text)
    for method in ("greedtok", "bpe"):
        vocabulary = Vocabulary.load(folder / f"{method}.json")
        assert cut_of(page, method) == expected(text, vocabulary)
    page.locator("#cuts .piece").first.click()
    assert "greedtok: " in page.inner_text("#picked")
    page.focus("#text")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    second = page.locator("#cuts .piece").nth(1).inner_text()
    assert page.evaluate("document.activeElement.innerText") == second
    assert page.locator("#picked .piece").count() == 1
    page.locator("#cuts article").nth(1).locator(".word").nth(1).hover()
    same = page.eval_on_selector_all("#cuts .same", "all => all.map((e) => e.dataset.word)")
    assert same == [" price", " price"]
    page.goto((folder / "r.html").as_uri() + "#text=" + quote("it is"))
    page.reload()
    assert page.input_value("#text") == "it is"


@pytest.mark.long
def test_words_that_differ_come_first_and_others_are_found(folder, open_page):
    page = open_page(folder / "r.html")
    first = page.locator("#list article").first
    assert first.locator(".way").count() == 2
    assert first.locator(".size.worse").count() == 1
    page.select_option("#show", "frequent")
    page.fill("#find", " pri")
    shown = page.eval_on_selector_all("#list article", "all => all.map((e) => e.dataset.word)")
    assert shown == [" price"]
    assert page.inner_text("#found") == "1 word found"
    page.locator("#list summary").click()
    assert page.locator("#list .prices > span").count() == len(" price")
    page.fill("#find", "no such word")
    assert page.inner_text("#found") == "0 words found"


@pytest.mark.long
def test_tables_are_opened_sorted_and_searched_by_keys(folder, open_page):
    page = open_page(folder / "r.html")
    table = page.locator("#numbers details", has=page.get_by_text("rows", exact=False)).nth(1)
    assert not table.locator("table").is_visible()
    table.locator("summary").focus()
    page.keyboard.press("Enter")
    assert table.locator("table").is_visible()
    heads = table.locator("th").all_inner_texts()
    tokens = heads.index("tokens")
    button = table.locator("th button").nth(tokens)
    button.focus()
    for key, order in (("Enter", "ascending"), ("Space", "descending")):
        page.keyboard.press(key)
        assert table.locator("th").nth(tokens).get_attribute("aria-sort") == order
        column = table.locator(f"tbody td:nth-child({tokens + 1})").all_inner_texts()
        numbers = [int(text.replace(",", "")) for text in column]
        assert numbers == sorted(numbers, reverse=order == "descending")
    table.locator("input[type=search]").fill("BPE 8")
    visible = [row for row in table.locator("tbody tr").all() if row.is_visible()]
    assert visible
    assert all("bpe" in row.inner_text() for row in visible)


@pytest.mark.long
def test_charts_show_another_measure_and_name_their_lines(folder, open_page):
    page = open_page(folder / "r.html")
    chart = page.locator("section.chart").first
    assert "greedtok, priority" in chart.locator("svg").text_content()
    before = chart.locator("svg").inner_html()
    chart.get_by_label("tokens per word").focus()
    page.keyboard.press("Space")
    assert chart.locator("svg").inner_html() != before
    assert "lower bound" in chart.locator("svg").text_content()
    box = chart.locator(".canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)
    assert "k = 4" in chart.locator(".canvas").inner_text()


@pytest.mark.long
def test_an_audit_begins_with_charts(audit_page, open_page):
    path, audit = audit_page
    page = open_page(path)
    ids = page.eval_on_selector_all("main section", "all => all.map((e) => e.id)")
    assert ids[:5] == ["answer", "parts", "chart-1", "costliest", "audit"]
    bar = page.locator(".split").bounding_box()
    widths = page.eval_on_selector_all(".split i", "all => all.map((e) => e.offsetWidth)")
    assert widths[0] / bar["width"] == pytest.approx(audit.lower_bound / audit.tokens, abs=0.01)
    spoken = page.locator(".split").get_attribute("aria-label")
    assert f"lower bound {audit.lower_bound:,}" in spoken
    chart = page.locator("#chart-1 svg").text_content()
    for name in ("lower bound", "GreedTok", "<i>", "<i>, used tokens"):
        assert name in chart
    assert page.locator("#costliest tbody tr").count() == len(audit.costly)
    assert page.locator("#costliest .extra b").first.inner_text() == f"{audit.costly[0].loss:,}"


@pytest.mark.long
def test_greedy_is_stepped_through(folder, open_page):
    page = open_page(folder / "r.html")
    steps = page.locator("section.steps")
    assert "No token yet" in steps.locator(".state").inner_text()
    steps.get_by_role("button", name="Next").click()
    assert "Token 1:" in steps.locator(".state").inner_text()
    steps.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    assert "Token 2:" in steps.locator(".state").inner_text()
    assert steps.locator(".piece.new").count() > 0


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", ["r.html", "audit.html"])
def test_nothing_is_clipped_and_all_can_be_read(folder, audit_page, open_page, name, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = open_page(folder / name, width=width, scheme=scheme)
    page.eval_on_selector_all("details", "all => all.forEach((e) => { e.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    if width == 1280:
        wide = "all => all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.ariaLabel)"
        assert page.eval_on_selector_all(".wide", wide) == []
    found = axe.Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "symbols", "shown"),
    [
        (["it is", "a\u202eb", "<b>é"], "chars", ["it␣is", "a\\u{202E}b", "<b>é"]),
        (["it is", "\ufeffab", "a\tb"], "bytes", ["it␣is", "\\u{FEFF}ab", "a\\tb"]),
        ([(7, 1000, 7)], "ints", ["7 1000 7"]),
        (["constructor", "valueOf"], "bytes", ["constructor", "valueOf"]),
    ],
)
def test_words_over_any_symbols_are_shown(tmp_path, open_page, words, symbols, shown):
    corpus = WordCounts.from_words(words, symbols)
    corpus.save(tmp_path / "c.tsv")
    greedy = greedtok(Instance(corpus, 1)).vocabulary
    assert greedy is not None
    greedy.save(tmp_path / "v.json")
    write_page(read_runs([tmp_path / "c.tsv", tmp_path / "v.json"]), tmp_path / "r.html")
    page = open_page(tmp_path / "r.html")
    page.select_option("#show", "frequent")
    titles = page.eval_on_selector_all("#list h3 code", "all => all.map((e) => e.title)")
    assert sorted(titles) == sorted(shown)
    if symbols == "ints":
        page.fill("#text", "7 1000 8")
        assert "8 is in no word and no token" in page.inner_text("#cuts")
        page.fill("#text", "7 1000\n1000 7")
        assert page.locator("#cuts .word").count() == 2
