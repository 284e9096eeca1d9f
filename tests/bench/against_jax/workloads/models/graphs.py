"""Message passing on a graph of 100,000 nodes and a million edges: gathered, summed by receiver, transformed."""

import jax

from ...operands import integers, uniform
from ...workload import Workload
from .language_models import weights

NODES, EDGES, WIDTH = 100_000, 1_000_000, 16


def pass_messages(own, neighbours, nodes, senders, receivers):
    received = jax.ops.segment_sum(nodes[senders], receivers, num_segments=NODES)
    return jax.nn.relu(nodes @ own + received @ neighbours)


WORKLOADS = [
    Workload("message_passing_1m_edges", pass_messages,
             (weights(WIDTH, WIDTH, 1), weights(WIDTH, WIDTH, 2), uniform(NODES, WIDTH),
              integers(EDGES, below=NODES, seed=3), integers(EDGES, below=NODES, seed=4)), tolerance=1e-4),
]
