// Liquid with a free surface: pressure, rest, waves, transfers, energy, capillary drops, and how surfaces are
// carried. (LE-10 … LE-21, HY-05 … HY-08)
#pragma once

#include "selkie/studies/study.h"

namespace selkie::studies {

StudyResult liquid(const StudyOptions& options);

}  // namespace selkie::studies
