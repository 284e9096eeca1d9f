#include "client/pjrt/serialized_program.h"

#include <climits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "acceld/v1/acceld.pb.h"
#include "common/ir/wire.h"
#include "common/sha256.h"
#include "google/protobuf/arena.h"

namespace acceld::pjrt {
namespace {

constexpr absl::string_view kMagic = "acceld program 1\n";
constexpr size_t kDigestBytes = sizeof(Sha256);

absl::string_view BytesOf(const Sha256& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

std::string SerializeProgram(const client::Program& program) {
  google::protobuf::Arena arena;
  auto* const message = google::protobuf::Arena::CreateMessage<v1::Program>(&arena);
  ir::ToProto(program.module(), *message->mutable_module());
  message->set_entry(program.entry());
  const std::string body = message->SerializeAsString();
  const Sha256 digest = Sha256Of(body);
  return absl::StrCat(kMagic, BytesOf(digest), body);
}

absl::StatusOr<client::Program> DeserializeProgram(absl::string_view bytes) {
  if (!absl::StartsWith(bytes, kMagic) || bytes.size() < kMagic.size() + kDigestBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(bytes.size(), " bytes that are no executable which acceld has serialized"));
  }
  const absl::string_view digest = bytes.substr(kMagic.size(), kDigestBytes);
  const absl::string_view body = bytes.substr(kMagic.size() + kDigestBytes);
  if (BytesOf(Sha256Of(body)) != digest) {
    return absl::DataLossError("a serialized executable is damaged: its SHA-256 differs");
  }
  google::protobuf::Arena arena;
  auto* const message = google::protobuf::Arena::CreateMessage<v1::Program>(&arena);
  if (body.size() > INT_MAX ||
      !message->ParseFromArray(body.data(), static_cast<int>(body.size()))) {
    return absl::InvalidArgumentError("a serialized executable holds no program");
  }
  ACCELD_ASSIGN_OR_RETURN(ir::Module module, ir::FromProto(message->module()));
  return client::Program::FromModule(std::move(module), message->entry());
}

}  // namespace acceld::pjrt
