public import Foundation
internal import Synchronization

/// Small values that iOS brings to all of a user's devices. There are no others here: they stay in the app's container,
/// and `didChangeExternallyNotification` is never posted. Use it on any thread.
public final class NSUbiquitousKeyValueStore: NSObject, Sendable {
    /// The app's store.
    public static let `default` = NSUbiquitousKeyValueStore(
        file: URL.libraryDirectory.appending(path: "Preferences/ubiquitous.plist"))

    /// Another device changed values.
    public static let didChangeExternallyNotification = Notification.Name(
        "NSUbiquitousKeyValueStoreDidChangeExternallyNotification")

    // Property lists, which are values.
    private struct Values: @unchecked Sendable {
        var all: [String: Any]
    }

    private let file: URL
    private let values: Mutex<Values>

    init(file: URL) {
        self.file = file
        let data = try? Data(contentsOf: file)
        let read = data.flatMap { unsafe try? PropertyListSerialization.propertyList(from: $0, format: nil) }
        values = Mutex(Values(all: read as? [String: Any] ?? [:]))
    }

    /// All values.
    public var dictionaryRepresentation: [String: Any] { values.withLock { $0 }.all }

    /// The value of a key.
    public func object(forKey key: String) -> Any? { dictionaryRepresentation[key] }
    /// The text of a key.
    public func string(forKey key: String) -> String? { object(forKey: key) as? String }
    /// The bytes of a key.
    public func data(forKey key: String) -> Data? { object(forKey: key) as? Data }
    /// The list of a key.
    public func array(forKey key: String) -> [Any]? { object(forKey: key) as? [Any] }
    /// The dictionary of a key.
    public func dictionary(forKey key: String) -> [String: Any]? { object(forKey: key) as? [String: Any] }
    /// The number of a key; 0 without one.
    public func longLong(forKey key: String) -> Int64 { (object(forKey: key) as? NSNumber)?.int64Value ?? 0 }
    /// The number of a key; 0 without one.
    public func double(forKey key: String) -> Double { (object(forKey: key) as? NSNumber)?.doubleValue ?? 0 }
    /// The answer of a key; false without one.
    public func bool(forKey key: String) -> Bool { (object(forKey: key) as? NSNumber)?.boolValue ?? false }

    /// Sets the value of a key, made of property lists; `nil` takes it away.
    public func set(_ value: Any?, forKey key: String) {
        let kept = value.map { Values(all: [key: $0]) }
        values.withLock { $0.all[key] = kept?.all[key] }
    }

    /// Takes the value of a key away.
    public func removeObject(forKey key: String) { set(nil, forKey: key) }

    /// Writes the values to the container.
    ///
    /// - Returns: whether they could be written.
    @discardableResult
    public func synchronize() -> Bool {
        let folder = file.deletingLastPathComponent()
        guard
            let data = try? PropertyListSerialization.data(
                fromPropertyList: dictionaryRepresentation, format: .binary, options: 0)
        else { return false }
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return (try? data.write(to: file, options: .atomic)) != nil
    }
}
