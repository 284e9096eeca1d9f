#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/check.h"
#include "google/protobuf/stubs/logging.h"
#include "kernels/cpu/object_set.h"
#include "kernels/cuda/program/program.h"
#include "server/hal/executable.h"

// The readers of cache entries refuse or read any bytes: executables, and the sets of objects and
// programs of GPUs in them. What they read means the same after it was written and read again, and
// checking that a program keeps to its spaces ends well.
namespace {

using acceld::kernels::cuda::CudaProgram;

void CheckExecutable(const std::string& bytes) {
  const auto executable = acceld::hal::Deserialize(bytes);
  if (!executable.ok()) return;
  const auto again = acceld::hal::Deserialize(acceld::hal::Serialize(*executable));
  ACCELD_CHECK(again.ok());
  ACCELD_CHECK(again->Signature() == executable->Signature());
  ACCELD_CHECK(again->code == executable->code);
}

void CheckObjectSet(const std::string& bytes) {
  const auto objects = acceld::kernels::cpu::UnpackObjects(bytes);
  if (!objects.ok()) return;
  const std::vector<std::string> copies(objects->begin(), objects->end());
  const auto again = acceld::kernels::cpu::UnpackObjects(acceld::kernels::cpu::PackObjects(copies));
  ACCELD_CHECK(again.ok() && again->size() == copies.size());
}

void CheckCudaProgram(const std::string& bytes) {
  const auto program = acceld::kernels::cuda::Deserialize(bytes);
  if (!program.ok()) return;
  const auto written = acceld::kernels::cuda::Serialize(*program);
  ACCELD_CHECK(written.ok());
  ACCELD_CHECK(acceld::kernels::cuda::Deserialize(*written).ok());
  const acceld::kernels::cuda::SpaceSizes sizes{
      .arguments = {64, 1024}, .results = {64}, .arena = 512, .constants = 64};
  if (acceld::kernels::cuda::CheckProgram(*program, sizes).ok()) {
    ACCELD_CHECK(!program->steps.empty() || acceld::kernels::cuda::ToString(*program).empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  google::protobuf::SetLogHandler(nullptr);  // Damaged bytes are no news here.
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  CheckExecutable(bytes);
  CheckObjectSet(bytes);
  CheckCudaProgram(bytes);
  return 0;
}
