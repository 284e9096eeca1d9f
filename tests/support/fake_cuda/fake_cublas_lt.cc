#include <chrono>
#include <cmath>
#include <complex>
#include <cstring>
#include <map>
#include <thread>
#include <vector>

#include "common/ir/types/element.h"
#include "kernels/cuda/cublas/cublas_lt.h"
#include "tests/support/fake_cuda/fake_library.h"

// Matrix products on the host, by the names of cuBLASLt, so that the library of this file can stand
// in for it. What it computes it computes later, on a stream of the fake driver; sums are doubles,
// and rounded once. Every product wants a workspace, into which it writes garbage. It refuses what
// cublasLt.h and the library's documentation rule out; there are several algorithms for each
// product, and the first of a large one is slow.

namespace {

using acceld::ir::DType;
using Algorithm = acceld::kernels::cuda::CublasLt::Algorithm;
using Heuristic = acceld::kernels::cuda::CublasLt::Heuristic;

constexpr int kNotSupported = 15, kInvalidValue = 7;
constexpr size_t kWorkspaceBytes = 4096;
constexpr int kAlgorithms = 3;
constexpr uint64_t kFirstAlgorithm = 42;
constexpr int64_t kLargeWork = int64_t{1} << 24;

// cudaDataType_t, cublasComputeType_t and attributes.
constexpr int kR32F = 0, kR64F = 1, kR16F = 2, kR8I = 3, kC32F = 4, kC64F = 5, kR32I = 10;
constexpr int kR16BF = 14, kR8FE4M3 = 28, kR8FE5M2 = 29;
constexpr int kCompute32F = 68, kCompute64F = 70, kCompute32I = 72, kCompute32FFastTf32 = 77;
constexpr int kTransA = 3, kTransB = 4, kEpilogue = 7, kBiasPointer = 8;
constexpr int kBatchCount = 5, kBatchStride = 6;
constexpr int kMaxWorkspace = 1;
constexpr uint64_t kRelu = 2, kBias = 4, kGelu = 32;

struct LtHandle {};
struct LtPreference {
  std::map<int, uint64_t> attributes;
};
struct LtOperation {
  int compute, scale;
  std::map<int, uint64_t> attributes;

  bool Is(int attribute) const { return Get(attribute) != 0; }
  uint64_t Get(int attribute) const {
    const auto it = attributes.find(attribute);
    return it != attributes.end() ? it->second : attribute == kEpilogue ? 1 : 0;
  }
};
struct LtLayout {
  int type;
  uint64_t rows, columns;
  int64_t leading, batch = 1, batch_stride = 0;
};

DType DTypeOf(int type) {
  switch (type) {
    case kR64F:
      return DType::kF64;
    case kR16F:
      return DType::kF16;
    case kR8I:
      return DType::kI8;
    case kC32F:
      return DType::kC64;
    case kC64F:
      return DType::kC128;
    case kR32I:
      return DType::kI32;
    case kR16BF:
      return DType::kBF16;
    case kR8FE4M3:
      return DType::kF8E4M3FN;
    case kR8FE5M2:
      return DType::kF8E5M2;
    default:
      return DType::kF32;
  }
}

// What a product is but for its addresses.
struct Problem {
  LtOperation operation;
  LtLayout a, b, c, d;

  bool transposes_a() const { return operation.Is(kTransA); }
  bool transposes_b() const { return operation.Is(kTransB); }
  int64_t inner() const { return static_cast<int64_t>(transposes_a() ? a.rows : a.columns); }
  int64_t work() const { return d.batch * static_cast<int64_t>(d.rows * d.columns) * inner(); }

  bool Fits() const {
    return (transposes_a() ? a.columns : a.rows) == d.rows &&
           (transposes_b() ? b.rows : b.columns) == d.columns &&
           (transposes_b() ? b.columns : b.rows) == static_cast<uint64_t>(inner()) &&
           c.rows == d.rows && c.columns == d.columns && a.batch == d.batch && b.batch == d.batch &&
           c.batch == d.batch;
  }

  // The table of element types that the documentation of cublasLtMatmul has.
  bool HasTypes() const {
    const auto is = [&](int compute, int scale, int input, int output) {
      return operation.compute == compute && operation.scale == scale && a.type == input &&
             b.type == input && c.type == output && d.type == output;
    };
    const auto is_fp8 = [](int type) { return type == kR8FE4M3 || type == kR8FE5M2; };
    if (is_fp8(a.type) && is_fp8(b.type)) {
      return operation.compute == kCompute32F && operation.scale == kR32F &&
             !(a.type == kR8FE5M2 && b.type == kR8FE5M2) && c.type == d.type &&
             (d.type == kR32F || d.type == kR16F || d.type == kR16BF) && IsTn() && AllAre(16);
    }
    if (is(kCompute32I, kR32I, kR8I, kR32I)) return IsTn() && AllAre(4);
    return is(kCompute32F, kR32F, kR32F, kR32F) || is(kCompute32FFastTf32, kR32F, kR32F, kR32F) ||
           is(kCompute64F, kR64F, kR64F, kR64F) || is(kCompute32F, kR32F, kR16F, kR16F) ||
           is(kCompute32F, kR32F, kR16F, kR32F) || is(kCompute32F, kR32F, kR16BF, kR16BF) ||
           is(kCompute32F, kR32F, kR16BF, kR32F) || is(kCompute32F, kC32F, kC32F, kC32F) ||
           is(kCompute64F, kC64F, kC64F, kC64F);
  }

  bool HasEpilogue() const {
    const uint64_t epilogue = operation.Get(kEpilogue);
    if (epilogue == 1) return true;
    const bool is_wide_fp8 = d.type == kR32F && (a.type == kR8FE4M3 || a.type == kR8FE5M2);
    if ((d.type != kR32F && d.type != kR16F && d.type != kR16BF) || is_wide_fp8) return false;
    return epilogue == kRelu || epilogue == kBias || epilogue == (kRelu | kBias) ||
           epilogue == kGelu || epilogue == (kGelu | kBias);
  }
  bool HasBias() const { return (operation.Get(kEpilogue) & kBias) != 0; }

  uint64_t hash() const {
    uint64_t hash = 1469598103934665603u;
    const auto add = [&](uint64_t value) { hash = (hash ^ value) * 1099511628211u; };
    add(static_cast<uint64_t>(operation.compute));
    for (const int attribute : {kTransA, kTransB, kEpilogue}) add(operation.Get(attribute));
    for (const LtLayout* layout : {&a, &b, &c, &d}) {
      add(static_cast<uint64_t>(layout->type));
      add(layout->rows);
      add(layout->columns);
      add(static_cast<uint64_t>(layout->leading));
      add(static_cast<uint64_t>(layout->batch));
    }
    return hash;
  }

  // A status.
  int Check() const {
    if (!Fits() || (HasBias() && !operation.Is(kBiasPointer))) return kInvalidValue;
    return HasTypes() && HasEpilogue() ? 0 : kNotSupported;
  }

 private:
  bool IsTn() const { return transposes_a() && !transposes_b(); }
  bool AllAre(int64_t multiple) const {
    const auto are = [&](const LtLayout& layout) {
      return layout.rows % static_cast<uint64_t>(multiple) == 0 && layout.leading % multiple == 0;
    };
    return are(a) && are(b) && are(c) && are(d);
  }
};

// To a float of 10 mantissa bits, to even.
double RoundToTf32(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::isfinite(value) ? std::ldexp(std::nearbyint(std::ldexp(mantissa, 11)), exponent - 11)
                              : value;
}

template <typename Number>
Number Read(int type, const char* data, int64_t index) {
  const DType dtype = DTypeOf(type);
  if constexpr (std::is_same_v<Number, std::complex<double>>) {
    return acceld::ir::ReadComplex(dtype, data, index);
  } else {
    return acceld::ir::IsFloat(dtype)
               ? acceld::ir::ReadFloat(dtype, data, index)
               : static_cast<double>(acceld::ir::ReadInt(dtype, data, index));
  }
}

template <typename Number>
void Write(int type, char* data, int64_t index, Number value) {
  const DType dtype = DTypeOf(type);
  if constexpr (std::is_same_v<Number, std::complex<double>>) {
    acceld::ir::WriteComplex(dtype, data, index, value);
  } else if (acceld::ir::IsFloat(dtype)) {
    acceld::ir::WriteFloat(dtype, data, index, value);
  } else {
    acceld::ir::WriteInt(dtype, data, index, static_cast<int64_t>(value));
  }
}

// A scalar of the host, of the scale type; complex ones are real here.
double ReadScalar(int scale, const void* data) {
  switch (scale) {
    case kR32I:
      return *static_cast<const int32_t*>(data);
    case kR64F:
    case kC64F:
      return *static_cast<const double*>(data);
    default:
      return *static_cast<const float*>(data);
  }
}

struct Product {
  Problem problem;
  double alpha, beta;
  const char *a, *b, *c;
  char *d, *workspace;
  bool is_slow;

  void Run() const {
    std::memset(workspace, 0x3c, kWorkspaceBytes);
    if (is_slow) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    const bool complex = problem.d.type == kC32F || problem.d.type == kC64F;
    for (int64_t item = 0; item < problem.d.batch; ++item) {
      complex ? RunItem<std::complex<double>>(item) : RunItem<double>(item);
    }
  }

 private:
  // One matrix of a batch: rows of op(A), or columns of op(B), one after the other.
  template <typename Number>
  std::vector<Number> Lines(const LtLayout& layout, const char* data, bool along_columns,
                            int64_t item) const {
    std::vector<Number> lines;
    const auto rows = static_cast<int64_t>(layout.rows);
    const auto columns = static_cast<int64_t>(layout.columns);
    const bool rounds = problem.operation.compute == kCompute32FFastTf32;
    for (int64_t i = 0; i < (along_columns ? columns : rows); ++i) {
      for (int64_t j = 0; j < (along_columns ? rows : columns); ++j) {
        const int64_t index = item * layout.batch_stride +
                              (along_columns ? j + i * layout.leading : i + j * layout.leading);
        Number value = Read<Number>(layout.type, data, index);
        if constexpr (std::is_same_v<Number, double>) {
          if (rounds) value = RoundToTf32(value);
        }
        lines.push_back(value);
      }
    }
    return lines;
  }

  template <typename Number>
  void RunItem(int64_t item) const {
    const std::vector<Number> left = Lines<Number>(problem.a, a, problem.transposes_a(), item);
    const std::vector<Number> right = Lines<Number>(problem.b, b, !problem.transposes_b(), item);
    const int64_t inner = problem.inner();
    const LtLayout& to = problem.d;
    for (int64_t column = 0; column < static_cast<int64_t>(to.columns); ++column) {
      for (int64_t row = 0; row < static_cast<int64_t>(to.rows); ++row) {
        Number sum = 0;
        const Number* const x = &left[static_cast<size_t>(row * inner)];
        const Number* const y = &right[static_cast<size_t>(column * inner)];
        for (int64_t k = 0; k < inner; ++k) sum += x[k] * y[k];
        sum *= alpha;
        if (beta != 0) {
          sum +=
              beta * Read<Number>(problem.c.type, c,
                                  item * problem.c.batch_stride + row + column * problem.c.leading);
        }
        Write(to.type, d, item * to.batch_stride + row + column * to.leading,
              AfterEpilogue(sum, row));
      }
    }
  }

  std::complex<double> AfterEpilogue(std::complex<double> sum, int64_t) const { return sum; }
  double AfterEpilogue(double sum, int64_t row) const {
    const uint64_t epilogue = problem.operation.Get(kEpilogue);
    if (problem.HasBias()) {
      const auto* const bias = reinterpret_cast<const char*>(problem.operation.Get(kBiasPointer));
      sum += Read<double>(problem.d.type, bias, row);
    }
    if ((epilogue & kRelu) != 0) return sum > 0 ? sum : 0;
    if ((epilogue & kGelu) != 0) {
      return 0.5 * sum *
             (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) *
                            (sum + 0.044715 * sum * sum * sum)));
    }
    return sum;
  }
};

// Of attributes that are there.
size_t SizeOf(int operation_attribute) {
  switch (operation_attribute) {
    case kTransA:
    case kTransB:
    case kEpilogue:
      return 4;
    case kBiasPointer:
      return 8;
    default:
      return 0;
  }
}

}  // namespace

extern "C" {

int cublasLtGetProperty(int property, int* value) {
  static constexpr int kVersion[] = {13, 1, 0};
  if (property < 0 || property > 2) return kInvalidValue;
  *value = kVersion[property];
  return 0;
}

int cublasLtCreate(LtHandle** handle) {
  if (const int result = FakeCudaBegin("cublasLtCreate"); result != 0) return result;
  *handle = new LtHandle;
  return 0;
}

int cublasLtDestroy(LtHandle* handle) {
  delete handle;
  return 0;
}

int cublasLtMatmulDescCreate(LtOperation** operation, int compute, int scale) {
  *operation = new LtOperation{compute, scale, {}};
  return 0;
}

int cublasLtMatmulDescDestroy(LtOperation* operation) {
  delete operation;
  return 0;
}

int cublasLtMatmulDescSetAttribute(LtOperation* operation, int attribute, const void* value,
                                   size_t bytes) {
  if (bytes == 0 || bytes != SizeOf(attribute)) return kInvalidValue;
  uint64_t& to = operation->attributes[attribute];
  to = 0;
  std::memcpy(&to, value, bytes);
  return 0;
}

int cublasLtMatrixLayoutCreate(LtLayout** layout, int type, uint64_t rows, uint64_t columns,
                               int64_t leading) {
  *layout = new LtLayout{type, rows, columns, leading};
  return static_cast<uint64_t>(leading) < rows ? kInvalidValue : 0;
}

int cublasLtMatrixLayoutDestroy(LtLayout* layout) {
  delete layout;
  return 0;
}

int cublasLtMatrixLayoutSetAttribute(LtLayout* layout, int attribute, const void* value,
                                     size_t bytes) {
  if (attribute == kBatchCount && bytes == sizeof(int32_t)) {
    int32_t count = 0;
    std::memcpy(&count, value, bytes);
    layout->batch = count;
    return 0;
  }
  if (attribute != kBatchStride || bytes != sizeof(int64_t)) return kInvalidValue;
  std::memcpy(&layout->batch_stride, value, bytes);
  return 0;
}

int cublasLtMatmulPreferenceCreate(LtPreference** preference) {
  *preference = new LtPreference;
  return 0;
}

int cublasLtMatmulPreferenceDestroy(LtPreference* preference) {
  delete preference;
  return 0;
}

int cublasLtMatmulPreferenceSetAttribute(LtPreference* preference, int attribute, const void* value,
                                         size_t bytes) {
  if (bytes != (attribute == kMaxWorkspace ? sizeof(uint64_t) : sizeof(uint32_t))) {
    return kInvalidValue;
  }
  std::memcpy(&preference->attributes[attribute], value, bytes);
  return 0;
}

int cublasLtMatmulAlgoGetHeuristic(LtHandle*, LtOperation* operation, LtLayout* a, LtLayout* b,
                                   LtLayout* c, LtLayout* d, LtPreference* preference, int wanted,
                                   Heuristic* found, int* num_found) {
  const Problem problem{*operation, *a, *b, *c, *d};
  *num_found = 0;
  if (const int status = problem.Check(); status != 0) return status;
  if (preference->attributes[kMaxWorkspace] < kWorkspaceBytes) return kNotSupported;
  for (; *num_found < std::min(wanted, kAlgorithms); ++*num_found) {
    const auto number = static_cast<uint64_t>(*num_found);
    found[*num_found] = {.algorithm = {{kFirstAlgorithm + number, problem.hash()}},
                         .workspace_bytes = kWorkspaceBytes};
  }
  return 0;
}

int cublasLtMatmulAlgoCheck(LtHandle*, LtOperation* operation, LtLayout* a, LtLayout* b,
                            LtLayout* c, LtLayout* d, const Algorithm* algorithm,
                            Heuristic* found) {
  const Problem problem{*operation, *a, *b, *c, *d};
  if (const int status = problem.Check(); status != 0) return status;
  if (algorithm->data[0] - kFirstAlgorithm >= kAlgorithms || algorithm->data[1] != problem.hash()) {
    return kInvalidValue;
  }
  found->workspace_bytes = kWorkspaceBytes;
  found->state = 0;
  return 0;
}

int cublasLtMatmul(LtHandle* handle, LtOperation* operation, const void* alpha, const void* a_data,
                   LtLayout* a, const void* b_data, LtLayout* b, const void* beta,
                   const void* c_data, LtLayout* c, void* d_data, LtLayout* d,
                   const Algorithm* algorithm, void* workspace, size_t workspace_bytes,
                   void* stream) {
  Heuristic checked;
  const int status = cublasLtMatmulAlgoCheck(handle, operation, a, b, c, d, algorithm, &checked);
  if (status != 0) return status;
  if (workspace == nullptr || workspace_bytes < kWorkspaceBytes) return kInvalidValue;
  const Problem problem{*operation, *a, *b, *c, *d};
  const double scale = ReadScalar(operation->scale, alpha);
  const double addend_scale = ReadScalar(operation->scale, beta);
  if (operation->scale == kR32I && (scale != 1 || addend_scale * (1 - addend_scale) != 0)) {
    return kInvalidValue;
  }
  if (addend_scale != 0 && c_data == nullptr) return kInvalidValue;
  for (const void* data : {a_data, b_data, static_cast<const void*>(d_data)}) {
    if (data == nullptr || reinterpret_cast<uintptr_t>(data) % 16 != 0) return kInvalidValue;
  }
  const auto bytes = [](const void* data) { return static_cast<const char*>(data); };
  const Product product{
      .problem = problem,
      .alpha = scale,
      .beta = addend_scale,
      .a = bytes(a_data),
      .b = bytes(b_data),
      .c = bytes(c_data),
      .d = static_cast<char*>(d_data),
      .workspace = static_cast<char*>(workspace),
      .is_slow = algorithm->data[0] == kFirstAlgorithm && problem.work() >= kLargeWork};
  return acceld::testing::fake::RunOnStream(stream, [product] { product.Run(); });
}

}  // extern "C"
