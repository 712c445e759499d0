#include "CSpeech.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

// What is used of <espeak-ng/speak_lib.h>, so that building needs nothing of it.
enum { EVENT_END_OF_LIST = 0, EVENT_WORD = 1 };
enum { OUTPUT_SYNCHRONOUS = 2, DO_NOT_EXIT = 0x8000, TEXT_UTF8 = 1, END_PAUSE = 0x1000, POSITION_CHARACTER = 1 };
enum { PARAMETER_RATE = 1, PARAMETER_PITCH = 3 };

typedef struct {
    int type;
    unsigned int unique_identifier;
    int text_position, length, audio_position, sample;
    void *user_data;
    union {
        int number;
        const char *name;
        char string[8];
    } id;
} event;

typedef struct {
    const char *name, *languages, *identifier;
    unsigned char gender, age, variant, unused;
    int score;
    void *spare;
} voice;

typedef int synth_callback(short *samples, int count, event *events);

static struct {
    int rate;
    int (*initialize)(int output, int buffer, const char *path, int options);
    void (*set_callback)(synth_callback *callback);
    int (*synthesize)(
        const void *text, size_t size, unsigned int position, int position_type, unsigned int end, unsigned int flags,
        unsigned int *identifier, void *user_data);
    int (*set_parameter)(int parameter, int value, int is_relative);
    const voice **(*list_voices)(voice *like);
    int (*set_voice)(const char *name);
} library;

static pthread_once_t once = PTHREAD_ONCE_INIT;
// It speaks one text at a time.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const struct gr_speech_setup *current;

static int on_synth(short *samples, int count, event *events) {
    if (current == NULL) return 1;
    for (; events != NULL && events->type != EVENT_END_OF_LIST; events++)
        if (events->type == EVENT_WORD)
            current->word(current->owner, events->text_position, events->length, events->audio_position);
    if (samples == NULL || count <= 0) return 0;
    return current->samples(current->owner, samples, count) ? 0 : 1;
}

static void load(void) {
    void *handle = dlopen("libespeak-ng.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return;
    *(void **)&library.initialize = dlsym(handle, "espeak_Initialize");
    *(void **)&library.set_callback = dlsym(handle, "espeak_SetSynthCallback");
    *(void **)&library.synthesize = dlsym(handle, "espeak_Synth");
    *(void **)&library.set_parameter = dlsym(handle, "espeak_SetParameter");
    *(void **)&library.list_voices = dlsym(handle, "espeak_ListVoices");
    *(void **)&library.set_voice = dlsym(handle, "espeak_SetVoiceByName");
    if (library.initialize == NULL || library.set_callback == NULL || library.synthesize == NULL ||
        library.set_parameter == NULL || library.list_voices == NULL || library.set_voice == NULL)
        return;
    int rate = library.initialize(OUTPUT_SYNCHRONOUS, 200, NULL, DO_NOT_EXIT);
    if (rate <= 0) return;
    library.set_callback(on_synth);
    library.rate = rate;
}

int gr_speech_open(void) {
    pthread_once(&once, load);
    return library.rate;
}

void gr_speech_voices(
    void (*found)(void *owner, const char *name, const char *language, int gender), void *owner) {
    if (gr_speech_open() == 0) return;
    pthread_mutex_lock(&mutex);
    const voice **voices = library.list_voices(NULL);
    for (; voices != NULL && *voices != NULL; voices++) {
        const voice *one = *voices;
        if (one->name == NULL || one->languages == NULL || one->languages[0] == 0) continue;
        // These are sounds of another program, which need not be there.
        if (one->identifier != NULL && strncmp(one->identifier, "mb/", 3) == 0) continue;
        // The first byte says how well it fits.
        found(owner, one->name, one->languages + 1, one->gender);
    }
    pthread_mutex_unlock(&mutex);
}

bool gr_speech_speak(const char *text, const struct gr_speech_setup *setup) {
    if (gr_speech_open() == 0) return false;
    pthread_mutex_lock(&mutex);
    bool is_spoken = library.set_voice(setup->language) == 0;
    if (is_spoken) {
        library.set_parameter(PARAMETER_RATE, setup->words_per_minute, 0);
        library.set_parameter(PARAMETER_PITCH, setup->pitch, 0);
        current = setup;
        is_spoken = library.synthesize(
                        text, strlen(text) + 1, 0, POSITION_CHARACTER, 0, TEXT_UTF8 | END_PAUSE, NULL, NULL) == 0;
        current = NULL;
    }
    pthread_mutex_unlock(&mutex);
    return is_spoken;
}
