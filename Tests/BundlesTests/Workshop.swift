import Foundation
import Glibc
import Testing

/// A temporary folder in which bundles are made; it goes away with its owner.
final class Workshop {
    let folder: String
    let staging: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/greenroom-bundles-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        staging = folder + "/staging"
        try FileManager.default.createDirectory(atPath: staging, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func path(_ relative: String) -> String {
        folder + "/" + relative
    }

    func write(_ text: String, to relative: String, mode: mode_t = 0o644) throws {
        try write(Array(text.utf8), to: relative, mode: mode)
    }

    func write(_ bytes: [UInt8], to relative: String, mode: mode_t = 0o644) throws {
        try makeFolder(String(relative.prefix(upTo: relative.lastIndex(of: "/") ?? relative.startIndex)))
        try Data(bytes).write(to: URL(fileURLWithPath: path(relative)))
        try setMode(mode, of: relative)
    }

    func makeFolder(_ relative: String) throws {
        try FileManager.default.createDirectory(atPath: path(relative), withIntermediateDirectories: true)
    }

    func setMode(_ mode: mode_t, of relative: String) throws {
        try #require(unsafe chmod(path(relative), mode) == 0)
    }

    func link(_ relative: String, to target: String) throws {
        try #require(unsafe symlink(target, path(relative)) == 0)
    }

    func remove(_ relative: String) throws {
        try FileManager.default.removeItem(atPath: path(relative))
    }

    func makeSparse(_ relative: String, bytes: Int) throws {
        try write("", to: relative)
        try #require(unsafe truncate(path(relative), bytes) == 0)
    }

    func read(_ relative: String) throws -> String {
        try String(contentsOfFile: path(relative), encoding: .utf8)
    }

    /// A bundle that would be accepted, as the ground on which each test does one thing wrong.
    func makeBundle(_ name: String = "Good.app", extra: String = "") throws {
        try write(infoPlist(extra: extra), to: "\(name)/Info.plist")
        try write("#!/bin/sh\n", to: "\(name)/good", mode: 0o755)
    }

    /// An extension that would be accepted, in the bundle that `makeBundle` makes.
    func makeExtension(_ name: String, point: String?, identifier: String? = nil) throws {
        let folder = "Good.app/PlugIns/\(name).appex"
        let keys = point.map { "<key>NSExtensionPointIdentifier</key><string>\($0)</string>" } ?? ""
        let plist = infoPlist(
            identifier: identifier ?? "org.example.good.\(name)", executable: name,
            extra: "<key>NSExtension</key><dict>\(keys)</dict>")
        try write(plist, to: "\(folder)/Info.plist")
        try write("#!/bin/sh\n", to: "\(folder)/\(name)", mode: 0o755)
    }
}

func infoPlist(
    identifier: String = "org.example.good", executable: String = "good", extra: String = ""
) -> String {
    plist(
        """
        <dict>
          <key>CFBundleIdentifier</key><string>\(identifier)</string>
          <key>CFBundleExecutable</key><string>\(executable)</string>
          \(extra)
        </dict>
        """)
}

func plist(_ value: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    \(value)
    </plist>
    """
}
