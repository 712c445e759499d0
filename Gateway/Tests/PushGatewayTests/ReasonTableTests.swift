import Foundation
import PushCore
import Testing

@Suite("The table of reasons")
struct ReasonTableTests {
    private static func text(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Reason, status and the test's sentence, as docs/PUSH.md has them.
    private static func rows() throws -> [(reason: String, status: Int, sentence: String)] {
        try text("docs/PUSH.md").split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, let status = Int(cells[0]) else { return nil }
            return (cells[1].trimmingCharacters(in: ["`"]), status, cells[2])
        }
    }

    @Test("It has each reason once, with its status")
    func reasons() throws {
        let rows = try Self.rows()
        #expect(rows.map(\.reason).sorted() == PushReason.allCases.map(\.rawValue).sorted())
        for row in rows { #expect(PushReason(rawValue: row.reason)?.status == row.status, "\(row.reason)") }
    }

    @Test("Each sentence in it is that of a test of the gateway, which is named after the reason")
    func sentences() throws {
        let folder = "Gateway/Tests/PushGatewayTests"
        let files = ["Request", "Limit", "Delivery", "Lifecycle", "Store", "Certificate", "Token"].map { "\($0)Tests" }
        let tests = try files.map { try Self.text("\(folder)/\($0).swift") }.joined()
        for row in try Self.rows() {
            let name = row.reason.prefix(1).lowercased() + row.reason.dropFirst()
            let lines = tests.split(separator: "\n")
            let place = lines.firstIndex { $0.contains("@Test(\"\(row.sentence)\")") }
            let found = try #require(place, "no test has the sentence of \(row.reason)")
            #expect(lines[found + 1].contains("func \(name)("), "\(row.reason)")
        }
    }
}
