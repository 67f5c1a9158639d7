"""Writes certificates, never a weaker proof over a better one."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

from ...errors import PartcoverError
from ...problem.certificate import Certificate
from ...problem.instance import Instance
from ...verification.certificate_check import check_certificate
from ..output import Output


def save_certificate(
    out: Output, path: str | PathLike[str], certificate: Certificate, instance: Instance
) -> None:
    """Write a certificate, unless the file holds one of this instance that proves more."""
    if Path(path).is_file():
        try:
            old = Certificate.load(path)
        except PartcoverError:  # something else, or damaged: replaced
            old = None
        if (
            old is not None
            and old.lower_bound > certificate.lower_bound
            and check_certificate(instance, old).ok
        ):
            out.note(
                f"{fspath(path)} is kept: it proves {old.lower_bound:,}, and this run "
                f"{certificate.lower_bound:,}"
            )
            return
    certificate.save(path)
    out.note(f"wrote {fspath(path)}")
