"""Commands that begin from a tokenizer that is there."""
