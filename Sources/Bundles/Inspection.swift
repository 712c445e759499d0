import Glibc

/// The absolute path that a user asked to install.
struct InstallPath {
    let absolute: String
    let folder: String
    let name: String

    init(_ path: String) throws(Refusal) {
        let components = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        guard path.utf8.first == UInt8(ascii: "/"), let name = components.last, name != ".", name != ".." else {
            throw Refusal("\(Names.quoted(path)) is not an absolute path to a bundle, a .desktop file or a program.")
        }
        guard !path.unicodeScalars.contains(where: Names.isDeceptive) else {
            throw Refusal("\(Names.quoted(path)) has a control character in its path: rename it.")
        }
        self.name = name
        folder = "/" + components.dropLast().joined(separator: "/")
        absolute = "/" + components.joined(separator: "/")
    }

    func hasSuffix(_ suffix: String) -> Bool {
        name.hasSuffix(suffix) && name.utf8.count > suffix.utf8.count
    }
}

/// Finds out what a path holds, and copies it if it is a bundle.
package enum Inspection {
    /// Copies a bundle to `staging/bundle`, which must not exist yet, and describes what it copied. Whoever made the
    /// staging folder removes it, with what a refusal may have left in it.
    /// What takes longer than until `deadline` is refused.
    package static func inspect(
        path: String, staging: String, deadline: ContinuousClock.Instant? = nil
    ) throws(Refusal) -> Manifest {
        let path = try InstallPath(path)
        guard let pinned = Descriptor.pin(path.absolute), let status = pinned.status() else {
            throw Refusal("\(Names.quoted(path.absolute)) does not exist or cannot be reached: check the path.")
        }
        let manifest: Manifest
        switch status.type {
        case .directory:
            guard path.hasSuffix(".app") else {
                throw Refusal("\(Names.quoted(path.name)) is a folder, and not a bundle: a bundle's name ends in .app.")
            }
            manifest = try bundle(pinned, folder: path.name, staging: staging, deadline: deadline)
        case .regular where path.hasSuffix(".desktop"):
            guard let contents = pinned.reopenForReading()?.read(upTo: Limits.desktopEntryBytes) else {
                throw Refusal("\(Names.quoted(path.name)) cannot be read: check its permissions.")
            }
            manifest = try PlainProgram.manifest(desktopFile: path, contents: contents)
        case .symbolicLink where path.hasSuffix(".app") || path.hasSuffix(".desktop"):
            throw Refusal("\(Names.quoted(path.name)) is a symbolic link: give the path that it leads to.")
        case .regular, .symbolicLink:
            manifest = try PlainProgram.manifest(executable: path)
        case .other:
            throw Refusal("\(Names.quoted(path.name)) is a device, a FIFO or a socket, and not a program.")
        }
        guard manifest.json.utf8.count <= Limits.manifestBytes else {
            throw Refusal("What is to be known of \(Names.quoted(path.name)) is over 64 KiB: shorten its arguments.")
        }
        return manifest
    }

    /// Describes a program by the contents of its `.desktop` file.
    package static func plainProgram(_ path: String, contents: [UInt8]) throws(Refusal) -> Manifest {
        try PlainProgram.manifest(desktopFile: InstallPath(path), contents: contents)
    }

    private static func bundle(
        _ source: borrowing Descriptor, folder: String, staging: String, deadline: ContinuousClock.Instant?
    ) throws(Refusal) -> Manifest {
        // Cheap and harmless: most of what is refused is refused here, before anything is written.
        _ = try ApplicationBundle.manifest(of: source, folder: folder)
        try BundleCopy.check(source, deadline: deadline)
        guard let staging = Descriptor.pin(following: staging), staging.status()?.type == .directory,
            let target = staging.makeDirectory("bundle", mode: 0o755)
        else {
            throw Refusal("The folder to copy to cannot be written: check the space and permissions of GREENROOM_HOME.")
        }
        try BundleCopy.copy(source, to: target, deadline: deadline)
        // The source may have changed since: what is described is what was copied.
        return try ApplicationBundle.manifest(of: target, folder: folder)
    }
}
