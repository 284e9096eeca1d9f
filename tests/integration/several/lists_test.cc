// Daemons whose addresses are listed.

#include "absl/strings/str_cat.h"
#include "tests/integration/several/several_fixture.h"

namespace acceld::testing {
namespace {

using client::Client;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ListsTest : public SeveralTest {
 protected:
  static CommandResult Accelctl(const std::string& address, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {BinDir() + "/accelctl", "--address", address});
    return RunCommand(arguments);
  }
};

TEST_F(ListsTest, SessionsAreSpreadOverSocketsAndTls) {
  ASSERT_NO_FATAL_FAILURE(StartDaemons(3));
  const std::string list = absl::StrCat(SocketOf(0), ",", TlsAddressOf(1), ",",
                                        NameAddress("nobody.invalid"), ",", TlsAddressOf(2));
  std::vector<std::shared_ptr<Client>> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(Connect(list));
    ASSERT_NE(clients.back(), nullptr);
    ExpectWorks(*clients.back());
  }
  EXPECT_THAT(Sessions(), ElementsAre(2, 2, 2));
}

TEST_F(ListsTest, ProcessesBeginAnywhere) {
  ASSERT_NO_FATAL_FAILURE(StartDaemons(2));
  // Each has one session. That a coin falls 20 times on the same side is no matter of chance.
  for (int i = 0; i < 20; ++i) {
    const CommandResult result = Accelctl(ListOfSockets(), {"names", "drop", "nothing"});
    EXPECT_NE(result.exit_code, 0);
    EXPECT_THAT(result.output, AllOf(HasSubstr("at unix:"), HasSubstr("nothing")));
  }
  EXPECT_GT(StatsOf(0).sessions_total, 1u);  // One is that of StartDaemon.
  EXPECT_GT(StatsOf(1).sessions_total, 1u);
}

TEST_F(ListsTest, AccelctlGoesWhereSomebodyIsAndSaysWhere) {
  ASSERT_NO_FATAL_FAILURE(StartDaemons(2));
  const std::string list = ListOfSockets();
  const CommandResult order = Accelctl(list, {"drain"});
  EXPECT_NE(order.exit_code, 0);
  EXPECT_THAT(order.output, AllOf(HasSubstr("an order is for one daemon"), HasSubstr(SocketOf(0)),
                                  HasSubstr(SocketOf(1))));
  Kill(0);
  const CommandResult stats = Accelctl(list, {"stats"});
  EXPECT_EQ(stats.exit_code, 0) << stats.output;
  EXPECT_THAT(stats.output, HasSubstr(absl::StrCat("at ", SocketOf(1))));
  Kill(1);
  const CommandResult none = Accelctl(list, {"stats"});
  EXPECT_NE(none.exit_code, 0);
  EXPECT_THAT(none.output, AllOf(HasSubstr("none of 2 acceld daemons"),
                                 HasSubstr(absl::StrCat(SocketOf(0), ": nobody listens there")),
                                 HasSubstr(absl::StrCat(SocketOf(1), ": nobody listens there"))));
}

TEST_F(ListsTest, ADaemonTakesNoListForItsOwnAddress) {
  const CommandResult result =
      RunCommand({"/usr/bin/env", "ACCELD_ADDRESS=unix:/a.sock,unix:/b.sock", BinDir() + "/acceld",
                  "--no-disk-cache"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, HasSubstr("listen: address 'unix:/a.sock,unix:/b.sock'"));
}

}  // namespace
}  // namespace acceld::testing
