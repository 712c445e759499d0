import Foundation
import Synchronization

/// Draws columns beside the main thread, one after the other.
final class IconQueue: Sendable {
    private struct State {
        /// Asked for and not taken yet.
        var wanted: Set<Int> = []
        var drawn: [Int: Data] = [:]
    }

    private let queue = DispatchQueue(label: "Icon Generation Queue", qos: .userInitiated)
    private let state = Mutex(State())
    private let draw: @Sendable (Int) -> Data
    private let willWait: @Sendable () -> Void

    /// - Parameter willWait: called when somebody is about to wait for what is being drawn.
    init(draw: @escaping @Sendable (Int) -> Data, willWait: @escaping @Sendable () -> Void) {
        self.draw = draw
        self.willWait = willWait
    }

    func begin(_ column: Int) {
        guard state.withLock({ $0.wanted.insert(column).inserted }) else { return }
        queue.async { [self] in
            // Whoever scrolls on does not wait for what was next before.
            guard state.withLock({ $0.wanted.contains(column) && $0.drawn[column] == nil }) else { return }
            let icons = draw(column)
            // What is drawn is kept, needed or not: it has cost enough.
            state.withLock { $0.drawn[column] = icons }
        }
    }

    /// What has been drawn.
    func take(_ column: Int) -> Data? {
        state.withLock { state in
            guard let icons = state.drawn.removeValue(forKey: column) else { return nil }
            state.wanted.remove(column)
            return icons
        }
    }

    /// All that has been drawn.
    func takeAll() -> [Int: Data] {
        state.withLock { state in
            defer { state.drawn = [:] }
            state.wanted.subtract(state.drawn.keys)
            return state.drawn
        }
    }

    /// The rest need not be drawn any more.
    func keep(only columns: Range<Int>) {
        state.withLock { $0.wanted = $0.wanted.filter(columns.contains) }
    }

    /// Waits for all that was begun. Meanwhile the queue has the priority of the thread that waits.
    func finish() {
        willWait()
        queue.sync {}
    }
}
