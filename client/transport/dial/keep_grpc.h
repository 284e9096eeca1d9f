#pragma once

#include "grpc/grpc.h"

namespace acceld::client {

// Keeps gRPC running until the process ends. It stops with the last object that uses it otherwise,
// and whoever drops that waits up to ten seconds for one of gRPC's own threads to look at its
// clock.
inline void KeepGrpc() {
  static const bool kept = [] {
    grpc_init();
    return true;
  }();
  (void)kept;
}

}  // namespace acceld::client
