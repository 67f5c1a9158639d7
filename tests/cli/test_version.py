"""What ``--version`` shows."""

from __future__ import annotations

import importlib.metadata
import platform

from partcover import __version__


def test_version_names_all_parts(run):
    status, out, err = run("--version")
    assert (status, err) == (0, "")
    assert out.startswith(f"partcover, version {__version__}\n")
    shown = {tuple(line.split(maxsplit=1)) for line in out.split("\n") if " " in line}
    assert ("python", f"{platform.python_implementation()} {platform.python_version()}") in shown
    for library in ("numpy", "regex", "click"):
        assert (library, importlib.metadata.version(library)) in shown
    compiled = out.partition("compiled\n")[2].partition("libraries\n")[0]
    assert {line.split()[0] for line in compiled.splitlines()} >= {"compiler", "cython", "flags"}
    assert "partcover[plot]\n  matplotlib" in out
    assert "pytest" not in out  # what only those who work on partcover need


def test_what_is_not_installed_is_said(run, monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    assert "\n  matplotlib      not installed\n" in run("--version")[1]
    monkeypatch.setattr(importlib.metadata, "requires", missing)
    assert run("--version")[1].endswith("libraries\n")
