// Indices and permutations.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/indexing.h"
#include "client/tracing/ops/random/parameters.h"
#include "client/tracing/ops/reductions.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/ops/sorting.h"

namespace acceld::client::random {
namespace {

// Sorts by random keys until the order is as good as random.
Tensor Shuffled(Tensor key, Tensor a) {
  const double size = static_cast<double>(std::max<int64_t>(a.size(), 1));
  const int rounds = static_cast<int>(
      std::ceil(3 * std::log(size) / std::log(std::numeric_limits<uint32_t>::max())));
  for (int round = 0; round < rounds; ++round) {
    const std::vector<Tensor> keys = SplitKeys(key);
    key = keys[0];
    a = SortTogether({Bits(keys[1], a.shape()), a}, 0)[1];
  }
  return a;
}

bool MayChoose(Tracer& tracer, int64_t size, int64_t count, bool replace) {
  if (size > 0 && count >= 0 && (replace || count <= size)) return true;
  tracer.Fail("Choice", absl::StrCat(count, " of ", size, " numbers cannot be chosen",
                                     replace ? "" : ", each at most once"));
  return false;
}

}  // namespace

Tensor Categorical(const Operand& key, const Operand& logits, int64_t axis) {
  return ArgMax(Gumbel(key, logits.shape(), logits.dtype()) + logits, axis);
}

Tensor Choice(const Operand& key, int64_t size, int64_t count, bool replace) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key);
  if (tracer == nullptr || !IsKey(*tracer, "Choice", key)) return key;
  if (!MayChoose(*tracer, size, count, replace)) return key;
  if (replace) return Randint(key, {count}, 0, size);
  return SliceInDim(Permutation(key, size), 0, count);
}

Tensor Choice(const Operand& key, const Operand& weights, int64_t count, bool replace) {
  const std::optional<Tensor> p = Parameter("Choice", key, weights);
  if (!p.has_value()) return key;
  Tracer& tracer = *Tracer::Current();
  if (p->rank() != 1) {
    return tracer.Fail(
        "Choice", absl::StrCat("the weights are ", p->type().ToString(), "; expected a vector"));
  }
  if (!MayChoose(tracer, p->size(), count, replace)) return key;
  if (!replace) {
    // The largest of independent numbers of Gumbel, moved by logarithms of the weights.
    return TopK(Gumbel(key, p->shape(), p->dtype()) + Log(*p), count).second;
  }
  const Tensor sums = CumSum(*p);
  return SearchSorted(sums, At(sums, {-1}) * (1 - Uniform(key, {count}, p->dtype())));
}

Tensor Permutation(const Operand& key, const Operand& a) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key, a);
  if (tracer == nullptr || !IsKey(*tracer, "Permutation", key)) return key;
  if (a.rank() == 0) return tracer->Fail("Permutation", "the tensor is a scalar");
  if (a.rank() == 1) return Shuffled(key, a);
  return Take(a, Permutation(key, a.shape()[0]), 0);
}

Tensor Permutation(const Operand& key, int64_t count) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key);
  if (tracer == nullptr || !IsKey(*tracer, "Permutation", key)) return key;
  return Shuffled(key, Arange(count));
}

}  // namespace acceld::client::random
