// Who is let in over TCP: tokens and certificates, good and bad.

#include <fstream>

#include "absl/strings/str_cat.h"
#include "tests/integration/security/access_fixture.h"

namespace acceld::testing {
namespace {

using client::Client;
using grpc::StatusCode;
using ::testing::HasSubstr;

constexpr char kPeer[] = "peer=127.0.0.1:[0-9]+ ";

using CredentialsTest = AccessTest;

TEST_F(CredentialsTest, NobodyIsRefused) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  ExpectRefused([this] { return ListDevices(*AsNobody()); }, StatusCode::UNAUTHENTICATED,
                "credentials",
                absl::StrCat("rpc=/acceld.v1.Acceld/ListDevices ", kPeer,
                             "identity=\"\" code=UNAUTHENTICATED"));
}

TEST_F(CredentialsTest, AWrongTokenIsRefused) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  EXPECT_TRUE(ListDevices(*As("ann")).ok());
  for (const char* token : {"token-of-an", "token-of-annn", "TOKEN-OF-ANN"}) {
    ExpectRefused([&] { return ListDevices(*WithToken(token)); }, StatusCode::UNAUTHENTICATED,
                  "token", absl::StrCat("rpc=.* ", kPeer));
  }
  EXPECT_EQ(daemon_->Log().find("token-of"), std::string::npos);
}

TEST_F(CredentialsTest, HeadersThatAreNoTokenAreRefused) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  const std::unique_ptr<RawClient> nobody = AsNobody();
  const auto call = [&](const std::vector<std::string>& headers) {
    grpc::ClientContext context;
    for (const std::string& header : headers) context.AddMetadata("authorization", header);
    v1::ListDevicesReply reply;
    return nobody->stub().ListDevices(&context, v1::ListDevicesRequest(), &reply);
  };
  EXPECT_TRUE(call({"bearer token-of-ann"}).ok());
  for (const std::vector<std::string>& headers : {std::vector<std::string>{"Basic token-of-ann"},
                                                  {"token-of-ann"},
                                                  {"Bearer "},
                                                  {"Bearer token-of-ann", "Bearer token-of-ann"}}) {
    ExpectRefused([&] { return call(headers); }, StatusCode::UNAUTHENTICATED, "token", "");
  }
}

TEST_F(CredentialsTest, CertificatesNameWhoMayComeIn) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls({"--users", "cert:carl", "--admins", "cert:chef.example"}));
  EXPECT_TRUE(ListDevices(*With(authority_.Issue("carl"))).ok());
  // A DNS name stands before the common name.
  const CertificateFiles chef = authority_.Issue("carl2", "subjectAltName=DNS:chef.example");
  grpc::ClientContext context;
  v1::ListCacheReply reply;
  EXPECT_TRUE(With(chef)->stub().ListCache(&context, v1::ListCacheRequest(), &reply).ok());
  ExpectRefused([this] { return ListDevices(*With(authority_.Issue("dora"))); },
                StatusCode::PERMISSION_DENIED, "identity",
                absl::StrCat("rpc=.* ", kPeer, "identity=cert:dora"));
}

TEST_F(CredentialsTest, BadCertificatesAreRefused) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls({"--users", "cert:*"}));
  const Authority foreign(folder_.path(), "foreign");
  const struct {
    CertificateFiles files;
    const char* why;
  } cases[] = {
      {authority_.Issue("late", "", -1), "certificate has expired"},
      {foreign.Issue("stranger"), "unable to get local issuer certificate"},
      {authority_.IssueForServer("server2"), "(unsupported|unsuitable) certificate purpose"},
      {authority_.Issue("with space"), "no name that can be used"}};
  for (const auto& [files, why] : cases) {
    grpc::Status status;
    ExpectRefused([&] { return status = ListDevices(*With(files)); }, StatusCode::UNAUTHENTICATED,
                  "certificate", absl::StrCat("rpc=.* ", kPeer, ".*", why));
    EXPECT_THAT(status.error_message(), ::testing::ContainsRegex(why));
  }
}

TEST_F(CredentialsTest, HealthIsForEverybodyAndReflectionForUsers) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  EXPECT_EQ(AsNobody()->HealthOf("").value(), RawClient::Health::kServing);
  const std::string reflection = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
  EXPECT_TRUE(As("ann")->SendBytes(reflection, {}).ok());
  const std::string list_services("\x3a\x01*", 3);
  ExpectRefused([&] { return AsNobody()->SendBytes(reflection, {list_services}); },
                StatusCode::UNAUTHENTICATED, "credentials", "rpc=/grpc.reflection");
}

TEST_F(CredentialsTest, LoopbackWithoutTlsIsOnePlainUser) {
  ASSERT_NO_FATAL_FAILURE(StartDaemon({"--listen", "127.0.0.1:0"}));
  const auto client = Client::Connect({.address = tcp_target(), .client_name = "local"});
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_EQ(FindSession("local")->identity, "loopback");
  const auto admin = client::Admin::Connect({.address = tcp_target()});
  EXPECT_EQ((*admin)->Drain().status().code(), absl::StatusCode::kPermissionDenied);
}

TEST_F(CredentialsTest, LoopbackWithoutTlsCanBeRefused) {
  ASSERT_NO_FATAL_FAILURE(StartDaemon({"--listen", "127.0.0.1:0", "--refuse-anonymous"}));
  RawClient raw(tcp_target());
  ExpectRefused([&] { return ListDevices(raw); }, StatusCode::UNAUTHENTICATED, "credentials", "");
}

TEST_F(CredentialsTest, LoopbackWithoutTlsNeedsATokenWhereThereAreTokens) {
  ASSERT_NO_FATAL_FAILURE(
      StartDaemon({"--listen", "127.0.0.1:0", "--access-tokens", tokens_file_}));
  RawClient raw(tcp_target());
  ExpectRefused([&] { return ListDevices(raw); }, StatusCode::UNAUTHENTICATED, "credentials", "");
  const absl::Status without = Client::Connect({.address = tcp_target()}).status();
  EXPECT_EQ(without.code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(std::string(without.message()), HasSubstr("ACCELD_TOKEN_FILE"));
  const auto client = Client::Connect(
      {.address = tcp_target(), .credentials = {.token = "token-of-ann"}, .client_name = "ann"});
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_EQ(FindSession("ann")->identity, "token:ann");
}

TEST_F(CredentialsTest, ClientsAreToldWhatTheyMisunderstood) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  const auto said = [](client::ConnectOptions options) {
    return std::string(Client::Connect(std::move(options)).status().message());
  };
  EXPECT_THAT(said({.address = tcp_target()}),
              HasSubstr(absl::StrCat("if it expects TLS, write tls://", tcp_target())));
  EXPECT_THAT(said({.address = tls_address()}), HasSubstr("ACCELD_CA_FILE"));
  EXPECT_THAT(
      said({.address = tls_address(),
            .credentials = {.ca_file = authority_.certificate(), .server_name = "other.example"}}),
      HasSubstr("its certificate is for another name"));
  EXPECT_GT(Refusals("tls"), 0);
  ASSERT_NO_FATAL_FAILURE(StartDaemon({"--listen", "127.0.0.1:0"}));
  EXPECT_THAT(said({.address = "tls://" + tcp_target()}), HasSubstr("it does not expect TLS"));
}

TEST_F(CredentialsTest, AccelctlMakesTokensAndUsesThem) {
  const CommandResult made =
      RunCommand({BinDir() + "/accelctl", "token", "new", "tim", "--role", "admin"});
  ASSERT_EQ(made.exit_code, 0) << made.output;
  const auto line_behind = [&](const std::string& key) {
    const size_t at = made.output.find(key) + key.size();
    return made.output.substr(at, made.output.find('\n', at) - at);
  };
  const std::string token_file = folder_.path() + "/tim";
  std::ofstream(token_file) << line_behind("token: ") << "\n";
  std::ofstream(tokens_file_, std::ios::app) << line_behind("line:  ") << "\n";
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  const CommandResult cache =
      RunCommand({BinDir() + "/accelctl", "--address", tls_address(), "--ca-file",
                  authority_.certificate(), "--token-file", token_file, "cache", "ls"});
  EXPECT_EQ(cache.exit_code, 0) << cache.output;
}

}  // namespace
}  // namespace acceld::testing
