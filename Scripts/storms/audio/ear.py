"""Hears in the sink's monitor who sounds, and how loud."""

import array
import math
import operator
import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO

RATE = 48_000
# Tones are multiples of 50 Hz: in a window of this length none of them is heard in another's place.
WINDOW = RATE // 50


class Tone:
    """One that is known by its frequency."""

    def __init__(self, frequency: int) -> None:
        assert frequency % 50 == 0
        self.frequency = frequency
        angles = [2 * math.pi * frequency * index / RATE for index in range(WINDOW)]
        self.wave, self.other = [math.sin(angle) for angle in angles], [math.cos(angle) for angle in angles]

    def amplitude(self, window: Sequence[float]) -> float:
        one = sum(map(operator.mul, window, self.wave))
        other = sum(map(operator.mul, window, self.other))
        return 2 * math.hypot(one, other) / WINDOW


class Ear:
    """Records for as long as the sound server lives; begins again when told so."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = environment
        self.samples = array.array("f")
        self.lock = threading.Condition()
        self.recorder: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        self.end()
        self.recorder = subprocess.Popen(
            ["/usr/bin/pw-cat", "--record", "--target", "testsink", "--channels", "2", "--format", "f32", "--latency", "20ms",
             "-P", '{ stream.capture.sink = true node.name = ear }', "-"],
            env={**os.environ, **self.environment}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        threading.Thread(target=self.listen, args=[self.recorder.stdout], daemon=True).start()

    def listen(self, stream: IO[bytes]) -> None:
        rest = b""
        while True:
            data = os.read(stream.fileno(), 65536)
            if not data:
                return
            data = rest + data
            whole = len(data) // 8 * 8
            rest = data[whole:]
            both = array.array("f", data[:whole])
            with self.lock:
                # The left one: one made of both would be louder than each.
                self.samples.extend(both[::2])
                # Nobody asks for more than the last seconds.
                if len(self.samples) > 20 * RATE:
                    del self.samples[:10 * RATE]
                self.lock.notify_all()

    def end(self) -> None:
        if self.recorder:
            self.recorder.kill()
            self.recorder.wait()
            if self.recorder.stdout:
                self.recorder.stdout.close()
            self.recorder = None

    def record(self, seconds: float, patience: float = 10) -> "array.array[float] | None":
        """What is played from now on; `None` if nothing can be recorded."""
        count = int(seconds * RATE) // WINDOW * WINDOW
        end = time.monotonic() + patience
        with self.lock:
            del self.samples[:]
            while len(self.samples) < count:
                left = end - time.monotonic()
                if left <= 0:
                    return None
                self.lock.wait(left)
            return self.samples[:count]


def levels(samples: Sequence[float], tones: Mapping[str, Tone]) -> dict[str, list[float]]:
    """Of each tone its amplitude in each window of 20 ms."""
    windows = [samples[start:start + WINDOW] for start in range(0, len(samples) - WINDOW + 1, WINDOW)]
    return {name: [tone.amplitude(window) for window in windows] for name, tone in tones.items()}
