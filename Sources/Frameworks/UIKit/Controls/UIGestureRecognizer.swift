public import Foundation
public import IOSFoundation

/// Sees gestures in what fingers do. No fingers reach apps so far: it calls nobody by itself.
@preconcurrency @MainActor
open class UIGestureRecognizer: NSObject {
    /// How far a gesture is.
    public enum State: Int, Sendable {
        case possible, began, changed, ended, cancelled, failed
        /// Recognized.
        public static let recognized = State.ended
    }

    private struct Target {
        weak var object: AnyObject?
        var action: Selector
    }

    /// How far the gesture is; a subclass sets it, and the targets are called.
    open var state: State = .possible {
        didSet {
            guard state != .possible, state != .failed else { return }
            for target in targets {
                if let object = target.object { target.action.invoke(on: object, self) }
            }
        }
    }

    /// Whether gestures are seen.
    open var isEnabled = true

    /// The view whose gestures are seen.
    open internal(set) weak var view: UIView?

    private var targets: [Target] = []

    /// Creates a recognizer that calls a method of an object, which it does not hold.
    public init(target: Any?, action: Selector?) {
        super.init()
        if let target, let action { addTarget(target, action: action) }
    }

    /// Calls a method of an object, which it does not hold.
    open func addTarget(_ target: Any, action: Selector) {
        targets.append(Target(object: target as AnyObject, action: action))
    }

    /// Calls a method no longer. `nil` stands for all.
    open func removeTarget(_ target: Any?, action: Selector?) {
        let object = target.map { $0 as AnyObject }
        targets.removeAll { (object == nil || $0.object === object) && (action == nil || $0.action == action) }
    }
}

/// Sees taps.
@preconcurrency @MainActor
open class UITapGestureRecognizer: UIGestureRecognizer {
    /// How many taps it takes.
    open var numberOfTapsRequired = 1
    /// How many fingers it takes.
    open var numberOfTouchesRequired = 1
}

/// Sees a finger that stays.
@preconcurrency @MainActor
open class UILongPressGestureRecognizer: UIGestureRecognizer {
    /// How long it has to stay, in seconds.
    open var minimumPressDuration: TimeInterval = 0.5
}

/// Sees fingers that move.
@preconcurrency @MainActor
open class UIPanGestureRecognizer: UIGestureRecognizer {}

/// Sees fingers that sweep.
@preconcurrency @MainActor
open class UISwipeGestureRecognizer: UIGestureRecognizer {}

extension UIView {
    /// Lets a recognizer see the gestures on the view.
    public func addGestureRecognizer(_ recognizer: UIGestureRecognizer) {
        recognizer.view?.removeGestureRecognizer(recognizer)
        gestureRecognizers = (gestureRecognizers ?? []) + [recognizer]
        recognizer.view = self
    }

    /// Lets a recognizer see them no longer.
    public func removeGestureRecognizer(_ recognizer: UIGestureRecognizer) {
        gestureRecognizers?.removeAll { $0 === recognizer }
        recognizer.view = nil
    }
}
