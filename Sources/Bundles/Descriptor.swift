import Glibc

/// Linux's `O_PATH`, which Glibc's module map hides. A file is pinned with it before anything is known about it:
/// opening a device or a FIFO for reading would already act on it.
private let pathOnly: Int32 = 0o10000000

/// An open file that is closed with its owner.
struct Descriptor: ~Copyable {
    let raw: Int32

    init(owning raw: Int32) {
        self.raw = raw
    }

    deinit {
        _ = Glibc.close(raw)
    }
}

/// What kind of file a descriptor refers to.
enum FileType {
    case regular, directory, symbolicLink, other

    init(_ mode: mode_t) {
        self =
            switch mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            default: .other
            }
    }
}

struct FileStatus {
    let type: FileType
    let mode: mode_t
    let size: Int64

    var isExecutable: Bool { mode & 0o111 != 0 }
    var changesIdentity: Bool { mode & (S_ISUID | S_ISGID) != 0 }
    var isSticky: Bool { mode & S_ISVTX != 0 }
}

extension Descriptor {
    /// Pins whatever has this absolute path, following links: for paths that the user gave and the system's own.
    static func pin(following path: String) -> Descriptor? {
        let raw = unsafe Glibc.open(path, pathOnly | O_CLOEXEC)
        return raw < 0 ? nil : Descriptor(owning: raw)
    }

    /// Pins the absolute path itself, even when it is a link.
    static func pin(_ path: String) -> Descriptor? {
        let raw = unsafe Glibc.open(path, pathOnly | O_NOFOLLOW | O_CLOEXEC)
        return raw < 0 ? nil : Descriptor(owning: raw)
    }

    /// Pins an entry of this directory, even when it is a link.
    func pin(entry name: String) -> Descriptor? {
        let raw = unsafe openat(self.raw, name, pathOnly | O_NOFOLLOW | O_CLOEXEC)
        return raw < 0 ? nil : Descriptor(owning: raw)
    }

    /// Opens for reading what is pinned here, and nothing that took its place.
    func reopenForReading() -> Descriptor? {
        let raw = unsafe Glibc.open("/proc/self/fd/\(self.raw)", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        return raw < 0 ? nil : Descriptor(owning: raw)
    }

    func status() -> FileStatus? {
        var status = stat()
        guard unsafe fstat(raw, &status) == 0 else { return nil }
        return FileStatus(type: FileType(status.st_mode), mode: status.st_mode, size: Int64(status.st_size))
    }

    /// The target of the link that is pinned here.
    func linkTarget() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: Limits.relativePathBytes + 1)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes -> Int in
            guard let base = bytes.baseAddress else { return -1 }
            return unsafe readlinkat(raw, "", base.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        return count < 0 ? nil : Array(buffer.prefix(count))
    }

    /// Reads to the end, or one byte more than `limit` so that the caller sees the excess.
    func read(upTo limit: Int) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: limit + 1)
        var filled = 0
        while filled <= limit {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe Glibc.read(raw, bytes.baseAddress?.advanced(by: filled), bytes.count - filled)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            filled += count
        }
        return Array(buffer.prefix(filled))
    }

    /// The entries' names, unsorted, at most one more than `limit` so that the caller sees the excess.
    func entries(upTo limit: Int) -> [[UInt8]]? {
        let copy = unsafe openat(raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { return nil }
        guard let stream = unsafe fdopendir(copy) else {
            _ = Glibc.close(copy)
            return nil
        }
        defer { _ = unsafe closedir(stream) }
        var names: [[UInt8]] = []
        while names.count <= limit, let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe Array(bytes.prefix { $0 != 0 })
            }
            if name != [0x2e] && name != [0x2e, 0x2e] { names.append(name) }
        }
        return names
    }

    func makeDirectory(_ name: String, mode: mode_t) -> Descriptor? {
        guard unsafe mkdirat(raw, name, mode) == 0 else { return nil }
        let made = unsafe openat(raw, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        return made < 0 ? nil : Descriptor(owning: made)
    }

    func makeFile(_ name: String, mode: mode_t) -> Descriptor? {
        let made = unsafe openat(raw, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        return made < 0 ? nil : Descriptor(owning: made)
    }

    func makeLink(_ name: String, to target: String) -> Bool {
        unsafe symlinkat(target, raw, name) == 0
    }

    /// Moves at most `count` bytes into `other` within the kernel; 0 at the end, nil when it fails.
    func send(to other: borrowing Descriptor, count: Int) -> Int? {
        while true {
            let sent = sendfile(other.raw, raw, nil, count)
            if sent >= 0 { return sent }
            guard errno == EINTR else { return nil }
        }
    }
}
