internal import Foundation

/// What an `.xcodeproj` says: objects by their identifiers, which name each other.
struct XcodeProject {
    struct Object {
        var values: [String: Any]

        var kind: String { text("isa") ?? "" }

        func text(_ key: String) -> String? { values[key] as? String }
        func list(_ key: String) -> [String] { values[key] as? [String] ?? [] }
    }

    /// The folder that the project lies in.
    let root: URL
    private let objects: [String: Object]
    /// The groups that objects are in.
    private let parents: [String: String]
    private let project: Object

    init(_ file: URL) throws(ImportFailure) {
        root = file.standardizedFileURL.deletingLastPathComponent()
        let contents = file.appending(path: "project.pbxproj")
        guard let data = try? Data(contentsOf: contents),
            let read = try? unsafe PropertyListSerialization.propertyList(from: data, format: nil),
            let list = read as? [String: Any], let all = list["objects"] as? [String: [String: Any]]
        else {
            throw ImportFailure("\(contents.path) cannot be read: name an .xcodeproj of Xcode, or a folder of code")
        }
        let objects = all.mapValues { Object(values: $0) }
        guard let main = (list["rootObject"] as? String).flatMap({ objects[$0] }) else {
            throw ImportFailure("\(contents.path) has no root object: it is damaged")
        }
        (self.objects, project) = (objects, main)
        var parents: [String: String] = [:]
        for (identifier, object) in objects {
            for child in object.list("children") { parents[child] = identifier }
        }
        self.parents = parents
    }

    subscript(identifier: String) -> Object? { objects[identifier] }

    /// The project's targets, in its order.
    var targets: [(identifier: String, object: Object)] {
        project.list("targets").compactMap { id in objects[id].map { (id, $0) } }
    }

    /// Packages that are to be fetched: their addresses.
    var packages: [String] {
        project.list("packageReferences").compactMap { objects[$0]?.text("repositoryURL") }
    }

    /// Where a file or a group lies; `nil` if that is not in the project, such as what the build makes.
    func place(_ identifier: String, depth: Int = 0) -> URL? {
        guard depth < 64, let object = objects[identifier] else { return nil }
        let path = object.text("path")
        switch object.text("sourceTree") {
        case "SOURCE_ROOT": return path.map { root.appending(path: $0) }
        case "<absolute>": return path.map { URL(fileURLWithPath: $0) }
        case "<group>":
            let above = parents[identifier].flatMap { place($0, depth: depth + 1) } ?? root
            return path.map { above.appending(path: $0) } ?? above
        default: return nil
        }
    }

    /// The files of a target's phase of a kind, and of the folders that belong to it as a whole.
    func files(of target: Object, phase kind: String) -> [URL] {
        let phases = target.list("buildPhases").compactMap { objects[$0] }.filter { $0.kind == kind }
        return phases.flatMap { $0.list("files") }.compactMap { objects[$0]?.text("fileRef") }.flatMap(expand)
    }

    /// A reference may stand for several files, one for each language.
    private func expand(_ identifier: String) -> [URL] {
        guard let object = objects[identifier] else { return [] }
        if object.kind == "PBXVariantGroup" || object.kind == "XCVersionGroup" {
            return object.list("children").compactMap { place($0) }
        }
        return place(identifier).map { [$0] } ?? []
    }

    /// All files of the folders that belong to a target as they are, as Xcode 16 has it.
    func synchronizedFiles(of identifier: String, _ target: Object) -> [URL] {
        target.list("fileSystemSynchronizedGroups").flatMap { group -> [URL] in
            guard let folder = place(group), let object = objects[group] else { return [] }
            let exceptions = object.list("exceptions").compactMap { objects[$0] }
                .filter { $0.text("target") == identifier }.flatMap { $0.list("membershipExceptions") }
            let left = Set(exceptions.map { folder.appending(path: $0).standardizedFileURL.path })
            let found = FileManager.default.enumerator(
                at: folder, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
            return (found?.compactMap { $0 as? URL } ?? [])
                .filter { !left.contains($0.standardizedFileURL.path) }
        }
    }

    /// The settings of a target for its release, over the project's; and what of them could not be read.
    func settings(of target: Object) -> (values: [String: String], complaints: [String]) {
        let lists = [project, target].compactMap { $0.text("buildConfigurationList") }.compactMap { objects[$0] }
        let chosen = lists.compactMap { list in
            let all = list.list("buildConfigurations").compactMap { objects[$0] }
            return all.first { $0.text("name") == list.text("defaultConfigurationName") } ?? all.first
        }
        var levels = SettingLevels(configuration: chosen.last?.text("name") ?? "Release")
        var complaints: [String] = []
        for configuration in chosen {
            if let file = baseFile(of: configuration) {
                let read = ConfigurationFile(file)
                levels.add(read.assignments)
                complaints += read.complaints
            }
            let said = configuration.values["buildSettings"] as? [String: Any] ?? [:]
            levels.add(
                said.sorted { $0.key < $1.key }.compactMap { key, value in
                    let text = (value as? [String])?.joined(separator: " ") ?? value as? String
                    return text.flatMap { SettingAssignment(key: key, value: $0) }
                })
        }
        var result = levels.values
        let name = target.text("name") ?? "App"
        result["TARGET_NAME"] = name
        let product = result["PRODUCT_NAME"] ?? name
        result["PRODUCT_NAME"] = nil
        result["PRODUCT_NAME"] = Settings.fill(product, result)
        result["PRODUCT_MODULE_NAME"] = ImportedTarget.module(name)
        result["EXECUTABLE_NAME"] = ImportedTarget.module(name)
        return (result, complaints)
    }

    /// The file whose settings a configuration's own stand over.
    private func baseFile(of configuration: Object) -> URL? {
        if let reference = configuration.text("baseConfigurationReference") { return place(reference) }
        // In a folder that belongs to the project as it is, as Xcode 16 has it.
        guard let folder = configuration.text("baseConfigurationReferenceAnchor").flatMap({ place($0) }) else {
            return nil
        }
        return configuration.text("baseConfigurationReferenceRelativePath").map { folder.appending(path: $0) }
    }

    /// The targets that a target uses.
    func dependencies(of target: Object) -> [(identifier: String, object: Object)] {
        target.list("dependencies").compactMap { objects[$0]?.text("target") }
            .compactMap { id in objects[id].map { (id, $0) } }
    }
}
