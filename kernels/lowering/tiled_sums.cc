#include "kernels/lowering/tiled_sums.h"

#include <algorithm>

namespace acceld::kernels {
namespace {

constexpr int64_t kTile = 64;

// Builds the loops for one tile: the `size` elements from `first` on in the last dimension, at
// `index` in the other dimensions.
class Tile {
 public:
  Tile(KernelBuilder& b, const TiledSums& sums, absl::Span<const uint32_t> scratch,
       std::vector<Var> index, Var first, int64_t size)
      : b_(b),
        sums_(sums),
        scratch_(scratch),
        index_(std::move(index)),
        first_(first),
        size_(size) {}

  void Build() {
    ForEachElement([&](Var i) { Store(i, sums_.zero); });
    const auto kind =
        sums_.in_order ? ForStatement::Kind::kSequential : ForStatement::Kind::kReduction;
    b_.ForEach(kind, sums_.products, [&](absl::Span<const Var> product) {
      const TiledSums::AddProduct add = sums_.begin(index_, product);
      ForEachElement([&](Var i) { Store(i, add(index_, Load(i))); });
    });
    ForEachElement([&](Var i) { sums_.store(index_, Load(i)); });
  }

 private:
  void ForEachElement(const std::function<void(Var)>& body) {
    b_.For(ForStatement::Kind::kSequential, size_, [&](Var i) {
      index_.back() = b_.Apply(ScalarOp::kAdd, {first_, i});
      body(i);
    });
  }

  void Store(Var i, const TiledSums::Sum& sum) {
    for (size_t part = 0; part < scratch_.size(); ++part) b_.Store(scratch_[part], i, sum[part]);
  }

  TiledSums::Sum Load(Var i) {
    TiledSums::Sum sum;
    for (uint32_t buffer : scratch_) sum.push_back(b_.Load(buffer, i));
    return sum;
  }

  KernelBuilder& b_;
  const TiledSums& sums_;
  const absl::Span<const uint32_t> scratch_;
  std::vector<Var> index_;
  const Var first_;
  const int64_t size_;
};

}  // namespace

void TiledSums::Build(KernelBuilder& b) const {
  const int64_t columns = result.dims.back();
  const int64_t tile = std::min(columns, kTile);
  std::vector<uint32_t> scratch;
  for (size_t part = 0; part < zero.size(); ++part) {
    scratch.push_back(b.AddScratch({part == 0 ? "sums_re" : "sums_im", ir::RealPartOf(accumulation),
                                    tile, BufferParameter::Access::kReadWrite}));
  }
  const auto build = [&](int64_t first, int64_t num_tiles, int64_t size) {
    std::vector<int64_t> nest(result.dims.begin(), result.dims.end() - 1);
    nest.push_back(num_tiles);
    b.ForEach(ForStatement::Kind::kParallel, nest, [&](absl::Span<const Var> vars) {
      const Var start = b.Linearize({vars.back()}, {tile}, first);
      Tile(b, *this, scratch, {vars.begin(), vars.end()}, start, size).Build();
    });
  };
  if (columns / tile > 0) build(0, columns / tile, tile);
  if (columns % tile != 0) build(columns / tile * tile, 1, columns % tile);
}

}  // namespace acceld::kernels
