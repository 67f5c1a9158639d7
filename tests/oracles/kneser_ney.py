"""The slow twin of the n-gram model: dictionaries of tuples, one formula a line."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction


class SlowModel:
    """Interpolated modified Kneser–Ney; the arguments are those of `NgramModel.train`."""

    def __init__(self, sequences, size, order, lengths=None, context_bytes=None):
        self.size, self.order = size, order
        self.lengths, self.context_bytes = lengths, context_bytes
        self.end, self.begin = size, size + 1
        raw = Counter()  # (longest context, symbol)
        for sequence in sequences:
            text = [self.begin, *sequence, self.end]
            for place in range(1, len(text)):
                raw[self.longest(text[:place]), text[place]] += 1
        # from long contexts to short ones: each different n-gram counts once for its suffix
        self.counts = [Counter() for _ in range(order)]
        for (context, symbol), count in raw.items():
            self.counts[len(context)][context, symbol] += count
        for level in range(order - 1, 0, -1):
            for context, symbol in self.counts[level]:
                self.counts[level - 1][context[1:], symbol] += 1
        self.discounts = [self.discounts_of(counts) for counts in self.counts]
        self.followers = defaultdict(dict)
        for counts in self.counts:
            for (context, symbol), count in counts.items():
                self.followers[context][symbol] = count

    def longest(self, before):
        context = ()
        for symbol in reversed(before):
            longer = (symbol, *context)
            if len(longer) == self.order or (context and context[0] == self.begin):
                break
            if self.lengths is not None:
                size = sum(self.lengths[s] for s in longer if s != self.begin)
                if size > self.context_bytes:
                    break
            context = longer
        return context

    @staticmethod
    def discounts_of(counts):
        n1, n2, n3, n4 = (list(counts.values()).count(number) for number in (1, 2, 3, 4))
        fallback = {1: 0.5, 2: 1.0, 3: 1.5}
        if not (n1 and n2 and n3):
            return fallback
        y = Fraction(n1, n1 + 2 * n2)
        found = {1: 1 - 2 * y * n2 / n1, 2: 2 - 3 * y * n3 / n2, 3: 3 - 4 * y * n4 / n3}
        found = {i: float(value) for i, value in found.items()}
        return found if min(found.values()) > 0 else fallback

    def probability(self, context, symbol, level=None):
        """The probability of a symbol after a context that is no longer than allowed."""
        below = 1 / (self.size + 1)
        if context:
            below = self.probability(context[1:], symbol)
        followers = self.followers.get(context)
        if not followers:
            return below
        discounts = self.discounts[len(context)]
        total = sum(followers.values())
        taken = sum(discounts[min(count, 3)] for count in followers.values())
        count = followers.get(symbol, 0)
        kept = count - discounts[min(count, 3)] if count else 0
        return kept / total + taken / total * below

    def distribution(self, sequence):
        context = self.longest([self.begin, *sequence])
        return [self.probability(context, symbol) for symbol in range(self.size + 1)]
