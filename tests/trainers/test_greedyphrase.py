"""GreedyPhrase against the same in plain Python."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.listener import Listener
from shared.properties import tries

from partcover import InputError, Instance, WordCounts
from partcover.runtime.limits import Deadline
from partcover.trainers import bpe, greedyphrase
from partcover.trainers.greedyphrase import _Groups

SPACE = " \t\n\r\f\v"


def kind(symbol):
    if isinstance(symbol, int):
        symbol = chr(symbol) if symbol < 128 else "é"
    if symbol in SPACE:
        return "space"
    return "word" if symbol == "_" or (symbol.isascii() and symbol.isalnum()) else "other"


def atoms_of(word):
    if isinstance(word, tuple):
        return [word[i : i + 1] for i in range(len(word))]
    atoms_of_word, begin = [], 0
    for i in range(1, len(word) + 1):
        if i == len(word) or kind(word[i]) != kind(word[i - 1]):
            atoms_of_word.append(word[begin:i])
            begin = i
    return atoms_of_word


def concat(parts):
    joined = parts[0]
    for part in parts[1:]:
        joined += part
    return joined


def longest_match(word, tokens):
    pieces, i = [], 0
    while i < len(word):
        size = max([n for n in range(2, len(word) - i + 1) if word[i : i + n] in tokens], default=1)
        pieces.append(word[i : i + size])
        i += size
    return pieces


def best(counts, score, size, taken, longest, min_count):
    def rank(entry):
        sequence, count = entry
        token = concat(sequence)
        value = count * len(token) if score == "symbols" else count
        return -value, -len(token), token

    chosen = []
    for sequence, count in sorted(counts.items(), key=rank):
        token = concat(sequence)
        fits = 2 <= len(token) <= (longest or len(token)) and count >= min_count
        if fits and token not in taken and token not in chosen:
            chosen.append(token)
    return chosen[:size]


def twin(instance, score, atoms, passes, compounds, reserved):
    words, k = instance.words.to_dict(), instance.k
    rest = instance.max_length, max(2, instance.min_count)
    sequences, tokens = Counter(), []
    for word, count in words.items():
        cut = atoms_of(word)
        for n in range(1, atoms + 1):
            for i in range(len(cut) - n + 1):
                sequences[tuple(cut[i : i + n])] += count
    tokens += best(sequences, "count", k - passes * compounds - reserved, tokens, *rest)
    for _ in range(passes):
        pairs = Counter()
        for word, count in words.items():
            cut = longest_match(word, tokens)
            for pair in pairwise(cut):
                pairs[pair] += count
        tokens += best(pairs, score, compounds, tokens, *rest)
    runs = Counter()
    for word, count in words.items():
        run = []
        for piece in [*longest_match(word, tokens), None]:
            if piece is not None and len(piece) == 1:
                run.append(piece)
                continue
            if len(run) > 1:
                runs[concat(run)] += count
            run = []
    if runs and len(tokens) < k:
        left = WordCounts.from_counts(runs, instance.symbols)
        min_count = max(2, instance.min_count)
        trained = bpe(
            Instance(left, k - len(tokens), max_length=instance.max_length, min_count=min_count)
        )
        tokens += trained.vocabulary
    return tokens


text_st = st.text("ab_1 \n.é", min_size=1, max_size=25)
words_st = st.one_of(
    st.dictionaries(text_st, st.integers(1, 4), max_size=6).map(WordCounts.from_counts),
    st.dictionaries(text_st, st.integers(1, 4), max_size=6).map(
        lambda counts: WordCounts.from_counts(counts, "chars")
    ),
    st.dictionaries(
        st.lists(st.sampled_from([7, 40, 2**40]), min_size=1, max_size=12).map(tuple),
        st.integers(1, 4),
        max_size=6,
    ).map(lambda counts: WordCounts.from_counts(counts, "ints")),
)


@tries(150)
@given(
    words_st,
    st.integers(0, 20),
    st.sampled_from(["symbols", "count"]),
    st.integers(1, 4),
    st.integers(0, 3),
    st.sampled_from([0.0, 0.1, 0.25]),
    st.sampled_from([0.0, 0.25]),
    st.none() | st.integers(2, 8),
    st.integers(1, 4),
)
def test_it_is_its_twin(words, k, score, atoms, passes, share, reserved, longest, min_count):
    instance = Instance(words, k, max_length=longest, min_count=min_count)
    solution = greedyphrase(
        instance,
        score=score,
        atoms=atoms,
        passes=passes,
        compound_share=share,
        bpe_share=reserved,
        threads=2,
    )
    chosen = twin(instance, score, atoms, passes, int(share * k), int(reserved * k))
    assert list(solution.vocabulary) == chosen
    cut = [(longest_match(word, set(chosen)), count) for word, count in words]
    assert solution.tokens == sum(count * len(pieces) for pieces, count in cut)
    parts = [solution.extra[name] for name in ("primitives", "compounds", "bpe_tokens")]
    assert sum(parts) == len(chosen) == solution.extra["size"]


def test_phrases_cross_spaces_and_pairs_of_them_grow():
    line = b"the end of the day is the end of the night. "
    words = WordCounts.from_counts({line * 3: 2, b"x" + line: 1})
    options = {"compound_share": 0.25, "bpe_share": 0.0, "atoms": 3}
    solution = greedyphrase(Instance(words, 20), **options)
    assert solution.rule == "longest_match"
    assert b" the " in solution.vocabulary.tokens[:10]
    compounds = solution.vocabulary.tokens[10:20]
    assert max(len(atoms_of(token)) for token in solution.vocabulary.tokens[:10]) <= 3
    assert max(len(atoms_of(token)) for token in compounds) > 3
    assert solution.extra["compounds"] == 10


def test_words_of_one_atom_leave_frequent_words_and_bpe():
    words = WordCounts.from_counts({b"low": 5, b"lower": 2, b"newest": 6, b"west": 1, b"vest": 1})
    solution = greedyphrase(Instance(words, 5), compound_share=0.0, bpe_share=0.0)
    assert solution.vocabulary.tokens[:3] == (b"newest", b"low", b"lower")
    assert solution.extra == {
        "size": 5,
        "score": "symbols",
        "primitives": 3,
        "compounds": 0,
        "bpe_tokens": 2,
        "nothing_left_to_gain": False,
        "tokens_shortest_path": solution.tokens,
    }
    assert set(solution.vocabulary.tokens[3:]) <= {b"es", b"st", b"est"}


def test_slots_are_those_of_the_published_vocabulary():
    # letters between commas: pairs and longer sequences are many, and all occur twice
    rng = np.random.default_rng(0)
    letters = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", np.uint8)
    line = b",".join(letters[rng.integers(26, size=2)].tobytes() for _ in range(600))
    words = WordCounts.from_counts({line: 2})
    k = 652
    solution = greedyphrase(Instance(words, k))
    assert solution.extra["primitives"] == k - 2 * (k * 5_000 // 65_276) - k * 3_000 // 65_276
    assert solution.extra["compounds"] == 2 * (k * 5_000 // 65_276)
    small = greedyphrase(Instance(words, 10), compound_share=0.1, bpe_share=0.1)
    assert (small.extra["primitives"], small.extra["compounds"]) == (7, 2)


def test_a_limit_and_progress():
    words = WordCounts.from_counts({b"to be or not to be": 4})
    steps = []
    done = greedyphrase(
        Instance(words, 4), progress=Listener(advance=lambda *step: steps.append(step))
    )
    assert [(of, step) for _, of, step in steps] == [
        (4, "primitives"),
        (4, "compounds"),
        (4, "compounds"),
    ]
    assert done.termination == "completed"
    stopped = greedyphrase(Instance(words, 4), time_limit=0.0)
    assert (stopped.termination, len(stopped.vocabulary)) == ("time_limit", 0)
    assert stopped.tokens == words.total_symbols


def test_sequences_stop_at_the_deadline_and_where_words_end(monkeypatch):
    """However many atoms and passes are allowed, and with those found until then."""
    instance = Instance({"to be or not to be": 4, "not to be": 2}, 100)
    made = []
    monkeypatch.setattr(_Groups, "of", lambda *a, of=_Groups.of: made.append(1) or of(*a))
    options = {"passes": 2**60, "compound_share": 0.0, "bpe_share": 0.0}
    every = greedyphrase(instance, atoms=2**60, **options)
    assert (len(made), every.termination) == (11, "completed")
    assert every.vocabulary.tokens == greedyphrase(instance, atoms=11, **options).vocabulary.tokens
    for looks, sizes in ((0, 0), (1, 1), (2, 2), (3, 3)):
        left = iter(range(looks))
        is_over = property(lambda self, left=left: next(left, None) is None)
        with monkeypatch.context() as patch:
            patch.setattr(Deadline, "is_over", is_over)
            found = greedyphrase(instance, atoms=2**60, **options)
        assert found.termination == "time_limit"
        some = greedyphrase(instance, atoms=sizes, **options).vocabulary if sizes else ()
        assert list(found.vocabulary) == list(some)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": "length"}, "unknown score 'length': use one of symbols, count"),
        ({"atoms": 0}, "atoms is 0, passes 2"),
        ({"passes": -1}, "atoms is 7, passes -1"),
        ({"bpe_share": 1.5}, "add up to at most 1"),
        ({"compound_share": 0.6}, "2 passes of 0.6 and BPE's"),
        ({"compound_share": float("nan")}, "compound_share is nan"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(InputError, match=message):
        greedyphrase(Instance(WordCounts.from_counts({b"ab": 1}), 1), **options)


def test_it_goes_on_from_given_tokens_and_leaves_out_forbidden_ones():
    words = WordCounts.from_counts({b"to be or not to be": 4, b"xyxyz": 9, b"xyxy": 2})
    free = greedyphrase(Instance(words, 6)).vocabulary
    assert free.tokens[0] == b"xyxyz"
    limited = Instance(words, 6, prefix=[b"ot", b"yx"], forbidden=free.tokens[:2])
    solution = greedyphrase(limited, bpe_share=0.5)
    assert solution.vocabulary.tokens[:2] == (b"ot", b"yx")
    assert len(set(solution.vocabulary)) == 6
    assert not set(solution.vocabulary) & set(limited.forbidden)
    made = [solution.extra[key] for key in ("primitives", "compounds", "bpe_tokens")]
    assert sum(made) == 4
    full = greedyphrase(Instance(words, 2, prefix=[b"ot", b"yx"]), compound_share=0.5, bpe_share=0)
    assert full.vocabulary.tokens == (b"ot", b"yx")


def test_an_interrupt_keeps_the_steps_that_are_done():
    words = WordCounts.from_counts({b"to be or not to be": 4, b"qzqzq": 3})

    def stop(done, of, step):
        if step == "BPE":
            raise KeyboardInterrupt

    whole = greedyphrase(Instance(words, 20), bpe_share=0.5)
    stopped = greedyphrase(Instance(words, 20), bpe_share=0.5, progress=Listener(advance=stop))
    assert stopped.termination == "interrupted"
    assert stopped.vocabulary == whole.vocabulary


def test_what_it_does_not_support():
    words = WordCounts.from_counts({b"ab": 1})
    with pytest.raises(InputError, match="greedyphrase does not support required"):
        greedyphrase(Instance(words, 1, required=[b"ab"]))
    heavy = WordCounts.from_counts({b"ab": 2**58})
    with pytest.raises(InputError, match="2\\^59 symbols or more"):
        greedyphrase(Instance(heavy, 1))
