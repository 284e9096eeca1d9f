#include "server/engine/staging.h"

#include <new>
#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::engine {

absl::StatusOr<Staging> AllocateStaging(int64_t size_bytes,
                                        const std::shared_ptr<runtime::Meter>& account,
                                        runtime::DeviceExecutor& executor) {
  ACCELD_RETURN_IF_ERROR(account->Charge(size_bytes));
  if (std::shared_ptr<hal::Buffer> buffer = executor.AllocateForHost(size_bytes);
      buffer != nullptr) {
    char* const bytes = static_cast<char*>(buffer->host_address());
    std::shared_ptr<const void> charge(
        bytes, [account, size_bytes](const void*) { account->Refund(size_bytes); });
    return Staging{bytes, std::move(charge), std::move(buffer)};
  }
  char* const bytes = new (std::nothrow) char[static_cast<size_t>(size_bytes)];
  if (bytes == nullptr) {
    account->Refund(size_bytes);
    return absl::ResourceExhaustedError(
        absl::StrCat("host memory: the system refuses ", size_bytes, " bytes"));
  }
  std::shared_ptr<const void> owner(bytes, [account, size_bytes](const char* block) {
    delete[] block;
    account->Refund(size_bytes);
  });
  return Staging{bytes, std::move(owner), nullptr};
}

absl::Status CheckElements(ir::DType dtype, absl::string_view bytes) {
  const int bits = ir::BitsOf(dtype);
  if (bits >= 8) return absl::OkStatus();
  int lowest = 0;
  int highest = (1 << bits) - 1;
  if (ir::IsSigned(dtype)) {
    lowest = -(1 << (bits - 1));
    highest = (1 << (bits - 1)) - 1;
  }
  for (const char byte : bytes) {
    const int value =
        ir::IsSigned(dtype) ? static_cast<signed char>(byte) : static_cast<unsigned char>(byte);
    if (value < lowest || value > highest) {
      return absl::InvalidArgumentError(
          absl::StrCat("an element of ", ir::DTypeName(dtype), " is ", value));
    }
  }
  return absl::OkStatus();
}

}  // namespace acceld::engine
