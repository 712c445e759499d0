internal import AppRuntime
public import Foundation
package import Wire

extension UIApplication {
    /// A picture of the app, for the switcher and for the moment in which it comes back. Apple's system takes it from
    /// the app's layers; an app that is not drawn gives one itself.
    public struct Snapshot: Sendable, Hashable {
        /// The picture's bytes.
        public let data: Data
        let kind: String

        /// A picture in the form of PNG.
        public static func png(_ data: Data) -> Snapshot { Snapshot(data: data, kind: "png") }

        /// A picture in the form of SVG. Its root element says its size in `width` and `height`, or in `viewBox`.
        public static func svg(_ text: String) -> Snapshot { Snapshot(data: Data(text.utf8), kind: "svg") }
    }

    /// Makes the app's picture; `nil`: nothing of it is to be seen, and the picture that there was goes. Ours. Called
    /// on the main thread after `applicationDidEnterBackground(_:)` has returned, so that method is the place to hide
    /// what is nobody's business, and anew after `refreshSnapshot()`. Half a second later, or where a picture has more
    /// than 512 KiB, the one that there was stays.
    public var snapshotProvider: (@MainActor () -> Snapshot?)? {
        get { snapshots.provider }
        set { snapshots.provider = newValue }
    }

    /// In the background: the app has something else to show. Ours; the handlers that an app calls when it has fetched
    /// something in the background do it.
    public func refreshSnapshot() { snapshots.refresh() }

    /// The picture that there is does not show what the next launch will begin with.
    public func ignoreSnapshotOnNextApplicationLaunch() { snapshots.ignore() }
}

/// Gives the app's picture when the system wants it.
@MainActor
package final class Snapshots {
    var provider: (@MainActor () -> UIApplication.Snapshot?)? {
        didSet {
            guard (provider == nil) != (oldValue == nil) else { return }
            connection?.request(.provideSnapshots, ["provides": .bool(provider != nil)]) { _ in }
        }
    }
    weak var connection: (any AppLink)?

    nonisolated init() {}

    func refresh() { connection?.request(.refreshSnapshot, [:]) { _ in } }
    func ignore() { connection?.request(.ignoreSnapshot, [:]) { _ in } }

    package func picture() -> UIApplication.Snapshot? { provider?() }

    /// The system reads it where it said, as the app's own file; so its size is no matter of the connection.
    package func take(_ message: JSONValue) {
        guard let number = message["number"]?.int, let path = message["path"]?.string, let provider else { return }
        let kind: String
        if let picture = provider() {
            kind = write(picture, to: path, most: message["most"]?.int ?? 0) ? picture.kind : "kept"
        } else {
            kind = "none"
        }
        connection?.request(.snapshot, ["number": .int(Int64(number)), "kind": .string(kind)]) { result in
            guard case .failure(let error) = result else { return }
            ApplicationLauncher.complain(error.message)
            // Of a picture that came too late.
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    private func write(_ picture: UIApplication.Snapshot, to path: String, most: Int) -> Bool {
        guard picture.data.count <= most else {
            ApplicationLauncher.complain("the snapshot has \(picture.data.count) bytes, and may have \(most)")
            return false
        }
        do {
            try picture.data.write(to: URL(fileURLWithPath: path))
            return true
        } catch {
            ApplicationLauncher.complain("the snapshot cannot be written: \(error)")
            return false
        }
    }
}
