internal import Dispatch
internal import Glibc
internal import LinuxSystem
package import PipeWire
internal import Synchronization
package import TestBus

/// PipeWire of a test's own, without hardware: a real daemon with null sinks, in a folder that goes with it.
package final class TestAudio: Sendable {
    private static let (daemon, manager, pulse) = (
        "/usr/bin/pipewire", "/usr/bin/wireplumber", "/usr/bin/pipewire-pulse"
    )
    package static let isThere = [daemon, manager, pulse, "/usr/bin/pw-cat", TestBus.program].allSatisfy(
        FileSystem.exists)
    package static let missing =
        "NOT TESTED: needs PipeWire (Debian: pipewire pipewire-bin pipewire-pulse wireplumber dbus)"
    private static let count = Atomic<Int>(0)

    package let folder: String
    private let hasPulse: Bool
    private let sinks: [String]
    private let bus: TestBus
    private let programs = Mutex<[TestProgram]>([])

    private let isOpen: Bool
    private let rates: [Int]

    /// A sink whose name ends in `-mono` has one channel. `isOpen`: other users may play, too. `rates`: those that the
    /// graph may have, where it is more than its own.
    package init(
        pulse: Bool = false, sinks: [String] = ["testsink"], isRunning: Bool = true,
        place: String = "/tmp", isOpen: Bool = false, rates: [Int] = [48_000]
    ) throws {
        (self.isOpen, self.rates) = (isOpen, rates)
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        folder = "\(place)/greenroom-audio-\(CurrentProcess.pid)-\(number)"
        (hasPulse, self.sinks) = (pulse, sinks)
        bus = try TestBus(place: place, isOpen: isOpen)
        for name in ["", "/run", "/state", "/config"] { try FileSystem.makeDirectory(folder + name) }
        try FileSystem.replace("\(folder)/config/pipewire.conf", with: Array(configuration.utf8))
        if isRunning { try start() }
    }

    deinit {
        stop()
        try? FileSystem.removeTree(folder)
    }

    /// As Debian's, without what concerns hardware, and with sinks that play into nothing. Another node drives them, so
    /// that they wait for every stream, as a card does. One that drives itself goes on without a stream that is frozen.
    private var configuration: String {
        let objects = sinks.enumerated().map { index, name in
            "{ factory = adapter args = \(Self.sink(name, priority: 2000 - index)) }"
        }
        return """
            context.properties = {
                core.daemon = true core.name = pipewire-0 default.clock.min-quantum = 16
                default.clock.allowed-rates = [ \(rates.map { String($0) }.joined(separator: " ")) ]
            }
            context.spa-libs = {
                audio.convert.* = audioconvert/libspa-audioconvert
                support.* = support/libspa-support
            }
            context.modules = [
                { name = libpipewire-module-protocol-native }
                { name = libpipewire-module-profiler }
                { name = libpipewire-module-metadata }
                { name = libpipewire-module-spa-device-factory }
                { name = libpipewire-module-spa-node-factory }
                { name = libpipewire-module-client-node }
                { name = libpipewire-module-client-device }
                { name = libpipewire-module-access args = { } }
                { name = libpipewire-module-adapter }
                { name = libpipewire-module-link-factory }
                { name = libpipewire-module-session-manager }
            ]
            context.objects = [
                { factory = spa-node-factory args = {
                    factory.name = support.node.driver node.name = Dummy-Driver
                    node.group = pipewire.dummy priority.driver = 20000 } }
            \(objects.joined(separator: "\n"))
            ]
            """
    }

    private static func sink(_ name: String, priority: Int) -> String {
        """
        { factory.name = support.null-audio-sink node.name = \(name) node.description = "Sink \(name)"
          media.class = Audio/Sink object.linger = true
          audio.position = [ \(name.hasSuffix("-mono") ? "MONO" : "FL FR") ]
          node.group = pipewire.dummy priority.session = \(priority) }
        """
    }

    /// One more sink, in the daemon that runs.
    package func addSink(_ name: String) throws {
        let words = Self.sink(name, priority: 1000).split(separator: "\n").joined(separator: " ")
        _ = try TestProgram.run("/usr/bin/pw-cli", ["create-node", "adapter", words], environment: environment)
    }

    /// The links that there are.
    package func graph() -> String {
        (try? TestProgram.run("/usr/bin/pw-link", ["-l"], environment: environment).output) ?? "no answer"
    }

    package var server: AudioServer { AudioServer(socket: "\(folder)/run/pipewire-0") }

    /// For programs that play or record.
    package var environment: [String: String] {
        var all = bus.environment
        all["XDG_RUNTIME_DIR"] = "\(folder)/run"
        all["XDG_STATE_HOME"] = "\(folder)/state"
        all["XDG_CONFIG_HOME"] = "\(folder)/config"
        all["PIPEWIRE_CONFIG_DIR"] = "/usr/share/pipewire"
        all["WIREPLUMBER_CONFIG_DIR"] = "/usr/share/wireplumber"
        all["PULSE_SERVER"] = "unix:\(folder)/run/pulse/native"
        return all
    }

    /// Starts the daemon, and the session manager when it answers.
    package func start() throws {
        var ofDaemon = environment
        ofDaemon["PIPEWIRE_CONFIG_DIR"] = "\(folder)/config"
        try launch(Self.daemon, ofDaemon)
        let peer = AudioPeer(AudioGraph.Configuration(server: server))
        try peer.awaitConnection()
        if isOpen {
            for place in [folder, "\(folder)/run", server.socket] { unsafe chmod(place, 0o777) }
        }
        try startManager()
        // It names the default devices when it is ready. Streams that come before may be linked to any.
        let names = try TestProgram(
            "/usr/bin/stdbuf", ["-oL", "/usr/bin/pw-metadata", "-m"], environment: environment)
        while try !names.line().contains("'default.audio.sink'") {}
        if hasPulse {
            try launch(Self.pulse, environment)
            try awaitFile("\(folder)/run/pulse/native")
        }
    }

    package func startManager() throws { try launch(Self.manager, environment) }

    private func launch(_ path: String, _ environment: [String: String]) throws {
        let program = try TestProgram(path, environment: environment)
        programs.withLock { $0.append(program) }
    }

    private func awaitFile(_ path: String) throws {
        let end = Clock.monotonic() + 20_000_000_000
        let daemon = programs.withLock { $0.last }
        while !FileSystem.exists(path) {
            guard Clock.monotonic() < end, daemon?.process.waitUntilDead(milliseconds: 10) != true else {
                throw Mailbox<Int>.Empty()
            }
        }
    }

    /// Ends everything, as a crash does: the sockets stay.
    package func stop() {
        let all = programs.withLock { programs in
            defer { programs = [] }
            return programs
        }
        for program in all.reversed() { program.kill() }
    }

    /// Ends the session manager, as a crash does.
    package func stopManager() {
        let manager = programs.withLock { $0.count > 1 ? $0.remove(at: 1) : nil }
        manager?.kill()
    }

    // MARK: Programs that play

    /// A file with a sine of this amplitude, or with nothing where that is 0.
    package func sound(_ amplitude: Float = 0.5, frequency: Float = 440, seconds: Int = 60) throws -> String {
        let path = "\(folder)/sound-\(amplitude)-\(frequency)-\(seconds).wav"
        if !FileSystem.exists(path) {
            try FileSystem.replace(path, with: Wave.file(amplitude, frequency, seconds: seconds))
        }
        return path
    }

    /// PipeWire's own player.
    package func play(_ file: String, _ arguments: [String] = []) throws -> TestProgram {
        try TestProgram("/usr/bin/pw-cat", ["--playback"] + arguments + [file], environment: environment)
    }

    package static let mpv = "/usr/bin/mpv"

    /// A player that speaks PulseAudio's protocol.
    package func playPulse(_ file: String) throws -> TestProgram {
        try TestProgram(
            Self.mpv, ["--no-config", "--no-video", "--ao=pulse", "--loop", file], environment: environment)
    }
}

enum Wave {
    /// Mono, 16 bits, 48 kHz.
    static func file(_ amplitude: Float, _ frequency: Float, seconds: Int) -> [UInt8] {
        let frames = 48_000 * seconds
        var bytes: [UInt8] = Array("RIFF".utf8) + little(UInt32(36 + frames * 2)) + Array("WAVEfmt ".utf8)
        bytes += little(UInt32(16)) + little(UInt16(1)) + little(UInt16(1)) + little(UInt32(48_000))
        bytes += little(UInt32(96_000)) + little(UInt16(2)) + little(UInt16(16))
        bytes += Array("data".utf8) + little(UInt32(frames * 2))
        let sine = Sine(amplitude: amplitude, frequency: frequency)
        for frame in 0..<frames { bytes += little(UInt16(bitPattern: Int16(sine[frame] * 32_767))) }
        return bytes
    }

    private static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe Array($0) }
    }
}
