import LinuxSystem
import PipeWire
import TestAudio
import TestBus
import Testing

@Suite("How loud streams are", .enabled(if: TestAudio.isThere, Comment(rawValue: TestAudio.missing)))
struct LoudnessTests {
    private static func isNear(_ level: Float, _ expected: Float, _ tolerance: Float = 0.05) -> Bool {
        abs(level - expected) < tolerance
    }

    @Test("A gain is heard within 300 ms and taken back within 300 ms")
    func gain() throws {
        let audio = try TestAudio()
        let peer = try AudioPeer(audio)
        let player = try audio.play(try audio.sound(0.9))
        let stream = try peer.playing(player)
        let recorder = try SinkRecorder(audio)
        try recorder.awaitSound { Self.isNear(Level.peak($0), 0.9, 0.02) }
        peer.on { $0.setGain(stream.id, 0.3, over: 150) }
        let down = try recorder.awaitSound { Self.isNear(Level.peak($0), 0.27, 0.02) }
        #expect(down <= 300)
        #expect(Self.isNear(Level.peak(try recorder.record(milliseconds: 300)) / 0.9, 0.3))
        peer.on { $0.setGain(stream.id, 1, over: 150) }
        let up = try recorder.awaitSound { Self.isNear(Level.peak($0), 0.9, 0.02) }
        #expect(up <= 300)
        peer.on { $0.setGain(stream.id, 0) }
        try recorder.awaitSound(100) { Level.peak($0) == 0 }
        peer.on { $0.setGain(stream.id, 1) }
        try recorder.awaitSound { Self.isNear(Level.peak($0), 0.9, 0.02) }
        print("gain: down after \(down) ms, up after \(up) ms")
    }

    @Test("A gain holds when the user sets the volume, and what the user set is what is heard after it")
    func userSetsVolume() throws {
        let audio = try TestAudio()
        let peer = try AudioPeer(audio)
        let player = try audio.play(try audio.sound(0.8))
        let stream = try peer.playing(player)
        let recorder = try SinkRecorder(audio)
        peer.on { $0.setGain(stream.id, 0.5) }
        try recorder.awaitSound { Self.isNear(Level.peak($0), 0.4, 0.02) }
        // The cube of 0.8 is about 0.5.
        _ = try TestProgram.run(
            "/usr/bin/wpctl", ["set-volume", "\(stream.node)", "0.7937"], environment: audio.environment)
        try recorder.awaitSound { Self.isNear(Level.peak($0), 0.2, 0.01) }
        #expect(Self.isNear(Level.peak(try recorder.record(milliseconds: 300)), 0.2, 0.01))
        // The same once more: nothing changes, and still it would end the gain.
        _ = try TestProgram.run(
            "/usr/bin/wpctl", ["set-volume", "\(stream.node)", "0.7937"], environment: audio.environment)
        try recorder.awaitSound(100) { Self.isNear(Level.peak($0), 0.2, 0.01) }
        peer.on { $0.setGain(stream.id, 1) }
        try recorder.awaitSound { Self.isNear(Level.peak($0), 0.4, 0.01) }
    }

    @Test("A client that does not answer holds up nothing that is set for others")
    func silentClient() throws {
        let audio = try TestAudio()
        let peer = try AudioPeer(audio)
        let (frozen, player) = (try audio.play(try audio.sound(0.1)), try audio.play(try audio.sound(0.8)))
        let streams = try [frozen, player].map { program in
            try peer.streamNow { $0.pid == program.process.pid && $0.state == .running && $0.isLinked }
        }
        let recorder = try SinkRecorder(audio)
        try frozen.process.send(19)
        peer.on { $0.setGain(streams[0].id, 0.5) }
        #expect(try !peer.permit(streams[0].id, false))
        try recorder.awaitSound { Self.isNear(Level.peak($0), 0.8, 0.02) }
        peer.on { $0.setGain(streams[1].id, 0.5, over: 100) }
        try recorder.awaitSound { Self.isNear(Level.peak($0), 0.4, 0.02) }
        try frozen.process.send(18)
        #expect(try peer.permit(streams[0].id, false))
    }

    @Test("A gain that is set while a stream is down is there when it sounds again")
    func gainWhileDown() throws {
        let audio = try TestAudio()
        let peer = try AudioPeer(audio)
        let player = try audio.play(try audio.sound(0.8))
        let stream = try peer.playing(player)
        let recorder = try SinkRecorder(audio)
        try peer.permit(stream.id, false)
        try player.process.send(19)
        peer.on { $0.setGain(stream.id, 0.25) }
        try player.process.send(18)
        try peer.permit(stream.id, true)
        try recorder.awaitSound { Level.peak($0) > 0 }
        #expect(Self.isNear(Level.peak(try recorder.record(milliseconds: 500)), 0.2, 0.02))
    }

    @Test("A meter tells the level of what plays, and silence")
    func meter() throws {
        let audio = try TestAudio()
        let peer = try AudioPeer(audio)
        let (loud, silent) = (try audio.play(try audio.sound(0.6)), try audio.play(try audio.sound(0)))
        let streams = try [loud, silent].map { program in
            try peer.streamNow { $0.pid == program.process.pid && $0.state == .running }
        }
        let level = try #require(try peer.meter(streams[0].id))
        #expect(Self.isNear(level, 0.6, 0.02))
        #expect(try peer.meter(streams[1].id) == 0)
        peer.on { $0.setGain(streams[0].id, 0.5) }
        let recorder = try SinkRecorder(audio)
        try recorder.awaitSound { Self.isNear(Level.peak($0), 0.3, 0.02) }
        let halved = try #require(try peer.meter(streams[0].id))
        #expect(Self.isNear(halved, 0.3, 0.02))
        try peer.permit(streams[0].id, false)
        #expect(try peer.meter(streams[0].id) == 0)
        #expect(
            !peer.events.rest.contains {
                if case .stream(let stream) = $0 {
                    stream.pid == CurrentProcess.pid && stream.applicationName != "recorder"
                } else {
                    false
                }
            })
    }

    @Test("A meter of a stream that records tells whether it is given anything")
    func meterOfCapture() throws {
        let audio = try TestAudio()
        let peer = try AudioPeer(audio)
        let recorder = try SinkRecorder(audio)
        let capture = try peer.streamNow { $0.applicationName == "recorder" && $0.state == .running && $0.isLinked }
        #expect(capture.direction == .capture)
        #expect(try peer.meter(capture.id) == 0)
        let tone = try TonePlayer(audio, Sine(amplitude: 0.5))
        try recorder.awaitSound { Level.peak($0) > 0.4 }
        let level = try #require(try peer.meter(capture.id))
        #expect(Self.isNear(level, 0.5, 0.02))
        withExtendedLifetime(tone) {}
    }

    @Test("The volume of the default sink is told, and can be set")
    func sinkVolume() throws {
        let audio = try TestAudio()
        let peer = try AudioPeer(audio)
        try peer.awaitEvent { $0 == .volume(SinkVolume(volume: 1, isMuted: false)) }
        peer.on { $0.setVolume(0.5) }
        try peer.awaitEvent {
            guard case .volume(.some(let volume)) = $0 else { return false }
            return Self.isNear(volume.volume, 0.5, 0.001) && !volume.isMuted
        }
        peer.on { $0.setVolume(isMuted: true) }
        try peer.awaitEvent {
            guard case .volume(.some(let volume)) = $0 else { return false }
            return Self.isNear(volume.volume, 0.5, 0.001) && volume.isMuted
        }
    }
}
