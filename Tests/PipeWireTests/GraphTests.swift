import Dispatch
import LinuxSystem
import PipeWire
import TestAudio
import TestBus
import Testing

@Suite("The graph", .enabled(if: TestAudio.isThere, Comment(rawValue: TestAudio.missing)))
struct GraphTests {
    @Test("A client of PipeWire has the process that the kernel told")
    func native() throws {
        let audio = try TestAudio()
        let peer = try AudioPeer(audio)
        let player = try audio.play(try audio.sound(), ["--media-role", "Notification"])
        let stream = try peer.playing(player)
        #expect(stream.isPidCertain && !stream.isPulse)
        #expect(stream.direction == .playback)
        #expect(stream.mediaRole == "Notification")
        #expect(stream.applicationName == "pw-cat")
        player.kill()
        try peer.awaitEvent { $0 == .goneStream(stream.id) }
    }

    @Test(
        "A client of PulseAudio's protocol has its own process, not that of the server",
        .enabled(if: FileSystem.exists(TestAudio.mpv), "NOT TESTED: needs mpv (Debian: mpv)"))
    func pulse() throws {
        let audio = try TestAudio(pulse: true)
        let peer = try AudioPeer(audio)
        let player = try audio.playPulse(try audio.sound())
        let stream = try peer.stream { $0.isPulse && $0.state == .running && $0.isLinked }
        #expect(stream.pid == player.process.pid)
        #expect(!stream.isPidCertain)
        #expect(stream.applicationName == "mpv")
        let recorder = try SinkRecorder(audio)
        try recorder.awaitSound { Level.peak($0) > 0.3 }
        try peer.permit(stream.id, false)
        try recorder.awaitSound(100) { Level.peak($0) == 0 }
        try player.process.send(19)
        try player.process.send(18)
        try peer.permit(stream.id, true)
        try recorder.awaitSound { Level.peak($0) > 0.3 }
    }

    @Test("A client that claims to speak for others is not believed")
    func impostor() throws {
        let audio = try TestAudio()
        let peer = try AudioPeer(audio)
        let tone = try TonePlayer(
            audio, properties: ["client.api": "pipewire-pulse", "application.process.id": "1"])
        let stream = try peer.stream { $0.applicationName == "tone" }
        #expect(stream.pid == CurrentProcess.pid && stream.isPidCertain && !stream.isPulse)
        withExtendedLifetime(tone) {}
    }

    @Test("The property greenroom.stream is told")
    func tag() throws {
        let audio = try TestAudio()
        let peer = try AudioPeer(audio)
        let tone = try TonePlayer(audio, properties: ["greenroom.stream": "player-1"])
        #expect(try peer.stream { $0.applicationName == "tone" }.tag == "player-1")
        withExtendedLifetime(tone) {}
    }

    @Test("Another default sink is told, and streams follow it")
    func defaultSink() throws {
        let audio = try TestAudio(sinks: ["first", "second"])
        let peer = try AudioPeer(audio)
        let tone = try TonePlayer(audio)
        let first = try #require(peer.device(named: "first"))
        let second = try #require(peer.device(named: "second"))
        _ = try peer.stream { $0.devices == [first] && $0.state == .running }
        peer.on { _ = $0.setDefaultSink(second) }
        _ = try peer.stream { $0.devices == [second] }
        if peer.on({ $0.defaults.sink }) != second {
            try peer.awaitEvent { if case .defaults(let found) = $0 { found.sink == second } else { false } }
        }
        let recorder = try SinkRecorder(audio, sink: "second")
        try recorder.awaitSound { Level.peak($0) > 0.4 }
        withExtendedLifetime(tone) {}
    }

    /// Those that are driven together run as soon as one of them plays, and one that runs refuses to be set up.
    @Test("Sinks that come while another one plays can have streams, too")
    func newSinks() throws {
        let audio = try TestAudio()
        let peer = try AudioPeer(audio)
        let tone = try TonePlayer(audio)
        let stream = try peer.stream { $0.state == .running && $0.isLinked }
        for number in 1...10 {
            try audio.addSink("sink\(number)")
            var sink = peer.device(named: "sink\(number)")
            while sink == nil {
                guard case .device(let device) = try peer.events.next() else { continue }
                sink = device.name == "sink\(number)" ? device.id : nil
            }
            let found = try #require(sink)
            #expect(peer.on { $0.route(stream.id, to: found) })
            _ = try peer.stream { $0.devices == [found] && $0.state == .running }
        }
        withExtendedLifetime(tone) {}
    }

    @Test("A stream is moved to a certain sink and back")
    func route() throws {
        let audio = try TestAudio(sinks: ["first", "second"])
        let peer = try AudioPeer(audio)
        let tone = try TonePlayer(audio)
        let first = try #require(peer.device(named: "first"))
        let second = try #require(peer.device(named: "second"))
        let stream = try peer.stream { $0.devices == [first] && $0.state == .running }
        #expect(peer.on { $0.route(stream.id, to: second) })
        _ = try peer.stream { $0.devices == [second] && $0.state == .running }
        try peer.permit(stream.id, false)
        _ = try peer.stream { !$0.isLinked }
        try peer.permit(stream.id, true)
        _ = try peer.stream { $0.devices == [second] && $0.state == .running }
        #expect(peer.on { $0.route(stream.id, to: nil) })
        _ = try peer.stream { $0.devices == [first] && $0.state == .running }
        #expect(!peer.on { $0.route(stream.id, to: NodeIdentifier(serial: 1 << 40)) })
        withExtendedLifetime(tone) {}
    }

    @Test("A daemon that is killed and comes back is told, and what it has is told again")
    func daemonComesBack() throws {
        let audio = try TestAudio()
        let peer = try AudioPeer(audio)
        let tone = try TonePlayer(audio)
        _ = try peer.stream { $0.applicationName == "tone" && $0.state == .running }
        while try tone.states.next() != .streaming {}
        let played = tone.stream.position
        audio.stop()
        try peer.awaitEvent { $0 == .lost }
        while try tone.states.next() != .lost {}
        try audio.start()
        try peer.awaitConnection()
        while try tone.states.next() != .streaming {}
        _ = try peer.stream { $0.applicationName == "tone" && $0.state == .running && $0.isLinked }
        let recorder = try SinkRecorder(audio)
        try recorder.awaitSound { Level.peak($0) > 0.4 }
        #expect(tone.stream.position > played)
    }

    @Test("Operations on what is not there end, and do nothing")
    func nothing() throws {
        let audio = try TestAudio()
        let peer = try AudioPeer(audio)
        let stranger = NodeIdentifier(serial: 1 << 40)
        try peer.permit(stranger, false)
        #expect(try peer.meter(stranger) == nil)
        peer.on { graph in
            graph.setGain(stranger, 0)
            #expect(!graph.setDefaultSink(stranger))
            #expect(!graph.route(stranger, to: nil))
        }
        audio.stop()
        try peer.awaitEvent { $0 == .lost }
        try peer.permit(stranger, true)
        #expect(try peer.meter(stranger) == nil)
    }

    @Test("A daemon that is not there yet is waited for")
    func waits() throws {
        let audio = try TestAudio(isRunning: false)
        let peer = AudioPeer(AudioGraph.Configuration(server: audio.server))
        try audio.start()
        try peer.awaitConnection()
    }
}
