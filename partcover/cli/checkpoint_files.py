"""Writes the vocabulary and certificate of a run as it goes, and reads those of an earlier one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import click

import partcover as pc

from ..errors import InputError, PartcoverError
from ..runtime.files.writing import in_place
from ..runtime.numerals import shown_number
from ..runtime.processes.parallel import call_in_turn
from .shown.output import Output

_RESUMING = "--resume needs files of a run with the same words, conditions, and k"


@dataclass
class CertificateFile:
    """The file of a certificate, if one is named: written aside and renamed, never worse."""

    out: Output
    path: str | None
    instance: pc.Instance
    _is_own: bool = field(default=False, init=False)  # the file is of this run
    _proven: int | Fraction = field(default=0, init=False)  # by a better certificate there
    _failed: bool = field(default=False, init=False)

    def __call__(self, certificate: pc.Certificate) -> None:
        """Writes a certificate while the run goes on, unless the file has one that proves more.

        A file that cannot be written ends nothing.
        """
        bound = certificate.lower_bound
        if self.path is None or in_place(self.path) or bound < self._proven:
            return
        if not self._is_own:
            self._proven = self._beyond(self.path, bound)
        if not self._proven or bound >= self._proven:
            self._failed = not _written(self.out, certificate.save, self.path, self._failed)
            self._is_own = True

    def finish(self, certificate: pc.Certificate) -> None:
        """Writes the last certificate, unless the file has one that proves more, and says so."""
        if self.path is None:
            return
        if proven := self._beyond(self.path, certificate.lower_bound):
            self.out.note(
                f"kept {self.path}: it proves {shown_number(proven)}, this run only "
                f"{shown_number(certificate.lower_bound)}"
            )
            return
        certificate.save(self.path)
        self.out.wrote(self.path)

    def _beyond(self, path: str, bound: int | Fraction) -> int | Fraction:
        """Returns the lower bound that the file proves, if it is above another; else 0."""
        from ..verification.certificate_check import mismatches

        if not Path(path).is_file():  # a device may never end
            return 0
        try:
            old = pc.Certificate.load(path)
        except PartcoverError:  # something else, or damaged: replaced
            return 0
        is_other = old.lower_bound <= bound or mismatches(self.instance, old)
        return 0 if is_other or not _holds(self.instance, old) else old.lower_bound

    def load(self) -> pc.Certificate | None:
        """Reads what an earlier run has written; None if there is no file.

        One of other words, conditions or another k is refused.
        """
        from ..verification.certificate_check import mismatches

        if self.path is None or in_place(self.path) or not Path(self.path).is_file():
            return None
        certificate = pc.Certificate.load(self.path)
        _refuse(self.path, mismatches(self.instance, certificate))
        return certificate


@dataclass
class CheckpointFiles:
    """The files of a vocabulary and a certificate, where they are named, while a run goes on.

    Called with the best solution so far, it writes both.  Each is valid without the other, so that
    a run that is killed leaves two to go on from.
    """

    out: Output
    path: str | None
    certificate: str | None
    instance: pc.Instance
    corpus: str = ""
    _there: Fraction | None = field(default=None, init=False)  # needed by a vocabulary there
    _failed: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.proof = CertificateFile(self.out, self.certificate, self.instance)

    def __call__(self, solution: pc.Solution) -> None:
        """Writes the vocabulary and the certificate; a file that cannot be written ends nothing."""
        path = self.path
        if path is not None and not in_place(path) and not self._keeps(path, solution):
            recorded = solution.recorded(self.instance.words, corpus=self.corpus)
            self._failed = not _written(self.out, recorded.save, path, self._failed)
        if solution.certificate is not None:
            self.proof(solution.certificate)

    def _keeps(self, path: str, solution: pc.Solution) -> bool:
        """Returns whether the file claims a better vocabulary, which stays until the end."""
        if self._there is None:
            self._there = self._claimed(path)
        return 0 < self._there < (solution.worst or solution.tokens)

    def _claimed(self, path: str) -> Fraction:
        """Returns what the vocabulary in a file says it needs; 0 if it is none for this run."""
        if not Path(path).is_file():
            return Fraction(0)
        try:
            vocabulary = pc.Vocabulary.load(path, "partcover")
            facts = {} if self._problems(vocabulary) else vocabulary.provenance
            return Fraction(facts.get("worst_exact", facts.get("tokens", 0)))
        except (PartcoverError, TypeError, ValueError, ZeroDivisionError):
            return Fraction(0)

    def load(self) -> tuple[pc.Vocabulary | None, pc.Certificate | None]:
        """Reads the vocabulary and the certificate that an earlier run has written, if any.

        Files of other words, conditions or another k are refused.
        """
        names = [name for name in (self.path, self.certificate) if name not in (None, "-")]
        if not names:
            raise click.UsageError(
                "--resume continues from the files that a run writes: add -o FILE"
            )
        if not any(Path(str(name)).is_file() for name in names):
            missing = " and ".join(map(str, names))
            self.out.note(f"{missing}: no earlier run found; starting from the beginning")
        vocabulary, path = None, self.path
        if path is not None and not in_place(path) and Path(path).is_file():
            vocabulary = pc.Vocabulary.load(path, "partcover")
            _refuse(path, self._problems(vocabulary))
        return vocabulary, self.proof.load()

    def _problems(self, vocabulary: pc.Vocabulary) -> list[str]:
        """Returns in what a vocabulary is not one of this instance."""
        made_for = vocabulary.provenance or {}
        if made_for.get("corpus_sha256", self.instance.words.digest) != self.instance.words.digest:
            return ["the vocabulary is for other words or counts"]
        if made_for.get("k", self.instance.k) != self.instance.k:
            return [f"the vocabulary is for k = {made_for['k']}, but k is {self.instance.k}"]
        if self.instance.tail is not None:  # what does not fit is left out at the start
            return []
        return list(pc.verify(self.instance, vocabulary).problems)


def _holds(instance: pc.Instance, certificate: pc.Certificate) -> bool:
    """Returns whether a certificate proves its bound, by the kernels where they can tell.

    The check that shares nothing with them takes minutes for millions of words.
    """
    from ..bounds.counting.price_counter import PriceCounter
    from ..bounds.heads.whole_words import WholeWords

    if instance.corpora is None:
        with contextlib.suppress(InputError):
            if instance.tail is not None:
                counted: int | Fraction | None = (
                    WholeWords(instance, 1).recounted(certificate).lower_bound
                )
            else:
                counted = PriceCounter(instance, call_in_turn).proven_by(certificate)
            if counted is not None and counted >= certificate.lower_bound:
                return True
        if instance.tail is not None:
            return False
    return pc.check_certificate(instance, certificate).ok


def _written(out: Output, save: Callable[[str], None], path: str, again: bool) -> bool:
    """Writes a file and returns whether that worked; if not, says so unless it failed before."""
    try:
        save(path)
    except InputError as error:
        if not again:
            out.note(f"{error}; the run continues")
        return False
    return True


def _refuse(path: str, problems: list[str]) -> None:
    if problems:
        raise InputError(f"{path}: {problems[0]} ({_RESUMING})")
