import AVFAudio
import AudioDevices
import AudioTesting
import Foundation
import Testing

/// What libsndfile does not read, as another program writes it. One after the other: tests beside these hear a sound
/// server, which a busy machine makes late.
@Suite(.serialized, .enabled(if: Encoder.isThere && MediaLibrary.isThere, Comment(rawValue: Encoder.isMissing)))
struct `Media files` {
    let audio = AppAudio()
    let folder: Folder

    init() throws { folder = try Folder() }

    struct Shape: Sendable {
        let name: String
        let rate: Int
        let channels: Int
        let formatID: UInt32
        let options: [String]
        /// Frames a second that come out, where they are others.
        var heard: Int?
        /// Whether the file says how long its sound is, to the frame.
        var isExact = true
    }

    static let shapes: [Shape] = [
        Shape(
            name: "ima4.caf", rate: 44_100, channels: 2, formatID: kAudioFormatAppleIMA4,
            options: ["-c:a", "adpcm_ima_qt"], isExact: false),
        Shape(
            name: "ima4-mono.caf", rate: 22_050, channels: 1, formatID: kAudioFormatAppleIMA4,
            options: ["-c:a", "adpcm_ima_qt"], isExact: false),
        Shape(
            name: "ima4.aiff", rate: 44_100, channels: 1, formatID: kAudioFormatAppleIMA4,
            options: ["-c:a", "adpcm_ima_qt", "-f", "aiff"], isExact: false),
        Shape(
            name: "ima4.mov", rate: 44_100, channels: 2, formatID: kAudioFormatAppleIMA4,
            options: ["-c:a", "adpcm_ima_qt"], isExact: false),
        Shape(
            name: "opus.caf", rate: 48_000, channels: 2, formatID: kAudioFormatOpus, options: ["-c:a", "libopus"],
            isExact: false),
        Shape(
            name: "opus-mono.caf", rate: 48_000, channels: 1, formatID: kAudioFormatOpus,
            options: ["-c:a", "libopus", "-b:a", "24k"], isExact: false),
        Shape(
            name: "opus-low.caf", rate: 16_000, channels: 1, formatID: kAudioFormatOpus,
            options: ["-c:a", "libopus", "-frame_duration", "60"], heard: 48_000, isExact: false),
        Shape(
            name: "opus.mp4", rate: 48_000, channels: 2, formatID: kAudioFormatOpus, options: ["-c:a", "libopus"]),
        Shape(
            name: "lossless.m4a", rate: 44_100, channels: 2, formatID: kAudioFormatAppleLossless,
            options: ["-c:a", "alac"]),
        Shape(name: "aac.mov", rate: 48_000, channels: 2, formatID: kAudioFormatMPEG4AAC, options: ["-c:a", "aac"]),
        Shape(
            name: "index-first.m4a", rate: 44_100, channels: 1, formatID: kAudioFormatMPEG4AAC,
            options: ["-c:a", "aac", "-movflags", "+faststart"]),
        Shape(
            name: "fragments.mp4", rate: 44_100, channels: 2, formatID: kAudioFormatMPEG4AAC,
            options: ["-c:a", "aac", "-movflags", "frag_keyframe+empty_moov", "-frag_duration", "500000"],
            isExact: false),
        Shape(
            name: "with-pictures.mp4", rate: 44_100, channels: 2, formatID: kAudioFormatMPEG4AAC,
            options: ["-c:a", "aac", "-c:v", "mpeg4"]),
        Shape(
            name: "mp3.mp4", rate: 44_100, channels: 2, formatID: kAudioFormatMPEGLayer3,
            options: ["-c:a", "libmp3lame"], isExact: false),
        Shape(
            name: "mp3.wav", rate: 44_100, channels: 2, formatID: kAudioFormatMPEGLayer3,
            options: ["-c:a", "libmp3lame"], isExact: false),
        Shape(
            name: "dolby.mp4", rate: 48_000, channels: 2, formatID: kAudioFormatAC3, options: ["-c:a", "ac3"],
            isExact: false),
        Shape(
            name: "dolby.caf", rate: 44_100, channels: 1, formatID: kAudioFormatAC3, options: ["-c:a", "ac3"],
            isExact: false),
        Shape(
            name: "mp3.caf", rate: 44_100, channels: 2, formatID: kAudioFormatMPEGLayer3,
            options: ["-c:a", "libmp3lame"], isExact: false),
        Shape(
            name: "flac.mp4", rate: 44_100, channels: 2, formatID: kAudioFormatFLAC,
            options: ["-c:a", "flac", "-strict", "-2"]),
        Shape(
            name: "samples.mov", rate: 44_100, channels: 2, formatID: kAudioFormatLinearPCM,
            options: ["-c:a", "pcm_s16be"]),
        Shape(
            name: "gsm.caf", rate: 8_000, channels: 1, formatID: 0x6167_736d, options: ["-c:a", "libgsm"],
            isExact: false),
        Shape(
            name: "aac.aac", rate: 44_100, channels: 2, formatID: kAudioFormatMPEG4AAC, options: ["-c:a", "aac"],
            isExact: false),
    ]

    private func samples(_ file: SoundFile) -> [Float] {
        var all: [Float] = []
        while case let block = file.read(1_000), !block.isEmpty { all += block }
        return all
    }

    /// All of them, made once.
    private static let made: [Result<Data, any Error>] = shapes.map { shape in
        Result {
            let folder = try Folder()
            let url = folder.file(shape.name)
            defer { withExtendedLifetime(folder) {} }
            try Encoder.make(url, rate: shape.rate, channels: shape.channels, shape.options)
            return try Data(contentsOf: url)
        }
    }

    @Test(arguments: shapes.indices) func `are played, to the frame`(_ index: Int) throws {
        let shape = Self.shapes[index]
        let url = folder.file(shape.name)
        try Self.made[index].get().write(to: url)
        let (rate, channels) = (shape.heard ?? shape.rate, shape.channels)
        for file in [
            try SoundFile.open(url),
            try SoundFile.open(SoundAccess(DataBytes(Data(contentsOf: url))), name: shape.name),
        ] {
            #expect(file.rate == rate)
            #expect(file.channels == channels)
            #expect(file.kind.formatID == shape.formatID)
            let frames = try #require(file.frames)
            if shape.isExact { #expect(frames == 2 * rate) }
            // An encoder adds up to a tenth of a second, and not every file says so.
            #expect(abs(frames - 2 * rate) < rate / 10)
            let all = samples(file)
            #expect(file.failure == nil)
            // A file that only estimates its length may be off by two packets.
            #expect(shape.isExact ? all.count == frames * channels : abs(all.count / channels - frames) <= 2 * 1_152)
            let middle = Array(all[rate / 2 * channels..<rate * 3 / 2 * channels])
            #expect(abs(pitch(middle, rate: rate, channels: channels) - 440) < 5)
            // From the middle to the begin as well: a decoder may keep what it has decoded.
            for frame in [0, rate / 3, 1, rate, rate * 3 / 2 + 7] {
                #expect(file.seek(to: frame) == frame)
                let part = file.read(2_000)
                #expect(part.count == 2_000 * channels)
                let differences = zip(part, all[(frame * channels)...]).map { abs($0 - $1) }
                #expect(differences.allSatisfy { $0 < 0.03 }, "from \(frame): \(differences.max() ?? 0)")
            }
        }
        let player = try audio.use { try AVAudioPlayer(contentsOf: url) }
        #expect(player.play())
        audio.device.advance(by: 0.4)
        #expect(abs(player.currentTime - 0.4) < 0.01)
    }

    @Test func `that were cut off are played as far as they go, or refused`() throws {
        for (shape, made) in zip(Self.shapes, Self.made) {
            let whole = try made.get()
            for part in [10, 60, 200, whole.count / 3, whole.count / 2, whole.count - 1] {
                let data = whole.prefix(part)
                // A file that was cut off may be refused.
                guard let file = try? SoundFile.open(SoundAccess(DataBytes(data)), name: shape.name) else { continue }
                let frames = samples(file).count / file.channels
                #expect(frames <= 3 * file.rate, "\(shape.name), \(part) of \(whole.count) bytes")
                if let stated = file.frames, frames < stated - file.rate / 4 {
                    #expect(file.failure != nil, "\(shape.name), \(part) of \(whole.count) bytes")
                }
            }
        }
    }

    @Test(arguments: shapes.indices) func `that are damaged do no harm`(_ index: Int) throws {
        let shape = Self.shapes[index]
        let whole = try Self.made[index].get()
        var dice = Dice(state: UInt64(index) + 88_172_645)
        for attempt in 0..<40 {
            var data = whole
            if attempt % 8 == 0 { data.removeLast(Int.random(in: 0..<data.count, using: &dice)) }
            for _ in 0..<Int.random(in: 1...8, using: &dice) where !data.isEmpty {
                // Most of the harm is done where the file describes itself.
                let isEnd = attempt % 3 == 0
                let place = Int.random(in: 0..<min(data.count, attempt % 3 == 1 ? data.count : 2_000), using: &dice)
                data[isEnd ? data.count - 1 - place : place] = UInt8.random(in: 0...255, using: &dice)
            }
            // A damaged file may be refused.
            guard let file = try? SoundFile.open(SoundAccess(DataBytes(data)), name: shape.name) else { continue }
            var left = 300
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

    @Test func `that are not for the ears, or in an encoding that is not decoded, are refused by name`() throws {
        let silent = folder.file("silent.mp4")
        try Encoder.make(
            silent, rate: 44_100, channels: 1, ["-map", "1:v", "-c:v", "mpeg4", "-an"])
        let (vorbis, windows) = (folder.file("vorbis.mp4"), folder.file("windows.wav"))
        try Encoder.make(vorbis, rate: 44_100, channels: 2, ["-c:a", "libvorbis"])
        try Encoder.make(windows, rate: 44_100, channels: 1, ["-c:a", "wmav2"])
        for (url, words) in [
            (silent, "without sound"), (vorbis, "does not decode"), (windows, "does not decode"),
        ] {
            let error = try #require(throws: NSError.self) { try AVAudioPlayer(contentsOf: url) }
            #expect(error.localizedDescription.contains(words), "\(error.localizedDescription)")
            #expect(error.code == 0x7479_703f)
        }
    }
}
