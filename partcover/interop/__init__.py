"""Writes and reads the formats of other libraries."""

from .export import export as export
from .load import load_vocabulary as load_vocabulary
from .registry import FORMATS as FORMATS
from .replay import Fidelity as Fidelity
