#include "tests/support/daemon/mixed_work.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"

namespace acceld::testing {
namespace {

using client::Array;

constexpr char kDoubleText[] = R"(
func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> {
  %y = stablehlo.add %x, %x : tensor<?xi32>
  return %y : tensor<?xi32>
}
)";

// Counts to the argument; to -1 for centuries.
constexpr char kCountText[] = R"(
func.func @main(%n: tensor<i64>) -> tensor<i64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %r = stablehlo.while(%i = %zero) : tensor<i64>
    cond {
      %c = stablehlo.compare NE, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i64>
      stablehlo.return %j : tensor<i64>
    }
  return %r : tensor<i64>
}
)";

constexpr int64_t kSide = 64;
constexpr char kMultiplyText[] = R"(
func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}
)";

// Each is compiled once.
constexpr int64_t kSizes[] = {1, 7, 16, 100, 1000, 4096, 20'000, 100'000, 400'000};

client::Program Parse(const char* text) {
  absl::StatusOr<client::Program> program = client::Program::FromText(text);
  ACCELD_CHECK(program.ok());
  return *std::move(program);
}

// Whole numbers so small that sums of products are exact.
ir::Literal SmallNumbers(int64_t seed) {
  std::vector<float> values(kSide * kSide);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>((static_cast<int64_t>(i) * 31 + seed) % 17);
  }
  return ir::Literal::FromValues<float>({ir::DType::kF32, {kSide, kSide}}, values);
}

ir::Literal Product(const ir::Literal& a, const ir::Literal& b) {
  const auto* x = reinterpret_cast<const float*>(a.bytes().data());
  const auto* y = reinterpret_cast<const float*>(b.bytes().data());
  std::vector<float> z(kSide * kSide, 0);
  for (int64_t i = 0; i < kSide; ++i) {
    for (int64_t k = 0; k < kSide; ++k) {
      for (int64_t j = 0; j < kSide; ++j) z[i * kSide + j] += x[i * kSide + k] * y[k * kSide + j];
    }
  }
  return ir::Literal::FromValues<float>({ir::DType::kF32, {kSide, kSide}}, z);
}

absl::Status ExpectCode(const absl::Status& status, absl::StatusCode code) {
  if (status.code() == code) return absl::OkStatus();
  if (absl::IsUnavailable(status)) return status;
  return absl::InternalError(
      absl::StrCat("instead of ", absl::StatusCodeToString(code), ": ", status.ToString()));
}

}  // namespace

MixedWork::MixedWork(std::shared_ptr<client::Client> client, Options options)
    : client_(std::move(client)),
      options_(std::move(options)),
      double_(Parse(kDoubleText)),
      multiply_(Parse(kMultiplyText)),
      count_(Parse(kCountText)),
      random_(options_.seed) {}

absl::Status MixedWork::Step() {
  switch (Random(0, 19)) {
    case 0:
      return CancelQueued();
    case 1:
      return TimeOut();
    case 2:
    case 3:
    case 4:
      return PublishAndOpen();
    case 5:
    case 6:
    case 7:
    case 8:
      return Multiply();
    case 9:
    case 10:
    case 11:
    case 12:
    case 13:
      return Transfer();
    default:
      return DoubleAgainAndAgain();
  }
}

absl::Status MixedWork::Transfer() {
  const double largest = static_cast<double>(options_.max_bytes / 4);
  // As many of each order of magnitude.
  const double exponent = std::uniform_real_distribution<double>(0, 1)(random_);
  const auto size = static_cast<size_t>(std::max(1.0, std::pow(largest, exponent)));
  const std::vector<int32_t> values = RandomValues(size);
  ACCELD_ASSIGN_OR_RETURN(const Array array, Upload(values));
  return Expect(array, values);
}

absl::Status MixedWork::DoubleAgainAndAgain() {
  const int64_t largest = options_.max_bytes / 4;
  int64_t size = 0;
  do {
    size = kSizes[Random(0, std::size(kSizes) - 1)];
  } while (size > largest);
  std::vector<int32_t> values = RandomValues(static_cast<size_t>(size));
  ACCELD_ASSIGN_OR_RETURN(Array array, Upload(values));
  const int64_t times = Random(1, 20);
  for (int64_t i = 0; i < times; ++i) {
    ACCELD_ASSIGN_OR_RETURN(const std::vector<Array> results, client_->Execute(double_, {array}));
    array = results.front();
  }
  operations_ += static_cast<uint64_t>(times);
  for (int32_t& value : values) {
    value = static_cast<int32_t>(static_cast<uint32_t>(value) << times);
  }
  return Expect(array, values);
}

absl::Status MixedWork::Multiply() {
  const ir::Literal a = SmallNumbers(Random(0, 1000)), b = SmallNumbers(Random(0, 1000));
  ACCELD_ASSIGN_OR_RETURN(const Array x, client_->Upload(a));
  ACCELD_ASSIGN_OR_RETURN(const Array y, client_->Upload(b));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Array> z, client_->Execute(multiply_, {x, y}));
  operations_ += 4;
  bytes_ += 3 * a.bytes().size();
  ACCELD_ASSIGN_OR_RETURN(const ir::Literal product, z.front().Fetch());
  if (product == Product(a, b)) return absl::OkStatus();
  return absl::InternalError("a wrong product");
}

absl::Status MixedWork::PublishAndOpen() {
  const std::vector<int32_t> values = RandomValues(static_cast<size_t>(Random(1, 50'000)));
  ACCELD_ASSIGN_OR_RETURN(const Array array, Upload(values));
  const std::string name = absl::StrCat(options_.name_prefix, "/", Random(0, 3));
  ACCELD_RETURN_IF_ERROR(client_->Publish(array, name, {.replace = true}));
  ACCELD_ASSIGN_OR_RETURN(const Array opened, client_->Open(name));
  ACCELD_RETURN_IF_ERROR(Expect(opened, values));
  operations_ += 3;
  return client_->DropName(name);
}

absl::Status MixedWork::CancelQueued() {
  ACCELD_ASSIGN_OR_RETURN(const Array endless,
                          client_->Upload(ir::Literal::Filled({ir::DType::kI64, {}}, -1)));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Array> first, client_->Execute(count_, {endless}));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Array> second, client_->Execute(count_, first));
  ACCELD_RETURN_IF_ERROR(first.front().Cancel("enough"));
  operations_ += 4;
  return ExpectCode(second.front().Fetch().status(), absl::StatusCode::kCancelled);
}

absl::Status MixedWork::TimeOut() {
  ACCELD_ASSIGN_OR_RETURN(const Array endless,
                          client_->Upload(ir::Literal::Filled({ir::DType::kI64, {}}, -1)));
  ACCELD_ASSIGN_OR_RETURN(
      const std::vector<Array> result,
      client_->Execute(count_, {endless}, 0, {.timeout = std::chrono::milliseconds(Random(0, 3))}));
  operations_ += 2;
  return ExpectCode(result.front().Await(), absl::StatusCode::kDeadlineExceeded);
}

int64_t MixedWork::Random(int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random_);
}

std::vector<int32_t> MixedWork::RandomValues(size_t size) {
  std::vector<int32_t> values(size);
  auto next = static_cast<uint32_t>(random_());
  for (int32_t& value : values) value = static_cast<int32_t>(next = next * 1664525 + 1013904223);
  return values;
}

absl::StatusOr<Array> MixedWork::Upload(const std::vector<int32_t>& values) {
  ++operations_;
  bytes_ += 4 * values.size();
  return client_->Upload(ir::Literal::FromValues<int32_t>(
      {ir::DType::kI32, {static_cast<int64_t>(values.size())}}, values));
}

absl::Status MixedWork::Expect(const Array& array, const std::vector<int32_t>& values) {
  ++operations_;
  bytes_ += 4 * values.size();
  std::vector<int32_t> fetched(values.size());
  ACCELD_RETURN_IF_ERROR(
      array.FetchInto(absl::MakeSpan(reinterpret_cast<char*>(fetched.data()), 4 * fetched.size())));
  if (fetched == values) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("wrong values, of ", values.size()));
}

}  // namespace acceld::testing
