"""The other tokenizers of the literature, each trained from the same counted words."""

from .pathpiece import pathpiece as pathpiece
from .plain import plain_bytes as plain_bytes
from .sentencepiece import unigram_sentencepiece as unigram_sentencepiece
from .unigram import unigram as unigram
from .unigram import unigram_objective as unigram_objective
