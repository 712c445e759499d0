/// A program that knows nothing of Greenroom, managed through its `.desktop` file or by its path.
enum PlainProgram {
    /// Fixed, not inherited: where a program is found must not depend on who started the daemon.
    private static let searchPath = [
        "/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/games", "/usr/games",
    ]

    static func manifest(desktopFile path: InstallPath, contents: [UInt8]) throws(Refusal) -> Manifest {
        let identifier = try Names.identifier(String(path.name.dropLast(8)), from: "The .desktop file's name")
        let entry = try DesktopEntry(contents)
        guard try entry.string("Type") == "Application" else {
            throw Refusal("The .desktop file's Type is not Application: only applications can be installed.")
        }
        guard try entry.boolean("Hidden") != true else {
            throw Refusal("The .desktop file says Hidden=true, that is deleted: remove the line to install it.")
        }
        guard let name = try entry.string("Name"), let exec = try entry.string("Exec") else {
            throw Refusal("The .desktop file lacks Name or Exec: add it.")
        }
        if let required = try entry.string("TryExec") { _ = try resolve(required, folder: path.folder) }
        let arguments = try ExecLine.arguments(exec).mapRefusing { argument throws(Refusal) in
            guard !argument.unicodeScalars.contains(where: Names.isDeceptive) else {
                throw Refusal("Exec contains a control character: remove it.")
            }
            return argument
        }
        var manifest = Manifest(
            identifier: identifier, name: try Names.text(name, "Name"), kind: .plain,
            executable: try resolve(arguments.first ?? "", folder: path.folder))
        manifest.arguments = Array(arguments.dropFirst())
        manifest.workingDirectory = try entry.string("Path").mapRefusing { directory throws(Refusal) in
            try folder(directory, relativeTo: path.folder)
        }
        manifest.terminal = try entry.boolean("Terminal") ?? false
        manifest.icon = try entry.string("Icon").mapRefusing { icon throws(Refusal) in try Names.text(icon, "Icon") }
        manifest.backgroundModes = try entry.list("X-Greenroom-BackgroundModes").mapRefusing(Names.backgroundMode)
            .withoutRepetitions
        manifest.exitsOnSuspend = try entry.boolean("X-Greenroom-ExitsOnSuspend") ?? false
        manifest.namespaces = try entry.boolean("X-Greenroom-Namespaces") ?? false
        let freeze = try entry.boolean("X-Greenroom-Freeze")
        manifest.freezable = freeze ?? true
        manifest.graphical = !manifest.terminal && freeze == nil
        manifest.urlSchemes = try entry.list("MimeType").filter { $0.hasPrefix("x-scheme-handler/") }
            .mapRefusing { type throws(Refusal) in try Names.scheme(String(type.dropFirst(17))) }
            .withoutRepetitions
        return manifest
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

extension Optional<String> {
    fileprivate func mapRefusing(_ transform: (String) throws(Refusal) -> String) throws(Refusal) -> String? {
        guard let value = self else { return nil }
        return try transform(value)
    }
}
