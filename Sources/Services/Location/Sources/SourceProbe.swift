package import DBus
package import Dispatch

/// What is there of something that sources listen to, for `greenroom doctor`.
package struct SourceProbe: Hashable, Sendable {
    package let name: String
    package let isThere: Bool
    /// One sentence for people.
    package let sentence: String

    package init(_ name: String, isThere: Bool, _ sentence: String) {
        (self.name, self.isThere, self.sentence) = (name, isThere, sentence)
    }

    /// It knows directions, and no places.
    package var isCompass: Bool { name == Self.compassName }

    private static let compassName = "iio-sensor-proxy"

    package typealias Answer = @Sendable (SourceProbe) -> Void

    /// Whether a gpsd answers. It is not asked to watch, so no receiver is turned on.
    package static func gpsd(
        at address: GPSDAddress = .standard, queue: DispatchQueue, patience: Duration = .seconds(3),
        _ answer: @escaping Answer
    ) {
        dispatchPrecondition(condition: .onQueue(queue))
        GPSDProbe(address, queue: queue, answer).begin(patience)
    }

    /// It is not started for this. The bus has to be connected by then.
    package static func geoClue(_ bus: DBusConnection, _ answer: @escaping Answer) {
        ask(
            bus, "GeoClue", GeoClue.name,
            advice: "install it (Debian: geoclue-2.0) for positions without satellites", answer)
    }

    package static func modemManager(_ bus: DBusConnection, _ answer: @escaping Answer) {
        ask(bus, "ModemManager", ModemCells.name, advice: "install it (Debian: modemmanager) to know cells", answer)
    }

    package static func compass(_ bus: DBusConnection, _ answer: @escaping Answer) {
        ask(
            bus, compassName, HeadingSource.name, advice: "install it (Debian: iio-sensor-proxy) for a compass",
            answer)
    }

    private static func ask(
        _ bus: DBusConnection, _ name: String, _ busName: String, advice: String, _ answer: @escaping Answer
    ) {
        func tell(_ isThere: Bool, _ sentence: String) {
            answer(SourceProbe(name, isThere: isThere, sentence))
        }
        bus.call(SystemService.askBus("NameHasOwner", [.string(busName)], returns: [.boolean])) { result in
            guard case .success(let values) = result else { return tell(false, SystemService.noBus) }
            guard values.first != .boolean(true) else { return tell(true, "\(name) runs") }
            bus.call(SystemService.askBus("ListActivatableNames", returns: [.array(.string)])) { result in
                let names = (try? result.get().first?.strings) ?? []
                if names.contains(busName) {
                    tell(true, "\(name) is installed, and starts when it is needed")
                } else {
                    tell(false, "\(name) is not there: \(advice)")
                }
            }
        }
    }
}

/// Keeps itself until it has an answer.
///
/// Unchecked: used on its queue only.
private final class GPSDProbe: GPSDLinkClient, @unchecked Sendable {
    private let address: GPSDAddress
    private let queue: DispatchQueue
    private var answer: SourceProbe.Answer?
    private var link: GPSDLink?
    private var itself: GPSDProbe?

    init(_ address: GPSDAddress, queue: DispatchQueue, _ answer: @escaping SourceProbe.Answer) {
        (self.address, self.queue, self.answer) = (address, queue, answer)
    }

    func begin(_ patience: Duration) {
        itself = self
        let link = GPSDLink(address, queue: queue, client: self)
        self.link = link
        link.open()
        queue.asyncAfter(deadline: .now() + patience.dispatch) { [weak self] in
            self?.finish(false, "says nothing: check that a gpsd of version 3 listens there")
        }
    }

    private func finish(_ isThere: Bool, _ rest: String) {
        guard let answer else { return }
        self.answer = nil
        link?.close()
        (link, itself) = (nil, nil)
        answer(SourceProbe("gpsd", isThere: isThere, "gpsd at \(address) \(rest)"))
    }

    func linkIsOpen(_ link: GPSDLink) {}

    func link(_ link: GPSDLink, said line: [UInt8]) {
        if case .version(let version) = GPSDReport(line) { finish(true, "answers, version \(version)") }
    }

    func link(_ link: GPSDLink, endedFor reason: String) {
        finish(false, "does not answer (\(reason)): install it (Debian: gpsd), or start it for satellites")
    }
}
