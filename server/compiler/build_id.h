#pragma once

#include <string>

// What BuildId (compiler.h) is made of.
namespace acceld::compiler {

// The build id that the linker noted in this executable, hexadecimal; empty when it noted none.
std::string BuildIdNote();

// An id that follows from the content of a file: for executables without a note. A file that cannot
// be read has a new id in every process, so that nothing of another build is taken for its own.
std::string BuildIdOfFile(const std::string& path);

}  // namespace acceld::compiler
