"""Implements the command ``verify``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

import partcover as pc

from ....report.tables.listing import Listing, columns_of, facts, labeled
from ....runtime.files.kinds import kind_of
from ....runtime.progress import gap_of
from ...base_files import note_other_than_utf8, read_corpus
from ...command import Options, command
from ...declared import is_given
from ...exit_status import EXIT_VERIFICATION
from ...inputs import InstanceSource, note_other_words, read_certificate, read_vocabulary
from ...shown.output import Output, say_problems

if TYPE_CHECKING:
    from ....verification.recount import Verification

_CHECKED_WITH = {
    "extend": "to check a vocabulary of `extend`, give its text and leave out -k",
    "prune": "to check a vocabulary of `prune`, give the instance of --write-instance",
}


@command("verify")
def verify_command(out: Output, source: InstanceSource, answer: Options) -> int:
    """Check a vocabulary and a certificate independently.

    `verify` recounts the tokens that the vocabulary needs and the bound that the certificate
    proves, in Python code that shares nothing with the compiled code. It checks all conditions of
    the instance, the token count that the vocabulary's file claims, and each cutting plane of the
    certificate. The gap uses the vocabulary's own segmentation rule. Exit status 6 if anything is
    wrong.

    For a vocabulary of `extend`, leave out -k and give the corpus as for `extend`: text, a
    directory, or word counts. For a vocabulary of `prune`, give the instance of --write-instance.
    If that instance allows only tokens that merges can build, `verify` checks the merges, too.

    Options:
    corpora
    --vocab <V.json|FILE: Vocabulary to check: a vocabulary file, one token per line, or a solver's
      .sol file.
    --model <M.mps|M.lp: Model of the .sol file, written by solve --write-model.
    --certificate <P.cert: Certificate of a lower bound to check.
    --keep <FILE...: The --keep text of `extend`, if --keep-weight was given.
    --engine ENGINE = processes: How to run the N workers of --threads, which check a certificate of
      bound --head.
    -k, --minimax, --reference, --key, --all-files, conditions, --scratch, --threads, -o, tables
    $ partcover verify book.tsv -k 1000 --vocab v.json --certificate p.cert
    $ partcover verify book.tsv -k 1000 --certificate p.cert --json  # check only the bound
    $ partcover verify de.tsv en.tsv -k 1000 --minimax --certificate m.cert
    $ partcover verify law/ --vocab new.json --certificate new.cert  # check the result of extend
    """
    vocab, model, certificate = answer.vocab, answer.model, answer.certificate
    if vocab is None and certificate is None:
        raise click.UsageError("nothing to check: give --vocab V.json or --certificate P.cert")
    if model is not None and not (vocab or "").endswith(".sol"):
        raise click.UsageError("--model needs a solver's .sol file: --vocab S.sol")
    proof = read_certificate(certificate)
    extended = _extended(source, vocab)
    if extended is not None:
        source.refuse_readers("threads")
        asked = _extended_instances(out, source.corpora, extended, answer)
        return _verified(out, asked, answer, proof)
    for name in filter(is_given, ("keep", "key", "all_files")):
        option = f"--{name.replace('_', '-')}"
        raise click.UsageError(
            f"{option} is for a vocabulary of `extend`: leave out {option}, or leave out -k"
        )
    head = None if proof is None or proof.tail is None else proof.tail.head_words
    if head is not None and model is not None:
        raise click.UsageError("a certificate of a head and --model exclude each other")
    if head is None:
        source.refuse_readers("threads")
    with replace(source, head=head).opened(out) as instance:
        return _verified(out, (instance, instance), answer, proof)


def _extended(source: InstanceSource, path: str | None) -> pc.Vocabulary | None:
    """Returns the vocabulary of a file that says how it was extended, if nothing else does.

    With an instance file, a budget, candidates or other options, the instance is what these say.
    """
    if (
        path is None
        or source.corpus is None
        or source
        != InstanceSource(corpora=source.corpora, engine=source.engine, scratch=source.scratch)
    ):
        return None
    if kind_of(path) != "vocabulary" or kind_of(source.corpus) == "instance":
        return None
    vocabulary = pc.Vocabulary.load(path)
    said = vocabulary.method == "extend" and "m" in vocabulary.provenance
    return vocabulary if said else None


def _extended_instances(
    out: Output, corpus: Sequence[str], vocabulary: pc.Vocabulary, answer: Options
) -> tuple[pc.Instance, pc.Instance]:
    """Reads the corpora of an extension; returns the instances of the vocabulary and its bound."""
    reading = {"key": answer.key, "all_files": answer.all_files}
    words, kept = (
        read_corpus(out, vocabulary, files, **reading) if files else None
        for files in (corpus, answer.keep)
    )
    assert words is not None
    note_other_than_utf8(out, [*corpus, *answer.keep], all_files=answer.all_files)
    return pc.extension_instances(vocabulary, words, keep=kept)


def _verified(
    out: Output,
    asked: tuple[pc.Instance, pc.Instance],
    answer: Options,
    proof: pc.Certificate | None,
) -> int:
    """Checks a vocabulary and a certificate, shows what is found, returns the exit status.

    `asked` has the instance of each; only those of `extend` differ.
    """
    data: dict[str, Any] = {}
    problems: list[str] = []
    instance, vocab = asked[0], answer.vocab
    if vocab is not None:
        data = _check_vocabulary(out, instance, vocab, answer.model)
        problems += [f"{vocab}: {problem}" for problem in data["problems"]]
    if proof is not None:
        checked = _check_certificate(asked[1], proof, data)
        if instance is asked[1]:
            checked["problems"] += _hints(instance, proof, vocab)
        problems += [f"{answer.certificate}: {problem}" for problem in checked["problems"]]
        if vocab is None:
            data = checked
        else:
            data["ok"], data["certificate"] = data["ok"] and checked["ok"], checked
    if asked[1].merges is not None:
        data["condition"] = asked[1].merges.about
    flat = {**data, **data.get("certificate", {}), "ok": data["ok"]}
    flat = {key: value for key, value in flat.items() if not isinstance(value, list | dict)}
    parts = [facts(labeled(flat))]
    if instance.corpora is not None:
        parts.insert(0, _corpora(instance.corpora, data))
    out.result(data, *parts)
    say_problems(problems)
    return 0 if data["ok"] else EXIT_VERIFICATION


def _corpora(corpora: pc.Corpora, data: dict[str, Any]) -> Listing:
    """Returns a table of the corpora, with the tokens that a vocabulary needs; adds it to data."""
    tokens = data.pop("by_corpus", None) or [None] * len(corpora)
    data["corpora"] = [
        {"name": name, "tokens": count, "reference": r, "ratio": count and count / r}
        for name, count, r in zip(corpora.names, tokens, corpora.references, strict=True)
    ]
    return Listing(data["corpora"], columns_of("name tokens reference ratio"))


def _check_vocabulary(
    out: Output, instance: pc.Instance, path: str, model: str | None
) -> dict[str, Any]:
    """Recounts a vocabulary, and compares with what its file claims."""
    from ....verification.merge_check import other_merges

    vocabulary, violation = _read_answer(instance, path, model)
    note_other_words(out, vocabulary, instance.words)
    result = pc.verify(instance, vocabulary)
    data = result.to_json()
    by_rule = _tokens_by_rule(instance, vocabulary, result)
    if by_rule is not None:
        data |= {"rule": vocabulary.rule, "tokens_by_rule": by_rule}
    problems = data["problems"]
    others = None if instance.merges is None else other_merges(vocabulary, instance.merges)
    if others is not None:
        problems.append(others)
    if violation > 1e-6:
        problems.append(f"the solution violates the model by {violation:g}")
    claim = vocabulary.provenance
    if isinstance(claim.get("tokens"), int) and claim.get("corpus_sha256") == instance.words.digest:
        tokens = result.tokens_priority if claim.get("rule") == "priority" else result.tokens
        if claim.get("rule") == vocabulary.rule and by_rule is not None:
            tokens = by_rule
        data["claimed"], data["claim_holds"] = claim["tokens"], tokens == claim["tokens"]
        if tokens != claim["tokens"]:
            problems.append(
                f"the file claims {claim['tokens']} tokens ({claim.get('rule')}), but it needs "
                f"{tokens}"
            )
        problems += _false_claims(instance, claim.get("corpora"), result.by_corpus)
    data["ok"] = not problems
    return data


def _false_claims(instance: pc.Instance, rows: Any, tokens: Sequence[int]) -> list[str]:
    """Returns a line for each corpus whose tokens the vocabulary's file states otherwise."""
    if instance.corpora is None or not isinstance(rows, list):
        return []
    claimed = [row.get("tokens") if isinstance(row, dict) else None for row in rows]
    return [
        f"the file claims {stated} tokens for {name}, but it needs {count}"
        for name, stated, count in zip(instance.corpora.names, claimed, tokens, strict=False)
        if stated != count
    ]


def _tokens_by_rule(
    instance: pc.Instance, vocabulary: pc.Vocabulary, result: Verification
) -> int | None:
    """Recounts the tokens by a vocabulary's own rule; None where that is the shortest path."""
    from ....verification.rule_recount import COUNTED, tokens_by_rule

    if vocabulary.rule == "priority":
        return result.tokens_priority
    if vocabulary.rule not in COUNTED or vocabulary.symbols != instance.symbols:
        return None
    return tokens_by_rule(instance.tail or instance.words, vocabulary)


def _hints(instance: pc.Instance, certificate: pc.Certificate, vocab: str | None) -> list[str]:
    """Says what to check a vocabulary with, where a certificate is not for the given instance."""
    from ....verification.certificate_check import mismatches

    if vocab is None or kind_of(vocab) != "vocabulary" or not mismatches(instance, certificate):
        return []
    method = read_vocabulary(vocab, instance.symbols).method
    return [_CHECKED_WITH[method]] if method in _CHECKED_WITH else []


def _check_certificate(
    instance: pc.Instance, certificate: pc.Certificate, vocabulary: dict[str, Any]
) -> dict[str, Any]:
    """Checks a certificate; with the data of a checked vocabulary, states the gap between them."""
    result = pc.check_certificate(instance, certificate)
    data = result.to_json()
    data["claimed_lower_bound"] = data.pop("claimed")
    if vocabulary.get("ok") and data["ok"]:
        needed = vocabulary.get("tokens_by_rule", vocabulary["tokens"])
        if instance.corpora is not None:
            needed = Fraction(vocabulary["worst_exact"])
        data["gap"] = gap_of(needed, result.lower_bound)
        data["proves_optimal"] = needed == result.lower_bound
    return data


def _read_answer(
    instance: pc.Instance, path: str, model_path: str | None
) -> tuple[pc.Vocabulary, float]:
    """Reads an answer of any form; returns its vocabulary and by how much it breaks the model."""
    if not path.endswith(".sol"):
        return read_vocabulary(path, instance.symbols), 0.0
    from ....exact.formulations.build import build
    from ....exact.model_files import check_model, read_head, read_solution

    if model_path is None:
        raise click.UsageError("a .sol file needs its model: add --model M.mps")
    head = read_head(model_path)
    model = build(instance, head.formulation, sense=head.sense, goal=head.goal)
    model = model.relaxed() if head.relaxed else model
    check_model(model, model_path)
    values, _ = read_solution(model, path)
    return pc.Vocabulary(model.chosen(values), instance.symbols), model.violation(values)
