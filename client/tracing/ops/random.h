#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <vector>

#include "client/tracing/tensor.h"

// Random numbers as pure functions of keys, which are tensors ui32[2]. Bits are those of JAX's
// default generator (threefry2x32, partitionable), and numbers are made of them as jax.random does.
// A key is used once: Split and FoldIn make others of it.
//
// Source: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (2011).
namespace acceld::client::random {

// The key of a seed: a number, or a scalar of integers of a trace.
Tensor Key(uint64_t seed, std::source_location location = std::source_location::current());
Tensor Key(const Operand& seed);
// `count` new keys, ui32[count, 2]; SplitKeys gives them one by one.
Tensor Split(const Operand& key, int64_t count = 2);
std::vector<Tensor> SplitKeys(const Operand& key, int64_t count = 2);
// A new key of a key and a number.
Tensor FoldIn(const Operand& key, const Operand& data);

// Random bits, as integers without sign.
Tensor Bits(const Operand& key, const ir::Dims& shape, ir::DType dtype = ir::DType::kUI32);
// From `lowest` to `highest` (exclusive), for floats.
Tensor Uniform(const Operand& key, const ir::Dims& shape, ir::DType dtype = ir::DType::kF32,
               const Operand& lowest = 0, const Operand& highest = 1);
// From `lowest` to `highest` (exclusive), for integers.
Tensor Randint(const Operand& key, const ir::Dims& shape, const Operand& lowest,
               const Operand& highest, ir::DType dtype = ir::DType::kI32);
Tensor Normal(const Operand& key, const ir::Dims& shape, ir::DType dtype = ir::DType::kF32);
Tensor TruncatedNormal(const Operand& key, const Operand& lowest, const Operand& highest,
                       const ir::Dims& shape, ir::DType dtype = ir::DType::kF32);
// True with the probability `p`, which is broadcast to `shape`.
Tensor Bernoulli(const Operand& key, const Operand& p, const ir::Dims& shape);
// 1 or -1.
Tensor Rademacher(const Operand& key, const ir::Dims& shape, ir::DType dtype = ir::DType::kI32);
Tensor Exponential(const Operand& key, const ir::Dims& shape, ir::DType dtype = ir::DType::kF32);
Tensor Gumbel(const Operand& key, const ir::Dims& shape, ir::DType dtype = ir::DType::kF32);
Tensor Laplace(const Operand& key, const ir::Dims& shape, ir::DType dtype = ir::DType::kF32);
Tensor Logistic(const Operand& key, const ir::Dims& shape, ir::DType dtype = ir::DType::kF32);
Tensor Cauchy(const Operand& key, const ir::Dims& shape, ir::DType dtype = ir::DType::kF32);
// Distributions with parameters: one number for each of their elements.
// exp of a normal number, times `sigma`.
Tensor LogNormal(const Operand& key, const Operand& sigma);
// A normal vector with the mean `mean`, a vector, and the covariances `covariance`, a matrix.
Tensor MultivariateNormal(const Operand& key, const Operand& mean, const Operand& covariance);
Tensor Pareto(const Operand& key, const Operand& b);
Tensor Rayleigh(const Operand& key, const Operand& scale);
Tensor WeibullMin(const Operand& key, const Operand& scale, const Operand& concentration);
Tensor Maxwell(const Operand& key, const ir::Dims& shape, ir::DType dtype = ir::DType::kF32);
// The distribution gamma of the shape parameter `alpha`, and the logarithms of its numbers, which
// are exact for small ones, too. The derivatives of these, and of those that are made of them, by
// their parameters are those of numbers with the same probability of smaller ones.
Tensor Gamma(const Operand& key, const Operand& alpha);
Tensor LogGamma(const Operand& key, const Operand& alpha);
Tensor Beta(const Operand& key, const Operand& a, const Operand& b);
Tensor ChiSquare(const Operand& key, const Operand& df);
Tensor StudentT(const Operand& key, const Operand& df);
// Shares that add up to 1 along the last axis.
Tensor Dirichlet(const Operand& key, const Operand& alpha);

// An index along `axis` with probabilities that are proportional to exp(logits).
Tensor Categorical(const Operand& key, const Operand& logits, int64_t axis = -1);
// `count` of the numbers below `size`, each as likely, or in proportion to its weight, a vector:
// any of them several times, or each at most once.
Tensor Choice(const Operand& key, int64_t size, int64_t count, bool replace = true);
Tensor Choice(const Operand& key, const Operand& weights, int64_t count, bool replace = true);
// The parts of `a` along its first axis in random order; or the numbers below `count`.
Tensor Permutation(const Operand& key, const Operand& a);
Tensor Permutation(const Operand& key, int64_t count);

}  // namespace acceld::client::random
