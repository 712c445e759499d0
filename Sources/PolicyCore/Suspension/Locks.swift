internal import Model

// A frozen app cannot release what it has locked, and whoever needs the file would wait for as long as it is suspended.
// An application is expected to know that: it ends (R11). A plain program, which knows no rules, is not frozen while it
// is in somebody's way.
extension System {
    mutating func lockFound(_ app: AppIndex, _ generation: Generation, path: String, blocksOthers: Bool) {
        guard let i = current(app, generation), apps[i].ending == nil else { return }
        let attempt: UInt8
        switch apps[i].suspension {
        case .verifying(let number): attempt = number
        case .confirmed: attempt = 1
        // It runs again, or will.
        case .none, .preparing, .freezing, .waiting: return
        }
        if !apps[i].isPlain {
            end(i, .heldLock(path: path))
        } else if blocksOthers {
            letGo(i, path: path, attempt: attempt)
        }
    }

    /// It runs on, and is tried again later: only then it shows whether it is still in the way.
    private mutating func letGo(_ i: Int, path: String, attempt: UInt8) {
        let (reason, wasSuspended) = (Reason.lockBlocks(path: path), apps[i].state == .suspended)
        resume(i, reason)
        if apps[i].toldLock != path {
            apps[i].toldLock = path
            if !wasSuspended { log(i, .suspensionFailed, reason) }
            reportFault(i, .heldLock, reason)
        }
        let isOver = attempt >= freezeAttempts
        apps[i].suspension = .waiting(attempt: isOver ? freezeAttempts + 1 : attempt + 1)
        arm(i, .suspension, after: isOver ? .seconds(60) : profile.freezeLimit * Int64(attempt))
        touch(apps[i].index)
    }
}
