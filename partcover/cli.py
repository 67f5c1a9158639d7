"""The ``partcover`` command: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

import click
from rich.text import Text

from ._version import __version__
from .corpus import WordCounts
from .errors import InputError, PartcoverError, VerificationError
from .files import check_writable, write_atomic
from .instance import Instance
from .options import (
    Output,
    instance_options,
    k_option,
    no_vocabulary_option,
    output_options,
    read_instance,
    say,
)
from .solution import Solution
from .vocabulary import Vocabulary

EXIT_USAGE = 2
EXIT_LIMIT = 3
EXIT_INFEASIBLE = 4
EXIT_NOTHING = 5
EXIT_VERIFICATION = 6
EXIT_INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command and exit with its status; errors are one line on standard error."""
    try:
        status = cli.main(arguments, prog_name="partcover", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        status = EXIT_USAGE
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "partcover"
        message = " ".join(error.format_message().split())
        say(f"{command}: {message} (see {command} --help)")
        status = EXIT_USAGE
    except VerificationError as error:
        say(f"partcover: verification failed: {error}")
        status = EXIT_VERIFICATION
    except PartcoverError as error:
        say(f"partcover: {error}")
        status = EXIT_USAGE
    except (KeyboardInterrupt, click.Abort):
        say("partcover: interrupted")
        status = EXIT_INTERRUPTED
    except MemoryError:
        say("partcover: out of memory: use fewer words (--min-count) or a smaller model")
        status = EXIT_USAGE
    except BrokenPipeError:
        sys.stderr.close()
        status = 0
    if status == EXIT_INTERRUPTED:
        # a solver that cannot be interrupted may still run in its thread: leave without it
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status or 0)


def finish(
    out: Output, solution: Solution, instance: Instance, no_vocabulary: bool, corpus: str
) -> int:
    """Write and print a solution; the exit status."""
    if out.path is not None and solution.vocabulary is not None:
        provenance = {
            "partcover": __version__,
            "corpus": Path(corpus).name,
            "corpus_sha256": instance.words.digest,
            **solution.to_json(vocabulary=False),
        }
        Vocabulary(solution.vocabulary.tokens, solution.symbols, solution.method, provenance).save(
            out.path
        )
        out.note(f"wrote {out.path}")
    if out.json:
        out.object(solution.to_json(vocabulary=not no_vocabulary))
    else:
        from .report import solution_tables

        solution_tables(out.console, solution)
    if solution.vocabulary is not None and solution.extra.get("nothing_left_to_gain"):
        out.note(
            f"nothing left to gain after {len(solution.vocabulary):,} tokens; k is {solution.k:,}"
        )
    elif instance.candidates is None and instance.k > instance.index.total:
        out.note(f"k is {instance.k:,}, and there are {instance.index.total:,} candidates")
    if solution.termination == "interrupted":
        return EXIT_INTERRUPTED
    if solution.status == "infeasible":
        return EXIT_INFEASIBLE
    if solution.status == "none":
        return EXIT_NOTHING
    if solution.termination == "error":
        out.note(f"the solver stopped: {solution.extra.get('message') or 'no reason given'}")
    if solution.termination in ("time_limit", "error") and solution.status != "optimal":
        return EXIT_LIMIT
    return 0


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="partcover")
def cli() -> None:
    """Choose at most k substrings as tokens so that a corpus needs the fewest tokens.

    \b
    partcover count book.txt -o book.tsv          text to counted words
    partcover greedtok book.tsv -k 1000 -o v.json a vocabulary, in seconds
    partcover verify book.tsv -k 1000 --vocab v.json
    partcover solve small.tsv -k 10               the proven optimum of a small instance
    partcover demo                                all of it on text that is on every machine

    Results go to standard output, remarks and progress to standard error. Exit status: 0 done;
    2 bad usage or input; 3 a limit ended it with a feasible answer; 4 infeasible; 5 a limit ended
    it with no answer; 6 verification failed; 130 interrupted, the best so far kept.
    """


@cli.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option(
    "--pretokenizer",
    default="space-prefix",
    show_default=True,
    help="How text is cut into words: space-prefix, gpt2, cl100k, o200k, first-space, space, "
    "digit, none, or several joined by '+' (first-space+digit). space-prefix:_ marks with _.",
)
@click.option("--key", default="text", show_default=True, help="Field of .jsonl and .parquet.")
@click.option(
    "--symbols", type=click.Choice(["bytes", "chars"]), default="bytes", show_default=True
)
@output_options
def count(out: Output, files: tuple[str, ...], pretokenizer: str, key: str, symbols: Any) -> int:
    """Count the words of text.

    FILE is text (.txt and any other name), .jsonl, .parquet, .gz or .zst of them, a folder, or -
    for standard input. Without -o the counted words go to standard output: one word, a tab, its
    count a line.
    """
    import time

    started = time.monotonic()
    with out.progress("counting") as report:
        words = WordCounts.from_files(
            files,
            pretokenizer=pretokenizer,
            symbols=symbols,
            key=key,
            threads=out.threads,
            progress=lambda done, of: report(done, of, f"{done / 1e6:,.0f} MB"),
        )
    seconds = time.monotonic() - started
    if out.path is not None:
        words.save(out.path)
        out.note(f"wrote {out.path}")
    elif not out.json:
        words.save("-")
    facts = {
        "words": len(words),
        "total_count": words.total_count,
        "total_symbols": words.total_symbols,
        "symbols": words.symbols,
        "pretokenizer": pretokenizer,
        "seconds": round(seconds, 6),
        "threads": out.threads,
    }
    if out.json:
        out.object(facts)
    else:
        out.note(f"{len(words):,} distinct words, {words.total_count:,} counted, {seconds:.2f} s")
    return 0


def _greedy_command(name: str, text: str) -> None:
    @k_option
    @click.option("--time-limit", type=float, metavar="SECONDS", help="Stop after this long.")
    @no_vocabulary_option
    @instance_options
    @output_options
    def command(
        out: Output,
        corpus: str,
        k: int | None,
        time_limit: float | None,
        no_vocabulary: bool,
        **options: Any,
    ) -> int:
        from . import greedy

        instance = read_instance(corpus, k, options)
        solver = getattr(greedy, name)
        with out.progress(name) as report:
            solution = solver(
                instance,
                time_limit=time_limit,
                seed=out.seed,
                threads=out.threads,
                progress=lambda done, of, cover: report(done, of, f"cover {cover:,}"),
            )
        return finish(out, solution, instance, no_vocabulary, corpus)

    command.__doc__ = text
    cli.command(name)(command)


_greedy_command(
    "greedtok",
    """GreedTok: take what covers most, k times.

    Tokens are stated under GreedTok's own rule (priority order); the fewest that the same
    vocabulary needs is beside it. Ties: the shorter token, then the lexicographically last.
    """,
)
_greedy_command(
    "greedwmc",
    """GreedWMC: tokens may overlap.

    Greedy maximum coverage: a pair counts once any chosen token lies over it. Its relaxed cover
    bounds what any k tokens can do: GreedTok's cover over it, times 1 - 1/e, is a certified
    approximation ratio of GreedTok.
    """,
)


@cli.command()
@k_option
@click.option("--solver", default="highs", show_default=True, help="highs, scip, cp-sat or cbc.")
@click.option(
    "--formulation",
    default="path",
    show_default=True,
    help="path: the exact optimum; wmc: the relaxation, its cover and the bound it gives.",
)
@click.option("--write-lp", metavar="FILE", help="Write the model as .lp, before solving.")
@click.option("--write-mps", metavar="FILE", help="Write the model as .mps, before solving.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Stop after this long.")
@click.option("--gap", type=float, default=0.0, show_default=True, help="Stop at this gap.")
@click.option(
    "--certificate",
    metavar="FILE",
    help="Write a proof that verify can check (.cert).",
)
@no_vocabulary_option
@instance_options
@output_options
def solve(
    out: Output,
    corpus: str,
    k: int | None,
    solver: str,
    formulation: str,
    write_lp: str | None,
    write_mps: str | None,
    time_limit: float | None,
    gap: float,
    certificate: str | None,
    no_vocabulary: bool,
    **options: Any,
) -> int:
    """Prove the optimum of a small instance.

    Or stop at a gap or a time limit, with the best vocabulary and the bound so far. Every answer
    is recounted independently. On a terminal the solver's log (incumbent, bound, gap, time) goes
    to standard error.
    """
    from . import exact
    from .formulation import build
    from .model_files import write_model

    instance = read_instance(corpus, k, options)
    for path in (write_lp, write_mps):
        if path is not None:
            write_model(build(instance, formulation), path)
            out.note(f"wrote {path}")
    log = None if out.quiet or not sys.stderr.isatty() else say
    if certificate is not None:
        if formulation != "path":
            raise InputError(f"--certificate proves the path formulation, not {formulation}")
        check_writable(certificate)
        return _prove(
            out,
            corpus,
            instance,
            certificate,
            no_vocabulary,
            solver=solver,
            time_limit=time_limit,
            gap=gap,
            log=log,
        )
    solution = exact.solve(
        instance,
        solver=solver,
        formulation=formulation,
        time_limit=time_limit,
        gap=gap,
        seed=out.seed,
        threads=out.threads,
        log=log,
    )
    return finish(out, solution, instance, no_vocabulary, corpus)


@cli.command()
@k_option
@click.option("--vocab", metavar="V.json", help="The vocabulary to check.")
@click.option("--certificate", metavar="P.cert", help="The proof of a lower bound to check.")
@instance_options
@output_options
def verify(
    out: Output,
    corpus: str,
    k: int | None,
    vocab: str | None,
    certificate: str | None,
    **options: Any,
) -> int:
    """Recount what a vocabulary costs and what a certificate proves, independently.

    In plain Python that shares nothing with the kernels. Of a vocabulary: the budget, required
    and forbidden tokens and candidates; and, where its file says how many tokens it needs, that
    number. Of a certificate: that it is about this instance, and the lower bound, from its prices.
    Exit status 6 if anything is wrong.
    """
    if vocab is None and certificate is None:
        raise click.UsageError("nothing to check: give --vocab V.json or --certificate P.cert")
    instance = read_instance(corpus, k, options)
    data: dict[str, Any] = {}
    problems: list[str] = []
    if vocab is not None:
        data = _check_vocabulary(instance, vocab)
        problems += [f"{vocab}: {problem}" for problem in data["problems"]]
    if certificate is not None:
        found = _check_certificate(instance, certificate, data)
        problems += [f"{certificate}: {problem}" for problem in found["problems"]]
        if vocab is None:
            data = found
        else:
            data["ok"], data["certificate"] = data["ok"] and found["ok"], found
    if out.path is not None:
        write_atomic(out.path, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
    if out.json:
        out.object(data)
    else:
        from .report import rows_table

        flat = {**data, **data.get("certificate", {}), "ok": data["ok"]}
        rows = [{"what": key.replace("_", " "), "value": value} for key, value in flat.items()]
        rows = [row for row in rows if not isinstance(row["value"], list | dict)]
        out.console.print(rows_table(rows, {"what": "", "value": ""}))
    for problem in problems:
        say(f"partcover: {problem}")
    return 0 if data["ok"] else EXIT_VERIFICATION


def _check_vocabulary(instance: Instance, path: str) -> dict[str, Any]:
    from .verify import verify as check

    vocabulary = Vocabulary.load(path)
    result = check(instance, vocabulary)
    data = result.to_json()
    claim = vocabulary.provenance
    if isinstance(claim.get("tokens"), int) and claim.get("corpus_sha256") == instance.words.digest:
        found = result.tokens_priority if claim.get("rule") == "priority" else result.tokens
        data["claimed"], data["claim_holds"] = claim["tokens"], found == claim["tokens"]
        if found != claim["tokens"]:
            data["ok"] = False
            data["problems"].append(
                f"the file claims {claim['tokens']} tokens ({claim.get('rule')}), it needs {found}"
            )
    return data


def _check_certificate(instance: Instance, path: str, vocabulary: dict[str, Any]) -> dict[str, Any]:
    """What a certificate proves; beside a checked vocabulary, how far that is from the optimum."""
    from .certificate import Certificate
    from .verify import check_certificate

    result = check_certificate(instance, Certificate.load(path))
    data = result.to_json()
    data["claimed_lower_bound"] = data.pop("claimed")
    if vocabulary.get("ok"):
        tokens = vocabulary["tokens"]
        data["gap"] = (tokens - result.lower_bound) / tokens if tokens else 0.0
        data["proves_optimal"] = tokens == result.lower_bound
    return data


@cli.command("reduce")
@click.argument("files", nargs=-1, required=True, metavar="GRAPH | I.json S.json")
@click.option("-k", "k", type=int, help="Size of the vertex cover asked for.")
@click.option("--lift", is_flag=True, help="Turn a solution S of instance I into vertices.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["edgelist", "dimacs", "pace"]),
    default="edgelist",
    show_default=True,
    help="edgelist: two names a line.",
)
@output_options
def reduce_(out: Output, files: tuple[str, ...], k: int | None, lift: bool, form: Any) -> int:
    """Turn vertex cover into tokenization, and back.

    \b
    partcover reduce graph.txt -k 3 -o I.json
    partcover solve I.json -o S.json
    partcover reduce --lift I.json S.json

    The graph has a vertex cover of k vertices exactly if some vocabulary of k tokens needs at
    most the instance's threshold, 3 tokens for each edge.
    """
    from .graphs import read_graph
    from .reduction import VertexCoverReduction, reduce_vertex_cover
    from .report import rows_table

    if lift:
        if len(files) != 2:
            raise click.UsageError("--lift takes the instance and the solution: I.json S.json")
        reduction = VertexCoverReduction.from_instance(Instance.load(files[0]))
        answer = reduction.lift(Vocabulary.load(files[1]))
        data: dict[str, Any] = {
            "vertices": list(answer.vertices),
            "size": answer.size,
            "is_vertex_cover": answer.is_vertex_cover,
            "meets_threshold": answer.meets_threshold,
        }
        if out.path is not None:
            write_atomic(out.path, json.dumps(data, ensure_ascii=False) + "\n")
        if out.json:
            out.object(data)
        else:
            row = {**data, "vertices": " ".join(map(str, data["vertices"]))}
            headings = {key: key.replace("_", " ") for key in row}
            out.console.print(rows_table([row], headings))
        return 0
    if len(files) != 1:
        raise click.UsageError("one graph is expected (or --lift I.json S.json)")
    if k is None:
        raise click.UsageError("-k is missing: how many vertices may cover the graph?")
    reduction = reduce_vertex_cover(read_graph(files[0], form), k)
    instance = reduction.instance
    if out.path is not None:
        instance.save(out.path)
        out.note(f"wrote {out.path}")
    facts = {
        "vertices": reduction.graph.number_of_nodes(),
        "edges": reduction.graph.number_of_edges(),
        "k": k,
        "words": len(instance.words),
        "candidates": len(instance.candidates or ()),
        "threshold": instance.threshold,
    }
    if out.json:
        out.object(facts)
    elif out.path is None:
        click.echo(json.dumps(instance.to_json(), ensure_ascii=False))
    else:
        out.console.print(rows_table([facts], {key: key for key in facts}))
    return 0


@cli.command()
@click.option("-k", "ks", help="Budgets, comma-separated.", metavar="K,K,…")
@click.option(
    "--methods",
    default="greedtok,greedwmc,bytes",
    show_default=True,
    help="Comma-separated: greedtok, greedwmc, solve, bytes.",
)
@click.option("--time-limit", type=float, metavar="SECONDS", help="For each run of a method.")
@click.option("--plot", metavar="FILE", help="Draw tokens per word over k (.png, .svg, .pdf).")
@instance_options
@output_options
def compare(
    out: Output,
    corpus: str,
    ks: str | None,
    methods: str,
    time_limit: float | None,
    plot: str | None,
    **options: Any,
) -> int:
    """Compare methods over several budgets.

    One row for each budget, method and segmentation rule. A bound from solve holds for every row
    of its k; d and the certified ratio need greedtok and greedwmc both.
    """
    from .compare import compare as run
    from .report import rows_table

    try:
        budgets = [int(part) for part in ks.split(",")] if ks else []
    except ValueError:
        raise click.UsageError(f"-k is {ks!r}: whole numbers with commas are expected") from None
    instance = read_instance(corpus, max(budgets) if budgets else None, options)
    with out.progress("compare") as report:
        rows = run(
            instance,
            budgets or [instance.k],
            [name.strip() for name in methods.split(",")],
            time_limit=time_limit,
            seed=out.seed,
            threads=out.threads,
            progress=lambda what: report(0, None, what),
        )
    if plot is not None:
        from .plots import plot_rows

        plot_rows(rows, plot)
        out.note(f"wrote {plot}")
    data = {
        "corpus": Path(corpus).name,
        "words": len(instance.words),
        "total_count": instance.words.total_count,
        "candidates": instance.index.total,
        "policy": instance.policy,
        "rows": rows,
    }
    if out.path is not None:
        write_atomic(out.path, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
        out.note(f"wrote {out.path}")
    if out.json:
        out.object(data)
    else:
        out.console.print(rows_table(rows, _COLUMNS))
    return 0


_COLUMNS = {
    "method": "method",
    "rule": "rule",
    "k": "k",
    "size": "size",
    "tokens": "tokens",
    "tokens_per_word": "per word",
    "lower_bound": "lower bound",
    "gap": "gap",
    "relaxed_cover": "relaxed cover",
    "d": "d",
    "certified_ratio": "certified",
    "seconds": "seconds",
}


@cli.command()
@output_options
def demo(out: Output) -> int:
    """Show it all on text that is on every machine.

    The text is the Python language reference, pydoc_data.topics: counted, tokenized greedily with
    certified ratios, solved exactly on its most frequent words; and a vertex cover, as
    tokenization and back.
    """
    from .demo import demo as run
    from .report import rows_table

    with out.progress("demo") as report:
        data = run(threads=out.threads, seed=out.seed, progress=lambda what: report(0, None, what))
    if out.path is not None:
        write_atomic(out.path, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
    if out.json:
        out.object(data)
        return 0
    console = out.console
    corpus, exact, graph = data["corpus"], data["exact"], data["vertex_cover"]
    console.print(Text(f"1. Real text: {corpus['text']}", style="bold"))
    console.print(
        f"{corpus['bytes']:,} bytes, {corpus['words']:,} distinct words, "
        f"{corpus['total_count']:,} counted; {corpus['candidates']:,} candidate tokens: every "
        "substring of every word.\n"
    )
    console.print(Text("2. GreedTok and GreedWMC on all of it", style="bold"))
    left_out = ("size", "lower_bound", "gap", "relaxed_cover", "seconds")
    columns = {key: value for key, value in _COLUMNS.items() if key not in left_out}
    console.print(rows_table(data["greedy"], columns))
    console.print(
        "d is GreedTok's cover over GreedWMC's relaxed cover: GreedTok covers at least "
        "d·(1 − 1/e), the column 'certified', of what any vocabulary of k tokens covers.\n"
    )
    console.print(
        Text(f"3. The optimum for the {exact['words']} most frequent words", style="bold")
    )
    columns = {"method": "method", "tokens": "tokens", "cover": "cover", "ratio": "ratio"}
    console.print(rows_table(exact["rows"], columns))
    console.print(
        f"k = {exact['k']}, {exact['candidates']:,} candidates: {exact['status']}, lower bound "
        f"{exact['lower_bound']:,}, {'confirmed' if exact['verified'] else 'NOT confirmed'} by "
        f"the independent check, {exact['seconds']:.1f} s. Certified for GreedTok without the "
        f"optimum: {exact['certified_ratio']:.4f}.\n"
    )
    console.print(Text("4. Vertex cover as tokenization, and back", style="bold"))
    console.print("Edges: " + "  ".join(f"{a}–{b}" for a, b in graph["edges"]))
    rows = graph["rows"]
    console.print(rows_table(rows, {key: key.replace("_", " ") for key in rows[0]}))
    console.print(
        "k tokens that need at most 3 tokens an edge are a vertex cover of k vertices, and the "
        "other way round."
    )
    return 0


def _prove(
    out: Output,
    corpus: str,
    instance: Instance,
    path: str,
    no_vocabulary: bool,
    **options: Any,
) -> int:
    """``solve --certificate``."""
    from .prove import prove

    solution, certificate = prove(instance, seed=out.seed, threads=out.threads, **options)
    certificate.save(path)
    out.note(f"wrote {path}: it proves that at least {certificate.lower_bound:,} tokens are needed")
    if solution.status == "optimal" and certificate.lower_bound != solution.tokens:
        out.note("the solver claims an optimum that the certificate does not reach")
    return finish(out, solution, instance, no_vocabulary, corpus)


@cli.group("instances")
def instances_() -> None:
    """The instances that come with partcover.

    Each has its words, its best known vocabulary and a lower bound that a certificate proves.
    """


@instances_.command("list")
@output_options
def instances_list(out: Output) -> int:
    """What instances there are, and what is known of their optima."""
    from . import library
    from .report import rows_table

    rows = [library.entry(name).facts() for name in library.names()]
    if out.path is not None:
        write_atomic(out.path, json.dumps({"instances": rows}, ensure_ascii=False, indent=1) + "\n")
        out.note(f"wrote {out.path}")
    if out.json:
        out.object({"instances": rows})
    else:
        columns = {
            "name": "name",
            "family": "family",
            "symbols": "alphabet",
            "words": "words",
            "total_symbols": "symbols",
            "candidates": "candidates",
            "k": "k",
            "tokens": "best",
            "lower_bound": "lower bound",
            "proven": "proven",
        }
        out.console.print(rows_table(rows, columns))
    return 0


@instances_.command("show")
@click.argument("name")
@output_options
def instances_show(out: Output, name: str) -> int:
    """One instance: words, best vocabulary and source; -o writes its instance file."""
    from . import library
    from . import symbols as sym
    from .report import rows_table

    entry = library.entry(name)
    instance, facts = entry.instance, entry.facts()
    if out.path is not None:
        instance.save(out.path)
        out.note(f"wrote {out.path}")
    if out.json:
        out.object(
            {
                **facts,
                "policy": instance.policy,
                "counted_words": [[sym.to_json(word), count] for word, count in instance.words],
                "vocabulary": entry.best.vocabulary,
                "source": {key: v for key, v in instance.source.items() if key != "best"},
            }
        )
        return 0
    rows = [{"what": key.replace("_", " "), "value": value} for key, value in facts.items()]
    origin = instance.source.get("from")
    rows += [{"what": f"policy: {key}", "value": value} for key, value in instance.policy.items()]
    out.console.print(rows_table(rows, {"what": "", "value": ""}))
    first = [f"{sym.show(word)} ×{count}" for word, count in instance.words][:40]
    if len(instance.words) > len(first):
        first.append(f"… and {len(instance.words) - len(first):,} more")
    out.console.print(Text(f"from: {origin}"), soft_wrap=True)
    out.console.print(Text("words: " + "  ".join(first)), soft_wrap=True)
    tokens = "  ".join(map(sym.show, entry.vocabulary))
    out.console.print(Text(f"best vocabulary: {tokens}"), soft_wrap=True)
    return 0


@instances_.command("check")
@click.argument("names", nargs=-1, metavar="[NAME…]")
@output_options
def instances_check(out: Output, names: tuple[str, ...]) -> int:
    """Check every claim of the instances, without any solver.

    The words' hash, what the best vocabulary needs, the lower bound by its certificate, and
    whether they meet. Exit status 6 if anything is wrong.
    """
    from . import library

    entries = [library.entry(name) for name in names or library.names()]
    wrong: dict[str, list[str]] = {}
    with out.progress("check") as report:
        for number, entry in enumerate(entries):
            report(number, len(entries), entry.name)
            try:
                problems = entry.problems()
            except PartcoverError as error:
                problems = [str(error)]
            if problems:
                wrong[entry.name] = problems
    data = {"checked": len(entries), "ok": not wrong, "problems": wrong}
    if out.path is not None:
        write_atomic(out.path, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
    if out.json:
        out.object(data)
    else:
        click.echo(f"{len(entries) - len(wrong)} of {len(entries)} instances confirmed")
    for name, problems in wrong.items():
        for problem in problems:
            say(f"partcover: {name}: {problem}")
    return EXIT_VERIFICATION if wrong else 0
