internal import Foundation

/// The files of a project's folders.
enum Disk {
    /// Folders of tools, whose files are no part of a project.
    static let skipped: Set = [".git", ".hg", ".svn", ".build", "DerivedData"]

    static func isFile(_ file: URL) -> Bool {
        var isFolder: ObjCBool = false
        return unsafe FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder) && !isFolder.boolValue
    }

    static func isFolder(_ file: URL) -> Bool {
        var isFolder: ObjCBool = false
        return unsafe FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder) && isFolder.boolValue
    }

    static func isLink(_ file: URL) -> Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: file.path)) != nil
    }

    /// The names in a folder, in their order.
    static func names(in folder: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    /// The file of this name. Apple's file systems do not tell capitals from small letters, nor the ways to write an
    /// accent, so a project may spell a name differently from its file.
    static func find(_ file: URL) -> URL {
        let file = file.standardizedFileURL
        guard !FileManager.default.fileExists(atPath: file.path) else { return file }
        var found = URL(fileURLWithPath: "/")
        for name in file.pathComponents.dropFirst() {
            let next = found.appending(path: name)
            if FileManager.default.fileExists(atPath: next.path) {
                found = next
            } else if let other = names(in: found).first(where: { $0.lowercased() == name.lowercased() }) {
                found.append(path: other)
            } else {
                return file
            }
        }
        return found
    }

    /// All files below a folder: neither folders nor what lies in folders of tools. Symbolic links are not followed.
    static func files(below folder: URL) -> [URL] {
        var result: [URL] = []
        for name in names(in: folder) {
            guard !skipped.contains(name), !name.hasSuffix(".xcodeproj") || !isFolder(folder.appending(path: name))
            else { continue }
            let file = folder.appending(path: name)
            if isFolder(file), !isLink(file) { result += files(below: file) } else { result.append(file) }
        }
        return result
    }
}

/// Names files so that each has one name, however a project reaches it.
struct Names {
    private var folders: [String: String] = [:]

    /// The path without links on the way. A file that is a link itself stays one.
    mutating func path(_ file: URL) -> String {
        let file = file.standardizedFileURL
        let folder = file.deletingLastPathComponent().path
        if folders[folder] == nil {
            folders[folder] = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
        }
        let parent = folders[folder] ?? folder
        return (parent == "/" ? "" : parent) + "/" + file.lastPathComponent
    }
}
