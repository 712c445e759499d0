public import Foundation
public import IOSFoundation

/// What a bar shows and calls. Nothing draws bars so far.
@preconcurrency @MainActor
open class UIBarItem: NSObject {
    /// What it does, in words.
    open var title: String?
    /// What it shows.
    open var image: UIImage?
    /// Whether it can be chosen.
    open var isEnabled = true
    /// A number of the app's choice.
    open var tag = 0
}

/// A button in a bar.
@preconcurrency @MainActor
open class UIBarButtonItem: UIBarItem {
    /// How a button looks.
    public enum Style: Int, Sendable {
        /// As most do.
        case plain
        /// As what ends something.
        case done = 2
    }

    /// Buttons of the system.
    public enum SystemItem: Int, Sendable {
        case done, cancel, edit, save, add, flexibleSpace, fixedSpace, compose, reply, action, organize, bookmarks
        case search, refresh, stop, camera, trash, play, pause, rewind, fastForward, undo, redo, close
    }

    /// Whose method is called; not held.
    open weak var target: AnyObject?
    /// The method that is called with the button, or with nothing.
    open var action: Selector?

    /// Creates a button of words.
    public convenience init(title: String?, style: Style, target: Any?, action: Selector?) {
        self.init()
        self.title = title
        self.target = target.map { $0 as AnyObject }
        self.action = action
    }

    /// Creates a button of an image.
    public convenience init(image: UIImage?, style: Style, target: Any?, action: Selector?) {
        self.init(title: nil, style: style, target: target, action: action)
        self.image = image
    }

    /// Creates a button of the system.
    public convenience init(barButtonSystemItem systemItem: SystemItem, target: Any?, action: Selector?) {
        self.init(title: "\(systemItem)", style: .plain, target: target, action: action)
    }

    /// Calls what the button calls, as a finger would. Ours.
    open func press() {
        if isEnabled, let target, let action { action.invoke(on: target, self) }
    }
}

/// What a stack of controllers shows of one in its bar.
@preconcurrency @MainActor
open class UINavigationItem: NSObject {
    /// What the controller shows, in words.
    open var title: String?
    /// In more words.
    open var prompt: String?
    /// The buttons at the left.
    open var leftBarButtonItems: [UIBarButtonItem]?
    /// The buttons at the right.
    open var rightBarButtonItems: [UIBarButtonItem]?
    /// The button that leads back here.
    open var backBarButtonItem: UIBarButtonItem?
    /// Whether nothing leads back.
    open var hidesBackButton = false
    /// What is in place of the title.
    open var titleView: UIView?

    /// Creates an item.
    public init(title: String) { self.title = title }

    /// The first button at the left.
    open var leftBarButtonItem: UIBarButtonItem? {
        get { leftBarButtonItems?.first }
        set { leftBarButtonItems = newValue.map { [$0] } }
    }

    /// The first button at the right.
    open var rightBarButtonItem: UIBarButtonItem? {
        get { rightBarButtonItems?.first }
        set { rightBarButtonItems = newValue.map { [$0] } }
    }
}

extension UIView {
    /// Changes views. Nothing draws them so far: the changes are made at once, and the end is told later, on the main
    /// queue.
    ///
    /// - Parameter completion: called with true.
    public class func animate(
        withDuration duration: TimeInterval, animations: () -> Void, completion: ((Bool) -> Void)? = nil
    ) {
        animations()
        guard let completion else { return }
        // Called on the main thread.
        nonisolated(unsafe) let told = completion
        DispatchQueue.main.async { unsafe told(true) }
    }

    /// As the other one; when it begins and how makes no difference here.
    public class func animate(
        withDuration duration: TimeInterval, delay: TimeInterval, options: AnimationOptions = [],
        animations: () -> Void, completion: ((Bool) -> Void)? = nil
    ) { animate(withDuration: duration, animations: animations, completion: completion) }

    /// How views change.
    public struct AnimationOptions: OptionSet, Sendable {
        /// Apple's number.
        public let rawValue: UInt

        /// Creates it of Apple's number.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// From where they are.
        public static let beginFromCurrentState = AnimationOptions(rawValue: 1 << 2)
        /// Again and again.
        public static let `repeat` = AnimationOptions(rawValue: 1 << 3)
        /// Forth and back.
        public static let autoreverse = AnimationOptions(rawValue: 1 << 4)
        /// Slowly at both ends.
        public static let curveEaseInOut: AnimationOptions = []
        /// Slowly at the beginning.
        public static let curveEaseIn = AnimationOptions(rawValue: 1 << 16)
        /// Slowly at the end.
        public static let curveEaseOut = AnimationOptions(rawValue: 2 << 16)
        /// Evenly.
        public static let curveLinear = AnimationOptions(rawValue: 3 << 16)
    }
}
