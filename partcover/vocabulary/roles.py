"""Says which special token begins a text, ends it, fills it up, and so on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from .vocabulary import Vocabulary

__all__ = ["Role", "roles_of"]

Role: TypeAlias = Literal["bos", "eos", "pad", "unk", "sep", "cls", "mask"]

# spellings that many tokenizers have, the most usual first
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

    It is the one with the role among its flags (`Vocabulary.special_flags`), else the one that
    stands for what is unknown, else one that is spelled as many tokenizers spell it.

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
