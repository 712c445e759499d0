/// A folder `Name.app` with Apple's `Info.plist`.
enum ApplicationBundle {
    static func manifest(of bundle: borrowing Descriptor, folder: String) throws(Refusal) -> Manifest {
        guard let info = try info(of: bundle, place: "") else {
            throw Refusal("\(Names.quoted(folder)) has no Info.plist: add one.")
        }
        let remarks = Remarks()
        var manifest = try manifest(InfoKeys(info, remarks), remarks, of: bundle, folder: folder)
        manifest.extensions = try BundleExtensions.programs(of: bundle, app: manifest.identifier, remarks)
        manifest.warnings = remarks.sentences
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
        _ keys: InfoKeys, _ remarks: Remarks, of bundle: borrowing Descriptor, folder: String
    ) throws(Refusal) -> Manifest {
        guard let bundleIdentifier = try keys.essential("CFBundleIdentifier") else {
            throw Refusal("Info.plist lacks CFBundleIdentifier: add one such as org.example.name.")
        }
        let identifier = try Names.identifier(bundleIdentifier, from: "CFBundleIdentifier")
        let folderName = remarks.text(String(folder.dropLast(4)), "The bundle's name")
        var manifest = Manifest(
            identifier: identifier, name: keys.string("CFBundleDisplayName", "CFBundleName") ?? folderName,
            kind: .application, executable: try executable(keys, of: bundle))
        manifest.version = keys.string("CFBundleShortVersionString", "CFBundleVersion")
        manifest.icon = icon(keys, remarks)
        manifest.backgroundModes =
            keys.strings("UIBackgroundModes").compactMap { mode in
                remarks.leavingOut("A mode in UIBackgroundModes") { () throws(Refusal) in try Names.backgroundMode(mode)
                }
            }.withoutRepetitions
        manifest.exitsOnSuspend = keys.boolean("UIApplicationExitsOnSuspend")
        manifest.connectionLimit = keys.string("GreenroomConnectionLimit").flatMap {
            remarks.seconds($0, "GreenroomConnectionLimit in Info.plist")
        }
        manifest.urlSchemes =
            keys.dictionaries("CFBundleURLTypes").flatMap { $0.strings("CFBundleURLSchemes") }
            .compactMap { scheme in
                remarks.leavingOut("A URL scheme") { () throws(Refusal) in try Names.scheme(scheme) }
            }.withoutRepetitions
        // The framework reads the rest. The daemon needs to know whether the app has one scene or several.
        manifest.scenes = keys.dictionary("UIApplicationSceneManifest").map {
            $0.boolean("UIApplicationSupportsMultipleScenes") ? "several" : "one"
        }
        manifest.taskIdentifiers =
            keys.strings("BGTaskSchedulerPermittedIdentifiers").compactMap { name in
                remarks.leavingOut("A task") { () throws(Refusal) in try Names.task(name) }
            }.withoutRepetitions
        return manifest
    }

    static func executable(_ keys: InfoKeys, of bundle: borrowing Descriptor) throws(Refusal) -> String {
        guard let name = try keys.essential("CFBundleExecutable") else {
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

    private static func icon(_ keys: InfoKeys, _ remarks: Remarks) -> String? {
        guard let icon = keys.string("CFBundleIconFile") ?? keys.strings("CFBundleIconFiles").last else { return nil }
        let components = icon.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard components.allSatisfy({ !$0.isEmpty && !$0.elementsEqual("..".utf8) }) else {
            remarks.add("The icon \(Names.quoted(icon)) is not in the bundle, and is left out.")
            return nil
        }
        return icon
    }
}

extension Sequence<String> {
    var withoutRepetitions: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
