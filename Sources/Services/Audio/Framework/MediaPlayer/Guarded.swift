internal import Foundation

/// A value behind a lock. `Mutex` would not let out what apps hand over, which need not be sendable.
///
/// Unchecked: the lock is around every use.
final class Guarded<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
