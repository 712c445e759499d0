internal import Glibc
internal import LinuxSystem
internal import Model
internal import SystemPackage
internal import Wire

/// What the file system of the home can do.
struct StorageProbe {
    private let home: GreenroomHome
    private var folder: String { home.path }

    private static let size = 65_536
    /// Who dies or clears up has the lock for a moment.
    private static let patience: Int64 = 200

    init(home: GreenroomHome) { self.home = home }

    func findings() -> [DoctorFinding] { [holes(), room(), lock()] }

    private func lock() -> DoctorFinding {
        let mechanism = "lock of the home"
        do throws(SystemError) {
            guard try canLock() else {
                return DoctorFinding(
                    mechanism: mechanism, status: .missing,
                    detail: "\(HomeLock.path(in: folder)) is locked by a process that is no Greenroom",
                    cost: "no system can begin here: end that process, which lslocks names")
            }
            return DoctorFinding(
                mechanism: mechanism, status: .ok, detail: "the file system keeps locks: a home has one system at most")
        } catch {
            return DoctorFinding(
                mechanism: mechanism, status: .missing, detail: "it cannot be taken: \(error)",
                cost: "no system can begin here: set GREENROOM_HOME to a folder of your own, on a file system that "
                    + "keeps locks")
        }
    }

    /// The home's own lock, where it was made already; else that of a file beside it.
    private func canLock() throws(SystemError) -> Bool {
        guard home.holder == nil else { return true }
        guard Files.exists(HomeLock.path(in: folder)) else {
            return try withProbe { file throws(SystemError) in try file.lock() }
        }
        let own = try HomeLock.take(in: folder, milliseconds: Self.patience) { home.holder != nil }
        return own != nil || home.holder != nil
    }

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
                instead: "an app's output starts again from nothing when it is too long",
                cost: "its last lines are lost at that moment")
        }
    }

    /// In the home, or where it would be made.
    private var nearest: String {
        var path = FilePath(folder)
        while !Files.exists(path.string), path.removeLastComponent() {}
        return path.string
    }

    /// A new file there, for as long as the closure runs.
    private func withProbe<Result>(
        _ body: (Descriptor) throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        let path = "\(nearest)/.greenroom-doctor-\(CurrentProcess.pid)"
        let file = try Descriptor.open(path, .readWrite, create: 0o600, exclusive: true, followsLinks: false)
        defer { FileSystem.remove(path) }
        return try body(file)
    }

    private func punch() throws(SystemError) -> DoctorFinding {
        let isPunched = try withProbe { file throws(SystemError) in
            try file.writeAll([UInt8](repeating: 1, count: Self.size))
            try file.synchronize()
            let before = try file.status().allocated
            try file.punchHole(upTo: Int64(Self.size / 2))
            return try file.status().allocated < before
        }
        guard isPunched else { throw SystemError("fallocate", .notSupported, path: nearest) }
        return DoctorFinding(
            mechanism: "punched holes", status: .ok, detail: "an app's output stays bounded without being copied")
    }
}
