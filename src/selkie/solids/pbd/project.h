// Non-linear Gauss–Seidel sweeps over the constraints inside a body: RT-28, and its compliant form with
// Lagrange multipliers. [Müller08 §5.3; Macklin16 §4]
#pragma once

#include "selkie/solids/pbd/model.h"
#include "selkie/solids/pbd/params.h"
#include "selkie/solids/pbd/work.h"

namespace selkie::pbd {

// How one kind of constraint is projected: by the share k′ of its error, or with compliance over h².
struct Firmness {
  double share = 1;
  double compliance = 0;  // α̃ = α/h²
};
struct SweepRule {
  bool compliant = false;
  Firmness stretch, bend, volume;
};
SweepRule sweep_rule(const Params& params, double h);

// Multipliers of all constraints at zero: the start of a sub-step.
void reset_multipliers(const Model& model, const SweepRule& rule, Work& work);

// Each projects every constraint of its kind once, in work.points.
void project_links(const Links& links, const Firmness& firmness, bool compliant, Buffer<double>& multipliers,
                   Work& work);
void project_hinges(const Hinges& hinges, const Firmness& firmness, bool compliant, Work& work);
// Tetrahedra that are nearly flat or inside out are drawn to their turned shape at rest: their volume alone
// would not lead them back.
void project_volumes(const Model& model, const Firmness& firmness, bool compliant, Work& work);
// The volume inside the closed surface against inflation · rest volume; one constraint over all vertices.
void project_closed(const Model& model, const Params& params, const Firmness& firmness, Work& work);

// All of them, in this order.
void sweep(const Model& model, const Params& params, const SweepRule& rule, Work& work);

}  // namespace selkie::pbd
