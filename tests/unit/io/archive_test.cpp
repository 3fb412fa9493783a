// Archives: bit-exact round trips, and every kind of bad file told apart.
#include "selkie/io/archive.h"

#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

#include "selkie/core/error.h"
#include "selkie/io/atomic_file.h"
#include "selkie/math/types.h"
#include "support/file_size_limit.h"
#include "support/temporary_folder.h"

namespace selkie::io {
namespace {

namespace fs = std::filesystem;
using test::file_text;
using test::TemporaryFolder;

const ArchiveKind kKind{.name = "checkpoint", .version = 3};

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

void write_sample(const fs::path& path) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6};
  const std::vector<std::uint32_t> ids(300, 77);
  ArchiveWriter writer(path, kKind);
  writer.put_array("/systems/cloth/positions", {Scalar::f64, 3, 2}, bytes_of(values), "m");
  writer.put_array("/systems/cloth/ids", {Scalar::u32, 1, 300}, bytes_of(ids));
  writer.put_text("/scene", "frames = 3\n");
  writer.put_integer("/tick", -5);
  writer.commit();
}

std::string refusal(const fs::path& path, const ArchiveKind& newest = kKind) {
  try {
    const ArchiveReader reader(path, newest);
  } catch (const InputError& error) {
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  return "accepted";
}

void overwrite(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

TEST(Archive, ArraysComeBackBitForBit) {
  const TemporaryFolder folder;
  const std::vector<double> strange = {
      std::bit_cast<double>(0x7ff8000000abcdefull),
      std::bit_cast<double>(0x7ff0000000000001ull),  // NaN payloads
      std::bit_cast<double>(0xfff8dead0000beefull), -0.0, 5e-324, -2.2e-310, 1.0 / 3};
  const std::vector<float> single = {std::bit_cast<float>(0x7f800001u), -0.0f, 1e-45f};
  const std::vector<std::int32_t> i32 = {-1, 0x7fffffff};
  const std::vector<std::uint64_t> u64 = {~0ull, 1};
  const std::vector<std::int64_t> i64 = {INT64_MIN};
  const std::vector<std::uint8_t> u8 = {0, 255, 10};
  {
    ArchiveWriter writer(folder / "a.h5", kKind);
    writer.put_array("/f64", {Scalar::f64, 1, strange.size()}, bytes_of(strange), "m/s²");
    writer.put_array("/f32", {Scalar::f32, 3, 1}, bytes_of(single));
    writer.put_array("/i32", {Scalar::i32, 1, 2}, bytes_of(i32));
    writer.put_array("/u64", {Scalar::u64, 2, 1}, bytes_of(u64));
    writer.put_array("/i64", {Scalar::i64, 1, 1}, bytes_of(i64));
    writer.put_array("/u8", {Scalar::u8, 1, 3}, bytes_of(u8));
    writer.put_array("/none", {Scalar::f64, 3, 0}, {});
    writer.commit();
  }
  const ArchiveReader reader(folder / "a.h5", kKind);
  const auto expect_same = [&](const char* name, std::span<const std::byte> expected) {
    const std::vector<std::byte> found = reader.array_bytes(name);
    ASSERT_EQ(found.size(), expected.size()) << name;
    EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size()), 0) << name;
  };
  expect_same("/f64", bytes_of(strange));
  expect_same("/f32", bytes_of(single));
  expect_same("/i32", bytes_of(i32));
  expect_same("/u64", bytes_of(u64));
  expect_same("/i64", bytes_of(i64));
  expect_same("/u8", bytes_of(u8));
  EXPECT_EQ(reader.array_shape("/f32").components, 3);
  EXPECT_EQ(reader.array_shape("/none").components, 3);
  EXPECT_EQ(reader.array_shape("/none").count, 0u);
}

TEST(Archive, TextsIntegersAndGroupsComeBack) {
  const TemporaryFolder folder;
  write_sample(folder / "a.h5");
  {
    ArchiveWriter writer(folder / "b.h5", kKind);
    writer.put_text("/empty", "");
    writer.put_text("/odd", std::string_view("a\0b\n é", 7));
    writer.put_integer("/least", INT64_MIN);
    writer.commit();
  }
  const ArchiveReader a(folder / "a.h5", kKind), b(folder / "b.h5", kKind);
  EXPECT_EQ(a.text("/scene"), "frames = 3\n");
  EXPECT_EQ(a.integer("/tick"), -5);
  EXPECT_EQ(a.content_version(), 3);
  EXPECT_EQ(a.names_in("/"), (std::vector<std::string>{"scene", "systems", "tick"}));
  EXPECT_EQ(a.names_in("/systems/cloth"), (std::vector<std::string>{"ids", "positions"}));
  EXPECT_TRUE(a.names_in("/nowhere").empty());
  EXPECT_TRUE(a.contains("/systems/cloth/ids"));
  EXPECT_FALSE(a.contains("/systems/cloth/idz"));
  EXPECT_EQ(b.text("/empty"), "");
  EXPECT_EQ(b.text("/odd"), std::string("a\0b\n é", 7));
  EXPECT_EQ(b.integer("/least"), INT64_MIN);
}

// A State's arrays, as describe() yields them.
struct Sample {
  Buffer<Vec3f> points;
  double clock = 0;
  std::vector<ArrayRef> arrays() { return {named_ref(points, "points"), named_ref(clock, "clock")}; }
  template <class M>
  static ArrayRef named_ref(M& member, const char* name) {
    ArrayRef ref = selkie::detail::array_ref(member);
    ref.name = name;
    return ref;
  }
};

TEST(Archive, StateArraysAreResizedAndFilled) {
  const TemporaryFolder folder;
  Sample written;
  written.points.resize(500, Vec3f(1, 2, 3));
  written.clock = 0.1;
  {
    ArchiveWriter writer(folder / "a.h5", kKind);
    writer.put_arrays("/systems/drops", written.arrays());
    writer.commit();
  }
  Sample read;
  const ArchiveReader reader(folder / "a.h5", kKind);
  reader.read_arrays("/systems/drops", [&] { return read.arrays(); });
  EXPECT_EQ(read.points, written.points);
  EXPECT_EQ(read.clock, 0.1);
}

TEST(Archive, ArraysOfAnotherShapeOrNameAreRefusedBeforeAnythingChanges) {
  const TemporaryFolder folder;
  const std::vector<double> wrong(6);
  const std::vector<float> points(6);
  {
    ArchiveWriter writer(folder / "a.h5", kKind);
    writer.put_array("/s/points", {Scalar::f32, 3, 2}, bytes_of(points));
    writer.put_array("/s/clock", {Scalar::f64, 1, 6}, bytes_of(wrong));
    writer.put_array("/t/points", {Scalar::f64, 3, 2}, bytes_of(wrong));
    writer.commit();
  }
  const ArchiveReader reader(folder / "a.h5", kKind);
  Sample read;
  for (const char* group : {"/s", "/t", "/u"})
    EXPECT_THROW(reader.read_arrays(group, [&] { return read.arrays(); }), InputError) << group;
  EXPECT_EQ(read.points.size(), 0u);
  EXPECT_THROW(reader.text("/s/points"), InputError);
  EXPECT_THROW(reader.integer("/s/points"), InputError);
  EXPECT_THROW(reader.array_shape("/s"), InputError);
}

TEST(Archive, EqualContentGivesEqualBytesAtAnotherTimeOfDay) {
  const TemporaryFolder folder;
  write_sample(folder / "a.h5");
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // HDF5's time stamps count seconds
  write_sample(folder / "b.h5");
  EXPECT_EQ(file_text(folder / "a.h5"), file_text(folder / "b.h5"));
}

TEST(Archive, AnArchiveThatIsNotCommittedLeavesTheOldOneInPlace) {
  const TemporaryFolder folder;
  write_sample(folder / "a.h5");
  const std::string before = file_text(folder / "a.h5");
  {
    ArchiveWriter writer(folder / "a.h5", kKind);
    writer.put_integer("/tick", 9);
    EXPECT_EQ(file_text(folder / "a.h5"), before);
  }
  EXPECT_EQ(file_text(folder / "a.h5"), before);
  EXPECT_EQ(remove_partial_files(folder.path()), 0u);
}

TEST(Archive, EveryFlippedByteIsDetected) {
  const TemporaryFolder folder;
  write_sample(folder / "a.h5");
  const std::string intact = file_text(folder / "a.h5");
  ASSERT_GT(intact.size(), 1500u);
  for (std::size_t at = 0; at < intact.size(); at += at < 250 ? 1 : 29) {
    std::string damaged = intact;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    overwrite(folder / "a.h5", damaged);
    ASSERT_NE(refusal(folder / "a.h5"), "accepted") << "byte " << at;
  }
  std::string damaged = intact;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  overwrite(folder / "a.h5", damaged);
  EXPECT_NE(refusal(folder / "a.h5").find("the file is damaged"), std::string::npos);
}

TEST(Archive, TruncatedLengthenedAndEmptyFilesAreDetected) {
  const TemporaryFolder folder;
  write_sample(folder / "a.h5");
  const std::string intact = file_text(folder / "a.h5");
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{100}, std::size_t{512},
                                 std::size_t{513}, intact.size() / 2, intact.size() - 1}) {
    overwrite(folder / "a.h5", intact.substr(0, size));
    EXPECT_NE(refusal(folder / "a.h5"), "accepted") << size;
  }
  overwrite(folder / "a.h5", intact.substr(0, intact.size() - 8));
  EXPECT_NE(refusal(folder / "a.h5").find("cut short"), std::string::npos);
  overwrite(folder / "a.h5", intact + "x");
  EXPECT_NE(refusal(folder / "a.h5"), "accepted");
}

TEST(Archive, ForeignNewerAndMissingFilesAreToldApart) {
  const TemporaryFolder folder;
  overwrite(folder / "foreign", "solid teapot\n" + std::string(2000, ' '));
  EXPECT_NE(refusal(folder / "foreign").find("not a Selkie checkpoint"), std::string::npos);
  EXPECT_NE(refusal(folder / "missing").find("No such file"), std::string::npos);
  EXPECT_NE(refusal(folder.path()).find("directory"), std::string::npos);

  write_sample(folder / "a.h5");
  EXPECT_NE(refusal(folder / "a.h5", {.name = "checkpoint", .version = 2}).find("version 3 is newer"),
            std::string::npos);
  EXPECT_NE(refusal(folder / "a.h5", {.name = "cache", .version = 3}).find("holds a checkpoint"),
            std::string::npos);
  EXPECT_EQ(refusal(folder / "a.h5", {.name = "checkpoint", .version = 4}), "accepted");

  std::string newer = file_text(folder / "a.h5");
  newer.replace(newer.find("format 1"), 8, "format 2");
  overwrite(folder / "a.h5", newer);
  EXPECT_NE(refusal(folder / "a.h5").find("archive format 2 is newer"), std::string::npos);
}

TEST(Archive, AFullDiskIsAnOutputErrorWithTheSystemsReason) {
  const TemporaryFolder folder;
  write_sample(folder / "a.h5");
  const std::string before = file_text(folder / "a.h5");
  const std::vector<double> large(100000);
  std::string error = "none";
  testing::internal::CaptureStderr();
  {
    const test::FileSizeLimit limit(20000);
    try {
      ArchiveWriter writer(folder / "a.h5", kKind);
      writer.put_array("/large", {Scalar::f64, 1, large.size()}, bytes_of(large));
      writer.commit();
    } catch (const OutputError& failure) {
      error = failure.what();
    }
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");  // HDF5 keeps its own error stack to itself
  EXPECT_NE(error.find("File too large"), std::string::npos) << error;
  EXPECT_EQ(file_text(folder / "a.h5"), before);
  EXPECT_EQ(remove_partial_files(folder.path()), 0u);
  EXPECT_THROW(write_sample(folder / "missing/a.h5"), OutputError);
}

}  // namespace
}  // namespace selkie::io
