import AVFAudio
import AudioDevices
import AudioModel
import AudioTesting
import AudioWire
import Foundation
import Synchronization
import Testing

@Suite struct `An engine` {
    let audio = AppAudio()
    let folder: Folder
    let engine: AVAudioEngine
    let player = AVAudioPlayerNode()

    init() throws {
        folder = try Folder()
        engine = audio.use { AVAudioEngine() }
        engine.attach(player)
    }

    private func file(_ name: String = "a.wav", seconds: Double = 1, rate: Int = 44_100, channels: Int = 2) throws
        -> AVAudioFile
    {
        try AVAudioFile(forReading: makeSound(folder.file(name), seconds: seconds, rate: rate, channels: channels))
    }

    /// A buffer that is the same everywhere.
    private func buffer(_ value: Float, frames: AVAudioFrameCount = 4_410) throws -> AVAudioPCMBuffer {
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 1))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: frames))
        buffer.frameLength = frames
        for frame in 0..<Int(frames) { unsafe buffer.floatChannelData?[0][frame] = value }
        return buffer
    }

    private func connect() throws {
        engine.connect(
            player, to: engine.mainMixerNode, format: AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 1))
    }

    /// What is heard on the left in so many frames.
    private func left(_ frames: Range<Int>) -> [Float] { frames.map { audio.heard[$0 * 2] } }

    @Test func `plays a file at the file's own rate, which the sound server converts`() throws {
        let file = try file()
        engine.connect(player, to: engine.mainMixerNode, format: file.processingFormat)
        player.scheduleFile(file, at: nil)
        player.play()
        try engine.start()
        audio.device.advance(by: 2)
        #expect(audio.device.outputs.map(\.setup.rate) == [44_100])
        let loudest = (0..<44_000).map { abs(audio.heard[$0 * 2] - sine($0)) }.max()
        #expect(try #require(loudest) < 0.001)
        #expect(peak(audio.heard.dropFirst(88_200)) == 0)
        #expect(audio.service.methods == [.start])
    }

    @Test func `mixes sources of several rates`() throws {
        let second = AVAudioPlayerNode()
        engine.attach(second)
        let (low, high) = (try file("low.wav", rate: 22_050), try file("high.wav", rate: 44_100))
        engine.connect(player, to: engine.mainMixerNode, format: low.processingFormat)
        engine.connect(second, to: engine.mainMixerNode, format: high.processingFormat)
        player.scheduleFile(low, at: nil)
        second.scheduleFile(high, at: nil)
        second.volume = 0
        player.play()
        second.play()
        try engine.start()
        audio.device.advance(by: 0.9)
        #expect(audio.device.outputs.map(\.setup.rate) == [48_000])
        #expect(abs(pitch(audio.heard, rate: 48_000) - 440) < 5)
        #expect(abs(peak(audio.heard) - 0.5) < 0.02)
    }

    @Test func `throws where the service refuses, and where nothing is connected`() throws {
        #expect(throws: NSError.self) { try engine.start() }
        _ = engine.mainMixerNode
        audio.service.refuse(.start, .cannotStartPlaying, "a call goes on")
        let error = try #require(throws: NSError.self) { try engine.start() }
        #expect(error.code == AVAudioSession.ErrorCode.cannotStartPlaying.rawValue)
        #expect(!engine.isRunning)
    }

    @Test func `plays buffers one after the other and tells of each`() async throws {
        try connect()
        let done = Bell<String>()
        player.scheduleBuffer(try buffer(0.25), completionHandler: { done.ring("first") })
        player.scheduleBuffer(try buffer(0.5), completionCallbackType: .dataPlayedBack) { type in
            done.ring("second \(type == .dataPlayedBack)")
        }
        player.play()
        try engine.start()
        audio.device.advance(by: 0.15)
        #expect(done.all == ["first"])
        audio.device.advance(by: 0.3)
        #expect(done.all == ["first", "second true"])
        #expect(left(0..<4_410).allSatisfy { $0 == 0.25 })
        #expect(left(4_410..<8_820).allSatisfy { $0 == 0.5 })
        #expect(left(8_820..<10_000).allSatisfy { $0 == 0 })
    }

    @Test func `repeats a buffer until another one comes`() throws {
        try connect()
        player.scheduleBuffer(try buffer(0.25), at: nil, options: .loops)
        player.play()
        try engine.start()
        audio.device.advance(by: 1)
        player.scheduleBuffer(try buffer(0.5), at: nil, options: .interrupts)
        audio.device.advance(by: 0.5)
        #expect(left(0..<44_100).allSatisfy { $0 == 0.25 })
        #expect(left(44_100..<66_000).contains(0.5))
        #expect(audio.heard.suffix(1_000).allSatisfy { $0 == 0 })
    }

    @Test func `plays a buffer at its frame`() throws {
        try connect()
        player.scheduleBuffer(try buffer(0.5), at: AVAudioTime(sampleTime: 22_050, atRate: 44_100))
        player.play()
        try engine.start()
        audio.device.advance(by: 1)
        #expect(left(0..<22_050).allSatisfy { $0 == 0 })
        #expect(left(22_050..<26_460).allSatisfy { $0 == 0.5 })
    }

    @Test func `plays a part of a file`() throws {
        let file = try file()
        engine.connect(player, to: engine.mainMixerNode, format: file.processingFormat)
        player.scheduleSegment(file, startingFrame: 10_000, frameCount: 2_000, at: nil)
        player.play()
        try engine.start()
        audio.device.advance(by: 0.5)
        #expect(abs(left(0..<1)[0] - sine(10_000)) < 0.001)
        #expect(left(2_000..<4_000).allSatisfy { $0 == 0 })
    }

    @Test func `calls what waits when a player is stopped`() throws {
        try connect()
        let done = Bell<Int>()
        for number in 0..<3 { player.scheduleBuffer(try buffer(0.1), completionHandler: { done.ring(number) }) }
        player.stop()
        #expect(done.all == [0, 1, 2])
    }

    @Test func `knows the time of its players`() throws {
        try connect()
        player.scheduleBuffer(try buffer(0.1, frames: 441_000))
        try engine.start()
        #expect(player.playerTime(forNodeTime: AVAudioTime(sampleTime: 0, atRate: 44_100)) == nil)
        player.play()
        audio.device.advance(by: 1)
        let node = try #require(player.lastRenderTime)
        let time = try #require(player.playerTime(forNodeTime: node))
        #expect(abs(Double(time.sampleTime) / time.sampleRate - 1) < 0.25)
        audio.device.advance(by: 2)
        let later = try #require(player.lastRenderTime.flatMap(player.playerTime(forNodeTime:)))
        #expect(abs(Double(later.sampleTime - time.sampleTime) / 44_100 - 2) < 0.03)
    }

    @Test func `is heard through taps`() throws {
        try connect()
        let frames = Bell<Int>()
        let format = AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 22_050, channels: 1, interleaved: true)
        engine.mainMixerNode.installTap(onBus: 0, bufferSize: 1_000, format: format) { buffer, time in
            if unsafe buffer.int16ChannelData?[0][500] == 8_192 { frames.ring(Int(time.sampleTime)) }
        }
        player.scheduleBuffer(try buffer(0.25, frames: 44_100))
        player.play()
        try engine.start()
        audio.device.advance(by: 0.5)
        #expect(frames.all.prefix(5) == [0, 1_000, 2_000, 3_000, 4_000])
        engine.mainMixerNode.removeTap(onBus: 0)
        let count = frames.all.count
        audio.device.advance(by: 0.5)
        #expect(frames.all.count <= count + 1)
    }

    @Test func `records by its input, without an output`() throws {
        let input = engine.inputNode
        let file = try AVAudioFile(
            forWriting: folder.file("r.wav"), settings: input.outputFormat(forBus: 0).settings)
        input.installTap(onBus: 0, bufferSize: 4_800, format: nil) { buffer, _ in try? file.write(from: buffer) }
        try engine.start()
        #expect(engine.isRunning)
        audio.device.inputs.first?.hear { sine($0, rate: 48_000) }
        audio.device.advance(by: 1)
        engine.stop()
        file.close()
        let read = try AVAudioFile(forReading: folder.file("r.wav"))
        #expect(abs(read.length - 48_000) <= 4_800)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: read.processingFormat, frameCapacity: 40_000))
        try read.read(into: buffer)
        #expect(buffer.frameLength == 40_000)
        let samples = (0..<40_000).compactMap { unsafe buffer.floatChannelData?[0][$0] }
        #expect(abs(pitch(samples, rate: 48_000, channels: 1) - 440) < 5)
        #expect(audio.device.inputs.isEmpty)
    }

    @Test func `does not record where the user does not let it`() throws {
        _ = engine.inputNode
        audio.service.refuse(.start, .cannotStartRecording)
        let error = try #require(throws: NSError.self) { try engine.start() }
        #expect(error.code == AVAudioSession.ErrorCode.cannotStartRecording.rawValue)
    }

    @Test(arguments: [(1.0, 1_200.0, 880.0), (2, 0, 440), (0.5, 0, 440), (1, -1_200, 220)])
    func `changes speed and pitch apart`(_ rate: Double, _ cents: Double, _ hertz: Double) throws {
        let file = try file(seconds: 1)
        let unit = AVAudioUnitTimePitch()
        engine.attach(unit)
        engine.connect(player, to: unit, format: file.processingFormat)
        engine.connect(unit, to: engine.mainMixerNode, format: nil)
        (unit.rate, unit.pitch) = (Float(rate), Float(cents))
        player.scheduleFile(file, at: nil)
        player.play()
        try engine.start()
        audio.device.advance(by: 2.5)
        let loud = Array(audio.heard.prefix(Int(0.9 / rate * 88_200)))
        #expect(abs(pitch(loud, rate: 44_100) - hertz) < hertz / 20)
        let seconds = 1 / rate
        if seconds < 2 { #expect(peak(audio.heard.dropFirst(Int((seconds + 0.2) * 88_200))) < 0.01) }
    }

    @Test func `stands still during an interruption and says so`() async throws {
        try connect()
        let posts = Bell<String>()
        let token = NotificationCenter.default.addObserver(
            forName: .AVAudioEngineConfigurationChange, object: engine, queue: nil
        ) { _ in posts.ring("changed") }
        player.play()
        try engine.start()
        audio.device.advance(by: 1)
        _ = audio.session
        await audio.service.tell(.interrupted(.other))
        #expect(!engine.isRunning)
        #expect(await posts.first(1) == ["changed"])
        try engine.start()
        #expect(engine.isRunning)
        NotificationCenter.default.removeObserver(token)
    }

    @Test func `ends with its object`() throws {
        do {
            let engine = audio.use { AVAudioEngine() }
            _ = engine.mainMixerNode
            try engine.start()
            #expect(audio.device.outputs.count == 1)
        }
        #expect(audio.device.outputs.isEmpty)
    }
}

@Suite struct `Buffers and formats` {
    @Test(
        arguments: [AVAudioCommonFormat.pcmFormatFloat32, .pcmFormatFloat64, .pcmFormatInt16, .pcmFormatInt32],
        [true, false])
    func `keep samples`(_ common: AVAudioCommonFormat, _ interleaved: Bool) throws {
        let folder = try Folder()
        let url = try makeSound(folder.file("a.wav"), seconds: 0.1)
        let file = try AVAudioFile(forReading: url, commonFormat: common, interleaved: interleaved)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 1_000))
        try file.read(into: buffer)
        #expect(buffer.frameLength == 1_000)
        #expect(buffer.stride == (interleaved ? 2 : 1))
        #expect(file.framePosition == 1_000)
        let copy = try AVAudioFile(
            forWriting: folder.file("b.wav"), settings: file.fileFormat.settings, commonFormat: common,
            interleaved: interleaved)
        try copy.write(from: buffer)
        copy.close()
        let (first, second) = (try SoundFile.open(url).read(1_000), try SoundFile.open(copy.url).read(1_000))
        #expect(zip(first, second).map { abs($0 - $1) }.max() ?? 1 < 0.0002)
    }

    @Test func `are refused where there are none such`() {
        #expect(AVAudioFormat(standardFormatWithSampleRate: 0, channels: 2) == nil)
        #expect(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 0) == nil)
        #expect(AVAudioFormat(settings: [:]) == nil)
        let format = AVAudioFormat(settings: [AVSampleRateKey: 16_000, AVNumberOfChannelsKey: 1])
        #expect(format?.commonFormat == .pcmFormatInt16)
        #expect(format?.sampleRate == 16_000)
    }

    @Test func `of files end`() throws {
        let folder = try Folder()
        let file = try AVAudioFile(forReading: makeSound(folder.file("a.wav"), seconds: 0.01))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 1_000))
        try file.read(into: buffer)
        #expect(buffer.frameLength == 441)
        #expect(throws: NSError.self) { try file.read(into: buffer) }
        file.framePosition = 440
        try file.read(into: buffer)
        #expect(buffer.frameLength == 1)
    }
}
