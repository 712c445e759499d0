import AVFAudio
import AudioDevices
import AudioModel
import AudioTesting
import AudioWire
import Foundation
import Testing

// The bells are safe to share.
private final class Delegate: NSObject, AVSpeechSynthesizerDelegate, @unchecked Sendable {
    let calls = Bell<String>()
    let words = Bell<String>()

    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didStart utterance: AVSpeechUtterance) {
        calls.ring("start \(utterance.speechString)")
    }
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance) {
        calls.ring("finish \(utterance.speechString)")
    }
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didPause utterance: AVSpeechUtterance) {
        calls.ring("pause")
    }
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didContinue utterance: AVSpeechUtterance) {
        calls.ring("continue")
    }
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didCancel utterance: AVSpeechUtterance) {
        calls.ring("cancel \(utterance.speechString)")
    }
    func speechSynthesizer(
        _ synthesizer: AVSpeechSynthesizer, willSpeakRangeOfSpeechString characterRange: NSRange,
        utterance: AVSpeechUtterance
    ) { words.ring((utterance.speechString as NSString).substring(with: characterRange)) }
}

private let isInstalled = !AVSpeechSynthesisVoice.speechVoices().isEmpty

@Suite(.enabled(if: isInstalled, "libespeak-ng1 is not installed")) struct `A speech synthesizer` {
    let audio = AppAudio()
    private let delegate = Delegate()
    let synthesizer: AVSpeechSynthesizer

    init() {
        synthesizer = audio.use { AVSpeechSynthesizer() }
        synthesizer.delegate = delegate
    }

    private func utterance(_ text: String) -> AVSpeechUtterance {
        let utterance = AVSpeechUtterance(string: text)
        utterance.voice = AVSpeechSynthesisVoice(language: "en-US")
        return utterance
    }

    @Test func `speaks word by word and tells of each`() async {
        synthesizer.speak(utterance("Turn left now. Then go on, naïve 🚗 driver."))
        #expect(synthesizer.isSpeaking)
        audio.device.advance(by: 20)
        #expect(await delegate.calls.first(2).map { $0.prefix(5) } == ["start", "finis"])
        #expect(delegate.words.all.prefix(5) == ["Turn", "left", "now", "Then", "go"])
        #expect(delegate.words.all.contains("driver"))
        #expect(!synthesizer.isSpeaking)
        #expect(peak(audio.heard) > 0.1)
        #expect(audio.device.outputs.map(\.setup.channels) == [1])
        #expect(audio.service.methods == [.start, .stop])
    }

    @Test func `speaks one text after the other`() async {
        synthesizer.speak(utterance("One"))
        synthesizer.speak(utterance("Two"))
        audio.device.advance(by: 10)
        #expect(await delegate.calls.first(4) == ["start One", "finish One", "start Two", "finish Two"])
    }

    @Test func `pauses and goes on`() async {
        synthesizer.speak(utterance("A sentence that is long enough to pause in the midst of it."))
        audio.device.advance(by: 0.5)
        #expect(synthesizer.pauseSpeaking(at: .immediate))
        #expect(synthesizer.isPaused && synthesizer.isSpeaking)
        #expect(!synthesizer.pauseSpeaking(at: .immediate))
        let heard = audio.heard.count
        audio.device.advance(by: 5)
        #expect(audio.heard.count == heard)
        #expect(synthesizer.continueSpeaking())
        #expect(!synthesizer.continueSpeaking())
        audio.device.advance(by: 20)
        let calls = await delegate.calls.first(4)
        #expect(calls.dropFirst().prefix(2) == ["pause", "continue"])
        #expect(calls.last?.hasPrefix("finish") == true)
    }

    @Test func `pauses before a word`() async {
        synthesizer.speak(utterance("Some words that come one after the other"))
        audio.device.advance(by: 0.3)
        #expect(synthesizer.pauseSpeaking(at: .word))
        audio.device.advance(by: 3)
        #expect(synthesizer.isPaused)
        #expect(await delegate.calls.first(2).last == "pause")
    }

    @Test func `stops and forgets the rest`() async {
        synthesizer.speak(utterance("First sentence of several"))
        synthesizer.speak(utterance("Second"))
        audio.device.advance(by: 0.3)
        #expect(synthesizer.stopSpeaking(at: .immediate))
        #expect(!synthesizer.isSpeaking)
        audio.device.advance(by: 5)
        #expect(
            await delegate.calls.first(3).dropFirst() == ["cancel First sentence of several", "cancel Second"])
        #expect(!synthesizer.stopSpeaking(at: .immediate))
        synthesizer.speak(utterance("Third"))
        audio.device.advance(by: 5)
        #expect(await delegate.calls.first(5).suffix(2) == ["start Third", "finish Third"])
    }

    @Test func `pauses for an interruption`() async {
        _ = audio.session
        synthesizer.speak(utterance("A sentence that is interrupted by a call"))
        audio.device.advance(by: 0.3)
        await audio.service.tell(.interrupted(.other))
        #expect(synthesizer.isPaused)
        #expect(await delegate.calls.first(2).last == "pause")
    }

    @Test func `cancels where the service does not let it speak`() async {
        audio.service.refuse(.start, .cannotStartPlaying)
        synthesizer.speak(utterance("Never"))
        #expect(await delegate.calls.first(1) == ["cancel Never"])
        #expect(!synthesizer.isSpeaking)
    }

    @Test func `is faster, higher, softer and later as it is told to`() {
        func spoken(_ change: (AVSpeechUtterance) -> Void) -> [Float] {
            let utterance = utterance("The quick brown fox jumps over the lazy dog")
            change(utterance)
            var samples: [Float] = []
            synthesizer.write(utterance) { buffer in
                guard let buffer = buffer as? AVAudioPCMBuffer else { return }
                for frame in 0..<Int(buffer.frameLength) {
                    samples.append(unsafe buffer.floatChannelData?[0][frame] ?? 0)
                }
            }
            return samples
        }
        let usual = spoken { _ in }
        #expect(usual.count > 20_000)
        #expect(spoken { $0.rate = 0.8 }.count < usual.count * 3 / 4)
        #expect(spoken { $0.rate = 0.2 }.count > usual.count * 5 / 4)
        #expect(abs(peak(spoken { $0.volume = 0.5 }) - peak(usual) / 2) < 0.05)
        #expect(spoken { $0.pitchMultiplier = 2 } != usual)
        let delayed = spoken {
            ($0.preUtteranceDelay, $0.postUtteranceDelay) = (1, 0.5)
        }
        #expect(abs(delayed.count - usual.count - 33_075) < 500)
        #expect(peak(delayed.prefix(22_000)) == 0)
    }

    @Test(arguments: [
        ("en-US", "en-US"), ("en-GB", "en-GB"), ("de-DE", "de-DE"), ("fr-FR", "fr-FR"), ("ja-JP", "ja-JP"),
        ("pt-BR", "pt-BR"),
        ("zh-CN", "zh-CN"), ("de-AT", "de-AT"),
    ])
    func `has voices by Apple's languages`(_ wanted: String, _ language: String) throws {
        let voice = try #require(AVSpeechSynthesisVoice(language: wanted))
        #expect(voice.language == language)
        #expect(AVSpeechSynthesisVoice(identifier: voice.identifier) == voice)
    }

    @Test func `has no voice for what it does not know`() {
        #expect(AVSpeechSynthesisVoice(language: "xx-XX") == nil)
        #expect(AVSpeechSynthesisVoice(identifier: "com.apple.ttsbundle.siri") == nil)
        #expect(AVSpeechSynthesisVoice(language: nil) != nil)
    }

    @Test func `speaks what is odd`() async {
        for text in ["", "   ", "....", "\0\u{1}", String(repeating: "a", count: 5_000), "🚗🚗🚗"] {
            let count = delegate.calls.all.count
            synthesizer.speak(utterance(text))
            audio.device.advance(by: 3_000)
            _ = await delegate.calls.first(count + 2)
            #expect(!synthesizer.isSpeaking)
        }
    }
}
