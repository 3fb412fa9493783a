// See build_vortex_method.h.
#include "selkie/scene/build_vortex_method.h"

#include "selkie/core/error.h"
#include "selkie/sim/systems/vortex_method_system.h"

namespace selkie::scene {

namespace vm = vortex_method;

std::vector<Problem> validate(const VortexMethodDescription& box) {
  std::vector<Problem> problems = check_formula("smoke", box.smoke);
  if (!validate(box.domain).empty()) return problems;  // said of the domain itself
  const grid::Shape shape = shape_of(box.domain);
  if (shape.dims() == 2) {
    problems.push_back({"domain.max", "makes the box flat, but the vortex method is three-dimensional",
                        "let max.z be above min.z, or use a [[smoke]] system"});
    return problems;
  }
  for (const int cells : shape.cells())
    if (cells < vm::kFewestCells) {
      problems.push_back({"domain.cells", "leaves fewer than 4 cells along an axis", "raise it"});
      return problems;
    }
  const vm::Vortices& v = box.vortices;
  const bool rises = box.params.buoyancy != 0 && box.smoke != "0";
  if (v.ring.empty() && v.hill.empty() && v.patch.empty() && !rises)
    problems.push_back({"ring", "is missing, and so are hill and patch: nothing would ever move",
                        "for example ring = [{ center = [0.5, 0.5, 0.5] }], or smoke with buoyancy"});
  for (Problem& problem : vm::check(shape, v)) problems.push_back(std::move(problem));
  return problems;
}

namespace {

bool reaches_into(const ports::FieldSampler& solid, const grid::Shape& shape) {
  for (int k = 0; k < shape.cells()[2]; ++k)
    for (int j = 0; j < shape.cells()[1]; ++j)
      for (int i = 0; i < shape.cells()[0]; ++i)
        if (solid.sample(shape.position(grid::Place::cell, i, j, k), 0).distance < 0) return true;
  return false;
}

}  // namespace

std::unique_ptr<sim::System> build_vortex_method(const VortexMethodDescription& d,
                                                 std::span<const sim::ColliderDescription> colliders,
                                                 const Value& source) {
  vm::Model model = vm::make_model(shape_of(d.domain));
  for (const sim::ColliderDescription& collider : colliders)
    if (reaches_into(*sim::make_collider(collider), model.shape))
      throw InputError(source.place.location(),
                       "the collider '" + collider.name + "' reaches into the box of '" + d.name +
                           "', but the vortex method knows no obstacles",
                       "move it out of the box, or use a [[smoke]] system");
  vm::State<float> state = vm::make_state<float>(model);
  fill_from(model.shape, grid::Place::cell, d.smoke, source, "smoke", state.density);
  vm::seed(model, d.vortices, d.params.remesh_cutoff, state);
  return std::make_unique<sim::VortexMethodSystem>(d.name, std::move(model), d.params, std::move(state),
                                                   d.show_particles);
}

}  // namespace selkie::scene
