#include "common/ir/conformance/checks.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/ir/types/float_formats.h"

namespace acceld::ir {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Returns the distance of two floats if one is NaN or infinite; nullopt otherwise.
absl::optional<double> SpecialDistance(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : kInfinity;
  if (std::isinf(a) || std::isinf(b)) return a == b ? 0 : kInfinity;
  return absl::nullopt;
}

// How many representable values lie between a and b, counted through zero (-0 and +0 are one).
double UlpDistance(DType dtype, double a, double b) {
  if (const auto special = SpecialDistance(a, b)) return *special;
  const auto magnitude = [&](double value) {
    return static_cast<int64_t>(EncodeFloat(dtype, std::fabs(value)));
  };
  if (std::signbit(a) == std::signbit(b)) {
    return static_cast<double>(std::abs(magnitude(a) - magnitude(b)));
  }
  return static_cast<double>(magnitude(a)) + static_cast<double>(magnitude(b));
}

double AbsoluteDistance(double a, double b) {
  if (const auto special = SpecialDistance(a, b)) return *special;
  return std::fabs(a - b);
}

double AbsoluteDistance(const Complex& a, const Complex& b) {
  const double parts = std::max(AbsoluteDistance(a.real(), b.real()),  //
                                AbsoluteDistance(a.imag(), b.imag()));
  const Complex difference = a - b;
  return std::isfinite(difference.real()) && std::isfinite(difference.imag()) ? std::abs(difference)
                                                                              : parts;
}

double ExactDistance(double a, double b, bool nan_equal) {
  if (std::isnan(a) && std::isnan(b)) return nan_equal ? 0 : 1;
  return a == b ? 0 : 1;
}

// Returns a relative distance. Relative to 0, any difference is infinitely large.
double Scaled(double distance, double scale) {
  if (distance == 0) return 0;
  return scale > 0 ? distance / scale : kInfinity;
}

// Compares the elements of two tensors by one rule.
class Comparer {
 public:
  Comparer(const CheckRule& rule, const Literal& actual, const Literal& expected)
      : rule_(rule),
        dtype_(actual.type().dtype),
        actual_(actual.DenseBytes()),
        expected_(expected.DenseBytes()) {
    if (rule.tolerance != Tolerance::kRelativeToMax) return;
    for (int64_t i = 0, n = actual.type().num_elements(); i < n; ++i) {
      const double magnitude = std::abs(Number(expected_, i));
      if (std::isfinite(magnitude)) max_expected_ = std::max(max_expected_, magnitude);
    }
  }

  double DistanceAt(int64_t i) const {
    if (!IsFloat(dtype_) && !IsComplex(dtype_)) return IntegerDistanceAt(i);
    const Complex a = Number(actual_, i);
    const Complex e = Number(expected_, i);
    switch (rule_.tolerance) {
      case Tolerance::kExact:
        return std::max(ExactDistance(a.real(), e.real(), rule_.nan_equal),
                        ExactDistance(a.imag(), e.imag(), rule_.nan_equal));
      case Tolerance::kUlp: {
        const DType part = RealPartOf(dtype_);
        return std::max(UlpDistance(part, a.real(), e.real()),
                        UlpDistance(part, a.imag(), e.imag()));
      }
      case Tolerance::kAbsolute:
        return std::max(AbsoluteDistance(a.real(), e.real()), AbsoluteDistance(a.imag(), e.imag()));
      case Tolerance::kRelative:
        return Scaled(AbsoluteDistance(a, e), std::abs(e));
      case Tolerance::kRelativeToMax:
        return Scaled(AbsoluteDistance(a, e), max_expected_);
    }
    return kInfinity;
  }

  std::string ValuesAt(int64_t i) const {
    return absl::StrCat("got ", ValueAt(actual_, i), ", expected ", ValueAt(expected_, i));
  }

 private:
  // Also distinguishes integers that are equal as doubles.
  double IntegerDistanceAt(int64_t i) const {
    const int64_t a = ReadInt(dtype_, actual_.data(), i);
    const int64_t e = ReadInt(dtype_, expected_.data(), i);
    if (a == e) return 0;
    const auto difference = std::fabs(AsDouble(a) - AsDouble(e));
    switch (rule_.tolerance) {
      case Tolerance::kExact:
        return 1;
      case Tolerance::kUlp:
        return kInfinity;
      case Tolerance::kAbsolute:
        return std::max(difference, 1.0);
      case Tolerance::kRelative:
        return Scaled(std::max(difference, 1.0), std::fabs(AsDouble(e)));
      case Tolerance::kRelativeToMax:
        return Scaled(std::max(difference, 1.0), max_expected_);
    }
    return kInfinity;
  }

  double AsDouble(int64_t value) const {
    return IsUnsigned(dtype_) ? static_cast<double>(static_cast<uint64_t>(value))
                              : static_cast<double>(value);
  }

  Complex Number(const std::string& bytes, int64_t i) const {
    if (IsComplex(dtype_)) return ReadComplex(dtype_, bytes.data(), i);
    if (IsFloat(dtype_)) return {ReadFloat(dtype_, bytes.data(), i), 0};
    return {AsDouble(ReadInt(dtype_, bytes.data(), i)), 0};
  }

  std::string ValueAt(const std::string& bytes, int64_t i) const {
    if (IsComplex(dtype_)) {
      const Complex value = ReadComplex(dtype_, bytes.data(), i);
      return absl::StrCat("(", FloatText(value.real()), ", ", FloatText(value.imag()), ")");
    }
    if (IsFloat(dtype_)) return FloatText(ReadFloat(dtype_, bytes.data(), i));
    const int64_t value = ReadInt(dtype_, bytes.data(), i);
    return IsUnsigned(dtype_) ? absl::StrCat(static_cast<uint64_t>(value)) : absl::StrCat(value);
  }

  // Prints enough digits to distinguish neighbouring values.
  std::string FloatText(double value) const {
    char text[40];
    std::snprintf(text, sizeof(text), BitsOf(RealPartOf(dtype_)) == 64 ? "%.17g" : "%.9g", value);
    return text;
  }

  const CheckRule rule_;
  const DType dtype_;
  const std::string actual_;
  const std::string expected_;
  double max_expected_ = 0;
};

// "[1, 2]" for element `linear` of a tensor.
std::string IndexText(const Dims& dims, int64_t linear) {
  Dims index(dims.size(), 0);
  for (size_t d = dims.size(); d-- > 0; linear /= dims[d]) index[d] = linear % dims[d];
  return absl::StrCat("[", absl::StrJoin(index, ", "), "]");
}

std::string DistanceText(Tolerance tolerance, double distance) {
  switch (tolerance) {
    case Tolerance::kExact:
      return "unequal";
    case Tolerance::kUlp:
      return absl::StrCat(distance, " ulp");
    case Tolerance::kAbsolute:
      return absl::StrCat(distance, " absolute");
    case Tolerance::kRelative:
      return absl::StrCat(distance, " relative");
    case Tolerance::kRelativeToMax:
      return absl::StrCat(distance, " of the largest");
  }
  return "";
}

}  // namespace

std::string CheckRule::ToString() const {
  const char* nan = nan_equal ? ", NaN equal to NaN" : "";
  switch (tolerance) {
    case Tolerance::kExact:
      return absl::StrCat("equal", nan);
    case Tolerance::kUlp:
      return absl::StrCat("within ", bound, " ulp");
    case Tolerance::kAbsolute:
      return absl::StrCat("within ", bound);
    case Tolerance::kRelative:
      return absl::StrCat("within ", bound, " of the value");
    case Tolerance::kRelativeToMax:
      return absl::StrCat("within ", bound, " of the largest value");
  }
  return "";
}

absl::optional<CheckRule> RuleOfCheck(absl::string_view target) {
  if (target == "check.expect_eq") return CheckRule{Tolerance::kExact};
  if (target == "check.expect_close") return CheckRule{Tolerance::kUlp, 3};
  if (target == "check.expect_almost_eq") return CheckRule{Tolerance::kAbsolute, 0.001};
  if (target == "check.eq") return CheckRule{Tolerance::kAbsolute, 0.0001};
  return absl::nullopt;
}

Comparison Compare(const CheckRule& rule, const Literal& actual, const Literal& expected) {
  Comparison comparison;
  if (!(actual.type() == expected.type())) {
    comparison.max_distance = kInfinity;
    comparison.message =
        absl::StrCat("type ", actual.type().ToString(), ", expected ", expected.type().ToString());
    return comparison;
  }
  const Comparer comparer(rule, actual, expected);
  const int64_t count = actual.type().num_elements();
  int64_t failures = 0;
  int64_t first = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double distance = comparer.DistanceAt(i);
    comparison.max_distance = std::max(comparison.max_distance, distance);
    if (distance <= rule.bound) continue;
    if (failures++ == 0) first = i;
  }
  comparison.passed = failures == 0;
  if (comparison.passed) return comparison;
  comparison.message =
      absl::StrCat(failures, " of ", count, " elements are not ", rule.ToString(), "; first at ",
                   IndexText(actual.type().dims, first), ": ", comparer.ValuesAt(first), " (",
                   DistanceText(rule.tolerance, comparer.DistanceAt(first)),
                   "); largest distance: ", DistanceText(rule.tolerance, comparison.max_distance));
  return comparison;
}

}  // namespace acceld::ir
