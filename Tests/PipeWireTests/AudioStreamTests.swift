import Dispatch
import LinuxSystem
import PipeWire
import TestAudio
import TestBus
import Testing

@Suite("Streams of an app", .enabled(if: TestAudio.isThere, Comment(rawValue: TestAudio.missing)))
struct AudioStreamTests {
    @Test("A stream plays, and the sink has what it was given")
    func plays() throws {
        let audio = try TestAudio()
        let peer = try AudioPeer(audio)
        let tone = try TonePlayer(audio, Sine(amplitude: 0.5))
        _ = try peer.stream { $0.applicationName == "tone" && $0.state == .running }
        let recorder = try SinkRecorder(audio)
        try recorder.awaitSound { Level.peak($0) > 0.4 }
        let samples = try recorder.record(milliseconds: 1000)
        #expect(abs(Level.peak(samples) - 0.5) < 0.01)
        #expect(abs(Level.amplitude(of: 440, in: samples) - 0.5) < 0.01)
        #expect(Level.longestGap(samples) < 1)
        #expect(tone.stream.misses == 0)
        #expect(abs(tone.stream.takePeak() - 0.5) < 0.01)
    }

    @Test("A ring of two seconds wakes its app about once a second, and its position follows the clock")
    func wakes() throws {
        let audio = try TestAudio()
        let tone = try TonePlayer(audio)
        while try tone.states.next() != .streaming {}
        _ = try tone.wakes.next()
        let (began, start) = (Clock.monotonic(), tone.stream.position)
        for _ in 0..<3 { _ = try tone.wakes.next() }
        let (seconds, played) = (Double(Clock.monotonic() - began) / 1e9, tone.stream.position - start)
        #expect((2.5...3.5).contains(seconds), "\(seconds) s for three wakes")
        #expect(abs(Double(played) / 48_000 - seconds) < 0.1)
        #expect(tone.stream.misses == 0)
    }

    @Test("A paused stream keeps what it has, and a flushed one throws it away")
    func pauses() throws {
        let audio = try TestAudio()
        let tone = try TonePlayer(audio)
        let recorder = try SinkRecorder(audio)
        try recorder.awaitSound { Level.peak($0) > 0.4 }
        tone.stream.pause()
        while try tone.states.next() != .paused {}
        try recorder.awaitSound(100) { Level.peak($0) == 0 }
        let (fill, position) = (tone.stream.fill, tone.stream.position)
        _ = try recorder.record(milliseconds: 200)
        #expect(tone.stream.fill == fill && fill > 0)
        #expect(tone.stream.position - position < 4800)
        tone.stream.flush()
        let flushed = tone.stream.position
        #expect(flushed - position < 9600, "what was thrown away was not heard")
        tone.stream.start()
        try recorder.awaitSound { Level.peak($0) > 0.4 }
        #expect(tone.stream.position >= flushed)
    }

    @Test("A ring that runs dry is counted once, and not at all after its end")
    func misses() throws {
        let audio = try TestAudio()
        let (states, ready) = (Mailbox<AudioStream.State>(), Mailbox<Int>())
        let stream = try AudioStream(
            AudioStream.Configuration(server: audio.server, name: "short", capacity: 48_000, mark: 0),
            queue: DispatchQueue(label: "short"), onState: { states.post($0) }, onReady: { ready.post(0) })
        let samples = [Float](repeating: 0.1, count: 9600)
        #expect(unsafe samples.withUnsafeBufferPointer { unsafe stream.write($0) } == 4800)
        stream.finish()
        stream.start()
        _ = try ready.next()
        #expect(stream.misses == 0)
        #expect(unsafe samples.withUnsafeBufferPointer { unsafe stream.write($0) } == 4800)
        _ = try ready.next()
        let recorder = try SinkRecorder(audio)
        _ = try recorder.record(milliseconds: 300)
        #expect(stream.misses == 1)
        #expect(stream.position == 9600, "everything was heard")
        stream.close()
        #expect(unsafe samples.withUnsafeBufferPointer { unsafe stream.write($0) } == 4800, "a closed one does no harm")
    }

    @Test("Without a daemon a stream says so, or waits for it")
    func noServer() throws {
        let audio = try TestAudio(isRunning: false)
        let queue = DispatchQueue(label: "none")
        var configuration = AudioStream.Configuration(server: audio.server, name: "none")
        let error = #expect(throws: AudioError.self) { try AudioStream(configuration, queue: queue) }
        #expect(error?.description.contains(audio.server.socket) == true)
        configuration.waitsForServer = true
        let states = Mailbox<AudioStream.State>()
        let stream = try AudioStream(configuration, queue: queue, onState: { states.post($0) })
        #expect(try states.next() == .lost)
        stream.start()
        try audio.start()
        let peer = try AudioPeer(audio)
        while try states.next() != .streaming {}
        withExtendedLifetime(peer) {}
    }

    /// What WirePlumber refuses: it answers as it does for a stream that it sees before its devices.
    private static let refused = ["node.exclusive": "true"]

    @Test("A stream that the session manager has no device for plays as soon as it has one")
    func waitsForDevice() throws {
        let audio = try TestAudio()
        let first = try TonePlayer(audio)
        while try first.states.next() != .streaming {}
        let second = try TonePlayer(audio, properties: Self.refused)
        #expect(try second.states.next() == .paused)
        #expect(try second.states.next() == .connecting, "it was refused, and tries again")
        first.stream.close()
        while true {
            let state = try second.states.next()
            if case .failed(let why) = state { Issue.record("it gave up: \(why)") }
            if state == .streaming { break }
        }
    }

    @Test("A stream connects again after another program destroyed its node, and continues at its position")
    func destroyed() throws {
        let audio = try TestAudio()
        let tone = try TonePlayer(audio)
        let recorder = try SinkRecorder(audio)
        try recorder.awaitSound { Level.peak($0) > 0.4 }
        for _ in 0..<3 {
            let (node, position) = (try #require(tone.stream.node), tone.stream.position)
            _ = try TestProgram.run("/usr/bin/pw-cli", ["destroy", String(node)], environment: audio.environment)
            while try tone.states.next() != .streaming {}
            try recorder.awaitSound { Level.peak($0) > 0.4 }
            #expect(tone.stream.position > position && tone.stream.node != nil)
        }
    }

    @Test("A stream that is refused again and again says so in the end")
    func givesUp() throws {
        let audio = try TestAudio()
        let first = try TonePlayer(audio)
        while try first.states.next() != .streaming {}
        let second = try TonePlayer(audio, properties: Self.refused)
        var refusals = 0
        while true {
            let state = try second.states.next()
            if state == .connecting { refusals += 1 }
            guard case .failed(let why) = state else { continue }
            #expect(why.contains("no node available"))
            break
        }
        #expect(refusals == 7)
    }

    @Test(
        "What cannot be a stream is refused", arguments: [(0, 2, 100), (48_000, 0, 100), (48_000, 65, 100), (1, 1, 0)])
    func invalid(rate: Int, channels: Int, capacity: Int) {
        #expect(throws: AudioError.self) {
            try AudioStream(
                AudioStream.Configuration(
                    server: AudioServer(socket: "/nonexistent/socket"), name: "bad", rate: rate, channels: channels,
                    capacity: capacity), queue: DispatchQueue(label: "bad"))
        }
    }
}
