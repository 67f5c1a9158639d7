"""Finds objects by name: partcover's own, then those of an entry point group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import InputError
from .arguments import closest, shown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_T = TypeVar("_T")


class EntryPointRegistry(MutableMapping[str, _T]):
    """A mapping from names to objects: partcover's own, then those of other packages.

    Another package lists its objects in an entry point group.  An object is imported when it is
    requested.  Names in `given` take precedence.  A subclass sets `group`, and its method `load`
    converts an entry point to an object.

    Parameters
    ----------
    given : mapping of str to object
        The objects of partcover.

    Attributes
    ----------
    given : dict of str to object
        These objects.
    group : str
        The entry point group.

    Raises
    ------
    InputError
        For an unknown name, with the closest known one.
    """

    group: str

    def __init__(self, given: Mapping[str, _T]) -> None:
        self.given = dict(given)
        self._loaded: dict[str, _T] = {}
        self._entry_points: dict[str, EntryPoint] | None = None

    def load(self, entry: EntryPoint) -> _T:
        """Imports the object of an entry point.

        Raises
        ------
        InputError
            If it cannot be loaded, or is not of the group's kind.
        """
        raise NotImplementedError

    @property
    def _others(self) -> dict[str, EntryPoint]:
        """The entry points of other packages, looked up once."""
        if self._entry_points is None:
            from importlib.metadata import entry_points  # slow, and only few commands need it

            self._entry_points = {entry.name: entry for entry in entry_points(group=self.group)}
        return self._entry_points

    def __getitem__(self, name: str) -> _T:
        if isinstance(name, str) and name in self.given:
            return self.given[name]
        if not isinstance(name, str) or name not in self._loaded:
            if name not in self:
                kind = self.group.rpartition(".")[2].removesuffix("s")  # trainer
                raise InputError(f"unknown {kind} {shown(name)}: {closest(name, self)}")
            self._loaded[name] = self.load(self._others[name])
        return self._loaded[name]

    def get(self, name: str, default: Any = None) -> Any:
        """Returns the object with a name, or the default."""
        return self[name] if name in self else default  # noqa: SIM401 - this is that `get`

    def __setitem__(self, name: str, value: _T) -> None:
        self.given[name] = value

    def __delitem__(self, name: str) -> None:
        del self.given[name]

    def __contains__(self, name: object) -> bool:  # without loading it
        return isinstance(name, str) and (name in self.given or name in self._others)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self.given, *sorted(self._others))))

    def __len__(self) -> int:
        return len(self.given.keys() | self._others.keys())


def load_entry_point(entry: EntryPoint, kind: str) -> object:
    """Imports the object of an entry point.

    Parameters
    ----------
    entry : EntryPoint
        The entry point.
    kind : str
        The kind of object, for messages: ``trainer``.

    Raises
    ------
    InputError
        For any error that the other package's code raises.
    """
    try:
        loaded: object = entry.load()
    except Exception as error:
        raise InputError(
            f"the {kind} {entry.name}{package_of(entry)} cannot be loaded "
            f"({entry.value}: {type(error).__name__}: {error})"
        ) from None
    return loaded


def package_of(entry: EntryPoint) -> str:
    """Returns `` of PACKAGE`` for a message; empty if the package is unknown."""
    return f" of {entry.dist.name}" if entry.dist is not None else ""
