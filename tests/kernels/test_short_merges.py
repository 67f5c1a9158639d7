"""Short words that are merged where they are found have the pieces that the rule gives them."""

import hypothesis.strategies as st
from hypothesis import given
from shared.properties import tries

from partcover import Encoder, Vocabulary

WORDS = st.text("abc", min_size=1, max_size=50)


@tries(200)
@given(
    tokens=st.lists(st.text("abc", min_size=2, max_size=6), min_size=1, max_size=30, unique=True),
    words=st.lists(WORDS, min_size=1, max_size=6),
    shuffle=st.none() | st.randoms(),
)
def test_words_are_cut_as_without_a_table(tokens, words, shuffle):
    merges = None
    if shuffle is not None:  # ranks of pairs, in any order
        parts, merges = {*"abc"}, []
        for token in sorted(tokens, key=len):
            sides = {(token[:n], token[n:]) for n in (1, len(token) - 1, len(token) // 2)}
            if made := sorted(pair for pair in sides if parts.issuperset(pair)):
                parts.add(token)
                merges += made
        shuffle.shuffle(merges)
        tokens = list(dict.fromkeys(a + b for a, b in merges))
    vocabulary = Vocabulary(tokens, rule="merges", merges=merges)
    encoder = Encoder(vocabulary, "first-space")
    text = " ".join(words)
    want = Encoder(vocabulary, "first-space", cache=0).encode(text)
    assert encoder.encode(text) == want == encoder.encode(text)
    assert encoder.encode_batch([text, text]) == [want, want]
    assert encoder.encode_to_numpy(text).tolist() == want
