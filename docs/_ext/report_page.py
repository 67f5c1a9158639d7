"""Makes the example of a report page when the site is built."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import partcover
from partcover import EventLog, Instance, WordCounts, compare, improve

if TYPE_CHECKING:
    from sphinx.application import Sphinx

NAME = "example-report.html"


def setup(app: Sphinx) -> dict[str, Any]:
    """Registers the extension, and how large the example is."""
    app.add_config_value("example_report_words", 10_000, "")
    app.add_config_value("example_report_k", 500, "")
    app.connect("build-finished", make_example)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def make_example(app: Sphinx, error: Exception | None) -> None:
    """Writes the page beside those of the site, unless it is newer than what makes it."""
    page = Path(app.outdir, NAME)
    sources = Path(partcover.__file__).parent.joinpath("report").rglob("*")
    newest = max(path.stat().st_mtime for path in sources if path.is_file())
    if error or app.builder.format != "html" or (page.exists() and page.stat().st_mtime > newest):
        return
    from pydoc_data.topics import topics

    from partcover.report.html_page import write_page
    from partcover.report.runs import read_runs

    k = app.config.example_report_k
    words = WordCounts.from_texts(topics.values(), pretokenizer="gpt2")
    words = words.most_frequent(app.config.example_report_words)
    instance = Instance(words, k)
    methods = ["greedtok", "bpe", "unigram"]
    comparison = compare(instance, [k // 4, k // 2, k], methods, ["own"], bound=2)
    search = EventLog()
    improved = improve(instance, time_limit=6, progress=search)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words.save(folder / "python-reference.tsv")
        improved.certificate.save(folder / "proof.cert")
        improved.vocabulary.save(folder / "improved.json")
        lines = (json.dumps(event.to_json()) for event in search.events)
        (folder / "search.jsonl").write_text("\n".join(lines), "utf-8")
        about = {"corpus_sha256": words.digest, "policy": instance.policy}
        rows = json.dumps({**about, "rows": comparison.rows})
        (folder / "comparison.json").write_text(rows, "utf-8")
        for answer in comparison.answers:
            if answer.k == k and answer.vocabulary is not None:
                answer.vocabulary.save(folder / f"{answer.method}.json")
        files = sorted(path for path in folder.iterdir())
        write_page(read_runs(files), page, title=f"The Python reference, in {k} tokens")
