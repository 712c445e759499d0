"""A storm of memory as data: which apps there are, what a person does with them, and who takes how much, how fast.

The same seed and the same memory give the same storm, whichever system it is played on.
"""

import dataclasses
import math
import random

# What Python itself has, in MB.
BASE = 8
# What is on screen may come to need so much of the memory, if nobody ever frees or ends anything: the rest can always give
# way, so that no visible app has to.
SCREEN_SHARE = 0.8
# Below the limits of a single app (foreground and background, see MemoryRules): a storm is about the device's memory.
APP_SHARE, BACKGROUND_SHARE = 0.65, 0.4


@dataclasses.dataclass
class AppPlan:
    name: str
    dirty: int
    purgeable: int
    clean: int
    # The part of what it has taken since its launch that it gives up when it is warned.
    frees: float
    # It goes on running when it leaves the screen.
    runs_in_background: bool
    # The most that it can come to need.
    most: float = 0

    def __post_init__(self):
        self.begin_anew()

    def begin_anew(self):
        self.most = BASE + self.dirty + self.purgeable + self.clean


@dataclasses.dataclass
class Growth:
    app: str
    megabytes: int
    rate: float  # MB per ms


@dataclasses.dataclass
class Step:
    verb: str  # open, beside (open as secondary), home, wait
    app: str
    frees: bool  # the app that is opened gives up what it has taken: a new document
    growth: list
    pause: float  # seconds until the next step


class Storm:
    def __init__(self, seed, memory):
        self.seed, self.memory = seed, memory
        # A string seeds alike in every version of Python, unlike what hashes.
        self.dice = random.Random(f"greenroom memory storm {seed}")
        self.apps = [self._app(number) for number in range(self.dice.randint(5, 8))]
        self.primary = self.secondary = None
        self.steps = [self._step() for _ in range(self.dice.randint(12, 18))]

    def _share(self, least, most):
        return round(self.memory * self.dice.uniform(least, most))

    def _app(self, number):
        return AppPlan(
            name=f"storm-{number}", dirty=self._share(0.03, 0.12), purgeable=self._share(0, 0.08),
            clean=self._share(0, 0.05), frees=self.dice.choice([0, 0, 0.5, 1]),
            # One of the first two in most storms: else little happens behind the screen.
            runs_in_background=self.dice.random() < (0.45 if number < 2 else 0.12))

    def _fits(self, *apps):
        return sum(app.most for app in apps if app) <= self.memory * SCREEN_SHARE

    def _step(self):
        verb = self.dice.choices(["open", "beside", "home", "wait"], [60, 16, 14, 10])[0]
        app = self.dice.choice(self.apps)
        if verb == "beside" and (self.primary in (None, app) or not self._fits(self.primary, app)):
            verb = "open"
        if verb == "open":
            # What would not fit beside the secondary one is opened after going home.
            secondary = None if self.secondary is app else self.secondary
            if self._fits(app, secondary):
                self.primary, self.secondary = app, secondary
            else:
                verb = "home"
        elif verb == "beside":
            self.secondary = app
        if verb == "home":
            self.primary = self.secondary = None
        frees = verb == "open" and app.most > self.memory * 0.3 and self.dice.random() < 0.6
        if frees:
            app.begin_anew()
        return Step(verb, app.name if verb in ("open", "beside") else "", frees, self._growth(),
                    self.dice.uniform(0.12, 0.45))

    def _growth(self):
        growth = []
        for app in self.apps:
            is_visible = app in (self.primary, self.secondary)
            if is_visible and self.dice.random() < 0.8:
                growth.append(self._grow(app, 0.08, 0.35))
            elif not is_visible and app.runs_in_background and self.dice.random() < 0.5:
                growth.append(self._grow(app, 0.04, 0.15))
        return [one for one in growth if one.megabytes > 0]

    def _grow(self, app, least, most):
        share = BACKGROUND_SHARE if app.runs_in_background else APP_SHARE
        room = self.memory * share - app.most
        if app in (self.primary, self.secondary):
            both = sum(one.most for one in (self.primary, self.secondary) if one)
            room = min(room, self.memory * SCREEN_SHARE - both)
        megabytes = max(0, min(self._share(least, most), math.floor(room)))
        app.most += megabytes
        return Growth(app.name, megabytes, math.exp(self.dice.uniform(math.log(0.03), math.log(2))))

    @property
    def clean(self):
        return sum(app.clean for app in self.apps)

    def sentence(self):
        taken = sum(one.megabytes for step in self.steps for one in step.growth)
        held = sum(app.dirty + app.purgeable + app.clean + BASE for app in self.apps)
        return f"{len(self.apps)} apps of {held} MB, {len(self.steps)} steps, {taken} MB more"
