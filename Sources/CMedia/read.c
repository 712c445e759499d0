#include "library.h"
#include <stdlib.h>
#include <string.h>

// Bytes that are asked for at once.
#define BLOCK (32 * 1024)

struct gr_media_reader {
    struct gr_media_source source;
    AVIOContext *io;
    AVFormatContext *format;
    AVStream *stream;
    AVCodecContext *context;
    AVPacket *packet;
    AVFrame *frame;
    float *samples;
    size_t capacity;
    struct gr_media_packet found;
};

static const char *const demuxers[] = {"mov", "caf", "aac", "amr", "aiff", "wav"};

// Those that Apple's systems play, and a few old ones of the same containers. What else the library decodes is left to
// it: each decoder reads what strangers wrote.
static const enum AVCodecID known_codecs[] = {
    AV_CODEC_ID_AAC, AV_CODEC_ID_ALAC, AV_CODEC_ID_ADPCM_IMA_QT, AV_CODEC_ID_OPUS, AV_CODEC_ID_MP3, AV_CODEC_ID_MP2,
    AV_CODEC_ID_AMR_NB, AV_CODEC_ID_AMR_WB, AV_CODEC_ID_ILBC, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3, AV_CODEC_ID_FLAC,
    AV_CODEC_ID_PCM_MULAW, AV_CODEC_ID_PCM_ALAW, AV_CODEC_ID_PCM_U8, AV_CODEC_ID_PCM_S8, AV_CODEC_ID_PCM_S16LE,
    AV_CODEC_ID_PCM_S16BE, AV_CODEC_ID_PCM_S24LE, AV_CODEC_ID_PCM_S24BE, AV_CODEC_ID_PCM_S32LE, AV_CODEC_ID_PCM_S32BE,
    AV_CODEC_ID_PCM_F32LE, AV_CODEC_ID_PCM_F32BE, AV_CODEC_ID_PCM_F64LE, AV_CODEC_ID_PCM_F64BE,
    AV_CODEC_ID_ADPCM_MS, AV_CODEC_ID_ADPCM_IMA_WAV, AV_CODEC_ID_GSM, AV_CODEC_ID_GSM_MS, AV_CODEC_ID_MACE3,
    AV_CODEC_ID_MACE6, AV_CODEC_ID_QDM2, AV_CODEC_ID_QDMC, AV_CODEC_ID_QCELP,
};

static bool is_known(enum AVCodecID codec) {
    for (size_t i = 0; i < sizeof known_codecs / sizeof *known_codecs; i++)
        if (known_codecs[i] == codec) return true;
    return false;
}

// --- Bytes ----------------------------------------------------------------------------------------------------

static int read_bytes(void *opaque, uint8_t *buffer, int size) {
    gr_media_reader *reader = opaque;
    int count = reader->source.read(reader->source.owner, buffer, size);
    return count > 0 ? count : AVERROR_EOF;
}

static int64_t seek_bytes(void *opaque, int64_t offset, int whence) {
    gr_media_reader *reader = opaque;
    int64_t length = -1;
    switch (whence & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE: length = reader->source.length(reader->source.owner); return length < 0 ? AVERROR(ENOSYS) : length;
    case SEEK_SET: return reader->source.seek(reader->source.owner, offset);
    // The library moves by itself from where it is.
    default: return AVERROR(EINVAL);
    }
}

// Without a container packets say no times.
static bool has_times(enum gr_media_container container) {
    return container != GR_MEDIA_ADTS && container != GR_MEDIA_AMR;
}

// --- Opening --------------------------------------------------------------------------------------------------

static enum gr_media_reason open_format(gr_media_reader *reader, enum gr_media_container container) {
    uint8_t *buffer = gr_media_library.av_malloc(BLOCK);
    if (buffer == NULL) return GR_MEDIA_BROKEN;
    bool is_seekable = reader->source.is_seekable;
    reader->io = gr_media_library.avio_alloc_context(
        buffer, BLOCK, 0, reader, read_bytes, NULL, is_seekable ? seek_bytes : NULL);
    if (reader->io == NULL) {
        gr_media_library.av_freep(&buffer);
        return GR_MEDIA_BROKEN;
    }
    reader->io->seekable = is_seekable ? AVIO_SEEKABLE_NORMAL : 0;
    AVFormatContext *format = gr_media_library.avformat_alloc_context();
    if (format == NULL) return GR_MEDIA_BROKEN;
    format->pb = reader->io;
    format->flags |= AVFMT_FLAG_CUSTOM_IO;
    format->max_streams = 64;
    // Packets come as they are in the file, whose places are those that one can go to.
    if (!has_times(container)) format->flags |= AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN;
    AVDictionary *options = NULL;
    // A file says nothing about other files.
    gr_media_library.av_dict_set(&options, "protocol_whitelist", "none", 0);
    const AVInputFormat *demuxer = gr_media_library.av_find_input_format(demuxers[container]);
    // This frees the format where it fails.
    int result = demuxer != NULL ? gr_media_library.avformat_open_input(&format, NULL, demuxer, &options) : -1;
    gr_media_library.av_dict_free(&options);
    if (result < 0) {
        if (demuxer == NULL) gr_media_library.avformat_free_context(format);
        return GR_MEDIA_BROKEN;
    }
    reader->format = format;
    return GR_MEDIA_READABLE;
}

// The first stream of sound that can be decoded; others are not read.
static enum gr_media_reason choose_stream(gr_media_reader *reader) {
    enum gr_media_reason reason = GR_MEDIA_NO_SOUND;
    for (unsigned i = 0; i < reader->format->nb_streams; i++) {
        AVStream *stream = reader->format->streams[i];
        stream->discard = AVDISCARD_ALL;
        if (stream->codecpar->codec_type != AVMEDIA_TYPE_AUDIO || reason == GR_MEDIA_READABLE) continue;
        if (stream->codecpar->codec_tag == MKTAG('d', 'r', 'm', 's')) {
            reason = GR_MEDIA_PROTECTED;
            continue;
        }
        if (reader->stream == NULL) reader->stream = stream;
        if (is_known(stream->codecpar->codec_id)) {
            reason = GR_MEDIA_READABLE;
            reader->stream = stream;
            stream->discard = AVDISCARD_DEFAULT;
        } else if (reason == GR_MEDIA_NO_SOUND) {
            reason = GR_MEDIA_UNKNOWN_CODEC;
        }
    }
    return reason;
}

static enum gr_media_reason open_decoder(gr_media_reader *reader) {
    const AVCodecParameters *parameters = reader->stream->codecpar;
    const AVCodec *codec = gr_media_library.avcodec_find_decoder(parameters->codec_id);
    AVCodecContext *context = reader->context = gr_media_make_context(codec);
    if (context == NULL) return GR_MEDIA_UNKNOWN_CODEC;
    if (gr_media_library.avcodec_parameters_to_context(context, parameters) < 0) return GR_MEDIA_BROKEN;
    bool is_head = context->extradata_size >= 8 && memcmp(context->extradata, "OpusHead", 8) == 0;
    if (parameters->codec_id == AV_CODEC_ID_OPUS && !is_head) {
        // What Apple's files have here is of another kind. Without it, there are one or two channels.
        gr_media_library.av_freep(&context->extradata);
        context->extradata_size = 0;
    }
    context->pkt_timebase = reader->stream->time_base;
    // A file may say anything.
    context->max_samples = GR_MEDIA_MOST_FRAMES;
    // What comes before the sound is left out by who reads, who also seeks.
    context->flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL;
    return gr_media_library.avcodec_open2(context, codec, NULL) < 0 ? GR_MEDIA_UNKNOWN_CODEC : GR_MEDIA_READABLE;
}

static void copy_text(char *to, size_t size, const char *from) {
    size_t length = strlen(from);
    if (length >= size) length = size - 1;
    memcpy(to, from, length);
    to[length] = 0;
}

static void describe(const gr_media_reader *reader, enum gr_media_container container, struct gr_media_info *info) {
    memset(info, 0, sizeof *info);
    info->duration = -1;
    if (reader->stream == NULL) return;
    const AVCodecParameters *parameters = reader->stream->codecpar;
    copy_text(info->codec, sizeof info->codec, gr_media_library.avcodec_get_name(parameters->codec_id));
    for (int i = 0; i < 4; i++) {
        char letter = (char)(parameters->codec_tag >> (8 * i) & 0xff);
        if (letter >= ' ' && letter < 127) info->tag[strlen(info->tag)] = letter;
    }
    info->rate = parameters->sample_rate > 0 ? (uint32_t)parameters->sample_rate : 0;
    info->unit_numerator = reader->stream->time_base.num;
    info->unit_denominator = reader->stream->time_base.den;
    info->has_times = has_times(container);
    if (info->has_times && reader->stream->duration > 0) info->duration = reader->stream->duration;
    const AVDictionaryEntry *entry = gr_media_library.av_dict_get(reader->format->metadata, "iTunSMPB", NULL, 0);
    if (entry != NULL) copy_text(info->played, sizeof info->played, entry->value);
}

gr_media_reader *gr_media_reader_open(
    enum gr_media_container container, struct gr_media_source source, struct gr_media_info *info,
    enum gr_media_reason *reason) {
    *reason = GR_MEDIA_BROKEN;
    gr_media_reader *reader = gr_media_load() ? calloc(1, sizeof *reader) : NULL;
    if (reader == NULL) return NULL;
    reader->source = source;
    gr_media_begin();
    reader->packet = gr_media_library.av_packet_alloc();
    reader->frame = gr_media_library.av_frame_alloc();
    bool is_made = reader->packet != NULL && reader->frame != NULL;
    if (is_made) *reason = open_format(reader, container);
    if (*reason == GR_MEDIA_READABLE) *reason = choose_stream(reader);
    describe(reader, container, info);
    if (*reason == GR_MEDIA_READABLE) *reason = open_decoder(reader);
    gr_media_end();
    if (*reason == GR_MEDIA_READABLE) return reader;
    gr_media_reader_close(reader);
    return NULL;
}

void gr_media_reader_close(gr_media_reader *reader) {
    gr_media_begin();
    gr_media_library.av_frame_free(&reader->frame);
    gr_media_library.av_packet_free(&reader->packet);
    gr_media_library.avcodec_free_context(&reader->context);
    if (reader->format != NULL) gr_media_library.avformat_close_input(&reader->format);
    if (reader->io != NULL) {
        // The library may have replaced the one that it was given.
        gr_media_library.av_freep(&reader->io->buffer);
        gr_media_library.avio_context_free(&reader->io);
    }
    gr_media_end();
    free(reader->samples);
    free(reader);
}

// --- Packets --------------------------------------------------------------------------------------------------

static float sample(const AVFrame *frame, const void *plane, size_t i) {
    switch (frame->format) {
    case AV_SAMPLE_FMT_U8: case AV_SAMPLE_FMT_U8P: return (float)(((const uint8_t *)plane)[i] - 128) / 128.0f;
    case AV_SAMPLE_FMT_S16: case AV_SAMPLE_FMT_S16P: return (float)((const int16_t *)plane)[i] / 32768.0f;
    case AV_SAMPLE_FMT_S32: case AV_SAMPLE_FMT_S32P: return (float)((const int32_t *)plane)[i] / 2147483648.0f;
    case AV_SAMPLE_FMT_DBL: case AV_SAMPLE_FMT_DBLP: return (float)((const double *)plane)[i];
    default: return ((const float *)plane)[i];
    }
}

static bool is_planar(int format) { return format >= AV_SAMPLE_FMT_U8P && format <= AV_SAMPLE_FMT_DBLP; }

static void interleave(const AVFrame *frame, float *samples, size_t channels) {
    size_t count = (size_t)frame->nb_samples;
    for (size_t channel = 0; channel < channels; channel++) {
        const void *plane = frame->extended_data[is_planar(frame->format) ? channel : 0];
        size_t first = is_planar(frame->format) ? 0 : channel, step = is_planar(frame->format) ? 1 : channels;
        for (size_t i = 0; i < count; i++) samples[i * channels + channel] = sample(frame, plane, first + i * step);
    }
}

// Whether the frame's samples are behind those that there are.
static bool append(gr_media_reader *reader) {
    const AVFrame *frame = reader->frame;
    struct gr_media_packet *found = &reader->found;
    int channels = frame->ch_layout.nb_channels;
    if (frame->format < 0 || frame->format > AV_SAMPLE_FMT_DBLP || channels < 1 || channels > GR_MEDIA_MOST_CHANNELS ||
        frame->nb_samples < 1 || frame->nb_samples > GR_MEDIA_MOST_FRAMES || frame->sample_rate < 1)
        return false;
    if (found->frames > 0 && (found->channels != (uint32_t)channels || found->rate != (uint32_t)frame->sample_rate))
        return false;
    size_t all = found->frames + (size_t)frame->nb_samples;
    if (all > GR_MEDIA_MOST_FRAMES) return false;
    if (all * (size_t)channels > reader->capacity) {
        float *larger = realloc(reader->samples, all * (size_t)channels * sizeof(float));
        if (larger == NULL) return false;
        reader->samples = larger;
        reader->capacity = all * (size_t)channels;
    }
    interleave(frame, reader->samples + (size_t)found->frames * (size_t)channels, (size_t)channels);
    found->samples = reader->samples;
    found->frames = (uint32_t)all;
    found->channels = (uint32_t)channels;
    found->rate = (uint32_t)frame->sample_rate;
    return true;
}

static void decode(gr_media_reader *reader) {
    int result = gr_media_library.avcodec_send_packet(reader->context, reader->packet);
    while (result >= 0 && gr_media_library.avcodec_receive_frame(reader->context, reader->frame) >= 0) {
        if (!append(reader)) result = -1;
        gr_media_library.av_frame_unref(reader->frame);
    }
}

static void note_packet(gr_media_reader *reader) {
    const AVPacket *packet = reader->packet;
    struct gr_media_packet *found = &reader->found;
    found->has_time = packet->pts != AV_NOPTS_VALUE;
    found->time = found->has_time ? packet->pts : 0;
    found->duration = packet->duration;
    found->offset = packet->pos;
    size_t size = 0;
    const uint8_t *skip = gr_media_library.av_packet_get_side_data(packet, AV_PKT_DATA_SKIP_SAMPLES, &size);
    if (skip != NULL && size >= 4)
        found->skipped = (uint32_t)skip[0] | (uint32_t)skip[1] << 8 | (uint32_t)skip[2] << 16 | (uint32_t)skip[3] << 24;
    found->is_protected =
        gr_media_library.av_packet_get_side_data(packet, AV_PKT_DATA_ENCRYPTION_INFO, &size) != NULL;
}

enum gr_media_outcome gr_media_reader_next(gr_media_reader *reader, bool decodes, struct gr_media_packet *packet) {
    *packet = reader->found = (struct gr_media_packet){0};
    if (reader->context == NULL) return GR_MEDIA_FAILED;
    enum gr_media_outcome outcome = GR_MEDIA_PACKET;
    gr_media_begin();
    int result = 0;
    // Packets of other streams come as well, where they are between.
    do {
        gr_media_library.av_packet_unref(reader->packet);
        result = gr_media_library.av_read_frame(reader->format, reader->packet);
    } while (result >= 0 && reader->packet->stream_index != reader->stream->index);
    if (result < 0) {
        outcome = result == AVERROR_EOF ? GR_MEDIA_END : GR_MEDIA_FAILED;
    } else if (reader->packet->size > GR_MEDIA_LARGEST_PACKET) {
        outcome = GR_MEDIA_FAILED;
    } else {
        note_packet(reader);
        if (decodes && !reader->found.is_protected) decode(reader);
    }
    gr_media_library.av_packet_unref(reader->packet);
    gr_media_end();
    *packet = reader->found;
    return outcome;
}

static bool seek(gr_media_reader *reader, int64_t place, int flags) {
    gr_media_begin();
    // Not behind it.
    int result = gr_media_library.avformat_seek_file(
        reader->format, flags & AVSEEK_FLAG_BYTE ? -1 : reader->stream->index, INT64_MIN, place, place, flags);
    // Some decoders keep what the packet before left when they are flushed: what follows is for another one.
    if (result >= 0) gr_media_library.avcodec_free_context(&reader->context);
    bool is_there = result >= 0 && open_decoder(reader) == GR_MEDIA_READABLE;
    gr_media_end();
    return is_there;
}

bool gr_media_reader_seek_time(gr_media_reader *reader, int64_t time) { return seek(reader, time, 0); }

bool gr_media_reader_seek_offset(gr_media_reader *reader, int64_t offset) {
    return seek(reader, offset, AVSEEK_FLAG_BYTE);
}
