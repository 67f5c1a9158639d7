"""How fast text becomes ids, beside tiktoken, Hugging Face tokenizers and sentencepiece.

    python benchmarks/text/encoding.py [FILE…] [--un UN.tsv] [--size 32] [--repeat 3] [-k 10000]
    python benchmarks/text/encoding.py --rules [--ranks cl100k_base.tiktoken]

The vocabulary is GreedTok's for the words of the text, of each rule; that of `space-prefix` is no
peer's.  tiktoken gets the one for `gpt2` as ranks and
merges by them, `tokenizers` as a Unigram model of equal scores behind ByteLevel, with partcover's
very ids; sentencepiece cannot hold tokens that cut a character, and gets a Unigram model of the
same size that it trains on a sample of the text.  Without files the text is made of what is there,
so that it is not kind to a table of words: one half the standard library's sources, pydoc's topics
among them, and the other words of the UN General Debate drawn by their counts (seed 0, a line feed
instead of each twentieth space) if `--un` names the counted words; else sources alone.

Every method runs in a process of its own and has the text as `str` and its tokenizer ready; the
clock runs from there to the list of ids, with a table of words that is empty.  `tokenizers` and
sentencepiece, which are slow on long texts, get lines of about 64 KiB, and so does tiktoken where
it has two threads.  Memory is the peak of the process, text and tokenizer included (and training,
with sentencepiece).  Medians; methods take turns.

`--rules` measures every rule, without a table, on a megabyte each of prose (pydoc's topics) and of
what has no end.  The tokens are those of a rank file; without one they are GreedTok's for the
prose, with runs of 2 to 64 letters and 2,000 random strings of DNA, for texts of these two.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import accumulate
from pathlib import Path

from counting import default_text, installed, peak_bytes

from partcover import Encoder, Vocabulary

LIMIT = 120  # seconds for one run


def lines_of(text):
    """The text in parts of 64 KiB and more that end with a line."""
    parts, at = [], 0
    while at < len(text):
        end = text.find("\n", at + (1 << 16)) + 1 or len(text)
        parts.append(text[at:end])
        at = end
    return parts


def ours(vocabulary, pretokenizer, array=False, **options):
    encoder = Encoder(vocabulary, pretokenizer, "shortest_path", **options)
    return encoder.encode_to_numpy if array else encoder.encode


def tiktoken(vocabulary, threads):
    import tiktoken

    from partcover.corpus.pretokenizers.published_patterns import PATTERNS

    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {token: 256 + place for place, token in enumerate(vocabulary)}
    encoding = tiktoken.Encoding(
        "partcover", pat_str=PATTERNS["gpt2"], mergeable_ranks=ranks, special_tokens={}
    )
    if threads == 1:
        return encoding.encode_ordinary
    return lambda text: encoding.encode_ordinary_batch(lines_of(text), num_threads=threads)


def hugging_face(vocabulary, threads):
    os.environ["RAYON_NUM_THREADS"] = str(threads)
    os.environ["TOKENIZERS_PARALLELISM"] = "true" if threads > 1 else "false"
    from tokenizers import Tokenizer, models, pre_tokenizers

    shown, spare = {}, 256
    for byte in range(256):
        if 33 <= byte <= 126 or 161 <= byte <= 172 or byte >= 174:
            shown[byte] = chr(byte)
        else:
            shown[byte], spare = chr(spare), spare + 1
    pieces = [*(bytes([byte]) for byte in range(256)), *vocabulary]
    table = [("".join(map(shown.__getitem__, piece)), -1.0) for piece in pieces]
    tokenizer = Tokenizer(models.Unigram(table, None, False))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return lambda text: [
        row.ids for row in tokenizer.encode_batch_fast(lines_of(text), add_special_tokens=False)
    ]


def sentencepiece(vocabulary, threads, text):
    import sentencepiece

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(random.Random(0).choices(text.split("\n"), k=20_000)),
        model_writer=model,
        vocab_size=len(vocabulary),
        hard_vocab_limit=False,
        byte_fallback=True,
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return lambda text: processor.encode(lines_of(text), num_threads=threads)


PEERS = {
    "tiktoken": lambda v, text: tiktoken(v, 1),
    "tokenizers": lambda v, text: hugging_face(v, 1),
    "sentencepiece": lambda v, text: sentencepiece(v, 1, text),
    "tiktoken, 2 threads": lambda v, text: tiktoken(v, 2),
    "tokenizers, 2 threads": lambda v, text: hugging_face(v, 2),
    "sentencepiece, 2 threads": lambda v, text: sentencepiece(v, 2, text),
}


def own(pretokenizer):
    return {
        "partcover": lambda v, text: ours(v, pretokenizer),
        "partcover, to an array": lambda v, text: ours(v, pretokenizer, array=True),
        "partcover, no table": lambda v, text: ours(v, pretokenizer, cache=0),
        "partcover, 2 threads": lambda v, text: ours(v, pretokenizer, threads=2),
    }


METHODS = {
    "gpt2": own("gpt2") | PEERS,
    "space-prefix": own("space-prefix"),
    "cl100k": {"partcover": own("cl100k")["partcover"]},
    "o200k": {"partcover": own("o200k")["partcover"]},
}


def odd_texts():
    draw = random.Random(0)
    size = 1 << 20
    return {
        "one letter": "a" * size,
        "DNA": "".join(draw.choices("ACGT", k=size)),
        "base64": base64.b64encode(draw.randbytes(3 * size // 4)).decode(),
        "spaces": " " * size,
        "digits": "".join(draw.choices("0123456789", k=size)),
        "punctuation": "".join(draw.choices("!?.,;:-+", k=size)),
        "line feeds and spaces": "".join(draw.choices(" \n", k=size)),
        "Chinese characters": "".join(map(chr, draw.choices(range(0x4E00, 0x9FA0), k=size // 3))),
    }


def rules(repeat, k, ranks):
    """Nanoseconds a byte of every rule, by tokens of a file or ones that are found everywhere."""
    from pydoc_data.topics import topics

    from partcover import Instance, WordCounts, greedtok
    from partcover.vocabulary.rules import SEGMENTATION_RULES

    draw, odd, strings = random.Random(0), odd_texts(), {}
    prose = " ".join(topics.values())
    prose = (prose * (1 + (1 << 20) // len(prose)))[: 1 << 20]
    texts = {"prose": prose, **odd}
    if ranks is not None:
        tokens = list(Vocabulary.load(ranks, "tiktoken"))
    else:
        texts = {name: texts[name] for name in ("prose", "one letter", "DNA")}
        words = WordCounts.from_texts([prose], pretokenizer="gpt2")
        tokens = [*greedtok(Instance(words, k)).vocabulary, *(b"a" * n for n in range(2, 65))]
        while len(strings) < 2_000:
            strings["".join(draw.choices("ACGT", k=draw.randint(2, 8))).encode()] = None
        tokens = list(dict.fromkeys([*tokens, *strings]))
    scores = [-8 - len(token) / 10 for token in tokens]
    vocabulary = Vocabulary(
        tokens, scores=scores, symbol_scores=dict.fromkeys(map(chr, range(128)), -10)
    )
    print("| rule | " + " | ".join(texts) + " |\n|---|" + "--:|" * len(texts))
    for rule in SEGMENTATION_RULES:
        encoder, cells = Encoder(vocabulary, "gpt2", rule, cache=0), []
        for text in texts.values():
            seconds = []
            for _ in range(repeat):
                started = time.perf_counter()
                encoder.encode_to_numpy(text)
                seconds.append(time.perf_counter() - started)
            cells.append(statistics.median(seconds) / len(text.encode()) * 1e9)
        shown = [f"{cell:.0f} ({cell / cells[0]:.1f} times)" for cell in cells]
        print(f"| {rule} | " + " | ".join(shown) + " |", flush=True)


def own_peak():
    """The peak of this process; `getrusage` on Linux counts what its parent had as well."""
    status = Path("/proc/self/status")
    if not status.exists():
        return peak_bytes()
    (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def child(rule, method, path, tokens):

    text = Path(path).read_bytes().decode()
    run = METHODS[rule][method](Vocabulary.load(tokens), text)
    started = time.perf_counter()
    ids = run(text)
    seconds = time.perf_counter() - started
    many = len(ids) if isinstance(ids[0], int) or not isinstance(ids, list) else sum(map(len, ids))
    print(json.dumps({"seconds": seconds, "peak": own_peak(), "ids": many}))


def measure(rule, method, path, tokens):
    """One run, or None where it fails or takes too long."""
    command = [sys.executable, __file__, "--child", rule, method, str(path), str(tokens)]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=LIMIT)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    return json.loads(done.stdout)


def made_text(size, un):
    """The text, and how it was made."""
    sources = default_text().decode()
    if un is None:
        return sources[:size], "the standard library's sources"
    lines = un.read_text("utf-8").splitlines()
    rows = [line.rsplit("\t", 1) for line in lines if "\t" in line]
    ends = list(accumulate(int(count) for _, count in rows))
    words = [word.replace("Ġ", " ") for word, _ in rows]
    draw = random.Random(0)
    drawn, total = [], 0
    while total < size // 2:
        more = draw.choices(words, cum_weights=ends, k=10_000)
        more[::20] = [word.replace(" ", "\n", 1) for word in more[::20]]
        drawn += more
        total += sum(map(len, more))
    return sources[: size // 2] + "".join(drawn), (
        "half the standard library's sources, half UN words drawn by their counts"
    )


def available(method):
    package = method.split(",")[0]
    return package == "partcover" or installed(package) != "not installed"


def table(rule, path, tokens, repeat, size, words):
    rows = {method: [] for method in METHODS[rule] if available(method)}
    for _ in range(repeat):
        for method, runs in rows.items():
            runs.append(measure(rule, method, path, tokens))
    base = statistics.median(run["seconds"] for run in rows["partcover"])
    for method, runs in rows.items():
        done = [run for run in runs if run]
        if len(done) < len(runs):
            print(f"| {rule} | {method} | fails, or over {LIMIT} s | | | | |")
            continue
        seconds = sorted(run["seconds"] for run in done)
        middle = statistics.median(seconds)
        peak = statistics.median(run["peak"] for run in done) / 1e6
        print(
            f"| {rule} | {method} | {size / middle:.1f} | {words / middle / 1e6:.1f} | "
            f"{seconds[0]:.2f}-{seconds[-1]:.2f} | {peak:.0f} | {done[0]['ids']:,} | "
            f"{middle / base:.2f} |",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("-k", type=int, default=10_000)
    parser.add_argument("--size", type=int, default=32, help="megabytes of text")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--un", type=Path, help="counted UN words")
    parser.add_argument("--rules", action="store_true", help="every rule, on texts without end")
    parser.add_argument("--ranks", type=Path, help="with --rules: a tiktoken rank file")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    if options.rules:
        rules(options.repeat, options.k, options.ranks)
        return
    from partcover import Instance, WordCounts, greedtok

    text, made = made_text(options.size * 1_000_000, options.un)
    if options.files:
        text, made = "".join(file.read_bytes().decode() for file in options.files), "files"
    counts = WordCounts.from_texts([text], pretokenizer="gpt2")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        path.write_bytes(text.encode())
        tokens = {}
        for rule in METHODS:
            words = WordCounts.from_texts([text], pretokenizer=rule)
            tokens[rule] = Path(folder) / f"{rule}.json"
            greedtok(Instance(words, options.k, min_count=2)).vocabulary.save(tokens[rule])
        size = path.stat().st_size / 1e6
        packages = ("partcover", "tiktoken", "tokenizers", "sentencepiece", "regex", "numpy")
        print(f"Python {platform.python_version()},", end=" ")
        print(", ".join(f"{package} {installed(package)}" for package in packages))
        print(f"{size:.1f} MB: {made}; {counts.total_count:,} gpt2 words, {len(counts):,} distinct")
        print(f"k = {options.k:,}, median of {options.repeat}\n")
        print("| rule | method | MB/s | M words/s | range of s | peak MB | ids | times the time |")
        print("|---|---|--:|--:|---|--:|--:|--:|")
        for rule in METHODS:
            table(rule, path, tokens[rule], options.repeat, size, counts.total_count)
        print("\nNanoseconds a byte, a megabyte each; prose is the end of the text\n")
        odd = {"prose": text[-(1 << 20) :], **odd_texts()}
        columns = [("gpt2", "partcover"), ("space-prefix", "partcover"), ("gpt2", "tiktoken")]
        print("| text | " + " | ".join(", ".join(column) for column in columns) + " |")
        print("|---|" + "--:|" * len(columns))
        for name, odd_text in odd.items():
            path.write_bytes(odd_text.encode())
            length = path.stat().st_size
            cells = []
            for rule, method in columns:
                runs = [measure(rule, method, path, tokens[rule]) for _ in range(options.repeat)]
                cells.append(
                    f"{statistics.median(r['seconds'] for r in runs) / length * 1e9:.0f}"
                    if all(runs)
                    else "fails"
                )
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
