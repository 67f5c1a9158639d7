"""Knows published rank files by their SHA-256, by which tiktoken itself checks its own."""

from __future__ import annotations

_END = "<|endoftext|>"
#: The published files by their SHA-256: name, pre-tokenizer and special tokens, none of which is in
#: the file.
PUBLISHED: dict[str, tuple[str, str, dict[str, int]]] = {
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930": (
        "r50k_base",
        "gpt2",
        {_END: 50256},
    ),
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069": (
        "p50k_base",
        "gpt2",
        {_END: 50256},
    ),
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7": (
        "cl100k_base",
        "cl100k",
        {
            _END: 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            "<|endofprompt|>": 100276,
        },
    ),
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d": (
        "o200k_base",
        "o200k",
        {_END: 199999, "<|endofprompt|>": 200018},
    ),
    "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186": (
        "qwen",
        "qwen2",
        {_END: 151643, "<|im_start|>": 151644, "<|im_end|>": 151645}
        | {f"<|extra_{number}|>": 151646 + number for number in range(205)},
    ),
}
_LANGUAGES = (
    "en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta "
    "no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk "
    "sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb "
    "my bo tl mg as tt haw ln ha ba jw su"
)
_WHISPER = [
    *[_END, "<|startoftranscript|>", *(f"<|{language}|>" for language in _LANGUAGES.split())],
    *["<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>"],
    *["<|notimestamps|>", *(f"<|{moment * 0.02:.2f}|>" for moment in range(1501))],
]


def _numbered(texts: list[str], first: int) -> dict[str, int]:
    return {text: first + place for place, text in enumerate(texts)}


def _reserved(count: int, kind: str = "", first: int = 0) -> list[str]:
    return [f"<|{kind}reserved_special_token_{n}|>" for n in range(first, first + count)]


PUBLISHED["8dde380a6405e935f5de16a99eb61c824f3f814dd1ed298784c72babb7a03cdd"] = (
    "qwen3_6",
    "qwen3.5",
    _numbered(
        [
            *[_END, "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>"],
            *["<|box_start|>", "<|box_end|>", "<|quad_start|>", "<|quad_end|>"],
            *["<|vision_start|>", "<|vision_end|>", "<|vision_pad|>", "<|image_pad|>"],
            *["<|video_pad|>", "<tool_call>", "</tool_call>", "<|fim_prefix|>", "<|fim_middle|>"],
            *["<|fim_suffix|>", "<|fim_pad|>", "<|repo_name|>", "<|file_sep|>"],
            *["<tool_response>", "</tool_response>", "<think>", "</think>", "<|audio_start|>"],
            *["<|audio_end|>", "<tts_pad>", "<tts_text_bos>", "<tts_text_eod>"],
            *["<tts_text_bos_single>", "<|audio_pad|>"],
        ],
        248044,
    ),
)
# as its encoder numbers them, for all models but the one that knows Cantonese, too
PUBLISHED["b34b360dbb493e781e479794586d661700670d65564001f23024971d1f2fa126"] = (
    "multilingual",
    "gpt2",
    _numbered(_WHISPER, 50257),
)
#: What Whisper's models of English alone add to the file that OpenAI calls r50k_base, too, and
#: Whisper gpt2.
WHISPER = "gpt2", "gpt2", _numbered(_WHISPER, 50256)
PUBLISHED["82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55"] = (
    "llama3",
    "cl100k",
    _numbered(
        [
            *["<|begin_of_text|>", "<|end_of_text|>", *_reserved(2)],
            *["<|finetune_right_pad_id|>", "<|step_id|>", "<|start_header_id|>"],
            *["<|end_header_id|>", "<|eom_id|>", "<|eot_id|>", "<|python_tag|>", "<|image|>"],
            *_reserved(244, first=2),
        ],
        128000,
    ),
)
PUBLISHED["d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed"] = (
    "llama4",
    "o200k",
    _numbered(
        [
            *["<|begin_of_text|>", "<|end_of_text|>", "<|fim_prefix|>", "<|fim_middle|>"],
            *["<|fim_suffix|>", "<|header_start|>", "<|header_end|>", "<|eom|>", "<|eot|>"],
            *["<|step|>", *_reserved(6, "text_post_train_"), "<|python_start|>"],
            *["<|python_end|>", "<|finetune_right_pad|>", *_reserved(61, "text_post_train_", 8)],
            *["<|image_start|>", "<|image_end|>", *_reserved(2, "vision_")],
            *["<|tile_x_separator|>", "<|tile_y_separator|>", *_reserved(4, "vision_", 2)],
            *["<|image|>", *_reserved(1, "vision_", 6), "<|patch|>"],
            *_reserved(1041, "vision_", 7),
            *_reserved(8, "reasoning_"),
            *["<|reasoning_thinking_start|>", "<|reasoning_thinking_end|>", *_reserved(904)],
        ],
        200000,
    ),
)


def published_as(digest: str, stem: str) -> tuple[str, str, dict[str, int]] | None:
    """Returns the name, pre-tokenizer and special tokens of a file; None for an unknown one.

    Parameters
    ----------
    digest : str
        Its SHA-256.
    stem : str
        The name of the file, by which Whisper's are told from those of OpenAI's other models.
    """
    found = PUBLISHED.get(digest)
    return WHISPER if found is not None and (found[0], stem) == ("r50k_base", WHISPER[0]) else found
