internal import Glibc
internal import LinuxSystem
internal import SystemPackage
internal import Wire

/// What the file system of the home can do.
struct StorageProbe {
    let folder: String

    private static let size = 65_536

    func finding() -> DoctorFinding {
        do throws(SystemError) {
            return try punch()
        } catch {
            return DoctorFinding(
                mechanism: "punched holes", status: .replaced, detail: "\(error)",
                instead: "an app's output is begun anew when it is too long",
                cost: "its last lines are lost at that moment")
        }
    }

    /// In the home, or where it would be made.
    private var nearest: String {
        var path = FilePath(folder)
        while !Files.exists(path.string), path.removeLastComponent() {}
        return path.string
    }

    private func punch() throws(SystemError) -> DoctorFinding {
        let path = "\(nearest)/.greenroom-doctor-\(CurrentProcess.pid)"
        let file = try Descriptor.open(path, .readWrite, create: 0o600, exclusive: true, followsLinks: false)
        defer { FileSystem.remove(path) }
        try file.writeAll([UInt8](repeating: 1, count: Self.size))
        try file.synchronize()
        let before = try file.status().allocated
        try file.punchHole(upTo: Int64(Self.size / 2))
        guard try file.status().allocated < before else { throw SystemError("fallocate", .notSupported, path: path) }
        return DoctorFinding(
            mechanism: "punched holes", status: .ok, detail: "an app's output stays bounded without being copied")
    }
}
