import Foundation
import GreenroomCombine
import IOSFoundation
import Testing

@Suite("A property's publisher")
struct KeyValuePublisherTests {
    private final class Track: NSObject {
        var title = "a" {
            willSet { objc_willChange(self, "title") }
            didSet { objc_didChange(self, "title") }
        }
    }

    @Test("Publishes what the value is, and becomes, until it is cancelled")
    func values() {
        let track = Track()
        var heard: [String] = []
        let subscription = track.publisher(for: \.title, named: "title").sink { heard.append($0) }
        track.title = "b"
        track.title = "b"
        track.title = "c"
        subscription.cancel()
        track.title = "d"
        #expect(heard == ["a", "b", "b", "c"])
    }

    @Test("Publishes only what becomes, without the option for the first")
    func later() {
        let track = Track()
        var heard: [String] = []
        let subscription = track.publisher(for: \.title, named: "title", options: [.new]).sink { heard.append($0) }
        track.title = "b"
        #expect(heard == ["b"])
        subscription.cancel()
    }

    @Test("Hands on as many values as are asked for: of those that wait, the newest")
    func demand() {
        let track = Track()
        let taker = Taker<String>()
        track.publisher(for: \.title, named: "title").subscribe(taker)
        #expect(taker.values.isEmpty)
        taker.subscription?.request(.max(1))
        track.title = "b"
        track.title = "c"
        #expect(taker.values == ["a"])
        taker.subscription?.request(.max(2))
        track.title = "d"
        track.title = "e"
        #expect(taker.values == ["a", "c", "d"])
        taker.subscription?.cancel()
    }

    /// Takes as many values as a test asks for.
    private final class Taker<Input>: Subscriber {
        typealias Failure = Never
        var values: [Input] = []
        var subscription: (any Subscription)?

        func receive(subscription: any Subscription) { self.subscription = subscription }

        func receive(_ input: Input) -> Subscribers.Demand {
            values.append(input)
            return .none
        }

        func receive(completion: Subscribers.Completion<Never>) {}
    }

    @Test("Lets go of the object when it is cancelled")
    func lifetime() {
        weak var object: Track?
        var subscription: AnyCancellable?
        do {
            let track = Track()
            object = track
            subscription = track.publisher(for: \.title, named: "title").sink { _ in }
        }
        #expect(object != nil)
        subscription?.cancel()
        subscription = nil
        #expect(object == nil)
    }
}
