import Glibc
import LinuxSystem
import PipeWire
import TestAudio
import TestBus
import Testing

@Suite("Streams that are taken down", .enabled(if: TestAudio.isThere, Comment(rawValue: TestAudio.missing)))
struct PermissionTests {
    private static let (stop, goOn): (CInt, CInt) = (19, 18)

    /// A client that can be frozen, beside a tone of 1 kHz that must not stop.
    private struct Scene {
        let audio: TestAudio
        let peer: AudioPeer
        let tone: TonePlayer
        let player: TestProgram
        let stream: GraphStream
        let recorder: SinkRecorder

        init(sinks: [String] = ["testsink"]) throws {
            audio = try TestAudio(sinks: sinks)
            peer = try AudioPeer(audio)
            tone = try TonePlayer(audio, Sine(amplitude: 0.3, frequency: 1000))
            player = try audio.play(try audio.sound(0.4))
            stream = try peer.playing(player)
            recorder = try SinkRecorder(audio)
            try recorder.awaitSound(100) { isPlaying($0) && hasTone($0) }
        }

        func isPlaying(_ samples: [Float]) -> Bool { Level.amplitude(of: 440, in: samples) > 0.35 }
        func hasTone(_ samples: [Float]) -> Bool { Level.amplitude(of: 1000, in: samples) > 0.25 }
    }

    @Test("A client that is frozen after its stream was taken down stalls no other")
    func frozen() throws {
        let scene = try Scene()
        #expect(try scene.peer.permit(scene.stream.id, false))
        try scene.player.process.send(Self.stop)
        let samples = try scene.recorder.record(milliseconds: 2000)
        #expect(Level.longestGap(samples) < 1)
        try scene.recorder.awaitSound(100) { !scene.isPlaying($0) && scene.hasTone($0) }
        try scene.player.process.send(Self.goOn)
        #expect(!scene.isPlaying(try scene.recorder.record(milliseconds: 300)), "it is not linked before it may be")
        try scene.peer.permit(scene.stream.id, true)
        try scene.recorder.awaitSound(100) { scene.isPlaying($0) && scene.hasTone($0) }
        _ = try scene.peer.stream { $0.id == scene.stream.id && $0.isLinked && $0.state == .running }
    }

    @Test("A client that is frozen while its stream is linked stops its sink for all, which is why")
    func frozenWhileLinked() throws {
        let scene = try Scene()
        try scene.player.process.send(Self.stop)
        // One more cycle may be under way.
        _ = try scene.recorder.drain()
        // Time passes: the client cannot end.
        #expect(!scene.player.process.waitUntilDead(milliseconds: 1000))
        let played = try scene.recorder.drain()
        #expect(played < 100, "\(played) ms of a second")
        #expect(try !scene.peer.permit(scene.stream.id, false), "a frozen client does not answer")
        try scene.recorder.awaitSound(100) { scene.hasTone($0) }
        try scene.player.process.send(Self.goOn)
        #expect(try scene.peer.permit(scene.stream.id, false))
    }

    /// With other channels the session manager would wait for the frozen client, and link no stream at all.
    @Test(
        "A new default sink does not bring a frozen stream back, and others move to it",
        arguments: ["other", "other-mono"])
    func newDefault(name: String) throws {
        let scene = try Scene(sinks: ["testsink", name])
        let other = try #require(scene.peer.device(named: name))
        #expect(try scene.peer.permit(scene.stream.id, false))
        try scene.player.process.send(Self.stop)
        scene.peer.on { _ = $0.setDefaultSink(other) }
        _ = try scene.peer.stream { $0.applicationName == "tone" && $0.devices == [other] }
        let recorder = try SinkRecorder(scene.audio, sink: name)
        try recorder.awaitSound(100) { scene.hasTone($0) }
        #expect(Level.longestGap(try recorder.record(milliseconds: 1500)) < 1)
        try scene.player.process.send(Self.goOn)
        #expect(!scene.isPlaying(try recorder.record(milliseconds: 300)))
        try scene.peer.permit(scene.stream.id, true)
        try recorder.awaitSound(100) { scene.isPlaying($0) && scene.hasTone($0) }
    }

    @Test("A stream that is put back at whatever moment of being taken down sounds again")
    func atOnce() throws {
        let scene = try Scene()
        for moment in 0..<30 {
            scene.peer.on { $0.permit(scene.stream.id, false) }
            // No wait for anything: the moment is what is tried, from nothing to longer than all of it takes.
            usleep(UInt32(moment * 50))
            try scene.peer.permit(scene.stream.id, true)
            try scene.recorder.awaitSound(100) { scene.isPlaying($0) && scene.hasTone($0) }
        }
    }

    @Test("Where nothing is permitted by default, a stream sounds when it is permitted")
    func strict() throws {
        let audio = try TestAudio()
        let peer = try AudioPeer(audio, permitsByDefault: false)
        let player = try audio.play(try audio.sound(0.4))
        let stream = try peer.stream { $0.pid == player.process.pid }
        let recorder = try SinkRecorder(audio, peer: peer)
        #expect(Level.peak(try recorder.record(milliseconds: 1000)) == 0)
        try peer.permit(stream.id, true)
        try recorder.awaitSound { Level.peak($0) > 0.3 }
    }

    @Test("A stream that lost its links with the session manager is heard again when another one is there")
    func managerIsReplaced() throws {
        let audio = try TestAudio()
        let peer = try AudioPeer(audio)
        let tone = try TonePlayer(audio)
        _ = try peer.stream { $0.applicationName == "tone" && $0.state == .running }
        #expect(peer.on { $0.hasSessionManager })
        audio.stopManager()
        _ = try peer.stream { $0.applicationName == "tone" && !$0.isLinked }
        #expect(!peer.on { $0.hasSessionManager })
        try audio.startManager()
        _ = try peer.stream { $0.applicationName == "tone" && $0.state == .running && $0.isLinked }
        let recorder = try SinkRecorder(audio)
        try recorder.awaitSound { Level.peak($0) > 0.4 }
        withExtendedLifetime(tone) {}
    }

    @Test("A stream that was put back sounds on when the session manager goes, and when another one comes")
    func ownLinksStay() throws {
        let audio = try TestAudio()
        let peer = try AudioPeer(audio)
        let tone = try TonePlayer(audio)
        let stream = try peer.stream { $0.applicationName == "tone" && $0.state == .running && $0.isLinked }
        try peer.permit(stream.id, false)
        try peer.permit(stream.id, true)
        _ = try peer.stream { $0.id == stream.id && $0.state == .running && $0.isLinked }
        let player = try audio.play(try audio.sound(0.1, frequency: 1000))
        let other = try peer.playing(player)
        var wasUnlinked = false
        func awaitOther(_ isWanted: (GraphStream) -> Bool) throws {
            _ = try peer.stream {
                if $0.id == stream.id, !$0.isLinked { wasUnlinked = true }
                return $0.id == other.id && isWanted($0)
            }
        }
        audio.stopManager()
        try awaitOther { !$0.isLinked }
        try audio.startManager()
        try awaitOther { $0.isLinked && $0.state == .running }
        #expect(!wasUnlinked)
        let recorder = try SinkRecorder(audio)
        try recorder.awaitSound { Level.amplitude(of: 440, in: $0) > 0.4 }
        withExtendedLifetime(tone) {}
    }
}
