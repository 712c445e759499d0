public import Foundation

/// A string of Core Foundation, which Linux's Foundation hides: the same as Foundation's.
public typealias CFString = NSString

private let lastError = "org.greenroom.SystemConfiguration.error"

/// Why the last call on this thread that failed did.
public func SCError() -> Int32 { Thread.current.threadDictionary[lastError] as? Int32 ?? kSCStatusOK }

func fail(_ status: Int32) -> SCNetworkReachability? {
    Thread.current.threadDictionary[lastError] = status
    return nil
}

/// Nothing failed.
public let kSCStatusOK: Int32 = 0
/// Something failed.
public let kSCStatusFailed: Int32 = 1001
/// An argument is wrong.
public let kSCStatusInvalidArgument: Int32 = 1002

// Addresses of Darwin begin with their length, which those of Linux do not have: calls are told it.

extension sockaddr {
    /// How many bytes it has. What is set is not kept.
    public var sa_len: UInt8 {
        get { UInt8(MemoryLayout<sockaddr>.size) }
        set {}
    }
}

extension sockaddr_in {
    /// How many bytes it has. What is set is not kept.
    public var sin_len: UInt8 {
        get { UInt8(MemoryLayout<sockaddr_in>.size) }
        set {}
    }
}

extension sockaddr_in6 {
    /// How many bytes it has. What is set is not kept.
    public var sin6_len: UInt8 {
        get { UInt8(MemoryLayout<sockaddr_in6>.size) }
        set {}
    }
}
