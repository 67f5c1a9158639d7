"""
GreedTok and BPE over k
=======================

How many tokens a word takes as the vocabulary grows.
"""

from pydoc_data.topics import topics

import matplotlib.pyplot as plt

from partcover import Instance, WordCounts, compare

words = WordCounts.from_texts(topics.values(), pretokenizer="gpt2")
rows = compare(Instance(words, k=500), [50, 100, 200, 500], ["greedtok", "bpe"]).rows
figure, axes = plt.subplots()
for method in ("greedtok", "bpe"):
    points = [(row["k"], row["tokens_per_word"]) for row in rows if row["method"] == method]
    axes.plot(*zip(*points, strict=True), marker="o", label=method)
axes.legend()
