#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "common/ir/module.h"
#include "common/status.h"

// The tokens of StableHLO text (MLIR language reference, "Common syntax"), and error messages with
// positions.
namespace acceld::ir::text {

// The kinds of tokens, with examples.
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

// A token, as a part of the source text.
struct Token {
  TokenKind kind = TokenKind::kEnd;
  absl::string_view text;  // within the source
  size_t offset = 0;

  bool Is(char punctuation) const {
    return kind == TokenKind::kPunctuation && text[0] == punctuation;
  }
  bool IsWord(absl::string_view word) const { return kind == TokenKind::kWord && text == word; }
};

// Splits a text into tokens, with one token of lookahead. The text must outlive the lexer. Not
// thread-safe.
class Lexer {
 public:
  Lexer(absl::string_view source, absl::string_view file_name);

  const Token& Peek() const { return token_; }
  // Returns the current token and moves on to the next.
  Token Next();
  // Consume the current token and return true if it is this one.
  bool TryPunctuation(char c);
  bool TryWord(absl::string_view word);
  bool TryArrow();
  // Consume the current token, or return an error if it is another one.
  absl::Status Expect(char punctuation);
  absl::Status ExpectWord(absl::string_view word);
  absl::Status ExpectArrow();
  // Consumes a token of this kind, or returns an error in which `what` names it.
  absl::StatusOr<Token> ExpectKind(TokenKind kind, absl::string_view what);
  // Reads a decimal number with an optional minus sign.
  absl::StatusOr<int64_t> ExpectInteger();

  // Continues at a byte offset, for grammar that is defined by characters (dimension lists) or that
  // depends on later text (dense elements).
  void Seek(size_t offset);
  absl::string_view source() const { return source_; }

  // Consumes a group in brackets, which starts at the current '<', '(', '[' or '{', with any
  // contents. Returns its text with the brackets.
  absl::StatusOr<absl::string_view> SkipBalanced();

  Location LocationOf(size_t offset) const;
  // Returns INVALID_ARGUMENT, "file:line:col: message".
  absl::Status Error(size_t offset, absl::string_view message) const;
  // Returns UNIMPLEMENTED in the same form.
  absl::Status Unsupported(size_t offset, absl::string_view message) const;
  // Returns INVALID_ARGUMENT, "file:line:col: expected <what>, found <current token>".
  absl::Status Expected(absl::string_view what) const;
  // Returns an error of another layer, if it is one, with "file:line:col: " before its message.
  absl::Status At(size_t offset, const absl::Status& status) const;

 private:
  void Lex();
  void SkipBlanks();
  std::string Prefix(size_t offset) const;

  absl::string_view source_;
  std::string file_name_;
  size_t next_ = 0;  // where the token after token_ begins, or blanks before it
  Token token_;
  // Lines are counted up to scanned_, so that the total time is linear for increasing offsets.
  mutable size_t scanned_ = 0;
  mutable size_t line_begin_ = 0;
  mutable uint32_t line_ = 1;
};

// Returns the characters of a string token, with escapes resolved (\n, \t, \", \\, \xx
// hexadecimal).
std::string Unquote(absl::string_view quoted);
// Returns the name in a symbol token, @name or @"any name".
std::string SymbolName(absl::string_view token);

}  // namespace acceld::ir::text
