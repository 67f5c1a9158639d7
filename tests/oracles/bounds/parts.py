"""Parts of words, their pairs and the rewards that pay multipliers, as their definitions stand."""

from itertools import pairwise


def parts(arcs):
    """The arcs (token, start, end), by start, of each part: cut where none crosses."""
    groups = []
    far = -1
    for arc in arcs:
        if arc[1] >= far:
            groups.append([])
        groups[-1].append(arc)
        far = max(far, arc[2])
    return groups


def merged(count_at, arcs):
    """The shapes of the parts, in the order of the first of each, with their counts summed."""
    shapes = {}
    for group in parts(arcs):
        begin = group[0][1]
        shape = tuple((token, start - begin, end - begin) for token, start, end in group)
        shapes[shape] = shapes.get(shape, 0) + count_at[begin]
    return shapes


def over(arcs, tokens, position):
    """The numbers of the arcs of some tokens that lie over a position."""
    return frozenset(
        n
        for n, (token, start, end) in enumerate(arcs)
        if token in tokens and start <= position < end
    )


def set_rows(arcs, sets, size):
    """For each set of tokens the largest sets of arcs over one position, of two of them or more."""
    rows = set()
    for number, tokens in enumerate(sets):
        found = {over(arcs, tokens, position) for position in range(size)}
        for row in found:
            several = len({arcs[n][0] for n in row}) > 1
            if several and not any(row < other for other in found):
                rows.add((number, row))
    return rows


def group_rows(group, arcs):
    """The largest sets of a group's arcs over one position, of at least two tokens."""
    live = [arcs[n] if n in group else (-1, 0, 0) for n in range(len(arcs))]
    positions = {start for _, start, _ in live}
    sets = {over(live, {t for t, _, _ in live}, position) for position in positions}
    several = {row for row in sets if len({arcs[n][0] for n in row}) > 1}
    return {row for row in several if not any(row < other for other in several)}


def demands(offsets, arcs, flow, smallest):
    """For each part and two tokens with flows that overlap, the most that they sum to."""
    live = [arc if f > smallest else (-1, 0, 0) for arc, f in zip(arcs, flow, strict=True)]
    found = {}
    for part, (first, last) in enumerate(pairwise(offsets)):
        for position in range(first, last):
            tokens = sorted({live[n][0] for n in over(live, {t for t, _, _ in live}, position)})
            for i, a in enumerate(tokens):
                for b in tokens[i + 1 :]:
                    total = sum(flow[n] for n in over(live, (a, b), position))
                    found[a, b, part] = max(found.get((a, b, part), 0), total)
    return found


def charged_reward(prices, count_at, one, places, size, multiplier):
    """The best set of occurrences that do not overlap; each pays what stands at its positions."""
    best = [(0, 0)]  # where the last one ends, and the reward so far
    for place in sorted(places):
        positions = range(place, place + size)
        worth = sum(prices[p] - multiplier.get(p, 0) for p in positions) - one
        before = max(reward for end, reward in best if end <= place)
        best.append((place + size, before + max(0, worth) * count_at[place]))
    return max(reward for _, reward in best)
