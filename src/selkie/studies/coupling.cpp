// See coupling.h.
#include "selkie/studies/coupling.h"

#include "selkie/studies/coupling_cases.h"

namespace selkie::studies {

StudyResult coupled_liquid(const StudyOptions&) {
  using namespace coupling_cases;
  return {{cut_table(), archimedes_table(), rigid_limit_table(), piston_table(), pocket_table(),
           forms_table(), equilibrium_table(), sliding_table(), linear_load_table()}};
}

}  // namespace selkie::studies
