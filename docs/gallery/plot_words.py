"""
Where BPE and the optimum differ in a word
==========================================

BPE and `solve` each choose 30 tokens for the 300 most frequent words of a text; the choice of
`solve` is proven optimal. The picture shows the words for which BPE needs the most extra tokens in
the whole text. A box is a token, and a letter without a box stands alone.
"""

from pydoc_data.topics import topics

import matplotlib.pyplot as plt

from partcover import Instance, WordCounts, segment, solve, trainers

words = WordCounts.from_texts(topics.values(), pretokenizer="gpt2").most_frequent(300)
instance = Instance(words, k=30)
answers = {"BPE": trainers.bpe(instance), "optimum": solve(instance)}
cuts = {name: segment(words, answer.vocabulary, answer.rule) for name, answer in answers.items()}
for name, answer in answers.items():
    print(f"{name}: {answer.tokens:,} tokens ({answer.status})")

# the words where it differs most how many tokens they cost in all
counts = [count for _, count in words]
lost = [
    count * (len(cuts["BPE"].of(i)) - len(cuts["optimum"].of(i))) for i, count in enumerate(counts)
]
shown = sorted(range(len(counts)), key=lambda i: -lost[i])[:10]

figure, panels = plt.subplots(1, 2, figsize=(8, 4.2), sharey=True)
for axes, (name, color) in zip(
    panels, {"BPE": "#E69F00", "optimum": "#0072B2"}.items(), strict=True
):
    for row, i in enumerate(shown):
        place = 0
        for piece in cuts[name].of(i):
            text = piece.decode().replace(" ", "␣")
            if len(piece) > 1:
                box = plt.Rectangle(
                    (place + 0.06, row - 0.36), len(piece) - 0.12, 0.72, color=color, alpha=0.35
                )
                axes.add_patch(box)
            for offset, letter in enumerate(text):
                axes.text(place + offset + 0.5, row, letter, ha="center", va="center")
            place += len(piece)
    axes.set_title(name)
    axes.set_xlim(0, 3 + max(len(words.word(i)) for i in shown))
    axes.set_axis_off()
panels[0].set_ylim(len(shown) - 0.5, -0.7)
for row, i in enumerate(shown):
    panels[1].annotate(
        f"{lost[i]:,} fewer",
        (1, row),
        xycoords=("axes fraction", "data"),
        ha="right",
        va="center",
        fontsize=9,
    )
