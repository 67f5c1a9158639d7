"""What public functions are given by mistake is refused in one line of an InputError, or taken."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import partcover
from partcover import (
    Certificate,
    Corpora,
    Encoder,
    GroupBudget,
    HeadAndTail,
    InputError,
    Instance,
    MergeCondition,
    PartcoverError,
    Solution,
    Vocabulary,
    WordCounts,
    audit_tokenizer,
    check_certificate,
    compare,
    decide,
    extend,
    extension_instances,
    greedtok,
    greedwmc,
    improve,
    lower_bound,
    prune,
    reference_counts,
    relax,
    round_relaxation,
    score_vocabulary,
    segment,
    smallest,
    solve,
    split_gap,
    trainers,
    verify,
)
from partcover.bounds.price_report import price_report
from partcover.instances.families import generate
from partcover.instances.library import entry
from partcover.instances.records import Record, record
from partcover.instances.submissions import judge
from partcover.report.gap_bars import plot_gaps
from partcover.report.html_page import write_page
from partcover.report.plots import (
    plot_difference,
    plot_events,
    plot_lines,
    plot_ratios,
    plot_rows,
)
from partcover.report.runs import Runs, read_runs
from partcover.studies.audited_text import words_of_files
from partcover.studies.bits_per_byte import measure_texts
from partcover.studies.claims import check_claim
from partcover.studies.formulations import formulations, printed_differs, smallest_difference
from partcover.studies.methods import Runner
from partcover.studies.paper_tables import Study, manifest, reproduce
from partcover.studies.ratios import ratios
from partcover.studies.targets import budgets_for

WORDS = WordCounts.from_words(["pearl", "the", "red", "heart"])
INSTANCE = Instance(WORDS, k=2)
SOLUTION = greedtok(INSTANCE)
TOKENS = SOLUTION.vocabulary
BOUND = lower_bound(INSTANCE, iterations=3)
EXTENDED = extend(TOKENS, WORDS, 1).vocabulary
SEVERAL = Instance(Corpora([WORDS, WORDS.weighted({"the": 3})], [9, 7]), 2)
SEVERAL_PROOF = lower_bound(SEVERAL).certificate
HEAD = Instance(HeadAndTail.of(WORDS, 1), 2)
HEAD_PROOF = lower_bound(HEAD, iterations=3).certificate
RECORD = record("emma")
CLOSED = replace(INSTANCE, merges=MergeCondition())
ENCODER = Encoder(TOKENS, "gpt2")

MISTAKES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "digits": lambda: "10",
    "empty text": str,
    "surrogate": lambda: "\ud800",
    "NUL": lambda: "a\0b",
    "bytes": lambda: b"ab\xff",
    "fraction": lambda: 2.5,
    "nan": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "True": lambda: True,
    "negative": lambda: -1,
    "NumPy's integer": lambda: np.int64(3),
    "NumPy's float": lambda: np.float64(1.5),
    "NumPy's bool": lambda: np.bool_(True),
    "complex": lambda: 1j,
    "generator": lambda: (part for part in "a"),
    "nested": lambda: [[1, [2]], ["a"]],
    "integers": lambda: [1, 2],
    "tuple": lambda: (1,),
    "set": lambda: {1},
    "mapping": lambda: {"a": 1},
    "array": lambda: np.arange(3),
    "matrix": lambda: np.zeros((2, 2)),
    "object": object,
    "class": lambda: list,
    "counts": lambda: WORDS,
    "instance": lambda: INSTANCE,
    "solution": lambda: SOLUTION,
    "vocabulary": lambda: TOKENS,
}
# not for what says how much work to do
HUGE = 10**30
BIG = {"huge": lambda: HUGE, "beyond floats": lambda: 10**400, "2^31": lambda: 2**31}
WORK = {"order", "em_rounds", "atoms", "passes", "seed_size", "initial_size", "iterations"}
# what is called later, by whom that may be
LEFT_OUT = {"progress", "log", "memory", "pretokenizer"}


def ids(**options):
    return list(ENCODER.encode_each(**options))


def solution_of(instance, vocabulary, tokens, seconds):
    return Solution.of(instance, vocabulary, tokens, seconds=seconds)


CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "WordCounts": (
        WordCounts,
        {"data": np.frombuffer(b"abc", np.uint8), "offsets": [0, 2, 3], "counts": [1, 2]},
    ),
    "from_counts": (WordCounts.from_counts, {"counts": {"a": 1}}),
    "from_words": (WordCounts.from_words, {"words": ["a"]}),
    "from_texts": (WordCounts.from_texts, {"texts": ["a b"]}),
    "WordCounts.load": (WordCounts.load, {"path": "nowhere.tsv"}),
    "most_frequent": (WORDS.most_frequent, {"n": 2}),
    "word": (WORDS.word, {"index": 0}),
    "weighted": (WORDS.weighted, {"weights": {"the": 2}}),
    "with_suffix": (WORDS.with_suffix, {"mark": "_"}),
    "split_at": (WORDS.split_at, {"tokens": ["he"]}),
    "Instance": (Instance, {"corpus": WORDS, "k": 2}),
    "Instance.load": (Instance.load, {"path": "nowhere.json"}),
    "Instance.from_json": (Instance.from_json, {"data": INSTANCE.to_json()}),
    "with_k": (INSTANCE.with_k, {"k": 2}),
    "weighted without corpora": (INSTANCE.weighted, {"weights": [1]}),
    "candidate_index": (INSTANCE.candidate_index, {"dominated": True}),
    "promising_index": (replace(INSTANCE).promising_index, {}),
    "Bound.tokens": (BOUND.tokens, {"numbers": BOUND.proven_in}),
    "Solution.of": (
        solution_of,
        {"instance": INSTANCE, "vocabulary": TOKENS, "tokens": 9, "seconds": 1.0},
    ),
    "solution_of": (
        trainers.solution_of,
        {"instance": INSTANCE, "vocabulary": TOKENS, "seconds": 1.0},
    ),
    "Certificate": (
        Certificate,
        {
            **dict.fromkeys(("words_sha256", "policy_sha256"), "0"),
            "symbols": "bytes",
            "k": 1,
            "lower_bound": 1,
            "tree": BOUND.certificate.tree,
        },
    ),
    "Certificate.of": (
        Certificate.of,
        {"instance": INSTANCE, "tree": BOUND.certificate.tree, "lower_bound": 2},
    ),
    "Certificate.from_json": (Certificate.from_json, {"data": BOUND.certificate.to_json()}),
    "MergeCondition.of": (MergeCondition.of, {"vocabulary": TOKENS}),
    "Corpora": (
        Corpora,
        {"parts": [WORDS, WORDS], "references": [1, 2], "names": ["a", "b"]},
    ),
    "weighted by corpus": (SEVERAL.weighted, {"weights": [1, 2]}),
    "reference_counts": (reference_counts, {"corpora": [WORDS], "how": "own", "k": 2}),
    "greedtok of corpora": (greedtok, {"instance": SEVERAL}),
    "lower_bound of corpora": (lower_bound, {"instance": SEVERAL, "time_limit": 0}),
    "improve of corpora": (improve, {"instance": SEVERAL, "time_limit": 0}),
    "solve of corpora": (solve, {"instance": SEVERAL}),
    "extension_instances": (extension_instances, {"vocabulary": EXTENDED, "words": WORDS}),
    "verify of corpora": (verify, {"instance": SEVERAL, "vocabulary": TOKENS}),
    "check_certificate of corpora": (
        check_certificate,
        {"instance": SEVERAL, "certificate": SEVERAL_PROOF},
    ),
    "lower_bound by a head": (lower_bound, {"instance": HEAD, "iterations": 1}),
    "improve by a head": (improve, {"instance": HEAD, "time_limit": 0}),
    "check_certificate of a head": (
        check_certificate,
        {"instance": HEAD, "certificate": HEAD_PROOF},
    ),
    "HeadAndTail": (HeadAndTail, {"parts": HEAD.corpus._shards, "n": 1}),
    "HeadAndTail.joined": (
        HeadAndTail.joined,
        {"parts": [HEAD.corpus], "weights": [1], "head": WORDS},
    ),
    "all_weighted without tails": (SEVERAL.corpora.all_weighted, {"weights": [1, 2]}),
    "enough": (SEVERAL.corpora.enough, {"largest": Fraction(3), "weights": [1, 2]}),
    "HeadAndTail.of": (HeadAndTail.of, {"words": WORDS, "n": 1}),
    "HeadAndTail.load": (HeadAndTail.load, {"path": "nowhere.tsv", "n": 1}),
    "MergeCondition": (MergeCondition, {"pairs": None}),
    "GroupBudget": (GroupBudget, {"name": "g", "limit": 2}),
    "Vocabulary": (Vocabulary, {"tokens": ["he"]}),
    "Vocabulary.load": (Vocabulary.load, {"path": "nowhere.json"}),
    "Vocabulary.from_json": (Vocabulary.from_json, {"data": TOKENS.to_json()}),
    "Certificate.load": (Certificate.load, {"path": "nowhere.cert"}),
    "Encoder": (Encoder, {"vocabulary": TOKENS, "pretokenizer": "gpt2"}),
    "encode": (ENCODER.encode, {"text": "the red"}),
    "encode_to_numpy": (ENCODER.encode_to_numpy, {"text": "the red"}),
    "encode_batch": (ENCODER.encode_batch, {"texts": ["the red"]}),
    "encode_batch_padded": (ENCODER.encode_batch_padded, {"texts": ["the red"], "pad": 0}),
    "count_files": (ENCODER.count_files, {"paths": "nowhere.txt"}),
    "encode_files": (ENCODER.encode_files, {"paths": "nowhere.txt", "out": "ids.npy"}),
    "encode_each": (ids, {"texts": ["the red"], "special": "text", "threads": 1}),
    "encode_with_offsets": (ENCODER.encode_with_offsets, {"text": "the red"}),
    "sampling": (ENCODER.sampling, {"seed": 1, "alpha": 1.0}),
    "decode": (ENCODER.decode, {"ids": [97]}),
    "decode_bytes": (ENCODER.decode_bytes, {"ids": [97]}),
    "score_vocabulary": (
        score_vocabulary,
        {"vocabulary": TOKENS, "corpora": {"a": WORDS}, "time_limit": 0},
    ),
    "greedtok": (greedtok, {"instance": INSTANCE}),
    "greedwmc": (greedwmc, {"instance": INSTANCE}),
    "certified_ratio": (partcover.certified_ratio, {"cover": 1, "relaxed_cover": 2}),
    "solve": (solve, {"instance": INSTANCE}),
    "decide": (decide, {"instance": INSTANCE, "threshold": 9}),
    "smallest": (smallest, {"instance": INSTANCE, "threshold": 9}),
    "relax": (relax, {"instance": INSTANCE}),
    "improve": (improve, {"instance": INSTANCE}),
    "round_relaxation": (round_relaxation, {"instance": INSTANCE, "x": BOUND.x}),
    "lower_bound": (lower_bound, {"instance": INSTANCE, "iterations": 2}),
    "segment": (segment, {"words": WORDS, "vocabulary": TOKENS}),
    "verify": (verify, {"instance": INSTANCE, "vocabulary": TOKENS}),
    "split_gap": (
        split_gap,
        {"instance": INSTANCE, "vocabulary": TOKENS, "lower_bound": 4, "rule": "priority"},
    ),
    "check_certificate": (
        check_certificate,
        {"instance": INSTANCE, "certificate": BOUND.certificate},
    ),
    "export": (
        partcover.export,
        {"vocabulary": TOKENS.with_(pretokenizer="gpt2"), "path": "tokens.txt", "format": "list"},
    ),
    "compare": (compare, {"instance": INSTANCE, "budgets": [1]}),
    "audit_tokenizer": (
        audit_tokenizer,
        {"vocabulary": TOKENS, "words": WORDS, "time_limit": 1},
    ),
    "extend": (extend, {"base": TOKENS, "words": WORDS, "m": 1, "time_limit": 1}),
    "prune": (prune, {"base": TOKENS, "words": WORDS, "k": 1, "time_limit": 1}),
    "reduce_vertex_cover": (partcover.reduce_vertex_cover, {"graph": [("a", "b")], "k": 1}),
    "check_claim": (
        check_claim,
        {"instance": INSTANCE, "baseline": 9, "claimed": 8, "time_limit": 1},
    ),
    "ratios": (ratios, {"instance": INSTANCE, "budgets": [1]}),
    "reproduce": (reproduce, {"name": "d", "study": Study(Runner(INSTANCE), [1])}),
    "formulations": (
        formulations,
        {"instance": INSTANCE, "names": ["path"], "solvers": ["highs"], "time_limit": 1},
    ),
    "printed_differs": (printed_differs, {"rows": []}),
    "smallest_difference": (smallest_difference, {"instance": INSTANCE, "time_limit": 1}),
    "budgets_for": (
        budgets_for,
        {
            "runner": Runner(INSTANCE),
            "answers": Runner(INSTANCE).answers("bytes", [1]),
            "rules": ["shortest_path"],
            "targets": [2.5],
        },
    ),
    "measure_texts": (
        measure_texts,
        {
            "vocabulary": Vocabulary(["he"], pretokenizer="gpt2"),
            "train": ["the the"],
            "texts": [["the"]],
            "order": 2,
            "context_bytes": 4,
        },
    ),
    "words_of_files": (words_of_files, {"vocabulary": TOKENS, "paths": ["nowhere.txt"]}),
    "price_report": (
        price_report,
        {"instance": INSTANCE, "certificate": BOUND.certificate, "words": [b"the"]},
    ),
    "Study": (Study, {"runner": Runner(INSTANCE), "budgets": [1]}),
    "manifest": (
        manifest,
        {"name": "d", "study": Study(Runner(INSTANCE), [1]), "command": "", "corpus": ""},
    ),
    "generate": (generate, {"name": "cycle", "size": 5}),
    "entry": (entry, {"name": "cycle-7"}),
    "record": (record, {"name": "emma"}),
    **{
        f"Record.{call.__name__}": (call, right)
        for call, right in (
            (RECORD.row, {"k": 64}),
            (RECORD.with_row, {"row": RECORD.rows[0]}),
            (RECORD.require, {"words": WORDS}),
            (RECORD.save, {"path": "record.json"}),
            (RECORD.start, {"k": 64}),
            (Record.load, {"path": "nowhere.json", "name": "emma"}),
        )
    },
    "judge": (judge, {"record": RECORD, "words": WORDS, "k": 64}),
    "plot_rows": (plot_rows, {"rows": [], "path": "a.svg"}),
    "plot_ratios": (plot_ratios, {"rows": [], "path": "a.svg"}),
    "plot_events": (plot_events, {"events": [], "path": "a.svg"}),
    "plot_gaps": (plot_gaps, {"rows": [{"k": 2, "gap": 0.1}], "path": "a.svg"}),
    "plot_lines": (
        plot_lines,
        {"lines": {("bpe", ""): [(1, 2.0)]}, "path": "a.svg", "across": "k", "up": "tokens"},
    ),
    "plot_difference": (
        plot_difference,
        {
            "difference": {"shared": 1, "only_here": [], "only_there": []},
            "path": "a.svg",
            "names": ["a", "b"],
        },
    ),
    "read_runs": (read_runs, {"paths": ["nowhere.json"]}),
    "write_page": (write_page, {"runs": Runs(), "path": "page.html"}),
    **{
        name: (getattr(trainers, name), {"instance": INSTANCE})
        for name in ("bpe", "wordpiece", "unigram", "pathpiece", "greedyphrase", "randtrain")
    },
}


@pytest.mark.long
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("error")
def test_mistakes_are_refused_in_one_line_or_taken(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call, right = CALLS[name]
    parameters = right if call is ids else inspect.signature(call).parameters
    wrong = []
    for parameter in [name for name in parameters if name not in LEFT_OUT]:
        mistakes = {**MISTAKES, **BIG} if parameter not in WORK else MISTAKES
        for mistake, make in mistakes.items():
            try:
                call(**{**right, parameter: make()})
            except PartcoverError as error:
                if "\n" in str(error) or not 10 < len(str(error)) < 330:
                    wrong.append((parameter, mistake, str(error)))
            except Exception as error:
                wrong.append((parameter, mistake, repr(error)))
    assert wrong == []


@pytest.mark.parametrize(
    "options",
    [
        {"k": HUGE},
        {"k": 2**31 - 1},
        {"max_length": HUGE},
        {"max_length": 2**63 - 1},
        {"min_count": HUGE},
        {"min_count": 2**63 - 1},
        {"threshold": HUGE},
        {"threshold": -HUGE},
        {"groups": HUGE},
        {"groups": 2**63 - 1},
    ],
    ids=str,
)
@pytest.mark.parametrize("method", [greedtok, improve, solve, lower_bound, trainers.bpe])
def test_numbers_beyond_the_kernels_are_refused_or_taken(options, method):
    def made(groups=None, **options):
        if groups is not None:
            options["groups"] = [GroupBudget("g", groups, None, 2, groups)]
        return Instance(WORDS, **{"k": 2, **options})

    if HUGE in map(abs, options.values()):
        with pytest.raises(InputError, match=r"whole number from|does not support"):
            method(made(**options))
        return
    with contextlib.suppress(PartcoverError):  # BPE supports no groups
        assert method(made(**options)).lower_bound != 0


def test_the_public_names_are_called():
    """A new public function or class has to find its place here, or say why it has none."""
    known = {name.partition(".")[0] for name in CALLS}
    results = {"Bound", "Event", "EventLog", "Progress", "Solution"}
    elsewhere = {"reduce_max_2_sat"}
    public = {
        name
        for name in partcover.__all__
        if callable(getattr(partcover, name)) and not name.endswith("Error")
    }
    assert {"solve", "Instance"} <= public
    assert public - known <= results | elsewhere
    assert len(partcover.__all__) <= 45


# what calls have in common stands in this order, wherever it is
IN_ORDER = [
    "solver",
    "formulation",
    "sense",
    "incumbent",
    "warm_start",
    "start_certificate",
    "gap",
    "iterations",
    "time_limit",
    "seed",
    "threads",
    "log",
    "progress",
    "checkpoint",
]


@pytest.mark.parametrize("name", partcover.__all__)
def test_options_have_one_name_and_one_order(name):
    called = getattr(partcover, name)
    if not inspect.isfunction(called):
        return
    options = [
        parameter.name
        for parameter in inspect.signature(called).parameters.values()
        if parameter.kind == parameter.KEYWORD_ONLY
    ]
    known = [option for option in options if option in IN_ORDER]
    assert known == sorted(known, key=IN_ORDER.index)
