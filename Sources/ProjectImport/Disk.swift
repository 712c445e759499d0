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

    /// All files below a folder: neither folders nor what lies in folders of tools. Symbolic links are not followed. A
    /// folder that cannot be read stands for its files.
    static func files(below folder: URL) -> [URL] {
        var result: [URL] = []
        guard FileManager.default.isReadableFile(atPath: folder.path) else { return [folder] }
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
    private var folders: [Path: String] = [:]

    /// The path without links on the way. A file that is a link itself stays one.
    mutating func path(_ file: URL) -> Path {
        let file = file.standardizedFileURL
        let folder = Path(file.deletingLastPathComponent().path)
        if folders[folder] == nil {
            folders[folder] = URL(fileURLWithPath: folder.text).resolvingSymlinksInPath().path
        }
        let parent = folders[folder] ?? folder.text
        return Path((parent == "/" ? "" : parent) + "/" + file.lastPathComponent)
    }
}

/// A path, byte by byte: to Linux two ways to write an accent are two names, to a `String` they are one.
struct Path: Hashable, Comparable {
    let text: String

    init(_ text: some StringProtocol) { self.text = String(text) }

    static func == (left: Path, right: Path) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    static func < (left: Path, right: Path) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }

    func isBelow(_ folder: Path) -> Bool {
        text.utf8.count > folder.text.utf8.count && text.utf8.starts(with: folder.text.utf8)
            && text.utf8.dropFirst(folder.text.utf8.count).first == UInt8(ascii: "/")
    }
}
