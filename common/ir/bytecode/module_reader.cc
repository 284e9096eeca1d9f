#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/ir/bytecode.h"
#include "common/ir/bytecode/function_reader.h"
#include "common/ir/bytecode/sdy_ops.h"
#include "common/ir/bytecode/vhlo_ops.h"
#include "common/ir/calls/donation.h"
#include "common/ir/verify/limits.h"
#include "common/ir/verify/verifier.h"
#include "common/memory/allocation.h"

// Reads the module of a bytecode file and its functions.
namespace acceld::ir {
namespace bytecode {
namespace {

constexpr absl::string_view kMagic = "ML\xEFR";
constexpr absl::string_view kMeshOp = "sdy.mesh";

// What the attributes of a function say.
struct FunctionHeader {
  std::string name;
  bool is_public = true;
  FunctionType type;
  std::vector<Donation> donations;
  std::vector<std::optional<Sharding>> parameter_shardings, result_shardings;
};

class ModuleReader {
 public:
  ModuleReader(Container container, ImportTotals& totals, uint64_t file_bytes)
      : reader_(std::move(container), totals, file_bytes) {}

  absl::StatusOr<Module> Read();

 private:
  absl::Status ReadName(const OpHeader& header);
  absl::Status ReadGrid(const OpHeader& header);
  absl::Status ReadMeshes(Cursor in, uint64_t num_ops);
  absl::Status ReadMesh(const OpHeader& header);
  absl::Status ReadItem(Cursor& in);
  absl::Status ReadFunction(const OpHeader& header, const StoredOp& op, Cursor& in);
  absl::StatusOr<FunctionHeader> ReadFunctionHeader(const OpHeader& header, const StoredOp& op,
                                                    const Cursor& in);
  // Reads what the attributes of the function's parameters and results say.
  absl::Status ReadAttributesOfValues(const Decoder::Entries& entries, FunctionHeader& function);
  // Returns the attributes of the parameters or results of a function that acceld uses; empty if
  // the function says none. `index` is the number of the function's arg_attrs or res_attrs.
  absl::StatusOr<std::vector<AttributeDictionary>> ReadValueAttributes(uint64_t index,
                                                                       size_t num_values);
  // Returns the shardings among such attributes; empty if no value has one.
  absl::StatusOr<std::vector<std::optional<Sharding>>> ShardingsAmong(
      const std::vector<AttributeDictionary>& attributes, absl::string_view function);

  Reader reader_;
  Module module_;
};

bool IsMesh(const OpHeader& header) {
  return header.FullName() == kMeshOp && header.num_regions == 0;
}

std::optional<uint64_t> Find(const Decoder::Entries& entries, absl::string_view name) {
  for (const auto& [entry_name, index] : entries) {
    if (entry_name == name) return index;
  }
  return std::nullopt;
}

// The module's name is an optional property or in the dictionary. It is for messages only.
absl::Status ModuleReader::ReadName(const OpHeader& header) {
  Decoder::Entries entries;
  if (header.dictionary.has_value()) {
    ACCELD_ASSIGN_OR_RETURN(entries, reader_.decoder.DictionaryAt(*header.dictionary));
  }
  if (header.properties.has_value() && header.name->registered) {
    Cursor in = *header.properties;
    ACCELD_ASSIGN_OR_RETURN(const auto index_and_flag, in.VarintWithFlag());
    if (index_and_flag.second) entries.emplace_back("sym_name", index_and_flag.first);
  }
  for (const auto& [name, index] : entries) {
    if (name != "sym_name") continue;
    if (index >= reader_.container.attributes.size()) {
      return absl::InvalidArgumentError(absl::StrCat("there is no attribute ", index));
    }
    ACCELD_ASSIGN_OR_RETURN(module_.name, reader_.decoder.NameAt(index));
  }
  return absl::OkStatus();
}

// Reads from the module's attributes how many processes the module is for.
absl::Status ModuleReader::ReadGrid(const OpHeader& header) {
  if (!header.dictionary.has_value()) return absl::OkStatus();
  ACCELD_ASSIGN_OR_RETURN(const Decoder::Entries entries,
                          reader_.decoder.DictionaryAt(*header.dictionary));
  AttributeDictionary attributes;
  for (const auto& [name, index] : entries) {
    if (!absl::StartsWith(name, "mhlo.num_")) continue;
    ACCELD_ASSIGN_OR_RETURN(attributes[name], reader_.decoder.AttributeAt(index));
  }
  return reader_.totals.distribution.ReadGrid(attributes);
}

// The attributes of a mesh op are the mesh and its name.
absl::Status ModuleReader::ReadMesh(const OpHeader& header) {
  ACCELD_ASSIGN_OR_RETURN(const ShardyOp* op, FindShardyOp(header.name->name));
  ACCELD_ASSIGN_OR_RETURN(const Decoder::Entries entries, ReadAttributes(reader_, header, *op));
  const std::optional<uint64_t> mesh_index = Find(entries, "mesh");
  const std::optional<uint64_t> name_index = Find(entries, "sym_name");
  if (!mesh_index || !name_index) {
    return absl::InvalidArgumentError("a mesh has no sym_name or no mesh");
  }
  ACCELD_ASSIGN_OR_RETURN(const std::string name, reader_.decoder.NameAt(*name_index));
  ACCELD_ASSIGN_OR_RETURN(const Attribute mesh, reader_.decoder.AttributeAt(*mesh_index));
  return reader_.totals.distribution.DeclareMesh(name, mesh);
}

// Declares the meshes before the functions are read, which may refer to meshes behind them.
absl::Status ModuleReader::ReadMeshes(Cursor in, uint64_t num_ops) {
  for (uint64_t i = 0; i < num_ops; ++i) {
    ACCELD_ASSIGN_OR_RETURN(const OpHeader header, ReadOpHeader(reader_.container, in));
    if (IsMesh(header)) {
      ACCELD_RETURN_IF_ERROR(ReadMesh(header));
    } else if (IsSection(reader_.container, header)) {
      ACCELD_RETURN_IF_ERROR(ReadRegionSection(in).status());
    } else if (header.num_regions != 0) {
      // Formats in which functions cannot be skipped are older than Shardy.
      break;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<AttributeDictionary>> ModuleReader::ReadValueAttributes(
    uint64_t index, size_t num_values) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<uint64_t> values, reader_.decoder.ArrayAt(index));
  if (!values.empty() && values.size() != num_values) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has attributes for ", values.size(), " of ", num_values, " values"));
  }
  std::vector<AttributeDictionary> known(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    ACCELD_ASSIGN_OR_RETURN(const Decoder::Entries entries,
                            reader_.decoder.DictionaryAt(values[i]));
    for (const auto& [name, attribute] : entries) {
      if (!IsDonationAttribute(name) && name != "sdy.sharding" && name != "mhlo.sharding") continue;
      ACCELD_ASSIGN_OR_RETURN(known[i][name], reader_.decoder.AttributeAt(attribute));
    }
  }
  return known;
}

absl::StatusOr<std::vector<std::optional<Sharding>>> ModuleReader::ShardingsAmong(
    const std::vector<AttributeDictionary>& attributes, absl::string_view function) {
  std::vector<std::optional<Sharding>> shardings;
  bool has_any = false;
  for (const AttributeDictionary& dictionary : attributes) {
    ACCELD_ASSIGN_OR_RETURN(shardings.emplace_back(),
                            reader_.totals.distribution.ShardingAmong(dictionary, function));
    has_any = has_any || shardings.back().has_value();
  }
  if (!has_any) shardings.clear();
  return shardings;
}

absl::Status ModuleReader::ReadAttributesOfValues(const Decoder::Entries& entries,
                                                  FunctionHeader& function) {
  if (const std::optional<uint64_t> index = Find(entries, "arg_attrs")) {
    ACCELD_ASSIGN_OR_RETURN(const std::vector<AttributeDictionary> attributes,
                            ReadValueAttributes(*index, function.type.parameters.size()));
    for (size_t i = 0; i < attributes.size(); ++i) {
      ACCELD_ASSIGN_OR_RETURN(const absl::optional<Donation> donation,
                              ReadDonation(attributes[i], i));
      if (donation.has_value()) function.donations.push_back(*donation);
    }
    ACCELD_ASSIGN_OR_RETURN(function.parameter_shardings,
                            ShardingsAmong(attributes, function.name));
  }
  if (const std::optional<uint64_t> index = Find(entries, "res_attrs")) {
    ACCELD_ASSIGN_OR_RETURN(const std::vector<AttributeDictionary> attributes,
                            ReadValueAttributes(*index, function.type.results.size()));
    ACCELD_ASSIGN_OR_RETURN(function.result_shardings, ShardingsAmong(attributes, function.name));
  }
  return absl::OkStatus();
}

absl::StatusOr<FunctionHeader> ModuleReader::ReadFunctionHeader(const OpHeader& header,
                                                                const StoredOp& op,
                                                                const Cursor& in) {
  ACCELD_ASSIGN_OR_RETURN(const Decoder::Entries entries, ReadAttributes(reader_, header, op));
  const std::optional<uint64_t> name = Find(entries, "sym_name");
  const std::optional<uint64_t> type = Find(entries, "function_type");
  if (!name || !type) return in.Error("a function has no name or no type");
  FunctionHeader function;
  ACCELD_ASSIGN_OR_RETURN(function.name, reader_.decoder.NameAt(*name));
  if (function.name.empty()) return in.Error("a function's name is empty");
  ACCELD_ASSIGN_OR_RETURN(function.type, reader_.decoder.FunctionTypeAt(*type));
  if (const std::optional<uint64_t> index = Find(entries, "sym_visibility")) {
    ACCELD_ASSIGN_OR_RETURN(const std::string visibility, reader_.decoder.NameAt(*index));
    function.is_public = visibility.empty() || visibility == "public";
  }
  ACCELD_RETURN_IF_ERROR(
      Annotate(ReadAttributesOfValues(entries, function), absl::StrCat("@", function.name)));
  return function;
}

absl::Status ModuleReader::ReadFunction(const OpHeader& op_header, const StoredOp& op, Cursor& in) {
  if (static_cast<int64_t>(module_.functions.size()) >= limits::kMaxFunctions) {
    return absl::InvalidArgumentError(
        absl::StrCat("the program has more than ", limits::kMaxFunctions, " functions"));
  }
  ACCELD_ASSIGN_OR_RETURN(FunctionHeader header, ReadFunctionHeader(op_header, op, in));
  if (op_header.num_regions != 1) return in.Error("a function needs one region");
  Cursor body = in;
  const bool is_section = IsSection(reader_.container, op_header);
  if (is_section) {
    ACCELD_ASSIGN_OR_RETURN(body, ReadRegionSection(in));
  }
  FunctionReader function_reader(reader_, header.name, header.is_public);
  auto function = function_reader.ReadBody(body);
  const std::string where = absl::StrCat("@", header.name);
  if (!function.ok()) return Annotate(function.status(), where);
  if (is_section) {
    ACCELD_RETURN_IF_ERROR(Annotate(body.ExpectEnd("a function's section"), where));
  } else {
    in = body;
  }
  const FunctionType& read = function_reader.type();
  if (read.parameters != header.type.parameters || read.results != header.type.results) {
    return absl::InvalidArgumentError(
        absl::StrCat("function ", where, " takes (", ToString(read.parameters), ") and returns (",
                     ToString(read.results), "), its type says (", ToString(header.type.parameters),
                     ") and (", ToString(header.type.results), ")"));
  }
  reader_.totals.signatures.Declare(header.name, read.parameters, read.results);
  function->donations = std::move(header.donations);
  function->parameter_shardings = std::move(header.parameter_shardings);
  function->result_shardings = std::move(header.result_shardings);
  module_.functions.push_back(*std::move(function));
  return absl::OkStatus();
}

absl::Status ModuleReader::ReadItem(Cursor& in) {
  ACCELD_ASSIGN_OR_RETURN(const OpHeader header, ReadOpHeader(reader_.container, in));
  if (header.name->dialect == "vhlo") {
    ACCELD_ASSIGN_OR_RETURN(const StoredOp* op, FindVhloOp(header.name->name));
    if (op->op == "func.func") return ReadFunction(header, *op, in);
  }
  if (IsMesh(header)) return absl::OkStatus();  // ReadMeshes has read it.
  return absl::UnimplementedError(absl::StrCat("op '", header.FullName(),
                                               "' is not supported outside of functions in "
                                               "bytecode"));
}

absl::StatusOr<Module> ModuleReader::Read() {
  const Container& container = reader_.container;
  Cursor top = container.ir;
  ACCELD_ASSIGN_OR_RETURN(const BlockHeader file, ReadBlockHeader(container, top));
  if (file.num_ops != 1) {
    return top.Error(absl::StrCat("expected one module, found ", file.num_ops, " ops"));
  }
  ACCELD_ASSIGN_OR_RETURN(const OpHeader header, ReadOpHeader(container, top));
  if (header.FullName() != "builtin.module" || header.num_regions != 1) {
    return top.Error(absl::StrCat("expected a module, found '", header.FullName(), "'"));
  }
  ACCELD_RETURN_IF_ERROR(ReadName(header));
  ACCELD_RETURN_IF_ERROR(ReadGrid(header));
  Cursor in = top;
  if (IsSection(container, header)) {
    ACCELD_ASSIGN_OR_RETURN(in, ReadRegionSection(top));
  }
  uint64_t num_values = 0;
  ACCELD_ASSIGN_OR_RETURN(const BlockHeader block, ReadRegionHeader(container, in, num_values));
  ACCELD_RETURN_IF_ERROR(ReadMeshes(in, block.num_ops));
  for (uint64_t i = 0; i < block.num_ops; ++i) ACCELD_RETURN_IF_ERROR(ReadItem(in));
  ACCELD_RETURN_IF_ERROR(in.ExpectEnd("the module"));
  module_.source_locations = std::move(reader_.source_locations);
  return reader_.totals.Finish(std::move(module_));
}

absl::StatusOr<Module> ReadModule(absl::string_view bytes) {
  ImportTotals totals(static_cast<int64_t>(bytes.size()));
  ACCELD_ASSIGN_OR_RETURN(Container container, ReadContainer(bytes, totals.budget));
  ModuleReader reader(std::move(container), totals, bytes.size());
  ACCELD_ASSIGN_OR_RETURN(Module module, reader.Read());
  ACCELD_RETURN_IF_ERROR(Verify(module));
  return module;
}

}  // namespace
}  // namespace bytecode

bool IsBytecode(absl::string_view bytes) { return absl::StartsWith(bytes, bytecode::kMagic); }

absl::StatusOr<Module> ReadBytecode(absl::string_view bytes, absl::string_view file_name) {
  if (static_cast<int64_t>(bytes.size()) > limits::kMaxProgramBytes) {
    return absl::ResourceExhaustedError(absl::StrCat(file_name, ": the program has ", bytes.size(),
                                                     " bytes, more than ",
                                                     limits::kMaxProgramBytes));
  }
  return ContainAllocationFailure(file_name, [&]() -> absl::StatusOr<Module> {
    auto module = bytecode::ReadModule(bytes);
    if (!module.ok()) return Annotate(module.status(), file_name);
    return module;
  });
}

}  // namespace acceld::ir
