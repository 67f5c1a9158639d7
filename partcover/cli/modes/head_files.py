"""Writes the vocabulary and certificate of a search by a head as it goes, and reads them again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ...corpus.counting.head_and_tail import HeadAndTail
from ...errors import InputError, PartcoverError
from ...problem.certificates.head import HeadCertificate
from ...problem.instance import Instance
from ...runtime.files.writing import in_place
from ...segmentation.segmentation import segment
from ...vocabulary.vocabulary import Vocabulary
from ..checkpoint_files import earlier, written
from ..shown.output import Output

if TYPE_CHECKING:
    from ...bounds.heads.head_bound import HeadBound

__all__ = ["HeadFiles"]

_ADVICE = "--resume goes on from files of the same words, head and k"


@dataclass
class HeadFiles:
    """The files of ``-o`` and ``--write-certificate`` while a run goes on.

    Called with the best so far, it writes both: aside, then renamed.  What is there already and
    better stays; a file that cannot be written ends nothing.

    Attributes
    ----------
    out : Output
        The file of ``-o``, and where remarks go.
    certificate : str or None
        The file of ``--write-certificate``.
    words : HeadAndTail
        All words.
    head : Instance
        The head, with the budget and the conditions.
    corpus : str
        The name of the input, for the vocabulary file.
    """

    out: Output
    certificate: str | None
    words: HeadAndTail
    head: Instance
    corpus: str
    _written: dict[str, int] = field(default_factory=dict, init=False)  # by this run; or kept
    _failed: set[str] = field(default_factory=set, init=False)

    def __call__(self, best: HeadBound) -> None:
        """Writes what is better than what the files hold."""
        path = self.out.path
        if path is not None and not in_place(path):
            if path not in self._written:
                self._written[path] = self._tokens_in(path)
            if not 0 < self._written[path] <= best.tokens:
                self._write(path, best.recorded(corpus=self.corpus).save, best.tokens)
        proof = self.certificate
        if proof is not None and not in_place(proof):
            if proof not in self._written:
                self._written[proof] = self._proven_by(proof, best)
            if self._written[proof] < best.lower_bound:
                self._write(proof, best.certificate.save, best.lower_bound)

    def finish(self, best: HeadBound) -> None:
        """Writes the proof of the end, and raises an error where it cannot be written."""
        path = self.certificate
        if path is None:
            return
        proven = self._written.get(path) or self._proven_by(path, best)
        if proven > best.lower_bound:
            self.out.note(
                f"{path} is kept: it proves {proven:,}, and this run {best.lower_bound:,}"
            )
            return
        best.certificate.save(path)
        self.out.wrote(path)

    def load(self) -> tuple[Vocabulary | None, HeadCertificate | None]:
        """Reads what an earlier run has written; None for a file that is not there.

        Raises
        ------
        InputError
            If a file is of another k or head.
        """
        paths = self.out.path, self.certificate
        return earlier(self.out, paths, self._read, HeadCertificate.load)

    def _read(self, path: str) -> Vocabulary:
        """Reads a vocabulary for these words and k."""
        vocabulary = Vocabulary.load(path)
        made_for = vocabulary.provenance or {}
        mine = {"k": self.head.k, "head_sha256": self.head.words.digest}
        for name, value in mine.items():
            if made_for.get(name, value) != value:
                what = "words" if name != "k" else f"k = {made_for[name]}"
                raise InputError(f"{path}: the vocabulary is for other {what} ({_ADVICE})")
        return vocabulary

    def _write(self, path: str, save: Callable[[str], None], value: int) -> None:
        """Writes a file, and keeps what it is worth."""
        if written(self.out, save, path, again=path in self._failed):
            self._written[path] = value
        else:
            self._failed.add(path)

    def _tokens_in(self, path: str) -> int:
        """Returns what the vocabulary in a file needs; 0 if it is none for this run."""
        try:
            vocabulary = Vocabulary.load(path) if Path(path).is_file() else None
        except PartcoverError:
            return 0
        head = self.head
        made_for = {} if vocabulary is None else vocabulary.provenance or {}
        same = made_for.get("head_sha256") == head.words.digest and made_for.get("k") == head.k
        if vocabulary is None or not same or made_for.get("policy") != head.policy:
            return 0
        parts = (self.words.head, *self.words.blocks())
        return sum(segment(part, vocabulary, "shortest_path").tokens for part in parts)

    def _proven_by(self, path: str, best: HeadBound) -> int:
        """Returns what the certificate in a file proves, if it is more; else 0."""
        try:
            old = HeadCertificate.load(path) if Path(path).is_file() else None
        except PartcoverError:  # something else, or damaged: replaced
            return 0
        if old is None or old.lower_bound <= best.lower_bound:
            return 0
        from ...bounds.heads.whole_words import WholeWords

        try:  # by the kernels: the check that shares nothing with them takes long for millions
            proven = WholeWords(self.words, best.head, 1).recounted(old).lower_bound
        except InputError:  # about something else
            return 0
        return proven if proven == old.lower_bound else 0
