public import Foundation

extension NotificationCenter {
    /// Notifications as they are posted, from when the sequence was made.
    public final class Notifications: AsyncSequence, Sendable {
        /// What comes.
        public typealias Element = Notification
        /// Nothing fails.
        public typealias Failure = Never

        // Each notification goes to the one who awaits it, as on iOS.
        fileprivate struct Item: @unchecked Sendable {
            var notification: Notification
        }

        // Only given back to the center, which any thread may do.
        private struct Token: @unchecked Sendable {
            var center: NotificationCenter
            var token: any NSObjectProtocol
        }

        private let stream: AsyncStream<Item>
        private let token: Token

        init(_ center: NotificationCenter, _ name: Notification.Name, _ object: AnyObject?) {
            let (stream, continuation) = AsyncStream.makeStream(of: Item.self)
            self.stream = stream
            token = Token(
                center: center,
                token: center.addObserver(forName: name, object: object, queue: nil) {
                    continuation.yield(Item(notification: $0))
                })
        }

        deinit { token.center.removeObserver(token.token as Any, name: nil, object: nil) }

        /// Goes through them.
        public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator(), sequence: self) }

        /// Goes through them.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var base: AsyncStream<Item>.Iterator
            // As long as somebody iterates, notifications come.
            fileprivate let sequence: Notifications

            fileprivate init(base: AsyncStream<Item>.Iterator, sequence: Notifications) {
                self.base = base
                self.sequence = sequence
            }

            /// Waits for the next one.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
                await base.next(isolation: actor)?.notification
            }
        }
    }

    /// Notifications of a name as they are posted.
    ///
    /// - Parameter object: of whom; `nil` for all.
    public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
        Notifications(self, name, object)
    }
}
