import AVFAudio
import AudioDevices
import AudioModel
import AudioTesting
import Dispatch
import Foundation
import PipeWire
import TestAudio
import TestBus
import Testing

/// Hears of a player's end.
private final class Delegate: NSObject, AVAudioPlayerDelegate, @unchecked Sendable {  // The mailbox is safe to share.
    let ends = Mailbox<Bool>()

    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) { ends.post(flag) }
}

@Suite(.enabled(if: TestAudio.isThere, Comment(rawValue: TestAudio.missing))) struct `By a real sound server` {
    private let server: TestAudio
    private let service = FakeService()
    private let home: AudioHome
    private let folder: Folder

    init() throws {
        server = try TestAudio()
        home = AudioHome(service.client(), device: PipeWireDevice(server.server))
        folder = try Folder()
    }

    @Test func `a player is heard, with the number that it announced`() throws {
        let peer = try AudioPeer(server)
        let recorder = try SinkRecorder(server)
        let url = try makeSound(folder.file("a.flac"), seconds: 20)
        let player = try AudioHome.$current.withValue(home) { try AVAudioPlayer(contentsOf: url) }
        #expect(player.play())
        let stream = try peer.streamNow { $0.tag == "1" && $0.state == .running }
        #expect(stream.direction == .playback)
        try recorder.awaitSound { Level.peak($0) > 0.4 }
        let samples = try recorder.record(milliseconds: 1_000)
        #expect(abs(Level.amplitude(of: 440, in: samples) - 0.5) < 0.02)
        #expect(Level.longestGap(samples) < 1)
        let time = player.currentTime
        #expect(time > 0.9 && time < 10)
        player.volume = 0
        try recorder.awaitSound(100) { Level.peak($0) < 0.001 }
        player.volume = 1
        player.currentTime = 15
        try recorder.awaitSound { Level.peak($0) > 0.4 }
        #expect(player.currentTime >= 15 && player.currentTime < 19)
        player.pause()
        try recorder.awaitSound(100) { Level.peak($0) == 0 }
    }

    @Test func `the session says what the graph does, which is what the app would like`() throws {
        let session = home.session
        #expect(session.sampleRate == 48_000)
        try session.setPreferredIOBufferDuration(256 / 48_000)
        try session.setActive(true)
        let url = try makeSound(folder.file("a.flac"), seconds: 20)
        let player = try AudioHome.$current.withValue(home) { try AVAudioPlayer(contentsOf: url) }
        #expect(player.play())
        let recorder = try SinkRecorder(server)
        try recorder.awaitSound { Level.peak($0) > 0.4 }
        #expect(session.ioBufferDuration == 256.0 / 48_000)
        // Of several wishes the graph serves the shortest: the recorder has none.
        try session.setPreferredIOBufferDuration(512 / 48_000)
        for _ in 0..<100 where session.ioBufferDuration != 512.0 / 48_000 { _ = try recorder.record(milliseconds: 20) }
        #expect(session.ioBufferDuration == 512.0 / 48_000)
        #expect(session.sampleRate == 48_000)
        player.stop()
        #expect(session.ioBufferDuration == 512.0 / 48_000, "what it did last")
    }

    @Test func `a player comes to its end`() throws {
        // By then the server has somewhere to play.
        let recorder = try SinkRecorder(server)
        defer { withExtendedLifetime(recorder) {} }
        let url = try makeSound(folder.file("a.wav"), seconds: 0.5)
        let player = try AudioHome.$current.withValue(home) { try AVAudioPlayer(contentsOf: url) }
        let delegate = Delegate()
        player.delegate = delegate
        #expect(player.play())
        #expect(try delegate.ends.next())
        #expect(!player.isPlaying)
    }

    @Test func `a recorder hears what sounds`() throws {
        let url = try makeSound(folder.file("a.wav"), seconds: 20)
        let recorder = try AudioHome.$current.withValue(home) {
            try AVAudioRecorder(url: folder.file("r.wav"), settings: [AVSampleRateKey: 48_000])
        }
        let player = try AudioHome.$current.withValue(home) { try AVAudioPlayer(contentsOf: url) }
        #expect(player.play())
        let sink = try SinkRecorder(server)
        try sink.awaitSound { Level.peak($0) > 0.4 }
        #expect(recorder.record())
        _ = try sink.record(milliseconds: 1_500)
        recorder.stop()
        #expect(try (SoundFile.open(recorder.url).frames ?? 0) > 20_000)
    }
}
