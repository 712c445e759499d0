import AVFoundation
import Foundation
import MediaPlayer
import UIKit

extension TestingTests {
    /// A player of music, written as for an iPhone: it writes down what it is told.
    final class MusicPlayer: UIResponder, UIApplicationDelegate, AVAudioPlayerDelegate {
        var trace: [String] = []
        var category = AVAudioSession.Category.playback
        var player: AVAudioPlayer?

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            observe(AVAudioSession.interruptionNotification) { player, notification in
                let options = notification.number(AVAudioSessionInterruptionOptionKey)
                player.interrupted(
                    notification.number(AVAudioSessionInterruptionTypeKey)
                        .flatMap(AVAudioSession.InterruptionType.init(rawValue:)),
                    AVAudioSession.InterruptionOptions(rawValue: options ?? 0))
            }
            observe(AVAudioSession.routeChangeNotification) { player, notification in
                switch notification.number(AVAudioSessionRouteChangeReasonKey)
                    .flatMap(AVAudioSession.RouteChangeReason.init(rawValue:))
                {
                case .newDeviceAvailable: player.trace.append("new device")
                case .oldDeviceUnavailable: player.trace.append("no old device")
                default: break
                }
            }
            let center = MPRemoteCommandCenter.shared()
            obey(center.playCommand, "asked to play") { $0.play() }
            obey(center.pauseCommand, "asked to pause") { $0.player?.pause() }
            obey(center.nextTrackCommand, "asked for the next") { music in
                music.player?.pause()
                music.play()
            }
            return true
        }

        private func observe(_ name: Notification.Name, _ body: @escaping @MainActor (MusicPlayer, Told) -> Void) {
            _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) {
                [weak self] notification in
                let told = Told(notification)
                MainActor.assumeIsolated { if let self { body(self, told) } }
            }
        }

        private func obey(
            _ command: MPRemoteCommand, _ name: String, _ body: @escaping @MainActor (MusicPlayer) -> Void
        ) {
            command.addTarget { [weak self] _ in
                MainActor.assumeIsolated {
                    guard let self else { return .commandFailed }
                    self.trace.append(name)
                    body(self)
                    return .success
                }
            }
        }

        private func interrupted(
            _ type: AVAudioSession.InterruptionType?, _ options: AVAudioSession.InterruptionOptions
        ) {
            switch type {
            case .began: trace.append("interrupted")
            case .ended where options.contains(.shouldResume):
                trace.append("may go on")
                play()
            case .ended: trace.append("interruption over")
            default: trace.append("interrupted somehow")
            }
        }

        /// A tone of so many seconds; for ever if it is repeated.
        func load(seconds: Int, level: Float = 0.5, repeats: Bool = false) throws {
            player = try AVAudioPlayer(data: tone(seconds: seconds, level: level))
            player?.numberOfLoops = repeats ? -1 : 0
            player?.delegate = self
        }

        func play() {
            do {
                try AVAudioSession.sharedInstance().setCategory(category)
                try AVAudioSession.sharedInstance().setActive(true)
            } catch {
                return trace.append("not active: \(error.localizedDescription)")
            }
            trace.append(player?.play() == true ? "plays" : "does not play")
            MPNowPlayingInfoCenter.default().nowPlayingInfo = [
                MPMediaItemPropertyTitle: "A tone", MPMediaItemPropertyPlaybackDuration: player?.duration ?? 0,
            ]
        }

        func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
            trace.append(flag ? "at its end" : "failed")
        }

        func takeTrace() -> [String] {
            defer { trace = [] }
            return trace
        }
    }

    /// What of a notification may go to another thread.
    struct Told: Sendable {
        private let numbers: [String: UInt]

        init(_ notification: Notification) {
            var numbers: [String: UInt] = [:]
            for (key, value) in notification.userInfo ?? [:] {
                if let key = key as? String, let value = value as? UInt { numbers[key] = value }
            }
            self.numbers = numbers
        }

        func number(_ key: String) -> UInt? { numbers[key] }
    }

    /// A WAVE file in memory, of 8000 frames a second.
    static func tone(seconds: Int, level: Float = 0.5) -> Data {
        let frames = seconds * 8000
        func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
            (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> Number($0 * 8)) }
        }
        var file = Array("RIFF".utf8) + bytes(UInt32(36 + frames * 2)) + Array("WAVEfmt ".utf8)
        file += bytes(UInt32(16)) + bytes(UInt16(1)) + bytes(UInt16(1)) + bytes(UInt32(8000)) + bytes(UInt32(16000))
        file += bytes(UInt16(2)) + bytes(UInt16(16)) + Array("data".utf8) + bytes(UInt32(frames * 2))
        for frame in 0..<frames { file += bytes(Int16(level * 32767) * (frame / 10 % 2 == 0 ? 1 : -1)) }
        return Data(file)
    }
}
