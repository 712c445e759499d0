public import Foundation

/// A run loop. Linux's Foundation hides that of Core Foundation: it is the same as Foundation's.
public typealias CFRunLoop = RunLoop

/// In which of its modes a run loop does something.
public struct CFRunLoopMode: RawRepresentable, Hashable, Sendable {
    /// Its name.
    public let rawValue: String

    /// Creates it of its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The usual one.
    public static let defaultMode = CFRunLoopMode(rawValue: "kCFRunLoopDefaultMode")
    /// All usual ones.
    public static let commonModes = CFRunLoopMode(rawValue: "kCFRunLoopCommonModes")
}

/// The run loop of the calling thread.
public func CFRunLoopGetCurrent() -> CFRunLoop { RunLoop.current }
/// The run loop of the main thread.
public func CFRunLoopGetMain() -> CFRunLoop { RunLoop.main }

/// Has the callback called by a run loop from now on. Only the main one: on another nothing is called, and the answer
/// is false.
@discardableResult
public func SCNetworkReachabilityScheduleWithRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop, _ runLoopMode: String
) -> Bool {
    // The main run loop takes what comes to the main queue.
    guard runLoop === RunLoop.main else { return false }
    return SCNetworkReachabilitySetDispatchQueue(target, .main)
}

/// Has it called no longer.
@discardableResult
public func SCNetworkReachabilityUnscheduleFromRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop, _ runLoopMode: String
) -> Bool {
    SCNetworkReachabilitySetDispatchQueue(target, nil)
}
