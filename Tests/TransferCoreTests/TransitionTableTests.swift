import Testing
import TransferCore

/// The table, written out apart from the code: one row a phase, one column an input, `nil` where it is refused.
private let table: [(TaskPhase, [TaskPhase?])] = [
    // resume, suspend, admit, putOff, challenge, answer, place, end
    (.suspended, [.waiting, nil, nil, nil, nil, nil, nil, .ended]),
    (.waiting, [nil, .suspended, .running, nil, .challenged, nil, nil, .ended]),
    (.running, [nil, .suspended, nil, .waiting, .challenged, nil, .placing, .ended]),
    (.challenged, [nil, .suspended, nil, nil, nil, .waiting, nil, .ended]),
    (.placing, [nil, nil, nil, nil, nil, nil, nil, .ended]),
    (.ended, [nil, nil, nil, nil, nil, nil, nil, nil]),
]

@Suite("The phases of a task") struct TaskPhaseTests {
    @Test("The table has a row for every phase and a column for every input")
    func completeness() {
        #expect(table.map(\.0) == TaskPhase.allCases)
        for (phase, row) in table { #expect(row.count == TaskInput.allCases.count, "the row of \(phase)") }
    }

    @Test("Every phase answers every input as the table says, and refuses the others by name")
    func everyPair() {
        var allowed = 0
        for (phase, row) in table {
            for (input, expected) in zip(TaskInput.allCases, row) {
                do throws(IllegalTaskTransition) {
                    let next = try phase.after(input)
                    #expect(next == expected, "\(phase) after \(input)")
                    allowed += 1
                } catch {
                    #expect(expected == nil, "\(phase) refuses \(input)")
                    #expect(error.description == "a task that is \(phase) cannot \(input)")
                }
            }
        }
        #expect(allowed == 15)
    }
}
