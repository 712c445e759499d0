internal import CSpeech

/// What is spoken of a text, and how.
struct SpokenPiece: Sendable {
    var samples: [Float] = []
    /// Which frame a word begins with, and where it is in the text: in UTF-16.
    var words: [(frame: Int, range: NSRange)] = []
}

/// eSpeak NG, which is loaded with the first use.
enum SpeechLibrary {
    struct Voice: Hashable, Sendable {
        let name: String
        let language: String
        let gender: Int
    }

    /// What to do where it is missing.
    static let hint = "there is no speech synthesizer: install the Debian package libespeak-ng1"

    /// Frames per second; `nil` where it is missing.
    static let rate: Int? = {
        let rate = gr_speech_open()
        return rate > 0 ? Int(rate) : nil
    }()

    private final class Found {
        var voices: [Voice] = []
    }

    static let voices: [Voice] = {
        let found = Found()
        unsafe gr_speech_voices(
            { owner, name, language, gender in
                let voice = unsafe Voice(
                    name: String(cString: name), language: String(cString: language), gender: Int(gender))
                unsafe Unmanaged<Found>.fromOpaque(owner).takeUnretainedValue().voices.append(voice)
            }, Unmanaged.passUnretained(found).toOpaque())
        return withExtendedLifetime(found) { found.voices }
    }()

    private final class Hearing {
        var piece = SpokenPiece()
        var rate = 1
        var marks: [(position: Int, length: Int, milliseconds: Int)] = []
    }

    /// A minute of one piece is more than any sentence has.
    private static let mostFrames = 22_050 * 60

    /// - Parameters:
    ///   - rate: words per minute.
    ///   - pitch: 0 to 99; 50 is usual.
    static func speak(_ text: String, language: String, rate: Int, pitch: Int) -> SpokenPiece? {
        guard let frames = Self.rate else { return nil }
        let hearing = Hearing()
        hearing.rate = frames
        let owner = unsafe Unmanaged.passUnretained(hearing).toOpaque()
        let isSpoken = unsafe language.withCString { language in
            var setup = unsafe gr_speech_setup(
                language: language, words_per_minute: Int32(rate), pitch: Int32(pitch),
                samples: { owner, samples, count in
                    let hearing = unsafe Unmanaged<Hearing>.fromOpaque(owner).takeUnretainedValue()
                    let new = unsafe UnsafeBufferPointer(start: samples, count: Int(count)).map { Float($0) / 32_768 }
                    hearing.piece.samples += new
                    return hearing.piece.samples.count < SpeechLibrary.mostFrames
                },
                word: { owner, position, length, milliseconds in
                    unsafe Unmanaged<Hearing>.fromOpaque(owner).takeUnretainedValue().marks.append(
                        (Int(position), Int(length), Int(milliseconds)))
                }, owner: owner)
            return unsafe gr_speech_speak(text, &setup)
        }
        guard isSpoken else { return nil }
        let characters = Array(text.unicodeScalars)
        // It tells of some words twice, of their first letter too, and of some again at the end.
        var longest: [Int: Int] = [:]
        for mark in hearing.marks { longest[mark.position] = max(longest[mark.position] ?? 0, mark.length) }
        var last = 0
        hearing.marks = hearing.marks.filter { mark in
            guard mark.position > last, mark.length == longest[mark.position] else { return false }
            last = mark.position
            return true
        }
        hearing.piece.words = hearing.marks.compactMap { mark in
            // The library counts from 1.
            let start = max(0, mark.position - 1)
            guard start < characters.count else { return nil }
            let before = characters[..<start].reduce(0) { $0 + UTF16.width($1) }
            let word = characters[start..<min(start + max(1, mark.length), characters.count)]
            let range = NSRange(location: before, length: word.reduce(0) { $0 + UTF16.width($1) })
            return (mark.milliseconds * hearing.rate / 1000, range)
        }
        return hearing.piece
    }
}
