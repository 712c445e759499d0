import DBus
import LocationModel
import LocationSources
import Synchronization
import TestBus
import Testing

@Suite("The compass", .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)))
struct HeadingTests {
    private let listener = Listener()

    private func awaitHeading() throws -> Double {
        while true {
            if case .heading(let heading) = try listener.told.next() { return heading.magnetic }
        }
    }

    @Test func `It is claimed while it is on, and its changes are told`() throws {
        let bus = try TestBus()
        let connection = try ListenerBus(bus, listener)
        let source = HeadingSource(queue: listener.queue, bus: connection.connection)
        source.start(listener)
        try listener.awaitAbsence("iio-sensor-proxy does not run")
        let fake = try FakeCompass(bus)
        #expect(try fake.called.next() == "ClaimCompass")
        #expect(try listener.awaitState() == .present)
        #expect(try awaitHeading() == 12)
        fake.turn(to: -1)
        fake.turn(to: .nan)
        fake.turn(to: 361)
        fake.turn(to: 270.5)
        #expect(try awaitHeading() == 270.5)
        listener.on { source.isOn = false }
        #expect(try fake.called.next() == "ReleaseCompass")
        fake.turn(to: 5)
        listener.on { source.isOn = true }
        #expect(try fake.called.next() == "ClaimCompass")
        #expect(try awaitHeading() == 5)
        fake.peer.on { $0.close() }
        try listener.awaitAbsence("does not run")
        let other = try FakeCompass(bus, has: false)
        try listener.awaitAbsence("has no compass")
        listener.on { source.end() }
        withExtendedLifetime(other) {}
    }

    @Test func `It is told when the bus keeps the compass for GeoClue`() throws {
        let bus = try TestBus()
        let connection = try ListenerBus(bus, listener)
        let fake = try FakeCompass(bus, denies: true)
        let source = HeadingSource(queue: listener.queue, bus: connection.connection)
        source.start(listener)
        try listener.awaitAbsence("lets only GeoClue use the compass")
        listener.on { source.end() }
        withExtendedLifetime(fake) {}
    }
}

/// An iio-sensor-proxy with a compass that a test turns.
private final class FakeCompass: Sendable {
    private static let interface = "net.hadess.SensorProxy.Compass"

    let peer: BusPeer
    let called = Mailbox<String>()
    private let state: Mutex<(degrees: Double, object: DBusObject?, claim: DBusRegistration?)>

    init(_ bus: TestBus, has: Bool = true, denies: Bool = false) throws {
        peer = try BusPeer(bus)
        state = Mutex((has ? 12 : -1, nil, nil))
        let claims = Mailbox<DBusClaim>()
        peer.on { connection in
            let methods = ["ClaimCompass", "ReleaseCompass"].map { name in
                DBusInterface.Method(name) { [called] call in
                    called.post(name)
                    if denies { call.fail("org.freedesktop.DBus.Error.AccessDenied", "no") } else { call.answer() }
                }
            }
            let properties: [DBusInterface.Property] = [
                .init("HasCompass", .boolean, get: { .boolean(has && !denies) }),
                .init("CompassHeading", .double, get: { [weak self] in .double(self?.state.withLock(\.degrees) ?? 0) }),
            ]
            let object = connection.export(
                "/net/hadess/SensorProxy/Compass",
                [DBusInterface(Self.interface, methods: methods, properties: properties)])
            let claim = connection.own("net.hadess.SensorProxy") { claims.post($0) }
            state.withLock { ($0.object, $0.claim) = (object, claim) }
        }
        guard try claims.next() == .owned else { throw DBusError.notConnected }
    }

    func turn(to degrees: Double) {
        peer.on { _ in
            state.withLock { $0.degrees = degrees }
            try? state.withLock(\.object)?.changed(["CompassHeading"], of: Self.interface)
        }
    }
}
