import AudioControls
import AudioModel
import DBus
import LinuxSystem
import TestBus
import Testing

@Suite("Players of plain programs", .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)))
struct OtherPlayersTests {
    @Test func `Those that are there and those that come are told of, with all that they say`() throws {
        let bus = try TestBus()
        let first = try FakePlayer(bus)
        let listener = Listener(bus)
        let player = try listener.awaitAppearance()
        #expect(player.id == first.id && player.name == FakePlayer.vlc && player.answers)
        #expect(player.process == CurrentProcess.pid)
        #expect(player.identity == "VLC media player" && player.desktopEntry == "vlc")
        var playing = NowPlaying()
        (playing.title, playing.artist, playing.album, playing.genre) = ("One", "Ada, Grace", "Album", "Talk")
        (playing.duration, playing.elapsed, playing.rate, playing.track) = (240, 30, 1, 3)
        (playing.artwork, playing.state) = ("/tmp/a b.png", .playing)
        #expect(player.nowPlaying == playing)
        #expect(player.elapsed(at: player.saidAt + 5_000_000_000) == 35)
        #expect(player.elapsed(at: player.saidAt + 500_000_000_000) == 240)
        #expect(
            player.commands == [
                .play, .pause, .toggle, .stop, .next, .previous, .seek, .skipForward, .skipBackward, .rate, .shuffle,
                .repeats,
            ])
        let second = try FakePlayer(
            bus, ["org.mpris.MediaPlayer2.mpv.instance1"],
            ["PlaybackStatus": .string("Stopped"), "CanControl": .boolean(false)])
        let other = try listener.awaitAppearance()
        #expect(other.id == second.id && other.identity == "mpv" && other.desktopEntry == nil)
        #expect(other.nowPlaying.state == .stopped && other.commands.isEmpty)
        #expect(listener.players.map(\.id) == [first.id, second.id])
        first.die()
        #expect(try listener.told.next() == .gone(first.id))
        second.disown("org.mpris.MediaPlayer2.mpv.instance1")
        #expect(try listener.told.next() == .gone(second.id))
        #expect(listener.players.isEmpty && listener.told.rest.isEmpty)
    }

    @Test func `Greenroom's own players, playerctld and what is no player are not told of`() throws {
        let bus = try TestBus()
        let listener = Listener(bus)
        let stage = try Stage(bus)
        let others = try ["org.mpris.MediaPlayer2.playerctld", "org.mpris.MediaPlayer2", "org.mpris.MediaPlayer3.a"]
            .map { try FakePlayer(bus, [$0]) }
        let late = Listener(bus)
        let player = try FakePlayer(bus)
        #expect(try listener.awaitAppearance().id == player.id)
        #expect(try late.awaitAppearance().id == player.id)
        withExtendedLifetime((stage, others)) {}
    }

    @Test func `Changes are told, and a pause asks how far it is`() throws {
        let bus = try TestBus()
        let fake = try FakePlayer(bus)
        let listener = Listener(bus)
        try listener.awaitAppearance()
        try fake.set(["Position": .int64(77_000_000)], isSilent: true)
        try fake.set(["PlaybackStatus": .string("Paused")])
        #expect(try listener.awaitChange { $0.nowPlaying.elapsed == 77 }.nowPlaying.state == .paused)
        try fake.seek(to: 100_000_000)
        #expect(try listener.awaitChange().nowPlaying.elapsed == 100)
        try fake.set(["CanGoNext": .boolean(false)])
        #expect(try listener.awaitChange().commands.contains(.next) == false)
        try fake.set(["Metadata": FakePlayer.metadata("Two"), "Position": .int64(0)])
        let next = try listener.awaitChange()
        #expect(next.nowPlaying.title == "Two" && next.nowPlaying.elapsed == 0)
        try fake.say(.properties(["Identity": .string("Another name")]), of: Remote.root)
        #expect(try listener.awaitChange().identity == "Another name")
        try fake.say(.properties(["Identity": .string("Wrong")]), of: "org.example.Other")
        try fake.set(["Position": .int64(5_000_000)], isSilent: true)
        listener.on { $0.askPosition(of: fake.id) }
        #expect(try listener.awaitChange().nowPlaying.elapsed == 5)
        #expect(listener.told.rest.isEmpty)
    }

    @Test func `What a player only says to have changed is asked for`() throws {
        let bus = try TestBus()
        let fake = try FakePlayer(bus)
        let listener = Listener(bus)
        try listener.awaitAppearance()
        try fake.set(["Metadata": FakePlayer.metadata("Two"), "CanSeek": .boolean(false)], isSilent: true)
        try fake.say(.properties([]), invalid: ["Metadata", "CanSeek"])
        let player = try listener.awaitChange { $0.nowPlaying.title == "Two" }
        #expect(!player.commands.contains(.seek))
        try fake.set(["DesktopEntry": .string("other")], isSilent: true)
        try fake.say(.properties([]), invalid: ["DesktopEntry"], of: Remote.root)
        try listener.awaitChange { $0.desktopEntry == "other" }
    }

    @Test func `Other programs cannot speak in a player's name`() throws {
        let bus = try TestBus()
        let fake = try FakePlayer(bus)
        let listener = Listener(bus)
        try listener.awaitAppearance()
        let forger = try FakePlayer(bus, [])
        try forger.set(["PlaybackStatus": .string("Stopped")])
        try forger.seek(to: 1)
        try fake.set(["Metadata": FakePlayer.metadata("Two")])
        #expect(try listener.awaitChange().nowPlaying.state == .playing)
    }

    @Test func `A name that goes to another program means that one`() throws {
        let bus = try TestBus()
        let first = try FakePlayer(bus)
        let listener = Listener(bus)
        try listener.awaitAppearance()
        var values = FakePlayer.values
        values["Identity"] = .string("Another one")
        let second = try FakePlayer(bus, [FakePlayer.vlc], values, replaces: true)
        #expect(try listener.told.next() == .gone(first.id))
        let player = try listener.awaitAppearance()
        #expect(player.id == second.id && player.identity == "Another one")
        #expect(try listener.send(.next, to: first.id) == .unknown(first.id))
        #expect(try listener.send(.next, to: second.id) == nil)
        #expect(try second.called.next() == .structure([.string("Next")]))
        // The first one was next in the queue.
        second.die()
        #expect(try listener.told.next() == .gone(second.id))
        #expect(try listener.awaitAppearance().id == first.id)
        #expect(first.called.rest.isEmpty)
    }

    @Test func `A program with two names is one player, as long as it has one of them`() throws {
        let bus = try TestBus()
        let long = FakePlayer.vlc + ".instance12"
        let fake = try FakePlayer(bus, [long, FakePlayer.vlc])
        let listener = Listener(bus)
        #expect(try listener.awaitAppearance().name.hasPrefix(FakePlayer.vlc))
        fake.disown(FakePlayer.vlc)
        try listener.awaitChange { $0.name == long }
        fake.own(FakePlayer.vlc)
        try listener.awaitChange { $0.name == FakePlayer.vlc }
        fake.disown(long)
        fake.disown(FakePlayer.vlc)
        #expect(try listener.told.next() == .gone(fake.id))
    }

    @Test func `Without a bus there are no players, and they are listed again when it is back`() throws {
        let bus = try TestBus(isRunning: false)
        let listener = Listener(bus)
        #expect(listener.players.isEmpty)
        #expect(try listener.send(.play, to: ":1.7") == .unknown(":1.7"))
        try bus.start()
        var fakes = try ["a", "b"].map { try FakePlayer(bus, [FakePlayer.vlc + ".\($0)"]) }
        let before = try Set(fakes.map { _ in try listener.awaitAppearance().id })
        #expect(before == Set(fakes.map(\.id)))
        bus.stop()
        let gone = try (0..<2).map { _ in try listener.told.next() }
        #expect(Set(gone) == Set(before.map { .gone($0) }) && listener.players.isEmpty)
        fakes = []
        try bus.start()
        let again = try FakePlayer(bus)
        #expect(try listener.awaitAppearance().id == again.id)
        listener.on { $0.end() }
        again.die()
        bus.stop()
        #expect(listener.players.isEmpty && listener.told.rest == [])
    }
}

@Suite("Commands to plain programs", .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)))
struct SendingTests {
    private func meet(
        _ given: TestBus? = nil, _ values: [String: DBusValue] = FakePlayer.values
    ) throws -> (fake: FakePlayer, listener: Listener) {
        let bus = try given ?? TestBus()
        let fake = try FakePlayer(bus, [FakePlayer.vlc], values)
        let listener = Listener(bus)
        try listener.awaitAppearance()
        return (fake, listener)
    }

    @Test func `A command is what MPRIS calls so`() throws {
        let (fake, listener) = try meet()
        let cases: [(AudioCommand, String, [DBusValue])] = [
            (.play, "Play", []), (.pause, "Pause", []), (.stop, "Stop", []), (.toggle, "PlayPause", []),
            (.next, "Next", []), (.previous, "Previous", []), (.skipForward(15), "Seek", [.int64(15_000_000)]),
            (.skipBackward(1.5), "Seek", [.int64(-1_500_000)]),
            (.seek(60), "SetPosition", [.objectPath("/vlc/7"), .int64(60_000_000)]),
            (.seek(-1), "SetPosition", [.objectPath("/vlc/7"), .int64(0)]), (.rate(1.5), "Rate", [.double(1.5)]),
            (.rate(100), "Rate", [.double(4)]), (.shuffle(true), "Shuffle", [.boolean(true)]),
            (.repeats(.one), "LoopStatus", [.string("Track")]), (.repeats(.all), "LoopStatus", [.string("Playlist")]),
        ]
        for (command, name, arguments) in cases {
            #expect(try listener.send(command, to: fake.id) == nil)
            #expect(try fake.called.next() == .structure([.string(name)] + arguments))
        }
        #expect(fake.called.rest.isEmpty)
    }

    @Test func `What MPRIS has no words for, and what a player cannot, is refused in a sentence`() throws {
        let (fake, listener) = try meet()
        for command in [.like, .dislike, .bookmark, .rating(1), .beginSeekingForward, .endSeekingBackward]
            as [AudioCommand]
        {
            #expect(try listener.send(command, to: fake.id) == .inexpressible(command.kind))
        }
        try fake.set(["CanGoNext": .boolean(false), "CanPause": .boolean(false)])
        try listener.awaitChange()
        let failure = try listener.send(.next, to: fake.id)
        #expect(failure == .unable(player: "VLC media player", .next) && failure?.status == .noActionableItem)
        #expect(
            failure.map { "\($0)" } == "“VLC media player” says that it cannot follow the command “next” now.")
        #expect(try listener.send(.toggle, to: fake.id) == .unable(player: "VLC media player", .pause))
        try fake.set(["PlaybackStatus": .string("Paused")])
        try listener.awaitChange()
        #expect(try listener.send(.toggle, to: fake.id) == nil)
        #expect(try fake.called.next() == .structure([.string("Play")]))
        #expect(try listener.send(.play, to: ":1.999") == .unknown(":1.999"))
        fake.behave(.refuses)
        #expect(
            try listener.send(.previous, to: fake.id) == .refused(player: "VLC media player", why: "no more tracks"))
    }

    @Test(arguments: [
        DBusValue.string("spotify:track:1"), .string("/org/mpris/MediaPlayer2/TrackList/NoTrack"),
        .objectPath("/org/mpris/MediaPlayer2/TrackList/NoTrack"), .int64(7),
    ])
    func `A player that does not name its track is moved by the difference, or not at all`(_ track: DBusValue) throws {
        var values = FakePlayer.values
        values["PlaybackStatus"] = .string("Paused")
        values["Metadata"] = .properties(["xesam:title": .string("One"), "mpris:trackid": track])
        let (fake, listener) = try meet(nil, values)
        #expect(try listener.send(.seek(40), to: fake.id) == nil)
        #expect(try fake.called.next() == .structure([.string("Seek"), .int64(10_000_000)]))
        values["Position"] = nil
        let (lost, other) = try meet(nil, values)
        #expect(try other.send(.seek(40), to: lost.id) == .lost(player: "VLC media player"))
        #expect(try other.send(.seek(40), to: lost.id)?.status == .noActionableItem)
    }

    @Test func `One that quits in the middle, or whose bus goes, is said to`() throws {
        let bus = try TestBus()
        let (fake, listener) = try meet(bus)
        fake.behave(.holds)
        let first = listener.begin(.next, to: fake.id)
        _ = try fake.called.next()
        fake.die()
        #expect(try first.next() == .ended(player: "VLC media player"))
        #expect(try listener.told.next() == .gone(fake.id))

        let other = try FakePlayer(bus)
        try listener.awaitAppearance()
        other.behave(.holds)
        let second = listener.begin(.next, to: other.id)
        _ = try other.called.next()
        bus.stop()
        #expect(try second.next() == .noBus)
    }

    @Test func `One that reads a command and says nothing is given up after a while`() throws {
        let (fake, listener) = try meet()
        fake.behave(.holds)
        #expect(
            try listener.send(.next, to: fake.id, timeout: .milliseconds(50)) == .silent(player: "VLC media player"))
        #expect(try listener.awaitChange().answers == false)
        fake.behave(.answers)
        #expect(try listener.send(.next, to: fake.id) == nil)
        #expect(try listener.awaitChange().answers)
    }

    @Test func `A frozen program is given up, and does not follow the command when it thaws`() throws {
        let bus = try TestBus()
        let (fake, listener) = try meet(bus)
        fake.freeze()
        #expect(
            try listener.send(.next, to: fake.id, timeout: .milliseconds(50)) == .silent(player: "VLC media player"))
        let frozen = try listener.awaitChange()
        #expect(!frozen.answers && frozen.nowPlaying.title == "One", "it is known by what it said last")
        // Others are served meanwhile.
        let other = try FakePlayer(bus, [FakePlayer.vlc + ".other"])
        #expect(try listener.awaitAppearance().id == other.id)
        #expect(try listener.send(.next, to: other.id) == nil)
        fake.thaw()
        #expect(try listener.send(.previous, to: fake.id) == nil)
        #expect(try fake.called.next() == .structure([.string("Previous")]))
        #expect(fake.called.rest.isEmpty)
        #expect(try listener.awaitChange().answers)
    }
}
