from ._greedy import Greedy as Greedy
