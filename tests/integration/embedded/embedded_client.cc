// A process that connects as a program does that needs no set-up, for tests to start and to kill:
//   embedded_client once|hold
// Prints the daemon's incarnation and its address in a line, then ends, or keeps its session. The
// exit code is 0 when it got a session.

#include <unistd.h>

#include <cstring>
#include <iostream>

#include "client/admin.h"
#include "client/embedded/connect_or_start.h"

namespace acceld::testing {
namespace {

absl::Status Main(bool hold) {
  ACCELD_ASSIGN_OR_RETURN(const std::shared_ptr<client::Client> client, client::ConnectOrStart());
  ACCELD_ASSIGN_OR_RETURN(const std::unique_ptr<client::Admin> admin,
                          client::Admin::Connect({.address = client->address()}));
  ACCELD_ASSIGN_OR_RETURN(const client::ServerStats stats, admin->GetStats());
  std::cout << stats.incarnation << " " << client->address() << std::endl;
  while (hold) pause();
  return absl::OkStatus();
}

}  // namespace
}  // namespace acceld::testing

int main(int argc, char** argv) {
  const absl::Status status = acceld::testing::Main(argc > 1 && std::strcmp(argv[1], "hold") == 0);
  if (!status.ok()) std::cerr << status << std::endl;
  return status.ok() ? 0 : 1;
}
