package import LinuxSystem
internal import SystemPackage

/// An app's container. It is the app's: everything in it may be another thing at any moment, a link included. So it is
/// entered by descriptors alone, nothing in it is given to anybody, and new folders are made elsewhere and moved in.
package struct Container {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let home: Home
    private let app: String
    private let uid: UInt32?
    /// A folder that no app can reach, on the same file system.
    private let workshop: Directory

    package init(of app: String, in home: Home, uid: UInt32?, workshop: Directory) {
        self.home = home
        self.app = app
        self.uid = uid
        self.workshop = workshop
    }

    /// An app that goes on exchanging its folders is left with what it has.
    private static let attempts = 64

    /// `Documents`, `Library/Caches` and `tmp` (R15), owned by the app's user. What an earlier installation left stays,
    /// and what is no folder is set aside.
    package func prepare() throws {
        try FileSystem.makeDirectory(home.path + "/containers", mode: 0o711)
        let containers = try Directory(opening: home.path + "/containers")
        guard let container = try folder(app, in: containers) else { return }
        try takeOver(container)
        for name in ["Documents", "tmp"] { _ = try folder(name, in: container) }
        for _ in 0..<Self.attempts {
            guard let library = try folder("Library", in: container) else { return }
            do {
                _ = try folder("Caches", in: library)
                return
            } catch let error as SystemError where error.errno == .noSuchFileOrDirectory {
                // The app removed the folder that this one was to be made in.
                continue
            }
        }
        throw restless("Library")
    }

    /// Moves `Library/Caches` and `tmp` to the workshop, and puts empty folders in their place. It does not read them,
    /// because they may hold any number of files.
    ///
    /// - Returns: the names of what was moved.
    package func takeCaches() throws -> [String] {
        let container = try Directory(opening: home.path + "/containers").folder(app)
        var taken: [String] = []
        for (place, name) in [("Library", "Caches"), (nil, "tmp")] {
            let parent = try place.map(container.folder) ?? container
            // A folder that is missing, a link or a mount holds no caches of the app's.
            guard let found = try? parent.folder(name) else { continue }
            let mode = try found.descriptor.identity().permissions
            try parent.rename(name, to: workshop, as: name)
            taken.append(name)
            _ = try DiskReserve.using { () throws(SystemError) in
                try parent.place(newFolder: name, mode: mode & 0o777, owner: uid, madeIn: workshop)
            }
        }
        return taken
    }

    private func restless(_ name: String) -> Failure {
        Failure(description: "\(app) goes on replacing \(name) in its container: greenroom close \(app), and try again")
    }

    /// What an earlier user of the app owned belongs to the present one: after the loss of the database, or where apps
    /// had the daemon's user before.
    private func takeOver(_ container: Directory) throws {
        guard let uid else { return }
        let owner = try container.descriptor.identity().owner
        guard owner != uid else { return }
        try FileSystem.changeOwnerOfTree(home.container(app), from: owner, to: uid)
    }

    /// `nil` where something is mounted: that is the user's, who knows why.
    private func folder(_ name: String, in parent: Directory) throws -> Directory? {
        for _ in 0..<Self.attempts {
            do throws(SystemError) {
                let found = try parent.folder(name)
                try adopt(found)
                return found
            } catch {
                switch error.errno {
                case .noSuchFileOrDirectory:
                    _ = try parent.place(newFolder: name, owner: uid, madeIn: workshop)
                case .notDirectory, .tooManySymbolicLinkLevels: try setAside(name, in: parent)
                case .improperLink: return nil
                // An app without a user of its own has forbidden it to this user, who is its own.
                case .permissionDenied where uid == nil: return nil
                default: throw error
                }
            }
        }
        throw restless(name)
    }

    /// What this user made and did not give away yet.
    private func adopt(_ folder: Directory) throws(SystemError) {
        guard let uid, uid != CurrentProcess.uid else { return }
        let owner = try folder.descriptor.identity().owner
        if owner == CurrentProcess.uid { try folder.descriptor.changeOwner(uid: uid, gid: uid) }
    }

    private func setAside(_ name: String, in parent: Directory) throws {
        for number in 1...1_000 {
            do throws(SystemError) {
                if try parent.rename(name, toUnused: "\(name).replaced-\(number)") { return }
            } catch {
                // The app took it away itself.
                if error.errno == .noSuchFileOrDirectory { return }
                throw error
            }
        }
        throw Failure(description: "\(name) in the container of \(app) is no folder: remove it")
    }
}
