"""Networks: their layers, training steps and decoding."""

from . import (attention, beam_search, convolution, decoding, diffusion, embedding, experts, graphs, language_models,
               mlp, recurrence, resnet50, state_space, vision_transformer)

_MODULES = (attention, beam_search, convolution, decoding, diffusion, embedding, experts, graphs, language_models, mlp,
            recurrence, resnet50, state_space, vision_transformer)
WORKLOADS = [workload for module in _MODULES for workload in module.WORKLOADS]
