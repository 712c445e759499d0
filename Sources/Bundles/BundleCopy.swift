import Glibc

/// Walks a bundle by open descriptors only, checks every file and copies it from the descriptor that was checked:
/// what is swapped in meanwhile is either refused too or never looked at.
struct BundleCopy {
    private var files = 0
    private var bytes: Int64 = 0
    private let deadline: ContinuousClock.Instant?

    private init(deadline: ContinuousClock.Instant?) {
        self.deadline = deadline
    }

    /// Refuses whatever could not be copied, before anything is written.
    static func check(
        _ source: borrowing Descriptor, deadline: ContinuousClock.Instant?
    ) throws(Refusal) {
        var copy = BundleCopy(deadline: deadline)
        try copy.checkDirectory(source, path: "", depth: 0)
    }

    /// Copies with every check made again: the source may have changed since.
    static func copy(
        _ source: borrowing Descriptor, to target: borrowing Descriptor, deadline: ContinuousClock.Instant?
    ) throws(Refusal) {
        var copy = BundleCopy(deadline: deadline)
        try copy.copyDirectory(source, to: target, path: "", depth: 0)
    }

    private enum Entry {
        case directory, file(FileStatus), link(target: String)
    }

    private mutating func checkDirectory(
        _ source: borrowing Descriptor, path: String, depth: Int
    ) throws(Refusal) {
        for name in try names(in: source, path: path) {
            let inner = path.isEmpty ? name : path + "/" + name
            let pinned = try pin(name, in: source, path: inner)
            switch try examine(pinned, path: inner, depth: depth + 1) {
            case .directory: try checkDirectory(pinned, path: inner, depth: depth + 1)
            case .file(let status): try account(status.size)
            case .link: break
            }
        }
    }

    private mutating func copyDirectory(
        _ source: borrowing Descriptor, to target: borrowing Descriptor, path: String, depth: Int
    ) throws(Refusal) {
        for name in try names(in: source, path: path) {
            let inner = path.isEmpty ? name : path + "/" + name
            let pinned = try pin(name, in: source, path: inner)
            switch try examine(pinned, path: inner, depth: depth + 1) {
            case .directory:
                guard let made = target.makeDirectory(name, mode: 0o755) else { throw Self.cannotWrite(inner) }
                try copyDirectory(pinned, to: made, path: inner, depth: depth + 1)
            case .file(let status):
                guard let made = target.makeFile(name, mode: status.isExecutable ? 0o755 : 0o644) else {
                    throw Self.cannotWrite(inner)
                }
                try copyContents(pinned, to: made, path: inner)
            case .link(let destination):
                guard target.makeLink(name, to: destination) else { throw Self.cannotWrite(inner) }
            }
        }
    }

    private mutating func copyContents(
        _ pinned: borrowing Descriptor, to made: borrowing Descriptor, path: String
    ) throws(Refusal) {
        guard let source = pinned.reopenForReading() else { throw Self.cannotRead(path) }
        while true {
            // Counted as it is copied: a file that grows meanwhile is caught as well.
            try checkTime()
            guard let sent = source.send(to: made, count: 4 << 20) else { throw Self.cannotWrite(path) }
            if sent == 0 { return }
            try account(Int64(sent))
        }
    }

    private mutating func names(in source: borrowing Descriptor, path: String) throws(Refusal) -> [String] {
        guard let raw = source.entries(upTo: Limits.files - files) else {
            throw Self.cannotRead(path.isEmpty ? "the bundle" : path)
        }
        files += raw.count
        guard files <= Limits.files else {
            throw Refusal("The bundle holds more than \(Limits.files) files: pack its resources into fewer.")
        }
        var names: [String] = []
        for bytes in raw {
            guard let name = String(validating: bytes, as: UTF8.self) else {
                throw Refusal("A file name in \(place(path)) is not UTF-8: rename it.")
            }
            guard !name.unicodeScalars.contains(where: Names.isDeceptive) else {
                throw Refusal(
                    "The file name \(Names.quoted(name)) in \(place(path)) has a control character: rename it.")
            }
            names.append(name)
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private func pin(
        _ name: String, in source: borrowing Descriptor, path: String
    ) throws(Refusal) -> Descriptor {
        try checkTime()
        guard path.utf8.count <= Limits.relativePathBytes else {
            throw Refusal("A path in the bundle is longer than \(Limits.relativePathBytes) bytes: shorten its names.")
        }
        guard let pinned = source.pin(entry: name) else { throw Self.cannotRead(path) }
        return pinned
    }

    private func examine(_ pinned: borrowing Descriptor, path: String, depth: Int) throws(Refusal) -> Entry {
        guard let status = pinned.status() else { throw Self.cannotRead(path) }
        switch status.type {
        case .directory:
            guard depth <= Limits.treeDepth else {
                throw Refusal("The bundle's folders nest deeper than \(Limits.treeDepth): flatten them.")
            }
            return .directory
        case .regular:
            guard !status.changesIdentity, !(status.isSticky && status.isExecutable) else {
                throw Refusal(
                    "\(Names.quoted(path)) has the setuid, setgid or sticky bit: clear it with chmod ug-s,-t.")
            }
            return .file(status)
        case .symbolicLink:
            return .link(target: try LinkTarget.checked(pinned.linkTarget(), path: path, depth: depth))
        case .other:
            throw Refusal("\(Names.quoted(path)) is a device, a FIFO or a socket: remove it from the bundle.")
        }
    }

    private mutating func account(_ count: Int64) throws(Refusal) {
        let (sum, overflow) = bytes.addingReportingOverflow(count)
        bytes = sum
        guard !overflow, sum <= Limits.totalBytes else {
            throw Refusal("The bundle is larger than \(Limits.totalBytes >> 30) GiB: keep large data outside of it.")
        }
    }

    /// Whoever waits would end this process soon, and nobody would learn why.
    private func checkTime() throws(Refusal) {
        guard let deadline, ContinuousClock.now >= deadline else { return }
        throw Refusal(
            "The bundle takes longer than \(Limits.processorSeconds) s to copy: keep large data outside of it, or install"
                + " it again when the device is less busy.")
    }

    private func place(_ path: String) -> String {
        path.isEmpty ? "the bundle" : Names.quoted(path)
    }

    private static func cannotRead(_ path: String) -> Refusal {
        Refusal("\(Names.quoted(path)) cannot be read: check its permissions and that nothing changes it.")
    }

    private static func cannotWrite(_ path: String) -> Refusal {
        Refusal("\(Names.quoted(path)) cannot be copied: check the space that is left on the device.")
    }
}

/// Which links stay inside a bundle.
enum LinkTarget {
    /// `depth` is the link's own: 1 for an entry of the bundle's top folder.
    ///
    /// Only leading `..` are allowed. They start from a real folder, so they can be counted; one after a name could
    /// start from wherever another link leads, and a chain of links that are each inside would leave the bundle.
    static func checked(_ bytes: [UInt8]?, path: String, depth: Int) throws(Refusal) -> String {
        guard let bytes, bytes.count <= Limits.relativePathBytes,
            let target = String(validating: bytes, as: UTF8.self), !target.isEmpty,
            !target.unicodeScalars.contains(where: Names.isDeceptive)
        else {
            throw Refusal("The link \(Names.quoted(path)) has an unreadable target: remove it.")
        }
        let outside = Refusal(
            "The link \(Names.quoted(path)) leads out of the bundle, to \(Names.quoted(target)): copy what it leads to"
                + " into the bundle.")
        guard !target.utf8.starts(with: "/".utf8) else { throw outside }
        var ups = 0
        var named = false
        for component in target.utf8.split(separator: UInt8(ascii: "/")) where !component.elementsEqual(".".utf8) {
            if component.elementsEqual("..".utf8) {
                ups += 1
                guard !named, ups < depth else { throw outside }
            } else {
                named = true
            }
        }
        return target
    }
}
