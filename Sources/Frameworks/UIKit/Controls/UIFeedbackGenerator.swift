public import Foundation

/// Lets the user feel something. No device here can so far: it does nothing.
@preconcurrency @MainActor
open class UIFeedbackGenerator: NSObject {
    /// Creates a generator.
    public nonisolated override init() { super.init() }

    /// Something is to be felt soon.
    open func prepare() {}
}

/// Lets the user feel a knock.
@preconcurrency @MainActor
open class UIImpactFeedbackGenerator: UIFeedbackGenerator {
    /// How strong.
    public enum FeedbackStyle: Int, Sendable {
        case light, medium, heavy, soft, rigid
    }

    /// Creates a generator.
    public nonisolated init(style: FeedbackStyle) { super.init() }

    /// Creates a generator.
    public nonisolated override init() { super.init() }

    /// Something knocked.
    open func impactOccurred() {}

    /// Something knocked, from 0 to 1.
    open func impactOccurred(intensity: CGFloat) {}
}

/// Lets the user feel how something went.
@preconcurrency @MainActor
open class UINotificationFeedbackGenerator: UIFeedbackGenerator {
    /// How it went.
    public enum FeedbackType: Int, Sendable {
        case success, warning, error
    }

    /// It went so.
    open func notificationOccurred(_ notificationType: FeedbackType) {}
}

/// Lets the user feel that something else is chosen.
@preconcurrency @MainActor
open class UISelectionFeedbackGenerator: UIFeedbackGenerator {
    /// Something else is chosen.
    open func selectionChanged() {}
}
