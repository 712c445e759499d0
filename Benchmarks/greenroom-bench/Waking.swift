internal import Glibc
internal import LinuxSystem
internal import Wire

/// Servers that sleep until somebody connects (X5), beside the same server started by systemd's socket activation and
/// beside the same server left running.
struct Waking {
    let system: RunningSystem
    let tool: Tool
    let place: String
    let count: Int

    private static let firstPort: UInt16 = 21_000

    struct Times {
        /// Of a suspended server: the first request of each, in random order.
        var woken = Samples()
        var running = Samples()
        var activated = Samples()
        /// Of a suspended server without the mode.
        var refused = Samples()
        /// From `open` of that to its first answer.
        var reopened = Samples()
        /// Between the requests, nobody wants anything: of the daemon and of all servers.
        var idle = (seconds: 0, daemonWakeups: Int64(0), processorTime: Int64(0), serverTime: Int64(0))
    }

    private func port(_ number: Int) -> UInt16 { Self.firstPort + UInt16(number) }

    private func name(_ number: Int) -> String { "server\(number)" }

    private func install(_ number: Int, modes: String) throws {
        let path = "\(place)/\(name(number)).desktop"
        let text = """
            [Desktop Entry]
            Type=Application
            Name=\(name(number))
            Exec=\(place)/app-home serve \(port(number))
            X-Greenroom-BackgroundModes=\(modes)

            """
        try Descriptor.open(path, .write, create: 0o644).writeAll(Array(text.utf8))
        try tool.ask(.install, ["path": .string(path)])
        try tool.ask(.open, ["app": .string(name(number))])
        // It listens a moment after it was started.
        for _ in 0..<5_000 {
            if try TinyServer.ask(port(number)) != nil { return }
            pause(milliseconds: 1)
        }
        throw BenchError("\(name(number)) does not listen")
    }

    private func areSuspended() throws -> Bool {
        guard case .array(let apps) = try tool.ask(.apps) else { throw BenchError("apps are no array") }
        return try apps.allSatisfy { try $0.string("state") == "suspended" }
    }

    private func awaitRest() throws {
        for _ in 0..<600 {
            if try areSuspended() { return }
            pause(milliseconds: 50)
        }
        throw BenchError("some of the servers are not suspended")
    }

    /// - Parameter footprint: measures what daemon and apps do while nobody wants anything.
    func measure(_ footprint: Footprint, seconds: Int) throws -> Times {
        var times = Times()
        try measureRefusal(&times)
        for number in 1...count { try install(number, modes: "listen;") }
        try tool.ask(.home)
        try awaitRest()
        var random = SystemRandomNumberGenerator()
        for number in (1...count).shuffled(using: &random) {
            guard let time = try TinyServer.ask(port(number)) else { throw BenchError("a sleeping server is gone") }
            times.woken.append(time)
        }
        try awaitRest()
        // Workers that have nothing to do end after some seconds.
        pause(milliseconds: 12_000)
        let activity = try footprint.activity(seconds: seconds)
        times.idle = (seconds, activity.daemonWakeups, activity.processorTime, activity.appTime)
        try measureRunning(&times)
        try measureActivated(&times)
        return times
    }

    private func measureRefusal(_ times: inout Times) throws {
        try install(0, modes: "")
        for _ in 0..<20 {
            try tool.ask(.home)
            try awaitRest()
            for _ in 0..<20 { times.refused.append(try TinyServer.refusal(port(0))) }
            let start = Clock.monotonic()
            try tool.ask(.open, ["app": .string(name(0))])
            guard try TinyServer.ask(port(0)) != nil else { throw BenchError("the port is lost") }
            times.reopened.append(Clock.monotonic() - start)
        }
    }

    private func measureRunning(_ times: inout Times) throws {
        let port = port(count + 1)
        let server = try Processes.start(["\(place)/app-home", "serve", "\(port)"])
        defer { end(server) }
        try awaitListener(port)
        for _ in 0..<count {
            guard let time = try TinyServer.ask(port) else { throw BenchError("the running server is gone") }
            times.running.append(time)
        }
    }

    /// It launches the server at the first connection; each sample is another one.
    private func measureActivated(_ times: inout Times) throws {
        let program = "/usr/bin/systemd-socket-activate"
        guard FileSystem.exists(program) else { return }
        for number in 0..<min(count, 50) {
            let port = port(count + 2 + number)
            let activator = try Processes.start(
                [program, "--listen=127.0.0.1:\(port)", "\(place)/app-home", "serve"], quiet: true)
            defer { end(activator) }
            try awaitKernelListener(port)
            guard let time = try TinyServer.ask(port) else { throw BenchError("\(program) does not listen") }
            times.activated.append(time)
        }
    }

    private func awaitListener(_ port: UInt16) throws {
        for _ in 0..<5_000 {
            if try TinyServer.ask(port) != nil { return }
            pause(milliseconds: 1)
        }
        throw BenchError("nobody listens at port \(port)")
    }

    /// Without connecting, which would start what is waited for.
    private func awaitKernelListener(_ port: UInt16) throws {
        let hex = String(port, radix: 16, uppercase: true)
        let entry = ":" + String(repeating: "0", count: 4 - hex.count) + hex + " 00000000:0000 0A"
        for _ in 0..<5_000 {
            let table = String(decoding: FileSystem.read("/proc/net/tcp", limit: 1 << 24) ?? [], as: UTF8.self)
            if table.split(separator: "\n").contains(where: { $0.contains(entry) }) { return }
            pause(milliseconds: 1)
        }
        throw BenchError("nobody listens at port \(port)")
    }

    private func end(_ process: PidFD) {
        try? process.send(SIGKILL)
        _ = process.waitUntilDead(milliseconds: 5_000) && process.reap() != nil
    }
}
