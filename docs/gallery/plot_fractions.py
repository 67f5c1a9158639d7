"""
Fractional structures
=====================

The linear relaxation can choose half of a token. This picture shows the tokens of letters that it
chooses in part, for the 600 most frequent words of a text and k = 100. A line joins two tokens that
overlap in a word, where only one of them can be used. In a cycle of odd length, half of each token
saves more than any choice of whole tokens. That is why the relaxation needs fewer tokens than the
optimum.
"""

from pydoc_data.topics import topics

import matplotlib.pyplot as plt
import networkx as nx

from partcover import Instance, WordCounts, relax

words = WordCounts.from_texts(topics.values(), pretokenizer="gpt2").most_frequent(600)
relaxed = relax(Instance(words, k=100))
part = {
    token.decode(): value
    for token, value in zip(relaxed.model.tokens, relaxed.x, strict=True)
    if 0.01 < value < 0.99 and token.strip().isalpha()
}
print(f"{relaxed.fractional} tokens in part; {relaxed.tokens:,.1f} tokens needed")

graph = nx.Graph()
for word, _ in words:
    text = word.decode()
    places = [(text.find(token), token) for token in part if token in text]
    for start, token in places:
        for other, second in places:
            if token != second and start <= other < start + len(token):
                graph.add_edge(token, second)

figure, axes = plt.subplots(figsize=(8.5, 7))
where = nx.spring_layout(graph, pos=nx.circular_layout(graph), k=1.2, iterations=500, seed=0)
nx.draw_networkx_edges(graph, where, ax=axes, edge_color="gray", width=0.8)
for token, place in where.items():
    color = "#56B4E9" if abs(part[token] - 0.5) < 1e-6 else "#E69F00"
    box = {"boxstyle": "round", "facecolor": color, "edgecolor": "none", "alpha": 0.45}
    axes.annotate(token.replace(" ", "␣"), place, ha="center", va="center", bbox=box, fontsize=9)
axes.set_title("blue: one half is chosen", fontsize=10)
axes.set_axis_off()
