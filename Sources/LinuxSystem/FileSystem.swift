internal import CLinux
internal import Glibc
internal import SystemPackage

/// Files and directories, safely.
package enum FileSystem {
    package static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Bytes; zero for what is not there.
    package static func size(of path: String) -> Int {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Bytes of disk in use; zero for what is not there.
    package static func allocated(by path: String) -> Int64 {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? Int64(status.st_blocks) * 512 : 0
    }

    /// How many names lead to it; zero for what is not there.
    static func links(to path: String) -> Int {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? Int(status.st_nlink) : 0
    }

    /// When a file was last written, by the wall clock; `nil` for what is not there.
    package static func modified(_ path: String) -> Int64? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }

    package static func makeDirectory(_ path: String, mode: UInt32 = 0o700) throws(SystemError) {
        try DiskReserve.using { () throws(SystemError) in try makeDirectoryOnce(path, mode: mode) }
    }

    private static func makeDirectoryOnce(_ path: String, mode: UInt32) throws(SystemError) {
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

    /// Puts a file in the place of the one that may be there, without waiting for the disk: for what need not outlive
    /// the machine.
    ///
    /// ext4 writes a file that is renamed over another, which takes some milliseconds; it does not write one that
    /// changes places with another.
    package static func supplant(_ path: String, by draft: String) throws(SystemError) {
        // Nothing is there yet, or the file system cannot do it.
        guard unsafe gr_exchange(draft, path) == 0 else { return try rename(draft, to: path) }
        remove(draft)
    }

    package static func link(to target: String, at path: String) throws(SystemError) {
        _ = unsafe unlink(path)
        try check("symlink", path: path) { unsafe symlink(target, path) }
    }

    /// What a link says; cut off after 4,095 bytes, as the kernel does.
    package static func linkTarget(_ path: String) -> String? {
        var target = [CChar](repeating: 0, count: 4096)
        let length = unsafe readlink(path, &target, target.count)
        return length > 0 ? String(decoding: target.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    /// The same place without links on the way; itself where there is none.
    package static func realPath(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    package static func remove(_ path: String) { _ = unsafe unlink(path) }

    /// Replaces a file as a whole: whoever reads it sees the old or the new one, after a power loss too. On a full disk
    /// the reserve makes room for it.
    package static func replace(_ path: String, with bytes: [UInt8], mode: UInt32 = 0o600) throws(SystemError) {
        try DiskReserve.using { () throws(SystemError) in try replaceOnce(path, with: bytes, mode: mode) }
    }

    private static func replaceOnce(_ path: String, with bytes: [UInt8], mode: UInt32) throws(SystemError) {
        let temporary = path + ".new"
        // What a crash left there may be a link, or have another mode.
        remove(temporary)
        let file = try Descriptor.open(temporary, .write, create: mode, exclusive: true)
        do throws(SystemError) {
            try file.writeAll(bytes)
            try file.synchronize()
            try rename(temporary, to: path)
        } catch {
            remove(temporary)
            throw error
        }
        // The new name itself is on disk only after this.
        try synchronizeDirectory(of: path)
    }

    /// As `replace`; in place where the disk is full, since what a crashed system left can still be overwritten.
    package static func replaceOrOverwrite(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        do throws(SystemError) {
            try replace(path, with: bytes)
        } catch {
            guard [.noSpace, .diskQuotaExceeded].contains(error.errno),
                let file = try? Descriptor.open(path, .write, followsLinks: false)
            else { throw error }
            try file.writeAll(bytes)
            try file.truncate(to: Int64(bytes.count))
        }
    }

    private static func synchronizeDirectory(of path: String) throws(SystemError) {
        let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let directory = try Descriptor.open(parent, .directory)
        let fd = directory.rawValue
        try check("fsync", path: parent) { fsync(fd) }
    }

    /// The content of a file, at most `limit` bytes. `nil` where no regular file has this name: a pipe or a device may
    /// have no end.
    package static func read(_ path: String, limit: Int = 1 << 26) -> [UInt8]? {
        guard let file = try? Descriptor.open(path, .read), let identity = try? file.identity(), identity.isRegular
        else { return nil }
        return try? file.readAll(limit: limit)
    }

    /// Whether SQLite can open a database there without waiting for a pipe.
    ///
    /// - Returns: false if the database, or one of SQLite's files beside it, is a pipe, a socket or a device. SQLite
    ///   refuses a folder at once.
    package static func mayHoldDatabase(_ path: String) -> Bool {
        ["", "-wal", "-shm", "-journal"].allSatisfy { suffix in
            guard let identity = try? Descriptor.open(path + suffix, .path).identity() else { return true }
            return identity.isRegular || identity.isDirectory
        }
    }

    /// The first folder on the way to another one that other users cannot pass; that one itself if they can pass all.
    package static func firstClosed(onTheWayTo path: String) -> String {
        var folder = ""
        for name in path.split(separator: "/") {
            folder += "/\(name)"
            guard folder != path, let status = try? Descriptor.open(folder, .directory).status() else { break }
            if !status.isOpenToOthers { return folder }
        }
        return path
    }

    /// The names in a directory, sorted: those that are text. It is for directories in which only Greenroom or the
    /// kernel makes names; in others walk by `FileName`.
    package static func names(in path: String) -> [String] {
        guard let directory = try? Descriptor.open(path, .directory),
            var reader = try? DirectoryReader(directory)
        else { return [] }
        var found: [String] = []
        while let entry = try? reader.entry() {
            if let name = entry.name.text { found.append(name) }
        }
        return found.sorted()
    }
}

package enum StandardError {
    package static func write(_ text: String) {
        var bytes = Array(text.utf8)
        _ = unsafe Glibc.write(2, &bytes, bytes.count)
    }
}
