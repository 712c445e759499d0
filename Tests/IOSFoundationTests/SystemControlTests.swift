import Foundation
import Glibc
import IOSFoundation
import Testing

@Suite("sysctl")
struct SystemControlTests {
    private func value<Value: BitwiseCopyable>(_ name: String, _ zero: Value) -> Value? {
        var (value, size) = (zero, MemoryLayout<Value>.size)
        guard unsafe sysctlbyname(name, &value, &size, nil, 0) == 0, size == MemoryLayout<Value>.size else {
            return nil
        }
        return value
    }

    @Test("When the machine began is by the clock, and the same by number and by name")
    func bootTime() throws {
        // As iOS code writes it.
        var mib = [CTL_KERN, KERN_BOOTTIME]
        var size = MemoryLayout<timeval>.stride
        var began = timeval()
        #expect(unsafe sysctl(&mib, UInt32(mib.count), &began, &size, nil, 0) == 0)
        let uptime = Date().timeIntervalSince1970 - Double(began.tv_sec) - Double(began.tv_usec) / 1e6
        let known = try String(contentsOfFile: "/proc/uptime", encoding: .utf8).split(separator: " ").first
        #expect(abs(uptime - (known.flatMap { Double($0) } ?? 0)) < 5)
        let named = try #require(value("kern.boottime", timeval()))
        #expect(abs(named.tv_sec - began.tv_sec) <= 1)
    }

    @Test("Text comes with its end, after its length was asked for")
    func text() throws {
        var size = 0
        #expect(unsafe sysctlbyname("hw.machine", nil, &size, nil, 0) == 0)
        var machine = [CChar](repeating: 1, count: size)
        #expect(unsafe sysctlbyname("hw.machine", &machine, &size, nil, 0) == 0)
        #expect(machine.last == 0)
        var names = utsname()
        unsafe uname(&names)
        let known = unsafe withUnsafeBytes(of: &names.machine) { unsafe Array($0.prefix { $0 != 0 }) }
        #expect(machine.dropLast().map(UInt8.init(bitPattern:)) == known)
    }

    @Test("How much there is of the machine is as it is")
    func numbers() {
        #expect(value("hw.memsize", UInt64(0)) == ProcessInfo.processInfo.physicalMemory)
        #expect(value("hw.ncpu", Int32(0)) == Int32(ProcessInfo.processInfo.processorCount))
        #expect(value("hw.pagesize", Int32(0)) == 4096 || value("hw.pagesize", Int32(0)) == 16384)
    }

    @Test("What is not known, too long or to be set is refused with Darwin's numbers")
    func refusals() {
        var (size, byte) = (1, UInt8(0))
        #expect(unsafe sysctlbyname("kern.nothing", &byte, &size, nil, 0) == -1)
        #expect(errno == ENOENT)
        #expect(unsafe sysctlbyname("hw.machine", &byte, &size, nil, 0) == -1)
        #expect(errno == ENOMEM && size == 1)
        #expect(unsafe sysctlbyname("kern.hostname", nil, &size, &byte, 1) == -1)
        #expect(errno == EPERM)
        var mib: [Int32] = [CTL_HW, 9999]
        #expect(unsafe sysctl(&mib, 2, nil, &size, nil, 0) == -1)
        #expect(errno == ENOENT)
    }
}
