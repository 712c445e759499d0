package import Foundation
internal import Synchronization

/// Who observes which key of which object.
enum ObservedObjects {
    private struct Entry: @unchecked Sendable {  // Only under the lock.
        weak var object: NSObject?
        var observations: [String: [PathObservation]] = [:]
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var nextSweep = 64
    }

    private static let state = Mutex(State())
    /// Almost no app observes anything, and every change of a property asks.
    private static let count = Atomic(0)

    static var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    static func add(_ observation: PathObservation, to object: NSObject, _ key: String) {
        let gone = state.withLock { state -> [Entry] in
            let id = ObjectIdentifier(object)
            var entry = state.entries[id] ?? Entry(object: object)
            var gone: [Entry] = []
            // Another object was at this address.
            if entry.object !== object {
                gone.append(entry)
                entry = Entry(object: object)
            }
            entry.observations[key, default: []].append(observation)
            state.entries[id] = entry
            if state.entries.count >= state.nextSweep {
                for (id, entry) in state.entries where entry.object == nil {
                    gone.append(entry)
                    state.entries[id] = nil
                }
                state.nextSweep = max(64, state.entries.count * 2)
            }
            count.store(state.entries.count, ordering: .relaxed)
            return gone
        }
        // What is let go may observe itself: not under the lock.
        withExtendedLifetime(gone) {}
    }

    static func remove(_ observation: PathObservation, from object: NSObject, _ key: String) {
        let gone = state.withLock { state -> PathObservation? in
            let id = ObjectIdentifier(object)
            guard var entry = state.entries[id], entry.object === object,
                let place = entry.observations[key]?.firstIndex(where: { $0 === observation })
            else { return nil }
            let gone = entry.observations[key]?.remove(at: place)
            if entry.observations[key]?.isEmpty == true { entry.observations[key] = nil }
            state.entries[id] = entry.observations.isEmpty ? nil : entry
            count.store(state.entries.count, ordering: .relaxed)
            return gone
        }
        withExtendedLifetime(gone) {}
    }

    /// - Parameter key: `nil`: of all of them.
    static func of(_ object: AnyObject, _ key: String? = nil) -> [PathObservation] {
        guard !isEmpty else { return [] }
        return state.withLock { state in
            guard let entry = state.entries[ObjectIdentifier(object)], entry.object === object else { return [] }
            return key.map { entry.observations[$0] ?? [] } ?? entry.observations.values.flatMap(\.self)
        }
    }
}

/// Whether anybody observes a value of an object.
package func isObserved(_ object: NSObject) -> Bool { !ObservedObjects.of(object).isEmpty }

/// Tells who observes the object what has changed since they were told.
package func tellObservers(of object: NSObject) {
    for observation in ObservedObjects.of(object) { observation.update() }
}

/// Tells who observes a value that it will change. The plugin IOSSources writes it into properties that are `dynamic`.
public func objc_willChange(_ object: AnyObject, _ key: String) {
    guard !ObservedObjects.isEmpty else { return }
    for observation in ObservedObjects.of(object, ObservedKeys.canonical(key)) { observation.willChange() }
}

/// Tells who observes a value that it has changed. The plugin IOSSources writes it into properties that are `dynamic`.
public func objc_didChange(_ object: AnyObject, _ key: String) {
    guard !ObservedObjects.isEmpty else { return }
    for observation in ObservedObjects.of(object, ObservedKeys.canonical(key)) { observation.didChange() }
}
