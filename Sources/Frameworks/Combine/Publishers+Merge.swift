internal import Foundation
public import OpenCombine

// What OpenCombine lacks of Combine: several publishers in one.

extension Publisher {
    /// What this publisher and another one publish, as it comes.
    public func merge<Other: Publisher>(
        with other: Other
    ) -> Publishers.Merged<Output, Failure> where Other.Output == Output, Other.Failure == Failure {
        Publishers.Merged([eraseToAnyPublisher(), other.eraseToAnyPublisher()])
    }

    /// What this publisher and two others publish, as it comes.
    public func merge<B: Publisher, C: Publisher>(
        with b: B, _ c: C
    ) -> Publishers.Merged<Output, Failure>
    where B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure {
        Publishers.Merged([eraseToAnyPublisher(), b.eraseToAnyPublisher(), c.eraseToAnyPublisher()])
    }

    /// The last values of this publisher and another one, whenever one of them publishes and both have.
    public func combineLatest<Other: Publisher>(
        _ other: Other
    ) -> AnyPublisher<(Output, Other.Output), Failure> where Other.Failure == Failure {
        Publishers.Latest([map { $0 as Any }.eraseToAnyPublisher(), other.map { $0 as Any }.eraseToAnyPublisher()])
            .compactMap { values in
                guard let a = values[0] as? Output, let b = values[1] as? Other.Output else { return nil }
                return (a, b)
            }
            .eraseToAnyPublisher()
    }

    /// What comes of the last values of this publisher and another one, whenever one of them publishes and both have.
    public func combineLatest<Other: Publisher, Result>(
        _ other: Other, _ transform: @escaping (Output, Other.Output) -> Result
    ) -> AnyPublisher<Result, Failure> where Other.Failure == Failure {
        combineLatest(other).map { transform($0.0, $0.1) }.eraseToAnyPublisher()
    }

    /// The last values of this publisher and two others, whenever one of them publishes and all have.
    public func combineLatest<B: Publisher, C: Publisher>(
        _ b: B, _ c: C
    ) -> AnyPublisher<(Output, B.Output, C.Output), Failure> where B.Failure == Failure, C.Failure == Failure {
        combineLatest(b).combineLatest(c).map { ($0.0.0, $0.0.1, $0.1) }.eraseToAnyPublisher()
    }
}

extension Publishers {
    /// What several publishers publish, as it comes.
    public struct Merged<Output, Failure: Error>: Publisher {
        private let publishers: [AnyPublisher<Output, Failure>]

        init(_ publishers: [AnyPublisher<Output, Failure>]) { self.publishers = publishers }

        /// Subscribes.
        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Output, Downstream.Failure == Failure {
            let joint = Joint<Output, Output, Downstream>(subscriber, count: publishers.count) { _, value in value }
            joint.begin(publishers)
        }
    }

    /// Two publishers in one.
    public static func Merge<A: Publisher, B: Publisher>(
        _ a: A, _ b: B
    ) -> Merged<A.Output, A.Failure> where A.Output == B.Output, A.Failure == B.Failure { a.merge(with: b) }

    /// Three publishers in one.
    public static func Merge3<A: Publisher, B: Publisher, C: Publisher>(
        _ a: A, _ b: B, _ c: C
    ) -> Merged<A.Output, A.Failure>
    where A.Output == B.Output, A.Failure == B.Failure, A.Output == C.Output, A.Failure == C.Failure {
        a.merge(with: b, c)
    }

    /// Several publishers in one.
    public static func MergeMany<Upstream: Publisher>(
        _ publishers: some Swift.Sequence<Upstream>
    ) -> Merged<Upstream.Output, Upstream.Failure> { Merged(publishers.map { $0.eraseToAnyPublisher() }) }

    /// Several publishers in one.
    public static func MergeMany<Upstream: Publisher>(
        _ publishers: Upstream...
    ) -> Merged<Upstream.Output, Upstream.Failure> { Merged(publishers.map { $0.eraseToAnyPublisher() }) }

    /// The last values of two publishers.
    public static func CombineLatest<A: Publisher, B: Publisher>(
        _ a: A, _ b: B
    ) -> AnyPublisher<(A.Output, B.Output), A.Failure> where A.Failure == B.Failure { a.combineLatest(b) }

    /// The last values of three publishers.
    public static func CombineLatest3<A: Publisher, B: Publisher, C: Publisher>(
        _ a: A, _ b: B, _ c: C
    ) -> AnyPublisher<(A.Output, B.Output, C.Output), A.Failure> where A.Failure == B.Failure, A.Failure == C.Failure {
        a.combineLatest(b, c)
    }

    /// The last values of several publishers, once all have one.
    struct Latest<Value, Failure: Error>: Publisher {
        typealias Output = [Value]

        private let publishers: [AnyPublisher<Value, Failure>]

        init(_ publishers: [AnyPublisher<Value, Failure>]) { self.publishers = publishers }

        func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == [Value], Downstream.Failure == Failure {
            let last = LastValues<Value>(publishers.count)
            let joint = Joint<Value, [Value], Downstream>(
                subscriber, count: publishers.count, keepsLast: true
            ) { index, value in last.take(value, at: index) }
            joint.begin(publishers)
        }
    }
}

/// Used only under the lock of the subscription that has it.
private final class LastValues<Value> {
    private var values: [Value?]

    init(_ count: Int) { values = Array(repeating: nil, count: count) }

    func take(_ value: Value, at index: Int) -> [Value]? {
        values[index] = value
        let known = values.compactMap { $0 }
        return known.count == values.count ? known : nil
    }
}

/// Subscribes to several publishers, and makes values for one subscriber of theirs. What the subscriber did not ask for
/// yet is kept, or the last of it.
private final class Joint<Input, Output, Downstream: Subscriber>: Subscription where Downstream.Input == Output {
    private let lock = NSRecursiveLock()
    private let downstream: Downstream
    private let keepsLast: Bool
    private let make: (Int, Input) -> Output?
    private var subscriptions: [any Subscription] = []
    private var running: Int
    private var demand = Subscribers.Demand.none
    private var waiting: [Output] = []
    private var isOver = false

    init(
        _ downstream: Downstream, count: Int, keepsLast: Bool = false, make: @escaping (Int, Input) -> Output?
    ) {
        self.downstream = downstream
        self.keepsLast = keepsLast
        self.make = make
        running = count
    }

    func begin(_ publishers: [AnyPublisher<Input, Downstream.Failure>]) {
        downstream.receive(subscription: self)
        if publishers.isEmpty { finish(.finished) }
        for (index, publisher) in publishers.enumerated() {
            publisher.subscribe(
                AnySubscriber(
                    receiveSubscription: { self.add($0) },
                    receiveValue: {
                        self.take($0, at: index)
                        return .none
                    },
                    receiveCompletion: { self.complete($0) }))
        }
    }

    private func add(_ subscription: any Subscription) {
        let isOver = lock.withLock {
            if !self.isOver { subscriptions.append(subscription) }
            return self.isOver
        }
        if isOver { subscription.cancel() } else { subscription.request(.unlimited) }
    }

    private func take(_ value: Input, at index: Int) {
        lock.withLock {
            guard !isOver, let output = make(index, value) else { return }
            if keepsLast { waiting = [] }
            waiting.append(output)
            send()
        }
    }

    /// Under the lock, which lets the same thread in again.
    private func send() {
        while demand > .none, !waiting.isEmpty {
            demand -= 1
            demand += downstream.receive(waiting.removeFirst())
        }
        if running == 0, waiting.isEmpty { finish(.finished) }
    }

    private func complete(_ completion: Subscribers.Completion<Downstream.Failure>) {
        lock.withLock {
            switch completion {
            case .finished:
                running -= 1
                send()
            case .failure: finish(completion)
            }
        }
    }

    private func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
        let isFirst = lock.withLock {
            defer { isOver = true }
            return !isOver
        }
        guard isFirst else { return }
        downstream.receive(completion: completion)
        cancel()
    }

    func request(_ demand: Subscribers.Demand) {
        lock.withLock {
            self.demand += demand
            send()
        }
    }

    func cancel() {
        let all = lock.withLock {
            isOver = true
            waiting = []
            defer { subscriptions = [] }
            return subscriptions
        }
        for subscription in all { subscription.cancel() }
    }
}
