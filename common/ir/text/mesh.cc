#include "common/ir/text/mesh.h"

#include "common/ir/collectives/process_grid.h"

namespace acceld::ir::text {

absl::StatusOr<int64_t> ReadMesh(Lexer& lexer) {
  int64_t devices = 1;
  ACCELD_RETURN_IF_ERROR(lexer.Expect('<'));
  ACCELD_RETURN_IF_ERROR(lexer.Expect('['));
  if (!lexer.Peek().Is(']')) {
    do {
      ACCELD_RETURN_IF_ERROR(
          lexer.ExpectKind(TokenKind::kString, "the name of an axis (a string)").status());
      ACCELD_RETURN_IF_ERROR(lexer.Expect('='));
      const size_t begin = lexer.Peek().offset;
      ACCELD_ASSIGN_OR_RETURN(const int64_t size, lexer.ExpectInteger());
      if (size < 1) return lexer.Error(begin, "expected an axis of at least one device");
      devices = SaturatingProduct(devices, size);
    } while (lexer.TryPunctuation(','));
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect(']'));
  if (lexer.TryPunctuation(',')) {
    ACCELD_RETURN_IF_ERROR(lexer.ExpectWord("device_ids"));
    ACCELD_RETURN_IF_ERROR(lexer.Expect('='));
    ACCELD_RETURN_IF_ERROR(lexer.SkipBalanced().status());
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect('>'));
  return devices;
}

}  // namespace acceld::ir::text
