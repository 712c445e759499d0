import AVFoundation
import MediaPlayer
import UIKit

/// Sounds as its URLs say: README.md.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let tone = Tone()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        // Before this returns: the app may have been launched for a command.
        tone.prepare()
        return true
    }

    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return false }
        switch parts.path {
        case "set":
            for item in parts.queryItems ?? [] { UserDefaults.standard.set(item.value ?? "", forKey: item.name) }
            // It may be killed at once.
            UserDefaults.standard.synchronize()
            tone.prepare()
        case "play": tone.play()
        case "pause": tone.pause()
        case "stop": tone.stop()
        case "record": tone.record()
        default: return false
        }
        return true
    }
}

/// One tone, or one recording.
@MainActor
final class Tone {
    private var player: AVAudioPlayer?
    private var recorder: AVAudioRecorder?
    private var observers: [any NSObjectProtocol] = []
    /// Paused meanwhile, it does not go on after an interruption.
    private var goesOn = false

    private func chosen(_ name: String) -> String? { UserDefaults.standard.string(forKey: name) }

    private var options: AVAudioSession.CategoryOptions {
        let words = (chosen("options") ?? "").split(separator: ",")
        var options: AVAudioSession.CategoryOptions = []
        if words.contains("mix") { options.insert(.mixWithOthers) }
        if words.contains("duck") { options.insert(.duckOthers) }
        return options
    }

    private static let categories: [String: AVAudioSession.Category] = [
        "ambient": .ambient, "soloAmbient": .soloAmbient, "playback": .playback, "record": .record,
        "playAndRecord": .playAndRecord,
    ]

    /// Takes the session that was chosen, and listens to what may happen to it.
    func prepare() {
        guard let category = chosen("category").flatMap({ Self.categories[$0] }) else { return }
        attempt("the session is set up") {
            try AVAudioSession.sharedInstance().setCategory(category, options: options)
        }
        guard observers.isEmpty else { return }
        let center = NotificationCenter.default
        observers.append(
            center.addObserver(forName: AVAudioSession.interruptionNotification, object: nil, queue: .main) {
                [weak self] notification in
                let type = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
                let options = notification.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt ?? 0
                MainActor.assumeIsolated { self?.interrupted(type, options) }
            })
        if chosen("controls") == "yes" { obey() }
    }

    private func obey() {
        let center = MPRemoteCommandCenter.shared()
        let commands: [(MPRemoteCommand, (Tone) -> Void)] = [
            (center.playCommand, { $0.play() }), (center.pauseCommand, { $0.pause() }),
            (center.togglePlayPauseCommand, { $0.player?.isPlaying == true ? $0.pause() : $0.play() }),
        ]
        for (command, body) in commands {
            command.addTarget { [weak self] _ in
                MainActor.assumeIsolated {
                    guard let self else { return .commandFailed }
                    body(self)
                    return .success
                }
            }
        }
    }

    private func interrupted(_ type: UInt?, _ options: UInt) {
        switch type.flatMap(AVAudioSession.InterruptionType.init(rawValue:)) {
        case .began: print("interrupted")
        case .ended:
            let mayResume = AVAudioSession.InterruptionOptions(rawValue: options).contains(.shouldResume)
            print(mayResume ? "the interruption is over" : "the interruption is over, without a word of going on")
            if mayResume, goesOn { recorder == nil ? play() : record() }
        case nil: break
        }
    }

    private func attempt(_ what: String, _ body: () throws -> Void) {
        do {
            try body()
            print(what)
        } catch {
            print("\(what): no, \(error.localizedDescription)")
        }
    }

    func play() {
        goesOn = true
        attempt("plays") {
            guard let file = chosen("file") else { throw CocoaError(.fileNoSuchFile) }
            let player = try player ?? AVAudioPlayer(contentsOf: URL(fileURLWithPath: file))
            player.numberOfLoops = -1
            self.player = player
            try AVAudioSession.sharedInstance().setActive(true)
            guard player.play() else { throw CocoaError(.featureUnsupported) }
        }
    }

    func pause() {
        goesOn = false
        player?.pause()
        print("paused")
    }

    func stop() {
        goesOn = false
        player?.stop()
        recorder?.stop()
        recorder = nil
        attempt("stopped") {
            try AVAudioSession.sharedInstance().setActive(false, options: .notifyOthersOnDeactivation)
        }
    }

    func record() {
        goesOn = true
        attempt("records") {
            let file = URL(fileURLWithPath: NSTemporaryDirectory() + "recording.wav")
            let settings: [String: Any] = [
                AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 8000.0, AVNumberOfChannelsKey: 1,
            ]
            let recorder = try recorder ?? AVAudioRecorder(url: file, settings: settings)
            self.recorder = recorder
            try AVAudioSession.sharedInstance().setActive(true)
            guard recorder.record() else { throw CocoaError(.featureUnsupported) }
        }
    }
}
