internal import AudioClient
internal import AudioModel
internal import IOSFoundation
internal import Synchronization

/// In the user information of an interruption: an `AVAudioSession.InterruptionType` as an unsigned number.
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
/// At its end: `AVAudioSession.InterruptionOptions` as an unsigned number.
public let AVAudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"
/// At its begin: an `AVAudioSession.InterruptionReason` as an unsigned number.
public let AVAudioSessionInterruptionReasonKey = "AVAudioSessionInterruptionReasonKey"
/// At its begin: `true` if the app was suspended.
public let AVAudioSessionInterruptionWasSuspendedKey = "AVAudioSessionInterruptionWasSuspendedKey"
/// Of a change of route: an `AVAudioSession.RouteChangeReason` as an unsigned number.
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"
/// Of a change of route: the `AVAudioSessionRouteDescription` of before.
public let AVAudioSessionRouteChangePreviousRouteKey = "AVAudioSessionRouteChangePreviousRouteKey"
/// Of the hint: an `AVAudioSession.SilenceSecondaryAudioHintType` as an unsigned number.
public let AVAudioSessionSilenceSecondaryAudioHintTypeKey = "AVAudioSessionSilenceSecondaryAudioHintTypeKey"

extension AVAudioSession {
    /// An interruption begins or ends; posted on the main thread.
    public static let interruptionNotification = Notification.Name("AVAudioSessionInterruptionNotification")
    /// The route is another one; posted on the main thread.
    public static let routeChangeNotification = Notification.Name("AVAudioSessionRouteChangeNotification")
    /// The sound server has gone.
    public static let mediaServicesWereLostNotification = Notification.Name(
        "AVAudioSessionMediaServicesWereLostNotification")
    /// The sound server is there again. What played goes on by itself.
    public static let mediaServicesWereResetNotification = Notification.Name(
        "AVAudioSessionMediaServicesWereResetNotification")
    /// The app should be silent beside what another app plays, or need not be any more.
    public static let silenceSecondaryAudioHintNotification = Notification.Name(
        "AVAudioSessionSilenceSecondaryAudioHintNotification")

    func post(_ name: Notification.Name, _ userInfo: [AnyHashable: Any]? = nil) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }

    @MainActor func serverChanged(isLost: Bool) {
        post(
            isLost
                ? AVAudioSession.mediaServicesWereLostNotification : AVAudioSession.mediaServicesWereResetNotification)
    }
}

/// Hears what the service tells the app.
@MainActor
final class SessionListener: AudioAudience {
    private weak let session: AVAudioSession?

    nonisolated init(_ session: AVAudioSession) { self.session = session }

    func surroundingsChanged() { session.map(tellObservers) }

    func heard(_ news: AudioNews) {
        guard let session else { return }
        switch news {
        case .interrupted(let reason):
            session.home.tellPlayers(.began)
            session.older.withLock { $0.delegate }?.beginInterruption()
            var info: [AnyHashable: Any] = [
                AVAudioSessionInterruptionTypeKey: AVAudioSession.InterruptionType.began.rawValue,
                AVAudioSessionInterruptionReasonKey: AVAudioSession.InterruptionReason(reason).rawValue,
            ]
            if reason == .appWasSuspended { info[AVAudioSessionInterruptionWasSuspendedKey] = true }
            session.post(AVAudioSession.interruptionNotification, info)
        case .interruptionEnded(let shouldResume):
            session.home.tellPlayers(.ended(shouldResume: shouldResume))
            let options: AVAudioSession.InterruptionOptions = shouldResume ? .shouldResume : []
            let delegate = session.older.withLock { $0.delegate }
            delegate?.endInterruption(withFlags: Int(options.rawValue))
            delegate?.endInterruption()
            session.post(
                AVAudioSession.interruptionNotification,
                [
                    AVAudioSessionInterruptionTypeKey: AVAudioSession.InterruptionType.ended.rawValue,
                    AVAudioSessionInterruptionOptionKey: options.rawValue,
                ])
        case .routeChanged(let reason, let previous, _):
            session.post(
                AVAudioSession.routeChangeNotification,
                [
                    AVAudioSessionRouteChangeReasonKey: AVAudioSession.RouteChangeReason(reason).rawValue,
                    AVAudioSessionRouteChangePreviousRouteKey: AVAudioSessionRouteDescription(previous),
                ])
        case .silenceHint(let begins):
            let type: AVAudioSession.SilenceSecondaryAudioHintType = begins ? .begin : .end
            session.post(
                AVAudioSession.silenceSecondaryAudioHintNotification,
                [AVAudioSessionSilenceSecondaryAudioHintTypeKey: type.rawValue])
        // Others hear of them.
        case .command: break
        }
    }
}

extension AVAudioSession.InterruptionReason {
    fileprivate init(_ reason: AudioInterruptionReason) {
        switch reason {
        case .other: self = .default
        case .appWasSuspended: self = .appWasSuspended
        case .builtInMicrophoneMuted: self = .builtInMicMuted
        case .routeDisconnected: self = .routeDisconnected
        }
    }
}

extension AVAudioSession.RouteChangeReason {
    fileprivate init(_ reason: AudioRouteReason) {
        switch reason {
        case .unknown: self = .unknown
        case .newDeviceAvailable: self = .newDeviceAvailable
        case .oldDeviceUnavailable: self = .oldDeviceUnavailable
        case .categoryChange: self = .categoryChange
        case .override: self = .override
        case .wakeFromSleep: self = .wakeFromSleep
        case .noSuitableRoute: self = .noSuitableRouteForCategory
        case .configurationChange: self = .routeConfigurationChange
        }
    }
}
