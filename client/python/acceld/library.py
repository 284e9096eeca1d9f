"""Where the files of this package are."""

from __future__ import annotations

import os
import pathlib


def path() -> pathlib.Path:
    """The plugin's shared object: $ACCELD_PJRT_PLUGIN, or the one in this package."""
    given = os.environ.get("ACCELD_PJRT_PLUGIN")
    found = pathlib.Path(given) if given else pathlib.Path(__file__).parent / "lib" / "acceld_pjrt.so"
    if not found.is_file():
        raise FileNotFoundError(f"acceld's plugin is not at {found}"
                                + ("" if given else "; set ACCELD_PJRT_PLUGIN to where it is"))
    return found
