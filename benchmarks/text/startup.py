"""How long it takes until partcover does anything: CPU seconds of whole processes.

    python benchmarks/text/startup.py [--repeat 15]

Each line is a fresh process, user and system time together, the smallest and the median of the
repeats; the lines take turns, so that a disturbance meets them all.  "over python" is what the
line needs beyond Python itself.  What NumPy and click need alone stands beside it.  An editable
install adds the import hook of its build; a figure to quote is from an installed wheel.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys

from partcover.runtime.versions import describe_installation

LINES = {
    "python": ["-c", "pass"],
    "import partcover": ["-c", "import partcover"],
    "partcover --help": ["-m", "partcover", "--help"],
    "partcover --version": ["-m", "partcover", "--version"],
    "completing a command": ["-m", "partcover"],
    "partcover greedtok --help": ["-m", "partcover", "greedtok", "--help"],
    "partcover audit --help": ["-m", "partcover", "audit", "--help"],
    "partcover.Instance": ["-c", "import partcover; partcover.Instance"],
    "import numpy": ["-c", "import numpy"],
    "import click, cloup": ["-c", "import click, cloup"],
}
ASKED = {
    "_PARTCOVER_COMPLETE": "bash_complete",
    "COMP_WORDS": "partcover gre",
    "COMP_CWORD": "1",
}
GOALS = dict.fromkeys([n for n in LINES if n.startswith(("partcover ", "import partcover"))], 0.15)


def cpu_seconds(name):
    """User and system time of one process."""
    environment = os.environ | (ASKED if name.startswith("completing") else {})
    process = subprocess.Popen(
        [sys.executable, *LINES[name]], env=environment, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{name}: exit status {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=15)
    repeat = parser.parse_args().repeat
    seconds = {name: [] for name in LINES}
    for _ in range(repeat):
        for name, taken in seconds.items():
            taken.append(cpu_seconds(name))
    installed = describe_installation()
    libraries = ", ".join(f"{name} {installed['libraries'][name]}" for name in ("click", "numpy"))
    print(f"partcover {installed['partcover']}, {installed['python']}, {libraries}")
    print(f"{'':26} {'smallest':>9} {'median':>9} {'over python':>12}   goal")
    for name, taken in seconds.items():
        over = min(taken) - min(seconds["python"])
        goal = f"under {GOALS[name]:.2f} s" if name in GOALS else ""
        middle = statistics.median(taken)
        print(f"{name:26} {min(taken):7.3f} s {middle:7.3f} s {over:10.3f} s   {goal}".rstrip())


if __name__ == "__main__":
    main()
