"""What native code prints is kept from standard output, whoever leaves first."""

import subprocess
import sys

import pytest

PROGRAM = """
import os
from partcover.runtime.native_output import lead_to_standard_error, native_output

with native_output():
    os.write(1, b"not asked for\\n")
lead_to_standard_error()
print("before")
first, second = native_output(), native_output()
first.__enter__()
second.__enter__()
os.write(1, b"native\\n")
first.__exit__(None, None, None)
os.write(1, b"native still\\n")
second.__exit__(None, None, None)
print("after")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is led elsewhere there")
def test_two_at_once():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert done.stdout == "not asked for\nbefore\nafter\n"
    assert done.stderr == "native\nnative still\n"
