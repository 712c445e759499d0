@_exported public import CUnfairLock

/// A value that one thread at a time may use.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    @safe
    // The state is used only under the lock, and the lock stays where it is.
    private final class Storage: @unchecked Sendable {
        private let lock: UnsafeMutablePointer<os_unfair_lock>
        var state: State

        init(_ state: State) {
            self.state = state
            unsafe lock = .allocate(capacity: 1)
            unsafe lock.initialize(to: os_unfair_lock())
        }

        deinit { unsafe lock.deallocate() }

        func take() { unsafe os_unfair_lock_lock(lock) }
        func tryToTake() -> Bool { unsafe os_unfair_lock_trylock(lock) }
        func giveBack() { unsafe os_unfair_lock_unlock(lock) }
    }

    private let storage: Storage

    /// Creates a lock around a value that cannot be sent to other threads otherwise.
    public init(uncheckedState state: State) { storage = Storage(state) }

    /// Creates a lock around a value.
    public init(initialState: State) where State: Sendable { storage = Storage(initialState) }

    /// Calls a block while no other thread has the value.
    public func withLock<Result: Sendable>(
        _ body: @Sendable (inout State) throws -> Result
    ) rethrows -> Result {
        try withLockUnchecked(body)
    }

    /// Calls a block while no other thread has the value.
    public func withLockUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        storage.take()
        defer { storage.giveBack() }
        return try body(&storage.state)
    }

    /// Calls a block if no other thread has the value.
    public func withLockIfAvailable<Result: Sendable>(
        _ body: @Sendable (inout State) throws -> Result
    ) rethrows -> Result? {
        guard storage.tryToTake() else { return nil }
        defer { storage.giveBack() }
        return try body(&storage.state)
    }
}

extension OSAllocatedUnfairLock where State == Void {
    /// Creates a lock.
    public init() { self.init(uncheckedState: ()) }

    /// Waits until no other thread has the lock, and takes it.
    public func lock() { storage.take() }

    /// Takes the lock if no other thread has it.
    public func lockIfAvailable() -> Bool { storage.tryToTake() }

    /// Gives the lock back.
    public func unlock() { storage.giveBack() }

    /// Calls a block while no other thread has the lock.
    public func withLock<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    /// Calls a block while no other thread has the lock.
    public func withLockUnchecked<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    /// Calls a block if no other thread has the lock.
    public func withLockIfAvailable<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result? {
        guard lockIfAvailable() else { return nil }
        defer { unlock() }
        return try body()
    }
}
