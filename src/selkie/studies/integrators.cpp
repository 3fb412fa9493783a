#include "selkie/studies/integrators.h"
namespace selkie::studies { StudyResult integrators(const StudyOptions&) { return {}; } }
