public import Foundation

extension Timer {
    /// A timer that is invalid, to be replaced by another: what `Timer()` is on iOS, and becomes by the plugin
    /// IOSSources.
    public static func idle() -> Timer {
        let timer = Timer(timeInterval: 0, repeats: false) { _ in }
        timer.invalidate()
        return timer
    }

    /// Creates a timer that calls a method of an object, which it holds until it is invalid. It runs once it is added
    /// to a run loop.
    ///
    /// - Parameters:
    ///   - interval: in seconds; at least 0.1 ms.
    ///   - selector: of a method that takes the timer, or nothing.
    public convenience init(
        timeInterval interval: TimeInterval, target: Any, selector: Selector, userInfo: Any?, repeats: Bool
    ) {
        self.init(
            fireAt: Date(timeIntervalSinceNow: interval), interval: interval, target: target, selector: selector,
            userInfo: userInfo, repeats: repeats)
    }

    /// Creates a timer that calls a method of an object from a point in time on.
    ///
    /// - Parameters:
    ///   - date: when it fires first.
    ///   - interval: in seconds; at least 0.1 ms.
    ///   - selector: of a method that takes the timer, or nothing.
    public convenience init(
        fireAt date: Date, interval: TimeInterval, target: Any, selector: Selector, userInfo: Any?, repeats: Bool
    ) {
        let target = Message(target: target, selector: selector, argument: nil)
        self.init(fire: date, interval: interval, repeats: repeats) { timer in
            target.selector.invoke(on: target.target, timer)
        }
        TimerInfo.set(userInfo, of: self)
    }

    /// Creates a timer that calls a method of an object, which it holds until it is invalid, and runs it on this
    /// thread's run loop.
    ///
    /// - Parameters:
    ///   - interval: in seconds; at least 0.1 ms.
    ///   - selector: of a method that takes the timer, or nothing.
    @discardableResult
    public class func scheduledTimer(
        timeInterval interval: TimeInterval, target: Any, selector: Selector, userInfo: Any?, repeats: Bool
    ) -> Timer {
        let timer = Timer(
            timeInterval: interval, target: target, selector: selector, userInfo: userInfo, repeats: repeats)
        RunLoop.current.add(timer, forMode: .default)
        return timer
    }

    /// What a timer with a target was created with. Foundation's `userInfo` is always `nil` on Linux; the plugin
    /// IOSSources reads this one of the timer that a method takes.
    public var targetUserInfo: Any? { TimerInfo.get(of: self) }
}

private enum TimerInfo {
    // Only its address counts.
    private static nonisolated(unsafe) let key = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)

    static func set(_ value: Any?, of timer: Timer) {
        guard value != nil else { return }
        unsafe objc_setAssociatedObject(timer, key, value, .OBJC_ASSOCIATION_RETAIN)
    }

    static func get(of timer: Timer) -> Any? { unsafe objc_getAssociatedObject(timer, key) }
}
