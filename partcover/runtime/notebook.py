"""Shows objects as a short line, and as a table in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import printable, shorten

_CELL = 60  # characters in a cell


def brief(kind: str, *parts: object) -> str:
    """Returns the `repr` of an object: its kind, and in parentheses the parts that are not None.

    Examples
    --------
    >>> from partcover.runtime.notebook import brief
    >>> brief("Instance", "k=2", None, "3 words")
    'Instance(k=2, 3 words)'
    """
    texts = [shorten(printable(str(part)), _CELL) for part in parts if part is not None]
    return f"{kind}({', '.join(texts)})"


def html_table(caption: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Returns an HTML table with all text escaped and shortened.

    Parameters
    ----------
    caption : str
        The line above the table.
    head : sequence of str
        The names of the columns, if they have any.
    rows : iterable of sequence
        The cells: numbers are aligned to the right, None is a dash.

    Examples
    --------
    >>> from partcover.runtime.notebook import html_table
    >>> "<th>k</th>" in html_table("sizes", ["k"], [[1024]])
    True
    """
    lines = [f"<table><caption>{_escaped(caption, 4 * _CELL)}</caption>"]
    if head:
        cells = "".join(f"<th>{_escaped(name)}</th>" for name in head)
        lines.append(f"<thead><tr>{cells}</tr></thead>")
    body = ("".join(map(_cell, row)) for row in rows)
    lines.append(f"<tbody>{''.join(f'<tr>{cells}</tr>' for cells in body)}</tbody></table>")
    return "\n".join(lines)


def _cell(value: object) -> str:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        text = "–" if value is None else _escaped(str(value))
        return f'<td style="text-align:left">{text}</td>'
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
    return f'<td style="text-align:right">{text}</td>'


def _escaped(text: str, length: int = _CELL) -> str:
    import html  # its tables are large

    return html.escape(shorten(printable(text), length))
