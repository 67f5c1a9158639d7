"""Lists the formats of other libraries below the help of ``export`` and ``import``."""

from __future__ import annotations

import click

from .command import Command

__all__ = ["FormatsCommand"]


class FormatsCommand(Command):
    """A command whose help ends with the formats, which are loaded only then."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the formats below the examples."""
        from ..interop import FORMATS

        with formatter.section("Formats"):
            formatter.write_dl([(name, format_.title) for name, format_ in FORMATS.items()])
        super().format_epilog(ctx, formatter)
