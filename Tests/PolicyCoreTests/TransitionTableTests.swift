import Model
import Testing

/// The table of L1, written out apart from the code: one row a state, one column an event, `nil` where it is refused.
private let events: [LifecycleEvent] = [
    .launchedIntoForeground, .launchedIntoBackground, .becameActive, .resignedActive, .enteredBackground,
    .enteredForeground, .froze, .thawed, .ended,
]

private let table: [(LifecycleState, [LifecycleState?])] = [
    // launched fg  launched bg  became active  resigned  to background  to foreground  froze  thawed  ended
    (.notRunning, [.inactive, .background, nil, nil, nil, nil, nil, nil, nil]),
    (.inactive, [nil, nil, .active, nil, .background, nil, nil, nil, .notRunning]),
    (.active, [nil, nil, nil, .inactive, nil, nil, nil, nil, .notRunning]),
    (.background, [nil, nil, nil, nil, nil, .inactive, .suspended, nil, .notRunning]),
    (.suspended, [nil, nil, nil, nil, nil, nil, nil, .background, .notRunning]),
]

@Suite("The transition table") struct TransitionTableTests {
    @Test("It has a row for every state and a column for every event")
    func completeness() {
        #expect(table.map(\.0) == LifecycleState.allCases)
        #expect(events == LifecycleEvent.allCases)
        for (state, row) in table { #expect(row.count == events.count, "the row of \(state.name)") }
    }

    @Test("Every state answers every event as the table says, and refuses the others by name")
    func everyPair() {
        var allowed = 0
        for (state, row) in table {
            for (event, expected) in zip(events, row) {
                do throws(IllegalTransition) {
                    let next = try state.after(event)
                    #expect(next == expected, "\(state.name) after \(event)")
                    allowed += 1
                } catch {
                    #expect(expected == nil, "\(state.name) refuses \(event)")
                    #expect(error.from == state)
                    #expect(error.event == event)
                    #expect(error.description == "an app that is \(state.name) cannot have \(event)")
                }
            }
        }
        #expect(allowed == 12)
    }

    @Test("Only the foreground is inactive or active, and only what is frozen or not there does not run")
    func groups() {
        #expect(LifecycleState.allCases.filter(\.isForeground) == [.inactive, .active])
        #expect(LifecycleState.allCases.filter(\.isRunning) == [.inactive, .active, .background])
    }

    @Test("No state is reached from active but inactive and not running: Home always passes through inactive")
    func noShortcuts() {
        let fromActive = LifecycleEvent.allCases.compactMap { try? LifecycleState.active.after($0) }
        #expect(Set(fromActive) == [.inactive, .notRunning])
        let fromSuspended = LifecycleEvent.allCases.compactMap { try? LifecycleState.suspended.after($0) }
        #expect(Set(fromSuspended) == [.background, .notRunning])
    }
}
