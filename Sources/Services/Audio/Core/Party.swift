internal import AudioModel
package import Model
package import ServiceCore

/// Somebody who may sound: an app with a session, a plain program of the system, or a program beside it.
package struct Party: Sendable {
    package enum Kind: Hashable, Sendable {
        /// It says itself what its audio is for.
        case app
        /// It knows nothing of this service; the system holds it.
        case program
        /// It is none of the system's.
        case outsider
    }

    /// The system's word that the app may run.
    package enum Holding: Hashable, Sendable {
        /// Valid transitions are to: asked.
        case none
        /// Valid transitions are to: held (allowed), none (refused, or the system is gone).
        case asked
        /// Valid transitions are to: none.
        case held
    }

    enum Awaited: Hashable, Sendable {
        /// When the system is there, its time begins.
        case system
        case until(Instant)
    }

    package let id: PartyID
    package internal(set) var kind: Kind
    package internal(set) var name: String
    package internal(set) var hasKey = false
    package internal(set) var standing = AppStanding.gone
    package internal(set) var session = Session()
    package internal(set) var streams: [StreamKey: Stream] = [:]
    package internal(set) var connection: ConnectionID?
    var isGreeted = false
    /// It is about to connect again, and goes on as it was until it has, or until then.
    var awaited: Awaited?
    /// Its session is as it said itself; before that it is as a service before this one knew it.
    var hasSpoken = false
    var holds: [AudioHold: Holding] = [:]
    /// The system refused to hold it as it stands; asked again when that changes.
    var isRefused = false
    /// The same of the hold that has nothing to do with what it plays.
    var isConnectionRefused = false
    /// What it has to stop for the system, by the hold.
    var stops: [AudioHold: OrderID] = [:]
    var news = NewsQueue()
    var surroundings: AudioSurroundings?
    var hint = false
    /// It was heard when that was looked at last, and when it began, counted in plays.
    var wasSounding = false
    package internal(set) var lastPlay: UInt64 = 0
    var route: [AudioPort] = []
    /// A start that waits for the system's word, by stream.
    var starts: [StreamKey: [RequestID]] = [:]
    /// It was handed a command, and may begin to sound for that.
    var actsUntil: Instant?
    /// Why the last hold ended, for people.
    var because = ""
    /// Its player on the desktop's bus.
    package internal(set) var player: PlayerID?
    var playerCommands: Set<AudioCommandKind> = []
    var playerState = NowPlaying()
    /// A program has stopped for a moment, as between two pieces, or for good: until then nobody can tell.
    var restsUntil: Instant?
    /// It was paused for an interruption, by its player.
    var isPausedByUs = false

    init(_ id: PartyID, _ kind: Kind, name: String) {
        self.id = id
        self.kind = kind
        self.name = name
    }

    package var app: AppIdentifier? { id.app }

    var orderedKeys: [StreamKey] { streams.keys.sorted() }

    /// Something of it is to be heard, or would be if it gave something.
    package var sounds: Bool { streams.values.contains { $0.direction == .output && $0.isUp && $0.isInUse } }
    package var records: Bool { streams.values.contains { $0.direction == .input && $0.isUp && $0.isInUse } }
    package var isInUse: Bool { streams.values.contains(where: \.isInUse) }

    /// A process is there that can be spoken of.
    var isRunning: Bool { kind == .outsider || standing.isRunning }

    /// It is seen, or nobody could see it.
    var isInSight: Bool { kind == .outsider || standing.isVisible }

    /// Until when out of sight it may have a way out although it gives nothing.
    func isExpected(at now: Instant) -> Bool {
        kind == .program && [restsUntil, actsUntil].contains { $0.map { now < $0 } ?? false }
    }

    func holding(_ hold: AudioHold) -> Holding { holds[hold] ?? .none }

    mutating func refuse(_ hold: AudioHold) {
        if hold == .connected { isConnectionRefused = true } else { isRefused = true }
    }
}

/// What an app is told, in order; what has no answer yet is kept.
struct NewsQueue: Sendable {
    struct Item: Sendable {
        let number: NewsNumber
        let news: AudioNews
        /// Over which connection it has gone out.
        var connection: ConnectionID?
        /// Until when the app is kept running for it.
        var until: Instant?
        /// Who waits for what becomes of it.
        var request: RequestID?
        var wakes: Waking

        enum Waking: Hashable, Sendable {
            /// It waits until the app runs for another reason.
            case never
            /// The system is to wake the app.
            case wanted(at: Instant, tries: Int)
            case asked(tries: Int)
            case allowed
        }
    }

    var items: [Item] = []
    var isEmpty: Bool { items.isEmpty }

    func place(_ number: NewsNumber) -> Int? { items.firstIndex { $0.number == number } }
}
