/// The answer of `snapshot`: an app's last picture.
package struct SnapshotInfo: WireRecord {
    package var app: String
    /// Where its bytes are.
    package var path: String
    /// `png` or `svg`.
    package var kind: String
    package var width: Int
    package var height: Int
    package var bytes: Int
    package var taken: String
    /// The app wants its next launch to be shown without it.
    package var ignoredAtLaunch: Bool

    package init(
        app: String, path: String, kind: String, width: Int, height: Int, bytes: Int, taken: String,
        ignoredAtLaunch: Bool
    ) {
        self.app = app
        self.path = path
        self.kind = kind
        self.width = width
        self.height = height
        self.bytes = bytes
        self.taken = taken
        self.ignoredAtLaunch = ignoredAtLaunch
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        path = try json.string("path")
        kind = try json.string("kind")
        width = try json.int("width")
        height = try json.int("height")
        bytes = try json.int("bytes")
        taken = try json.string("taken")
        ignoredAtLaunch = try json.bool("ignoredAtLaunch")
    }

    package var json: JSONValue {
        [
            "app": .string(app), "path": .string(path), "kind": .string(kind), "width": .int(Int64(width)),
            "height": .int(Int64(height)), "bytes": .int(Int64(bytes)), "taken": .string(taken),
            "ignoredAtLaunch": .bool(ignoredAtLaunch),
        ]
    }
}
