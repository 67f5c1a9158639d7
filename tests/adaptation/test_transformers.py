"""The rows of a model's embedding follow its tokenizer, extended or cut down, in transformers."""

from __future__ import annotations

import pytest

from partcover import Instance, WordCounts, export, extend, load_vocabulary, prune, trainers

TEXT = "the other theorem on the theory of the northern theatre and of another thing " * 3


@pytest.fixture(scope="module")
def model():
    """A language model of two small layers, and its tokenizer."""
    pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(vocab_size=300, n_positions=64, n_embd=8, n_layer=2, n_head=2)
    return transformers.GPT2LMHeadModel(config).eval()


@pytest.fixture
def tokenizer(tmp_path):
    words = WordCounts.from_texts([TEXT], pretokenizer="gpt2")
    base = trainers.bpe(Instance(words, 43)).vocabulary.with_(special=["<|end|>"])
    export(base, tmp_path / "tokenizer.json", "huggingface", corpus=words)
    return load_vocabulary(tmp_path / "tokenizer.json")


def encoded(vocabulary, path):
    """The ids of the text, by transformers."""
    from transformers import AutoTokenizer

    export(vocabulary, path, "huggingface")
    return AutoTokenizer.from_pretrained(path).encode(TEXT)


def test_the_rows_that_stay(model, tokenizer, tmp_path):
    import copy

    import torch

    words = WordCounts.from_texts([TEXT], pretokenizer=tokenizer.pretokenizer)
    found = prune(tokenizer, words, 20)
    kept = torch.from_numpy((found.ids >= 0).nonzero()[0])  # old ids in the order of the new ones
    smaller = copy.deepcopy(model)
    rows = smaller.get_input_embeddings().weight[kept]
    smaller.resize_token_embeddings(len(kept))
    smaller.get_input_embeddings().weight.data = rows.clone()
    smaller.tie_weights()
    ids = torch.tensor([encoded(found.vocabulary, tmp_path / "small")])
    with torch.no_grad():
        of_all = model(kept[ids]).logits[..., kept]
        assert torch.allclose(smaller(ids).logits, of_all, atol=1e-5)


def test_the_rows_of_new_tokens(model, tokenizer, tmp_path):
    import copy

    import torch

    words = WordCounts.from_texts([TEXT + "northern theorems"], pretokenizer="gpt2")
    found = extend(tokenizer, words, 5)
    larger = copy.deepcopy(model)
    larger.resize_token_embeddings(max(found.new_ids) + 1, mean_resizing=False)
    rows = larger.get_input_embeddings().weight.data
    assert torch.equal(rows[:300], model.get_input_embeddings().weight)
    ids = encoded(found.vocabulary, tmp_path / "large")
    assert set(ids) & set(found.new_ids)
    assert max(ids) < len(rows)
