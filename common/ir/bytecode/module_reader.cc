#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/ir/bytecode.h"
#include "common/ir/bytecode/function_reader.h"
#include "common/ir/calls/donation.h"
#include "common/ir/verify/limits.h"
#include "common/ir/verify/verifier.h"
#include "common/memory/allocation.h"

// Reads the module of a bytecode file and its functions.
namespace acceld::ir {
namespace bytecode {
namespace {

constexpr absl::string_view kMagic = "ML\xEFR";

class ModuleReader {
 public:
  ModuleReader(Container container, ImportTotals& totals, uint64_t file_bytes)
      : reader_(std::move(container), totals, file_bytes) {}

  absl::StatusOr<Module> Read();

 private:
  absl::Status ReadName(const OpHeader& header);
  absl::Status ReadItem(Cursor& in);
  absl::Status ReadMesh(const OpHeader& header);
  absl::Status ReadGrid(const OpHeader& header);
  absl::StatusOr<std::vector<Donation>> ReadDonations(uint64_t attributes);
  absl::Status ReadFunction(const OpHeader& header, const VhloOp& op, Cursor& in);

  Reader reader_;
  Module module_;
};

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

// `attributes` is the number of a function's arg_attrs, an array with a dictionary for each
// parameter.
absl::StatusOr<std::vector<Donation>> ModuleReader::ReadDonations(uint64_t attributes) {
  std::vector<Donation> donations;
  ACCELD_ASSIGN_OR_RETURN(const std::vector<uint64_t> parameters,
                          reader_.decoder.ArrayAt(attributes));
  for (size_t i = 0; i < parameters.size(); ++i) {
    ACCELD_ASSIGN_OR_RETURN(const Decoder::Entries entries,
                            reader_.decoder.DictionaryAt(parameters[i]));
    AttributeDictionary known;
    for (const auto& [name, index] : entries) {
      if (!IsDonationAttribute(name)) continue;
      ACCELD_ASSIGN_OR_RETURN(known[name], reader_.decoder.AttributeAt(index));
    }
    ACCELD_ASSIGN_OR_RETURN(const absl::optional<Donation> donation, ReadDonation(known, i));
    if (donation.has_value()) donations.push_back(*donation);
  }
  return donations;
}

absl::Status ModuleReader::ReadFunction(const OpHeader& header, const VhloOp& op, Cursor& in) {
  if (static_cast<int64_t>(module_.functions.size()) >= limits::kMaxFunctions) {
    return absl::InvalidArgumentError(
        absl::StrCat("the program has more than ", limits::kMaxFunctions, " functions"));
  }
  std::string name;
  bool is_public = true;
  FunctionType type;
  bool has_type = false;
  std::vector<Donation> donations;
  ACCELD_ASSIGN_OR_RETURN(const Decoder::Entries entries, ReadAttributes(reader_, header, op));
  for (const auto& [attribute, index] : entries) {
    if (attribute == "sym_name") {
      ACCELD_ASSIGN_OR_RETURN(name, reader_.decoder.NameAt(index));
    } else if (attribute == "sym_visibility") {
      ACCELD_ASSIGN_OR_RETURN(const std::string visibility, reader_.decoder.NameAt(index));
      is_public = visibility.empty() || visibility == "public";
    } else if (attribute == "function_type") {
      ACCELD_ASSIGN_OR_RETURN(type, reader_.decoder.FunctionTypeAt(index));
      has_type = true;
    } else if (attribute == "arg_attrs") {
      ACCELD_ASSIGN_OR_RETURN(donations, ReadDonations(index));
    }
  }
  if (name.empty() || !has_type) return in.Error("a function has no name or no type");
  if (header.num_regions != 1) return in.Error("a function needs one region");
  Cursor body = in;
  const bool is_section = IsSection(reader_.container, header);
  if (is_section) {
    ACCELD_ASSIGN_OR_RETURN(body, ReadRegionSection(in));
  }
  FunctionReader function_reader(reader_, name, is_public);
  auto function = function_reader.ReadBody(body);
  const std::string where = absl::StrCat("@", name);
  if (!function.ok()) return Annotate(function.status(), where);
  if (is_section) {
    ACCELD_RETURN_IF_ERROR(Annotate(body.ExpectEnd("a function's section"), where));
  } else {
    in = body;
  }
  const FunctionType& read = function_reader.type();
  if (read.parameters != type.parameters || read.results != type.results) {
    return absl::InvalidArgumentError(
        absl::StrCat("function @", name, " takes (", ToString(read.parameters), ") and returns (",
                     ToString(read.results), "), its type says (", ToString(type.parameters),
                     ") and (", ToString(type.results), ")"));
  }
  reader_.totals.signatures.Declare(name, read.parameters, read.results);
  function->donations = std::move(donations);
  module_.functions.push_back(*std::move(function));
  return absl::OkStatus();
}

// The attributes of a mesh op are the mesh and its name.
absl::Status ModuleReader::ReadMesh(const OpHeader& header) {
  static const VhloOp& kMeshOp =
      *new VhloOp{"sdy.mesh", {VhloAttribute{"mesh"}, VhloAttribute{"sym_name"}}};
  ACCELD_ASSIGN_OR_RETURN(const Decoder::Entries entries, ReadAttributes(reader_, header, kMeshOp));
  absl::optional<uint64_t> mesh_index;
  absl::optional<uint64_t> name_index;
  for (const auto& [name, index] : entries) {
    if (name == "mesh") mesh_index = index;
    if (name == "sym_name") name_index = index;
  }
  if (!mesh_index || !name_index) {
    return absl::InvalidArgumentError("a mesh has no sym_name or no mesh");
  }
  ACCELD_ASSIGN_OR_RETURN(const Attribute mesh, reader_.decoder.AttributeAt(*mesh_index));
  ACCELD_ASSIGN_OR_RETURN(std::string name, reader_.decoder.NameAt(*name_index));
  // Older versions of Shardy, without a binary encoding of meshes, wrote them as text.
  int64_t devices = ProcessGrid::kUnknownSize;
  if (!std::holds_alternative<OpaqueAttribute>(mesh.value)) {
    ACCELD_ASSIGN_OR_RETURN(devices, DevicesOfMesh(mesh));
  }
  reader_.totals.grid.DeclareMesh(std::move(name), devices);
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
  return reader_.totals.grid.SetSizes(attributes);
}

absl::Status ModuleReader::ReadItem(Cursor& in) {
  ACCELD_ASSIGN_OR_RETURN(const OpHeader header, ReadOpHeader(reader_.container, in));
  if (header.name->dialect == "vhlo") {
    ACCELD_ASSIGN_OR_RETURN(const VhloOp* op, FindVhloOp(header.name->name));
    if (op->op == "func.func") return ReadFunction(header, *op, in);
  }
  if (header.FullName() == "sdy.mesh" && header.num_regions == 0) return ReadMesh(header);
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
  for (uint64_t i = 0; i < block.num_ops; ++i) ACCELD_RETURN_IF_ERROR(ReadItem(in));
  ACCELD_RETURN_IF_ERROR(in.ExpectEnd("the module"));
  ACCELD_RETURN_IF_ERROR(reader_.totals.Check());
  module_.source_locations = std::move(reader_.source_locations);
  return std::move(module_);
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
