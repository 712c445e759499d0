internal import Foundation

/// A folder whose files belong to targets as they are on the disk, as Xcode 16 has it.
struct SynchronizedFolder {
    struct Item {
        var file: URL
        /// In the folder.
        var path: String
        var type: String?
        /// Whether it is copied as a folder, with its name.
        var isFolder = false
        /// The reason for which the target does not have it.
        var reason: String?
    }

    private let folder: URL
    /// Whether the target has the folder's files, or only the exceptions.
    private let isOwn: Bool
    private let exceptions: [String]
    private let filters: [String: [String]]
    private let types: [String: String]
    private let folders: [String]
    let notes: [String]

    /// - Parameter exceptions: the sets of exceptions for the target.
    init(
        _ folder: URL, group: XcodeProject.Object, exceptions: [XcodeProject.Object], isOwn: Bool
    ) {
        (self.folder, self.isOwn) = (folder, isOwn)
        self.exceptions = exceptions.flatMap { $0.list("membershipExceptions") }
        var filters: [String: [String]] = [:]
        for set in exceptions {
            for (path, value) in set.table("platformFiltersByRelativePath") { filters[path] = value.texts }
        }
        self.filters = filters
        types = group.table("explicitFileTypes").compactMapValues(\.text)
        folders = group.list("explicitFolders")
        notes = exceptions.flatMap { $0.table("additionalCompilerFlagsByRelativePath").sorted { $0.key < $1.key } }
            .filter { $0.key.hasSuffix(".swift") }
            .map { "\($0.key) is compiled without its own flags \($0.value.text ?? "")" }
    }

    /// Whether a name of the project stands for this path, or for a folder around it.
    static func names(_ name: String, _ path: String) -> Bool {
        var name = name
        // A file in all its languages, named without their folders.
        let localized = "/Localized:"
        guard name.hasPrefix(localized) else {
            while name.hasSuffix("/") { name.removeLast() }
            return path == name || path.hasPrefix(name + "/")
        }
        name = name.dropFirst(localized.count).trimmingCharacters(in: .whitespaces)
        let plain = path.split(separator: "/").filter { !$0.hasSuffix(".lproj") }.joined(separator: "/")
        return path == name || plain == name
    }

    /// The files that are the target's, and those that are not, with the reason.
    ///
    /// - Parameter moved: the paths that a phase of the target names.
    func items(moved: [String]) -> [Item] {
        var result: [Item] = []
        guard Disk.isFolder(folder) else {
            return [Item(file: folder, path: "")]
        }
        collect(folder, "", &result)
        return result.compactMap { item in
            var item = item
            item.type = types.first { Self.names($0.key, item.path) }?.value
            let isException = exceptions.contains { Self.names($0, item.path) }
            if moved.contains(where: { Self.names($0, item.path) }) { return item }
            if isOwn, isException { item.reason = "the project excepts it from the target's folder" }
            if !isOwn, !isException { return nil }
            if item.reason == nil,
                let other = filters.first(where: { Self.names($0.key, item.path) }).flatMap({
                    XcodeProject.Object.otherPlatforms($0.value)
                })
            {
                item.reason = "its platform filter is \(other)"
            }
            return item
        }
    }

    private func collect(_ place: URL, _ path: String, _ result: inout [Item]) {
        for name in Disk.names(in: place) where !name.hasPrefix(".") && !Disk.skipped.contains(name) {
            let (file, inside) = (place.appending(path: name), path.isEmpty ? name : "\(path)/\(name)")
            guard Disk.isFolder(file) else {
                result.append(Item(file: file, path: inside))
                continue
            }
            if folders.contains(inside) {
                result.append(Item(file: file, path: inside, isFolder: true))
            } else if FileKind.isBundle(file) {
                result.append(Item(file: file, path: inside))
            } else if Disk.isFile(file.appending(path: "Package.swift")) {
                result.append(Item(file: file, path: inside, reason: "a Swift package of its own"))
            } else if result.count < 200_000, !Disk.isLink(file) || path.split(separator: "/").count < 16 {
                collect(file, inside, &result)
            }
        }
    }
}
