// A ring of frames between one thread that writes and one that reads, without locks. One of the two is PipeWire's
// real-time thread: nothing here allocates, waits or calls back.
#define _GNU_SOURCE
#include "internal.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct gr_ring *gr_ring_new(uint32_t channels, uint32_t capacity, bool is_capture) {
    if (channels == 0 || capacity == 0 || channels > GR_MOST_CHANNELS) {
        errno = EINVAL;
        return NULL;
    }
    struct gr_ring *ring = calloc(1, sizeof *ring);
    if (ring == NULL) return NULL;
    ring->samples = calloc((size_t)capacity * channels, sizeof(float));
    ring->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (ring->samples == NULL || ring->descriptor < 0) {
        int error = errno;
        gr_ring_free(ring);
        errno = error;
        return NULL;
    }
    ring->channels = channels;
    ring->capacity = capacity;
    ring->is_capture = is_capture;
    atomic_init(&ring->mark, is_capture ? 1 : capacity / 2);
    atomic_init(&ring->is_armed, true);
    return ring;
}

void gr_ring_free(struct gr_ring *ring) {
    if (ring->descriptor >= 0) close(ring->descriptor);
    free(ring->samples);
    free(ring);
}

int gr_ring_descriptor(struct gr_ring *ring) { return ring->descriptor; }

void gr_ring_set_mark(struct gr_ring *ring, uint32_t frames) { atomic_store(&ring->mark, frames); }

uint32_t gr_ring_fill(struct gr_ring *ring) {
    uint64_t read = atomic_load_explicit(&ring->read, memory_order_acquire);
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_acquire);
    return written > read ? (uint32_t)(written - read) : 0;
}

void gr_ring_finish(struct gr_ring *ring) { atomic_store(&ring->is_finished, true); }

uint64_t gr_ring_moved(struct gr_ring *ring) {
    uint64_t moved = ring->is_capture ? atomic_load(&ring->written) : atomic_load(&ring->read);
    uint64_t discarded = ring->is_capture ? 0 : atomic_load(&ring->discarded);
    return moved - discarded;
}

uint32_t gr_ring_misses(struct gr_ring *ring) { return atomic_load(&ring->misses); }

float gr_as_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void gr_raise(_Atomic uint32_t *highest, const float *samples, uint32_t count) {
    float peak = 0;
    for (uint32_t i = 0; i < count; i++) {
        float value = fabsf(samples[i]);
        if (value > peak) peak = value;
    }
    uint32_t bits;
    memcpy(&bits, &peak, sizeof bits);
    uint32_t last = atomic_load_explicit(highest, memory_order_relaxed);
    while (bits > last && !atomic_compare_exchange_weak(highest, &last, bits)) {
    }
}

float gr_ring_take_peak(struct gr_ring *ring) { return gr_as_float(atomic_exchange(&ring->peak, 0)); }

// --- Moving ---------------------------------------------------------------------------------------------------

static void copy_in(struct gr_ring *ring, uint64_t at, const float *samples, uint32_t frames) {
    uint32_t start = (uint32_t)(at % ring->capacity);
    uint32_t first = SPA_MIN(frames, ring->capacity - start);
    size_t frame = ring->channels * sizeof(float);
    memcpy(ring->samples + (size_t)start * ring->channels, samples, first * frame);
    memcpy(ring->samples, samples + (size_t)first * ring->channels, (frames - first) * frame);
}

static void copy_out(struct gr_ring *ring, uint64_t at, float *samples, uint32_t frames) {
    uint32_t start = (uint32_t)(at % ring->capacity);
    uint32_t first = SPA_MIN(frames, ring->capacity - start);
    size_t frame = ring->channels * sizeof(float);
    memcpy(samples, ring->samples + (size_t)start * ring->channels, first * frame);
    memcpy(samples + (size_t)first * ring->channels, ring->samples, (frames - first) * frame);
}

static uint32_t put(struct gr_ring *ring, const float *samples, uint32_t frames) {
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint64_t read = atomic_load_explicit(&ring->read, memory_order_acquire);
    uint32_t count = SPA_MIN(frames, ring->capacity - (uint32_t)(written - read));
    copy_in(ring, written, samples, count);
    atomic_store_explicit(&ring->written, written + count, memory_order_release);
    return count;
}

static uint32_t take(struct gr_ring *ring, float *samples, uint32_t frames) {
    uint64_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_acquire);
    uint32_t count = SPA_MIN(frames, (uint32_t)(written - read));
    copy_out(ring, read, samples, count);
    atomic_store_explicit(&ring->read, read + count, memory_order_release);
    return count;
}

// Tells once that the mark is reached, until the program has moved frames again.
static void tell(struct gr_ring *ring) {
    uint32_t fill = gr_ring_fill(ring), mark = atomic_load(&ring->mark);
    bool is_reached = ring->is_capture ? fill >= mark : fill <= mark;
    if (is_reached && atomic_exchange(&ring->is_armed, false)) eventfd_write(ring->descriptor, 1);
}

// The program may come a moment after the real-time thread did: the later of the two tells.
static void arm(struct gr_ring *ring) {
    atomic_store(&ring->is_armed, true);
    tell(ring);
}

uint32_t gr_ring_write(struct gr_ring *ring, const float *samples, uint32_t frames) {
    uint32_t count = put(ring, samples, frames);
    atomic_store(&ring->is_finished, false);
    if (count > 0) arm(ring);
    return count;
}

uint32_t gr_ring_read(struct gr_ring *ring, float *samples, uint32_t frames) {
    uint32_t count = take(ring, samples, frames);
    arm(ring);
    return count;
}

static void count_miss(struct gr_ring *ring, bool is_missing) {
    if (is_missing && !ring->is_missing) atomic_fetch_add(&ring->misses, 1);
    ring->is_missing = is_missing;
}

uint32_t gr_ring_drain(struct gr_ring *ring, float *samples, uint32_t frames) {
    uint32_t count = take(ring, samples, frames);
    gr_raise(&ring->peak, samples, count * ring->channels);
    memset(samples + (size_t)count * ring->channels, 0, (size_t)(frames - count) * ring->channels * sizeof(float));
    bool has_begun = atomic_load(&ring->read) > atomic_load(&ring->discarded);
    count_miss(ring, count < frames && has_begun && !atomic_load(&ring->is_finished));
    tell(ring);
    return count;
}

uint32_t gr_ring_supply(struct gr_ring *ring, const float *samples, uint32_t frames) {
    uint32_t count = put(ring, samples, frames);
    gr_raise(&ring->peak, samples, frames * ring->channels);
    count_miss(ring, count < frames);
    tell(ring);
    return count;
}

void gr_ring_discard(struct gr_ring *ring) {
    uint64_t written = atomic_load(&ring->written);
    atomic_fetch_add(&ring->discarded, written - atomic_load(&ring->read));
    atomic_store(&ring->read, written);
    ring->is_missing = false;
    // The program hears that there is room.
    if (!ring->is_capture) tell(ring);
}
