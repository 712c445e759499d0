internal import Synchronization

/// An utterance as a synthesizer hears it: spoken sentence by sentence, when it is needed.
final class SpeechSource: AudioSource {
    private struct State: Sendable {
        var utterance: AVSpeechUtterance?
        var pieces: ArraySlice<NSRange> = []
        var samples: ArraySlice<Float> = []
        var silence = 0
        var endSilence = 0
        var frames = 0
    }

    /// Frames per second.
    let rate: Int
    private let state = Mutex(State())
    /// Called with a word, and with how many frames from now it begins.
    private let word: @Sendable (AVSpeechUtterance, NSRange, Int) -> Void

    init(rate: Int, word: @escaping @Sendable (AVSpeechUtterance, NSRange, Int) -> Void) {
        (self.rate, self.word) = (rate, word)
    }

    func load(_ utterance: AVSpeechUtterance?) {
        state.withLock { state in
            state = State()
            guard let utterance else { return }
            state.utterance = utterance
            state.pieces = Self.pieces(utterance.speechString)[...]
            state.silence = Int(utterance.preUtteranceDelay * Double(rate))
            state.endSilence = Int(utterance.postUtteranceDelay * Double(rate))
        }
    }

    func render(_ frames: Int) -> AudioBlock {
        let (samples, words, utterance, rest) = state.withLock { state in
            var words: [(frame: Int, range: NSRange)] = []
            while state.silence == 0, state.samples.isEmpty, let piece = state.pieces.popFirst() {
                words += speak(piece, &state)
            }
            if state.silence == 0, state.samples.isEmpty, state.pieces.isEmpty {
                (state.silence, state.endSilence) = (state.endSilence, 0)
            }
            let quiet = min(frames, state.silence)
            state.silence -= quiet
            let part = quiet > 0 ? [Float](repeating: 0, count: quiet) : Array(state.samples.prefix(frames))
            if quiet == 0 { state.samples = state.samples.dropFirst(part.count) }
            let isOver =
                state.samples.isEmpty && state.pieces.isEmpty && state.silence == 0 && state.endSilence == 0
            return (part, words, state.utterance, isOver ? AudioBlock.Rest.ended : .more)
        }
        if let utterance {
            for one in words { word(utterance, one.range, one.frame) }
        }
        return AudioBlock(samples, rest: rest)
    }

    private func speak(_ range: NSRange, _ state: inout State) -> [(frame: Int, range: NSRange)] {
        guard let utterance = state.utterance else { return [] }
        let manner = utterance.manner.withLock { $0 }
        let text = (utterance.speechString as NSString).substring(with: range)
        let language = manner.voice ?? AVSpeechSynthesisVoice(language: nil)
        let piece = SpeechLibrary.speak(
            text, language: language?.synthesized ?? "en", rate: Self.wordsPerMinute(manner.rate),
            pitch: Self.pitch(manner.pitch))
        guard let piece else { return [] }
        state.samples = (manner.volume == 1 ? piece.samples : piece.samples.map { $0 * manner.volume })[...]
        return piece.words.map { word in
            (word.frame, NSRange(location: range.location + word.range.location, length: word.range.length))
        }
    }

    /// The library speaks from 80 to 450 words; 175 are usual, and Apple's 0.5.
    private static func wordsPerMinute(_ rate: Float) -> Int {
        rate <= 0.5 ? Int(80 + (rate / 0.5) * 95) : Int(175 + (rate - 0.5) / 0.5 * 275)
    }

    private static func pitch(_ multiplier: Float) -> Int {
        Int(max(0, min(99, 50 + 50 * log2(multiplier))))
    }

    /// Sentences, or what of a longer one is spoken at once.
    static func pieces(_ text: String) -> [NSRange] {
        let most = 400
        var pieces: [NSRange] = []
        let units = text as NSString
        var start = 0
        while start < units.length {
            var end = min(start + most, units.length)
            let window = NSRange(location: start, length: end - start)
            let stop = units.rangeOfCharacter(
                from: CharacterSet(charactersIn: ".!?\n。！？"), options: [], range: window)
            if stop.location != NSNotFound {
                end = stop.location + stop.length
            } else if end < units.length {
                let space = units.rangeOfCharacter(from: .whitespacesAndNewlines, options: .backwards, range: window)
                if space.location != NSNotFound, space.location > start { end = space.location + space.length }
                end = max(start + 1, units.rangeOfComposedCharacterSequence(at: min(end, units.length - 1)).location)
            }
            pieces.append(NSRange(location: start, length: end - start))
            start = end
        }
        return pieces.filter { range in
            units.substring(with: range).unicodeScalars.contains { !CharacterSet.whitespacesAndNewlines.contains($0) }
        }
    }
}
