import AudioControls
import AudioModel
import DBus
import LinuxSystem
import TestBus
import Testing

@Suite("Players that mean harm", .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)))
struct HostilePlayerTests {
    @Test func `One that never answers is told of by what the bus knows, and by all when it thaws`() throws {
        let bus = try TestBus()
        let frozen = try FakePlayer(bus)
        frozen.freeze()
        let good = try FakePlayer(bus, [FakePlayer.vlc + ".good"])
        let listener = Listener(bus, patience: .seconds(1))
        #expect(try listener.awaitAppearance().id == good.id, "it does not wait for the other")
        let player = try listener.awaitAppearance()
        #expect(player.id == frozen.id && player.process == CurrentProcess.pid && player.identity == "vlc")
        #expect(!player.answers && player.nowPlaying.isEmpty)
        try good.set(["Metadata": FakePlayer.metadata("Two")])
        #expect(try listener.awaitChange().id == good.id)
        frozen.thaw()
        let thawed = try listener.awaitChange { $0.nowPlaying.title == "One" }
        #expect(thawed.id == frozen.id && thawed.answers)
        #expect(frozen.count("Metadata") == 1, "it was asked once")
    }

    @Test func `A flood is told of ten times a second at most, and how it ended at last`() throws {
        let bus = try TestBus()
        let fake = try FakePlayer(bus)
        let quiet = try FakePlayer(bus, [FakePlayer.vlc + ".quiet"])
        let listener = Listener(bus)
        for _ in 0..<2 { try listener.awaitAppearance() }
        let begin = Clock.monotonic()
        for number in 0..<3000 {
            try fake.set(["Metadata": FakePlayer.metadata("\(number)")])
            // The queue of signals is bounded: the bus has to have read some of them.
            if number % 500 == 0 { _ = try fake.peer.call(DBusCall.bus("GetId")) }
        }
        try fake.set(["Metadata": FakePlayer.metadata("Last")])
        try quiet.set(["Metadata": FakePlayer.metadata("Quiet")])
        var (count, quietIsTold, isLast) = (0, false, false)
        while !quietIsTold || !isLast {
            let player = try listener.awaitChange()
            if player.id == fake.id { count += 1 }
            quietIsTold = quietIsTold || player.nowPlaying.title == "Quiet"
            isLast = isLast || player.nowPlaying.title == "Last"
        }
        let seconds = Double(Clock.monotonic() - begin) / 1e9
        #expect(Double(count) <= 10 * seconds + 1)
        #expect(fake.count("Volume") > 1, "it was not listened to for a while, and asked then")
        #expect(try listener.send(.next, to: fake.id) == nil)
    }

    @Test func `Values of wrong types are taken for nothing said`() throws {
        let bus = try TestBus()
        var values = FakePlayer.values.mapValues { _ in DBusValue.array(.int32, [.int32(1)]) }
        values["CanPause"] = .boolean(false)
        let fake = try FakePlayer(bus, [FakePlayer.vlc], values)
        let listener = Listener(bus)
        let player = try listener.awaitAppearance()
        #expect(player.identity == "vlc" && player.desktopEntry == nil && player.nowPlaying.isEmpty)
        #expect(player.commands.isSuperset(of: [.play, .next]) && !player.commands.contains(.pause))
        let odd: [(String, DBusValue)] = [
            ("mpris:trackid", .string("/not/a path")), ("mpris:length", .double(.nan)), ("xesam:title", .int32(1)),
            ("xesam:artist", .string("One text")), ("xesam:album", .strings(["A", "B"])),
            ("xesam:genre", .array(.int32, [])), ("xesam:trackNumber", .string("3")),
            ("mpris:artUrl", .string("http://example.org/a.png")),
        ]
        try fake.set(["Metadata": .properties(odd), "Rate": .string("fast"), "Position": .double(-5)])
        let changed = try listener.awaitChange().nowPlaying
        var expected = NowPlaying()
        (expected.artist, expected.elapsed) = ("One text", 0)
        #expect(changed == expected)
        try fake.set(["Metadata": .properties(["mpris:length": .int64(.max)]), "Position": .int64(.max)])
        let endless = try listener.awaitChange().nowPlaying
        #expect(endless.duration == 3_155_760_000 && endless.elapsed == endless.duration)
        #expect(try listener.send(.seek(1e300), to: fake.id) == nil)
    }

    @Test func `What is huge is cut`() throws {
        let bus = try TestBus()
        let long = String(repeating: "é", count: 100_000)
        var values = FakePlayer.values
        (values["Identity"], values["DesktopEntry"]) = (.string(long), .string("../" + long))
        values["Metadata"] = .properties([
            "xesam:title": .string(long), "xesam:artist": .strings(Array(repeating: "artist", count: 20_000)),
            "mpris:artUrl": .string("file:///" + String(repeating: "a", count: 10_000)),
        ])
        let fake = try FakePlayer(bus, [FakePlayer.vlc], values)
        let player = try Listener(bus).awaitAppearance()
        #expect(player.identity.utf8.count == 512 && player.desktopEntry == nil)
        #expect(player.nowPlaying.title.map { (1...512).contains($0.utf8.count) } == true)
        #expect(player.nowPlaying.artist.map { (1...512).contains($0.utf8.count) } == true)
        #expect(player.nowPlaying.artwork == nil)
        withExtendedLifetime(fake) {}
    }

    @Test func `One that says more values than are read is known by the rest`() throws {
        let bus = try TestBus()
        var values = FakePlayer.values
        values["Metadata"] = .properties(["xesam:title": .array(.int32, Array(repeating: .int32(1), count: 70_000))])
        let fake = try FakePlayer(bus, [FakePlayer.vlc], values)
        let listener = Listener(bus)
        #expect(try listener.awaitAppearance().identity == "VLC media player")
        try listener.awaitChange { $0.nowPlaying.state == .playing }
        #expect(try listener.send(.pause, to: fake.id) == nil)
    }

    @Test func `One that comes and goes without end is told of and asked ten times a second at most`() throws {
        let bus = try TestBus()
        let begin = Clock.monotonic()
        let fake = try FakePlayer(bus)
        let listener = Listener(bus)
        try listener.awaitAppearance()
        for _ in 0..<200 {
            fake.disown(FakePlayer.vlc)
            fake.own(FakePlayer.vlc)
            while try fake.claims.next() != .owned {}
        }
        let good = try FakePlayer(bus, [FakePlayer.vlc + ".good"])
        var (count, isOver) = (1, false)
        while !isOver {
            guard case .appeared(let player) = try listener.told.next() else { continue }
            if player.id == good.id { isOver = true } else { count += 1 }
        }
        let most = Double(Clock.monotonic() - begin) / 1e8 + 2
        #expect(Double(count) <= most && Double(fake.count("Volume")) <= most)
        #expect(try listener.send(.next, to: good.id) == nil)
    }

    @Test func `Sixty-four are known, and the next one when one of them goes`() throws {
        let bus = try TestBus()
        let fakes = try (0..<OtherPlayers.most).map { try FakePlayer(bus, [FakePlayer.vlc + ".i\($0)"]) }
        let listener = Listener(bus)
        for _ in fakes { try listener.awaitAppearance() }
        let last = try FakePlayer(bus, [FakePlayer.vlc + ".last"])
        try fakes[0].set(["PlaybackStatus": .string("Paused")])
        try listener.awaitChange { $0.id == fakes[0].id && $0.nowPlaying.state == .paused }
        #expect(listener.players.count == OtherPlayers.most)
        fakes[7].die()
        #expect(try listener.told.next() == .gone(fakes[7].id))
        #expect(try listener.awaitAppearance().id == last.id)
        #expect(listener.players.count == OtherPlayers.most)
        let late = Listener(bus)
        for _ in fakes { try late.awaitAppearance() }
        withExtendedLifetime((fakes, last)) {}
    }
}

@Suite(
    "Players that mean harm, by GLib",
    .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)),
    .enabled(if: WickedPlayer.isThere, Comment(rawValue: WickedPlayer.missing)))
struct WickedPlayerTests {
    @Test func `One that lives and answers no question can still be sent a command`() throws {
        let bus = try TestBus()
        let wicked = try WickedPlayer(bus, .silent)
        let listener = Listener(bus, patience: .milliseconds(50))
        let player = try listener.awaitAppearance()
        #expect(player.process == wicked.process && player.identity == "wicked" && !player.answers)
        #expect(try listener.send(.toggle, to: player.id, timeout: .milliseconds(200)) == .silent(player: "wicked"))
        #expect(try wicked.questions() == 1)
    }

    @Test func `One that says more than a message may hold is known by the rest`() throws {
        let bus = try TestBus()
        let wicked = try WickedPlayer(bus, .huge)
        let listener = Listener(bus, patience: .milliseconds(50))
        let player = try listener.awaitAppearance()
        #expect(player.process == wicked.process)
        if player.nowPlaying.state == .unknown { try listener.awaitChange { $0.nowPlaying.state == .playing } }
        let known = try #require(listener.players.first)
        #expect(known.identity == "Wicked" && known.answers)
        #expect(try listener.send(.toggle, to: player.id) == nil)
        #expect(try wicked.questions() == 1)
    }

    @Test func `One that takes and gives up its name again and again is asked once`() throws {
        let bus = try TestBus()
        let listener = Listener(bus, patience: .milliseconds(50))
        let begin = Clock.monotonic()
        let wicked = try WickedPlayer(bus, .restless)
        let good = try FakePlayer(bus)
        var count = 0
        var present: Set<OtherPlayer.ID> = []
        while present.count < 2 {
            switch try listener.told.next() {
            case .appeared(let player):
                present.insert(player.id)
                if player.id != good.id { count += 1 }
            case .gone(let id): present.remove(id)
            case .changed: break
            }
        }
        #expect(Double(count) <= Double(Clock.monotonic() - begin) / 1e8 + 1)
        #expect(try wicked.questions() == 1)
        #expect(try listener.send(.next, to: good.id) == nil)
    }
}

extension DBusCall {
    /// A method of the bus itself.
    static func bus(_ method: String) -> DBusCall {
        DBusCall(method, of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", to: "org.freedesktop.DBus")
    }
}
