"""Finds the special tokens by role: begin of text, end of text, padding, and so on."""

from __future__ import annotations

from typing import get_args

from .special import Role
from .vocabulary import Vocabulary

# spellings in common tokenizers, the most usual first
_SPELLINGS: dict[str, tuple[str, ...]] = {
    "bos": ("<s>", "<bos>", "<|bos|>", "<|begin_of_text|>", "<|startoftext|>", "[BOS]"),
    "eos": ("</s>", "<eos>", "<|eos|>", "<|end_of_text|>", "<|endoftext|>", "[EOS]"),
    "pad": ("<pad>", "[PAD]", "<|pad|>", "<|padding|>"),
    "unk": ("<unk>", "[UNK]", "<|unk|>"),
    "sep": ("[SEP]",),
    "cls": ("[CLS]",),
    "mask": ("[MASK]", "<mask>"),
}


def roles_of(vocabulary: Vocabulary) -> dict[str, str]:
    """Returns the special token of each role that has one.

    It is the token with the role among its flags (`Vocabulary.special_flags`), otherwise the token
    for unknown text, otherwise a token with a usual spelling of the role.

    Examples
    --------
    >>> from partcover import Vocabulary
    >>> from partcover.vocabulary.roles import roles_of
    >>> vocabulary = Vocabulary([], special=["<s>", "<fill>"], special_flags={"<fill>": ["pad"]})
    >>> roles_of(vocabulary)
    {'bos': '<s>', 'pad': '<fill>'}
    """
    found: dict[str, str] = {}
    for role in get_args(Role):
        given = [text for text, flags in vocabulary.special_flags.items() if role in flags]
        if role == "unk" and vocabulary.unknown is not None:
            given.append(vocabulary.unknown.token)
        given += [text for text in _SPELLINGS[role] if text in vocabulary.special]
        if given:
            found[role] = given[0]
    return found
