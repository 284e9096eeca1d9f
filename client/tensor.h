#pragma once

// Tensors of traced functions, and all operations on them.
#include "client/tracing/host_call.h"
#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/contractions.h"
#include "client/tracing/ops/indexing.h"
#include "client/tracing/ops/linalg.h"
#include "client/tracing/ops/nn.h"
#include "client/tracing/ops/numerical.h"
#include "client/tracing/ops/random.h"
#include "client/tracing/ops/reductions.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/ops/sorting.h"
#include "client/tracing/ops/statistics.h"
#include "client/tracing/tensor.h"
