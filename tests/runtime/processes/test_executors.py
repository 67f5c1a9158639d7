"""Executors of other libraries: the same counts, bounds and checks as in this thread."""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from shared.executor_work import counted, texts
from shared.in_workers import end

from partcover import InputError, PartcoverError, WordCounts
from partcover.corpus.counting import count_files, counts_part
from partcover.corpus.counting.head_and_tail import HeadAndTail

TESTS = Path(__file__).parents[2]
SCRIPT = """
import json, sys
from shared.executor_work import counted, texts
from mpi4py.futures import MPIPoolExecutor
from partcover import InputError, WordCounts

if __name__ == "__main__":
    folder = sys.argv[1]
    texts(folder)
    with MPIPoolExecutor() as executor:
        found = {**counted(folder, executor), "workers": executor.num_workers}
        try:
            WordCounts.from_files(folder + "/damaged.txt.gz", executor=executor)
        except InputError as error:
            found["error"] = str(error)
    with open(folder + "/found.json", "w") as file:
        json.dump(found, file)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of texts, and a damaged one."""
    for module, name in ((count_files, "SHARD"), (count_files, "LEAST"), (counts_part, "PART")):
        monkeypatch.setattr(module, name, getattr(module, name))  # texts() changes it
    texts(tmp_path)
    (tmp_path / "damaged.txt.gz").write_bytes(gzip.compress(random.Random(0).randbytes(9999))[:-9])
    return tmp_path


@pytest.fixture
def loky():
    """Two processes of loky."""
    library = pytest.importorskip("loky")
    with library.ProcessPoolExecutor(2, env={"PYTHONPATH": str(TESTS)}) as executor:
        yield executor


@pytest.mark.long
def test_loky(folder, loky):
    here = counted(folder, None)
    assert here["checked"][0]
    assert counted(folder, loky) == here
    with pytest.raises(InputError, match=r"damaged\.txt\.gz: cannot be read"):
        WordCounts.from_files(folder / "damaged.txt.gz", executor=loky)


@pytest.mark.long
@pytest.mark.filterwarnings("default")  # loky warns of a worker that is gone
def test_a_lost_process_of_loky_is_an_error(folder, loky):
    path = folder / "C.tsv"
    WordCounts.from_files(folder / "0.txt").save(path)
    split = HeadAndTail.load(path, 20, executor=loky, scratch=folder)
    with pytest.raises(PartcoverError, match="a worker was lost"):
        list(split.map(end))


@pytest.mark.long
def test_mpi(folder):
    pytest.importorskip("mpi4py")
    if shutil.which("mpiexec") is None:
        pytest.skip("there is no mpiexec")
    script = folder / "script.py"
    script.write_text(SCRIPT)
    # Open MPI starts more processes than there are cores, and as root, only if it is told so
    allowed = ["ALLOW_RUN_AS_ROOT", "ALLOW_RUN_AS_ROOT_CONFIRM", "MCA_rmaps_base_oversubscribe"]
    environment = {**os.environ, **{f"OMPI_{name}": "1" for name in allowed}}
    command = ["mpiexec", "-n", "3", sys.executable, "-m", "mpi4py.futures", script, folder]
    done = subprocess.run(
        command,
        env={**environment, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads((folder / "found.json").read_text())
    assert found.pop("workers") == 2
    assert "damaged.txt.gz: cannot be read" in found.pop("error")
    assert found == counted(folder, None)
