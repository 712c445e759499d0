import Foundation
import GreenroomCombine
import Testing

private enum Broken: Error { case broken }

/// Takes what a publisher publishes, and asks for as much as a test says.
private final class Taker<Input, Failure: Error>: Subscriber {
    var values: [Input] = []
    var ends: [Subscribers.Completion<Failure>] = []
    var subscription: (any Subscription)?
    /// What it asks for in return of a value.
    var more = Subscribers.Demand.none

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ input: Input) -> Subscribers.Demand {
        values.append(input)
        return more
    }

    func receive(completion: Subscribers.Completion<Failure>) { ends.append(completion) }
}

extension Publisher {
    /// A subscriber that asked for so many values.
    fileprivate func taken(_ demand: Subscribers.Demand = .unlimited) -> Taker<Output, Failure> {
        let taker = Taker<Output, Failure>()
        subscribe(taker)
        if demand > Subscribers.Demand.none { taker.subscription?.request(demand) }
        return taker
    }
}

@Suite("Several publishers in one")
struct MergeTests {
    private let a = PassthroughSubject<Int, Never>()
    private let b = PassthroughSubject<Int, Never>()
    private let c = PassthroughSubject<Int, Never>()

    @Test("Values come as they are published, and the end when both have ended")
    func two() {
        let takers = [a.merge(with: b).taken(), Publishers.Merge(a, b).taken()]
        a.send(1)
        b.send(2)
        a.send(3)
        a.send(completion: .finished)
        for taker in takers {
            #expect(taker.values == [1, 2, 3])
            #expect(taker.ends.isEmpty)
        }
        b.send(4)
        b.send(completion: .finished)
        for taker in takers {
            #expect(taker.values == [1, 2, 3, 4])
            #expect(taker.ends == [.finished])
        }
    }

    @Test("Three and many do the same")
    func many() {
        let ways = [
            a.merge(with: b, c), Publishers.Merge3(a, b, c), Publishers.MergeMany(a, b, c),
            Publishers.MergeMany([a, b, c]),
        ]
        let takers = ways.map { $0.taken() }
        c.send(1)
        a.send(2)
        b.send(3)
        a.send(completion: .finished)
        c.send(completion: .finished)
        for taker in takers {
            #expect(taker.values == [1, 2, 3])
            #expect(taker.ends.isEmpty)
        }
        b.send(completion: .finished)
        for taker in takers { #expect(taker.ends == [.finished]) }
    }

    @Test("None of them ends at once")
    func empty() {
        let none: [PassthroughSubject<Int, Never>] = []
        let taker = Publishers.MergeMany(none).taken(.none)
        #expect(taker.ends == [.finished])
        #expect(taker.values.isEmpty)
    }

    @Test("Publishers that publish as soon as they can come one after the other")
    func sequences() {
        let taker = [1, 2].publisher.merge(with: [3].publisher).taken()
        #expect(taker.values == [1, 2, 3])
        #expect(taker.ends == [.finished])
    }

    @Test("A failure passes at once, and cancels the others")
    func failure() {
        let (first, second) = (PassthroughSubject<Int, Broken>(), PassthroughSubject<Int, Broken>())
        var cancels = 0
        let watched = first.handleEvents(receiveCancel: { cancels += 1 })
        let merged = watched.merge(with: second)
        let (taker, sparing) = (merged.taken(), merged.taken(.none))
        first.send(1)
        #expect(cancels == 0)
        second.send(completion: .failure(.broken))
        #expect(cancels == 2)
        first.send(2)
        first.send(completion: .finished)
        #expect(taker.values == [1])
        #expect(taker.ends == [.failure(.broken)])
        // It did not ask for the value.
        #expect(sparing.values.isEmpty)
        #expect(sparing.ends == [.failure(.broken)])
    }

    @Test("Nobody gets more than was asked for, and what was not asked for yet is kept")
    func demand() {
        let taker = a.merge(with: b).taken(.max(1))
        a.send(1)
        b.send(2)
        a.send(3)
        b.send(4)
        #expect(taker.values == [1])
        taker.subscription?.request(.max(2))
        #expect(taker.values == [1, 2, 3])
        a.send(completion: .finished)
        b.send(completion: .finished)
        #expect(taker.ends.isEmpty)
        taker.subscription?.request(.max(5))
        #expect(taker.values == [1, 2, 3, 4])
        #expect(taker.ends == [.finished])
    }

    @Test("A value may be asked for in return of another")
    func returnedDemand() {
        let taker = a.merge(with: b).taken(.none)
        taker.more = .max(1)
        a.send(1)
        b.send(2)
        #expect(taker.values.isEmpty)
        taker.subscription?.request(.max(1))
        #expect(taker.values == [1, 2])
        b.send(3)
        #expect(taker.values == [1, 2, 3])
        taker.more = .none
        a.send(4)
        a.send(5)
        #expect(taker.values == [1, 2, 3, 4])
    }

    @Test("Who cancels hears nothing more, and cancels all")
    func cancellation() {
        var cancels: [String] = []
        var values: [Int] = []
        let watchedA = a.handleEvents(receiveCancel: { cancels.append("a") })
        let watchedB = b.handleEvents(receiveCancel: { cancels.append("b") })
        let cancellable = watchedA.merge(with: watchedB).sink { values.append($0) }
        a.send(1)
        #expect(cancels.isEmpty)
        cancellable.cancel()
        a.send(2)
        b.send(3)
        #expect(values == [1])
        #expect(cancels.sorted() == ["a", "b"])
    }

    @Test("A receiver may cancel while it takes a value")
    func cancellationWithin() {
        var cancels = 0
        let watched = a.handleEvents(receiveCancel: { cancels += 1 })
        let taker = watched.merge(with: b).prefix(2).taken()
        for number in 1...4 { a.send(number) }
        b.send(5)
        #expect(taker.values == [1, 2])
        #expect(taker.ends == [.finished])
        #expect(cancels == 1)
    }

    @Test("What a receiver makes another publish follows")
    func withinReceivers() {
        var values: [Int] = []
        let cancellable = a.merge(with: b).sink { [b] value in
            values.append(value)
            if value < 3 { b.send(value + 1) }
        }
        a.send(1)
        a.send(4)
        cancellable.cancel()
        #expect(values == [1, 2, 3, 4])
    }

    @Test("Notifications of several names come in one, until it is cancelled")
    func notifications() {
        let center = NotificationCenter.default
        let names = [Notification.Name("MergeTests.first"), Notification.Name("MergeTests.second")]
        var heard: [String] = []
        let merged = center.publisher(for: names[0]).merge(with: center.publisher(for: names[1]))
        let cancellable = merged.sink { heard.append($0.name.rawValue) }
        for name in [names[1], names[0], Notification.Name("MergeTests.other")] {
            center.post(name: name, object: nil)
        }
        cancellable.cancel()
        center.post(name: names[0], object: nil)
        #expect(heard == ["MergeTests.second", "MergeTests.first"])
    }
}

@Suite("The last values of several publishers")
struct CombineLatestTests {
    private let numbers = PassthroughSubject<Int, Never>()
    private let texts = PassthroughSubject<String, Never>()
    private let flags = PassthroughSubject<Bool, Never>()

    @Test("Each value comes with the last one of the other, once both have one")
    func two() {
        let latest = [numbers.combineLatest(texts), Publishers.CombineLatest(numbers, texts)]
        let pairs = latest.map { $0.taken() }
        let joined = numbers.combineLatest(texts) { "\($0)\($1)" }.taken()
        numbers.send(1)
        numbers.send(2)
        #expect(joined.values.isEmpty)
        texts.send("a")
        numbers.send(3)
        texts.send("b")
        #expect(joined.values == ["2a", "3a", "3b"])
        for taker in pairs {
            #expect(taker.values.map { $0.0 } == [2, 3, 3])
            #expect(taker.values.map { $0.1 } == ["a", "a", "b"])
        }
    }

    @Test("Three are three")
    func three() {
        let latest = [numbers.combineLatest(texts, flags), Publishers.CombineLatest3(numbers, texts, flags)]
        let takers = latest.map { $0.taken() }
        numbers.send(1)
        texts.send("a")
        for taker in takers { #expect(taker.values.isEmpty) }
        flags.send(true)
        numbers.send(2)
        flags.send(false)
        for taker in takers {
            #expect(taker.values.map { $0.0 } == [1, 2, 2])
            #expect(taker.values.map { $0.1 } == ["a", "a", "a"])
            #expect(taker.values.map { $0.2 } == [true, true, false])
            #expect(taker.ends.isEmpty)
        }
        texts.send(completion: .finished)
        numbers.send(completion: .finished)
        for taker in takers { #expect(taker.ends.isEmpty) }
        flags.send(completion: .finished)
        for taker in takers { #expect(taker.ends == [.finished]) }
    }

    @Test("It ends when both have ended; the last value of one that has ended stays")
    func completion() {
        let taker = numbers.combineLatest(texts) { "\($0)\($1)" }.taken()
        numbers.send(1)
        numbers.send(completion: .finished)
        texts.send("a")
        texts.send("b")
        #expect(taker.values == ["1a", "1b"])
        #expect(taker.ends.isEmpty)
        texts.send(completion: .finished)
        #expect(taker.ends == [.finished])
    }

    @Test("A failure passes at once, and cancels the other")
    func failure() {
        let (first, second) = (PassthroughSubject<Int, Broken>(), PassthroughSubject<Int, Broken>())
        var cancels = 0
        let watched = second.handleEvents(receiveCancel: { cancels += 1 })
        let taker = first.combineLatest(watched) { $0 + $1 }.taken()
        first.send(1)
        second.send(2)
        first.send(completion: .failure(.broken))
        second.send(3)
        #expect(taker.values == [3])
        #expect(taker.ends == [.failure(.broken)])
        #expect(cancels == 1)
    }

    @Test("A missing value is a value, too")
    func optionals() {
        let maybe = PassthroughSubject<Int?, Never>()
        let taker = maybe.combineLatest(texts) { "\($0 ?? 0)\($1)" }.taken()
        maybe.send(nil)
        texts.send("a")
        maybe.send(1)
        #expect(taker.values == ["0a", "1a"])
    }

    @Test("Who cancels hears nothing more, and cancels both")
    func cancellation() {
        var cancels: [String] = []
        var values: [String] = []
        let watchedNumbers = numbers.handleEvents(receiveCancel: { cancels.append("numbers") })
        let watchedTexts = texts.handleEvents(receiveCancel: { cancels.append("texts") })
        let latest = watchedNumbers.combineLatest(watchedTexts) { "\($0)\($1)" }
        let cancellable = latest.sink { values.append($0) }
        numbers.send(1)
        texts.send("a")
        cancellable.cancel()
        numbers.send(2)
        texts.send("b")
        #expect(values == ["1a"])
        #expect(cancels.sorted() == ["numbers", "texts"])
    }
}
