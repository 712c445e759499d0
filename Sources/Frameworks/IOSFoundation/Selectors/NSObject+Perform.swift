public import Foundation

/// Objects whose methods selectors call on another thread than the one that asked: the app's code answers for that, as
/// it does on iOS.
struct Message: @unchecked Sendable {
    var target: Any
    var selector: Selector
    var argument: Any?

    func send() { selector.invoke(on: target, argument) }
}

extension NSObjectProtocol {
    /// Whether the object has the method that a selector of `#selector` is of.
    public func responds(to selector: Selector!) -> Bool {
        guard let selector else { return false }
        return selector.isMethod(of: self)
    }
}

extension NSObject {
    /// Calls a method.
    ///
    /// - Returns: the object that the method returns; `nil` if it returns none.
    @discardableResult
    public func perform(_ selector: Selector!) -> Unmanaged<AnyObject>! { unsafe result(selector.invoke(on: self)) }

    /// Calls a method with an argument.
    ///
    /// - Returns: the object that the method returns; `nil` if it returns none.
    @discardableResult
    public func perform(_ selector: Selector!, with object: Any!) -> Unmanaged<AnyObject>! {
        unsafe result(selector.invoke(on: self, object))
    }

    /// Calls a method with two arguments.
    ///
    /// - Returns: the object that the method returns; `nil` if it returns none.
    @discardableResult
    public func perform(_ selector: Selector!, with object1: Any!, with object2: Any!) -> Unmanaged<AnyObject>! {
        unsafe result(selector.invoke(on: self, object1, object2))
    }

    private func result(_ value: Any) -> Unmanaged<AnyObject>? {
        guard type(of: value) is AnyClass else { return nil }
        // The caller does not own it, and there are no pools: it lives until this thread's next message.
        Thread.current.threadDictionary["NSObject.perform"] = value
        return unsafe Unmanaged.passUnretained(value as AnyObject)
    }

    /// Calls a method on this thread's run loop after a while.
    ///
    /// - Parameter delay: in seconds; 0 for the next turn of the loop.
    public func perform(_ selector: Selector, with argument: Any?, afterDelay delay: TimeInterval) {
        perform(selector, with: argument, afterDelay: delay, inModes: [.default])
    }

    /// Calls a method on this thread's run loop after a while, in some of its modes.
    ///
    /// - Parameter delay: in seconds; 0 for the next turn of the loop.
    public func perform(
        _ selector: Selector, with argument: Any?, afterDelay delay: TimeInterval, inModes modes: [RunLoop.Mode]
    ) {
        DelayedMessages.add(Message(target: self, selector: selector, argument: argument), after: delay, in: modes)
    }

    /// Forgets the delayed calls of an object.
    public class func cancelPreviousPerformRequests(withTarget target: Any) {
        DelayedMessages.cancel { $0.target as AnyObject === target as AnyObject }
    }

    /// Forgets the delayed calls of a method of an object with an argument.
    public class func cancelPreviousPerformRequests(
        withTarget target: Any, selector: Selector, object argument: Any?
    ) {
        DelayedMessages.cancel {
            $0.target as AnyObject === target as AnyObject && $0.selector == selector
                && isSame($0.argument, argument)
        }
    }

    /// Calls a method on the main thread.
    ///
    /// - Parameter wait: whether to return only when the method has; on the main thread it is then called at once.
    public func performSelector(onMainThread selector: Selector, with argument: Any?, waitUntilDone wait: Bool) {
        let message = Message(target: self, selector: selector, argument: argument)
        switch (wait, MainQueue.isCurrent) {
        case (true, true): message.send()
        case (true, false): DispatchQueue.main.sync { message.send() }
        case (false, _): DispatchQueue.main.async { message.send() }
        }
    }

    /// Calls a method on a thread of its own.
    public func performSelector(inBackground selector: Selector, with argument: Any?) {
        let message = Message(target: self, selector: selector, argument: argument)
        Thread.detachNewThread { message.send() }
    }
}

extension Thread {
    /// Calls a method on a thread of its own.
    public class func detachNewThreadSelector(_ selector: Selector, toTarget target: Any, with argument: Any?) {
        let message = Message(target: target, selector: selector, argument: argument)
        Thread.detachNewThread { message.send() }
    }
}

private func isSame(_ left: Any?, _ right: Any?) -> Bool {
    switch (left, right) {
    case (nil, nil): return true
    case (let left?, let right?):
        if let left = left as? AnyHashable, let right = right as? AnyHashable { return left == right }
        return left as AnyObject === right as AnyObject
    default: return false
    }
}

private enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether this is the main thread, or what has its part in a process whose first thread only waits.
    static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true }
}

// MARK: Objects of types that are not known

/// Calls a method of any object; `nil` has none. The plugin IOSSources calls it for `object.perform(selector)` of an
/// object whose type may be `AnyObject`.
@discardableResult
public func objc_perform(_ target: Any?, _ selector: Selector, with object: Any? = nil) -> Unmanaged<AnyObject>? {
    guard let target else { return nil }
    if let target = target as? NSObject { return unsafe target.perform(selector, with: object) }
    selector.invoke(on: target, object)
    return nil
}

/// Calls a method of any object after a while.
public func objc_perform(_ target: Any?, _ selector: Selector, with object: Any?, afterDelay delay: TimeInterval) {
    guard let target else { return }
    DelayedMessages.add(Message(target: target, selector: selector, argument: object), after: delay, in: [.default])
}
