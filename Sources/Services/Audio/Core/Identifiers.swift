package import Model

/// A stream on the sound server's graph.
package struct NodeID: Hashable, Comparable, Sendable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package static func < (a: NodeID, b: NodeID) -> Bool { a.rawValue < b.rawValue }
}

/// A player that others control over the desktop's bus.
package struct PlayerID: Hashable, Comparable, Sendable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package static func < (a: PlayerID, b: PlayerID) -> Bool { a.rawValue < b.rawValue }
}

/// Who may sound.
package enum PartyID: Hashable, Comparable, Sendable {
    case app(AppIdentifier)
    /// A program that is none of Greenroom's apps, by its process.
    case outsider(pid: Int32)

    package var app: AppIdentifier? {
        if case .app(let app) = self { app } else { nil }
    }

    package static func < (a: PartyID, b: PartyID) -> Bool {
        switch (a, b) {
        case (.app(let a), .app(let b)): a.rawValue < b.rawValue
        case (.app, .outsider): true
        case (.outsider, .app): false
        case (.outsider(let a), .outsider(let b)): a < b
        }
    }
}

/// A stream of a party.
package enum StreamKey: Hashable, Comparable, Sendable {
    /// By the number that the app gave it.
    case own(Int64)
    /// One that nobody has announced.
    case node(NodeID)

    package static func < (a: StreamKey, b: StreamKey) -> Bool {
        switch (a, b) {
        case (.own(let a), .own(let b)): a < b
        case (.own, .node): true
        case (.node, .own): false
        case (.node(let a), .node(let b)): a < b
        }
    }
}

/// What the service may hold for an app: the names of `audio.json`.
package enum AudioHold: String, Hashable, Comparable, Sendable, Codable, CaseIterable {
    /// Nothing of it is in use, and a stream of it is linked: the sound server would wait for a process that is
    /// suspended meanwhile.
    case connected
    case playing, recording
    /// It is told something: that it is interrupted, or that somebody pressed a key for it.
    case telling

    package static func < (a: AudioHold, b: AudioHold) -> Bool { a.rawValue < b.rawValue }
}
