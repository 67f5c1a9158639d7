"""Does all of a release but the upload, which a workflow does when it sees the tag.

    make release VERSION=0.1.0 DRY=1     all but the tag, even before the changelog has a date
    make release VERSION=0.1.0           the same, then the tag is made and pushed

Each step prints one line.  The first that fails ends the run, and says what to do.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from email.parser import HeaderParser
from pathlib import Path

from packaging.version import InvalidVersion, Version

from build import build_twice, git

ROOT = Path(__file__).parents[1]
SIZE = 3_000_000  # bytes of a wheel, at most
COMPILERS = ("cc", "gcc", "g++", "clang", "c++", "tcc")
EXTRAS = "huggingface,plot,report,solvers,tiktoken,sentencepiece"  # of the README's first page


def fail(message: str) -> None:
    """Ends the run with one line."""
    sys.exit(f"release: {message}")


def run(*line: object, **options) -> str:
    """What a program prints; its output is shown if it fails."""
    done = subprocess.run(
        [*map(os.fspath, line)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **options,
    )
    if done.returncode:
        fail(f"{' '.join(map(str, line))} ended with {done.returncode}\n{done.stdout[-6000:]}")
    return done.stdout


def check_version(version: str) -> str:
    """The version is one, and stands in every file that holds it."""
    try:
        normal = str(Version(version))
    except InvalidVersion:
        fail(f"{version!r} is no version, such as 0.1.0")
    if normal != version:
        fail(f"write the version {version} as {normal}")
    holders = {
        "partcover/_version.py": r'^__version__ = "(.*)"$',
        "CITATION.cff": r"^version: (.*)$",
        "release/recipe.yaml": r"^  version: (\d.*)$",
    }
    for name, pattern in holders.items():
        found = re.findall(pattern, (ROOT / name).read_text("utf-8"), re.MULTILINE)
        if found != [version]:
            fail(f"{name} has the version {', '.join(found) or 'nowhere'}: write {version}")
    return f"{len(holders)} files have it"


def check_changelog(version: str, dry: bool) -> str:
    """The first section of the changelog is that of the version, with a date."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    title = re.search(r"^## (\S+) \((.*)\)$", text, re.MULTILINE)
    if title is None or title[1] != version:
        fail(f"the first section of CHANGELOG.md must be '## {version} (YYYY-MM-DD)'")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", title[2]) and not dry:
        fail(f"CHANGELOG.md says '{title[2]}' for {version}: write the day, as (2026-12-31)")
    return f"{version} ({title[2]})"


def check_tree(version: str, dry: bool) -> str:
    """Nothing is left to commit, and no tag is there; a rehearsal may run on the tag itself."""
    if changes := git("status", "--porcelain"):
        fail(f"commit or remove what has changed:\n{changes}")
    taken = git("tag", "--list", f"v{version}") and git("rev-list", "-1", f"v{version}")
    if taken and not (dry and taken == git("rev-parse", "HEAD")):
        fail(f"the tag v{version} is there: a version is released once")
    return git("rev-parse", "--short", "HEAD")


def check_files(files: list[Path], version: str) -> str:
    """Metadata, contents and size are as PyPI and its users expect them."""
    python = sys.executable
    run(python, "-m", "twine", "check", "--strict", *files)
    (wheel,) = (path for path in files if path.suffix == ".whl")
    # W002: an empty __init__.py is the same as another
    run(python, "-m", "check_wheel_contents", "--ignore", "W002", wheel)
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        metadata = HeaderParser().parsestr(archive.read(name).decode("utf-8"))
    if metadata["Version"] != version:
        fail(f"{wheel.name} says that it is version {metadata['Version']}")
    size = wheel.stat().st_size
    if size > SIZE:
        fail(f"{wheel.name} has {size:,} bytes: more than {SIZE:,}")
    return f"{size:,} bytes of wheel"


def try_install(wheel: Path, folder: Path) -> str:
    """The wheel alone, without a compiler: an audit, and the command by its name."""
    venv.create(folder / "small", with_pip=True)
    programs = folder / "programs"
    programs.mkdir()
    for directory in os.get_exec_path():
        for path in Path(directory).glob("*") if Path(directory).is_dir() else ():
            if path.name.partition("-")[0] not in COMPILERS and not (programs / path.name).exists():
                (programs / path.name).symlink_to(path)
    environment = {"PATH": f"{folder / 'small' / 'bin'}:{programs}", "HOME": os.fspath(folder)}
    environment |= {name: os.environ[name] for name in os.environ if name.startswith("PIP_")}
    assert not any(shutil.which(name, path=environment["PATH"]) for name in COMPILERS)
    here = {"env": environment, "cwd": folder}
    pip = folder / "small/bin/pip"
    run(pip, "install", "-q", "--no-cache-dir", "--only-binary=:all:", wheel, **here)
    text = (ROOT / "README.md").read_text("utf-8")
    (folder / "text.txt").write_text(text, "utf-8")
    for line in (
        "partcover count text.txt --pretokenizer gpt2 -o counts.tsv",
        "partcover train counts.tsv -k 50 --method bpe -o bpe.json",
        "partcover audit bpe.json text.txt --time-limit 2",
    ):
        printed = run(*line.split(), **here)
    if " gap " not in printed:
        fail(f"an audit shows no gap:\n{printed}")
    return "installed without a compiler; audit shows a gap"


def try_readme(wheel: Path, folder: Path) -> str:
    """The blocks of the README run as printed, with the package from the wheel."""
    venv.create(folder / "readme", with_pip=True)
    tools = ("hypothesis", "markdown-it-py", "packaging", "psutil", "pytest")
    run(folder / "readme/bin/pip", "install", "-q", f"{wheel}[{EXTRAS}]", *tools)
    # without the package of the checkout
    for name in ("README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "tests", folder / "tests")
    environment = os.environ | {"PATH": f"{folder / 'readme/bin'}:{os.environ['PATH']}"}
    environment.pop("PYTHONPATH", None)
    printed = run(
        folder / "readme/bin/pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "tests/test_documents.py",
        "-k",
        "README",
        cwd=folder,
        env=environment,
    )
    last = printed.strip().splitlines()[-1]
    if "skipped" in last:
        fail(f"blocks of the README were skipped:\n{printed}")
    return last


def main() -> None:
    """Runs all steps."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("version", metavar="VERSION", help="what is released, such as 0.1.0")
    parser.add_argument("--dry", action="store_true", help="stop before the tag")
    options = parser.parse_args()
    version, dry = options.version, options.dry
    os.umask(0o022)

    def step(name: str, said: str) -> None:
        print(f"{name:<14} {said}", flush=True)

    step("version", check_version(version))
    step("changelog", check_changelog(version, dry))
    step("tree", check_tree(version, dry))
    files = build_twice(ROOT / "dist")
    step("two builds", f"the same bytes: {', '.join(path.name for path in files)}")
    step("files", check_files(files, version))
    (wheel,) = (path for path in files if path.suffix == ".whl")
    with tempfile.TemporaryDirectory(prefix="partcover-release-") as name:
        step("small install", try_install(wheel, Path(name)))
        step("README", try_readme(wheel, Path(name)))
    if dry:
        step("dry run", f"not done: git tag -a v{version}, git push origin v{version}")
        return
    git("tag", "-a", f"v{version}", "-m", f"partcover {version}")
    git("push", "origin", f"v{version}")
    step("tag", f"v{version} is pushed: the workflow Release builds all wheels and uploads them")


if __name__ == "__main__":
    main()
