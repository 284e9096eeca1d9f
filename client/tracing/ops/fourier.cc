#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/linalg.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/tracer.h"

namespace acceld::client::fft {
namespace {

// Transforms the last dimensions, as many as there are lengths.
Tensor Transform(Tracer& tracer, ir::FftType type, const Tensor& a, std::vector<int64_t> lengths) {
  return tracer.Emit(ir::OpKind::kFft, {a}, ir::FftAttributes{type, std::move(lengths)});
}

Tensor AsComplex(const Tensor& a) {
  return ir::IsComplex(a.dtype()) ? a : Complex(a, ZerosLike(a));
}

Tensor AlongAxis(absl::string_view operation, ir::FftType type, const Operand& a, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<int64_t> normal = NormalAxis(operation, axis, a.rank());
  if (!normal.ok()) return tracer->Fail(normal.status());
  const Tensor moved =
      MoveAxis(type == ir::FftType::kRfft ? a.tensor() : AsComplex(a), *normal, -1);
  if (!tracer->status().ok()) return moved;
  return MoveAxis(Transform(*tracer, type, moved, {moved.shape().back()}), -1, *normal);
}

Tensor OfPlane(absl::string_view operation, ir::FftType type, const Operand& a) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (a.rank() < 2)
    return tracer->Fail(operation, absl::StrCat(a.type().ToString(), " is no plane"));
  return Transform(*tracer, type, AsComplex(a),
                   {a.shape()[a.shape().size() - 2], a.shape().back()});
}

}  // namespace

Tensor Fft(const Operand& a, int64_t axis) { return AlongAxis("Fft", ir::FftType::kFft, a, axis); }
Tensor Ifft(const Operand& a, int64_t axis) {
  return AlongAxis("Ifft", ir::FftType::kIfft, a, axis);
}
Tensor Rfft(const Operand& a, int64_t axis) {
  return AlongAxis("Rfft", ir::FftType::kRfft, a, axis);
}

Tensor Irfft(const Operand& a, int64_t size, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<int64_t> normal = NormalAxis("Irfft", axis, a.rank());
  if (!normal.ok()) return tracer->Fail(normal.status());
  const int64_t given = a.shape()[static_cast<size_t>(*normal)];
  const int64_t length = size == 0 ? 2 * (given - 1) : size;
  if (length < 1 || length / 2 + 1 != given) {
    return tracer->Fail(
        "Irfft", absl::StrCat(given, " elements along axis ", axis, " of ", ShapeText(a.shape()),
                              " for a result of ", length, "; expected ", length / 2 + 1));
  }
  const Tensor moved = MoveAxis(AsComplex(a), *normal, -1);
  return MoveAxis(Transform(*tracer, ir::FftType::kIrfft, moved, {length}), -1, *normal);
}

Tensor Fft2(const Operand& a) { return OfPlane("Fft2", ir::FftType::kFft, a); }
Tensor Ifft2(const Operand& a) { return OfPlane("Ifft2", ir::FftType::kIfft, a); }

}  // namespace acceld::client::fft
