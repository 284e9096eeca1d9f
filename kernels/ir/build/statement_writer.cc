#include "kernels/ir/build/statement_writer.h"

#include "absl/strings/str_cat.h"

namespace acceld::kernels {

Block StatementWriter::Take() {
  Block block = std::move(blocks_.back());
  blocks_.pop_back();
  return block;
}

void StatementWriter::Append(Block block) {
  for (Statement& statement : block) Append(std::move(statement));
}

Var StatementWriter::NewVar(DType dtype) {
  kernel_.var_types.push_back(dtype);
  return static_cast<Var>(kernel_.var_types.size() - 1);
}

Var StatementWriter::Constant(DType dtype, uint64_t bits) {
  const Var var = NewVar(dtype);
  Append({ConstantStatement{var, bits}});
  return var;
}

Var StatementWriter::Apply(ScalarOp op, Var a, Var b) {
  const Var var = NewVar(TypeOf(a));
  Append({ScalarStatement{var, op, {a, b}}});
  return var;
}

void StatementWriter::Define(Var result, Var value) {
  const Var always = Constant(DType::kI1, 1);
  Append({ScalarStatement{result, ScalarOp::kSelect, {always, value, value}}});
}

Var StatementWriter::Load(uint32_t buffer, Var index) {
  const Var var = NewVar(kernel_.Buffer(buffer).dtype);
  Append({LoadStatement{var, buffer, index}});
  return var;
}

void StatementWriter::Store(uint32_t buffer, Var index, Var value) {
  Append({StoreStatement{buffer, index, value}});
}

uint32_t StatementWriter::AddScratchLike(uint32_t buffer, const char* suffix) {
  BufferParameter scratch = kernel_.Buffer(buffer);
  scratch.name = absl::StrCat(scratch.name, "_", suffix);
  kernel_.scratch.push_back(std::move(scratch));
  return static_cast<uint32_t>(kernel_.buffers.size() + kernel_.scratch.size() - 1);
}

void StatementWriter::For(ForStatement::Kind kind, int64_t extent,
                          absl::FunctionRef<void(Var)> body) {
  For(kind, extent, {}, [&](Var induction, const std::vector<Var>&) {
    body(induction);
    return std::vector<Var>();
  });
}

std::vector<Var> StatementWriter::For(
    ForStatement::Kind kind, int64_t extent, const std::vector<Var>& initial,
    absl::FunctionRef<std::vector<Var>(Var, const std::vector<Var>&)> body) {
  ForStatement loop{.kind = kind, .induction = NewVar(DType::kI64), .extent = extent};
  std::vector<Var> current, results;
  for (const Var var : initial) {
    current.push_back(NewVar(TypeOf(var)));
    results.push_back(NewVar(TypeOf(var)));
  }
  Open();
  const std::vector<Var> next = body(loop.induction, current);
  loop.body = Take();
  for (size_t i = 0; i < initial.size(); ++i) {
    loop.carried.push_back({initial[i], current[i], next[i], results[i]});
  }
  Append({std::move(loop)});
  return results;
}

}  // namespace acceld::kernels
