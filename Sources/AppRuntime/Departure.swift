internal import Synchronization

/// What is to be done before the app says that it has nothing more to do: it may be suspended then, and ended.
package enum Departure {
    private static let work = Mutex<(@Sendable () -> Void)?>(nil)

    package static func use(_ work: @escaping @Sendable () -> Void) { self.work.withLock { $0 = work } }

    package static func prepare() { work.withLock { $0 }?() }
}
