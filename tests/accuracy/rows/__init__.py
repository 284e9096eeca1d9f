"""All rows of the table, in its order. To add one, add it to the list of its file."""

from models import MODELS

from . import (convolutions, elementwise, factorizations, norms, products, randomness, reductions, scans, sorts,
               transforms, updates)

ROWS = [row for rows in (reductions, scans, norms, products, convolutions, elementwise, factorizations, transforms,
                         sorts, randomness, updates) for row in rows.ROWS] + MODELS
