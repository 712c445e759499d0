import AudioControls
import AudioModel
import DBus
import LinuxSystem
import TestBus
import Testing

@Suite("Apps' players on the bus", .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)))
struct PublishedPlayerTests {
    @Test func `It shows what it is and what it plays`() throws {
        let bus = try TestBus()
        let stage = try Stage(bus)
        let remote = try Remote(bus, "org.mpris.MediaPlayer2.greenroom.org_example_Podcasts")
        #expect(
            try remote.all(of: Remote.root) == [
                "Identity": .string("Podcasts"), "DesktopEntry": .string("greenroom-org.example.Podcasts"),
                "CanRaise": .boolean(true), "CanQuit": .boolean(false), "HasTrackList": .boolean(false),
                "SupportedUriSchemes": .strings([]), "SupportedMimeTypes": .strings([]),
            ])
        var player = try remote.all(of: Remote.player)
        let (metadata, position) = (try #require(player["Metadata"]), try #require(player["Position"]?.int))
        (player["Metadata"], player["Position"]) = (nil, nil)
        #expect((90_000_000..<150_000_000).contains(position))
        #expect(
            player == [
                "PlaybackStatus": .string("Playing"), "LoopStatus": .string("None"), "Rate": .double(1),
                "Shuffle": .boolean(false), "Volume": .double(1), "MinimumRate": .double(0.5),
                "MaximumRate": .double(2), "CanGoNext": .boolean(true), "CanGoPrevious": .boolean(true),
                "CanPlay": .boolean(true), "CanPause": .boolean(true), "CanSeek": .boolean(true),
                "CanControl": .boolean(true),
            ])
        guard case .dictionary(.string, .variant, let entries) = metadata else { throw DBusError.notConnected }
        #expect(
            Dictionary(entries.map { ($0.key.string ?? "", $0.value.plain) }) { $1 } == [
                "mpris:trackid": .objectPath("/org/greenroom/track/1"), "mpris:length": .int64(3_600_000_000),
                "mpris:artUrl": .string("file:///tmp/Gr%C3%B6%C3%9Fe%201%25.png"),
                "xesam:title": .string("Episode 7"), "xesam:artist": .strings(["Ada & Grace"]),
                "xesam:album": .string("The Show"), "xesam:genre": .strings(["Talk"]), "xesam:trackNumber": .int32(7),
            ])
        withExtendedLifetime(stage) {}
    }

    @Test func `It describes itself as the specification does`() throws {
        let bus = try TestBus()
        let stage = try Stage(bus)
        let remote = try Remote(bus, stage.name)
        let text = try remote.call("Introspect", of: "org.freedesktop.DBus.Introspectable").get().first?.string ?? ""
        for method in ["Next", "Previous", "Pause", "PlayPause", "Stop", "Play", "Raise", "Quit"] {
            #expect(text.contains("<method name=\"\(method)\">\n  </method>"))
        }
        for method in ["Seek", "SetPosition", "OpenUri"] { #expect(text.contains("<method name=\"\(method)\">")) }
        #expect(text.contains("<arg name=\"TrackId\" type=\"o\" direction=\"in\"/>"))
        #expect(text.contains("<signal name=\"Seeked\">\n   <arg name=\"Position\" type=\"x\"/>"))
        for property in ["LoopStatus", "Rate", "Shuffle", "Volume"] {
            let start = try #require(text.firstRange(of: "<property name=\"\(property)\""))
            #expect(text[start.upperBound...].prefix(40).contains("access=\"readwrite\""))
        }
        let position = "name=\"Position\" type=\"x\" access=\"read\">\n   <annotation"
        let start = try #require(text.firstRange(of: position))
        #expect(text[start.upperBound...].prefix(80).contains("EmitsChangedSignal\" value=\"false\""))
    }

    @Test func `What a control asks for is answered when the app has answered`() throws {
        let bus = try TestBus()
        let stage = try Stage(bus)
        let remote = try Remote(bus, stage.name)
        stage.behave(nil)
        let answers = Mailbox<Result<[DBusValue], DBusError>>()
        remote.peer.on { connection in
            for method in ["Next", "Previous"] {
                connection.call(DBusCall(method, of: Remote.player, at: Remote.path, to: stage.name)) {
                    answers.post($0)
                }
            }
        }
        #expect(try stage.commands.next() == .next)
        #expect(try stage.commands.next() == .previous)
        // It has answered other things meanwhile.
        #expect(try remote.get("PlaybackStatus") == .string("Playing"))
        #expect(answers.rest.isEmpty)
        stage.answer(.done)
        for _ in 0..<2 { #expect(try answers.next() == .success([])) }
    }

    @Test func `Why it did not is said in a sentence`() throws {
        let bus = try TestBus()
        let stage = try Stage(bus, .podcasts, .playing([.play, .pause]))
        let remote = try Remote(bus, stage.name)
        func answer(_ method: String, _ answer: PublishedAnswer) throws -> Result<[DBusValue], DBusError> {
            stage.behave(answer)
            return try remote.call(method)
        }
        func refusal(_ name: String, _ message: String) -> Result<[DBusValue], DBusError> {
            .failure(.refused(name: "org.mpris.MediaPlayer2.Player.Error.\(name)", message: message))
        }
        #expect(
            try answer("Play", PublishedAnswer(.noSuchContent))
                == refusal("NoSuchContent", "“Podcasts” does not have what it was asked for."))
        #expect(
            try answer("Pause", .failed(.failed, why: "“Podcasts” is not running."))
                == refusal("Failed", "“Podcasts” is not running."))
        #expect(try answer("Play", PublishedAnswer(.success)) == .success([]))
        #expect(try answer("Next", .done) == refusal("NotSupported", "“Podcasts” does not obey Next now."))
        #expect(
            try remote.call("OpenUri", [.string("file:///a")])
                == refusal("NotSupported", "“Podcasts” does not obey OpenUri now."))
        #expect(
            try remote.call("Quit", of: Remote.root)
                == refusal("NotSupported", "“Podcasts” does not obey Quit now."))
        for (property, value) in [
            ("Rate", .double(2)), ("Shuffle", .boolean(true)), ("LoopStatus", .string("Track")),
        ] as [(String, DBusValue)] {
            guard case .refused(let name, _)? = try remote.set(property, value) else { throw DBusError.timedOut }
            #expect(name.hasSuffix("NotSupported"))
        }
        #expect(stage.commands.rest.count == 3)
    }

    @Test func `A control does not wait for an app whose player has ended`() throws {
        let bus = try TestBus()
        let stage = try Stage(bus)
        let remote = try Remote(bus, stage.name)
        stage.behave(nil)
        let answers = Mailbox<Result<[DBusValue], DBusError>>()
        remote.peer.on { connection in
            connection.call(DBusCall("Next", of: Remote.player, at: Remote.path, to: stage.name)) { answers.post($0) }
        }
        _ = try stage.commands.next()
        stage.end()
        guard case .failure = try answers.next() else { throw DBusError.timedOut }
        #expect(try remote.owners.next() == nil)
        stage.answer(.done)
        stage.update { $0.volume = 0 }
    }

    @Test func `Properties that are set become commands, and values that are none are refused`() throws {
        let bus = try TestBus()
        let stage = try Stage(bus)
        let remote = try Remote(bus, stage.name)
        #expect(try remote.set("LoopStatus", .string("Playlist")) == nil)
        #expect(try remote.set("Shuffle", .boolean(true)) == nil)
        #expect(try remote.set("Rate", .double(1.5)) == nil)
        #expect(try remote.set("Rate", .double(0)) == nil)
        for command in [.repeats(.all), .shuffle(true), .rate(1.5), .pause] as [AudioCommand] {
            #expect(try stage.commands.next() == command)
        }
        for (given, volume) in [(0.25, 0.25), (-1, 0), (7, 1)] {
            #expect(try remote.set("Volume", .double(given)) == nil)
            #expect(try stage.volumes.next() == volume)
        }
        for (property, value) in [
            ("LoopStatus", .string("Sometimes")), ("LoopStatus", .int32(1)), ("Shuffle", .string("On")),
            ("Rate", .int32(1)), ("Volume", .double(.nan)),
        ] as [(String, DBusValue)] {
            guard case .refused(DBusError.Name.invalidArgs, _)? = try remote.set(property, value) else {
                Issue.record("\(property) took \(value)")
                continue
            }
        }
        guard case .refused(DBusError.Name.propertyReadOnly, _)? = try remote.set("Position", .int64(0)) else {
            throw DBusError.timedOut
        }
        #expect(stage.commands.rest.isEmpty && stage.volumes.rest.isEmpty)
        stage.on { $0.onVolume = nil }
        #expect(try remote.set("Volume", .double(1)) != nil)
    }

    @Test func `A control that means another track moves nothing`() throws {
        let bus = try TestBus()
        let stage = try Stage(bus)
        let remote = try Remote(bus, stage.name)
        let first = try remote.track()
        stage.update { $0.nowPlaying.title = "Episode 8" }
        let second = try remote.track()
        #expect(first != second)
        for (track, position) in [
            (first, 5_000_000), (.objectPath("/org/mpris/MediaPlayer2/TrackList/NoTrack"), 5_000_000), (second, -1),
            (second, 3_600_000_001),
        ] as [(DBusValue, Int64)] {
            #expect(try remote.call("SetPosition", [track, .int64(position)]) == .success([]))
        }
        #expect(stage.commands.rest.isEmpty)
        #expect(try remote.call("SetPosition", [second, .int64(5_000_000)]) == .success([]))
        #expect(try stage.commands.next() == .seek(5))
        #expect(try remote.call("Seek", [.int64(-10_000_000)]) == .success([]))
        #expect(try stage.commands.next() == .skipBackward(10))
        #expect(try remote.call("Raise", of: Remote.root) == .success([]))
        #expect(try stage.raises.next())
    }

    @Test func `Clients hear of what has changed, once and together, and never of the position`() throws {
        let bus = try TestBus()
        let stage = try Stage(bus)
        let remote = try Remote(bus, stage.name)
        stage.update { _ in }
        stage.update { state in
            (state.nowPlaying.elapsed, state.saidAt) = (90, state.saidAt)
            state.nowPlaying.state = .paused
            state.nowPlaying.rate = 0
            state.isShuffled = true
        }
        #expect(try remote.changes.next() == ["PlaybackStatus": .string("Paused"), "Shuffle": .boolean(true)])
        stage.update { state in
            state.commands = [.play]
            state.volume = 0.5
            state.repeats = .one
        }
        #expect(
            try remote.changes.next() == [
                "CanGoNext": .boolean(false), "CanGoPrevious": .boolean(false), "CanPause": .boolean(false),
                "CanSeek": .boolean(false), "Volume": .double(0.5), "LoopStatus": .string("Track"),
                "MinimumRate": .double(1), "MaximumRate": .double(1),
            ])
        stage.update { $0.commands = [] }
        #expect(try remote.changes.next() == ["CanPlay": .boolean(false), "CanControl": .boolean(false)])
        stage.update { $0.nowPlaying = NowPlaying() }
        let last = try remote.changes.next()
        #expect(Set(last.keys) == ["PlaybackStatus", "Metadata"])
        #expect(last["Metadata"] == .properties([]))
        #expect(remote.changes.rest.isEmpty && remote.seeks.rest.isEmpty)
    }

    @Test func `What buttons are to skip by can be read, and goes with the setting`() throws {
        let bus = try TestBus()
        let stage = try Stage(bus)
        let remote = try Remote(bus, stage.name)
        #expect(try remote.get("Metadata")?["greenroom:skipForwardInterval"] == nil)
        stage.update { ($0.nowPlaying.skipForward, $0.nowPlaying.skipBackward) = (30, 12.5) }
        let metadata = try #require(try remote.changes.next()["Metadata"])
        #expect(metadata["greenroom:skipForwardInterval"] == .double(30))
        #expect(metadata["greenroom:skipBackwardInterval"] == .double(12.5))
        stage.update { ($0.nowPlaying.skipForward, $0.nowPlaying.skipBackward) = (nil, -.infinity) }
        let without = try #require(try remote.changes.next()["Metadata"])
        #expect(without["greenroom:skipForwardInterval"] == nil && without["greenroom:skipBackwardInterval"] == nil)
    }

    @Test func `A jump is signalled, and what goes on as expected is not`() throws {
        let bus = try TestBus()
        let stage = try Stage(bus)
        let remote = try Remote(bus, stage.name)
        stage.update { state in
            state.nowPlaying.elapsed = 90 + Double(Clock.boot() - state.saidAt) / 1e9
            state.saidAt = Clock.boot()
        }
        stage.update { ($0.nowPlaying.elapsed, $0.saidAt) = (1000, Clock.boot()) }
        let seeked = try remote.seeks.next()
        #expect((1_000_000_000..<1_060_000_000).contains(seeked))
        stage.update { state in
            (state.nowPlaying.elapsed, state.saidAt) = (0, Clock.boot())
            state.nowPlaying.title = "Episode 8"
        }
        #expect(try remote.changes.next()["Metadata"]?["xesam:title"] == .string("Episode 8"))
        #expect(remote.seeks.rest.isEmpty && remote.changes.rest.isEmpty)
        let position = try #require(try remote.get("Position")?.int)
        #expect((0..<60_000_000).contains(position))
    }

    @Test func `An app that pauses without a word about its position has not moved`() throws {
        let bus = try TestBus()
        let stage = try Stage(bus, .podcasts, .playing(at: Clock.boot() - 10_000_000_000))
        let remote = try Remote(bus, stage.name)
        stage.update { $0.nowPlaying.rate = 0 }
        #expect(try remote.changes.next() == ["PlaybackStatus": .string("Paused")])
        let position = try remote.get("Position")
        #expect((100_000_000..<160_000_000).contains(position?.int ?? 0))
        #expect(try remote.get("Position") == position && remote.seeks.rest.isEmpty)
    }

    @Test func `What an app says may be hostile, and its player stays on the bus`() throws {
        let bus = try TestBus()
        let stage = try Stage(bus)
        let remote = try Remote(bus, stage.name)
        stage.update { state in
            let stack = "a" + String(repeating: "\u{301}", count: 200_000)
            (state.nowPlaying.title, state.nowPlaying.artist) = ("a\0b", stack)
            (state.nowPlaying.album, state.nowPlaying.genre) = ("", "\u{7}")
            (state.nowPlaying.duration, state.nowPlaying.elapsed) = (.infinity, .nan)
            (state.nowPlaying.rate, state.volume) = (.nan, .nan)
            (state.nowPlaying.track, state.nowPlaying.artwork) = (.max, "relative")
        }
        let changed = try remote.changes.next()
        let metadata = try #require(changed["Metadata"])
        #expect(metadata["xesam:title"] == .string("ab"))
        #expect(metadata["xesam:artist"]?.strings?.first?.utf8.count ?? 9999 <= 512)
        #expect(metadata["xesam:album"] == nil && metadata["xesam:genre"] == nil && metadata["mpris:artUrl"] == nil)
        #expect(metadata["xesam:trackNumber"] == .int32(.max))
        let position = try #require(try remote.get("Position")?.int)
        #expect((0..<60_000_000).contains(position))
        #expect(try remote.get("Rate") == .double(1))
        #expect(try remote.get("Volume") == .double(1))
    }

    @Test func `Several apps have a player each, and each hears its own commands`() throws {
        let bus = try TestBus()
        let stages = try (0..<5).map { number in
            try Stage(bus, PublishedApp(identifier: "org.example.App\(number)", name: "App \(number)"))
        }
        let remotes = try stages.map { try Remote(bus, $0.name) }
        for (number, remote) in remotes.enumerated() {
            #expect(try remote.get("Identity", of: Remote.root) == .string("App \(number)"))
            #expect(try remote.call("Next") == .success([]))
            #expect(try stages[number].commands.next() == .next)
        }
        stages[3].update { $0.isShuffled = true }
        #expect(try remotes[3].changes.next() == ["Shuffle": .boolean(true)])
        #expect(stages.allSatisfy { $0.commands.rest.isEmpty })
        #expect(remotes.allSatisfy { $0.changes.rest.isEmpty })
        #expect(try remotes[0].all(of: Remote.root)["DesktopEntry"] == nil)
        // A player goes with the last who holds its stage.
        withExtendedLifetime(stages) {}
    }

    @Test func `Without a bus it waits for one, and it is there again when the bus went and came back`() throws {
        let bus = try TestBus(isRunning: false)
        let stage = Stage(bus.address)
        stage.update { $0.nowPlaying.title = "Before" }
        try bus.start()
        try stage.awaitName()
        #expect(try Remote(bus, stage.name).get("Metadata")?["xesam:title"] == .string("Before"))
        bus.stop()
        #expect(try stage.claims.next() == .none)
        stage.update { $0.nowPlaying.title = "Meanwhile" }
        try bus.start()
        try stage.awaitName()
        let remote = try Remote(bus, stage.name)
        #expect(try remote.get("Metadata")?["xesam:title"] == .string("Meanwhile"))
        stage.update { $0.nowPlaying.title = "After" }
        #expect(try remote.changes.next()["Metadata"]?["xesam:title"] == .string("After"))
        #expect(try remote.call("Next") == .success([]))
    }

    @Test func `A second player of the same app waits until the first one goes`() throws {
        let bus = try TestBus()
        let first = try Stage(bus)
        let second = Stage(bus.address)
        #expect(try second.claims.next() == .queued)
        first.end()
        try second.awaitName()
    }
}
