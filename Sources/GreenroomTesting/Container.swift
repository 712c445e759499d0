internal import Foundation
internal import Glibc

/// The folder of a device's app, and what makes Foundation look there: for the whole process, as long as it lives.
@MainActor
final class Container {
    let folder: URL
    private var outside: [(name: String, value: String?)] = []
    private let defaults: [String: Any]

    /// As on Greenroom, where the daemon makes these (PROTOCOL, section 2).
    private static let folders = [
        "Documents", "Library/Caches", "Library/Preferences", "Library/Application Support", "tmp",
    ]

    init() throws(TestDeviceError) {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("greenroom-\(UUID().uuidString)")
        do {
            for name in Self.folders {
                try FileManager.default.createDirectory(
                    at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
            }
        } catch {
            throw .unsupported("the app's folder could not be made: \(error.localizedDescription)")
        }
        defaults = Self.takeDefaults()
        enter("HOME", "")
        // Foundation takes the home from the list of users and knows only the XDG folders.
        enter("CFFIXED_USER_HOME", "")
        enter("XDG_CACHE_HOME", "/Library/Caches")
        enter("XDG_DATA_HOME", "/Library/Application Support")
        enter("XDG_CONFIG_HOME", "/Library/Preferences")
    }

    /// Empties `UserDefaults.standard`, which Foundation keeps in one place for the whole process; what was in it.
    private static func takeDefaults() -> [String: Any] {
        let defaults = UserDefaults.standard
        let all = defaults.dictionaryRepresentation()
        for key in all.keys { defaults.removeObject(forKey: key) }
        // What is still there was registered, or given as an argument.
        return all.filter { defaults.object(forKey: $0.key) == nil }
    }

    private func enter(_ name: String, _ path: String) {
        let before = unsafe getenv(name).map { unsafe String(cString: $0) }
        outside.append((name, before))
        unsafe setenv(name, folder.path + path, 1)
    }

    /// Puts everything back and removes the folder.
    func leave() {
        for (name, value) in outside {
            if let value { unsafe setenv(name, value, 1) } else { unsafe unsetenv(name) }
        }
        outside = []
        _ = Self.takeDefaults()
        for (key, value) in defaults { UserDefaults.standard.set(value, forKey: key) }
        // It lies among temporary files: what cannot be removed harms nobody.
        try? FileManager.default.removeItem(at: folder)
    }
}
