#include "timeline/join.h"  // must not be found: model may not depend on timeline
