"""Fixtures that several tests share."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from interop.cases import counted_words
from shared import properties  # noqa: F401 (it chooses the examples of all property tests)

from partcover.cli import main as cli
from partcover.errors import MissingExtra
from partcover.interop import replay
from partcover.runtime.processes.threads import left_behind

# What a script starts in the background ignores Ctrl-C, and so does all that it starts in turn, as
# nohup does with SIGHUP: the processes that tests interrupt must not.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)  # which a started process does not inherit

# A warning is an error in the processes that tests start, too.
os.environ["PYTHONWARNINGS"] = "error"

# Help and tables are as wide, whatever the terminal is.
os.environ["COLUMNS"] = "80"

# They multiply no matrices, and the threads for it take a third of the time that a start takes.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

# Nobody cuts the power; `tests/runtime/files/test_power_cuts.py` says what would be left.
os.fsync = lambda file: None
# an export without a corpus is tried on the tokens and as many strings: hundreds of tests export
replay._WORDS = 1000

ROOT = Path(__file__).parents[1]
# a process that is spawned imports the module of a test as tests.FOLDER.NAME; at the end, so that
# the package that is installed comes first
sys.path.append(str(ROOT))
CACHES = {".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", "build"}


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_left_in_the_repository():
    """Tests write below ``tmp_path`` alone."""
    before = {path.name for path in ROOT.iterdir()} | CACHES
    yield
    left = sorted({path.name for path in ROOT.iterdir()} - before)
    assert not left, f"left in the repository by some test: {left}"


def _skip_without_library(message):
    """Skips the test if a message says that it needs a library, which is not installed here."""
    missing = re.search(r"needs '([\w.-]+)', which is not installed", message)
    if missing:
        try:
            version(missing[1])
        except PackageNotFoundError:
            pytest.skip(missing[0])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup():
    return (yield from _skipping())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call():
    return (yield from _skipping())


def _skipping():
    """Skips what fails in Python, or by what a command says, for want of an optional library."""
    try:
        return (yield)
    except (AssertionError, MissingExtra) as error:
        _skip_without_library(str(error))
        raise


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(exitstatus):
    """Ends the process at once if a test leaves a solver behind: HiGHS aborts a normal exit."""

    def end():
        if left_behind():
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(int(exitstatus))

    atexit.register(end)


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Run the command in an empty folder: (status, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            cli.main([str(a) for a in arguments])
        captured = capsys.readouterr()
        if stop.value.code:
            _skip_without_library(captured.err)
        return stop.value.code, captured.out, captured.err

    return call


@pytest.fixture(scope="module")
def few_rounds():
    """Rounds of cuts end soon: those that gain nothing take most of the time on tiny instances."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("partcover.bounds.climbing.climb._ROUNDS_WITHOUT_GAIN", 2)
        yield


@pytest.fixture
def counted():
    """Words that exports are tried on."""
    return counted_words()


@pytest.fixture
def scheduler(tmp_path, monkeypatch):
    """A scheduler of Dask and two workers, processes all of them; its process and its address."""
    pytest.importorskip("distributed")
    psutil = pytest.importorskip("psutil")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests"))
    monkeypatch.setenv("DASK_DISTRIBUTED__DASHBOARD__LINK", "")
    # another scheduler on the machine clears the folder that they share otherwise
    monkeypatch.setenv("DASK_TEMPORARY_DIRECTORY", str(tmp_path))
    where = tmp_path / "scheduler.json"
    # of all addresses Dask would want one port, which another scheduler may just have taken
    common = ["--scheduler-file", str(where), "--no-dashboard"]
    common += ["--dashboard-address", "127.0.0.1:0"]
    module = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1"]
    said = tmp_path / "said.txt"
    with said.open("wb") as log:
        started = [subprocess.Popen([*module, "--port", "0", *common], stderr=log)]
        module = [sys.executable, "-m", "distributed.cli.dask_worker", "--nworkers", "2"]
        options = ["--nthreads", "1", "--death-timeout", "600", "--local-directory", str(tmp_path)]
        started.append(subprocess.Popen([*module, *options, *common], stderr=log, cwd=tmp_path))
    try:
        while not (where.exists() and where.read_text().endswith("}")):
            assert all(process.poll() is None for process in started), said.read_text()
            time.sleep(0.1)
        yield started[0], json.loads(where.read_text())["address"].removeprefix("tcp://")
    finally:
        for process in started:
            with contextlib.suppress(psutil.NoSuchProcess):
                for child in psutil.Process(process.pid).children(recursive=True):
                    child.kill()
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def chromium():
    """A browser; skips without one."""
    playwright = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium is installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium):
    """Opens a page; at the end no message, no error and no request of it is there."""
    trouble: list[str] = []
    contexts = []

    def open_(path, width=1280, scheme="light"):
        context = chromium.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on(
            "request",
            lambda request: None if request.url == path.as_uri() else trouble.append(request.url),
        )
        page.goto(path.as_uri())
        return page

    yield open_
    for context in contexts:
        context.close()
    assert not trouble
