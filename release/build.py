"""Builds the sdist, and a wheel from it, twice, and keeps them in dist/ if the bytes are the same.

    make dist

The commit that is checked out is built; changes that are not committed are left out, and said.
The second build runs in a folder with a longer name, in another time zone, with another hash seed.
Both have the umask 022, which the modes of files in a wheel follow.  SOURCE_DATE_EPOCH is the time
of the commit, unless it is set.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILDS = {
    "first": {"TZ": "UTC", "PYTHONHASHSEED": "0"},
    "second-in-a-longer-folder": {"TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "1"},
}


def git(*arguments: str) -> str:
    """What a git command prints."""
    line = ["git", "-C", os.fspath(ROOT), *arguments]
    return subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def digests(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
    }


def build_once(name: str, folder: Path) -> Path:
    """A build of the commit in a fresh clone; returns the folder of what it made."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct")
    environment = os.environ | {"SOURCE_DATE_EPOCH": epoch} | BUILDS[name]
    clone, made = folder / name, folder / f"{name}-dist"
    subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
    subprocess.run(["git", "-C", clone, "checkout", "-q", git("rev-parse", "HEAD")], check=True)
    without = "-Csetup-args=-Dlarge_proofs=false"  # as the wheels of cibuildwheel
    line = [sys.executable, "-m", "build", without, "-o", made, clone]
    done = subprocess.run(
        line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        sys.exit(f"{done.stdout[-4000:]}\nThe build failed: {' '.join(map(str, line))}")
    return made


def build_twice(into: Path) -> list[Path]:
    """Builds twice, compares, and moves the files; returns their paths."""
    with tempfile.TemporaryDirectory(prefix="partcover-build-") as name:
        first, second = (build_once(one, Path(name)) for one in BUILDS)
        a, b = digests(first), digests(second)
        if a != b:
            differing = sorted(file for file in a.keys() | b.keys() if a.get(file) != b.get(file))
            kept = ROOT / "build" / "not-reproducible"
            shutil.rmtree(kept, ignore_errors=True)
            for folder in (first, second):
                shutil.copytree(folder, kept / folder.name)
            sys.exit(f"Two builds differ in {', '.join(differing)}; both are in {kept}.")
        shutil.rmtree(into, ignore_errors=True)
        into.mkdir(parents=True)
        return [Path(shutil.move(first / file, into / file)) for file in a]


def main() -> None:
    """Builds into dist/ and prints names, sizes and digests."""
    os.umask(0o022)
    if git("status", "--porcelain"):
        print("Changes that are not committed are not built.", file=sys.stderr)
    for path in build_twice(ROOT / "dist"):
        print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.stat().st_size:>9,}  {path}")


if __name__ == "__main__":
    main()
