import DBus
import LocationSources
import Synchronization
import TestBus

/// A GeoClue that says what a test wants.
final class FakeGeoClue: Sendable {
    private static let name = "org.freedesktop.GeoClue2"
    private static let path: DBusObjectPath = "/org/freedesktop/GeoClue2/Client/1"

    let peer: BusPeer
    let called = Mailbox<String>()
    private let state: Mutex<State>

    private struct State {
        var isActive = false
        var objects: [DBusObject] = []
        var client: DBusObject?
        var locations = 0
        var claim: DBusRegistration?
    }

    init(_ bus: TestBus) throws {
        state = Mutex(State())
        peer = try BusPeer(bus)
        let claims = Mailbox<DBusClaim>()
        peer.on { connection in
            let manager = connection.export("/org/freedesktop/GeoClue2/Manager", [manager()])
            let client = connection.export(Self.path, [client()])
            let claim = connection.own(Self.name) { claims.post($0) }
            state.withLock { ($0.objects, $0.client, $0.claim) = ([manager], client, claim) }
        }
        guard try claims.next() == .owned else { throw DBusError.notConnected }
    }

    /// The next ones, in the order in which they came.
    func calls(_ count: Int) throws -> [String] { try (0..<count).map { _ in try called.next() } }

    func move(_ location: KeyValuePairs<String, DBusValue>) {
        peer.on { connection in
            let number = state.withLock { state -> Int in
                state.locations += 1
                return state.locations
            }
            guard let path = DBusObjectPath(text: "/org/freedesktop/GeoClue2/Location/\(number)") else { return }
            let properties = location.map { key, value in
                DBusInterface.Property(key, value.type, get: { value })
            }
            let object = connection.export(
                path, [DBusInterface("org.freedesktop.GeoClue2.Location", properties: properties)])
            state.withLock { $0.objects.append(object) }
            try? state.withLock(\.client)?.emit(
                "LocationUpdated", of: "org.freedesktop.GeoClue2.Client", [.objectPath(.root), .objectPath(path)])
        }
    }

    /// As when the user turns location services off.
    func deactivate() {
        peer.on { _ in
            state.withLock { $0.isActive = false }
            try? state.withLock(\.client)?.changed(["Active"], of: "org.freedesktop.GeoClue2.Client")
        }
    }

    private func manager() -> DBusInterface {
        DBusInterface(
            "org.freedesktop.GeoClue2.Manager",
            methods: [
                .init("GetClient", returns: ["client": .objectPath]) { [called] call in
                    called.post("GetClient")
                    call.answer([.objectPath(Self.path)])
                },
                .init("DeleteClient", takes: ["client": .objectPath]) { [called] call in
                    called.post("DeleteClient")
                    call.answer()
                },
            ])
    }

    private func client() -> DBusInterface {
        func setting(_ name: String, _ type: DBusType, _ value: DBusValue) -> DBusInterface.Property {
            .init(name, type, get: { value }) { [called] value throws(DBusError) in
                called.post("\(name) \(value.string ?? value.int.map(String.init) ?? "")")
            }
        }
        return DBusInterface(
            "org.freedesktop.GeoClue2.Client",
            methods: [
                .init("Start") { [weak self] call in
                    self?.called.post("Start")
                    self?.state.withLock { $0.isActive = true }
                    call.answer()
                },
                .init("Stop") { [called] call in
                    called.post("Stop")
                    call.answer()
                },
            ],
            properties: [
                setting("DesktopId", .string, .string("")),
                setting("RequestedAccuracyLevel", .uint32, .uint32(0)),
                setting("DistanceThreshold", .uint32, .uint32(0)),
                .init("Active", .boolean, get: { [weak self] in .boolean(self?.state.withLock(\.isActive) == true) }),
            ],
            signals: [.init("LocationUpdated", carries: ["old": .objectPath, "new": .objectPath])])
    }
}
