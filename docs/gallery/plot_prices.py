"""
The price of each symbol
========================

A certificate gives a price to each symbol of each word. The reward of a candidate is how much the
prices of its symbols exceed the 1 that a token costs. Whatever tokens are chosen, the text needs at
least the sum of all prices minus the k largest rewards. A word with high prices stays expensive
under any vocabulary.
"""

from pydoc_data.topics import topics

import matplotlib.pyplot as plt

from partcover import Instance, WordCounts, lower_bound
from partcover.bounds.price_report import price_report

words = WordCounts.from_texts(topics.values(), pretokenizer="gpt2")
instance = Instance(words, k=500)
bound = lower_bound(instance, time_limit=4)
shown = [b" exception", b" descriptor", b" attribute", b" execution"]
report = price_report(instance, bound.certificate, shown)
print(f"at least {bound.lower_bound:,} tokens")

figure, panels = plt.subplots(2, 2, sharey=True, figsize=(8, 4.6))
for axes, word in zip(panels.flat, report, strict=True):
    letters = word.word.decode().replace(" ", "␣")
    axes.bar(range(len(letters)), word.prices, width=0.8)
    axes.set_xticks(range(len(letters)), letters)
    axes.tick_params(axis="x", length=0)
    axes.grid(visible=False, axis="x")
    axes.set_title(f"{sum(word.prices):.2f} tokens, {word.count:,} times", loc="left", fontsize=10)
figure.supylabel("price of a symbol, in tokens")
