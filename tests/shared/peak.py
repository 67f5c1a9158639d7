"""The memory that work on words takes, against its plan."""

from __future__ import annotations

import pickle
import subprocess
import sys

from partcover import WordCounts

BEGIN = """
import pickle
import sys
from partcover import Instance

words = pickle.load(sys.stdin.buffer)
"""
END = """
# rusage would count what the process had that started this one
[peak] = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(need, 1024 * int(peak))
"""


def planned_and_peak(work: str, words: WordCounts, *arguments: object) -> tuple[int, int]:
    """The plan that `work` puts into `need`, and the peak of a process that does that work.

    The work finds `words`, `Instance` and its arguments in ``sys.argv[1:]``.  The words are
    made here, since what making them takes is no part of any plan.
    """
    command = [sys.executable, "-c", BEGIN + work + END, *map(str, arguments)]
    done = subprocess.run(command, check=True, input=pickle.dumps(words), stdout=subprocess.PIPE)
    need, peak = map(int, done.stdout.split())
    return need, peak
