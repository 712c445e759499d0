import PipeWire
import TestAudio
import TestBus
import Testing

@Suite("What a stream would like of the graph", .enabled(if: TestAudio.isThere, Comment(rawValue: TestAudio.missing)))
struct CycleTests {
    /// Listens until the graph is as wanted, for two seconds of sound at most: what it then is.
    private func cycle(
        of stream: AudioStream, _ recorder: SinkRecorder, when isWanted: (GraphCycle) -> Bool
    ) throws -> GraphCycle? {
        for _ in 0..<100 {
            if let cycle = stream.cycle, isWanted(cycle) { return cycle }
            _ = try recorder.record(milliseconds: 20)
        }
        return stream.cycle
    }

    private static func wish(_ frames: Int) -> CycleWish { CycleWish(length: .init(frames: frames, rate: 48_000)) }

    @Test("The graph follows a wish while it plays, within its limits, and goes back when it is given up")
    func follows() throws {
        let audio = try TestAudio()
        let tone = try TonePlayer(audio)
        #expect(tone.stream.cycle == nil || tone.stream.cycle?.rate == 48_000)
        let recorder = try SinkRecorder(audio)
        try recorder.awaitSound { Level.peak($0) > 0.4 }
        #expect(try cycle(of: tone.stream, recorder) { $0.frames == 1024 }?.frames == 1024)
        // Its limits are 16 and 2048 frames, and it takes powers of two.
        for (wished, granted) in [(256, 256), (480, 256), (1 << 20, 2048), (1, 16)] {
            tone.stream.setWish(Self.wish(wished))
            let found = try cycle(of: tone.stream, recorder) { $0.frames == granted }
            #expect(found?.frames == granted, "\(wished) were wished for")
            #expect(found?.rate == 48_000)
        }
        tone.stream.setWish(CycleWish())
        #expect(try cycle(of: tone.stream, recorder) { $0.frames == 1024 }?.frames == 1024)
        try recorder.awaitSound { Level.peak($0) > 0.4 }
    }

    @Test("A stream begins with its wish, which outlives the daemon")
    func beginsWithIt() throws {
        let audio = try TestAudio()
        let tone = try TonePlayer(audio, wish: Self.wish(128))
        var recorder = try SinkRecorder(audio)
        #expect(try cycle(of: tone.stream, recorder) { $0.frames == 128 }?.frames == 128)
        tone.stream.setWish(Self.wish(512))
        audio.stop()
        while try tone.states.next() != .lost {}
        try audio.start()
        while try tone.states.next() != .streaming {}
        recorder = try SinkRecorder(audio)
        #expect(try cycle(of: tone.stream, recorder) { $0.frames == 512 }?.frames == 512)
    }

    @Test("The shortest wish of several streams wins")
    func shortest() throws {
        let audio = try TestAudio()
        let (long, short) = (
            try TonePlayer(audio, wish: Self.wish(512)), try TonePlayer(audio, wish: Self.wish(64))
        )
        let recorder = try SinkRecorder(audio)
        #expect(try cycle(of: long.stream, recorder) { $0.frames == 64 }?.frames == 64)
        short.stream.close()
        #expect(try cycle(of: long.stream, recorder) { $0.frames == 512 }?.frames == 512)
    }

    @Test(
        "The graph takes a rate that it is allowed, or one that fits the wish",
        arguments: [(44_100, 44_100), (96_000, 48_000)])
    func rate(wished: Int, granted: Int) throws {
        let audio = try TestAudio(rates: [44_100, 48_000])
        let tone = try TonePlayer(audio, wish: CycleWish(rate: wished))
        let recorder = try SinkRecorder(audio)
        try recorder.awaitSound { Level.peak($0) > 0.4 }
        #expect(try cycle(of: tone.stream, recorder) { $0.rate == granted }?.rate == granted)
    }
}
