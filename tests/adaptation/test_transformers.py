"""The rows of a model's embedding follow its tokenizer, extended or cut down, in transformers."""

from __future__ import annotations

import copy

import pytest

from partcover import Instance, WordCounts, export, extend, load_vocabulary, prune, trainers

TEXT = "the other theorem on the theory of the northern theatre and of another thing " * 3
SIZE = 256 + 20 + 1


@pytest.fixture
def torch():
    pytest.importorskip("transformers")
    return pytest.importorskip("torch")


@pytest.fixture
def model(torch):
    """A language model of two small layers, whose output layer is its embedding."""
    import transformers

    config = transformers.GPT2Config(vocab_size=SIZE, n_positions=128, n_embd=8, n_layer=2)
    config.n_head = 2
    return transformers.GPT2LMHeadModel(config).eval()


@pytest.fixture
def tokenizer(tmp_path):
    pytest.importorskip("tokenizers")
    words = WordCounts.from_texts([TEXT], pretokenizer="gpt2")
    base = trainers.bpe(Instance(words, 20)).vocabulary.with_(special=["<|end|>"])
    export(base, tmp_path / "tokenizer.json", "huggingface", corpus=words)
    return load_vocabulary(tmp_path / "tokenizer.json")


def encoded(vocabulary, path):
    """The ids of the text, by transformers."""
    from transformers import AutoTokenizer

    export(vocabulary, path, "huggingface")
    return AutoTokenizer.from_pretrained(str(path)).encode(TEXT)


def test_the_rows_that_stay(torch, model, tokenizer, tmp_path):
    words = WordCounts.from_texts([TEXT], pretokenizer=tokenizer.pretokenizer)
    found = prune(tokenizer, words, 12)
    kept = torch.from_numpy((found.ids >= 0).nonzero()[0])  # old ids in the order of the new ones
    smaller = copy.deepcopy(model)
    rows = smaller.get_input_embeddings().weight[kept].detach().clone()
    smaller.resize_token_embeddings(len(kept))
    smaller.get_input_embeddings().weight.data = rows
    smaller.tie_weights()
    ids = torch.tensor([encoded(found.vocabulary, tmp_path / "small")])
    with torch.no_grad():
        of_all = model(kept[ids]).logits[..., kept]
        assert torch.allclose(smaller(ids).logits, of_all, atol=1e-5)


def test_the_rows_of_new_tokens(torch, model, tokenizer, tmp_path):
    words = WordCounts.from_texts([TEXT], pretokenizer=tokenizer.pretokenizer)
    found = extend(tokenizer, words, 5)
    larger = copy.deepcopy(model)
    larger.resize_token_embeddings(max(found.new_ids) + 1)
    rows = larger.get_input_embeddings().weight
    assert torch.equal(rows[:SIZE], model.get_input_embeddings().weight)
    ids = encoded(found.vocabulary, tmp_path / "large")
    assert set(ids) & set(found.new_ids)
    assert max(ids) < len(rows)
