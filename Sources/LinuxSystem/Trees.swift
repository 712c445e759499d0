internal import CLinux
internal import Glibc
internal import SystemPackage

extension FileSystem {
    /// Removes a tree; what is not there is removed already. What cannot be removed does not save the rest.
    package static func removeTree(_ path: String) throws(SystemError) {
        if unsafe unlink(path) == 0 || Glibc.errno == ENOENT { return }
        let first = SystemError.last("unlink", path: path)
        let top: Descriptor
        do throws(SystemError) {
            top = try openForRemoval(path)
        } catch {
            throw error.errno == .improperLink ? error : first
        }
        var removal = Removal(path)
        for _ in 0..<Removal.mostRounds {
            try removal.removeContents(of: top)
            if unsafe rmdir(path) == 0 || Glibc.errno == ENOENT { return }
            guard removal.failure == nil, [ENOTEMPTY, EEXIST].contains(Glibc.errno) else { break }
        }
        throw removal.failure ?? .last("rmdir", path: path)
    }

    /// No link, and nothing that is mounted in the place of the tree.
    private static func openForRemoval(_ path: String) throws(SystemError) -> Descriptor {
        let whole = FilePath(path)
        let folder = whole.removingLastComponent()
        do throws(SystemError) {
            guard let name = whole.lastComponent?.string else { throw SystemError("openat", .isDirectory, path: path) }
            let parent = try Descriptor.open(folder.isEmpty ? "." : folder.string, .path)
            let directory = parent.rawValue
            return Descriptor(owning: try check("openat", path: path) { unsafe gr_open_folder(directory, name) })
        } catch {
            guard error.errno == .permissionDenied else { throw error }
            let handle = try Descriptor.open(path, .path, followsLinks: false)
            guard try handle.identity().isDirectory else { throw error }
            try handle.changeModeOfPath(to: 0o700)
            return try Descriptor.open(path, .directory, followsLinks: false)
        }
    }

    private struct Removal {
        let path: String
        private(set) var failure: SystemError?
        /// Directories that had something in them again when they were left: somebody goes on filling them.
        private var filledAgain = 0

        static let mostRounds = 16

        init(_ path: String) { self.path = path }

        mutating func removeContents(of top: Descriptor) throws(SystemError) {
            var walk = try TreeWalk(top, path: path)
            while let step = try walk.next() {
                switch step {
                case .entry(let name, _):
                    if unsafe unlinkat(walk.directory, name.bytes, 0) == 0 || Glibc.errno == ENOENT { continue }
                    let problem = SystemError.last("unlinkat", path: walk.place(of: name))
                    // Most directories are empty by the time they are reached, or were always.
                    if unsafe unlinkat(walk.directory, name.bytes, AT_REMOVEDIR) == 0 { continue }
                    guard Glibc.errno == ENOTEMPTY || Glibc.errno == EEXIST else {
                        failure = failure ?? (Glibc.errno == ENOTDIR ? problem : .last("rmdir", path: problem.path))
                        continue
                    }
                    enter(name, &walk)
                case .left(let name):
                    if unsafe unlinkat(walk.directory, name.bytes, AT_REMOVEDIR) == 0 { continue }
                    guard failure == nil, Glibc.errno != ENOENT else { continue }
                    failure = .last("rmdir", path: walk.place(of: name))
                    guard [ENOTEMPTY, EEXIST].contains(Glibc.errno), filledAgain < 1000 else { continue }
                    failure = nil
                    filledAgain += 1
                    enter(name, &walk)
                }
            }
        }

        private mutating func enter(_ name: FileName, _ walk: inout TreeWalk) {
            do throws(SystemError) {
                _ = try walk.enter(name)
            } catch {
                failure = failure ?? error
            }
        }
    }

    /// Removes a directory and those below it, and no file: what the kernel's own file systems are made of.
    package static func removeDirectories(_ path: String) throws(SystemError) {
        if unsafe rmdir(path) == 0 || Glibc.errno == ENOENT { return }
        let top = try Descriptor.open(path, .directory, followsLinks: false)
        var walk = try TreeWalk(top, path: path)
        while let step = try walk.next() {
            switch step {
            case .entry(let name, true): _ = try walk.enter(name)
            case .entry: continue
            case .left(let name):
                if unsafe unlinkat(walk.directory, name.bytes, AT_REMOVEDIR) != 0, Glibc.errno != ENOENT {
                    throw .last("rmdir", path: walk.place(of: name))
                }
            }
        }
        if unsafe rmdir(path) != 0, Glibc.errno != ENOENT { throw .last("rmdir", path: path) }
    }

    /// Calls for each directory below another one.
    static func visitDirectories(below path: String, _ body: (Descriptor) -> Void) {
        guard let top = try? Descriptor.open(path, .directory), var walk = try? TreeWalk(top, path: path) else {
            return
        }
        while let step = try? walk.next() {
            guard case .entry(let name, true) = step, let inner = try? walk.enter(name) else { continue }
            body(inner)
        }
    }

    /// Gives a tree to a user, links themselves and not what they point to: all of it, or what belonged to `owner`. A
    /// file with other names elsewhere is left alone, since one of them may be somebody else's; so is what is mounted.
    package static func changeOwnerOfTree(
        _ path: String, from owner: UInt32? = nil, to uid: UInt32
    ) throws(SystemError) {
        func give(_ file: Descriptor, _ path: String) throws(SystemError) {
            let identity = try file.identity()
            guard identity.isDirectory || identity.links == 1, owner == nil || identity.owner == owner else { return }
            let fd = file.rawValue
            try check("fchownat", path: path) { gr_change_owner(fd, uid) }
        }
        guard let top = try? Descriptor.open(path, .directory, followsLinks: false) else {
            return try give(try Descriptor.open(path, .path, followsLinks: false), path)
        }
        try give(top, path)
        var walk = try TreeWalk(top, path: path)
        while let step = try walk.next() {
            guard case .entry(let name, let mayBeDirectory) = step else { continue }
            do throws(SystemError) {
                if mayBeDirectory {
                    try give(try walk.enter(name), walk.place(of: name))
                    continue
                }
            } catch {
                switch error.errno {
                case .improperLink: continue
                case .notDirectory, .tooManySymbolicLinkLevels: break
                case .noSuchFileOrDirectory: continue
                default: throw error
                }
            }
            let directory = walk.directory
            let fd = unsafe gr_openat(directory, name.bytes, GR_O_PATH | O_NOFOLLOW, 0)
            // Its owner may remove it meanwhile.
            guard fd >= 0 else { continue }
            try give(Descriptor(owning: fd), walk.place(of: name))
        }
    }

    package struct Usage: Hashable, Sendable {
        /// Of disk.
        package var bytes: Int64
        /// Those of files that were changed lately.
        package var changed: Int64

        package static let zero = Usage(bytes: 0, changed: 0)

        package static func + (left: Usage, right: Usage) -> Usage {
            Usage(bytes: left.bytes + right.bytes, changed: left.changed + right.changed)
        }
    }

    /// Bytes of disk that a tree uses; what cannot be read counts nothing. A file with several names counts in parts,
    /// one for each.
    package static func diskUsage(of path: String) -> Int64 { diskUsage(of: path, changedSince: .max).bytes }

    /// `since`: seconds of the wall clock. What counts is when a file or its description was changed, which nobody can
    /// set.
    package static func diskUsage(of path: String, changedSince since: Int64) -> Usage {
        var usage = Usage.zero
        func add(_ status: stat) {
            let names = status.st_mode & S_IFMT == S_IFDIR ? 1 : Int64(max(1, status.st_nlink))
            let bytes = Int64(status.st_blocks) * 512 / names
            usage.bytes += bytes
            if Int64(status.st_ctim.tv_sec) >= since { usage.changed += bytes }
        }
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return .zero }
        add(status)
        guard let top = try? Descriptor.open(path, .directory, followsLinks: false),
            var walk = try? TreeWalk(top, path: path)
        else { return usage }
        while let step = try? walk.next() {
            guard case .entry(let name, _) = step,
                unsafe fstatat(walk.directory, name.bytes, &status, AT_SYMLINK_NOFOLLOW) == 0
            else { continue }
            add(status)
            if status.st_mode & S_IFMT == S_IFDIR { _ = try? walk.enter(name) }
        }
        return usage
    }
}
