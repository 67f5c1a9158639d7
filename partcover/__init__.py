"""Find good vocabularies, prove how good they are, and use them: the tokenization problem.

A name is imported when it is first used; ``__init__.pyi`` lists all of them.
"""

import lazy_loader as _lazy

from ._version import __version__ as __version__

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
