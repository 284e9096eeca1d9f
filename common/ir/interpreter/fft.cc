#include <cmath>

#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/tensor.h"

// Source: StableHLO specification, "fft". Computed by the definition of the transform, one
// dimension after the other.
namespace acceld::ir::interpreter {
namespace {

// An array of complex numbers between operand and result.
struct Spectrum {
  Dims dims;
  std::vector<Complex> values;
};

// exp(sign 2 pi i k / n) for all k < n.
std::vector<Complex> RootsOfUnity(int64_t n, int sign) {
  constexpr double kPi = 3.14159265358979323846;
  std::vector<Complex> roots(n);
  for (int64_t k = 0; k < n; ++k) {
    const double angle = 2 * kPi * static_cast<double>(k) / static_cast<double>(n);
    roots[k] = {std::cos(angle), sign * std::sin(angle)};
  }
  return roots;
}

// Transforms along dimension `dim`; the inverse is scaled by 1 / n.
absl::Status TransformDimension(EvalContext& c, int64_t dim, bool inverse, Spectrum& x) {
  const int64_t n = x.dims[dim];
  const int64_t stride = RowMajorStrides(x.dims)[dim];
  const std::vector<Complex> roots = RootsOfUnity(n, inverse ? 1 : -1);
  std::vector<Complex> out(x.values.size());
  for (int64_t at = 0; at < static_cast<int64_t>(out.size()); ++at) {
    ACCELD_RETURN_IF_ERROR(c.machine.Charge(n));
    const int64_t k = at / stride % n;
    const int64_t first = at - k * stride;
    Complex sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      const Complex a = x.values[first + j * stride], w = roots[j * k % n];
      sum += Complex(a.real() * w.real() - a.imag() * w.imag(),
                     a.real() * w.imag() + a.imag() * w.real());
    }
    out[at] = inverse ? sum / static_cast<double>(n) : sum;
  }
  x.values = std::move(out);
  return absl::OkStatus();
}

// Changes the size of the last dimension. Elements beyond the old size are the conjugates of those
// at the other end, as in the spectrum of real numbers; imaginary parts that such a spectrum cannot
// have are dropped.
Spectrum ResizeLast(const Spectrum& x, int64_t size) {
  const int64_t old_size = x.dims.back();
  Spectrum out{x.dims, {}};
  out.dims.back() = size;
  out.values.resize(NumElements(out.dims));
  for (int64_t at = 0; at < static_cast<int64_t>(out.values.size()); ++at) {
    const int64_t row = at / size * old_size, k = at % size;
    if (size <= old_size) {
      out.values[at] = x.values[row + k];
    } else {
      out.values[at] = k < old_size ? x.values[row + k] : std::conj(x.values[row + (size - k)]);
    }
  }
  return out;
}

void DropImaginaryEnds(int64_t size, Spectrum& x) {
  const int64_t columns = x.dims.back();
  for (int64_t at = 0; at < static_cast<int64_t>(x.values.size()); ++at) {
    if (at % columns == 0 || 2 * (at % columns) == size) x.values[at] = x.values[at].real();
  }
}

}  // namespace

EvalResult EvalFft(EvalContext& c) {
  const auto& attributes = c.As<FftAttributes>();
  const auto transformed = static_cast<int64_t>(attributes.fft_length.size());
  const FftType type = attributes.fft_type;
  const bool inverse = type == FftType::kIfft || type == FftType::kIrfft;
  const TensorView operand(c.operand(0));
  TensorBuilder result(c.result());
  if (c.result().num_elements() == 0) return OneResult(result.Finish());

  Spectrum x{operand.type().dims, {}};
  for (int64_t i = 0; i < operand.type().num_elements(); ++i) {
    x.values.push_back(operand.At(i).complex);
  }
  const int64_t last = c.result().rank() - 1;
  if (type != FftType::kIrfft) {
    ACCELD_RETURN_IF_ERROR(TransformDimension(c, last, inverse, x));
    if (type == FftType::kRfft) x = ResizeLast(x, c.result().dims[last]);
  }
  for (int64_t dim = last - 1; dim > last - transformed; --dim) {
    ACCELD_RETURN_IF_ERROR(TransformDimension(c, dim, inverse, x));
  }
  if (type == FftType::kIrfft) {
    DropImaginaryEnds(c.result().dims[last], x);
    x = ResizeLast(x, c.result().dims[last]);
    ACCELD_RETURN_IF_ERROR(TransformDimension(c, last, inverse, x));
  }
  for (int64_t i = 0; i < c.result().num_elements(); ++i) result.Set(i, OfComplex(x.values[i]));
  return OneResult(result.Finish());
}

}  // namespace acceld::ir::interpreter
