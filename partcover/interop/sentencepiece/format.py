"""Defines the format of sentencepiece's model files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...errors import InputError, MissingExtra
from ...vocabulary.vocabulary import Vocabulary
from ..format import Format, Nearest, Replay, WholeTexts
from ..given_up import (
    GivenUp,
    keep,
    split_otherwise,
    without_ids,
    without_normalizer,
    without_special,
)
from ..merge_ranks import without_pairs
from ..whole_texts import pretokenizer_of
from .around import is_own, own_spec, spaces_of
from .pieces import BYTE_PIECE, LONGEST, MARK, is_too_long, open_characters, text_of
from .proto import BPE, BYTE, CONTROL, NORMAL, UNKNOWN, USER_DEFINED
from .read import looks_like, parse, read, user_defined_name
from .write import MERGING, write

_MAX_GAPS = 100_000  # ids without a token, which unused pieces fill


def _adapt(vocabulary: Vocabulary, lost: list[GivenUp]) -> Vocabulary:
    if vocabulary.normalizer is not None and not is_own(vocabulary.normalizer):
        vocabulary = without_normalizer(vocabulary, lost, "it is none of its own")
    kept = [place for place, token in enumerate(vocabulary) if text_of(token) is not None]
    what = "that split a character, contain a NUL or are named like a byte"
    vocabulary = keep(vocabulary, lost, kept, what, "pieces are text")
    kept = [place for place, token in enumerate(vocabulary) if not is_too_long(text_of(token))]
    what = f"of more than {LONGEST:,} bytes, a space as {MARK}"
    refused = "it refuses a model with such a piece"
    vocabulary = keep(vocabulary, lost, kept, what, refused)
    long = [name for name in vocabulary.special if is_too_long(name)]
    what = f"{len(long):,} special tokens of more than {LONGEST:,} bytes"
    vocabulary = without_special(vocabulary, lost, long, what, refused)
    taken = {text_of(token) for token in vocabulary}
    split_at = set((own_spec(vocabulary) or {"user_defined": ()})["user_defined"])
    clashing = [
        name
        for name in vocabulary.special
        if name in taken
        or BYTE_PIECE.fullmatch(name)
        or (len(name) == 1 and name.isascii() and name not in split_at)
    ]
    what = f"special tokens that are named as other pieces: {', '.join(clashing)}"
    vocabulary = without_special(vocabulary, lost, clashing, what, "no two pieces have one name")
    numbers = [*vocabulary.id_of, *vocabulary.special.values()]
    if max(numbers) > 2 * len(numbers) + _MAX_GAPS:
        what = f"ids of up to {max(numbers):,} for {len(numbers):,} pieces"
        vocabulary = without_ids(vocabulary, lost, what, "each number between needs a piece")
    if vocabulary.rule in MERGING:
        reason = "any two neighbours that together are a piece may merge"
        vocabulary = without_pairs(vocabulary, lost, reason)
    if vocabulary.rule == "shortest_path" and len(sizes := open_characters(vocabulary)) > 1:
        listed = " and ".join(map(str, sorted(sizes)))
        what = f"characters that are no tokens but in tokens, of {listed} bytes"
        reason = "a character that is no piece has one price, whatever its bytes"
        lost.append(GivenUp(what, reason, "that of 2 bytes"))
    elif vocabulary.rule == "shortest_path" and sizes == {4}:
        what = "characters of 4 bytes that are no tokens but in tokens"
        lost.append(GivenUp(what, "their price is no 32-bit float", "that of 2 bytes"))
    if _cuts_as_sentencepiece(vocabulary):
        return vocabulary
    reason = (
        "sentencepiece does not split a text into words first, which makes no difference only for "
        f"first-space and space-prefix:{MARK}, if no token has a space after its first symbol"
    )
    return split_otherwise(vocabulary, lost, reason, None)


def _cuts_as_sentencepiece(vocabulary: Vocabulary) -> bool:
    """Returns whether no token can reach over the borders of words."""
    name = vocabulary.pretokenizer
    if name in (None, "none"):
        return True
    spec = own_spec(vocabulary)
    suffix = spec is not None and spec["treat_whitespace_as_suffix"]
    if spec is not None or name not in ("first-space", f"space-prefix:{MARK}"):
        return name == pretokenizer_of([text_of(t) or "" for t in vocabulary], suffix=suffix)
    space = {"first-space": " ", f"space-prefix:{MARK}": MARK}.get(name)
    return space is not None and not any(space in (text_of(t) or "")[1:] for t in vocabulary)


def _replay(path: Path) -> Replay:
    try:
        import sentencepiece
    except ImportError:
        raise MissingExtra("sentencepiece", "sentencepiece", "replaying a model") from None
    try:
        processor = sentencepiece.SentencePieceProcessor(model_proto=path.read_bytes())
    except RuntimeError as error:  # as of a model without tokens
        why = str(error).removeprefix("INTERNAL: ").removesuffix(".")
        version = sentencepiece.__version__
        raise InputError(f"sentencepiece {version} does not load it: {why}") from None
    content: list[bytes] = []
    id_of: dict[bytes, int] = {}
    special: dict[str, int] = {}
    split_at: list[bytes] = []  # pieces that a text is split at first, which no word is here
    model = parse(path)
    names = {piece.piece for piece in model.pieces}
    escaped = model.normalizer_spec.escape_whitespaces
    # of BPE, user-defined pieces are special tokens here
    tokens = (NORMAL,) if model.trainer_spec.model_type == BPE else (NORMAL, USER_DEFINED)
    spaced = spaces_of(model).spaced

    def spelled(piece: str) -> bytes:
        return (piece.replace(MARK, " ") if spaced else piece).encode("utf-8")

    for number, piece in enumerate(model.pieces):
        is_byte = piece.type == BYTE
        token = bytes([int(piece.piece[1:-1], 16)]) if is_byte else spelled(piece.piece)
        content.append(token)
        if piece.type in tokens or (is_byte and token not in id_of):
            id_of[token] = number
        elif piece.type in (CONTROL, UNKNOWN, USER_DEFINED):
            special[piece.piece] = number
            if piece.type == USER_DEFINED:
                special[token.decode()] = number
                split_at.append(token)
                content[-1] = user_defined_name(piece.piece, names, escaped=escaped).encode()

    def cut(text: str) -> list[bytes]:
        return [content[number] for number in processor.encode(text)]

    def cut_word(text: str) -> list[bytes]:
        return [content[number] for number in of_words.encode(text)]

    # words are segmented as they are
    spec = model.normalizer_spec
    spaces = spec.escape_whitespaces and not spaced
    spec.precompiled_charsmap = b""
    spec.add_dummy_prefix = spec.remove_extra_whitespaces = False
    of_words = sentencepiece.SentencePieceProcessor(model_proto=model.SerializeToString())

    def words(pieces: Sequence[bytes]) -> list[list[bytes] | None]:
        cuts: list[list[bytes] | None] = []
        for piece in pieces:
            try:
                text = "" if any(own in piece for own in split_at) else piece.decode("utf-8")
            except UnicodeDecodeError:
                text = ""
            if not text:
                cuts.append(None)
            else:  # where spaces become the mark, no word has a space
                cuts.append(None if spaces and " " in text else cut_word(text))
        return cuts

    whole = WholeTexts(processor.encode, decode_bare=processor.decode)
    name = f"sentencepiece {sentencepiece.__version__}"
    return Replay(name, words, cut, id_of.get, special.get, whole)


SENTENCEPIECE = Format(
    name="sentencepiece",
    title="sentencepiece's model file (.model)",
    rules={
        "shortest_path": "Unigram, equal scores, byte fallback",
        "likelihood": "Unigram, scores in 32 bits, byte fallback",
        "merges": "BPE over characters, byte fallback; a word that is a token is not looked up",
        "character_merges": "BPE, byte fallback",
        "superword_merges": Nearest("merges", "no model merges words only where they are whole"),
        "random_path": Nearest("shortest_path", "sampling draws by scores, not among the shortest"),
        "priority": Nearest("shortest_path", "no model covers in an order of priority"),
        "longest_match": Nearest("shortest_path", "no model takes the longest match"),
        "single_symbols": Nearest("shortest_path", "its tokens would be used"),
    },
    write=write,
    replay=_replay,
    read=read,
    recognises=looks_like,
    adapt=_adapt,
    normalizes=True,
    unreached=True,
)
