"""What native code prints is kept from standard output, whoever leaves first."""

import subprocess
import sys

import pytest

PROGRAM = """
import os
from partcover.runtime.processes.native_output import lead_to_standard_error, native_output

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


SILENT = """
import ctypes, threading
from partcover.runtime.processes.native_output import silent_c

puts = ctypes.CDLL(None).puts
puts(b"before")
entered, leave = threading.Event(), threading.Event()

def inside():
    with silent_c():
        puts(b"another thread")
        entered.set()
        leave.wait()
        puts(b"left behind")

thread = threading.Thread(target=inside)
thread.start()
entered.wait()
with silent_c():
    puts(b"this thread")
    print("Python", flush=True)
puts(b"still silent")
leave.set()
thread.join()
puts(b"after")
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="C's stdout is a function there")
def test_c_is_silent_and_python_is_not():
    done = subprocess.run(
        [sys.executable, "-c", SILENT], capture_output=True, text=True, check=True
    )
    assert (sorted(done.stdout.split()), done.stderr) == (["Python", "after", "before"], "")


CLOSED = """
import os, sys
from partcover.runtime.processes.native_output import (
    lead_to_standard_error, native_output, silent_c
)

for descriptor in map(int, sys.argv[1:]):
    os.close(descriptor)
lead_to_standard_error()
with native_output(), silent_c():
    os.write(0, b"done")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is led elsewhere there")
@pytest.mark.long
@pytest.mark.parametrize("closed", [("1",), ("2",), ("1", "2")])
def test_streams_that_are_closed(tmp_path, closed):
    with open(tmp_path / "out", "w+b") as file:
        subprocess.run([sys.executable, "-c", CLOSED, *closed], stdin=file, check=False)
        file.seek(0)
        assert file.read() == b"done"
