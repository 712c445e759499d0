import Foundation

/// The code that a build was planned with. The plugin and the program both compile this file.
///
/// SwiftPM plans a build once. It does not notice what happens outside of the target's folder, or in `ios.json`.
struct Plan {
    /// `ios.json` in the target's folder, whether it exists or not.
    var configuration: URL
    /// Folders and files with the code.
    var places: [URL]

    /// Differs after `ios.json` was changed, and after a file or a folder was added or removed.
    var fingerprint: String {
        // FNV-1a: the numbers only have to be the same in the plugin and in the program.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        let paths = places.map { Self.contents(of: $0) }.flatMap { ($0.files + $0.folders).map(\.path) }
        // A target without `ios.json` has no bytes of it.
        for byte in ((try? Data(contentsOf: configuration)) ?? Data()) + Data(paths.joined(separator: "\n").utf8) {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }

    /// The Swift files of a place, and its folders, in an order that does not change.
    static func contents(of place: URL) -> (files: [URL], folders: [URL]) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: place.path, isDirectory: &isFolder), isFolder.boolValue else {
            return ([place], [])
        }
        let all = FileManager.default.enumerator(
            at: place, includingPropertiesForKeys: [.isDirectoryKey], options: [.skipsHiddenFiles])
        var (files, folders): ([URL], [URL]) = ([], [place])
        while let url = (all?.nextObject() as? URL)?.standardizedFileURL {
            if url.pathExtension == "swift" { files.append(url) }
            // A file that was just removed is not a folder.
            if (try? url.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true { folders.append(url) }
        }
        return (files.sorted { $0.path < $1.path }, folders.sorted { $0.path < $1.path })
    }

    /// Has SwiftPM plan the next build again.
    ///
    /// - Parameter output: .build/plugins/outputs/PACKAGE/TARGET/destination/IOSSources/Lowered.
    static func forget(output: URL) {
        let folder = (0..<7).reduce(output.standardizedFileURL) { url, _ in url.deletingLastPathComponent() }
        let manager = FileManager.default
        // Without these files SwiftPM plans the build in any case.
        for platform in (try? manager.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? [] {
            for configuration in ["debug", "release"] {
                try? manager.removeItem(at: platform.appending(path: "\(configuration)/description.json"))
            }
        }
    }
}
