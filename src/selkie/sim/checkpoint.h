// Checkpoints: everything that influences a later step, in one HDF5 archive that is replaced atomically,
// versioned and checksummed. A world loaded from one continues bit for bit as the world that wrote it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "selkie/sim/world.h"

namespace selkie::sim {

// What the run driver keeps beside the world: enough to refuse a checkpoint of another scene and to continue
// stats.csv.
struct CheckpointNote {
  std::string scene;       // the resolved scene, without what a resume may change
  std::int64_t frame = 0;  // completed frames
  std::int64_t step = 0;   // completed sync steps
  // Of a version that named the scene's files in `scene`, where the hash of their content stands now.
  bool names_files = false;
};

// What else may be the reason why a note's scene is not the present one, to be added to a message.
std::string_view other_reason(const CheckpointNote& note);

void save_checkpoint(World& world, const CheckpointNote& note, const std::filesystem::path& path);

// Reads the note alone, to compare before a world is touched. InputError when the file is missing, damaged or
// foreign.
CheckpointNote read_checkpoint_note(const std::filesystem::path& path);

// Fills a world built from the same scene. InputError when its systems or arrays do not match.
void load_checkpoint(World& world, const std::filesystem::path& path);

}  // namespace selkie::sim
