internal import CLinux
internal import Glibc
internal import SystemPackage

/// A way through a tree that may belong to a stranger who changes it meanwhile: each step is opened relative to the one
/// before, no link is followed, and nothing is entered that is mounted there. Neither depth nor width costs memory: a
/// few directories are open at a time, and what was closed is found again through its child, if it is still the one.
struct TreeWalk {
    enum Step {
        /// In `directory`.
        case entry(FileName, mayBeDirectory: Bool)
        /// All of it was seen, and it lies in `directory`.
        case left(FileName)
    }

    private struct Level {
        let name: FileName
        let identity: Descriptor.Identity
        /// `nil` while it is closed.
        var reader: DirectoryReader?
        /// Where reading goes on when it is opened again.
        var place: Int64 = 0
    }

    private let path: String
    private var levels: [Level] = []

    private static let mostOpen = 32

    init(_ top: Descriptor, path: String) throws(SystemError) {
        self.path = path
        try push(FileName(""), top)
    }

    /// The directory that the last step speaks of.
    private(set) var directory: CInt = -1

    /// `nil` when all of the tree was seen.
    mutating func next() throws(SystemError) -> Step? {
        if let entry = try levels[levels.count - 1].reader?.entry() {
            return .entry(entry.name, mayBeDirectory: entry.mayBeDirectory)
        }
        guard levels.count > 1, let child = levels.popLast() else { return nil }
        if levels[levels.count - 1].reader == nil { try reopen(from: child) }
        directory = levels[levels.count - 1].reader?.descriptor.rawValue ?? -1
        return .left(child.name)
    }

    /// Goes on inside a directory in `directory`.
    mutating func enter(_ name: FileName) throws(SystemError) -> Descriptor {
        let inner = try open(name)
        try push(name, inner)
        return inner
    }

    private mutating func push(_ name: FileName, _ descriptor: Descriptor) throws(SystemError) {
        levels.append(
            Level(name: name, identity: try descriptor.identity(), reader: try DirectoryReader(descriptor)))
        directory = descriptor.rawValue
        // The top stays open: it is where the caller began.
        let far = levels.count - Self.mostOpen - 1
        guard far > 0 else { return }
        levels[far].place = levels[far].reader?.place ?? 0
        levels[far].reader = nil
    }

    private func open(_ name: FileName) throws(SystemError) -> Descriptor {
        let parent = directory
        let fd = unsafe gr_open_folder(parent, name.bytes)
        if fd >= 0 { return Descriptor(owning: fd) }
        guard Glibc.errno == EACCES else { throw .last("openat", path: place(of: name)) }
        // Its owner, this user, has forbidden it to everybody.
        let flags = GR_O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let handle = Descriptor(
            owning: try check("openat", path: place(of: name)) { unsafe openat(parent, name.bytes, flags) })
        try handle.changeModeOfPath(to: 0o700)
        let again = unsafe gr_open_folder(parent, name.bytes)
        guard again >= 0 else { throw .last("openat", path: place(of: name)) }
        return Descriptor(owning: again)
    }

    private mutating func reopen(from child: Level) throws(SystemError) {
        let last = levels.count - 1
        guard let inner = child.reader?.descriptor.rawValue else { return }
        let parent = Descriptor(
            owning: try check("openat", path: path) {
                unsafe openat(inner, "..", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            })
        guard try parent.identity().isSameFile(as: levels[last].identity) else {
            throw SystemError("find the way back in", .noSuchFileOrDirectory, path: path)
        }
        levels[last].reader = try DirectoryReader(parent, at: levels[last].place)
    }

    /// For people; of a deep one the end.
    func place(of name: FileName) -> String {
        let inner = levels.dropFirst().suffix(8).map { "\($0.name)/" }.joined()
        return "\(path)/\(levels.count > 9 ? "…/" : "")\(inner)\(name)"
    }
}
