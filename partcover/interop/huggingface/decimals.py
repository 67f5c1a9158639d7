"""Writes numbers so that Hugging Face's tokenizers read them back exactly.

Their JSON reader takes the digits as one integer S, rounds that to a float64 and divides by 10^e:
for one number in ten, as Python prints it, the last bit then differs.  Where S is a
float64 itself and e is at most 22, so that 10^e is one too, the one division rounds correctly,
and every reader gets the same number.  For smaller numbers S and e are sought with which both the
one division and the exact quotient round to the number.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

_EXACT = 22  # 10^22 is the last power of ten that is a float64
_LARGEST = 2**64


def spell_number(value: float) -> tuple[str, bool]:
    """Writes a finite number as JSON; returns whether the reader described above gets it exactly.

    It does for all but about one in 500 numbers of the size of log-probabilities.
    """
    printed = Decimal(repr(value)).as_tuple()
    digits, exponent = int("".join(map(str, printed.digits))), int(printed.exponent)
    if digits <= 2**53 and abs(exponent) <= _EXACT:
        return repr(value), True
    size = abs(value)
    for places in range(_EXACT + 1):
        near = size * 10.0**places
        for whole in (near, math.nextafter(near, 0.0), math.nextafter(near, math.inf)):
            if whole.is_integer() and whole < _LARGEST and whole / 10.0**places == size:
                return f"{'-' if value < 0 else ''}{int(whole)}e-{places}", True
    for places in range(_EXACT + 1, 309):
        near = size * _power(places)
        if near >= _LARGEST:
            break
        for whole in (near, math.nextafter(near, 0.0), math.nextafter(near, math.inf)):
            if whole.is_integer() and _read(int(whole), -places) == size:
                text = f"{int(whole)}e-{places}"
                if float(text) == size:
                    return f"{'-' if value < 0 else ''}{text}", True
    return repr(value), _read(digits, exponent) == size


def as_read(value: float) -> float:
    """Returns the number that the library reads where a number is printed in the shortest way.

    Examples
    --------
    >>> from partcover.interop.huggingface.decimals import as_read
    >>> as_read(-8.25)
    -8.25
    """
    printed = Decimal(repr(value)).as_tuple()
    digits, exponent = int("".join(map(str, printed.digits))), int(printed.exponent)
    size = _read(digits, exponent)
    return -size if printed.sign else size


def _power(exponent: int) -> float:
    return float(f"1e{exponent}")


def _read(digits: int, exponent: int) -> float:
    power = _power(abs(exponent)) if abs(exponent) <= 308 else math.nan
    return float(digits) * power if exponent > 0 else float(digits) / power


def tokenizer_text(data: dict[str, Any]) -> tuple[str, int]:
    """Returns the text of a tokenizer.json, and how many scores the library reads inexactly."""
    if "merges" in data["model"] or data["model"].get("type", "Unigram") != "Unigram":
        return json.dumps(data, ensure_ascii=False, indent=1) + "\n", 0
    model = {**data["model"], "vocab": []}
    pairs: list[tuple[str, float]] = data["model"]["vocab"]
    vocab = [(json.dumps(t, ensure_ascii=False), *spell_number(score)) for t, score in pairs]
    lines = ",\n   ".join(f"[{text}, {number}]" for text, number, _ in vocab)
    last = {key: part for key, part in data.items() if key != "model"} | {"model": model}
    content = json.dumps(last, ensure_ascii=False, indent=1)
    before, key, after = content.rpartition('"vocab": []')
    return f"{before}{key[:-1]}\n   {lines}\n  ]{after}\n", sum(not ok for *_, ok in vocab)
