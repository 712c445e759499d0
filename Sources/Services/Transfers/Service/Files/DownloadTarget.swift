internal import LinuxSystem
internal import SystemPackage
internal import TransferWire
internal import Wire

/// Where a tool wants its download: what can be known before the first byte comes is said before.
enum DownloadTarget {
    /// The folder of that path, which is the one that was handed over, and in which a file of that name can be made.
    static func folder(of path: String, _ given: Descriptor?) throws(RPCError) -> TransferStore.TargetFolder {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        let parent = slash == path.startIndex ? "/" : String(path[..<slash])
        let name = String(path[path.index(after: slash)...])
        guard name != ".", name != ".." else { throw refused("\(path) is no name for a file") }
        guard name.utf8.count <= 255 else {
            throw refused(
                "the name \(name.prefix(40))… has \(name.utf8.count) bytes, and a file's name has at most 255")
        }
        let (directory, folder) = try open(parent, given)
        try checkExisting(name, in: directory, path)
        try checkWritable(directory, parent)
        return folder
    }

    private static func refused(_ sentence: String) -> RPCError { RPCError(.refused, sentence) }

    private static func open(
        _ parent: String, _ given: Descriptor?
    ) throws(RPCError) -> (Directory, TransferStore.TargetFolder) {
        do throws(SystemError) {
            let identity = try given?.identity()
            if let identity, !identity.isDirectory { throw SystemError("open", .notDirectory, path: parent) }
            let directory = try Directory(opening: parent)
            let own = try directory.descriptor.identity()
            guard identity?.isSameFile(as: own) ?? true else {
                throw SystemError("open", .noSuchFileOrDirectory, path: parent)
            }
            return (directory, TransferStore.TargetFolder(device: own.device, inode: own.inode))
        } catch {
            throw refused("the folder \(parent) cannot be opened: \(error.errno)")
        }
    }

    /// A file gives way to the new one, and so does a link to a file; a device of that name would be lost.
    private static func checkExisting(_ name: String, in directory: Directory, _ path: String) throws(RPCError) {
        guard let own = try? directory.open(name, .path).identity() else { return }
        // Of a link, what it leads to; one that leads nowhere gives way.
        let identity = own.isRegular || own.isDirectory ? own : try? Descriptor.open(path, .path).identity()
        guard let identity, !identity.isRegular else { return }
        throw refused(
            identity.isDirectory
                ? "\(path) is a folder: give the file in it that the download is to become"
                : "\(path) is a device, a pipe or a socket, and no file")
    }

    /// By trying. A full disk is no reason to refuse: it is waited for.
    private static func checkWritable(_ directory: Directory, _ parent: String) throws(RPCError) {
        let probe = ".greenroom-\(CurrentProcess.pid)-\(Clock.monotonic())"
        do throws(SystemError) {
            _ = try directory.open(probe, .write, create: 0o600, exclusive: true)
            directory.remove(probe)
        } catch {
            guard ![.noSpace, .diskQuotaExceeded, .fileExists].contains(error.errno) else { return }
            throw refused("no file can be made in \(parent): \(error.errno)")
        }
    }
}
