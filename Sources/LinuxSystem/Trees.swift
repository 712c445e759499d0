internal import CLinux
internal import Glibc
internal import SystemPackage

// Walks through trees that may belong to a stranger who changes them meanwhile: every step is opened relative to the
// one before, and no link is followed.
extension FileSystem {
    /// Deeper directories are not walked into but moved up, so that depth costs neither descriptors nor stack.
    private static let maximumDepth = 32

    /// Removes a tree; what is not there is removed already.
    package static func removeTree(_ path: String) throws(SystemError) {
        if unsafe unlink(path) == 0 || Glibc.errno == ENOENT { return }
        let first = SystemError.last("unlink", path: path)
        guard let top = try? Descriptor.open(path, .directory, followsLinks: false) else { throw first }
        var removal = Removal(top: top)
        repeat {
            removal.isComplete = true
            try removal.removeContents(of: top, path, depth: 0)
        } while !removal.isComplete
        try check("rmdir", path: path) { unsafe rmdir(path) }
    }

    private struct Removal {
        let top: Descriptor
        var isComplete = true
        private var moved = 0

        init(top: Descriptor) { self.top = top }

        mutating func removeContents(of directory: Descriptor, _ path: String, depth: Int) throws(SystemError) {
            let parent = directory.rawValue
            for name in names(of: directory) {
                if unsafe unlinkat(parent, name, 0) == 0 || Glibc.errno == ENOENT { continue }
                guard Glibc.errno == EISDIR else { throw .last("unlinkat", path: "\(path)/\(name)") }
                if unsafe unlinkat(parent, name, AT_REMOVEDIR) == 0 { continue }
                if depth >= maximumDepth {
                    try moveUp(name, from: parent, path)
                    continue
                }
                try removeContents(of: try open(name, in: parent, path), "\(path)/\(name)", depth: depth + 1)
                // A directory out of which something was moved up is empty all the same.
                try check("unlinkat", path: "\(path)/\(name)") { unsafe unlinkat(parent, name, AT_REMOVEDIR) }
            }
        }

        private mutating func moveUp(_ name: String, from parent: CInt, _ path: String) throws(SystemError) {
            isComplete = false
            let target = top.rawValue
            while true {
                moved += 1
                let result = unsafe renameat(parent, name, target, ".removing-\(moved)")
                if result == 0 { return }
                // Somebody has a directory of that name.
                guard [ENOTEMPTY, EEXIST, ENOTDIR].contains(Glibc.errno), moved < 1 << 20 else {
                    throw .last("renameat", path: "\(path)/\(name)")
                }
            }
        }

        private func open(_ name: String, in parent: CInt, _ path: String) throws(SystemError) -> Descriptor {
            let fd = unsafe gr_openat_directory(parent, name)
            if fd >= 0 { return Descriptor(owning: fd) }
            guard Glibc.errno == EACCES else { throw .last("openat", path: "\(path)/\(name)") }
            // Its owner, this user, has forbidden it to everybody.
            let flags = GR_O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
            let handle = Descriptor(
                owning: try check("openat", path: "\(path)/\(name)") { unsafe openat(parent, name, flags) })
            let place = "/proc/self/fd/\(handle.rawValue)"
            try check("chmod", path: "\(path)/\(name)") { unsafe chmod(place, 0o700) }
            return try Descriptor.open(place, .directory)
        }
    }

    /// Gives a tree to a user, links themselves and not what they point to. A file with other names elsewhere is left
    /// alone: one of them may be somebody else's.
    package static func changeOwnerOfTree(_ path: String, to uid: UInt32) throws(SystemError) {
        guard let top = try? Descriptor.open(path, .directory, followsLinks: false) else {
            return try changeOwner(path, to: uid)
        }
        let fd = top.rawValue
        try check("fchown", path: path) { fchown(fd, uid, uid) }
        try changeOwnerOfContents(of: top, path, to: uid, depth: 0)
    }

    private static func changeOwnerOfContents(
        of directory: Descriptor, _ path: String, to uid: UInt32, depth: Int
    ) throws(SystemError) {
        guard depth < 512 else { throw SystemError("fchownat", .fileNameTooLong, path: path) }
        let parent = directory.rawValue
        for name in names(of: directory) {
            let fd = unsafe gr_openat_directory(parent, name)
            if fd >= 0 {
                let child = Descriptor(owning: fd)
                try check("fchown", path: "\(path)/\(name)") { fchown(fd, uid, uid) }
                try changeOwnerOfContents(of: child, "\(path)/\(name)", to: uid, depth: depth + 1)
                continue
            }
            var status = stat()
            try check("fstatat", path: "\(path)/\(name)") {
                unsafe fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW)
            }
            if status.st_nlink > 1 { continue }
            try check("fchownat", path: "\(path)/\(name)") {
                unsafe fchownat(parent, name, uid, uid, AT_SYMLINK_NOFOLLOW)
            }
        }
    }

    /// Bytes of disk that a tree uses; what cannot be read counts nothing. A file with several names counts once for
    /// each.
    package static func diskUsage(of path: String) -> Int64 {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return 0 }
        let own = Int64(status.st_blocks) * 512
        guard let top = try? Descriptor.open(path, .directory, followsLinks: false) else { return own }
        return own + diskUsage(inside: top, depth: 0)
    }

    private static func diskUsage(inside directory: Descriptor, depth: Int) -> Int64 {
        guard depth < 512 else { return 0 }
        var sum: Int64 = 0
        for name in names(of: directory) {
            var status = stat()
            guard unsafe fstatat(directory.rawValue, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            sum += Int64(status.st_blocks) * 512
            let fd = unsafe gr_openat_directory(directory.rawValue, name)
            if fd >= 0 { sum += diskUsage(inside: Descriptor(owning: fd), depth: depth + 1) }
        }
        return sum
    }

    private static func names(of directory: Descriptor) -> [String] {
        names(in: "/proc/self/fd/\(directory.rawValue)")
    }
}
