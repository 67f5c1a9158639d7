"""Runs lm-vocab-trimmer itself beside `prune`, on a Unigram tokenizer as XLM-R's.

    python -m venv trimmer
    trimmer/bin/pip install vocabtrimmer 'transformers<5' 'huggingface_hub<1' datasets pandas
    python benchmarks/published/vocab_trimmer.py trimmer/bin/python TEXT [-k 4000]

The package is of 2023 and takes models of these years, so it has an environment of its own.  There
a Unigram of up to 8,000 pieces with ``<unk>`` is trained on the text by Hugging Face's library, and
a model of XLM-R's kind is made for it (one layer, weights at random).  The package trims both to
the k pieces that are used most.  `prune` keeps as many pieces of two or more bytes of the same
tokenizer.  Every fifth block of 50 lines of TEXT is held out.

All are read by `Vocabulary.load` and counted by `Encoder`, which cut as Hugging Face's library.  A
BPE is no case for the package: it fails when it builds the smaller model.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

from extending import parts_of

from partcover import Encoder, Vocabulary, WordCounts, prune

_TRIM = """
import json, sys
from pathlib import Path
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaForMaskedLM
from vocabtrimmer import VocabTrimmer

folder, k = Path(sys.argv[1]), int(sys.argv[2])
tokenizer = Tokenizer(models.Unigram())
tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
trainer = trainers.UnigramTrainer(vocab_size=8000, special_tokens=special, unk_token="<unk>",
                                  show_progress=False)
tokenizer.train([str(folder / "texts" / "text.txt")], trainer)
PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>",
                        pad_token="<pad>", unk_token="<unk>", mask_token="<mask>"
                        ).save_pretrained(folder / "base")
XLMRobertaForMaskedLM(XLMRobertaConfig(
    vocab_size=tokenizer.get_vocab_size(), hidden_size=8, num_hidden_layers=1,
    num_attention_heads=1, intermediate_size=8, max_position_embeddings=16,
)).save_pretrained(folder / "base")
trimmer = VocabTrimmer(str(folder / "base"))
trimmer.trim_vocab(
    language="en", path_to_save=str(folder / "trimmed"), dataset=str(folder / "texts"),
    dataset_split="train", target_vocab_size=k, min_frequency=1,
    cache_file_vocab=str(folder / "vocab.json"), cache_file_frequency=str(folder / "counts.json"),
)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("python", type=Path, help="of the environment with lm-vocab-trimmer")
    parser.add_argument("text", type=Path)
    parser.add_argument("-k", type=int, default=4000, help="pieces that lm-vocab-trimmer keeps")
    parser.add_argument("--time-limit", type=float, default=30.0, help="of prune")
    arguments = parser.parse_args()
    words, held_out = parts_of(arguments.text, Vocabulary([], pretokenizer="gpt2"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "texts").mkdir()
        (folder / "texts" / "text.txt").write_text(words.text)
        command = [arguments.python, "-c", _TRIM, folder, str(arguments.k)]
        subprocess.run(command, check=True, capture_output=True)
        compare(folder, words.text, held_out.text, arguments.time_limit)


def compare(folder: Path, text: str, held_out: str, time_limit: float) -> None:
    """Prunes the same tokenizer to as many pieces, and prints what each needs."""
    base, trimmed = (Vocabulary.load(folder / name) for name in ("base", "trimmed"))
    assert set(trimmed) <= set(base)
    words = WordCounts.from_texts([text], pretokenizer=base.pretokenizer)
    found = prune(base, words, len(trimmed), time_limit=time_limit)
    assert found.check().ok
    print(f"{len(base):,} pieces of two or more bytes, {len(trimmed):,} stay")
    for about, vocabulary in (
        ("as it is", base),
        ("lm-vocab-trimmer", trimmed),
        ("prune", found.vocabulary),
    ):
        counted = [count(vocabulary, part) for part in (text, held_out)]
        shown = "".join(f"{tokens:>10,} ({unknown:,} unknown)" for tokens, unknown in counted)
        print(f"{about:18}{shown}")
    print(f"{'at least':18}{found.lower_bound:>10,}")


def count(vocabulary: Vocabulary, text: str) -> tuple[int, int]:
    """Returns the tokens that a text is cut into, and how many of them are unknown."""
    ids = Encoder(vocabulary).encode(text)
    return len(ids), ids.count(vocabulary.special["<unk>"])


if __name__ == "__main__":
    main()
