public import Foundation
internal import Synchronization

/// What objects have asked notification centers to call.
private enum Observations {
    // The center, the observer and the token are compared, and called on the thread that posts: as on iOS.
    final class Observation: @unchecked Sendable {
        weak var center: NotificationCenter?
        weak var observer: AnyObject?
        let name: Notification.Name?
        let object: ObjectIdentifier?
        var token: (any NSObjectProtocol)?

        init(center: NotificationCenter, observer: AnyObject, name: Notification.Name?, object: Any?) {
            self.center = center
            self.observer = observer
            self.name = name
            self.object = object.map { ObjectIdentifier($0 as AnyObject) }
        }

        /// From its own center: who sweeps may be another one.
        func removeToken() {
            if let token { center?.removeObserver(token as Any, name: nil, object: nil) }
        }
    }

    private struct State {
        var all: [Observation] = []
        var nextSweep = 64
    }

    private static let state = Mutex(State())

    static func add(_ observation: Observation) -> [Observation] {
        state.withLock { state in
            state.all.append(observation)
            guard state.all.count >= state.nextSweep else { return [] }
            let gone = state.all.filter { $0.observer == nil }
            state.all.removeAll { $0.observer == nil }
            state.nextSweep = max(64, state.all.count * 2)
            return gone
        }
    }

    static func remove(where matches: (Observation) -> Bool) -> [Observation] {
        state.withLock { state in
            let found = state.all.filter(matches)
            if !found.isEmpty { state.all.removeAll(where: matches) }
            return found
        }
    }
}

extension NotificationCenter {
    /// Calls a method of an object for each notification, on the thread that posts it, as long as the object lives.
    ///
    /// - Parameters:
    ///   - observer: not held; nothing need be removed when it goes.
    ///   - selector: of a method that takes the notification, or nothing.
    ///   - name: `nil` for all names.
    ///   - object: of whom; `nil` for all.
    public func addObserver(
        _ observer: Any, selector: Selector, name: Notification.Name?, object: Any?
    ) {
        let observer = observer as AnyObject
        let observation = Observations.Observation(
            center: self, observer: observer, name: name, object: object)
        // It is not called twice at a time more than the method itself is.
        observation.token = addObserver(forName: name, object: object, queue: nil) { [weak observation] notification in
            guard let observation else { return }
            guard let observer = observation.observer else { return }
            selector.invoke(on: observer, notification)
        }
        for gone in Observations.add(observation) { gone.removeToken() }
    }

    /// Calls an object no longer: its methods, or its block if it is what `addObserver(forName:…)` returned.
    public func removeObserver(_ observer: AnyObject) {
        removeObserver(observer, name: nil, object: nil)
    }

    /// Calls an object no longer for some notifications.
    public func removeObserver(_ observer: AnyObject, name: Notification.Name?, object: Any?) {
        let sender = object.map { ObjectIdentifier($0 as AnyObject) }
        let removed = Observations.remove {
            $0.center === self && $0.observer === observer && (name == nil || $0.name == name)
                && (sender == nil || $0.object == sender)
        }
        for observation in removed { observation.removeToken() }
        // One of Foundation's own.
        removeObserver(observer as Any, name: name, object: object)
    }
}
