internal import Foundation

/// The parts of an app while they are collected.
struct AppParts {
    let module: String
    let name: String
    var compiler: CompilerSettings
    var sources: [(file: URL, library: String?)] = []
    var resources: [ImportedTarget.Resource] = []
    var left: [(URL, String)] = []
    var merged: [String] = []
    var products: [XcodeProject.Object] = []
    var notes: [String] = []

    init(module: String, name: String, compiler: CompilerSettings) {
        (self.module, self.name, self.compiler) = (module, name, compiler)
    }

    /// - Parameter bundle: the folder of the app's bundle that the resources go to.
    mutating func add(_ members: MemberReader, library: String?, bundle: String? = nil) {
        for member in members.members {
            switch member.fate {
            case .source: sources.append((member.file, library))
            case .left(let reason): left.append((member.file, reason))
            case .resource(let place): add(member.file, at: bundle.map { "\($0)/\(place)" } ?? place)
            }
        }
        products += members.products
        notes += members.notes.map { note in library.map { "\($0): \(note)" } ?? note }
    }

    private mutating func add(_ file: URL, at place: String) {
        // A path must not lead out of the bundle.
        let names = place.split(separator: "/").filter { $0 != ".." && $0 != "." }
        guard file.pathExtension == "xcstrings", Disk.isFile(file) else {
            resources.append(ImportedTarget.Resource(file: file, place: names.joined(separator: "/")))
            return
        }
        guard let catalog = StringCatalog(file) else {
            return left.append((file, "a catalog of strings that is damaged"))
        }
        let folder = names.dropLast().filter { !$0.hasSuffix(".lproj") }.map { "\($0)/" }.joined()
        resources += catalog.files.map { .init(file: file, place: folder + $0.place, data: $0.data) }
        if catalog.files.isEmpty {
            left.append((file, "a catalog without translations: the texts of the code are used"))
        }
    }

    /// The kinds of files that were left out.
    var leftKinds: [String] { Set(left.map(\.1)).sorted() }
}
