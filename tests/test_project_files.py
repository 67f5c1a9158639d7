"""Files around the package agree: the address of the project, its version, needs and hooks."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import partcover

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
URLS = PROJECT["urls"]
ADDRESS = re.compile(r"https?://[^\s)>\]\"'`|]*\bpartcover\b[^\s)>\]\"'`|]*")
ELSEWHERE = (
    "https://img.shields.io/pypi/v/partcover",
    "https://pypi.org/packages/source/",
    "https://pypi.org/project/partcover",
)


def texts() -> dict[str, str]:
    """Every file of the repository that is text, by its path."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no checkout")
    found = {}
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.suffix not in {".cert", ".svg"} and path.is_file() and "/fuzz/seeds/" not in name:
            try:
                found[name] = path.read_text("utf-8")
            except UnicodeDecodeError:
                continue
    return found


def test_the_address_of_the_project_is_that_of_pyproject():
    homes = (URLS["Source"], URLS["Documentation"], *ELSEWHERE)
    found = {
        (name, address)
        for name, text in texts().items()
        for address in ADDRESS.findall(text)
        if name != "tests/test_project_files.py"
    }
    assert len(found) > 20
    assert [one for one in sorted(found) if not one[1].startswith(homes)] == []


def test_all_addresses_of_pyproject_are_of_one_project():
    owner, name = URLS["Source"].removeprefix("https://github.com/").split("/")
    assert URLS["Documentation"] == f"https://{owner}.github.io/{name}/"
    assert URLS["Issues"] == f"{URLS['Source']}/issues"
    assert URLS["Changelog"] == f"{URLS['Source']}/blob/main/CHANGELOG.md"
    repositories = re.findall(r"--repo ([\w/-]+)", (ROOT / "SECURITY.md").read_text("utf-8"))
    assert repositories == [f"{owner}/{name}"]


def test_the_version_is_the_same_everywhere():
    yaml = pytest.importorskip("yaml")
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    recipe = yaml.safe_load((ROOT / "release" / "recipe.yaml").read_text("utf-8"))
    assert cited["version"] == recipe["context"]["version"] == partcover.__version__
    assert cited["repository-code"] == recipe["about"]["repository"] == URLS["Source"]


def test_the_recipe_needs_what_the_package_needs():
    yaml = pytest.importorskip("yaml")
    requirements = yaml.safe_load((ROOT / "release" / "recipe.yaml").read_text("utf-8"))[
        "requirements"
    ]
    ours = [
        line.partition(";")[0]
        for line in PROJECT["dependencies"]
        if "sys_platform == 'win32'" not in line
    ]
    assert [line.replace(" ", "") for line in requirements["run"]] == ["python", *ours]
    builds = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    hosts = [line.replace(" ", "") for line in requirements["host"]]
    assert hosts == ["python", "pip", *builds]


def test_wheels_leave_out_the_large_proofs():
    text = (ROOT / "meson.build").read_text("utf-8")
    listed = re.search(r"large_proofs = \[\n(.*?)\]", text, re.DOTALL)[1]
    large = {p.name for p in (ROOT / "instances").glob("*.cert") if p.stat().st_size > 12_000}
    assert set(re.findall(r"'(.*)'", listed)) == large


def test_a_checkout_on_windows_has_the_same_bytes():
    for name in ("README.md", "instances/papaya-impact.json", "tests/public_api.txt"):
        line = ["git", "-c", "core.autocrlf=true", "cat-file", "--filters", f"HEAD:{name}"]
        checked_out = subprocess.run(line, cwd=ROOT, capture_output=True)
        if checked_out.returncode:
            pytest.skip("this is no checkout")
        assert b"\n" in checked_out.stdout
        assert b"\r" not in checked_out.stdout, name


def test_a_wheel_is_tested_with_all_files_but_the_package():
    wheels = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["cibuildwheel"]
    sources = {name for one in wheels["overrides"] for name in one["test-sources"]}
    assert sources == {name.partition("/")[0] for name in texts()} - {"partcover"}


def test_every_hook_is_a_target_that_make_has():
    yaml = pytest.importorskip("yaml")
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    hooks = {hook["entry"].removeprefix("make ") for hook in repository["hooks"]}
    targets = set(re.findall(r"^([\w./-]+):", makefile, re.MULTILINE))
    assert hooks <= targets
    lint = re.search(r"^lint: (.*)$", makefile, re.MULTILINE)[1].split()
    assert hooks == set(lint) - {"types-windows"}  # a second run of mypy waits for `make test`
    assert re.search(r"^check: hooks$", makefile, re.MULTILINE)
