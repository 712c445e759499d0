import ServiceTesting
import Testing

/// Each of the tests waits for its turn.
struct InTurn: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await Turn.shared.take { try await function() }
    }
}

extension Trait where Self == InTurn {
    static var inTurn: Self { InTurn() }
}
