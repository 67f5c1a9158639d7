"""Makes the tables and figures of the papers again, from any corpus."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from .._version import __version__
from ..errors import InputError, MissingExtra
from ..runtime.arguments import Budget, checked, closest
from .compare import tabulate
from .methods import Answer, Runner, rules_of
from .targets import budgets_for

GREEDTOK = 'Lim, Choo and Lauw 2025, "A partition cover approach to tokenization"'
PATHPIECE = 'Schmidt et al. 2024, "Tokenization Is More Than Compression"'
GREEDYPHRASE = "GreedyPhrase, its authors' README"

# the UN General Debate counts of the GreedTok paper, by `WordCounts.digest`
UN = "6cf7d58f1c0e16ae6baaada4b658ae84640ac8a9c2bb7cd06bff20ddba666ad0"
# figures as printed: by corpus, then by experiment, method and k
PUBLISHED: dict[str, dict[tuple[str, str, int], str]] = {
    UN: {
        ("tokens-per-word", method, 1000 * (place + 1)): figure
        for method, figures in (
            ("greedtok", ("1.607", "1.374", "1.268", "1.205", "1.163")),
            ("bpe", ("1.688", "1.431", "1.311", "1.241", "1.194")),
            ("unigram", ("1.655", "1.385", "1.261", "1.193", "1.148")),
        )
        for place, figure in enumerate(figures)
    }
}


class Study:
    """Runs methods once each, for all experiments over the same budgets.

    Parameters
    ----------
    runner : Runner
        The runner of the methods.
    budgets : sequence of int
        The budgets of each method.

    Attributes
    ----------
    left_out : dict of str to str
        Methods that cannot run here, and why.
    """

    @checked
    def __init__(self, runner: Runner, budgets: Sequence[Budget]) -> None:
        if not budgets:
            raise InputError("there is no k to make a table for: give at least one")
        self.runner = runner
        self.budgets = sorted(set(budgets))
        self.left_out: dict[str, str] = {}
        self._answers: dict[str, list[Answer]] = {}

    def answers(self, *methods: str) -> list[Answer]:
        """Returns the answers of methods, each for all budgets.

        Raises
        ------
        KeyboardInterrupt
            If a run was interrupted, since a table without some rows is no reproduction.
        """
        for method in methods:
            if method not in self._answers:
                answers = self.runner.answers(method, self.budgets)
                if answers[-1].termination == "interrupted":
                    raise KeyboardInterrupt
                remarks = [a.remark for a in answers if a.remark is not None]
                if len(remarks) == len(answers):
                    raise InputError(remarks[0])
                self._answers[method] = answers
        return [answer for method in methods for answer in self._answers[method]]

    def limited(self, methods: Sequence[str]) -> list[str]:
        """Returns the methods of which the time limit stopped a run."""
        return [
            method
            for method in methods
            if any(a.termination == "time_limit" for a in self._answers.get(method, ()))
        ]

    def able(self, methods: Sequence[str]) -> list[str]:
        """Returns the methods that run here: with their library, and on this instance."""
        able = []
        for method in methods:
            try:
                self.answers(method)
                able.append(method)
            except (InputError, MissingExtra) as error:
                self.left_out[method] = str(error)
        if not able:
            raise InputError(self.left_out[methods[0]])
        return able

    def rows(self, methods: Sequence[str], rules: Sequence[str] = ("own",)) -> list[dict[str, Any]]:
        """Returns the rows of a comparison."""
        return tabulate(self.runner, self.answers(*methods), rules)[0]

    def sets(
        self, methods: Sequence[str], key: str, *, unigram_objective: bool = False
    ) -> list[dict[str, Any]]:
        """Returns the set measures of a comparison: ``vocabularies`` or ``overlap``."""
        answers = self.answers(*methods)
        return tabulate(self.runner, answers, ["own"], unigram_objective=unigram_objective)[1][key]


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper.

    Attributes
    ----------
    paper : str
        The paper.
    about : str
        What the table shows, in one line.
    budgets : tuple of int
        The budgets of the paper, or smaller ones where those take too long.
    methods : tuple of str
        The methods that run.
    make : callable
        ``make(study, methods)`` returns the rows.
    columns : mapping of str to str
        The keys of the rows and their headings.
    line : tuple of str
        Keys of the rows for the figure: one or two that name a line, and the last for its height.
    up : str
        The label of the vertical axis.
    note : str
        What a reader must know.
    """

    paper: str
    about: str
    budgets: tuple[int, ...]
    methods: tuple[str, ...]
    make: Callable[[Study, Sequence[str]], list[dict[str, Any]]]
    columns: Mapping[str, str]
    line: tuple[str, ...]
    up: str
    note: str = ""

    @property
    def across(self) -> str:
        """The key of the horizontal axis of the figure."""
        return "target_k" if "target_k" in self.columns else "k"

    @property
    def across_label(self) -> str:
        """The label of the horizontal axis."""
        return "BPE's k" if self.across == "target_k" else "k, tokens in the vocabulary"

    def lines(
        self, rows: Sequence[Mapping[str, Any]]
    ) -> dict[tuple[str, str], list[tuple[float, float]]]:
        """Returns the lines of the figure, over k."""
        *names, up = self.line
        lines: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for row in rows:
            if row.get(up) is not None:
                name, kind = (*(str(row[key]).replace("_", " ") for key in names), "")[:2]
                lines.setdefault((name, kind), []).append((row[self.across], row[up]))
        return lines


def _tokens_per_word(study: Study, methods: Sequence[str]) -> list[dict[str, Any]]:
    """Returns rows under each method's own rule and the shortest path."""
    return study.rows(methods, ["own", "shortest_path"])


def _k_for_targets(study: Study, methods: Sequence[str]) -> list[dict[str, Any]]:
    """Returns the k that reaches BPE's tokens per word, for each k of BPE."""
    of_k = {row["k"]: row["tokens_per_word"] for row in study.rows(["bpe"])}
    rows = []
    for method in methods:
        answers = study.answers(method)
        needed = budgets_for(
            study.runner, answers, rules_of(answers[0], ["own"]), list(of_k.values())
        )
        if any(row["termination"] == "interrupted" for row in needed):
            raise KeyboardInterrupt
        for k, row in zip(of_k, needed, strict=True):
            share = None if row["k"] is None or not k else 1 - row["k"] / k
            rows.append({**row, "target_k": k, "saved_share": share})
    return sorted(rows, key=lambda row: row["target_k"])


def _overlap(study: Study, methods: Sequence[str]) -> list[dict[str, Any]]:
    """Returns pairs of token sets and what they share."""
    rows = study.sets(methods, "overlap")
    return [
        {
            **row,
            "pair": f"{row['first']} & {row['second']}",
            "different_share": None if shared is None else 1 - shared,
            "common_share": shared,
        }
        for row in rows
        for shared in (row["shared"] / row["first_size"] if row["first_size"] else None,)
    ]


def _ratio(study: Study, methods: Sequence[str]) -> list[dict[str, Any]]:
    """Returns the rows with d and the certified ratio."""
    return [row for row in study.rows(methods) if "d" in row]


def _vocabularies(study: Study, methods: Sequence[str]) -> list[dict[str, Any]]:
    """Returns measures of token sets."""
    return study.sets(methods, "vocabularies")


def _objective(study: Study, methods: Sequence[str]) -> list[dict[str, Any]]:
    """Returns the likelihood of token sets, by word."""
    rows = study.sets(methods, "vocabularies", unigram_objective=True)
    words = max(1, study.runner.instance.words.total_count)
    return [{**row, "nats_per_word": -row["unigram_objective"] / words} for row in rows]


def _grid(study: Study, methods: Sequence[str]) -> list[dict[str, Any]]:
    """Returns rows under every rule, of the methods that run here."""
    methods = study.able(methods)
    rows = study.rows(methods, ["own", "merges", "longest_match", "likelihood", "shortest_path"])
    return [row for row in rows if row["tokens"] is not None]


def _compression(study: Study, methods: Sequence[str]) -> list[dict[str, Any]]:
    """Returns rows under each method's own rule."""
    return study.rows(methods)


_K = (1000, 2000, 3000, 4000, 5000)
_TRIO = ("greedtok", "bpe", "unigram")
_ROW = {"method": "method", "rule": "rule", "k": "k"}
_PAIR = {"first": "first", "second": "second", "k": "k"}

EXPERIMENTS: dict[str, Experiment] = {
    "tokens-per-word": Experiment(
        GREEDTOK,
        "Tokens per word of GreedTok, BPE and Unigram, over k.",
        _K,
        _TRIO,
        _tokens_per_word,
        {
            **_ROW,
            "tokens": "tokens",
            "tokens_per_word": "tokens per word",
            "paper": "paper",
            "agrees": "agrees",
            "seconds": "seconds",
        },
        ("method", "rule", "tokens_per_word"),
        "tokens per word",
        "The paper column has the published value for each method's own rule. It agrees if the "
        "value here rounds to it. No Unigram trainer that was tried gives the published values.",
    ),
    "k-for-targets": Experiment(
        GREEDTOK,
        "The smallest k at which GreedTok reaches BPE's tokens per word.",
        _K,
        ("greedtok", "bpe"),
        _k_for_targets,
        {
            "target_k": "BPE's k",
            "target": "BPE's tokens per word",
            "method": "method",
            "rule": "rule",
            "k": "k needed",
            "saved_share": "reduction of k",
            "exact": "proven smallest",
        },
        ("method", "k"),
        "k needed",
    ),
    "order-divergence": Experiment(
        GREEDTOK,
        "Differences in the order in which GreedTok and BPE choose tokens.",
        (10, 50, 100, 500, *_K),
        ("greedtok", "bpe"),
        _overlap,
        {
            **_PAIR,
            "first_difference": "first difference",
            "same_rank": "same position",
            "shared": "in both",
            "different_share": "not in the second",
        },
        ("pair", "different_share"),
        "share of the first's tokens not in the second",
    ),
    "d": Experiment(
        GREEDTOK,
        "d = GreedTok's cover / GreedWMC's relaxed cover, and the certified ratio.",
        (100, 200, 500, *_K),
        ("greedtok", "greedwmc"),
        _ratio,
        {"k": "k", "cover": "GreedTok's cover", "d": "d", "certified_ratio": "certified ratio"},
        ("method", "d"),
        "d",
        "The certified ratio is d · (1 − 1/e).",
    ),
    "common-tokens": Experiment(
        GREEDTOK,
        "Tokens that GreedTok, BPE and Unigram have in common.",
        _K,
        _TRIO,
        _overlap,
        {**_PAIR, "shared": "shared", "union": "union", "common_share": "share of the first"},
        ("pair", "common_share"),
        "share of the first's tokens in the second",
    ),
    "whole-words": Experiment(
        GREEDTOK,
        "Tokens that are whole words.",
        _K,
        _TRIO,
        _vocabularies,
        {
            "method": "method",
            "k": "k",
            "whole_words": "whole words",
            "whole_word_share": "share of tokens",
        },
        ("method", "whole_word_share"),
        "share of tokens that are words",
    ),
    "unigram-objective": Experiment(
        GREEDTOK,
        "Likelihood of the words under Unigram with each token set, after fitting its scores.",
        _K,
        _TRIO,
        _objective,
        {
            "method": "method",
            "k": "k",
            "unigram_objective": "log-likelihood",
            "nats_per_word": "nats per word",
        },
        ("method", "nats_per_word"),
        "nats per word",
    ),
    "pathpiece-grid": Experiment(
        PATHPIECE,
        "Tokens needed by the corpus, for each trainer and each segmentation rule.",
        (1000,),
        (
            *("bpe", "wordpiece", "unigram", "sage"),
            *("pathpiece", "pathpiece-bpe", "pathpiece-unigram", "greedtok"),
        ),
        _grid,
        {
            **_ROW,
            "tokens": "tokens",
            "tokens_per_word": "tokens per word",
            "bytes_per_token": "bytes per token",
        },
        ("method", "rule", "tokens"),
        "tokens",
        "BPE merges by pairs, all other trainers by rank. The rule likelihood needs scores. The "
        "paper uses another corpus, and k from 32,768 to 49,152. PathPieceR (random_path) needs as "
        "many tokens as the shortest path.",
    ),
    "greedyphrase-ratio": Experiment(
        GREEDYPHRASE,
        "The compression ratio, in bytes per token.",
        (1000, 4000),
        ("greedyphrase", "bpe", "greedtok"),
        _compression,
        {**_ROW, "tokens": "tokens", "bytes_per_token": "bytes per token"},
        ("method", "bytes_per_token"),
        "bytes per token",
        "The README states 4.39, and a later version 4.49, for 65,536 tokens on enwik9, where "
        "phrases reach across words. Here words are counted, so no phrase crosses a word border.",
    ),
}


@checked
def reproduce(name: str, study: Study) -> list[dict[str, Any]]:
    """Makes the rows of a table or figure.

    Parameters
    ----------
    name : str
        A key of `EXPERIMENTS`.
    study : Study
        The corpus and budgets.

    Returns
    -------
    list of dict
        The rows of the experiment.  For the corpus of the paper, ``paper`` is the figure as
        printed, and ``agrees`` whether ours rounds to it, for a run that was not stopped early.

    Raises
    ------
    InputError
        For an unknown name, and as the methods do.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.studies.methods import Runner
    >>> from partcover.studies.paper_tables import Study, reproduce
    >>> study = Study(Runner(Instance({"banana": 2, "bandana": 1, "ananas": 3}, 0)), [1, 2])
    >>> [row["k"] for row in reproduce("d", study)]
    [1, 2]
    """
    experiment = _experiment(name)
    rows = experiment.make(study, experiment.methods)
    published = PUBLISHED.get(study.runner.instance.words.digest, {})
    for row in rows:
        figure = published.get((name, str(row.get("method")), row["k"]))
        # the paper has each method under its own rule
        if figure is not None and row["rule"] == study.answers(row["method"])[0].rule:
            decimals = len(figure.partition(".")[2])
            row["paper"] = figure
            if row["termination"] == "completed":
                row["agrees"] = f"{row['tokens_per_word']:.{decimals}f}" == figure
    return rows


@checked
def manifest(name: str, study: Study, command: str, corpus: str) -> dict[str, Any]:
    """Describes how a result was made, so that it can be made again.

    Parameters
    ----------
    name, study
        As for `reproduce`.
    command : str
        The command line.
    corpus : str
        The name of the corpus.
    """
    runner, experiment = study.runner, _experiment(name)
    libraries = ("numpy", "ortools")
    return {
        "experiment": name,
        "paper": experiment.paper,
        "command": command,
        "versions": {
            "partcover": __version__,
            "python": platform.python_version(),
            **{name: number for name in libraries if (number := _version(name))},
        },
        "input": {
            "corpus": corpus,
            "corpus_sha256": runner.instance.words.digest,
            "words": len(runner.instance.words),
            "total_count": runner.instance.words.total_count,
            "symbols": runner.instance.symbols,
        },
        "options": {
            "k": study.budgets,
            "methods": [m for m in experiment.methods if m not in study.left_out],
            "policy": runner.instance.policy,
            "time_limit": runner.limits.time_limit,
            "threads": runner.limits.threads,
        },
        "seed": runner.limits.seed,
        "left_out": {m: why for m, why in study.left_out.items() if m in experiment.methods},
        "limited": study.limited(experiment.methods),
    }


@checked
def remarks(manifest: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns what to know about a table: its note, agreement with the paper, missing methods.

    Parameters
    ----------
    manifest, rows
        What `manifest` and `reproduce` return.
    """
    agreed: dict[str, list[bool]] = {}
    for row in rows:
        if "agrees" in row:
            agreed.setdefault(row["method"], []).append(row["agrees"])
    counts = [f"{method} {sum(same)} of {len(same)}" for method, same in agreed.items()]
    missing, limited = (", ".join(manifest[key]) for key in ("left_out", "limited"))
    lines = {
        EXPERIMENTS[manifest["experiment"]].note: True,
        f"Published values that agree: {', '.join(counts)}.": counts,
        f"Could not run here: {missing}.": missing,
        f"Stopped by the time limit, so not comparable with the paper: {limited}.": limited,
    }
    return [line for line, is_said in lines.items() if line and is_said]


def _experiment(name: str) -> Experiment:
    if name not in EXPERIMENTS:
        raise InputError(f"unknown experiment {name!r}: {closest(name, EXPERIMENTS)}")
    return EXPERIMENTS[name]


def _version(library: str) -> str | None:
    """Returns the version of a library, None where it is not installed."""
    try:
        return version(library)
    except ModuleNotFoundError:
        return None
