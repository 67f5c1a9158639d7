"""Lists the subcommands of ``partcover``.

A section has a room, named as its heading begins: ``prove`` for "Prove how good it is". There the
command ``NAME`` is ``NAME_command`` in the module ``NAME``, or in that of `BESIDE`.
"""

from __future__ import annotations

# by heading: the name of each command and the first line of its help
SECTIONS = {
    "Data": {
        "count": "Count the words of a text or corpus.",
        "instances": "List, show, and check the instances that come with partcover.",
        "records": "Show, improve, and check the best known results for public texts.",
        "generate": "Generate a test instance of a known family.",
        "reduce": "Reduce vertex cover or max-2-SAT to tokenization, and map back.",
    },
    "Choose a vocabulary": {
        "greedtok": "Choose a vocabulary in seconds with the greedy method GreedTok.",
        "greedwmc": "Choose a vocabulary with GreedWMC, whose tokens may overlap.",
        "improve": "Choose a better vocabulary by search, and bound its gap.",
        "train": "Train a vocabulary with BPE, Unigram, or another known method.",
    },
    "Adapt a vocabulary": {
        "extend": "Add tokens to a tokenizer for a new domain or language.",
        "prune": "Make a tokenizer smaller: keep the tokens a corpus needs most.",
    },
    "Prove how good it is": {
        "audit": "Measure how far a tokenizer is from optimal on a text, and why.",
        "score": "Score vocabularies on texts by standard measures and the optimality gap.",
        "solve": "Find an optimal vocabulary and prove that it is optimal.",
        "bound": "Prove a lower bound on the tokens of any vocabulary.",
        "claim": "Check whether a claimed saving over a baseline is possible.",
        "verify": "Check a vocabulary and a certificate independently.",
        "prices": "Show the dual prices of words and the tokens in them.",
        "solvers": "List the solvers for `solve`, which are installed, and what each supports.",
    },
    "Use a vocabulary": {
        "encode": "Tokenize text into ids.",
        "decode": "Turn ids back into text.",
        "export": "Convert a vocabulary for another library, and check it there.",
        "import": "Convert a tokenizer of another library into a vocabulary file.",
        "inspect": "Show how a corpus uses the tokens of a vocabulary.",
    },
    "Study": {
        "compare": "Compare methods at several vocabulary sizes.",
        "ratio": "Measure how close the greedy methods come to the optimum.",
        "formulations": "Compare the integer programs for an instance.",
        "worst": "Find a tiny instance on which a method does worst.",
        "reproduce": "Reproduce a table or figure of a paper on any corpus.",
        "report": "Write results as one HTML page that works offline.",
        "demo": "Try the main commands on a text that comes with Python.",
    },
}
# commands in the module of another one
BESIDE = {
    "decode": "encode",
    "demo": "compare",
    "formulations": "ratio",
    "greedwmc": "greedtok",
    "import": "export",
    "prune": "extend",
    "records": "instances",
    "reduce": "generate",
    "solvers": "solve",
    "worst": "ratio",
}
