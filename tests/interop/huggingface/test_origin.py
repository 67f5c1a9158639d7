"""A tokenizer that is extended or pruned goes back into the files that it came from."""

from __future__ import annotations

import json

import pytest

from partcover import Encoder, InputError, Vocabulary, WordCounts, export, extend, prune
from partcover.interop.huggingface.format import HUGGINGFACE

tokenizers = pytest.importorskip("tokenizers")

from tokenizers import (  # noqa: E402
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

TEXT = "the cat's hat, that hath 12 hats on the mat\n\tthat thé naïve cat — the end. " * 4
TEXTS = [TEXT, "", " ", "the  cat", "é日😀", "\n\n\tx", "hats <s> that", "That's all"]
SPECIAL = ["<unk>", "<s>", "</s>", "<pad>"]
TEMPLATE = {"single": "<s> $A </s>", "pair": "<s> $A </s> $B:1 </s>:1"}
SETTINGS = {
    "bos_token": "<s>",
    "chat_template": "{% for m in messages %}<s>{{ m['content'] }}</s>{% endfor %}",
    "eos_token": "</s>",
    "pad_token": "<pad>",
    "padding_side": "left",
    "tokenizer_class": "PreTrainedTokenizerFast",
    "unk_token": "<unk>",
}


def framed(tokenizer):
    """Puts ``<s>`` and ``</s>`` around texts, and fills short ones up."""
    ids = [(text, tokenizer.token_to_id(text)) for text in ("<s>", "</s>")]
    if tokenizer.post_processor is None:
        tokenizer.post_processor = processors.TemplateProcessing(**TEMPLATE, special_tokens=ids)
    tokenizer.enable_padding(pad_id=tokenizer.token_to_id("<pad>"), pad_token="<pad>")
    return tokenizer


def of_bytes(special=SPECIAL):
    tokenizer = tokenizers.Tokenizer(models.BPE(unk_token=None))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=330, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([TEXT], trainer)
    tokenizer.add_special_tokens([text for text in SPECIAL if text not in special])
    return tokenizer


def as_roberta():
    tokenizer = of_bytes([])
    begin, end = ((text, tokenizer.token_to_id(text)) for text in ("<s>", "</s>"))
    roberta = processors.RobertaProcessing(end, begin, trim_offsets=False, add_prefix_space=False)
    tokenizer.post_processor = processors.Sequence([roberta])
    return tokenizer


def of_text(kind="bpe"):
    """As Llama's: ▁ for spaces, and bytes for what is no piece."""
    fallback = [f"<0x{byte:02X}>" for byte in range(256)]
    if kind == "bpe":
        model = models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True)
        trainer = trainers.BpeTrainer(
            vocab_size=340, special_tokens=SPECIAL + fallback, show_progress=False
        )
    else:
        model = models.Unigram()
        trainer = trainers.UnigramTrainer(
            vocab_size=60, special_tokens=SPECIAL, unk_token="<unk>", show_progress=False
        )
    tokenizer = tokenizers.Tokenizer(model)
    marks = [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    tokenizer.normalizer = normalizers.Sequence(marks)
    tokenizer.train_from_iterator([TEXT], trainer)
    data = json.loads(tokenizer.to_str())
    if kind == "bpe":  # bytes are pieces, and no added tokens
        data["added_tokens"] = data["added_tokens"][: len(SPECIAL)]
    else:
        data["model"]["vocab"] += [[text, 0.0] for text in fallback]
        data["model"]["byte_fallback"] = True
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(data))
    tokenizer.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    return tokenizer


def of_metaspace():
    tokenizer = tokenizers.Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=60, special_tokens=SPECIAL, unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator([TEXT], trainer)
    return tokenizer


def of_words(prefix="##"):
    model = models.WordPiece(unk_token="<unk>", continuing_subword_prefix=prefix)
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(prefix or "##", cleanup=False)
    trainer = trainers.WordPieceTrainer(
        vocab_size=80,
        special_tokens=SPECIAL,
        continuing_subword_prefix=prefix,
        show_progress=False,
    )
    tokenizer.train_from_iterator([TEXT], trainer)
    return tokenizer


def by_rank():
    """As Llama 3's: whole words are looked up, and merges are all ways to make each token."""
    data = json.loads(of_bytes().to_str())
    vocab = data["model"]["vocab"]
    spelled = [text for text in vocab if text not in SPECIAL]
    merges = [
        [text[:at], text[at:]]
        for text in spelled
        for at in sorted(range(1, len(text)), key=lambda at: vocab.get(text[:at], 0))
        if text[:at] in vocab and text[at:] in vocab
    ]
    data["model"] |= {"ignore_merges": True, "merges": merges}
    return tokenizers.Tokenizer.from_str(json.dumps(data))


KINDS = {
    "bytes": of_bytes,
    "bytes, special tokens behind": lambda: of_bytes([]),
    "RoBERTa": as_roberta,
    "bytes by rank": by_rank,
    "text": of_text,
    "Unigram over text": lambda: of_text("unigram"),
    "Unigram": of_metaspace,
    "WordPiece": of_words,
    "WordPiece without ##": lambda: of_words(""),
}


@pytest.fixture(params=KINDS)
def folder(request, tmp_path):
    """A folder with a tokenizer, its template, padding and settings."""
    tokenizer = framed(KINDS[request.param]())
    folder = tmp_path / "from"
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    entry = {"lstrip": False, "normalized": False, "rstrip": False, "single_word": False}
    listed = {
        str(tokenizer.token_to_id(text)): {"content": text, **entry, "special": True}
        for text in SPECIAL
    }
    settings = {"added_tokens_decoder": listed, **SETTINGS}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n")
    (folder / "special_tokens_map.json").write_text('{"pad_token":\n "<pad>"}')
    (folder / "chat_template.jinja").write_text("{{ messages }}é\n")
    return folder


def loaded(folder):
    return tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))


def counted(vocabulary, text=TEXT):
    how = {"pretokenizer": vocabulary.pretokenizer, "normalizer": vocabulary.normalizer}
    return WordCounts.from_texts([text], **how)


def compare(vocabulary, before, after):
    """What is written encodes as the vocabulary, and decodes and frames texts as before."""
    for text in TEXTS:
        there = after.encode(text, add_special_tokens=False)
        if "<" not in text:
            assert there.ids == Encoder(vocabulary).encode(text, special="parse")
        framed = after.encode(text)
        assert framed.ids == [vocabulary.special["<s>"], *there.ids, vocabulary.special["</s>"]]
        assert framed.tokens[0] == "<s>"
        if vocabulary.rule == "longest_match" and "▁" not in (vocabulary.pretokenizer or ""):
            continue  # pieces are joined by spaces, wherever they stand
        if vocabulary.special["<unk>"] in there.ids:
            continue  # a character that the text that was counted did not have
        for skip in (True, False):
            assert after.decode(framed.ids, skip_special_tokens=skip) == before.decode(
                before.encode(text).ids, skip_special_tokens=skip
            )
    short, _ = after.encode_batch(["a", "the cat's hat"])
    assert short.tokens[-1] == "<pad>"
    assert short.ids[-1] == vocabulary.special["<pad>"] == after.token_to_id("<pad>")


def test_nothing_changes_where_the_vocabulary_did_not(folder, tmp_path):
    vocabulary = Vocabulary.load(folder)
    result = export(vocabulary, tmp_path / "to", "huggingface", text=TEXT)
    assert result.exact
    assert result.remarks[0].startswith("everything except tokens, merges, and added tokens is as")
    names = sorted(path.name for path in folder.iterdir())
    assert sorted(path.name for path in (tmp_path / "to").iterdir()) == names
    for name in names:
        assert (folder / name).read_bytes() == (tmp_path / "to" / name).read_bytes(), name


LAYOUTS = {
    "compact": {"separators": (",", ":")},
    "escaped": {"indent": 4, "ensure_ascii": True},
    "one line": {},
    "sorted": {"indent": "\t", "sort_keys": True},
    "as another writes it": {"indent": 0, "separators": (" ,", " : ")},
}


def laid_out(data, layout):
    return json.dumps(data, **{"ensure_ascii": False, **LAYOUTS[layout]})


@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_layout_comes_out_byte_for_byte(folder, tmp_path, layout):
    file = folder / "tokenizer.json"
    text = laid_out(json.loads(file.read_text()), layout).replace("0.0", "0") + "\r\n"
    file.write_bytes(text.encode())
    vocabulary = Vocabulary.load(folder)
    export(vocabulary, tmp_path / "to.json", "huggingface")
    assert (tmp_path / "to.json").read_bytes() == text.encode()
    vocabulary.save(tmp_path / "v.json")
    export(Vocabulary.load(tmp_path / "v.json"), tmp_path / "again", "huggingface")
    assert (tmp_path / "again" / "tokenizer.json").read_bytes() == text.encode()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", ["bytes", "text", "bytes by rank", "WordPiece"])
def test_what_is_extended_or_pruned_keeps_the_layout(tmp_path, kind, layout):
    data = json.loads(framed(KINDS[kind]()).to_str())
    folder = tmp_path / "from"
    folder.mkdir()
    (folder / "tokenizer.json").write_text(laid_out(data, layout), "utf-8")
    listed = {str(data["model"]["vocab"]["<s>"]): {"special": True, "content": "<s>"}}
    settings = {"added_tokens_decoder": listed, "bos_token": "<s>"}
    (folder / "tokenizer_config.json").write_text(laid_out(settings, layout))
    vocabulary = Vocabulary.load(folder)
    words = counted(vocabulary)
    more = extend(vocabulary, words, 3, time_limit=1).vocabulary
    fewer = prune(vocabulary, words, len(vocabulary) // 2, time_limit=1).vocabulary
    moved = fewer.with_(special={t: n + 1000 for t, n in fewer.special.items()})
    for number, changed in enumerate((more, fewer, moved)):
        export(changed, tmp_path / str(number), "huggingface", lossy=True)
        for name in ("tokenizer.json", "tokenizer_config.json"):
            text = (tmp_path / str(number) / name).read_text("utf-8")
            written = json.loads(text)
            if layout == "sorted":  # new keys stand behind those that were there
                assert text == json.dumps(written, indent="\t", ensure_ascii=False), name
                assert [*written] == sorted(written)
            else:
                assert text == laid_out(written, layout), name


def test_files_that_are_left_out_are_named(tmp_path):
    folder = tmp_path / "from"
    folder.mkdir()
    of_bytes().save(str(folder / "tokenizer.json"))
    for name in ("vocab.json", "merges.txt", "README.md"):
        (folder / name).write_text("{}")
    result = export(Vocabulary.load(folder), tmp_path / "to", "huggingface")
    assert "left out vocab.json, merges.txt: tokenizer.json has the contents" in result.remarks
    assert [path.name for path in (tmp_path / "to").iterdir()] == ["tokenizer.json"]


def test_a_file_in_another_encoding_is_written_in_utf_8(tmp_path):
    """The library reads neither a byte order mark nor UTF-16."""
    text = of_bytes().to_str(pretty=True)
    data = json.loads(text)
    for encoding in ("utf-8-sig", "utf-16"):
        (tmp_path / "t.json").write_bytes(text.encode(encoding))
        vocabulary = Vocabulary.load(tmp_path / "t.json", "huggingface")
        export(vocabulary, tmp_path / "to.json", "huggingface")
        written = (tmp_path / "to.json").read_bytes()
        assert json.loads(written.decode("utf-8")) == data
        if encoding == "utf-8-sig":
            assert written == text.encode()


@pytest.mark.parametrize(
    "odd",
    [
        '"x": ' + "[" * 400 + "]" * 400,
        '"x": NaN, "y": [1e999, -1e-320, 1E5]',
        '"x": "\\ud800", "y": "\\/"',
        '"x": 1, "x": {"a": 1, "a": 2}',
        f'"x":{" " * 10**5}[1,{chr(10) * 10**5}2, 3]',
    ],
)
def test_odd_contents_come_out_byte_for_byte(tmp_path, odd):
    text = laid_out(json.loads(of_bytes().to_str()), "compact")
    text = text[:-1] + f",{odd}}}"
    (tmp_path / "t.json").write_text(text)
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    path = tmp_path / "to.json"
    HUGGINGFACE.write(vocabulary, path)  # the library itself refuses some
    if '"x": 1' not in odd:  # a key that is there twice is written once
        assert path.read_text() == text
    more = extend(vocabulary, counted(vocabulary), 2, time_limit=1).vocabulary
    HUGGINGFACE.write(more, tmp_path / "more.json")
    assert odd.rpartition('"x":')[2] in (tmp_path / "more.json").read_text()


def test_an_entry_that_no_text_reaches_stays(tmp_path):
    """As a space where all spaces are marked."""
    data = json.loads(of_metaspace().to_str())
    data["model"]["vocab"].insert(9, [" ", -7.5])
    (tmp_path / "t.json").write_text(json.dumps(data))
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    export(vocabulary, tmp_path / "to.json", "huggingface")
    assert (tmp_path / "to.json").read_text() == json.dumps(data)
    fewer = prune(vocabulary, counted(vocabulary), len(vocabulary) // 2, time_limit=1).vocabulary
    export(fewer, tmp_path / "fewer.json", "huggingface")


@pytest.mark.parametrize("joined", [False, True])
def test_merges_stay_in_the_order_of_the_file(tmp_path, joined):
    """Pieces in their order are enough to merge, so that pairs are not kept in the vocabulary."""
    vocab = {"<unk>": 0, **{text: n for n, text in enumerate("▁abc", 1)}}
    vocab |= {"ab": 5, "bc": 6, "abc": 7}
    merges = [["a", "b"], ["b", "c"], ["a", "bc"], ["ab", "c"]]
    model = models.BPE(vocab, [(a, b) for a, b in merges], unk_token="<unk>")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = normalizers.Sequence([normalizers.Replace(" ", "▁")])
    data = json.loads(tokenizer.to_str())
    spelled = [" ".join(merge) for merge in merges] if joined else merges
    for order in ([0, 1, 2, 3], [0, 1, 3, 2], [0, 1, 3]):
        data["model"]["merges"] = [spelled[n] for n in order]
        (tmp_path / "t.json").write_text(json.dumps(data))
        vocabulary = Vocabulary.load(tmp_path / "t.json")
        assert vocabulary.merges is None
        export(vocabulary, tmp_path / "to.json", "huggingface")
        assert (tmp_path / "to.json").read_text() == json.dumps(data)


def test_what_is_extended_or_pruned_keeps_the_rest(folder, tmp_path):
    vocabulary = Vocabulary.load(folder)
    words = counted(vocabulary)
    more = extend(vocabulary, words, 3, time_limit=1).vocabulary
    fewer = prune(vocabulary, words, len(vocabulary) // 2, time_limit=1).vocabulary
    twice = prune(more, words, len(vocabulary) // 2, time_limit=1).vocabulary
    for name, changed in (("more", more), ("fewer", fewer), ("twice", twice)):
        assert export(changed, tmp_path / name, "huggingface", text=TEXT).exact, name
        compare(changed, loaded(folder), loaded(tmp_path / name))
        again = Vocabulary.load(tmp_path / name)
        assert set(again.tokens) == set(changed.tokens)
        assert again.special == changed.special
        settings = json.loads((tmp_path / name / "tokenizer_config.json").read_text())
        listed = settings.pop("added_tokens_decoder")
        assert settings == SETTINGS
        assert {entry["content"]: int(n) for n, entry in listed.items()} == changed.special
        for kept in ("special_tokens_map.json", "chat_template.jinja"):
            assert (tmp_path / name / kept).read_bytes() == (folder / kept).read_bytes()


def test_it_goes_by_way_of_a_vocabulary_file(folder, tmp_path):
    vocabulary = Vocabulary.load(folder)
    vocabulary.save(tmp_path / "v.json")
    read = Vocabulary.load(tmp_path / "v.json")
    assert read == vocabulary
    export(read, tmp_path / "t.json", "huggingface")
    compare(read, loaded(folder), tokenizers.Tokenizer.from_file(str(tmp_path / "t.json")))


def test_other_use_is_written_plainly(tmp_path):
    of_bytes().save(str(tmp_path / "t.json"))
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    changed = vocabulary.with_(pretokenizer="cl100k")
    result = export(changed, tmp_path / "to.json", "huggingface")
    assert any("is used in another way than in that file" in remark for remark in result.remarks)
    assert Vocabulary.load(tmp_path / "to.json").pretokenizer == "cl100k"


@pytest.mark.parametrize(
    "change",
    [
        *[{"tokenizer": 3}, {"tokenizer": {}}, {"spelling": {}}, {"spelling": {"bytes": True}}],
        *[
            {"files": {"tokenizer_config.json": "{"}},
            {"files": [1]},
            {"escaped": 3, "tokenizer": "{"},
        ],
    ],
)
def test_what_is_kept_may_be_damaged(tmp_path, change):
    of_bytes().save(str(tmp_path / "t.json"))
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    origin = {**vocabulary.provenance["origin"], **change}
    damaged = vocabulary.with_(provenance={**vocabulary.provenance, "origin": origin})
    with pytest.raises(InputError, match=r"the parts of its tokenizer\.json that are"):
        export(damaged, tmp_path / "to.json", "huggingface")
    assert not (tmp_path / "to.json").exists()


def test_settings_may_name_tokens_of_their_own(tmp_path):
    """As InternLM 2's rename unused pieces, and ChatGLM 3's have ids that no piece has."""
    folder = tmp_path / "from"
    folder.mkdir()
    tokenizer = of_bytes()
    tokenizer.save(str(folder / "tokenizer.json"))
    size, unused = tokenizer.get_vocab_size(), tokenizer.token_to_id("hat")
    entries = {str(unused): {"content": "<tool>"}, str(size + 5): {"content": "<own>"}}
    settings = {"added_tokens_decoder": {"1": {"content": "<s>"}, **entries}}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    vocabulary = Vocabulary.load(folder)
    export(vocabulary, tmp_path / "to", "huggingface")
    config = tmp_path / "to" / "tokenizer_config.json"
    assert json.loads(config.read_text()) == settings
    words = counted(vocabulary)
    tokens = [token for token in vocabulary.tokens if token != b"hat"]
    fewer = prune(vocabulary, words, len(vocabulary) // 2, time_limit=1).vocabulary
    assert b"hat" in tokens or fewer  # whether the piece is kept or not, its id is no other's
    export(fewer, tmp_path / "fewer", "huggingface")
    listed = json.loads((tmp_path / "fewer" / "tokenizer_config.json").read_text())
    places = {entry["content"]: int(n) for n, entry in listed["added_tokens_decoder"].items()}
    assert places["<s>"] == fewer.special["<s>"]
    assert places["<own>"] == size + 5
    new = loaded(tmp_path / "fewer").token_to_id("hat")
    assert places.get("<tool>", new) == (unused if new is None else new)


@pytest.mark.parametrize("kind", [of_bytes, of_text, of_metaspace, of_words])
def test_new_tokens_leave_the_ids_that_settings_name(tmp_path, kind):
    """As ChatGLM 3's, which its template needs: 64,790 and 64,792, where pieces end at 64,788."""
    from transformers import PreTrainedTokenizerFast

    folder = tmp_path / "from"
    folder.mkdir()
    tokenizer = kind()
    tokenizer.save(str(folder / "tokenizer.json"))
    size = tokenizer.get_vocab_size()
    names = {"[gMASK]": size + 1, "sop": size + 3, "<far>": size + 10**8}
    listed = {str(n): {"content": text, "normalized": False} for text, n in names.items()}
    config = {"added_tokens_decoder": listed, "tokenizer_class": "PreTrainedTokenizerFast"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    vocabulary = Vocabulary.load(folder)
    words = counted(vocabulary, "then eats teeth " * 9)
    more = extend(vocabulary, words, 2, time_limit=1)
    assert more.new_ids == (size + 4, size + 5)
    more.vocabulary.save(tmp_path / "v.json")
    read = Vocabulary.load(tmp_path / "v.json")
    twice = extend(read, words, 1, time_limit=1)
    assert twice.new_ids == (size + 6,)
    for number, changed in enumerate((more.vocabulary, twice.vocabulary)):
        to = tmp_path / str(number)
        assert export(changed, to, "huggingface", text=TEXT).exact
        written = (to / "tokenizer_config.json").read_bytes()
        assert written == (folder / "tokenizer_config.json").read_bytes()
        loaded = PreTrainedTokenizerFast.from_pretrained(to)
        ids = loaded("[gMASK]sop the cat", add_special_tokens=False).input_ids
        assert [n for n in ids if n in names.values()] == [size + 1, size + 3]
        others = set(loaded.get_vocab().values())
        assert len(others) == len(loaded.get_vocab())  # no id twice
        assert set(changed.id_of[256 + len(vocabulary) :]) <= others


def test_ids_far_away_are_not_filled_for_the_settings(tmp_path, monkeypatch):
    """A file of a stranger could ask for billions of them."""
    monkeypatch.setattr("partcover.interop.huggingface.writing.into.MAX_FREE", 1000)
    tokenizer = of_bytes()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    size = tokenizer.get_vocab_size()
    listed = {str(size + 1): {"content": "[gMASK]"}}
    config = tmp_path / "tokenizer_config.json"
    config.write_text(json.dumps({"added_tokens_decoder": listed}))
    vocabulary = Vocabulary.load(tmp_path)
    words = counted(vocabulary, "then eats teeth " * 9)
    more = extend(vocabulary, words, 2, time_limit=1).vocabulary
    for number, (further, filled) in enumerate([(0, True), (500, True), (10_000, False)]):
        ids = [n + further if n > size else n for n in more.id_of]
        export(more.with_(ids=ids), tmp_path / str(number), "huggingface", text=TEXT)
        written = json.loads((tmp_path / str(number) / "tokenizer.json").read_text())
        assert any(piece.startswith("<free") for piece in written["model"]["vocab"]) == filled


def test_settings_stay_byte_for_byte_where_no_id_changes(tmp_path):
    folder = tmp_path / "from"
    folder.mkdir()
    tokenizer = of_bytes()
    tokenizer.save(str(folder / "tokenizer.json"))
    config = folder / "tokenizer_config.json"
    listed = f'{{"{tokenizer.token_to_id("<s>")}": {{"content":"<s>"}}}}'
    config.write_bytes(f'{{"é" : ["a",  "b"],\r\n\t"added_tokens_decoder": {listed}}}'.encode())
    template = folder / "chat_template.jinja"
    template.write_bytes(b"{{ a }}\r\n{{ b }}\r\n")
    vocabulary = Vocabulary.load(folder)
    more = extend(vocabulary, counted(vocabulary), 2, time_limit=1).vocabulary
    for number, changed in enumerate((vocabulary, more)):
        export(changed, tmp_path / str(number), "huggingface")
        written = tmp_path / str(number) / "tokenizer_config.json"
        assert written.read_bytes() == config.read_bytes()
        assert (tmp_path / str(number) / template.name).read_bytes() == template.read_bytes()


AROUND = {
    "type": "TemplateProcessing",
    "single": [
        {"SpecialToken": {"id": "<s>", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
    ],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}},
}
LEVEL = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True}


@pytest.mark.parametrize(
    ("steps", "compared"),
    [
        ([LEVEL], True),
        ([LEVEL, AROUND], True),
        ([AROUND, LEVEL], True),
        ([AROUND, AROUND], False),  # where the library writes the first alone
        (
            [{**AROUND, "special_tokens": {"<s>": {"id": "<s>", "ids": [256], "tokens": ["a"]}}}],
            False,
        ),
        ([{**AROUND, "single": 2 * AROUND["single"]}], False),
    ],
)
def test_what_is_put_around_texts_is_compared_where_it_is_known(steps, compared, tmp_path):
    data = json.loads(of_bytes().to_str())
    data["post_processor"] = {"type": "Sequence", "processors": steps}
    (tmp_path / "tokenizer.json").write_text(json.dumps(data))
    vocabulary = Vocabulary.load(tmp_path / "tokenizer.json")
    remarks = export(vocabulary, tmp_path / "out.json", "huggingface", lossy=True).remarks
    assert any("equal on" in one and "templates" in one for one in remarks) == compared
    assert not any(one.startswith("templates differ") for one in remarks)
    # nothing is put around texts where the rest of the file is left out
    changed = vocabulary.with_(pretokenizer="cl100k")
    remarks = export(changed, tmp_path / "other.json", "huggingface", lossy=True).remarks
    assert any("equal on" in one and "templates" in one for one in remarks)


def test_damaged_steps_around_a_text_that_is_left_out_are_not_read(tmp_path):
    data = json.loads(of_bytes().to_str())
    data["post_processor"] = {"type": "TemplateProcessing"}
    (tmp_path / "tokenizer.json").write_text(json.dumps(data))
    vocabulary = Vocabulary.load(tmp_path / "tokenizer.json").with_(pretokenizer="cl100k")
    assert export(vocabulary, tmp_path / "out.json", "huggingface").exact


def test_a_token_that_the_rest_needs_is_named(tmp_path):
    framed(of_bytes()).save(str(tmp_path / "t.json"))
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    fewer = {text: n for text, n in vocabulary.special.items() if text != "</s>"}
    with pytest.raises(
        InputError, match=r"^[^(]*its original tokenizer\.json needs the token '</s>', which the"
    ):
        export(vocabulary.with_(special=fewer), tmp_path / "to.json", "huggingface")


@pytest.mark.parametrize("kind", [of_bytes, of_text, of_metaspace])
def test_pruning_keeps_what_the_rest_needs(tmp_path, kind):
    """As InternLM 2's `<s>`, a piece as others, and those that its settings rename."""
    data = json.loads(framed(kind()).to_str())
    listed = data["added_tokens"]
    vocab, kept = data["model"]["vocab"], {"<s>", "</s>", "<pad>"}
    data["added_tokens"] = [entry for entry in listed if entry["content"] not in kept]
    entries = list(vocab) if isinstance(vocab, dict) else [text for text, _ in vocab]
    place = next(n for n, text in reversed([*enumerate(entries)]) if text.strip("▁Ġ").isalpha())
    renamed = vocab[entries[place]] if isinstance(vocab, dict) else place
    folder = tmp_path / "from"
    folder.mkdir()
    (folder / "tokenizer.json").write_text(json.dumps(data))
    own = {str(renamed): {"content": "<tool>"}}
    settings = {"added_tokens_decoder": own, "eos_token": {"content": "</s>"}}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    vocabulary = Vocabulary.load(folder)
    words = counted(vocabulary, "at " * 9)
    k = len(vocabulary) // 2
    fewer = prune(vocabulary, words, k, time_limit=1)
    assert {b"<s>", b"</s>", b"<pad>"} <= {*fewer.vocabulary.tokens}
    assert len(fewer.vocabulary) == k
    export(fewer.vocabulary, tmp_path / "to", "huggingface", text="at the mat")
    written = loaded(tmp_path / "to")
    ids = dict(zip(written.encode("at").tokens, written.encode("at").ids, strict=True))
    assert ids["<s>"] == written.token_to_id("<s>")
    config = json.loads((tmp_path / "to" / "tokenizer_config.json").read_text())
    assert config["added_tokens_decoder"] == {
        str(written.token_to_id(entries[place])): {"content": "<tool>"}
    }


@pytest.mark.parametrize("listed", [[], {"x": 3}, {"y": []}, {"z": {}}, {"w": {"content": 7}}])
def test_odd_settings_stay_as_they_are(tmp_path, listed):
    folder = tmp_path / "from"
    folder.mkdir()
    of_bytes().save(str(folder / "tokenizer.json"))
    config = folder / "tokenizer_config.json"
    config.write_text(json.dumps({"added_tokens_decoder": listed, "é": 1}))
    (folder / "chat_template.jinja").write_bytes(b"\xff")  # no text
    export(Vocabulary.load(folder), tmp_path / "to", "huggingface")
    written = tmp_path / "to" / "tokenizer_config.json"
    assert json.loads(written.read_text()) == json.loads(config.read_text())
    assert not (tmp_path / "to" / "chat_template.jinja").exists()
    config.write_text("{")
    export(Vocabulary.load(folder), tmp_path / "other", "huggingface")
    assert not (tmp_path / "other" / "tokenizer_config.json").exists()


def test_transformers_takes_what_is_written(tmp_path):
    from transformers import AutoTokenizer

    folder = tmp_path / "from"
    folder.mkdir()
    tokenizer = framed(of_bytes([]))
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(SETTINGS))
    vocabulary = Vocabulary.load(folder)
    fewer = prune(vocabulary, counted(vocabulary), len(vocabulary) // 2, time_limit=1).vocabulary
    export(fewer, tmp_path / "to", "huggingface")
    before, after = (AutoTokenizer.from_pretrained(at) for at in (folder, tmp_path / "to"))
    for role in ("bos_token", "eos_token", "pad_token", "unk_token", "padding_side"):
        assert getattr(before, role) == getattr(after, role) == SETTINGS[role]
    messages = [{"role": "user", "content": "that hat"}]
    assert after.apply_chat_template(messages, tokenize=False) == "<s>that hat</s>"
    both = after(["the", "the hats on the mat"], padding=True)
    assert both["input_ids"][0][0] == fewer.special["<pad>"]
    assert after.decode(after("the hats").input_ids, skip_special_tokens=True) == "the hats"


def test_a_model_without_a_type(tmp_path):
    """Files of old versions have none."""
    data = json.loads(of_bytes().to_str())
    del data["model"]["type"]
    (tmp_path / "tokenizer.json").write_text(json.dumps(data))
    vocabulary = Vocabulary.load(tmp_path / "tokenizer.json")
    assert export(vocabulary, tmp_path / "out", "huggingface", text=TEXT).exact
    assert json.loads((tmp_path / "out" / "tokenizer.json").read_text()) == data


def test_the_score_of_unknown_characters_follows_the_lowest_score(tmp_path):
    # ø is no piece: it is unknown, which scores 10 less than the lowest, or in øa
    pieces = {"▁": -2.0, "ab": -3.0, **dict.fromkeys(["c", "b", "a", "øa"], -25.0)}
    pieces |= {f"<0x{byte:02X}>": -28.0 for byte in range(256)}
    model = models.Unigram([("<unk>", 0.0), *pieces.items()], 0, byte_fallback=True)
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    steps = [decoders.ByteFallback(), decoders.Metaspace()]
    tokenizer.decoder = decoders.Sequence(steps)
    (tmp_path / "tokenizer.json").write_text(tokenizer.to_str(), "utf-8")
    base = Vocabulary.load(tmp_path / "tokenizer.json")
    words = WordCounts.from_texts(["cccccccc"], pretokenizer=base.pretokenizer)
    extended = extend(base, words, 1).vocabulary
    words = WordCounts.from_texts(["ab øa"], pretokenizer=base.pretokenizer)
    pruned = prune(extended, words, len(base)).vocabulary
    assert min(extended.scores) < -150
    assert min(pruned.scores) == -25
    texts = ["øab", "øabc", "cøab", "øøa", "é øa"]
    found = []
    for number, vocabulary in enumerate([base, extended, pruned]):
        export(vocabulary, tmp_path / f"{number}", "huggingface")
        own = tokenizers.Tokenizer.from_file(str(tmp_path / f"{number}" / "tokenizer.json"))
        found.append(Encoder(vocabulary).encode_batch(texts))
        assert found[-1] == [own.encode(text).ids for text in texts]
    assert found[0] != found[1]
