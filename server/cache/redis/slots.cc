#include "server/cache/redis/slots.h"

namespace acceld::cache::redis {
namespace {

// CRC-16/XMODEM.
uint16_t Crc16(absl::string_view bytes) {
  uint16_t crc = 0;
  for (const char byte : bytes) {
    crc = static_cast<uint16_t>(crc ^ (static_cast<uint8_t>(byte) << 8));
    for (int bit = 0; bit < 8; ++bit) {
      crc = static_cast<uint16_t>((crc << 1) ^ ((crc & 0x8000) != 0 ? 0x1021 : 0));
    }
  }
  return crc;
}

}  // namespace

uint16_t SlotOf(absl::string_view key) {
  const size_t open = key.find('{');
  if (open != absl::string_view::npos) {
    const size_t close = key.find('}', open + 1);
    if (close != absl::string_view::npos && close > open + 1) {
      key = key.substr(open + 1, close - open - 1);
    }
  }
  return static_cast<uint16_t>(Crc16(key) % kNumSlots);
}

}  // namespace acceld::cache::redis
