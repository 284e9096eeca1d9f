#include "common/crypto/random_bytes.h"

#include <openssl/rand.h>

#include <cstdint>

#include "common/check.h"

namespace acceld {

std::string RandomBytes(size_t size) {
  std::string bytes(size, '\0');
  ACCELD_CHECK(RAND_bytes(reinterpret_cast<uint8_t*>(bytes.data()), static_cast<int>(size)) == 1);
  return bytes;
}

}  // namespace acceld
