"""How fast text becomes counted words, beside Python's own tools and Hugging Face's.

    python benchmarks/text/counting.py [FILE…] [--repeat 5]

Every method reads the same text from a file on disk and ends with the counts of its distinct
words, in a process of its own: seconds are of the whole job (without starting Python and
importing), memory is the peak of that process.  `tokenizers` is given a megabyte at a time, its
words counted in Python, so a word at each border may be cut otherwise.  Without files the text
is the standard library's Python sources, in one file.  Each figure is the median of the repeats;
methods take turns, so that a disturbance meets them all.

Last, what the words of ``space-prefix`` cost once they are counted: their file written (to memory
that is thrown away, so that no disk is measured) and their digest taken.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

CHUNK = 1 << 20  # characters that the peers without streaming of their own are given at a time


def ours(pretokenizer):
    from partcover import WordCounts

    return lambda path: len(WordCounts.from_files(path, pretokenizer=pretokenizer))


def counter_split():
    from collections import Counter

    return lambda path: len(Counter(path.read_bytes().decode().split(" ")))


def findall(name):
    from collections import Counter

    import regex

    from partcover.corpus.pretokenizers.published_patterns import PATTERNS

    pattern = regex.compile(PATTERNS[name])
    return lambda path: len(Counter(pattern.findall(path.read_bytes().decode())))


def hugging_face(name):
    from collections import Counter

    from tokenizers import Regex, pre_tokenizers

    from partcover.corpus.pretokenizers.published_patterns import PATTERNS

    if name == "gpt2":
        split = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str
    else:
        split = pre_tokenizers.Split(Regex(PATTERNS[name]), "isolated").pre_tokenize_str

    def run(path):
        counts = Counter()
        with path.open(encoding="utf-8", newline="") as file:
            while text := file.read(CHUNK):
                counts.update(word for word, _ in split(text))
        return len(counts)

    return run


METHODS = {
    "space-prefix": {
        "partcover": lambda: ours("space-prefix"),
        "Counter(str.split)": counter_split,
    },
    **{
        name: {
            "partcover": lambda name=name: ours(name),
            "Counter(regex.findall)": lambda name=name: findall(name),
            "tokenizers + Counter": lambda name=name: hugging_face(name),
        }
        for name in ("gpt2", "cl100k")
    },
}


def peak_bytes():
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def child(rule, method, path):
    run = METHODS[rule][method]()
    before = peak_bytes()
    started = time.perf_counter()
    words = run(Path(path))
    seconds = time.perf_counter() - started
    print(json.dumps({"words": words, "seconds": seconds, "peak": peak_bytes(), "idle": before}))


def after(path):
    """Processor seconds to count, to write the file and to take the digest."""
    from partcover import WordCounts

    def timed(job):
        started = time.process_time()
        made = job()
        return made, time.process_time() - started

    words, count = timed(lambda: WordCounts.from_files(path))
    _, save = timed(lambda: words.save("/dev/null"))
    _, digest = timed(lambda: words.digest)
    print(json.dumps({"words": len(words), "count": count, "save": save, "digest": digest}))


def measure_after(path):
    command = [sys.executable, __file__, "--after", str(path)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure(rule, method, path):
    command = [sys.executable, __file__, "--child", rule, method, str(path)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def installed(package):
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def default_text():
    root = Path(sysconfig.get_paths()["stdlib"])
    files = (p for p in sorted(root.rglob("*.py")) if "site-packages" not in p.parts)
    texts = []
    for file in files:
        data = file.read_bytes()
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            continue  # the peers take text, and a few test files are in other encodings
        texts.append(data)
    return b"".join(texts)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--after", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    if options.after:
        after(options.after)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        named = b"".join(file.read_bytes() for file in options.files)
        path.write_bytes(named if options.files else default_text())
        size = path.stat().st_size / 1e6
        packages = ("partcover", "regex", "tokenizers", "numpy")
        print(f"Python {platform.python_version()},", end=" ")
        print(", ".join(f"{package} {installed(package)}" for package in packages))
        print(f"{size:.1f} MB of text, one thread, median of {options.repeat}\n")
        print("| rule | method | MB/s | s | range of s | peak MB | distinct | partcover is |")
        print("|---|---|--:|--:|---|--:|--:|---|")
        for rule, methods in METHODS.items():
            rows = {method: [] for method in methods}
            for _ in range(options.repeat):
                for method, runs in rows.items():
                    if method.startswith("tokenizers") and installed("tokenizers")[0] == "n":
                        continue
                    runs.append(measure(rule, method, path))
            own = statistics.median(run["seconds"] for run in rows["partcover"])
            for method, runs in rows.items():
                if not runs:
                    continue
                seconds = sorted(run["seconds"] for run in runs)
                middle = statistics.median(seconds)
                peak = statistics.median(run["peak"] for run in runs) / 1e6
                ratio = "" if method == "partcover" else f"{middle / own:.1f} times as fast"
                print(
                    f"| {rule} | {method} | {size / middle:.0f} | {middle:.2f} "
                    f"| {seconds[0]:.2f}-{seconds[-1]:.2f} | {peak:.0f} "
                    f"| {runs[0]['words']:,} | {ratio} |",
                    flush=True,
                )
        runs = [measure_after(path) for _ in range(options.repeat)]
        count, save, digest = (
            statistics.median(run[what] for run in runs) for what in ("count", "save", "digest")
        )
        print(
            f"\ngpt2, {runs[0]['words']:,} distinct words, processor time: counted in "
            f"{count:.2f} s, written in {save:.2f} s ({save / count:.2f} of it), digest in "
            f"{digest:.2f} s"
        )


if __name__ == "__main__":
    main()
