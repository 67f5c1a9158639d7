"""Lists the formats of other libraries below the help of ``export`` and ``import``."""

from __future__ import annotations

import click

from ...errors import InputError
from ..command import Command

__all__ = ["FormatsCommand"]


class FormatsCommand(Command):
    """A command whose help ends with the formats, which are loaded only then."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the formats below the examples."""
        from ...interop import FORMATS

        def title(name: str) -> str:
            try:
                return FORMATS[name].title
            except InputError as error:  # another package's, that cannot be loaded
                return str(error)

        with formatter.section("Formats"):
            formatter.write_dl([(name, title(name)) for name in FORMATS])
        super().format_epilog(ctx, formatter)
