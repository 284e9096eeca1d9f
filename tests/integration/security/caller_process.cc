// Another user of this machine, for tests that run as root:
//   caller_process UID GID ADDRESS SESSION_TOKEN INCARNATION SESSION_ID
// calls as that user and prints what it gets for each call: "devices OK". The
// token is in hexadecimal.

#include <grp.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "client/transport/bulk/segment_channel.h"
#include "tests/integration/raw_client.h"

namespace acceld::testing {
namespace {

void Print(const char* call, const grpc::Status& status) {
  std::cout << call << " "
            << absl::StatusCodeToString(static_cast<absl::StatusCode>(status.error_code())) << " "
            << status.error_message() << std::endl;
}

void Call(const std::string& address, const std::string& token, uint64_t incarnation,
          uint64_t session) {
  RawClient raw(address);
  grpc::ClientContext devices, kill, end, list;
  v1::ListDevicesReply listed;
  Print("devices", raw.stub().ListDevices(&devices, {}, &listed));
  v1::KillSessionRequest victim;
  victim.set_session_id(session);
  v1::KillSessionReply killed;
  Print("kill", raw.stub().KillSession(&kill, victim, &killed));
  v1::Command resume = Hello();
  resume.mutable_hello()->mutable_resume()->set_session_token(token);
  resume.mutable_hello()->mutable_resume()->set_incarnation(incarnation);
  Print("resume", raw.Send({resume}, 1).status);
  v1::EndSessionRequest ended;
  ended.set_session_token(token);
  v1::EndSessionReply none;
  Print("end", raw.stub().EndSession(&end, ended, &none));
  v1::ListSessionsReply sessions;
  Print("sessions", raw.stub().ListSessions(&list, {}, &sessions));
  std::cout << "seen " << sessions.sessions_size() << std::endl;
  const absl::Status segments =
      client::SegmentChannel::Open({.path = address.substr(address.find('/'))}, token).status();
  Print("segments", grpc::Status(static_cast<grpc::StatusCode>(segments.code()),
                                 std::string(segments.message())));
}

int Main(int argc, char** argv) {
  uint32_t uid = 0, gid = 0;
  uint64_t incarnation = 0, session = 0;
  if (argc != 7 || !absl::SimpleAtoi(argv[1], &uid) || !absl::SimpleAtoi(argv[2], &gid) ||
      !absl::SimpleAtoi(argv[5], &incarnation) || !absl::SimpleAtoi(argv[6], &session)) {
    std::cerr << "usage: caller_process UID GID ADDRESS SESSION_TOKEN "
                 "INCARNATION SESSION_ID\n";
    return 2;
  }
  if (setgroups(0, nullptr) != 0 || setgid(gid) != 0 || setuid(uid) != 0) {
    std::cerr << "cannot become user " << uid << "\n";
    return 1;
  }
  Call(argv[3], absl::HexStringToBytes(argv[4]), incarnation, session);
  return 0;
}

}  // namespace
}  // namespace acceld::testing

int main(int argc, char** argv) { return acceld::testing::Main(argc, argv); }
