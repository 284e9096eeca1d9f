#include <complex>
#include <cstring>
#include <map>
#include <memory>

#include "common/ir/element.h"
#include "kernels/cuda/cublas/cublas_lt.h"
#include "server/hal/cuda/driver.h"

// Matrix products on the host, by the names of cuBLASLt, so that the library of this file can stand
// in for it. What it computes it computes later, on a stream of the fake driver; sums are doubles.
// Every product wants a workspace, into which it writes garbage.
extern "C" int cuLaunchHostFunc(acceld::hal::cuda::CuStream stream, void (*function)(void*),
                                void* data);

namespace {

using acceld::ir::DType;
using Algorithm = acceld::kernels::cuda::CublasLt::Algorithm;
using Heuristic = acceld::kernels::cuda::CublasLt::Heuristic;

constexpr int kNotSupported = 15, kInvalidValue = 7;
constexpr size_t kWorkspaceBytes = 4096;

struct LtHandle {};
struct LtPreference {
  std::map<int, uint64_t> attributes;
};
struct LtOperation {
  std::map<int, int32_t> attributes;
};
struct LtLayout {
  int type;
  uint64_t rows, columns;
  int64_t leading, batch = 1, batch_stride = 0;
};

DType DTypeOf(int type) {
  switch (type) {
    case 1:
      return DType::kF64;
    case 2:
      return DType::kF16;
    case 4:
      return DType::kC64;
    case 5:
      return DType::kC128;
    case 14:
      return DType::kBF16;
    default:
      return DType::kF32;
  }
}

// One matrix of a batch, element (row, column).
struct Matrix {
  LtLayout layout;
  char* data;
  bool transposed = false;

  std::complex<double> At(int64_t item, int64_t row, int64_t column) const {
    const int64_t index = item * layout.batch_stride + (transposed ? column + row * layout.leading
                                                                   : row + column * layout.leading);
    const DType dtype = DTypeOf(layout.type);
    return acceld::ir::IsComplex(dtype) ? acceld::ir::ReadComplex(dtype, data, index)
                                        : acceld::ir::ReadFloat(dtype, data, index);
  }

  void Set(int64_t item, int64_t row, int64_t column, std::complex<double> value) const {
    const DType dtype = DTypeOf(layout.type);
    const int64_t index = item * layout.batch_stride + row + column * layout.leading;
    if (acceld::ir::IsComplex(dtype)) {
      acceld::ir::WriteComplex(dtype, data, index, value);
    } else {
      acceld::ir::WriteFloat(dtype, data, index, value.real());
    }
  }
};

struct Product {
  Matrix a, b, d;
  char* workspace;

  void Run() const {
    std::memset(workspace, 0x3c, kWorkspaceBytes);
    const auto rows = static_cast<int64_t>(d.layout.rows);
    const auto columns = static_cast<int64_t>(d.layout.columns);
    const auto inner = static_cast<int64_t>(a.transposed ? a.layout.rows : a.layout.columns);
    for (int64_t item = 0; item < d.layout.batch; ++item) {
      for (int64_t row = 0; row < rows; ++row) {
        for (int64_t column = 0; column < columns; ++column) {
          std::complex<double> sum = 0;
          for (int64_t k = 0; k < inner; ++k) sum += a.At(item, row, k) * b.At(item, k, column);
          d.Set(item, row, column, sum);
        }
      }
    }
  }
};

bool Fits(const LtLayout& a, bool a_transposed, const LtLayout& b, bool b_transposed,
          const LtLayout& d) {
  return (a_transposed ? a.columns : a.rows) == d.rows &&
         (b_transposed ? b.rows : b.columns) == d.columns &&
         (a_transposed ? a.rows : a.columns) == (b_transposed ? b.columns : b.rows);
}

}  // namespace

extern "C" {

int cublasLtCreate(LtHandle** handle) {
  *handle = new LtHandle;
  return 0;
}

int cublasLtDestroy(LtHandle* handle) {
  delete handle;
  return 0;
}

int cublasLtMatmulDescCreate(LtOperation** operation, int, int) {
  *operation = new LtOperation;
  return 0;
}

int cublasLtMatmulDescDestroy(LtOperation* operation) {
  delete operation;
  return 0;
}

int cublasLtMatmulDescSetAttribute(LtOperation* operation, int attribute, const void* value,
                                   size_t bytes) {
  if (bytes != sizeof(int32_t)) return kInvalidValue;
  std::memcpy(&operation->attributes[attribute], value, bytes);
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
  if (bytes != (attribute == 5 ? sizeof(int32_t) : sizeof(int64_t))) return kInvalidValue;
  int32_t count = 0;
  if (attribute == 5) {
    std::memcpy(&count, value, bytes);
    layout->batch = count;
  } else {
    std::memcpy(&layout->batch_stride, value, bytes);
  }
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
  if (bytes != (attribute == 1 ? sizeof(uint64_t) : sizeof(uint32_t))) return kInvalidValue;
  std::memcpy(&preference->attributes[attribute], value, bytes);
  return 0;
}

int cublasLtMatmulAlgoGetHeuristic(LtHandle*, LtOperation* operation, LtLayout* a, LtLayout* b,
                                   LtLayout*, LtLayout* d, LtPreference* preference, int,
                                   Heuristic* found, int* num_found) {
  if (!Fits(*a, operation->attributes[3] == 1, *b, operation->attributes[4] == 1, *d)) {
    return kInvalidValue;
  }
  *num_found = preference->attributes[1] >= kWorkspaceBytes ? 1 : 0;
  if (*num_found == 0) return kNotSupported;
  *found = {.algorithm = {{42}}, .workspace_bytes = kWorkspaceBytes};
  return 0;
}

int cublasLtMatmul(LtHandle*, LtOperation* operation, const void*, const void* a_data, LtLayout* a,
                   const void* b_data, LtLayout* b, const void*, const void*, LtLayout*,
                   void* d_data, LtLayout* d, const Algorithm* algorithm, void* workspace,
                   size_t workspace_bytes, void* stream) {
  if (algorithm->data[0] != 42 || workspace == nullptr || workspace_bytes < kWorkspaceBytes) {
    return kInvalidValue;
  }
  const auto bytes = [](const void* data) { return static_cast<char*>(const_cast<void*>(data)); };
  auto* const product = new Product{{*a, bytes(a_data), operation->attributes[3] == 1},
                                    {*b, bytes(b_data), operation->attributes[4] == 1},
                                    {*d, bytes(d_data)},
                                    bytes(workspace)};
  return cuLaunchHostFunc(
      static_cast<acceld::hal::cuda::CuStream>(stream),
      [](void* data) {
        const std::unique_ptr<Product> run(static_cast<Product*>(data));
        run->Run();
      },
      product);
}

}  // extern "C"
