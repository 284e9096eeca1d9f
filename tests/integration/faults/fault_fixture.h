#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/integration/daemon/daemon_fixture.h"
#include "tests/support/daemon/resource_count.h"

namespace acceld::testing {

// Faults around the real daemon, after which it holds what it held before: sessions, arrays, bytes,
// files, threads and memory are counted.
class FaultTest : public DaemonTest {
 protected:
  // Starts a daemon, lets a few clients do a bit of everything so that what it keeps for reuse is
  // there, and counts.
  void StartAndCount(const std::vector<std::string>& flags = {});
  // Drops the names that clients have left, then waits (not for long) until no more is held than at
  // first.
  void ExpectNothingLeft();
  // One client's mixed work of so many steps; true when all of it went well.
  bool DoMixedWork(std::shared_ptr<client::Client> client, uint32_t seed, int steps);
  // The daemon serves others: a hundred small questions are answered, one after the other.
  void ExpectServes();
  // `path` of the daemon's own socket.
  std::string socket_path() const { return folder_.path() + "/acceld.sock"; }

  ResourceCount before_;

 private:
  ResourceCount Count();
};

}  // namespace acceld::testing
