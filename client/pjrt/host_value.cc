#include "client/pjrt/host_value.h"

#include <algorithm>
#include <chrono>

#include "absl/types/span.h"

namespace acceld::pjrt {
namespace {

// How long a value that is computed may be on its way: the caller holds Python's lock meanwhile.
constexpr std::chrono::milliseconds kPatience{100};

}  // namespace

HostValue::HostValue(const client::Array& array)
    : bytes_(new char[static_cast<size_t>(std::max<int64_t>(array.type().size_bytes(), 1))]),
      fetched_(array.FetchIntoSoon(
          absl::MakeSpan(bytes_.get(), static_cast<size_t>(array.type().size_bytes())))) {
  if (fetched_.IsReady()) return;
  // The memory stays as long as bytes may be written to it.
  fetched_.OnReady([bytes = bytes_](const auto&) {});
  if (array.IsReady()) (void)fetched_.AwaitUntil(std::chrono::steady_clock::now() + kPatience);
}

}  // namespace acceld::pjrt
