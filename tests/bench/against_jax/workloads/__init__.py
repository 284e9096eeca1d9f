"""The workloads: one file for each idea, each with a list WORKLOADS. Importing this needs JAX."""

from . import arrays, models, science
from .arrays import sweep
from .models import meshes

ALL = [*arrays.WORKLOADS, *models.WORKLOADS, *science.WORKLOADS]
SWEEP = sweep.WORKLOADS
MESHES = meshes.WORKLOADS  # on several devices
