"""Writes and reads the formats of other libraries."""

from .export import export as export
from .format import Format as Format
from .format import Nearest as Nearest
from .format import Replay as Replay
from .given_up import GivenUp as GivenUp
from .registry import FORMATS as FORMATS
from .registry import FormatRegistry as FormatRegistry
from .replay import Fidelity as Fidelity
