import DBus
import Dispatch
import Synchronization
import TestBus

/// A plain program's player that plays nothing, and says what it was asked for.
final class FakePlayer: Sendable {
    /// What it does when a method is called.
    enum Manner: Sendable { case answers, holds, refuses }

    static let vlc = "org.mpris.MediaPlayer2.vlc"

    private let bus: TestBus
    let peer: BusPeer
    /// Its unique name.
    let id: String
    let called = Mailbox<DBusValue>()
    let claims = Mailbox<DBusClaim>()
    /// Names of the properties that were asked for.
    private let asked = Mutex<[String: Int]>([:])
    private let state: Mutex<State>

    private struct State {
        var manner = Manner.answers
        var values: [String: DBusValue]
        var object: DBusObject?
        var names: [String: DBusRegistration] = [:]
        var held: [Held] = []
        var isFrozen = false
    }

    /// Unchecked: used on the peer's queue only.
    private struct Held: @unchecked Sendable {
        let call: DBusInvocation
    }

    static let values: [String: DBusValue] = [
        "Identity": .string("VLC media player"), "DesktopEntry": .string("vlc"), "PlaybackStatus": .string("Playing"),
        "LoopStatus": .string("None"), "Rate": .double(1), "Shuffle": .boolean(false),
        "Metadata": metadata("One"), "Volume": .double(1), "Position": .int64(30_000_000), "MinimumRate": .double(0.25),
        "MaximumRate": .double(4), "CanGoNext": .boolean(true), "CanGoPrevious": .boolean(true),
        "CanPlay": .boolean(true), "CanPause": .boolean(true), "CanSeek": .boolean(true), "CanControl": .boolean(true),
    ]

    static func metadata(_ title: String) -> DBusValue {
        .properties([
            "mpris:trackid": .objectPath("/vlc/7"), "mpris:length": .int64(240_000_000),
            "mpris:artUrl": .string("file:///tmp/a%20b.png"), "xesam:title": .string(title),
            "xesam:artist": .strings(["Ada", "Grace"]), "xesam:album": .string("Album"),
            "xesam:genre": .strings(["Talk"]), "xesam:trackNumber": .int32(3),
        ])
    }

    /// One with these names, if the bus gives them to it.
    init(
        _ bus: TestBus, _ names: [String] = [FakePlayer.vlc], _ values: [String: DBusValue] = FakePlayer.values,
        replaces: Bool = false
    ) throws {
        self.bus = bus
        peer = BusPeer(bus.address)
        id = try peer.awaitConnection()
        state = Mutex(State(values: values))
        peer.on { connection in
            let object = connection.export(Remote.path, interfaces(values))
            state.withLock { $0.object = object }
        }
        for name in names {
            own(name, replaces: replaces)
            while try claims.next() != .owned {}
        }
    }

    deinit { thaw() }

    func own(_ name: String, replaces: Bool = false) {
        peer.on { connection in
            let registration = connection.own(name, replaces: replaces) { [claims] in claims.post($0) }
            state.withLock { $0.names[name] = registration }
        }
    }

    func disown(_ name: String) { peer.on { _ in state.withLock { $0.names[name] = nil } } }

    /// It goes without a word, as by a crash.
    func die() { peer.on { $0.close() } }

    func behave(_ manner: Manner) { state.withLock { $0.manner = manner } }

    /// Its process does nothing more, and its connection stays.
    func freeze() {
        // What it has begun is done first.
        peer.on { _ in }
        peer.queue.suspend()
        state.withLock { $0.isFrozen = true }
    }

    func thaw() {
        let wasFrozen = state.withLock { state in
            defer { state.isFrozen = false }
            return state.isFrozen
        }
        if wasFrozen { peer.queue.resume() }
    }

    /// How often a property was read.
    func count(_ property: String) -> Int { asked.withLock { $0[property] ?? 0 } }

    // MARK: What it says

    /// Changes what it is, and says so unless it is silent about it.
    func set(_ changes: [String: DBusValue], isSilent: Bool = false) throws {
        state.withLock { $0.values.merge(changes) { $1 } }
        if !isSilent { try say(.properties(changes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })) }
    }

    func say(_ changed: DBusValue, invalid: [String] = [], of interface: String = Remote.player) throws {
        try emit("PropertiesChanged", Remote.properties, [.string(interface), changed, .strings(invalid)])
    }

    func seek(to position: Int64) throws {
        state.withLock { $0.values["Position"] = .int64(position) }
        try emit("Seeked", Remote.player, [.int64(position)])
    }

    private func emit(_ signal: String, _ interface: String, _ values: [DBusValue]) throws {
        let object = state.withLock { $0.object }
        try peer.on { _ in try object?.emit(signal, of: interface, values) }
    }

    // MARK: What it offers

    private func interfaces(_ values: [String: DBusValue]) -> [DBusInterface] {
        let root: Set<String> = ["Identity", "DesktopEntry"]
        let names = values.keys.sorted()
        let seeks = [
            method("Seek", ["Offset": .int64]), method("SetPosition", ["TrackId": .objectPath, "Position": .int64]),
        ]
        let all = DBusType.dictionary(key: .string, value: .variant)
        return [
            DBusInterface(Remote.root, properties: names.filter(root.contains).map(property)),
            DBusInterface(
                Remote.player,
                methods: ["Next", "Previous", "Pause", "PlayPause", "Stop", "Play"].map { method($0) } + seeks,
                properties: names.filter { !root.contains($0) }.map(property),
                signals: [.init("Seeked", carries: ["Position": .int64])]),
            DBusInterface(
                Remote.properties,
                signals: [
                    .init(
                        "PropertiesChanged",
                        carries: ["interface": .string, "changed": all, "invalidated": .array(.string)])
                ]),
        ]
    }

    private func property(_ name: String) -> DBusInterface.Property {
        let type = state.withLock { $0.values[name]?.type } ?? .string
        return .init(
            name, type,
            get: { [weak self] in
                self?.asked.withLock { $0[name, default: 0] += 1 }
                return self?.state.withLock { $0.values[name] } ?? .string("")
            },
            set: { [weak self] value throws(DBusError) in
                self?.called.post(.structure([.string(name), value]))
            })
    }

    private func method(_ name: String, _ takes: KeyValuePairs<String, DBusType> = [:]) -> DBusInterface.Method {
        .init(name, takes: takes) { [weak self] call in
            guard let self else { return }
            let held = Held(call: call)
            switch state.withLock({ $0.manner }) {
            case .answers: call.answer()
            case .holds: state.withLock { $0.held.append(held) }
            case .refuses: call.fail("org.vlc.Error", "no more\u{7} tracks")
            }
            called.post(.structure([.string(name)] + call.arguments))
        }
    }
}
