package import DBus
internal import LinuxSystem

/// The notification daemon that comes with python3-dbusmock.
package final class MockDaemon {
    package static let program = "/usr/bin/python3"
    package static let arguments = ["-m", "dbusmock", "--session", "--template", "notification_daemon"]
    package static let isThere: Bool =
        (try? TestProgram.run(program, ["-c", "import dbusmock.templates.notification_daemon"]).isDone) == true
    private static let interface = "org.freedesktop.DBus.Mock"

    private let program: TestProgram
    private let peer: BusPeer
    private let called: Mailbox<(method: String, arguments: [DBusValue])>
    private var registrations: [DBusRegistration] = []

    package init(_ bus: TestBus, capabilities: String) throws {
        peer = try BusPeer(bus)
        called = Mailbox()
        let owners = Mailbox<String?>()
        let called = called
        registrations = peer.on { connection in
            let match = DBusMatch(interface: Self.interface, member: "MethodCalled")
            return [
                connection.subscribe(match) { signal in
                    guard signal.arguments.count == 2, case .array(_, let arguments) = signal.arguments[1] else {
                        return
                    }
                    called.post((signal.arguments[0].string ?? "", arguments))
                },
                connection.watch(FakeDaemon.name) { owners.post($0) },
            ]
        }
        program = try TestProgram(
            Self.program, Self.arguments + ["--parameters", "{\"capabilities\": \"\(capabilities)\"}"],
            environment: bus.environment)
        while try owners.next() == nil {}
    }

    /// The next calls of these methods, so many.
    package func calls(_ count: Int, of methods: Set<String>) throws -> [(method: String, arguments: [DBusValue])] {
        var found: [(method: String, arguments: [DBusValue])] = []
        while found.count < count {
            let next = try called.next()
            if methods.contains(next.method) { found.append(next) }
        }
        return found
    }

    package func emit(_ signal: String, _ signature: String, _ arguments: [DBusValue]) throws {
        let values = DBusValue.array(.variant, arguments.map { .variant($0) })
        _ = try peer.call(
            DBusCall(
                "EmitSignal", of: Self.interface, at: FakeDaemon.path, to: FakeDaemon.name,
                [.string(FakeDaemon.name), .string(signal), .string(signature), values])
        ).get()
    }
}

/// Dunst, on a screen of its own.
package final class Dunst {
    private static let (program, server) = ("/usr/bin/dunst", "/usr/bin/Xvfb")
    package static let isThere = FileSystem.exists(program) && FileSystem.exists(server)

    private let screen: TestProgram
    private let program: TestProgram
    private let peer: BusPeer
    private var registrations: [DBusRegistration] = []

    package init(_ bus: TestBus) throws {
        screen = try TestProgram(
            Self.server, ["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-ac"])
        let display = ":" + (try screen.line())
        peer = try BusPeer(bus)
        let owners = Mailbox<String?>()
        registrations = peer.on { [$0.watch(FakeDaemon.name) { owners.post($0) }] }
        program = try TestProgram(
            Self.program, ["-conf", "/dev/null"],
            environment: bus.environment.merging(["DISPLAY": display]) { one, _ in one })
        while try owners.next() == nil {}
    }

    /// Waits until so many are on the screen. It is asked again and again: Dunst 1.9 does not say that it has changed.
    package func awaitDisplayed(_ count: UInt32) throws {
        let call = DBusCall(
            "Get", of: "org.freedesktop.DBus.Properties", at: FakeDaemon.path, to: FakeDaemon.name,
            [.string("org.dunstproject.cmd0"), .string("displayedLength")])
        let end = Clock.monotonic() + 20_000_000_000
        while try peer.call(call).get().first?.plain != .uint32(count) {
            guard Clock.monotonic() < end, !program.process.waitUntilDead(milliseconds: 20) else {
                throw Mailbox<UInt32>.Empty()
            }
        }
    }

    /// What its command-line tool calls.
    package func call(_ method: String, _ arguments: [DBusValue] = []) throws {
        _ = try peer.call(
            DBusCall(method, of: "org.dunstproject.cmd0", at: FakeDaemon.path, to: FakeDaemon.name, arguments)
        ).get()
    }
}
