import Testing
import Wire

@Suite("The records of services")
struct ServiceRecordTests {
    private func check<Record: WireRecord & Equatable>(_ record: Record) throws {
        #expect(try Record(json: JSONValue(parsing: record.json.encoded)) == record)
    }

    private static let state = ServiceAppState(
        app: "a.b", process: 3, state: "suspended", visible: false, awaitsCall: true)
    private static let conditions = ServiceConditions(
        network: .cellular, metered: true, battery: 0.5, radioWarm: true, lowPower: true)

    @Test("Each is read as it was written")
    func roundTrips() throws {
        try check(Self.state)
        try check(Self.conditions)
        try check(ServiceAttach(app: "a.b", process: 1, container: "/c", user: 1000, group: 1000))
        try check(
            ServiceAttach(
                app: "a.b", process: 1, bundle: "/b", icon: "i", container: "/c",
                extensions: ["p": "PlugIns/P.appex/P", "q": "Q"],
                user: 1000, group: 1000))
        try check(ServiceTraffic(app: "a.b", purpose: "transfer", sent: 1, received: 2, from: 3, to: 4))
        try check(ServiceTraffic(app: nil, purpose: "transfer", sent: 1, received: 2, from: 3, to: 4))
        try check(ServiceGreeting(apps: [Self.state], more: true, conditions: Self.conditions))
        try check(ServiceGreeting(apps: []))
        try check(ServiceInfo.Hold(app: "a.b", hold: "h", because: "b", counts: true))
    }

    @Test("A page with the longest identifiers may wait for a service")
    func longest() {
        var longest = Self.state
        (longest.app, longest.process, longest.state) = (String(repeating: "a", count: 127), .max, "notRunning")
        let page = ServiceGreeting(
            apps: Array(repeating: longest, count: ServiceGreeting.most), more: true, conditions: Self.conditions)
        #expect(page.json.encoded.count < Limits.waitingOutput)
    }
}
