import AVFoundation
import MediaPlayer
import UIKit

/// What the app does, each with a line in its log.
@MainActor
final class Recital {
    private let log = Log()
    private var player: AVAudioPlayer?
    private var tracks = 0

    private var file: String? {
        get { UserDefaults.standard.string(forKey: "file") }
        set { UserDefaults.standard.set(newValue, forKey: "file") }
    }

    func prepare() {
        do {
            try AVAudioSession.sharedInstance().setCategory(.playback)
        } catch {
            log.write("failed", error.localizedDescription)
        }
        let center = MPRemoteCommandCenter.shared()
        obey(center.playCommand) { $0.play() }
        obey(center.pauseCommand) { $0.pause() }
        obey(center.stopCommand) { $0.stop() }
        obey(center.nextTrackCommand) { $0.next() }
    }

    private func obey(_ command: MPRemoteCommand, _ body: @escaping @MainActor @Sendable (Recital) -> Bool) {
        command.addTarget { [weak self] _ in
            MainActor.assumeIsolated { self.map(body) ?? false ? .success : .commandFailed }
        }
    }

    // MARK: What it obeys

    func play(_ file: String) -> Bool {
        self.file = file
        player = nil
        return play()
    }

    /// Goes on after a pause, and begins anew with a player of its own after a stop.
    private func play() -> Bool {
        guard let file else { return false }
        do {
            try AVAudioSession.sharedInstance().setActive(true)
            let player = try player ?? AVAudioPlayer(contentsOf: URL(fileURLWithPath: file))
            player.numberOfLoops = -1
            self.player = player
            log.write("play")
            guard player.play() else { return false }
        } catch {
            log.write("failed", error.localizedDescription)
            return false
        }
        show()
        return true
    }

    private func pause() -> Bool {
        log.write("pause")
        player?.pause()
        show()
        return true
    }

    private func stop() -> Bool {
        log.write("stop")
        player?.stop()
        player = nil
        show()
        return true
    }

    /// Nothing has to be loaded for it: what is measured is how the command comes, not what a player has to do then.
    private func next() -> Bool {
        log.write("next")
        tracks += 1
        show()
        return true
    }

    private func show() {
        MPNowPlayingInfoCenter.default().nowPlayingInfo = [
            MPMediaItemPropertyTitle: "Track \(tracks)",
            MPNowPlayingInfoPropertyPlaybackRate: player?.isPlaying == true ? 1.0 : 0.0,
        ]
    }
}
