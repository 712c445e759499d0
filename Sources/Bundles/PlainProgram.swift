/// A program that knows nothing of Greenroom, managed through its `.desktop` file or by its path.
enum PlainProgram {
    /// Fixed, not inherited: where a program is found must not depend on who started the daemon.
    private static let searchPath = [
        "/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/games", "/usr/games",
    ]

    static func manifest(desktopFile path: InstallPath, contents: [UInt8]) throws(Refusal) -> Manifest {
        let remarks = Remarks()
        let entry = try DesktopEntry(contents, remarks)
        guard entry.string("Type") == "Application" else {
            throw Refusal("The .desktop file's Type is not Application: only applications can be installed.")
        }
        guard entry.boolean("Hidden") != true else {
            throw Refusal("The .desktop file says Hidden=true, that is deleted: remove the line to install it.")
        }
        guard let exec = entry.string("Exec") else {
            throw Refusal(
                entry.boolean("DBusActivatable") == true
                    ? "The .desktop file lacks Exec, and Greenroom does not start programs over D-Bus: add Exec."
                    : "The .desktop file lacks Exec: add it.")
        }
        if let required = entry.string("TryExec") { _ = try resolve(required, folder: path.folder) }
        let identifier = try Self.identifier(path, remarks)
        if entry.string("Name") == nil { remarks.add("The .desktop file lacks Name: the app has its file's name.") }
        let shown = remarks.text(entry.string("Name") ?? identifier, "Name")
        let icon = entry.string("Icon").map { remarks.text($0, "Icon") }
        let line = try ExecLine(exec, ExecLine.Fields(name: shown, icon: icon, file: path.absolute))
        for remark in line.remarks { remarks.add(remark) }
        guard !line.arguments.contains(where: { $0.unicodeScalars.contains(where: isUnfit) }) else {
            throw Refusal("Exec contains a control character: remove it.")
        }
        var manifest = Manifest(
            identifier: identifier, name: shown, kind: .plain,
            executable: try resolve(line.arguments.first ?? "", folder: path.folder))
        manifest.arguments = Array(line.arguments.dropFirst())
        manifest.workingDirectory = entry.string("Path").flatMap { directory in
            remarks.leavingOut("Path") { () throws(Refusal) in try folder(directory, relativeTo: path.folder) }
        }
        manifest.terminal = entry.boolean("Terminal") ?? false
        manifest.icon = icon
        manifest.exitsOnSuspend = entry.boolean("X-Greenroom-ExitsOnSuspend") ?? false
        manifest.connectionLimit = entry.string("X-Greenroom-ConnectionLimit").flatMap {
            remarks.seconds($0, "X-Greenroom-ConnectionLimit")
        }
        manifest.namespaces = entry.boolean("X-Greenroom-Namespaces") ?? false
        let freeze = entry.boolean("X-Greenroom-Freeze")
        manifest.freezable = freeze ?? true
        manifest.graphical = !manifest.terminal && freeze == nil
        manifest.backgroundModes = items(
            entry.list("X-Greenroom-BackgroundModes"), "A mode in X-Greenroom-BackgroundModes", remarks,
            Names.backgroundMode)
        let schemes = entry.list("MimeType").filter { $0.hasPrefix(handler) }.map {
            String($0.dropFirst(handler.count))
        }
        manifest.urlSchemes = items(schemes, "A URL scheme", remarks, Names.scheme)
        manifest.warnings = remarks.sentences
        return manifest
    }

    private static let handler = "x-scheme-handler/"

    /// Scripts for `sh -c` have tabs and line breaks.
    private static func isUnfit(_ scalar: Unicode.Scalar) -> Bool {
        Names.isDeceptive(scalar) && scalar != "\t" && scalar != "\n"
    }

    /// Those that can be, once each and so many of them; what is wrong with the others is remarked on.
    private static func items(
        _ items: [String], _ what: String, _ remarks: Remarks, _ check: (String) throws(Refusal) -> String
    ) -> [String] {
        let sound = items.compactMap { item in remarks.leavingOut(what) { () throws(Refusal) in try check(item) } }
            .withoutRepetitions
        if sound.count > Limits.listItems {
            remarks.add("\(what) is one of more than \(Limits.listItems): the others are left out.")
        }
        return Array(sound.prefix(Limits.listItems))
    }

    /// The file's name, where that can be an identifier, or else what comes near it.
    private static func identifier(_ path: InstallPath, _ remarks: Remarks) throws(Refusal) -> String {
        let name = String(path.name.dropLast(8))
        if Names.isIdentifier(name) { return name }
        let identifier = try Names.sanitised(name)
        remarks.add("The .desktop file's name is not an identifier: the app's is \(identifier).")
        return identifier
    }

    static func manifest(executable path: InstallPath) throws(Refusal) -> Manifest {
        try checkExecutable(path.absolute)
        return Manifest(
            identifier: try Names.sanitised(path.name), name: try Names.text(path.name, "The file's name"),
            kind: .plain,
            executable: path.absolute)
    }

    /// The absolute path of a program as `Exec` and `TryExec` name it.
    private static func resolve(_ program: String, folder: String) throws(Refusal) -> String {
        guard program.utf8.contains(UInt8(ascii: "/")) else {
            for directory in searchPath where isExecutable("\(directory)/\(program)") {
                let found = "\(directory)/\(program)"
                try checkExecutable(found)
                return found
            }
            throw Refusal("The program \(Names.quoted(program)) is not installed: install it, or give its path.")
        }
        let path = try absolute(program, relativeTo: folder, what: "The program")
        try checkExecutable(path)
        return path
    }

    private static func folder(_ path: String, relativeTo folder: String) throws(Refusal) -> String {
        let path = try absolute(path, relativeTo: folder, what: "Path")
        guard Descriptor.pin(following: path)?.status()?.type == .directory else {
            throw Refusal("Path \(Names.quoted(path)) is not a folder: create it, or leave Path out.")
        }
        return path
    }

    private static func absolute(_ path: String, relativeTo folder: String, what: String) throws(Refusal) -> String {
        guard !path.unicodeScalars.contains(where: Names.isDeceptive) else {
            throw Refusal("\(what) \(Names.quoted(path)) has a control character in its path: rename it.")
        }
        if path.hasPrefix("/") { return path }
        // Bytes, not characters: a combining mark would hide a slash.
        let components = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        guard components.first == ".", !components.contains("..") else {
            throw Refusal(
                "\(what) \(Names.quoted(path)) is neither absolute nor begins with ./ (the .desktop file's folder), or"
                    + " leads upwards: correct it.")
        }
        return ([folder == "/" ? "" : folder] + components.dropFirst()).joined(separator: "/")
    }

    private static func isExecutable(_ path: String) -> Bool {
        guard let status = Descriptor.pin(following: path)?.status() else { return false }
        return status.type == .regular && status.isExecutable
    }

    private static func checkExecutable(_ path: String) throws(Refusal) {
        guard let pinned = Descriptor.pin(following: path), let status = pinned.status() else {
            throw Refusal("\(Names.quoted(path)) does not exist or cannot be reached: check the path.")
        }
        guard status.type == .regular, status.isExecutable else {
            throw Refusal(
                "\(Names.quoted(path)) is not an executable file: give a program, a bundle or a .desktop file.")
        }
        guard !status.changesIdentity else {
            throw Refusal(
                "\(Names.quoted(path)) has the setuid or setgid bit: such programs leave their app's identity.")
        }
    }
}
