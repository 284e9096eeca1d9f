#pragma once

// The whole interface for programs outside of this tree.
#include "client/admin.h"
#include "client/client.h"
#include "client/embedded/connect_or_start.h"
#include "client/npy.h"
#include "client/tracing.h"
#include "client/tracing/ops/optim.h"
