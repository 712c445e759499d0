import AudioControls
import AudioModel
import LinuxSystem
import TestBus
import Testing

/// mpv with its plug-in for MPRIS, which plays a tone that nobody hears.
private final class Mpv {
    private static let (program, sox) = ("/usr/bin/mpv", "/usr/bin/sox")
    private static let plugIn = "/usr/lib/mpv-mpris/mpris.so"
    static let isThere = [program, sox, plugIn].allSatisfy(FileSystem.exists)
    static let missing = "NOT TESTED: needs mpv, its plug-in and sox (Debian: mpv, mpv-mpris, sox)"

    private let bus: TestBus
    let program: TestProgram

    init(_ bus: TestBus) throws {
        self.bus = bus
        let file = "\(bus.folder)/tone 1.wav"
        _ = try TestProgram.run(Self.sox, ["-n", "-r", "8000", "-c", "1", file, "synth", "40", "sine", "440"])
        program = try TestProgram(
            Self.program,
            ["--no-config", "--no-video", "--ao=null", "--no-terminal", "--script=\(Self.plugIn)", "--pause", file],
            environment: bus.environment)
    }
}

@Suite(
    "mpv as a player of a plain program",
    .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)),
    .enabled(if: Mpv.isThere, Comment(rawValue: Mpv.missing)))
struct MpvTests {
    /// mpv says what it plays in several parts.
    private func meet(_ listener: Listener) throws -> OtherPlayer {
        let player = try listener.awaitAppearance()
        guard player.nowPlaying.duration == nil || player.nowPlaying.state != .paused else { return player }
        return try listener.awaitChange { $0.nowPlaying.duration != nil && $0.nowPlaying.state == .paused }
    }

    private static let (stop, goOn): (CInt, CInt) = (19, 18)

    /// Its threads stop one after another: it is frozen when it does not answer any more.
    private func freeze(_ mpv: Mpv, _ player: OtherPlayer, _ listener: Listener) throws {
        try mpv.program.process.send(Self.stop)
        while try listener.send(.pause, to: player.id, timeout: .milliseconds(100)) == nil {}
    }

    @Test func `It plays, pauses, is moved and goes`() throws {
        let bus = try TestBus()
        let listener = Listener(bus)
        let mpv = try Mpv(bus)
        let player = try meet(listener)
        #expect(player.process == mpv.program.process.pid && player.identity == "mpv" && player.desktopEntry == "mpv")
        #expect(player.nowPlaying.title == "tone 1.wav" && player.nowPlaying.duration == 40)
        #expect(try listener.send(.play, to: player.id) == nil)
        try listener.awaitChange { $0.nowPlaying.state == .playing }
        #expect(try listener.send(.toggle, to: player.id) == nil)
        try listener.awaitChange { $0.nowPlaying.state == .paused }
        #expect(try listener.send(.seek(20), to: player.id) == nil)
        try listener.awaitChange { abs(($0.nowPlaying.elapsed ?? 0) - 20) < 1 }
        #expect(try listener.send(.skipForward(10), to: player.id) == nil)
        try listener.awaitChange { abs(($0.nowPlaying.elapsed ?? 0) - 30) < 1 }
        #expect(try listener.send(.like, to: player.id) == .inexpressible(.like))
        mpv.program.kill()
        while try listener.told.next() != .gone(player.id) {}
        #expect(listener.players.isEmpty)
    }

    @Test func `Its frozen process blocks nothing, and plays nothing when it goes on`() throws {
        let bus = try TestBus()
        let listener = Listener(bus)
        let mpv = try Mpv(bus)
        let player = try meet(listener)
        try freeze(mpv, player, listener)
        #expect(try listener.send(.play, to: player.id, timeout: .milliseconds(100)) == .silent(player: "mpv"))
        let frozen = try listener.awaitChange { !$0.answers }
        #expect(frozen.nowPlaying.title == "tone 1.wav" && frozen.nowPlaying.state == .paused)
        try mpv.program.process.send(Self.goOn)
        #expect(try listener.send(.seek(20), to: player.id) == nil)
        let moved = try listener.awaitChange { abs(($0.nowPlaying.elapsed ?? 0) - 20) < 1 }
        #expect(moved.nowPlaying.state == .paused && moved.answers)
        // What would wait for an answer of a process that ends while it is frozen ends with it.
        try freeze(mpv, player, listener)
        let answer = listener.begin(.play, to: player.id)
        mpv.program.kill()
        #expect(try answer.next() == .ended(player: "mpv"))
    }

    @Test func `One that was frozen before it said anything is known when it goes on`() throws {
        let bus = try TestBus()
        let first = Listener(bus)
        let mpv = try Mpv(bus)
        try freeze(mpv, meet(first), first)
        let listener = Listener(bus, patience: .milliseconds(50))
        let player = try listener.awaitAppearance()
        #expect(!player.answers && player.nowPlaying.isEmpty && player.identity == "mpv")
        try mpv.program.process.send(Self.goOn)
        let known = try listener.awaitChange { $0.nowPlaying.title == "tone 1.wav" }
        #expect(known.answers && known.nowPlaying.state == .paused)
    }
}
