"""What all trainers share."""

from __future__ import annotations

import importlib
import inspect

import pytest

from partcover import InputError, Instance, WordCounts, trainers
from partcover.trainers import TRAINERS, trainer

WORDS = WordCounts.from_counts({"low": 5, "lower": 2, "é": 3})


def test_plain_bytes_cut_nothing():
    solution = trainers.plain_bytes(Instance(WORDS, 4))
    assert (solution.method, solution.rule) == ("bytes", "single_symbols")
    assert (solution.tokens, solution.cover) == (WORDS.total_symbols, 0)


@pytest.mark.parametrize("option", ["required", "prefix", "protected"])
def test_an_option_that_cannot_be_honoured_is_named(option):
    with pytest.raises(InputError, match=f"bytes cannot honour {option}"):
        trainers.plain_bytes(Instance(WORDS, 4, **{option: ["lo"]}))


def test_what_is_required_may_be_given_as_prefix_where_that_is_kept():
    for name in ("bpe", "frequent", "greedyphrase", "wordpiece"):
        with pytest.raises(InputError, match=r"cannot honour required: .*, or give .* as prefix$"):
            TRAINERS[name].run(Instance(WORDS, 4, required=["lo"]))
        assert TRAINERS[name].run(Instance(WORDS, 4, prefix=["lo"])).vocabulary.tokens[0] == b"lo"
    with pytest.raises(InputError, match=r"for this method$"):
        trainers.sage(Instance(WORDS, 4, required=["lo"]))


@pytest.mark.parametrize("method", sorted(TRAINERS))
def test_every_trainer_is_called_alike(method):
    parameters = inspect.signature(TRAINERS[method].run).parameters
    common = {"time_limit": None, "seed": 0, "threads": 1, "progress": None}
    assert {name: parameters[name].default for name in common} == common


@pytest.mark.parametrize("method", sorted(TRAINERS.keys() - {"bytes"}))
def test_an_interrupt_before_anything_is_chosen_leaves_what_is_fixed(method, monkeypatch):
    def stop(*arguments, **options):
        raise KeyboardInterrupt

    module = importlib.import_module(TRAINERS[method].run.__module__)
    monkeypatch.setattr(module, "refuse_unhonoured", stop, raising=method != "convextok")
    monkeypatch.setattr(module, "lower_bound", stop, raising=method == "convextok")
    solution = TRAINERS[method].run(Instance(WORDS, 4, prefix=["lo"]), seed=3)
    assert (solution.method, solution.termination, solution.seed) == (method, "interrupted", 3)
    assert solution.vocabulary.tokens == (b"lo",)
    assert solution.tokens == 31 - 7 - 5 + 5


def test_an_interrupt_while_tokens_are_counted_loses_nothing(monkeypatch):
    whole = trainers.frequent(Instance(WORDS, 2))
    calls = []

    def once(*arguments, **options):
        calls.append(arguments)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return segment(*arguments, **options)

    segment = trainer.segment
    monkeypatch.setattr(trainer, "segment", once)
    stopped = trainers.frequent(Instance(WORDS, 2))
    assert stopped.termination == "interrupted"
    assert (stopped.tokens, stopped.vocabulary) == (whole.tokens, whole.vocabulary)
