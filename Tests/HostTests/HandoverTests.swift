import Host
import Testing

@Suite("What a worker hands over")
struct HandoverTests {
    private final class Descriptor {}

    @Test("It comes whichever is first, who finds or who wants, and is not kept", arguments: [true, false])
    func order(isFoundFirst: Bool) {
        let handover = Handover<[Descriptor]>()
        weak var descriptor: Descriptor?
        var count = 0
        do {
            let found = [Descriptor()]
            descriptor = found[0]
            if isFoundFirst { handover.give(found) }
            handover.whenGiven { count += $0.count }
            if !isFoundFirst { handover.give(found) }
        }
        #expect(count == 1)
        #expect(descriptor == nil)
        withExtendedLifetime(handover) {}
    }
}
