#pragma once

#include "common/threads/fair_pool.h"
#include "common/threads/timer_queue.h"
#include "server/engine/engine.h"
#include "server/observability/instruments/rpc_instruments.h"
#include "server/rpc/auth/connections.h"
#include "server/rpc/auth/gate.h"
#include "server/rpc/options.h"
#include "server/rpc/session/session_table.h"

namespace acceld::rpc {

// The objects that the handlers of RPCs use. They outlive all calls.
struct RpcContext {
  engine::Engine& engine;
  const RpcOptions& options;
  observability::RpcInstruments& instruments;
  SessionTable& sessions;
  TimerQueue& timers;  // for short callbacks
  FairPool& decoders;  // the decode pool: for work that may take milliseconds
  const Gate& gate;
  Connections& connections;
};

}  // namespace acceld::rpc
