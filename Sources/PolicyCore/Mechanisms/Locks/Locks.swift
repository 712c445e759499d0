internal import Model

/// A frozen app cannot release what it has locked, and whoever needs the file would wait for as long as it is
/// suspended. An application is expected to know that: it ends (R11). A plain program, which knows no rules, is not
/// frozen while it is in somebody's way. An app that may have grabbed the input of an X
/// display is not frozen.
package enum Locks {
    package enum Event: Payload {
        /// It is frozen, and has a lock on a file outside its container: an exclusive one, or one that somebody else
        /// waits for. Told before `verified`, and of a suspended app when somebody begins to wait.
        case found(path: String, blocksOthers: Bool)
        /// It is frozen, and is a client of this X display, where one has grabbed the keyboard or the pointer. Told
        /// before `verified`. X does not say which client it is.
        case inputGrabbed(display: String)

        package enum Tag: UInt8, CaseIterable, Sendable { case found = 40, inputGrabbed = 92 }

        package var tag: Tag {
            switch self {
            case .found: .found
            case .inputGrabbed: .inputGrabbed
            }
        }

        package init(blank tag: Tag) {
            switch tag {
            case .found: self = .found(path: "", blocksOthers: false)
            case .inputGrabbed: self = .inputGrabbed(display: "")
            }
        }

        package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
            switch self {
            case .found(var path, var blocksOthers):
                try coder.code(&path)
                try coder.code(&blocksOthers)
                self = .found(path: path, blocksOthers: blocksOthers)
            case .inputGrabbed(var display):
                try coder.code(&display)
                self = .inputGrabbed(display: display)
            }
        }

        func sentence(name: String) -> String {
            switch self {
            case .found(let path, let blocksOthers):
                "\(name) is frozen, and has \(path) locked" + (blocksOthers ? ", which another process needs" : "")
            case .inputGrabbed(let display):
                "\(name) is frozen, and a client of its display \(display) has grabbed input"
            }
        }
    }

    static func handle(_ event: Event, _ i: Int, in scope: inout some LockScope) {
        guard !scope.isEnding(i), scope.suspension(i).isStandstill else { return }
        switch event {
        case .found(let path, let blocksOthers):
            if !scope.isPlain(i) {
                scope.end(i, .heldLock(path: path))
            } else if blocksOthers {
                letGo(i, of: path, .lockBlocks(path: path), in: &scope)
            }
        case .inputGrabbed(let display): letGo(i, of: display, .inputGrabbed(display), in: &scope)
        }
    }

    /// It runs on, and is tried again later: only then it shows whether it is still in the way.
    private static func letGo(_ i: Int, of name: String, _ reason: Reason, in scope: inout some LockScope) {
        let wasSuspended = scope.state(i) == .suspended
        let attempt = scope.suspension(i).attempt ?? 1
        scope.resume(i, reason)
        if scope.toldLock(i) != name {
            scope.setToldLock(i, name)
            if !wasSuspended { scope.log(i, .suspensionFailed, reason) }
            scope.reportFault(i, .heldLock, reason)
        }
        scope.tryAgain(i, after: attempt)
        scope.reconsider(i)
    }
}

protocol LockScope: Scope {
    /// The file or the display that kept the app from being suspended. Each is reported once.
    func toldLock(_ i: Int) -> String?
    mutating func setToldLock(_ i: Int, _ name: String)
}
