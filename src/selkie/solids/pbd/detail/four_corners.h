// Constraints of four corners as functions of whole groups: evaluate(group, corners, gradients) yields C of
// eight constraints. One place for sweeps and energies. Included by .cpp files only.
#pragma once

#include "selkie/solids/pbd/constraints.h"
#include "selkie/solids/pbd/detail/points.h"
#include "selkie/solids/pbd/model.h"

namespace selkie::pbd::detail {

using Four = Corners<Lanes, 4>;

struct VolumeConstraint {
  const Volumes& volumes;
  Lanes operator()(std::size_t group, const Four& p, Four& g) const {
    return volume_constraint(p, load(volumes.rest.data() + group * kLanes), g);
  }
};

// Calls visit(evaluate) for the kind of hinges that the body has, if any.
template <class Visit>
void with_hinge_constraint(const Hinges& hinges, Visit&& visit) {
  if (hinges.batch.count == 0) return;
  const double* rest = hinges.rest.data();
  switch (hinges.kind) {
    case Bending::dihedral:
      return visit([rest](std::size_t group, const Four& p, Four& g) {
        return signed_dihedral_constraint(p, load(rest + group * kLanes), g);
      });
    case Bending::dihedral_cosine:
      // ∇C = q / √(1−d²); a flat or closed hinge has none and is left alone.
      return visit([rest](std::size_t group, const Four& p, Four& g) {
        Lanes sine;
        const Lanes error = dihedral_constraint(p, load(rest + group * kLanes), g, sine);
        const Lanes usable = sine > all(1e-9) ? all(1.0) / sine : Lanes{};
        for (auto& q : g) q = usable * q;
        return error;
      });
    case Bending::isometric:
      return visit([rest, &hinges](std::size_t group, const Four& p, Four& g) {
        const double* k = hinges.factors.data() + group * 4 * kLanes;
        return isometric_constraint<Lanes>(
            p, {load(k), load(k + kLanes), load(k + 2 * kLanes), load(k + 3 * kLanes)},
            load(rest + group * kLanes), g);
      });
    case Bending::none:
    case Bending::links:
      return;
  }
}

}  // namespace selkie::pbd::detail
