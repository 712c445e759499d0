package import Wire

/// Settings that decide how many may be served, and what crashes and links of apps can do. Where a daemon runs, what
/// it was started with is looked at.
package struct SettingProbes {
    private let proc: String
    private let daemon: Int32?
    private let environment: [String: String]

    /// What some hundred apps and as many tools as may connect need.
    private static let enoughDescriptors = 4096

    package init(home: GreenroomHome, environment: [String: String], proc: String = "/proc") {
        self.proc = proc
        self.environment = environment
        daemon = home.daemon.flatMap { $0.isAlive ? $0.pid : nil }
    }

    package func findings() -> [DoctorFinding] { [descriptors(), hardLinks(), crashReporter()] }

    private var process: String { daemon.map { "\(proc)/\($0)" } ?? "\(proc)/self" }

    /// Supervisor, daemon and services take as many as the hard limit allows.
    private func descriptors() -> DoctorFinding {
        let mechanism = "file descriptors"
        let lines = (Files.text("\(process)/limits") ?? "").split(separator: "\n")
        let words = lines.first { $0.hasPrefix("Max open files") }?.split(separator: " ") ?? []
        guard words.count > 4 else {
            return DoctorFinding(
                mechanism: mechanism, status: .missing, detail: "\(process)/limits does not say how many there may be",
                cost: "with many apps and tools some cannot be served")
        }
        guard words[4] != "unlimited", let limit = Int(words[4]), limit < Self.enoughDescriptors else {
            let apps = Int(words[4]).map { ", enough for about \(Self.apps($0)) apps that run or are suspended" } ?? ""
            return DoctorFinding(
                mechanism: mechanism, status: .ok, detail: "each process may have \(words[4])\(apps)")
        }
        return DoctorFinding(
            mechanism: mechanism, status: .replaced, detail: "the limit is \(limit) (ulimit -Hn)",
            instead: "at most \(min(512, limit / 4)) tools are served at a time",
            cost: "more than about \(Self.apps(limit)) apps cannot run or be suspended: raise the limit to 65536 where "
                + "Greenroom is started")
    }

    /// A suspended app takes a descriptor for its first process, and an application one for its socket. A quarter is
    /// for tools.
    private static func apps(_ descriptors: Int) -> Int { max(0, descriptors / 4 * 3 / 2) }

    private func hardLinks() -> DoctorFinding {
        let mechanism = "protected hard links"
        let setting = "\(proc)/sys/fs/protected_hardlinks"
        let value = Files.text(setting)?.first
        guard value != "1" else {
            return DoctorFinding(
                mechanism: mechanism, status: .ok, detail: "no app can give another user's file a second name")
        }
        return DoctorFinding(
            mechanism: mechanism, status: .missing,
            detail: value == nil ? "\(setting) cannot be read" : "fs.protected_hardlinks is off",
            cost: "an app can give other users' files that it sees a second name in its container, which keeps them "
                + "when they are removed and can deceive root's programs: sysctl -w fs.protected_hardlinks=1")
    }

    private func crashReporter() -> DoctorFinding {
        let mechanism = "Swift's crash reporter"
        let variable = "SWIFT_BACKTRACE"
        let chosen: String?
        if daemon == nil {
            chosen = environment[variable]
        } else {
            let variables = (Files.bytes("\(process)/environ", limit: 1 << 20) ?? []).split(separator: 0)
            chosen = variables.map { String(decoding: $0, as: UTF8.self) }
                .first { $0.hasPrefix("\(variable)=") }.map { String($0.dropFirst(variable.count + 1)) }
        }
        // Where nothing is chosen, `up` turns it off.
        let isOff = chosen?.split(separator: ",").contains { ["enable=no", "enable=off", "enable=false"].contains($0) }
        guard let chosen, isOff == false else {
            return DoctorFinding(
                mechanism: mechanism, status: .ok, detail: "off: a program that crashes ends at once")
        }
        return DoctorFinding(
            mechanism: mechanism, status: .replaced, detail: "on, by \(variable)=\(chosen)",
            instead: "a helper writes each crash down",
            cost: "what crashed keeps its sockets and memory until the helper is done, which takes seconds: "
                + "unset \(variable) and start Greenroom again")
    }
}
