"""Writes what ``--minimax`` finds as it goes, and reads what an earlier run has written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from ...errors import InputError, PartcoverError
from ...problem.certificates.minimax import MinimaxCertificate
from ...problem.minimax import MinimaxInstance
from ...problem.minimax_solution import MinimaxSolution
from ...runtime.files.writing import in_place
from ...verification.minimax_check import (
    check_minimax_certificate,
    minimax_mismatches,
    verify_minimax,
)
from ...vocabulary.vocabulary import Vocabulary
from ..checkpoint_files import RESUMING, earlier, written
from ..shown.output import Output

__all__ = ["MinimaxFiles"]


@dataclass
class MinimaxFiles:
    """The files of a vocabulary and a certificate for several corpora.

    Called with the best solution so far, it writes both, each aside and then renamed.  A better one
    of the same corpora that is there already stays: the vocabulary until the end, the certificate
    for good.

    Attributes
    ----------
    out : Output
        Where remarks go.
    vocabulary, certificate : str or None
        The files; the certificate is ``-o`` itself where only a bound is asked for.
    """

    out: Output
    vocabulary: str | None
    certificate: str | None
    _worst: Fraction | None = field(default=None, init=False)  # of a vocabulary that is there
    _proven: Fraction = field(default=Fraction(0), init=False)  # by a certificate that is there
    _failed: set[str] = field(default_factory=set, init=False)

    def load(self) -> tuple[Vocabulary | None, MinimaxCertificate | None]:
        """Reads what an earlier run has written; None for a file that is not there."""
        paths = self.vocabulary, self.certificate
        return earlier(self.out, paths, Vocabulary.load, MinimaxCertificate.load)

    def refuse_others(
        self,
        instance: MinimaxInstance,
        vocabulary: Vocabulary | None,
        proof: MinimaxCertificate | None,
    ) -> None:
        """Refuses files that were read, and are of something else.

        Raises
        ------
        InputError
            If a file is of other corpora, references or conditions, or of another k.
        """
        problems = [] if proof is None else minimax_mismatches(instance, proof)
        if problems:
            raise InputError(f"{self.certificate}: {problems[0]} ({RESUMING})")
        problems = [] if vocabulary is None else _problems(instance, vocabulary)
        if problems:
            raise InputError(f"{self.vocabulary}: {problems[0]} ({RESUMING})")

    def look(self, instance: MinimaxInstance) -> None:
        """Looks at what is there, before anything is written."""
        self._worst = _worst_of(self.vocabulary, instance)
        self._proven = _proven_by(self.certificate, instance)

    def __call__(self, solution: MinimaxSolution) -> None:
        """Writes the vocabulary and the certificate; a file that cannot be written ends nothing."""
        worst, proof = solution.worst, solution.certificate
        if worst is not None and (self._worst is None or worst <= self._worst):
            self._write(self.vocabulary, solution.recorded().save)
        if proof is not None and proof.lower_bound >= self._proven:
            self._write(self.certificate, proof.save)

    def _write(self, path: str | None, save: Callable[[str], None]) -> None:
        if path is None or in_place(path):
            return
        if written(self.out, save, path, again=path in self._failed):
            self._failed.discard(path)
        else:
            self._failed.add(path)

    def save_certificate(self, solution: MinimaxSolution) -> None:
        """Writes the certificate at the end, and says so."""
        path, proof = self.certificate, solution.certificate
        if path is None or proof is None:
            return
        if self._proven > proof.lower_bound:
            kept, found = float(self._proven), float(proof.lower_bound)
            self.out.note(f"{path} is kept: it proves {kept:.6f}, and this run {found:.6f}")
            return
        proof.save(path)
        self.out.wrote(path)


def _problems(instance: MinimaxInstance, vocabulary: Vocabulary) -> list[str]:
    """Returns in what a vocabulary is not one of this instance."""
    made_for = vocabulary.provenance
    digests = [words.digest for words in instance.corpora]
    if made_for.get("corpora_sha256", digests) != digests:
        return ["the vocabulary is for other words or counts"]
    if made_for.get("k", instance.k) != instance.k:
        return [f"the vocabulary is for k = {made_for['k']}, and k is {instance.k}"]
    return list(verify_minimax(instance, vocabulary).problems)


def _worst_of(path: str | None, instance: MinimaxInstance) -> Fraction | None:
    """Returns the largest ratio with the vocabulary of a file; None if it is none of these."""
    if path is None or not Path(path).is_file():
        return None
    try:
        vocabulary = Vocabulary.load(path)
    except PartcoverError:
        return None
    if _problems(instance, vocabulary):
        return None
    return verify_minimax(instance, vocabulary).worst


def _proven_by(path: str | None, instance: MinimaxInstance) -> Fraction:
    """Returns what a file proves about an instance; 0 for any other file."""
    if path is None or not Path(path).is_file():
        return Fraction(0)
    try:
        return check_minimax_certificate(instance, MinimaxCertificate.load(path)).lower_bound
    except PartcoverError:
        return Fraction(0)
