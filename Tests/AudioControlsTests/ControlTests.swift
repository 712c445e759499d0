import AudioControls
import AudioModel
import Testing

@Suite("What MPRIS asks for, in the words of apps")
struct ControlTests {
    private static let second: Int64 = 1_000_000

    private func translate(
        _ control: Control, _ commands: Set<AudioCommandKind>, plays: Bool = true, _ position: Double = 90
    ) -> PublishedState.Translation {
        var state = plays ? PublishedState.playing(commands, at: 0) : .paused(commands)
        (state.nowPlaying.elapsed, state.saidAt) = (position, 0)
        return state.translate(control, at: 0)
    }

    @Test func `A command that the app obeys is sent as it is`() {
        let all = Set(AudioCommandKind.allCases)
        let cases: [(Control, AudioCommand)] = [
            (.play, .play), (.pause, .pause), (.playPause, .toggle), (.stop, .stop), (.next, .next),
            (.previous, .previous), (.seek(15 * Self.second), .skipForward(15)),
            (.seek(-15 * Self.second), .skipBackward(15)), (.move(1_500_000), .seek(1.5)), (.rate(1.5), .rate(1.5)),
            (.shuffle(true), .shuffle(true)), (.loop(.one), .repeats(.one)),
        ]
        for (control, command) in cases { #expect(translate(control, all) == .command(command)) }
    }

    @Test func `One that the app does not obey is sent as another one that does the same, or refused`() {
        #expect(translate(.playPause, [.play, .pause]) == .command(.pause))
        #expect(translate(.playPause, [.play, .pause], plays: false) == .command(.play))
        #expect(translate(.playPause, [.play]) == .refused)
        #expect(translate(.play, [.toggle], plays: false) == .command(.toggle))
        #expect(translate(.play, [.toggle]) == .nothing, "toggling would pause")
        #expect(translate(.pause, [.toggle]) == .command(.toggle))
        #expect(translate(.pause, [.toggle], plays: false) == .nothing)
        #expect(translate(.stop, [.pause]) == .command(.pause))
        #expect(translate(.rate(0), [.pause]) == .command(.pause), "MPRIS has it so")
        let controls: [Control] = [
            .play, .pause, .playPause, .stop, .next, .previous, .seek(1), .move(1), .rate(1), .rate(0), .shuffle(true),
            .loop(.all),
        ]
        for control in controls {
            #expect(translate(control, []) == .refused)
            #expect(translate(control, [], plays: false) == .refused)
        }
    }

    @Test func `An app that moves to places is moved by seconds, and to the next track behind the end`() {
        #expect(translate(.seek(10 * Self.second), [.seek]) == .command(.seek(100)))
        #expect(translate(.seek(-100 * Self.second), [.seek]) == .command(.seek(0)))
        #expect(translate(.seek(3600 * Self.second), [.seek]) == .command(.seek(3600)))
        #expect(translate(.seek(3600 * Self.second), [.seek, .next]) == .command(.next))
        #expect(translate(.seek(3600 * Self.second), [.skipForward, .seek, .next]) == .command(.next))
        #expect(translate(.seek(3600 * Self.second), [.skipForward]) == .command(.skipForward(3600)))
        #expect(translate(.seek(10 * Self.second), [.skipForward, .next]) == .command(.skipForward(10)))
        #expect(translate(.seek(.min), [.seek]) == .command(.seek(0)))
        #expect(translate(.seek(.max), [.seek]) == .command(.seek(3600)))
        #expect(translate(.seek(0), [.seek]) == .nothing)
    }

    @Test func `An app that skips seconds is moved to places by the difference`() {
        let skips: Set<AudioCommandKind> = [.skipForward, .skipBackward]
        #expect(translate(.move(100 * Self.second), skips) == .command(.skipForward(10)))
        #expect(translate(.move(80 * Self.second), skips) == .command(.skipBackward(10)))
        #expect(translate(.move(90 * Self.second), skips) == .nothing)
        #expect(translate(.move(80 * Self.second), [.skipForward]) == .refused)
        for outside in [-1, 3_600_000_001, .max, .min] as [Int64] {
            #expect(translate(.move(outside), skips) == .nothing)
        }
    }

    @Test func `A rate that the app does not have becomes the nearest one`() {
        #expect(translate(.rate(9), [.rate]) == .command(.rate(2)))
        #expect(translate(.rate(0.1), [.rate]) == .command(.rate(0.5)))
        #expect(translate(.rate(.nan), [.rate]) == .nothing)
    }

    @Test func `A player stands still where it says so, by its state or by its rate`() {
        func status(_ state: NowPlaying.State, _ rate: Double?) -> PublishedState.Status {
            var playing = NowPlaying()
            (playing.state, playing.rate) = (state, rate)
            return PublishedState(playing, saidAt: 0).status
        }
        #expect(status(.playing, nil) == .playing && status(.playing, 2) == .playing)
        #expect(status(.playing, 0) == .paused && status(.paused, 1) == .paused)
        #expect(status(.interrupted, 1) == .paused && status(.stopped, 1) == .stopped)
        #expect(status(.unknown, 1) == .playing && status(.unknown, 0) == .paused && status(.unknown, nil) == .stopped)
    }

    @Test func `The position follows from what was said, and when, and never leaves the track`() {
        func position(_ elapsed: Double?, _ rate: Double?, after seconds: Int64) -> Int64 {
            var state = PublishedState.playing(at: 1_000_000_000)
            (state.nowPlaying.elapsed, state.nowPlaying.rate) = (elapsed, rate)
            return state.position(at: (1 + seconds) * 1_000_000_000)
        }
        #expect(position(10, 1, after: 5) == 15_000_000)
        #expect(position(10, 2, after: 5) == 20_000_000)
        #expect(position(10, 0, after: 5) == 10_000_000)
        #expect(position(10, -1, after: 5) == 5_000_000)
        #expect(position(10, -1, after: 50) == 0)
        #expect(position(3599, 1, after: 5) == 3_600_000_000)
        #expect(position(10, 1, after: -1) == 10_000_000, "it cannot be known before it was said")
        #expect(position(nil, 1, after: 5) == 0)
        for hostile in [Double.nan, .infinity, -.infinity, 1e300, -1e300] {
            #expect((0...3_600_000_000).contains(position(hostile, 1, after: 5)))
            #expect((0...3_600_000_000).contains(position(1, hostile, after: 5)))
        }
    }

    @Test func `A jump is what differs from what was expected, and a new track is expected at its beginning`() {
        let first = PublishedState.playing(at: 0)
        func next(_ seconds: Double, _ change: (inout PublishedState) -> Void) -> PublishedState {
            var state = first
            state.saidAt = Int64(seconds * 1e9)
            change(&state)
            return state
        }
        #expect(!next(10) { $0.nowPlaying.elapsed = 100 }.jumps(after: first))
        #expect(!next(10) { $0.nowPlaying.elapsed = 100.4 }.jumps(after: first), "apps round")
        #expect(next(10) { $0.nowPlaying.elapsed = 90 }.jumps(after: first))
        #expect(!next(10) { ($0.nowPlaying.title, $0.nowPlaying.elapsed) = ("Other", 0) }.jumps(after: first))
        #expect(next(10) { ($0.nowPlaying.title, $0.nowPlaying.elapsed) = ("Other", 60) }.jumps(after: first))
        let stopped = next(0) { $0.nowPlaying.state = .stopped }
        #expect(next(1) { $0.nowPlaying.elapsed = 90 }.jumps(after: stopped))
        #expect(!next(1) { $0.nowPlaying.elapsed = 0 }.jumps(after: stopped))
    }

    @Test func `An app that pauses and says nothing of its position stays where it is`() {
        let said = PublishedState.playing(at: 0)
        var paused = said
        paused.nowPlaying.rate = 0
        let shown = paused.continuing(said, said: said, at: 10_000_000_000)
        #expect(shown.position(at: 99_000_000_000) == 100_000_000)
        #expect(!shown.jumps(after: said))
        var again = paused
        again.nowPlaying.rate = 1
        let on = again.continuing(shown, said: paused, at: 20_000_000_000)
        #expect(on.position(at: 25_000_000_000) == 105_000_000)
        var other = paused
        other.nowPlaying.title = "Other"
        #expect(other.continuing(said, said: said, at: 10_000_000_000) == other)
    }

    @Test func `Identifiers become names that D-Bus allows, and two never become one`() {
        #expect(MPRIS.name(of: "org.example.A-1") == "org.mpris.MediaPlayer2.greenroom.org_example_A-1")
        #expect(MPRIS.name(of: "a_b") == "org.mpris.MediaPlayer2.greenroom.a_b__1")
        #expect(MPRIS.name(of: "a.b") == "org.mpris.MediaPlayer2.greenroom.a_b")
        #expect(MPRIS.name(of: String(repeating: "_", count: 127)).utf8.count <= 255)
        #expect(MPRIS.name(of: "7up") == "org.mpris.MediaPlayer2.greenroom._7up")
        #expect(MPRIS.name(of: "") == "org.mpris.MediaPlayer2.greenroom._")
        #expect(MPRIS.name(of: "ä/b c") == "org.mpris.MediaPlayer2.greenroom.___b_c")
        #expect(MPRIS.name(of: String(repeating: "1", count: 500)).utf8.count == 255)
        #expect(!MPRIS.isOther(MPRIS.name(of: "a")) && !MPRIS.isOther("org.mpris.MediaPlayer2.playerctld"))
        #expect(MPRIS.isOther("org.mpris.MediaPlayer2.vlc") && !MPRIS.isOther("org.mpris.MediaPlayer2"))
        #expect(MPRIS.isOther("org.mpris.MediaPlayer2.greenroomy"))
    }

    @Test func `Paths become addresses and addresses paths`() {
        for path in ["/", "/a b/ä%.png", "/100%/#?", "/\u{1}~-_."] {
            #expect(Texts.fileURL(path).flatMap { Texts.path($0, 1024) } == path)
        }
        #expect(Texts.fileURL("/a b%ä") == "file:///a%20b%25%C3%A4")
        #expect(Texts.fileURL("a") == nil && Texts.fileURL("") == nil && Texts.fileURL("/a\0b") == nil)
        #expect(Texts.path("file://localhost/a", 10) == "/a")
        let wrong = [
            "", "file://", "file:///%", "file:///%2", "file:///%zz", "file:///%+1", "file:///%00", "file:///%ff",
            "file://host/a", "http://a/b", "file:///0123456789",
        ]
        for url in wrong { #expect(Texts.path(url, 10) == nil, "\(url)") }
    }

    @Test func `Texts are cut by their bytes, whatever characters they are of`() {
        #expect(Texts.clean("a\0b\u{1b}[c\n", 100) == "ab[c")
        #expect(Texts.clean("äöü", 4) == "äö" && Texts.clean("äöü", 5) == "äö" && Texts.clean("äöü", 0) == "")
        // One character of a megabyte.
        let stack = "a" + String(repeating: "\u{301}", count: 500_000)
        #expect(stack.count == 1)
        #expect(Texts.clean(stack, 512).utf8.count == 511)
    }
}
