#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/text/attributes.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir::text {
namespace {

// The layout of one tensor: the positions of the two named dimensions and of the spatial ones.
struct Layout {
  int64_t first = -1;
  int64_t second = -1;
  std::vector<int64_t> spatial;
};

// '[' (first | second | integer),* ']': each name once, the integers 0 to n-1 once each.
absl::StatusOr<Layout> ReadLayout(Reader& reader, absl::string_view first,
                                  absl::string_view second) {
  Lexer& lexer = reader.lexer;
  const size_t begin = lexer.Peek().offset;
  ACCELD_RETURN_IF_ERROR(lexer.Expect('['));
  Layout layout;
  std::vector<std::pair<int64_t, int64_t>> spatial;  // (spatial number, position)
  int64_t position = 0;
  do {
    const Token token = lexer.Peek();
    if (position >= limits::kMaxRank) {
      return lexer.Error(begin,
                         absl::StrCat("a layout has more than ", limits::kMaxRank, " dimensions"));
    }
    if (token.kind == TokenKind::kInteger) {
      ACCELD_ASSIGN_OR_RETURN(const int64_t number, lexer.ExpectInteger());
      spatial.emplace_back(number, position);
    } else if (token.IsWord(first) && layout.first < 0) {
      lexer.Next();
      layout.first = position;
    } else if (token.IsWord(second) && layout.second < 0) {
      lexer.Next();
      layout.second = position;
    } else {
      return lexer.Expected(absl::StrCat("'", first, "', '", second,
                                         "' (each once) or the number of a spatial dimension"));
    }
    ++position;
  } while (lexer.TryPunctuation(','));
  if (layout.first < 0 || layout.second < 0) {
    return lexer.Expected(absl::StrCat("'", layout.first < 0 ? first : second, "'"));
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect(']'));
  std::sort(spatial.begin(), spatial.end());
  for (size_t i = 0; i < spatial.size(); ++i) {
    if (spatial[i].first != static_cast<int64_t>(i)) {
      return lexer.Error(begin, absl::StrCat("expected the spatial dimensions 0 to ",
                                             spatial.size() - 1, " once each"));
    }
    layout.spatial.push_back(spatial[i].second);
  }
  return layout;
}

}  // namespace

absl::StatusOr<Attribute> ReadConvolutionLayouts(Reader& reader) {
  Lexer& lexer = reader.lexer;
  ACCELD_ASSIGN_OR_RETURN(Layout input, ReadLayout(reader, "b", "f"));
  ACCELD_RETURN_IF_ERROR(lexer.ExpectWord("x"));
  ACCELD_ASSIGN_OR_RETURN(Layout kernel, ReadLayout(reader, "i", "o"));
  ACCELD_RETURN_IF_ERROR(lexer.ExpectArrow());
  ACCELD_ASSIGN_OR_RETURN(Layout output, ReadLayout(reader, "b", "f"));
  StructAttribute layouts;
  layouts.name = "conv";
  layouts.fields["input_batch_dimension"] = IntAttribute(input.first);
  layouts.fields["input_feature_dimension"] = IntAttribute(input.second);
  layouts.fields["input_spatial_dimensions"] = IntegersAttribute(std::move(input.spatial));
  layouts.fields["kernel_input_feature_dimension"] = IntAttribute(kernel.first);
  layouts.fields["kernel_output_feature_dimension"] = IntAttribute(kernel.second);
  layouts.fields["kernel_spatial_dimensions"] = IntegersAttribute(std::move(kernel.spatial));
  layouts.fields["output_batch_dimension"] = IntAttribute(output.first);
  layouts.fields["output_feature_dimension"] = IntAttribute(output.second);
  layouts.fields["output_spatial_dimensions"] = IntegersAttribute(std::move(output.spatial));
  return Attribute{std::move(layouts)};
}

}  // namespace acceld::ir::text
