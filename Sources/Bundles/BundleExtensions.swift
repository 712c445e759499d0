/// The extensions of a bundle: folders `PlugIns/Name.appex` with an `Info.plist` of their own, as Apple has them.
enum BundleExtensions {
    private static let (folder, suffix) = ("PlugIns", ".appex")

    /// The program of each extension point, but for extensions that are not as they should be; relative to the bundle.
    /// Whether any service knows the point is not asked.
    static func programs(
        of bundle: borrowing Descriptor, app: String, _ remarks: Remarks
    ) throws(Refusal) -> [String: String] {
        guard let folder = bundle.pin(entry: folder), folder.status()?.type == .directory else { return [:] }
        guard let names = folder.entries(upTo: Limits.files) else {
            throw Refusal("The bundle's folder \(Self.folder) cannot be read: check its permissions.")
        }
        let extensions = names.map { String(decoding: $0, as: UTF8.self) }.filter { $0.hasSuffix(suffix) }.sorted()
        guard extensions.count <= Limits.extensions else {
            throw Refusal("The bundle has more than \(Limits.extensions) extensions: remove some.")
        }
        var programs: [String: String] = [:]
        for name in extensions {
            do throws(Refusal) {
                guard let inner = folder.pin(entry: name), inner.status()?.type == .directory else {
                    throw Refusal("It is not a folder: replace it by one.")
                }
                let (point, program) = try describe(inner, name, app: app, remarks)
                guard programs[point] == nil else {
                    throw Refusal("Another extension is for \(Names.quoted(point)): remove one.")
                }
                programs[point] = "\(Self.folder)/\(name)/\(program)"
            } catch {
                remarks.add("The extension \(Names.quoted(name)) is left out. \(error.refused)")
            }
        }
        return programs
    }

    private static func describe(
        _ inner: borrowing Descriptor, _ name: String, app: String, _ remarks: Remarks
    ) throws(Refusal) -> (point: String, program: String) {
        let place = "\(folder)/\(try Names.text(name, "The name of an extension"))/"
        guard let info = try ApplicationBundle.info(of: inner, place: place) else {
            throw Refusal("The extension \(Names.quoted(name)) has no Info.plist: add one.")
        }
        let keys = InfoKeys(info, remarks)
        guard let point = try keys.dictionary("NSExtension")?.essential("NSExtensionPointIdentifier") else {
            throw Refusal(
                "\(Names.shown(place))Info.plist lacks NSExtension with NSExtensionPointIdentifier: say what it is for."
            )
        }
        guard let identifier = try keys.essential("CFBundleIdentifier"),
            Names.isIdentifier(identifier), identifier.hasPrefix(app + ".")
        else {
            throw Refusal(
                "The extension \(Names.quoted(name)) has no CFBundleIdentifier that goes on from its app's: give it one"
                    + " such as \(app).extension.")
        }
        return (point, try ApplicationBundle.executable(keys, of: inner))
    }
}
