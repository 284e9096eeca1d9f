#include <utility>
#include <vector>

#include "client/pjrt/devices/client.h"
#include "client/pjrt/devices/fork.h"
#include "client/pjrt/functions.h"
#include "client/pjrt/transfer/buffer.h"
#include "common/ir/module.h"

// Copies of arrays from one device to another.
namespace acceld::pjrt {
namespace {

// Returns a program that returns its argument. Running it on a device copies the argument to that
// device.
absl::StatusOr<client::Program> CopyProgram(const ir::TensorType& type) {
  ir::Function function;
  function.name = "main";
  function.is_public = true;
  function.value_types = {ir::Type(type)};
  function.body.parameters = {0};
  function.body.results = {0};
  ir::Module module;
  module.name = "copy_to_device";
  module.functions.push_back(std::move(function));
  return client::Program::FromModule(std::move(module));
}

absl::StatusOr<PJRT_Buffer*> CopyTo(PJRT_Buffer& buffer, PJRT_Device& device) {
  ACCELD_RETURN_IF_ERROR(CheckNotForked());
  ACCELD_ASSIGN_OR_RETURN(const client::Array array, buffer.array());
  ACCELD_ASSIGN_OR_RETURN(const client::Program program, CopyProgram(buffer.type()));
  ACCELD_ASSIGN_OR_RETURN(std::vector<client::Array> copies,
                          device.client->session->Execute(program, {array}, device.daemon_id));
  return new PJRT_Buffer(std::move(copies[0]), &device);
}

}  // namespace

absl::Status Buffer_CopyToDevice(PJRT_Buffer_CopyToDevice_Args& args) {
  ACCELD_ASSIGN_OR_RETURN(args.dst_buffer, CopyTo(*args.buffer, *args.dst_device));
  return absl::OkStatus();
}

absl::Status Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args& args) {
  ACCELD_ASSIGN_OR_RETURN(args.dst_buffer, CopyTo(*args.buffer, *args.dst_memory->device));
  return absl::OkStatus();
}

}  // namespace acceld::pjrt
