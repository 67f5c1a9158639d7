"""Does to a count and a bound what happens on clusters, and shows what comes of it.

    python benchmarks/text/scale_faults.py TEXT [--megabytes 150]

Counts are made by commands with two workers, and disturbed when the first part of the text is
finished.  Afterwards their file must hold the same bytes as that of a count
that nothing disturbs, at once or by --resume, or there must be an error and no file.
"""

from __future__ import annotations

import argparse
import gzip
import subprocess
import tempfile
import time
from pathlib import Path

import psutil
from scale import command

PROCESSES = ("--engine", "processes")


class Folder:
    """A folder with the text, and what a count of it gives undisturbed."""

    def __init__(self, path, text):
        self.path = path
        self.text = path / "text.txt"
        self.text.write_bytes(text)
        self.out = path / "counts.tsv"
        assert self.count().wait() == 0
        self.whole = self.out.read_bytes()
        self.out.unlink()

    def count(self, *options, text=None):
        """Starts a count."""
        line = command("count", text or self.text, "--pretokenizer", "gpt2", "-o", self.out)
        line += ["--quiet", "--threads", "2", *map(str, options)]
        return subprocess.Popen(line, stderr=subprocess.PIPE, text=True)

    def disturbed(self, disturb, *options):
        """Counts, acts on the process when a part is finished, and returns how it ends."""
        process = self.count(*options)
        while process.poll() is None and not [*self.path.glob("counts.tsv.shards/*.run")]:
            time.sleep(0.02)
        disturb(process)
        return ended(process)

    def result(self):
        """Returns what is there in the end, and makes room for the next count."""
        if not self.out.exists():
            return "no file"
        same = self.out.read_bytes() == self.whole
        self.out.unlink()
        return "the same bytes" if same else "OTHER BYTES"


def ended(process):
    """Returns how a process ends, and its last line."""
    lines = process.communicate()[1].splitlines()
    said = [line for line in lines if line.startswith("partcover")]
    return process.returncode, said[-1] if said else ""


def kill_worker(process):
    workers = [
        child
        for child in psutil.Process(process.pid).children(recursive=True)
        if any("spawn_main" in part for part in child.cmdline())
    ]
    workers[-1].kill()


def resumed(folder, *options):
    """Returns how a count goes on."""
    status, line = ended(folder.count("--resume", *options))
    return f"{folder.result()} by --resume" if status == 0 else f"--resume: {line}"


def worker_of_dask(folder):
    status, line = folder.disturbed(kill_worker, "--engine", "dask")
    return status, line, folder.result()


def worker_process(folder):
    status, line = folder.disturbed(kill_worker, *PROCESSES)
    return status, line, f"{folder.result()}; {resumed(folder, *PROCESSES)}"


def whole_command(folder):
    status, line = folder.disturbed(lambda process: process.kill(), *PROCESSES)
    return status, line, f"{folder.result()}; {resumed(folder)}"


def damaged_run(folder):
    folder.disturbed(lambda process: process.kill(), *PROCESSES)
    run = next(folder.path.glob("counts.tsv.shards/*.run"))
    run.write_bytes(run.read_bytes()[:-1])
    status, line = ended(folder.count("--resume"))
    return status, line, folder.result()


def text_changes(folder):
    def append(process):
        with folder.text.open("ab") as file:
            file.write(b" more")

    before = folder.text.read_bytes()
    status, line = folder.disturbed(append, *PROCESSES)
    folder.text.write_bytes(before)
    return status, line, f"{folder.result()}; {resumed(folder)}"


def text_vanishes(folder):
    away = folder.path / "away"
    status, line = folder.disturbed(lambda process: folder.text.rename(away), *PROCESSES)
    away.rename(folder.text)
    return status, line, f"{folder.result()}; {resumed(folder)}"


def cut_short(folder):
    packed = folder.path / "text.txt.gz"
    packed.write_bytes(gzip.compress(folder.text.read_bytes(), 1)[:-1000])
    status, line = ended(folder.count(text=packed))
    return status, line, folder.result()


def full_disk(folder):
    line = command("count", folder.text, "--pretokenizer", "gpt2", "-o", folder.out, "--quiet")
    done = ["bash", "-c", 'ulimit -f 8; exec "$@"', "bash", *line]  # files of 8 KiB at most
    status, line = ended(subprocess.Popen(done, stderr=subprocess.PIPE, text=True))
    return status, line, folder.result()


def worker_of_a_bound(folder):
    """A worker of Dask that reads the words outside of a head."""
    assert folder.count().wait() == 0
    base = command("bound", folder.out, "-k", 500, "--head", 2000, "--iterations", 16, "--quiet")
    here, there = folder.path / "here.cert", folder.path / "there.cert"
    subprocess.run([*base, "-o", here], check=True, stdout=subprocess.DEVNULL)
    line = [*base, "-o", there, "--threads", "2", "--engine", "dask"]
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not [*folder.path.glob("partcover-*/shared")]:
        time.sleep(0.005)
    kill_worker(process)
    status, said = ended(process)
    folder.out.unlink()
    same = there.exists() and here.read_bytes() == there.read_bytes()
    return status, said, "the same certificate" if same else "no certificate"


FAULTS = {
    "a worker of Dask is killed": worker_of_dask,
    "a worker process is killed": worker_process,
    "the command is killed": whole_command,
    "a finished part is damaged before --resume": damaged_run,
    "the text changes": text_changes,
    "the text vanishes": text_vanishes,
    "a .gz file is cut short": cut_short,
    "the disk is full": full_disk,
    "`bound --head`: a worker of Dask is killed": worker_of_a_bound,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("text", type=Path)
    parser.add_argument("--megabytes", type=int, default=150)
    options = parser.parse_args()
    with options.text.open("rb") as file:
        text = file.read(options.megabytes * 10**6)
    print("| what is done | exit status | in the end | what was said |\n|---|--:|---|---|")
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(Path(path), text)
        for fault, inject in FAULTS.items():
            status, line, result = inject(folder)
            line = line.replace(f"{path}/", "")
            print(f"| {fault} | {status} | {result} | {line} |", flush=True)


if __name__ == "__main__":
    main()
