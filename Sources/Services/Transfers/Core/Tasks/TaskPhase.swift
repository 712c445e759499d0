/// What happens to a task, as the transition table knows it.
package enum TaskInput: UInt8, Sendable, CaseIterable {
    case resume, suspend
    /// It may begin now.
    case admit
    /// What ran is put off: it failed for now, or may not go on.
    case putOff
    /// Its delegate has to say who asks, or whether it still wants to; or had, when it was resumed.
    case challenge
    case answer
    /// Complete, and on its way to where it belongs.
    case place
    case end
}

/// A transition that no rule allows; it names both sides.
package struct IllegalTaskTransition: Error, Equatable, CustomStringConvertible {
    package let from: TaskPhase
    package let input: TaskInput

    package var description: String { "a task that is \(from) cannot \(input)" }
}

extension TaskPhase {
    package func after(_ input: TaskInput) throws(IllegalTaskTransition) -> TaskPhase {
        switch (self, input) {
        // Valid transitions are to: waiting, ended (cancelled, or its time is over).
        case (.suspended, .resume): return .waiting
        case (.suspended, .end): return .ended
        case (.suspended, .suspend), (.suspended, .admit), (.suspended, .putOff), (.suspended, .challenge),
            (.suspended, .answer), (.suspended, .place):
            throw IllegalTaskTransition(from: self, input: input)

        // Valid transitions are to: running, suspended, ended, challenged (it was suspended with a question open, or
        // its delegate is asked before it begins).
        case (.waiting, .admit): return .running
        case (.waiting, .suspend): return .suspended
        case (.waiting, .challenge): return .challenged
        case (.waiting, .end): return .ended
        case (.waiting, .resume), (.waiting, .putOff), (.waiting, .answer), (.waiting, .place):
            throw IllegalTaskTransition(from: self, input: input)

        // Valid transitions are to: waiting, suspended, challenged, placing, ended.
        case (.running, .putOff): return .waiting
        case (.running, .suspend): return .suspended
        case (.running, .challenge): return .challenged
        case (.running, .place): return .placing
        case (.running, .end): return .ended
        case (.running, .resume), (.running, .admit), (.running, .answer):
            throw IllegalTaskTransition(from: self, input: input)

        // Valid transitions are to: waiting, suspended, ended.
        case (.challenged, .answer): return .waiting
        case (.challenged, .suspend): return .suspended
        case (.challenged, .end): return .ended
        case (.challenged, .resume), (.challenged, .admit), (.challenged, .putOff), (.challenged, .challenge),
            (.challenged, .place):
            throw IllegalTaskTransition(from: self, input: input)

        // Valid transitions are to: ended. What is complete is not suspended any more.
        case (.placing, .end): return .ended
        case (.placing, .resume), (.placing, .suspend), (.placing, .admit), (.placing, .putOff),
            (.placing, .challenge), (.placing, .answer), (.placing, .place):
            throw IllegalTaskTransition(from: self, input: input)

        // Nothing follows.
        case (.ended, .resume), (.ended, .suspend), (.ended, .admit), (.ended, .putOff), (.ended, .challenge),
            (.ended, .answer), (.ended, .place), (.ended, .end):
            throw IllegalTaskTransition(from: self, input: input)
        }
    }
}
