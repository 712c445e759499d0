import DBus
import LinuxSystem
import Synchronization
import TestBus

/// A program on the bus that the tests call, with an object at `/echo`.
final class Echo: Sendable {
    static let name = "dev.greenroom.Echo"
    static let interface = "dev.greenroom.Echo"
    static let path: DBusObjectPath = "/dev/greenroom/echo"

    let peer: BusPeer
    /// What keeps its object and its name.
    private let kept = Mutex<Kept>(Kept())
    /// Calls that nobody answers.
    let held: Mailbox<String>
    /// How often the property `Volume` was set.
    let volumes: Mailbox<Double>

    private struct Kept {
        var object: DBusObject?
        var name: DBusRegistration?
    }

    init(_ bus: TestBus, name: String = Echo.name, takesDescriptors: Bool = false) throws {
        peer = try BusPeer(bus, takesDescriptors: takesDescriptors)
        (held, volumes) = (Mailbox(), Mailbox())
        let claims = Mailbox<DBusClaim>()
        peer.on { connection in
            let object = connection.export(Self.path, [Self.describe(held, volumes)])
            let registration = connection.own(name) { claims.post($0) }
            kept.withLock { $0 = Kept(object: object, name: registration) }
        }
        guard try claims.next() == .owned else { throw DBusError.notConnected }
    }

    /// It has no object any more.
    func removeObject() { peer.on { _ in kept.withLock { $0.object = nil } } }
    /// It gives its name up.
    func releaseName() { peer.on { _ in kept.withLock { $0.name = nil } } }

    func emit(_ signal: String, _ values: [DBusValue] = [], to other: String? = nil) throws {
        try peer.on { _ in
            try kept.withLock { try $0.object?.emit(signal, of: Self.interface, values, to: other) }
        }
    }

    func changed(_ names: [String]) throws {
        try peer.on { _ in try kept.withLock { try $0.object?.changed(names, of: Self.interface) } }
    }

    private static func describe(_ held: Mailbox<String>, _ volumes: Mailbox<Double>) -> DBusInterface {
        let volume = Mutex(1.0)
        // Calls that are never answered, kept for as long as the object.
        let keeper = Keeper()
        return DBusInterface(
            interface,
            methods: [
                .init("Echo", takes: ["value": .variant], returns: ["value": .variant]) { $0.answer($0.arguments) },
                .init("Add", takes: ["a": .int32, "b": .int32], returns: ["sum": .int32]) { call in
                    call.answer([.int32(Int32(call.arguments.compactMap(\.int).reduce(0, +)))])
                },
                .init("Fail", takes: ["name": .string, "message": .string]) { call in
                    call.fail(call.arguments[0].string ?? "", call.arguments[1].string ?? "")
                },
                .init("Hold") { call in
                    keeper.calls.append(call)
                    held.post(call.sender)
                },
                .init("Forget") { _ in },
                .init("Lie", returns: ["number": .int32]) { $0.answer([.string("not a number")]) },
                .init("Count", takes: ["bytes": .array(.byte)], returns: ["count": .uint32]) { call in
                    guard case .bytes(let bytes) = call.arguments[0] else { return }
                    call.answer([.uint32(UInt32(bytes.count))])
                },
            ],
            properties: [
                .init(
                    "Volume", .double, get: { .double(volume.withLock { $0 }) },
                    set: { (value: DBusValue) throws(DBusError) in
                        guard let number = value.number, number <= 1 else {
                            throw .refused(name: "dev.greenroom.TooLoud", message: "at most 1")
                        }
                        volume.withLock { $0 = number }
                        volumes.post(number)
                    }),
                .init("Identity", .string, change: .constant, get: { .string("Echo") }),
                .init("Position", .int64, change: .nothing, get: { .int64(7) }),
                .init("Queue", .array(.string), change: .invalidation, get: { .strings(["a"]) }),
            ],
            signals: [.init("Said", carries: ["what": .string]), .init("Done")])
    }

    /// Used on the peer's queue only.
    private final class Keeper {
        var calls: [DBusInvocation] = []
    }
}

extension DBusCall {
    /// A call of the echo.
    static func echo(
        _ method: String, _ arguments: [DBusValue] = [], returns: [DBusType]? = nil, timeout: Duration = .seconds(25)
    ) -> DBusCall {
        DBusCall(
            method, of: Echo.interface, at: Echo.path, to: Echo.name, arguments, returns: returns, timeout: timeout)
    }
}
