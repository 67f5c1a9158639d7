"""Implements the command ``worst``."""

from __future__ import annotations

from typing import Any

from ....report.tables import facts
from ...command import command
from ...exit_status import EXIT_INTERRUPTED
from ...shown.output import Output


@command("worst", keeps_best=True)
def worst_command(out: Output, method: str, **options: Any) -> int:
    """Find a tiny instance on which a method does worst.

    `worst` looks for the smallest ratio to the optimum. If the given sizes allow at most a hundred
    million instances, it tries all of them ("exhausted: yes"); otherwise it uses a local search
    with --seed. -o writes the instance together with its optimum.

    Options:
    --method TEXT = greedtok: Method: greedtok, greedwmc (its vocabulary, shortest path),
      greedwmc-relaxed (its relaxed cover, against the optimum with overlaps), or bpe.
    --measure cover|tokens = cover: Ratio to minimize. cover (symbols - tokens): method to optimum.
      tokens: optimum to method.
    -k N = 2: Number of tokens to choose.
    --alphabet N = 2: Maximum number of distinct symbols.
    --words N = 3: Maximum number of words.
    --length N = 5: Maximum number of symbols in a word.
    --restarts N = 20: Number of starts of the local search.
    -o >FILE: Write the instance.
    --time-limit, --seed, tables
    $ partcover worst --method bpe -k 1 --words 2 --length 4 -o I.json
    """
    from ....instances.worst_case import worst

    case = out.run("worst", worst, method, **options)
    data = case.to_json()
    pairs = [f"{word} × {count}" if count > 1 else word for word, count in data["words"]]
    shown = {
        **data,
        "words": "  ".join(pairs),
        "vocabulary": "  ".join(data["vocabulary"]),
        "optimal_vocabulary": "  ".join(data["optimal_vocabulary"]),
    }
    shown["instances seen"] = shown.pop("seen")
    shown["instances examined"] = shown.pop("examined")
    with out.saved(case.instance.save):
        out.show(data, facts(shown))
    return EXIT_INTERRUPTED if case.termination == "interrupted" else 0
