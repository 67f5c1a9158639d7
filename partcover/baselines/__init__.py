"""The other tokenizers of the literature, each trained from the same counted words."""

from .plain import plain_bytes as plain_bytes
