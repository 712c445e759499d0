internal import Foundation

/// Reads the apps of an Xcode project.
struct ProjectReader {
    private let project: XcodeProject
    private let configuration: String?
    /// The names of Greenroom's own modules.
    private let reserved: Set<String>
    private var packages: ProjectPackages
    private var ledger = Ledger()
    private var report: ImportReport
    private var targets: [ImportedTarget] = []
    /// The local packages that the apps use, those that they depend on included.
    private var packageFolders: [URL] = []
    /// The targets whose files are in an app.
    private var used: Set<String> = []
    /// The targets that are left out, with the reasons.
    private var refused: [(target: XcodeProject.Object, reason: String)] = []

    private static let application = "com.apple.product-type.application"
    private static let libraries: Set = [
        "com.apple.product-type.framework", "com.apple.product-type.library.static",
        "com.apple.product-type.framework.static", "com.apple.product-type.library.dynamic",
    ]
    private static let bundle = "com.apple.product-type.bundle"

    /// - Parameter folder: the folder that the user named, if it was not the project itself.
    init(_ file: URL, folder: URL?, _ options: ImportOptions) throws(ImportFailure) {
        project = try XcodeProject(file)
        (configuration, reserved) = (options.configuration, options.reserved)
        let own = TargetSettings(project, target: nil, configuration: configuration)
        packages = ProjectPackages(project, own.settings)
        // Of folders in each other the outer one counts.
        let folders = [folder, project.root, project.folder].compactMap(\.self)
            .map { $0.resolvingSymlinksInPath().path }.filter { Disk.isFolder(URL(fileURLWithPath: $0)) }
        let outer = folders.enumerated().filter { index, path in
            !folders.enumerated().contains { other, around in
                path.hasPrefix(around + "/") || path == around && other < index
            }
        }.map(\.element)
        report = ImportReport(project: file.path, root: outer.first ?? project.folder.path, folders: outer)
        for complaint in project.complaints + packages.notes { note(complaint) }
    }

    private mutating func note(_ text: String, of target: String? = nil) {
        guard !report.notes.contains(where: { $0.target == target && $0.text == text }) else { return }
        report.notes.append(ImportReport.Note(target: target, text: text))
    }

    consuming func read() throws(ImportFailure) -> ImportedProject {
        var reader = self
        let all = reader.project.targets
        for target in all {
            guard target.text("productType") == Self.application else { continue }
            let settings = TargetSettings(reader.project, target: target, configuration: reader.configuration)
            if let system = settings.otherSystem {
                reader.refused.append((target, "it is an app for \(system)"))
            } else {
                do {
                    try reader.readApp(target, settings)
                } catch {
                    reader.refused.append((target, error.description))
                }
            }
        }
        guard !reader.targets.isEmpty else { throw reader.failure() }
        for target in all where !reader.used.contains(target.identifier) { reader.refuse(target) }
        reader.nameOtherPackages()
        reader.markFilesWithoutTarget()
        reader.report.packages = reader.packageFolders.map(\.path).sorted()
        try reader.ledger.close(&reader.report)
        return ImportedProject(targets: reader.targets, report: reader.report)
    }

    private func failure() -> ImportFailure {
        let name = "\(project.name).xcodeproj"
        guard !refused.isEmpty else {
            return ImportFailure("\(name) has no app among its targets: name a folder of code instead")
        }
        let reasons = refused.map { "\($0.target.name): \($0.reason)" }.joined(separator: "; ")
        return ImportFailure("\(name) has no app for iOS that can be imported: \(reasons)")
    }

    // MARK: Apps

    private mutating func readApp(_ target: XcodeProject.Object, _ own: TargetSettings) throws(ImportFailure) {
        var settings = own.settings
        let module = freeModule(settings["PRODUCT_MODULE_NAME"] ?? "App", target.name)
        settings.push("PRODUCT_MODULE_NAME", module)
        settings.push("EXECUTABLE_NAME", module)
        var app = AppParts(module: module, name: target.name, compiler: CompilerSettings(settings))
        app.notes = own.complaints + app.compiler.notes
        app.add(MemberReader(project, target, settings), library: nil)
        var libraries: [String] = []
        addDependencies(of: target, to: &app, &libraries)
        guard app.sources.contains(where: { Disk.isFile($0.file) }) else {
            let kinds = app.leftKinds.prefix(3).joined(separator: "; ")
            throw ImportFailure(
                app.sources.isEmpty
                    ? "it has no Swift files" + (kinds.isEmpty ? "" : ", but others (\(kinds))")
                    : "none of its \(app.sources.count) Swift files is on the disk, such as \(app.sources[0].file.path)"
            )
        }
        let path = settings["INFOPLIST_FILE"] ?? ""
        let file = path.isEmpty ? nil : project.file(path: path)
        let list = try InformationList(file: file, root: project.root, executable: module, settings: settings)
        app.notes += list.notes
        if let file = list.file {
            ledger.take(file, as: .information, in: module)
        } else if let file {
            ledger.miss(file, "the Info.plist of \(target.name): its settings are used instead")
        }
        app.notes += entitlements(settings)
        for file in own.files { ledger.take(file, as: .settings, in: module) }
        used.insert(target.identifier)
        // A target that runs scripts stays in the report.
        used.formUnion(libraries.filter { project[$0]?.text("productType") != nil })
        finish(app, list, target)
    }

    /// A module name that no other app has, nor a module of Greenroom.
    private func freeModule(_ product: String, _ target: String) -> String {
        let names = [product, target].map(ImportedTarget.module)
        let all = names + ["\(names[0])App"] + (2...1000).map { "\(names[1])_\($0)" }
        let taken = Set(targets.map { $0.module.lowercased() } + reserved.map { $0.lowercased() })
        return all.first { !taken.contains($0.lowercased()) } ?? names[0]
    }

    /// Adds the project's own libraries, which are a part of the program here.
    private mutating func addDependencies(
        of target: XcodeProject.Object, to app: inout AppParts, _ libraries: inout [String]
    ) {
        for library in project.dependencies(of: target) where !libraries.contains(library.identifier) {
            let type = library.text("productType")
            let own = TargetSettings(project, target: library, configuration: configuration)
            if type == nil {
                // A target without a product stands for others.
                libraries.append(library.identifier)
                addDependencies(of: library, to: &app, &libraries)
            } else if let type, Self.libraries.contains(type) || type == Self.bundle, own.otherSystem == nil {
                libraries.append(library.identifier)
                let compiler = CompilerSettings(own.settings)
                if type != Self.bundle {
                    app.merged.append(ImportedTarget.module(own.settings["PRODUCT_MODULE_NAME"] ?? library.name))
                    app.notes += app.compiler.merge(compiler, of: library.name)
                }
                app.notes += own.complaints.map { "\(library.name): \($0)" }
                let product = own.settings["PRODUCT_NAME"] ?? library.name
                app.add(
                    MemberReader(project, library, own.settings), library: library.name,
                    bundle: type == Self.bundle ? "\(product).bundle" : nil)
                for file in own.files { ledger.take(file, as: .settings, in: app.module) }
                if let file = own.settings["INFOPLIST_FILE"].flatMap({ $0.isEmpty ? nil : project.file(path: $0) }) {
                    ledger.leave(file, "the Info.plist of \(library.name), which is a part of the app here")
                }
                addDependencies(of: library, to: &app, &libraries)
            }
        }
        for dependency in project.objects(target.list("dependencies")) where project.target(of: dependency) == nil {
            if let product = project[dependency.text("productRef")] {
                app.products.append(product)
            } else if let proxy = project[dependency.text("targetProxy")], dependency.otherPlatforms == nil {
                let name = proxy.text("remoteInfo") ?? dependency.name
                let other = project[proxy.text("containerPortal")]?.name ?? "another project"
                app.notes.append("\(name) of \(other) is left out: import it by itself, or add its files to ios.json")
            }
        }
    }

    private mutating func finish(_ app: AppParts, _ list: InformationList, _ target: XcodeProject.Object) {
        var app = app
        var result = ImportedTarget(name: app.name, module: app.module)
        for (file, reason) in app.left { ledger.leave(file, reason, of: .init(name: app.name, module: app.module)) }
        let there = app.sources.filter { FileManager.default.fileExists(atPath: $0.file.path) }
        for (file, _) in app.sources where !FileManager.default.fileExists(atPath: file.path) {
            ledger.miss(file, "\(app.name) names it")
        }
        (result.sources, result.renamed) = Self.named(there)
        for file in result.sources { ledger.take(file, as: .source, in: app.module) }
        for (file, name) in result.renamed.sorted(by: { $0.key.path < $1.key.path }) {
            app.notes.append("\(file.lastPathComponent) is compiled as \(name): another file has its name")
        }
        var places: Set<String> = ["info.plist", app.module.lowercased()]
        for resource in app.resources {
            if !FileManager.default.fileExists(atPath: resource.file.path) {
                ledger.miss(resource.file, "\(app.name) names it")
            } else if Disk.isFolder(resource.file) {
                ledger.leave(resource.file, "a symbolic link to a folder")
            } else if places.insert(resource.place.lowercased()).inserted {
                result.resources.append(resource)
                ledger.take(
                    resource.file, as: resource.data == nil ? .resource : .catalog, in: app.module, at: resource.place)
            } else if resource.data != nil {
                app.notes.append("the catalog \(resource.file.lastPathComponent) does not replace \(resource.place)")
            } else if !result.resources.contains(resource) {
                ledger.leave(resource.file, "the bundle of \(app.name) has another \(resource.place)")
            }
        }
        if let text = app.compiler.check(result.sources) { app.notes.append(text) }
        result.products = products(app.products, &app.notes)
        (result.merged, result.information, result.iOS) = (app.merged, list.data, list.iOS)
        (result.compiler, result.notes) = (app.compiler, app.notes)
        targets.append(result)
        report.targets.append(ImportReport.Target(name: result.name, module: result.module))
        for text in app.notes { note(text, of: result.name) }
    }

    /// A module has one file of a name. Another one of a merged library gets a name of its own.
    private static func named(_ sources: [(file: URL, library: String?)]) -> (files: [URL], renamed: [URL: String]) {
        var (files, renamed, names): ([URL], [URL: String], Set<String>) = ([], [:], [])
        var seen: Set<String> = []
        for source in sources where seen.insert(source.file.path).inserted {
            files.append(source.file)
            let name = source.file.lastPathComponent
            guard !names.insert(name.lowercased()).inserted else { continue }
            let prefix = ImportedTarget.module(
                source.library ?? source.file.deletingLastPathComponent().lastPathComponent)
            let others = ["\(prefix)_\(name)"] + (2...1000).map { "\(prefix)_\($0)_\(name)" }
            renamed[source.file] = others.first { names.insert($0.lowercased()).inserted }
        }
        return (files.sorted { $0.path < $1.path }, renamed)
    }

    /// The products of local packages, and notes about the others.
    private mutating func products(_ used: [XcodeProject.Object], _ notes: inout [String]) -> [PackageProduct] {
        var (result, remote, unknown): ([PackageProduct], [String: [String]], [String]) = ([], [:], [])
        for product in used where product.otherPlatforms == nil {
            let reference = project[product.text("package")]
            let name = product.text("productName") ?? product.name
            if name.hasPrefix("plugin:") {
                notes.append("the plugin \(name.dropFirst("plugin:".count)) is not run")
            } else if let address = reference?.text("repositoryURL") {
                remote[address, default: []].append(name)
            } else if let package = packages.package(of: name) {
                result.append(PackageProduct(name: name, package: package.folder))
                for folder in ProjectPackages.closure(of: package.folder) where !packageFolders.contains(folder) {
                    packageFolders.append(folder)
                    ledger.take(package: folder)
                    for text in packages.warnings(of: folder) { note(text) }
                }
            } else {
                unknown.append(name)
            }
        }
        let known = Set(remote.values.joined())
        for name in Set(unknown).sorted() where !known.contains(name) {
            notes.append("the product \(name) is left out: no package of the project has it")
        }
        for (address, names) in remote.sorted(by: { $0.key < $1.key }) {
            let listed = Set(names).sorted().joined(separator: ", ")
            notes.append(
                "the package \(address) is left out (\(listed)): add it to Package.swift, if it builds on Linux")
        }
        return Array(Set(result)).sorted { ($0.package.path, $0.name) < ($1.package.path, $1.name) }
    }

    /// What the app may do on Apple's systems by a signed list. Here a bundle's `Info.plist` says it.
    private mutating func entitlements(_ settings: Settings) -> [String] {
        guard let path = settings["CODE_SIGN_ENTITLEMENTS"], !path.isEmpty else { return [] }
        let file = project.file(path: path)
        guard let data = try? Data(contentsOf: file),
            let read = try? unsafe PropertyListSerialization.propertyList(from: data, format: nil),
            let list = read as? [String: Any]
        else { return ["the entitlements in \(path) cannot be read"] }
        ledger.leave(file, "entitlements: an Info.plist says what an app may do here")
        return list.keys.sorted().compactMap { key in
            switch key {
            case "aps-environment": nil
            case "com.apple.developer.associated-domains":
                "the entitlement for associated domains has no effect: to open sites' links, give CFBundleURLTypes of "
                    + "Info.plist the scheme https"
            default: "the entitlement \(key) has no effect here"
            }
        }
    }

    // MARK: The rest

    /// Names a target that no app has, and the files that only it has.
    private mutating func refuse(_ target: XcodeProject.Object) {
        let own = TargetSettings(project, target: target, configuration: configuration)
        let reason = refused.first { $0.target.identifier == target.identifier }?.reason ?? Self.reason(target, own)
        note("the target \(target.name) is left out: \(reason)")
        let why = "only the target \(target.name) has it, which is left out: \(reason)"
        for member in MemberReader(project, target, own.settings).members {
            if FileManager.default.fileExists(atPath: member.file.path) { ledger.leave(member.file, why) }
        }
        for key in ["INFOPLIST_FILE", "CODE_SIGN_ENTITLEMENTS"] {
            guard let path = own.settings[key], !path.isEmpty else { continue }
            ledger.leave(project.file(path: path), why)
        }
        for file in own.files { ledger.leave(file, why) }
    }

    private static func reason(_ target: XcodeProject.Object, _ settings: TargetSettings) -> String {
        guard let type = target.text("productType") else {
            return target.kind == "PBXLegacyTarget"
                ? "another program builds it" : "it runs scripts, and builds no program"
        }
        if let system = settings.otherSystem { return "it is for \(system)" }
        if libraries.contains(type) { return "no app of the project uses this library" }
        let kind = type.split(separator: ".").last.map(String.init) ?? type
        switch kind {
        case "unit-test": return "it tests the code: give the package a test target of your own"
        case "ui-testing": return "it tests the screen, and nothing draws views"
        case "bundle": return "no app of the project uses this bundle"
        case "tool": return "it is a program for macOS"
        case let kind where kind.contains("watch"): return "it is for watchOS"
        case let kind where kind.contains("extension"): return "an app has no extensions here"
        case "on-demand-install-capable": return "there are no app clips here"
        default: return "its product does not exist here (\(kind))"
        }
    }

    private mutating func nameOtherPackages() {
        for package in packages.local where !packageFolders.contains(package.folder) {
            // A project may lie in the folder of a package.
            guard
                !report.folders.contains(where: { $0 == package.folder.path || $0.hasPrefix(package.folder.path + "/") }
                )
            else { continue }
            note("the local package \(package.identity) is left out: no app of the project uses it")
            ledger.leave(package.folder, "no app uses the package \(package.identity)")
        }
        let named = Set(targets.flatMap(\.notes).joined(separator: " ").split(separator: " ").map(String.init))
        for reference in project.objects(project.project.list("packageReferences")) {
            guard let address = reference.text("repositoryURL"), !named.contains(address) else { continue }
            note("the package \(address) is left out: no app of the project uses it")
        }
        for reference in project.project.values["projectReferences"]?.list ?? [] {
            guard let other = project[reference.table?["ProjectRef"]?.text] else { continue }
            note("the project \(other.name) is left out: import it by itself, or add its files to ios.json")
        }
    }

    /// Names files that the project has, but no target.
    private mutating func markFilesWithoutTarget() {
        let settings = TargetSettings(project, target: nil, configuration: configuration).settings
        for reference in project.all("PBXFileReference") {
            guard let file = project.file(reference.identifier, settings), Disk.isFile(file) else { continue }
            var reason = "the project lists it, and no target has it"
            if case .other(let kind) = FileKind(file) { reason = kind }
            ledger.leave(file, reason)
        }
        for group in project.all("PBXFileSystemSynchronizedRootGroup") {
            guard let folder = project.file(group.identifier, settings), Disk.isFolder(folder) else { continue }
            for file in Disk.files(below: folder) {
                if case .other(let reason) = FileKind(file) { ledger.leave(file, reason) }
            }
        }
    }
}
