internal import Commands
internal import Foundation
internal import Simulation

/// The file of `--trace`: every event and what came of it, run after run.
final class TraceFile {
    private let path: String
    private let file: FileHandle
    private var trace: Trace?
    private var failure: (any Error)?

    init(_ path: String) throws(CommandFailure) {
        self.path = path
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw .failed("\(path) cannot be written") }
        self.file = file
    }

    /// Follows a run that is about to begin.
    func begin(_ name: String, _ run: ScenarioRun) {
        flush()
        let device = run.device
        write(Array("# \(name), seed \(device.seed)\n".utf8))
        trace = Trace()
        device.observer = { [unowned self, unowned device] event, effects in
            trace?.add(event, effects, on: device)
            if let size = trace?.bytes.count, size > 1 << 16 { write(trace?.takeBytes() ?? []) }
        }
    }

    /// The bytes that are left of the run before.
    private func flush() {
        if var trace { write(trace.takeBytes()) }
        trace = nil
    }

    private func write(_ bytes: [UInt8]) {
        do {
            try file.write(contentsOf: Data(bytes))
        } catch {
            failure = failure ?? error
        }
    }

    func close() throws(CommandFailure) {
        flush()
        if let failure { throw .failed("\(path) cannot be written: \(failure.localizedDescription)") }
    }
}
