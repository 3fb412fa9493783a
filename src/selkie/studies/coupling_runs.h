// Tables of whole coupled runs; apart from coupling_cases.h, whose names of the grid's places would clash
// with those of the scene.
#pragma once

#include "selkie/studies/study.h"

namespace selkie::studies::coupling_cases {

Table modes_table(bool full);
// `brief`: one density on a coarser grid.
Table draft_table(bool brief);
Table scene_energy_table(bool full);

}  // namespace selkie::studies::coupling_cases
