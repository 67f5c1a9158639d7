"""Compares methods on one corpus, with a row for each method, segmentation rule and budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..analysis.metrics import overlaps, text_bytes, use, whole_share, whole_words
from ..bounds.lower_bound import bounds
from ..corpus.word_counts import WordCounts
from ..errors import InputError, VerificationError
from ..heuristics.greedy import certified_ratio
from ..problem.certificates.certificate import Certificate
from ..problem.instance import Instance
from ..runtime.arguments import Seconds, Seed, Threads, checked, closest, shown
from ..runtime.limits import RunLimits
from ..runtime.notebook import brief, html_table
from ..runtime.progress import Progress, gap_of
from ..verification.certificate_check import check_certificate
from ..vocabulary.rules import SEGMENTATION_RULES, SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .methods import METHODS, Answer, Runner, rules_of


@dataclass(frozen=True)
class Comparison:
    """The rows of a comparison of methods, and measures of their token sets.

    Attributes
    ----------
    rows : list of dict
        For each budget, method and rule: ``method``, ``rule``, ``k``, ``size`` (below k where
        the method chose fewer tokens), ``tokens``, ``tokens_per_word``, ``bytes_per_token``
        (None for integers), ``cover``, ``lower_bound``, ``gap``, ``seconds`` (of the run; of a
        nested method that for the largest k), ``memory`` (bytes; None unless measured),
        ``status`` and ``termination``; ``held_out_tokens``, ``held_out_tokens_per_word`` and
        ``held_out_bytes_per_token`` where words were held out.  GreedWMC adds ``relaxed_cover``;
        GreedTok adds ``d`` and ``certified_ratio`` where GreedWMC ran too and neither was stopped
        early.  A budget for which a method has no vocabulary, or a rule for which a vocabulary
        has no scores, is a row without tokens and with a ``remark``.
    sets : dict
        ``vocabularies``: for each budget, method and rule ``size``, ``whole_words`` (tokens that
        are words) and its share, ``used``, ``used_share``, ``renyi_efficiency`` and
        ``whole_share``, of words that are one token (see `partcover.analysis.metrics`), the last
        two as ``held_out_…``, too, where words were held out, and ``unigram_objective`` on
        request; ``overlap``: for each budget and two methods, see
        `partcover.analysis.metrics.overlaps`.
    answers : list of Answer
        The answers behind the rows, by method, then by budget.
    interrupted : bool
        Whether Ctrl-C ended the comparison early; what was ready is here.
    about : dict
        What was compared on: the words and those that were held out, candidates, seed, threads.

    Examples
    --------
    >>> from partcover import Instance, compare
    >>> comparison = compare(Instance({"banana": 2, "bandana": 1}, 0), [1, 2], ["greedtok"])
    >>> comparison
    Comparison(4 rows, greedtok)
    >>> len(comparison.sets["vocabularies"])
    4
    """

    rows: list[dict[str, Any]]
    sets: dict[str, list[dict[str, Any]]]
    answers: list[Answer]
    interrupted: bool = False
    about: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Returns the JSON object of ``partcover compare``, which ``partcover report`` reads."""
        return {**self.about, "rows": self.rows, "sets": self.sets}

    def __repr__(self) -> str:
        methods = ", ".join(dict.fromkeys(str(row["method"]) for row in self.rows))
        stopped = "interrupted" if self.interrupted else None
        return brief("Comparison", f"{len(self.rows)} rows", methods, stopped)

    def _repr_html_(self) -> str:
        """Returns the rows as a table for notebooks."""
        names = list(dict.fromkeys(name for row in self.rows for name in row))
        rows = [[row.get(name) for name in names] for row in self.rows]
        return html_table("Comparison", names, rows)


@checked
def compare(
    instance: Instance,
    budgets: Sequence[int],
    methods: Sequence[str] = ("greedtok", "greedwmc", "bytes"),
    rules: Sequence[str] = ("own", "shortest_path"),
    *,
    vocabularies: Mapping[str, Vocabulary] | None = None,
    held_out: WordCounts | None = None,
    certificates: Mapping[str, Certificate] | None = None,
    bound: float | None = None,
    unigram_objective: bool = False,
    memory: bool = False,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Comparison:
    """Runs methods for every budget and measures their vocabularies.

    Parameters
    ----------
    instance : Instance
        The words and candidates; its own k is not used.
    budgets : sequence of int
        The budgets, each a group of rows.
    methods : sequence of str
        Keys of `METHODS`.
    rules : sequence of str
        Segmentation rules, or ``own`` for that of each method.  For ``bytes``, which has no
        token, all rules agree, and there is one row.
    vocabularies : mapping of str to Vocabulary, optional
        Given vocabularies by name.  The size of each is a budget too, so that methods with as
        many tokens stand beside it.  Their rows have no seconds.
    held_out : WordCounts, optional
        Other words, on which each row is measured as well.
    certificates : mapping of str to Certificate, optional
        Certificates of lower bounds, by name: each is checked, and holds for the rows of its k.
    bound : float, optional
        Seconds to search for a certified lower bound for each budget (see
        `partcover.bounds.lower_bound.lower_bound`).
    unigram_objective : bool
        Whether to fit a Unigram model to each token set for its likelihood, some seconds each.
    memory : bool
        Whether to run each method in a process of its own and measure its peak memory.
    time_limit : float, optional
        Seconds for each run of a method.
    seed, threads : int
        Random seed and threads of the methods.
    progress : Progress, optional
        Gets the name of each run as it begins.

    Returns
    -------
    Comparison
        Rows by budget, then in the order of `methods` and `rules`.  A lower bound, of ``solve``
        or of `bound`, holds for every row of its k: it is of the words trained on.

    Raises
    ------
    InputError
        For an unknown method or rule, no budget, a given vocabulary over other symbols or with
        the name of a method, a method that does not support an option of the instance (the error
        names both), or if no method has a vocabulary for any budget.
    MissingExtra
        If a method's library is not installed.
    VerificationError
        If a certificate does not hold.

    Notes
    -----
    What can be refused is refused before the first run.

    Examples
    --------
    >>> from partcover import Instance, compare
    >>> words = {"banana": 2, "bandana": 1, "ananas": 3}
    >>> comparison = compare(Instance(words, 0), [2], ["greedtok", "solve", "bytes"], ["own"])
    >>> for row in comparison.rows:
    ...     print(row["method"], row["rule"], row["tokens"])
    greedtok priority 11
    solve shortest_path 11
    bytes single_symbols 37
    """
    given = vocabularies or {}
    methods = list(dict.fromkeys(methods))
    _check_names(methods, rules, given, certificates or {})
    budgets = [*budgets, *map(len, given.values())]
    if not budgets:
        raise InputError("there is no k to compare for: give at least one")
    unseen = None if held_out is None else _comparable(instance, held_out)
    limits = RunLimits(time_limit, seed, threads)
    runner = Runner(instance, limits, memory, progress or Progress())
    for k in budgets:
        instance.with_k(k)
    for method in methods:
        METHODS[method].check(instance)
    proven = _proven_bounds(instance, certificates or {})
    answers, interrupted = _run(runner, methods, budgets)
    if answers and not given and all(answer.remark is not None for answer in answers):
        raise InputError(str(answers[0].remark))
    answers += _given_answers(instance, given)
    try:
        rows, sets = tabulate(
            runner, answers, rules, held_out=unseen, unigram_objective=unigram_objective
        )
    except KeyboardInterrupt:  # what has run is not lost
        interrupted = True
        rows, sets = tabulate(runner, answers, rules, held_out=unseen)
    for k, lower_bound in proven.items():
        _set_bound([row for row in rows if row["k"] == k], answers, lower_bound)
    if bound is not None and not interrupted:
        interrupted = _search_bounds(runner, rows, answers, bound)
    about = _about(instance, held_out) | {"seed": seed, "threads": threads}
    return Comparison(rows, sets, answers, interrupted, about)


def _about(instance: Instance, held_out: WordCounts | None) -> dict[str, Any]:
    """Describes the words and the candidates."""

    def facts(words: WordCounts) -> dict[str, Any]:
        return {
            "corpus_sha256": words.digest,
            "words": len(words),
            "total_count": words.total_count,
        }

    return {
        **facts(instance.words),
        "symbols": instance.symbols,
        "pretokenizer": instance.words.pretokenizer,
        "candidates": instance.promising_index().total,
        "policy": instance.policy,
        **({} if held_out is None else {"held_out": facts(held_out)}),
    }


def _check_names(
    methods: Sequence[str],
    rules: Sequence[str],
    vocabularies: Mapping[str, Vocabulary],
    certificates: Mapping[str, Certificate],
) -> None:
    """Refuses unknown methods and rules, and values of another type than the name has."""
    for values, kind in ((vocabularies, Vocabulary), (certificates, Certificate)):
        for name, value in values.items():
            if not isinstance(name, str):
                raise InputError(f"the name of a {kind.__name__} is {shown(name)}: it must be text")
            if not isinstance(value, kind):
                raise InputError(f"{name!r} is {shown(value)}: it must be a {kind.__name__}")
    for name in vocabularies:
        if name in methods:
            raise InputError(
                f"{name!r} is both a method and a given vocabulary: rename the vocabulary"
            )
    for method in methods:
        if method not in METHODS:
            raise InputError(f"unknown method {method!r}: {closest(method, METHODS)}")
    for rule in rules:
        if rule not in (known := ("own", *SEGMENTATION_RULES)):
            raise InputError(f"unknown rule {rule!r}: {closest(rule, known)}")


def _comparable(instance: Instance, held_out: WordCounts) -> WordCounts:
    """Returns the words held out, split at protected tokens as those of the instance are."""
    if held_out.symbols != instance.symbols:
        raise InputError(
            f"the held-out words are over {held_out.symbols}, but the others are over "
            f"{instance.symbols}"
        )
    names = {instance.words.pretokenizer, held_out.pretokenizer} - {None}
    if len(names) > 1:
        raise InputError(
            f"the held-out words were counted with {held_out.pretokenizer}, but the others with "
            f"{instance.words.pretokenizer}"
        )
    return held_out.split_at(instance.protected)


def _proven_bounds(instance: Instance, certificates: Mapping[str, Certificate]) -> dict[int, int]:
    """Checks certificates and returns the best lower bound for each k."""
    proven: dict[int, int] = {}
    for name, certificate in certificates.items():
        check = check_certificate(instance.with_k(certificate.k), certificate)
        if not check.ok:
            raise VerificationError(f"{name}: {check.problems[0]}")
        proven[certificate.k] = max(int(check.lower_bound), proven.get(certificate.k, 0))
    return proven


def _run(
    runner: Runner, methods: Sequence[str], budgets: Sequence[int]
) -> tuple[list[Answer], bool]:
    """Runs the methods; returns their answers and whether Ctrl-C ended it."""
    answers: list[Answer] = []
    for method in methods:
        try:
            answers += runner.answers(method, budgets)
        except KeyboardInterrupt:
            return answers, True
        if answers[-1].termination == "interrupted":
            return answers, True
    return answers, False


def _given_answers(instance: Instance, vocabularies: Mapping[str, Vocabulary]) -> list[Answer]:
    """Returns given vocabularies as answers for budgets of their own size."""
    unlimited = instance.policy == {"candidates": "substrings"}
    return [
        Answer(
            name,
            len(vocabulary),
            vocabulary,
            vocabulary.rule,
            "feasible",
            "completed",
            None,
            bounded=unlimited,
        )
        for name, vocabulary in vocabularies.items()
    ]


def tabulate(
    runner: Runner,
    answers: Sequence[Answer],
    rules: Sequence[str],
    *,
    held_out: WordCounts | None = None,
    unigram_objective: bool = False,
) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
    """Makes the rows and set measures of a `Comparison`.

    Parameters
    ----------
    runner : Runner
        The runner that made the answers.
    answers : sequence of Answer
        The answers; rows keep their order within each budget.
    rules, held_out, unigram_objective
        As for `compare`.
    """
    rows: list[dict[str, Any]] = []
    sets: dict[str, list[dict[str, Any]]] = {"vocabularies": [], "overlap": []}
    for k in sorted({answer.k for answer in answers}):
        group: list[dict[str, Any]] = []
        here = [answer for answer in answers if answer.k == k]
        for answer in here:
            own = _set_facts(runner, answer, unigram_objective)
            for rule in rules_of(answer, rules):
                row, used = _row(runner, answer, rule, held_out)
                group.append(row)
                if used is not None:
                    names = {"k": k, "method": answer.method, "rule": rule}
                    sets["vocabularies"].append({**names, **own, **used})
        vocabularies = {a.method: a.vocabulary for a in here if a.vocabulary is not None}
        sets["overlap"] += [{"k": k, **pair} for pair in overlaps(vocabularies)]
        _relate(group, here, certified=not runner.instance.groups)
        rows += group
    return rows, sets


def _row(
    runner: Runner, answer: Answer, rule: SegmentationRule, held_out: WordCounts | None
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Returns a row, and measures of how the vocabulary is used."""
    words = runner.instance.words
    vocabulary = answer.vocabulary
    row: dict[str, Any] = {
        "method": answer.method,
        "rule": rule,
        "k": answer.k,
        "size": None if vocabulary is None else len(vocabulary),
        **_cost(words, None),
        "lower_bound": answer.lower_bound,
        "gap": None,
        "seconds": answer.seconds,
        "memory": answer.memory,
        "status": answer.status,
        "termination": answer.termination,
    }
    if held_out is not None:
        row |= {f"held_out_{key}": None for key in _cost(held_out, None) if key != "cover"}
    if answer.relaxed_cover is not None:
        row["relaxed_cover"] = answer.relaxed_cover
    if vocabulary is None:
        return row if answer.remark is None else {**row, "remark": answer.remark}, None
    if rule == "likelihood" and vocabulary.scores is None:
        remark = f"{answer.method} has no scores: no tokens are counted under likelihood"
        return {**row, "remark": remark}, None
    cut = runner.cut(words, vocabulary, rule)
    row |= _cost(words, cut.tokens)
    used = {**use(cut, len(vocabulary)), "whole_share": whole_share(cut)}
    if held_out is not None:
        cut = runner.cut(held_out, vocabulary, rule)
        cost = _cost(held_out, cut.tokens)
        row |= {f"held_out_{key}": value for key, value in cost.items() if key != "cover"}
        used["held_out_whole_share"] = whole_share(cut)
        used["held_out_renyi_efficiency"] = use(cut, len(vocabulary))["renyi_efficiency"]
    return row, used


def _cost(words: WordCounts, tokens: int | None) -> dict[str, Any]:
    """Returns the tokens needed, by word and by byte; None everywhere without an answer."""
    if tokens is None:
        return dict.fromkeys(("tokens", "tokens_per_word", "bytes_per_token", "cover"))
    size = text_bytes(words)
    return {
        "tokens": tokens,
        "tokens_per_word": tokens / max(1, words.total_count),
        "bytes_per_token": None if size is None else size / max(1, tokens),
        "cover": words.total_symbols - tokens,
    }


def _set_facts(runner: Runner, answer: Answer, objective: bool) -> dict[str, Any]:
    """Returns the measures of a token set that do not depend on the rule."""
    words, vocabulary = runner.instance.words, answer.vocabulary
    if vocabulary is None:
        return {}
    whole = whole_words(words, vocabulary)
    facts: dict[str, Any] = {
        "size": len(vocabulary),
        "whole_words": whole,
        "whole_word_share": whole / len(vocabulary) if len(vocabulary) else None,
    }
    if objective:
        from ..trainers import unigram_objective

        runner.progress.stage(f"Unigram's objective of {answer.method}, k = {answer.k}")
        facts["unigram_objective"] = unigram_objective(
            words, vocabulary, threads=runner.limits.threads
        )
    return facts


def _relate(group: list[dict[str, Any]], answers: Sequence[Answer], *, certified: bool) -> None:
    """Adds bounds and certified ratios to all rows with the same k.

    With budgets of groups, or for a run that was stopped early, GreedWMC has no guarantee that
    certifies a ratio.
    """
    proven = [answer.lower_bound for answer in answers if answer.lower_bound is not None]
    if proven:
        _set_bound(group, answers, max(proven))
    relaxed = next((a.relaxed_cover for a in answers if a.relaxed_cover is not None), None)
    if relaxed is not None and certified:
        for row in group:
            complete = row["method"] == "greedtok" and row["termination"] == "completed"
            if complete and row["rule"] == "priority":
                row["d"], row["certified_ratio"] = certified_ratio(row["cover"], relaxed)


def _search_bounds(
    runner: Runner, rows: list[dict[str, Any]], answers: Sequence[Answer], seconds: float
) -> bool:
    """Searches for a certified lower bound for each k; returns whether Ctrl-C ended it."""
    runner.progress.stage("lower bounds")
    unbounded = {answer.method for answer in answers if not answer.bounded}
    groups: dict[int, list[dict[str, Any]]] = {}
    incumbents: dict[int, int] = {}
    for row in rows:
        k, tokens = row["k"], row["tokens"]
        groups.setdefault(k, []).append(row)
        if tokens is not None and row["method"] not in unbounded:
            incumbents[k] = min(tokens, incumbents.get(k, tokens))
    certified = bounds(
        runner.instance,
        {k: incumbents.get(k) for k in sorted(groups)},
        time_limit=seconds,
        threads=runner.limits.threads,
    )
    for each in certified:
        _set_bound(groups[each.instance.k], answers, int(each.lower_bound))
    return any(each.termination == "interrupted" for each in certified)


def _set_bound(group: list[dict[str, Any]], answers: Sequence[Answer], lower_bound: int) -> None:
    """Sets a lower bound in every row of its budget that keeps to the instance."""
    unbounded = {answer.method for answer in answers if not answer.bounded}
    for row in group:
        if row["method"] not in unbounded:
            row["lower_bound"] = max(lower_bound, row["lower_bound"] or 0)
            row["gap"] = gap_of(row["tokens"], row["lower_bound"])
