internal import Synchronization

/// The device that replaces the sound server in this process. A simulated device installs its own here, whether or not
/// the app links AVFAudio; AVFAudio registers when the app first uses it. Neither links the other.
package final class AudioSubstitute: Sendable {
    private struct State: Sendable {
        var device: (any AudioDevice)?
        var changed: (@Sendable () -> Void)?
    }

    /// The process's.
    package static let shared = AudioSubstitute()

    private let state = Mutex(State())

    package init() {}

    /// The device for all streams that are opened from now on; `nil`: the sound server.
    package var device: (any AudioDevice)? { state.withLock { $0.device } }

    /// Replaces the device and notifies the registered framework.
    package func use(_ device: (any AudioDevice)?) {
        let changed = state.withLock { state in
            state.device = device
            return state.changed
        }
        changed?()
    }

    /// Registers the framework that plays in this process.
    ///
    /// - Parameter changed: called after each change, on the thread that made it.
    package func register(_ changed: @escaping @Sendable () -> Void) { state.withLock { $0.changed = changed } }
}
