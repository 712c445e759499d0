internal import Foundation
internal import Glibc
internal import Synchronization

private let locks = Mutex<[ObjectIdentifier: ObjectLock]>([:])

private final class ObjectLock: Sendable {
    let lock = NSRecursiveLock()
    let holders = Mutex(0)
    /// The thread that is in the section, and how often it entered.
    let owner = Mutex<(thread: pthread_t, depth: Int)?>(nil)
}

/// Waits until no other thread is in a section of the object, and enters one. A thread may enter again.
///
/// - Returns: 0.
@discardableResult
public func objc_sync_enter(_ object: Any) -> Int32 {
    let id = ObjectIdentifier(object as AnyObject)
    let lock = locks.withLock { locks in
        let lock = locks[id] ?? ObjectLock()
        locks[id] = lock
        lock.holders.withLock { $0 += 1 }
        return lock
    }
    lock.lock.lock()
    lock.owner.withLock { $0 = (pthread_self(), ($0?.depth ?? 0) + 1) }
    return 0
}

/// Leaves a section of the object.
///
/// - Returns: 0; -1 if this thread is in no section of the object.
@discardableResult
public func objc_sync_exit(_ object: Any) -> Int32 {
    let id = ObjectIdentifier(object as AnyObject)
    let lock = locks.withLock { locks -> ObjectLock? in
        guard let lock = locks[id] else { return nil }
        let isInside = lock.owner.withLock { owner in
            guard let (thread, depth) = owner, pthread_equal(thread, pthread_self()) != 0 else { return false }
            owner = depth > 1 ? (thread, depth - 1) : nil
            return true
        }
        guard isInside else { return nil }
        let isLast = lock.holders.withLock {
            $0 -= 1
            return $0 == 0
        }
        if isLast { locks[id] = nil }
        return lock
    }
    guard let lock else { return -1 }
    lock.lock.unlock()
    return 0
}

/// Calls the block. Linux has no pools that objects wait in: they go when nobody holds them.
public func autoreleasepool<Result, Failure>(invoking body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try body()
}

/// Seconds since the system began, without those that it slept.
public func CACurrentMediaTime() -> Double { ProcessInfo.processInfo.systemUptime }
