internal import NotificationsWire

/// The name of a file with a sound.
public struct UNNotificationSoundName: RawRepresentable, Hashable, Sendable {
    /// The file's name, with its ending.
    public var rawValue: String
    /// A file of the app's bundle, or of `Library/Sounds` in its container.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A file of the app's bundle, or of `Library/Sounds` in its container.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// What is to be heard with a notification.
// Its state is constant.
open class UNNotificationSound: NSObject, NSCopying, @unchecked Sendable {
    let info: NotificationSoundInfo

    init(_ info: NotificationSoundInfo) {
        self.info = info
        super.init()
    }

    /// The name of a file, or `default`.
    package var name: String { NotificationSoundInfo(name: info.name).text }

    /// A sound of the app's own.
    public convenience init(named name: UNNotificationSoundName) {
        self.init(NotificationSoundInfo(name: name.rawValue))
    }

    /// The device's sound for notifications.
    open class var `default`: UNNotificationSound { UNNotificationSound(NotificationSoundInfo()) }

    /// The device's sound for calls; here the one for notifications.
    open class var defaultRingtone: UNNotificationSound { .default }

    /// A ringtone of the app's own.
    open class func ringtoneSoundNamed(_ name: UNNotificationSoundName) -> UNNotificationSound {
        UNNotificationSound(named: name)
    }

    /// The device's sound for critical alerts, which is heard where others are silent.
    open class var defaultCritical: UNNotificationSound { defaultCriticalSound(withAudioVolume: 1) }

    /// The device's sound for critical alerts.
    ///
    /// - Parameter volume: from 0 to 1.
    open class func defaultCriticalSound(withAudioVolume volume: Float) -> UNNotificationSound {
        UNNotificationSound(NotificationSoundInfo(criticalVolume: min(max(Double(volume), 0), 1)))
    }

    /// A sound of the app's own, for critical alerts.
    open class func criticalSoundNamed(_ name: UNNotificationSoundName) -> UNNotificationSound {
        criticalSoundNamed(name, withAudioVolume: 1)
    }

    /// A sound of the app's own, for critical alerts.
    ///
    /// - Parameter volume: from 0 to 1.
    open class func criticalSoundNamed(
        _ name: UNNotificationSoundName, withAudioVolume volume: Float
    ) -> UNNotificationSound {
        UNNotificationSound(
            NotificationSoundInfo(name: name.rawValue, criticalVolume: min(max(Double(volume), 0), 1)))
    }

    /// Itself: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether it is the same sound.
    open override func isEqual(_ object: Any?) -> Bool { (object as? UNNotificationSound)?.info == info }
    /// Fits `isEqual(_:)`.
    open override var hash: Int { info.hashValue }
}
