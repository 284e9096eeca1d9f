#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "common/ir/module.h"
#include "common/status.h"

// Tokens of StableHLO text (MLIR language reference, "Common syntax") and messages with positions.
namespace acceld::ir::text {

enum class TokenKind : uint8_t {
  kEnd,
  kInvalid,      // an unterminated string or a byte that starts no token
  kPunctuation,  // one character
  kArrow,        // ->
  kWord,         // stablehlo.add, tensor, i32
  kInteger,      // 12, 0x1F
  kFloat,        // 1.5e-3
  kString,       // "..." with its quotes
  kValue,        // %name
  kSymbol,       // @name, @"name"
  kHash,         // #stablehlo.gather
  kBang,         // !stablehlo.token
  kBlock,        // ^bb0
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  absl::string_view text;  // within the source
  size_t offset = 0;

  bool Is(char punctuation) const {
    return kind == TokenKind::kPunctuation && text[0] == punctuation;
  }
  bool IsWord(absl::string_view word) const { return kind == TokenKind::kWord && text == word; }
};

// Walks over a text with one token of lookahead. The text must outlive it. Not thread-safe.
class Lexer {
 public:
  Lexer(absl::string_view source, absl::string_view file_name);

  const Token& Peek() const { return token_; }
  // Gives the current token and moves on.
  Token Next();
  // Consumes the current token if it is this one.
  bool TryPunctuation(char c);
  bool TryWord(absl::string_view word);
  bool TryArrow();
  absl::Status Expect(char punctuation);
  absl::Status ExpectWord(absl::string_view word);
  absl::Status ExpectArrow();
  // Consumes a token of the kind; `what` names it in the message otherwise.
  absl::StatusOr<Token> ExpectKind(TokenKind kind, absl::string_view what);
  // A decimal number with an optional minus.
  absl::StatusOr<int64_t> ExpectInteger();

  // Continues at a byte offset: for grammar that is defined on characters (dimension lists) or that
  // depends on what follows (dense elements).
  void Seek(size_t offset);
  absl::string_view source() const { return source_; }

  // Consumes a bracketed group that starts at the current '<', '(', '[' or '{', whatever is in it,
  // and gives its text with the brackets.
  absl::StatusOr<absl::string_view> SkipBalanced();

  Location LocationOf(size_t offset) const;
  // INVALID_ARGUMENT "file:line:col: message".
  absl::Status Error(size_t offset, absl::string_view message) const;
  // UNIMPLEMENTED in the same form.
  absl::Status Unsupported(size_t offset, absl::string_view message) const;
  // "file:line:col: expected <what>, found <current token>".
  absl::Status Expected(absl::string_view what) const;
  // "file:line:col: " put before another layer's message; its code stays.
  absl::Status At(size_t offset, const absl::Status& status) const;

 private:
  void Lex();
  void SkipBlanks();
  std::string Prefix(size_t offset) const;

  absl::string_view source_;
  std::string file_name_;
  size_t next_ = 0;  // where the token after token_ is looked for
  Token token_;
  // Lines are counted up to scanned_, so that asking in increasing order is linear in all.
  mutable size_t scanned_ = 0;
  mutable size_t line_begin_ = 0;
  mutable uint32_t line_ = 1;
};

// The characters of a string token, escapes resolved (\n, \t, \", \\, \xx hexadecimal).
std::string Unquote(absl::string_view quoted);
// The name in a symbol token: @name or @"any name".
std::string SymbolName(absl::string_view token);

}  // namespace acceld::ir::text
