internal import Commands
internal import Foundation
internal import PolicyCore
internal import Simulation

/// Plays a person's days: `greenroom run --usage TRACE.csv --apps APPS.csv`.
struct UsageSession {
    let trace: String
    let apps: String
    var memory: Int64?
    var policy = TerminationPolicyName.ours
    var seed: UInt64 = 1
    var isJSON = false

    func run(in context: CommandContext) throws(CommandFailure) {
        let usage = try Self.read(trace, in: context) { bytes throws(CSVError) in try UsageTrace(csv: bytes) }
        let table = try Self.read(apps, in: context) { bytes throws(CSVError) in try AppsTable(csv: bytes) }
        let result: UsageResult
        do throws(UnknownApp) {
            result = try UsageRun.play(usage, table, memoryMegabytes: memory, policy: policy, seed: seed)
        } catch {
            throw .failed(
                "\(trace):\(error.line): \(error.name) is opened, and \(apps) does not have it: add a line "
                    + "\(error.name),MEGABYTES")
        }
        let report = UsageReport(trace: trace, result: result)
        if isJSON { context.print(json: report.json) } else { context.write(report.text(context.style)) }
        if let violation = result.violations.first { throw .failed("an invariant broke: \(violation)") }
    }

    /// Months have some hundred kilobytes; this keeps a wrong file from filling the memory.
    private static let limit = 256 << 20

    private static func read<Contents>(
        _ path: String, in context: CommandContext, _ parse: ([UInt8]) throws(CSVError) -> Contents
    ) throws(CommandFailure) -> Contents {
        let url = URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: context.workingDirectory))
        let data: Data
        do {
            let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
            guard size <= limit else { throw CommandFailure.failed("\(path) is too large: 256 MB at most") }
            data = try Data(contentsOf: url)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw .failed("\(path) cannot be read: \(error.localizedDescription)")
        }
        do throws(CSVError) {
            return try parse(Array(data))
        } catch {
            throw .failed("\(path):\(error.line): expected \(error.expected), found \(error.found)")
        }
    }
}

/// Writes the files of a month that nobody lived: `greenroom run --make-month FOLDER`.
struct MonthSession {
    let folder: String
    var seed: UInt64 = 1
    var days = 30

    func run(in context: CommandContext) throws(CommandFailure) {
        let month = SyntheticMonth(seed: seed, days: days)
        let base = URL(fileURLWithPath: folder, relativeTo: URL(fileURLWithPath: context.workingDirectory))
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        do {
            try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
            try Data(month.trace.utf8).write(to: base.appendingPathComponent("usage.csv"), options: .atomic)
            try Data(month.apps.utf8).write(to: base.appendingPathComponent("apps.csv"), options: .atomic)
        } catch {
            throw .failed("\(folder): the month cannot be written: \(error.localizedDescription)")
        }
        context.print(
            "\(days) days, made up from seed \(seed); play them: "
                + "greenroom run --usage \(Visible.line(prefix))usage.csv --apps \(Visible.line(prefix))apps.csv")
    }
}
