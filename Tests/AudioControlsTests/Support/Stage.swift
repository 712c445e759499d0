import AudioControls
import AudioModel
import DBus
import Dispatch
import LinuxSystem
import Synchronization
import TestBus

/// An app's player on a bus, with what controls ask of it, used from a test's thread.
final class Stage: Sendable {
    let commands = Mailbox<AudioCommand>()
    let raises = Mailbox<Bool>()
    let volumes = Mailbox<Double>()
    let claims = Mailbox<DBusClaim>()
    let name: String
    private let queue = DispatchQueue(label: "published player")
    private let player: PublishedPlayer
    /// The bus goes with the last who holds it.
    private let bus = Mutex<TestBus?>(nil)
    private let state: Mutex<PublishedState>
    /// `nil`: it holds what comes.
    private let manner = Mutex<PublishedAnswer?>(.done)
    private let held = Mutex<[Held]>([])

    /// Unchecked: used on the player's queue only.
    private struct Held: @unchecked Sendable {
        let answer: (PublishedAnswer) -> Void
    }

    init(_ address: DBusAddress, _ app: PublishedApp = .podcasts, _ state: PublishedState = .playing()) {
        player = PublishedPlayer(app, at: address, queue: queue)
        name = player.name
        self.state = Mutex(state)
        on { player in
            player.onCommand = { [weak self] in self?.obey($0, Held(answer: $1)) }
            player.onRaise = { [raises] in raises.post(true) }
            player.onVolume = { [volumes] in volumes.post($0) }
            player.onClaim = { [claims] in claims.post($0) }
            player.begin(state)
        }
    }

    /// One that has its name.
    convenience init(
        _ bus: TestBus, _ app: PublishedApp = .podcasts, _ state: PublishedState = .playing()
    ) throws {
        self.init(bus.address, app, state)
        self.bus.withLock { $0 = bus }
        try awaitName()
    }

    deinit { end() }

    func awaitName() throws { while try claims.next() != .owned {} }

    func end() {
        let player = player
        queue.async { player.end() }
    }

    func on<Value>(_ body: (PublishedPlayer) throws -> Value) rethrows -> Value { try queue.sync { try body(player) } }

    func update(_ change: (inout PublishedState) -> Void) {
        let state = state.withLock { state in
            change(&state)
            return state
        }
        on { $0.update(state) }
    }

    func behave(_ answer: PublishedAnswer?) { manner.withLock { $0 = answer } }

    /// Answers what it has held.
    func answer(_ answer: PublishedAnswer) {
        let all = held.withLock { held in
            defer { held = [] }
            return held
        }
        on { _ in for one in all { one.answer(answer) } }
    }

    private func obey(_ command: AudioCommand, _ call: Held) {
        if let answer = manner.withLock({ $0 }) { call.answer(answer) } else { held.withLock { $0.append(call) } }
        commands.post(command)
    }
}

extension PublishedApp {
    static let podcasts = PublishedApp(
        identifier: "org.example.Podcasts", name: "Podcasts", desktopEntry: "greenroom-org.example.Podcasts")
}

extension PublishedState {
    /// What most tests play: 90 seconds into an episode of an hour.
    static func playing(
        _ commands: Set<AudioCommandKind> = Set(AudioCommandKind.allCases), rate: Double = 1, at moment: Int64? = nil
    ) -> PublishedState {
        var playing = NowPlaying()
        playing.title = "Episode 7"
        playing.artist = "Ada & Grace"
        playing.album = "The Show"
        playing.genre = "Talk"
        playing.duration = 3600
        playing.elapsed = 90
        playing.rate = rate
        playing.track = 7
        playing.artwork = "/tmp/Größe 1%.png"
        playing.state = .playing
        return PublishedState(playing, saidAt: moment ?? Clock.boot(), commands: commands)
    }

    static func paused(_ commands: Set<AudioCommandKind> = Set(AudioCommandKind.allCases)) -> PublishedState {
        var state = PublishedState.playing(commands, rate: 0)
        state.nowPlaying.state = .paused
        return state
    }
}

/// A program that controls players.
final class Remote {
    static let path: DBusObjectPath = "/org/mpris/MediaPlayer2"
    static let root = "org.mpris.MediaPlayer2"
    static let player = "org.mpris.MediaPlayer2.Player"
    static let properties = "org.freedesktop.DBus.Properties"

    private let bus: TestBus
    let peer: BusPeer
    let name: String
    let changes = Mailbox<[String: DBusValue]>()
    let seeks = Mailbox<Int64>()
    let owners = Mailbox<String?>()
    private var registrations: [DBusRegistration] = []

    init(_ bus: TestBus, _ name: String) throws {
        (self.bus, peer, self.name) = (bus, try BusPeer(bus), name)
        let (changes, seeks, owners) = (changes, seeks, owners)
        registrations = peer.on { connection in
            [
                connection.subscribe(DBusMatch(sender: name, path: Self.path, member: "PropertiesChanged")) { signal in
                    guard signal.arguments.count == 3, case .dictionary(_, _, let entries) = signal.arguments[1] else {
                        return
                    }
                    let pairs = entries.map { ($0.key.string ?? "", $0.value.plain) }
                    changes.post(Dictionary(pairs) { $1 })
                },
                connection.subscribe(DBusMatch(sender: name, path: Self.path, member: "Seeked")) { signal in
                    if case .int64(let position)? = signal.arguments.first { seeks.post(position) }
                },
                connection.watch(name) { owners.post($0) },
            ]
        }
        // A signal counts once the name's owner is known.
        while try owners.next() == nil {}
    }

    func call(
        _ method: String, _ arguments: [DBusValue] = [], of interface: String = Remote.player
    ) throws -> Result<[DBusValue], DBusError> {
        try peer.call(DBusCall(method, of: interface, at: Self.path, to: name, arguments))
    }

    func get(_ property: String, of interface: String = Remote.player) throws -> DBusValue? {
        try call("Get", [.string(interface), .string(property)], of: Self.properties).get().first?.plain
    }

    func set(_ property: String, _ value: DBusValue) throws -> DBusError? {
        switch try call("Set", [.string(Self.player), .string(property), .variant(value)], of: Self.properties) {
        case .success: nil
        case .failure(let error): error
        }
    }

    func all(of interface: String) throws -> [String: DBusValue] {
        let values = try call("GetAll", [.string(interface)], of: Self.properties).get()
        guard case .dictionary(_, _, let entries)? = values.first else { return [:] }
        return Dictionary(entries.map { ($0.key.string ?? "", $0.value.plain) }) { $1 }
    }

    func track() throws -> DBusValue { try get("Metadata")?["mpris:trackid"] ?? .string("") }
}
