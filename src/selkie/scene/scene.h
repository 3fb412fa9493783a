// A scene from file to World: load (parse, --set, checks), resolve (what a run stores), build (the running
// World).
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "selkie/core/value.h"
#include "selkie/scene/description.h"
#include "selkie/sim/world.h"

namespace selkie::scene {

struct Scene {
  SceneDescription description;
  Value source;                  // with places, for messages while building
  std::filesystem::path folder;  // what mesh file names are relative to
};

// Each of `settings` is "path=value" as in `--set`: "cloth.stiffness=200", "scene.frames=10". InputError with
// place for whatever is wrong. The scene's scale is applied to every resolution.
Scene load(const std::filesystem::path& file, std::span<const std::string> settings = {});
Scene parse(std::string_view text, const std::string& source, const std::filesystem::path& folder,
            std::span<const std::string> settings = {});
// From a tree made elsewhere (a Python dictionary).
Scene from_value(Value root, const std::filesystem::path& folder, std::span<const std::string> settings = {});

// The scene with every default written out, as TOML; loading it again gives the same scene.
std::string resolved(const Scene& scene);
// The same without what a resume may change (frames, output, pictures, the folder it lies in) and with the
// content of the files it reads, as a hash: scenes of one identity give the same states. InputError when a
// file cannot be read.
std::string identity(const Scene& scene);

// Builds the world; InputError for missing or broken meshes, pins that hold nothing, stitches that join
// nothing.
sim::World build(const Scene& scene);

// InputError when nothing in the world moves and no event is to come that could throw something into it.
void require_something_to_simulate(const Scene& scene, const sim::World& world);

// Documentation from the same definition: docs/scene-format.md, and a JSON schema for editors.
std::string format_markdown();
Value format_json_schema();

}  // namespace selkie::scene
