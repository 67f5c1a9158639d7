"""The student's page: its JavaScript chooses and counts as partcover does, whatever is typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import Instance, Vocabulary, WordCounts, greedtok, segment, solve

pytestmark = pytest.mark.long
PAGE = Path(__file__).parents[2] / "docs" / "extra" / "greedy-or-optimal.html"
RUN = """([words, k]) => {
  const problem = problemOf(words);
  const steps = greedy(problem, k);
  const taken = steps.at(-1).taken.map(({ token }) => token);
  const best = finish(optimum(problem, k, taken));
  const gains = steps.slice(0, -1).map(({ gains }) => gains[0].gain);
  const count = (tokens) => needed(problem, tokens);
  return { taken, gains, needed: count(taken), best, again: count(best.tokens) };
}"""
EXAMPLE = "cover 2\nevery 3\nlove 3\nlover 1\nrecover 1\nvery 2"


@pytest.fixture(scope="module")
def algorithms(chromium):
    """The page, of which only the functions are called."""
    page = chromium.new_page()
    page.goto(PAGE.as_uri())
    return page


words_st = st.dictionaries(
    st.text("ab", min_size=1, max_size=7)
    | st.text("abc", min_size=1, max_size=6)
    | st.text("aé\uffff😀", min_size=1, max_size=5)
    | st.sampled_from(["aaaaaaaa", "ababab", "station", "rational", "lover", "constructor"]),
    st.integers(1, 9),
    min_size=1,
    max_size=5,
)


@tries(200)
@example(counts={"a😀": 1, "a\uffff": 1}, k=1)  # in UTF-16 the other one is the last
@example(counts={"abbb": 3, "bbbb": 2, "db": 1}, k=2)  # nothing more may be left out
@given(counts=words_st, k=st.integers(1, 4))
def test_it_chooses_and_counts_as_partcover_does(algorithms, counts, k):
    instance = Instance(WordCounts.from_counts(counts, symbols="chars"), k)
    expected, best = greedtok(instance), solve(instance)
    found = algorithms.evaluate(RUN, [list(counts.items()), k])
    assert expected.vocabulary is not None
    assert found["taken"] == list(expected.vocabulary.tokens)
    assert found["gains"] == list(expected.gains)
    assert found["needed"] == expected.extra["tokens_shortest_path"]
    assert best.status == "optimal"
    assert found["best"]["proven"]
    assert found["best"]["needed"] == found["again"] == best.tokens
    assert len(found["best"]["tokens"]) <= k
    vocabulary = Vocabulary(found["best"]["tokens"], symbols="chars")
    assert segment(instance.words, vocabulary, "shortest_path").tokens == best.tokens


def test_a_search_that_is_stopped_proves_nothing(algorithms):
    words = [[f"{'ab' * n}{'ba' * (10 - n)}", n] for n in range(1, 10)]
    call = "([words, k]) => finish(optimum(problemOf(words), k, [], 100_000))"
    found = algorithms.evaluate(call, [words, 5])
    assert not found["proven"]
    assert len(found["tokens"]) <= 5


def test_greedy_is_stepped_through_beside_the_optimum(open_page):
    page = open_page(PAGE)
    page.wait_for_selector("#best-tokens.best")
    assert page.input_value("#words") == EXAMPLE
    assert page.inner_text("#best-tokens") == "28"
    assert "No 2 tokens need fewer" in page.inner_text("#best-state")
    assert page.inner_text("#greedy-tokens") == "57"
    assert page.locator("#candidates tr.taken").inner_text().split() == ["ver", "18"]
    page.get_by_role("button", name="Next").click()
    assert page.inner_text("#greedy-tokens") == "39"
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#greedy-tokens") == "29"
    assert "30 in the order of GreedTok" in page.inner_text("#greedy-state")
    assert page.get_by_role("button", name="Next").is_disabled()
    why = page.inner_text("#why")
    for text in ("GreedTok needs 29 tokens, and 28 are enough", "18 + 12 = 30", "15 + 14 = 29"):
        assert text in why


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("", "Type a word and its count."),
        ("hat two", "Line 1: expected a word and a count from 1 to 999,999."),
        ("hat 0", "Line 1: expected a word and a count"),
        ("hat 2\n\ncat 2 3", "Line 3: expected a word and a count"),
        ("a" * 21, "Line 1: the word has more than 20 characters."),
        ("\n".join(f"w{n}" for n in range(13)), "There are 13 words"),
    ],
)
def test_what_it_does_not_take(open_page, typed, message):
    page = open_page(PAGE)
    page.fill("#words", typed)
    assert message in page.inner_text("#trouble")
    assert page.inner_text("#greedy-words") == page.inner_text("#why") == ""
    page.fill("#words", "hat 2")
    page.wait_for_selector("#best-tokens.best")
    assert page.inner_text("#trouble") == ""
    page.fill("#k", "7")
    assert "k has to be a whole number from 1 to 6" in page.inner_text("#trouble")


def test_hostile_words_are_text(open_page):
    page = open_page(PAGE)
    page.fill("#words", "<b>x</b> 3\n<img/src=x> 2\na\u202eb 4\n__proto__ 2\n&lt; 1")
    page.wait_for_selector("#best-tokens.best")
    for _ in range(2):
        page.click("#next")
    assert page.locator("main :is(img, b)").count() == 0
    assert "\u202e" not in page.inner_text("#greedy-words")
    assert "\\u{202E}" in page.inner_text("#greedy-words")
    assert page.locator("#greedy-words .word").count() == 5


def test_the_largest_instance_ends(open_page):
    """Twelve words over two letters: too much for the search, which says so."""
    page = open_page(PAGE)
    letters = f"{0xB5A3C96F0D2E4817A65B3:084b}" * 3
    rows = [letters[20 * n : 20 * n + 20].replace("0", "a").replace("1", "b") for n in range(12)]
    page.fill("#words", "\n".join(rows))
    page.fill("#k", "6")
    page.get_by_text("too large for this page").wait_for()
    assert page.inner_text("#best-tokens").replace(",", "").isdigit()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_clipped_and_all_can_be_read(open_page, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = open_page(PAGE, width=width, scheme=scheme)
    page.wait_for_selector("#best-tokens.best")
    page.eval_on_selector_all("details", "all => all.forEach((e) => { e.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    found = axe.Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
