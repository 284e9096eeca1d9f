// Tokens, certificates and roles change while the daemon runs.

#include <signal.h>

#include <fstream>

#include "absl/strings/str_cat.h"
#include "tests/integration/security/access_fixture.h"

namespace acceld::testing {
namespace {

using grpc::StatusCode;
using ::testing::HasSubstr;

class ReloadTest : public AccessTest {
 protected:
  // As renewals do: the new file takes the place of the old.
  static void Replace(const std::string& from, const std::string& to) {
    ASSERT_EQ(rename(from.c_str(), to.c_str()), 0);
  }
  bool Says(const std::string& text) {
    return Eventually([&] { return daemon_->Log().find(text) != std::string::npos; });
  }
};

TEST_F(ReloadTest, TokensComeAndGo) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  const std::unique_ptr<RawClient> ann = As("ann");
  ASSERT_TRUE(ListDevices(*ann).ok());
  tokens_["ann"] = "another-token";
  WriteTokens();
  EXPECT_TRUE(Eventually([&] { return ListDevices(*As("ann")).ok(); }));
  EXPECT_EQ(ListDevices(*ann).error_code(), StatusCode::UNAUTHENTICATED);
}

TEST_F(ReloadTest, ABrokenFileChangesNothing) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  const auto broken = [this] { std::ofstream(tokens_file_) << "ann administrator sha256:00\n"; };
  broken();
  EXPECT_TRUE(Says("tokens and certificates stay as they are: " + tokens_file_ + ":1:"));
  daemon_->process.Signal(SIGHUP);
  EXPECT_TRUE(Says("got SIGHUP; the configuration stays as it is: " + tokens_file_ + ":1:"));
  EXPECT_TRUE(ListDevices(*As("ann")).ok());
}

TEST_F(ReloadTest, ANewServerCertificateIsShownToNewConnections) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  const std::unique_ptr<RawClient> before = As("ann");
  ASSERT_TRUE(ListDevices(*before).ok());
  const Authority next(folder_.path(), "next");
  const CertificateFiles renewed = next.IssueForServer("renewed");
  // For a moment they do not fit, and the old pair goes on.
  Replace(renewed.certificate, server_.certificate);
  EXPECT_TRUE(Says("the private key is not that of the certificate"));
  EXPECT_TRUE(ListDevices(*As("ann")).ok());
  Replace(renewed.key, server_.key);
  const auto call = [&] {
    RawClient raw(tcp_target(),
                  {.token = tokens_.at("ann"), .ca_pem = ReadText(next.certificate())});
    return ListDevices(raw);
  };
  EXPECT_TRUE(Eventually([&] { return call().ok(); }));
  EXPECT_EQ(ListDevices(*As("ann")).error_code(), StatusCode::UNAVAILABLE);
  EXPECT_TRUE(ListDevices(*before).ok());
}

TEST_F(ReloadTest, RolesFollowTheFileOnSighup) {
  const std::string path = folder_.path() + "/config.toml";
  std::ofstream(path) << "users = [\"cert:carl\"]\n";
  ASSERT_NO_FATAL_FAILURE(StartWithTls({"--config", path}));
  const std::unique_ptr<RawClient> carl = With(authority_.Issue("carl"));
  EXPECT_TRUE(ListDevices(*carl).ok());
  std::ofstream(path) << "users = [\"cert:dora\"]\n";
  daemon_->process.Signal(SIGHUP);
  EXPECT_TRUE(Says("setting users"));
  EXPECT_EQ(ListDevices(*carl).error_code(), StatusCode::PERMISSION_DENIED);
}

}  // namespace
}  // namespace acceld::testing
