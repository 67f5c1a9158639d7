"""Bounds by a head of the words, and checks of such certificates, for their commands."""

from __future__ import annotations

from itertools import chain
from typing import Any

import click

from ..corpus.head_and_tail import HeadAndTail
from ..errors import InputError
from ..problem.head_certificate import HeadCertificate
from ..problem.instance import Instance
from ..report.tables import facts
from .exit_status import EXIT_INTERRUPTED, EXIT_VERIFICATION
from .inputs import InstanceSource, read_tokens, read_vocabulary
from .output import Output, say

__all__ = ["bound_by_head", "verify_head"]

_EXCLUDED = ("min_count", "candidates", "protected", "weights", "groups")


def bound_by_head(
    out: Output,
    source: InstanceSource,
    head: int,
    vocab: str | None,
    **limits: Any,
) -> int:
    """Bounds all words of a file by prices of the most frequent ones, and shows the bound."""
    from ..bounds.head_bound import head_bound

    words, conditions = _read(source, head)
    vocabulary = None if vocab is None else read_vocabulary(vocab, words.head.symbols)
    with out.progress("bound") as progress:
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
    if out.path is not None:
        bound.certificate.save(out.path)
        out.wrote(out.path)
    data = bound.to_json()
    out.show(data, facts({key: value for key, value in data.items() if key != "policy"}))
    return EXIT_INTERRUPTED if bound.termination == "interrupted" else 0


def verify_head(out: Output, source: InstanceSource, vocab: str | None, certificate: str) -> int:
    """Checks a certificate of a head, and a vocabulary, on all words of a file."""
    from ..verification.head_check import check_head_certificate
    from ..verification.recount import recount

    proof = HeadCertificate.load(certificate)
    words, conditions = _read(source, proof.head_words)
    instance = Instance(words.head, _budget(source), **conditions)
    result = check_head_certificate(instance, words, proof)
    data = result.to_json()
    data["claimed_lower_bound"] = data.pop("claimed")
    problems = [f"{certificate}: {problem}" for problem in result.problems]
    if vocab is not None:
        vocabulary = read_vocabulary(vocab, instance.symbols)
        everything = chain(words.head, words.tail())
        data["tokens"], broken = recount(instance, vocabulary, everything)
        problems += [f"{vocab}: {problem}" for problem in broken]
        data["ok"] &= not broken
        data["gap"] = (data["tokens"] - result.lower_bound) / max(1, data["tokens"])
        data["proves_optimal"] = data["tokens"] == result.lower_bound
    data["problems"] = problems
    out.result(data, facts({k: v for k, v in data.items() if not isinstance(v, list)}))
    for problem in problems:
        say(f"partcover: {problem}")
    return 0 if data["ok"] else EXIT_VERIFICATION


def _budget(source: InstanceSource) -> int:
    if source.k is None:
        raise InputError("-k is missing: how many tokens may be chosen?")
    return source.k


def _read(source: InstanceSource, head: int) -> tuple[HeadAndTail, dict[str, Any]]:
    """Returns the words and the conditions of the options."""
    assert source.corpus is not None
    if source.corpus == "-" or source.corpus.endswith(".json"):
        raise click.UsageError(
            f"{source.corpus}: a head is of a file of counted words, which is read several times"
        )
    for name in _EXCLUDED:
        if getattr(source, name):
            raise click.UsageError(f"a head and --{name.replace('_', '-')} exclude each other")
    words = HeadAndTail.load(source.corpus, head, source.symbols)
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
