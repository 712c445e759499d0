/// A mistake in a scenario's file: where, what, and what would be right.
package struct ScenarioError: Hashable, Sendable, Comparable {
    package var line: Int
    package var column: Int
    package var problem: String
    package var expected: String

    package init(_ place: Place, _ problem: String, expected: String) {
        line = place.line
        column = place.column
        self.problem = problem
        self.expected = expected
    }

    package var text: String { "\(line):\(column): \(problem); expected \(expected)" }

    package static func < (a: ScenarioError, b: ScenarioError) -> Bool {
        (a.line, a.column, a.problem) < (b.line, b.column, b.problem)
    }
}

/// The mistakes of one file, in the order of their places.
package struct ScenarioErrors: Error, Hashable, Sendable, CustomStringConvertible {
    /// As the user named it.
    package var file: String
    package var errors: [ScenarioError]
    /// More were found than are told.
    package var isCut = false

    package var description: String {
        let lines = errors.map { "\(file):\($0.text)" }
        return (lines + (isCut ? ["\(file): there are more"] : [])).joined(separator: "\n")
    }
}

/// A place in a file; both count from 1.
package struct Place: Hashable, Sendable {
    package var line: Int
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    static let start = Place(line: 1, column: 1)
}
