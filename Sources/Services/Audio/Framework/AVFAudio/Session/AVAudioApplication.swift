internal import AudioClient
internal import AudioModel
internal import Synchronization

/// What the user lets the app record, and whether the app's own microphone is muted.
// What changes is behind a mutex.
open class AVAudioApplication: NSObject, @unchecked Sendable {
    /// What the user lets an app record.
    public enum recordPermission: Int, Sendable {
        /// Nobody was asked.
        case undetermined = 0x756e_6474
        /// Nothing.
        case denied = 0x6465_6e79
        /// What it likes.
        case granted = 0x6772_6e74
    }

    /// In the user information of the notification: a `Bool`.
    public static let muteStateKey = "AVAudioApplicationMuteStateKey"
    /// The app has muted its microphone, or not any more.
    public static let inputMuteStateChangeNotification = Notification.Name(
        "AVAudioApplicationInputMuteStateChangeNotification")

    /// The app's.
    public static let shared = AVAudioApplication()
    private let isMuted = Mutex(false)

    /// What the user lets the app record.
    open var recordPermission: recordPermission {
        switch AudioHome.current.client.surroundings.permission {
        case .undetermined: .undetermined
        case .denied: .denied
        case .granted: .granted
        }
    }

    /// Asks the user whether the app may record.
    ///
    /// - Parameter response: called on a thread of the system's.
    open class func requestRecordPermission(completionHandler response: @escaping @Sendable (Bool) -> Void) {
        AudioHome.current.client.requestPermission { response($0 == .granted) }
    }

    /// Asks the user whether the app may record.
    open class func requestRecordPermission() async -> Bool {
        await withCheckedContinuation { continuation in
            requestRecordPermission { continuation.resume(returning: $0) }
        }
    }

    /// Whether what the app records is silence.
    open var isInputMuted: Bool { isMuted.withLock { $0 } }

    /// Says whether what the app records is silence.
    open func setInputMuted(_ muted: Bool) throws {
        let changes = isMuted.withLock { isMuted in
            defer { isMuted = muted }
            return isMuted != muted
        }
        guard changes else { return }
        NotificationCenter.default.post(
            name: Self.inputMuteStateChangeNotification, object: self, userInfo: [Self.muteStateKey: muted])
    }
}
