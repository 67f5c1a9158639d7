"""Says how llama.cpp's BERT changes a text before it splits it, in the steps of normalizers."""

from __future__ import annotations

from typing import Any

from ...corpus.normalizers.normalizer import Normalizer

# letters of Korean syllables behind the first one
_LATER = r"(?<=[\u1100-\u1112])[\u1161-\u1175][\u11A8-\u11C2]?"


def bert_steps(*, lowercase: bool, strip_accents: bool) -> dict[str, Any]:
    r"""Returns the normalizer, as JSON.

    Unlike Hugging Face's BertNormalizer it takes three control characters for white space.  Of a
    decomposed character it keeps the first one alone: it strips marks of all kinds, and all but the
    first letter of a Korean syllable, also of one that is written as letters.

    Examples
    --------
    >>> from partcover.corpus.normalizers.normalizer import Normalizer
    >>> from partcover.interop.gguf.bert import bert_steps
    >>> Normalizer(bert_steps(lowercase=True, strip_accents=True))("É\f한") == "e \u1112"
    True
    """
    clean = {"clean_text": True, "handle_chinese_chars": True}
    steps: list[dict[str, Any]] = [
        _replace(r"[\u000B\u000C\u0085]", " "),
        {"type": "BertNormalizer", **clean, "strip_accents": False, "lowercase": False},
        _replace(r"\p{Cf}", ""),  # as those of BertNormalizer are of an old version of Unicode
    ]
    if strip_accents:
        steps += [{"type": "NFD"}, _replace(r"\p{M}", ""), _replace(_LATER, "")]
    elif lowercase:
        steps.append(_replace("İ", "i"))
    if lowercase:
        steps.append({"type": "Lowercase"})
    return {"type": "Sequence", "normalizers": steps}


def _replace(pattern: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}


def flags_of(normal: Normalizer) -> tuple[bool, bool] | None:
    """Returns whether a normalizer of BERT's lowercases and strips accents; None for another one.

    That may be llama.cpp's, or Hugging Face's, which is nearly the same.

    Examples
    --------
    >>> from partcover.corpus.normalizers.normalizer import Normalizer
    >>> from partcover.interop.gguf.bert import bert_steps, flags_of
    >>> flags_of(Normalizer(bert_steps(lowercase=True, strip_accents=False)))
    (True, False)
    >>> flags_of(Normalizer({"type": "BertNormalizer"})), flags_of(Normalizer("NFC"))
    ((True, True), None)
    """
    for lower in (False, True):
        for strip in (False, True):
            steps = bert_steps(lowercase=lower, strip_accents=strip)
            if normal.to_json() == Normalizer(steps).to_json():
                return lower, strip
    if len(normal.steps) != 1:
        return None
    step = normal.steps[0]
    if step["type"] != "BertNormalizer":
        return None
    if not (step["clean_text"] and step["handle_chinese_chars"]):
        return None
    lower, strip_accents = bool(step["lowercase"]), step["strip_accents"]
    return lower, lower if strip_accents is None else bool(strip_accents)
