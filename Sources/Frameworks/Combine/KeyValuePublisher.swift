public import Foundation
public import IOSFoundation
public import OpenCombine
internal import Synchronization

extension _KeyValueCodingAndObserving {
    /// What a value is, and becomes.
    ///
    /// - Parameters:
    ///   - name: the key path as Objective-C writes it. The plugin IOSSources adds it.
    ///   - options: with `initial`, the value that there is comes first.
    public func publisher<Value>(
        for keyPath: KeyPath<Self, Value>, named name: String,
        options: NSKeyValueObservingOptions = [.initial, .new]
    ) -> KeyValueObservingPublisher<Self, Value> {
        KeyValueObservingPublisher(object: self, keyPath: keyPath, name: name, options: options)
    }
}

/// Publishes the values of a property.
public struct KeyValueObservingPublisher<Subject: NSObject, Value>: Publisher {
    /// Values.
    public typealias Output = Value
    /// It never fails, and never ends.
    public typealias Failure = Never

    /// Whose property it is.
    public let object: Subject
    /// Which it is.
    public let keyPath: KeyPath<Subject, Value>
    let name: String
    /// What comes.
    public let options: NSKeyValueObservingOptions

    /// Subscribes.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Value, Downstream.Failure == Never {
        let subscription = KeyValueSubscription(subscriber, object)
        subscriber.receive(subscription: subscription)
        subscription.begin(
            object.observe(keyPath, named: name, options: options) { [weak subscription] object, change in
                subscription?.changed(
                    change.isPrior ? change.oldValue ?? object[keyPath: keyPath] : object[keyPath: keyPath])
            })
    }
}

/// Hands on as many values as are asked for. Of those that nobody asks for the newest waits.
private final class KeyValueSubscription<Downstream: Subscriber>: Subscription, Sendable
where Downstream.Failure == Never {
    // Values are only handed on: the app's code answers for the threads on which it uses them, as with Combine.
    private struct State: @unchecked Sendable {
        var downstream: Downstream?
        /// Held as long as somebody listens, as Combine does.
        var object: NSObject?
        var observation: NSKeyValueObservation?
        var demand = Subscribers.Demand.none
        var waiting: Downstream.Input?

        /// What is to be handed on now.
        mutating func take() -> Due? {
            guard demand > 0, let downstream, let value = waiting else { return nil }
            demand -= 1
            waiting = nil
            return Due(downstream: downstream, value: value)
        }
    }

    // As the state.
    private struct Due: @unchecked Sendable {
        let downstream: Downstream
        let value: Downstream.Input
    }

    // As the state.
    private struct Value: @unchecked Sendable {
        let value: Downstream.Input
    }

    private let state: Mutex<State>

    init(_ downstream: Downstream, _ object: NSObject) {
        state = Mutex(State(downstream: downstream, object: object))
    }

    func begin(_ observation: NSKeyValueObservation) {
        let isOver = state.withLock { state in
            if state.downstream != nil { state.observation = observation }
            return state.downstream == nil
        }
        if isOver { observation.invalidate() }
    }

    func changed(_ value: Downstream.Input) {
        let value = Value(value: value)
        let due = state.withLock { state in
            state.waiting = value.value
            return state.take()
        }
        hand(due)
    }

    func request(_ demand: Subscribers.Demand) {
        let due = state.withLock { state in
            state.demand += demand
            return state.take()
        }
        hand(due)
    }

    private func hand(_ due: Due?) {
        guard let due else { return }
        let more = due.downstream.receive(due.value)
        if more > 0 { request(more) }
    }

    func cancel() {
        let gone = state.withLock { state in
            defer { state = State(downstream: nil, object: nil) }
            return state
        }
        gone.observation?.invalidate()
    }
}
