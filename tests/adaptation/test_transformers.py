"""The rows of a model's embedding follow its tokenizer, extended or cut down, in transformers."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from shared.documents import blocks

from partcover import Instance, Vocabulary, WordCounts, export, extend, prune, trainers

DOCS = Path(__file__).parents[2] / "docs"
TEXT = "the other theorem on the theory of the northern theatre and of another thing " * 3
SIZE = 256 + 20 + 1
pytestmark = pytest.mark.long


@pytest.fixture
def torch():
    pytest.importorskip("transformers")
    return pytest.importorskip("torch")


@pytest.fixture(params=["tied", "untied"])
def model(torch, request):
    """A language model of two small layers, whose output layer is its embedding or another one."""
    import transformers

    config = transformers.GPT2Config(vocab_size=SIZE, n_positions=128, n_embd=8, n_layer=2)
    config.n_head = 2
    config.tie_word_embeddings = request.param == "tied"
    return transformers.GPT2LMHeadModel(config).eval()


@pytest.fixture
def tokenizer(tmp_path):
    pytest.importorskip("tokenizers")
    words = WordCounts.from_texts([TEXT], pretokenizer="gpt2")
    base = trainers.bpe(Instance(words, 20)).vocabulary.with_(special=["<|end|>"])
    export(base, tmp_path / "tokenizer.json", "huggingface", corpus=words)
    return Vocabulary.load(tmp_path / "tokenizer.json")


def encoded(vocabulary, path):
    """The ids of the text, by transformers."""
    from transformers import AutoTokenizer

    export(vocabulary, path, "huggingface")
    return AutoTokenizer.from_pretrained(str(path)).encode(TEXT)


def shown(page, model, tmp_path, **names):
    """Runs the program of a page that is for a model; returns what it has made."""
    programs = [block.text for block in blocks(DOCS / page) if "from_pretrained" in block.text]
    (program,) = (text for text in programs if "AutoModel" in text and "the model" in text)
    model.save_pretrained(tmp_path / "the model")
    program = re.sub(r'"(the model|new|small)"', rf'r"{tmp_path}/\1"', program)
    exec(compile(program, page, "exec"), names)
    return names


def test_the_rows_that_stay(torch, model, tokenizer, tmp_path):
    words = WordCounts.from_texts([TEXT], pretokenizer=tokenizer.pretokenizer)
    found = prune(tokenizer, words, 12)
    kept = np.flatnonzero(found.ids >= 0)
    smaller = shown("how-to/tokenizers/prune.md", model, tmp_path, kept=kept, np=np)["model"].eval()
    assert smaller.get_input_embeddings().weight.shape == (len(kept), 8)
    ids = torch.tensor([encoded(found.vocabulary, tmp_path / "small")])
    kept = torch.from_numpy(kept)
    with torch.no_grad():
        of_all = model(kept[ids]).logits[..., kept]
        assert torch.allclose(smaller(ids).logits, of_all, atol=1e-5)
    # and it is what is saved
    smaller.save_pretrained(tmp_path / "saved")
    again = type(model).from_pretrained(tmp_path / "saved").eval()
    with torch.no_grad():
        assert torch.equal(again(ids).logits, smaller(ids).logits)


def test_the_rows_of_new_tokens(torch, model, tokenizer, tmp_path):
    words = WordCounts.from_texts([TEXT], pretokenizer=tokenizer.pretokenizer)
    found = extend(tokenizer, words, 5)
    ids = encoded(found.vocabulary, tmp_path / "new")
    larger = shown("how-to/tokenizers/extend.md", model, tmp_path)["model"]
    rows = larger.get_input_embeddings().weight
    assert torch.equal(rows[:SIZE], model.get_input_embeddings().weight)
    assert set(ids) & set(found.new_ids)
    assert max(ids) < len(rows)
