/// A folder `Name.app` with Apple's `Info.plist`.
enum ApplicationBundle {
    static func manifest(of bundle: borrowing Descriptor, folder: String) throws(Refusal) -> Manifest {
        guard let info = try info(of: bundle, place: "") else {
            throw Refusal("\(Names.quoted(folder)) has no Info.plist: add one.")
        }
        var manifest = try manifest(info, of: bundle, folder: folder)
        manifest.extensions = try BundleExtensions.programs(of: bundle, app: manifest.identifier)
        return manifest
    }

    /// The keys of an `Info.plist`, or of another list; `nil`: there is none.
    ///
    /// - Parameter place: the folder within the bundle, with its slash.
    static func info(
        of bundle: borrowing Descriptor, place: String, file: String = "Info.plist"
    ) throws(Refusal) -> [String: PropertyList]? {
        guard let pinned = bundle.pin(entry: file) else { return nil }
        let name = Names.shown(place) + file
        guard let status = pinned.status(), status.type == .regular, let file = pinned.reopenForReading() else {
            throw Refusal("\(name) is not a readable regular file: replace it by one.")
        }
        guard let contents = file.read(upTo: Limits.propertyListBytes) else {
            throw Refusal("\(name) cannot be read: check its permissions.")
        }
        let list = try PropertyListReader.read(contents, name: name)
        guard case .dictionary(let info) = list else {
            throw Refusal("\(name) is not a dictionary: put its keys into <dict>.")
        }
        return info
    }

    private static func manifest(
        _ info: [String: PropertyList], of bundle: borrowing Descriptor, folder: String
    ) throws(Refusal) -> Manifest {
        guard let bundleIdentifier = try string("CFBundleIdentifier", in: info) else {
            throw Refusal("Info.plist lacks CFBundleIdentifier: add one such as org.example.name.")
        }
        let identifier = try Names.identifier(bundleIdentifier, from: "CFBundleIdentifier")
        let folderName = try Names.text(String(folder.dropLast(4)), "The bundle's name")
        var manifest = Manifest(
            identifier: identifier, name: try string("CFBundleDisplayName", "CFBundleName", in: info) ?? folderName,
            kind: .application, executable: try executable(info, of: bundle))
        manifest.version = try string("CFBundleShortVersionString", "CFBundleVersion", in: info)
        manifest.icon = try icon(info)
        manifest.backgroundModes = try strings("UIBackgroundModes", in: info).mapRefusing(Names.backgroundMode)
            .withoutRepetitions
        manifest.exitsOnSuspend = try boolean("UIApplicationExitsOnSuspend", in: info)
        manifest.urlSchemes = try urlSchemes(info)
        manifest.scenes = try scenes(info)
        manifest.taskIdentifiers = try strings("BGTaskSchedulerPermittedIdentifiers", in: info)
            .mapRefusing(Names.task).withoutRepetitions
        return manifest
    }

    /// What is in it is for the framework; here it is whether there are scenes, and whether there may be several.
    private static func scenes(_ info: [String: PropertyList]) throws(Refusal) -> String? {
        guard let given = info["UIApplicationSceneManifest"] else { return nil }
        guard case .dictionary(let manifest) = given else {
            throw Refusal("UIApplicationSceneManifest is not a dictionary: put its keys into <dict>.")
        }
        return try boolean("UIApplicationSupportsMultipleScenes", in: manifest) ? "several" : "one"
    }

    static func executable(
        _ info: [String: PropertyList], of bundle: borrowing Descriptor
    ) throws(Refusal) -> String {
        guard let name = try string("CFBundleExecutable", in: info) else {
            throw Refusal("Info.plist lacks CFBundleExecutable: name the program file in the bundle.")
        }
        guard !name.utf8.contains(UInt8(ascii: "/")), name != ".", name != "..", name.utf8.count <= Limits.nameBytes
        else {
            throw Refusal("CFBundleExecutable \(Names.quoted(name)) is a path: give the name of a file in the bundle.")
        }
        guard let pinned = bundle.pin(entry: name), let status = pinned.status() else {
            throw Refusal("CFBundleExecutable \(Names.quoted(name)) does not exist in the bundle: build it first.")
        }
        guard status.type == .regular else {
            throw Refusal("CFBundleExecutable \(Names.quoted(name)) is not a regular file: replace it by the program.")
        }
        guard status.isExecutable else {
            throw Refusal("CFBundleExecutable \(Names.quoted(name)) is not executable: use chmod +x.")
        }
        return name
    }

    private static func icon(_ info: [String: PropertyList]) throws(Refusal) -> String? {
        let listed = try strings("CFBundleIconFiles", in: info).last
        let single = try string("CFBundleIconFile", in: info)
        guard let icon = single ?? listed else { return nil }
        _ = try Names.text(icon, "The icon's name")
        let components = icon.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard components.allSatisfy({ !$0.isEmpty && !$0.elementsEqual("..".utf8) }) else {
            throw Refusal("The icon \(Names.quoted(icon)) has to be in the bundle: give a path relative to it.")
        }
        return icon
    }

    private static func urlSchemes(_ info: [String: PropertyList]) throws(Refusal) -> [String] {
        guard let types = info["CFBundleURLTypes"] else { return [] }
        guard case .array(let types) = types, types.count <= Limits.listItems else {
            throw Refusal("CFBundleURLTypes is not an array of at most \(Limits.listItems) dictionaries: correct it.")
        }
        var schemes: [String] = []
        for type in types {
            guard case .dictionary(let type) = type else {
                throw Refusal("CFBundleURLTypes holds something that is not a dictionary: correct it.")
            }
            schemes += try strings("CFBundleURLSchemes", in: type).mapRefusing(Names.scheme)
        }
        guard schemes.count <= Limits.listItems else {
            throw Refusal("CFBundleURLTypes lists more than \(Limits.listItems) schemes: remove some.")
        }
        return schemes.withoutRepetitions
    }

    // MARK: Values

    /// The first of `keys` that is there and not empty.
    static func string(_ keys: String..., in info: [String: PropertyList]) throws(Refusal) -> String? {
        for key in keys {
            guard let value = info[key] else { continue }
            guard case .string(let text) = value else {
                throw Refusal("\(key) in Info.plist is not a string: correct it.")
            }
            if !text.isEmpty { return try Names.text(text, "\(key) in Info.plist") }
        }
        return nil
    }

    private static func strings(_ key: String, in info: [String: PropertyList]) throws(Refusal) -> [String] {
        guard let value = info[key] else { return [] }
        guard case .array(let items) = value, items.count <= Limits.listItems else {
            throw Refusal("\(key) in Info.plist is not an array of at most \(Limits.listItems) strings: correct it.")
        }
        return try items.mapRefusing { item throws(Refusal) in
            guard case .string(let text) = item else {
                throw Refusal("\(key) in Info.plist holds something that is not a string: correct it.")
            }
            return try Names.text(text, "\(key) in Info.plist")
        }
    }

    private static func boolean(_ key: String, in info: [String: PropertyList]) throws(Refusal) -> Bool {
        guard let value = info[key] else { return false }
        guard case .boolean(let flag) = value else {
            throw Refusal("\(key) in Info.plist is not <true/> or <false/>: correct it.")
        }
        return flag
    }
}

extension Sequence {
    /// `map` whose transform refuses with a typed error.
    func mapRefusing<Result>(_ transform: (Element) throws(Refusal) -> Result) throws(Refusal) -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try transform(element)) }
        return results
    }
}

extension Sequence<String> {
    var withoutRepetitions: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
