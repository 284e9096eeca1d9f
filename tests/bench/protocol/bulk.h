#pragma once

#include "tests/bench/protocol/raw_calls.h"
#include "tests/bench/protocol/servers.h"

// What an array of 256 MiB takes to the daemon and back. What is compared is measured in turns.
namespace acceld::bench {

// Prints the time of both directions over gRPC, beside a plain gRPC stream over the same transport
// with the same certificate.
void MeasureBulkOverGrpc(const PeerAddresses& peer, Transport transport, const BenchDaemon& daemon,
                         int rounds);
// Prints the time of both directions through shared memory, beside memcpy.
void MeasureBulkInMemory(const BenchDaemon& daemon, int rounds);

}  // namespace acceld::bench
