#include "client/serialized_program.h"

#include <climits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "acceld/v1/acceld.pb.h"
#include "common/crypto/sha256.h"
#include "common/ir/wire/wire.h"
#include "google/protobuf/arena.h"

namespace acceld::client {
namespace {

constexpr absl::string_view kMagic = "acceld program 1\n";
constexpr size_t kSizeBytes = sizeof(uint64_t), kDigestBytes = sizeof(Sha256);
constexpr size_t kHeaderBytes = kMagic.size() + kSizeBytes + kDigestBytes;

std::string HeaderOf(absl::string_view body) {
  std::string header(kMagic);
  for (size_t i = 0; i < kSizeBytes; ++i) {
    header.push_back(static_cast<char>(body.size() >> (8 * i) & 0xff));
  }
  const Sha256 digest = Sha256Of(body);
  header.append(digest.begin(), digest.end());
  return header;
}

}  // namespace

std::string SerializeProgram(const Program& program) {
  google::protobuf::Arena arena;
  auto* const message = google::protobuf::Arena::CreateMessage<v1::Program>(&arena);
  ir::ToProto(program.module(), *message->mutable_module());
  message->set_entry(program.entry());
  const std::string body = message->SerializeAsString();
  return absl::StrCat(HeaderOf(body), body);
}

bool IsSerializedProgram(absl::string_view bytes) { return absl::StartsWith(bytes, kMagic); }

absl::StatusOr<DeserializedProgram> DeserializeProgram(absl::string_view bytes) {
  if (!IsSerializedProgram(bytes) || bytes.size() < kHeaderBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(bytes.size(), " bytes that are no serialized program"));
  }
  const absl::string_view body = bytes.substr(kHeaderBytes);
  if (HeaderOf(body) != bytes.substr(0, kHeaderBytes)) {
    return absl::DataLossError("a serialized program is damaged: its size or its SHA-256 differs");
  }
  google::protobuf::Arena arena;
  auto* const message = google::protobuf::Arena::CreateMessage<v1::Program>(&arena);
  if (body.size() > INT_MAX ||
      !message->ParseFromArray(body.data(), static_cast<int>(body.size()))) {
    return absl::InvalidArgumentError("the bytes of a serialized program are none");
  }
  DeserializedProgram program;
  ACCELD_ASSIGN_OR_RETURN(program.module, ir::FromProto(message->module()));
  program.entry = message->entry();
  return program;
}

}  // namespace acceld::client
