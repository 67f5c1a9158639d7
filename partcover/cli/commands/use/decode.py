"""Implements the command ``decode``."""

from __future__ import annotations

import partcover as pc

from ....corpus import symbols as sym
from ....errors import InputError
from ....runtime.files.writing import atomic_writer
from ...command import command
from ...id_files import read_ids
from ...inputs import read_vocabulary
from ...shown.output import Output


@command("decode")
def decode_command(
    out: Output,
    vocabulary: str,
    file: str,
    pretokenizer: str | None,
    errors: str,
    skip_special: bool,
) -> int:
    """Turn ids back into text.

    `decode` writes the documents one after another, with nothing between them. The result equals
    the encoded text byte for byte, except for changes by the vocabulary's normalizer. With --errors
    other than keep, a tokenizer without a decoder puts spaces between tokens, as its library does.
    With --json, the texts are in a list, and bytes that are not UTF-8 are escaped as in a
    vocabulary file.

    Options:
    vocabulary
    file <[FILE] = -: Output of `encode`. Default: standard input.
    --pretokenizer PRETOKENIZER: Pre-tokenizer, as for `count`. Default: the one in the vocabulary
      file.
    --errors keep|strict|replace|ignore|backslashreplace = keep: Handling of bytes that are not
      UTF-8: keep them, or as in Python's bytes.decode.
    --skip-special: Leave out special tokens.
    -o >TABLE: Write the text.
    plain
    $ partcover decode v.json book.npy -o book.txt
    """
    import numpy as np

    from ....corpus.normalizers.normalizer import glance

    encoder = pc.Encoder(read_vocabulary(vocabulary), pretokenizer)
    if encoder.normalizer is not None:
        out.note(
            f"the vocabulary normalizes text with {glance(encoder.normalizer)}; decoding cannot "
            "undo that"
        )
    texts = []
    count = 0
    with atomic_writer(out.path or "-") as written:
        for where, ids in read_ids(file, np.dtype(encoder.dtype)):
            try:
                if errors == "keep":
                    text = encoder.decode_bytes(ids, skip_special=skip_special)
                else:
                    text = encoder.decode(ids, errors, skip_special=skip_special).encode()
            except InputError as error:
                raise InputError(f"{where}: {error}") from None
            count += len(ids)
            if out.json and out.path is None:
                texts.append(sym.escape(text, tsv=False))
            else:
                written.write(text)
    out.end({"ids": count, **({"texts": texts} if out.path is None else {})})
    return 0
