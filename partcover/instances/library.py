"""Offers the instances that ship with partcover, each with its best vocabulary and a bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from typing import Any

from ..corpus import symbols as sym
from ..errors import InputError, PartcoverError
from ..problem.certificates.certificate import Certificate
from ..problem.instance import Instance
from ..runtime.arguments import checked, closest
from ..runtime.progress import Progress
from ..verification.certificate_check import check_certificate
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary
from .files import fields_of, names_in


@dataclass(frozen=True)
class Best:
    """What is known of an instance's optimum: the object ``best`` in its ``source``.

    Attributes
    ----------
    tokens : int
        Number of tokens that `vocabulary` needs.
    vocabulary : list
        The best vocabulary known, as in a vocabulary file.
    proven : bool
        Whether `lower_bound` is `tokens`.
    by : str
        The method that made it.
    lower_bound : int
        No vocabulary within the budget needs fewer tokens.
    certificate : str or None
        The file beside the instance that proves `lower_bound`; None where the bound is one token
        for each word.

    Examples
    --------
    >>> from partcover.instances.library import Best
    >>> Best.from_json({"tokens": 3})
    Traceback (most recent call last):
        ...
    partcover.errors.InputError: 'best' must be an object of tokens, vocabulary, proven, by, ...
    """

    tokens: int
    vocabulary: list[Any]
    proven: bool
    by: str
    lower_bound: int
    certificate: str | None

    @classmethod
    def from_json(cls, data: Any) -> Best:
        """Reads the object.

        Raises
        ------
        InputError
            If it lacks a key, has another, or a value is not of its type.
        """
        kinds = {
            "tokens": int,
            "vocabulary": list,
            "proven": bool,
            "by": str,
            "lower_bound": int,
            "certificate": (str, type(None)),
        }
        return cls(**fields_of(data, kinds, "best"))


@dataclass(frozen=True)
class Entry:
    """An instance of the library.

    Attributes
    ----------
    name : str
        The name of its file, without the ending.

    Examples
    --------
    >>> from partcover.instances.library import entry
    >>> cycle = entry("cycle-7")
    >>> cycle.best.tokens, cycle.best.proven, cycle.problems()
    (21, True, [])
    """

    name: str

    @cached_property
    def instance(self) -> Instance:
        """The instance; its `source` says where it comes from."""
        with as_file(_folder() / f"{self.name}.json") as path:
            return Instance.load(path)

    @cached_property
    def best(self) -> Best:
        """What is known of its optimum."""
        try:
            return Best.from_json(self.instance.source.get("best"))
        except InputError as error:
            raise InputError(f"instance {self.name}: {error}") from None

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The best vocabulary known."""
        symbols = self.instance.symbols
        tokens = [sym.from_json(token, symbols) for token in self.best.vocabulary]
        return Vocabulary(tokens, symbols, self.best.by)

    @property
    def is_complete(self) -> bool:
        """Whether the proof is installed, if one is stored."""
        return self.best.certificate is None or (_folder() / self.best.certificate).is_file()

    @cached_property
    def certificate(self) -> Certificate | None:
        """The proof of the lower bound, if one is stored.

        Raises
        ------
        InputError
            If it is not installed: wheels leave out the large ones.
        """
        if self.best.certificate is None:
            return None
        if not self.is_complete:
            raise InputError(
                f"instance {self.name}: its proof is not in wheels; it is the file "
                f"instances/{self.best.certificate} of the sdist: pip install --no-binary "
                "partcover partcover builds a package with it"
            )
        with as_file(_folder() / self.best.certificate) as path:
            return Certificate.load(path)

    def facts(self) -> dict[str, Any]:
        """Returns one row about it: family, sizes, and what is known of its optimum."""
        instance = self.instance
        best = asdict(self.best)
        del best["vocabulary"]
        return {
            "name": self.name,
            "family": instance.source.get("family"),
            "symbols": instance.symbols,
            "words": len(instance.words),
            "total_count": instance.words.total_count,
            "total_symbols": instance.words.total_symbols,
            "candidates": instance.index.total,
            "k": instance.k,
            **best,
        }

    def problems(self) -> list[str]:
        """Checks its claims without any solver; returns what is wrong, a line for each.

        The words must have the stored hash, the vocabulary need as many tokens as stated, the
        certificate prove the bound, and ``proven`` say whether the two meet.
        """
        instance, best = self.instance, self.best
        problems = []
        if instance.source.get("words_sha256") != instance.words.digest:
            problems.append("the words do not match words_sha256")
        counted = verify(instance, self.vocabulary)
        problems += counted.problems
        if counted.tokens != best.tokens:
            problems.append(
                f"{best.tokens} tokens are stated, but the vocabulary needs {counted.tokens}"
            )
        bound = instance.words.total_count
        if self.certificate is not None:
            checked = check_certificate(instance, self.certificate)
            problems += checked.problems
            bound = int(checked.lower_bound)
        if best.lower_bound > bound:
            problems.append(f"the lower bound {best.lower_bound} is stated, but {bound} is proven")
        if best.proven is not (best.tokens == best.lower_bound):
            problems.append(
                f"proven is {str(best.proven).lower()}: {best.tokens} tokens, bound "
                f"{best.lower_bound}"
            )
        return problems


def names() -> list[str]:
    """Lists the names of all instances, ascending.

    Examples
    --------
    >>> from partcover.instances.library import names
    >>> len(names()), "cycle-7" in names()
    (89, True)
    """
    return names_in(_folder())


@checked
def wrong_entries(
    entries: Sequence[Entry], *, progress: Progress | None = None
) -> dict[str, list[str]]:
    """Checks instances, and returns what is wrong with those of which not every claim holds.

    Examples
    --------
    >>> from partcover.instances.library import entry, wrong_entries
    >>> wrong_entries([entry("cycle-7")])
    {}
    """
    progress = progress or Progress()
    wrong = {}
    for number, each in enumerate(entries):
        progress.advance(number, len(entries), each.name)
        try:
            problems = each.problems()
        except PartcoverError as error:
            problems = [str(error)]
        if problems:
            wrong[each.name] = problems
    return wrong


@checked
def entry(name: str) -> Entry:
    """Finds an instance by its name.

    Raises
    ------
    InputError
        If there is none of that name; the message names one that is similar.

    Examples
    --------
    >>> from partcover.instances.library import entry
    >>> entry("cycle-7").instance.k
    4
    """
    known = names()
    if name not in known:
        hint = closest(name, known, "'partcover instances list' names them")
        raise InputError(f"no instance {name!r}: {hint}")
    return Entry(name)


def _folder() -> Traversable:
    return files("partcover") / "instances"
