public import Foundation

/// Something that happened outside the app. So far that is a press on controls: of a headset, the lock screen, the
/// switcher or the desktop. Use it on the main thread.
@preconcurrency @MainActor
open class UIEvent: NSObject {
    /// A kind of event.
    public enum EventType: Int, Sendable {
        /// Fingers on the screen.
        case touches = 0
        /// The device was moved.
        case motion = 1
        /// A press on controls of audio.
        case remoteControl = 2
        /// A press on a button.
        case presses = 3
        /// A wheel was turned.
        case scroll = 10
        /// A pointer is over something.
        case hover = 11
        /// Something is turned or pinched.
        case transform = 14
    }

    /// What kind of its type an event is.
    public enum EventSubtype: Int, Sendable {
        /// There are no kinds.
        case none = 0
        /// The device was shaken.
        case motionShake = 1
        /// Play.
        case remoteControlPlay = 100
        /// Pause.
        case remoteControlPause = 101
        /// Stop.
        case remoteControlStop = 102
        /// Play if it pauses, and pause if it plays: what the one button of a headset asks for.
        case remoteControlTogglePlayPause = 103
        /// The next track: two presses of that button.
        case remoteControlNextTrack = 104
        /// The track of before: three presses of that button.
        case remoteControlPreviousTrack = 105
        /// Go back quickly from now on.
        case remoteControlBeginSeekingBackward = 106
        /// No longer.
        case remoteControlEndSeekingBackward = 107
        /// Go forward quickly from now on.
        case remoteControlBeginSeekingForward = 108
        /// No longer.
        case remoteControlEndSeekingForward = 109
    }

    /// What kind of event it is.
    open var type: EventType { kind }
    /// What kind of its type it is.
    open var subtype: EventSubtype { subkind }
    /// When it happened, in seconds since the system began.
    open var timestamp: TimeInterval { time }

    private let kind: EventType
    private let subkind: EventSubtype
    private let time: TimeInterval

    init(_ type: EventType, _ subtype: EventSubtype) {
        (kind, subkind, time) = (type, subtype, ProcessInfo.processInfo.systemUptime)
        super.init()
    }
}
