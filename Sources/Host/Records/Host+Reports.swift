internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Storage
internal import Wire

typealias StoredSummary = Storage.ReportSummary

let greenroomVersion = "0.1.0"

extension Host {
    /// Completes what the Core knows with what the kernel knew, and keeps it as a report in Apple's form.
    func report(_ facts: ReportFacts) {
        guard let app = host(facts.app) else { return }
        let installation = app.installation
        let used = app.process?.usedAtEnd ?? app.process?.box.processorTime ?? endedUsage[facts.app]
        let report = Self.compose(
            facts, installation, processorTime: used, profile: system.profile.name, memory: jetsamEvent(facts))
        let (store, home) = (store, home)
        workers.run(.storage) {
            do {
                try store.saveReport(report)
                try store.pruneReports(keeping: 1_000)
                try FileSystem.makeDirectory(home.reports)
                let file = "\(home.reports)/\(report.summary.id).ips"
                try FileSystem.replace(file, with: Array("\(report.header)\n\(report.body)\n".utf8))
            } catch {
                Diagnostics.write("a report could not be written: \(error)")
            }
        }
    }

    private static func compose(
        _ facts: ReportFacts, _ app: Installation, processorTime: Int64?, profile: String, memory: JSONObject?
    ) -> StoredReport {
        let id = "\(app.identifier)-\(facts.sequence.rawValue)"
        let time = facts.at.iso8601
        let header: JSONValue = [
            "app_name": .string(app.name), "timestamp": .string(time), "app_version": .string(app.version ?? ""),
            "bundleID": .string(app.identifier), "bug_type": memory == nil ? "309" : "298", "name": .string(app.name),
            "os_version": .string("Greenroom \(greenroomVersion)"), "incident_id": .string(id),
        ]
        var termination: JSONObject = [
            "namespace": .string(facts.code.namespace), "code": .int(Int64(facts.code.code)),
            "reasons": [.string(facts.reason)],
        ]
        if let limit = facts.limit {
            termination["limit"] = .string(limit)
            termination["allowedSeconds"] = .double(facts.allowed?.seconds ?? 0)
            termination["elapsedSeconds"] = .double(facts.elapsed?.seconds ?? 0)
        }
        termination["ProcessState"] = .string(facts.state.name)
        termination["ProcessVisibility"] = .string(facts.isVisible ? "Foreground" : "Background")
        termination["isTermination"] = .bool(facts.isTermination)
        var body: JSONObject = [
            "procName": .string(app.name), "bundleID": .string(app.identifier),
            "pid": JSONValue(facts.pid.map { Int($0) }), "procLaunch": JSONValue(facts.launchedAt?.iso8601),
            "captureTime": .string(time), "profile": .string(profile),
            "exception": facts.code.namespace == "SIGNAL"
                ? ["type": "EXC_CRASH", "signal": .int(Int64(facts.code.code))]
                : ["type": "EXC_CRASH", "signal": "SIGKILL"],
            "cpuTimeSeconds": processorTime.map { .double(Double($0) / 1e9) } ?? .null,
            "termination": .object(termination),
        ]
        for member in memory?.members ?? [] { body[member.key] = member.value }
        let summary = StoredSummary(
            id: id, seq: Int64(facts.sequence.rawValue), app: app.identifier, at: facts.at.nanoseconds / 1000,
            namespace: facts.code.namespace, code: Int64(facts.code.code), reason: facts.reason)
        return StoredReport(summary: summary, header: header.description, body: JSONValue.object(body).description)
    }
}
