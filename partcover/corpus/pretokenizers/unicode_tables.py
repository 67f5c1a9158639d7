"""Classes of characters, as the tables of Hugging Face's tokenizers 0.23 have them.

Patterns have the classes of Unicode 16 there, and in tiktoken 0.14, and `compiled` gives them here
to patterns of `regex`, whose tables are newer.  Normalizers have tables of several versions, which
are written down here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ...runtime.patterns import regex


def character_class(ranges: str) -> str:
    r"""Returns the inside of a class of a regular expression, from ranges in hexadecimal.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.unicode_tables import character_class
    >>> character_class("41-5A 5F")
    '\\U00000041-\\U0000005A\\U0000005F'
    """
    return "".join(
        "-".join(f"\\U{int(end, 16):08X}" for end in part.split("-")) for part in ranges.split()
    )


def ranges_of(class_: str) -> Iterator[tuple[int, int]]:
    """Yields the first and the last code point of each range of a class.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.unicode_tables import character_class, ranges_of
    >>> list(ranges_of(character_class("41-5A 5F")))
    [(65, 90), (95, 95)]
    """
    for first, last in re.findall(r"\\U(\w{8})(?:-\\U(\w{8}))?", class_):
        yield int(first, 16), int(last or first, 16)


#: What Unicode 16 does not have, and 17 or 18 has.
NEWER = character_class(
    "558 58B-58C 5C8-5C9 88F B53-B54 C5C CDC 1ACF-1AF0 208F 209D-209F 20C1-20C4 2B96 2E60-2E63 "
    "A7CE-A7CF A7D2 A7D4 A7DD A7E2 A7F1 AB6C-AB6D FBC3-FBD2 FD90-FD91 FDC8-FDCE 107BB-107BF "
    "10940-10959 10EC5-10EC7 10EC9-10EEE 10EF0-10EFB 11B0A 11B60-11B67 11DB0-11DDB 11DE0-11DE9 "
    "11DF0-11DF1 1246F 12475-1247F 12550-12686 16EA0-16EB8 16EBB-16ED3 16FF2-16FF6 187F8-187FF "
    "18CD6-18CDA 18D09-18D20 18D80-18DF2 18E00-19191 191A0-191D2 1B123-1B128 1B168 1CCFA-1CCFC "
    "1CEBA-1CED0 1CED2-1CED4 1CEDD-1CEFD 1D127-1D128 1D1EB-1D1FF 1D250-1D281 1D6A6 1DB00-1DB1C "
    "1DF1F-1DF24 1DF2B-1DF81 1DF90-1DF96 1DFCD-1DFFF 1E6C0-1E6DE 1E6E0-1E6F5 1E6FE-1E6FF 1F1AE "
    "1F6D8-1F6D9 1F777-1F77A 1F7DA-1F7DB 1F7F1-1F7FF 1F8D0-1F8D8 1FA54-1FA57 1FA8A-1FA8E 1FAC8 "
    "1FACC-1FACD 1FADD 1FAEA-1FAEB 1FAEF 1FAF9-1FAFA 1FBFA 2B73A-2B73F 2B81E 2CEA2-2CEAD "
    "323B0-33479 3D000-3FC3F"
)

#: A small letter of Unicode 16 that is a letter without case since.
SMALL = "\u0295"

# in three parts, of which a character is mostly in none: so that few ranges are looked at
_NEWER = "".join(
    f"[[\\U{first:08X}-\\U{last:08X}]&&[{NEWER}]]"
    for first, last in ((0x300, 0x2FFF), (0xA000, 0xFFFF), (0x10000, 0x3FFFF))
)
_ATOM = re.compile(r"\\(?:([pP])\{(\^?)([^}]*)\}|[wWdD]|.)", re.DOTALL)
_BY_BLOCK = re.compile("in|blk|block", re.IGNORECASE)
_NEVER = "\U00050000"  # what Unicode has no character for
_SMALL_IN = {"ll": True, "lowercaseletter": True, "lo": False, "otherletter": False}


def in_unicode_16(pattern: str) -> str:
    r"""Returns a pattern of `regex`, in its version 1, with the properties of Unicode 16.

    Properties of blocks stay.

    Examples
    --------
    >>> import regex
    >>> from partcover.corpus.pretokenizers.unicode_tables import in_unicode_16
    >>> newer = "\U000323B0"  # a Han character of Unicode 17
    >>> regex.findall(in_unicode_16(r"\p{L}"), f"a{newer}", regex.VERSION1)
    ['a']
    """
    return _ATOM.sub(_older, pattern)


def _older(found: re.Match[str]) -> str:
    atom, (letter, caret, name) = found[0], found.groups()
    if atom[1] not in "pPwWdD" or (name is not None and _BY_BLOCK.match(name)):
        return atom
    lacks = regex.fullmatch(atom, _NEVER) is not None  # so it has what is not assigned
    text = f"[{atom}{_NEWER}]" if lacks else f"[{atom}--[{_NEWER}]]"
    small = _SMALL_IN.get(re.sub("[ _-]", "", name or "").lower())
    if small is None:
        return text
    small ^= (letter == "P") ^ (caret == "^")
    return f"[{text}{SMALL}]" if small else f"[{text}--{SMALL}]"


@lru_cache(256)
def compiled(pattern: str) -> Any:
    """Returns a pattern of `regex`, in its version 1, compiled with the properties of Unicode 16.

    Examples
    --------
    >>> from partcover.corpus.pretokenizers.unicode_tables import compiled
    >>> compiled("[a-c]").findall("ad")
    ['a']
    """
    return regex.compile(in_unicode_16(pattern), regex.VERSION1)


#: White space, Unicode's White_Space.
WHITE = character_class("9-D 20 85 A0 1680 2000-200A 2028-2029 202F 205F 3000")

#: What BertNormalizer puts spaces around.
IDEOGRAPHS = character_class(
    "3400-4DBF 4E00-9FFF F900-FAFF 20000-2A6DF 2A700-2B81F 2B920-2CEAF 2F800-2FA1F"
)

#: Letters in lower case that are younger than Unicode 14.
LOWER = {
    first + n: small + n
    for first, small, count in (
        (0x1C89, 0x1C8A, 1),
        (0xA7CB, 0x264, 1),
        (0xA7CC, 0xA7CD, 1),
        (0xA7CE, 0xA7CF, 1),
        (0xA7D2, 0xA7D3, 1),
        (0xA7D4, 0xA7D5, 1),
        (0xA7DA, 0xA7DB, 1),
        (0xA7DC, 0x19B, 1),
        (0x10D50, 0x10D70, 22),
        (0x16EA0, 0x16EBB, 25),
    )
    for n in range(count)
}

#: What no Unicode normal form changes or moves in the library: it is younger than its tables.
INERT = character_class(
    "558 58B-58C 5C8-5C9 7FD 897-89F 8CA-8D3 9FE C3C D3B-D3C EBA 1715 1ABF-1AF0 1DF6-1DFA "
    "209D-209F 32FF A7F1-A7F4 A82C AB69 105C0-105F3 10781-10785 10787-107B0 107B2-107BF "
    "10D24-10D27 10D69-10D6D 10EAB-10EAC 10ECB-10ECF 10EF0-10EFB 10EFD-10EFF 10F46-10F50 "
    "10F82-10F85 11070 1133B 11380-11389 1138B 1138E 11390-113B5 113B7-113C0 113C2 113C5 "
    "113C7-113CA 113CC-113D5 113D7-113D8 113E1-113E2 1145E 11839-1183A 11938 1193D-1193E 11943 "
    "119E0 11A34 11A47 11A99 11D42 11D44-11D45 11D97 11F41-11F42 16120-16129 1612F 16D63-16D6A "
    "16FF0-16FF1 1B123-1B126 1CCD6-1CCF9 1D127-1D128 1D250-1D252 1D25B-1D25C 1D25F 1D280-1D281 "
    "1D6A6 1DF95 1DFCD-1DFFF 1E030-1E06D 1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF 1E4EC-1E4EF "
    "1E5EE-1E5EF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5 1F16C 1FBF0-1FBF9"
)

#: The marks that StripAccents takes away.
MARKS = character_class(
    "300-36F 483-489 591-5BD 5BF 5C1-5C2 5C4-5C5 5C7 610-61A 64B-65F 670 6D6-6DC 6DF-6E4 6E7-6E8 "
    "6EA-6ED 711 730-74A 7A6-7B0 7EB-7F3 816-819 81B-823 825-827 829-82D 859-85B 8D4-8E1 8E3-903 "
    "93A-93C 93E-94F 951-957 962-963 981-983 9BC 9BE-9C4 9C7-9C8 9CB-9CD 9D7 9E2-9E3 A01-A03 A3C "
    "A3E-A42 A47-A48 A4B-A4D A51 A70-A71 A75 A81-A83 ABC ABE-AC5 AC7-AC9 ACB-ACD AE2-AE3 B01-B03 "
    "B3C B3E-B44 B47-B48 B4B-B4D B56-B57 B62-B63 B82 BBE-BC2 BC6-BC8 BCA-BCD BD7 C00-C03 C3E-C44 "
    "C46-C48 C4A-C4D C55-C56 C62-C63 C81-C83 CBC CBE-CC4 CC6-CC8 CCA-CCD CD5-CD6 CE2-CE3 D01-D03 "
    "D3E-D44 D46-D48 D4A-D4D D57 D62-D63 D82-D83 DCA DCF-DD4 DD6 DD8-DDF DF2-DF3 E31 E34-E3A "
    "E47-E4E EB1 EB4-EB9 EBB-EBC EC8-ECD F18-F19 F35 F37 F39 F3E-F3F F71-F84 F86-F87 F8D-F97 "
    "F99-FBC FC6 102B-103E 1056-1059 105E-1060 1062-1064 1067-106D 1071-1074 1082-108D 108F "
    "109A-109D 135D-135F 1712-1714 1732-1734 1752-1753 1772-1773 17B4-17D3 17DD 180B-180D "
    "1885-1886 18A9 1920-192B 1930-193B 1A17-1A1B 1A55-1A5E 1A60-1A7C 1A7F 1AB0-1ABE 1B00-1B04 "
    "1B34-1B44 1B6B-1B73 1B80-1B82 1BA1-1BAD 1BE6-1BF3 1C24-1C37 1CD0-1CD2 1CD4-1CE8 1CED "
    "1CF2-1CF4 1CF8-1CF9 1DC0-1DF5 1DFB-1DFF 20D0-20F0 2CEF-2CF1 2D7F 2DE0-2DFF 302A-302F "
    "3099-309A A66F-A672 A674-A67D A69E-A69F A6F0-A6F1 A802 A806 A80B A823-A827 A880-A881 "
    "A8B4-A8C5 A8E0-A8F1 A926-A92D A947-A953 A980-A983 A9B3-A9C0 A9E5 AA29-AA36 AA43 AA4C-AA4D "
    "AA7B-AA7D AAB0 AAB2-AAB4 AAB7-AAB8 AABE-AABF AAC1 AAEB-AAEF AAF5-AAF6 ABE3-ABEA ABEC-ABED "
    "FB1E FE00-FE0F FE20-FE2F 101FD 102E0 10376-1037A 10A01-10A03 10A05-10A06 10A0C-10A0F "
    "10A38-10A3A 10A3F 10AE5-10AE6 11000-11002 11038-11046 1107F-11082 110B0-110BA 11100-11102 "
    "11127-11134 11173 11180-11182 111B3-111C0 111CA-111CC 1122C-11237 1123E 112DF-112EA "
    "11300-11303 1133C 1133E-11344 11347-11348 1134B-1134D 11357 11362-11363 11366-1136C "
    "11370-11374 11435-11446 114B0-114C3 115AF-115B5 115B8-115C0 115DC-115DD 11630-11640 "
    "116AB-116B7 1171D-1172B 11C2F-11C36 11C38-11C3F 11C92-11CA7 11CA9-11CB6 16AF0-16AF4 "
    "16B30-16B36 16F51-16F7E 16F8F-16F92 1BC9D-1BC9E 1D165-1D169 1D16D-1D172 1D17B-1D182 "
    "1D185-1D18B 1D1AA-1D1AD 1D242-1D244 1DA00-1DA36 1DA3B-1DA6C 1DA75 1DA84 1DA9B-1DA9F "
    "1DAA1-1DAAF 1E000-1E006 1E008-1E018 1E01B-1E021 1E023-1E024 1E026-1E02A 1E8D0-1E8D6 "
    "1E944-1E94A E0100-E01EF"
)

#: The marks that BertNormalizer takes away.
NONSPACING = character_class(
    "300-36F 483-487 591-5BD 5BF 5C1-5C2 5C4-5C5 5C7 610-61A 64B-65F 670 6D6-6DC 6DF-6E4 6E7-6E8 "
    "6EA-6ED 711 730-74A 7A6-7B0 7EB-7F3 816-819 81B-823 825-827 829-82D 859-85B 8E3-902 93A 93C "
    "941-948 94D 951-957 962-963 981 9BC 9C1-9C4 9CD 9E2-9E3 A01-A02 A3C A41-A42 A47-A48 A4B-A4D "
    "A51 A70-A71 A75 A81-A82 ABC AC1-AC5 AC7-AC8 ACD AE2-AE3 B01 B3C B3F B41-B44 B4D B56 B62-B63 "
    "B82 BC0 BCD C00 C3E-C40 C46-C48 C4A-C4D C55-C56 C62-C63 C81 CBC CBF CC6 CCC-CCD CE2-CE3 D01 "
    "D41-D44 D4D D62-D63 DCA DD2-DD4 DD6 E31 E34-E3A E47-E4E EB1 EB4-EB9 EBB-EBC EC8-ECD F18-F19 "
    "F35 F37 F39 F71-F7E F80-F84 F86-F87 F8D-F97 F99-FBC FC6 102D-1030 1032-1037 1039-103A "
    "103D-103E 1058-1059 105E-1060 1071-1074 1082 1085-1086 108D 109D 135D-135F 1712-1714 "
    "1732-1734 1752-1753 1772-1773 17B4-17B5 17B7-17BD 17C6 17C9-17D3 17DD 180B-180D 18A9 "
    "1920-1922 1927-1928 1932 1939-193B 1A17-1A18 1A1B 1A56 1A58-1A5E 1A60 1A62 1A65-1A6C "
    "1A73-1A7C 1A7F 1AB0-1ABD 1B00-1B03 1B34 1B36-1B3A 1B3C 1B42 1B6B-1B73 1B80-1B81 1BA2-1BA5 "
    "1BA8-1BA9 1BAB-1BAD 1BE6 1BE8-1BE9 1BED 1BEF-1BF1 1C2C-1C33 1C36-1C37 1CD0-1CD2 1CD4-1CE0 "
    "1CE2-1CE8 1CED 1CF4 1CF8-1CF9 1DC0-1DF5 1DFC-1DFF 20D0-20DC 20E1 20E5-20F0 2CEF-2CF1 2D7F "
    "2DE0-2DFF 302A-302D 3099-309A A66F A674-A67D A69E-A69F A6F0-A6F1 A802 A806 A80B A825-A826 "
    "A8C4 A8E0-A8F1 A926-A92D A947-A951 A980-A982 A9B3 A9B6-A9B9 A9BC A9E5 AA29-AA2E AA31-AA32 "
    "AA35-AA36 AA43 AA4C AA7C AAB0 AAB2-AAB4 AAB7-AAB8 AABE-AABF AAC1 AAEC-AAED AAF6 ABE5 ABE8 "
    "ABED FB1E FE00-FE0F FE20-FE2F 101FD 102E0 10376-1037A 10A01-10A03 10A05-10A06 10A0C-10A0F "
    "10A38-10A3A 10A3F 10AE5-10AE6 11001 11038-11046 1107F-11081 110B3-110B6 110B9-110BA "
    "11100-11102 11127-1112B 1112D-11134 11173 11180-11181 111B6-111BE 111CA-111CC 1122F-11231 "
    "11234 11236-11237 112DF 112E3-112EA 11300-11301 1133C 11340 11366-1136C 11370-11374 "
    "114B3-114B8 114BA 114BF-114C0 114C2-114C3 115B2-115B5 115BC-115BD 115BF-115C0 115DC-115DD "
    "11633-1163A 1163D 1163F-11640 116AB 116AD 116B0-116B5 116B7 1171D-1171F 11722-11725 "
    "11727-1172B 16AF0-16AF4 16B30-16B36 16F8F-16F92 1BC9D-1BC9E 1D167-1D169 1D17B-1D182 "
    "1D185-1D18B 1D1AA-1D1AD 1D242-1D244 1DA00-1DA36 1DA3B-1DA6C 1DA75 1DA84 1DA9B-1DA9F "
    "1DAA1-1DAAF 1E8D0-1E8D6 E0100-E01EF"
)

#: What BertNormalizer's `clean_text` takes away.
CONTROLS = character_class(
    "0-8 B-C E-1F 7F-9F AD 600-605 61C 6DD 70F 180E 200B-200F 202A-202E 2060-2064 2066-206F "
    "E000-F8FF FEFF FFF9-FFFB FFFD 110BD 1BCA0-1BCA3 1D173-1D17A E0001 E0020-E007F F0000-FFFFD "
    "100000-10FFFD"
)

#: What Nmt takes away, and what it writes a space for.
NMT_GONE = character_class("1-8 B E-1F 7F 8F 9F")
NMT_SPACE = character_class("9-A C-D 1680 200B-200F 2028-2029 2581 FEFF FFFD")
