// `selkie verify projection`: the grid's pressure projection against exact answers (HY-07, HY-19, RT-51,
// LE-15, LE-16): balance, rest, closed pockets, order of manufactured solutions, iterations of the multigrid.
#pragma once

#include "selkie/studies/study.h"

namespace selkie::studies {

StudyResult projection(const StudyOptions& options);

}  // namespace selkie::studies
