#include "client/tools/accelctl/views/table.h"

#include "common/cli/text.h"
#include "gtest/gtest.h"

namespace acceld::tools {
namespace {

Table MakeTable() {
  Table table({{.heading = "id", .is_number = true},
               {.heading = "name", .least_columns = 6},
               {.heading = "note", .may_be_absent = true},
               {.heading = "why", .least_columns = 8}});
  table.Add({"1", "a-rather-long-name", "first", "it was done, and well"});
  table.Add({"22", "b", "2nd", "-"});
  return table;
}

TEST(TableTest, ColumnsAreAsWideAsTheirCells) {
  EXPECT_EQ(MakeTable().Text(80, "rows"),
            "id  name                note   why\n"
            " 1  a-rather-long-name  first  it was done, and well\n"
            "22  b                   2nd    -\n");
  EXPECT_EQ(MakeTable().Text(cli::kUnlimitedColumns, "rows"), MakeTable().Text(80, "rows"));
}

TEST(TableTest, TheWidestCellsAreCutFirst) {
  EXPECT_EQ(MakeTable().Text(48, "rows"),
            "id  name               note   why\n"
            " 1  a-rather-long-...  first  it was done, an...\n"
            "22  b                  2nd    -\n");
  EXPECT_EQ(MakeTable().Text(40, "rows"),
            "id  name           note   why\n"
            " 1  a-rather-l...  first  it was done...\n"
            "22  b              2nd    -\n");
}

TEST(TableTest, ColumnsAreLeftOutWhereCuttingIsNotEnough) {
  EXPECT_EQ(MakeTable().Text(22, "rows"),
            "id  name      why\n"
            " 1  a-rat...  it wa...\n"
            "22  b         -\n");
}

TEST(TableTest, WhatCannotBeCutStaysWhole) {
  Table table({{.heading = "key"}, {.heading = "name", .least_columns = 4}});
  table.Add({"0123456789", "abcdefgh"});
  EXPECT_EQ(table.Text(8, "keys"), "key         name\n0123456789  a...\n");
}

TEST(TableTest, WidthsAreThoseOfCharacters) {
  Table table({{.heading = "name", .least_columns = 4}, {.heading = "n", .is_number = true}});
  table.Add({"\xc3\xa4\xc3\xb6\xc3\xbc", "1"});
  EXPECT_EQ(table.Text(80, "names"), "name  n\n\xc3\xa4\xc3\xb6\xc3\xbc   1\n");
}

TEST(TableTest, ATableWithoutRowsSaysSo) {
  EXPECT_EQ(Table({{.heading = "name"}}).Text(80, "names"), "no names\n");
}

}  // namespace
}  // namespace acceld::tools
