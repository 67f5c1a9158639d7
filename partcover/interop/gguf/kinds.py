"""Knows the types that llama.cpp gives to some tokens for their texts, whatever the file says."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..sentencepiece.proto import CONTROL, NORMAL, USER_DEFINED

_ENDS = (
    "<|eot_id|> <|im_end|> <|end|> <|return|> <|call|> <|flush|> <|calls|> <end_of_turn> "
    "<|endoftext|> </s> <|eom_id|> <EOT> _<EOT> [EOT] [EOS] <|end_of_text|> <end_of_utterance> "
    "<eos> <turn|> <|tool_response> <｜end▁of▁sentence｜> [e~["
)
_SHOWN = frozenset(("<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"))
# control tokens if no key names another; the last name is that of older files
_ROLES = {
    "fim_pre prefix": "<|fim_prefix|> <fim-prefix> <fim_prefix> <｜fim▁begin｜> <PRE> ▁<PRE> "
    "<|code_prefix|> <|prefix|>",
    "fim_suf suffix": "<|fim_suffix|> <fim-suffix> <fim_suffix> <｜fim▁hole｜> <SUF> ▁<SUF> "
    "<|code_suffix|> <|suffix|>",
    "fim_mid middle": "<|fim_middle|> <fim-middle> <fim_middle> <｜fim▁end｜> <MID> ▁<MID> "
    "<|code_middle|> <|middle|>",
    "fim_pad": "<|fim_pad|> <fim-pad> <fim_pad> <PAD> [PAD]",
    "fim_rep": "<|fim_repo|> <|repo_name|> <fim-repo> <REPO> <reponame>",
    "fim_sep": "<|file_sep|>",
}


def kinds_of(texts: Sequence[str], kinds: Sequence[int], named: Collection[str]) -> list[int]:
    """Returns the types of tokens as llama.cpp sets them.

    Parameters
    ----------
    texts : sequence of str
        The tokens.
    kinds : sequence of int
        Their types in the file.
    named : collection of str
        The roles of tokens that keys give, such as ``fim_pad``.

    Examples
    --------
    >>> from partcover.interop.gguf.kinds import kinds_of
    >>> kinds_of(["a", "<|im_end|>", "<|start|>"], [1, 4, 3], ())
    [1, 3, 4]
    """
    there = set(texts)
    control, user, normal = set(_ENDS.split()), set(_SHOWN), set()
    for roles, known in _ROLES.items():
        if not any(role in named for role in roles.split()):
            control.update(known.split())
    calls = there & {"<|call|>", "<|calls|>"}
    if "<|end|>" in there and calls and there & {"<|return|>", "<|flush|>"}:
        user.add("<|end|>")
    if "<|tool_response>" in there:
        normal.add("</s>")
    changed = {
        **dict.fromkeys(control, CONTROL),
        **dict.fromkeys(user, USER_DEFINED),
        **dict.fromkeys(normal, NORMAL),
    }
    return [changed.get(text, kind) for text, kind in zip(texts, kinds, strict=True)]
