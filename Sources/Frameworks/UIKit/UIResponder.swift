public import Foundation

/// An object that can respond to events, and a link of the responder chain. Use it on the main thread.
@preconcurrency @MainActor
open class UIResponder: NSObject {
    /// The responder that has been made the first, in the whole app.
    private(set) static weak var first: UIResponder?

    /// Creates a responder.
    public override nonisolated init() {}

    /// The next responder in the chain; `nil` at its end.
    open var next: UIResponder? { nil }

    /// Whether this responder wants to become the first one. False unless overridden.
    open var canBecomeFirstResponder: Bool { false }

    /// Whether this responder is willing to give up being the first one. True unless overridden.
    open var canResignFirstResponder: Bool { true }

    /// Whether events go to this responder first.
    open var isFirstResponder: Bool { UIResponder.first === self }

    /// Asks to become the first responder; the present one is asked to give way.
    ///
    /// - Returns: whether it is the first responder now.
    @discardableResult
    open func becomeFirstResponder() -> Bool {
        if isFirstResponder { return true }
        guard canBecomeFirstResponder else { return false }
        if let first = UIResponder.first {
            guard first.canResignFirstResponder, first.resignFirstResponder() else { return false }
        }
        UIResponder.first = self
        return true
    }

    /// Tells this responder that it is the first one no longer.
    ///
    /// - Returns: whether it gave way.
    @discardableResult
    open func resignFirstResponder() -> Bool {
        if isFirstResponder { UIResponder.first = nil }
        return true
    }

    // MARK: Events

    /// A control of audio was pressed; the app gets these after `UIApplication.beginReceivingRemoteControlEvents()`.
    /// What does not override this passes it to the next responder.
    open func remoteControlReceived(with event: UIEvent?) { next?.remoteControlReceived(with: event) }

    /// Fingers are on the screen. No fingers reach apps so far: not called, nor are those that follow.
    open func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent?) {}
    /// Fingers have moved.
    open func touchesMoved(_ touches: Set<UITouch>, with event: UIEvent?) {}
    /// Fingers have left the screen.
    open func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {}
    /// Something else took the fingers.
    open func touchesCancelled(_ touches: Set<UITouch>, with event: UIEvent?) {}
    /// The device began to be moved.
    open func motionBegan(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {}
    /// The device was moved.
    open func motionEnded(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {}
}

/// A finger on the screen.
@preconcurrency @MainActor
open class UITouch: NSObject {}
