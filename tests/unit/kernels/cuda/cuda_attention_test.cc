#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/ir/types/element.h"
#include "gtest/gtest.h"
#include "kernels/cuda/attention/attention.h"
#include "kernels/cuda/emit/device_code.h"
#include "tests/support/fake_cuda/host_code.h"
#include "tests/unit/kernels/attention_cases.h"

// The kernels of attention, run by the host, against what AttentionShape says.
namespace acceld::kernels::cuda {
namespace {

using ir::DType;

// Elements at multiples of 64 bytes, with some behind them that nobody may touch.
class Buffer {
 public:
  static constexpr int64_t kGuardBytes = 64;
  Buffer(DType dtype, int64_t elements)
      : dtype_(dtype),
        size_(elements * ir::StorageBytesOf(dtype)),
        bytes_(static_cast<size_t>(size_ + 64 + kGuardBytes), '\x7f') {}

  char* data() {
    const auto address = reinterpret_cast<uintptr_t>(bytes_.data());
    return bytes_.data() + (64 - address % 64) % 64;
  }
  double At(int64_t i) { return ir::ReadFloat(dtype_, data(), i); }
  void Set(int64_t i, double value) { ir::WriteFloat(dtype_, data(), i, value); }
  bool GuardHolds() {
    for (int64_t i = 0; i < kGuardBytes; ++i) {
      if (data()[size_ + i] != '\x7f') return false;
    }
    return true;
  }

 private:
  DType dtype_;
  int64_t size_;
  std::string bytes_;
};

class CaseRun {
 public:
  explicit CaseRun(const AttentionCase& test_case)
      : shape_(test_case.shape),
        query_(shape_.dtype, Reach(shape_.query, shape_.queries, shape_.depth)),
        key_(shape_.dtype, Reach(shape_.key, shape_.keys, shape_.depth)),
        value_(shape_.dtype, Reach(shape_.value, shape_.keys, shape_.features)),
        out_(shape_.output_dtype, Reach(shape_.output, shape_.queries, shape_.features)),
        bias_(shape_.bias ? shape_.bias->dtype : DType::kF32,
              shape_.bias ? Reach(shape_.bias->at, shape_.queries, shape_.keys) : 0) {
    Fill(query_, Reach(shape_.query, shape_.queries, shape_.depth), 3);
    Fill(key_, Reach(shape_.key, shape_.keys, shape_.depth), 3);
    Fill(value_, Reach(shape_.value, shape_.keys, shape_.features), 1);
    if (shape_.bias) Fill(bias_, Reach(shape_.bias->at, shape_.queries, shape_.keys), 2);
    for (const AttentionShape::Mask& mask : shape_.masks) {
      const int64_t elements = Reach(mask.at, shape_.queries, shape_.keys);
      Buffer& buffer = masks_.emplace_back(DType::kI1, elements);
      const double density = mask.keeps_when ? test_case.mask_density : 1 - test_case.mask_density;
      for (int64_t i = 0; i < elements; ++i) {
        buffer.data()[i] = std::bernoulli_distribution(density)(random_);
      }
    }
  }

  void Kernel(const testing::HostCode::Kernel& kernel, const AttentionKernel& printed) {
    std::vector<std::string> addresses;
    const auto add = [&](Buffer& buffer) {
      char* const address = buffer.data();
      addresses.emplace_back(reinterpret_cast<const char*>(&address), sizeof(address));
    };
    for (Buffer* buffer : {&query_, &key_, &value_}) add(*buffer);
    if (shape_.bias) add(bias_);
    for (Buffer& mask : masks_) add(mask);
    add(out_);
    kernel.Run(addresses, printed.blocks, printed.threads);
  }

  void Check(const std::string& name) {
    // Scores of narrow floats are of the order of 10, probabilities are rounded once.
    const double tolerance = shape_.dtype == DType::kF32   ? 2e-5
                             : shape_.dtype == DType::kF16 ? 3e-3
                                                           : 2e-2;
    EXPECT_TRUE(out_.GuardHolds()) << name;
    for (int64_t b = 0; b < shape_.batches(); ++b) {
      for (int64_t i = 0; i < shape_.queries; ++i) {
        const std::vector<double> expected = Row(b, i);
        for (int64_t f = 0; f < shape_.features; ++f) {
          const double x = expected[static_cast<size_t>(f)];
          const double y = out_.At(Index(shape_.output, b, i, f));
          if (std::isnan(x) && std::isnan(y)) continue;
          ASSERT_NEAR(x, y, tolerance)
              << name << " batch " << b << " query " << i << " feature " << f;
        }
      }
    }
  }

 private:
  int64_t Reach(const AttentionOperand& operand, int64_t rows, int64_t columns) const {
    return ReachOf(shape_, operand, rows, columns);
  }
  void Fill(Buffer& buffer, int64_t elements, double range) {
    std::uniform_real_distribution<double> values(-range, range);
    for (int64_t i = 0; i < elements; ++i) buffer.Set(i, values(random_));
  }
  int64_t Index(const AttentionOperand& at, int64_t b, int64_t row, int64_t column) const {
    int64_t index = at.offset + row * at.row_stride + column * at.column_stride;
    for (size_t d = shape_.batch.size(); d-- > 0; b /= shape_.batch[d]) {
      index += b % shape_.batch[d] * at.batch_strides[d];
    }
    return index;
  }

  bool Keeps(int64_t b, int64_t i, int64_t j) {
    for (size_t m = 0; m < masks_.size(); ++m) {
      const AttentionShape::Mask& mask = shape_.masks[m];
      if ((masks_[m].data()[Index(mask.at, b, i, j)] != 0) != mask.keeps_when) return false;
    }
    return (!shape_.last_key || j <= shape_.last_key->row_step * i + shape_.last_key->offset) &&
           (!shape_.first_key || j >= shape_.first_key->row_step * i + shape_.first_key->offset);
  }

  std::vector<double> Row(int64_t b, int64_t i) {
    std::vector<double> scores, row(static_cast<size_t>(shape_.features));
    double largest = -INFINITY, sum = 0;
    for (int64_t j = 0; j < shape_.keys; ++j) {
      double score = 0;
      for (int64_t d = 0; d < shape_.depth; ++d) {
        score += query_.At(Index(shape_.query, b, i, d)) * key_.At(Index(shape_.key, b, j, d));
      }
      score *= shape_.scale;
      if (shape_.bias) {
        score += bias_.At(Index(shape_.bias->at, b, i, j));
        Buffer rounded(shape_.bias->score_dtype, 1);
        rounded.Set(0, score);
        score = rounded.At(0);
      }
      if (!Keeps(b, i, j)) score = static_cast<float>(shape_.fill);
      scores.push_back(score);
      largest = std::max(largest, score);
    }
    for (int64_t j = 0; j < shape_.keys; ++j) {
      const double p = std::exp(scores[static_cast<size_t>(j)] - largest);
      sum += p;
      for (int64_t f = 0; f < shape_.features; ++f) {
        row[static_cast<size_t>(f)] += p * value_.At(Index(shape_.value, b, j, f));
      }
    }
    for (double& x : row) x /= sum;
    return row;
  }

  const AttentionShape& shape_;
  std::mt19937 random_{7};
  Buffer query_, key_, value_, out_, bias_;
  std::vector<Buffer> masks_;
};

TEST(CudaAttention, KernelsDoWhatTheShapeSays) {
  const std::vector<AttentionCase> cases = AttentionCases();
  std::string source = absl::StrCat(ModulePrelude(), AttentionPrelude());
  std::vector<AttentionKernel> printed;
  for (size_t i = 0; i < cases.size(); ++i) {
    ASSERT_TRUE(CanAttend(cases[i].shape)) << cases[i].name;
    printed.push_back(PrintAttention(cases[i].shape, absl::StrCat("attention_", i)));
    absl::StrAppend(&source, printed.back().source);
  }
  const auto code = testing::HostCode::Compile(source);
  ASSERT_TRUE(code.ok()) << code.status();
  for (size_t i = 0; i < cases.size(); ++i) {
    const testing::HostCode::Kernel* kernel = (*code)->Find(absl::StrCat("attention_", i));
    ASSERT_NE(kernel, nullptr);
    CaseRun run(cases[i]);
    run.Kernel(*kernel, printed[i]);
    run.Check(cases[i].name);
  }
}

TEST(CudaAttention, LongKernelsStopWhenTheyAreCancelled) {
  for (const DType dtype : {DType::kF32, DType::kF16}) {
    // All of a very large batch are one.
    AttentionShape shape = AttentionCases()[0].shape;
    shape.dtype = shape.output_dtype = dtype;
    shape.batch = {1 << 28};
    for (AttentionOperand* operand : {&shape.query, &shape.key, &shape.value, &shape.output}) {
      operand->batch_strides = {0};
    }
    ASSERT_TRUE(CanAttend(shape));
    const AttentionKernel printed = PrintAttention(shape, "long_one");
    EXPECT_TRUE(printed.polls);
    const auto code = testing::HostCode::Compile(
        absl::StrCat(ModulePrelude(), AttentionPrelude(), printed.source));
    ASSERT_TRUE(code.ok()) << code.status();
    const auto last_result = [&](int cancelled) {
      std::vector<Buffer> buffers;
      std::vector<std::string> addresses;
      buffers.reserve(4);
      for (const int64_t rows : {shape.queries, shape.keys, shape.keys, shape.queries}) {
        Buffer& buffer = buffers.emplace_back(dtype, rows * shape.depth);
        for (int64_t i = 0; i < rows * shape.depth; ++i) buffer.Set(i, 0.5);
        char* const address = buffer.data();
        addresses.emplace_back(reinterpret_cast<const char*>(&address), sizeof(address));
      }
      const int* const address = &cancelled;
      addresses.emplace_back(reinterpret_cast<const char*>(&address), sizeof(address));
      (*code)->Find("long_one")->Run(addresses, /*blocks=*/1, printed.threads);
      // The first block has the last queries.
      return buffers.back().At(shape.queries * shape.depth - 1);
    };
    EXPECT_TRUE(std::isnan(last_result(1)));  // the average of nothing
    EXPECT_NEAR(last_result(0), 0.5, 1e-3);
  }
  EXPECT_FALSE(PrintAttention(AttentionCases()[0].shape, "short_one").polls);
}

TEST(CudaAttention, WhatNoKernelDoesIsRefused) {
  AttentionShape shape = AttentionCases()[0].shape;
  EXPECT_TRUE(CanAttend(shape));
  AttentionShape wide = shape;
  wide.depth = 257;
  EXPECT_FALSE(CanAttend(wide));
  AttentionShape exact = shape;
  exact.dtype = exact.output_dtype = DType::kF64;
  EXPECT_FALSE(CanAttend(exact));
  AttentionShape many = shape;
  many.batch = {int64_t{1} << 20, int64_t{1} << 20};
  EXPECT_FALSE(CanAttend(many));
}

TEST(CudaAttention, FewQueriesOfManyKeysAreNotParallel) {
  AttentionShape shape = AttentionCases()[0].shape;
  shape.batch = {8};
  shape.queries = 1;
  shape.keys = 8192;
  EXPECT_FALSE(IsAttentionParallel(shape));
  shape.keys = 512;
  EXPECT_TRUE(IsAttentionParallel(shape));
  shape.keys = shape.queries = 8192;
  EXPECT_TRUE(IsAttentionParallel(shape));
}

}  // namespace
}  // namespace acceld::kernels::cuda
