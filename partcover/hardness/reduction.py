"""The interface of a reduction, and the search for it by the name in its instance."""

from __future__ import annotations

from os import PathLike
from typing import Any, ClassVar, Protocol, runtime_checkable

from ..corpus.symbols import Token
from ..errors import InputError
from ..problem.instance import Instance
from .max_2_sat import DirectReduction, reduce_max_2_sat
from .max_2_sat_binary import BinaryReduction, reduce_max_2_sat_binary
from .max_2_sat_bottom_up import BottomUpReduction, reduce_max_2_sat_bottom_up
from .vertex_cover import Lift, VertexCoverReduction, reduce_vertex_cover
from .vertex_cover_unary import UnaryReduction, reduce_vertex_cover_unary

__all__ = [
    "REDUCTIONS",
    "BinaryReduction",
    "BottomUpReduction",
    "DirectReduction",
    "Lift",
    "Lifted",
    "Reduction",
    "UnaryReduction",
    "VertexCoverReduction",
    "reduce_max_2_sat",
    "reduce_max_2_sat_binary",
    "reduce_max_2_sat_bottom_up",
    "reduce_vertex_cover",
    "reduce_vertex_cover_unary",
    "reduction_of",
]


class Lifted(Protocol):
    """The meaning of an instance's answer for the problem that was reduced.

    Examples
    --------
    >>> import networkx as nx
    >>> from partcover import reduce_vertex_cover
    >>> reduction = reduce_vertex_cover(nx.path_graph(3), k=1)
    >>> reduction.lift(reduction.witness([1])).meets_threshold
    True
    """

    @property
    def meets_threshold(self) -> bool:
        """Whether the answer needs at most the instance's threshold of tokens."""

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as a JSON object."""


@runtime_checkable
class Reduction(Protocol):
    """A problem, its instance, and the conversion of answers.

    An *answer* of the instance is a `Vocabulary`, or `Merges` if the instance asks for merges.  The
    answer of the problem is yes exactly if some answer of the instance meets its threshold.
    `witness` and `lift` are the two directions of this equivalence.

    Examples
    --------
    >>> import networkx as nx
    >>> from partcover import reduce_vertex_cover
    >>> reduction = reduce_vertex_cover(nx.path_graph(3), k=1)
    >>> reduction.name, reduction.facts()["threshold"]
    ('vertex-cover', 6)
    >>> reduction.lift(reduction.witness([0])).to_json()
    {'vertices': [0], 'size': 1, 'is_vertex_cover': False, 'meets_threshold': False}
    """

    name: ClassVar[str]

    @property
    def instance(self) -> Instance:
        """The instance, with the whole problem; its ``source["reduction"]`` is `name`."""

    def facts(self) -> dict[str, Any]:
        """Returns the sizes of the problem and of its instance, as a JSON object."""

    def witness(self, certificate: Any, /) -> Any:
        """Returns the answer for a certificate of the problem (a cover, an assignment)."""

    def lift(self, answer: Any, /) -> Lifted:
        """Returns the meaning of an answer, checked on the problem itself."""

    def load_answer(self, path: str | PathLike[str]) -> Any:
        """Reads an answer from a file."""

    def pieces(self, answer: Any, /) -> list[list[Token]]:
        """Segments every word of the instance with the answer."""

    def symbol(self, number: int) -> str:
        """Returns the name of a symbol of the instance for messages."""

    @classmethod
    def from_instance(cls, instance: Instance) -> Reduction:
        """Rebuilds the reduction from its instance alone."""


REDUCTIONS: dict[str, type[Reduction]] = {
    VertexCoverReduction.name: VertexCoverReduction,
    UnaryReduction.name: UnaryReduction,
    DirectReduction.name: DirectReduction,
    BinaryReduction.name: BinaryReduction,
    BottomUpReduction.name: BottomUpReduction,
}


def reduction_of(instance: Instance) -> Reduction:
    """Finds the reduction that made an instance, by ``source["reduction"]``.

    Raises
    ------
    InputError
        If its source names no known reduction, or it is not an instance of that reduction.

    Examples
    --------
    >>> import networkx as nx
    >>> from partcover import reduce_vertex_cover
    >>> from partcover.hardness.reduction import reduction_of
    >>> instance = reduce_vertex_cover(nx.cycle_graph(4), k=2).instance
    >>> sorted(reduction_of(instance).graph.edges)
    [(0, 1), (0, 3), (1, 2), (2, 3)]
    """
    name = instance.source.get("reduction")
    if not isinstance(name, str) or name not in REDUCTIONS:
        raise InputError(
            "the instance was not made by reduce: its source names none of the reductions "
            + ", ".join(REDUCTIONS)
        )
    return REDUCTIONS[name].from_instance(instance)
