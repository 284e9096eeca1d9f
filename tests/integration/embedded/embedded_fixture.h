#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "client/admin.h"
#include "client/embedded/connect_or_start.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/daemon/process.h"
#include "tests/support/eventually.h"

namespace acceld::testing {

// Tests with a user who has a folder for sockets, a home and no daemon. The daemon that a test
// starts at the user's address ends with the test.
class EmbeddedTest : public ::testing::Test {
 protected:
  EmbeddedTest();
  ~EmbeddedTest() override;

  // The user's default address, and its path.
  std::string address() const { return "unix:" + socket(); }
  std::string socket() const { return folder_.path() + "/run/acceld.sock"; }
  std::string log_path() const;

  // A session, or a failure.
  std::shared_ptr<client::Client> Connect(const client::StartOptions& options = {});
  // Which run of a daemon listens there; 0 and a failure: none.
  static uint64_t Incarnation(const std::string& address);
  bool IsAnybodyThere() const;

  // A process of embedded_client.cc; `name` tells its output from those of others.
  Process StartClient(const std::string& mode, const std::string& name);
  std::string OutputOf(const std::string& name) const;

  TempDir folder_;
};

}  // namespace acceld::testing
