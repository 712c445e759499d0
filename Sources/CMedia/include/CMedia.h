// Media files by FFmpeg's libavformat and libavcodec, loaded when an app first plays or records what libsndfile does not
// know: other apps neither load them nor need them.
#ifndef GREENROOM_CMEDIA_H
#define GREENROOM_CMEDIA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Loads the libraries, once. Whether they are there.
bool gr_media_load(void);
// Debian's package that has them, of the version that this was built for. It depends on the package of libavcodec.
const char *gr_media_package(void);

enum {
    GR_MEDIA_MOST_CHANNELS = 8,
    // Frames of a packet.
    GR_MEDIA_MOST_FRAMES = 65536,
    GR_MEDIA_LARGEST_PACKET = 1 << 20,
    // What a library may allocate at once. A file's index has 24 bytes for each packet: it may have two days of AAC.
    GR_MEDIA_MOST_MEMORY = 192 << 20
};

// --- Reading --------------------------------------------------------------------------------------------------

enum gr_media_container {
    GR_MEDIA_MPEG4, GR_MEDIA_CAF, GR_MEDIA_ADTS, GR_MEDIA_AMR, GR_MEDIA_AIFF, GR_MEDIA_WAVE
};

enum gr_media_reason {
    GR_MEDIA_READABLE,
    GR_MEDIA_BROKEN,
    GR_MEDIA_NO_SOUND,
    // There is sound, in an encoding that is not decoded.
    GR_MEDIA_UNKNOWN_CODEC,
    GR_MEDIA_PROTECTED
};

// Where bytes come from. A function is called by the thread that opens, reads or seeks.
struct gr_media_source {
    void *_Nullable owner;
    // How many bytes came; 0 at the end.
    int (*read)(void *_Nullable owner, uint8_t *buffer, int size);
    // Moves to an offset from the beginning. -1 where there is none.
    int64_t (*seek)(void *_Nullable owner, int64_t offset);
    // -1 where it is not known.
    int64_t (*length)(void *_Nullable owner);
    bool is_seekable;
};

struct gr_media_info {
    // FFmpeg's name of the encoding.
    char codec[32];
    // As the file has it, for people.
    char tag[16];
    // Frames a second, as the file says; 0 where it does not.
    uint32_t rate;
    // Seconds of a unit of time.
    int32_t unit_numerator, unit_denominator;
    // How long it is, in units of time; -1 where the file does not say, or where it can only be guessed.
    int64_t duration;
    // Whether packets say when they are.
    bool has_times;
    // Numbers that Apple's programs write about the frames to be played.
    char played[256];
};

// A packet, and what came of it.
struct gr_media_packet {
    // Interleaved, valid until the reader is used again. No frames where the packet could not be decoded.
    const float *_Nullable samples;
    uint32_t frames, channels, rate;
    // In units of time.
    bool has_time;
    int64_t time, duration;
    // Frames of the sound that come before it begins.
    uint32_t skipped;
    // Where it is in the file.
    int64_t offset;
    bool is_protected;
};

enum gr_media_outcome { GR_MEDIA_PACKET, GR_MEDIA_END, GR_MEDIA_FAILED };

typedef struct gr_media_reader gr_media_reader;

// NULL where it cannot be read, for a reason.
gr_media_reader *_Nullable gr_media_reader_open(
    enum gr_media_container container, struct gr_media_source source, struct gr_media_info *info,
    enum gr_media_reason *reason);
void gr_media_reader_close(gr_media_reader *reader);
// Reads the next packet, and decodes it if it should.
enum gr_media_outcome gr_media_reader_next(
    gr_media_reader *reader, bool decodes, struct gr_media_packet *packet);
// To the last packet that begins at this time or before it, or to one at an offset that a packet had.
bool gr_media_reader_seek_time(gr_media_reader *reader, int64_t time);
bool gr_media_reader_seek_offset(gr_media_reader *reader, int64_t offset);

// --- Encoding AAC ---------------------------------------------------------------------------------------------

typedef struct gr_aac_encoder gr_aac_encoder;

// NULL where the library refuses such a rate or so many channels.
gr_aac_encoder *_Nullable gr_aac_encoder_open(uint32_t rate, uint32_t channels, uint32_t bit_rate);
void gr_aac_encoder_close(gr_aac_encoder *encoder);
// Frames in a packet, and frames that come out before the first that went in.
uint32_t gr_aac_encoder_packet_frames(gr_aac_encoder *encoder);
uint32_t gr_aac_encoder_delay(gr_aac_encoder *encoder);
// The AudioSpecificConfig: its size, and as much of it as fits.
size_t gr_aac_encoder_config(gr_aac_encoder *encoder, uint8_t *bytes, size_t capacity);
// Takes a packet's frames, interleaved; fewer for the last time, and none to have what waits. False where it fails.
bool gr_aac_encoder_encode(
    gr_aac_encoder *encoder, const float *samples, uint32_t frames,
    void (*packet)(void *owner, const uint8_t *bytes, size_t size), void *owner);

#pragma clang assume_nonnull end

#endif
