package import LinuxSystem
internal import SystemPackage

/// What is to be removed waits here: moving a tree takes no time, whatever is in it, and nobody comes across half of it
/// meanwhile. A daemon that is killed goes on with it at its next start.
package struct Trash: Sendable {
    private let folder: String

    package init(_ home: Home) { folder = home.trash }

    /// Moves trees here that are there; answers where they are. What cannot be moved, as on a disk without room for
    /// a name, is removed where it is.
    package func take(_ paths: [String], of app: String) throws -> String? {
        let present = paths.filter(FileSystem.exists)
        guard !present.isEmpty else { return nil }
        guard let entry = try? makeEntry(app) else {
            for path in present { try FileSystem.removeTree(path) }
            return nil
        }
        for (number, path) in present.enumerated() {
            do throws(SystemError) {
                try FileSystem.rename(path, to: "\(entry)/\(number)")
            } catch {
                try FileSystem.removeTree(path)
            }
        }
        return entry
    }

    /// A folder for what leaves an app's container.
    package func makeFolder(of app: String) throws(SystemError) -> String { try makeEntry(app) }

    private func makeEntry(_ app: String) throws(SystemError) -> String {
        try FileSystem.makeDirectory(folder)
        let directory = try Directory(opening: folder)
        var moment = Clock.boot()
        while true {
            let name = "\(app.prefix(100))-\(moment)"
            do throws(SystemError) {
                try directory.make(name)
                return "\(folder)/\(name)"
            } catch {
                guard error.errno == .fileExists else { throw error }
                moment += 1
            }
        }
    }

    package func remove(_ entry: String) throws(SystemError) { try FileSystem.removeTree(entry) }

    /// What an earlier daemon did not come to.
    package var leftovers: [String] { FileSystem.names(in: folder).map { "\(folder)/\($0)" } }
}
