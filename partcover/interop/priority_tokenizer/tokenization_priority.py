"""A tokenizer for transformers, 4 or 5, that covers text in a vocabulary's order of priority.

AutoTokenizer.from_pretrained(folder, trust_remote_code=True)
"""

from __future__ import annotations

import os
import shutil
from itertools import groupby
from typing import Any

from transformers import PreTrainedTokenizer

from .priority_cutter import PriorityCutter


class PriorityTokenizer(PreTrainedTokenizer):  # type: ignore[misc]
    """`PriorityCutter` as transformers wants it; special tokens are split off before.

    Parameters
    ----------
    vocab_file : str
        The vocabulary.
    **settings
        The settings of every tokenizer.
    """

    vocab_files_names = {"vocab_file": "vocab.json"}  # noqa: RUF012 - as transformers has it
    model_input_names = ["input_ids", "attention_mask"]  # noqa: RUF012

    def __init__(self, vocab_file: str, **settings: Any) -> None:
        self.vocab_file = vocab_file
        self.cutter = PriorityCutter(vocab_file)
        self.token_of = {number: token for token, number in self.cutter.vocab.items()}
        super().__init__(vocab_file=vocab_file, **settings)

    @property
    def vocab_size(self) -> int:
        """The number of tokens without the added ones."""
        return len(self.cutter.vocab)

    def get_vocab(self) -> dict[str, int]:
        """Returns every token and its id."""
        return {**self.cutter.vocab, **self.added_tokens_encoder}

    def _tokenize(self, text: str, **_: Any) -> list[str]:
        return self.cutter.tokens(text)

    def _convert_token_to_id(self, token: str) -> int | None:
        return self.cutter.vocab.get(token)

    def _convert_id_to_token(self, index: int) -> str | None:
        return self.token_of.get(index)

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """Returns the text of tokens, added ones among them."""
        added = self.added_tokens_encoder
        runs = [(kind, list(run)) for kind, run in groupby(tokens, added.__contains__)]
        return "".join("".join(run) if kind else self.cutter.text(run) for kind, run in runs)

    def _decode(
        self, *ids: Any, spaces_between_special_tokens: bool = False, **options: Any
    ) -> str:
        text = super()._decode(
            *ids, spaces_between_special_tokens=spaces_between_special_tokens, **options
        )
        return str(text)

    def save_vocabulary(
        self, save_directory: str, filename_prefix: str | None = None
    ) -> tuple[str, ...]:
        """Copies the vocabulary file into a folder."""
        name = (filename_prefix + "-" if filename_prefix else "") + "vocab.json"
        target = os.path.join(save_directory, name)  # noqa: PTH118
        if os.path.abspath(target) != os.path.abspath(self.vocab_file):  # noqa: PTH100
            shutil.copyfile(self.vocab_file, target)
        return (target,)
