"""acceld: JAX on a daemon that owns the accelerators.

    JAX_PLATFORMS=acceld python train.py

runs an unmodified JAX program there; nothing has to be imported. What this package has besides is for what JAX has no
word for: what the daemon does and why, arrays that programs share by name, and limits for what a program runs.
"""

from acceld.arrays import drop, open, publish
from acceld.daemon import connect_info, stats
from acceld.programs_ahead import explain, warm
from acceld.scopes import priority, timeout

__version__ = "0.1.0"

__all__ = ["connect_info", "drop", "explain", "open", "priority", "publish", "stats", "timeout", "warm"]
