public import Foundation
public import IOSFoundation

/// A view that tells objects what the user does with it. Nothing draws it so far: code uses it with
/// `sendActions(for:)`.
@preconcurrency @MainActor
open class UIControl: UIView {
    /// What is done with a control.
    public struct Event: OptionSet, Hashable, Sendable {
        /// Apple's number.
        public let rawValue: UInt

        /// Creates it of Apple's number.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Touch down.
        public static let touchDown = Event(rawValue: 1 << 0)
        /// Touch down repeat.
        public static let touchDownRepeat = Event(rawValue: 1 << 1)
        /// Touch drag inside.
        public static let touchDragInside = Event(rawValue: 1 << 2)
        /// Touch drag outside.
        public static let touchDragOutside = Event(rawValue: 1 << 3)
        /// Touch drag enter.
        public static let touchDragEnter = Event(rawValue: 1 << 4)
        /// Touch drag exit.
        public static let touchDragExit = Event(rawValue: 1 << 5)
        /// Touch up inside.
        public static let touchUpInside = Event(rawValue: 1 << 6)
        /// Touch up outside.
        public static let touchUpOutside = Event(rawValue: 1 << 7)
        /// Touch cancel.
        public static let touchCancel = Event(rawValue: 1 << 8)
        /// Value changed.
        public static let valueChanged = Event(rawValue: 1 << 12)
        /// Primary action triggered.
        public static let primaryActionTriggered = Event(rawValue: 1 << 13)
        /// Editing did begin.
        public static let editingDidBegin = Event(rawValue: 1 << 16)
        /// Editing changed.
        public static let editingChanged = Event(rawValue: 1 << 17)
        /// Editing did end.
        public static let editingDidEnd = Event(rawValue: 1 << 18)
        /// Editing did end on exit.
        public static let editingDidEndOnExit = Event(rawValue: 1 << 19)
        /// All touch events.
        public static let allTouchEvents = Event(rawValue: 0x0fff)
        /// All editing events.
        public static let allEditingEvents = Event(rawValue: 0xf_0000)
        /// All events.
        public static let allEvents = Event(rawValue: 0xffff_ffff)
    }

    /// How a control looks and whether it can be used.
    public struct State: OptionSet, Hashable, Sendable {
        /// Apple's number.
        public let rawValue: UInt

        /// Creates it of Apple's number.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Normal.
        public static let normal: State = []
        /// Highlighted.
        public static let highlighted = State(rawValue: 1 << 0)
        /// Disabled.
        public static let disabled = State(rawValue: 1 << 1)
        /// Selected.
        public static let selected = State(rawValue: 1 << 2)
        /// Focused.
        public static let focused = State(rawValue: 1 << 3)
    }

    private struct Target {
        weak var object: AnyObject?
        /// Without an object, whatever takes the action in the chain of responders.
        var isNamed: Bool
        var action: Selector
        var events: Event
    }

    private struct Handler {
        var action: UIAction
        var events: Event
    }

    /// Whether the control can be used.
    open var isEnabled = true
    /// Whether the control is chosen.
    open var isSelected = false
    /// Whether a finger is on the control.
    open var isHighlighted = false

    /// How the control looks.
    open var state: State {
        var state: State = []
        if isHighlighted { state.insert(.highlighted) }
        if !isEnabled { state.insert(.disabled) }
        if isSelected { state.insert(.selected) }
        return state
    }

    private var targets: [Target] = []
    private var handlers: [Handler] = []

    /// Calls a method of an object at each of some events.
    ///
    /// - Parameters:
    ///   - target: not held; `nil` for the first in the chain of responders that has the method.
    ///   - action: of a method that takes the control and the event, the control, or nothing.
    open func addTarget(_ target: Any?, action: Selector, for controlEvents: Event) {
        let object = target.map { $0 as AnyObject }
        targets.removeAll { $0.object === object && $0.action == action && $0.events == controlEvents }
        targets.append(Target(object: object, isNamed: target != nil, action: action, events: controlEvents))
    }

    /// Calls a method no longer. `nil` stands for all.
    open func removeTarget(_ target: Any?, action: Selector?, for controlEvents: Event) {
        let object = target.map { $0 as AnyObject }
        for index in targets.indices
        where (object == nil || targets[index].object === object)
            && (action == nil || targets[index].action == action)
        {
            targets[index].events.subtract(controlEvents)
        }
        targets.removeAll { $0.events.isEmpty }
    }

    /// Calls an action's block at each of some events. An action of the same identifier is replaced.
    open func addAction(_ action: UIAction, for controlEvents: Event) {
        handlers.removeAll { $0.action.identifier == action.identifier && $0.events == controlEvents }
        handlers.append(Handler(action: action, events: controlEvents))
    }

    /// Calls an action's block no longer.
    open func removeAction(_ action: UIAction, for controlEvents: Event) {
        handlers.removeAll { $0.action.identifier == action.identifier && $0.events.isSubset(of: controlEvents) }
    }

    /// The objects whose methods are called.
    open var allTargets: Set<AnyHashable> { Set(targets.compactMap { $0.object as? AnyHashable }) }

    /// The events at which something is called.
    open var allControlEvents: Event {
        targets.reduce(handlers.reduce([]) { $0.union($1.events) }) { $0.union($1.events) }
    }

    /// Calls what is called at some events.
    open func sendActions(for controlEvents: Event) {
        for target in targets where !target.events.isDisjoint(with: controlEvents) {
            if let object = target.object {
                target.action.invoke(on: object, self, nil)
            } else if !target.isNamed {
                sendUpTheChain(target.action)
            }
        }
        for handler in handlers where !handler.events.isDisjoint(with: controlEvents) {
            handler.action.perform(from: self)
        }
    }

    private func sendUpTheChain(_ action: Selector) {
        var responder: UIResponder? = self
        while let current = responder {
            if action.isMethod(of: current) {
                action.invoke(on: current, self, nil)
                return
            }
            responder = current.next
        }
    }
}

/// What a control or a menu does, as a block.
@preconcurrency @MainActor
open class UIAction: NSObject {
    /// Tells actions apart.
    public struct Identifier: RawRepresentable, Hashable, Sendable {
        /// Apple's number.
        public var rawValue: String

        /// Creates it of Apple's number.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Creates it of Apple's number.
        public init(_ rawValue: String) { self.rawValue = rawValue }
    }

    /// Tells it from others.
    public let identifier: Identifier
    /// What it does, in words.
    open var title: String
    /// What it was sent by, while its block runs.
    open private(set) var sender: Any?
    private let handler: (UIAction) -> Void

    /// Creates an action.
    public init(
        title: String = "", image: UIImage? = nil, identifier: Identifier? = nil,
        handler: @escaping (UIAction) -> Void
    ) {
        self.title = title
        self.identifier = identifier ?? Identifier(UUID().uuidString)
        self.handler = handler
    }

    func perform(from sender: Any?) {
        self.sender = sender
        handler(self)
        self.sender = nil
    }
}
