#pragma once

// Functions that are written once in C++ and run on the daemon: operations on tensors,
// transformations of functions, and their compilation.
#include "client/tensor.h"
#include "client/tracing/function.h"
#include "client/tracing/trace.h"
#include "client/tracing/transforms/control_flow.h"
#include "client/tracing/transforms/custom_rules.h"
#include "client/tracing/transforms/transforms.h"
#include "client/tracing/tree.h"
