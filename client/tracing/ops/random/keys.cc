// Keys, and the bits that follow from them.

#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/tracing/function.h"
#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/indexing.h"
#include "client/tracing/ops/random/parameters.h"
#include "client/tracing/ops/shapes.h"

namespace acceld::client::random {
namespace {

using ir::DType;

using Words = std::pair<Tensor, Tensor>;

Tensor RotateLeft(const Tensor& x, int bits) {
  return ShiftLeft(x, bits) | ShiftRightLogical(x, 32 - bits);
}

// The block cipher threefry2x32 with 20 rounds, of each pair of elements.
Words Encrypt(const Tensor& key0, const Tensor& key1, const Tensor& counts0,
              const Tensor& counts1) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const Tensor keys[3] = {key0, key1, key0 ^ key1 ^ 0x1BD11BDA};
  Tensor x = counts0 + keys[0], y = counts1 + keys[1];
  for (int group = 0; group < 5; ++group) {
    for (const int bits : kRotations[group % 2]) {
      x = x + y;
      y = RotateLeft(y, bits) ^ x;
    }
    x = x + keys[(group + 1) % 3];
    y = y + (keys[(group + 2) % 3] + (group + 1));
  }
  return {x, y};
}

// The cipher is a function of its own in the program: it has a hundred operations.
Words EncryptByCall(const Tensor& key, const Tensor& counts0, const Tensor& counts1) {
  static const auto* const kFunction =
      new auto(Jit([](const Tensor& k, const Tensor& x,
                      const Tensor& y) { return Encrypt(At(k, {0}), At(k, {1}), x, y); },
                   {.name = "threefry2x32"}));
  return (*kFunction)(key, counts0, counts1);
}

// The numbers 0, 1, 2, ... as pairs of the upper and the lower half.
Words Counts(const ir::Dims& shape) {
  const int64_t size = ir::TensorType{DType::kUI32, shape}.num_elements();
  if (size <= int64_t{std::numeric_limits<uint32_t>::max()}) {
    const Tensor low = Reshape(Arange(size, DType::kUI32), shape);
    return {ZerosLike(low), low};
  }
  const Tensor number = Reshape(Arange(size, DType::kUI64), shape);
  return {Convert(ShiftRightLogical(number, 32), DType::kUI32), Convert(number, DType::kUI32)};
}

}  // namespace

Tensor Key(uint64_t seed, std::source_location location) {
  const uint32_t words[] = {static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(seed)};
  return Constant(ir::Literal::FromValues<uint32_t>({DType::kUI32, {2}}, words), location);
}

Tensor Key(const Operand& seed) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(seed);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (Tracer::IsNumber(seed)) return Key(static_cast<uint64_t>(Tracer::Number(seed)));
  if (seed.rank() != 0 || !ir::IsInteger(seed.dtype())) {
    return tracer->Fail("Key", absl::StrCat("the seed is ", seed.type().ToString(),
                                            "; expected a scalar of integers"));
  }
  const Tensor low = Convert(seed, DType::kUI32);
  const Tensor high = ir::BitsOf(seed.dtype()) == 64
                          ? Convert(ShiftRightLogical(seed, 32), DType::kUI32)
                          : ZerosLike(low);
  return Stack({high, low});
}

Tensor Split(const Operand& key, int64_t count) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key);
  if (tracer == nullptr || !IsKey(*tracer, "Split", key)) return key;
  if (count < 0) return tracer->Fail("Split", absl::StrCat(count, " keys"));
  const auto [counts0, counts1] = Counts({count});
  const auto [high, low] = EncryptByCall(key, counts0, counts1);
  return Stack({high, low}, -1);
}

std::vector<Tensor> SplitKeys(const Operand& key, int64_t count) {
  const Tensor keys = random::Split(key, count);
  std::vector<Tensor> list;
  for (int64_t i = 0; i < count; ++i) {
    list.push_back(keys.rank() == 2 ? At(keys, {i}) : keys);
  }
  return list;
}

Tensor FoldIn(const Operand& key, const Operand& data) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key, data);
  if (tracer == nullptr || !IsKey(*tracer, "FoldIn", key)) return key;
  const Tensor low = Convert(tracer->InTrace(data, DType::kUI32), DType::kUI32);
  if (low.rank() != 0) {
    return tracer->Fail(
        "FoldIn", absl::StrCat("the data is ", data.type().ToString(), "; expected a scalar"));
  }
  const auto [high, rest] = EncryptByCall(key, ZerosLike(low), low);
  return Stack({high, rest});
}

Tensor Bits(const Operand& key, const ir::Dims& shape, DType dtype) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key);
  if (tracer == nullptr || !IsKey(*tracer, "Bits", key)) return key;
  if (!ir::IsInteger(dtype) || ir::IsSigned(dtype) || ir::BitsOf(dtype) < 8) {
    return tracer->Fail("Bits", absl::StrCat("the element type is ", ir::DTypeName(dtype),
                                             "; expected ui8, ui16, ui32 or ui64"));
  }
  const auto [counts0, counts1] = Counts(shape);
  const auto [high, low] = EncryptByCall(key, counts0, counts1);
  if (dtype != DType::kUI64) return Convert(high ^ low, dtype);
  return ShiftLeft(Convert(high, dtype), 32) | Convert(low, dtype);
}

}  // namespace acceld::client::random
