"""The app on screen: 4 ms of work for each of 60 frames a second, and a count of those that were not ready in time."""

import json
import sys
import time

PERIOD = 1 / 60
WORK = 0.004


def work():
    end = time.thread_time() + WORK
    while time.thread_time() < end:
        pass


def frames(seconds):
    """A frame is begun at a tick of the display and has to be ready at the next one; else it waits for a later one."""
    count = int(seconds / PERIOD)
    begin = time.monotonic() + PERIOD
    shown, missed, tick, times = 0, 0, 0, []
    while tick < count:
        start = begin + tick * PERIOD
        pause = start - time.monotonic()
        if pause > 0:
            time.sleep(pause)
        work()
        took = time.monotonic() - start
        times.append(took)
        ticks = max(1, -int(-took // PERIOD))
        shown += 1
        missed += ticks - 1
        tick += ticks
    times.sort()
    return {
        "missed": missed * 60 / seconds, "shown": shown / seconds, "median": times[len(times) // 2] * 1000,
        "p99": times[len(times) * 99 // 100] * 1000, "longest": times[-1] * 1000,
    }


if __name__ == "__main__":
    print(json.dumps(frames(float(sys.argv[1]))), flush=True)
    # Until it is ended: the measurement reads what it printed.
    time.sleep(600)
