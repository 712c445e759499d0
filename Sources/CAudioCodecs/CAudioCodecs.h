// libsndfile (Debian: libsndfile1-dev), which reads and writes the formats of sound files.
#ifndef GREENROOM_CAUDIOCODECS_H
#define GREENROOM_CAUDIOCODECS_H

#include <sndfile.h>

#endif
