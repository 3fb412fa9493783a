// `selkie verify shallow`: water on height fields against exact solutions: dam breaks of Stoker and Ritter
// [Stoker57; Ritter1892], lakes at rest, seiches, waves leaving through absorbing sides (RT-57), Thacker's
// oscillations in a parabolic bowl with a moving shore [Thacker81], the ledger of volume (RT-58, RT-61).
#pragma once

#include "selkie/studies/study.h"

namespace selkie::studies {

StudyResult shallow(const StudyOptions& options);

}  // namespace selkie::studies
