"""Counting into a file: manifest, a stop and going on, Parquet, merging, what goes wrong."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from cli.helpers import fails
from fuzz.mutation import changed
from shared.listener import Listener

from partcover import InputError, WordCounts
from partcover.cli.main import main
from partcover.corpus.counting import count_files, counts_file
from partcover.corpus.counting.count import CountSettings
from partcover.corpus.counting.count_files import Workers
from partcover.corpus.counting.count_job import CountJob
from partcover.corpus.counting.merge_counts import merge_counts
from partcover.corpus.counting.runs import write_run
from partcover.corpus.files.sources import find_sources
from partcover.corpus.files.tsv import Header
from partcover.runtime.files.writing import read_json

TEXT = "the cat sat on the mat, 12 times; the hat é did not. " * 40

KILLED = """
import os, signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from partcover.corpus.counting import count_files
from partcover.corpus.counting.count_job import CountJob
from partcover.corpus.counting.count import CountSettings
from partcover.corpus.files.sources import find_sources
from partcover.runtime.progress import Progress
count_files.SHARD = 200
class Deadly(Progress):
    def advance(self, done, total, remark=""):
        if len(list(Path("C.tsv.shards").glob("*.run"))) > 1:
            os.kill(os.getpid(), signal.SIGKILL)
with ThreadPoolExecutor(1) as pool:
    job = CountJob("C.tsv", find_sources(["t.txt"]), CountSettings("gpt2"), "t.txt")
    job.run(count_files.Workers(pool, 1, 10**7), progress=Deadly())
"""


def stop():
    raise RuntimeError("enough")


def files(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def text(tmp_path):
    (tmp_path / "t.txt").write_text(TEXT)
    return tmp_path / "t.txt"


@pytest.fixture
def killed(text, tmp_path):
    """A count that is killed when two of its shards are finished."""
    done = subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path)
    assert done.returncode == -signal.SIGKILL
    return tmp_path / "C.tsv.shards"


@pytest.fixture
def stopped(text, tmp_path, monkeypatch):
    """A count that an error ends when four of its shards are finished."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(count_files, "SHARD", 200)
    job = CountJob("C.tsv", find_sources(["t.txt"]), CountSettings("gpt2"), "t.txt")

    def stop(*_):
        if job.finished == 4:
            raise RuntimeError("enough")

    with ThreadPoolExecutor(1) as pool, pytest.raises(RuntimeError, match="enough"):
        job.run(Workers(pool, 1), progress=Listener(advance=stop))
    assert job.finished == 4
    return job.folder


@pytest.mark.long
def test_a_killed_count_goes_on(run, killed, tmp_path):
    assert run("count", "t.txt", "--pretokenizer", "gpt2", "-o", "whole.tsv")[0] == 0
    finished = len(list(killed.glob("*.run")))
    status, _, err = run("count", "t.txt", "--pretokenizer", "gpt2", "-o", "C.tsv")
    assert (status, err.count("\n")) == (2, 2)  # the error, and where the parts are
    assert (
        f"has {finished:,} finished shards of an interrupted count: continue it with --resume"
        in err
    )
    assert not (tmp_path / "C.tsv").exists()
    status, _, err = run(
        "count", "t.txt", "--pretokenizer", "space-prefix", "-o", "C.tsv", "--resume"
    )
    assert status == 2
    assert "pretokenizer was 'gpt2' and is 'space-prefix'" in err
    (killed / "shard-0000000.run").write_bytes(b"torn")  # as by a loss of power: counted again
    (killed / "scratch").mkdir()
    status, _, err = run("count", "t.txt", "--pretokenizer", "gpt2", "-o", "C.tsv", "--resume")
    assert status == 0
    assert (tmp_path / "C.tsv").read_bytes() == (tmp_path / "whole.tsv").read_bytes()
    manifests = [json.loads((tmp_path / f"{name}.tsv.manifest.json").read_text())
                 for name in ("C", "whole")]  # fmt: skip
    assert manifests[0].pop("counts") == manifests[1].pop("counts") | {"file": "C.tsv"}
    assert manifests[0] == manifests[1]
    assert not killed.exists()


def test_a_folder_of_others_is_left_alone(run, text, tmp_path):
    (tmp_path / "C.tsv.shards").mkdir()
    (tmp_path / "C.tsv.shards" / "mine.run").touch()
    for more in ([], ["--resume"]):
        message = "C.tsv.shards: exists and is not the folder of an interrupted count: rename or"
        fails(run("count", "t.txt", "--pretokenizer", "gpt2", "-o", "C.tsv", *more), message)
    assert files(tmp_path / "C.tsv.shards") == ["mine.run"]


def test_what_has_changed_since_is_counted_again(run, stopped, text, tmp_path):
    text.write_text(TEXT.upper())
    for more in (["-o", "C.tsv", "--resume"], ["-o", "whole.tsv"]):
        assert run("count", "t.txt", "--pretokenizer", "gpt2", *more)[0] == 0
    assert (tmp_path / "C.tsv").read_bytes() == (tmp_path / "whole.tsv").read_bytes()


@pytest.mark.long
def test_shards_that_are_damaged_are_counted_again_or_refused(run, stopped, tmp_path):
    count = ("count", "t.txt", "--pretokenizer", "gpt2", "--quiet", "-o")
    assert run(*count, "whole.tsv")[0] == 0
    kept = stopped.rename(tmp_path / "kept")
    draw, names = random.Random(5), files(kept)
    for name in [*names[:5], "plan.json"] * 6:
        shutil.copytree(kept, stopped)
        damaged = changed((kept / name).read_bytes(), name, draw)
        (stopped / name).write_bytes(damaged)
        status, _, error = run(*count, "C.tsv", "--resume")
        if status == 0:
            assert (tmp_path / "C.tsv").read_bytes() == (tmp_path / "whole.tsv").read_bytes()
        else:
            assert (status, error.count("C.tsv.shards")) == (2, error.count("\n"))
        shutil.rmtree(stopped, ignore_errors=True)


def test_a_hash_that_has_changed_is_computed_again(run, stopped, text, tmp_path):
    """It is that of a file of the corpus, and goes into the manifest."""
    digest = hashlib.sha256(text.read_bytes()).hexdigest()
    (facts,) = [path for path in stopped.glob("*.json") if digest in path.read_text()]
    facts.write_text(facts.read_text().replace(digest, "0" * 64))
    count = ("count", "t.txt", "--pretokenizer", "gpt2", "--quiet", "-o", "C.tsv", "--resume")
    assert run(*count)[0] == 0
    (given,) = read_json(tmp_path / "C.tsv.manifest.json")["inputs"]
    assert given["sha256"] == digest


@pytest.mark.parametrize("name", ["C.tsv", "C.parquet"])
def test_characters_that_somebody_has_put_into_a_part(run, text, tmp_path, monkeypatch, name):
    """With right checksums."""
    if name == "C.parquet":
        pytest.importorskip("pyarrow")
    text.write_text("é, é. " * 100)
    monkeypatch.setattr(count_files, "SHARD", 200)
    count = ("count", "t.txt", "--pretokenizer=gpt2", "--symbols=chars", "--quiet", "-o", name)
    with monkeypatch.context() as patch:
        patch.setattr("partcover.corpus.counting.count_job.write_counts", lambda *_: stop())
        with pytest.raises(RuntimeError, match="enough"):
            main(count)
    for path in (tmp_path / f"{name}.shards").glob("*.run"):
        write_run(path, [(np.array([0xC3], np.uint8), np.array([0, 1]), np.array([1]))])
    fails(run(*count, "--resume"), f"{name}.shards: a word is not UTF-8")
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("kept", [0, 1, 5])
def test_a_count_that_is_killed_while_it_tidies_up_goes_on(run, text, tmp_path, monkeypatch, kept):
    """Its counts are written; of its folder some files are deleted."""
    count = ("count", "t.txt", "--pretokenizer", "gpt2", "--quiet", "-o", "C.tsv")
    monkeypatch.setattr(count_files, "SHARD", 200)
    unlink, left = Path.unlink, []

    def killed(path, **options):
        if path.parent.name == "C.tsv.shards" and path.exists():
            left[:] = files(path.parent)
            if len(left) == kept + 1:
                raise KeyboardInterrupt
        unlink(path, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", killed)
        run(*count)
    expected = (tmp_path / "C.tsv").read_bytes()
    assert len(left) == kept + 1
    assert "plan.json" in left
    (tmp_path / "C.tsv").unlink()
    assert run(*count, "--resume")[0] == 0
    assert (tmp_path / "C.tsv").read_bytes() == expected
    assert files(tmp_path) == ["C.tsv", "C.tsv.manifest.json", "t.txt"]


@pytest.mark.skipif(sys.platform == "win32", reason="folders are not locked")
def test_a_count_that_is_stopped_before_it_has_a_plan_leaves_nothing(
    run, text, tmp_path, monkeypatch
):
    def stopped(folder):
        assert folder.exists()
        raise KeyboardInterrupt

    monkeypatch.setattr("partcover.corpus.counting.count_job.remove_left_behind", stopped)
    assert run("count", "t.txt", "--pretokenizer", "gpt2", "--quiet", "-o", "C.tsv")[0] == 130
    assert files(tmp_path) == ["t.txt"]


def test_the_manifest(run, text, tmp_path):
    assert run("count", "t.txt", "--pretokenizer", "gpt2", "-o", "C.tsv", "--resume")[0] == 0
    assert files(tmp_path) == ["C.tsv", "C.tsv.manifest.json", "t.txt"]
    manifest = json.loads((tmp_path / "C.tsv.manifest.json").read_text())
    counts = (tmp_path / "C.tsv").read_bytes()
    assert manifest["counts"]["sha256"] == hashlib.sha256(counts).hexdigest()
    assert manifest["counts"]["words"] == len(counts.splitlines()) - 1
    (given,) = manifest["inputs"]
    assert (given["path"], given["size"]) == ("t.txt", text.stat().st_size)
    assert given["sha256"] == hashlib.sha256(text.read_bytes()).hexdigest()
    assert manifest["pretokenizer"] == "gpt2"
    assert {"partcover", "regex"} <= manifest["versions"].keys()
    # nothing is left beside standard output, nor where nothing was counted
    assert run("count", "t.txt", "--json")[0] == 0
    assert run("count", "t.txt", "--resume")[0] == 2
    (tmp_path / "empty.txt").touch()
    assert run("count", "empty.txt", "-o", "E.tsv")[0] == 2
    assert files(tmp_path) == ["C.tsv", "C.tsv.manifest.json", "empty.txt", "t.txt"]


LIMITED = """
import resource
from partcover.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
main()
"""


@pytest.mark.parametrize("symbols", ["bytes", "chars"])
def test_parquet_is_the_tsv(run, text, tmp_path, symbols, monkeypatch):
    pq = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(counts_file, "ROWS", 7)
    for name in ("C.tsv", "C.parquet"):
        assert run("count", "t.txt", "--symbols", symbols, "-o", name)[0] == 0
    words = WordCounts.load("C.parquet")
    assert list(words) == list(WordCounts.load("C.tsv"))
    assert words.how == WordCounts.load("C.tsv").how
    words.save("again.parquet")
    assert (tmp_path / "again.parquet").read_bytes() == (tmp_path / "C.parquet").read_bytes()
    table = pq.read_table("C.parquet")
    assert [str(field.type) for field in table.schema] == ["binary", "int64"]
    assert pq.ParquetFile("C.parquet").num_row_groups == -(-len(words) // 7)
    with pytest.raises(InputError, match="the words are over"):
        WordCounts.load("C.parquet", "chars" if symbols == "bytes" else "bytes")


def test_what_is_wrong_with_parquet_of_others(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "C.parquet"
    words = pa.table({"word": ["a", "b", "a"], "count": [2**62, 1, 2**62]})
    for header, message in (
        (b"", "a sum of counts does not fit into int64"),
        (b"#partcover counts 2", "the version '2' of counts files is not supported"),
        (b"#partcover counts 1 symbols=ints", "words of integers can only be stored as TSV"),
    ):
        pq.write_table(words.replace_schema_metadata({"partcover": header}), path)
        with pytest.raises(InputError, match=rf"C\.parquet: {message}"):
            WordCounts.load(path)


def test_counts_of_others_are_merged(run, tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    WordCounts.from_counts({"low": 5, "é\t": 2}, pretokenizer="gpt2").save(tmp_path / "A.tsv")
    columns = {
        "word": ["low", "new", "low"],
        "count": pa.array([1, 2, 3], pa.uint64()),
        "x": [1] * 3,
    }
    pq.write_table(pa.table(columns), tmp_path / "B.parquet")
    columns = {"w": pa.array(["new"]).dictionary_encode(), "n": pa.array([4], pa.int32())}
    pq.write_table(pa.table(columns), tmp_path / "C.parquet")
    (tmp_path / "D.tsv").write_text("wide\t1\nlow\t1\n")
    parts = ["A.tsv", "B.parquet", "C.parquet", "D.tsv"]
    assert run("count", "--merge", *parts, "-o", "all.tsv")[0] == 0
    merged = WordCounts.load("all.tsv")
    assert list(merged) == [(b"low", 10), (b"new", 6), ("é\t".encode(), 2), (b"wide", 1)]
    assert merged.pretokenizer == "gpt2"
    manifest = read_json("all.tsv.manifest.json")
    assert manifest["merged"]
    assert manifest["counts"]["words"] == 4
    assert [file["path"] for file in manifest["inputs"]] == parts
    digests = [hashlib.sha256((tmp_path / part).read_bytes()).hexdigest() for part in parts]
    assert [file["sha256"] for file in manifest["inputs"]] == digests
    assert run("count", "--merge", "B.parquet", "--pretokenizer", "gpt2", "-o", "b.parquet")[0] == 0
    assert WordCounts.load("b.parquet").pretokenizer == "gpt2"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("B.tsv", f"low\t{2**63 - 2}\n", "the sum of the counts of 'low' does not fit into"),
        ("B.tsv", "#partcover counts 1 pretokenizer=cl100k\na\t1\n", "they cannot be added up"),
        ("B.tsv", "#partcover counts 1 symbols=chars\na\t1\n", "its words are over chars"),
        (
            "B.tsv",
            "#partcover counts 1 pretokenizer=gpt2 normalizer=NFC\na\t1\n",
            "normalized by NFC, those of other files nothing",
        ),
        ("B.tsv", f"abc\t{2**62}\n", f"{3 * 2**62 + 15} symbols or more, more than int64 can hold"),
        ("B.tsv", "a\t1\nb\n", r"B\.tsv:2: count is missing"),
        ("B.tsv", "#partcover counts 1 symbols=ints\n1 2\t1\n", "with cat"),
        ("B.parquet", {"word": ["a", ""], "count": [1, 1]}, "row 2: the word is empty"),
        ("B.parquet", {"word": ["a", None], "count": [1, 1]}, "row 2: the word is null"),
        ("B.parquet", {"word": ["a"], "count": [0]}, "row 1: a count is at least 1"),
        ("B.parquet", {"word": ["a"], "count": [1.5]}, "column 'count' is double"),
        ("B.parquet", {"word": [1], "count": [1]}, "column 'word' is int64, not text or binary"),
        ("B.parquet", {"a": [1], "b": [1], "c": [1]}, "columns 'word' and 'count', found 'a', 'b'"),
        ("B.parquet", "PAR1 no", "cannot be read as Parquet"),
    ],
)
def test_what_is_not_merged(run, tmp_path, name, content, message):
    WordCounts.from_counts({"low": 5}, pretokenizer="gpt2").save(tmp_path / "A.tsv")
    if isinstance(content, dict):
        pa = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pa.table(content), tmp_path / name)
    else:
        (tmp_path / name).write_text(content)
    before = files(tmp_path)
    with pytest.raises(InputError, match=message):
        merge_counts([str(tmp_path / "A.tsv"), str(tmp_path / name)], str(tmp_path / "M.tsv"),
                     Header(), memory=10**6)  # fmt: skip
    assert files(tmp_path) == before


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_the_files_that_do_not_say_how_they_were_counted_are_merged_in_any_order(tmp_path, order):
    how = "#partcover counts 1 pretokenizer=gpt2 symbols=chars normalizer=NFC\n"
    (tmp_path / "A.tsv").write_text(f"{how}é\t1\n")
    (tmp_path / "B.tsv").write_text("#partcover counts 1 symbols=chars\né\t2\n")
    paths = [str(tmp_path / name) for name in ("A.tsv", "B.tsv")]
    target = str(tmp_path / "M.tsv")
    header, _ = merge_counts([paths[number] for number in order], target, Header("gpt2"))
    assert header == Header("gpt2", "chars", "NFC")
    (tmp_path / "B.tsv").write_bytes(b"#partcover counts 1 symbols=chars\n\xc3\t1\n\xa9\t1\n")
    with pytest.raises(InputError, match="a word is not UTF-8"):
        merge_counts(paths, target, Header())


@pytest.mark.long
def test_a_full_disk(text, tmp_path):
    """No file may pass 1,000 bytes."""
    command = [sys.executable, "-c", LIMITED, "count", "t.txt", "-o", "C.tsv"]
    text.write_text(" ".join(f"word{n}" for n in range(1000)))
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "cannot be written (File too large)" in done.stderr
    assert files(tmp_path) == ["t.txt"]


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="no peak memory")
def test_memory_stays_under_the_limit(tmp_path):
    """Half a million distinct words in 120 MB; unlimited they take more."""
    draw = random.Random(1)
    with (tmp_path / "t.txt").open("wb") as file:
        for _ in range(5):
            file.write(draw.randbytes(750_000).hex(" ", 5).encode())
    # rusage would count what the process had that starts this one
    run = (
        "import sys\n"
        "from partcover.cli import main\n"
        "from partcover.cli.commands.data import count\n"
        "from partcover.cli import kinds\n"
        "count.BASE = 75_000_000\n"
        "kinds.LEAST_MEMORY = 0\n"
        "try: main.main(sys.argv[1:])\n"
        "finally: print(*(s for s in open('/proc/self/status') if s.startswith('VmHWM')))"
    )
    count = [
        sys.executable,
        "-c",
        run,
        "count",
        "t.txt",
        "--pretokenizer",
        "space-prefix",
        "--quiet",
    ]
    peaks = {}
    for limit in ("120MB", "3GB"):
        command = [*count, "--memory", limit, "-o", f"{limit}.tsv"]
        done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
        peaks[limit] = 1024 * int(done.stdout.split()[1])
    assert peaks["120MB"] < 120_000_000 < peaks["3GB"]
    assert (tmp_path / "120MB.tsv").read_bytes() == (tmp_path / "3GB.tsv").read_bytes()
