// `selkie verify smoke`: the gas of the grid against exact flows and published figures: Taylor–Green
// vortices, the lid-driven cavity [Ghia82], vortex particles (HY-11, HY-12), confinement (HY-09), explosions
// (HY-14), lattice Boltzmann (RT-52 … RT-54).
#pragma once

#include "selkie/studies/study.h"

namespace selkie::studies {

StudyResult smoke(const StudyOptions& options);

}  // namespace selkie::studies
