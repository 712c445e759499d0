internal import LocationSources
internal import Wire

/// What there is that knows where the device is.
struct LocationProbe {
    private static let mechanism = "location"

    func finding() -> DoctorFinding { finding(of: SourceProbe.all()) }

    func finding(of probes: [SourceProbe]) -> DoctorFinding {
        let there = probes.filter(\.isThere).map(\.sentence)
        // Several of them lack the same bus.
        var missing: [String] = []
        for probe in probes where !probe.isThere && !missing.contains(probe.sentence) { missing.append(probe.sentence) }
        // A compass alone says nothing of places.
        let isKnown = probes.contains { $0.isThere && !$0.isCompass }
        guard isKnown else {
            return DoctorFinding(
                mechanism: Self.mechanism, status: .missing, detail: "nothing knows where the device is",
                instead: "apps are told that there is no fix, and greenroom simulate location pretends one",
                cost: missing.joined(separator: "; "))
        }
        return DoctorFinding(
            mechanism: Self.mechanism, status: .ok, detail: (there + missing).joined(separator: "; "))
    }
}
