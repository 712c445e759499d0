import DBus
import LinuxSystem
import NotificationsService
import NotificationsWire
import ServiceTesting
import TestBus
import Testing
import Wire

/// Sounds of apps that desktops do not play, in the whole program.
@Suite("Sounds that are converted for desktops", .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)))
struct SoundTests {
    private static let rate = 8000

    /// Linear samples of 16 bits, as Apple's `afconvert` writes them in CAF: the greatest byte first.
    private static func caf(seconds: Double, channels: Int = 1) -> [UInt8] {
        let frames = Int(seconds * Double(rate))
        var bytes = Array("caff".utf8) + [0, 1, 0, 0] + Array("desc".utf8) + big(32, 8)
        bytes += big(Int(Double(rate).bitPattern), 8) + Array("lpcm".utf8)
        bytes += big(0, 4) + big(2 * channels, 4) + big(1, 4) + big(channels, 4) + big(16, 4)
        bytes += Array("data".utf8) + big(4 + frames * 2 * channels, 8) + big(0, 4)
        for _ in 0..<frames { for _ in 0..<channels { bytes += big(1000, 2) } }
        return bytes
    }

    private static func aiff(frames: Int) -> [UInt8] {
        // 8000 frames a second, as 80 bits have it.
        let description = big(1, 2) + big(frames, 4) + big(16, 2) + [0x40, 0x0b, 0xfa, 0, 0, 0, 0, 0, 0, 0]
        let sound = big(0, 8) + [UInt8](repeating: 7, count: frames * 2)
        let body =
            Array("AIFF".utf8) + Array("COMM".utf8) + big(18, 4) + description + Array("SSND".utf8)
            + big(sound.count, 4) + sound
        return Array("FORM".utf8) + big(body.count, 4) + body
    }

    private static func wave(bits: Int, tag: Int = 1) -> [UInt8] {
        let samples = [UInt8](repeating: 0, count: bits * 100)
        var bytes = Array("RIFF".utf8) + little(36 + samples.count, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
        bytes += little(tag, 2) + little(1, 2) + little(rate, 4) + little(rate * bits / 8, 4) + little(bits / 8, 2)
        return bytes + little(bits, 2) + Array("data".utf8) + little(samples.count, 4) + samples
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func big(_ value: Int, _ count: Int) -> [UInt8] { little(value, count).reversed() }

    /// What the desktop is asked to play for a sound of this name.
    private func heard(
        _ client: TestPeer, _ daemon: FakeDaemon, _ identifier: String, _ name: String
    ) throws -> (file: String?, name: String?) {
        let content = NotificationContentInfo(title: identifier, sound: name)
        let request = NotificationRequestInfo(identifier: identifier, content: content)
        try client.ask("add", NotificationRequestParameters(request: request).json)
        let hints = try daemon.notified.next().hints
        return (hints["sound-file"].flatMap(\.string), hints["sound-name"].flatMap(\.string))
    }

    @Test("CAF, AIFF and WAV in encodings that desktops do not play become WAV that they play")
    func converted() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus)
        let service = try TestService(on: bus)
        let files: [(name: String, bytes: [UInt8], channels: UInt8)] = [
            ("mono.caf", Self.caf(seconds: 0.5), 1), ("six.caf", Self.caf(seconds: 0.1, channels: 6), 2),
            ("a.aiff", Self.aiff(frames: 800), 1), ("deep.wav", Self.wave(bits: 24), 1),
            // μ-law.
            ("law.wav", Self.wave(bits: 8, tag: 7), 1),
        ]
        for file in files { try FileSystem.replace("\(service.base)/\(file.name)", with: file.bytes) }
        let client = try service.allowedClient()
        try service.state("suspended")
        for file in files {
            let path = try #require(try heard(client, daemon, file.name, file.name).file, "\(service.log)")
            let made = try #require(FileSystem.read(path))
            #expect(made.starts(with: "RIFF".utf8) && SoundFormat.isPlayed(made), "\(file.name)")
            #expect(made[22] == file.channels, "\(file.name)")
            #expect(made.count > 44, "\(file.name)")
        }
        // Half a second of it, as loud as it was.
        let again = try #require(try heard(client, daemon, "again", "mono.caf").file)
        let made = try #require(FileSystem.read(again))
        #expect(made.count == 44 + Self.rate)
        #expect(abs(Int(made[44]) | Int(made[45]) << 8 - 1000) <= 1024)
        // It was not made a second time.
        #expect(FileSystem.names(in: "\(service.folder)/sounds").count == files.count)
    }

    @Test("What desktops play stays as it is; what is too long, broken or no file is the standard sound")
    func others() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus)
        let service = try TestService(on: bus)
        let caf = Self.caf(seconds: 0.5)
        for (name, bytes) in [
            ("fine.wav", Self.wave(bits: 16)), ("long.caf", Self.caf(seconds: 30.5)),
            ("most.caf", Self.caf(seconds: 30)),
            ("text.caf", Array("no sound".utf8)), ("head.caf", Array(caf.prefix(20))), ("empty.caf", []),
        ] { try FileSystem.replace("\(service.base)/\(name)", with: bytes) }
        let client = try service.allowedClient()
        try service.state("suspended")
        #expect(try heard(client, daemon, "1", "fine.wav").file == "\(service.base)/fine.wav")
        #expect(try heard(client, daemon, "2", "most.caf").file != nil)
        for (index, name) in ["long.caf", "text.caf", "head.caf", "empty.caf", "none.caf"].enumerated() {
            let heard = try heard(client, daemon, "of \(index)", name)
            #expect(heard.file == nil, "\(name)")
        }
        #expect(service.log.contains("long.caf is longer than 30 seconds"))
    }

    @Test(
        "A process that dies while a sound is converted shows the notification when it is there again, with its sound")
    func killed() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus)
        let service = try TestService(on: bus)
        try FileSystem.replace("\(service.base)/a.caf", with: Self.caf(seconds: 20, channels: 6))
        let client = try service.allowedClient()
        try service.state("suspended")
        let content = NotificationContentInfo(title: "a", sound: "a.caf")
        let request = NotificationRequestInfo(identifier: "a", content: content)
        try client.ask("add", NotificationRequestParameters(request: request).json)
        try service.killAndRestart()
        let hints = try daemon.notified.next().hints
        let path = try #require(hints["sound-file"].flatMap(\.string), "\(service.log)")
        #expect(SoundFormat.isPlayed(try #require(FileSystem.read(path))))
        #expect(!FileSystem.names(in: "\(service.folder)/sounds").contains { $0.hasSuffix(".part") })
    }

    @Test("An app that is removed while its sound is converted leaves no file, and others' sounds are converted next")
    func removed() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus)
        let service = try TestService(on: bus)
        for name in ["a.caf", "b.caf"] {
            try FileSystem.replace("\(service.base)/\(name)", with: Self.caf(seconds: 20, channels: 6))
        }
        let removed = try service.allowedClient()
        let other = try service.allowedClient("org.example.other")
        let content = NotificationContentInfo(title: "a", sound: "a.caf")
        let request = NotificationRequestInfo(identifier: "a", content: content)
        try removed.ask("add", NotificationRequestParameters(request: request).json)
        try service.daemon.peer.send(.notification(method: "forget", params: ["app": .string(TestService.app)]))
        #expect(try heard(other, daemon, "b", "b.caf").file != nil)
        let files = FileSystem.names(in: "\(service.folder)/sounds")
        #expect(files.count == 1 && files.allSatisfy { $0.hasPrefix("org.example.other+") }, "\(files)")
    }

    @Test("Files that desktops play are told by how they begin")
    func formats() {
        let page = [UInt8](repeating: 0, count: 24)
        #expect(SoundFormat.isPlayed(Array("OggS".utf8) + page + [1] + Array("vorbis".utf8)))
        #expect(!SoundFormat.isPlayed(Array("OggS".utf8) + page + Array("OpusHead".utf8)))
        #expect(SoundFormat.isPlayed(Self.wave(bits: 8)) && SoundFormat.isPlayed(Self.wave(bits: 16)))
        // IMA ADPCM, floating point, and what is cut off.
        #expect(
            !SoundFormat.isPlayed(Self.wave(bits: 4, tag: 0x11)) && !SoundFormat.isPlayed(Self.wave(bits: 32, tag: 3)))
        #expect(!SoundFormat.isPlayed(Array(Self.wave(bits: 16).prefix(30))) && !SoundFormat.isPlayed([]))
    }
}
