"""The workbench for the tokenization problem."""

from .corpus import WordCounts as WordCounts
from .errors import InputError as InputError
from .errors import PartcoverError as PartcoverError
from .instance import Instance as Instance
from .solution import Solution as Solution
from .vocabulary import Vocabulary as Vocabulary

__version__ = "0.1.0"
