// What a daemon refuses to listen on, and how it says so.

#include <sys/stat.h>

#include <fstream>

#include "absl/strings/str_cat.h"
#include "tests/integration/security/access_fixture.h"

namespace acceld::testing {
namespace {

using ::testing::HasSubstr;

class ListeningTest : public AccessTest {
 protected:
  // Of a daemon that cannot start.
  CommandResult StartInVain(std::vector<std::string> flags) {
    flags.insert(flags.begin(), {BinDir() + "/acceld", "--no-disk-cache"});
    CommandResult result = RunCommand(flags);
    EXPECT_NE(result.exit_code, 0);
    return result;
  }
  std::vector<std::string> Tls() const {
    return {"--listen",          "tls://127.0.0.1:0", "--tls-cert",
            server_.certificate, "--tls-key",         server_.key};
  }
};

TEST_F(ListeningTest, PlaintextStaysOnLoopback) {
  for (const char* address : {"0.0.0.0:0", "[::]:0", "tcp://10.0.0.1:7070", "example.org:7070"}) {
    const CommandResult result = StartInVain({"--listen", address});
    EXPECT_THAT(result.output, HasSubstr("is not a loopback host"));
    EXPECT_THAT(result.output, HasSubstr("tls://HOST:PORT"));
  }
}

TEST_F(ListeningTest, TlsNeedsACertificateAndSomebodyToLetIn) {
  EXPECT_THAT(StartInVain({"--listen", "tls://127.0.0.1:0"}).output,
              HasSubstr("needs a certificate: set tls-cert and tls-key"));
  EXPECT_THAT(StartInVain(Tls()).output, HasSubstr("set access-tokens or tls-client-ca"));
}

TEST_F(ListeningTest, BadFilesAreNamed) {
  std::vector<std::string> flags = Tls();
  flags.insert(flags.end(), {"--access-tokens", tokens_file_});
  flags[5] = authority_.Issue("other").key;
  EXPECT_THAT(StartInVain(flags).output,
              HasSubstr("the private key is not that of the certificate"));
  flags[5] = folder_.path() + "/none";
  EXPECT_THAT(StartInVain(flags).output, HasSubstr(folder_.path() + "/none"));
  flags[5] = server_.key;
  std::ofstream(tokens_file_, std::ios::app) << "tim user token-of-tim\n";
  EXPECT_THAT(StartInVain(flags).output,
              HasSubstr(absl::StrCat(tokens_file_, ":5: expected sha256:")));
  EXPECT_THAT(StartInVain(flags).output, ::testing::Not(HasSubstr("token-of-tim")));
  WriteTokens();
  chmod(tokens_file_.c_str(), 0666);
  EXPECT_THAT(StartInVain(flags).output, HasSubstr("may be written by others"));
  EXPECT_THAT(StartInVain({"--users", "alice"}).output, HasSubstr("'alice' is not one of user:"));
  EXPECT_THAT(StartInVain({"--users", "user:nobody-of-that-name"}).output,
              HasSubstr("no user 'nobody-of-that-name'"));
  EXPECT_THAT(StartInVain({"--socket-mode", "0060"}).output, HasSubstr("'0060' is not a mode"));
}

}  // namespace
}  // namespace acceld::testing
