import AVFAudio
import AudioDevices
import AudioTesting
import Foundation
import Testing

@Suite(.enabled(if: MediaLibrary.isThere, Comment(rawValue: aacIsMissing))) struct `AAC` {
    let audio = AppAudio()
    let folder: Folder

    init() throws { folder = try Folder() }

    private func samples(_ file: SoundFile) -> [Float] {
        var all: [Float] = []
        while case let block = file.read(1_000), !block.isEmpty { all += block }
        return all
    }

    /// How much of a sound is the sine that was written, from a place on: 1 if all of it is, and in its place.
    private func likeness(_ samples: [Float], _ file: SoundFile, from start: Int = 0) -> Float {
        var (product, own, other): (Float, Float, Float) = (0, 0, 0)
        for frame in 0..<samples.count / file.channels {
            let (one, two) = (samples[frame * file.channels], sine(start + frame, rate: file.rate))
            product += one * two
            own += one * one
            other += two * two
        }
        return product / max(1e-9, (own * other).squareRoot())
    }

    static let shapes: [(rate: Int, channels: Int, frames: Int)] = [
        (44_100, 2, 44_100), (48_000, 1, 48_000), (22_050, 2, 30_001), (8_000, 1, 8_191), (48_000, 2, 1_024),
        (44_100, 1, 1), (96_000, 2, 100_000), (48_000, 6, 20_000),
    ]

    @Test(arguments: shapes.indices, ["a.m4a", "a.caf"])
    func `comes back as long, as high and as loud as it was, and in its place`(_ index: Int, _ name: String) throws {
        let (rate, channels, frames) = Self.shapes[index]
        let kind = try SoundKind(folder.file(name), [AVFormatIDKey: kAudioFormatMPEG4AAC])
        let url = try makeSound(
            folder.file(name), kind: kind, seconds: Double(frames) / Double(rate), rate: rate, channels: channels)
        for file in [
            try SoundFile.open(url), try SoundFile.open(SoundAccess(DataBytes(Data(contentsOf: url))), name: name),
        ] {
            #expect(file.rate == rate)
            #expect(file.channels == channels)
            #expect(file.frames == frames)
            #expect(file.kind.formatID == kAudioFormatMPEG4AAC)
            let all = samples(file)
            #expect(all.count == frames * channels)
            #expect(file.failure == nil)
            guard frames > 4_000 else { continue }
            #expect(likeness(all, file) > 0.99)
            #expect(abs(pitch(all, rate: rate, channels: channels) - 440) < 10)
            #expect(abs(peak(all.dropFirst(2_048 * channels).dropLast(2_048 * channels)) - 0.5) < 0.05)
        }
    }

    @Test func `is sought to the frame`() throws {
        let url = try makeSound(folder.file("a.m4a"), seconds: 3, rate: 48_000, channels: 1)
        let file = try SoundFile.open(url)
        let all = samples(file)
        for frame in [0, 1, 1_023, 1_024, 1_025, 70_000, 143_000, 143_999] {
            #expect(file.seek(to: frame) == frame)
            let part = file.read(2_000)
            #expect(part.count == min(2_000, 144_000 - frame))
            #expect(zip(part, all[frame...]).allSatisfy { abs($0 - $1) < 0.02 }, "from \(frame)")
        }
        #expect(file.seek(to: 144_000) == 144_000)
        #expect(file.read(10).isEmpty)
        #expect(file.seek(to: .max) == 144_000)
        #expect(file.seek(to: -5) == 0)
        #expect(file.read(10).count == 10)
    }

    @Test func `without a container begins with what the encoder adds`() throws {
        let url = try makeSound(folder.file("a.aac"), seconds: 1, rate: 44_100)
        let file = try SoundFile.open(url)
        #expect(file.kind.formatID == kAudioFormatMPEG4AAC)
        let frames = try #require(file.frames)
        #expect(frames >= 44_100 + 1_024 && frames % 1_024 == 0)
        #expect(file.seek(to: 1_024 + 5_000) == 6_024)
        #expect(likeness(file.read(20_000), file, from: 5_000) > 0.99)
        // Words about it may come first, as radio sends them; and something else in between.
        var tagged = Data("ID3".utf8) + [4, 0, 0, 0, 0, 1, 2] + Data(count: 130)
        tagged += try Data(contentsOf: url)
        let radio = try SoundFile.open(SoundAccess(DataBytes(tagged)), name: "radio")
        #expect(radio.frames == frames)
    }

    @Test func `with something else in between is sought to the frame`() throws {
        var data = try Data(contentsOf: makeSound(folder.file("a.aac"), seconds: 3, rate: 44_100, channels: 1))
        data.insert(contentsOf: Data(count: 500), at: data.count / 4)
        let file = try SoundFile.open(SoundAccess(DataBytes(data)), name: "a.aac")
        let all = samples(file)
        #expect(all.count == file.frames)
        for frame in [0, 1, 20_000, 60_000, 100_000] {
            #expect(file.seek(to: frame) == frame)
            #expect(zip(file.read(2_000), all[frame...]).allSatisfy { abs($0 - $1) < 0.02 }, "from \(frame)")
        }
    }

    @Test(arguments: ["a.m4a", "a.caf", "a.aac"]) func `is recorded, and played`(_ name: String) async throws {
        let settings: [String: Any] = [
            AVFormatIDKey: Int(kAudioFormatMPEG4AAC), AVSampleRateKey: 44_100.0, AVNumberOfChannelsKey: 1,
            AVEncoderAudioQualityKey: AVAudioQuality.high.rawValue,
        ]
        let recorder = try audio.use { try AVAudioRecorder(url: folder.file(name), settings: settings) }
        #expect(recorder.format.settings[AVFormatIDKey] as? UInt32 == kAudioFormatMPEG4AAC)
        #expect(recorder.record(forDuration: 1))
        audio.device.inputs.first?.hear { sine($0) }
        audio.device.advance(by: 2)
        await mainThreadIsDone()
        let player = try audio.use { try AVAudioPlayer(contentsOf: recorder.url) }
        #expect(abs(player.duration - 1) < 0.05)
        if name != "a.aac" { #expect(player.duration == 1) }
        #expect(player.settings[AVFormatIDKey] as? UInt32 == kAudioFormatMPEG4AAC)
        player.currentTime = 0.25
        #expect(player.play())
        audio.device.advance(by: 0.5)
        #expect(abs(player.currentTime - 0.75) < 0.01)
        #expect(abs(pitch(audio.heard, rate: 44_100) - 440) < 20)
    }

    @Test func `begins and ends where its file says, in whatever way it does`() throws {
        let whole = try Data(contentsOf: makeSound(folder.file("a.m4a"), seconds: 1, rate: 48_000))
        var data = whole
        func without(_ word: String) throws -> SoundFile {
            let place = try #require(data.range(of: Data(word.utf8)))
            data.replaceSubrange(place, with: Data(repeating: UInt8(ascii: "x"), count: word.utf8.count))
            return try SoundFile.open(SoundAccess(DataBytes(data)), name: "a.m4a")
        }
        // What Apple's programs write; then the edit list alone; then neither, which has all that was encoded.
        let edited = try without("iTunSMPB")
        #expect(edited.frames == 48_000)
        #expect(likeness(samples(edited), edited) > 0.99)
        #expect(try without("elst").frames == 48_000 + 1_024)
    }

    @Test func `is a file for buffers, too`() throws {
        let url = folder.file("a.m4a")
        let settings: [String: Any] = [
            AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 2,
        ]
        let file = try AVAudioFile(forWriting: url, settings: settings)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 5_000))
        buffer.frameLength = 5_000
        for _ in 0..<3 { try file.write(from: buffer) }
        #expect(file.length == 15_000)
        file.close()
        let read = try AVAudioFile(forReading: url)
        #expect(read.length == 15_000)
        read.framePosition = 14_000
        try read.read(into: buffer)
        #expect(buffer.frameLength == 1_000)
    }

    @Test func `takes as many bits as it may`() throws {
        func size(_ settings: [String: Any]) throws -> Int {
            let url = folder.file("a.m4a")
            let file = try AVAudioFile(
                forWriting: url,
                settings: settings.merging([AVFormatIDKey: kAudioFormatMPEG4AAC, AVNumberOfChannelsKey: 1]) { $1 })
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 88_200))
            buffer.frameLength = 88_200
            var dice = Dice(state: 1)
            let channel = try unsafe #require(buffer.floatChannelData)
            for frame in 0..<88_200 { unsafe channel[0][frame] = .random(in: -0.5...0.5, using: &dice) }
            try file.write(from: buffer)
            file.close()
            return try Data(contentsOf: url).count
        }
        let (little, usual, much) = try (
            size([AVEncoderBitRateKey: 24_000]), size([:]), size([AVEncoderBitRatePerChannelKey: 160_000])
        )
        #expect(little < usual && usual < much)
        #expect(abs(Double(usual) / 16_000 - 1) < 0.25, "64,000 bits a second, for two of them")
    }

    // MARK: What cannot be read or written

    private func kind(_ data: Data) -> SoundFileError.Kind? {
        do throws(SoundFileError) {
            _ = try SoundFile.open(SoundAccess(DataBytes(data)), name: "x.m4a")
            return nil
        } catch {
            return error.kind
        }
    }

    @Test func `that was cut off is refused`() throws {
        let whole = try Data(contentsOf: makeSound(folder.file("a.m4a"), seconds: 0.5))
        #expect(kind(whole) == nil)
        for length in [8, 40, 100, whole.count / 2] {
            #expect(kind(whole.prefix(length)) == .broken, "\(length) of \(whole.count) bytes")
        }
        let caf = try Data(
            contentsOf: makeSound(
                folder.file("a.caf"), kind: SoundKind(folder.file("a.caf"), [AVFormatIDKey: kAudioFormatMPEG4AAC]),
                seconds: 0.5))
        for length in [64, 200, caf.count / 2] { #expect(kind(caf.prefix(length)) == .broken) }
        // What lacks the last byte of its index has all of its sound.
        for data in [whole.dropLast(), caf.dropLast()] {
            let file = try SoundFile.open(SoundAccess(DataBytes(data)), name: "x")
            #expect(abs(samples(file).count / 2 - 22_050) <= 1_024)
        }
        let file = folder.file("cut.m4a")
        try whole.prefix(whole.count / 2).write(to: file)
        let error = try #require(throws: NSError.self) { try AVAudioPlayer(contentsOf: file) }
        #expect(error.domain == NSOSStatusErrorDomain)
        #expect(error.localizedDescription.contains("cut off"))
    }

    @Test func `with a broken packet is silent there, and goes on`() throws {
        let url = try makeSound(folder.file("a.m4a"), seconds: 2, rate: 48_000, channels: 1)
        var data = try Data(contentsOf: url)
        // In the middle of its sound, which comes before its index.
        let middle = data.count / 3
        data.replaceSubrange(middle..<middle + 600, with: Data(repeating: 0xff, count: 600))
        let file = try SoundFile.open(SoundAccess(DataBytes(data)), name: "a.m4a")
        let all = samples(file)
        #expect(all.count == 96_000)
        #expect(likeness(Array(all.suffix(30_000)), file, from: 66_000) > 0.99)
    }

    @Test func `of which nothing can be decoded is refused`() throws {
        var data = try Data(contentsOf: makeSound(folder.file("a.m4a"), seconds: 1, channels: 1))
        let index = try #require(data.range(of: Data("moov".utf8)))
        data.replaceSubrange(100..<index.lowerBound - 4, with: Data(repeating: 0xff, count: index.lowerBound - 104))
        #expect(kind(data) == .broken)
    }

    /// A name of a box, the bytes behind it that are changed, and what they become.
    static let lies: [(box: String, offset: Int, bytes: [UInt8])] = [
        ("stsz", 12, [0x7f, 0xff, 0xff, 0xff]), ("stsz", 8, [0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff]),
        ("stsc", 12, [0xff, 0xff, 0xff, 0xff]), ("stco", 12, [0xff, 0xff, 0xff, 0xff]), ("mdhd", 16, [0, 0, 0, 0]),
        ("stco", 8, [0, 0, 0, 0]), ("esds", 0, [0x7f]), ("mp4a", -4, [0xff, 0xff, 0xff, 0xff]),
        ("moov", -4, [0x7f, 0xff, 0xff, 0xff]), ("trak", -4, [0, 0, 0, 1]),
    ]

    @Test(arguments: lies.indices) func `that lies is refused, or read as far as it goes`(_ index: Int) throws {
        let (box, offset, bytes) = Self.lies[index]
        var data = try Data(contentsOf: makeSound(folder.file("a.m4a"), seconds: 0.2))
        let place = try #require(data.range(of: Data(box.utf8))).lowerBound + offset
        data.replaceSubrange(place..<place + bytes.count, with: bytes)
        guard let file = try? SoundFile.open(SoundAccess(DataBytes(data)), name: "a.m4a") else { return }
        #expect(samples(file).count <= 200 * 4_096 * 2)
    }

    @Test func `that says it is longer than any sound is read to its end`() throws {
        let url = folder.file("a.caf")
        let kind = try SoundKind(url, [AVFormatIDKey: kAudioFormatMPEG4AAC])
        let whole = try Data(contentsOf: makeSound(url, kind: kind, seconds: 0.5, channels: 1))
        // Behind the word and the length of the table come its packets, then the frames.
        let place = try #require(whole.range(of: Data("pakt".utf8))).upperBound + 16
        for bytes in [
            [0x7f] + [UInt8](repeating: 0xff, count: 7), [0x80, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0],
        ] {
            var data = whole
            data.replaceSubrange(place..<place + 8, with: bytes)
            let file = try SoundFile.open(SoundAccess(DataBytes(data)), name: "a.caf")
            #expect(abs(samples(file).count - 22_050) <= 2_048)
            file.seek(to: .max)
            #expect(file.read(10).isEmpty)
            #expect(file.seek(to: 17) == 17)
        }
    }

    @Test func `says which rates and channels it can have`() throws {
        for (rate, channels) in [(12_345, 1), (192_000, 2), (44_100, 20)] {
            let settings: [String: Any] = [AVSampleRateKey: rate, AVNumberOfChannelsKey: channels]
            let error = try #require(throws: NSError.self) {
                try audio.use { try AVAudioRecorder(url: folder.file("a.m4a"), settings: settings) }
            }
            #expect(error.localizedDescription.contains("AAC"))
            #expect(throws: NSError.self) { try AVAudioFile(forWriting: folder.file("a.m4a"), settings: settings) }
        }
        #expect(throws: NSError.self) {
            try AVAudioFile(forWriting: folder.file("a.m4a"), settings: [AVFormatIDKey: kAudioFormatAppleLossless])
        }
        #expect(throws: NSError.self) {
            try AVAudioFile(forWriting: URL(fileURLWithPath: "/nowhere/a.m4a"), settings: [:])
        }
    }

    /// The same numbers each time.
    private struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }

    @Test(arguments: ["a.m4a", "a.caf", "a.aac"]) func `that is damaged does no harm`(_ name: String) throws {
        let kind = try SoundKind(folder.file(name), [AVFormatIDKey: kAudioFormatMPEG4AAC])
        let whole = try Data(contentsOf: makeSound(folder.file(name), kind: kind, seconds: 0.1))
        let place = whole.range(of: Data("moov".utf8)) ?? whole.range(of: Data("pakt".utf8))
        let index = place?.lowerBound ?? 0
        var dice = Dice(state: 88_172_645)
        for attempt in 0..<160 {
            var data = whole
            if attempt % 8 == 0 { data.removeLast(Int.random(in: 0..<data.count, using: &dice)) }
            let end = data.count
            for _ in 0..<Int.random(in: 1...8, using: &dice) where end > 0 {
                // Most of the harm is done in the index.
                let start = attempt % 2 == 0 && index < end ? index : 0
                data[Int.random(in: start..<end, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
            }
            guard let file = try? SoundFile.open(SoundAccess(DataBytes(data)), name: name) else { continue }
            var left = 100
            while left > 0, case let block = file.read(1_000), !block.isEmpty {
                let strange = block.filter { !$0.isFinite }
                #expect(strange.isEmpty)
                left -= 1
            }
            file.seek(to: 1_000_000)
            file.seek(to: 17)
            _ = file.read(10)
        }
    }
}
