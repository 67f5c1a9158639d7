"""
d and the certified ratio over k
================================

Let d be GreedTok's cover divided by GreedWMC's. Then GreedTok covers at least d · (1 − 1/e) of what
any k tokens cover, even with overlaps. This certifies a ratio without a solver. The proven optimum
shows how much better GreedTok really is: on these words it covers at least 99 % of what the optimum
covers.
"""

from pydoc_data.topics import topics

from partcover import Instance, WordCounts
from partcover.report.plots import plot_ratios
from partcover.studies.ratios import ratios

words = WordCounts.from_texts(topics.values(), pretokenizer="gpt2").most_frequent(200)
rows = ratios(Instance(words, k=0), [2, 5, 10, 15, 20, 30, 40], name="200 words", time_limit=5)
plot_ratios(rows, "ratios.svg")
print(
    f"{min(row['ratio'] for row in rows):.4f} of the optimum, certified: "
    f"{min(row['certified_ratio'] for row in rows):.4f}"
)
