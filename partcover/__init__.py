"""The workbench for the tokenization problem."""

from ._version import __version__ as __version__
from .corpus import WordCounts as WordCounts
from .errors import InputError as InputError
from .errors import PartcoverError as PartcoverError
from .errors import VerificationError as VerificationError
from .exact import decide as decide
from .exact import solve as solve
from .greedy import certified_ratio as certified_ratio
from .greedy import greedtok as greedtok
from .greedy import greedwmc as greedwmc
from .instance import Instance as Instance
from .reduction import reduce_vertex_cover as reduce_vertex_cover
from .segment import segment as segment
from .solution import Solution as Solution
from .verify import verify as verify
from .vocabulary import Vocabulary as Vocabulary
