internal import CLinux
internal import Glibc
internal import SystemPackage

/// The kernel's news: of the network, and of devices. What is said is a reason to look, so nothing but the subsystem of
/// a device is read from it. The corresponding C function is `socket`.
package final class Netlink: Sendable {
    package enum Source: Sendable {
        /// Links, addresses and routes of this network namespace.
        case network
        /// Devices that come, go or change (`uevent`).
        case devices
    }

    package let descriptor: Descriptor

    package init(_ source: Source) throws(SystemError) {
        // NETLINK_ROUTE with RTMGRP_LINK, _IPV4_IFADDR, _IPV4_ROUTE, _IPV6_IFADDR and _IPV6_ROUTE; or
        // NETLINK_KOBJECT_UEVENT with the kernel's own group.
        let (family, groups): (CInt, UInt32) =
            switch source {
            case .network: (0, 0x1 | 0x10 | 0x40 | 0x100 | 0x400)
            case .devices: (15, 1)
            }
        descriptor = Descriptor(owning: try check("socket") { gr_netlink(family, groups) })
    }

    /// Everything that was said since the last time. More than the kernel kept counts as something said.
    package func read() -> [[UInt8]] {
        var messages: [[UInt8]] = []
        for _ in 0..<1024 {
            var bytes: [UInt8] = []
            do {
                guard case .bytes = try descriptor.read(into: &bytes, upTo: 8192) else { return messages }
            } catch {
                if error.errno != .noBufferSpace { return messages }
            }
            messages.append(bytes)
        }
        return messages
    }

    /// What kind of device a message is about.
    package static func subsystem(_ message: [UInt8]) -> String? {
        let key = Array("SUBSYSTEM=".utf8)
        return message.split(separator: 0).first { $0.starts(with: key) }
            .map { String(decoding: $0.dropFirst(key.count), as: UTF8.self) }
    }
}
