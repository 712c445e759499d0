package import AudioModel

/// A plain program that plays, as it describes itself by MPRIS.
package struct OtherPlayer: Hashable, Sendable, Identifiable {
    /// What MPRIS lets a player say that it can do. One that has not said so may be able to.
    package struct Abilities: Hashable, Sendable {
        package var play = true
        package var pause = true
        package var next = true
        package var previous = true
        package var seek = true
        /// Without it there is none of the others.
        package var control = true
        package var rate = false
        package var shuffle = false
        package var repeats = false

        package init() {}
    }

    /// What the bus calls the player's connection: no other has this name as long as the bus runs.
    package let id: String
    /// A name that the connection owns, such as `org.mpris.MediaPlayer2.vlc`.
    package var name: String
    package var process: Int32?
    /// For people.
    package var identity: String
    /// The name of its `.desktop` file without that ending.
    package var desktopEntry: String?
    package var abilities = Abilities()
    package var nowPlaying = NowPlaying()
    /// When `nowPlaying.elapsed` was true, in nanoseconds of the boot clock.
    package var saidAt: Int64 = 0
    /// Whether it has answered when it was last asked. What it said before is kept.
    package var answers = true

    package init(id: String, name: String, identity: String) {
        self.id = id
        self.name = name
        self.identity = identity
    }

    /// The commands that MPRIS has words for, and that it says it can follow.
    package var commands: Set<AudioCommandKind> {
        Set(AudioCommandKind.allCases.filter { abilities.include($0) ?? false })
    }

    /// Seconds from the beginning of the track, as far as it is known.
    package func elapsed(at moment: Int64) -> Double? {
        nowPlaying.elapsed.map { elapsed in
            guard nowPlaying.state == .playing else { return elapsed }
            let played = Microseconds.played(from: saidAt, to: moment, rate: nowPlaying.rate ?? 1)
            return max(0, min(elapsed + Microseconds.seconds(played), nowPlaying.duration ?? .infinity))
        }
    }

    /// Seconds by which a player may be ahead or behind before that is a change.
    private static let tolerance = 0.5

    /// Whether a client that was told of the other one knows what there is to know of this one.
    func isTold(by other: OtherPlayer) -> Bool {
        var (one, same) = (self, other)
        (one.saidAt, one.nowPlaying.elapsed) = (0, nil)
        (same.saidAt, same.nowPlaying.elapsed) = (0, nil)
        guard one == same else { return false }
        switch (elapsed(at: saidAt), other.elapsed(at: saidAt)) {
        case (nil, nil): return true
        case (let here?, let there?): return abs(here - there) <= Self.tolerance
        case (nil, .some), (.some, nil): return false
        }
    }
}

extension OtherPlayer.Abilities {
    /// `nil` where MPRIS has no words for it.
    func include(_ kind: AudioCommandKind) -> Bool? {
        switch kind {
        case .play: control && play
        case .pause: control && pause
        case .toggle: control && (play || pause)
        case .stop: control
        case .next: control && next
        case .previous: control && previous
        case .seek, .skipForward, .skipBackward: control && seek
        case .rate: control && rate
        case .shuffle: control && shuffle
        case .repeats: control && repeats
        case .seekBackward, .seekForward, .rating, .like, .dislike, .bookmark: nil
        }
    }
}

/// What hears of other players, on their queue. A player that changes often is told of ten times a second at most.
package protocol OtherPlayersClient: AnyObject {
    func appeared(_ player: OtherPlayer)
    func changed(_ player: OtherPlayer)
    /// It went, or its bus did.
    func gone(_ id: OtherPlayer.ID)
}

/// Why another player did not do what it was asked for.
package enum OtherPlayerFailure: Error, Hashable, Sendable, CustomStringConvertible {
    case unknown(OtherPlayer.ID)
    /// MPRIS has no words for it.
    case inexpressible(AudioCommandKind)
    /// The player says that it cannot.
    case unable(player: String, AudioCommandKind)
    /// MPRIS has players move to a place in a track, and this one does not say which track it plays, and where.
    case lost(player: String)
    /// Its process may be frozen. If it had read the command by then, it may still follow it.
    case silent(player: String)
    case ended(player: String)
    case refused(player: String, why: String)
    case noBus

    package var description: String {
        switch self {
        case .unknown(let id): "There is no player \(id) any more."
        case .inexpressible(let kind): "The command “\(kind.rawValue)” cannot be sent to other programs by MPRIS."
        case .unable(let player, let kind): "“\(player)” says that it cannot follow the command “\(kind.rawValue)” now."
        case .lost(let player): "“\(player)” does not say what it plays, so it cannot be moved to a place in it."
        case .silent(let player): "“\(player)” does not answer."
        case .ended(let player): "“\(player)” ended before it had answered."
        case .refused(let player, let why): "“\(player)” refuses: \(why)"
        case .noBus: "There is no D-Bus session bus."
        }
    }

    package var status: AudioCommandStatus {
        switch self {
        case .inexpressible, .unable, .lost: .noActionableItem
        case .unknown, .silent, .ended, .refused, .noBus: .failed
        }
    }
}
