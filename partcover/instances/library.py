"""Offers the instances that ship with partcover, each with its best vocabulary and a bound."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from typing import Any

from ..corpus import symbols as sym
from ..errors import InputError
from ..problem.certificate import Certificate
from ..problem.instance import Instance
from ..verification.certificate_check import check_certificate
from ..verification.recount import verify
from ..vocabulary.vocabulary import Vocabulary

__all__ = ["Best", "Entry", "entry", "names"]


@dataclass(frozen=True)
class Best:
    """What is known of an instance's optimum: the object ``best`` in its ``source``.

    Attributes
    ----------
    tokens : int
        Tokens that `vocabulary` needs.
    vocabulary : list
        The best vocabulary known, as in a vocabulary file.
    proven : bool
        `lower_bound` is `tokens`.
    by : str
        What found it.
    lower_bound : int
        No vocabulary within the budget needs fewer tokens.
    certificate : str or None
        File beside the instance that proves `lower_bound`; None claims a token a word only.
    """

    tokens: int
    vocabulary: list[Any]
    proven: bool
    by: str
    lower_bound: int
    certificate: str | None

    @classmethod
    def from_json(cls, data: Any) -> Best:
        """Read the object.

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
        if not isinstance(data, dict) or set(data) != set(kinds):
            raise InputError(f"'best' must be an object of {', '.join(kinds)}")
        for key, kind in kinds.items():
            value = data[key]
            if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):  # type: ignore[arg-type]
                raise InputError(f"'best': {key} is {value!r}")
        return cls(**data)


@dataclass(frozen=True)
class Entry:
    """An instance of the library.

    Attributes
    ----------
    name : str
        The name of its file, without the ending.
    """

    name: str

    @cached_property
    def instance(self) -> Instance:
        """The instance; its `source` tells where it comes from."""
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

    @cached_property
    def certificate(self) -> Certificate | None:
        """The proof of the lower bound, if one is stored."""
        if self.best.certificate is None:
            return None
        with as_file(_folder() / self.best.certificate) as path:
            return Certificate.load(path)

    def facts(self) -> dict[str, Any]:
        """One row about it: family, sizes, and what is known of its optimum."""
        instance = self.instance
        known = asdict(self.best)
        del known["vocabulary"]
        return {
            "name": self.name,
            "family": instance.source.get("family"),
            "symbols": instance.symbols,
            "words": len(instance.words),
            "total_count": instance.words.total_count,
            "total_symbols": instance.words.total_symbols,
            "candidates": instance.index.total,
            "k": instance.k,
            **known,
        }

    def problems(self) -> list[str]:
        """What is wrong with its claims, a line each; without any solver.

        The words have the stored hash, the vocabulary needs as many tokens as stated, the
        certificate proves the bound, and ``proven`` says whether they meet.
        """
        instance, best = self.instance, self.best
        found = []
        if instance.source.get("words_sha256") != instance.words.digest:
            found.append("the words are not those that words_sha256 tells")
        counted = verify(instance, self.vocabulary)
        found += counted.problems
        if counted.tokens != best.tokens:
            found.append(f"{best.tokens} tokens stated, the vocabulary needs {counted.tokens}")
        bound = instance.words.total_count
        if self.certificate is not None:
            checked = check_certificate(instance, self.certificate)
            found += checked.problems
            bound = checked.lower_bound
        if best.lower_bound > bound:
            found.append(f"lower bound {best.lower_bound} stated, {bound} proven")
        if best.proven is not (best.tokens == best.lower_bound):
            found.append(
                f"proven is {str(best.proven).lower()}: {best.tokens} tokens, bound "
                f"{best.lower_bound}"
            )
        return found


def names() -> list[str]:
    """Names of all instances, ascending."""
    return sorted(
        file.name.removesuffix(".json")
        for file in _folder().iterdir()
        if file.name.endswith(".json")
    )


def entry(name: str) -> Entry:
    """An instance by name.

    Raises
    ------
    InputError
        If there is none of that name, telling one that is near.
    """
    known = names()
    if name not in known:
        from difflib import get_close_matches

        near = get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else "'partcover instances list' names them"
        raise InputError(f"no instance {name!r}: {hint}")
    return Entry(name)


def _folder() -> Traversable:
    return files("partcover") / "instances"
