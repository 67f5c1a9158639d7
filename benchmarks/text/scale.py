"""How fast and in how much memory large text is counted, beside what else counts words.

    python benchmarks/text/scale.py corpus FOLDER      # FOLDER/kernel.txt, Debian's kernel sources
    python benchmarks/text/scale.py corpus FOLDER --package manpages-de   # FOLDER/manpages-de.txt
    python benchmarks/text/scale.py counting TEXT [--megabytes 20,200] [--memory 500MB]
    python benchmarks/text/scale.py instances …        # large_instances.py: 10^5, 10^6, 10^7 words
    python benchmarks/text/scale.py shards COUNTS …    # scale_shards.py: a bound's words on workers
    python benchmarks/text/scale.py faults TEXT …      # scale_faults.py: killed workers, full disks

Every method of `counting` reads the first megabytes of the same file in a process of its own and
ends with the counts of its distinct words.  Seconds are of all processors, by all processes of a
method, which on a busy machine is what can be compared; memory is the peak of the largest process.
Words of partcover are `first-space`'s.  Polars (streaming) and DuckDB split lines at spaces, so
that words at the ends of lines differ; the trainer of Hugging Face's tokenizers splits at spaces,
and is asked for no merges, so that it does little but count.
"""

from __future__ import annotations

import argparse
import gzip
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGE = "linux-source-6.1"
ELSEWHERE = {
    "instances": "large_instances.py",
    "shards": "scale_shards.py",
    "faults": "scale_faults.py",
}


def corpus(folder, package):
    """Downloads a package by apt, and joins its texts, sorted by path, in one file.

    Of the kernel's sources these are the C files; of others all files that are UTF-8, unpacked.
    """
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["apt-get", "download", package], cwd=folder, check=True)
    (archive,) = folder.glob(f"{package}_*.deb")
    unpacked = folder / "package" / package
    unpacked.mkdir(parents=True, exist_ok=True)
    subprocess.run(["dpkg", "-x", archive, unpacked], check=True)
    texts = c_files if package == PACKAGE else utf8_files
    target = folder / ("kernel.txt" if package == PACKAGE else f"{package}.txt")
    with target.open("wb") as out:
        for text in texts(unpacked):
            out.write(text)
    print(f"{target}: {target.stat().st_size / 1e6:,.0f} MB")


def c_files(folder):
    (archive,) = (folder / "usr" / "src").glob("*.tar.xz")
    with tarfile.open(archive) as members:
        for member in members:  # in the archive's order, which is that of the paths
            if member.isfile() and member.name.endswith((".c", ".h")):
                yield members.extractfile(member).read()


def utf8_files(folder):
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        content = gzip.decompress(content) if path.suffix == ".gz" else content
        try:
            content.decode()
        except UnicodeDecodeError:
            continue
        yield content


def command(*arguments):
    return [sys.executable, "-m", "partcover", *map(str, arguments)]


def ours(*options):
    return lambda path, out, memory: command(
        "count", "--pretokenizer", "first-space", path, "-o", out, "--memory", memory, "--quiet",
        *options,
    )  # fmt: skip


def peer(name):
    return lambda path, out, memory: [sys.executable, __file__, "--peer", name, path]


METHODS = {
    "partcover, 1 thread": ours(),
    "partcover, 2 threads": ours("--threads", "2"),
    "partcover, 2 processes": ours("--engine", "processes", "--threads", "2"),
    "partcover, 2 Dask workers": ours("--engine", "dask", "--threads", "2"),
    "polars": peer("polars"),
    "duckdb": peer("duckdb"),
    "tokenizers": peer("tokenizers"),
}


def count_polars(path):
    import polars as pl

    lines = pl.scan_csv(
        path, has_header=False, separator="\x01", quote_char=None, new_columns=["line"],
        encoding="utf8-lossy", schema={"line": pl.String},
    )  # fmt: skip
    words = lines.select(pl.col("line").str.split(" ").alias("word")).explode("word")
    return words.group_by("word").len().collect(engine="streaming").height


def count_duckdb(path):
    import duckdb

    lines = (
        f"read_csv('{path}', columns={{'line': 'VARCHAR'}}, delim='\x01', quote='', escape='', "
        "header=false, strict_mode=false, ignore_errors=true, null_padding=true)"
    )
    words = f"SELECT unnest(string_split(line, ' ')) AS word FROM {lines}"
    query = f"SELECT count(*) FROM (SELECT word, count(*) FROM ({words}) GROUP BY word)"
    duckdb.sql("SET threads = 2")
    return duckdb.sql(query).fetchall()[0][0]


def count_tokenizers(path):
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_next")
    tokenizer.train([path], trainers.BpeTrainer(vocab_size=0, show_progress=False))


PEERS = {"polars": count_polars, "duckdb": count_duckdb, "tokenizers": count_tokenizers}


def measured(command):
    """Processor seconds, seconds and peak memory of a command and all that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    code = (
        "import resource, subprocess, sys\n"
        "status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
        "sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, command)], stdout=subprocess.PIPE, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        return None
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return processor, time.perf_counter() - started, int(done.stdout) * 1024


def counting(text, megabytes, memory):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text.txt")
        with text.open("rb") as whole, path.open("wb") as part:
            for _ in range(megabytes):
                part.write(whole.read(10**6))
        size = path.stat().st_size / 1e6
        print(f"{size:,.0f} MB, --memory {memory},", ", ".join(map(installed, LIBRARIES)), "\n")
        print("| method | processor s | MB per processor s | s | peak MB | distinct words |")
        print("|---|--:|--:|--:|--:|--:|")
        counts = set()
        for name, method in METHODS.items():
            out = Path(folder, f"{name.replace(' ', '-')}.tsv")
            found = measured(method(path, out, memory))
            if found is None:
                print(f"| {name} | failed, or is not installed | | | | |")
                continue
            processor, seconds, peak = found
            words = ""
            if out.exists():
                counts.add(out.read_bytes())
                words = f"{out.read_bytes().count(10) - 1:,}"  # the first line is none
            print(
                f"| {name} | {processor:.1f} | {size / processor:.1f} | {seconds:.1f} "
                f"| {peak / 1e6:.0f} | {words} |",
                flush=True,
            )
        print("\nthe counts files are", "the same" if len(counts) == 1 else "DIFFERENT")


LIBRARIES = ("partcover", "distributed", "polars", "duckdb", "tokenizers")


def installed(package):
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"no {package}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--peer", nargs=2, help=argparse.SUPPRESS)
    parts = parser.add_subparsers(dest="part")
    made = parts.add_parser("corpus", help="make the text")
    made.add_argument("folder", type=Path)
    made.add_argument("--package", default=PACKAGE)
    counted = parts.add_parser("counting", help="count the text")
    counted.add_argument("text", type=Path)
    counted.add_argument("--megabytes", default="200")
    counted.add_argument("--memory", default="500MB")
    for name, script in ELSEWHERE.items():
        parts.add_parser(name, help=f"what {script} measures", add_help=False)
    options, rest = parser.parse_known_args()
    if options.part in ELSEWHERE:
        script = Path(__file__).with_name(ELSEWHERE[options.part])
        sys.exit(subprocess.run([sys.executable, script, *rest]).returncode)
    if rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if options.peer:
        PEERS[options.peer[0]](options.peer[1])
    elif options.part == "corpus":
        corpus(options.folder, options.package)
    elif options.part == "counting":
        for size in options.megabytes.split(","):
            counting(options.text, int(size), options.memory)
    else:
        parser.print_help()


if __name__ == "__main__":
    main()
