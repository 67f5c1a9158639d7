"""Child processes end with their parent, even where nothing in it could end them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from partcover.runtime.processes import children


def gone(pid):
    """Whether a process ends within ten seconds."""
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        try:  # a dead child whose new parent does not reap is as good as gone
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            pass
        time.sleep(0.05)
    return False


def killed(code, tmp_path):
    """Start Python, wait for the pid that it writes, and kill it; the pid."""
    file = tmp_path / "code.py"
    file.write_text(textwrap.dedent(code))
    with subprocess.Popen(
        [sys.executable, str(file)], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as process:
        pid = int(process.stdout.readline())
        os.kill(pid, 0)  # it is at work
        process.send_signal(signal.SIGKILL)
    return pid


@pytest.mark.long
def test_cbc_dies_with_its_parent(tmp_path):
    pytest.importorskip("pulp")
    pid = killed(
        """
        import subprocess, numpy as np
        from partcover import Instance, WordCounts, solve

        start = subprocess.Popen

        def noted(command, **options):
            process = start(command, **options)
            if "cbc" in str(command[0]):
                pids.append(process.pid)
            return process

        def log(line):
            if pids:
                print(pids.pop(), flush=True)

        pids = []
        subprocess.Popen = noted
        rng = np.random.default_rng(7)
        words = {bytes(rng.integers(97, 100, 12).tolist()): 5 + i for i in range(150)}
        solve(Instance(WordCounts.from_counts(words), 40), solver="cbc", log=log)
        """,
        tmp_path,
    )
    assert gone(pid)


def test_programs_that_are_run_die_with_their_parent(tmp_path):
    pid = killed(
        """
        import sys
        from partcover.runtime.processes.children import run

        code = "import os, time; os.write(9, b'%d\\\\n' % os.getpid()); time.sleep(600)"
        import os, subprocess
        os.dup2(1, 9, inheritable=True)
        start = subprocess.Popen
        subprocess.Popen = lambda *given, **options: start(
            *given, **options, pass_fds=[9] if sys.executable in given[0] else []
        )
        run([sys.executable, "-c", code])
        """,
        tmp_path,
    )
    assert gone(pid)


def test_processes_apart_die_with_their_parent(tmp_path):
    pid = killed(
        """
        import os, time
        from partcover.runtime.processes.isolation import run_isolated

        def work():
            print(os.getpid(), flush=True)
            time.sleep(600)

        if __name__ == "__main__":
            run_isolated(work)
        """,
        tmp_path,
    )
    assert gone(pid)


def test_run_gives_what_the_program_wrote():
    code = "import sys; print(input() * 2); print('no', file=sys.stderr); sys.exit(3)"
    done = children.run([sys.executable, "-c", code], input="ab\n")
    assert (done.stdout, done.stderr, done.returncode) == ("abab\n", "no\n", 3)


def test_run_ends_at_the_time_limit():
    with pytest.raises(subprocess.TimeoutExpired):
        children.run([sys.executable, "-c", "import time; time.sleep(600)"], timeout=0.2)


def test_a_child_that_is_guarded_no_more_lives_on():
    with subprocess.Popen(["/bin/sleep", "600"]) as process:
        with children.guarded(process.pid):
            assert process.poll() is None
        time.sleep(0.2)
        assert process.poll() is None
        process.kill()
