#include "tests/unit/ir/readers/bytecode_writer.h"

#include <algorithm>

namespace acceld::ir {
namespace {

// Numbers of sections and bits of an op's parts, as in the format.
enum : uint8_t { kStrings, kDialects, kAttrTypes, kOffsets, kIr, kResources, kResourceOffsets };
constexpr uint8_t kPropertiesSection = 8;
constexpr uint8_t kHasResults = 2, kHasOperands = 4, kHasRegions = 16, kHasProperties = 64;

std::string Join(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += part;
  return all;
}

std::string Numbers(const std::vector<uint64_t>& numbers) {
  std::string all = BytecodeWriter::Varint(numbers.size());
  for (const uint64_t number : numbers) all += BytecodeWriter::Varint(number);
  return all;
}

}  // namespace

std::string BytecodeWriter::Varint(uint64_t value) {
  if (value < 128) return {static_cast<char>(value << 1 | 1)};
  std::string bytes(1, '\0');
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
  return bytes;
}

std::string BytecodeWriter::Signed(int64_t value) {
  return Varint(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
}

std::string BytecodeWriter::Blob(absl::string_view bytes) {
  return Varint(bytes.size()) + std::string(bytes);
}

std::string BytecodeWriter::Section(uint8_t id, absl::string_view data) {
  return std::string(1, static_cast<char>(id)) + Blob(data);
}

uint64_t BytecodeWriter::String(absl::string_view text) {
  const auto found = std::find(strings_.begin(), strings_.end(), text);
  if (found != strings_.end()) return static_cast<uint64_t>(found - strings_.begin());
  strings_.emplace_back(text);
  return strings_.size() - 1;
}

uint64_t BytecodeWriter::Dialect(absl::string_view name) {
  const uint64_t text = String(name);
  const auto found = std::find(dialects_.begin(), dialects_.end(), text);
  if (found != dialects_.end()) return static_cast<uint64_t>(found - dialects_.begin());
  dialects_.push_back(text);
  return dialects_.size() - 1;
}

uint64_t BytecodeWriter::Op(absl::string_view dialect, absl::string_view name, bool registered) {
  const uint64_t text = String(name);
  ops_.push_back({Dialect(dialect), Varint(text << 1 | (registered ? 1 : 0)), registered});
  return ops_.size() - 1;
}

uint64_t BytecodeWriter::Attribute(absl::string_view dialect, absl::string_view encoded) {
  attributes_.push_back({Dialect(dialect), std::string(encoded)});
  return attributes_.size() - 1;
}

uint64_t BytecodeWriter::TextAttribute(absl::string_view dialect, absl::string_view text) {
  const uint64_t index = Attribute(dialect, std::string(text) + '\0');
  attributes_.back().has_encoding = false;
  return index;
}

uint64_t BytecodeWriter::Type(absl::string_view dialect, absl::string_view encoded) {
  types_.push_back({Dialect(dialect), std::string(encoded)});
  return types_.size() - 1;
}

uint64_t BytecodeWriter::Properties(absl::string_view bytes) {
  properties_.emplace_back(bytes);
  return properties_.size() - 1;
}

uint64_t BytecodeWriter::Resource(absl::string_view key, absl::string_view bytes) {
  resources_.push_back({String(key), std::string(bytes)});
  return resources_.size() - 1;
}

std::string BytecodeWriter::EncodeOp(uint64_t name, const std::vector<uint64_t>& properties,
                                     const std::vector<uint64_t>& result_types,
                                     const std::vector<uint64_t>& operands,
                                     const std::vector<std::string>& regions, uint64_t location) {
  uint8_t parts = 0;
  std::string rest = Varint(location);
  if (!properties.empty()) {
    parts |= kHasProperties;
    rest += Varint(properties[0]);
  }
  if (!result_types.empty()) {
    parts |= kHasResults;
    rest += Numbers(result_types);
  }
  if (!operands.empty()) {
    parts |= kHasOperands;
    rest += Numbers(operands);
  }
  if (!regions.empty()) {
    parts |= kHasRegions;
    rest += Varint(regions.size() << 1) + Join(regions);
  }
  return Varint(name) + std::string(1, static_cast<char>(parts)) + rest;
}

std::string BytecodeWriter::EncodeRegion(const std::vector<std::string>& ops, uint64_t num_values) {
  return Varint(1) + Varint(num_values) + Varint(ops.size() << 1) + Join(ops);
}

std::string BytecodeWriter::Finish(const std::vector<uint64_t>& results,
                                   const std::vector<std::string>& ops, uint64_t num_values) {
  const uint64_t function_type = Type("vhlo", Varint(8) + Varint(0) + Numbers(results));
  const uint64_t empty = Attribute("vhlo", Varint(1) + Varint(0));
  const uint64_t type = Attribute("vhlo", Varint(17) + Varint(function_type));
  const uint64_t name = Attribute("vhlo", Varint(14) + Varint(String("main")));
  const uint64_t visibility = Attribute("vhlo", Varint(14) + Varint(String("public")));
  const uint64_t properties =
      Properties(Varint(empty) + Varint(type) + Varint(empty) + Varint(name) + Varint(visibility));
  const auto isolated = [](uint64_t op, const std::string& rest, const std::string& region,
                           uint8_t parts) {
    return Varint(op) + std::string(1, static_cast<char>(parts)) + Varint(0) + rest +
           Varint(1 << 1 | 1) + Section(kIr, region);
  };
  const std::string function =
      isolated(Op("vhlo", "func_v1"), Varint(properties), EncodeRegion(ops, num_values),
               kHasRegions | kHasProperties);
  const std::string module =
      isolated(Op("builtin", "module"), "", EncodeRegion({function}, 0), kHasRegions);
  return File(Varint(1 << 1) + module);
}

std::string BytecodeWriter::File(absl::string_view ir) const {
  std::string lengths, texts;
  for (const std::string& text : strings_) {
    lengths = Varint(text.size() + 1) + lengths;
    texts += text + '\0';
  }
  std::string dialects = Varint(dialects_.size());
  for (const uint64_t name : dialects_) dialects += Varint(name << 1);
  dialects += Varint(ops_.size());
  for (const Entry& op : ops_) dialects += Varint(op.dialect) + Varint(1) + op.data;

  std::string offsets = Varint(attributes_.size()) + Varint(types_.size());
  std::string entries;
  for (const auto* list : {&attributes_, &types_}) {
    for (const Entry& entry : *list) {
      offsets += Varint(entry.dialect) + Varint(1) +
                 Varint(entry.data.size() << 1 | (entry.has_encoding ? 1 : 0));
      entries += entry.data;
    }
  }
  std::string properties = Varint(properties_.size());
  for (const std::string& blob : properties_) properties += Blob(blob);

  std::string file = "ML\xEFR" + Varint(version_) + "test" + '\0';
  file += Section(kStrings, Varint(strings_.size()) + lengths + texts);
  file += Section(kDialects, dialects) + Section(kAttrTypes, entries) + Section(kOffsets, offsets);
  file += Section(kIr, ir);
  if (!resources_.empty()) {
    std::string source_locations = Varint(0) + Varint(0) + Varint(resources_.size());
    std::string values;
    for (const ResourceEntry& resource : resources_) {
      const std::string value = Varint(1) + Blob(resource.bytes);
      source_locations += Varint(resource.key) + Varint(value.size()) + '\0';
      values += value;
    }
    file += Section(kResources, values) + Section(kResourceOffsets, source_locations);
  }
  return file + Section(kPropertiesSection, properties);
}

}  // namespace acceld::ir
