// See checkpoint.h. Layout: /note/*, /world/*, /systems/<name>/{params, state/*}, /couplings/<name>/state/*,
// /groups/<number>, /events/*.
#include "selkie/sim/checkpoint.h"

#include "selkie/core/error.h"
#include "selkie/io/archive.h"
#include "selkie/io/read_toml.h"
#include "selkie/sim/input_log.h"

namespace selkie::sim {
namespace {

const io::ArchiveKind kKind{"checkpoint", 3};
constexpr int kHashesFiles = 3;  // the first version whose scene holds hashes of files

CheckpointNote note_of(const io::ArchiveReader& archive) {
  return {archive.text("/note/scene"), archive.integer("/note/frame"), archive.integer("/note/step"),
          archive.content_version() < kHashesFiles};
}

}  // namespace

// The one friend that may see a World's inside.
class CheckpointAccess {
 public:
  static void save(World& world, io::ArchiveWriter& archive) {
    archive.put_integer("/world/now", world.now_);
    archive.put_integer("/world/preferred", world.preferred_);
    const std::span<const double> gravity(world.environment_.gravity.data(), 3);
    archive.put_array("/world/gravity", {Scalar::f64, 1, gravity.size()}, std::as_bytes(gravity));
    for (auto& system : world.systems_) {
      const std::string group = "/systems/" + system->name();
      archive.put_text(group + "/params", to_toml(write(system->params_type(), system->params())));
      archive.put_arrays(group + "/state", system->state());
    }
    for (auto& coupling : world.couplings_)
      archive.put_arrays("/couplings/" + coupling->name() + "/state", coupling->state());
    for (std::size_t g = 0; g < world.groups_.size(); ++g) {
      const std::span<const double> warm(world.groups_[g].warm_start);
      archive.put_array("/groups/" + std::to_string(g), {Scalar::f64, 1, warm.size()}, std::as_bytes(warm));
    }
    archive.put_text("/events/applied", events_to_toml(world.applied_));
    archive.put_text("/events/pending", events_to_toml(world.pending_));
  }

  static void load(World& world, const io::ArchiveReader& archive, const std::string& source) {
    world.now_ = archive.integer("/world/now");
    world.preferred_ = archive.integer("/world/preferred");
    const std::vector<std::byte> gravity = archive.array_bytes("/world/gravity");
    const std::span<double> target(world.environment_.gravity.data(), 3);
    if (gravity.size() != target.size_bytes())
      throw InputError({source, 0, 0}, "holds a gravity that is no vector", "start the run again");
    std::copy(gravity.begin(), gravity.end(), std::as_writable_bytes(target).begin());
    for (auto& system : world.systems_) {
      const std::string group = "/systems/" + system->name();
      const Value params = io::parse_toml(archive.text(group + "/params"), source + group + "/params");
      read(system->params_type(), params, system->params(), system->name());
      archive.read_arrays(group + "/state", [&] { return system->state(); });
      system->state_was_written();
    }
    for (auto& coupling : world.couplings_)
      archive.read_arrays("/couplings/" + coupling->name() + "/state", [&] { return coupling->state(); });
    for (std::size_t g = 0; g < world.groups_.size(); ++g) {
      const std::vector<std::byte> bytes = archive.array_bytes("/groups/" + std::to_string(g));
      auto& warm = world.groups_[g].warm_start;
      warm.resize(bytes.size() / sizeof(double));
      std::copy(bytes.begin(), bytes.end(), std::as_writable_bytes(std::span(warm)).begin());
    }
    world.applied_ = events_from_toml(archive.text("/events/applied"), source);
    world.pending_ = events_from_toml(archive.text("/events/pending"), source);
  }
};

std::string_view other_reason(const CheckpointNote& note) {
  return note.names_files ? ", or by an older version for a scene that reads files" : "";
}

void save_checkpoint(World& world, const CheckpointNote& note, const std::filesystem::path& path) {
  io::ArchiveWriter archive(path, kKind);
  archive.put_text("/note/scene", note.scene);
  archive.put_integer("/note/frame", note.frame);
  archive.put_integer("/note/step", note.step);
  CheckpointAccess::save(world, archive);
  archive.commit();
}

CheckpointNote read_checkpoint_note(const std::filesystem::path& path) {
  return note_of(io::ArchiveReader(path, kKind));
}

void load_checkpoint(World& world, const std::filesystem::path& path) {
  const io::ArchiveReader archive(path, kKind);
  CheckpointAccess::load(world, archive, path.string());
}

}  // namespace selkie::sim
