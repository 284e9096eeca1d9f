#pragma once

#include <vector>

#include "acceld/v1/acceld.pb.h"
#include "common/ir/module.h"
#include "common/status.h"
#include "server/engine/engine.h"

// Conversions between the engine's types and the messages of the protocol.
namespace acceld::rpc {

engine::Priority FromProto(v1::Priority priority);
v1::Priority ToProto(engine::Priority priority);
v1::ExecutionInfo ToProto(const engine::ExecutionInfo& info);
v1::DeviceInfo ToProto(const engine::DeviceInfo& info);
v1::Stats ToProto(const engine::EngineStats& stats);
v1::SessionInfo ToProto(const engine::SessionInfo& info);
v1::RunningExecution ToProto(const engine::RunningExecution& info);
v1::NamedArray ToProto(const engine::NamedArrayInfo& info);
v1::CacheEntry ToProto(const engine::CacheEntryInfo& info);
v1::IdentityCacheStats ToProto(const engine::IdentityInfo& info);
v1::CacheExplanation ToProto(const engine::CacheExplanation& explanation);
v1::ExecutableMemory ToProto(const engine::ExecutableMemory& memory);

// Returns the module of a program, which may have either form. May take long for a large program.
// The errors of ir::ReadProgram and ir::FromProto; INVALID_ARGUMENT when the program has no form.
absl::StatusOr<ir::Module> DecodeProgram(const v1::Program& program);
// Returns the name of the function to run: "main" when the program names none.
std::string EntryOf(const v1::Program& program);

}  // namespace acceld::rpc
