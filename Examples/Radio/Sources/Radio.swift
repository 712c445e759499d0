import AVFoundation
import MediaPlayer
import UIKit

/// The station that plays, and those that were played before.
@MainActor
final class Radio {
    private var player: AVPlayer?
    private var observers: [any NSObjectProtocol] = []

    private var station: URL? {
        get { UserDefaults.standard.string(forKey: "station").flatMap(URL.init(string:)) }
        set { UserDefaults.standard.set(newValue?.absoluteString, forKey: "station") }
    }

    /// Those that were tuned to, in the order of the first time.
    private var stations: [URL] {
        get { (UserDefaults.standard.stringArray(forKey: "stations") ?? []).compactMap(URL.init(string:)) }
        set { UserDefaults.standard.set(newValue.suffix(Self.mostStations).map(\.absoluteString), forKey: "stations") }
    }

    private static let mostStations = 20

    /// Says what the app's sound is for.
    func prepare() {
        do {
            try AVAudioSession.sharedInstance().setCategory(.playback)
        } catch {
            print("· the session cannot be set up: \(error.localizedDescription)")
        }
        observe(AVAudioSession.interruptionNotification) { [weak self] notification in
            let info = notification.userInfo ?? [:]
            let type = (info[AVAudioSessionInterruptionTypeKey] as? UInt)
                .flatMap(AVAudioSession.InterruptionType.init(rawValue:))
            let options = AVAudioSession.InterruptionOptions(
                rawValue: info[AVAudioSessionInterruptionOptionKey] as? UInt ?? 0)
            MainActor.assumeIsolated { self?.interrupted(type, options) }
        }
        observe(AVAudioSession.routeChangeNotification) { [weak self] notification in
            let number = notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt
            let reason = number.flatMap(AVAudioSession.RouteChangeReason.init(rawValue:))
            MainActor.assumeIsolated { self?.routeChanged(reason) }
        }
    }

    private func observe(_ name: Notification.Name, _ body: @escaping @Sendable (Notification) -> Void) {
        observers.append(
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main, using: body))
    }

    var isPlaying: Bool { (player?.rate ?? 0) > 0 }

    // MARK: Playing

    func tune(to station: URL) {
        if !stations.contains(station) { stations.append(station) }
        guard station != self.station || player == nil else { return }
        self.station = station
        player?.pause()
        player = nil
    }

    @discardableResult
    func play() -> Bool {
        guard let station else {
            print("· no station: radio:play?url=ADDRESS")
            return false
        }
        do {
            try AVAudioSession.sharedInstance().setActive(true)
        } catch {
            print("· it may not play now: \(error.localizedDescription)")
            return false
        }
        let player = player ?? AVPlayer(url: station)
        self.player = player
        player.play()
        show()
        return true
    }

    func pause() {
        player?.pause()
        show()
    }

    /// To the next station, or to the previous one; after the last comes the first.
    func turn(by steps: Int) {
        let stations = stations
        guard let place = station.flatMap(stations.firstIndex(of:)), stations.count > 1 else { return }
        tune(to: stations[(place + steps + stations.count) % stations.count])
        play()
    }

    private func interrupted(_ type: AVAudioSession.InterruptionType?, _ options: AVAudioSession.InterruptionOptions) {
        switch type {
        case .began:
            print("· interrupted")
            show()
        case .ended:
            print("· the interruption is over")
            if options.contains(.shouldResume) { play() }
        default: break
        }
    }

    private func routeChanged(_ reason: AVAudioSession.RouteChangeReason?) {
        guard reason == .oldDeviceUnavailable else { return }
        print("· the headphones are gone")
        show()
    }

    /// On the app's screen, and on the controls.
    func show() {
        print(isPlaying ? "▶ \(station?.lastPathComponent ?? "")" : "‖ \(station?.lastPathComponent ?? "no station")")
        var info: [String: Any] = [MPNowPlayingInfoPropertyPlaybackRate: isPlaying ? 1.0 : 0.0]
        info[MPMediaItemPropertyTitle] = station?.lastPathComponent
        info[MPNowPlayingInfoPropertyElapsedPlaybackTime] = player?.currentTime().seconds
        info[MPNowPlayingInfoPropertyIsLiveStream] = station?.isFileURL == false
        MPNowPlayingInfoCenter.default().nowPlayingInfo = info
    }
}
