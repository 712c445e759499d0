"""Who should sound, by what the person did and what happened. What iOS leaves open, or the moment decides, is `None`."""

from collections.abc import Collection, Iterable


class App:
    def __init__(
            self, name: str, frequency: int, category: str = "playback", options: str = "", key: bool = True,
            controls: bool = False) -> None:
        self.name, self.frequency, self.category, self.options = name, frequency, category, options
        self.key, self.controls = key, controls
        # Whether it would sound if nothing kept it from that.
        self.plays: bool | None = False
        self.records: bool | None = False
        # The app that interrupts it.
        self.interrupted: str | None = None
        # It may have an active session, though it does not play: others stay softer while it does.
        self.may_duck = False
        # It was heard for a moment since it began: only then does it go on by itself.
        self.was_heard = False

    @property
    def identifier(self) -> str:
        return f"org.greenroom.storm.{self.name}"

    @property
    def mixes(self) -> bool:
        return self.category == "ambient" or bool(self.options)

    @property
    def ducks(self) -> bool:
        return "duck" in self.options

    @property
    def is_on(self) -> bool:
        return self.plays is not False or self.records is not False


class Model:
    def __init__(self, apps: Iterable[App]) -> None:
        self.apps = {app.name: app for app in apps}
        self.front: str | None = None
        self.is_locked = False
        self.is_silent = False
        self.call: str | None = None
        self.is_plugged = False
        # Whose the controls are; `None` if that is open.
        self.target: str | None = None
        self.knows_target = True

    # What follows

    def sees(self, app: App) -> bool:
        return self.front == app.name and not self.is_locked

    def should_sound(self, app: App) -> bool | None:
        if app.plays is False or app.interrupted or self.call:
            return False
        if not app.key and not self.sees(app):
            return False
        if app.category == "ambient" and self.is_silent:
            return False
        return app.plays

    def should_record(self, app: App) -> bool | None:
        # A telephone that rings is only heard.
        if app.records is False or app.interrupted or self.call == "accepted":
            return False
        return app.records

    def factor(self, app: App, frozen: Collection[str] = ()) -> float | None:
        """How loud it is compared with what it plays: `None` if that is open. A session ends with its app's suspension."""
        others = [other for other in self.apps.values() if other.ducks and other is not app]
        ducking = [self.should_sound(other) for other in others]
        if True in ducking:
            return 0.3
        is_open = None in ducking or any(other.may_duck and other.name not in frozen for other in others)
        return None if is_open else 1.0

    # What happens

    def interrupt(self, by: App) -> None:
        for app in self.apps.values():
            if app is not by and not app.mixes and app.is_on and not app.interrupted:
                app.interrupted = by.name
                if not app.was_heard:
                    self.forget(app)

    def forget(self, app: App) -> None:
        app.plays = None if app.plays else app.plays
        app.records = None if app.records else app.records

    def began(self, app: App) -> None:
        app.interrupted = None
        app.was_heard = False
        app.may_duck = app.ducks
        if not app.mixes:
            self.interrupt(app)
        if app.controls and app.plays:
            self.target, self.knows_target = app.name, True

    def play(self, app: App) -> None:
        self.front = app.name
        self.command(app)

    def command(self, app: App) -> None:
        app.plays = True
        self.began(app)

    def may_play(self, app: App) -> None:
        """It plays, and interrupts others, or it does not."""
        app.interrupted = None
        for other in self.apps.values():
            if other is app or not other.mixes:
                self.forget(other)

    def record(self, app: App) -> None:
        self.front = app.name
        app.records = True
        self.began(app)

    def pause(self, app: App) -> None:
        app.plays = False
        # In the background it is suspended, and its session ends without a word to those whom it had interrupted.
        self.abandon(app)

    def stop(self, app: App) -> None:
        self.front = app.name
        was_interrupted, was_on = app.interrupted, app.is_on
        app.plays = app.records = app.may_duck = False
        app.interrupted = None
        for other in self.apps.values():
            if other.interrupted == app.name:
                other.interrupted = was_interrupted
                if was_interrupted or not was_on:
                    self.forget(other)
                if other.is_on and not other.interrupted:
                    self.resumed(other)

    def resumed(self, app: App) -> None:
        app.was_heard = False
        if app.controls and app.plays is not False:
            self.target, self.knows_target = app.name, app.plays is True

    def abandon(self, app: App) -> None:
        """Those whom it had interrupted may go on or not."""
        for other in self.apps.values():
            if other.interrupted == app.name:
                other.interrupted = None
                self.forget(other)
                if other.controls and other.plays is None:
                    self.knows_target = False

    def died(self, app: App) -> None:
        app.plays = app.records = app.may_duck = False
        app.interrupted = None
        if self.front == app.name:
            self.front = None
        if self.target == app.name:
            # Ended by the person, it is not woken. After a crash it may be.
            self.knows_target = False
        self.abandon(app)

    def unplugged(self) -> None:
        for app in self.apps.values():
            sounds = self.should_sound(app)
            if sounds is not False and not self.call:
                app.plays = False if sounds and app.was_heard else None
                self.abandon(app)
            # Where it recorded from may be gone as well.
            app.records = None if app.records else app.records

    def call_ended(self) -> None:
        self.call = None
        for app in self.apps.values():
            if app.is_on and not app.was_heard:
                self.forget(app)

    def settled(self) -> None:
        """What should be heard was."""
        for app in self.apps.values():
            if self.should_sound(app) or self.should_record(app):
                app.was_heard = True
