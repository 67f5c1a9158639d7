"""The ``partcover`` command: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import click
from rich.text import Text

from . import symbols as sym
from ._version import __version__
from .corpus import WordCounts
from .errors import InputError, PartcoverError, VerificationError
from .files import check_writable, write_atomic
from .instance import Instance
from .options import (
    Output,
    candidate_options,
    instance_options,
    k_option,
    no_vocabulary_option,
    output_options,
    parse_budgets,
    read_instance,
    read_tokens,
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
    partcover improve book.tsv -k 1000 --time-limit 30
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
@click.option(
    "--solver",
    help="highs (the default), scip, cp-sat or cbc; for a relaxation also glop (its default) or "
    "pdlp. See partcover solvers.",
)
@click.option(
    "--formulation",
    default="path",
    show_default=True,
    help="path or occurrence: the exact optimum; wmc: the relaxation, its cover and the bound it "
    "gives; printed: the paper's equations, which are not the problem.",
)
@click.option("--sense", type=click.Choice(["min", "max"]), help="Fewest tokens, or most cover.")
@click.option(
    "--goal",
    type=click.Choice(["tokens", "decision", "size"]),
    default="tokens",
    show_default=True,
    help="tokens: the fewest; decision: do k tokens meet the threshold? size: the fewest chosen "
    "tokens that do (-k, if given, is the most).",
)
@click.option("--threshold", type=int, metavar="L", help="How many tokens may be needed.")
@click.option("--relaxation", is_flag=True, help="Solve the linear relaxation only.")
@click.option("--start", metavar="V.json", help="A vocabulary to start from.")
@click.option("--write-lp", metavar="FILE", help="Write the model as .lp, before solving.")
@click.option("--write-mps", metavar="FILE", help="Write the model as .mps, before solving.")
@click.option("--log", "show_log", is_flag=True, help="The solver's own log on standard error.")
@click.option("--events", metavar="FILE", help="A JSON line for each new incumbent or bound.")
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
    solver: str | None,
    formulation: str,
    sense: Any,
    goal: Any,
    threshold: int | None,
    relaxation: bool,
    start: str | None,
    write_lp: str | None,
    write_mps: str | None,
    show_log: bool,
    events: str | None,
    time_limit: float | None,
    gap: float,
    certificate: str | None,
    no_vocabulary: bool,
    **options: Any,
) -> int:
    """Prove the optimum of a small instance.

    Or stop at a gap or a time limit, with the best vocabulary and the bound so far. Every answer
    is recounted independently. On a terminal each new incumbent and bound goes to standard error.
    """
    from . import exact
    from .formulation import build
    from .model_files import write_model

    if goal != "tokens" and (relaxation or start or gap or certificate):
        raise click.UsageError(
            f"--goal {goal} excludes --relaxation, --start, --gap and --certificate"
        )
    if ((relaxation or certificate) and (start or events)) or (relaxation and certificate):
        raise click.UsageError(
            "--relaxation and --certificate exclude each other, --start and --events"
        )
    if certificate is not None and formulation != "path":
        raise click.UsageError(f"--certificate proves the path formulation, not {formulation}")
    instance = read_instance(corpus, k, options, free=goal == "size")
    if threshold is not None:
        instance = replace(instance, threshold=threshold)
    for path in (write_lp, write_mps):
        if path is not None:
            model = build(instance, formulation, sense=sense, goal=goal)
            write_model(model.relaxed() if relaxation else model, path)
            out.note(f"wrote {path}")
    common: dict[str, Any] = {
        "solver": solver or ("glop" if relaxation else "highs"),
        "formulation": formulation,
        "time_limit": time_limit,
        "seed": out.seed,
        "threads": out.threads,
        "log": say if show_log else None,
    }
    if certificate is not None:
        return _prove(out, corpus, instance, certificate, no_vocabulary, gap=gap, **common)
    if relaxation:
        return _relaxation(out, exact.relax(instance, sense=sense, **common))
    with out.events(events, show=not show_log) as progress:
        if goal == "tokens":
            solution = exact.solve(
                instance,
                sense=sense,
                start=None if start is None else Vocabulary.load(start),
                gap=gap,
                progress=progress,
                **common,
            )
        elif goal == "decision":
            _, solution = exact.decide(instance, progress=progress, **common)
        else:
            solution = exact.smallest(instance, progress=progress, **common)
    status = finish(out, solution, instance, no_vocabulary, corpus)
    if goal != "tokens" and solution.extra["meets_threshold"] is False:
        from .conflicts import conflict

        reasons = conflict(instance, solver=common["solver"], time_limit=time_limit)
        if reasons:
            out.note(f"these requirements conflict: {'; '.join(reasons)}")
    return status


def _relaxation(out: Output, found: Any) -> int:
    rows, variables = found.model.shape
    data = {
        "formulation": found.formulation,
        "solver": found.solver,
        "rows": rows,
        "variables": variables,
        "nonzeros": found.model.nonzeros,
        "tokens": found.tokens,
        "cover": found.cover,
        "fractional": found.fractional,
        "termination": found.termination,
        "seconds": round(found.seconds, 6),
        "x": [
            [sym.to_json(token), value]
            for token, value in zip(found.model.tokens, found.x.tolist(), strict=False)
            if value > 1e-9
        ],
    }
    if out.path is not None:
        write_atomic(out.path, json.dumps(data, ensure_ascii=False) + "\n")
        out.note(f"wrote {out.path}")
    if out.json:
        out.object(data)
    else:
        from .report import facts_table

        out.console.print(facts_table({key: data[key] for key in data if key != "x"}))
    return EXIT_NOTHING if found.tokens is None else 0


@cli.command()
@output_options
def solvers(out: Output) -> int:
    """Say which solvers there are, and what each supports."""
    from .report import rows_table
    from .solvers import features

    rows = features()
    if out.path is not None:
        write_atomic(out.path, json.dumps({"rows": rows}) + "\n")
    if out.json:
        out.object({"rows": rows})
    else:
        out.console.print(rows_table(rows, {key: key for key in rows[0]}))
    return 0


@cli.command()
@k_option
@click.option(
    "--vocab",
    metavar="V.json|FILE",
    help="The vocabulary to check; or tokens, one a line; or a solver's .sol for a model file.",
)
@click.option(
    "--model",
    metavar="M.mps|M.lp",
    help="The model file that a .sol belongs to, as solve --write-mps or --write-lp wrote it.",
)
@click.option("--certificate", metavar="P.cert", help="The proof of a lower bound to check.")
@instance_options
@output_options
def verify(
    out: Output,
    corpus: str,
    k: int | None,
    vocab: str | None,
    model: str | None,
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
        data = _check_vocabulary(instance, vocab, model)
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


def _check_vocabulary(instance: Instance, path: str, model: str | None) -> dict[str, Any]:
    from .verify import verify as check

    vocabulary, broken = _read_answer(instance, path, model)
    result = check(instance, vocabulary)
    data = result.to_json()
    if broken > 1e-6:
        data["ok"] = False
        data["problems"].append(f"the solution breaks the model, by {broken:g}")
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


def _read_answer(instance: Instance, path: str, model_path: str | None) -> tuple[Vocabulary, float]:
    """A vocabulary from any of the forms that an answer comes in; by how much it is broken."""
    if not path.endswith(".sol"):
        if model_path is not None:
            raise click.UsageError("--model goes with a solver's .sol")
        if path.endswith(".json"):
            return Vocabulary.load(path), 0.0
        return Vocabulary(read_tokens(path, instance.symbols), instance.symbols), 0.0
    from .formulation import build
    from .model_files import check_model, read_head, read_solution

    if model_path is None:
        raise click.UsageError("a .sol needs the model it solves: --model M.mps")
    head = read_head(model_path)
    model = build(instance, head.formulation, sense=head.sense, goal=head.goal)
    model = model.relaxed() if head.relaxed else model
    check_model(model, model_path)
    values, _ = read_solution(model, path)
    return Vocabulary(model.chosen(values), instance.symbols), model.violation(values)


@cli.command("reduce")
@click.argument("files", nargs=-1, required=True, metavar="GRAPH | F.cnf | I.json S.json")
@click.option(
    "--problem",
    type=click.Choice(["vertex-cover", "max-2-sat", "max-2-sat-bottom-up"]),
    default="vertex-cover",
    show_default=True,
    help="What is turned into tokenization; bottom-up chooses merges.",
)
@click.option("-k", "k", type=int, help="Size of the vertex cover asked for.")
@click.option("--satisfied", type=int, help="Satisfied clauses asked for (max-2-sat).")
@click.option("--lift", is_flag=True, help="Turn a solution S of instance I back.")
@click.option(
    "--draw", metavar="FILE", help="Draw the problem beside its words (.svg, .png, .pdf)."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["edgelist", "dimacs", "pace"]),
    default="edgelist",
    show_default=True,
    help="Of a graph; edgelist: two names a line.",
)
@output_options
def reduce_(out: Output, files: tuple[str, ...], lift: bool, **options: Any) -> int:
    """Turn vertex cover or max-2-SAT into tokenization, and back.

    \b
    partcover reduce graph.txt -k 3 -o I.json
    partcover solve I.json -o S.json
    partcover reduce --lift I.json S.json
    partcover reduce graph.txt -k 3 --draw figure.svg
    partcover reduce F.cnf --problem max-2-sat --satisfied 7 -o I.json

    The graph has a vertex cover of k vertices exactly if some vocabulary of k tokens needs at
    most the instance's threshold, 3 tokens for each edge.  Likewise for clauses that can be
    satisfied at once, and in the bottom-up problem for k merges: there S.json is a list of
    pairs of tokens, the merges in their order.
    """
    return _lift(out, files, options["draw"]) if lift else _reduce(out, files, **options)


@cli.command()
@click.option("-k", "ks", help="Budgets: 10,20 or 1-5.", metavar="K,K,…")
@click.option(
    "--methods",
    default="greedtok,greedwmc,bytes",
    show_default=True,
    help="Comma-separated: greedtok, greedwmc, improve, solve, bytes.",
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

    budgets = parse_budgets(ks)
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


def _reduce(
    out: Output,
    files: tuple[str, ...],
    problem: str,
    k: int | None,
    satisfied: int | None,
    draw: str | None,
    form: Any,
) -> int:
    """A graph or a formula to an instance."""
    from .formulas import read_formula
    from .graphs import read_graph
    from .reduction import (
        BottomUpReduction,
        Reduction,
        reduce_max_2_sat,
        reduce_max_2_sat_bottom_up,
        reduce_vertex_cover,
    )
    from .report import rows_table

    if len(files) != 1:
        raise click.UsageError("one graph or formula is expected (or --lift I.json S.json)")
    reduction: Reduction
    if problem == "vertex-cover":
        if satisfied is not None:
            raise click.UsageError("--satisfied is for --problem max-2-sat; a vertex cover has -k")
        if k is None:
            raise click.UsageError("-k is missing: how many vertices may cover the graph?")
        reduction = reduce_vertex_cover(read_graph(files[0], form), k)
    else:
        if k is not None:
            raise click.UsageError(f"-k is for vertex covers; {problem} has --satisfied")
        if satisfied is None:
            raise click.UsageError("--satisfied is missing: how many clauses are asked for?")
        make = reduce_max_2_sat if problem == "max-2-sat" else reduce_max_2_sat_bottom_up
        reduction = make(read_formula(files[0]), satisfied)
    if draw is not None:
        from .drawing import check_drawing, draw_reduction
        from .exact import solve as run

        if isinstance(reduction, BottomUpReduction):
            raise click.UsageError(
                "merges are not solved for: draw with reduce --lift I.json MERGES.json --draw FILE"
            )
        check_drawing(reduction, draw)
        answer = run(reduction.instance, seed=out.seed, threads=out.threads)
        if answer.vocabulary is None:
            raise click.UsageError(f"{files[0]}: no vocabulary was found to draw")
        draw_reduction(reduction, answer.vocabulary, draw)
        out.note(f"wrote {draw}")
    instance = reduction.instance
    if out.path is not None:
        instance.save(out.path)
        out.note(f"wrote {out.path}")
    facts = reduction.facts()
    if out.json:
        out.object(facts)
    elif out.path is None and draw is None:
        click.echo(json.dumps(instance.to_json(), ensure_ascii=False))
    else:
        out.console.print(rows_table([facts], {key: key for key in facts}))
    return 0


def _lift(out: Output, files: tuple[str, ...], draw: str | None) -> int:
    """An instance and its answer to what the answer says about the graph or formula."""
    from .reduction import reduction_of
    from .report import rows_table

    if len(files) != 2:
        raise click.UsageError("--lift takes the instance and the solution: I.json S.json")
    reduction = reduction_of(Instance.load(files[0]))
    answer = reduction.load_answer(files[1])
    data = reduction.lift(answer).to_json()
    if draw is not None:
        from .drawing import draw_reduction

        draw_reduction(reduction, answer, draw)
        out.note(f"wrote {draw}")
    if out.path is not None:
        write_atomic(out.path, json.dumps(data, ensure_ascii=False) + "\n")
    if out.json:
        out.object(data)
    else:
        row = dict(data)
        if "vertices" in row:
            row["vertices"] = " ".join(map(str, data["vertices"]))
        else:
            row["assignment"] = " ".join(
                name if value else f"¬{name}" for name, value in data["assignment"].items()
            )
        out.console.print(rows_table([row], {key: key.replace("_", " ") for key in row}))
    return 0


@cli.command("generate")
@click.argument("name", required=False)
@click.argument("size", type=int, required=False)
@click.option("-k", "k", type=int, help="The budget; each family has its own default.")
@click.option("--list", "list_", is_flag=True, help="Print the families.")
@output_options
def generate_(out: Output, name: str | None, size: int | None, k: int | None, list_: bool) -> int:
    """Make an instance of a family: NAME, SIZE and the seed say it all.

    \b
    partcover generate --list
    partcover generate cubic 20 --seed 7 -o I.json
    partcover solve I.json

    The instance file says family, size and seed under "source".  Without -o the instance is
    printed.
    """
    from .families import FAMILIES, generate
    from .report import rows_table

    if list_:
        rows = [
            {
                "name": family.name,
                "about": family.about,
                "sizes": "{}–{}".format(*family.sizes),
                "k": family.k,
                "random": family.random,
                "from": family.paper,
            }
            for family in FAMILIES.values()
        ]
        if out.json:
            out.object({"families": rows})
        else:
            columns = ("name", "about", "sizes", "k", "random")
            out.console.print(rows_table(rows, {key: key for key in columns}))
        return 0
    if name is None or size is None:
        raise click.UsageError("NAME and SIZE are expected (or --list)")
    instance = generate(name, size, out.seed, k)
    if out.path is not None:
        instance.save(out.path)
        out.note(f"wrote {out.path}")
    facts = {
        "family": name,
        "size": size,
        "seed": out.seed,
        "k": instance.k,
        "words": len(instance.words),
        "total_count": instance.words.total_count,
        "threshold": instance.threshold,
    }
    if out.json:
        out.object(facts)
    elif out.path is None:
        click.echo(json.dumps(instance.to_json(), ensure_ascii=False))
    else:
        out.console.print(rows_table([facts], {key: key.replace("_", " ") for key in facts}))
    return 0


@cli.command()
@click.argument("corpora", nargs=-1, required=True, metavar="C.tsv|I.json…")
@click.option("-k", "ks", help="Budgets: 1,2,5 or 1-10.", metavar="K,K,…")
@click.option("--solver", default="highs", show_default=True, help="highs, scip, cp-sat or cbc.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="For each solve, three a row.")
@click.option("--plot", metavar="FILE", help="Draw the ratios over k (.png, .svg, .pdf).")
@click.option("--csv", metavar="FILE", help="Write the rows as CSV.")
@candidate_options
@output_options
def ratio(
    out: Output,
    corpora: tuple[str, ...],
    ks: str | None,
    solver: str,
    time_limit: float | None,
    plot: str | None,
    csv: str | None,
    **options: Any,
) -> int:
    """Measure how near to the optimum greedy comes.

    One row for each instance and budget: GreedTok's cover over the optimum's, beside the ratio
    that GreedWMC certifies without the optimum, and what the relaxations allow. Where a limit
    left the optimum open, ratios are stated as at least (≥) what the bound proves. Exit status 3
    then.
    """
    from .ratio import ratios
    from .report import rows_table

    budgets = parse_budgets(ks)
    most = max(budgets) if budgets else None
    inputs = [(Path(corpus).stem, read_instance(corpus, most, options)) for corpus in corpora]
    rows: list[dict[str, Any]] = []
    with out.progress("ratio") as report:
        for name, instance in inputs:
            rows += ratios(
                instance,
                budgets or [instance.k],
                name=name,
                solver=solver,
                time_limit=time_limit,
                seed=out.seed,
                threads=out.threads,
                progress=lambda what: report(0, None, what),
            )
            if rows[-1]["termination"] == "interrupted":
                break
    if out.path is not None:
        write_atomic(out.path, json.dumps({"rows": rows}, ensure_ascii=False, indent=1) + "\n")
        out.note(f"wrote {out.path}")
    if csv is not None:
        from csv import DictWriter
        from io import StringIO

        text = StringIO()
        writer = DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        write_atomic(csv, text.getvalue())
        out.note(f"wrote {csv}")
    if plot is not None:
        from .plots import plot_ratios

        plot_ratios(rows, plot)
        out.note(f"wrote {plot}")
    if out.json:
        out.object({"rows": rows})
    else:
        out.console.print(rows_table([_shown_ratios(row) for row in rows], _RATIO_COLUMNS))
    if rows[-1]["termination"] == "interrupted":
        return EXIT_INTERRUPTED
    open_ = [r for r in rows if not (r["proven"] and r["wmc_proven"]) or r["lp_cover"] is None]
    return EXIT_LIMIT if open_ else 0


def _shown_ratios(row: dict[str, Any]) -> dict[str, Any]:
    """A row for the table: what is only a bound says so."""
    shown = {**row, "wmc": row["wmc_gap"]}  # a ratio: no key that ends in gap, no percentage
    keys = [] if row["proven"] else ["ratio", "greedwmc_ratio"]
    for key in keys if row["wmc_proven"] else [*keys, "greedwmc_relaxed_ratio"]:
        shown[key] = f"≥ {row[key]:.4f}"
    if not row["proven"]:
        shown["optimum_tokens"] = f"{row['lower_bound']:,} – {row['best_tokens']:,}"
    return shown


_RATIO_COLUMNS = {
    "instance": "instance",
    "k": "k",
    "optimum_tokens": "optimum",
    "greedtok_tokens": "GreedTok",
    "ratio": "ratio",
    "d": "d",
    "certified_ratio": "certified",
    "greedwmc_ratio": "GreedWMC",
    "greedwmc_relaxed_ratio": "its relaxed",
    "wmc": "WMC / opt.",
    "lp_gap": "LP gap",
    "seconds": "seconds",
}


@cli.command()
@click.option(
    "--method",
    default="greedtok",
    show_default=True,
    help="greedtok, greedwmc (its vocabulary, shortest path), greedwmc-relaxed (its own cover, "
    "against the optimum with overlaps) or bpe.",
)
@click.option("-k", "k", type=int, default=2, show_default=True, help="Tokens to choose.")
@click.option("--alphabet", type=int, default=2, show_default=True, help="Most symbols.")
@click.option("--words", type=int, default=3, show_default=True, help="Most words.")
@click.option("--length", type=int, default=5, show_default=True, help="Most symbols in a word.")
@click.option(
    "--restarts", type=int, default=20, show_default=True, help="Climbs where it cannot enumerate."
)
@click.option("--time-limit", type=float, metavar="SECONDS", help="Stop after this long.")
@output_options
def worst(
    out: Output,
    method: str,
    k: int,
    alphabet: int,
    words: int,
    length: int,
    restarts: int,
    time_limit: float | None,
) -> int:
    """Find the tiny instance on which a method is furthest from the optimum.

    All multisets of words within the sizes are looked at where they are at most a hundred
    million ("exhausted: yes": none has a smaller ratio); beyond that a seeded local search goes
    as far as it gets. -o writes the instance, its optimum included. A time limit that ends the
    search gives exit status 3.
    """
    from .report import rows_table
    from .worst import worst as run

    with out.progress("worst") as report:
        case = run(
            method,
            k=k,
            alphabet=alphabet,
            words=words,
            length=length,
            restarts=restarts,
            time_limit=time_limit,
            seed=out.seed,
            progress=report,
        )
    if out.path is not None:
        case.instance.save(out.path)
        out.note(f"wrote {out.path}")
    data = case.to_json()
    if out.json:
        out.object(data)
    else:
        pairs = [f"{word} × {count}" if count > 1 else word for word, count in data["words"]]
        shown = {
            **data,
            "words": "  ".join(pairs),
            "vocabulary": "  ".join(data["vocabulary"]),
            "optimal_vocabulary": "  ".join(data["optimal_vocabulary"]),
        }
        rows = [{"what": key.replace("_", " "), "value": shown[key]} for key in shown]
        out.console.print(rows_table(rows, {"what": "", "value": ""}))
    if case.termination == "interrupted":
        return EXIT_INTERRUPTED
    return EXIT_LIMIT if case.termination == "time_limit" else 0


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

    check_writable(path)
    del options["formulation"]
    solution, certificate = prove(instance, **options)
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


@cli.command()
@k_option
@click.option("--start", metavar="V.json", help="A vocabulary to start from, besides GreedTok's.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Stop after this long.")
@click.option("--events", metavar="FILE", help="A JSON line for each better vocabulary.")
@no_vocabulary_option
@instance_options
@output_options
def improve(
    out: Output,
    corpus: str,
    k: int | None,
    start: str | None,
    time_limit: float | None,
    events: str | None,
    no_vocabulary: bool,
    **options: Any,
) -> int:
    """Search for a better vocabulary than GreedTok's.

    Tokens are exchanged by what adding and dropping them is worth under the shortest path,
    exactly. Without a time limit the search ends by itself; with one it goes on until then, and
    the exit status is 3. On a terminal each better vocabulary goes to standard error.
    """
    from . import search

    given = None if start is None else Vocabulary.load(start)
    instance = read_instance(corpus, k, options)
    with out.events(events, show=True) as progress:
        solution = search.improve(
            instance,
            given,
            time_limit=time_limit,
            seed=out.seed,
            threads=out.threads,
            progress=progress,
        )
    return finish(out, solution, instance, no_vocabulary, corpus)


@cli.command("gap")
@k_option
@click.option("--vocab", metavar="V.json|FILE", required=True, help="The vocabulary.")
@click.option(
    "--rule",
    type=click.Choice(["shortest_path", "priority"]),
    help="How it is used. Default: as its file says, else shortest_path.",
)
@click.option("--certificate", metavar="P.cert", help="The proof of a lower bound for its size.")
@click.option(
    "--time-limit", type=float, metavar="SECONDS", help="For a lower bound, without a certificate."
)
@instance_options
@output_options
def gap_(
    out: Output,
    corpus: str,
    k: int | None,
    vocab: str,
    rule: Any,
    certificate: str | None,
    time_limit: float | None,
    **options: Any,
) -> int:
    """Say how far a vocabulary is from the optimum, and why.

    Part of the gap is the choice of tokens: what the vocabulary needs at least, over the lower
    bound for as many tokens. The rest is its segmentation rule. -k: the budget, if it is more
    than the vocabulary's size. Exit status 6 if the certificate does not hold.
    """
    from .gap import split_gap
    from .report import rows_table

    if certificate is not None and time_limit is not None:
        raise click.UsageError("--certificate and --time-limit exclude each other")
    if vocab.endswith(".json"):
        vocabulary = Vocabulary.load(vocab)
    else:
        symbols: Any = options["symbols"] or "bytes"
        vocabulary = Vocabulary(read_tokens(vocab, symbols), symbols)
    if rule is None:
        said = vocabulary.provenance.get("rule")
        rule = said if said in ("shortest_path", "priority") else "shortest_path"
    instance = read_instance(corpus, len(vocabulary) if k is None else k, options)
    if certificate is None:
        lower_bound = _bound(instance, time_limit)
    else:
        found = _check_certificate(instance, certificate, {})
        if not found["ok"]:
            raise VerificationError(f"{certificate}: {found['problems'][0]}")
        lower_bound = found["lower_bound"]
    data = split_gap(instance, vocabulary, lower_bound, rule, threads=out.threads).to_json()
    if out.path is not None:
        write_atomic(out.path, json.dumps(data) + "\n")
    if out.json:
        out.object(data)
        return 0
    total = data["tokens"] - data["lower_bound"]
    choice = data["tokens_shortest_path"] - data["lower_bound"]
    rows = [
        {"what": "tokens chosen", "tokens": data["size"]},
        {"what": "of them in no word", "tokens": data["never_occur"]},
        {"what": f"tokens needed, {rule.replace('_', ' ')}", "tokens": data["tokens"]},
        {"what": "tokens needed, shortest path", "tokens": data["tokens_shortest_path"]},
        {"what": f"lower bound for k = {data['k']:,}", "tokens": data["lower_bound"]},
        {"what": "gap", "tokens": total, "gap": data["gap"]},
        {"what": "of it by the vocabulary", "tokens": choice, "gap": data["vocabulary_gap"]},
        {"what": "of it by the rule", "tokens": total - choice, "gap": data["rule_gap"]},
    ]
    out.console.print(rows_table(rows, {"what": "", "tokens": "", "gap": ""}))
    return 0


def _bound(instance: Instance, seconds: float | None) -> int:
    """The lower bound that is found in this time."""
    from importlib import import_module

    try:
        bounds = import_module("partcover.bounds")
    except ModuleNotFoundError:
        raise InputError(
            "no lower bound without a certificate: give --certificate P.cert, as solve "
            "--certificate writes it"
        ) from None
    found: int = bounds.lower_bound(instance, time_limit=seconds).lower_bound
    return found
