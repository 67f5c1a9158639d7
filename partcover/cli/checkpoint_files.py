"""Writes the vocabulary and certificate of a run as it goes, and reads those of an earlier one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import click

import partcover as pc

from ..errors import InputError, PartcoverError
from ..runtime.files.writing import in_place
from ..runtime.numerals import shown_number
from ..runtime.processes.parallel import call_in_turn
from ..runtime.progress import Progress
from .inputs import read_certificate, read_vocabulary
from .shown.output import Output

_RESUMING = "--resume needs files of a run with the same words, conditions, and k"


@dataclass
class CertificateFile:
    """The file of a certificate, if one is named: written aside and renamed, never worse."""

    out: Output
    path: str | None
    instance: pc.Instance
    _failed: bool = field(default=False, init=False)

    @cached_property
    def _proven(self) -> int | Fraction:
        """The lower bound that the file states for the instance before the run; 0 without one."""
        from ..verification.certificate_check import mismatches

        try:
            old = self._read()
        except PartcoverError:  # something else, or damaged: replaced
            return 0
        return 0 if old is None or mismatches(self.instance, old) else old.lower_bound

    @cached_property
    def _holds(self) -> bool:
        """Whether the file proves that bound."""
        old = self._read()
        return old is not None and _holds(self.instance, old)

    def _read(self) -> pc.Certificate | None:
        if self.path is None or in_place(self.path) or not Path(self.path).is_file():
            return None
        return pc.Certificate.load(self.path)

    def __call__(self, certificate: pc.Certificate) -> None:
        """Writes a certificate while the run goes on, unless the file has one that proves more.

        A file that cannot be written ends nothing.
        """
        if self.path is None or in_place(self.path):
            return
        if certificate.lower_bound >= self._proven or not self._holds:
            self._failed = not _written(self.out, certificate.save, self.path, self._failed)

    def finish(self, certificate: pc.Certificate) -> None:
        """Writes the last certificate, unless the file has one that proves more, and says so."""
        if self.path is None:
            return
        if certificate.lower_bound < self._proven and self._holds:
            self.out.note(
                f"kept {self.path}: it proves {shown_number(self._proven)}, this run only "
                f"{shown_number(certificate.lower_bound)}"
            )
            return
        certificate.save(self.path)
        self.out.wrote(self.path)

    def load(self) -> pc.Certificate | None:
        """Reads what an earlier run has written; None if there is no file.

        One of other words, conditions or another k is refused.
        """
        from ..verification.certificate_check import mismatches

        if (certificate := self._read()) is not None:
            _refuse(str(self.path), mismatches(self.instance, certificate))
            self._proven = certificate.lower_bound  # reading it again would take as long
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
    _failed: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.proof = CertificateFile(self.out, self.certificate, self.instance)

    def __call__(self, solution: pc.Solution) -> None:
        """Writes the vocabulary and the certificate; a file that cannot be written ends nothing."""
        if self.path is not None and not in_place(self.path):
            recorded = solution.recorded(self.instance.words, corpus=self.corpus)
            self._failed = not _written(self.out, recorded.save, self.path, self._failed)
        if solution.certificate is not None:
            self.proof(solution.certificate)

    def _read(self) -> pc.Vocabulary | None:
        if self.path is None or in_place(self.path) or not Path(self.path).is_file():
            return None
        return pc.Vocabulary.load(self.path, "partcover")

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
        if (vocabulary := self._read()) is not None:
            _refuse(str(self.path), self._problems(vocabulary))
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


@dataclass(frozen=True)
class SearchOptions:
    """What a search starts from, when it stops, and what it writes beside."""

    start: str | None = None
    start_certificate: str | None = None
    time_limit: float | None = None
    gap: Fraction | None = None
    write_certificate: str | None = None
    events: str | None = None
    plot: str | None = None
    resume: bool = False

    def starts(self, files: CheckpointFiles) -> tuple[pc.Vocabulary | None, pc.Certificate | None]:
        """Reads the vocabulary and the certificate to start from."""
        if not self.resume:
            vocabulary = None if self.start is None else read_vocabulary(self.start)
            return vocabulary, read_certificate(self.start_certificate)
        for name in ("start", "start_certificate"):
            if getattr(self, name) is not None:
                raise click.UsageError(
                    "--resume starts from the files of the earlier run: leave out "
                    f"--{name.replace('_', '-')}"
                )
        return files.load()

    def watched(
        self, out: Output, phase: str = "greedtok", *, show: bool = True
    ) -> AbstractContextManager[Progress]:
        """Shows and records the events of a search that begins with a phase."""
        return out.progress(
            phase, time_limit=self.time_limit, events=self.events, plot=self.plot, show=show
        )
