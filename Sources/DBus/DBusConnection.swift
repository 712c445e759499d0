package import Dispatch
internal import Glibc
internal import LinuxSystem

/// Where a bus listens.
package enum DBusAddress: Hashable, Sendable {
    /// The bus of the user's session: `DBUS_SESSION_BUS_ADDRESS`, or the socket `bus` in `XDG_RUNTIME_DIR`.
    case user
    /// The bus of the machine: `DBUS_SYSTEM_BUS_ADDRESS`, or the usual socket.
    case system
    /// As D-Bus writes it, such as `unix:path=/run/user/1000/bus`.
    case at(String)

    /// As libsystemd reads it.
    package var text: String {
        switch self {
        case .user:
            Self.environment("DBUS_SESSION_BUS_ADDRESS")
                ?? Self.path("\(Self.environment("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())")/bus")
        case .system: Self.environment("DBUS_SYSTEM_BUS_ADDRESS") ?? Self.path("/run/dbus/system_bus_socket")
        case .at(let text): text
        }
    }

    private static func environment(_ name: String) -> String? {
        CurrentProcess.environment(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The address of a socket. What may not stand in an address is escaped.
    package static func path(_ path: String) -> String {
        var text = "unix:path="
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                text.unicodeScalars.append(UnicodeScalar(byte))
            default: text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return text
    }
}

/// A method to call, with everything that belongs to the call.
package struct DBusCall: Hashable, Sendable, CustomStringConvertible {
    package var destination: String
    package var path: DBusObjectPath
    package var interface: String
    package var method: String
    package var arguments: [DBusValue]
    /// What the answer has to hold, where it matters.
    package var returns: [DBusType]?
    package var timeout: Duration
    /// Whether the bus may start a program that has the name.
    package var startsDestination: Bool

    package init(
        _ method: String, of interface: String, at path: DBusObjectPath, to destination: String,
        _ arguments: [DBusValue] = [], returns: [DBusType]? = nil, timeout: Duration = .seconds(25),
        startsDestination: Bool = true
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.method = method
        self.arguments = arguments
        self.returns = returns
        self.timeout = timeout
        self.startsDestination = startsDestination
    }

    package var description: String { "\(interface).\(method) of \(destination) at \(path)" }
}

/// A program's place on a bus: it calls methods, hears signals, watches names, and has objects and names of its own.
///
/// It connects, and connects again when the bus went away and came back; subscriptions, watches, objects and names then
/// hold as before. Nothing blocks the queue. Without a bus nothing runs: a socket that is not there yet is waited for.
///
/// A peer that floods it costs time and no memory: messages are read one at a time, a larger one than a megabyte is
/// thrown away unread, and what waits in either direction is counted. A signal counts as that of a name only if the
/// name's owner sent it.
///
/// Unchecked: used on its queue only; its handlers are called there.
package final class DBusConnection: @unchecked Sendable {
    package enum State: Hashable, Sendable {
        /// It waits for the bus; why, where the last attempt ended with an error.
        case waiting(DBusError?)
        /// The bus calls this connection so.
        case connected(as: String)
        /// It was closed.
        case closed
    }

    let queue: DispatchQueue
    private let address: DBusAddress
    private let takesDescriptors: Bool
    private(set) var link: Link?
    private var attempts = 0
    private var lastAttempt = DispatchTime(uptimeNanoseconds: 0)
    /// Ends a planned attempt when a sooner one is made.
    private var plan = 0

    var lastNumber: UInt64 = 0
    var subscriptions: [UInt64: Subscription] = [:]
    /// How many subscriptions and watches need each rule of the bus.
    var rules: [String: Int] = [:]
    var names: [String: NameRecord] = [:]
    var claims: [String: Claim] = [:]
    var exports: [DBusObjectPath: Export] = [:]

    package private(set) var state = State.waiting(nil) { didSet { if state != oldValue { onState(state) } } }
    package var onState: (State) -> Void = { _ in }

    /// Nanoseconds between two attempts: a bus that ends connections at once is left alone for longer and longer.
    private static let (shortestPause, longestPause): (UInt64, UInt64) = (50_000_000, 300_000_000_000)
    /// A connection that lasted so long did not end because of its begin.
    private static let longEnough: UInt64 = 10_000_000_000
    /// A call that finds no bus may try to reach one so often.
    private static let eagerPause: UInt64 = 1_000_000_000

    package init(_ address: DBusAddress, queue: DispatchQueue, takesDescriptors: Bool = false) {
        (self.address, self.queue, self.takesDescriptors) = (address, queue, takesDescriptors)
    }

    /// Connects. Objects and names that were there before are there from the first moment.
    package func begin() {
        dispatchPrecondition(condition: .onQueue(queue))
        if link == nil { connect() }
    }

    /// Ends the connection. Calls without an answer end with `.disconnected`.
    package func close() {
        dispatchPrecondition(condition: .onQueue(queue))
        plan += 1
        link?.close()
        link = nil
        state = .closed
        forget()
    }

    /// What the bus calls itself, while there is one: another one each time that it starts.
    package var busIdentifier: String? { readyLink?.busIdentifier }

    /// Messages of peers that were thrown away since they were too large.
    package var discarded: Int { link?.discarded ?? 0 }

    var readyLink: Link? { link.flatMap { $0.isReady ? $0 : nil } }

    // MARK: It comes and goes

    private func connect() {
        guard state != .closed else { return }
        plan += 1
        attempts += 1
        lastAttempt = .now()
        link?.close()
        link = nil
        do throws(DBusError) {
            link = try Link(to: address.text, queue: queue, takesDescriptors: takesDescriptors, client: self)
        } catch {
            ended(error)
        }
    }

    private func ended(_ error: DBusError) {
        link = nil
        state = .waiting(error)
        forget()
        guard state != .closed else { return }
        if DispatchTime.now().uptimeNanoseconds - lastAttempt.uptimeNanoseconds > Self.longEnough { attempts = 0 }
        let pause = min(Self.longestPause, Self.shortestPause << UInt64(min(attempts, 20)))
        let planned = plan
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause))) { [weak self] in
            if let self, plan == planned { connect() }
        }
    }

    /// Something is wanted of a bus that is not there: perhaps it is by now.
    private func connectSooner() {
        guard state != .closed, readyLink == nil,
            DispatchTime.now().uptimeNanoseconds - lastAttempt.uptimeNanoseconds > Self.eagerPause
        else { return }
        connect()
    }

    // MARK: Calls

    /// Calls a method. The answer, or why there is none, comes to `completion`, after this has returned.
    package func call(_ call: DBusCall, _ completion: @escaping (Result<[DBusValue], DBusError>) -> Void = { _ in }) {
        dispatchPrecondition(condition: .onQueue(queue))
        do throws(DBusError) {
            guard let link = readyLink else { throw .notConnected }
            try link.send(call) { result in
                if let expected = call.returns, case .success(let values) = result, values.map(\.type) != expected {
                    completion(.failure(.unexpected(types: values.map(\.type).code)))
                } else {
                    completion(result)
                }
            }
        } catch {
            connectSooner()
            queue.later { completion(.failure(error)) }
        }
    }

    /// Calls a method of the bus itself.
    func callBus(
        _ method: String, _ arguments: [DBusValue],
        _ completion: @escaping (Result<[DBusValue], DBusError>) -> Void = { _ in }
    ) {
        guard readyLink != nil else { return }
        call(DBusCall(method, of: Bus.interface, at: Bus.path, to: Bus.name, arguments), completion)
    }

    /// A number for what has to be found again.
    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }
}

/// The bus, as a program on it.
enum Bus {
    static let name = "org.freedesktop.DBus"
    static let interface = "org.freedesktop.DBus"
    static let path: DBusObjectPath = "/org/freedesktop/DBus"
}

/// Keeps a subscription, a watch, an object or a name. It ends with the last reference to this.
package final class DBusRegistration: Sendable {
    private let remove: @Sendable () -> Void

    init(_ remove: @escaping @Sendable () -> Void) { self.remove = remove }

    deinit { remove() }
}

extension DBusConnection: Link.Client {
    func linkIsReady(_ link: Link, as name: String) {
        guard link === self.link else { return }
        for rule in rules.keys { callBus("AddMatch", [.string(rule)]) }
        for name in claims.keys { request(name) }
        for name in names.keys { askForOwner(name) }
        state = .connected(as: name)
    }

    func linkHasEnded(_ link: Link, _ error: DBusError) {
        if link === self.link { ended(error) }
    }
}
