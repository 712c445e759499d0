internal import Foundation

/// An `.xcodeproj`: objects by their identifiers, which name each other.
struct XcodeProject {
    struct Object {
        var identifier: String
        var values: [String: ProjectValue]

        var kind: String { text("isa") ?? "" }
        var name: String { text("name") ?? text("path") ?? identifier }

        func text(_ key: String) -> String? { values[key]?.text }
        func list(_ key: String) -> [String] { values[key]?.texts ?? [] }
        func table(_ key: String) -> [String: ProjectValue] { values[key]?.table ?? [:] }

        /// Whether a part with these platform filters is built for a device; otherwise the filters.
        var otherPlatforms: String? { Self.otherPlatforms(list("platformFilters") + list("platformFilter")) }

        static func otherPlatforms(_ filters: [String]) -> String? {
            let names = filters.map { $0.lowercased() }.filter { !$0.isEmpty }
            return names.isEmpty || names.contains("ios") ? nil : names.joined(separator: ", ")
        }
    }

    /// The folder that the project lies in.
    let folder: URL
    /// The folder that its paths begin at.
    let root: URL
    /// The project itself.
    let project: Object
    /// Faults of the file that do not prevent an import, in sentences.
    private(set) var complaints: [String] = []
    private let objects: [String: Object]
    /// The groups that objects are in.
    private let parents: [String: String]
    let name: String

    init(_ file: URL) throws(ImportFailure) {
        let contents = file.appending(path: "project.pbxproj")
        let list = try Self.read(contents)
        guard let all = list["objects"]?.table else {
            throw ImportFailure("\(contents.path) has no list of objects: it is damaged")
        }
        let objects = Dictionary(
            uniqueKeysWithValues: all.compactMap { id, value in
                value.table.map { (id, Object(identifier: id, values: $0)) }
            })
        guard let identifier = list["rootObject"]?.text, let main = objects[identifier] else {
            throw ImportFailure("\(contents.path) has no root object: it is damaged")
        }
        guard main.kind == "PBXProject" else {
            throw ImportFailure("\(contents.path): its root object \(identifier) is not a project: it is damaged")
        }
        (self.objects, project) = (objects, main)
        var parents: [String: String] = [:]
        for (id, object) in objects.sorted(by: { $0.key < $1.key }) {
            for child in object.list("children") { parents[child] = id }
        }
        self.parents = parents
        name = file.deletingPathExtension().lastPathComponent
        folder = file.standardizedFileURL.deletingLastPathComponent()
        let path = main.text("projectDirPath") ?? ""
        root = Disk.find(path.hasPrefix("/") ? URL(fileURLWithPath: path) : folder.appending(path: path))
        complaints = damages(of: all)
    }

    private static func read(_ contents: URL) throws(ImportFailure) -> [String: ProjectValue] {
        guard let data = try? Data(contentsOf: contents) else {
            throw ImportFailure("\(contents.path) cannot be read: name an .xcodeproj of Xcode, or a folder of code")
        }
        // Other tools write projects as XML or JSON.
        if let first = data.first(where: { $0 > 32 }),
            first == UInt8(ascii: "<") || data.starts(with: Data("bplist".utf8)),
            let read = try? unsafe PropertyListSerialization.propertyList(from: data, format: nil),
            let table = ProjectValue(read)?.table
        {
            return table
        }
        do {
            guard let table = try ProjectText.read(data).table else {
                throw ProjectText.Fault(line: 1, sentence: "it is not a list of objects")
            }
            return table
        } catch let fault as ProjectText.Fault {
            if let read = try? JSONSerialization.jsonObject(with: data), let table = ProjectValue(read)?.table {
                return table
            }
            throw ImportFailure("\(contents.path) cannot be read: line \(fault.line): \(fault.sentence)")
        } catch {
            throw ImportFailure("\(contents.path) cannot be read: \(error.localizedDescription)")
        }
    }

    /// Objects that are named but missing, and objects without a kind.
    private func damages(of all: [String: ProjectValue]) -> [String] {
        var result: [String] = []
        let names = [
            "targets", "buildPhases", "files", "children", "buildConfigurations", "dependencies", "exceptions",
            "fileSystemSynchronizedGroups", "packageProductDependencies", "packageReferences", "buildRules",
        ]
        var missing: [String: [String]] = [:]
        for object in objects.values {
            for key in names {
                for id in object.list(key) where objects[id] == nil { missing[key, default: []].append(id) }
            }
        }
        for (key, ids) in missing.sorted(by: { $0.key < $1.key }) {
            let shown = Set(ids).sorted().prefix(3).joined(separator: ", ")
            result.append("the project is damaged: \(key) names what it does not have, such as \(shown)")
        }
        let odd = all.keys.filter { objects[$0]?.kind.isEmpty ?? true }.sorted()
        if let first = odd.first {
            result.append("the project is damaged: some objects have no kind and are left out, such as \(first)")
        }
        if !Disk.isFolder(root) { result.append("the project's folder \(root.path) does not exist") }
        return result
    }

    subscript(identifier: String?) -> Object? { identifier.flatMap { objects[$0] } }

    /// All objects of a kind, in an order that does not change.
    func all(_ kind: String) -> [Object] {
        objects.values.filter { $0.kind == kind }.sorted { $0.identifier < $1.identifier }
    }

    func objects(_ identifiers: [String]) -> [Object] { identifiers.compactMap { objects[$0] } }

    /// The project's targets, in its order.
    var targets: [Object] { objects(project.list("targets")) }

    // MARK: Places

    /// The place of a file.
    enum Place {
        case file(URL)
        /// Outside of the project, for a reason.
        case outside(String)
    }

    /// Where a file or a group lies.
    ///
    /// - Parameter settings: those that paths may name.
    func place(_ identifier: String, _ settings: Settings, depth: Int = 0) -> Place {
        guard depth < 64, let object = objects[identifier] else { return .outside("its group is missing") }
        let path = settings.fill(object.text("path") ?? "")
        switch object.text("sourceTree") ?? "<group>" {
        case "SOURCE_ROOT", "PROJECT_DIR", "SRCROOT": return .file(root.appending(path: path))
        case "<absolute>": return .file(URL(fileURLWithPath: path))
        case "<group>":
            guard let parent = parents[identifier] else { return .file(join(root, path)) }
            let above = place(parent, settings, depth: depth + 1)
            guard case .file(let folder) = above else { return above }
            return .file(join(folder, path))
        case "BUILT_PRODUCTS_DIR": return .outside("the build makes it")
        case "SDKROOT", "DEVELOPER_DIR", "PLATFORM_DIR", "SYSTEM_DEVELOPER_DIR": return .outside("Apple's SDK has it")
        case let tree:
            guard let value = settings[tree], !value.isEmpty else {
                return .outside("its place \(tree) is a setting of one Mac")
            }
            return .file(join(join(root, value), path))
        }
    }

    private func join(_ folder: URL, _ path: String) -> URL {
        if path.isEmpty { return folder }
        return path.hasPrefix("/") ? URL(fileURLWithPath: path) : folder.appending(path: path)
    }

    /// The file of a place, if it is one.
    func file(_ identifier: String?, _ settings: Settings) -> URL? {
        guard let identifier, case .file(let file) = place(identifier, settings) else { return nil }
        return Disk.find(file)
    }

    /// A file that a setting names, relative to the project.
    func file(path: String) -> URL { Disk.find(join(root, path)) }

    /// A target's own name of the product that another target links.
    func target(ofProduct reference: String) -> Object? {
        targets.first { $0.text("productReference") == reference }
    }

    /// The target that a dependency stands for, if this project has it.
    func target(of dependency: Object) -> Object? {
        if let target = dependency.text("target") { return objects[target] }
        guard let proxy = self[dependency.text("targetProxy")], proxy.text("containerPortal") == project.identifier
        else { return nil }
        return self[proxy.text("remoteGlobalIDString")]
    }

    /// The targets that a target uses on a device, those of linked products included.
    func dependencies(of target: Object) -> [Object] {
        let named = objects(target.list("dependencies")).filter { $0.otherPlatforms == nil }
            .compactMap(self.target(of:))
        let linked = objects(target.list("buildPhases"))
            .filter { ["PBXFrameworksBuildPhase", "PBXResourcesBuildPhase"].contains($0.kind) }
            .flatMap { objects($0.list("files")) }.filter { $0.otherPlatforms == nil }
            .compactMap { $0.text("fileRef") }.compactMap(self.target(ofProduct:))
        var seen: Set = [target.identifier]
        return (named + linked).filter { seen.insert($0.identifier).inserted }
    }
}
