import Model
import Testing
import Timeline

@Suite("Tracks") struct TracksTests {
    private func app(_ tracks: Tracks) throws -> Tracks.App { try #require(tracks.apps.first) }

    @Test("States follow one another without a gap, and the last lasts until now")
    func states() throws {
        let tracks = Tracks(Sample.session, now: Sample.at(10))
        let states = try app(tracks).states
        #expect(
            states.map(\.value) == [.inactive, .active, .inactive, .background, .suspended, .background, .active])
        for (state, next) in zip(states, states.dropFirst()) { #expect(state.end == next.begin) }
        #expect(states.map(\.isOpen) == [false, false, false, false, false, false, true])
        #expect(states.last?.end == Sample.wall(10) && tracks.end == Sample.wall(10))
        #expect(tracks.begin == Sample.wall(0))
        #expect(try app(tracks).name == "Journal")
    }

    @Test("A callback lasts from its call to its return; other entries are moments; the device's stand apart")
    func entries() throws {
        let tracks = Tracks(Sample.session, now: nil)
        let calls = try app(tracks).callbacks
        #expect(calls.map(\.value.event).prefix(2) == ["didFinishLaunching", "didBecomeActive"])
        #expect(calls[0].begin == Sample.wall(1.05) && calls[0].end == Sample.wall(1.2))
        #expect(try app(tracks).entries.map(\.value.event) == ["launched", "suspended", "resumed"])
        #expect(tracks.device.map(\.value.event) == ["booted", "openRequested", "homePressed", "openRequested"])
    }

    @Test("An assertion lasts until it is dropped, and processor time is a share of the time it was used in")
    func used() throws {
        let app = try app(Tracks(Sample.session, now: nil))
        #expect(app.assertions.map(\.begin) == [Sample.wall(5.03)] && app.assertions.map(\.end) == [Sample.wall(7)])
        #expect(
            app.processor.map(\.value) == [0.25, 0.5] && app.processor.map(\.begin) == [Sample.wall(1), Sample.wall(5)])
    }

    @Test("Clocks that lie as far apart as numbers do are drawn as well as any")
    func farthestClocks() {
        let records = [0, Int64.min, 0, .max, 1].map { TimelineRecord(Instant(nanoseconds: 1), .clockSet(offset: $0)) }
        for count in 1...records.count {
            _ = Tracks(Array(records.prefix(count)), now: Instant(nanoseconds: .max), since: nil)
        }
    }

    @Test("With since, what ended before is left out, and what still was is there from its own beginning")
    func since() throws {
        let tracks = Tracks(Sample.session, now: Sample.at(10), since: Sample.wall(6))
        let states = try app(tracks).states
        #expect(states.map(\.value) == [.background, .suspended, .background, .active])
        #expect(states[0].begin == Sample.wall(5.04) && tracks.begin == Sample.wall(6))
        #expect(try app(tracks).callbacks.count == 1 && tracks.device.count == 1)
        #expect(try app(tracks).memory.count == 1, "what it had then is known from before")
    }

    @Test("A low priority lasts until another one is given, or the app ends")
    func priorities() throws {
        let news: [TimelineRecord] = [
            Sample.record(9.1, .priority(app: Sample.journal, .background)),
            Sample.record(9.2, .priority(app: Sample.journal, .timed)),
            // As a file tells it that begins here.
            Sample.record(9.3, .priority(app: Sample.journal, .timed)),
            Sample.record(9.4, .priority(app: Sample.journal, .foreground)),
            Sample.record(9.6, .priority(app: Sample.journal, .background)),
        ]
        let running = try app(Tracks(Sample.session + news, now: Sample.at(10))).priorities
        #expect(running.map(\.value) == [.background, .timed, .background])
        #expect(running.map(\.begin) == [9.1, 9.2, 9.6].map(Sample.wall))
        #expect(running.map(\.end) == [9.2, 9.4, 10].map(Sample.wall) && running.last?.isOpen == true)
        let end = Sample.record(9.8, .state(app: Sample.journal, .notRunning))
        let ended = try app(Tracks(Sample.session + news + [end], now: Sample.at(10))).priorities
        #expect(ended.last?.end == Sample.wall(9.8) && ended.last?.isOpen == false)
    }

    @Test("An app's end ends its state, its assertions and its memory")
    func end() throws {
        let end: [TimelineRecord] = [
            Sample.record(
                9.5, .assertionBegan(app: Sample.journal, HeldAssertion(id: 10, kind: "audio", name: "audio"))),
            Sample.record(9.8, .state(app: Sample.journal, .notRunning)),
            Sample.entry(9.8, Sample.journal, 13, "terminated", took: .milliseconds(5)),
        ]
        let app = try app(Tracks(Sample.session + end, now: Sample.at(20)))
        #expect(app.states.last?.end == Sample.wall(9.8) && app.states.last?.isOpen == false)
        #expect(app.assertions.last?.end == Sample.wall(9.8))
        #expect(app.memory.last?.value == .zero && app.memory.last?.at == Sample.wall(9.8))
        #expect(app.entries.last?.value.event == "terminated", "an end is no callback, however long it took")
    }

    @Test("A daemon that follows another breaks nothing off")
    func restarted() throws {
        let again = Sample.record(9.5, .began(Beginning(.restarted, boot: "a", offset: Sample.offset)))
        let app = try app(Tracks(Sample.session + [again], now: Sample.at(20)))
        #expect(app.states.last?.isOpen == true && app.states.last?.end == Sample.wall(20))
    }

    @Test("With the machine's boot everything ends where it was heard of last, and time goes on behind it")
    func reboot() throws {
        // Its clock was lost: it says 1970.
        let boot = TimelineRecord(
            Instant(nanoseconds: 5_000_000_000), .began(Beginning(.fresh, boot: "b", offset: 0)))
        let state = TimelineRecord(Instant(nanoseconds: 6_000_000_000), .state(app: Sample.journal, .active))
        let tracks = Tracks(Sample.session + [boot, state], now: Instant(nanoseconds: 8_000_000_000))
        let states = try app(tracks).states
        #expect(states[states.count - 2].end == Sample.wall(9.01))
        #expect(states.last?.begin == Sample.wall(10.01) && states.last?.end == Sample.wall(12.01))
    }

    @Test("Setting the clock stretches nothing: all of a boot is where the clock was set last")
    func clockSet() throws {
        let hour: Int64 = 3_600_000_000_000
        let set = Sample.record(6, .clockSet(offset: Sample.offset - hour))
        let place = try #require(Sample.session.firstIndex { $0.at > Sample.at(6) })
        var records = Sample.session
        records.insert(set, at: place)
        let (moved, still) = (Tracks(records, now: nil), Tracks(Sample.session, now: nil))
        for (a, b) in zip(try app(moved).states, try app(still).states) {
            #expect(a.begin.nanoseconds == b.begin.nanoseconds - hour && a.end.nanoseconds == b.end.nanoseconds - hour)
        }
    }

    @Test("Each daemon reads the clocks a moment apart, and every time stays the log's to the microsecond")
    func clockRead() throws {
        let again = Sample.record(6, .began(Beginning(.restarted, boot: "a", offset: Sample.offset + 1700)))
        let place = try #require(Sample.session.firstIndex { $0.at > Sample.at(6) })
        var records = Sample.session
        records.insert(again, at: place)
        let states = try app(Tracks(records, now: nil)).states
        #expect(states[3].begin == Sample.wall(5.04))
        #expect(states[4].begin.nanoseconds == Sample.wall(7.1).nanoseconds + 1700)
    }

    @Test("Nothing is nothing")
    func nothing() {
        #expect(Tracks([], now: nil).isEmpty)
        #expect(Tracks([], now: Sample.at(1)).apps.isEmpty)
    }
}
