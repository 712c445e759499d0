internal import LinuxSystem
internal import Synchronization
internal import SystemPackage
internal import TransferCore

/// The service's own folder: what is under way, and what is to be uploaded. Names come from numbers alone.
final class TransferFiles: Sendable {
    private let folder: Directory
    private let nextBody: Mutex<UInt64>

    /// - Parameter home: the service's folder; `files` is made in it.
    init(home: Directory) throws(SystemError) {
        folder = try home.directory("files", create: 0o700)
        let numbers = folder.names.compactMap { Self.number(of: $0, ending: ".body") }
        nextBody = Mutex((numbers.filter { $0 < Self.mostBodies }.max() ?? 0) + 1)
    }

    /// A name beyond was not given by this program.
    private static let mostBodies: UInt64 = 1 << 53

    static func name(_ file: TransferFile) -> String {
        switch file {
        case .part(let number): "\(number).part"
        case .body(let number): "\(number).body"
        }
    }

    /// Beside a part: which attempt its bytes are of.
    private static func markName(_ file: TransferFile) -> String { name(file) + ".mark" }

    private static func number(of name: String, ending: String) -> UInt64? {
        name.hasSuffix(ending) ? UInt64(name.dropLast(ending.count)) : nil
    }

    // MARK: Downloads

    /// Makes sure that the file is there and no longer than that; answers its length.
    func prepare(_ file: TransferFile, keeping offset: Int64) throws(SystemError) -> Int64 {
        let descriptor = try folder.open(Self.name(file), .readWrite, create: 0o600)
        let length = try descriptor.identity().size
        if length > offset { try descriptor.truncate(to: offset) }
        return min(length, offset)
    }

    /// The file, without what is beyond the offset, to append to. What comes is of that attempt.
    func open(_ file: TransferFile, cutAt offset: Int64, mark: UInt32) throws(SystemError) -> Descriptor {
        folder.remove(Self.markName(file))
        let descriptor = try folder.open(Self.name(file), .readWrite, create: 0o600)
        try descriptor.truncate(to: offset)
        let written = try folder.open(Self.markName(file), .write, create: 0o600, truncate: true)
        try written.writeAll(Array(String(mark).utf8))
        return descriptor
    }

    /// After a service was killed: the bytes of this attempt that were written but not told of, now durable.
    func recovered(_ file: TransferFile, attempt: UInt32) -> Int64? {
        guard let mark = try? folder.open(Self.markName(file), .read).readAll(limit: 32),
            UInt32(String(decoding: mark, as: UTF8.self)) == attempt,
            let descriptor = try? folder.open(Self.name(file), .readWrite),
            (try? descriptor.synchronize()) != nil
        else { return nil }
        return try? descriptor.identity().size
    }

    func remove(_ file: TransferFile) {
        folder.remove(Self.markName(file))
        folder.remove(Self.name(file))
    }

    /// Takes away what no record names.
    func removeAll(except used: Set<TransferFile>) {
        let names = Set(used.map(Self.name) + used.map(Self.markName))
        for name in folder.names where !names.contains(name) { folder.remove(name) }
    }

    // MARK: Uploads

    /// Makes a file that somebody handed in the service's own, so that what becomes of it there harms nothing: shares
    /// its blocks, copies it, or – where it is large and its own – gives it another name.
    ///
    /// - Parameter owner: the user whom the file must belong to for another name; `nil`: the user of this process.
    func adopt(_ given: Descriptor, of owner: UInt32?) throws(SystemError) -> UploadBody {
        let identity = try given.identity()
        // What the kernel writes as it is read depends on who reads: this process may see more than who opened it.
        guard identity.isRegular, try !given.isOfKernel() else { throw SystemError("upload", .invalidArgument) }
        // What was not opened for reading is none of ours to read.
        var first: [UInt8] = [0]
        _ = try given.readAt(0, into: &first)
        let number = nextBody.withLock { next in
            defer { next += 1 }
            return next
        }
        let file = TransferFile.body(number)
        try makeBody(given, identity, Self.name(file), mayLink: identity.owner == owner ?? CurrentProcess.uid)
        try folder.synchronize()
        let length = try folder.open(Self.name(file), .read).identity().size
        return UploadBody(file: file, length: length)
    }

    /// Up to here a copy costs less than it is worth to think of another way.
    private static let smallBody: Int64 = 4 << 20

    private func makeBody(
        _ given: Descriptor, _ identity: Descriptor.Identity, _ name: String, mayLink: Bool
    ) throws(SystemError) {
        let own = try folder.open(name, .readWrite, create: 0o600, exclusive: true)
        do throws(SystemError) {
            try own.shareBlocks(of: given)
            try own.synchronize()
            return
        } catch {
            // Not here.
        }
        // A stranger's file, which it may only read, gets no other name: it would be kept from its owner.
        if identity.size > Self.smallBody, mayLink {
            folder.remove(name)
            do throws(SystemError) {
                try folder.link(given, as: name)
                try given.synchronize()
                return
            } catch {
                // Another file system, or a file that has no name any more.
            }
        }
        folder.remove(name)
        let copy = try folder.open(name, .readWrite, create: 0o600, exclusive: true)
        do throws(SystemError) {
            try Self.copy(given, identity.size, to: copy)
            try copy.synchronize()
        } catch {
            folder.remove(name)
            throw error
        }
    }

    /// Copies as many bytes as the file had at the beginning. Holes stay holes: a file of terabytes may hold no data.
    private static func copy(_ given: Descriptor, _ size: Int64, to copy: Descriptor) throws(SystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { unsafe buffer.deallocate() }
        try copy.truncate(to: size)
        var offset: Int64 = 0
        while offset < size, let data = try given.nextData(from: offset) {
            offset = data.lowerBound
            while offset < min(data.upperBound, size) {
                let most = min(Int64(buffer.count), min(data.upperBound, size) - offset)
                let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(most)])
                let got = unsafe try given.read(into: piece, at: offset)
                guard got > 0 else { break }
                try DiskRoom.check(copy, for: Int64(got))
                unsafe try copy.write(UnsafeRawBufferPointer(rebasing: piece[..<got]), at: offset)
                offset += Int64(got)
            }
            if offset < min(data.upperBound, size) { break }
        }
        // It may have been cut off meanwhile.
        let end = try given.identity().size
        if end < size { try copy.truncate(to: end) }
    }

    func body(_ file: TransferFile) throws(SystemError) -> Descriptor { try folder.open(Self.name(file), .read) }

    // MARK: On the way out

    /// Who owns what is put somewhere, and who may read it.
    struct Ownership: Hashable, Sendable {
        var uid: UInt32?
        var gid: UInt32?
        var mode: UInt32
    }

    /// What the mark of a file says that leaves: then it has left when it is here no more, whoever took it there.
    private static let left = Array("left".utf8)

    private func hasLeft(_ file: TransferFile) -> Bool {
        (try? folder.open(Self.markName(file), .read).readAll(limit: 32)) == Self.left
    }

    private func markAsLeaving(_ file: TransferFile) throws(SystemError) {
        let mark = try folder.open(Self.markName(file), .write, create: 0o600, truncate: true)
        try mark.writeAll(Self.left)
        try mark.synchronize()
    }

    /// Puts a file under its final name: at once, whole and durable. A file that has left already is done; that it did
    /// is known until `remove`.
    func move(_ file: TransferFile, to directory: Directory, as name: String, _ owner: Ownership) throws(SystemError) {
        let source: Descriptor
        do throws(SystemError) {
            source = try folder.open(Self.name(file), .readWrite)
        } catch {
            guard error.errno == .noSuchFileOrDirectory, hasLeft(file) else { throw error }
            return
        }
        try markAsLeaving(file)
        let from = try source.identity()
        if from.device == (try directory.descriptor.identity()).device {
            try give(source, to: owner)
            try folder.rename(Self.name(file), to: directory, as: name)
        } else {
            let hidden = ".\(name.prefix(100)).greenroom-\(Self.name(file))"
            directory.remove(hidden)
            let copy = try directory.open(hidden, .readWrite, create: 0o600, exclusive: true)
            do throws(SystemError) {
                try DiskRoom.check(copy, for: from.size)
                try copy.copyContents(of: source)
                try give(copy, to: owner)
                try copy.synchronize()
                try directory.rename(hidden, to: directory, as: name)
            } catch {
                directory.remove(hidden)
                throw error
            }
            folder.remove(Self.name(file))
        }
        try directory.synchronize()
    }

    /// Makes a folder of that user there, if nothing has that name: with its owner it comes out of the service's own
    /// folder, and nothing is given away where the app may have put another in its place.
    func makeFolder(_ name: String, in directory: Directory, owner: UInt32) throws(SystemError) {
        _ = try directory.place(newFolder: name, owner: owner, madeIn: folder)
    }

    private func give(_ file: Descriptor, to owner: Ownership) throws(SystemError) {
        if let uid = owner.uid, let gid = owner.gid, CurrentProcess.isRoot {
            try file.changeOwner(uid: uid, gid: gid)
        }
        try file.changeMode(to: owner.mode)
    }
}
