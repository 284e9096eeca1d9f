// What each role may do.

#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/integration/security/access_fixture.h"

namespace acceld::testing {
namespace {

using client::Client;
using grpc::StatusCode;

class RolesTest : public AccessTest {
 protected:
  static std::vector<std::string> Methods() {
    const auto& service = *v1::CommandBatch::descriptor()->file()->FindServiceByName("Acceld");
    std::vector<std::string> names;
    for (int i = 0; i < service.method_count(); ++i) names.push_back(service.method(i)->name());
    return names;
  }
  // Gives `client` an array with this name.
  static absl::Status Publish(Client& client, const std::string& name,
                              client::PublishOptions options = {}) {
    const absl::StatusOr<client::Array> array = client.Upload(Floats({1, 2}));
    if (!array.ok()) return array.status();
    return client.Publish(*array, name, options);
  }
};

TEST_F(RolesTest, EveryRpcWantsACallerAndSomeWantAnAdmin) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  const std::set<std::string> for_admins = {
      "Drain",       "ExportCacheEntry", "GetTrace",   "ImportCacheEntry",
      "KillSession", "ListCache",        "PurgeCache", "VerifyCache"};
  for (const std::string& method : Methods()) {
    SCOPED_TRACE(method);
    ExpectRefused([&] { return AsNobody()->SendBytes(method, {""}); }, StatusCode::UNAUTHENTICATED,
                  "credentials", absl::StrCat("rpc=/acceld.v1.Acceld/", method, " "));
    for (const char* name : {"ann", "pia"}) {
      const auto call = [&] { return As(name)->SendBytes(method, {""}); };
      if (for_admins.count(method) > 0) {
        ExpectRefused(
            call, StatusCode::PERMISSION_DENIED, "role",
            absl::StrCat("rpc=/acceld.v1.Acceld/", method, " peer=[^ ]+ identity=token:", name));
      } else {
        const StatusCode code = call().error_code();
        EXPECT_TRUE(code != StatusCode::PERMISSION_DENIED && code != StatusCode::UNIMPLEMENTED);
      }
    }
  }
  EXPECT_FALSE(Admin().GetStats()->draining);
}

TEST_F(RolesTest, UnknownMethodsAreRefused) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  for (const char* method : {"/acceld.v1.Acceld/Shutdown", "/other.Service/Call",
                             "/grpc.channelz.v1.Channelz/GetServers"}) {
    ExpectRefused([&] { return As("ada")->SendBytes(method, {""}); }, StatusCode::UNIMPLEMENTED,
                  "method", absl::StrCat("rpc=", method));
  }
}

TEST_F(RolesTest, UsersSeeTheirOwnSessionsAndAdminsAll) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  const std::shared_ptr<Client> ann = ConnectAs("ann"), bob = ConnectAs("bob");
  const auto seen_by = [this](const std::string& name) {
    std::set<std::string> identities;
    const std::vector<client::SessionInfo> sessions = AdminAs(name)->ListSessions().value();
    for (const client::SessionInfo& session : sessions) {
      identities.insert(session.identity);
    }
    return identities;
  };
  EXPECT_EQ(seen_by("ann"), std::set<std::string>{"token:ann"});
  EXPECT_EQ(seen_by("bob"), std::set<std::string>{"token:bob"});
  // The session that Start asked with may not be gone yet.
  EXPECT_TRUE(Eventually(
      [&] { return seen_by("ada") == std::set<std::string>{"token:ann", "token:bob"}; }));
}

TEST_F(RolesTest, UsersSeeTheirOwnEndedSessionsAndAdminsAll) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  for (const char* name : {"ann", "bob"}) {
    const std::shared_ptr<Client> client = ConnectAs(name);
    ASSERT_TRUE(AdminAs("ada")->KillSession(FindSession(name)->id, "enough").ok());
  }
  const auto seen_by = [this](const std::string& name) {
    std::set<std::string> identities;
    const auto sessions = AdminAs(name)->ListEndedSessions().value();
    for (const client::EndedSessionInfo& session : sessions) {
      if (session.reason != "the session was ended by an administrator: enough") continue;
      identities.insert(session.identity);
    }
    return identities;
  };
  EXPECT_EQ(seen_by("ann"), std::set<std::string>{"token:ann"});
  EXPECT_EQ(seen_by("bob"), std::set<std::string>{"token:bob"});
  EXPECT_EQ(seen_by("ada"), (std::set<std::string>{"token:ann", "token:bob"}));
}

TEST_F(RolesTest, AdminsEndOthersSessions) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  const std::shared_ptr<Client> ann = ConnectAs("ann");
  EXPECT_TRUE(AdminAs("ada")->KillSession(FindSession("ann")->id, "").ok());
  EXPECT_TRUE(Eventually([&] { return !ann->status().ok(); }));
  EXPECT_THAT(daemon_->Log(), ::testing::HasSubstr("kill identity=token:ada"));
}

TEST_F(RolesTest, NamedArraysAreTheirOwnersUnlessForEveryone) {
  ASSERT_NO_FATAL_FAILURE(StartWithTls());
  const std::shared_ptr<Client> ann = ConnectAs("ann"), bob = ConnectAs("bob"),
                                pia = ConnectAs("pia"), ada = ConnectAs("ada");
  ASSERT_TRUE(Publish(*ann, "hers").ok());
  const auto as_grpc = [](const absl::Status& status) {
    return grpc::Status(static_cast<StatusCode>(status.code()), std::string(status.message()));
  };
  const std::string of_bob = "rpc=Channel.* identity=token:bob code=PERMISSION_DENIED";
  // For others it does not exist.
  EXPECT_EQ(bob->Open("hers").status(), absl::NotFoundError("no array is named 'hers'"));
  EXPECT_EQ(bob->DropName("hers"), absl::NotFoundError("no array is named 'hers'"));
  ExpectRefused([&] { return as_grpc(Publish(*bob, "his", {.for_everyone = true})); },
                StatusCode::PERMISSION_DENIED, "name", of_bob);
  EXPECT_TRUE(AdminAs("bob")->ListNames()->empty());
  EXPECT_EQ(AdminAs("ada")->ListNames()->size(), 1u);

  ASSERT_TRUE(Publish(*pia, "model", {.for_everyone = true}).ok());
  EXPECT_TRUE(bob->Open("model").ok());
  ExpectRefused([&] { return as_grpc(bob->DropName("model")); }, StatusCode::PERMISSION_DENIED,
                "name", of_bob);
  ExpectRefused([&] { return as_grpc(Publish(*bob, "model", {.replace = true})); },
                StatusCode::PERMISSION_DENIED, "name", of_bob);
  EXPECT_EQ(AdminAs("bob")->ListNames()->front().owner, "token:pia");
  EXPECT_TRUE(ada->DropName("model").ok());
}

}  // namespace
}  // namespace acceld::testing
