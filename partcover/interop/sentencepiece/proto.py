"""Defines the messages of sentencepiece's model files that are used here.

The package's own ``sentencepiece_model_pb2`` needs the protobuf that it was generated with, which
may be newer than other libraries allow; messages that are made at run time work with any.  The
field numbers are those of sentencepiece's ``sentencepiece_model.proto``; other fields are kept
as they are when a file is read.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ...errors import MissingExtra

UNIGRAM, BPE, CHAR = 1, 2, 4  # kinds of models
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)

# message: field: (number, type)
_FIELDS = {
    "TrainerSpec": {
        "model_type": (3, "int32"),
        "vocab_size": (4, "int32"),
        "treat_whitespace_as_suffix": (24, "bool"),
        "byte_fallback": (35, "bool"),
        "unk_id": (40, "int32"),
        "bos_id": (41, "int32"),
        "eos_id": (42, "int32"),
        "pad_id": (43, "int32"),
        "unk_surface": (44, "string"),
        "unk_piece": (45, "string"),
        "bos_piece": (46, "string"),
        "eos_piece": (47, "string"),
        "pad_piece": (48, "string"),
    },
    "NormalizerSpec": {
        "name": (1, "string"),
        "precompiled_charsmap": (2, "bytes"),
        "add_dummy_prefix": (3, "bool"),
        "remove_extra_whitespaces": (4, "bool"),
        "escape_whitespaces": (5, "bool"),
    },
    "SentencePiece": {"piece": (1, "string"), "score": (2, "float"), "type": (3, "int32")},
}
_DEFAULTS = {
    "model_type": "1",
    "add_dummy_prefix": "true",
    "remove_extra_whitespaces": "true",
    "escape_whitespaces": "true",
    "type": "1",
    "unk_id": "0",
    "bos_id": "1",
    "eos_id": "2",
    "pad_id": "-1",
    "unk_piece": "<unk>",
    "bos_piece": "<s>",
    "eos_piece": "</s>",
    "pad_piece": "<pad>",
    "unk_surface": " \u2047 ",
}


@cache
def model_proto() -> Any:
    """Makes the class of a model: ``pieces``, ``trainer_spec``, ``normalizer_spec``.

    Raises
    ------
    ImportError
        If protobuf is not installed.
    """
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    field_type = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(
        name="partcover/sentencepiece.proto", package="partcover.sentencepiece", syntax="proto2"
    )
    for message, fields in _FIELDS.items():
        described = file.message_type.add(name=message)
        for name, (number, kind) in fields.items():
            field = described.field.add(
                name=name,
                number=number,
                type=getattr(field_type, f"TYPE_{kind.upper()}"),
                label=field_type.LABEL_OPTIONAL,
            )
            if name in _DEFAULTS:
                field.default_value = _DEFAULTS[name]
    model = file.message_type.add(name="Model")
    for name, number, message in (
        ("pieces", 1, "SentencePiece"),
        ("trainer_spec", 2, "TrainerSpec"),
        ("normalizer_spec", 3, "NormalizerSpec"),
    ):
        model.field.add(
            name=name,
            number=number,
            type=field_type.TYPE_MESSAGE,
            type_name=f".partcover.sentencepiece.{message}",
            label=field_type.LABEL_REPEATED if name == "pieces" else field_type.LABEL_OPTIONAL,
        )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{file.package}.Model"))


def new_model() -> Any:
    """Returns an empty model.

    Raises
    ------
    MissingExtra
        If protobuf is not installed.
    """
    try:
        return model_proto()()
    except ImportError:
        raise MissingExtra("protobuf", "sentencepiece", "a sentencepiece model") from None
