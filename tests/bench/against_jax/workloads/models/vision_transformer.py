"""A block of a vision transformer (ViT-S): 197 tokens of width 384, 6 heads, each sees all."""

from ...operands import uniform
from ...workload import Workload
from .language_models import norm, transform, weights

BATCH, TOKENS, WIDTH, HEADS = 8, 197, 384, 6
PARAMETERS = {"norm_1": norm(WIDTH), "attention": weights(WIDTH, 3 * WIDTH, 10),
              "projection": weights(WIDTH, WIDTH, 11), "norm_2": norm(WIDTH), "up": weights(WIDTH, 4 * WIDTH, 12),
              "down": weights(4 * WIDTH, WIDTH, 13)}


def block(parameters, x):
    return transform(x, parameters, HEADS, is_causal=False)


WORKLOADS = [Workload("vit_block", block, (PARAMETERS, uniform(BATCH, TOKENS, WIDTH)), tolerance=1e-4)]
