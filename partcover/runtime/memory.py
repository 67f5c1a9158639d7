"""Finds how much memory this process may use; raises an error for work that needs more."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from ..errors import InputError

if sys.platform == "win32":
    import psutil
else:
    import resource

_LITTLE = 1 << 20  # bytes for which the check is not worth a millisecond


def available_memory(*, proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> int:
    """Returns the bytes that this process may still allocate.

    Parameters
    ----------
    proc, groups : Path
        The file systems of processes and of control groups.

    Returns
    -------
    int
        The smallest of three: the memory that the machine has free or can free, the memory left
        within the limits of the process (``ulimit -v`` and ``ulimit -d``), and the memory left
        within its control groups (versions 1 and 2).  On Windows it is only the first.  If the
        system does not report free memory, all memory of the machine counts as free.
    """
    return max(0, min([_free(proc), *_within_limits(proc), *_within_groups(proc, groups)]))


def refuse_beyond(
    need: int, what: str, advice: str, *, share: float = 1.0, memory: int | None = None
) -> None:
    """Raises an error for work that would need more memory than is available.

    Parameters
    ----------
    need : int
        Approximate number of bytes that the work needs; up to a megabyte is never checked.
    what : str
        The work, for the message.
    advice : str
        A recommendation, for the message.
    share : float
        The part of the available memory that the work may take.
    memory : int, optional
        Bytes that are available; by default `available_memory`.

    Raises
    ------
    InputError
        With both numbers.

    Examples
    --------
    >>> from partcover import InputError
    >>> from partcover.runtime.memory import refuse_beyond
    >>> try:
    ...     refuse_beyond(2**31, "the index takes", "split the corpus", memory=2**30)
    ... except InputError as error:
    ...     print(error)
    the index takes about 2.0 GiB of memory, and 1.0 GiB are available: split the corpus
    """
    if memory is None:
        if need <= _LITTLE:
            return
        memory = available_memory()
    if need > share * memory:
        raise InputError(
            f"{what} about {shown_size(need)} of memory, and {shown_size(memory)} are available: "
            f"{advice}"
        )


def shown_size(size: int) -> str:
    """Returns a number of bytes in a readable unit.

    Examples
    --------
    >>> from partcover.runtime.memory import shown_size
    >>> shown_size(3 << 29)
    '1.5 GiB'
    """
    return f"{size / 2**30:,.1f} GiB" if size >= 2**30 else f"{size / 2**20:,.1f} MiB"


def _free(proc: Path) -> int:
    try:
        for line in (proc / "meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    if sys.platform == "win32":
        return int(psutil.virtual_memory().available)
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _within_limits(proc: Path) -> list[int]:
    """Returns the memory left within the process's limits on address space and data."""
    room: list[int] = []
    try:
        pages = (proc / "self/statm").read_text().split()
        used = [int(pages[0]), int(pages[5])]
    except (OSError, ValueError, IndexError):
        used = [0, 0]
    if sys.platform != "win32":  # Windows has no such limits
        for name, n_pages in zip((resource.RLIMIT_AS, resource.RLIMIT_DATA), used, strict=True):
            limit = resource.getrlimit(name)[0]
            if limit != resource.RLIM_INFINITY:
                room.append(limit - n_pages * resource.getpagesize())
    return room


def _within_groups(proc: Path, groups: Path) -> Iterator[int]:
    """Yields the memory left within each control group of the process.

    Cached file pages that are not in use are counted as used, but are freed when memory is needed.
    """
    try:
        lines = (proc / "self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if not controllers:
            top, limit, used = groups, "memory.max", "memory.current"
            inactive = "inactive_file"
        elif "memory" in controllers.split(","):
            top = groups / "memory"
            limit, used = "memory.limit_in_bytes", "memory.usage_in_bytes"
            inactive = "total_inactive_file"
        else:
            continue
        # in a container the path may be from the machine; the container's group is then the top
        group = top / path.lstrip("/")
        for folder in [group, *group.parents]:
            if folder == top.parent:
                break
            allowed = _number(folder / limit)
            if allowed is not None:
                yield allowed - (_number(folder / used) or 0) + _stat(folder, inactive)


def _number(path: Path) -> int | None:
    """Returns the number in a file; None if there is none, which means no limit."""
    try:
        return int(path.read_bytes())
    except (OSError, ValueError):
        return None


def _stat(folder: Path, name: str) -> int:
    try:
        for line in (folder / "memory.stat").read_text().splitlines():
            if line.split()[0] == name:
                return int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    return 0
