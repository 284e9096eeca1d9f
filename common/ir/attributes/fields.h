#pragma once

// Macros with which a struct of attributes lists its fields, once: equality, text, wire form and
// fingerprint follow from the list (attribute_dictionary.h).
//
//   struct IotaAttributes {
//     int64_t iota_dimension = 0;
//     ACCELD_FIELDS_BEGIN
//     ACCELD_FIELD(iota_dimension)
//     ACCELD_FIELDS_END(IotaAttributes)
//   };
//
// ACCELD_NAMED_FIELD is for a field whose name in text is no name in C++.
#define ACCELD_FIELDS_BEGIN                         \
  template <typename Self, typename Visitor>        \
  static void VisitFields(Self& self, Visitor& v) { \
    (void)self;                                     \
    (void)v;
#define ACCELD_FIELD(field) v.Visit(#field, self.field);
#define ACCELD_NAMED_FIELD(name, field) v.Visit(name, self.field);
#define ACCELD_FIELDS_END(Struct) \
  }                               \
  friend bool operator==(const Struct&, const Struct&) = default;
