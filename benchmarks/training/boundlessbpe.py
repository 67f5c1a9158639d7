"""BoundlessBPE beside its authors' own trainer and encoder, on the same text.

    git clone https://github.com/kensho-technologies/fastboundlessbpe
    pip install heapdict
    python benchmarks/training/boundlessbpe.py fastboundlessbpe/python TEXT [-k 1000]

The authors' trainer in plain Python is run twice, as they say: words first, without deletions,
then supermerges; words are GPT-2's, and a superword is of words with a letter.  k counts tokens of
two or more bytes.  Both trainers see the text as one document.  Then

- the tokens that each vocabulary needs for the text, cut by its own program;
- the first merge within words, and the first across them, that differs.  The authors do not count
  pairs that overlap (in runs of one symbol), partcover does as Hugging Face's BPE; ties differ;
- the ids: whether the authors' merges, as a vocabulary of partcover, cut the text into the same
  tokens.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from partcover import Encoder, Instance, Vocabulary, WordCounts, trainers

_BYTES = 243  # the bytes that UTF-8 can have, which the authors count as tokens


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("peer", type=Path, help="the folder that holds the package boundlessbpe")
    parser.add_argument("text", type=Path)
    parser.add_argument("-k", type=int, default=1000)
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.peer))
    text = arguments.text.read_text()
    started = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        model = trained_by_authors(text, arguments.k)
    print(f"authors' trainer: {time.process_time() - started:.1f} s")
    started = time.process_time()
    words = WordCounts.from_texts([text], pretokenizer="gpt2+phrases")
    ours = trainers.boundlessbpe(Instance(words, arguments.k))
    print(f"partcover: {time.process_time() - started:.1f} s, counting and recount included\n")

    started = time.process_time()
    theirs = model.encode_ordinary_chunks(text)
    seconds = time.process_time() - started
    within = [(pair, joined) for pair, joined, _ in model.words.merges.values()]
    across = [(pair, joined) for pair, joined, _ in model.superwords.merges.values()]
    print(f"tokens: authors {len(theirs):,}, partcover {ours.tokens:,}")
    print(f"supermerges: authors {len(across):,}, partcover {ours.extra['superwords']:,}")
    borders = {a + b for (a, b), _ in across}
    for about, found in (("within words", within), ("across words", across)):
        mine = [p for p in ours.vocabulary.merges if (p[0] + p[1] in borders) == (found is across)]
        print(f"{about}: {first_difference(found, mine)}")
    common = {a + b for (a, b), _ in within + across} & set(ours.vocabulary)
    print(f"tokens in common: {len(common):,} of {len(ours.vocabulary):,}\n")

    merges = [pair for pair, _ in within + across]
    read = Vocabulary(
        dict.fromkeys(a + b for a, b in merges),
        rule="superword_merges",
        merges=merges,
        pretokenizer="gpt2+phrases",
    )
    started = time.process_time()
    encoder = Encoder(read)
    ids = encoder.encode(text)
    took = time.process_time() - started
    same = [encoder.decode_bytes([number]) for number in ids] == theirs
    print(f"the authors' merges cut the text the same: {same}, {len(ids):,} tokens")
    print(f"encoding: authors {seconds:.2f} s, partcover {took:.2f} s")


def trained_by_authors(text: str, k: int) -> Any:
    """Returns the authors' tokenizer, trained in two passes."""
    import boundlessbpe

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text.jsonl")
        path.write_text(json.dumps({"text": text}) + "\n")
        common = {
            "filepath": str(path), "num_lines": 1, "recalc": 0, "checkpoint_iterations": 0,
            "max_bytes": 10**12, "verbose": False, "progress_interval": 0,
        }  # fmt: skip
        rules = boundlessbpe.Pretokenizer(main_regex=boundlessbpe.GPT2_REGEX)
        first = boundlessbpe.BpeTrainer(rules)
        first.train(
            tau=1.1, vocab_size=_BYTES + k, blowup=False, outprefix=f"{folder}/words", **common
        )
        first.save(f"{folder}/words")
        second = boundlessbpe.BoundlessBpeTrainer(rules)
        second.train(word_model_file=f"{folder}/words.model", outprefix=f"{folder}/all", **common)
        second.save(f"{folder}/all")
        model = boundlessbpe.Tokenizer()
        model.load(f"{folder}/all.model")
    return model


def first_difference(found: list[Any], mine: list[Any]) -> str:
    """Says where two lists of merges begin to differ, and which pairs that join as many follow."""
    place = next(
        (i for i, ((p, _), q) in enumerate(zip(found, mine, strict=False)) if p != q), None
    )
    if place is None:
        return f"the same {min(len(found), len(mine)):,} merges"
    joined = dict(found)
    here, there = found[place], mine[place]
    return (
        f"the first {place:,} merges are the same; then {here[0]} of {here[1]:,} pairs, here "
        f"{there}, which is theirs later, of {joined.get(there, 0):,}"
    )


if __name__ == "__main__":
    main()
