"""Lists the subcommands of ``partcover`` and the modules they are in."""

from __future__ import annotations

__all__ = ["SECTIONS"]

# by heading: the module and the name of each command, and the first line of its help
SECTIONS = {
    "Data": {
        "count": ("count:count", "Count the words of text."),
        "instances": ("library:instances_", "The instances that come with partcover."),
        "generate": ("hardness:generate_", "Make an instance of a family."),
        "reduce": (
            "hardness:reduce_",
            "Turn vertex cover or max-2-SAT into tokenization, and back.",
        ),
    },
    "Choose a vocabulary": {
        "greedtok": ("greedy:greedtok", "GreedTok: take what covers most, k times."),
        "greedwmc": ("greedy:greedwmc", "GreedWMC: tokens may overlap."),
        "improve": ("improve:improve", "Search for a better vocabulary, and bound the optimum."),
        "train": ("train:train", "Train a vocabulary as other tokenizers do, to set beside."),
    },
    "Prove how good it is": {
        "solve": ("exact:solve", "Prove the optimum of a small instance."),
        "bound": ("bound:bound_", "Prove a lower bound on the tokens that are needed."),
        "gap": ("improve:gap_", "Say how far a vocabulary is from the optimum, and why."),
        "verify": ("check:verify", "Check a vocabulary and a certificate, independently."),
        "prices": ("bound:prices_", "Show the prices of words, and the tokens over them."),
        "solvers": ("exact:solvers", "Say which solvers there are, and what each supports."),
    },
    "Use a vocabulary": {
        "encode": ("encode:encode", "Turn text into ids."),
        "decode": ("encode:decode", "Turn ids into text."),
        "export": (
            "convert:export_",
            "Write a vocabulary for another library, and check it there.",
        ),
        "import": ("convert:import_", "Read a vocabulary of another library; -o writes it."),
        "inspect": ("inspect:inspect_", "Take a vocabulary apart."),
    },
    "Study": {
        "compare": ("compare:compare", "Compare methods over several budgets."),
        "ratio": ("tables:ratio", "Measure how near to the optimum greedy comes."),
        "domains": (
            "domains:domains",
            "Compare GreedTok on all corpora with candidates chosen on each.",
        ),
        "formulations": ("exact:formulations", "Compare the formulations of an instance."),
        "worst": ("worst:worst", "Find the tiny instance on which a method is worst."),
        "reproduce": (
            "reproduce:reproduce",
            "Make a table or figure of a paper anew, from any corpus.",
        ),
        "report": ("report:report", "Put results on one HTML page that needs no network."),
        "demo": ("demo:demo", "Show it all on text that is on every machine."),
    },
}
