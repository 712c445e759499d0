internal import LinuxSystem
internal import Model
internal import Storage

/// Installs and uninstalls, on a worker. The daemon itself parses nothing of a bundle: a helper with little memory and
/// time does.
struct Installer: Sendable {
    let home: Home
    let helper: String
    let store: Store
    let environment: HostEnvironment

    struct Failure: Error, Sendable {
        let sentence: String
    }

    private static let wallClockLimit: CInt = 2_000
    private static let outputLimit = 1 << 16

    func install(_ path: String) throws(Failure) -> Installation {
        let staging = "\(home.staging)/\(Clock.boot())"
        defer { try? FileSystem.removeTree(staging) }
        do {
            try FileSystem.makeDirectory(staging)
            var installation = try inspect(path, staging: staging)
            if let base = environment.uidBase {
                installation.uid = try store.allocateUID(
                    base: base, count: HostEnvironment.uidCount, for: installation.identifier)
            }
            try place(installation, staging: staging)
            try store.saveApp(installation.identifier, manifest: try installation.json, at: Clock.wall() / 1000)
            return installation
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(sentence: "\(path) could not be installed: \(error)")
        }
    }

    private func inspect(_ path: String, staging: String) throws -> Installation {
        let output = try Descriptor.open(staging + "/manifest", .readWrite, create: 0o600)
        var spawn = Spawn(
            path: helper, arguments: [helper, "inspect", path, staging], environment: ["PATH=/usr/bin:/bin"])
        spawn.descriptors = [
            (try Descriptor.open("/dev/null", .read), 0), (output, 1), (try Descriptor.open("/dev/null", .write), 2),
        ]
        spawn.limits = [.init(.addressSpace, 256 << 20), .init(.processorSeconds, 2), .init(.coreSize, 0)]
        let process = try spawn.start()
        guard process.waitUntilDead(milliseconds: Self.wallClockLimit) else {
            try? process.send(9)
            _ = process.waitUntilDead(milliseconds: 1_000)
            _ = process.reap()
            throw Failure(sentence: "\(path) was refused: looking at it took more than 2 seconds")
        }
        let status = process.reap()
        let text = FileSystem.read(staging + "/manifest", limit: Self.outputLimit) ?? []
        switch status {
        case .exited(0): return try Installation(json: text)
        case .exited: throw Failure(sentence: Refusal(json: text)?.refused ?? "\(path) was refused")
        case .signaled, nil:
            throw Failure(
                sentence: "\(path) was refused: looking at it took more than 256 MB of memory or 2 s of processor time")
        }
    }

    /// Puts bundle and container where they belong, the bundle in one step.
    private func place(_ installation: Installation, staging: String) throws {
        let app = installation.identifier
        if installation.kind == "application" {
            let target = home.bundle(app)
            try FileSystem.makeDirectory(home.path + "/bundles", mode: 0o711)
            if FileSystem.exists(target) { try FileSystem.rename(target, to: staging + "/replaced") }
            try FileSystem.rename(staging + "/bundle", to: target)
        }
        try makeContainer(app, uid: installation.uid)
    }

    /// `Documents`, `Library/Caches` and `tmp` (R15), owned by the app's user.
    private func makeContainer(_ app: String, uid: UInt32?) throws {
        let container = home.container(app)
        let parts = ["", "/Documents", "/Library", "/Library/Caches", "/tmp"]
        try FileSystem.makeDirectory(home.path + "/containers", mode: 0o711)
        for part in parts { try FileSystem.makeDirectory(container + part) }
        if let uid { for part in parts { try FileSystem.changeOwner(container + part, to: uid) } }
    }

    func uninstall(_ installation: Installation, keepsData: Bool) throws(Failure) {
        do {
            try store.removeApp(installation.identifier, keepingData: keepsData)
            try FileSystem.removeTree(home.bundle(installation.identifier))
            try FileSystem.removeTree(home.run(installation.identifier))
            SnapshotStore(home).remove(installation.identifier)
            if !keepsData { try FileSystem.removeTree(home.container(installation.identifier)) }
        } catch {
            throw Failure(sentence: "\(installation.name) could not be removed completely: \(error)")
        }
    }
}
