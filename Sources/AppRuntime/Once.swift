internal import Synchronization

/// A choice that a delegate makes through a completion handler: it counts once, and is made for it if the handler is
/// dropped, as Foundation's own default implementations do.
package final class Once<Choice: Sendable>: Sendable {
    private let isGiven = Mutex(false)
    private let otherwise: Choice
    private let receive: @Sendable (Choice) -> Void

    package init(otherwise: Choice, _ receive: @escaping @Sendable (Choice) -> Void) {
        self.otherwise = otherwise
        self.receive = receive
    }

    deinit { if !isGiven.withLock({ $0 }) { receive(otherwise) } }

    /// - Returns: whether it was the first choice.
    @discardableResult
    package func give(_ choice: Choice) -> Bool {
        let isFirst = isGiven.withLock { given in
            defer { given = true }
            return !given
        }
        if isFirst { receive(choice) }
        return isFirst
    }
}
