internal import LinuxSystem
package import Wire

/// Whether packets of apps in the background come after those of the app on screen (docs/PRIORITY.md).
package struct BackgroundTrafficProbe {
    private static let mechanism = "network in the background"
    /// The disciplines that look at a packet's priority.
    private static let dividing: Set = ["pfifo_fast", "prio"]
    /// They hold others, or nothing waits in them.
    private static let hollow: Set = ["mq", "mqprio", "ingress", "clsact", "noqueue"]

    /// Whether the kernel gives packets of apps in the background the last priority.
    let isMarked: Bool
    /// The way out of the machine; `nil`: there is none.
    let interface: String?
    let isWireless: Bool
    /// The interface's queueing disciplines, by their kinds.
    let disciplines: [String]

    package init(isMarked: Bool, interface: String?, isWireless: Bool, disciplines: [String]) {
        self.isMarked = isMarked
        self.interface = interface
        self.isWireless = isWireless
        self.disciplines = disciplines
    }

    /// Asks this machine.
    init(isMarked: Bool) {
        let link = DefaultLink()
        let interface = link.interface
        // Without an answer the finding says that it is not known.
        let disciplines = interface.map { (try? DefaultLink.disciplines(of: $0)) ?? ["unknown"] }
        self.init(
            isMarked: isMarked, interface: interface, isWireless: link.kind == .wireless,
            disciplines: disciplines ?? [])
    }

    package func finding() -> DoctorFinding {
        guard isMarked else {
            return DoctorFinding(
                mechanism: Self.mechanism, status: .missing, detail: "needs the program that counts traffic of apps",
                cost: "what apps in the background send themselves is in the way of the app on screen")
        }
        let marked = "packets of apps in the background have the last priority"
        guard let interface else {
            return DoctorFinding(
                mechanism: Self.mechanism, status: .ok,
                detail: "\(marked); now no interface leads out of the machine")
        }
        if isWireless {
            return DoctorFinding(
                mechanism: Self.mechanism, status: .ok, detail: "\(marked), and \(interface) sends them last (Wi-Fi)")
        }
        let kinds = Set(disciplines).subtracting(Self.hollow)
        let deaf = kinds.subtracting(Self.dividing).sorted()
        guard deaf.isEmpty else {
            return DoctorFinding(
                mechanism: Self.mechanism, status: .replaced,
                detail: "\(interface) ignores priorities (\(deaf.joined(separator: ", ")))",
                instead: "what its queueing discipline does for all connections",
                cost: "what apps in the background send themselves is in the way of the app on screen; "
                    + "`tc qdisc replace dev \(interface) root pfifo_fast` changes that")
        }
        let order = kinds.isEmpty ? "nothing waits at \(interface)" : "\(interface) sends them last"
        let names = kinds.isEmpty ? "" : " (\(kinds.sorted().joined(separator: ", ")))"
        return DoctorFinding(mechanism: Self.mechanism, status: .ok, detail: "\(marked), and \(order)\(names)")
    }
}
