import AVFAudio
import AudioDevices
import AudioModel
import AudioTesting
import AudioWire
import Foundation
import Testing

private final class Delegate: NSObject, AVAudioRecorderDelegate, @unchecked Sendable {  // The bell is safe to share.
    let calls = Bell<String>()

    func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) {
        calls.ring("finished \(flag)")
    }
    func audioRecorderBeginInterruption(_ recorder: AVAudioRecorder) { calls.ring("interrupted") }
    func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withOptions flags: Int) {
        calls.ring("interruption ended \(flags)")
    }
}

@Suite struct `A recorder` {
    let audio = AppAudio()
    let folder: Folder
    private let delegate = Delegate()

    init() throws { folder = try Folder() }

    private func recorder(_ name: String, _ settings: [String: Any] = [:]) throws -> AVAudioRecorder {
        let recorder = try audio.use { try AVAudioRecorder(url: folder.file(name), settings: settings) }
        recorder.delegate = delegate
        return recorder
    }

    /// Has the only input hear a sine of 440 hertz.
    private func hear(_ rate: Int) { audio.device.inputs.first?.hear { sine($0, rate: rate) } }

    static let formats: [(name: String, format: UInt32?, rate: Int)] = [
        ("a.wav", kAudioFormatLinearPCM, 44_100), ("a.caf", kAudioFormatLinearPCM, 48_000),
        ("a.aiff", kAudioFormatLinearPCM, 22_050), ("a.flac", kAudioFormatFLAC, 44_100), ("b.flac", nil, 48_000),
        ("a.caf", kAudioFormatAppleLossless, 44_100), ("a.ogg", nil, 44_100), ("a.opus", kAudioFormatOpus, 48_000),
        ("a.mp3", kAudioFormatMPEGLayer3, 44_100),
    ]

    @Test(arguments: formats.indices) func `writes what a player plays`(_ index: Int) async throws {
        let (name, format, rate) = Self.formats[index]
        var settings: [String: Any] = [AVSampleRateKey: Double(rate), AVNumberOfChannelsKey: 2]
        settings[AVFormatIDKey] = format.map { Int($0) }
        let recorder = try recorder(name, settings)
        #expect(recorder.record())
        hear(rate)
        audio.device.advance(by: 1)
        #expect(recorder.isRecording)
        #expect(abs(recorder.currentTime - 1) < 0.02)
        recorder.stop()
        #expect(!recorder.isRecording)
        #expect(await delegate.calls.first(1) == ["finished true"])
        let player = try audio.use { try AVAudioPlayer(contentsOf: recorder.url) }
        #expect(abs(player.duration - 1) < 0.1)
        player.play()
        audio.device.advance(by: 0.8)
        #expect(abs(pitch(audio.heard, rate: rate) - 440) < 20)
    }

    @Test func `says what it cannot write`() throws {
        let aac = try #require(throws: NSError.self) {
            try recorder("a.wav", [AVFormatIDKey: Int(kAudioFormatMPEG4AAC)])
        }
        #expect(aac.localizedDescription.contains("aac"))
        let name = try #require(throws: NSError.self) { try recorder("a.xyz") }
        #expect(name.localizedDescription.contains(".wav"))
        let mismatch = try #require(throws: NSError.self) {
            try recorder("a.wav", [AVFormatIDKey: kAudioFormatFLAC])
        }
        #expect(mismatch.localizedDescription.contains("flac"))
        #expect(throws: NSError.self) { try recorder("a.wav", [AVNumberOfChannelsKey: 0]) }
        #expect(throws: NSError.self) { try recorder("a.wav", [AVSampleRateKey: Double.infinity]) }
        let nowhere = try audio.use {
            try AVAudioRecorder(url: URL(fileURLWithPath: "/nowhere/a.wav"), settings: [:])
        }
        #expect(!nowhere.record())
    }

    @Test func `opens nothing where the user does not let it`() throws {
        audio.service.refuse(.start, .cannotStartRecording)
        let recorder = try recorder("a.wav")
        #expect(!recorder.record())
        #expect(!recorder.isRecording)
        #expect(audio.device.inputs.isEmpty)
    }

    @Test func `announces an input`() throws {
        let recorder = try recorder("a.wav")
        recorder.record()
        let start = try #require(audio.service.params(.start).first)
        #expect(try AudioStreamRecord(json: start).direction == .input)
        #expect(audio.device.inputs.map(\.setup.channels) == [1])
    }

    @Test func `records for as long as it is told to`() async throws {
        let recorder = try recorder("a.wav")
        #expect(recorder.record(forDuration: 0.5))
        hear(44_100)
        audio.device.advance(by: 3)
        #expect(await delegate.calls.first(1) == ["finished true"])
        #expect(audio.device.inputs.isEmpty)
        #expect(try SoundFile.open(recorder.url).frames == 22_050)
    }

    @Test func `leaves out what is said while it is paused`() throws {
        let recorder = try recorder("a.wav")
        recorder.record()
        audio.device.advance(by: 0.5)
        recorder.pause()
        audio.device.advance(by: 2)
        #expect(abs(recorder.currentTime - 0.5) < 0.02)
        recorder.record()
        audio.device.advance(by: 0.5)
        recorder.stop()
        let frames = try #require(SoundFile.open(recorder.url).frames)
        #expect(abs(frames - 44_100) < 1_000)
    }

    @Test func `keeps what it has when an interruption comes, and goes on when it is told to`() async throws {
        let recorder = try recorder("a.flac")
        recorder.record()
        audio.device.advance(by: 0.5)
        await audio.service.tell(.interrupted(.other))
        #expect(!recorder.isRecording)
        await audio.service.tell(.interruptionEnded(shouldResume: false))
        #expect(!recorder.isRecording)
        #expect(await delegate.calls.first(2) == ["interrupted", "interruption ended 0"])
        recorder.record()
        audio.device.advance(by: 0.5)
        recorder.stop()
        let frames = try #require(SoundFile.open(recorder.url).frames)
        #expect(abs(frames - 44_100) < 1_000)
    }

    @Test func `has meters`() throws {
        let recorder = try recorder("a.wav")
        recorder.isMeteringEnabled = true
        recorder.record()
        hear(44_100)
        audio.device.advance(by: 0.5)
        recorder.updateMeters()
        #expect(abs(recorder.peakPower(forChannel: 0) + 6) < 0.5)
        #expect(abs(recorder.averagePower(forChannel: 0) + 9) < 1)
    }

    @Test func `deletes its file when it is stopped`() throws {
        let recorder = try recorder("a.wav")
        recorder.record()
        #expect(!recorder.deleteRecording())
        recorder.stop()
        #expect(recorder.deleteRecording())
        #expect(!FileManager.default.fileExists(atPath: recorder.url.path))
        #expect(!recorder.deleteRecording())
    }

    @Test func `says what it writes`() throws {
        let recorder = try recorder("a.wav", [AVSampleRateKey: 8_000, AVLinearPCMBitDepthKey: 24])
        #expect(recorder.format.sampleRate == 8_000)
        #expect(recorder.format.channelCount == 1)
        #expect(recorder.settings[AVLinearPCMBitDepthKey] as? Int == 24)
        #expect(recorder.settings[AVFormatIDKey] as? UInt32 == kAudioFormatLinearPCM)
    }
}
