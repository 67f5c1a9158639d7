"""Bounds and searches by a head of the words, and checks of their certificates."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ...corpus import symbols as sym
from ...corpus.counting.head_and_tail import HeadAndTail
from ...errors import InputError
from ...problem.certificates.head import HeadCertificate
from ...problem.instance import Instance
from ...report.tables import Listing, facts, token_line
from ...runtime.processes.engines import executor_of
from ..exit_status import EXIT_INTERRUPTED, EXIT_VERIFICATION
from ..inputs import InstanceSource, read_tokens, read_vocabulary
from ..search_options import SearchOptions
from ..shown.output import Output, say_problems
from .head_files import HeadFiles

if TYPE_CHECKING:
    from ...bounds.heads.head_bound import HeadBound

__all__ = ["Readers", "bound_by_head", "head_instance", "improve_by_head", "verify_head"]

_EXCLUDED = ("min_count", "candidates", "protected", "weights", "groups")


@dataclass(frozen=True)
class Readers:
    """Who reads the words, apart from this thread.

    Attributes
    ----------
    engine : str
        What the workers are.
    scratch : str or None
        A folder that all see.
    """

    engine: str
    scratch: str | None

    def refuse(self, *names: str) -> None:
        """Refuses options that have no effect without a head."""
        context = click.get_current_context()
        for name in ("engine", "scratch", *names):
            if context.get_parameter_source(name) is not ParameterSource.DEFAULT:
                raise click.UsageError(
                    f"--{name} is for the words outside of a head (--head N): leave it out"
                )

    def beside(self, path: str | None) -> Readers:
        """Returns the same with the folder of a file, where no other is given."""
        if self.scratch is not None or path in (None, "-"):
            return self
        return replace(self, scratch=str(Path(path).parent))

    @contextmanager
    def started(self, workers: int) -> Iterator[Executor | None]:
        """Yields the workers; None where this thread is enough."""
        if workers == 1 and self.engine in ("threads", "processes"):
            yield None
            return
        with executor_of(self.engine, workers) as executor:
            yield executor


def bound_by_head(
    out: Output,
    source: InstanceSource,
    head: int,
    vocab: str | None,
    readers: Readers,
    **limits: Any,
) -> int:
    """Bounds all words of a file by prices of the most frequent ones, and shows the bound."""
    from ...bounds.heads.head_bound import head_bound

    readers = readers.beside(out.path)
    with readers.started(out.threads) as executor:
        with out.progress("bound") as progress:
            words, conditions = _read(source, head, executor, readers)
            vocabulary = None if vocab is None else read_vocabulary(vocab, words.head.symbols)
            bound = head_bound(
                words,
                _budget(source),
                head=head,
                vocabulary=vocabulary,
                threads=out.threads,
                progress=progress,
                **conditions,
                **limits,
            )
        HeadFiles(out, out.path, words, bound.head, source.name).finish(bound)
    data = bound.to_json()
    out.show(data, facts({key: value for key, value in data.items() if key != "policy"}))
    return EXIT_INTERRUPTED if bound.termination == "interrupted" else 0


def improve_by_head(
    out: Output, source: InstanceSource, search: SearchOptions, head: int, readers: Readers
) -> int:
    """Improves a vocabulary for all words of a file, and shows it with its bound."""
    from ...bounds.heads.head_improve import head_improve

    readers = readers.beside(out.path)
    with readers.started(out.threads) as executor:
        words, conditions = _read(source, head, executor, readers)
        instance = Instance(words.head, _budget(source), **conditions)
        files = HeadFiles(out, search.write_certificate, words, instance, source.name)
        start, proof = search.starts(files.load, HeadCertificate.load)
        with search.watched(out) as progress:
            best = head_improve(
                words,
                instance.k,
                head=head,
                warm_start=start,
                start_certificate=proof,
                progress=progress,
                checkpoint=files,
                **search.limits(out),
                **conditions,
            )
        with out.saved(lambda path: best.recorded(corpus=source.name).save(path)):
            files.finish(best)
            _show_improved(out, best)
    return EXIT_INTERRUPTED if best.termination == "interrupted" else 0


def _show_improved(out: Output, best: HeadBound) -> None:
    """Shows a vocabulary for all words, and its bound."""
    data = best.to_json()
    shown = {key: value for key, value in data.items() if key != "policy"}
    parts: list[Listing | str] = [facts(shown, "improve", data)]
    if not out.no_vocabulary:
        tokens = best.vocabulary.tokens
        data["vocabulary"] = [sym.to_json(token) for token in tokens]
        parts.append("tokens: " + token_line(tokens, best.vocabulary.symbols))
    out.show(data, *parts)


def verify_head(
    out: Output, source: InstanceSource, vocab: str | None, certificate: str, readers: Readers
) -> int:
    """Checks a certificate of a head, and a vocabulary, on all words of a file."""
    from ...verification.head_check import check_head_certificate
    from ...verification.recount import recount

    proof = HeadCertificate.load(certificate)
    with readers.started(out.threads) as executor:
        words, conditions = _read(source, proof.head_words, executor, readers)
        instance = Instance(words.head, _budget(source), **conditions)
        result = check_head_certificate(instance, words, proof)
        if vocab is not None:
            vocabulary = read_vocabulary(vocab, instance.symbols)
            tokens, broken = recount(instance, vocabulary, words)
    data = result.to_json()
    data["claimed_lower_bound"] = data.pop("claimed")
    problems = [f"{certificate}: {problem}" for problem in result.problems]
    if vocab is not None:
        data["tokens"] = tokens
        problems += [f"{vocab}: {problem}" for problem in broken]
        data["ok"] &= not broken
        data["gap"] = (tokens - result.lower_bound) / max(1, tokens)
        data["proves_optimal"] = tokens == result.lower_bound
    data["problems"] = problems
    out.result(data, facts({k: v for k, v in data.items() if not isinstance(v, list)}))
    say_problems(problems)
    return 0 if data["ok"] else EXIT_VERIFICATION


def head_instance(source: InstanceSource, head: int) -> Instance:
    """Returns the instance of a head, of any budget."""
    words, conditions = _read(source, head, None, Readers("threads", None))
    return Instance(words.head, source.k or len(conditions["required"]), **conditions)


def _budget(source: InstanceSource) -> int:
    if source.k is None:
        raise InputError("-k is missing: how many tokens may be chosen?")
    return source.k


def _read(
    source: InstanceSource, head: int, executor: Executor | None, readers: Readers
) -> tuple[HeadAndTail, dict[str, Any]]:
    """Returns the words and the conditions of the options."""
    assert source.corpus is not None
    if source.corpus == "-" or source.corpus.endswith(".json"):
        raise click.UsageError(
            f"{source.corpus}: a head is of a file of counted words, which is read several times"
        )
    for name in _EXCLUDED:
        if getattr(source, name):
            raise click.UsageError(f"a head and --{name.replace('_', '-')} exclude each other")
    words = HeadAndTail.load(
        source.corpus, head, source.symbols, executor=executor, scratch=readers.scratch
    )
    tokens = {
        name: () if path is None else read_tokens(path, words.head.symbols)
        for name, path in (
            ("prefix", source.prefix),
            ("required", source.required),
            ("forbidden", source.forbidden),
        )
    }
    return words, {
        "max_length": source.max_length,
        "required": (*tokens["prefix"], *tokens["required"]),
        "forbidden": tokens["forbidden"],
    }
