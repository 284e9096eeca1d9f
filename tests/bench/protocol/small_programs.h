#pragma once

#include <memory>

#include "client/client.h"
#include "tests/bench/protocol/raw_calls.h"

// What a small program takes: one after the other, and as many as possible.
namespace acceld::bench {

// Prints how long a submission takes in the client, and how many executions of a small program one
// client gets through in a second when their input is ready.
void MeasureSubmission(const std::shared_ptr<client::Client>& client, int executions);

// Prints the time from submission to result of a tiny program, of a fetch, and of waiting for an
// array that is ready, as multiples of the ping-pong on a plain gRPC stream over `transport`. They
// are measured in turns, `rounds` times each.
void MeasureRoundTrips(const PeerAddresses& peer, Transport transport,
                       const std::shared_ptr<client::Client>& client, int rounds);

}  // namespace acceld::bench
