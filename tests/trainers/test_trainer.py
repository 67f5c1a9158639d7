"""What all trainers share."""

from __future__ import annotations

import inspect
import time

import pytest

from partcover import InputError, Instance, Vocabulary, WordCounts, trainers
from partcover.errors import MissingExtra
from partcover.segmentation.segmentation import segment
from partcover.trainers import TRAINERS, solution_of, trainer

WORDS = WordCounts.from_counts({"low": 5, "lower": 2, "é": 3})
COMMON = {"time_limit": None, "seed": 0, "threads": 1, "progress": None}


def test_plain_bytes_cut_nothing():
    solution = trainers.plain_bytes(Instance(WORDS, 4))
    assert (solution.method, solution.rule) == ("bytes", "single_symbols")
    assert (solution.tokens, solution.cover) == (WORDS.total_symbols, 0)


@pytest.mark.parametrize("option", ["required", "prefix", "protected"])
def test_an_option_that_is_not_supported_is_named(option):
    with pytest.raises(InputError, match=f"bytes does not support {option}"):
        trainers.plain_bytes(Instance(WORDS, 4, **{option: ["lo"]}))


def test_what_is_required_may_be_given_as_prefix_where_that_is_kept():
    for name in ("bpe", "frequent", "greedyphrase", "wordpiece"):
        with pytest.raises(InputError, match=f"{name} does not support required: leave it out"):
            TRAINERS[name].run(Instance(WORDS, 4, required=["lo"]))
        assert TRAINERS[name].run(Instance(WORDS, 4, prefix=["lo"])).vocabulary.tokens[0] == b"lo"
    with pytest.raises(InputError, match=r"for this method$"):
        trainers.sage(Instance(WORDS, 4, required=["lo"]))


@pytest.mark.parametrize("method", sorted(TRAINERS))
def test_what_is_common_to_trainers_is_called_alike(method):
    parameters = inspect.signature(TRAINERS[method].run).parameters
    taken = COMMON.keys() & parameters.keys()
    assert "threads" in taken
    assert {name: parameters[name].default for name in taken} == {n: COMMON[n] for n in taken}


@pytest.mark.parametrize("method", sorted(TRAINERS.keys() - {"sage"}))
def test_every_trainer_can_be_given_what_is_common_and_records_it(method):
    try:
        solution = TRAINERS[method].train(
            Instance(WORDS, 4), time_limit=60, seed=3, threads=2, progress=None
        )
    except MissingExtra:
        pytest.skip("its library is not installed")
    assert (solution.method, solution.seed, solution.threads) == (method, 3, 2)
    with pytest.raises(InputError, match="seed is -1: it must be a whole number"):
        TRAINERS[method].train(Instance(WORDS, 4), seed=-1)


def test_time_is_taken_by_those_that_a_limit_can_cut():
    assert [name for name in TRAINERS if not TRAINERS[name].takes_time] == [
        "bytes",
        "frequent",
        "randtrain",
    ]


def test_a_call_that_python_refuses_is_refused_in_its_words():
    with pytest.raises(TypeError, match=r"bpe\(\) missing 1 required positional argument"):
        trainers.bpe()
    with pytest.raises(InputError, match="bpe has no option unknown: use end_of_word, time_limit"):
        trainers.bpe(Instance(WORDS, 4), unknown=3)


@trainer("stopped", about="one that Ctrl-C ends at once", supports={"prefix"})
def stopped(instance, *, seed=0, threads=1):
    raise KeyboardInterrupt


@trainer("one-word", about="the first word", supports=())
def one_word(instance):
    vocabulary = Vocabulary([instance.words.word(0)], instance.symbols, "one-word")
    return solution_of(instance, vocabulary, time.monotonic())


def test_an_interrupt_before_anything_is_chosen_leaves_what_is_fixed():
    solution = stopped(Instance(WORDS, 4, prefix=["lo"]), seed=3)
    assert (solution.method, solution.termination, solution.seed) == ("stopped", "interrupted", 3)
    assert solution.vocabulary.tokens == (b"lo",)
    assert solution.tokens == 31 - 7 - 5 + 5


def test_an_interrupt_while_tokens_are_counted_loses_nothing(monkeypatch):
    whole = one_word(Instance(WORDS, 1))
    calls = []

    def once(*arguments, **options):
        calls.append(arguments)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return segment(*arguments, **options)

    monkeypatch.setitem(inspect.unwrap(solution_of).__globals__, "segment", once)
    interrupted = one_word(Instance(WORDS, 1))
    assert interrupted.termination == "interrupted"
    assert (interrupted.tokens, interrupted.vocabulary) == (whole.tokens, whole.vocabulary)
    assert len(calls) == 2


def test_the_longest_words_allowed_are_frequent_words():
    instance = Instance({"low": 5, "lower": 9, "lowe": 2}, 2, max_length=4)
    assert trainers.frequent(instance).vocabulary.tokens == (b"low", b"lowe")


def test_the_longest_tokens_allowed_are_a_start_of_pathpiece():
    instance = Instance({"lower": 9, "low": 5}, 2)
    found = trainers.pathpiece(instance, initial=["lower", "low"], max_length=5)
    assert set(found.vocabulary) == {b"lower", b"low"}


@pytest.mark.parametrize("method", ["bpe", "bytes", "frequent", "unigram", "wordpiece"])
def test_no_index_is_made_only_to_count_the_candidates(method):
    instance = Instance({"banana": 20, "bandana": 10, "hat": 30}, k=3)
    solution = TRAINERS[method].train(instance)
    assert not instance.is_indexed
    assert solution.candidates is None
    assert solution.to_json()["candidates"] is None


@pytest.mark.parametrize("method", ["bpe", "unigram", "randtrain", "convextok"])
def test_candidates_do_not_depend_on_an_index_that_is_there(method):
    indexed, plain = (Instance({"banana": 20, "bandana": 10, "hat": 30}, k=3) for _ in range(2))
    assert indexed.index
    solutions = [TRAINERS[method].train(instance) for instance in (indexed, plain)]
    assert solutions[0].candidates == solutions[1].candidates
    looks = method in ("randtrain", "convextok")
    assert solutions[0].candidates == (indexed.index.total if looks else None)
