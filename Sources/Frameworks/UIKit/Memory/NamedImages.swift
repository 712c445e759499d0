internal import Foundation
internal import Synchronization

/// What `UIImage(named:)` has read.
package enum NamedImages {
    private struct Key: Hashable {
        let bundle: String
        let name: String
    }

    private static let contents = Mutex<[Key: ImageContent]>([:])

    /// How many images it holds.
    package static var count: Int { contents.withLock { $0.count } }

    static func content(_ name: String, in bundle: Bundle) -> ImageContent? {
        let key = Key(bundle: bundle.bundlePath, name: name)
        if let known = contents.withLock({ $0[key] }) { return known }
        guard let content = read(name, in: bundle) else { return nil }
        return contents.withLock { contents in
            // Another thread may have read it meanwhile: all share one.
            let shared = contents[key] ?? content
            contents[key] = shared
            return shared
        }
    }

    /// Lets go of what no image uses any more.
    static func freeUnused() {
        contents.withLock { contents in
            for name in Array(contents.keys) {
                guard var content = contents.removeValue(forKey: name) else { continue }
                if !isKnownUniquelyReferenced(&content) { contents[name] = content }
            }
        }
    }

    private static func read(_ name: String, in bundle: Bundle) -> ImageContent? {
        let file = name as NSString
        let kind = file.pathExtension.isEmpty ? "png" : file.pathExtension
        let base = file.pathExtension.isEmpty ? name : file.deletingPathExtension
        let folders = [bundle.resourceURL, bundle.bundleURL].compactMap { $0 }
        for folder in folders {
            for suffix in ["", "@2x", "@3x"] {
                let path = folder.appending(path: "\(base)\(suffix).\(kind)").path
                if let content = ImageContent(contentsOfFile: path) { return content }
            }
        }
        return nil
    }
}
