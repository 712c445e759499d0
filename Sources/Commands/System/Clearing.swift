internal import LinuxSystem
internal import Model

extension Leftovers {
    private static let patience: Int64 = 5_000

    /// Clears away what is left, as the holder of the home's lock: no system begins meanwhile, and none that has begun
    /// is touched. Returns how many processes it had to end; `nil` when another system has the home already.
    ///
    /// `endingSupervision`: supervisor and daemon go as well, if they live.
    func clearAlone(endingSupervision: Bool) throws(CommandFailure) -> Int? {
        let ended = endingSupervision ? endSupervision() : 0
        guard let lock = try takeLock() else {
            if let holder = home.holder, endingSupervision {
                throw .failed("the process \(holder.pid) does not end, or was started at this moment: try again")
            }
            guard home.holder != nil else {
                throw .failed("a dying process still has the lock of \(home.path): try again")
            }
            return nil
        }
        let killed = try clear()
        withExtendedLifetime(lock) {}
        return ended + killed
    }

    private enum Lock {
        case held(HomeLock)
        /// Where no file can be locked or made, no system can begin either.
        case needless
    }

    private func takeLock() throws(CommandFailure) -> Lock? {
        do throws(SystemError) {
            let lock = try HomeLock.take(in: home.path, milliseconds: Self.patience) { home.holder != nil }
            return lock.map(Lock.held)
        } catch {
            return .needless
        }
    }
}
