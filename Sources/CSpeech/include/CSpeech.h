// eSpeak NG, loaded when an app first speaks: other apps neither load it nor need it. Its one voice at a time, and a
// callback without an owner, are hidden here.
#ifndef GREENROOM_CSPEECH_H
#define GREENROOM_CSPEECH_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Loads the library, once. Frames per second; 0 where there is none.
int gr_speech_open(void);

// Calls with each voice: its name, its language, and 1 for a male or 2 for a female one, 0 where nothing is said.
void gr_speech_voices(
    void (*found)(void *owner, const char *name, const char *language, int gender), void *owner);

struct gr_speech_setup {
    // As `gr_speech_voices` names it.
    const char *language;
    int words_per_minute;
    // 0 to 99; 50 is usual.
    int pitch;
    // Frames of one channel. Returns whether it goes on.
    bool (*samples)(void *owner, const int16_t *samples, int count);
    // A word begins: characters from the begin of the text, how many, and milliseconds from the begin of the sound.
    void (*word)(void *owner, int position, int length, int milliseconds);
    void *owner;
};

// Speaks a text in UTF-8. Returns when all of it has been handed over; false where it cannot be spoken.
bool gr_speech_speak(const char *text, const struct gr_speech_setup *setup);

#pragma clang assume_nonnull end

#endif
