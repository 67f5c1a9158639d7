"""A small suite for comparing versions: CPU seconds of each step, beside peers that are installed.

    make bench OUT=before.json
    make bench OUT=after.json
    make bench-compare OLD=before.json NEW=after.json

or `python benchmarks/suite.py -o FILE`, with `--only PART` for the benchmarks whose name holds
PART and the options of pyperf (`--fast`, `--rigorous`, `--affinity=0`).  The text is pydoc's
topics, which is on every machine; the file holds the machine, all versions and the SHA-256 of the
text.  What is timed is the CPU time of all threads of the process, one thread wherever that can be
asked for, so that another process beside it disturbs little.

Where a peer does the same work, its answer is compared with partcover's before it is timed: the
counted words, or the ids.  `greedtok` (PyPI) is the authors' own; its tokens are not compared,
since it breaks ties otherwise.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from functools import cache
from importlib import import_module
from pathlib import Path

import pyperf

from partcover import (
    Encoder,
    Instance,
    WordCounts,
    check_certificate,
    greedtok,
    greedwmc,
    improve,
    lower_bound,
    trainers,
)
from partcover.bounds.branch_and_cut import branch_and_cut
from partcover.corpus.pretokenizers.published_patterns import PATTERNS
from partcover.interop import FORMATS
from partcover.interop.byte_level import pieces_of
from partcover.runtime.versions import describe_installation

K = 1000
PEERS = ("greedtok", "regex", "tiktoken", "tokenizers")
SUITE = {}  # by name: the distribution that it needs, what prepares the work, and whether each time
os.environ["TOKENIZERS_PARALLELISM"] = "false"


def benchmark(name, needs="partcover", fresh=False):
    """Registers what prepares a benchmark and returns the work; anew for each time if `fresh`."""

    def register(prepare):
        SUITE[name] = needs, prepare, fresh
        return prepare

    return register


@cache
def text():
    return "\n".join(import_module("pydoc_data.topics").topics.values())


@cache
def instance():
    return Instance(WordCounts.from_texts([text()], pretokenizer="gpt2"), K)


@cache
def bpe_vocabulary():
    return trainers.bpe(instance()).vocabulary


@cache
def ids():
    return Encoder(bpe_vocabulary()).encode(text())


def same(theirs, ours, what):
    if theirs != ours:
        sys.exit(f"{what} are not partcover's")


def command(*arguments):
    """CPU seconds of a process, instead of work that is timed."""

    def seconds():
        line = [sys.executable, *arguments]
        process = subprocess.Popen(line, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, line
        return usage.ru_utime + usage.ru_stime

    seconds.is_command = True
    return seconds


@benchmark("start: import partcover")
def _():
    return command("-c", "import partcover")


@benchmark("start: partcover --help")
def _():
    return command("-m", "partcover", "--help")


@benchmark("count: partcover")
def _():
    return lambda: WordCounts.from_texts([text()], pretokenizer="gpt2")


@benchmark("count: regex and Counter", "regex")
def _():
    pattern = import_module("regex").compile(PATTERNS["gpt2"])
    return lambda: Counter(pattern.findall(text()))


@benchmark("count: tokenizers", "tokenizers")
def _():
    split = import_module("tokenizers").pre_tokenizers.ByteLevel(add_prefix_space=False)

    def work():
        return Counter(word for word, _ in split.pre_tokenize_str(text()))

    same(sorted(work().values()), sorted(instance().words.counts.tolist()), "tokenizers' counts")
    return work


@benchmark("greedy: partcover")
def _():
    words = instance().words
    return lambda: greedtok(Instance(words, K))


@benchmark("greedy: greedtok", "greedtok")
def _():
    build = import_module("pcatt.pco_tokenizer").build
    counts = dict(instance().words)
    longest = max(map(len, counts))

    def work():
        tokenizer = build(counts, set(), 100, False)
        tokenizer.initialize_graph(longest, 1)
        return tokenizer.solve_to_step(K)

    return work


@benchmark("greedy: partcover, GreedWMC")
def _():
    words = instance().words
    return lambda: greedwmc(Instance(words, K))


@benchmark("train BPE: partcover")
def _():
    def work():
        words = WordCounts.from_texts([text()], pretokenizer="gpt2")
        return trainers.bpe(Instance(words, K))

    return work


@benchmark("train BPE: tokenizers", "tokenizers")
def _():
    tokenizers = import_module("tokenizers")

    def work():
        made = tokenizers.Tokenizer(tokenizers.models.BPE())
        made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        trainer = tokenizers.trainers.BpeTrainer(
            vocab_size=256 + K,
            show_progress=False,
            initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        )
        made.train_from_iterator([text()], trainer)
        return made

    same(len(work().encode(text()).ids), len(ids()), "tokenizers' BPE tokens")
    return work


@benchmark("bound: 50 iterations")
def _():
    return lambda: lower_bound(instance(), iterations=50)


@benchmark("bound: check its certificate")
def _():
    certificate = lower_bound(instance(), iterations=50).certificate
    return lambda: check_certificate(instance(), certificate)


@benchmark("improve: to a gap of 3 %")
def _():
    return lambda: improve(instance(), gap=0.03)


@benchmark("encode: partcover", fresh=True)  # its table of words is empty
def _():
    encoder = Encoder(bpe_vocabulary())
    return lambda: encoder.encode(text())


@benchmark("encode: partcover, to an array", fresh=True)
def _():
    encoder = Encoder(bpe_vocabulary())
    return lambda: encoder.encode_to_numpy(text())


@benchmark("encode: tiktoken", "tiktoken")
def _():
    ranks = {piece: rank for rank, piece in enumerate(pieces_of(bpe_vocabulary()))}
    encoding = import_module("tiktoken").Encoding(
        "suite", pat_str=PATTERNS["gpt2"], mergeable_ranks=ranks, special_tokens={}
    )
    same(encoding.encode_ordinary(text()), ids(), "tiktoken's ids")
    return lambda: encoding.encode_ordinary(text())


@benchmark("encode: tokenizers", "tokenizers")
def _():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tokenizer.json"
        FORMATS["huggingface"].write(bpe_vocabulary(), file)
        tokenizer = import_module("tokenizers").Tokenizer.from_file(str(file))
    same(tokenizer.encode(text()).ids, ids(), "tokenizers' ids")
    return lambda: tokenizer.encode(text()).ids


@benchmark("solve: 300 words, k = 30")
def _():
    words = instance().words.most_frequent(300)

    def work():
        assert branch_and_cut(Instance(words, 30)).status == "optimal"

    return work


def is_installed(distribution):
    try:
        importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def timed(prepare, fresh):
    """What pyperf calls: the CPU seconds of some loops, after everything is prepared."""
    prepared = prepare if fresh else cache(prepare)

    def time_loops(loops):
        works = [prepared() for _ in range(loops)]
        if hasattr(works[0], "is_command"):
            return sum(work() for work in works)
        started = time.process_time()
        for work in works:
            work()
        return time.process_time() - started

    return time_loops


def add_only(line, options):
    """Passes ``--only`` on to the processes that pyperf starts."""
    if options.only:
        line.extend(("--only", options.only))


def main():
    runner = pyperf.Runner(processes=4, values=3, add_cmdline_args=add_only)
    runner.argparser.add_argument("--only", default="", metavar="PART")
    options = runner.parse_args()
    installed = describe_installation()
    runner.metadata["partcover_version"] = installed["partcover"]
    runner.metadata["partcover_compiler"] = installed["build"].get("compiler", "unknown")
    runner.metadata["text_sha256"] = hashlib.sha256(text().encode()).hexdigest()
    for library in (*PEERS, "numpy"):
        if is_installed(library):
            runner.metadata[f"{library}_version"] = importlib.metadata.version(library)
    for name, (needs, prepare, fresh) in SUITE.items():
        if options.only in name and is_installed(needs):
            runner.bench_time_func(name, timed(prepare, fresh))


if __name__ == "__main__":
    main()
