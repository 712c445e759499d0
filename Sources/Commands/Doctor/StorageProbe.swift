internal import Glibc
internal import LinuxSystem
internal import Model
internal import SystemPackage
internal import Wire

/// What the file system of the home can do.
struct StorageProbe {
    let folder: String

    private static let size = 65_536

    func findings() -> [DoctorFinding] { [holes(), room()] }

    /// Containers have no quotas of their own; what stands in for them needs to know how much room there is.
    private func room() -> DoctorFinding {
        let mechanism = "quotas of containers"
        let watch = "while apps run the daemon watches the room on the disk, and ends the app that takes the last of it"
        guard let space = try? Descriptor.open(nearest, .directory).space() else {
            return DoctorFinding(
                mechanism: mechanism, status: .missing, detail: "\(nearest) does not say how much room there is",
                cost: "any app can fill the disk")
        }
        let mark = DiskSpace.mark(of: space.total)
        return DoctorFinding(
            mechanism: mechanism, status: .replaced,
            detail: "\(space.free.mebibytes) are free"
                + (space.free < mark ? ", which is too little (\(mark.mebibytes)): free some" : ""),
            instead: watch, cost: "one app can take all but \(mark.mebibytes) before that")
    }

    private func holes() -> DoctorFinding {
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
