// The functions of the libraries, by their names.
#ifndef GREENROOM_CMEDIA_LIBRARY_H
#define GREENROOM_CMEDIA_LIBRARY_H

#include "CMedia.h"
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/log.h>

#define GR_FORMAT_FUNCTIONS(X) \
    X(av_find_input_format) X(avformat_alloc_context) X(avformat_open_input) X(avformat_close_input) \
    X(avformat_free_context) X(avio_alloc_context) X(avio_context_free) X(av_read_frame) X(avformat_seek_file)
#define GR_CODEC_FUNCTIONS(X) \
    X(avcodec_version) X(avcodec_find_decoder) X(avcodec_find_encoder_by_name) X(avcodec_alloc_context3) \
    X(avcodec_free_context) X(avcodec_open2) X(avcodec_parameters_to_context) X(avcodec_send_packet) \
    X(avcodec_receive_frame) X(avcodec_send_frame) X(avcodec_receive_packet) X(avcodec_get_name) X(av_packet_alloc) X(av_packet_free) X(av_packet_unref) X(av_packet_get_side_data)
#define GR_UTIL_FUNCTIONS(X) \
    X(av_frame_alloc) X(av_frame_free) X(av_frame_unref) X(av_frame_get_buffer) X(av_malloc) X(av_freep) \
    X(av_max_alloc) X(av_log_set_callback) X(av_log_default_callback) X(av_channel_layout_default) X(av_channel_layout_copy) X(av_dict_get) X(av_dict_set) \
    X(av_dict_free)

#define GR_DECLARE(name) __typeof__(&name) name;
struct gr_media_library {
    bool is_there;
    GR_FORMAT_FUNCTIONS(GR_DECLARE)
    GR_CODEC_FUNCTIONS(GR_DECLARE)
    GR_UTIL_FUNCTIONS(GR_DECLARE)
};

extern struct gr_media_library gr_media_library __attribute__((visibility("hidden")));

// What is wrong with a file is said by an error: between these, the libraries say nothing on the app's output.
void gr_media_begin(void) __attribute__((visibility("hidden")));
void gr_media_end(void) __attribute__((visibility("hidden")));

// A context that says nothing on the app's output and starts no threads.
AVCodecContext *gr_media_make_context(const AVCodec *codec) __attribute__((visibility("hidden")));

#endif
