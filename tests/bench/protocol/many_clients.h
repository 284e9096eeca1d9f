#pragma once

#include <string>

#include "client/client.h"
#include "tests/bench/protocol/servers.h"

// Small executions of several client processes at once.
namespace acceld::bench {

// The first argument with which MeasureManyClients starts this very program: "--client", followed
// by the two arguments of RunClient.
inline constexpr char kClientFlag[] = "--client";

// The main function of one of the client processes: number `number` of those that share the file
// `board_path`. Never returns.
[[noreturn]] void RunClient(const std::string& board_path, int number);

// Prints how many executions 1, 4, 16, 64 and 256 processes get through together in a second, and
// how long each process waits for a group of executions: the 99 % quantile over all groups, and as
// a multiple of the fair share, which is the time that as many groups as there are processes take
// at that throughput. `folder` is for files.
void MeasureManyClients(const std::string& folder, const client::ConnectOptions& options,
                        double seconds);

}  // namespace acceld::bench
