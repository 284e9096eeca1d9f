#include <algorithm>
#include <random>
#include <string>

#include "common/ir/fingerprint.h"
#include "common/ir/wire/wire.h"
#include "google/protobuf/stubs/logging.h"
#include "gtest/gtest.h"
#include "tests/unit/ir/sample_modules.h"

// Damaged programs get a status, never a crash. Deterministic: the engine is seeded with a constant
// and its outputs are specified by the standard.
namespace acceld::ir {
namespace {

constexpr int kMutationsPerModule = 3000;

// One to four random edits: a byte overwritten, a bit flipped, bytes removed, copied or inserted.
std::string Mutated(std::string bytes, std::mt19937& random) {
  const auto below = [&](size_t bound) { return random() % bound; };
  const size_t edits = 1 + below(4);
  for (size_t i = 0; i < edits && !bytes.empty(); ++i) {
    const size_t at = below(bytes.size());
    const size_t length = std::min<size_t>(1 + below(8), bytes.size() - at);
    switch (below(5)) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.insert(below(bytes.size()), bytes.substr(at, length));
        break;
      case 4:
        bytes.insert(at, 1, static_cast<char>(random()));
        break;
    }
  }
  return bytes;
}

// What was accepted must be good enough for everything after it.
bool Survives(const v1::Module& proto) {
  const absl::StatusOr<Module> module = FromProto(proto);
  if (!module.ok()) {
    EXPECT_FALSE(module.status().message().empty());
    return false;
  }
  for (const Function& function : module->functions) Fingerprint(*module, function.name);
  const absl::StatusOr<Module> again = FromProto(ToProto(*module));
  EXPECT_TRUE(again.ok()) << again.status();
  if (again.ok()) {
    // As text, as an attribute that is NaN does not equal itself.
    EXPECT_EQ(ToProto(*again).DebugString(), ToProto(*module).DebugString());
  }
  return true;
}

TEST(WireMutationTest, DamagedBytesNeverCrash) {
  const google::protobuf::LogSilencer silencer;  // About broken UTF-8.
  std::mt19937 random(12345);
  int parsed = 0;
  int accepted = 0;
  for (const Module& module : SampleModules()) {
    const std::string bytes = ToProto(module).SerializeAsString();
    for (int i = 0; i < kMutationsPerModule; ++i) {
      v1::Module proto;
      if (!proto.ParseFromString(Mutated(bytes, random))) continue;
      ++parsed;
      accepted += Survives(proto) ? 1 : 0;
    }
  }
  // The damage reaches past the protobuf parser, and some of it past the verifier. How much varies:
  // maps are serialized in no fixed order.
  EXPECT_GT(parsed, 100);
  EXPECT_GT(accepted, 10);
}

// Well-formed messages with wrong contents: random values in every field by reflection.
void Scramble(google::protobuf::Message& message, std::mt19937& random) {
  const auto* reflection = message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    using Field = google::protobuf::FieldDescriptor;
    const uint32_t value = random() % 4 == 0 ? random() : random() % 8;
    const bool hit = random() % 64 == 0;
    if (field->is_repeated()) {
      const int size = reflection->FieldSize(message, field);
      if (hit && size > 1) reflection->SwapElements(&message, field, value % size, 0);
      if (hit && value % 3 == 0) reflection->RemoveLast(&message, field);
      const int left = reflection->FieldSize(message, field);
      for (int i = 0; i < left; ++i) {
        if (field->cpp_type() == Field::CPPTYPE_MESSAGE) {
          if (!field->is_map()) {
            Scramble(*reflection->MutableRepeatedMessage(&message, field, i), random);
          }
        } else if (random() % 64 == 0 && field->cpp_type() == Field::CPPTYPE_UINT32) {
          reflection->SetRepeatedUInt32(&message, field, i, value);
        } else if (random() % 64 == 0 && field->cpp_type() == Field::CPPTYPE_INT64) {
          reflection->SetRepeatedInt64(&message, field, i, static_cast<int32_t>(value));
        }
      }
    } else if (field->cpp_type() == Field::CPPTYPE_MESSAGE) {
      if (hit) {
        reflection->ClearField(&message, field);
      } else {
        Scramble(*reflection->MutableMessage(&message, field), random);
      }
    } else if (hit && field->cpp_type() == Field::CPPTYPE_STRING) {
      reflection->SetString(&message, field, value % 2 == 0 ? "" : "stablehlo.while");
    } else if (hit && field->cpp_type() == Field::CPPTYPE_INT64) {
      reflection->SetInt64(&message, field, static_cast<int32_t>(value));
    }
  }
}

TEST(WireMutationTest, WrongContentsNeverCrash) {
  std::mt19937 random(54321);
  int accepted = 0;
  for (const Module& module : SampleModules()) {
    const v1::Module proto = ToProto(module);
    for (int i = 0; i < kMutationsPerModule; ++i) {
      v1::Module scrambled = proto;
      Scramble(scrambled, random);
      if (Survives(scrambled)) ++accepted;
    }
  }
  EXPECT_GT(accepted, 10);
}

}  // namespace
}  // namespace acceld::ir
