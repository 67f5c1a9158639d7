"""What memory there is, by every limit there may be; and work that is refused before it starts."""

import resource
import subprocess
import sys

import numpy as np
import pytest

from partcover import InputError, Instance, WordCounts, greedtok
from partcover.kernels.greedy._greedy import Greedy
from partcover.problem.word_index import WordIndex
from partcover.runtime.memory import available_memory, refuse_beyond

MIB = 2**20


@pytest.fixture
def machine(tmp_path):
    """A machine with 1,000 MiB free, whose files the test adds to."""
    proc, groups = tmp_path / "proc", tmp_path / "cgroup"
    for folder in (proc / "self", groups):
        folder.mkdir(parents=True)
    (proc / "meminfo").write_text(f"MemTotal: 9 kB\nMemAvailable:  {1000 * 1024} kB\n")
    return proc, groups


def test_free_memory(machine):
    proc, groups = machine
    assert available_memory(proc=proc, groups=groups) == 1000 * MIB
    (proc / "meminfo").unlink()  # as where there is no such file
    assert available_memory(proc=proc, groups=groups) > 1000 * MIB


@pytest.mark.parametrize("inside", ["/", "/here/there", "/../elsewhere", "/a:b"])
def test_control_groups_of_version_2(machine, inside):
    proc, groups = machine
    (proc / "self/cgroup").write_text(f"0::{inside}\n")
    (groups / "here/there").mkdir(parents=True)
    (groups / "memory.max").write_text("max\n")
    assert available_memory(proc=proc, groups=groups) == 1000 * MIB
    (groups / "memory.max").write_text(f"{500 * MIB}\n")
    (groups / "memory.current").write_text(f"{100 * MIB}\n")
    assert available_memory(proc=proc, groups=groups) == 400 * MIB
    (groups / "memory.stat").write_text(f"anon 7\ninactive_file {30 * MIB}\n")
    assert available_memory(proc=proc, groups=groups) == 430 * MIB
    (groups / "here/there/memory.max").write_text(f"{50 * MIB}\n")
    left = 50 if inside == "/here/there" else 430
    assert available_memory(proc=proc, groups=groups) == left * MIB


def test_control_groups_of_version_1(machine):
    proc, groups = machine
    (proc / "self/cgroup").write_text("5:cpu,cpuacct:/here\n4:memory:/here\n0::/\n")
    (groups / "memory/here").mkdir(parents=True)
    (groups / "memory/here/memory.limit_in_bytes").write_text(f"{90 * MIB}\n")
    (groups / "memory/here/memory.usage_in_bytes").write_text(f"{80 * MIB}\n")
    assert available_memory(proc=proc, groups=groups) == 10 * MIB
    (groups / "memory/here/memory.usage_in_bytes").write_text(f"{95 * MIB}\n")
    assert available_memory(proc=proc, groups=groups) == 0


@pytest.mark.parametrize("name", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_limits_of_the_process(machine, monkeypatch, name):
    proc, groups = machine
    (proc / "self/statm").write_text("2000 9 9 9 9 1000 9\n")
    limits = {getattr(resource, name): 700 * MIB}
    monkeypatch.setattr(resource, "getrlimit", lambda which: (limits.get(which, -1), -1))
    pages = 2000 if name == "RLIMIT_AS" else 1000
    left = 700 * MIB - pages * resource.getpagesize()
    assert available_memory(proc=proc, groups=groups) == left


def test_the_message_has_both_numbers():
    refuse_beyond(50 * MIB, "it takes", "do less", memory=100 * MIB)
    with pytest.raises(InputError, match=r"^it takes about 1\.5 GiB of memory, and 100\.0 MiB are"):
        refuse_beyond(1536 * MIB, "it takes", "do less", memory=100 * MIB)
    with pytest.raises(InputError, match=r"available: do less$"):
        refuse_beyond(51 * MIB, "it takes", "do less", share=0.5, memory=100 * MIB)


def alike(size):
    """Two words of size + 1 letters that share all but one."""
    shared = np.random.default_rng(0).integers(97, 113, size).astype(np.uint8).tobytes()
    return WordCounts.from_words([shared + b"X", b"Y" + shared])


def test_candidates_beyond_the_memory_are_refused(monkeypatch):
    monkeypatch.setattr("partcover.runtime.memory.available_memory", lambda: 64 * MIB)
    words = alike(2_000)
    with pytest.raises(InputError, match=r"there are 1,01\d,\d\d\d candidates, .* --max-length"):
        greedtok(Instance(words, k=2))
    assert greedtok(Instance(words, k=2, max_length=20)).tokens


@pytest.mark.long
def test_a_limit_of_the_process_is_heeded(tmp_path):
    (tmp_path / "C.tsv").write_bytes(b"".join(b"%b\t%d\n" % pair for pair in alike(20_000)))
    program = (
        "import resource, sys; from partcover.cli import main as cli;"
        "resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30));"
        "cli.main(['bound', 'C.tsv', '-k', '2'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "are available" in done.stderr
    assert "--max-length" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_words_beyond_the_memory_are_refused(monkeypatch):
    monkeypatch.setattr("partcover.runtime.memory.available_memory", lambda: MIB)
    with pytest.raises(InputError, match=r"indexing the 100,000 symbols .* --head"):
        WordIndex(WordCounts.from_words(["a" * 100_000]))


def test_candidates_are_counted_in_32_bits(tmp_path):
    zeros = tmp_path / "zeros"  # a file of holes, never read: it takes no memory and no disk
    with zeros.open("wb") as file:
        file.truncate(2**34)
    weights = np.memmap(zeros, np.int64)
    numbers = np.memmap(zeros, np.int32, shape=2**31)
    zeros.unlink()
    none = np.zeros(1, np.int32)
    state = Greedy(none, none, none, np.zeros(0, np.int64), False)
    with pytest.raises(OverflowError, match="candidates does not fit in int32"):
        state.load(numbers, numbers, numbers, weights, 1)
