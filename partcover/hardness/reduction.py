"""Defines what all reductions share: the instance, and answers taken back."""

from __future__ import annotations

from os import PathLike
from typing import Any, ClassVar, Protocol

from ..corpus.symbols import Token
from ..errors import InputError
from ..problem.instance import Instance
from .max_2_sat import (
    BottomUpReduction,
    DirectReduction,
    reduce_max_2_sat,
    reduce_max_2_sat_bottom_up,
)
from .vertex_cover import Lift, VertexCoverReduction, reduce_vertex_cover

__all__ = [
    "REDUCTIONS",
    "BottomUpReduction",
    "DirectReduction",
    "Lift",
    "Lifted",
    "Reduction",
    "VertexCoverReduction",
    "reduce_max_2_sat",
    "reduce_max_2_sat_bottom_up",
    "reduce_vertex_cover",
    "reduction_of",
]


class Lifted(Protocol):
    """What an answer of the instance says about the problem that was reduced."""

    @property
    def meets_threshold(self) -> bool:
        """Whether the answer needs at most the instance's threshold of tokens."""

    def to_json(self) -> dict[str, Any]:
        """The fields as a JSON object."""


class Reduction(Protocol):
    """A problem, the instance it becomes, and the way back.

    An *answer* of the instance is a `Vocabulary`, or `Merges` where the instance asks for them.
    A reduction holds that the problem's answer is yes exactly if some answer of the instance
    meets its threshold; `witness` and `lift` are its two directions.
    """

    name: ClassVar[str]

    @property
    def instance(self) -> Instance:
        """The instance; its ``source["reduction"]`` is `name`, and it holds the whole problem."""

    def facts(self) -> dict[str, Any]:
        """Sizes of the problem and of its instance, as a JSON object."""

    def witness(self, certificate: Any, /) -> Any:
        """The answer that a certificate of the problem (a cover, an assignment) becomes."""

    def lift(self, answer: Any, /) -> Lifted:
        """What an answer says about the problem, checked on the problem itself."""

    def load_answer(self, path: str | PathLike[str]) -> Any:
        """Read an answer from a file."""

    def pieces(self, answer: Any, /) -> list[list[Token]]:
        """Every word of the instance as the tokens that the answer makes of it."""

    def symbol(self, number: int) -> str:
        """A symbol of the instance for people."""

    @classmethod
    def from_instance(cls, instance: Instance) -> Reduction:
        """Rebuild the reduction from its instance, which alone is enough."""


REDUCTIONS: dict[str, type[Reduction]] = {
    VertexCoverReduction.name: VertexCoverReduction,
    DirectReduction.name: DirectReduction,
    BottomUpReduction.name: BottomUpReduction,
}


def reduction_of(instance: Instance) -> Reduction:
    """The reduction that made an instance, by ``source["reduction"]``.

    Raises
    ------
    InputError
        If its source names no known reduction, or is not what that reduction makes.
    """
    name = instance.source.get("reduction")
    if not isinstance(name, str) or name not in REDUCTIONS:
        raise InputError(
            "the instance was not made by reduce: its source names none of the reductions "
            + ", ".join(REDUCTIONS)
        )
    return REDUCTIONS[name].from_instance(instance)
