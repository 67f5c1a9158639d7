"""
The gap over time
=================

`improve` begins with GreedTok's vocabulary, looks for better ones, and proves lower bounds at the
same time. Whenever the search stops, the optimum lies between the two lines. The gap is the
distance between the lines, divided by the upper one. `EventLog` records the search.
`partcover.report.plots.plot_events` draws the left half in one call, and so does ``partcover
improve --plot FILE``.
"""

from pydoc_data.topics import topics

import matplotlib.pyplot as plt

from partcover import EventLog, Instance, WordCounts, improve

words = WordCounts.from_texts(topics.values(), pretokenizer="gpt2")
log = EventLog()
solution = improve(Instance(words, k=500), time_limit=8, progress=log)
print(f"{solution.tokens:,} tokens, at least {solution.lower_bound:,}: {solution.gap:.2%}")

events = [event for event in log.events if None not in (event.tokens, event.lower_bound)]
seconds = [event.seconds for event in events]
figure, (left, right) = plt.subplots(1, 2, figsize=(8.5, 3.8))
left.step(seconds, [event.tokens for event in events], where="post", label="best vocabulary")
left.step(seconds, [event.lower_bound for event in events], where="post", label="lower bound")
left.set_ylim(0.97 * solution.lower_bound, 1.01 * events[0].tokens)
left.yaxis.set_major_formatter("{x:,.0f}")
left.set_ylabel("tokens")
left.legend(loc="lower right")
right.step(seconds, [100 * event.gap for event in events], where="post", color="#009E73")
right.set_yscale("log")
right.yaxis.set_major_formatter("{x:g} %")
right.set_ylabel("gap")
for axes in (left, right):
    axes.set_xlabel("seconds")
