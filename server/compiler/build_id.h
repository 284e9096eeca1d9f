#pragma once

#include <string>

// The two sources of BuildId() (compiler.h): the linker's build-id note, or else a hash of the
// executable file.
namespace acceld::compiler {

// Returns the GNU build id that the linker wrote into this executable, in hexadecimal, or an empty
// string if the executable has none.
std::string BuildIdNote();

// Returns an id for an executable without a build-id note: a digest of the file's content. For an
// empty file or one that cannot be read, every call returns a new random id, "unknown-...", so that
// no cache entry of another build matches.
std::string BuildIdOfFile(const std::string& path);

}  // namespace acceld::compiler
