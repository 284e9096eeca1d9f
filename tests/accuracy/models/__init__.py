"""Whole models: a training step's loss and all its gradients, or what a step gives."""

from . import attention, gpt, k_means, lstm, mlp, resnet

MODELS = [model.ROW for model in (mlp, resnet, gpt, lstm, attention, k_means)]
