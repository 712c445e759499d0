internal import Model

/// Pictures of apps (R7): one is taken when an app has left the screen and its delegate has had the time to hide what
/// is nobody's business, and anew when it says that it has something else to show. Who has none to give is not asked,
/// so its suspension takes no longer. To wait for the picture is a step of the host's `prepare`.
package enum Snapshots {
    package enum Request: Payload {
        /// It has pictures of itself to give, or no longer.
        case provide(Bool)
        /// It has another one than when it left the screen.
        case refresh

        package enum Tag: UInt8, CaseIterable, Sendable { case provide = 9, refresh = 10 }

        package var tag: Tag {
            switch self {
            case .provide: .provide
            case .refresh: .refresh
            }
        }

        package init(blank tag: Tag) {
            switch tag {
            case .provide: self = .provide(false)
            case .refresh: self = .refresh
            }
        }

        package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
            switch self {
            case .provide(var provides):
                try coder.code(&provides)
                self = .provide(provides)
            case .refresh: break
            }
        }

        var sentence: String {
            switch self {
            case .provide(let provides): provides ? "provide snapshots" : "provide no snapshots"
            case .refresh: "take another snapshot"
            }
        }
    }

    package enum Action: Payload {
        /// Asks the app for its picture. A freeze that is prepared meanwhile waits for it, if not for long.
        case take

        package enum Tag: UInt8, CaseIterable, Sendable { case takeSnapshot = 26 }

        package var tag: Tag {
            switch self {
            case .take: .takeSnapshot
            }
        }
        package init(blank tag: Tag) {
            switch tag {
            case .takeSnapshot: self = .take
            }
        }
        package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
            switch self {
            case .take: break
            }
        }

        func sentence(name: String) -> String {
            switch self {
            case .take: "ask \(name) for a snapshot"
            }
        }
    }

    static func handle(_ request: Request, _ i: Int, _ id: RequestID, in scope: inout some SnapshotScope) {
        switch request {
        case .provide(let provides):
            scope.setProvidesSnapshots(i, provides)
            scope.reply(i, id, .noted)
        case .refresh:
            // It has changed in the background: a background completion handler was called.
            scope.reply(i, id, .noted)
            take(i, in: &scope)
        }
    }

    static func take(_ i: Int, in scope: inout some SnapshotScope) {
        guard scope.providesSnapshots(i), scope.isConnected(i), scope.process(i) == .alive, !scope.isEnding(i),
            scope.state(i) == .background, !scope.suspension(i).isUnderWay
        else { return }
        scope.emit(i, .snapshots(.take))
    }
}

protocol SnapshotScope: Scope {
    func providesSnapshots(_ i: Int) -> Bool
    mutating func setProvidesSnapshots(_ i: Int, _ provides: Bool)
}
