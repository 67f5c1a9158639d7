"""Uses single symbols only, the baseline that every method starts from."""

from __future__ import annotations

from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import Threads
from ..runtime.limits import Deadline
from ..vocabulary.vocabulary import Vocabulary
from .trainer import solution_of, trainer


@trainer(
    "bytes",
    about="no chosen tokens: every symbol alone",
    supports={"candidates", "max_length", "min_count", "forbidden", "groups"},
    nested=True,
    work="words",
)
def plain_bytes(instance: Instance, *, threads: Threads = 1) -> Solution:
    """Chooses no token, so that every symbol stands alone: for text, its bytes.

    Parameters
    ----------
    instance : Instance
        The words; k is not used.
    threads : int
        Threads of the segmentation; the result is the same for any number.

    Returns
    -------
    Solution
        Method ``bytes``, under the rule ``single_symbols``.

    Raises
    ------
    InputError
        If tokens are required.

    Examples
    --------
    >>> from partcover import Instance, trainers
    >>> trainers.plain_bytes(Instance({"low": 5, "lower": 2}, 3)).tokens
    25
    """
    deadline = Deadline()
    vocabulary = Vocabulary((), instance.symbols, "bytes", rule="single_symbols")
    return solution_of(instance, vocabulary, deadline.seconds, threads=threads)
