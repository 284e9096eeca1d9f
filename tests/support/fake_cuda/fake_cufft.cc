#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <numbers>
#include <vector>

#include "common/threads/mutex.h"
#include "tests/support/fake_cuda/fake_library.h"

// Fourier transforms by their definition, by the names of cuFFT and on streams of the fake driver,
// so that the library of this file can stand in for it. Every plan wants a workspace, into which it
// writes garbage; a transform to real values destroys its spectrum, and gives NaN for one that is
// not Hermitian.
namespace {

using acceld::Mutex;
using acceld::MutexLock;
using acceld::testing::fake::kGarbage;
using acceld::testing::fake::RunOnStream;
using Complex = std::complex<double>;

constexpr int kInvalidPlan = 1, kInvalidValue = 4;
constexpr int kRealFloat = 0, kRealDouble = 1, kComplexFloat = 4, kComplexDouble = 5;
constexpr size_t kWorkspaceBytes = 640;

struct FftPlan {
  std::vector<long long> sizes;
  int from_type = -1, to_type = -1;
  long long from_distance = 0, to_distance = 0, batch = 0;
  bool allocates = true;
  void* stream = nullptr;
  char* workspace = nullptr;
};

struct Plans {
  Mutex mutex;
  std::map<int, FftPlan> plans ABSL_GUARDED_BY(mutex);
  int next ABSL_GUARDED_BY(mutex) = 1;
};

Plans& AllPlans() {
  static auto* const plans = new Plans;  // Never freed.
  return *plans;
}

// Calls `change` with the plan; kInvalidPlan when there is none.
template <typename Change>
int WithPlan(int number, Change change) {
  Plans& all = AllPlans();
  MutexLock lock(all.mutex);
  const auto it = all.plans.find(number);
  return it == all.plans.end() ? kInvalidPlan : change(it->second);
}

Complex Read(int type, const char* data, long long index) {
  const auto* const floats = reinterpret_cast<const float*>(data);
  const auto* const doubles = reinterpret_cast<const double*>(data);
  switch (type) {
    case kRealFloat:
      return floats[index];
    case kRealDouble:
      return doubles[index];
    case kComplexFloat:
      return {floats[2 * index], floats[2 * index + 1]};
    default:
      return {doubles[2 * index], doubles[2 * index + 1]};
  }
}

void Write(int type, char* data, long long index, Complex value) {
  auto* const floats = reinterpret_cast<float*>(data);
  auto* const doubles = reinterpret_cast<double*>(data);
  switch (type) {
    case kRealFloat:
      floats[index] = static_cast<float>(value.real());
      return;
    case kRealDouble:
      doubles[index] = value.real();
      return;
    case kComplexFloat:
      floats[2 * index] = static_cast<float>(value.real());
      floats[2 * index + 1] = static_cast<float>(value.imag());
      return;
    default:
      doubles[2 * index] = value.real();
      doubles[2 * index + 1] = value.imag();
  }
}

bool IsReal(int type) { return type == kRealFloat || type == kRealDouble; }
size_t BytesOf(int type) { return type == kRealFloat ? 4 : type == kComplexDouble ? 16 : 8; }

// All dimensions of one item, one after the other.
void TransformAll(const std::vector<long long>& sizes, int direction, std::vector<Complex>& x) {
  long long inner = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    const long long n = sizes[d];
    std::vector<Complex> line(static_cast<size_t>(n));
    for (size_t first = 0; first < x.size(); ++first) {
      if (static_cast<long long>(first) / inner % n != 0) continue;
      for (long long k = 0; k < n; ++k) {
        Complex sum = 0;
        for (long long j = 0; j < n; ++j) {
          const double angle = direction * 2 * std::numbers::pi * static_cast<double>(j * k % n) /
                               static_cast<double>(n);
          sum += x[first + static_cast<size_t>(j * inner)] * std::polar(1.0, angle);
        }
        line[static_cast<size_t>(k)] = sum;
      }
      for (long long k = 0; k < n; ++k) {
        x[first + static_cast<size_t>(k * inner)] = line[static_cast<size_t>(k)];
      }
    }
    inner *= n;
  }
}

// The element of the half spectrum that says what element `index` of the whole one is; negative
// numbers from -1 for its conjugate.
long long InHalf(const std::vector<long long>& sizes, long long index) {
  const long long last = sizes.back(), half = last / 2 + 1, k = index % last;
  if (k < half) return index / last * half + k;
  long long rest = index / last, mirrored = 0, scale = 1;
  for (size_t d = sizes.size() - 1; d-- > 0;) {
    mirrored += (sizes[d] - rest % sizes[d]) % sizes[d] * scale;
    scale *= sizes[d];
    rest /= sizes[d];
  }
  return -1 - (mirrored * half + (last - k));
}

void RunItem(const FftPlan& plan, const char* from, char* to, int direction) {
  long long elements = 1;
  for (const long long size : plan.sizes) elements *= size;
  const bool to_real = IsReal(plan.to_type), from_real = IsReal(plan.from_type);
  std::vector<Complex> x(static_cast<size_t>(elements));
  for (long long i = 0; i < elements; ++i) {
    const long long at = to_real ? InHalf(plan.sizes, i) : i;
    const Complex value = Read(plan.from_type, from, at < 0 ? -1 - at : at);
    x[static_cast<size_t>(i)] = at < 0 ? std::conj(value) : value;
  }
  TransformAll(plan.sizes, from_real ? -1 : to_real ? 1 : direction, x);
  for (long long i = 0; i < elements; ++i) {
    Complex value = x[static_cast<size_t>(i)];
    if (to_real && std::abs(value.imag()) > 1e-4 * (1 + std::abs(value))) {
      value = std::numeric_limits<double>::quiet_NaN();
    }
    const long long at = from_real ? InHalf(plan.sizes, i) : i;
    if (at >= 0) Write(plan.to_type, to, at, value);
  }
}

}  // namespace

extern "C" {

int cufftCreate(int* plan) {
  if (const int result = FakeCudaBegin("cufftCreate"); result != 0) return result;
  Plans& all = AllPlans();
  MutexLock lock(all.mutex);
  *plan = all.next++;
  all.plans[*plan];
  FakeCudaCount(1);
  return 0;
}

int cufftDestroy(int plan) {
  Plans& all = AllPlans();
  MutexLock lock(all.mutex);
  if (!FakeCudaHasDevice() || all.plans.erase(plan) == 0) return kInvalidPlan;
  FakeCudaCount(-1);
  return 0;
}

int cufftSetAutoAllocation(int number, int allocates) {
  return WithPlan(number, [&](FftPlan& plan) {
    plan.allocates = allocates != 0;
    return 0;
  });
}

int cufftSetStream(int number, void* stream) {
  return WithPlan(number, [&](FftPlan& plan) {
    plan.stream = stream;
    return 0;
  });
}

int cufftSetWorkArea(int number, void* workspace) {
  return WithPlan(number, [&](FftPlan& plan) {
    plan.workspace = static_cast<char*>(workspace);
    return 0;
  });
}

int cufftXtMakePlanMany(int number, int rank, long long* sizes, long long* from_sizes,
                        long long from_stride, long long from_distance, int from_type,
                        long long* to_sizes, long long to_stride, long long to_distance,
                        int to_type, long long batch, size_t* workspace_bytes, int compute_type) {
  if (const int result = FakeCudaBegin("cufftXtMakePlanMany"); result != 0) return result;
  const bool types_fit =
      BytesOf(compute_type) == BytesOf(from_type) * (IsReal(from_type) ? 2 : 1) &&
      BytesOf(compute_type) == BytesOf(to_type) * (IsReal(to_type) ? 2 : 1) &&
      !(IsReal(from_type) && IsReal(to_type));
  long long inner = 1, half = 1;
  for (int d = 0; d < rank; ++d) {
    if (sizes[d] < 1) return kInvalidValue;
    inner *= sizes[d];
    half *= d == rank - 1 ? sizes[d] / 2 + 1 : sizes[d];
  }
  const bool is_half = IsReal(from_type) || IsReal(to_type);
  if (rank < 1 || rank > 3 || batch < 1 || !types_fit || from_sizes != nullptr ||
      to_sizes != nullptr || from_stride != 1 || to_stride != 1 ||
      from_distance != (is_half && !IsReal(from_type) ? half : inner) ||
      to_distance != (is_half && !IsReal(to_type) ? half : inner)) {
    return kInvalidValue;
  }
  return WithPlan(number, [&](FftPlan& plan) {
    if (plan.allocates) return kInvalidValue;  // Memory of the device is not this library's.
    plan.sizes.assign(sizes, sizes + rank);
    plan.from_type = from_type;
    plan.to_type = to_type;
    plan.from_distance = from_distance;
    plan.to_distance = to_distance;
    plan.batch = batch;
    *workspace_bytes = kWorkspaceBytes;
    return 0;
  });
}

int cufftXtExec(int number, void* from, void* to, int direction) {
  if (const int result = FakeCudaBegin("cufftXtExec"); result != 0) return result;
  return WithPlan(number, [&](FftPlan& plan) {
    if (plan.sizes.empty() || plan.workspace == nullptr) return kInvalidPlan;
    return RunOnStream(plan.stream, [plan, from, to, direction] {
      std::memset(plan.workspace, kGarbage, kWorkspaceBytes);
      const size_t from_bytes = static_cast<size_t>(plan.from_distance) * BytesOf(plan.from_type);
      const size_t to_bytes = static_cast<size_t>(plan.to_distance) * BytesOf(plan.to_type);
      for (long long i = 0; i < plan.batch; ++i) {
        const auto item = static_cast<size_t>(i);
        char* const source = static_cast<char*>(from) + item * from_bytes;
        RunItem(plan, source, static_cast<char*>(to) + item * to_bytes, direction);
        if (IsReal(plan.to_type)) std::memset(source, kGarbage, from_bytes);
      }
    });
  });
}

}  // extern "C"
