"""BPE from text, beside the trainers of other libraries: CPU seconds and memory.

    python benchmarks/text/bpe_from_text.py [TEXT] [--merges 10000] [--repeat 5] [--python PYTHON]
                                       [--peers gigabpe,…]

`PYTHON` is one that has the peers; by default this one.  What it does not have is left out.
Without TEXT, the text is the first 15 MB of the standard library's sources.

All split by GPT-2's pattern.  Every run is a process of its own, from the file to the merges,
imports included, with one thread where the library has such an option: CPU seconds of all threads
(the least of the runs, which take turns) and the peak of memory (as Linux says it).  gigabpe and
tokenizers count only the bytes of the text as part of the vocabulary, so they are asked for as many
tokens more.
Tokens are compared with those of tokenizers, which is given the whole text as one.  gigabpe reads a
file line by line, as tokenizers does with files: it never joins a line feed with what follows, so
its tokens are others, and it has fewer pairs to count.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from encoders import texts

FIRST = "import json, resource, sys\npath, merges, used = sys.argv[1], *map(int, sys.argv[2:])\n"
LAST = """
spent = resource.getrusage(resource.RUSAGE_SELF)
with open("/proc/self/status") as file:  # ru_maxrss may be that of the process before
    (peak,) = (line.split()[1] for line in file if line.startswith("VmHWM:"))
print(json.dumps({
    "seconds": spent.ru_utime + spent.ru_stime,
    "memory": int(peak) / 1024,
    "tokens": found(),
}))
"""
# as byte-level tokenizers write bytes
SPELLED = """
printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
others = [b for b in range(256) if b not in printable]
byte = {chr(b): b for b in printable} | {chr(256 + i): b for i, b in enumerate(others)}
def found():
    return [bytes(byte[c] for c in a + b).hex() for a, b in pairs]
"""
TRAINERS = {
    "partcover": """
from partcover import Instance, WordCounts, trainers
words = WordCounts.from_files([path], pretokenizer="gpt2")
tokens = trainers.bpe(Instance(words, merges)).vocabulary.tokens
def found():
    return [token.hex() for token in tokens]
""",
    "gigabpe": """
import gigabpe
_, pairs = gigabpe.train_bpe([path], merges + used, pretokenizer="bytelevel", threads=1)
"""
    + SPELLED,
    "gigatoken": """
import gigatoken
_, pairs = gigatoken.train_bpe(path, merges + 256, [])
def found():
    return [(a + b).hex() for a, b in pairs]
""",
    "tokenizers": """
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
tokenizer = Tokenizer(models.BPE())
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
trainer = trainers.BpeTrainer(vocab_size=merges + used, show_progress=False)
with open(path, encoding="utf-8", newline="") as file:
    tokenizer.train_from_iterator([file.read()], trainer)
pairs = json.loads(tokenizer.to_str())["model"]["merges"]
"""
    + SPELLED,
}


def measure(python, name, path, merges):
    command = [python if name != "partcover" else sys.executable, "-c"]
    used = len(set(Path(path).read_bytes()))
    one_thread = {
        "OPENBLAS_NUM_THREADS": "1",  # NumPy's, which wait busily
        "RAYON_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }
    done = subprocess.run(
        [*command, FIRST + TRAINERS[name] + LAST, str(path), str(merges), str(used)],
        capture_output=True, text=True, env={**os.environ, **one_thread}, check=False,
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", nargs="?")
    parser.add_argument("--merges", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--peers", default="gigabpe,gigatoken,tokenizers")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.text
        if path is None:
            path = Path(folder) / "text"
            path.write_text(texts()["code"][:15_000_000], encoding="utf-8", newline="")
        runs = {name: [] for name in ["partcover", *options.peers.split(",")]}
        for _ in range(options.repeat):
            for name, found in runs.items():
                if None not in found and not (name == "tokenizers" and found):
                    found.append(measure(options.python, name, path, options.merges))
    runs = {name: found for name, found in runs.items() if None not in found}
    right = runs.get("tokenizers", runs["partcover"])[0]["tokens"]
    print("| BPE by | CPU seconds | memory, MiB | the same tokens |\n|---|--:|--:|---|")
    for name, found in runs.items():
        seconds, memory = (min(one[key] for one in found) for key in ("seconds", "memory"))
        same = "yes" if found[0]["tokens"] == right else "no"
        print(f"| {name} | {seconds:.2f} | {memory:.0f} | {same} |")


if __name__ == "__main__":
    main()
