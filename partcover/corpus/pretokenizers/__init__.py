"""Splits text into words."""

#: The rule that text is counted with if no other is given: what most tokenizers begin with.
DEFAULT_PRETOKENIZER = "gpt2"
