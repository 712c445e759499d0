package import Model

extension Sockets {
    package enum Event: Payload {
        /// It is frozen: the sockets at which it waits for others, and how many connections it has. Told before
        /// `verified`, and of a suspended app when a daemon starts.
        case found([Listener], connections: Int32)
        /// Somebody connects to a listener that is guarded so that it wakes the app.
        case peerCame(name: String)
        /// So many peers were turned away while it stood still. Told once it runs again.
        case refused(name: String, count: Int32)
        case seen(SocketUse)
        /// It stands still, and a message bus has a call for it: of which method, and whether it has yet to read the
        /// call for which it ran last. Without a name, its queue is full or cannot be read.
        case called(method: String, isUnread: Bool)

        package enum Tag: UInt8, CaseIterable, Sendable {
            case found = 28, peerCame = 29, refused = 38, seen = 39, called = 91
        }

        package var tag: Tag {
            switch self {
            case .found: .found
            case .peerCame: .peerCame
            case .refused: .refused
            case .seen: .seen
            case .called: .called
            }
        }

        package init(blank tag: Tag) {
            switch tag {
            case .found: self = .found([], connections: 0)
            case .peerCame: self = .peerCame(name: "")
            case .refused: self = .refused(name: "", count: 0)
            case .seen: self = .seen(SocketUse(connections: 0, waiting: 0, work: .zero))
            case .called: self = .called(method: "", isUnread: false)
            }
        }

        package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
            switch self {
            case .found(var listeners, var connections):
                try coder.code(&listeners)
                try coder.code(&connections)
                self = .found(listeners, connections: connections)
            case .peerCame(var name):
                try coder.code(&name)
                self = .peerCame(name: name)
            case .refused(var name, var count):
                try coder.code(&name)
                try coder.code(&count)
                self = .refused(name: name, count: count)
            case .seen(var use):
                try coder.code(&use.connections)
                try coder.code(&use.waiting)
                try coder.code(&use.work)
                self = .seen(use)
            case .called(var method, var isUnread):
                try coder.code(&method)
                try coder.code(&isUnread)
                self = .called(method: method, isUnread: isUnread)
            }
        }

        func sentence(name: String) -> String {
            switch self {
            case .found(let listeners, let connections):
                "\(name) is frozen, and has \(listeners.count) listening sockets and \(connections) connections"
            case .peerCame(let listener): "a client connected to \(listener) of \(name)"
            case .refused(let listener, let count): "\(count) connections to \(listener) of \(name) were refused"
            case .seen(let use):
                "\(name) has \(use.connections) peers, lets \(use.waiting) wait, and worked for \(use.work.seconds) s"
            case .called(let method, let isUnread):
                "\(method.isEmpty ? "a message bus" : "a call of \(method)") waits for \(name)"
                    + (isUnread ? ", which did not read what waited before" : "")
            }
        }
    }

    package enum Action: Payload {
        /// Who connects to a listener of a frozen app is turned away at once, or tells of it by `peerCame`; until the
        /// thaw.
        case guardListeners(wakes: Bool)
        /// What an app that runs does with its sockets; answers `seen`.
        case look
        /// Of a frozen app: both sides see an error.
        case closeConnections

        package enum Tag: UInt8, CaseIterable, Sendable { case guardListeners = 23, lookAtSockets, closeConnections }

        package var tag: Tag {
            switch self {
            case .guardListeners: .guardListeners
            case .look: .lookAtSockets
            case .closeConnections: .closeConnections
            }
        }

        package init(blank tag: Tag) {
            switch tag {
            case .guardListeners: self = .guardListeners(wakes: false)
            case .lookAtSockets: self = .look
            case .closeConnections: self = .closeConnections
            }
        }

        package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
            switch self {
            case .guardListeners(var wakes):
                try coder.code(&wakes)
                self = .guardListeners(wakes: wakes)
            case .look, .closeConnections: break
            }
        }

        func sentence(name: String) -> String {
            switch self {
            case .guardListeners(let wakes):
                wakes ? "let connections wake \(name)" : "refuse connections to \(name)"
            case .look: "look at the sockets of \(name)"
            case .closeConnections: "close the connections of \(name)"
            }
        }
    }
}

extension FieldCoder {
    mutating func code(_ listeners: inout [Listener]) throws(Failure) {
        try codeCount(&listeners, blank: Listener(name: "", peers: 0))
        for place in listeners.indices {
            try code(&listeners[place].name)
            try code(&listeners[place].peers)
        }
    }
}
