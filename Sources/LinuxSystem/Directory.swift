internal import CLinux
internal import Glibc
internal import SystemPackage

/// A directory that is held open. Names are looked up in it and nowhere else: whoever renames or replaces what leads
/// to it cannot send its user to another place, and no name is followed if it is a link.
package struct Directory: Sendable {
    package let descriptor: Descriptor

    /// Takes a descriptor of a directory.
    package init(_ descriptor: Descriptor) { self.descriptor = descriptor }

    /// The last component must not be a link.
    package init(opening path: String) throws(SystemError) {
        descriptor = try Descriptor.open(path, .directory, followsLinks: false)
    }

    /// The corresponding C function is `openat`.
    package func open(
        _ name: String, _ access: Descriptor.Access, create mode: UInt32? = nil, exclusive: Bool = false,
        truncate: Bool = false
    ) throws(SystemError) -> Descriptor {
        try Self.check(name: name)
        var flags = O_NOFOLLOW
        switch access {
        case .read: flags |= O_RDONLY
        case .write: flags |= O_WRONLY
        case .readWrite: flags |= O_RDWR
        case .path: flags |= GR_O_PATH
        case .directory: flags |= O_RDONLY | O_DIRECTORY
        case .append: flags |= O_WRONLY | O_APPEND
        }
        // A pipe with that name must not hold up whoever opens it.
        flags |= O_NONBLOCK
        if mode != nil { flags |= O_CREAT }
        if exclusive { flags |= O_EXCL }
        if truncate { flags |= O_TRUNC }
        let directory = descriptor.rawValue
        let opened = flags
        let fd = try LinuxSystem.check("openat", path: name) {
            unsafe gr_openat(directory, name, opened, mode ?? 0)
        }
        return Descriptor(owning: fd)
    }

    /// A directory in this one; made if it is not there and a mode is given.
    package func directory(_ name: String, create mode: UInt32? = nil) throws(SystemError) -> Directory {
        try Self.check(name: name)
        if let mode {
            let fd = descriptor.rawValue
            if unsafe mkdirat(fd, name, mode) != 0, Glibc.errno != EEXIST { throw .last("mkdirat", path: name) }
        }
        return Directory(try open(name, .directory))
    }

    /// A new directory in this one; an error where there is something with that name.
    package func make(_ name: String, mode: UInt32 = 0o700) throws(SystemError) {
        try Self.check(name: name)
        let fd = descriptor.rawValue
        try LinuxSystem.check("mkdirat", path: name) { unsafe mkdirat(fd, name, mode) }
    }

    /// A directory in this one: no link, and nothing that is mounted there, is taken for it.
    package func folder(_ name: String) throws(SystemError) -> Directory {
        try Self.check(name: name)
        let directory = descriptor.rawValue
        let fd = try LinuxSystem.check("openat", path: name) { unsafe gr_open_folder(directory, name) }
        return Directory(Descriptor(owning: fd))
    }

    /// A new directory in this one, made elsewhere and moved here when it has its owner: nothing in a directory that a
    /// stranger may change is ever given away. False where there is something with that name.
    package func place(
        newFolder name: String, mode: UInt32 = 0o700, owner uid: UInt32?, madeIn workshop: Directory
    ) throws(SystemError) -> Bool {
        try Self.check(name: name)
        let (from, to) = (workshop.descriptor.rawValue, descriptor.rawValue)
        let draft = "new-\(CurrentProcess.pid)-\(to)-\(name.prefix(100))"
        _ = unsafe unlinkat(from, draft, AT_REMOVEDIR)
        try LinuxSystem.check("mkdirat", path: name) { unsafe mkdirat(from, draft, mode) }
        do throws(SystemError) {
            if let uid {
                let made = try workshop.folder(draft)
                try made.descriptor.changeOwner(uid: uid, gid: uid)
            }
            try LinuxSystem.check("renameat2", path: name) { unsafe gr_rename_new(from, draft, to, name) }
            return true
        } catch {
            _ = unsafe unlinkat(from, draft, AT_REMOVEDIR)
            guard error.errno == .fileExists else { throw error }
            return false
        }
    }

    /// Renames within this directory; false where there is something with the new name.
    package func rename(_ name: String, toUnused newName: String) throws(SystemError) -> Bool {
        try Self.check(name: name)
        try Self.check(name: newName)
        let fd = descriptor.rawValue
        do throws(SystemError) {
            try LinuxSystem.check("renameat2", path: name) { unsafe gr_rename_new(fd, name, fd, newName) }
            return true
        } catch {
            guard error.errno == .fileExists else { throw error }
            return false
        }
    }

    /// Renames; what had the new name is replaced. The corresponding C function is `renameat`.
    package func rename(_ name: String, to other: Directory, as newName: String) throws(SystemError) {
        try Self.check(name: name)
        try Self.check(name: newName)
        let (from, to) = (descriptor.rawValue, other.descriptor.rawValue)
        try LinuxSystem.check("renameat", path: newName) { unsafe renameat(from, name, to, newName) }
    }

    /// Gives an open file a name in this directory.
    package func link(_ file: Descriptor, as name: String) throws(SystemError) {
        try Self.check(name: name)
        let (fd, directory) = (file.rawValue, descriptor.rawValue)
        try LinuxSystem.check("linkat", path: name) { unsafe gr_link_descriptor(fd, directory, name) }
    }

    /// Removes a file; none with that name is fine.
    package func remove(_ name: String) {
        _ = unsafe unlinkat(descriptor.rawValue, name, 0)
    }

    /// What has happened to names in it is on disk.
    package func synchronize() throws(SystemError) {
        let fd = descriptor.rawValue
        try LinuxSystem.check("fsync") { fsync(fd) }
    }

    /// The names in it, sorted.
    package var names: [String] { FileSystem.names(in: "/proc/self/fd/\(descriptor.rawValue)") }

    /// One component: nothing that leads elsewhere.
    private static func check(name: String) throws(SystemError) {
        let bytes = name.utf8
        guard !bytes.isEmpty, bytes.count < 256, name != ".", name != "..",
            !bytes.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") })
        else { throw SystemError("name", .invalidArgument, path: name) }
    }
}

extension Descriptor {
    /// What file this is, whatever its names.
    package struct Identity: Hashable, Sendable {
        package let device: UInt64
        package let inode: UInt64
        package let size: Int64
        /// Nanoseconds of the wall clock.
        package let modified: Int64
        package let owner: UInt32
        /// The lowest twelve bits of its mode.
        package let permissions: UInt32
        /// How many names lead to it.
        package let links: UInt64
        package let isRegular: Bool
        package let isDirectory: Bool

        /// Whether others than its owner may write to it.
        package var isWritableByOthers: Bool { permissions & 0o022 != 0 }

        package func isSameFile(as other: Identity) -> Bool { device == other.device && inode == other.inode }
    }

    package func identity() throws(SystemError) -> Identity {
        var file = gr_file()
        let fd = rawValue
        try check("fstat") { unsafe gr_file_identity(fd, &file) }
        return Identity(
            device: file.device, inode: file.inode, size: file.size, modified: file.modified, owner: file.owner,
            permissions: file.permissions, links: file.links, isRegular: file.is_regular != 0,
            isDirectory: file.is_directory != 0)
    }

    /// Writes at an offset, all of it. The corresponding C function is `pwrite`.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
        let fd = rawValue
        var done = 0
        while done < bytes.count {
            let start = done
            done += try check("pwrite") {
                unsafe pwrite(fd, bytes.baseAddress?.advanced(by: start), bytes.count - start, Int(offset) + start)
            }
        }
    }

    /// Reads at an offset; 0 at the end. The corresponding C function is `pread`.
    package func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        let fd = rawValue
        return try check("pread") { unsafe pread(fd, bytes.baseAddress, bytes.count, Int(offset)) }
    }

    /// The corresponding C function is `ftruncate`.
    package func truncate(to size: Int64) throws(SystemError) {
        let fd = rawValue
        try check("ftruncate") { ftruncate(fd, Int(size)) }
    }

    /// The corresponding C function is `fchown`.
    package func changeOwner(uid: UInt32, gid: UInt32) throws(SystemError) {
        let fd = rawValue
        try check("fchown") { fchown(fd, uid, gid) }
    }

    /// Of what was opened as a path only, which `fchmod` refuses.
    func changeModeOfPath(to mode: UInt32) throws(SystemError) {
        let place = "/proc/self/fd/\(rawValue)"
        try check("chmod", path: place) { unsafe chmod(place, mode) }
    }

    /// The corresponding C function is `fchmod`.
    package func changeMode(to mode: UInt32) throws(SystemError) {
        let fd = rawValue
        try check("fchmod") { fchmod(fd, mode) }
    }

    /// Has the contents of another file, without using more of the disk until one of them changes; fails where the
    /// file system cannot.
    package func shareBlocks(of other: Descriptor) throws(SystemError) {
        let (to, from) = (rawValue, other.rawValue)
        try check("ioctl") { gr_clone_file(to, from) }
    }

    /// Appends everything that another file holds.
    package func copyContents(of other: Descriptor) throws(SystemError) {
        let (to, from) = (rawValue, other.rawValue)
        var offset: Int64 = 0
        while true {
            let copied = try check("copy_file_range") { unsafe gr_copy_range(to, from, &offset, 1 << 24) }
            if copied == 0 { return }
        }
    }

    /// Whether this process has the lock now, until the file is closed. The corresponding C function is `flock`.
    package func lock() throws(SystemError) -> Bool {
        if gr_lock_file(rawValue) == 0 { return true }
        if Glibc.errno == EWOULDBLOCK { return false }
        throw .last("flock")
    }
}
