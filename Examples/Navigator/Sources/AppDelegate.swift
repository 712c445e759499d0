import AVFoundation
import UIKit

/// Says where to turn, over whatever plays: README.md.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let voice = Voice()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        voice.prepare()
        return true
    }

    /// navigator:say?text=WORDS
    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: false), parts.path == "say",
            let text = parts.queryItems?.first(where: { $0.name == "text" })?.value
        else { return false }
        voice.say(text)
        return true
    }
}

/// Speaks a direction while others are softer, and lets them be as loud as before when it has spoken.
@MainActor
final class Voice: NSObject, AVSpeechSynthesizerDelegate {
    private let synthesizer = AVSpeechSynthesizer()

    func prepare() {
        synthesizer.delegate = self
        do {
            try AVAudioSession.sharedInstance().setCategory(
                .playback, mode: .voicePrompt, options: [.mixWithOthers, .duckOthers])
        } catch {
            print("· the session cannot be set up: \(error.localizedDescription)")
        }
    }

    func say(_ text: String) {
        do {
            try AVAudioSession.sharedInstance().setActive(true)
        } catch {
            print("· it may not speak now: \(error.localizedDescription)")
            return
        }
        print("“\(text)”")
        synthesizer.speak(AVSpeechUtterance(string: text))
    }

    nonisolated func speechSynthesizer(
        _ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance
    ) {
        guard !synthesizer.isSpeaking else { return }
        do {
            try AVAudioSession.sharedInstance().setActive(false, options: .notifyOthersOnDeactivation)
        } catch {
            print("· others stay softer: \(error.localizedDescription)")
        }
    }
}
