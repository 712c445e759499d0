internal import Foundation

/// A file that a target names, and what becomes of it.
struct Member {
    enum Fate: Equatable {
        case source
        /// Copied to this path in the bundle.
        case resource(String)
        case left(String)
    }

    var file: URL
    var fate: Fate
}

/// Reads the files of one target.
struct MemberReader {
    let project: XcodeProject
    let target: XcodeProject.Object
    let settings: Settings
    private(set) var members: [Member] = []
    /// What is not a file, and is left out, in sentences.
    private(set) var notes: [String] = []
    /// The products of packages that the target uses.
    private(set) var products: [XcodeProject.Object] = []

    private let excluded: [String]
    private let included: [String]

    init(_ project: XcodeProject, _ target: XcodeProject.Object, _ settings: Settings) {
        (self.project, self.target, self.settings) = (project, target, settings)
        excluded = settings.list("EXCLUDED_SOURCE_FILE_NAMES")
        included = settings.list("INCLUDED_SOURCE_FILE_NAMES")
        products = project.objects(target.list("packageProductDependencies"))
        for phase in project.objects(target.list("buildPhases")) { read(phase) }
        readSynchronizedFolders()
        for rule in project.objects(target.list("buildRules")) where rule.text("isEditable") != "0" {
            let what = rule.text("filePatterns") ?? rule.text("fileType") ?? rule.name
            notes.append("the build rule for \(what) is not applied: make its files before the import")
        }
    }

    // MARK: Phases

    /// Where the files of a phase go.
    enum Destination {
        case sources
        case resources
        /// To a folder of the bundle.
        case bundle(String)
        case none(String)
    }

    private mutating func read(_ phase: XcodeProject.Object) {
        switch phase.kind {
        case "PBXShellScriptBuildPhase":
            let name = phase.text("name") ?? "Run Script"
            notes.append("the script phase “\(name)” is not run")
            return
        case "PBXFrameworksBuildPhase": return readLibraries(phase)
        default: break
        }
        guard let destination = destination(of: phase) else { return }
        for file in project.objects(phase.list("files")) { read(file, destination) }
    }

    /// Where the files of a phase go; `nil` if it has none.
    private func destination(of phase: XcodeProject.Object) -> Destination? {
        switch phase.kind {
        case "PBXSourcesBuildPhase": return .sources
        case "PBXResourcesBuildPhase": return .resources
        case "PBXHeadersBuildPhase": return .none("a header: only Swift is compiled")
        case "PBXCopyFilesBuildPhase":
            if phase.text("runOnlyForDeploymentPostprocessing") == "1" {
                return .none("it is copied only when Xcode archives the app")
            }
            let path = settings.fill(phase.text("dstPath") ?? "")
            switch phase.text("dstSubfolderSpec") ?? phase.text("dstSubfolder") {
            case "7", "Resources", "1", "Wrapper": return .bundle(path)
            case "6", "Executables": return .bundle(path)
            case "10", "Frameworks": return .none("Xcode embeds it: it is built for Apple's systems")
            case "13", "PlugIns": return .none("a plug-in: an app has no extensions here")
            default: return .none("Xcode copies it to a folder that bundles do not have here")
            }
        case "PBXRezBuildPhase", "PBXAppleScriptBuildPhase": return .none("only macOS has a use for it")
        default: return nil
        }
    }

    private mutating func readLibraries(_ phase: XcodeProject.Object) {
        for file in project.objects(phase.list("files")) where file.otherPlatforms == nil {
            if let product = project[file.text("productRef")] {
                if !products.contains(where: { $0.identifier == product.identifier }) { products.append(product) }
            } else if let reference = file.text("fileRef") {
                if project[reference]?.kind == "PBXReferenceProxy" {
                    notes.append("\(project[reference]?.name ?? reference) is left out: another project makes it")
                } else if let place = project.file(reference, settings),
                    FileManager.default.fileExists(atPath: place.path)
                {
                    members.append(Member(file: place, fate: .left("a library that is built for Apple's systems")))
                }
            }
        }
    }

    private mutating func read(_ file: XcodeProject.Object, _ destination: Destination) {
        guard let identifier = file.text("fileRef"), let reference = project[identifier] else { return }
        for part in parts(of: reference) {
            guard let place = project.file(part.identifier, settings) else {
                if reference.kind == "PBXReferenceProxy" || project.target(ofProduct: identifier) != nil { continue }
                if case .outside(let reason) = project.place(part.identifier, settings) {
                    notes.append("\(part.name) is left out: \(reason)")
                }
                continue
            }
            if let other = file.otherPlatforms {
                members.append(Member(file: place, fate: .left("its platform filter is \(other)")))
                continue
            }
            let flags = file.table("settings")["COMPILER_FLAGS"]?.text
            if let flags, place.pathExtension == "swift" {
                notes.append("\(place.lastPathComponent) is compiled without its own flags \(flags)")
            }
            let isFolder = part.text("lastKnownFileType") == "folder" || part.text("explicitFileType") == "folder"
            add(place, destination, type: part.text("explicitFileType"), isFolder: isFolder)
        }
    }

    /// A reference may stand for several files, one for each language.
    private func parts(of reference: XcodeProject.Object, depth: Int = 0) -> [XcodeProject.Object] {
        switch reference.kind {
        case "PBXVariantGroup", "PBXGroup":
            // A damaged project may have a group that contains itself.
            depth > 16 ? [] : project.objects(reference.list("children")).flatMap { parts(of: $0, depth: depth + 1) }
        default: [reference]
        }
    }

    // MARK: Files

    /// Adds a file, or the files of a folder.
    private mutating func add(_ file: URL, _ destination: Destination, type: String? = nil, isFolder: Bool = false) {
        if let pattern = pattern(excluding: file) {
            let reason = "EXCLUDED_SOURCE_FILE_NAMES has \(pattern)"
            members.append(Member(file: file, fate: .left(reason)))
            return
        }
        let kind = FileKind(file, type: type)
        switch (destination, kind) {
        case (.none(let reason), _): members.append(Member(file: file, fate: .left(reason)))
        case (_, .other(let reason)) where !isFolder: members.append(Member(file: file, fate: .left(reason)))
        case (.sources, .swift): members.append(Member(file: file, fate: .source))
        // Translations of what Xcode compiles are copied.
        case (.sources, _) where ["strings", "stringsdict", "xcstrings"].contains(file.pathExtension):
            copy(file, to: "")
        case (.sources, _): members.append(Member(file: file, fate: .left("Xcode has no rule to compile it")))
        case (.resources, _): copy(file, to: "")
        case (.bundle(let folder), _): copy(file, to: folder)
        }
    }

    private mutating func copy(_ file: URL, to folder: String) {
        let parent = file.deletingLastPathComponent().lastPathComponent
        let isLocalized = folder.isEmpty && parent.hasSuffix(".lproj")
        let parts = folder.split(separator: "/").map(String.init).filter { $0 != ".." && $0 != "." }
        let place = parts + (isLocalized ? [parent] : []) + [file.lastPathComponent]
        copy(file, as: place.joined(separator: "/"))
    }

    /// Copies a file, or all files of a folder with their paths.
    private mutating func copy(_ file: URL, as place: String) {
        guard Disk.isFolder(file), !Disk.isLink(file) else {
            members.append(Member(file: file, fate: .resource(place)))
            return
        }
        if Disk.names(in: file).isEmpty {
            notes.append("the folder \(place) is empty: fetch what belongs in it before the import")
        }
        for name in Disk.names(in: file) where name != ".DS_Store" && !Disk.skipped.contains(name) {
            copy(file.appending(path: name), as: "\(place)/\(name)")
        }
    }

    private func pattern(excluding file: URL) -> String? {
        guard let pattern = excluded.first(where: { Pattern.matches($0, file: file.path) }),
            !included.contains(where: { Pattern.matches($0, file: file.path) })
        else { return nil }
        return pattern
    }

    // MARK: Synchronized folders

    private mutating func readSynchronizedFolders() {
        let own = Set(target.list("fileSystemSynchronizedGroups"))
        let phases = Set(target.list("buildPhases"))
        for group in project.all("PBXFileSystemSynchronizedRootGroup") {
            guard let folder = project.file(group.identifier, settings) else { continue }
            let sets = project.objects(group.list("exceptions"))
            let membership = sets.filter { $0.text("target") == target.identifier }
            let moved = sets.filter { phases.contains($0.text("buildPhase") ?? "") }
            guard own.contains(group.identifier) || !membership.isEmpty || !moved.isEmpty else { continue }
            let synchronized = SynchronizedFolder(
                folder, group: group, exceptions: membership, isOwn: own.contains(group.identifier))
            var inPhases: [String: Destination] = [:]
            for set in moved {
                let phase = project[set.text("buildPhase")]
                for path in set.list("membershipExceptions") { inPhases[path] = phase.flatMap(destination(of:)) }
            }
            notes += synchronized.notes
            for item in synchronized.items(moved: Array(inPhases.keys)) { add(item, inPhases) }
        }
    }

    private mutating func add(_ item: SynchronizedFolder.Item, _ phases: [String: Destination]) {
        if let reason = item.reason {
            members.append(Member(file: item.file, fate: .left(reason)))
        } else if let destination = phases.first(where: { SynchronizedFolder.names($0.key, item.path) })?.value {
            add(item.file, destination, type: item.type, isFolder: item.isFolder)
        } else if item.isFolder {
            add(item.file, .resources, isFolder: true)
        } else {
            // Xcode puts each file into the phase that its kind belongs to.
            let kind = FileKind(item.file, type: item.type)
            add(item.file, kind == .swift ? .sources : .resources, type: item.type)
        }
    }
}
