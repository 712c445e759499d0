internal import Foundation
internal import Glibc

// Darwin's sysctl, of which apps ask when the machine began, what it is called, and how much there is of it. Linux has
// the values elsewhere.

/// The kernel.
public let CTL_KERN: Int32 = 1
/// The hardware.
public let CTL_HW: Int32 = 6
/// The kernel's release, as text.
public let KERN_OSRELEASE: Int32 = 2
/// What the machine is called, as text.
public let KERN_HOSTNAME: Int32 = 10
/// When the machine began, as a `timeval`, by the clock as it is set now.
public let KERN_BOOTTIME: Int32 = 21
/// The kind of machine, as text: as in Apple's simulator the processor's.
public let HW_MACHINE: Int32 = 1
/// The same as `HW_MACHINE`.
public let HW_MODEL: Int32 = 2
/// How many processors there are, as an `Int32`.
public let HW_NCPU: Int32 = 3
/// Bytes of a page, as an `Int32`.
public let HW_PAGESIZE: Int32 = 7
/// Bytes of memory, as a `UInt64`.
public let HW_MEMSIZE: Int32 = 24

/// Reads a value of the system by numbers, such as `[CTL_KERN, KERN_BOOTTIME]`.
///
/// - Returns: 0, or -1 with `errno`: `ENOENT` for what is not known here, `ENOMEM` where the value is longer than there
///   is room, `EPERM` for any attempt to set one.
public func sysctl(
    _ name: UnsafeMutablePointer<Int32>!, _ namelen: UInt32, _ oldp: UnsafeMutableRawPointer!,
    _ oldlenp: UnsafeMutablePointer<Int>!, _ newp: UnsafeMutableRawPointer!, _ newlen: Int
) -> Int32 {
    guard namelen == 2, let name = unsafe name else { return failure(ENOENT) }
    let value: SystemValue? =
        switch unsafe (name[0], name[1]) {
        case (CTL_KERN, KERN_OSRELEASE): .release
        case (CTL_KERN, KERN_HOSTNAME): .hostname
        case (CTL_KERN, KERN_BOOTTIME): .bootTime
        case (CTL_HW, HW_MACHINE), (CTL_HW, HW_MODEL): .machine
        case (CTL_HW, HW_NCPU): .processors
        case (CTL_HW, HW_PAGESIZE): .pageSize
        case (CTL_HW, HW_MEMSIZE): .memory
        default: nil
        }
    guard unsafe newp == nil else { return failure(EPERM) }
    return unsafe give(value, oldp, oldlenp)
}

/// Reads a value of the system by its name, such as `hw.machine`.
///
/// - Returns: as `sysctl`.
public func sysctlbyname(
    _ name: UnsafePointer<CChar>!, _ oldp: UnsafeMutableRawPointer!, _ oldlenp: UnsafeMutablePointer<Int>!,
    _ newp: UnsafeMutableRawPointer!, _ newlen: Int
) -> Int32 {
    guard let name = unsafe name else { return failure(ENOENT) }
    guard unsafe newp == nil else { return failure(EPERM) }
    return unsafe give(SystemValue(rawValue: String(cString: name)), oldp, oldlenp)
}

private func failure(_ number: Int32) -> Int32 {
    errno = number
    return -1
}

private func give(
    _ value: SystemValue?, _ room: UnsafeMutableRawPointer?, _ length: UnsafeMutablePointer<Int>?
) -> Int32 {
    guard let bytes = value?.bytes else { return failure(ENOENT) }
    guard let length = unsafe length else { return 0 }
    let available = unsafe length.pointee
    // Without room it says how much is needed.
    unsafe length.pointee = bytes.count
    guard let room = unsafe room else { return 0 }
    let copied = min(available, bytes.count)
    unsafe room.copyMemory(from: bytes, byteCount: copied)
    unsafe length.pointee = copied
    return copied < bytes.count ? failure(ENOMEM) : 0
}

/// What can be asked for, by Darwin's names.
private enum SystemValue: String {
    case release = "kern.osrelease"
    case hostname = "kern.hostname"
    case bootTime = "kern.boottime"
    case machine = "hw.machine"
    case model = "hw.model"
    case processors = "hw.ncpu"
    case logicalProcessors = "hw.logicalcpu"
    case activeProcessors = "hw.activecpu"
    case pageSize = "hw.pagesize"
    case memory = "hw.memsize"

    var bytes: [UInt8] {
        switch self {
        case .release: text { $0.release }
        case .hostname: text { $0.nodename }
        case .machine, .model: text { $0.machine }
        case .bootTime: raw(bootTime)
        case .processors, .logicalProcessors: raw(Int32(ProcessInfo.processInfo.processorCount))
        case .activeProcessors: raw(Int32(ProcessInfo.processInfo.activeProcessorCount))
        case .pageSize: raw(Int32(sysconf(CInt(_SC_PAGESIZE))))
        case .memory: raw(ProcessInfo.processInfo.physicalMemory)
        }
    }

    private var bootTime: timeval {
        var (now, since) = (timespec(), timespec())
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        unsafe clock_gettime(CLOCK_BOOTTIME, &since)
        let microseconds = (now.tv_sec - since.tv_sec) * 1_000_000 + (now.tv_nsec - since.tv_nsec) / 1000
        return timeval(tv_sec: microseconds / 1_000_000, tv_usec: microseconds % 1_000_000)
    }

    private func raw<Value: BitwiseCopyable>(_ value: Value) -> [UInt8] {
        unsafe withUnsafeBytes(of: value) { unsafe Array($0) }
    }

    /// With its end, as C has it.
    private func text<Characters: BitwiseCopyable>(_ part: (utsname) -> Characters) -> [UInt8] {
        var names = utsname()
        unsafe uname(&names)
        return raw(part(names)).prefix { $0 != 0 } + [0]
    }
}
