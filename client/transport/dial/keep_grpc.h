#pragma once

#include "grpc/grpc.h"

namespace acceld::client {

// Keeps gRPC initialized until the process ends. Otherwise gRPC shuts down with the last object
// that uses it, and the thread that destroys that object may wait up to ten seconds for one of
// gRPC's own threads.
inline void KeepGrpc() {
  static const bool kept = [] {
    grpc_init();
    return true;
  }();
  (void)kept;
}

}  // namespace acceld::client
