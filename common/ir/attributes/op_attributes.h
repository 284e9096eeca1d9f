#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/ir/attributes/attribute.h"
#include "common/ir/attributes/fields.h"
#include "common/ir/attributes/process_attributes.h"
#include "common/ir/types/literal.h"
#include "common/ir/types/type.h"

// Typed attributes of ops: one struct for each set of attributes that ops have; ops.def names the
// struct of each op. Field names and meanings are those of the StableHLO specification.
//
// Each struct lists its fields once, in VisitFields. Equality, text, wire form and fingerprint
// follow from that list (attribute_dictionary.h). A field that equals its default may be absent in
// text. A field may be a bool, int64_t, double, std::string, Literal, PrecisionType, an enum of
// this file, a vector of int64_t, bool, string or enums, PaddingPairs, Attribute,
// AttributeDictionary, a nested struct with kStructName or a vector of these, or a std::optional of
// one of these.
namespace acceld::ir {

// A pair (low, high) for each dimension; `dense<...> : tensor<Nx2xi64>` in text.
struct PaddingPairs {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  friend bool operator==(const PaddingPairs&, const PaddingPairs&) = default;
};
// The name of a function of the module; `@name` in text.
struct FunctionName {
  std::string name;
  friend bool operator==(const FunctionName&, const FunctionName&) = default;
};

// The precision to which a dot algorithm rounds numbers: that of an element type, or `tf32`, a
// float with 8 exponent and 10 mantissa bits that no tensor has as its element type.
struct PrecisionType {
  DType dtype = DType::kF32;  // kF32 for tf32
  bool is_tf32 = false;
  friend bool operator==(const PrecisionType&, const PrecisionType&) = default;
};

// Enums. EnumKeywords has the keyword of each enumerator in text.
enum class ComparisonDirection : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };
enum class ComparisonType : uint8_t { kNone, kFloat, kTotalOrder, kSigned, kUnsigned };
enum class Precision : uint8_t { kDefault, kHigh, kHighest };
enum class RngDistribution : uint8_t { kUniform, kNormal };
enum class RngAlgorithm : uint8_t { kDefault, kThreeFry, kPhilox };
enum class FftType : uint8_t { kFft, kIfft, kRfft, kIrfft };
enum class Transpose : uint8_t { kNoTranspose, kTranspose, kAdjoint };
// The kinds of acceld.fusion, an op of the compiler's own. kLoop is one loop nest over the outputs;
// kReduction consists of reductions together with their producers and users; kMatmul is a matrix
// product with elementwise ops that the library computes with it; kAttention is two matrix products
// with a softmax between them.
enum class FusionKind : uint8_t { kLoop, kReduction, kMatmul, kAttention };

// Returns the keyword in text.
absl::string_view NameOf(PrecisionType type);

// Returns the keywords of an enum, in the order of its enumerators, followed by nullptr.
const char* const* EnumKeywords(ComparisonDirection);
const char* const* EnumKeywords(ComparisonType);
const char* const* EnumKeywords(Precision);
const char* const* EnumKeywords(RngDistribution);
const char* const* EnumKeywords(RngAlgorithm);
const char* const* EnumKeywords(FftType);
const char* const* EnumKeywords(Transpose);
const char* const* EnumKeywords(FusionKind);

struct NoAttributes {
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELDS_END(NoAttributes)
};

struct ConstantAttributes {
  Literal value;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(value)
  ACCELD_FIELDS_END(ConstantAttributes)
};

struct CompareAttributes {
  ComparisonDirection comparison_direction = ComparisonDirection::kEq;
  ComparisonType compare_type = ComparisonType::kNone;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(comparison_direction)
  ACCELD_FIELD(compare_type)
  ACCELD_FIELDS_END(CompareAttributes)
};

struct ReducePrecisionAttributes {
  int64_t exponent_bits = 8;
  int64_t mantissa_bits = 23;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(exponent_bits)
  ACCELD_FIELD(mantissa_bits)
  ACCELD_FIELDS_END(ReducePrecisionAttributes)
};

struct BroadcastInDimAttributes {
  std::vector<int64_t> broadcast_dimensions;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(broadcast_dimensions)
  ACCELD_FIELDS_END(BroadcastInDimAttributes)
};

struct DynamicBroadcastInDimAttributes {
  std::vector<int64_t> broadcast_dimensions;
  std::vector<int64_t> known_expanding_dimensions, known_nonexpanding_dimensions;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(broadcast_dimensions)
  ACCELD_FIELD(known_expanding_dimensions)
  ACCELD_FIELD(known_nonexpanding_dimensions)
  ACCELD_FIELDS_END(DynamicBroadcastInDimAttributes)
};

// For iota and dynamic_iota.
struct IotaAttributes {
  int64_t iota_dimension = 0;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(iota_dimension)
  ACCELD_FIELDS_END(IotaAttributes)
};

struct TransposeAttributes {
  std::vector<int64_t> permutation;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(permutation)
  ACCELD_FIELDS_END(TransposeAttributes)
};

// For map, reverse and reduce.
struct DimensionsAttributes {
  std::vector<int64_t> dimensions;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(dimensions)
  ACCELD_FIELDS_END(DimensionsAttributes)
};

// For concatenate, get_dimension_size and set_dimension_size.
struct DimensionAttributes {
  int64_t dimension = 0;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(dimension)
  ACCELD_FIELDS_END(DimensionAttributes)
};

struct SliceAttributes {
  std::vector<int64_t> start_indices, limit_indices, strides;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(start_indices)
  ACCELD_FIELD(limit_indices)
  ACCELD_FIELD(strides)
  ACCELD_FIELDS_END(SliceAttributes)
};

struct DynamicSliceAttributes {
  std::vector<int64_t> slice_sizes;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(slice_sizes)
  ACCELD_FIELDS_END(DynamicSliceAttributes)
};

struct PadAttributes {
  std::vector<int64_t> edge_padding_low, edge_padding_high, interior_padding;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(edge_padding_low)
  ACCELD_FIELD(edge_padding_high)
  ACCELD_FIELD(interior_padding)
  ACCELD_FIELDS_END(PadAttributes)
};

struct SortAttributes {
  int64_t dimension = -1;
  bool is_stable = false;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(dimension)
  ACCELD_FIELD(is_stable)
  ACCELD_FIELDS_END(SortAttributes)
};

// Of acceld.partial_sort: the first `limit` elements of the result of a stable sort.
struct PartialSortAttributes {
  int64_t dimension = -1;
  int64_t limit = 0;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(dimension)
  ACCELD_FIELD(limit)
  ACCELD_FIELDS_END(PartialSortAttributes)
};

// Of acceld.sort_runs, which divides each row of a matrix into runs of `run` elements, sorts each
// run, and keeps the first `keep` elements of each. `run` and `piece` are powers of two; the
// threads that sort a run together merge `piece` elements each at a time.
struct SortRunsAttributes {
  int64_t run = 0, piece = 0, keep = 0;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(run)
  ACCELD_FIELD(piece)
  ACCELD_FIELD(keep)
  ACCELD_FIELDS_END(SortRunsAttributes)
};

// Of acceld.merge_runs, which takes rows whose runs of `run` elements are sorted and merges each
// two neighbouring runs into one. One thread merges `piece` elements of the result at a time.
struct MergeRunsAttributes {
  int64_t run = 0, piece = 0;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(run)
  ACCELD_FIELD(piece)
  ACCELD_FIELDS_END(MergeRunsAttributes)
};

// DigitSortAttributes::tile is a multiple of this: the elements that a thread block of a GPU holds
// at a time.
inline constexpr int64_t kDigitSortTile = 4096;

// Of acceld.digit_sort, one pass of a radix sort. It sorts each row of keys stably by their lowest
// 8 bits and then rotates each key right by 8 bits, so that the next pass is the same op again. The
// keys of a tile of `tile` neighbours are counted and moved together.
struct DigitSortAttributes {
  int64_t tile = 0;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(tile)
  ACCELD_FIELDS_END(DigitSortAttributes)
};

// For reduce_window. Empty lists stand for the defaults (strides and dilations 1, no padding).
struct WindowAttributes {
  std::vector<int64_t> window_dimensions, window_strides, base_dilations, window_dilations;
  PaddingPairs padding;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(window_dimensions)
  ACCELD_FIELD(window_strides)
  ACCELD_FIELD(base_dilations)
  ACCELD_FIELD(window_dilations)
  ACCELD_FIELD(padding)
  ACCELD_FIELDS_END(WindowAttributes)
};

// For select_and_scatter. Empty lists stand for the defaults (strides 1, no padding, windows of one
// element).
struct SelectAndScatterAttributes {
  std::vector<int64_t> window_dimensions, window_strides;
  PaddingPairs padding;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(window_dimensions)
  ACCELD_FIELD(window_strides)
  ACCELD_FIELD(padding)
  ACCELD_FIELDS_END(SelectAndScatterAttributes)
};

struct ConvolutionDimensionNumbers {
  static constexpr const char* kStructName = "conv";
  int64_t input_batch_dimension = 0, input_feature_dimension = 0;
  std::vector<int64_t> input_spatial_dimensions;
  int64_t kernel_input_feature_dimension = 0, kernel_output_feature_dimension = 0;
  std::vector<int64_t> kernel_spatial_dimensions;
  int64_t output_batch_dimension = 0, output_feature_dimension = 0;
  std::vector<int64_t> output_spatial_dimensions;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(input_batch_dimension)
  ACCELD_FIELD(input_feature_dimension)
  ACCELD_FIELD(input_spatial_dimensions)
  ACCELD_FIELD(kernel_input_feature_dimension)
  ACCELD_FIELD(kernel_output_feature_dimension)
  ACCELD_FIELD(kernel_spatial_dimensions)
  ACCELD_FIELD(output_batch_dimension)
  ACCELD_FIELD(output_feature_dimension)
  ACCELD_FIELD(output_spatial_dimensions)
  ACCELD_FIELDS_END(ConvolutionDimensionNumbers)
};

// For convolution, and for dynamic_conv, whose padding is an operand. Empty window lists stand for
// the defaults (strides and dilations 1, no padding, no reversal).
struct ConvolutionAttributes {
  std::vector<int64_t> window_strides;
  PaddingPairs padding;
  std::vector<int64_t> lhs_dilation, rhs_dilation;
  std::vector<bool> window_reversal;
  ConvolutionDimensionNumbers dimension_numbers;
  int64_t feature_group_count = 1, batch_group_count = 1;
  std::vector<Precision> precision_config;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(window_strides)
  ACCELD_FIELD(padding)
  ACCELD_FIELD(lhs_dilation)
  ACCELD_FIELD(rhs_dilation)
  ACCELD_FIELD(window_reversal)
  ACCELD_FIELD(dimension_numbers)
  ACCELD_FIELD(feature_group_count)
  ACCELD_FIELD(batch_group_count)
  ACCELD_FIELD(precision_config)
  ACCELD_FIELDS_END(ConvolutionAttributes)
};

struct CholeskyAttributes {
  bool lower = false;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(lower)
  ACCELD_FIELDS_END(CholeskyAttributes)
};

struct FftAttributes {
  FftType fft_type = FftType::kFft;
  std::vector<int64_t> fft_length;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(fft_type)
  ACCELD_FIELD(fft_length)
  ACCELD_FIELDS_END(FftAttributes)
};

struct TriangularSolveAttributes {
  bool left_side = false, lower = false, unit_diagonal = false;
  Transpose transpose_a = Transpose::kNoTranspose;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(left_side)
  ACCELD_FIELD(lower)
  ACCELD_FIELD(unit_diagonal)
  ACCELD_FIELD(transpose_a)
  ACCELD_FIELDS_END(TriangularSolveAttributes)
};

struct BatchNormAttributes {
  double epsilon = 0;
  int64_t feature_index = 0;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(epsilon)
  ACCELD_FIELD(feature_index)
  ACCELD_FIELDS_END(BatchNormAttributes)
};

struct RngAttributes {
  RngDistribution rng_distribution = RngDistribution::kUniform;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(rng_distribution)
  ACCELD_FIELDS_END(RngAttributes)
};

struct RngBitGeneratorAttributes {
  RngAlgorithm rng_algorithm = RngAlgorithm::kDefault;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(rng_algorithm)
  ACCELD_FIELDS_END(RngBitGeneratorAttributes)
};

struct EinsumAttributes {
  std::string einsum_config;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(einsum_config)
  ACCELD_FIELDS_END(EinsumAttributes)
};

struct TorchIndexSelectAttributes {
  int64_t dim = 0, batch_dims = 0;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(dim)
  ACCELD_FIELD(batch_dims)
  ACCELD_FIELDS_END(TorchIndexSelectAttributes)
};

struct DotDimensionNumbers {
  static constexpr const char* kStructName = "dot";
  std::vector<int64_t> lhs_batching_dimensions, rhs_batching_dimensions;
  std::vector<int64_t> lhs_contracting_dimensions, rhs_contracting_dimensions;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(lhs_batching_dimensions)
  ACCELD_FIELD(rhs_batching_dimensions)
  ACCELD_FIELD(lhs_contracting_dimensions)
  ACCELD_FIELD(rhs_contracting_dimensions)
  ACCELD_FIELDS_END(DotDimensionNumbers)
};

struct DotAlgorithm {
  static constexpr const char* kStructName = "dot_algorithm";
  PrecisionType lhs_precision_type, rhs_precision_type, accumulation_type;
  int64_t lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1;
  bool allow_imprecise_accumulation = false;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(lhs_precision_type)
  ACCELD_FIELD(rhs_precision_type)
  ACCELD_FIELD(accumulation_type)
  ACCELD_FIELD(lhs_component_count)
  ACCELD_FIELD(rhs_component_count)
  ACCELD_FIELD(num_primitive_operations)
  ACCELD_FIELD(allow_imprecise_accumulation)
  ACCELD_FIELDS_END(DotAlgorithm)
};

struct DotGeneralAttributes {
  DotDimensionNumbers dot_dimension_numbers;
  std::vector<Precision> precision_config;
  std::optional<DotAlgorithm> algorithm;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(dot_dimension_numbers)
  ACCELD_FIELD(precision_config)
  ACCELD_FIELD(algorithm)
  ACCELD_FIELDS_END(DotGeneralAttributes)
};

struct GatherDimensionNumbers {
  static constexpr const char* kStructName = "gather";
  std::vector<int64_t> offset_dims, collapsed_slice_dims, operand_batching_dims;
  std::vector<int64_t> start_indices_batching_dims, start_index_map;
  int64_t index_vector_dim = 0;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(offset_dims)
  ACCELD_FIELD(collapsed_slice_dims)
  ACCELD_FIELD(operand_batching_dims)
  ACCELD_FIELD(start_indices_batching_dims)
  ACCELD_FIELD(start_index_map)
  ACCELD_FIELD(index_vector_dim)
  ACCELD_FIELDS_END(GatherDimensionNumbers)
};

struct GatherAttributes {
  GatherDimensionNumbers dimension_numbers;
  std::vector<int64_t> slice_sizes;
  bool indices_are_sorted = false;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(dimension_numbers)
  ACCELD_FIELD(slice_sizes)
  ACCELD_FIELD(indices_are_sorted)
  ACCELD_FIELDS_END(GatherAttributes)
};

struct DynamicGatherAttributes {
  GatherDimensionNumbers dimension_numbers;
  bool indices_are_sorted = false;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(dimension_numbers)
  ACCELD_FIELD(indices_are_sorted)
  ACCELD_FIELDS_END(DynamicGatherAttributes)
};

struct ScatterDimensionNumbers {
  static constexpr const char* kStructName = "scatter";
  std::vector<int64_t> update_window_dims, inserted_window_dims, input_batching_dims;
  std::vector<int64_t> scatter_indices_batching_dims, scatter_dims_to_operand_dims;
  int64_t index_vector_dim = 0;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(update_window_dims)
  ACCELD_FIELD(inserted_window_dims)
  ACCELD_FIELD(input_batching_dims)
  ACCELD_FIELD(scatter_indices_batching_dims)
  ACCELD_FIELD(scatter_dims_to_operand_dims)
  ACCELD_FIELD(index_vector_dim)
  ACCELD_FIELDS_END(ScatterDimensionNumbers)
};

struct ScatterAttributes {
  ScatterDimensionNumbers scatter_dimension_numbers;
  bool indices_are_sorted = false;
  bool unique_indices = false;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(scatter_dimension_numbers)
  ACCELD_FIELD(indices_are_sorted)
  ACCELD_FIELD(unique_indices)
  ACCELD_FIELDS_END(ScatterAttributes)
};

// For get_tuple_element.
struct IndexAttributes {
  int64_t index = 0;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(index)
  ACCELD_FIELDS_END(IndexAttributes)
};

// For func.call.
struct CallAttributes {
  FunctionName callee;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(callee)
  ACCELD_FIELDS_END(CallAttributes)
};

struct CompositeAttributes {
  std::string name;
  AttributeDictionary composite_attributes;
  FunctionName decomposition;
  int64_t version = 0;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(name)
  ACCELD_FIELD(composite_attributes)
  ACCELD_FIELD(decomposition)
  ACCELD_FIELD(version)
  ACCELD_FIELDS_END(CompositeAttributes)
};

struct CustomCallAttributes {
  std::string call_target_name;
  bool has_side_effect = false;
  // A string or a dictionary, depending on api_version.
  Attribute backend_config;
  int64_t api_version = 1;
  // The backend_config as a dictionary, for calls of JAX whose backend_config has to be a string.
  Attribute mhlo_backend_config;
  // The message of JAX's shape_assertion; {0} stands for operand 1, {1} for operand 2, and so on.
  std::string error_message;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(call_target_name)
  ACCELD_FIELD(has_side_effect)
  ACCELD_FIELD(backend_config)
  ACCELD_FIELD(api_version)
  ACCELD_NAMED_FIELD("mhlo.backend_config", mhlo_backend_config)
  ACCELD_FIELD(error_message)
  ACCELD_FIELDS_END(CustomCallAttributes)
};

struct FusionAttributes {
  FusionKind kind = FusionKind::kLoop;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(kind)
  ACCELD_FIELDS_END(FusionAttributes)
};

using OpAttributes =
    std::variant<NoAttributes, ConstantAttributes, CompareAttributes, ReducePrecisionAttributes,
                 BroadcastInDimAttributes, DynamicBroadcastInDimAttributes, IotaAttributes,
                 TransposeAttributes, DimensionsAttributes, DimensionAttributes, SliceAttributes,
                 DynamicSliceAttributes, PadAttributes, SortAttributes, PartialSortAttributes,
                 SortRunsAttributes, MergeRunsAttributes, DigitSortAttributes, WindowAttributes,
                 SelectAndScatterAttributes, ConvolutionAttributes, DotGeneralAttributes,
                 GatherAttributes, DynamicGatherAttributes, ScatterAttributes, CholeskyAttributes,
                 FftAttributes, TriangularSolveAttributes, BatchNormAttributes, EinsumAttributes,
                 TorchIndexSelectAttributes, RngAttributes, RngBitGeneratorAttributes,
                 IndexAttributes, CallAttributes, CompositeAttributes, CustomCallAttributes,
                 AllGatherAttributes, AllReduceAttributes, AllToAllAttributes,
                 CollectiveBroadcastAttributes, CollectivePermuteAttributes,
                 CollectiveReduceAttributes, ReduceScatterAttributes, ManualComputationAttributes,
                 ShardingConstraintAttributes, ShardingGroupAttributes, FusionAttributes>;

}  // namespace acceld::ir
