import DBus
import LinuxSystem
import Synchronization
import TestBus

/// The real GeoClue, on a bus that starts it, with a configuration and a receiver of a test's own.
///
/// Its configuration is one fixed file, so it runs in a mount namespace that has another file in its place.
final class RealGeoClue: Sendable {
    private static let (program, agent) = ("/usr/libexec/geoclue", "/usr/libexec/geoclue-2.0/demos/agent")
    private static let (unshare, python) = ("/usr/bin/unshare", "/usr/bin/python3")
    static let isThere =
        TestBus.isThere && [program, agent, unshare, python].allSatisfy(FileSystem.exists)
        && (try? TestProgram.run(unshare, ["-m", "/bin/true"]).isDone) == true
    static let missing =
        "NOT TESTED: needs dbus-daemon, GeoClue and its demonstration agent (Debian: dbus-daemon geoclue-2.0 "
        + "geoclue-2-demo), and the right to make mount namespaces"
    static let name = "org.freedesktop.GeoClue2"
    private static let count = Atomic<Int>(0)

    let bus: TestBus
    private let folder: String
    private let receiver: TestProgram
    private let helper = Mutex<TestProgram?>(nil)

    /// - Parameter section: Lines of the section that is about Greenroom.
    init(_ section: String) throws {
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        folder = "/tmp/greenroom-geoclue-\(CurrentProcess.pid)-\(number)"
        try FileSystem.makeDirectory(folder, mode: 0o755)
        let off = ["3g", "cdma", "modem-gps", "wifi", "compass"].map { "[\($0)]\nenable=false\n" }.joined()
        let configuration = """
            [agent]
            whitelist=geoclue-demo-agent
            [network-nmea]
            enable=true
            nmea-socket=\(folder)/receiver
            \(off)
            [greenroom]
            \(section)

            """
        let start = """
            #!/bin/sh
            export DBUS_SYSTEM_BUS_ADDRESS="$DBUS_STARTER_ADDRESS"
            exec \(Self.unshare) -m /bin/sh -c \
            'mount --bind \(folder)/geoclue.conf /etc/geoclue/geoclue.conf && exec \(Self.program)'

            """
        let files = [("geoclue.conf", configuration), ("drive.nmea", Sentences.drive), ("start", start)]
        for (name, text) in files {
            try FileSystem.replace("\(folder)/\(name)", with: Array(text.utf8), mode: 0o755)
        }
        receiver = try TestProgram(Self.python, ["-c", Self.feed, folder])
        _ = try receiver.line()
        bus = try TestBus(starting: [Self.name: "\(folder)/start"])
    }

    deinit { try? FileSystem.removeTree(folder) }

    private static let feed = """
        import socket, sys, threading, time
        s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1] + "/receiver"); s.listen(8)
        lines = open(sys.argv[1] + "/drive.nmea", newline="").read().splitlines(True)
        print("", flush=True)
        def feed(c):
            try:
                while True:
                    for i in range(0, len(lines), 2):
                        c.sendall((lines[i] + lines[i + 1]).encode()); time.sleep(0.05)
            except OSError: pass
        while True: threading.Thread(target=feed, args=(s.accept()[0],), daemon=True).start()
        """

    /// Starts what allows programs to know where they are. It starts GeoClue, too.
    func startAgent() throws {
        let agent = try TestProgram(Self.agent, [], environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address.text])
        helper.withLock { $0 = agent }
    }

    /// The process of GeoClue; `nil`: it does not run.
    func process() throws -> PidFD? {
        let peer = try BusPeer(bus)
        let call = DBusCall(
            "GetConnectionUnixProcessID", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
            to: "org.freedesktop.DBus", [.string(Self.name)])
        guard case .success(let values) = try peer.call(call), let pid = values.first?.int else { return nil }
        return try PidFD(CInt(pid))
    }
}
