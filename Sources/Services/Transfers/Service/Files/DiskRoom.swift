internal import LinuxSystem
internal import Model
internal import SystemPackage

/// The room that transfers leave on a disk. A server can send without end, and apps and the system need room: with half
/// of it the daemon ends an app (`docs/TERMINATION.md`).
enum DiskRoom {
    /// - Throws: the error of a full disk, which is waited for.
    static func check(_ file: Descriptor, for bytes: Int64) throws(SystemError) {
        let space = try file.space()
        guard space.free - bytes < 2 * DiskSpace.mark(of: space.total) else { return }
        throw SystemError("write", .noSpace)
    }
}
