"""Runs the cells of a tutorial that begin with ``%%sh`` as a terminal would, and shows them so.

IPython's own ``%%sh`` gives the two streams apart and in pieces, which are not put together as they
were printed.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

MAGIC = "%%sh\n"
# what every kernel runs first
STARTUP = f'''
import os
import subprocess

from IPython.core.magic import register_cell_magic


@register_cell_magic
def sh(line, cell):
    """Runs commands, and prints both streams as they come; the first that fails ends the cell."""
    path = {str(Path(sys.executable).parent)!r} + os.pathsep + os.environ["PATH"]
    done = subprocess.run(
        ["sh", "-e", "-c", cell],
        env={{**os.environ, "PATH": path}},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    print(done.stdout, end="")
    done.check_returncode()
'''


def setup(app: Sphinx) -> dict[str, Any]:
    """Registers the extension."""
    app.connect("builder-inited", write_startup)
    app.connect("doctree-read", show_as_shell)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_startup(app: Sphinx) -> None:
    """Makes a profile of IPython for the build."""
    folder = Path(app.doctreedir, "ipython")
    profile = folder / "profile_default"
    (profile / "startup").mkdir(parents=True, exist_ok=True)
    (profile / "startup" / "shell.py").write_text(STARTUP, "utf-8")
    # no remark for each kernel that its sockets are not encrypted
    (profile / "ipython_kernel_config.py").write_text("c.IPKernelApp.log_level = 'ERROR'\n")
    os.environ["IPYTHONDIR"] = str(folder)


def show_as_shell(_: Sphinx, page: nodes.document) -> None:
    """Takes the magic away, so that a reader copies what a shell takes."""
    for block in list(page.findall(nodes.literal_block)):
        if block.astext().startswith(MAGIC):
            text = block.astext().removeprefix(MAGIC)
            block.replace_self(nodes.literal_block(text, text, language="bash"))
