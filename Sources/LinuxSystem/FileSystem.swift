internal import Glibc
internal import SystemPackage

/// Files and directories, safely.
package enum FileSystem {
    package static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    package static func makeDirectory(_ path: String, mode: UInt32 = 0o700) throws(SystemError) {
        if unsafe mkdir(path, mode) == 0 || Glibc.errno == EEXIST { return }
        guard Glibc.errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw .last("mkdir", path: path)
        }
        try makeDirectory(String(path[..<slash]), mode: mode)
        if unsafe mkdir(path, mode) != 0, Glibc.errno != EEXIST { throw .last("mkdir", path: path) }
    }

    package static func changeOwner(_ path: String, to uid: UInt32) throws(SystemError) {
        try check("lchown", path: path) { unsafe lchown(path, uid, uid) }
    }

    package static func changeMode(_ path: String, to mode: UInt32) throws(SystemError) {
        try check("chmod", path: path) { unsafe chmod(path, mode) }
    }

    package static func rename(_ from: String, to: String) throws(SystemError) {
        try check("rename", path: from) { unsafe Glibc.rename(from, to) }
    }

    package static func link(to target: String, at path: String) throws(SystemError) {
        _ = unsafe unlink(path)
        try check("symlink", path: path) { unsafe symlink(target, path) }
    }

    package static func remove(_ path: String) { _ = unsafe unlink(path) }

    /// Replaces a file as a whole: whoever reads it sees the old or the new one, after a power loss too.
    package static func replace(_ path: String, with bytes: [UInt8], mode: UInt32 = 0o600) throws(SystemError) {
        let temporary = path + ".new"
        let file = try Descriptor.open(temporary, .write, create: mode, truncate: true)
        try file.writeAll(bytes)
        try file.synchronize()
        try rename(temporary, to: path)
    }

    package static func read(_ path: String, limit: Int = 1 << 26) -> [UInt8]? {
        try? Descriptor.open(path, .read).readAll(limit: limit)
    }

    /// The names in a directory, sorted.
    package static func names(in path: String) -> [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var found: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { found.append(name) }
        }
        return found.sorted()
    }

    /// Removes a tree without following a link or leaving the device it began in the hands of a stranger.
    package static func removeTree(_ path: String) throws(SystemError) {
        if unsafe unlink(path) == 0 || Glibc.errno == ENOENT { return }
        guard let parent = try? Descriptor.open(path, .directory, followsLinks: false) else {
            throw .last("unlink", path: path)
        }
        try removeContents(of: parent, path, depth: 0)
        try check("rmdir", path: path) { unsafe rmdir(path) }
    }

    private static func removeContents(of directory: Descriptor, _ path: String, depth: Int) throws(SystemError) {
        guard depth < 512 else { throw SystemError("unlink", .tooManySymbolicLinkLevels, path: path) }
        for name in names(in: "/proc/self/fd/\(directory.rawValue)") {
            if unsafe unlinkat(directory.rawValue, name, 0) == 0 { continue }
            let fd = unsafe openat(directory.rawValue, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard fd >= 0 else { throw .last("openat", path: "\(path)/\(name)") }
            try removeContents(of: Descriptor(owning: fd), "\(path)/\(name)", depth: depth + 1)
            let parent = directory.rawValue
            try check("unlinkat", path: "\(path)/\(name)") { unsafe unlinkat(parent, name, AT_REMOVEDIR) }
        }
    }

    /// Gives a tree to a user, links themselves and not what they point to.
    package static func changeOwnerOfTree(_ path: String, to uid: UInt32) throws(SystemError) {
        try changeOwner(path, to: uid)
        guard let directory = try? Descriptor.open(path, .directory, followsLinks: false) else { return }
        _ = directory
        for name in names(in: path) { try changeOwnerOfTree("\(path)/\(name)", to: uid) }
    }
}

package enum StandardError {
    package static func write(_ text: String) {
        var bytes = Array(text.utf8)
        _ = unsafe Glibc.write(2, &bytes, bytes.count)
    }
}
