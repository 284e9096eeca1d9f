#include "server/rpc/decode/program.h"

#include "common/ir/program.h"
#include "common/ir/verify/limits.h"
#include "common/ir/verify/verifier.h"
#include "common/ir/wire/wire.h"

namespace acceld::rpc {

absl::StatusOr<ir::Module> DecodeProgram(const v1::Program& program) {
  switch (program.form_case()) {
    case v1::Program::kModule:
      return ir::FromProto(program.module());
    case v1::Program::kText: {
      const std::string& name = program.file_name();
      if (name.size() > static_cast<size_t>(ir::limits::kMaxNameBytes)) {
        return absl::InvalidArgumentError("the program's file name is too long");
      }
      ACCELD_ASSIGN_OR_RETURN(
          ir::Module module,
          ir::ReadProgram(program.text(), name.empty() ? "<program>" : name.c_str()));
      ACCELD_RETURN_IF_ERROR(ir::RefuseInternalOps(module));
      return module;
    }
    case v1::Program::FORM_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("the program has neither a module nor text");
}

std::string EntryOf(const v1::Program& program) {
  return program.entry().empty() ? "main" : program.entry();
}

}  // namespace acceld::rpc
