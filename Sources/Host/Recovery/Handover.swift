/// What a worker finds and the loop wants, whichever comes first. Handed over, it is not kept: descriptors of processes
/// may be among it.
package final class Handover<Found> {
    private var found: Found?
    private var waiting: ((Found) -> Void)?

    package init() {}

    package func give(_ found: Found) {
        if let waiting = waiting.take() { waiting(found) } else { self.found = found }
    }

    package func whenGiven(_ body: @escaping (Found) -> Void) {
        if let found = found.take() { body(found) } else { waiting = body }
    }
}
