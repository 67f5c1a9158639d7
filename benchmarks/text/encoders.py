"""How fast published tokenizers turn text into ids, here and in the fastest other libraries.

    python benchmarks/text/encoders.py [--tables ids,languages,bytes,sizes,batch,count,hard]
        [--repeat 3]
                                  [--peers gigatoken,…] [--python PYTHON] [--sizes 200,…]

`PYTHON` is one that has the peers; by default this one.  What it does not have is left out.  The
tokenizers are fetched by `published_tokenizers.py`; `languages` are the translations of Django,
fetched from PyPI.  Prose is pydoc's topics, code is the standard library's sources, `json` is both
in one line.  Where a text is shorter than it should be it is repeated, so that words come again.

Every run is a process of its own, of one thread, with its text as `str` (but for `bytes`) and its
tokenizer ready.
*Cold* is its first call, or calls for 50 kB, *warm* the better of the third and fourth on the same
text, by size of 5 MB of calls.  Megabytes of
UTF-8 for each second of CPU time of all threads; the median of the runs, which take turns.  Ids are
compared with partcover's by a hash: a peer with others is marked with a star.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "published"))
FILES = {
    "cl100k": "gpt35turbo",
    "o200k": "gpt4o",
    "gpt2": "gpt2",
    "llama3": "llama3",
    "qwen3": "qwen3",
}
RANKS = {"cl100k": "cl100k_base", "o200k": "o200k_base"}
LANGUAGES = ("ar", "de", "el", "fr", "hi", "ja", "ko", "ru", "vi", "zh_Hans")
PEERS = (
    "partcover",
    "gigatoken",
    "gigatok",
    "fastokens",
    "quicktok",
    "splintr",
    "snaptokens",
    "tiktoken",
    "tokenizers",
)
SLOW = {"tiktoken", "tokenizers"}  # which run once
LIMIT = 300


def cache():
    given = os.environ.get("PARTCOVER_TOKENIZERS")
    return Path(given) if given else Path.home() / ".cache" / "partcover" / "tokenizers"


def file_of(name):
    return str(cache() / FILES[name] / "tokenizer.json")


def ranks_of(name):
    return str(cache() / RANKS[name] / f"{RANKS[name]}.tiktoken")


def partcover(name):
    from partcover import Encoder, Vocabulary

    encoder = Encoder(Vocabulary.load(file_of(name)))
    return encoder.encode_to_numpy, encoder.encode_batch_to_numpy, encoder.count


def gigatoken(name, library="gigatoken"):
    tokenizer = __import__(library).Tokenizer(file_of(name))
    return tokenizer.encode, tokenizer.encode_batch, None


def fastokens(name):
    from fastokens import Tokenizer

    if name in RANKS:
        tokenizer = Tokenizer.from_tiktoken(ranks_of(name), encoding=RANKS[name])
    else:
        tokenizer = Tokenizer.from_file(file_of(name))
    return (
        lambda text: tokenizer.encode_batch_flat([text])[0],
        tokenizer.encode_batch_flat,
        None,
    )


def snaptokens(name):
    from snaptokens import Tokenizer

    tokenizer = Tokenizer.from_file(file_of(name))
    return (
        lambda text: tokenizer.encode_batch_flat([text])[0],
        tokenizer.encode_batch_flat,
        None,
    )


def splintr(name):
    from splintr import from_json

    tokenizer = from_json(file_of(name))
    return tokenizer.encode, tokenizer.encode_batch, None


def quicktok(name):
    from quicktok import get_encoding

    tokenizer = get_encoding(RANKS.get(name, name))
    return tokenizer.encode_ordinary, tokenizer.encode_batch, tokenizer.count


def toktok(name):
    from toktok import batch_count

    def count(text):
        return batch_count([text], RANKS[name], threads=1)[0]

    return None, None, count


def tiktoken(name):
    import published_tokenizers as published

    (one,) = (one for one in published.PUBLISHED if one.name == RANKS[name])
    return published.own_encoder(one), None, None


def tokenizers(name):
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(file_of(name))
    tokenizer.encode_special_tokens = True

    def batch(texts):
        return [one.ids for one in tokenizer.encode_batch_fast(texts, add_special_tokens=False)]

    return lambda text: batch([text])[0], batch, None


def array_of(ids):
    import numpy as np

    kind = np.uint32 if isinstance(ids, bytes) else None
    return np.frombuffer(ids, kind) if kind else np.asarray(ids)


def child(peer, name, path, job):
    """Runs one peer on one text and prints what it took."""
    import numpy as np

    text = Path(path).read_bytes().decode()
    made = {"gigatok": lambda name: gigatoken(name, "gigatok")}.get(peer) or globals()[peer]
    encode, batch, count = made(name)
    run, given = encode, text
    if job == "batch":
        run, given = batch, [text[at : at + 200] for at in range(0, len(text), 200)]
    elif job == "count":
        run = count
    elif job == "bytes":
        given = text.encode()
    size, rates, answer = len(text.encode()), [], None
    loops = max(1, 50_000 // size)
    for _ in range(4):
        started = time.process_time()
        for _ in range(loops):
            answer = run(given)
        rates.append(loops * size / 1e6 / max(time.process_time() - started, 1e-9))
        loops = max(1, 20_000_000 // size // 4) if job == "small" else 1
    if job == "count":
        digest = str(answer)
    elif job == "batch":
        digest = ""
    else:
        digest = hashlib.sha256(array_of(answer).astype(np.int64).tobytes()).hexdigest()
    print(json.dumps({"cold": rates[0], "warm": max(rates[2:]), "ids": digest}))


def measure(python, peer, name, path, job):
    command = [python if peer != "partcover" else sys.executable, __file__]
    environment = {**os.environ, "RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    try:
        done = subprocess.run(
            [*command, "--child", peer, name, str(path), job],
            check=True, capture_output=True, text=True, timeout=LIMIT, env=environment,
        )  # fmt: skip
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    return json.loads(done.stdout.splitlines()[-1])


def row(options, peers, name, path, job="ids"):
    """The median of cold and warm for each peer, and whether its ids are partcover's."""
    runs = {peer: [] for peer in peers}
    for _ in range(options.repeat):
        for peer, found in runs.items():
            if None not in found and not (peer in SLOW and found):
                found.append(measure(options.python, peer, name, path, job))
    own = runs["partcover"][0]["ids"]
    cells = {}
    for peer, found in runs.items():
        if None in found:
            continue
        cold, warm = (statistics.median(one[key] for one in found) for key in ("cold", "warm"))
        cells[peer] = (cold, warm, found[0]["ids"] == own)
    return cells


def table(options, title, peers, rows):
    """Prints a table: a row for each (label, tokenizer, path, job)."""
    print(f"\n{title}\n")
    print("| | " + " | ".join(peers) + " |\n|---|" + "--:|" * len(peers), flush=True)
    for label, name, path, job in rows:
        cells = row(options, peers, name, path, job)
        shown = []
        for peer in peers:
            if peer not in cells:
                shown.append("–")
                continue
            cold, warm, same = cells[peer]
            shown.append(f"{cold:.0f} / {warm:.0f}" + ("" if same else " *"))
        print(f"| {label} | " + " | ".join(shown) + " |", flush=True)


def repeated(text, size):
    return (text * (1 + size // max(1, len(text.encode()))))[: max(1, size)] if text else text


def translations():
    """The translated messages of Django, by language."""
    with tempfile.TemporaryDirectory() as folder:
        line = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, "django"]
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            found = {language: [] for language in LANGUAGES}
            for member in sorted(wheel.namelist()):
                match = re.search(r"/locale/(\w+)/LC_MESSAGES/\w+\.po$", member)
                if match is None or match[1] not in found:
                    continue
                content = wheel.read(member).decode()
                for message in re.finditer(r'msgstr(?:\[\d\])? ((?:".*"\n?)+)', content):
                    parts = re.findall(r'".*"', message[1])
                    found[match[1]].append("".join(map(json.loads, parts)))
    return {language: "\n".join(filter(None, lines)) for language, lines in found.items()}


def texts():
    from pydoc_data.topics import topics

    from counting import default_text

    return {"prose": "\n".join(topics.values()), "code": default_text().decode()}


def hard():
    """Texts that are made to be slow, a megabyte each."""
    draw = random.Random(0)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = {"".join(draw.choices(letters, k=draw.randint(6, 9))) for _ in range(140_000)}
    return {
        "no word twice": " ".join(sorted(words)),
        "one word": "".join(draw.choices(letters, k=1 << 20)),
        "no spaces": "".join(draw.choices(letters + "0123456789.,;", k=1 << 20)),
        "Chinese, no spaces": "".join(map(chr, draw.choices(range(0x4E00, 0x5E00), k=1 << 18))),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", default="ids,languages,bytes,sizes,batch,count,hard")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--tokenizers", default=",".join(FILES))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--size", type=float, default=10, help="megabytes of text")
    parser.add_argument("--sizes", default="200,1000,100000,200000000", help="bytes, for sizes")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    import published_tokenizers as published

    wanted = {*FILES.values(), *RANKS.values()}
    published.fetch([one for one in published.PUBLISHED if one.name in wanted])
    peers = [peer for peer in PEERS if peer in options.peers.split(",")]
    names = options.tokenizers.split(",")
    tables = options.tables.split(",")
    size = int(options.size * 1e6)
    with tempfile.TemporaryDirectory() as folder:

        def kept(label, text, size=size):
            path = Path(folder) / re.sub(r"\W", "_", f"{label} {size}")
            path.write_bytes(repeated(text, size).encode())
            return path

        found = texts()
        found["json"] = json.dumps([found["prose"], found["code"][: len(found["prose"])]])
        if not {"ids", "languages", "bytes"}.isdisjoint(tables):
            spoken = translations()
            found["languages"] = "\n".join(spoken.values())
        if "ids" in tables:
            rows = [
                (f"{name}, {label}", name, kept(label, text), "ids")
                for name in names
                for label, text in found.items()
            ]
            table(options, "MB a second of CPU time, cold / warm", peers, rows)
        if "languages" in tables:
            rows = [
                (language, "cl100k", kept(language, text, 4_000_000), "ids")
                for language, text in spoken.items()
            ]
            table(options, "cl100k, by language", peers, rows)
        if "bytes" in tables:
            rows = [
                (language, "cl100k", kept(language, text, 4_000_000), "bytes")
                for language, text in spoken.items()
            ]
            table(options, "cl100k, by language, of bytes", peers, rows)
        if "sizes" in tables:
            rows = [
                (f"{label}, {each:,} bytes", "cl100k", kept(label, found[label], each), job)
                for label in ("prose", "code")
                for each in map(int, options.sizes.split(","))
                for job in (["small"] if each <= 100_000 else ["ids"])
            ]
            table(options, "cl100k, by size", peers, rows)
        if "batch" in tables:
            rows = [
                (label, "cl100k", kept(label, found[label], 2_000_000), "batch")
                for label in ("prose", "code")
            ]
            table(options, "cl100k, 10,000 texts of 200 characters in one call", peers, rows)
        if "count" in tables:
            counters = ["partcover", "toktok", "quicktok"]
            rows = [
                (f"{name}, {label}", name, kept(label, found[label]), "count")
                for name in RANKS
                for label in ("prose", "code")
            ]
            table(options, "Counting tokens", counters, rows)
        if "hard" in tables:
            rows = [
                (label, "cl100k", kept(label, text, len(text)), "ids")
                for label, text in hard().items()
            ]
            table(options, "cl100k, text that is made to be slow", peers, rows)


if __name__ == "__main__":
    main()
