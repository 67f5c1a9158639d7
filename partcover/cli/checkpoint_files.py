"""Writes the vocabulary and certificate of a run as it goes, and reads those of an earlier one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import click

from ..errors import InputError
from ..problem.certificate import Certificate
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.files import in_place
from ..verification.certificate_check import mismatches
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary
from .output import Output
from .results import proven_by_file

__all__ = ["CheckpointFiles"]

_ADVICE = "--resume goes on from files of the same words, conditions and k"


@dataclass
class CheckpointFiles:
    """The files of ``-o`` and ``--write-certificate`` while a run goes on.

    Called with the best solution so far, it writes both.  Each is written aside and renamed, and
    each is valid without the other, so that a run that is killed leaves two to go on from.

    Attributes
    ----------
    out : Output
        The file of ``-o``, and where remarks go.
    certificate : str or None
        The file of ``--write-certificate``.
    instance : Instance
        The instance.
    corpus : str
        The name of the input, for the vocabulary file.
    """

    out: Output
    certificate: str | None
    instance: Instance
    corpus: str
    _is_own: bool = field(default=False, init=False)  # the certificate's file is of this run
    _proven: int = field(default=0, init=False)  # by a better certificate that is there already
    _failed: bool = field(default=False, init=False)

    def __call__(self, solution: Solution) -> None:
        """Writes the vocabulary and the certificate; a file that cannot be written ends nothing."""
        if self.out.path is not None and not in_place(self.out.path):
            recorded = solution.recorded(self.instance.words, corpus=self.corpus)
            self._try(recorded.save, self.out.path)
        if solution.certificate is not None and self.certificate is not None:
            self._save(solution.certificate, self.certificate)

    def _save(self, certificate: Certificate, path: str) -> None:
        """Writes a certificate, unless the file has one that proves more."""
        if in_place(path) or certificate.lower_bound < self._proven:
            return
        if not self._is_own:
            self._proven = proven_by_file(path, self.instance, certificate.lower_bound)
        if not self._proven or certificate.lower_bound >= self._proven:
            self._try(certificate.save, path)
            self._is_own = True

    def _try(self, save: Callable[[str], None], path: str) -> None:
        """Writes a file; if that fails, says so once."""
        try:
            save(path)
        except InputError as error:
            if not self._failed:
                self.out.note(f"{error}; the run goes on")
            self._failed = True

    def load(self) -> tuple[Vocabulary | None, Certificate | None]:
        """Reads what an earlier run has written; None for a file that is not there.

        Raises
        ------
        InputError
            If a file is of other words, conditions or another k.
        """
        if self.out.path in (None, "-") and self.certificate is None:
            raise click.UsageError("--resume goes on from the files of -o and --write-certificate")
        vocabulary, certificate = None, None
        if self.out.path is not None and Path(self.out.path).is_file():
            vocabulary = Vocabulary.load(self.out.path)
            self._refuse(self.out.path, self._problems(vocabulary))
        if self.certificate is not None and Path(self.certificate).is_file():
            certificate = Certificate.load(self.certificate)
            self._refuse(self.certificate, mismatches(self.instance, certificate))
        names = [path for path in (self.out.path, self.certificate) if path is not None]
        if vocabulary is None and certificate is None:
            self.out.note(f"{' and '.join(names)}: nothing there to go on from yet")
        return vocabulary, certificate

    def _problems(self, vocabulary: Vocabulary) -> list[str]:
        """Returns in what a vocabulary is not one of this instance."""
        made_for = vocabulary.provenance or {}
        if made_for.get("corpus_sha256", self.instance.words.digest) != self.instance.words.digest:
            return ["the vocabulary is for other words or counts"]
        if made_for.get("k", self.instance.k) != self.instance.k:
            return [f"the vocabulary is for k = {made_for['k']}, and k is {self.instance.k}"]
        return list(verify(self.instance, vocabulary).problems)

    @staticmethod
    def _refuse(path: str, problems: list[str]) -> None:
        if problems:
            raise InputError(f"{path}: {problems[0]} ({_ADVICE})")
