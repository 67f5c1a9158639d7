"""
Hard problems as words
======================

Which six vertices touch every edge of the Petersen graph? Each edge becomes a word and each vertex
a candidate token. Every word needs three tokens exactly if the chosen vertices are a vertex cover.
The left side shows the graph with the cover that `solve` found, the right side the words, segmented
into the tokens of this cover.
"""

import networkx as nx

from partcover import reduce_max_2_sat, reduce_vertex_cover, solve
from partcover.hardness.cnf import Formula
from partcover.hardness.reduction import reduce_max_2_sat_binary
from partcover.report.reduction_figure import draw_reduction

reduction = reduce_vertex_cover(nx.petersen_graph(), k=6)
solution = solve(reduction.instance)
draw_reduction(reduction, solution.vocabulary, "petersen.svg")
print(reduction.lift(solution.vocabulary).vertices)

# %%
# The same for a formula: three of its four clauses can be true at once, and the vocabulary says
# how.

formula = Formula(["x", "y"], [[1, 2], [-1, 2], [1, -2], [-1, -2]])
reduction = reduce_max_2_sat(formula, 3)
solution = solve(reduction.instance)
draw_reduction(reduction, solution.vocabulary, "formula.svg")
print(reduction.lift(solution.vocabulary).assignment)

# %%
# And with words of zeros and ones alone: x is one zero, its negation two, y three, and four.

formula = Formula(["x", "y"], [[1, 2], [-1, 2], [1, -2]])
reduction = reduce_max_2_sat_binary(formula, 3)
solution = solve(reduction.instance)
draw_reduction(reduction, solution.vocabulary, "binary.svg")
print(reduction.lift(solution.vocabulary).assignment)
