"""acceld: JAX on a daemon that owns the accelerators.

    JAX_PLATFORMS=acceld python train.py

runs an unmodified JAX program there; nothing has to be imported. This package is what JAX finds the plugin by.
"""

__version__ = "0.1.0"
