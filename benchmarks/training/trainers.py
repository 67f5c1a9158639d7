"""BPE and WordPiece from counted words, beside the trainers of other libraries.

    python benchmarks/training/trainers.py COUNTS.tsv [-k 5000] [--runs 3] [--no-slow]

Every run is a process of its own, pinned to one processor.  ``seconds`` is from the counts file
to the merges; ``training`` is what remains of it once the trainer has been given the last word.
The counted words must be UTF-8 without U+E000.  The peers, where they are installed:

* sentencepiece takes counted words (``input_format="tsv"``) and reads them itself: both figures
  are of that call.  It trains on characters, all of them kept here, counts pairs without overlap,
  and never merges across scripts or a number and a letter; words with a tab or a line feed, which
  its TSV cannot hold, are left out.
* Hugging Face's BpeTrainer takes no counts from Python: it must be given every word as often as
  it occurs, here in long lines that its pre-tokenizer cuts at U+E000 (the cheapest way found).
  Byte-level, so that its merges must be ours.
* rustbpe likewise, with a pattern that cuts at U+E000.  Bytes in another order break its ties.

``--no-slow`` leaves out the two that must be given every word; they are run once each.
"""

from __future__ import annotations

import argparse
import platform
import statistics
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from greedy_speed import measure

OURS = """
import json, sys, time
from partcover import Instance, WordCounts, trainers
started = time.perf_counter()
words = WordCounts.load(sys.argv[1])
loaded = time.perf_counter()
s = trainers.METHOD(Instance(words, int(sys.argv[2])))
print(json.dumps({
    "training": s.seconds,
    "inside": loaded - started + s.seconds,
    "checked": time.perf_counter() - started,
    "per_word": s.tokens_per_word,
    "tokens": [t.hex() for t in s.vocabulary],
}))
"""

# the words as text, each with its count; each as often as it occurs
WORDS = """
import json, sys, tempfile, time
from partcover import WordCounts
words = [(word.decode(), count) for word, count in WordCounts.load(sys.argv[1])]
k = int(sys.argv[2])
def lines(limit=10_000):
    for word, count in words:
        for _ in range(count // limit):
            yield (word + "\\ue000") * limit
        if count % limit:
            yield (word + "\\ue000") * (count % limit)
    global given
    given = time.perf_counter()
"""

SENTENCEPIECE = (
    WORDS
    + """
import sentencepiece
with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/words.tsv", "w", encoding="utf-8") as file:
        held = [(word, count) for word, count in words if not set(word) & set("\\t\\n\\r")]
        file.writelines(f"{word}\\t{count}\\n" for word, count in held)
    symbols = {c for word, _ in held for c in word}
    started = time.perf_counter()
    sentencepiece.SentencePieceTrainer.train(
        input=folder + "/words.tsv", input_format="tsv", model_prefix=folder + "/m",
        model_type="bpe", vocab_size=k + 3 + len(symbols | {"\\u2581"}), character_coverage=1.0,
        normalization_rule_name="identity", add_dummy_prefix=False, num_threads=1,
        max_sentence_length=1 << 20, minloglevel=2, hard_vocab_limit=False,
        remove_extra_whitespaces=False,
    )
    seconds = time.perf_counter() - started
    m = sentencepiece.SentencePieceProcessor(model_file=folder + "/m.model")
pieces = [m.id_to_piece(i) for i in range(3, m.get_piece_size())]
tokens = [p.encode().hex() for p in pieces if len(p) > 1]
print(json.dumps({"training": seconds, "inside": seconds, "tokens": tokens}))
"""
)

HUGGING_FACE = (
    WORDS
    + """
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
tokenizer = Tokenizer(models.BPE())
tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
    pre_tokenizers.Split("\\ue000", "removed"),
    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
])
trainer = trainers.BpeTrainer(
    vocab_size=256 + k, show_progress=False, special_tokens=[],
    initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
)
started = time.perf_counter()
tokenizer.train_from_iterator(lines(), trainer)
ended = time.perf_counter()
printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
others = [b for b in range(256) if b not in printable]
byte = {chr(b): b for b in printable} | {chr(256 + i): b for i, b in enumerate(others)}
merges = json.loads(tokenizer.to_str())["model"]["merges"]
print(json.dumps({
    "training": ended - given,
    "inside": ended - started,
    "tokens": [bytes(byte[c] for c in a + b).hex() for a, b in merges],
}))
"""
)

RUSTBPE = (
    WORDS
    + r"""
import rustbpe
tokenizer = rustbpe.Tokenizer()
started = time.perf_counter()
tokenizer.train_from_iterator(lines(), vocab_size=256 + k, pattern="[^\ue000]+")
ended = time.perf_counter()
tokens = [bytes(t).hex() for t, rank in sorted(tokenizer.get_mergeable_ranks(), key=lambda x: x[1])]
print(json.dumps({"training": ended - given, "inside": ended - started, "tokens": tokens[256:]}))
"""
)

PEERS = {
    "sentencepiece": (SENTENCEPIECE, False),
    "tokenizers": (HUGGING_FACE, True),
    "rustbpe": (RUSTBPE, True),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counts", type=Path)
    parser.add_argument("-k", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--no-slow", action="store_true")
    options = parser.parse_args()
    programs = {"bpe": (OURS.replace("METHOD", "bpe"), False)}
    versions = [f"partcover {version('partcover')}", f"Python {platform.python_version()}"]
    for name, (code, slow) in PEERS.items():
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            print(f"left out: {name} is not installed")
            continue
        if not (slow and options.no_slow):
            programs[name] = (code, slow)
    programs["wordpiece"] = (OURS.replace("METHOD", "wordpiece"), False)
    print(f"{', '.join(versions)}, {platform.machine()}, one processor; k = {options.k:,}")
    print("                  seconds  training    process       MiB   tokens  first as ours")
    runs: dict[str, list[dict]] = {name: [] for name in programs}
    for number in range(options.runs):  # in turn, so that a drift of the machine meets all
        for name, (code, slow) in programs.items():
            if not (slow and number):
                runs[name].append(measure(code, options.counts, options.k))
    ours = runs["bpe"][0]["tokens"]
    for name, found in runs.items():
        row = {
            key: statistics.median(run[key] for run in found)
            for key in ("inside", "training", "seconds", "mib")
        }
        tokens = found[0]["tokens"]
        pairs = zip(tokens, ours, strict=False)
        same = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(tokens), len(ours)))
        print(
            f"{name:<14}{row['inside']:9.2f} s{row['training']:8.2f} s{row['seconds']:9.2f} s"
            f"{row['mib']:10.0f}{len(tokens):9,}{same:10,}",
            flush=True,
        )
    for name in programs:
        if name in PEERS:
            # each run beside the run of ours that went before it
            pairs = list(zip(runs["bpe"], runs[name], strict=False))
            training = statistics.median(b["training"] / a["training"] for a, b in pairs)
            inside = statistics.median(b["inside"] / a["inside"] for a, b in pairs)
            print(f"{name}: {training:.1f} times the training, {inside:.1f} times from the file on")
    print(
        f"bpe with its segmentations: {statistics.median(r['checked'] for r in runs['bpe']):.2f} s"
    )
    print(f"bpe, tokens per word: {runs['bpe'][0]['per_word']:.4f}")


if __name__ == "__main__":
    main()
