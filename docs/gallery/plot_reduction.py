"""
A graph as words
================

Which five or six vertices touch every edge of the Petersen graph? Each edge becomes a word, each
vertex a candidate token, and the words need three tokens each exactly if the chosen vertices are a
vertex cover. Left the graph with the cover that came back, right the words as it cuts them.
"""

import networkx as nx

from partcover import reduce_vertex_cover, solve
from partcover.report.reduction_figure import draw_reduction

reduction = reduce_vertex_cover(nx.petersen_graph(), k=6)
solution = solve(reduction.instance)
draw_reduction(reduction, solution.vocabulary, "petersen.svg")
print(reduction.lift(solution.vocabulary).vertices)
