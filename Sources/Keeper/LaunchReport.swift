package import LinuxSystem

/// Tells the `up` that started this keeper how the start goes, in lines: `holds` (the lock of the home), `taken PID`
/// (another system has it), `serving`, `failed SENTENCE`.
package struct LaunchReport {
    private var descriptor: Descriptor?

    package init(_ descriptor: Descriptor?) { self.descriptor = descriptor }

    package func holds() { _ = say("holds") }

    package func taken(by pid: CInt?) {
        if !say("taken \(pid.map(String.init) ?? "")") { complain("another system has this home") }
    }

    package mutating func served() {
        _ = say("serving")
        descriptor = nil
    }

    package func failed(_ sentence: String) {
        if !say("failed \(sentence.map { $0.isNewline ? " " : String($0) }.joined())") { complain(sentence) }
    }

    private func complain(_ sentence: String) { StandardError.write("greenroom-keeper: \(sentence)\n") }

    private func say(_ line: String) -> Bool {
        guard let descriptor, case .bytes? = try? descriptor.send(Array((line + "\n").utf8)[...]) else { return false }
        return true
    }
}
