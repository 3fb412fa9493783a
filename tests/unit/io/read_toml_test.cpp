// Whole files as text: no size is known beforehand, and trouble on the way is never taken for the end.
#include "selkie/io/read_toml.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "selkie/core/error.h"
#include "support/temporary_folder.h"

namespace selkie::io {
namespace {

InputError error_of_reading(const std::filesystem::path& path) {
  try {
    read_text_file(path);
  } catch (const InputError& error) {
    return error;
  }
  return InputError("");
}

TEST(ReadTextFile, GivesEveryByteWhateverTheSize) {
  const test::TemporaryFolder folder;
  for (const std::size_t size : {0u, 1u, 65535u, 65536u, 65537u, 200000u}) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i % 251);
    std::ofstream(folder / "file", std::ios::binary) << text;
    EXPECT_EQ(read_text_file(folder / "file"), text) << size;
  }
}

TEST(ReadTextFile, ReadsAPipeToItsEnd) {
  const test::TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const std::string text(200'000, 'x');
  std::thread writer([&] { std::ofstream(folder / "pipe") << text; });
  EXPECT_EQ(read_text_file(folder / "pipe"), text);
  writer.join();
}

TEST(ReadTextFile, RefusesAFileWhoseReadingFails) {
  // Opens like a file, but address 0 is never mapped: reading it is an input/output error, as of a bad disk.
  const std::filesystem::path memory = "/proc/self/mem";
  if (!std::ifstream(memory)) GTEST_SKIP() << "this system has no " << memory;
  const InputError error = error_of_reading(memory);
  EXPECT_EQ(error.where().file, memory.string());
  EXPECT_NE(error.problem().find("cannot be read to its end: Input/output error"), std::string::npos)
      << error.what();
  EXPECT_FALSE(error.remedy().empty());
  EXPECT_THROW(read_toml(memory), InputError);
}

TEST(ReadTextFile, SaysThatAFileIsMissingOrAFolder) {
  const test::TemporaryFolder folder;
  EXPECT_NE(error_of_reading(folder / "missing").problem().find("cannot be opened"), std::string::npos);
  EXPECT_NE(error_of_reading(folder.path()).problem().find("folder"), std::string::npos);
}

}  // namespace
}  // namespace selkie::io
