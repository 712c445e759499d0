import Model
import Testing
import Timeline

/// The tags of the ring's records: files outlive the daemon that wrote them. A new kind gets a new row, and no row ever
/// changes.
private enum HappeningTag: UInt8, CaseIterable {
    case began = 1
    case clockSet = 2
    case named = 3
    case state = 4
    case entry = 5
    case assertionBegan = 6
    case assertionEnded = 7
    case processorUsed = 8
    case memory = 9
    case available = 10
    case report = 11
    case priority = 12
    case networkUsed = 13
    case diskUsed = 14
}

extension Happening {
    fileprivate var tag: HappeningTag {
        switch self {
        case .began: .began
        case .clockSet: .clockSet
        case .named: .named
        case .state: .state
        case .entry: .entry
        case .assertionBegan: .assertionBegan
        case .assertionEnded: .assertionEnded
        case .processorUsed: .processorUsed
        case .memory: .memory
        case .available: .available
        case .report: .report
        case .priority: .priority
        case .networkUsed: .networkUsed
        case .diskUsed: .diskUsed
        }
    }
}

@Suite("Tags of the ring are for ever") struct TagTests {
    private static let rows: [(Happening, [UInt8])] = [
        (.began(Beginning(.restarted, boot: "a", offset: 1, standing: 3)), [1, 0, 1, 0, 1, 97, 2, 3]),
        (.clockSet(offset: 1), [2, 0, 2]),
        (.named(app: "a", name: "b"), [3, 0, 0, 1, 97, 0, 1, 98]),
        (.state(app: "a", .active), [4, 0, 0, 1, 97, 2]),
        (
            .entry(
                TimelineEntry(
                    app: nil, sequence: 3, event: "a", reason: "b", cause: 1, took: Model.Span(nanoseconds: 2))),
            [5, 0, 0, 3, 0, 1, 97, 0, 1, 98, 1, 2, 1, 4]
        ),
        (
            .assertionBegan(app: "a", HeldAssertion(id: 7, kind: "b", name: "c", expires: Instant(nanoseconds: 1))),
            [6, 0, 0, 1, 97, 7, 0, 1, 98, 0, 1, 99, 1, 2]
        ),
        (.assertionEnded(app: "a", id: 7), [7, 0, 0, 1, 97, 7]),
        (
            .processorUsed(app: "a", used: Model.Span(nanoseconds: 1), over: Model.Span(nanoseconds: 2)),
            [8, 0, 1, 0, 1, 97, 2, 4]
        ),
        (.memory(app: "a", Footprint(dirty: 1, purgeable: 2, clean: 3)), [9, 0, 0, 1, 97, 2, 4, 6]),
        (.available(bytes: 1, budget: 2), [10, 0, 2, 4]),
        (
            .report(app: "a", TimelineReport(id: "b", namespace: "c", code: 1, reason: "d")),
            [11, 0, 0, 1, 97, 0, 1, 98, 0, 1, 99, 2, 0, 1, 100]
        ),
        (.priority(app: "a", .background), [12, 0, 0, 1, 97, 1]),
        (
            .networkUsed(app: "a", sent: 1, received: 2, over: Model.Span(nanoseconds: 3)),
            [13, 0, 0, 1, 97, 2, 4, 6]
        ),
        (.diskUsed(app: "a", read: 1, written: 2, over: Model.Span(nanoseconds: 3)), [14, 0, 0, 1, 97, 2, 4, 6]),
    ]

    @Test("Every kind of record has the bytes that it always had")
    func bytes() {
        for (what, bytes) in Self.rows {
            var writer = SegmentWriter()
            #expect(writer.encode([TimelineRecord(Instant(nanoseconds: 0), what)]) == bytes)
            #expect(bytes.first == what.tag.rawValue)
        }
        #expect(Set(Self.rows.map(\.0.tag)) == Set(HappeningTag.allCases), "each kind has a row")
    }

    @Test("Why a file begins has the number that it always had")
    func beginnings() {
        let table: [(Beginning.Kind, UInt8)] = [(.fresh, 0), (.restarted, 1), (.continued, 2)]
        for (kind, number) in table { #expect(kind.rawValue == number) }
        #expect(table.count == Beginning.Kind.allCases.count)
    }
}
