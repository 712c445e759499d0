internal import CUIKit
internal import Foundation

// The part of Apple's `sys/qos.h` and `pthread/qos.h` that apps call. What a class does is in docs/PRIORITY.md.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A class of service.
public struct qos_class_t: RawRepresentable, Hashable, Sendable {
    /// Its number in `sys/qos.h`.
    public var rawValue: UInt32

    /// The class of a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The class of a number.
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Work that the user waits for within a frame; that of the main thread.
public let QOS_CLASS_USER_INTERACTIVE = qos_class_t(UInt32(cuikit_class_interactive))
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Work that the user has begun and waits for.
public let QOS_CLASS_USER_INITIATED = qos_class_t(UInt32(cuikit_class_initiated))
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Of a thread that was given no class.
public let QOS_CLASS_DEFAULT = qos_class_t(UInt32(cuikit_class_default))
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Work whose progress the user may follow, and does not wait for.
public let QOS_CLASS_UTILITY = qos_class_t(UInt32(cuikit_class_utility))
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Work of which the user knows nothing.
public let QOS_CLASS_BACKGROUND = qos_class_t(UInt32(cuikit_class_background))
// swift-format-ignore: AlwaysUseLowerCamelCase
/// No class.
public let QOS_CLASS_UNSPECIFIED = qos_class_t(0)

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Gives the calling thread a class of service, until it chooses another one.
///
/// Returns 0, `EINVAL` for what is no class, or `EPERM`: the kernel does not let the thread rise, or it is a worker of
/// libdispatch's, whose class is that of the queue.
@discardableResult
public func pthread_set_qos_class_self_np(_ class: qos_class_t, _ relative: Int32) -> Int32 {
    CUIKit.pthread_set_qos_class_self_np(`class`.rawValue, relative)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The class of the calling thread.
public func qos_class_self() -> qos_class_t { qos_class_t(CUIKit.qos_class_self()) }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The class of the main thread.
public func qos_class_main() -> qos_class_t { qos_class_t(CUIKit.qos_class_main()) }

/// Foundation keeps `Thread.qualityOfService` and does nothing with it: it is read as the thread is made.
@_cdecl("cuikit_class_of_thread")
func classOfThread(_ address: UnsafeRawPointer) -> UInt32 {
    let thread = unsafe Unmanaged<Thread>.fromOpaque(address).takeUnretainedValue()
    return switch thread.qualityOfService {
    case .userInteractive: QOS_CLASS_USER_INTERACTIVE.rawValue
    case .userInitiated: QOS_CLASS_USER_INITIATED.rawValue
    case .utility: QOS_CLASS_UTILITY.rawValue
    case .background: QOS_CLASS_BACKGROUND.rawValue
    case .default: QOS_CLASS_DEFAULT.rawValue
    @unknown default: QOS_CLASS_DEFAULT.rawValue
    }
}
