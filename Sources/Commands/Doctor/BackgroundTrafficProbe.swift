internal import LinuxSystem
package import Wire

/// Whether packets of apps in the background come after those of the app on screen (docs/PRIORITY.md).
package struct BackgroundTrafficProbe {
    private static let mechanism = "network in the background"
    /// The disciplines that send packets by priority; `fq` does since Linux 6.8.
    private static let dividing: Set = ["pfifo_fast", "prio"]
    private static let firstWithBands = (6, 8)
    /// The disciplines that hold others, or in which no packet waits.
    private static let hollow: Set = ["mq", "mqprio", "ingress", "clsact", "noqueue"]

    /// Whether the kernel gives packets of apps in the background the last priority.
    let isMarked: Bool
    /// The way out of the machine; `nil`: there is none.
    let interface: String?
    let isWireless: Bool
    /// The interface's queueing disciplines, by their kinds; `nil`: the kernel does not tell.
    let disciplines: [String]?
    /// The kernel's version, such as `6.1.0-18-amd64`.
    let release: String

    package init(
        isMarked: Bool, interface: String?, isWireless: Bool, disciplines: [String]?, release: String = "6.1.0"
    ) {
        self.isMarked = isMarked
        self.interface = interface
        self.isWireless = isWireless
        self.disciplines = disciplines
        self.release = release
    }

    /// Asks this machine.
    init(isMarked: Bool) {
        let link = DefaultLink()
        let interface = link.interface
        // Without an answer the finding says that the kernel does not tell.
        let disciplines = interface.flatMap { try? DefaultLink.disciplines(of: $0) }
        self.init(
            isMarked: isMarked, interface: interface, isWireless: link.kind == .wireless, disciplines: disciplines,
            release: Files.text("/proc/sys/kernel/osrelease") ?? "")
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
        guard let disciplines else {
            return ignored(by: interface, "the kernel does not tell how packets wait at \(interface)")
        }
        let kinds = Set(disciplines).subtracting(Self.hollow)
        let deaf = kinds.subtracting(fqDivides ? Self.dividing.union(["fq"]) : Self.dividing).sorted()
        guard deaf.isEmpty else {
            return ignored(by: interface, "\(interface) ignores priorities (\(deaf.joined(separator: ", ")))")
        }
        let order = kinds.isEmpty ? "nothing waits at \(interface)" : "\(interface) sends them last"
        let names = kinds.isEmpty ? "" : " (\(kinds.sorted().joined(separator: ", ")))"
        return DoctorFinding(mechanism: Self.mechanism, status: .ok, detail: "\(marked), and \(order)\(names)")
    }

    private func ignored(by interface: String, _ detail: String) -> DoctorFinding {
        DoctorFinding(
            mechanism: Self.mechanism, status: .replaced, detail: detail,
            instead: "what its queueing discipline does for all connections",
            cost: "what apps in the background send themselves is in the way of the app on screen; "
                + "`tc qdisc replace dev \(interface) root pfifo_fast` changes that")
    }

    private var fqDivides: Bool {
        let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
        return numbers.count == 2 && (numbers[0], numbers[1]) >= Self.firstWithBands
    }
}
