"""The vectorizer for scikit-learn counts the ids of an encoder, and is an estimator like others."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np
import pytest

from partcover import Encoder, InputError, Instance, Vocabulary, WordCounts, greedtok
from partcover.errors import MissingExtra

pytest.importorskip("sklearn")

from partcover.studies.token_vectorizer import TokenVectorizer

TEXTS = ["the hat on the mat", "the cat", "", "naïve \\ hat"]


def test_it_counts_the_ids_of_an_encoder():
    vectorizer = TokenVectorizer(k=4).fit(TEXTS)
    words = WordCounts.from_texts(TEXTS, pretokenizer="gpt2")
    assert vectorizer.vocabulary_.tokens == greedtok(Instance(words, 4)).vocabulary.tokens
    encoder = Encoder(vectorizer.vocabulary_)
    counts = vectorizer.transform(TEXTS)
    assert counts.shape == (len(TEXTS), 260)
    for text, row in zip(TEXTS, counts.toarray().tolist(), strict=True):
        assert {n: count for n, count in enumerate(row) if count} == Counter(encoder.encode(text))
    assert (vectorizer.fit_transform(TEXTS) != counts).nnz == 0


def test_names_are_of_the_ids_and_differ():
    special = Vocabulary(["at", "th"], pretokenizer="gpt2").with_(special=["<|end|>"])
    vectorizer = TokenVectorizer(vocabulary=special).fit([])
    names = vectorizer.get_feature_names_out().tolist()
    assert (names[97], names[92], names[255], names[256:]) == ("a", "\\\\", "\\xFF", ["at", "th"])
    assert len(set(names)) == len(names) == vectorizer.transform(["that"]).shape[1]


@pytest.mark.filterwarnings("ignore")  # of checks that are for numbers
def test_it_is_an_estimator():
    from sklearn.utils import estimator_checks as checks

    estimator = TokenVectorizer(k=3)
    checks.check_estimator(estimator)
    for name in (
        "check_no_attributes_set_in_init",
        "check_get_params_invariance",
        "check_set_params",
        "check_estimator_repr",
        "check_parameters_default_constructible",
    ):
        getattr(checks, name)("TokenVectorizer", estimator)


@pytest.mark.long
def test_in_a_search_over_a_pipeline():
    from sklearn.model_selection import GridSearchCV
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    texts = ["the cat sat", "a dog ran", "the cats sit", "dogs run fast"] * 3
    pipeline = make_pipeline(TokenVectorizer(), MultinomialNB())
    grid = {"tokenvectorizer__k": [2, 8], "tokenvectorizer__method": ["bpe", "greedtok"]}
    found = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(texts, [0, 1] * 6)
    again = pickle.loads(pickle.dumps(found))
    assert again.predict(["the cat", "dogs ran"]).tolist() == [0, 1]


def test_what_is_no_list_of_texts():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(InputError, match="put it into a list"):
        TokenVectorizer().fit("one text")
    with pytest.raises(InputError, match="text 1 is 1: it must be str or bytes"):
        TokenVectorizer().fit([1])
    with pytest.raises(InputError, match="unknown method 'none': use greedtok"):
        TokenVectorizer(method="none").fit(TEXTS)
    with pytest.raises(NotFittedError):
        TokenVectorizer().transform(TEXTS)


def test_without_the_library(monkeypatch):
    import importlib
    import sys

    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    monkeypatch.delitem(sys.modules, "partcover.studies.token_vectorizer")
    with pytest.raises(MissingExtra, match=r"pip install 'partcover\[scikit-learn\]'"):
        importlib.import_module("partcover.studies.token_vectorizer")


def test_columns_are_lists_of_texts_and_all_else_is_refused_in_one_line():
    pandas = pytest.importorskip("pandas")
    vectorizer = TokenVectorizer(k=2, method="bpe").fit(pandas.Series(TEXTS))
    assert vectorizer.transform(iter(TEXTS)).shape == (len(TEXTS), 258)
    assert vectorizer.transform(np.array(TEXTS)).shape == (len(TEXTS), 258)
    with pytest.raises(InputError, match="texts are a DataFrame: give one column of it as a list"):
        vectorizer.transform(pandas.DataFrame({"text": TEXTS}))
    for texts in (None, 7, np.array("the hat")):
        for call in (vectorizer.fit, vectorizer.transform):
            with pytest.raises(InputError, match=r"texts are .*: they must be a list of texts"):
                call(texts)
    with pytest.raises(InputError, match="put it into a list"):
        vectorizer.transform(b"the hat")
    with pytest.raises(InputError, match="unknown method a list: use greedtok"):
        TokenVectorizer(method=["bpe"]).fit(TEXTS)
