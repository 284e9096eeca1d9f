#include "tests/unit/ir/sample_modules.h"

#include "common/ir/builder.h"

namespace acceld::ir {
namespace {

const TensorType kScalar{DType::kF32, {}};
const TensorType kVector{DType::kF32, {4}};
const TensorType kMatrix{DType::kF32, {4, 4}};

Region AddRegion(FunctionBuilder& b) {
  const std::vector<ValueId> p = b.BeginRegion({Type(kScalar), Type(kScalar)});
  return b.EndRegion({*b.AddOne(OpKind::kAdd, {p[0], p[1]})});
}

std::vector<Region> One(Region region) {
  std::vector<Region> regions;
  regions.push_back(std::move(region));
  return regions;
}

}  // namespace

Module CallModule() {
  FunctionBuilder f("f", false);
  const ValueId y = *f.AddOne(OpKind::kNegate, {f.AddParameter(kVector)});
  FunctionBuilder main("main");
  ValueId x = main.AddParameter(kVector);
  for (int i = 0; i < 2; ++i) {
    x = *main.AddOne(OpKind::kCall, {x}, CallAttributes{{"f"}}, {Type(kVector)}, {7, 3});
  }
  Module module{.name = "calls"};
  module.functions.push_back(main.Finish({x}));
  module.functions.push_back(f.Finish({y}));
  return module;
}

Module ControlModule() {
  FunctionBuilder b("main");
  const ValueId x = b.AddParameter(kScalar);
  const ValueId index = b.AddParameter(TensorType{DType::kI32, {}});
  std::vector<Region> loop;
  ValueId carried = b.BeginRegion({Type(kScalar)})[0];
  const ValueId less =
      *b.AddOne(OpKind::kCompare, {carried, x}, CompareAttributes{ComparisonDirection::kLt});
  loop.push_back(b.EndRegion({less}));
  carried = b.BeginRegion({Type(kScalar)})[0];
  loop.push_back(b.EndRegion({*b.AddOne(OpKind::kAdd, {carried, x})}));
  const ValueId sum = b.Add(OpKind::kWhile, {x}, NoAttributes{}, std::move(loop))->front();
  std::vector<Region> branches;
  for (OpKind kind : {OpKind::kSine, OpKind::kCosine, OpKind::kTan}) {
    b.BeginRegion({});
    branches.push_back(b.EndRegion({*b.AddOne(kind, {sum})}));
  }
  const ValueId result =
      b.Add(OpKind::kCase, {index}, NoAttributes{}, std::move(branches))->front();
  Module module{.name = "control"};
  module.functions.push_back(b.Finish({result, sum}));
  return module;
}

Module NestModule() {
  FunctionBuilder b("main");
  const ValueId x = b.AddParameter(kMatrix);
  const ValueId zero = b.Constant(Literal::Zeros(kScalar));
  const ValueId indices =
      b.Constant(Literal::FromValues<int32_t>({DType::kI32, {3, 1}}, {2, 0, 1}));
  const ValueId sum =
      b.Add(OpKind::kReduce, {x, zero}, DimensionsAttributes{{1}}, One(AddRegion(b)))->front();
  const ValueId windows =
      b.Add(OpKind::kReduceWindow, {x, zero},
            WindowAttributes{.window_dimensions = {2, 2}, .padding = {{{0, 1}, {1, 0}}}},
            One(AddRegion(b)))
          ->front();
  GatherAttributes rows{.slice_sizes = {1, 4}};
  rows.dimension_numbers.offset_dims = {1};
  rows.dimension_numbers.collapsed_slice_dims = {0};
  rows.dimension_numbers.start_index_map = {0};
  rows.dimension_numbers.index_vector_dim = 1;
  const ValueId gathered = *b.AddOne(OpKind::kGather, {x, indices}, rows);
  ScatterAttributes scatter{.unique_indices = true};
  scatter.scatter_dimension_numbers.update_window_dims = {1};
  scatter.scatter_dimension_numbers.inserted_window_dims = {0};
  scatter.scatter_dimension_numbers.scatter_dims_to_operand_dims = {0};
  scatter.scatter_dimension_numbers.index_vector_dim = 1;
  const ValueId scattered =
      b.Add(OpKind::kScatter, {x, indices, gathered}, scatter, One(AddRegion(b)))->front();
  DotGeneralAttributes dot{.precision_config = {Precision::kHighest, Precision::kDefault},
                           .algorithm = DotAlgorithm{}};
  dot.dot_dimension_numbers.lhs_contracting_dimensions = {1};
  dot.dot_dimension_numbers.rhs_contracting_dimensions = {0};
  const ValueId product = *b.AddOne(OpKind::kDotGeneral, {windows, scattered}, dot);
  const std::vector<ValueId> p = b.BeginRegion({Type(kScalar), Type(kScalar)});
  const ValueId greater =
      *b.AddOne(OpKind::kCompare, {p[0], p[1]},
                CompareAttributes{ComparisonDirection::kGt, ComparisonType::kTotalOrder});
  const ValueId sorted =
      b.Add(OpKind::kSort, {product}, SortAttributes{.dimension = 0}, One(b.EndRegion({greater})))
          ->front();
  Module module{.name = "nests"};
  module.functions.push_back(b.Finish({sum, sorted}));
  return module;
}

Module StructureModule() {
  FunctionBuilder impl("impl", false);
  const ValueId y = *impl.AddOne(OpKind::kExponential, {impl.AddParameter(kVector)});
  FunctionBuilder b("main");
  const ValueId x = b.AddParameter(kVector);
  const ValueId token = b.AddParameter(Type::Token());
  const ValueId tuple = *b.AddOne(OpKind::kTuple, {x, token});
  const ValueId element = *b.AddOne(OpKind::kGetTupleElement, {tuple}, IndexAttributes{0});
  const ValueId composite = *b.AddOne(
      OpKind::kComposite, {element},
      CompositeAttributes{"my.op",
                          {{"n", {IntegerAttribute{2, DType::kI64}}},
                           {"list", {ArrayAttribute{{{FloatAttribute{1.5, DType::kF32}}}}}},
                           {"type", {Type(kMatrix)}}},
                          {"impl"},
                          1},
      {Type(kVector)});
  AttributeDictionary config{{"flag", {UnitAttribute{}}},
                             {"inner", {DictionaryAttribute{{{"s", {StringAttribute{"x"}}}}}}},
                             {"opaque", {OpaqueAttribute{"#sdy.sharding<>"}}}};
  const ValueId called =
      *b.AddOne(OpKind::kCustomCall, {composite},
                CustomCallAttributes{"target", true, {DictionaryAttribute{std::move(config)}}, 4},
                {Type(TensorType{DType::kF32, {kDynamicDim}})});
  std::vector<ValueId> results = {called};
  for (int i = 0; i < kNumDTypes; ++i) {
    results.push_back(b.Constant(Literal::Filled({static_cast<DType>(i), {2, 3}}, 1)));
  }
  results.push_back(b.Constant(Literal::FromValues<int8_t>({DType::kI4, {3}}, {-8, 0, 7})));
  Module module{.name = "structure"};
  module.functions.push_back(b.Finish(results));
  module.functions.push_back(impl.Finish({y}));
  return module;
}

std::vector<Module> SampleModules() {
  std::vector<Module> modules;
  modules.push_back(CallModule());
  modules.push_back(ControlModule());
  modules.push_back(NestModule());
  modules.push_back(StructureModule());
  return modules;
}

}  // namespace acceld::ir
