"""Regenerate the instances beside this file: words, best vocabularies and certificates.

``python instances/build.py [NAME…]`` writes the named instances, or all.  Words are the same on
every machine, vocabularies and proofs with the same OR-Tools; where the optimum is out of reach
within ``--time-limit``, what the files hold is kept unless the run finds better (a shorter run
keeps a tree of cases that a longer one drops as too large).  Instances that
are not made here get their certificate.  docs/concepts/ladder.md has what solvers make of the
largest.
"""

from __future__ import annotations

import argparse
import html.entities
import json
import random
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx

from partcover import (
    Instance,
    Vocabulary,
    WordCounts,
    lower_bound,
    reduce_vertex_cover,
    solve,
    verify,
)
from partcover.corpus import symbols as sym
from partcover.hardness.cnf import Formula
from partcover.hardness.reduction import reduce_max_2_sat_binary
from partcover.heuristics.local_search import local_search
from partcover.instances.families import generate
from partcover.problem.certificates.certificate import Certificate

FOLDER = Path(__file__).parent
MOST_BYTES = 2_000_000  # of a proof that does not reach the optimum: more is not worth its place
PAPER = "Lim, Choo and Lauw 2025, A partition cover approach to tokenization"


def instances() -> Iterator[tuple[str, str, str, Instance]]:
    """(name, family, origin, instance) of all that is made here."""
    yield from examples()
    yield from graphs()
    yield from formulas()
    yield from periodic()
    yield from digits()
    yield from real_words()


def examples() -> Iterator[tuple[str, str, str, Instance]]:
    """What papers and documents show."""

    def given(words: str, k: int, candidates: str = "") -> Instance:
        counted = WordCounts.from_words(words.split())
        return Instance(counted, k, candidates=tuple(candidates.split()) if candidates else None)

    yield (
        "scaredy",
        "example",
        f"{PAPER}: neither sub- nor supermodular",
        given("scaredy", 2, "care edy scar scared dy"),
    )
    yield "papaya-impact", "example", PAPER, given("papaya impact", 2)
    yield (
        "random-randose",
        "example",
        f"{PAPER}: 10 tokens, Unigram needs 12",
        given("random randose rosey randy", 2, "rand ose om ran ros"),
    )
    yield (
        "random-randose-all",
        "example",
        f"{PAPER}: the same words, all substrings",
        given("random randose rosey randy", 2),
    )
    yield (
        "pearl-heart",
        "example",
        "the README's example: GreedTok covers 3/4 of the optimum",
        given("pearl the red heart", 2),
    )
    figure = nx.Graph([(1, 2), (2, 3), (2, 4), (3, 4), (4, 5)])
    yield "figure-1", "example", f"{PAPER}, Figure 1", reduce_vertex_cover(figure, 2).instance
    overlap = "the printed integer program of the paper, Equations 1-8, is not the problem here: "
    yield "aaa", "example", f"{overlap}it finds 1 token", given("aaa", 1, "aa aaa")
    yield "aaa-pairs", "example", "a token that overlaps itself", given("aaa", 1, "aa")
    yield "aaaaa", "example", f"{overlap}it loses overlaps", given("aaaaa", 1)
    yield "abd-abc", "example", f"{overlap}it covers where a token is not", given("abd abc", 1)
    yield (
        "bpe-budget-3",
        "example",
        "three merges of byte-pair encoding are not the best three tokens",
        given("abc abd abe bc bd be", 3),
    )
    for size, ratio in ((2, "0.628"), (3, "0.520")):
        origin = f"partcover generate bpe-across {size}: BPE saves {ratio} of what k merges can"
        made = generate("bpe-across", size)
        yield f"bpe-across-{size}", "example", origin, Instance(made.words, made.k)
    across = generate("greedtok-across", 5)
    yield (
        "greedtok-across-5",
        "example",
        "partcover generate greedtok-across 5: GreedTok covers 0.521 of the optimum",
        Instance(across.words, across.k),
    )
    yield (
        "greedtok-15",
        "example",
        "GreedTok covers 8/11 of the optimum: the fewest letters for less than 3/4, of a and b",
        given("aaaaaa aabaa aaba", 2),
    )


def graphs() -> Iterator[tuple[str, str, str, Instance]]:
    """Vertex covers; k is the least cover's size, or one less where the name says so."""

    def cover(name: str, what: str, graph: nx.Graph, k: int) -> tuple[str, str, str, Instance]:
        origin = f"reduce_vertex_cover: {what}, k = {k}; {PAPER}, Theorem 1"
        return name, "vertex cover", origin, reduce_vertex_cover(graph, k).instance

    for n in (5, 7, 15):
        yield cover(f"cycle-{n}", f"the cycle of {n} vertices", nx.cycle_graph(n), n // 2 + 1)
    for n in (4, 6, 8):
        yield cover(f"complete-{n}", f"the complete graph of {n}", nx.complete_graph(n), n - 1)
    for name, what, graph, k in (
        ("petersen", "Petersen's graph", nx.petersen_graph(), 6),
        ("dodecahedron", "the dodecahedron, cubic", nx.dodecahedral_graph(), 12),
        ("icosahedron", "the icosahedron", nx.icosahedral_graph(), 9),
    ):
        yield cover(name, what, graph, k)
        yield cover(f"{name}-less", f"{what}, which {k} cover", graph, k - 1)
    yield cover("heawood", "Heawood's cubic graph", nx.heawood_graph(), 7)
    for n, m, k in ((10, 20, 6), (15, 40, 9), (20, 50, 12)):
        # random.sample is the same in every Python since 3.11
        edges = random.Random(n).sample(list(combinations(range(n), 2)), m)
        graph = nx.empty_graph(n)
        graph.add_edges_from(edges)
        what = f"a random graph of {n} vertices, {m} edges"
        yield cover(f"random-{n}-{m}", what, graph, k)
        yield cover(f"random-{n}-{m}-less", f"{what}, which {k} cover", graph, k - 1)
    for n in (30, 60, 80, 120, 200):
        what = f"a random cubic graph of {n} vertices: half of them cover the most edges"
        yield cover(f"cubic-{n}-half", what, cubic(n), n // 2)


def cubic(n: int) -> nx.Graph:
    """A cycle of n vertices and n / 2 chords drawn at random."""
    graph = nx.cycle_graph(n)
    draw = random.Random(n)
    while True:
        order = draw.sample(range(n), n)
        chords = list(zip(order[::2], order[1::2], strict=True))
        if not any(graph.has_edge(*chord) for chord in chords):
            graph.add_edges_from(chords)
            return graph


def formulas() -> Iterator[tuple[str, str, str, Instance]]:
    """Max-2-SAT as words of zeros and ones, each variable in three clauses; all are asked for."""
    paper = "Kastreva, Whittington, Komm and Pimentel 2025, Tokenisation over Bounded Alphabets"
    for variables, what in (
        (4, "4 variables, of which 5 of the 6 clauses can be satisfied"),
        (8, "8 variables, drawn at random, of which all 12 clauses can be satisfied"),
        (16, "16 variables, drawn at random, of which 23 of the 24 clauses can be satisfied"),
    ):
        draw = random.Random(variables)
        places = draw.sample([j for j in range(1, variables + 1) for _ in range(3)], 3 * variables)
        literals = [draw.choice((j, -j)) for j in places]
        clauses = list(zip(literals[::2], literals[1::2], strict=True))
        if variables == 4:
            clauses = [(1, 2), (-1, 2), (-2, 3), (-3, 4), (-4, 1), (-3, -4)]
        formula = Formula([str(j) for j in range(1, variables + 1)], clauses)
        made = reduce_max_2_sat_binary(formula, len(clauses)).instance
        yield (
            f"binary-sat-{variables}",
            "max-2-sat",
            f"reduce_max_2_sat_binary: {what}, all asked for; {paper}",
            made,
        )


def periodic() -> Iterator[tuple[str, str, str, Instance]]:
    """Words whose occurrences overlap much."""

    def long(
        name: str, what: str, word: str, longest: int, k: int
    ) -> tuple[str, str, str, Instance]:
        origin = f"{what}, {len(word)} symbols; tokens of at most {longest}"
        counted = WordCounts.from_words([word])
        return name, "periodic", origin, Instance(counted, k, max_length=longest)

    primes = (5, 7, 11, 13, 17, 19, 23)
    unary = WordCounts.from_words(["a" * n for n in primes])
    for k in (2, 3):
        origin = f"a's repeated {', '.join(map(str, primes))} times"
        yield f"unary-{k}", "periodic", origin, Instance(unary, k)
    a, b = "a", "ab"
    while len(b) < 89:
        a, b = b, b + a
    yield long("fibonacci-89", "the Fibonacci word, a -> ab, b -> a", b, 6, 2)
    thue_morse = "".join("ab"[bin(n).count("1") % 2] for n in range(128))
    yield long("thue-morse-64", "the Thue-Morse word", thue_morse[:64], 6, 4)
    yield long("thue-morse-128", "the Thue-Morse word", thue_morse, 8, 6)
    for n, k in ((5, 4), (6, 6)):
        yield long(f"de-bruijn-{n}", f"de Bruijn's word of order {n}", de_bruijn(n), n, k)


def de_bruijn(order: int) -> str:
    """The least binary word that holds each word of length `order` once: Lyndon words in a row."""
    found = ""
    word = [-1]
    while word:
        word[-1] += 1
        if order % len(word) == 0:
            found += "".join("ab"[bit] for bit in word)
        size = len(word)
        while len(word) < order:
            word.append(word[-size])
        while word and word[-1] == 1:
            word.pop()
    return found + found[: order - 1]


def digits() -> Iterator[tuple[str, str, str, Instance]]:
    """One word with no structure at all: small, and the linear relaxation is far off."""
    for n, k in ((64, 5), (96, 6), (128, 8), (160, 8), (192, 8), (256, 10)):
        word = pi(n)
        origin = f"the first {n} binary digits of pi, a for 0 and b for 1; tokens of at most 8"
        instance = Instance(WordCounts.from_words([word]), k, max_length=8)
        yield f"pi-{n}", "digits", origin, instance


def pi(n: int) -> str:
    """The first n binary digits after the point, by Machin's formula."""
    spare = 20
    one = 1 << (n + spare)

    def arctan(inverse: int) -> int:
        total, power, odd = 0, one // inverse, 1
        while power:
            total += power // odd if odd % 4 == 1 else -(power // odd)
            power //= inverse**2
            odd += 2
        return total

    fraction = (4 * (4 * arctan(5) - arctan(239)) >> spare) % (1 << n)
    return "".join("ab"[int(bit)] for bit in f"{fraction:0{n}b}")


LADDER = (25, 50, 100, 200, 500, 1000, 2000)


def real_words() -> Iterator[tuple[str, str, str, Instance]]:
    """Three ladders from tables that every CPython carries."""
    names = WordCounts.from_counts(unicode_names())
    for n in (*LADDER, 4000):
        origin = (
            f"the {n} most frequent words of the character names of Unicode 3.2, BMP, split at "
            "spaces and hyphens; no CJK or Hangul names made by rule"
        )
        yield f"names-{n}", "Unicode names", origin, Instance(names.most_frequent(n), n // 10)
    whole = sorted(character_names())
    for n in (50, 100, 200, 500, 1000, 2000):
        spread = [whole[i * len(whole) // n] for i in range(n)]
        origin = (
            f"{n} character names of Unicode 3.2, BMP, each one word with its spaces, evenly "
            "spread over the sorted list; no CJK or Hangul names made by rule"
        )
        instance = Instance(WordCounts.from_words(spread), n // 10)
        yield f"whole-names-{n}", "Unicode names", origin, instance
    entities = sorted({name.rstrip(";") for name in html.entities.html5})
    for n in LADDER:
        spread = [entities[i * len(entities) // n] for i in range(n)]
        origin = f"{n} names of HTML5's named characters, evenly spread over the sorted list"
        instance = Instance(WordCounts.from_words(spread), n // 10)
        yield f"html5-{n}", "HTML5 entities", origin, instance


def unicode_names() -> Counter[str]:
    """Words of the names of Unicode 3.2's characters."""
    counted: Counter[str] = Counter()
    for name in character_names():
        counted.update(part for part in re.split("[ -]", name) if part)
    return counted


def character_names() -> Iterator[str]:
    """The names of Unicode 3.2's characters.

    ``ucd_3_2_0`` has a name for a character exactly if Unicode 3.2 has that character, and names
    never change once given (Unicode's stability policy, since version 2.0): the same in every
    CPython.  ``words_sha256`` in the files would tell.
    """
    by_rule = ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HANGUL SYLLABLE")
    for point in range(0x10000):
        name = unicodedata.ucd_3_2_0.name(chr(point), "")
        if name and not name.startswith(by_rule):
            yield name


def write(name: str, family: str, origin: str, instance: Instance, limit: float) -> str:
    """Solve an instance and write it with its certificate; one line that says what came out."""
    started = time.monotonic()
    solution = solve(instance, time_limit=limit)
    certificate = solution.certificate
    by = "partcover solve --certificate"
    assert solution.tokens is not None
    if certificate.lower_bound < solution.tokens:
        prices = lower_bound(instance, incumbent=solution.tokens, time_limit=limit / 4)
        found = local_search(instance, solution.vocabulary, time_limit=limit / 4, x=prices.x)
        assert found.tokens is not None
        if found.tokens < solution.tokens:
            solution, by = found, "partcover improve"
        size = len(json.dumps(certificate.to_json()))
        if prices.lower_bound > certificate.lower_bound or size > MOST_BYTES:
            certificate = prices.certificate
    assert solution.vocabulary is not None
    best: dict[str, Any] = {
        "tokens": solution.tokens,
        "vocabulary": [sym.to_json(token) for token in solution.vocabulary],
        "proven": certificate.lower_bound == solution.tokens,
        "by": by,
        "lower_bound": certificate.lower_bound,
        "certificate": f"{name}.cert",
    }
    old, proof = stored(name, instance)
    if old is not None and not best["proven"]:
        if old["tokens"] <= best["tokens"]:
            best.update({key: old[key] for key in ("tokens", "vocabulary", "by")})
        if proof is not None and proof.lower_bound >= certificate.lower_bound:
            certificate = proof
        best["lower_bound"] = certificate.lower_bound
        best["proven"] = best["tokens"] == best["lower_bound"]
    kept = {key: value for key, value in instance.source.items() if key != "best"}
    source = {
        "family": family,
        "from": origin,
        **kept,
        "words_sha256": instance.words.digest,
        "best": best,
    }
    instance.source.clear()
    instance.source.update(source)
    certificate.save(FOLDER / f"{name}.cert")
    instance.save(FOLDER / f"{name}.json")
    leaves = sum(1 for _ in certificate.leaves())
    state = "proven" if best["proven"] else f"at least {best['lower_bound']}"
    return f"{name}: {best['tokens']}, {state}, {leaves} leaves, {time.monotonic() - started:.1f} s"


def stored(name: str, instance: Instance) -> tuple[dict[str, Any] | None, Certificate | None]:
    """What the files hold, if they are about the same instance and it is true."""
    path = FOLDER / f"{name}.json"
    if not path.exists():
        return None, None
    old = Instance.load(path)
    best = old.source.get("best")
    same = old.words.digest == instance.words.digest and old.k == instance.k
    if not best or not same or old.policy != instance.policy:
        return None, None
    tokens = [sym.from_json(token, old.symbols) for token in best["vocabulary"]]
    found = verify(instance, Vocabulary(tokens, old.symbols))
    if not found.ok or found.tokens != best["tokens"]:
        return None, None
    proof = FOLDER / f"{name}.cert"
    return {"by": "stated", **best}, Certificate.load(proof) if proof.exists() else None


def main() -> None:
    """Build what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument("--time-limit", type=float, default=120.0, help="seconds for an instance")
    options = parser.parse_args()
    made = set()
    for name, family, origin, instance in instances():
        made.add(name)
        if not options.names or name in options.names:
            print(write(name, family, origin, instance, options.time_limit), flush=True)
    for path in sorted(FOLDER.glob("*.json")):
        name = path.stem
        if name in made or (options.names and name not in options.names):
            continue
        instance = Instance.load(path)
        source = instance.source
        if options.names or not source.get("best", {}).get("certificate"):
            family = source.pop("family", name.split("-")[0])
            origin = source.pop("from", "written by hand")
            print(write(name, family, origin, instance, options.time_limit), flush=True)


if __name__ == "__main__":
    main()
