"""Makes warm starts: a vocabulary and a certificate of a lower bound, both checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..corpus.symbols import Token
from ..errors import InputError, VerificationError
from ..problem.certificates.certificate import Certificate
from ..problem.instance import Instance
from ..segmentation.segmentation import segment
from ..verification.certificate_check import check_certificate, mismatches
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary
from .solver_run import Incumbent, SolverRun


@dataclass(frozen=True)
class WarmStart:
    """A vocabulary and a certificate that a solver starts from.

    Attributes
    ----------
    incumbent : Incumbent or None
        The vocabulary, recounted.
    certificate : Certificate or None
        The certificate.
    lower_bound : int
        The bound that the certificate proves; 0 without one.
    """

    incumbent: Incumbent | None = None
    certificate: Certificate | None = None
    lower_bound: int = 0

    @classmethod
    def of(
        cls, run: SolverRun, vocabulary: Vocabulary | None, certificate: Certificate | None
    ) -> WarmStart:
        """Checks a vocabulary and a certificate, and returns them as a warm start.

        Raises
        ------
        InputError
            For a vocabulary that exceeds a budget, or a certificate with a formulation that it does
            not bound.
        VerificationError
            If the certificate does not hold.
        """
        if certificate is not None and not run.form.exact:
            raise InputError(
                f"a certificate to start from cannot be used with the formulation {run.formulation}"
            )
        refuse_other_instance(run.instance, vocabulary, certificate)
        incumbent = None if vocabulary is None else run.recount(vocabulary)
        if certificate is None:
            return cls(incumbent)
        check = check_certificate(run.instance, certificate)
        if not check.ok:
            raise VerificationError(
                f"the certificate to start from is not valid: {check.problems[0]}"
            )
        return cls(incumbent, certificate, int(check.lower_bound))

    def closes(self, tokens: int, gap: float) -> bool:
        """Returns whether the certificate's bound meets the warm start or another incumbent.

        Parameters
        ----------
        tokens : int
            Tokens that the other incumbent needs.
        gap : float
            The relative gap at which to stop.
        """
        if self.incumbent is not None:
            tokens = min(tokens, self.incumbent.tokens)
        return self.lower_bound > 0 and tokens - self.lower_bound <= gap * tokens


def refuse_other_instance(
    instance: Instance, vocabulary: Vocabulary | None, certificate: Certificate | None
) -> None:
    """Raises an error if a vocabulary or a certificate is for another instance; a quick check.

    Raises
    ------
    InputError
        For a vocabulary that exceeds a budget.
    VerificationError
        For a certificate for another instance.
    """
    if vocabulary is not None:
        problems: Sequence[str] = verify(instance, vocabulary).problems
        if problems:
            raise InputError(f"the start is not a vocabulary of this instance: {problems[0]}")
    if certificate is not None:
        problems = mismatches(instance, certificate)
        if problems:
            raise VerificationError(f"the certificate to start from is not valid: {problems[0]}")


def shortest_prefix(
    instance: Instance, vocabulary: Vocabulary, threshold: int
) -> list[Token] | None:
    """Returns the fewest first tokens of a vocabulary that meet a threshold; None if all do not."""
    tokens = list(vocabulary)
    lower, upper = len(instance.fixed), len(tokens)

    def meets(size: int) -> bool:
        cut = segment(instance.words, Vocabulary(tokens[:size], instance.symbols))
        return cut.tokens <= threshold

    if upper < lower or not meets(upper):
        return None
    while lower < upper:
        middle = (lower + upper) // 2
        if meets(middle):
            upper = middle
        else:
            lower = middle + 1
    return tokens[:upper]
