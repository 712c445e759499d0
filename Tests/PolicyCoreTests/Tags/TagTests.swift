import Model
import PolicyCore
import Testing

/// Every tag in the stable form of events and effects is the one that it was when it was first written. The tables are
/// the enums of this folder; what is written comes from the samples of `CodingTests` and `EffectCodingTests`.
@Suite("Tags are for ever")
struct TagTests {
    /// What stands for one value: where its tag is in these bytes.
    private struct Written {
        var bytes: [UInt8]
        var place: Int
        var tag: UInt8? { place < bytes.count ? bytes[place] : nil }
    }

    private func expect<Value, Tag: RawRepresentable<UInt8> & CaseIterable & Hashable>(
        _ values: [Value], _ tag: (Value) -> Tag, _ written: (Value) -> Written
    ) {
        for value in values {
            #expect(written(value).tag == tag(value).rawValue, "the tag of \(value)")
        }
        #expect(Set(values.map(tag)) == Set(Tag.allCases), "each row of \(Tag.self) has a sample")
    }

    // MARK: What comes in

    private func bytes(_ event: Event) -> [UInt8] {
        var writer = ByteWriter()
        event.encode(into: &writer)
        return writer.bytes
    }

    @Test("Events") func events() {
        expect(CodingTests.events, \.tag) { Written(bytes: bytes($0), place: 0) }
    }

    @Test("Commands") func commands() {
        let commands = CodingTests.events.compactMap { if case .command(_, let command) = $0 { command } else { nil } }
        expect(commands, \.tag) { Written(bytes: bytes(.command(CommandID(0), $0)), place: 2) }
    }

    @Test("Requests of apps") func requests() {
        let requests = CodingTests.events.compactMap {
            if case .request(_, _, let request) = $0 { request } else { nil }
        }
        expect(requests, \.tag) { Written(bytes: bytes(.request(AppIndex(0), RequestID(0), $0)), place: 3) }
    }

    @Test("How processes end") func statuses() {
        let statuses: [Model.ExitStatus] = [.exited(0), .exited(7), .signaled(9), .unknown, .outOfMemory]
        expect(statuses, \.tag) {
            Written(bytes: bytes(.firstProcessEnded(AppIndex(0), Generation(0), $0)), place: 3)
        }
        expect(statuses, \.tag) { written(.end(.ended($0), name: "", state: .notRunning), 4) }
    }

    @Test("What surrounds the device") func conditions() {
        let conditions = CodingTests.events.compactMap {
            if case .conditionSensed(let condition) = $0 { condition } else { nil }
        }
        expect(conditions, \.tag) { Written(bytes: bytes(.conditionSensed($0)), place: 1) }
        expect(conditions, \.tag) { Written(bytes: bytes(.command(CommandID(0), .simulate($0))), place: 3) }
        expect(conditions, \.tag) { written(.conditionChanged($0), 1) }
    }

    // MARK: What goes out

    private static let actions = EffectCodingTests.actions

    private func bytes(_ action: Action) -> [UInt8] {
        var writer = ByteWriter()
        Effect(action).encode(into: &writer)
        return writer.bytes
    }

    @Test("Effects, and their kinds in recordings") func effects() {
        expect(Self.actions, \.tag) { Written(bytes: bytes($0), place: 0) }
        expect(Self.actions, \.tag) { Written(bytes: [EffectMark(Effect($0)).kind], place: 0) }
        for kind in EffectKind.all { #expect(kind.name == ActionTag(rawValue: kind.rawValue).map { "\($0)" }) }
    }

    @Test("Replies to apps") func replies() {
        let replies = Self.actions.compactMap { if case .reply(_, _, let reply) = $0 { reply } else { nil } }
        expect(replies, \.tag) { Written(bytes: bytes(.reply(AppIndex(0), RequestID(0), $0)), place: 4) }
    }

    private static let answers = actions.compactMap { if case .answer(_, let answer) = $0 { answer } else { nil } }

    @Test("Answers to tools") func answers() {
        expect(Self.answers, \.tag) { Written(bytes: bytes(.answer(CommandID(0), $0)), place: 3) }
    }

    private static let refusals = answers.compactMap { if case .refused(let refusal) = $0 { refusal } else { nil } }

    private func written(_ refusal: Refusal, _ place: Int) -> Written {
        Written(bytes: bytes(.answer(CommandID(0), .refused(refusal))), place: 4 + place)
    }

    @Test("Refusals") func refusals() {
        expect(Self.refusals, \.tag) { written($0, 0) }
        expect(Self.refusals, \.tag) { Written(bytes: bytes(.answer(CommandID(0), .overtaken($0))), place: 4) }
        expect(Self.refusals, \.tag) {
            Written(bytes: bytes(.reply(AppIndex(0), RequestID(0), .refused($0))), place: 5)
        }
    }

    @Test("Refusals of tasks of both kinds, and what keeps apps from being woken") func nestedRefusals() {
        let tasks = Self.refusals.compactMap { if case .task(let refusal) = $0 { refusal } else { nil } }
        expect(tasks, \.tag) { written(.task($0), 1) }
        expect(tasks, \.tag) { written(.taskRefused($0), 1) }
        let background = Self.refusals.compactMap {
            if case .backgroundTask(let refusal) = $0 { refusal } else { nil }
        }
        expect(background, \.tag) { written(.backgroundTask($0), 1) }
        expect(background, \.tag) { written(.taskRequestRefused($0), 1) }
        let obstacles = Self.refusals.compactMap { if case .notWoken(_, let obstacle) = $0 { obstacle } else { nil } }
        expect(obstacles, \.tag) { written(.notWoken("", $0), 2) }
        expect(obstacles, \.tag) { written(.notWoken(.fetch, because: $0), 2) }
    }

    // MARK: Reasons

    private static let reasons = actions.compactMap { if case .log(let entry) = $0 { entry.reason } else { nil } }

    /// `place` counts from the reason's own tag.
    private func written(_ reason: Reason, _ place: Int = 0) -> Written {
        let entry = LogEntry(
            sequence: LogSequence(0), at: WallTime(nanoseconds: 0), app: nil, event: .launched, reason: reason,
            cause: nil)
        return Written(bytes: bytes(.log(entry)), place: 6 + place)
    }

    @Test("Reasons") func allReasons() {
        expect(Self.reasons, \.tag) { written($0) }
    }

    @Test("Reasons of ends, and the limits among them") func ends() {
        let ends = Self.reasons.compactMap { if case .end(let end, _, _) = $0 { end } else { nil } }
        expect(ends, \.tag) { written(.end($0, name: "", state: .notRunning), 3) }
        let limits = ends.compactMap { if case .exceeded(let limit, _) = $0 { limit } else { nil } }
        expect(limits, \.tag) { written(.end(.exceeded($0, allowed: .zero), name: "", state: .notRunning), 4) }
    }

    @Test("What apps are woken for") func windows() {
        let windows = Self.reasons.compactMap { if case .woken(let kind, _) = $0 { kind } else { nil } }
        expect(windows, \.tag) { written(.woken($0, because: ""), 1) }
    }
}
