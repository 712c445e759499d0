#include "library.h"
#include <stdlib.h>
#include <string.h>

struct gr_aac_encoder {
    AVCodecContext *context;
    AVPacket *packet;
    AVFrame *frame;
    int64_t time;
};

gr_aac_encoder *gr_aac_encoder_open(uint32_t rate, uint32_t channels, uint32_t bit_rate) {
    if (!gr_media_load() || rate == 0 || rate > 768000 || channels == 0 || channels > GR_MEDIA_MOST_CHANNELS) return NULL;
    gr_aac_encoder *encoder = calloc(1, sizeof *encoder);
    if (encoder == NULL) return NULL;
    const AVCodec *found = gr_media_library.avcodec_find_encoder_by_name("aac");
    AVCodecContext *context = encoder->context = gr_media_make_context(found);
    encoder->packet = gr_media_library.av_packet_alloc();
    encoder->frame = gr_media_library.av_frame_alloc();
    bool is_made = context != NULL && encoder->packet != NULL && encoder->frame != NULL;
    if (is_made) {
        context->sample_fmt = AV_SAMPLE_FMT_FLTP;
        context->sample_rate = (int)rate;
        context->time_base = (AVRational){1, (int)rate};
        context->bit_rate = bit_rate;
        // The configuration is apart, as files have it.
        context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
        gr_media_library.av_channel_layout_default(&context->ch_layout, (int)channels);
    }
    AVDictionary *options = NULL;
    // The library's usual way of finding steps makes steady tones up to 5 dB too loud; this one is also faster.
    gr_media_library.av_dict_set(&options, "aac_coder", "fast", 0);
    bool is_open = is_made && gr_media_library.avcodec_open2(context, found, &options) >= 0;
    gr_media_library.av_dict_free(&options);
    if (is_open && context->frame_size > 0) return encoder;
    gr_aac_encoder_close(encoder);
    return NULL;
}

void gr_aac_encoder_close(gr_aac_encoder *encoder) {
    gr_media_library.av_frame_free(&encoder->frame);
    gr_media_library.av_packet_free(&encoder->packet);
    gr_media_library.avcodec_free_context(&encoder->context);
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
    if (gr_media_library.av_channel_layout_copy(&frame->ch_layout, &context->ch_layout) < 0) return false;
    if (gr_media_library.av_frame_get_buffer(frame, 0) < 0) return false;
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
        gr_media_library.av_frame_unref(encoder->frame);
        return false;
    }
    int result = gr_media_library.avcodec_send_frame(encoder->context, frames > 0 ? encoder->frame : NULL);
    gr_media_library.av_frame_unref(encoder->frame);
    if (result < 0) return false;
    while ((result = gr_media_library.avcodec_receive_packet(encoder->context, encoder->packet)) >= 0) {
        packet(owner, encoder->packet->data, (size_t)encoder->packet->size);
        gr_media_library.av_packet_unref(encoder->packet);
    }
    return result == AVERROR(EAGAIN) || result == AVERROR_EOF;
}
