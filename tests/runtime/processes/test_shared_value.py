"""A value for all calls of an executor is what was given, or an error."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from partcover import InputError
from partcover.runtime.processes.shared_value import shared


def value_of(lent):
    return lent.value


def test_a_file_that_is_gone_or_damaged_is_an_error(tmp_path):
    with ProcessPoolExecutor(1) as executor:
        with shared([1, 2], executor, tmp_path) as lent:
            (file,) = tmp_path.glob("*/*")
            content = file.read_bytes()
            file.write_bytes(content[:-1])
            with pytest.raises(InputError, match="read other bytes than were written"):
                _ = lent.value
            file.write_bytes(content)
            assert executor.submit(value_of, lent).result() == [1, 2]
            file.unlink()
            assert executor.submit(value_of, lent).result() == [1, 2], "it is read once"
            with pytest.raises(InputError, match="--scratch"):
                _ = lent.value
        assert not any(tmp_path.iterdir())
        with (
            pytest.raises(InputError, match="cannot be written"),
            shared(1, executor, Path("/nowhere")),
        ):
            pass
