internal import LinuxSystem
internal import Model
internal import Storage
internal import SystemPackage

/// Installs and uninstalls, on a lane of its own: what takes long of it is left in the trash. The daemon itself parses
/// nothing of a bundle: a helper with little memory and time does.
struct Installer: Sendable {
    let home: Home
    let helper: BundleHelper
    let store: Store
    let environment: HostEnvironment

    struct Failure: Error, Sendable {
        let sentence: String
    }

    enum Outcome: Sendable {
        /// What it replaced is in the trash.
        case installed(Installation, warnings: [String], trash: String?)
        /// Nothing has been changed: this app was to be uninstalled first.
        case awaitsRemoval(of: String)
    }

    /// `awaits`: whether an app was to be uninstalled before that.
    func install(_ path: String, unless awaits: (String) -> Bool) throws(Failure) -> Outcome {
        let staging = "\(home.staging)/\(Clock.boot())"
        defer { try? FileSystem.removeTree(staging) }
        do {
            try FileSystem.makeDirectory(staging)
            var installation = try inspect(path, staging: staging)
            let warnings = installation.warnings
            installation.warnings = nil
            if awaits(installation.identifier) { return .awaitsRemoval(of: installation.identifier) }
            if let base = environment.uidBase {
                installation.uid = try store.allocateUID(
                    base: base, count: HostEnvironment.uidCount, for: installation.identifier)
            }
            let trash = try place(installation, staging: staging)
            try store.saveApp(installation.identifier, manifest: try installation.json, at: Clock.wall() / 1000)
            return .installed(installation, warnings: warnings ?? [], trash: trash)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(sentence: "\(path) could not be installed: \(error)")
        }
    }

    private func inspect(_ path: String, staging: String) throws -> Installation {
        try Installation(json: helper.run(["inspect", path, staging], about: path, output: staging + "/manifest"))
    }

    /// The shortcuts of an app, as the helper tells them: `{"shortcuts":[…]}`.
    func shortcuts(of app: Installation) throws(Failure) -> [UInt8] {
        // As an installation has one: nothing else makes a folder of this name.
        let staging = "\(home.staging)/shortcuts-\(Clock.boot())"
        defer { try? FileSystem.removeTree(staging) }
        do {
            try FileSystem.makeDirectory(staging)
            return try helper.run(
                ["shortcuts", home.bundle(app.identifier), home.container(app.identifier)],
                about: "the shortcuts of \(app.name)", output: staging + "/shortcuts")
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(sentence: "the shortcuts of \(app.name) could not be read: \(error)")
        }
    }

    private func place(_ installation: Installation, staging: String) throws -> String? {
        let app = installation.identifier
        try Container(of: app, in: home, uid: installation.uid, workshop: try Directory(opening: staging)).prepare()
        guard installation.kind == "application" else { return nil }
        let target = home.bundle(app)
        try FileSystem.makeDirectory(home.path + "/bundles", mode: 0o711)
        let trash = try Trash(home).take([target], of: app)
        try FileSystem.rename(staging + "/bundle", to: target)
        return trash
    }

    /// The user sees nothing of the app any more, and nothing of it is in the way of another installation: what is left
    /// to do is to remove what lies in the trash.
    func uninstall(_ installation: Installation, keepsData: Bool) throws(Failure) -> String? {
        let app = installation.identifier
        do {
            // On a disk so full that nothing can be noted, what the app has goes first.
            let isNoted = (try? store.beginRemoval(of: app, keepingData: keepsData)) != nil
            let trash = try clear(app, keepsData: keepsData)
            if !isNoted {
                if let trash { try Trash(home).remove(trash) }
                try store.beginRemoval(of: app, keepingData: keepsData)
            }
            try store.endRemoval(of: app)
            return isNoted ? trash : nil
        } catch {
            throw unfinished(installation.name, error)
        }
    }

    private func clear(_ app: String, keepsData: Bool) throws -> String? {
        SnapshotStore(home).remove(app)
        let places = [home.bundle(app), home.run(app)] + (keepsData ? [] : [home.container(app)])
        return try Trash(home).take(places, of: app)
    }

    private func unfinished(_ name: String, _ error: any Error) -> Failure {
        if let system = error as? SystemError, system.errno == .improperLink || system.errno == .resourceBusy {
            return Failure(
                sentence: "\(name) could not be removed completely: unmount \(system.path ?? "what is mounted in it"), "
                    + "and restart Greenroom, which removes the rest")
        }
        return Failure(sentence: "\(name) could not be removed completely: \(error)")
    }

    func empty(_ trash: String, of name: String) throws(Failure) {
        do throws(SystemError) {
            try Trash(home).remove(trash)
        } catch {
            throw unfinished(name, error)
        }
    }

    /// At a start, before anything else is installed: what a killed daemon was about. Answers what lies in the trash.
    func resume() -> [String] {
        try? FileSystem.removeTree(home.staging)
        do {
            for (app, keepsData) in try store.removals() {
                _ = try clear(app, keepsData: keepsData)
                try store.endRemoval(of: app)
            }
        } catch {
            Diagnostics.write("what was being uninstalled is still there: \(error)")
        }
        return Trash(home).leftovers
    }
}
