"""The workbench for the tokenization problem."""

from ._version import __version__ as __version__
from .corpus import WordCounts as WordCounts
from .errors import InputError as InputError
from .errors import PartcoverError as PartcoverError
from .greedy import certified_ratio as certified_ratio
from .greedy import greedtok as greedtok
from .greedy import greedwmc as greedwmc
from .instance import Instance as Instance
from .segment import segment as segment
from .solution import Solution as Solution
from .vocabulary import Vocabulary as Vocabulary
