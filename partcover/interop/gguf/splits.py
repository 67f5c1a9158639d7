r"""Knows how llama.cpp splits a text before byte-pair encoding, by ``tokenizer.ggml.pre``.

The patterns are those of its ``src/llama-vocab.cpp``: the matches of each are words, and so is what
is between, and the next pattern splits these.  There ``\p{Lu}`` and ``\p{Ll}`` are any letters, and
``((?=[\p{L}])([^a-z]))`` is a letter but a small one of ASCII.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from ...corpus.pretokenizers.pretokenizer import Pretokenizer
from ...corpus.pretokenizers.published_patterns import DEEPSEEK, PATTERNS
from ...corpus.pretokenizers.steps.read import read_steps, split_steps


class Split(NamedTuple):
    """How a text is split.

    Attributes
    ----------
    patterns : tuple of str
        One after another.
    whole : bool
        Whether a word that is a token is looked up first.
    spelled : bool
        Whether bytes are spelled as characters; else spaces are written as ▁.
    """

    patterns: tuple[str, ...]
    whole: bool = False
    spelled: bool = True


_GPT2, _CL100K, _QWEN2 = PATTERNS["gpt2"], PATTERNS["cl100k"], PATTERNS["qwen2"]
_UPPER, _LOWER = r"[\p{L}&&[^a-z]]", r"[\p{L}&&[^A-Z]]"
_ENDINGS = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
_REST = r" ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def _cased(upper: str, lower: str, ending: str, digits: str) -> str:
    """Returns a pattern as that of o200k, with its letters as llama.cpp tells them apart."""
    front = r"[^\r\n\p{L}\p{N}]?"
    words = f"{front}{upper}*{lower}+{ending}|{front}{upper}+{lower}*{ending}"
    return rf"{words}|{digits}|{_REST}"


# groups of three digits, from the right; what is in front of a number goes with its first group
_GROUPS = r"\P{N}*\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))"
# Chinese characters, as llama.cpp lists them
_HAN = (
    "\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002ebef\uf900-\ufaff"
    "\U0002f800-\U0002fa1f"
)
_LINES = r"[^\n]+|[\n]+"
_CASCADE = "|".join(rf"\s{{{size}}}(?!\S)" for size in (512, 256, 128, 64, 32, 16, 8, 4))
# Latin and other letters with two cases, and so on, as DeepSeek's first models list them
_LATIN = (
    "\\s?[A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-"
    "\u02af\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1"
    "\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f\u0531-\u0556\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd"
    "\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d"
    "\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-"
    "\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4"
    "\u1ff6-\u1ffc\u2102\u2107\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d"
    "\u212f-\u2134\u2139\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4"
    "\u2ceb-\u2cee\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e"
    "\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a\U00010400-\U0001044f"
    "\U000104b0-\U000104d3\U000104d8-\U000104fb\U00010c80-\U00010cb2\U00010cc0-\U00010cf2"
    "\U000118a0-\U000118df\U0001e900-\U0001e943]+"
)
_PUNCT = "\\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3001-\u3002]+"
_HANS = "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff&&\\S]+"
_YOUTU = (
    "[\uac00-\ud7a3\u3131-\u318e]+|[\uff01\u2026\u201c\u201d\u2018\u2019\u2014\uff1a\uff1b\uff0c"
    "\u3001-\u303f\ufe30-\ufe4f]+|[\u3105-\u312f]+|[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"
)
_AFMOE = (
    "[\u4e00-\u9fff\u3400-\u4dbf\u8c48-\ufaff\u3040-\u309f\u30a0-\u30ff\uff65-\uff9f\u2f00-\u2fdf"
    "\u0e40-\u0e7f\u0e80-\u0eff\u1780-\u17ff\u1000-\u109f\uaa60-\uaa7f\ua9e0-\ua9ff\uac00-\ud7af"
    "\u1100-\u11ff]+"
)
_PORO = " ?[^(\\s|.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c)]+"

_DEFAULT = (r"[\p{P}\$\+<=>\^~\|]+", _GPT2, r"\p{N}+", "[0-9][0-9][0-9]")

_SPLITS = {
    "default": Split(_DEFAULT),
    "gpt-2 phi-2 jina-es jina-de jina-v2-es jina-v2-de jina-v1-en jina-v2-code roberta-bpe "
    "gigachat a.x-4.0 mellum modern-bert mpt olmo jais trillion granite-docling exaone4": Split(
        (_GPT2,)
    ),
    "llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano glm4 "
    "glm5": Split((_CL100K,), whole=True),
    "dbrx smaug-bpe chatglm-bpe": Split((_CL100K,)),
    "jais-2": Split(
        (_CL100K.removesuffix(r"|\s+(?!\S)|\s+") + f"|{_CASCADE}" + r"|\s{1,2}(?!\S)|\s",)
    ),
    "qwen2 deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2": Split(
        (_QWEN2,)
    ),
    "qwen35": Split((PATTERNS["qwen3.5"],)),
    "starcoder refact command-r smollm codeshell exaone minerva-7b mellum2": Split(
        (r"\p{N}", _GPT2)
    ),
    "falcon": Split((r"[\p{P}\$\+<=>\^~\|`]+", _GPT2, "[0-9][0-9][0-9]")),
    "deepseek-llm": Split(("[\r\n]", _LATIN, _PUNCT, r"\s+$", _HANS, r"\p{N}+")),
    "deepseek-coder": Split(("[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _HANS, r"\p{N}")),
    "deepseek-v3 hunyuan-dense joyai-llm hy_v4": Split(DEEPSEEK),
    "spark2_5": Split(
        (
            *DEEPSEEK[:2],
            DEEPSEEK[2].replace("[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+", "[\\p{P}\\p{S}]+|[\r\n]"),
            r"\p{N}",
        )
    ),
    "youtu": Split(
        (_YOUTU, _cased(r"[\p{L}\p{M}]", r"[\p{L}\p{M}]", f"{_ENDINGS}?", r"\p{N}")), whole=True
    ),
    "tekken": Split((_cased(_UPPER, _LOWER, "", r"\p{N}"),), whole=True),
    "gpt-4o llama4 kanana2 talkie minimax-m2": Split(
        (_cased(_UPPER, _LOWER, f"{_ENDINGS}?", r"\p{N}{1,3}"),)
    ),
    "granite-embed-multi-97m": Split(
        (_cased(r"[\p{L}\p{M}&&[^a-z]]", r"[\p{L}\p{M}&&[^A-Z]]", f"{_ENDINGS}?", r"\p{N}{1,3}"),),
        whole=True,
    ),
    "tiny_aya cohere2moe": Split(
        (_GROUPS, _cased(r"[\p{L}\p{M}]", r"[\p{L}\p{M}]", f"{_ENDINGS}?", r"\p{N}{1,3}"))
    ),
    "kimi-k2": Split(
        (
            (
                rf"[{_HAN}]+|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}&&[^{_HAN}]]+{_ENDINGS}?|\p{{N}}{{1,3}}|"
                r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
            ),
        )
    ),
    "poro-chat bloom gpt3-finnish": Split((_PORO,)),
    "viking": Split((_PORO, r"\p{N}")),
    "chameleon": Split(
        (
            "<sentinel:[0-9]+>",
            "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z",
            r"([\t\n]|    |  )",
            r"\p{N}",
            r"[\p{P}!-/:-@\[-`{-~]",
            _GPT2,
        )
    ),
    "superbpe": Split((r"\p{N}+", r"(?=(\d{3})+(?!\d))")),
    "bailingmoe bailingmoe2 llada-moe": Split(
        (
            (
                r"'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|"
                r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
            ),
        )
    ),
    "seed-coder": Split(
        (
            (
                rf"{_ENDINGS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|"
                r"\s*[\r\n]+|\s+(?!\S)|\s+"
            ),
        )
    ),
    "ufakzeka": Split((_QWEN2.removeprefix("(?i:'s|'t|'re|'ve|'m|'ll|'d)|"),)),
    "afmoe": Split((_GROUPS, _AFMOE, DEEPSEEK[2])),
    "laguna": Split((_LINES, _QWEN2)),
    "exaone-moe": Split(
        (
            (
                rf"{_ENDINGS}|[^\r\n\p{{L}}\p{{N}}]?(?:\p{{L}}\p{{M}}*(?: \p{{L}}\p{{M}}*)*)+|"
                r"\p{N}|"
                r" ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+"
            ),
        )
    ),
    "minicpm5": Split((r"\p{N}{1,3}", _CL100K.replace(r"\p{N}{1,3}", r"\p{N}+")), whole=True),
    "gemma4 granite-embed-multi-311m sarvam-moe": Split((_LINES,), spelled=False),
}
#: By each name in ``tokenizer.ggml.pre``, how a text is split.
SPLITS = {name: split for names, split in _SPLITS.items() for name in names.split()}
#: The names that a converter gives to what llama.cpp splits nearly as the pre-tokenizer.
NEAREST = {"o200k": "gpt-4o", "tekken": "tekken"}


def pretokenizer_of_split(split: Split) -> Pretokenizer:
    """Returns the pre-tokenizer that splits in this way."""
    return Pretokenizer.from_steps(read_steps(split_steps(split.patterns)))


def name_of_split(pretokenizer: str | None, *, whole: bool) -> str | None:
    """Returns the name of the pattern of a pre-tokenizer, with or without whole words, or None."""
    names = (name for name, split in SPLITS.items() if split.spelled and split.whole == whole)
    return next((name for name in names if _pretokenizer_of(name) == pretokenizer), None)


@cache
def _pretokenizer_of(name: str) -> str:
    return pretokenizer_of_split(SPLITS[name]).name
