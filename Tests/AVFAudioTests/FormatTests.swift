import AVFAudio
import AudioDevices
import AudioTesting
import CAudioCodecs
import Foundation
import Testing

@Suite struct `Formats` {
    let audio = AppAudio()
    let folder: Folder

    init() throws { folder = try Folder() }

    /// A name, libsndfile's numbers of container and encoding, and the rate.
    static let known: [(name: String, format: Int, rate: Int, isExact: Bool)] = [
        ("a.wav", Int(SF_FORMAT_WAV) | Int(SF_FORMAT_PCM_16), 44_100, true),
        ("u8.wav", Int(SF_FORMAT_WAV) | Int(SF_FORMAT_PCM_U8), 22_050, false),
        ("24.wav", Int(SF_FORMAT_WAV) | Int(SF_FORMAT_PCM_24), 96_000, true),
        ("float.wav", Int(SF_FORMAT_WAV) | Int(SF_FORMAT_FLOAT), 48_000, true),
        ("ulaw.wav", Int(SF_FORMAT_WAV) | Int(SF_FORMAT_ULAW), 8_000, false),
        ("ima.wav", Int(SF_FORMAT_WAV) | Int(SF_FORMAT_IMA_ADPCM), 44_100, false),
        ("ext.wav", Int(SF_FORMAT_WAVEX) | Int(SF_FORMAT_PCM_16), 44_100, true),
        ("a.aiff", Int(SF_FORMAT_AIFF) | Int(SF_FORMAT_PCM_16), 44_100, true),
        ("a.caf", Int(SF_FORMAT_CAF) | Int(SF_FORMAT_PCM_16), 44_100, true),
        ("alac.caf", Int(SF_FORMAT_CAF) | Int(SF_FORMAT_ALAC_16), 44_100, true),
        ("a.au", Int(SF_FORMAT_AU) | Int(SF_FORMAT_PCM_16), 44_100, true),
        ("a.w64", Int(SF_FORMAT_W64) | Int(SF_FORMAT_PCM_16), 44_100, true),
        ("a.rf64", Int(SF_FORMAT_RF64) | Int(SF_FORMAT_PCM_16), 44_100, true),
        ("a.flac", Int(SF_FORMAT_FLAC) | Int(SF_FORMAT_PCM_16), 44_100, true),
        ("24.flac", Int(SF_FORMAT_FLAC) | Int(SF_FORMAT_PCM_24), 96_000, true),
        ("a.ogg", Int(SF_FORMAT_OGG) | Int(SF_FORMAT_VORBIS), 44_100, false),
        ("a.opus", Int(SF_FORMAT_OGG) | Int(SF_FORMAT_OPUS), 48_000, false),
        ("a.mp3", Int(SF_FORMAT_MPEG) | Int(SF_FORMAT_MPEG_LAYER_III), 44_100, false),
    ]

    @Test(arguments: known.indices) func `are decoded, each that libsndfile knows`(_ index: Int) throws {
        let (name, format, rate, isExact) = Self.known[index]
        let url = try makeSound(
            folder.file(name), kind: SoundKind(rawValue: Int32(format)), seconds: 1, rate: rate)
        for file in [
            try SoundFile.open(url), try SoundFile.open(SoundAccess(DataBytes(Data(contentsOf: url))), name: name),
        ] {
            #expect(file.rate == rate)
            #expect(file.channels == 2)
            #expect(abs((file.frames ?? 0) - rate) < 4_000)
            var samples: [Float] = []
            while case let block = file.read(1_000), !block.isEmpty { samples += block }
            #expect(abs(samples.count / 2 - rate) < 4_000)
            #expect(abs(pitch(samples, rate: rate) - 440) < 25)
            if isExact { #expect(abs(peak(samples) - 0.5) < 0.001) }
            // And again from the middle.
            let middle = try #require(file.seek(to: rate / 2))
            #expect(abs(middle - rate / 2) < 2_400)
            #expect(!file.read(100).isEmpty)
        }
        let player = try audio.use { try AVAudioPlayer(contentsOf: url) }
        #expect(player.play())
        audio.device.advance(by: 0.4)
        #expect(abs(player.currentTime - 0.4) < 0.01)
    }

    @Test func `say what they are`() throws {
        let url = try makeSound(folder.file("a.wav"), rate: 22_050, channels: 1)
        let player = try audio.use { try AVAudioPlayer(contentsOf: url) }
        #expect(player.settings[AVSampleRateKey] as? Double == 22_050)
        #expect(player.settings[AVFormatIDKey] as? UInt32 == kAudioFormatLinearPCM)
        #expect(player.settings[AVLinearPCMBitDepthKey] as? Int == 16)
        #expect(player.format == AVAudioFormat(standardFormatWithSampleRate: 22_050, channels: 1))
        #expect(player.numberOfChannels == 1)
        let none = AVAudioFormat(standardFormatWithSampleRate: 0, channels: 1) ?? AVAudioFormat()
        #expect((none.commonFormat, none.sampleRate, none.channelCount) == (.otherFormat, 0, 0))
    }

    /// How such a file begins, and the words by which the error names it.
    static let foreign: [(start: [UInt8], words: String)] = [
        ([0xff, 0xf1, 0x50, 0x80], "AAC"),
        (Array("#EXTM3U\n".utf8), "HLS"), ([0x1a, 0x45, 0xdf, 0xa3], "WebM"), (Array("MThd".utf8), "MIDI"),
        (Array("Once upon a time there was a king.".utf8), "in no format"),
    ]

    @Test(arguments: foreign.indices) func `that are not known are refused by name`(_ index: Int) throws {
        let url = folder.file("foreign")
        try Data(Self.foreign[index].start + [UInt8](repeating: 7, count: 500)).write(to: url)
        let error = try #require(throws: NSError.self) { try AVAudioPlayer(contentsOf: url) }
        #expect(error.localizedDescription.contains(Self.foreign[index].words))
        #expect(error.code == 0x7479_703f)
        #expect(error.domain == NSOSStatusErrorDomain)
        #expect(throws: NSError.self) { try AVAudioPlayer(data: Data(contentsOf: url)) }
    }

    @Test func `of files that are not there, or none, are refused`() throws {
        let missing = try #require(throws: NSError.self) { try AVAudioPlayer(contentsOf: folder.file("none.wav")) }
        #expect(missing.code == -43)
        #expect(throws: NSError.self) { try AVAudioPlayer(contentsOf: folder.url) }
        #expect(throws: NSError.self) { try AVAudioPlayer(contentsOf: URL(fileURLWithPath: "/dev/zero")) }
        #expect(throws: NSError.self) {
            try AVAudioPlayer(contentsOf: #require(URL(string: "https://x.example/a.mp3")))
        }
        #expect(throws: NSError.self) { try AVAudioPlayer(data: Data()) }
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

    @Test(arguments: known.indices) func `that are damaged do no harm`(_ index: Int) throws {
        let (name, format, rate, _) = Self.known[index]
        let url = try makeSound(
            folder.file(name), kind: SoundKind(rawValue: Int32(format)), seconds: 0.1, rate: rate)
        let whole = try Data(contentsOf: url)
        var dice = Dice(state: UInt64(index) + 88_172_645)
        for attempt in 0..<40 {
            var data = whole
            if attempt % 4 == 0 { data.removeLast(Int.random(in: 0..<data.count, using: &dice)) }
            for _ in 0..<Int.random(in: 1...12, using: &dice) where !data.isEmpty {
                // Most of the harm is done near the begin.
                let end = attempt % 2 == 0 ? min(200, data.count) : data.count
                data[Int.random(in: 0..<end, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
            }
            guard let file = try? SoundFile.open(SoundAccess(DataBytes(data)), name: name) else { continue }
            var left = 200
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
