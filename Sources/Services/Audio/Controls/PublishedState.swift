package import AudioModel

/// An app, as desktops show it.
package struct PublishedApp: Hashable, Sendable {
    package var identifier: String
    /// For people.
    package var name: String
    /// The name of its `.desktop` file without that ending, where it has one.
    package var desktopEntry: String?

    package init(identifier: String, name: String, desktopEntry: String? = nil) {
        self.identifier = identifier
        self.name = name
        self.desktopEntry = desktopEntry
    }
}

/// What controls outside of Greenroom see of an app's player.
package struct PublishedState: Hashable, Sendable {
    /// Where the app leaves its state unknown, the rate decides: with none it is stopped.
    package var nowPlaying: NowPlaying
    /// When `nowPlaying.elapsed` was true, in nanoseconds of the boot clock.
    package var saidAt: Int64
    /// What the player obeys.
    package var commands: Set<AudioCommandKind>
    package var repeats: AudioRepeat
    package var isShuffled: Bool
    /// 0 to 1.
    package var volume: Double
    /// Where it obeys `rate`.
    package var rates: ClosedRange<Double>

    package init(
        _ nowPlaying: NowPlaying = NowPlaying(), saidAt: Int64, commands: Set<AudioCommandKind> = [],
        repeats: AudioRepeat = .off, isShuffled: Bool = false, volume: Double = 1, rates: ClosedRange<Double> = 0.5...2
    ) {
        self.nowPlaying = nowPlaying
        self.saidAt = saidAt
        self.commands = commands
        self.repeats = repeats
        self.isShuffled = isShuffled
        self.volume = volume
        self.rates = rates
    }
}

/// What became of a command that a control sent.
package enum PublishedAnswer: Hashable, Sendable {
    case done
    /// Why not, in a sentence; `nil` for the usual one.
    case failed(AudioCommandStatus, why: String? = nil)

    package init(_ status: AudioCommandStatus) { self = status == .success ? .done : .failed(status) }
}

// MARK: What follows from it

extension PublishedState {
    package enum Status: String { case playing = "Playing", paused = "Paused", stopped = "Stopped" }

    /// A player that stands still counts as paused, whatever it calls itself: others would count its time on.
    package var status: Status {
        switch nowPlaying.state {
        case .playing: nowPlaying.rate == 0 ? .paused : .playing
        case .paused, .interrupted: .paused
        case .stopped: .stopped
        case .unknown:
            switch nowPlaying.rate {
            case nil: .stopped
            case 0: .paused
            case .some: .playing
            }
        }
    }

    /// MPRIS has no rate of 0: that is a status.
    var rate: Double {
        guard let rate = nowPlaying.rate, rate.isFinite, rate != 0 else { return 1 }
        return rate
    }

    /// MPRIS wants 1 and the present rate among them.
    var rateRange: ClosedRange<Double> {
        let given = commands.contains(.rate) ? rates : 1...1
        return min(given.lowerBound, rate, 1)...max(given.upperBound, rate, 1)
    }

    /// Microseconds; `nil` without an end.
    var length: Int64? {
        guard !nowPlaying.isLive, let duration = nowPlaying.duration, duration > 0 else { return nil }
        return Microseconds.of(seconds: duration)
    }

    /// Microseconds from the beginning of the track.
    package func position(at moment: Int64) -> Int64 {
        guard let elapsed = nowPlaying.elapsed else { return 0 }
        let played = status == .playing ? Microseconds.played(from: saidAt, to: moment, rate: rate) : 0
        return min(max(0, Microseconds.of(seconds: elapsed) + played), length ?? .max)
    }

    /// What makes two tracks one and the same.
    var track: [String?] {
        [nowPlaying.title, nowPlaying.artist, nowPlaying.album, nowPlaying.track.map(String.init)]
    }

    var hasTrack: Bool { track.contains { $0 != nil } || nowPlaying.duration != nil }

    /// An app that says nothing new of its position, but plays, pauses or changes its rate, goes on from where it is.
    package func continuing(_ earlier: PublishedState, said: PublishedState, at now: Int64) -> PublishedState {
        guard let elapsed = nowPlaying.elapsed, elapsed == said.nowPlaying.elapsed, saidAt == said.saidAt,
            track == said.track
        else { return self }
        var result = self
        result.nowPlaying.elapsed = Microseconds.seconds(earlier.position(at: now))
        result.saidAt = now
        return result
    }

    /// Microseconds by which what an app says may differ from what is expected.
    private static let tolerance: Int64 = 500_000

    /// Whether the position is not the one that a client expects from what it was told before.
    package func jumps(after earlier: PublishedState) -> Bool {
        let begins = track != earlier.track || earlier.status == .stopped && status != .stopped
        let expected = begins ? 0 : earlier.position(at: saidAt)
        return abs(position(at: saidAt) - expected) > Self.tolerance
    }
}
