"""Formats of other libraries, out and in."""

from .exchange import export as export
from .exchange import load as load
from .fidelity import Fidelity as Fidelity
from .formats import FORMATS as FORMATS
