import Foundation
import Testing

/// A folder that is gone with the test.
final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: "import-\(UUID())")

    init(_ files: [String: String]) throws {
        for (name, text) in files {
            let file = url.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

func propertyList(_ data: Data) throws -> [String: Any] {
    try #require(unsafe PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
}
