import AVFoundation
import CoreLocation
import UIKit

/// Says where to turn, over whatever plays: README.md.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let voice = Voice()
    private lazy var guide = Guide(voice)

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        voice.prepare()
        return true
    }

    /// navigator:say?text=WORDS, navigator:go?LATITUDE,LONGITUDE=WORDS&…, or navigator:stop
    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return false }
        let items = parts.queryItems ?? []
        switch parts.path {
        case "say":
            guard let text = items.first(where: { $0.name == "text" })?.value else { return false }
            voice.say(text)
        case "go":
            let turns = items.compactMap { Turn($0.name, $0.value ?? "") }
            guard !turns.isEmpty, turns.count == items.count else { return false }
            guide.go(turns)
        case "stop": guide.stop()
        default: return false
        }
        return true
    }
}

/// Where to say what.
struct Turn {
    let place: CLLocation
    let words: String

    init?(_ place: String, _ words: String) {
        let numbers = place.split(separator: ",").compactMap { Double($0) }
        guard numbers.count == 2 else { return nil }
        self.place = CLLocation(latitude: numbers[0], longitude: numbers[1])
        self.words = words
    }
}

/// Follows the device, and says each turn when it is near.
@MainActor
final class Guide: NSObject, @MainActor CLLocationManagerDelegate {
    /// Metres.
    private static let near = 40.0

    private let voice: Voice
    private let manager = CLLocationManager()
    private var turns: ArraySlice<Turn> = []

    init(_ voice: Voice) {
        self.voice = voice
        super.init()
        manager.delegate = self
        manager.desiredAccuracy = kCLLocationAccuracyBestForNavigation
        manager.activityType = .automotiveNavigation
        manager.pausesLocationUpdatesAutomatically = false
        manager.allowsBackgroundLocationUpdates = true
    }

    func go(_ turns: [Turn]) {
        self.turns = turns[...]
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
        print("· \(turns.count) turns ahead")
    }

    func stop() {
        turns = []
        // Nothing keeps the app running from here on.
        manager.stopUpdatingLocation()
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations {
            guard let turn = turns.first, location.distance(from: turn.place) < Self.near else { continue }
            turns = turns.dropFirst()
            voice.say(turn.words)
            if turns.isEmpty {
                print("· arrived")
                stop()
            }
        }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        print("· no place: \(error.localizedDescription)")
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
