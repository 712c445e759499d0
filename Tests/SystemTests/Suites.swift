import Testing

/// Tests of the whole: real programs on this machine. One after another, since each of them watches the machine.
@Suite("The system", .serialized, .enabled(if: Machine.isComplete, Comment(rawValue: Machine.complaint)))
struct SystemTests {}
