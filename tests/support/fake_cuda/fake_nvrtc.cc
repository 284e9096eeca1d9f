#include <cstring>
#include <string>

#include "tests/support/fake_cuda/host_code.h"

// CUDA's run-time compiler, whose machine code is the source, as the fake driver wants it. By the
// names of NVRTC, so that the library of this file can stand in for it.
namespace {

struct Program {
  std::string source, log;
};

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = 0;
  *minor = 1;
  return 0;
}

int nvrtcGetNumSupportedArchs(int* count) {
  *count = 1;
  return 0;
}

int nvrtcGetSupportedArchs(int* architectures) {
  *architectures = 90;
  return 0;
}

int nvrtcCreateProgram(Program** program, const char* source, const char*, int, const char* const*,
                       const char* const*) {
  *program = new Program{source, ""};
  return 0;
}

int nvrtcDestroyProgram(Program** program) {
  delete *program;
  return 0;
}

int nvrtcCompileProgram(Program* program, int, const char* const*) {
  const auto code = acceld::testing::HostCode::Compile(program->source);
  if (!code.ok()) program->log = std::string(code.status().message());
  return code.ok() ? 0 : 6;  // NVRTC_ERROR_COMPILATION
}

int nvrtcGetProgramLogSize(Program* program, size_t* size) {
  *size = program->log.size() + 1;
  return 0;
}

int nvrtcGetProgramLog(Program* program, char* log) {
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return 0;
}

int nvrtcGetCUBINSize(Program* program, size_t* size) {
  *size = program->source.size() + 1;
  return 0;
}

int nvrtcGetCUBIN(Program* program, char* cubin) {
  std::memcpy(cubin, program->source.c_str(), program->source.size() + 1);
  return 0;
}

// PTX, too, is the source.
int nvrtcGetPTXSize(Program* program, size_t* size) { return nvrtcGetCUBINSize(program, size); }
int nvrtcGetPTX(Program* program, char* ptx) { return nvrtcGetCUBIN(program, ptx); }

}  // extern "C"
