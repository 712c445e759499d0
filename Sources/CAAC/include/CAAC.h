// AAC and Apple Lossless by FFmpeg's libavcodec, loaded when an app first plays or records one of them: other apps
// neither load it nor need it. Files are read and written elsewhere; here are packets and samples.
#ifndef GREENROOM_CAAC_H
#define GREENROOM_CAAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Loads the library, once. Whether it is there.
bool gr_aac_load(void);
// Debian's package that has it, of the version that this was built for.
const char *gr_aac_package(void);

enum { GR_AAC_MOST_CHANNELS = 8, GR_AAC_MOST_FRAMES = 65536 };

enum gr_aac_codec { GR_AAC = 0, GR_ALAC = 1 };

typedef struct gr_aac_decoder gr_aac_decoder;
typedef struct gr_aac_encoder gr_aac_encoder;

// Interleaved, valid until the decoder is used again. No frames where the packet could not be decoded.
struct gr_aac_frames {
    const float *_Nullable samples;
    uint32_t frames;
    uint32_t channels;
    uint32_t rate;
};

// `config` is an AudioSpecificConfig, or the box of Apple Lossless with its head. NULL where the library refuses.
gr_aac_decoder *_Nullable gr_aac_decoder_open(enum gr_aac_codec codec, const uint8_t *config, size_t size);
void gr_aac_decoder_close(gr_aac_decoder *decoder);
struct gr_aac_frames gr_aac_decoder_decode(gr_aac_decoder *decoder, const uint8_t *packet, size_t size);
// What follows is from elsewhere.
void gr_aac_decoder_flush(gr_aac_decoder *decoder);

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
