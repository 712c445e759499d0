internal import CLinux
internal import Glibc

/// Tells of changes to files and folders. The corresponding C functions are `inotify_init1` and `inotify_add_watch`.
package final class Inotify: Sendable {
    package struct Changes: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let modified = Changes(rawValue: 0x0002)
        /// A file that was open for writing was closed.
        package static let written = Changes(rawValue: 0x0008)
        package static let attributes = Changes(rawValue: 0x0004)
        package static let opened = Changes(rawValue: 0x0020)
        package static let movedAway = Changes(rawValue: 0x0040)
        package static let movedIn = Changes(rawValue: 0x0080)
        package static let created = Changes(rawValue: 0x0100)
        package static let removed = Changes(rawValue: 0x0200)
        /// What is watched itself is gone; nothing more will come from it.
        package static let removedItself = Changes(rawValue: 0x0400)
        /// What is watched itself has another name, or another folder.
        package static let movedItself = Changes(rawValue: 0x0800)
        /// More happened than the kernel kept: look at everything again.
        package static let overflow = Changes(rawValue: 0x4000)
        /// The watch has ended, and nothing follows.
        package static let ignored = Changes(rawValue: 0x8000)
    }

    package struct Change: Hashable, Sendable {
        /// As `watch` returned it; −1 with an overflow.
        package let watch: CInt
        package let changes: Changes
        /// In a watched folder, what changed.
        package let name: String?
    }

    package let descriptor: Descriptor

    package init() throws(SystemError) {
        descriptor = Descriptor(
            owning: try check("inotify_init1") { inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK)) })
    }

    package func watch(_ path: String, for changes: Changes) throws(SystemError) -> CInt {
        let fd = descriptor.rawValue
        return try check("inotify_add_watch", path: path) { unsafe inotify_add_watch(fd, path, changes.rawValue) }
    }

    package func stop(_ watch: CInt) { _ = inotify_rm_watch(descriptor.rawValue, watch) }

    /// What has happened since the last time; empty when nothing has. What happens meanwhile is for the next time:
    /// there may be no end to it.
    package func read() throws(SystemError) -> [Change] {
        var bytes: [UInt8] = []
        let waiting = descriptor.unread
        while bytes.count < waiting, case .bytes = try descriptor.read(into: &bytes, upTo: 4096) {}
        return Self.parse(bytes)
    }

    /// The kernel's records: watch, changes, a cookie, the length of the name, the name filled up with zero bytes.
    package static func parse(_ bytes: [UInt8]) -> [Change] {
        func word(_ offset: Int) -> UInt32 {
            unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
        }
        var changes: [Change] = []
        var offset = 0
        while bytes.count - offset >= 16 {
            let length = Int(word(offset + 12))
            guard bytes.count - offset - 16 >= length else { break }
            let name = bytes[(offset + 16)..<(offset + 16 + length)].prefix { $0 != 0 }
            changes.append(
                Change(
                    watch: CInt(bitPattern: word(offset)), changes: Changes(rawValue: word(offset + 4)),
                    name: name.isEmpty ? nil : String(decoding: name, as: UTF8.self)))
            offset += 16 + length
        }
        return changes
    }
}
