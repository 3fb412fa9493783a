// Files are complete or absent, and every failure names path, reason and remedy.
#include "selkie/io/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "selkie/core/error.h"
#include "support/file_size_limit.h"
#include "support/temporary_folder.h"

namespace selkie::io {
namespace {

namespace fs = std::filesystem;
using test::file_text;
using test::TemporaryFolder;

std::string error_of(FunctionRef<void()> action) {
  try {
    action();
  } catch (const OutputError& error) {
    return error.what();
  }
  return "no OutputError";
}

std::size_t entries_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(AtomicFile, AWrittenFileHoldsTheBytesAndNothingElseIsLeft) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a.txt", "first");
  EXPECT_EQ(file_text(folder / "a.txt"), "first");
  write_file_atomically(folder / "a.txt", "second");
  EXPECT_EQ(file_text(folder / "a.txt"), "second");
  EXPECT_EQ(entries_in(folder.path()), 1u);
}

TEST(AtomicFile, AnEmptyFileIsAFile) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "empty", std::string_view());
  EXPECT_TRUE(fs::exists(folder / "empty"));
}

TEST(AtomicFile, ABareNameIsWrittenToTheCurrentFolder) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_file_atomically("bare.txt", "here");
  fs::current_path(before);
  EXPECT_EQ(file_text(folder / "bare.txt"), "here");
}

TEST(AtomicFile, ASinkThatFailsHalfwayLeavesTheOldFileAndNoPartialOne) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a.txt", "old");
  EXPECT_THROW(write_file_atomically(folder / "a.txt",
                                     [](FileSink& sink) {
                                       sink.write("half of the ne");
                                       throw std::runtime_error("trouble");
                                     }),
               std::runtime_error);
  EXPECT_EQ(file_text(folder / "a.txt"), "old");
  EXPECT_EQ(entries_in(folder.path()), 1u);
}

TEST(AtomicFile, AProcessKilledWhileWritingLeavesOnlyAPartialFileThatIsClearedAway) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    write_file_atomically(folder / "a.ply", [](FileSink& sink) {
      sink.write("half");
      ::_exit(9);
    });
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(fs::exists(folder / "a.ply"));
  EXPECT_TRUE(fs::exists(partial_name(folder / "a.ply")));
  std::ofstream(folder / "users.part") << "not ours";
  EXPECT_EQ(remove_partial_files(folder.path()), 1u);
  EXPECT_FALSE(fs::exists(partial_name(folder / "a.ply")));
  EXPECT_TRUE(fs::exists(folder / "users.part"));
  EXPECT_EQ(remove_partial_files(folder / "missing"), 0u);
}

TEST(AtomicFile, AFullDiskIsToldWithReasonAndRemedy) {
  const int full = ::open("/dev/full", O_WRONLY);
  if (full < 0) GTEST_SKIP() << "no /dev/full here";
  const fs::path name = "frames/water.0001.ply";
  FileSink sink(full, name);
  const std::string error = error_of([&] { sink.write("x"); });
  ::close(full);
  EXPECT_NE(error.find("frames/water.0001.ply"), std::string::npos) << error;
  EXPECT_NE(error.find("No space left"), std::string::npos) << error;
  EXPECT_NE(error.find("Free some space"), std::string::npos) << error;
}

TEST(AtomicFile, AFileThatMayNotGrowAnyFurtherLeavesNothingBehind) {
  const TemporaryFolder folder;
  const std::string text(100000, 'x');
  std::string error;
  {
    const test::FileSizeLimit limit(50000);
    error = error_of([&] { write_file_atomically(folder / "a.ply", text); });
  }
  EXPECT_NE(error.find("File too large"), std::string::npos) << error;
  EXPECT_EQ(entries_in(folder.path()), 0u);
}

TEST(AtomicFile, AMissingFolderAFileAsFolderAndAFolderAsFileAreEachExplained) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "file", "x");
  fs::create_directory(folder / "taken");
  const auto error_for = [&](const char* name) {
    return error_of([&] { write_file_atomically(folder / name, "x"); });
  };
  EXPECT_NE(error_for("missing/a.ply").find("create it or choose"), std::string::npos);
  EXPECT_NE(error_for("file/a.ply").find("is a file, not a folder"), std::string::npos);
  EXPECT_NE(error_for("taken").find("A folder has this name"), std::string::npos);
  EXPECT_EQ(entries_in(folder.path()), 2u);
  EXPECT_NE(error_of([&] { make_output_folder(folder / "file/below"); }).find("is a file"),
            std::string::npos);
}

TEST(AtomicFile, MissingPermissionIsExplained) {
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_exec);
  // The superuser may write anywhere, so become nobody for the attempt.
  const bool was_root = ::geteuid() == 0;
  if (was_root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const std::string error = error_of([&] { write_file_atomically(folder / "a.ply", "x"); });
  if (was_root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  fs::permissions(folder.path(), fs::perms::owner_all);
  EXPECT_NE(error.find("Permission denied"), std::string::npos) << error;
  EXPECT_NE(error.find("Check the permissions"), std::string::npos) << error;
}

}  // namespace
}  // namespace selkie::io
