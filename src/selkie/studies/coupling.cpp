// See coupling.h.
#include "selkie/studies/coupling.h"

#include "selkie/studies/coupling_cases.h"
#include "selkie/studies/coupling_runs.h"

namespace selkie::studies {

StudyResult coupled_liquid(const StudyOptions&) {
  using namespace coupling_cases;
  return {{cut_table(), archimedes_table(), rigid_limit_table(), piston_table(), pocket_table(),
           forms_table(), turned_forms_table(), equilibrium_table(), sliding_table(), linear_load_table(),
           adjoint_table(), momentum_table(), energy_table(), draft_table(true)}};
}

StudyResult coupled_scenes(const StudyOptions& options) {
  using namespace coupling_cases;
  return {{modes_table(options.full), draft_table(false), scene_energy_table(options.full)}};
}

}  // namespace selkie::studies
