"""Pictures of reductions: written, labelled, the same every time."""

from __future__ import annotations

import pytest

from partcover import InputError, reduce_vertex_cover
from partcover.hardness.cnf import Formula
from partcover.hardness.reduction import reduce_max_2_sat, reduce_max_2_sat_bottom_up
from partcover.report.reduction_figure import draw_reduction

nx = pytest.importorskip("networkx")

GRAPH = nx.Graph([("north", "east"), ("east", "south"), ("west", "$f_a$")])
FORMULA = Formula(["p", "q"], [(1, 2), (-1, 2), (-2,)])
CASES = {
    "cover": (
        reduce_vertex_cover(GRAPH, 2),
        ["east", "west"],
        ["north", "$f_a$", "@", "2 vertices: a vertex cover", "9 tokens ≤ 9"],
    ),
    "no-cover": (
        reduce_vertex_cover(GRAPH, 2),
        ["east"],
        ["1 vertex: no vertex cover", "11 tokens &gt; 9"],
    ),
    "direct": (
        reduce_max_2_sat(FORMULA, 2),
        [True, True],
        ["p ∨ q", "¬p ∨ q", "⊚", "2 of 3 clauses satisfied", "true: p  q", "×13"],
    ),
    "bottom-up": (
        reduce_max_2_sat_bottom_up(FORMULA, 2),
        [False, True],
        ["¬q ∨ ¬q", "a′p", "b′q", "2 of 3 clauses satisfied", "true: ¬p  q"],
    ),
}


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:The global interpreter lock")  # by what writes PDF
@pytest.mark.parametrize("name", CASES)
def test_labels_and_bytes(name, tmp_path):
    reduction, certificate, labels = CASES[name]
    answer = reduction.witness(certificate)
    draw_reduction(reduction, answer, tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text("utf-8")
    for label in labels:
        assert f">{label}<" in text
    assert "#e69f00" in text, "something is chosen"
    for form in ("svg", "png", "pdf"):
        for copy in ("b", "c"):
            draw_reduction(reduction, answer, tmp_path / f"{copy}.{form}")
        first = (tmp_path / f"b.{form}").read_bytes()
        assert first == (tmp_path / f"c.{form}").read_bytes()
    assert text == (tmp_path / "b.svg").read_text("utf-8")


def test_what_is_too_large_or_misnamed(tmp_path):
    large = reduce_vertex_cover(nx.path_graph(41), 20)
    dense = reduce_vertex_cover(nx.complete_graph(17), 16)
    size = reduce_max_2_sat(Formula([str(j) for j in range(41)], [(1,)]), 1)
    for reduction, certificate, message in [
        (large, [1], "41 vertices and 40 words are too many to draw: the limits are"),
        (dense, [1], "17 vertices and 136 words are too many"),
        (size, [True] * 41, "41 variables"),
    ]:
        with pytest.raises(InputError, match=message):
            draw_reduction(reduction, reduction.witness(certificate), tmp_path / "a.svg")
    reduction, certificate, _ = CASES["cover"]
    answer = reduction.witness(certificate)
    with pytest.raises(
        InputError, match=r"a\.doc: the file of a picture must end in \.png, \.svg or \.pdf"
    ):
        draw_reduction(reduction, answer, tmp_path / "a.doc")
    assert not list(tmp_path.iterdir())


def test_what_is_no_reduction_or_answer_is_refused_in_one_line(tmp_path):
    reduction, certificate, _ = CASES["cover"]
    answer = reduction.witness(certificate)
    for other in (None, 7, "x", GRAPH, reduction.instance):
        with pytest.raises(InputError, match=r"reduction is .*: it must be a Reduction"):
            draw_reduction(other, answer, tmp_path / "a.svg")
        with pytest.raises(InputError, match=r"answer is .*: it must be a Vocabulary or a Merges"):
            draw_reduction(reduction, other, tmp_path / "a.svg")
