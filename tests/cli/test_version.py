"""What ``--version`` shows, by itself and with ``--verbose``."""

from __future__ import annotations

import importlib.metadata
import platform

from cli.helpers import fails

from partcover import __version__


def test_version(run):
    assert run("--version") == (0, f"partcover, version {__version__}\n", "")


def test_verbose_version_names_all_parts(run):
    status, out, err = run("--version", "--verbose")
    assert (status, err) == (0, "")
    assert run("--verbose", "--version") == (0, out, "")
    shown = {tuple(line.split(maxsplit=1)) for line in out.split("\n") if " " in line}
    assert ("partcover", __version__) in shown
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
    assert "\n  matplotlib      not installed\n" in run("--version", "--verbose")[1]
    monkeypatch.setattr(importlib.metadata, "requires", missing)
    assert run("--version", "--verbose")[1].endswith("libraries\n")


def test_verbose_alone_is_refused(run):
    fails(run("--verbose"), "--verbose goes with --version")
    fails(run("--verbose", "solvers"), "--verbose goes with --version")
