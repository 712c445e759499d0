internal import Model
internal import Simulation
public import UIKit

// What people do with the scenes of an app that may have several. `open(_:)` shows the one that was shown last.
extension TestDevice {
    /// Opens a scene of an app: that of a session, or a new one.
    ///
    /// - Parameters:
    ///   - session: one of `UIApplication.shared.openSessions`; `nil`: a new scene.
    ///   - isBeside: in the screen's second place, beside what is there, where the device's profile has two.
    /// - Throws: `TestDeviceError.refused` if the app has no such scene, or may have no other.
    public func openScene(
        of app: InstalledApp, _ session: UISceneSession? = nil, beside isBeside: Bool = false
    ) async throws(TestDeviceError) {
        try await perform(
            .openScene(app.name, session.map(\.sceneNumber), role: isBeside ? .secondary : .primary))
    }

    /// Closes a scene for good, as the user does in the switcher: its session is gone, of which
    /// `application(_:didDiscardSceneSessions:)` is told, at the next launch if the app does not run.
    public func closeScene(_ session: UISceneSession, of app: InstalledApp) async throws(TestDeviceError) {
        try await perform(.closeScene(app.name, session.sceneNumber))
    }
}

extension TestDevice {
    /// How short memory is.
    public enum MemoryPressure: Hashable, Sendable, CaseIterable {
        case normal, warning, critical
    }

    /// The device acts as if memory were so short, until it is `normal` again: apps that run are warned, and scenes
    /// that nobody sees are disconnected. Nobody is ended for it.
    public func setMemoryPressure(_ pressure: MemoryPressure) async throws(TestDeviceError) {
        let level: MemoryLevel =
            switch pressure {
            case .normal: .normal
            case .warning: .warning
            case .critical: .critical
            }
        try await perform(.memoryPressure(level))
        try await advance(by: .seconds(1))
    }
}

extension UISceneSession {
    fileprivate var sceneNumber: SceneNumber { SceneNumber(UInt32(clamping: number)) }
}
