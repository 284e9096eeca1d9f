#include "client/tools/accelctl/program_arguments.h"

#include <cstdint>
#include <iostream>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/file.h"
#include "client/npy.h"
#include "client/tools/accelctl/argument.h"
#include "client/tools/accelctl/views/types_text.h"

namespace acceld::tools {
namespace {

// How much of an error the types of all parameters may take.
constexpr size_t kTypesColumns = 160;

absl::Status CheckCount(absl::Span<const std::string> texts, const client::Program& program) {
  if (texts.size() == program.parameter_types().size()) return absl::OkStatus();
  std::vector<std::string> types;
  for (const ir::TensorType& type : program.parameter_types()) types.push_back(type.ToString());
  return absl::InvalidArgumentError(
      absl::StrCat("'", program.entry(), "' takes ", TypesText(types, "argument", kTypesColumns),
                   "; ", texts.size(), texts.size() == 1 ? " was" : " were", " given with --arg"));
}

// Reads a file, whose elements may stand for those of a dtype that NumPy lacks.
absl::StatusOr<ir::Literal> ParseAs(ir::DType dtype, absl::string_view text, uint32_t number) {
  ACCELD_ASSIGN_OR_RETURN(ir::Literal value, ParseArgument(text, number));
  return client::FromStorageBytes(std::move(value), dtype);
}

}  // namespace

absl::StatusOr<client::Program> LoadProgram(const std::string& path, const std::string& entry) {
  std::string bytes;
  if (path == "-") {
    bytes.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    ACCELD_ASSIGN_OR_RETURN(bytes, client::ReadFile(path));
  }
  return client::Program::FromBytes(bytes, path == "-" ? "<stdin>" : path, entry);
}

absl::StatusOr<std::vector<ir::Literal>> ParseArguments(absl::Span<const std::string> texts,
                                                        const client::Program& program) {
  ACCELD_RETURN_IF_ERROR(CheckCount(texts, program));
  std::vector<ir::Literal> values;
  for (size_t i = 0; i < texts.size(); ++i) {
    ACCELD_ASSIGN_OR_RETURN(ir::Literal value, ParseAs(program.parameter_types()[i].dtype, texts[i],
                                                       static_cast<uint32_t>(i)));
    values.push_back(std::move(value));
  }
  return values;
}

absl::StatusOr<std::vector<ir::TensorType>> ParseArgumentTypes(absl::Span<const std::string> texts,
                                                               const client::Program& program) {
  std::vector<ir::TensorType> types;
  if (texts.empty()) {
    for (const ir::TensorType& type : program.parameter_types()) {
      if (!type.IsStatic()) {
        return absl::InvalidArgumentError(
            absl::StrCat("argument ", types.size(), " is ", type.ToString(),
                         ": give all arguments with --arg, such as --arg 'f32[8,128]'"));
      }
      types.push_back(type);
    }
    return types;
  }
  ACCELD_RETURN_IF_ERROR(CheckCount(texts, program));
  for (size_t i = 0; i < texts.size(); ++i) {
    if (IsArgumentFile(texts[i])) {
      ACCELD_ASSIGN_OR_RETURN(const ir::Literal value, ParseAs(program.parameter_types()[i].dtype,
                                                               texts[i], static_cast<uint32_t>(i)));
      types.push_back(value.type());
    } else {
      ACCELD_ASSIGN_OR_RETURN(ir::TensorType type, ParseArgumentType(texts[i]));
      types.push_back(std::move(type));
    }
  }
  return types;
}

}  // namespace acceld::tools
