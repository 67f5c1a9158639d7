"""Writes what commands make: instances, solutions and certificates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import partcover as pc

from ..analysis.parity import parity
from ..errors import InputError
from ..report.tables.listing import Listing, columns_of, facts, solution_parts
from .checkpoint_files import CertificateFile
from .exit_status import EXIT_USAGE, exit_status
from .shown.output import Output, say

if TYPE_CHECKING:
    from ..adaptation.results import Adaptation
    from ..problem.solution import Result


def write_instance(out: Output, instance: pc.Instance, data: dict[str, Any]) -> None:
    """Saves an instance and shows facts of it, or prints the instance where no file is named."""
    if out.path is None and not out.json and out.result_format is None:
        out.object(instance.to_json())
        return
    out.result(data, facts(data), save=instance.save)


def write_solution(
    out: Output,
    solution: Result,
    instance: pc.Instance,
    corpus: str,
    *,
    certificate: str | None = None,
    proof: bool = False,
    more: Mapping[str, Any] | None = None,
) -> int:
    """Saves a solution and its certificate, shows it and returns the exit status.

    `more` is added to the JSON output.

    A certificate that cannot be written does not lose the solution.  With `proof`, a limit that
    leaves no proof has an exit status of its own.
    """

    def write(path: str) -> None:
        solution.recorded(instance.words, corpus=corpus).save(path)

    failed = False
    if solution.certificate is not None:
        try:
            CertificateFile(out, certificate, instance).finish(solution.certificate)
        except InputError as error:
            failed = True
            say(f"partcover: {error}")
    parts = solution_parts(solution, shown=0 if out.no_vocabulary else 20)
    data = {**solution.to_json(vocabulary=not out.no_vocabulary), **(more or {})}
    if solution.corpora:
        tokens = {corpus.name: corpus.tokens for corpus in solution.corpora}
        references = {corpus.name: corpus.reference for corpus in solution.corpora}
        data |= dict.fromkeys(("gini", "worst_over_best"))
        if all(tokens.values()):
            even = parity(tokens, references, per="reference")
            data |= {"gini": even.gini, "worst_over_best": even.worst_over_best}
        parts = (Listing(data["corpora"], columns_of("name tokens reference ratio")), *parts)
    if solution.vocabulary is None:
        out.show(data, *parts)
    else:
        out.result(data, *parts, save=write)
    if solution.vocabulary is not None and solution.extra.get("nothing_left_to_gain"):
        out.note(
            f"only {len(solution.vocabulary):,} of k = {solution.k:,} tokens chosen: "
            f"{solution.method} finds no further token"
        )
    elif instance.candidates is None and instance.k > (solution.candidates or instance.k):
        out.note(f"k is {instance.k:,}, but there are only {solution.candidates:,} candidates")
    if solution.termination == "error":
        out.note(f"the solver stopped: {solution.extra.get('message') or 'no reason given'}")
    return EXIT_USAGE if failed else exit_status(solution, proof=proof)


def save_proof(
    out: Output, bound: pc.Bound | Adaptation, certificate: str | None, instance: str | None
) -> None:
    """Writes the certificate of a bound and its instance, where files are named."""
    CertificateFile(out, certificate, bound.instance).finish(bound.certificate)
    if instance is not None:
        bound.instance.save(instance)
        out.wrote(instance)
