internal import Model

/// A frozen app cannot release what it has locked, and whoever needs the file would wait for as long as it is
/// suspended. An application is expected to know that: it ends (R11). A plain program, which knows no rules, is not
/// frozen while it is in somebody's way.
package enum Locks {
    package enum Event: Payload {
        /// It is frozen, and has a lock on a file outside its container: an exclusive one, or one that somebody else
        /// waits for. Told before `verified`, and of a suspended app when somebody begins to wait.
        case found(path: String, blocksOthers: Bool)

        package enum Tag: UInt8, CaseIterable, Sendable { case found = 40 }

        package var tag: Tag {
            switch self {
            case .found: .found
            }
        }

        package init(blank tag: Tag) {
            switch tag {
            case .found: self = .found(path: "", blocksOthers: false)
            }
        }

        package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
            switch self {
            case .found(var path, var blocksOthers):
                try coder.code(&path)
                try coder.code(&blocksOthers)
                self = .found(path: path, blocksOthers: blocksOthers)
            }
        }

        func sentence(name: String) -> String {
            switch self {
            case .found(let path, let blocksOthers):
                "\(name) is frozen, and has \(path) locked" + (blocksOthers ? ", which another process needs" : "")
            }
        }
    }

    static func handle(_ event: Event, _ i: Int, in scope: inout some LockScope) {
        switch event {
        case .found(let path, let blocksOthers):
            guard !scope.isEnding(i), scope.suspension(i).isStandstill else { return }
            if !scope.isPlain(i) {
                scope.end(i, .heldLock(path: path))
            } else if blocksOthers {
                letGo(i, path, in: &scope)
            }
        }
    }

    /// It runs on, and is tried again later: only then it shows whether it is still in the way.
    private static func letGo(_ i: Int, _ path: String, in scope: inout some LockScope) {
        let (reason, wasSuspended) = (Reason.lockBlocks(path: path), scope.state(i) == .suspended)
        let attempt = scope.suspension(i).attempt ?? 1
        scope.resume(i, reason)
        if scope.toldLock(i) != path {
            scope.setToldLock(i, path)
            if !wasSuspended { scope.log(i, .suspensionFailed, reason) }
            scope.reportFault(i, .heldLock, reason)
        }
        scope.tryAgain(i, after: attempt)
        scope.reconsider(i)
    }
}

protocol LockScope: Scope {
    /// The file for whose lock it was not suspended, so that each is told of once.
    func toldLock(_ i: Int) -> String?
    mutating func setToldLock(_ i: Int, _ path: String)
}
