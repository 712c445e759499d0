#include "CAAC.h"
#include <dlfcn.h>
#include <libavcodec/avcodec.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#if LIBAVCODEC_VERSION_INT < AV_VERSION_INT(59, 37, 100)
#error "libavcodec of FFmpeg 5.1 or later is needed (Debian 12: libavcodec-dev)"
#endif

// Structures are laid out as this version has them, so that no other one is loaded.
#define CODEC_LIBRARY "libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR)
#define UTIL_LIBRARY "libavutil.so." AV_STRINGIFY(LIBAVUTIL_VERSION_MAJOR)

#define CODEC_FUNCTIONS(X) \
    X(avcodec_version) X(avcodec_find_decoder_by_name) X(avcodec_find_encoder_by_name) X(avcodec_alloc_context3) \
    X(avcodec_free_context) X(avcodec_open2) X(avcodec_send_packet) X(avcodec_receive_frame) X(avcodec_send_frame) \
    X(avcodec_receive_packet) X(avcodec_flush_buffers) X(av_packet_alloc) X(av_packet_free) X(av_packet_unref) \
    X(av_new_packet)
#define UTIL_FUNCTIONS(X) \
    X(av_frame_alloc) X(av_frame_free) X(av_frame_unref) X(av_frame_get_buffer) X(av_mallocz) X(av_free) \
    X(av_channel_layout_default) X(av_channel_layout_copy) X(av_dict_set) X(av_dict_free)

#define DECLARE(name) __typeof__(&name) name;
static struct {
    bool is_there;
    CODEC_FUNCTIONS(DECLARE)
    UTIL_FUNCTIONS(DECLARE)
} library;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *util = dlopen(UTIL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    void *codec = util != NULL ? dlopen(CODEC_LIBRARY, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (codec == NULL) return;
    bool is_whole = true;
#define FIND_CODEC(name) is_whole &= (*(void **)&library.name = dlsym(codec, #name)) != NULL;
#define FIND_UTIL(name) is_whole &= (*(void **)&library.name = dlsym(util, #name)) != NULL;
    CODEC_FUNCTIONS(FIND_CODEC)
    UTIL_FUNCTIONS(FIND_UTIL)
    library.is_there = is_whole && library.avcodec_version() >= AV_VERSION_INT(59, 37, 100);
}

bool gr_aac_load(void) {
    pthread_once(&once, load);
    return library.is_there;
}

const char *gr_aac_package(void) { return "libavcodec" AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR); }

static AVCodecContext *make_context(const AVCodec *codec) {
    AVCodecContext *context = codec != NULL ? library.avcodec_alloc_context3(codec) : NULL;
    if (context == NULL) return NULL;
    // What is wrong with a file is said by an error. This keeps it from being said on the app's output as well.
    context->log_level_offset = 100;
    context->thread_count = 1;
    return context;
}

// --- Decoding -------------------------------------------------------------------------------------------------

struct gr_aac_decoder {
    AVCodecContext *context;
    AVPacket *packet;
    AVFrame *frame;
    float *samples;
    size_t capacity;
};

gr_aac_decoder *gr_aac_decoder_open(enum gr_aac_codec codec, const uint8_t *config, size_t size) {
    if (!gr_aac_load() || size == 0 || size > 4096) return NULL;
    gr_aac_decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder == NULL) return NULL;
    const AVCodec *found = library.avcodec_find_decoder_by_name(codec == GR_ALAC ? "alac" : "aac");
    decoder->context = make_context(found);
    decoder->packet = library.av_packet_alloc();
    decoder->frame = library.av_frame_alloc();
    uint8_t *extra = library.av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE);
    if (decoder->context == NULL || decoder->packet == NULL || decoder->frame == NULL || extra == NULL) {
        if (extra != NULL) library.av_free(extra);
        gr_aac_decoder_close(decoder);
        return NULL;
    }
    memcpy(extra, config, size);
    decoder->context->extradata = extra;
    decoder->context->extradata_size = (int)size;
    // A file may say anything.
    decoder->context->max_samples = GR_AAC_MOST_FRAMES;
    if (library.avcodec_open2(decoder->context, found, NULL) >= 0) return decoder;
    gr_aac_decoder_close(decoder);
    return NULL;
}

void gr_aac_decoder_close(gr_aac_decoder *decoder) {
    library.av_frame_free(&decoder->frame);
    library.av_packet_free(&decoder->packet);
    library.avcodec_free_context(&decoder->context);
    free(decoder->samples);
    free(decoder);
}

static void interleave(const AVFrame *frame, float *samples, int channels) {
    for (int channel = 0; channel < channels; channel++) {
        const void *plane = frame->extended_data[channel];
        float *next = samples + channel;
        for (int i = 0; i < frame->nb_samples; i++, next += channels) {
            switch (frame->format) {
            case AV_SAMPLE_FMT_FLTP: *next = ((const float *)plane)[i]; break;
            case AV_SAMPLE_FMT_S16P: *next = (float)((const int16_t *)plane)[i] / 32768.0f; break;
            default: *next = (float)((const int32_t *)plane)[i] / 2147483648.0f; break;
            }
        }
    }
}

// Whether the frame's samples are behind those that there are.
static bool append(gr_aac_decoder *decoder, struct gr_aac_frames *frames) {
    const AVFrame *frame = decoder->frame;
    int channels = frame->ch_layout.nb_channels;
    bool is_known = frame->format == AV_SAMPLE_FMT_FLTP || frame->format == AV_SAMPLE_FMT_S16P ||
        frame->format == AV_SAMPLE_FMT_S32P;
    if (!is_known || channels < 1 || channels > GR_AAC_MOST_CHANNELS || frame->nb_samples < 1 ||
        frame->nb_samples > GR_AAC_MOST_FRAMES || frame->sample_rate < 1)
        return false;
    if (frames->frames > 0 && frames->channels != (uint32_t)channels) return false;
    size_t all = frames->frames + (size_t)frame->nb_samples;
    if (all > GR_AAC_MOST_FRAMES) return false;
    if (all * (size_t)channels > decoder->capacity) {
        float *larger = realloc(decoder->samples, all * (size_t)channels * sizeof(float));
        if (larger == NULL) return false;
        decoder->samples = larger;
        decoder->capacity = all * (size_t)channels;
    }
    interleave(frame, decoder->samples + (size_t)frames->frames * (size_t)channels, channels);
    *frames = (struct gr_aac_frames){decoder->samples, (uint32_t)all, (uint32_t)channels, (uint32_t)frame->sample_rate};
    return true;
}

struct gr_aac_frames gr_aac_decoder_decode(gr_aac_decoder *decoder, const uint8_t *packet, size_t size) {
    struct gr_aac_frames frames = {NULL, 0, 0, 0};
    if (size == 0 || size > (1 << 24) || library.av_new_packet(decoder->packet, (int)size) < 0) return frames;
    memcpy(decoder->packet->data, packet, size);
    int result = library.avcodec_send_packet(decoder->context, decoder->packet);
    library.av_packet_unref(decoder->packet);
    while (result >= 0 && library.avcodec_receive_frame(decoder->context, decoder->frame) >= 0) {
        if (!append(decoder, &frames)) result = -1;
        library.av_frame_unref(decoder->frame);
    }
    return frames;
}

void gr_aac_decoder_flush(gr_aac_decoder *decoder) { library.avcodec_flush_buffers(decoder->context); }

// --- Encoding -------------------------------------------------------------------------------------------------

struct gr_aac_encoder {
    AVCodecContext *context;
    AVPacket *packet;
    AVFrame *frame;
    int64_t time;
};

gr_aac_encoder *gr_aac_encoder_open(uint32_t rate, uint32_t channels, uint32_t bit_rate) {
    if (!gr_aac_load() || rate == 0 || rate > 768000 || channels == 0 || channels > GR_AAC_MOST_CHANNELS) return NULL;
    gr_aac_encoder *encoder = calloc(1, sizeof *encoder);
    if (encoder == NULL) return NULL;
    const AVCodec *found = library.avcodec_find_encoder_by_name("aac");
    AVCodecContext *context = encoder->context = make_context(found);
    encoder->packet = library.av_packet_alloc();
    encoder->frame = library.av_frame_alloc();
    bool is_made = context != NULL && encoder->packet != NULL && encoder->frame != NULL;
    if (is_made) {
        context->sample_fmt = AV_SAMPLE_FMT_FLTP;
        context->sample_rate = (int)rate;
        context->time_base = (AVRational){1, (int)rate};
        context->bit_rate = bit_rate;
        // The configuration is apart, as files have it.
        context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
        library.av_channel_layout_default(&context->ch_layout, (int)channels);
    }
    AVDictionary *options = NULL;
    // The library's usual way of finding steps makes steady tones up to 5 dB too loud; this one is also faster.
    library.av_dict_set(&options, "aac_coder", "fast", 0);
    bool is_open = is_made && library.avcodec_open2(context, found, &options) >= 0;
    library.av_dict_free(&options);
    if (is_open && context->frame_size > 0) return encoder;
    gr_aac_encoder_close(encoder);
    return NULL;
}

void gr_aac_encoder_close(gr_aac_encoder *encoder) {
    library.av_frame_free(&encoder->frame);
    library.av_packet_free(&encoder->packet);
    library.avcodec_free_context(&encoder->context);
    free(encoder);
}

uint32_t gr_aac_encoder_packet_frames(gr_aac_encoder *encoder) { return (uint32_t)encoder->context->frame_size; }

uint32_t gr_aac_encoder_delay(gr_aac_encoder *encoder) {
    return encoder->context->initial_padding > 0 ? (uint32_t)encoder->context->initial_padding : 0;
}

size_t gr_aac_encoder_config(gr_aac_encoder *encoder, uint8_t *bytes, size_t capacity) {
    size_t size = encoder->context->extradata_size > 0 ? (size_t)encoder->context->extradata_size : 0;
    if (size > 0) memcpy(bytes, encoder->context->extradata, size < capacity ? size : capacity);
    return size;
}

static bool fill_frame(gr_aac_encoder *encoder, const float *samples, uint32_t frames) {
    AVFrame *frame = encoder->frame;
    const AVCodecContext *context = encoder->context;
    frame->nb_samples = (int)frames;
    frame->format = context->sample_fmt;
    frame->sample_rate = context->sample_rate;
    frame->pts = encoder->time;
    if (library.av_channel_layout_copy(&frame->ch_layout, &context->ch_layout) < 0) return false;
    if (library.av_frame_get_buffer(frame, 0) < 0) return false;
    int channels = context->ch_layout.nb_channels;
    for (int channel = 0; channel < channels; channel++) {
        float *plane = (float *)frame->extended_data[channel];
        for (uint32_t i = 0; i < frames; i++) plane[i] = samples[(size_t)i * (size_t)channels + (size_t)channel];
    }
    encoder->time += frames;
    return true;
}

bool gr_aac_encoder_encode(
    gr_aac_encoder *encoder, const float *samples, uint32_t frames,
    void (*packet)(void *owner, const uint8_t *bytes, size_t size), void *owner) {
    if (frames > (uint32_t)encoder->context->frame_size) return false;
    if (frames > 0 && !fill_frame(encoder, samples, frames)) {
        library.av_frame_unref(encoder->frame);
        return false;
    }
    int result = library.avcodec_send_frame(encoder->context, frames > 0 ? encoder->frame : NULL);
    library.av_frame_unref(encoder->frame);
    if (result < 0) return false;
    while ((result = library.avcodec_receive_packet(encoder->context, encoder->packet)) >= 0) {
        packet(owner, encoder->packet->data, (size_t)encoder->packet->size);
        library.av_packet_unref(encoder->packet);
    }
    return result == AVERROR(EAGAIN) || result == AVERROR_EOF;
}
