"""What `make sanitize` begins with calls every kernel: a sanitizer sees only what runs."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest
from fuzz.kernels import attempt

import partcover.kernels

KERNELS = {path.stem for path in Path(partcover.kernels.__file__).parent.rglob("_*.pyi")}


class Noted:
    """A function or class of a kernel that notes when it is called."""

    def __init__(self, value, home, called):
        self.value, self.kernel, self.called = value, home.rpartition(".")[2], called

    def __call__(self, *arguments, **options):
        self.called.add(self.kernel)
        return self.value(*arguments, **options)

    def __getattr__(self, name):
        return getattr(self.value, name)


@pytest.mark.long
def test_every_kernel_is_called(monkeypatch):
    attempt(Random(0))  # all modules are there then
    called: set[str] = set()
    modules = [module for name, module in sys.modules.items() if name.startswith("partcover.")]
    for module in modules:
        for name, value in list(vars(module).items()):
            home = getattr(value, "__module__", None) or ""
            if callable(value) and home.startswith("partcover.kernels."):
                monkeypatch.setattr(module, name, Noted(value, home, called))
    for seed in range(1, 9):
        attempt(Random(seed))
        if called == KERNELS:
            break
    assert called == KERNELS
