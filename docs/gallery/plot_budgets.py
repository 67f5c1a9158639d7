"""
Methods over the size of the vocabulary
=======================================

This chart shows how many more tokens than the proven lower bound each method needs, as the
vocabulary grows. The optimum lies on the gray line or above it, so a method is at most as far from
optimal as the chart shows.
"""

from pydoc_data.topics import topics

import matplotlib.pyplot as plt

from partcover import Instance, WordCounts, compare

words = WordCounts.from_texts(topics.values(), pretokenizer="gpt2")
methods = {"greedtok": "GreedTok", "bpe": "BPE", "unigram": "Unigram", "pathpiece": "PathPiece"}
budgets = [100, 200, 400, 800, 1600]
compared = compare(Instance(words, k=0), budgets, [*methods], bound=1.5)

figure, axes = plt.subplots()
for method, name in methods.items():
    gaps = [
        100 * (row["tokens"] / row["lower_bound"] - 1)
        for row in compared.rows
        if (row["method"] == method and row["rule"] != "shortest_path")
        or method == row["method"] == "pathpiece"
    ]
    (line,) = axes.plot(budgets, gaps, marker="o")
    axes.annotate(f" {name}", (budgets[-1], gaps[-1]), color=line.get_color(), va="center")
axes.axhline(0, color="gray", linewidth=2)
axes.set_xscale("log", base=2)
axes.set_xticks(budgets, [f"{k:,}" for k in budgets])
axes.set_xlim(right=2400)
axes.set_xlabel("k, tokens in the vocabulary")
axes.set_ylabel("tokens above the lower bound, %")
