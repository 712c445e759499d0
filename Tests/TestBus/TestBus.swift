package import DBus
package import Dispatch
internal import LinuxSystem
internal import Synchronization

/// A message bus of a test's own: a real `dbus-daemon`, in a folder that goes with it.
package final class TestBus: Sendable {
    package static let program = "/usr/bin/dbus-daemon"
    package static let isThere = FileSystem.exists(program)
    package static let missing = "NOT TESTED: needs dbus-daemon (Debian: dbus-daemon)"

    private static let count = Atomic<Int>(0)

    package let folder: String
    private let isOpen: Bool
    private let daemon = Mutex<TestProgram?>(nil)

    /// Programs that the bus starts for a name, each with its command. `isOpen`: other users are let in, too.
    package init(
        starting programs: [String: String] = [:], isRunning: Bool = true, place: String = "/tmp", isOpen: Bool = false
    ) throws {
        self.isOpen = isOpen
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        folder = "\(place)/greenroom-bus-\(CurrentProcess.pid)-\(number)"
        try FileSystem.makeDirectory(folder, mode: isOpen ? 0o755 : 0o700)
        try FileSystem.makeDirectory("\(folder)/services")
        for (name, command) in programs {
            let text = "[D-BUS Service]\nName=\(name)\nExec=\(command)\n"
            try FileSystem.replace("\(folder)/services/\(name).service", with: Array(text.utf8))
        }
        try FileSystem.replace("\(folder)/bus.conf", with: Array(configuration.utf8))
        if isRunning { try start() }
    }

    deinit {
        stop()
        try? FileSystem.removeTree(folder)
    }

    /// Those of a session's bus in Debian: it bounds almost nothing, so each program has to bound what it takes.
    private static let limits: KeyValuePairs<String, Int> = [
        "max_incoming_bytes": 1_000_000_000, "max_outgoing_bytes": 1_000_000_000, "max_message_size": 1_000_000_000,
        "max_replies_per_connection": 50_000, "max_match_rules_per_connection": 50_000,
    ]

    private var configuration: String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(folder)/bus</listen>
          <servicedir>\(folder)/services</servicedir>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
            \(isOpen ? "<allow user=\"*\"/>" : "")
          </policy>
          \(Self.limits.map { "<limit name=\"\($0)\">\($1)</limit>" }.joined(separator: "\n  "))
        </busconfig>
        """
    }

    package var address: DBusAddress { .at(DBusAddress.path("\(folder)/bus")) }
    /// For programs that are told by it where the bus is.
    package var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": address.text] }

    /// Starts it, at the same address each time.
    package func start() throws {
        let program = try TestProgram(
            Self.program, ["--config-file=\(folder)/bus.conf", "--nofork", "--nopidfile", "--print-address=1"],
            environment: environment)
        // It listens when it has said where.
        _ = try program.line()
        daemon.withLock { $0 = program }
    }

    /// Ends it, as a crash does: the socket stays.
    package func stop() { daemon.withLock { $0 = nil } }
}

/// A connection with a queue of its own, used from a test's thread.
package final class BusPeer: Sendable {
    package let queue: DispatchQueue
    package let connection: DBusConnection
    package let states: Mailbox<DBusConnection.State>

    package init(_ address: DBusAddress, takesDescriptors: Bool = false) {
        queue = DispatchQueue(label: "bus peer")
        connection = DBusConnection(address, queue: queue, takesDescriptors: takesDescriptors)
        states = Mailbox()
        on { connection in
            connection.onState = { [states] in states.post($0) }
            connection.begin()
        }
    }

    /// One that is connected.
    package convenience init(_ bus: TestBus, takesDescriptors: Bool = false) throws {
        self.init(bus.address, takesDescriptors: takesDescriptors)
        try awaitConnection()
    }

    deinit {
        let connection = connection
        queue.async { connection.close() }
    }

    package func on<Value>(_ body: (DBusConnection) throws -> Value) rethrows -> Value {
        try queue.sync { try body(connection) }
    }

    /// Its unique name.
    @discardableResult
    package func awaitConnection() throws -> String {
        while true {
            if case .connected(let name) = try states.next() { return name }
        }
    }

    /// Calls a method and waits for its answer.
    package func call(_ call: DBusCall) throws -> Result<[DBusValue], DBusError> {
        let answers = Mailbox<Result<[DBusValue], DBusError>>()
        on { $0.call(call) { answers.post($0) } }
        return try answers.next()
    }
}
