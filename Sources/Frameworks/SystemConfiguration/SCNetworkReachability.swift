@_exported public import Foundation
internal import Glibc
internal import Synchronization
internal import UIKit

/// What the way to a host is like.
public struct SCNetworkReachabilityFlags: OptionSet, Sendable {
    /// Apple's number.
    public let rawValue: UInt32

    /// Creates it of Apple's number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// By a connection that comes and goes, such as that of a phone.
    public static let transientConnection = SCNetworkReachabilityFlags(rawValue: 1 << 0)
    /// There is a way.
    public static let reachable = SCNetworkReachabilityFlags(rawValue: 1 << 1)
    /// A connection has to be made first. Never here.
    public static let connectionRequired = SCNetworkReachabilityFlags(rawValue: 1 << 2)
    /// It is made when somebody sends. Never here.
    public static let connectionOnTraffic = SCNetworkReachabilityFlags(rawValue: 1 << 3)
    /// The user has to do something first. Never here.
    public static let interventionRequired = SCNetworkReachabilityFlags(rawValue: 1 << 4)
    /// It is made by interfaces of CFNetwork. Never here.
    public static let connectionOnDemand = SCNetworkReachabilityFlags(rawValue: 1 << 5)
    /// It is this device.
    public static let isLocalAddress = SCNetworkReachabilityFlags(rawValue: 1 << 16)
    /// Without a router.
    public static let isDirect = SCNetworkReachabilityFlags(rawValue: 1 << 17)
    /// By a phone's network.
    public static let isWWAN = SCNetworkReachabilityFlags(rawValue: 1 << 18)
    /// As on demand.
    public static let connectionAutomatic: SCNetworkReachabilityFlags = .connectionOnTraffic
}

/// Called when the way to a host has changed, with the context's `info`. On iOS a C function, here a closure: `{ _, _,
/// _ in … }` and the name of a function do for both.
public typealias SCNetworkReachabilityCallBack =
    @Sendable (SCNetworkReachability, SCNetworkReachabilityFlags, UnsafeMutableRawPointer?) -> Void

/// What a callback is called with, and how it is held.
@unsafe public struct SCNetworkReachabilityContext {
    /// 0.
    public var version: Int
    /// What the callback is given.
    public var info: UnsafeMutableRawPointer?
    /// Holds `info`; called when the callback is set.
    public var retain: (@convention(c) (UnsafeRawPointer) -> UnsafeRawPointer)?
    /// Lets go of `info`; called when the callback is set anew or taken away.
    public var release: (@convention(c) (UnsafeRawPointer) -> Void)?
    /// Describes `info`. Not called.
    public var copyDescription: ((UnsafeRawPointer) -> Unmanaged<CFString>)?

    /// Creates a context of nothing.
    public init() { unsafe self.init(version: 0, info: nil, retain: nil, release: nil, copyDescription: nil) }

    /// Creates a context.
    public init(
        version: Int, info: UnsafeMutableRawPointer?,
        retain: (@convention(c) (UnsafeRawPointer) -> UnsafeRawPointer)?,
        release: (@convention(c) (UnsafeRawPointer) -> Void)?,
        copyDescription: ((UnsafeRawPointer) -> Unmanaged<CFString>)?
    ) {
        unsafe self.version = version
        unsafe self.info = info
        unsafe self.retain = retain
        unsafe self.release = release
        unsafe self.copyDescription = copyDescription
    }
}

/// The way to a host. Behind it is the device's network, the real one or the one that `greenroom simulate network` or a
/// test sets: whether there is one, not whether that host answers, as on iOS. Any thread may use it.
public final class SCNetworkReachability: Sendable {
    private struct State {
        /// Calls the app's callback with its own pointer.
        var call: (@Sendable (SCNetworkReachability, SCNetworkReachabilityFlags) -> Void)?
        /// Lets go of that pointer.
        var release: (@Sendable () -> Void)?
        var queue: DispatchQueue?
        var last: SCNetworkReachabilityFlags?
        // The notification center's own object: only given back to it.
        nonisolated(unsafe) var token: (any NSObjectProtocol)?
    }

    private let isLocal: Bool
    private let state = Mutex(State())

    init(isLocal: Bool) { self.isLocal = isLocal }

    deinit {
        unsubscribe()
        state.withLock { $0.release }?()
    }

    var flags: SCNetworkReachabilityFlags {
        if isLocal { return [.reachable, .isLocalAddress, .isDirect] }
        return switch UIDevice.presentNetworkKind {
        case .none: []
        case .wifi, .wired: .reachable
        case .cellular: [.reachable, .transientConnection, .isWWAN]
        }
    }

    func set(_ callback: SCNetworkReachabilityCallBack?, _ context: SCNetworkReachabilityContext?) {
        // The app's own pointer, which is handed back to it only.
        nonisolated(unsafe) let info = unsafe context?.info
        let letGo = unsafe context?.release
        if let info = unsafe info { _ = unsafe context?.retain?(info) }
        var call: (@Sendable (SCNetworkReachability, SCNetworkReachabilityFlags) -> Void)?
        if let callback = unsafe callback { call = { target, flags in unsafe callback(target, flags, info) } }
        let release: (@Sendable () -> Void)? = { if let info = unsafe info { unsafe letGo?(info) } }
        let old = state.withLock { state in
            defer { (state.call, state.release) = (call, release) }
            return state.release
        }
        old?()
    }

    func subscribe(_ queue: DispatchQueue) {
        unsubscribe()
        let token = NotificationCenter.default.addObserver(
            forName: UIDevice.networkDidChangeNotification, object: nil, queue: nil
        ) { [weak self] _ in self?.look() }
        // Only given back to the center, which any thread may do.
        nonisolated(unsafe) let sent = token
        let flags = flags
        state.withLock { state in
            state.queue = queue
            state.last = flags
            unsafe state.token = sent
        }
    }

    func unsubscribe() {
        let token = state.withLock { state in
            // Unchecked: it is read and removed under the lock, and used by this thread alone.
            nonisolated(unsafe) let token = unsafe state.token
            unsafe state.token = nil
            state.queue = nil
            return unsafe token
        }
        if let token { NotificationCenter.default.removeObserver(token) }
    }

    private func look() {
        let flags = flags
        let queue = state.withLock { state -> DispatchQueue? in
            guard flags != state.last else { return nil }
            state.last = flags
            return state.queue
        }
        queue?.async { [self] in
            // Not if it has been taken away meanwhile.
            state.withLock { $0.queue == nil ? nil : $0.call }?(self, flags)
        }
    }
}

/// The way to a host of this name; names such as `localhost` are this device.
public func SCNetworkReachabilityCreateWithName(
    _ allocator: UnsafeRawPointer?, _ nodename: UnsafePointer<CChar>
) -> SCNetworkReachability? {
    let name = unsafe String(cString: nodename)
    guard !name.isEmpty else { return fail(kSCStatusInvalidArgument) }
    return SCNetworkReachability(isLocal: ["localhost", "127.0.0.1", "::1"].contains(name))
}

/// The way to an address; that of all zeros is the network as a whole.
public func SCNetworkReachabilityCreateWithAddress(
    _ allocator: UnsafeRawPointer?, _ address: UnsafePointer<sockaddr>
) -> SCNetworkReachability? {
    switch Int32(unsafe address.pointee.sa_family) {
    case AF_INET:
        let host = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
        return SCNetworkReachability(isLocal: UInt32(bigEndian: host) >> 24 == 127)
    case AF_INET6:
        let host = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr
        let bytes = unsafe withUnsafeBytes(of: host) { unsafe Array($0) }
        return SCNetworkReachability(isLocal: bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1)
    // Code of iOS often leaves it out, beside the length that Linux's addresses lack.
    case AF_UNSPEC: return SCNetworkReachability(isLocal: false)
    default: return fail(kSCStatusInvalidArgument)
    }
}

/// What the way to a host is like now.
///
/// - Parameter flags: gets the flags.
/// - Returns: whether that is known. Yes.
public func SCNetworkReachabilityGetFlags(
    _ target: SCNetworkReachability, _ flags: UnsafeMutablePointer<SCNetworkReachabilityFlags>
) -> Bool {
    unsafe flags.pointee = target.flags
    return true
}

/// Says what to call when the way has changed; `nil`: nothing any more.
///
/// - Parameter context: what the callback is called with; copied.
/// - Returns: true.
@discardableResult
public func SCNetworkReachabilitySetCallback(
    _ target: SCNetworkReachability, _ callout: SCNetworkReachabilityCallBack?,
    _ context: UnsafeMutablePointer<SCNetworkReachabilityContext>?
) -> Bool {
    unsafe target.set(callout, unsafe context?.pointee)
    return true
}

/// Has the callback called on a queue from now on; `nil`: no longer.
///
/// - Returns: true.
@discardableResult
public func SCNetworkReachabilitySetDispatchQueue(_ target: SCNetworkReachability, _ queue: DispatchQueue?) -> Bool {
    if let queue { target.subscribe(queue) } else { target.unsubscribe() }
    return true
}
