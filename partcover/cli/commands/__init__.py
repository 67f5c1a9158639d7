"""Lists the subcommands of ``partcover``.

A section has a room, named as its heading begins: ``prove`` for "Prove how good it is". There the
command ``NAME`` is ``NAME_command`` in the module ``NAME`` (``import`` in ``import_``).
"""

from __future__ import annotations

__all__ = ["SECTIONS"]

# by heading: the name of each command and the first line of its help
SECTIONS = {
    "Data": {
        "count": "Count the words of text.",
        "instances": "The instances that come with partcover.",
        "records": "The best known vocabularies and bounds of texts that anyone can get.",
        "generate": "Make an instance of a family.",
        "reduce": "Turn vertex cover or max-2-SAT into tokenization, and back.",
    },
    "Choose a vocabulary": {
        "greedtok": "GreedTok: take what covers most, k times.",
        "greedwmc": "GreedWMC: tokens may overlap.",
        "improve": "Search for a better vocabulary, and bound the optimum.",
        "train": "Train a vocabulary as other tokenizers do, for comparison.",
    },
    "Adapt a vocabulary": {
        "extend": "Add tokens to a tokenizer for a new domain or language.",
        "prune": "Keep the tokens of a tokenizer that a corpus needs most.",
    },
    "Prove how good it is": {
        "audit": "Measure how far a tokenizer is from optimal on a text, and why.",
        "solve": "Find an optimal vocabulary and prove that it is one.",
        "bound": "Prove a lower bound on the tokens that are needed.",
        "gap": "Measure how far a vocabulary is from the optimum, and why.",
        "claim": "Check whether a claimed saving over a baseline is possible.",
        "verify": "Check a vocabulary and a certificate, independently.",
        "prices": "Show the prices of words and the tokens over them.",
        "solvers": "List the solvers, and what each supports.",
    },
    "Use a vocabulary": {
        "encode": "Turn text into ids.",
        "decode": "Turn ids into text.",
        "export": "Write a vocabulary for another library, and check it there.",
        "import": "Read a vocabulary of another library; -o writes it.",
        "inspect": "Show what a vocabulary and its tokens are worth.",
    },
    "Study": {
        "compare": "Compare methods over several budgets.",
        "ratio": "Measure how close greedy comes to the optimum.",
        "domains": "Compare GreedTok on all corpora with candidates from each.",
        "formulations": "Compare the formulations of an instance.",
        "worst": "Find the tiny instance on which a method is worst.",
        "reproduce": "Reproduce a table or figure of a paper on any corpus.",
        "report": "Put results on one HTML page that needs no network.",
        "demo": "Show the main job on text that every Python has.",
    },
}
