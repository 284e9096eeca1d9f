#include "common/ir/conformance/program_file.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace acceld::ir {

std::vector<ProgramText> SplitProgramFile(absl::string_view bytes) {
  // The first bytes of MLIR's bytecode.
  if (absl::StartsWith(bytes, "ML\xEFR")) return {{.line = 1, .text = std::string(bytes)}};
  std::vector<ProgramText> programs;
  ProgramText program;
  int line = 1;
  bool is_program = false;
  const auto finish = [&] {
    if (is_program) programs.push_back(std::move(program));
    is_program = false;
    program = {.line = line + 1, .text = std::string(static_cast<size_t>(line), '\n')};
  };
  for (size_t begin = 0; begin < bytes.size(); ++line) {
    size_t end = bytes.find('\n', begin);
    end = end == absl::string_view::npos ? bytes.size() : end + 1;
    const absl::string_view text = bytes.substr(begin, end - begin);
    begin = end;
    if (absl::StartsWith(text, "// -----")) {
      finish();
      continue;
    }
    const absl::string_view words = absl::StripAsciiWhitespace(text);
    is_program = is_program || !(words.empty() || absl::StartsWith(words, "//"));
    program.text.append(text.data(), text.size());
  }
  finish();
  if (programs.empty()) programs.push_back({.line = 1, .text = std::string(bytes)});
  return programs;
}

}  // namespace acceld::ir
